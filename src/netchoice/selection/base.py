"""What all selectors share: parameters, checks, costs, and results."""

from __future__ import annotations

import numbers
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted, validate_data

from netchoice.errors import UsageError
from netchoice.selection.column_costs import ColumnCosts
from netchoice.selection.greedy import Floats, Step, Terms, take_one_by_one
from netchoice.threads import count_threads


@dataclass(frozen=True)
class Problem:
    """A table to select from, checked.

    Attributes
    ----------
    X : array (n, q) of float64
    y : array (n,) of int64
        Position of each row's label in ``classes``.
    """

    X: Floats
    y: NDArray[np.int64]
    classes: NDArray[Any]
    names: list[str]
    costs: ColumnCosts
    seed: int


class CostAwareSelector(SelectorMixin, BaseEstimator):  # type: ignore[misc]
    """Base of all selectors: a method says what it learns, and what columns add.

    A subclass defines ``_learn`` (what the data say, whatever the costs) and ``_information``
    (what each column would add, given those taken); the rest is here.
    """

    #: Name on the command line and in tables; by default that of the class, in small letters.
    method: ClassVar[str]
    #: Whether the method accepts ``charge="shared"``.
    supports_shared_costs: ClassVar[bool] = True
    #: Parameters that ``_learn`` does not look at: selectors that differ in these alone can share
    #: what they learn, see :func:`rank_path`.
    _learns_without: ClassVar[frozenset[str]] = frozenset(
        {"n_features_to_select", "costs", "penalty", "cost_scale", "charge", "n_jobs"}
    )

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if not hasattr(cls, "method"):
            cls.method = cls.__name__.lower()

    def __init__(
        self,
        *,
        n_features_to_select: Any = None,
        costs: Any = None,
        penalty: Any = 0.0,
        cost_scale: str = "share",
        charge: str = "alone",
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.costs = costs
        self.penalty = penalty
        self.cost_scale = cost_scale
        self.charge = charge
        self.random_state = random_state
        self.n_jobs = n_jobs

    @property
    def statistics_depend_on_penalty(self) -> bool:
        """Whether every penalty needs its own statistics, so that :func:`rank_path` takes longer."""
        return "penalty" not in self._learns_without

    # What a method defines

    def _learn(self, problem: Problem, together: Sequence[CostAwareSelector]) -> Any:
        """What the data say, whatever the costs; for these selectors together."""
        raise NotImplementedError

    def _information(self, learnt: Any, taken: list[int]) -> Terms:
        """What each column would add, given those taken."""
        raise NotImplementedError

    def _check_parameters(self, problem: Problem) -> None:
        """Refuse parameters of this method that make no sense, before anything is computed."""

    # What is the same for all

    def fit(self, X: Any, y: Any) -> Self:
        """Rank the columns and select the first of them.

        Parameters
        ----------
        X : array or DataFrame (n, q)
        y : array (n,)
            Labels of any type, at least two different ones.
        """
        problem = self._checked(X, y)
        self._keep(problem, self._rank(self._learn(problem, [self]), problem.costs))
        return self

    def _checked(self, X: Any, y: Any) -> Problem:
        columns = list(X.columns) if hasattr(X, "columns") else None
        if columns == []:
            raise UsageError("the table has no columns; expected 0 feature(s) to be at least one")
        X, y = validate_data(self, X, y, dtype=np.float64, ensure_min_samples=2)
        classes, codes = labels(y)
        count_threads(self.n_jobs)
        named = hasattr(self, "feature_names_in_")
        names = list(self.feature_names_in_) if named else [f"x{i}" for i in range(X.shape[1])]
        if _penalty(self.penalty) > 0 and self.costs is None:
            warnings.warn(
                f"penalty={self.penalty} changes nothing, because no costs were given",
                stacklevel=3,
            )
        costs = ColumnCosts(
            self.costs, names, columns=columns, scale=self.cost_scale, charge=self.charge
        )
        seed = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))
        problem = Problem(X, codes, classes, names, costs, seed)
        how_many(self.n_features_to_select, len(names))
        self._check_parameters(problem)
        return problem

    def _rank(self, learnt: Any, costs: ColumnCosts) -> list[Step]:
        return take_one_by_one(
            len(costs.alone),
            lambda taken: self._information(learnt, taken),
            costs.one_more,
            self.penalty,
        )

    def _keep(self, problem: Problem, steps: list[Step]) -> None:
        import pandas as pd

        q = len(problem.names)
        self.classes_ = problem.classes
        self.costs_ = problem.costs.alone
        self.ranking_ = np.array([step.column for step in steps])
        self.ranking_names_ = np.array(problem.names, dtype=object)[self.ranking_]
        self.scores_ = np.empty(q)
        self.relevance_ = np.empty(q)
        self.scores_[self.ranking_] = [step.score for step in steps]
        self.relevance_[self.ranking_] = [step.terms[0] for step in steps]
        self.support_ = np.zeros(q, dtype=bool)
        self.support_[self.ranking_[: how_many(self.n_features_to_select, q)]] = True
        terms = pd.DataFrame([step.terms for step in steps], columns=list(Terms._fields))
        self.steps_ = pd.DataFrame(
            {
                "feature": self.ranking_names_,
                **terms.dropna(axis="columns", how="all").astype(float),
                "cost": [step.cost for step in steps],
                "score": [step.score for step in steps],
            }
        )

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        return np.asarray(self.support_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


def labels(y: Any) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """The distinct labels, and the position of each row's among them."""
    if type_of_target(y) == "continuous":
        raise UsageError(
            "the labels are numbers with fractions; expected classes (for a quantity, make "
            "classes of its ranges first, with pandas.qcut for example)"
        )
    try:
        classes, codes = np.unique(y, return_inverse=True)
    except TypeError as error:
        raise UsageError(
            "the labels are of different types and cannot be put in order; make them all text, "
            "or all numbers, without missing ones"
        ) from error
    if len(classes) < 2:
        raise UsageError(
            f"all {len(y)} rows have the label {str(classes[0])!r}: one class only, nothing to tell "
            "apart; expected at least two classes"
        )
    return classes, codes.astype(np.int64)


def _penalty(value: Any) -> float:
    number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if number and 0 <= float(value) < np.inf:
        return float(value)
    raise UsageError(f"penalty={value!r}; expected a finite number, 0 or more")


def how_many(wanted: Any, q: int) -> int:
    """How many of q columns to select: a number, a share, or half of them.

    >>> how_many(None, 7), how_many(3, 7), how_many(0.5, 8)
    (3, 3, 4)
    """
    if wanted is None:
        return max(1, q // 2)
    if isinstance(wanted, numbers.Integral) and 1 <= int(wanted) <= q:
        return int(wanted)
    whole = isinstance(wanted, (numbers.Integral, bool))
    if isinstance(wanted, numbers.Real) and not whole and 0 < float(wanted) <= 1:
        return max(1, int(float(wanted) * q))
    raise UsageError(
        f"n_features_to_select={wanted!r} of {q} columns; expected an integer from 1 to {q}, "
        "a share between 0 and 1, or None for half of them"
    )


def column_mask(what: str, chosen: Any, names: Sequence[str]) -> NDArray[np.bool_]:
    """Columns chosen by a mask, by positions, by names, or all at once, as a mask.

    >>> column_mask("nominal_features", ["b"], ["a", "b"])
    array([False,  True])
    """
    mask = np.zeros(len(names), dtype=bool)
    if chosen is None:
        return mask
    if isinstance(chosen, (bool, np.bool_)):
        return np.full(len(names), bool(chosen))
    values = [chosen] if isinstance(chosen, (str, numbers.Integral)) else list(chosen)
    if len(values) and all(isinstance(value, (bool, np.bool_)) for value in values):
        if len(values) != len(names):
            raise UsageError(f"{what} marks {len(values)} columns of {len(names)}; mark each")
        return np.array(values, dtype=bool)
    where = {name: i for i, name in enumerate(names)}
    for value in values:
        position: Any = where.get(value, value) if isinstance(value, str) else value
        if not isinstance(position, numbers.Integral) or not 0 <= int(position) < len(names):
            raise UsageError(
                f"{what} names {value!r}, which is no column; expected names, positions from 0 to "
                f"{len(names) - 1}, or a mask"
            )
        mask[int(position)] = True
    return mask
