"""Selectors that use the column importances of a random forest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, NamedTuple

import numpy as np

from netchoice.errors import UsageError
from netchoice.forests import IMPORTANCES, grow_forest
from netchoice.selection.base import CostAwareSelector, TrainingData
from netchoice.selection.column_costs import ColumnCosts, log_costs
from netchoice.selection.greedy import Floats, Step, Terms, rank_greedily
from netchoice.validation import check_choice


class Importances(NamedTuple):
    """The importances (q,) of the columns."""

    mdi: Floats
    mda: Floats  # NaN if not requested


@dataclass(kw_only=True, eq=False, repr=False)
class ForestSelector(CostAwareSelector):
    """Base of the methods that use the importances of a random forest."""

    importance: str = "mdi"
    n_trees: int = 500
    min_leaf: int = 1
    max_features: int | None = None

    supports_numbers: ClassVar[bool] = False
    _family: ClassVar[str]
    _ranking_parameters = CostAwareSelector._ranking_parameters | {"importance"}

    @property
    def method(self) -> str:  # type: ignore[override]
        """Name on the command line and in tables."""
        return f"{self._family}-{self.importance}"

    def _check_parameters(self, data: TrainingData) -> None:
        check_choice("importance", self.importance, IMPORTANCES)

    def _measure(
        self, data: TrainingData, group: Sequence[CostAwareSelector], log_weights: Floats | None
    ) -> Importances:
        """Measure the importances for all selectors of the group with one forest."""
        forest = grow_forest(
            data.X,
            data.target,
            n_trees=self.n_trees,
            min_leaf=self.min_leaf,
            max_features=self.max_features,
            log_weights=log_weights,
            importance=[getattr(selector, "importance", "mdi") for selector in group],
            seed=data.seed,
            n_jobs=self.n_jobs,
        )
        mda = np.full(len(forest.mdi), np.nan) if forest.mda is None else forest.mda
        return Importances(forest.mdi, mda)

    def _information(self, statistics: Importances, selected: list[int]) -> Terms:
        return Terms(getattr(statistics, self.importance))


class PenalizedForest(ForestSelector):
    """Importance in a random forest, scaled to [0, 1] over the columns, − λC.

    Breiman 2001, doi:10.1023/A:1010933404324. Columns with the same information share their
    importance, so an informative column that is correlated with many others ranks low. The
    parameters and attributes are those below and those of :class:`MRMR` without mutual information.

    Parameters
    ----------
    importance : "mdi" or "mda"
        Mean decrease of Gini impurity, or of out-of-bag accuracy when the column is permuted.
    n_trees, min_leaf, max_features
        As in :func:`netchoice.forests.grow_forest`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> PenalizedForest(n_trees=100, costs=[1, 1, 9, 1], penalty=1).fit(X, y).ranking_[0]
    np.int64(3)
    """

    _family = "penalized"

    def _compute_statistics(
        self, data: TrainingData, group: Sequence[CostAwareSelector]
    ) -> Importances:
        return self._measure(data, group, None)

    def _information(self, statistics: Importances, selected: list[int]) -> Terms:
        importances = getattr(statistics, self.importance)
        above_smallest = importances - importances.min()
        return Terms(above_smallest / (above_smallest.max() or 1.0))


@dataclass(kw_only=True, eq=False, repr=False)
class WeightedForest(ForestSelector):
    """Importance in a forest whose nodes draw candidate columns with probability ∝ C^(−λ).

    Expensive columns are rarely tried, and so rarely used. λ affects how trees grow, not the score:
    however large λ is, an uninformative cheap column does not rank above an informative expensive
    one because of its cost. A cost of 0 counts as the smallest positive cost. The parameters and
    attributes are those of :class:`PenalizedForest`, but ``charge`` must be "alone": a node
    draws columns before any column is selected, so no shared step has been paid.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> selector = WeightedForest(n_trees=100, costs=[1, 1, 9, 9], penalty=3)
    >>> selector.fit(X, y).ranking_[:2]
    array([0, 1])
    """

    charge: str = "alone"

    _family = "weighted"
    supports_shared_costs = False
    _ranking_parameters = frozenset({"n_features_to_select", "budget", "n_jobs", "importance"})

    def _check_parameters(self, data: TrainingData) -> None:
        super()._check_parameters(data)
        if self.charge != "alone":
            raise UsageError(
                f"`charge` must be 'alone' for a weighted forest; got {self.charge!r}. A node of a "
                "tree draws columns before any column is selected, so no shared step has been "
                "paid. Use PenalizedForest to share costs"
            )

    def _compute_statistics(
        self, data: TrainingData, group: Sequence[CostAwareSelector]
    ) -> Importances:
        penalty = min(self.penalty, 1e300)  # its product with any log cost is finite
        return self._measure(data, group, -penalty * log_costs(data.costs.alone))

    def _rank(
        self, statistics: Importances, costs: ColumnCosts, n_steps: int | None = None
    ) -> list[Step]:
        # The trees have used the penalty already.
        information = partial(self._information, statistics)
        affordable = costs.affordable(self.budget)
        return rank_greedily(
            len(costs.alone), information, costs.marginal_costs, 0.0, affordable, n_steps
        )
