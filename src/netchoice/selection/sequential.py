"""Sequential methods: each column is scored against the columns that are already selected."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from netchoice.information import conditional_redundancy, redundancy, relevance
from netchoice.selection.base import CostAwareSelector, TrainingData, column_mask
from netchoice.selection.greedy import Floats, Terms
from netchoice.validation import check_choice

#: Neighbours in the estimates. For numbers, estimates with 3 neighbours vary too much in small tables.
N_NEIGHBORS = {"classes": 3, "numbers": 10}


class MutualInformation:
    """Mutual informations of a table; each kind is estimated when it is first used."""

    def __init__(
        self, data: TrainingData, on_progress: Callable[..., None] | None = None, **options: Any
    ) -> None:
        self._data, self._options = data, {"seed": data.seed, **options}
        self._on_progress = on_progress

    @cached_property
    def relevance(self) -> Floats:
        """I(k;y) of each column k."""
        return self._data.mean(lambda part: relevance(part.X, part.target, **self._options))

    @cached_property
    def redundancy(self) -> Floats:
        """I(j;k) of each pair of columns."""
        options = self._options_of_pairs("redundancy")
        return self._data.mean(lambda part: redundancy(part.X, **options))

    @cached_property
    def conditional_redundancy(self) -> Floats:
        """I(j;k|y) of each pair of columns."""
        options = self._options_of_pairs("interaction")
        return self._data.mean(lambda part: conditional_redundancy(part.X, part.target, **options))

    def _options_of_pairs(self, stage: str) -> dict[str, Any]:
        report = self._on_progress and partial(self._on_progress, stage)
        return {**self._options, "on_progress": report}


@dataclass(kw_only=True, eq=False, repr=False)
class SequentialSelector(CostAwareSelector):
    """Base of the methods that use mutual information."""

    estimator: str = "calibrated"
    n_neighbors: int | None = None
    discrete_features: Any = "auto"

    supports_missing = True

    def _compute_statistics(self, data: TrainingData, group: Sequence[CostAwareSelector]) -> Any:
        discrete = None
        if not (isinstance(self.discrete_features, str) and self.discrete_features == "auto"):
            discrete = column_mask("discrete_features", self.discrete_features, data.names)
        return MutualInformation(
            data,
            self._on_progress,
            discrete=discrete,
            nominal=data.nominal,
            estimator=self.estimator,
            n_neighbors=self._resolved_neighbors(data),
            n_jobs=self.n_jobs,
        )

    def _resolved_neighbors(self, data: TrainingData) -> int:
        return N_NEIGHBORS[data.target.kind] if self.n_neighbors is None else self.n_neighbors


@dataclass(kw_only=True, eq=False, repr=False)
class AveragingSelector(SequentialSelector):
    """Base of the methods that average, or sum, over the selected columns."""

    redundancy: str = "mean"

    _ranking_parameters = SequentialSelector._ranking_parameters | {"redundancy"}

    def _check_parameters(self, data: TrainingData) -> None:
        check_choice("redundancy", self.redundancy, ("mean", "sum"))

    def _average(self, matrix: Floats, selected: list[int]) -> Floats:
        """Return the mean (the definition by Peng et al.) or the sum (as printed in the paper)."""
        total = np.asarray(matrix[selected].sum(axis=0))
        return total if self.redundancy == "sum" else total / max(1, len(selected))


class MRMR(AveragingSelector):
    """Minimum redundancy, maximum relevance: I(k;y) − mean I(j;k) − λC.

    Peng, Long and Ding 2005, doi:10.1109/TPAMI.2005.159. MRMR does not find two columns that are
    informative only jointly. It soon prefers a column of noise, which is redundant with nothing, to
    a column that is redundant with the selected ones; JMI corrects this.

    Parameters
    ----------
    n_features_to_select : int, float or None
        Number of columns to select, a fraction of them, or None for half of them. ``ranking_``
        always has all columns.
    budget : float, str or None
        The largest cost of the selected columns, in the unit of ``costs``, or a share such as "2%" of what
        all columns cost together. Each step then selects among the columns that the rest of the budget pays
        for. With None for ``n_features_to_select``, as many columns are selected as the budget pays for.
    target : "auto", "classes" or "numbers"
        What ``y`` holds: class labels, or numbers (one column, or several at once). "auto": numbers, if
        there are several columns, fractions, or more than 20 distinct integers. With several columns,
        the information is the mean over them; where a row has NaN, the column is not known for it.
    costs : array, mapping, Series or DataFrame by name, CostModel, or None
        Costs of the columns; None: all 0.
    penalty : float
        λ, the weight of cost against information.
    cost_scale : "share" or "raw"
        Share: costs are divided by their sum, so that λ does not depend on their unit.
    charge : "shared" or "alone"
        Shared: a shared step is paid once, by the first column that uses it. Alone, as in the paper: each
        column pays for all steps that it uses.
    redundancy : "mean" or "sum"
        Over the selected columns.
    estimator : "calibrated", "published" or "plugin"
        Estimator of mutual information, see :mod:`netchoice.information`.
    n_neighbors : int or None
        Number of neighbours in the nearest-neighbour estimates; None: 3 for classes, 10 for numbers.
    discrete_features : "auto", bool, mask, positions or names
        The discrete columns; "auto": those with integers only. Text in a DataFrame is always discrete.
    random_state : int, RandomState or None
        Breaks ties between values in the estimates. None: another draw in each fit.
    n_jobs : int or None
        Number of threads; it does not affect the result.

    Attributes
    ----------
    ranking_ : array (q,)
        Positions of all columns, best first; ``ranking_names_`` has their names.
    target_ : "classes" or "numbers"
        What ``y`` held; for classes, ``classes_`` has the labels.
    scores_, relevance_, costs_ : arrays (q,)
        For each column: the score when it was selected, I(k;y), and its scaled cost alone.
    support_ : array (q,) of bool
        Mask of the selected columns.
    steps_ : DataFrame
        One row per column in the order of ``ranking_``: feature, relevance, redundancy,
        (interaction,) cost, score.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> selector = MRMR(n_features_to_select=1, costs=[1, 1, 5, 1], penalty=1).fit(X, y)
    >>> selector.get_feature_names_out()
    array(['petal width (cm)'], dtype=object)
    """

    method = "mrmr"

    def _information(self, statistics: MutualInformation, selected: list[int]) -> Terms:
        return Terms(statistics.relevance, self._average(statistics.redundancy, selected))


class JMI(AveragingSelector):
    """Joint mutual information: I(k;y) − mean I(j;k) + mean I(j;k|y) − λC.

    Yang and Moody 1999; Brown et al. 2012 (jmlr.org/papers/v13/brown12a). The third term rewards
    columns that are informative jointly with a selected one. The parameters and attributes are
    those of :class:`MRMR`.

    Examples
    --------
    >>> X = np.random.default_rng(0).integers(0, 2, (400, 4))
    >>> JMI(n_features_to_select=2).fit(X, X[:, 1] + 2 * X[:, 3]).get_support(indices=True)
    array([1, 3])
    """

    method = "jmi"

    def _information(self, statistics: MutualInformation, selected: list[int]) -> Terms:
        matrices = (statistics.redundancy, statistics.conditional_redundancy)
        return Terms(statistics.relevance, *(self._average(m, selected) for m in matrices))


class JMIM(SequentialSelector):
    """Joint mutual information maximisation: min over j of I(k,j;y) − λC.

    Bennasar, Hicks and Setchi 2015, doi:10.1016/j.eswa.2015.07.007, with I(k,j;y) = I(k;y) + I(j;y)
    − I(j;k) + I(j;k|y). The parameters and attributes are those of :class:`MRMR`, without
    ``redundancy``. In ``steps_``, partner is I(j;y) of the column j that attains the minimum.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> JMIM().fit(X, y).ranking_[:2]
    array([2, 1])
    """

    method = "jmim"

    def _information(self, statistics: MutualInformation, selected: list[int]) -> Terms:
        relevance = statistics.relevance
        if not selected:
            zeros = np.zeros_like(relevance)
            return Terms(relevance, zeros, zeros, zeros)
        redundancy, conditional = statistics.redundancy, statistics.conditional_redundancy
        joint = conditional[selected] - redundancy[selected] + relevance[selected, None]
        partner = np.array(selected)[joint.argmin(axis=0)]
        pairs = partner, np.arange(len(relevance))
        return Terms(relevance, redundancy[pairs], conditional[pairs], relevance[partner])
