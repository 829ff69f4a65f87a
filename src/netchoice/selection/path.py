"""Rankings for many penalties at once: what does not depend on λ is learnt once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone

from netchoice.errors import UsageError
from netchoice.selection.base import CostAwareSelector

if TYPE_CHECKING:
    import pandas as pd

Selectors = CostAwareSelector | Iterable[CostAwareSelector] | Mapping[str, CostAwareSelector]


def rank_path(
    selector: Selectors,
    X: Any,
    y: Any,
    penalties: Iterable[float],
    *,
    on_progress: Callable[[int, int], None] | None = None,
) -> pd.DataFrame:
    """Rankings of all columns for every penalty, for little more than the cost of one.

    Selectors that learn the same from the data share it: the mutual informations of MRMR, JMI and
    JMIM, or the forest of both importances.

    Parameters
    ----------
    selector : selector, or several, or a mapping of names to selectors
        Their own penalty does not matter. They are not fitted.
    X, y : table and labels
    penalties : iterable of float
        The values of λ.
    on_progress : callable, optional
        Called with the number of rankings made and to be made.

    Returns
    -------
    DataFrame
        One row for each method, penalty and position (from 1): method, penalty, position, feature,
        score.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from netchoice.selection import JMI, MRMR, rank_path
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> path = rank_path([MRMR(costs=[1, 2, 3, 4]), JMI(costs=[1, 2, 3, 4])], X, y, [0, 10])
    >>> first = path[path["position"] == 1]
    >>> list(zip(first["method"], first["penalty"], first["feature"]))  # doctest: +NORMALIZE_WHITESPACE
    [('mrmr', 0.0, 'petal length (cm)'), ('mrmr', 10.0, 'sepal length (cm)'),
     ('jmi', 0.0, 'petal length (cm)'), ('jmi', 10.0, 'sepal length (cm)')]
    """
    import pandas as pd

    values = _checked(penalties)
    named = _named(selector)
    made: dict[str, list[pd.DataFrame]] = {name: [] for name in named}
    done = 0
    for group in _that_learn_the_same(named):
        members = [named[name] for name in group]
        problems = [member.set_params(penalty=max(values))._checked(X, y) for member in members]
        learnt = None
        for penalty in values:
            for member in members:
                member.set_params(penalty=penalty)
            if learnt is None or members[0].statistics_depend_on_penalty:
                learnt = members[0]._learn(problems[0], members)
            for name, member, problem in zip(group, members, problems, strict=True):
                steps = member._rank(learnt, problem.costs)
                made[name].append(
                    pd.DataFrame(
                        {
                            "method": name,
                            "penalty": penalty,
                            "position": np.arange(1, len(steps) + 1),
                            "feature": [problem.names[step.column] for step in steps],
                            "score": [step.score for step in steps],
                        }
                    )
                )
                done += 1
                if on_progress is not None:
                    on_progress(done, len(named) * len(values))
    return pd.concat([frame for frames in made.values() for frame in frames], ignore_index=True)


def _checked(penalties: Iterable[float]) -> list[float]:
    values = [float(penalty) for penalty in penalties]
    if not values:
        raise UsageError("no penalties; give at least one, for example [0, 0.1, 1, 10]")
    if not all(0 <= value < np.inf for value in values):
        raise UsageError(f"penalties {values}; expected finite numbers, 0 or more")
    return values


def _named(selector: Selectors) -> dict[str, CostAwareSelector]:
    """Copies of the selectors, by name."""
    if isinstance(selector, CostAwareSelector):
        selector = [selector]
    if isinstance(selector, Mapping):
        named = {str(name): clone(_a_selector(each)) for name, each in selector.items()}
    else:
        named = _by_method([selector] if isinstance(selector, str) else selector)
    if not named:
        raise UsageError("no selectors; give at least one")
    return named


def _a_selector(thing: Any) -> CostAwareSelector:
    if not isinstance(thing, CostAwareSelector):
        raise UsageError(
            f"{thing!r} is no selector; expected one of netchoice.selection, such as JMI()"
        )
    return thing


def _by_method(selectors: Iterable[Any]) -> dict[str, CostAwareSelector]:
    named: dict[str, CostAwareSelector] = {}
    for each in map(_a_selector, selectors):
        if each.method in named:
            raise UsageError(
                f"two selectors are called {each.method!r}; give a mapping of names to selectors"
            )
        named[each.method] = clone(each)
    return named


def _that_learn_the_same(named: Mapping[str, CostAwareSelector]) -> list[list[str]]:
    groups: list[list[str]] = []
    for name, each in named.items():
        for group in groups:
            if _learn_the_same(each, named[group[0]]):
                group.append(name)
                break
        else:
            groups.append([name])
    return groups


def _learn_the_same(one: CostAwareSelector, other: CostAwareSelector) -> bool:
    if type(one)._learn is not type(other)._learn:
        return False
    mine, theirs = one.get_params(deep=False), other.get_params(deep=False)
    ignored = one._learns_without | other._learns_without | {"penalty"}
    return all(_same(mine.get(n), theirs.get(n)) for n in (mine | theirs) if n not in ignored)


def _same(one: Any, other: Any) -> bool:
    """Whether two values of a parameter mean the same; in doubt they do not."""
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if hasattr(one, "equals"):  # of pandas: values and names
        return bool(one.equals(other))
    if isinstance(one, (list, tuple, np.ndarray)):
        a, b = np.asarray(one), np.asarray(other)
        return a.dtype == b.dtype and np.array_equal(a, b)
    return bool(one == other)
