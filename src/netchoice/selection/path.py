"""The penalties λ to try, and rankings for many of them; what does not depend on λ is computed once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone

from netchoice.costs import CostModel
from netchoice.errors import UsageError
from netchoice.selection.base import CostAwareSelector
from netchoice.validation import check_integer, check_non_negative

if TYPE_CHECKING:
    import pandas as pd

#: The paper's grid; its costs are the CPU seconds of the paper's own code.
PAPER_PENALTIES = (
    0.0, 0.0125, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0, 1.1, 1.6, 2.3, 3.2, 4.5, 6.4, 8.0, 9.0,
    10.0, 11.0, 12.0, 12.8, 25.6, 51.2, 102.4, 204.8,
)  # fmt: skip
#: The smallest positive penalty, as in the paper.
MIN_PENALTY = 0.0125
#: More than the information that one feature adds in any method.
MAX_INFORMATION = 5.0

Selectors = CostAwareSelector | Iterable[CostAwareSelector] | Mapping[str, CostAwareSelector]


def penalty_grid(
    costs: CostModel, features: Iterable[str] | None = None, n: int = 26
) -> list[float]:
    """Return penalties for costs as shares: 0, then a geometric sequence until only cost matters.

    Parameters
    ----------
    costs : CostModel
    features : iterable of str, optional, to choose from; all by default
    n : int, number of penalties, at least 3

    Examples
    --------
    >>> from netchoice import CostModel
    >>> penalty_grid(CostModel({"a": 1, "b": 9}), n=4)
    [0.0, 0.013, 0.79, 50.0]
    """
    check_integer("n", n, 3)
    shares = [share for share in costs.alone(features, "share").values() if share > 0]
    if not shares:
        return [0.0]
    last = max(MAX_INFORMATION / min(shares), 10 * MIN_PENALTY)
    return [0.0, *(float(f"{value:.2g}") for value in np.geomspace(MIN_PENALTY, last, n - 1))]


def rank_path(
    selector: Selectors,
    X: Any,
    y: Any,
    penalties: Iterable[float],
    *,
    n_positions: int | None = None,
    on_progress: Callable[[int, int], None] | None = None,
) -> pd.DataFrame:
    """Rank columns for every penalty, in little more time than for one.

    Selectors that compute the same statistics share them: the mutual informations of MRMR, JMI and
    JMIM, or the forest of both importances.

    Parameters
    ----------
    selector : selector, or several, or a mapping of names to selectors
        Copies of them are used; their own penalty has no effect.
    X, y : table and labels
    penalties : iterable of float
        The values of λ.
    n_positions : int, optional
        How many positions of each ranking to fill, if the rest is not needed. By default all columns are
        ranked.
    on_progress : callable, optional
        Called with the number of rankings done and the number of all rankings.

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
    >>> path[(path["position"] == 1) & (path["method"] == "jmi")]["feature"].tolist()
    ['petal length (cm)', 'sepal length (cm)']
    """
    import pandas as pd

    if n_positions is not None:
        check_integer("n_positions", n_positions)
    values = [check_non_negative("penalties", penalty) for penalty in penalties]
    if not values:
        raise UsageError("`penalties` must have at least one value, for example 0; got none")
    selectors = _by_name(selector)
    rows: dict[str, list[tuple[Any, ...]]] = {name: [] for name in selectors}
    n_done = 0
    for group in _groups_with_equal_statistics(selectors):
        members = [selectors[name] for name in group]
        checked = [member.set_params(penalty=max(values))._check_data(X, y) for member in members]
        statistics = None
        for penalty in values:
            for member in members:
                member.set_params(penalty=penalty)
            if statistics is None or members[0].statistics_depend_on_penalty:
                statistics = members[0]._compute_statistics(checked[0], members)
            for name, member, data in zip(group, members, checked, strict=True):
                steps = member._rank(statistics, data.costs, n_positions)
                for i, step in enumerate(steps, start=1):
                    rows[name].append((name, penalty, i, data.names[step.column], step.score))
                n_done += 1
                if on_progress is not None:
                    on_progress(n_done, len(selectors) * len(values))
    columns = ["method", "penalty", "position", "feature", "score"]
    return pd.DataFrame(list(chain.from_iterable(rows.values())), columns=columns)


def _by_name(selector: Selectors) -> dict[str, CostAwareSelector]:
    """Return copies of the selectors by name."""
    if isinstance(selector, (CostAwareSelector, str)):
        selector = [selector]
    named = isinstance(selector, Mapping)
    pairs = selector.items() if isinstance(selector, Mapping) else ((None, s) for s in selector)
    copies: dict[str, CostAwareSelector] = {}
    for name, value in pairs:
        if not isinstance(value, CostAwareSelector):
            raise UsageError(
                "`selector` must be a selector of netchoice.selection, such as JMI(), or several; "
                f"got {value!r}"
            )
        key = str(name) if named else value.method
        if key in copies:
            raise UsageError(
                f"`selector` must have different methods; got {key!r} twice. Pass a mapping of "
                "names to selectors"
            )
        copies[key] = clone(value)
    if not copies:
        raise UsageError("`selector` must hold at least one selector; got none")
    return copies


def _groups_with_equal_statistics(selectors: Mapping[str, CostAwareSelector]) -> list[list[str]]:
    groups: dict[Any, list[str]] = {}
    for name, selector in selectors.items():
        ignored = selector._ranking_parameters | {"penalty"}
        parameters = selector.get_params(deep=False).items()
        used = frozenset((each, *_hashable(v)) for each, v in parameters if each not in ignored)
        groups.setdefault((type(selector)._compute_statistics, used), []).append(name)
    return list(groups.values())


def _hashable(value: Any) -> tuple[Any, ...]:
    """Return something that is equal only for values of a parameter that are certainly equal."""
    if hasattr(value, "index") and hasattr(value, "to_numpy"):  # pandas: values and labels
        return type(value), tuple(value.index), *_hashable(value.to_numpy())
    if isinstance(value, (CostModel, Mapping)):
        return type(value), repr(value.as_dict() if isinstance(value, CostModel) else dict(value))
    if isinstance(value, (list, tuple, np.ndarray)):
        values = np.asarray(value)
        return type(value), values.dtype.str, repr(values.tolist())
    return type(value), value if isinstance(value, Hashable) else id(value)
