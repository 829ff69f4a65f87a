"""Random forests as selectors: importance minus cost, or trees that avoid expensive columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from netchoice.errors import UsageError
from netchoice.forests.forest import IMPORTANCES, Forest, grow_forest
from netchoice.selection.base import CostAwareSelector, Problem
from netchoice.selection.column_costs import ColumnCosts, logarithms
from netchoice.selection.greedy import Floats, Step, Terms, take_one_by_one


class ForestSelector(CostAwareSelector):
    """Base of the methods that look at the importances of a random forest."""

    _family: ClassVar[str]
    _learns_without = CostAwareSelector._learns_without | {"importance"}

    def __init__(
        self,
        *,
        n_features_to_select: float | None = None,
        costs: Any = None,
        penalty: float = 0.0,
        cost_scale: str = "share",
        charge: str = "alone",
        importance: str = "mdi",
        n_trees: int = 500,
        min_leaf: int = 1,
        max_features: int | None = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(
            n_features_to_select=n_features_to_select,
            costs=costs,
            penalty=penalty,
            cost_scale=cost_scale,
            charge=charge,
            random_state=random_state,
            n_jobs=n_jobs,
        )
        self.importance = importance
        self.n_trees = n_trees
        self.min_leaf = min_leaf
        self.max_features = max_features

    @property
    def method(self) -> str:  # type: ignore[override]
        """Name on the command line and in tables."""
        return f"{self._family}-{self.importance}"

    def _check_parameters(self, problem: Problem) -> None:
        if self.importance not in IMPORTANCES:
            raise UsageError(f"importance={self.importance!r}; expected 'mdi' or 'mda'")

    def _grow(
        self, problem: Problem, together: Sequence[CostAwareSelector], log_weights: Floats | None
    ) -> Forest:
        """One forest with all importances that these selectors look at."""
        return grow_forest(
            problem.X,
            problem.y,
            n_trees=self.n_trees,
            min_leaf=self.min_leaf,
            max_features=self.max_features,
            log_weights=log_weights,
            importance=[getattr(each, "importance", "mdi") for each in together],
            seed=problem.seed,
            n_jobs=self.n_jobs,
        )

    def _importances(self, forest: Forest) -> Floats:
        values = forest.mdi if self.importance == "mdi" else forest.mda
        assert values is not None  # it was asked for
        return values


class PenalizedForest(ForestSelector):
    """Importance in a random forest, scaled to [0, 1] over the columns, − λC.

    Breiman 2001, doi:10.1023/A:1010933404324. Columns that tell the same share their importance,
    so a good column with many relatives ranks low.

    Parameters
    ----------
    importance : "mdi" or "mda"
        Mean decrease of Gini impurity, or of out-of-bag accuracy when the column is permuted.
    n_trees : int
    min_leaf : int
        Rows that a leaf holds at least.
    max_features : int or None
        Columns tried at each node; None: √q.

    Notes
    -----
    The other parameters and the attributes are those of :class:`MRMR` that do not concern mutual
    information.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> PenalizedForest(n_trees=100, costs=[1, 1, 9, 1], penalty=1).fit(X, y).ranking_[0]
    np.int64(3)
    """

    _family = "penalized"

    def _learn(self, problem: Problem, together: Sequence[CostAwareSelector]) -> Forest:
        return self._grow(problem, together, None)

    def _information(self, learnt: Forest, taken: list[int]) -> Terms:
        importances = self._importances(learnt)
        spread = np.ptp(importances)
        if spread == 0:
            return Terms(np.zeros_like(importances))
        return Terms((importances - importances.min()) / spread)


class WeightedForest(ForestSelector):
    """Importance in a forest whose nodes draw their candidate columns with probability ∝ C^(−λ).

    A expensive column is rarely tried, and so rarely used. λ goes into the growing of the trees and
    not into the score; however large it is, a cheap column without any information does not beat
    a expensive one by its cost alone, so the order of cost is not the limit. A cost of 0 is taken at
    the smallest positive one.

    Parameters and attributes are those of :class:`PenalizedForest`, but costs are always of
    columns alone: ``charge="shared"`` is refused, because what a column costs given others has no
    meaning at a node, where no columns have been taken yet.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> selector = WeightedForest(n_trees=100, costs=[1, 1, 9, 9], penalty=3)
    >>> selector.fit(X, y).ranking_[:2]
    array([0, 1])
    """

    _family = "weighted"
    supports_shared_costs = False
    _learns_without = frozenset({"n_features_to_select", "n_jobs", "importance"})

    def _check_parameters(self, problem: Problem) -> None:
        super()._check_parameters(problem)
        if self.charge != "alone":
            raise UsageError(
                f"charge={self.charge!r}; a weighted forest draws columns by their cost alone, "
                "since at a node of a tree none has been taken yet that could have paid for "
                "another; use charge='alone', or PenalizedForest"
            )

    def _learn(self, problem: Problem, together: Sequence[CostAwareSelector]) -> Forest:
        endless = min(self.penalty, 1e300)  # times the logarithm of any number, still finite
        return self._grow(problem, together, -endless * logarithms(problem.costs.alone))

    def _information(self, learnt: Forest, taken: list[int]) -> Terms:
        return Terms(self._importances(learnt))

    def _rank(self, learnt: Forest, costs: ColumnCosts) -> list[Step]:
        return take_one_by_one(
            len(costs.alone),
            lambda taken: self._information(learnt, taken),
            costs.one_more,
            penalty=0.0,  # λ is in the trees
        )
