"""Sequential methods: each column is judged against those already taken."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netchoice import information
from netchoice.errors import UsageError
from netchoice.selection.base import CostAwareSelector, Problem, column_mask
from netchoice.selection.greedy import Floats, Terms


class Informations:
    """Mutual informations of a table; each kind is estimated when first asked for."""

    def __init__(self, problem: Problem, discrete: NDArray[np.bool_] | None, **how: Any) -> None:
        self._problem = problem
        self._how = {"discrete": discrete, "seed": problem.seed, **how}

    @cached_property
    def relevance(self) -> Floats:
        """I(k;y)."""
        return np.asarray(information.relevance(self._problem.X, self._problem.y, **self._how))

    @cached_property
    def redundancy(self) -> Floats:
        """I(j;k)."""
        return np.asarray(information.redundancy(self._problem.X, **self._how))

    @cached_property
    def conditional(self) -> Floats:
        """I(j;k given y)."""
        return np.asarray(
            information.conditional_redundancy(self._problem.X, self._problem.y, **self._how)
        )


class SequentialSelector(CostAwareSelector):
    """Base of the methods made of mutual informations."""

    def __init__(
        self,
        *,
        n_features_to_select: Any = None,
        costs: Any = None,
        penalty: Any = 0.0,
        cost_scale: str = "share",
        charge: str = "alone",
        estimator: str = "calibrated",
        n_neighbors: int = 3,
        discrete_features: Any = "auto",
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
        self.estimator = estimator
        self.n_neighbors = n_neighbors
        self.discrete_features = discrete_features

    def _learn(self, problem: Problem, together: Sequence[CostAwareSelector]) -> Informations:
        automatic = isinstance(self.discrete_features, str) and self.discrete_features == "auto"
        discrete = (
            None
            if automatic
            else column_mask("discrete_features", self.discrete_features, problem.names)
        )
        return Informations(
            problem,
            discrete,
            estimator=self.estimator,
            n_neighbors=self.n_neighbors,
            n_jobs=self.n_jobs,
        )


class _OverTheSet(SequentialSelector):
    """Criteria with a mean, or a sum, over the columns taken."""

    _learns_without = SequentialSelector._learns_without | {"redundancy"}

    def __init__(
        self,
        *,
        n_features_to_select: Any = None,
        costs: Any = None,
        penalty: Any = 0.0,
        cost_scale: str = "share",
        charge: str = "alone",
        redundancy: str = "mean",
        estimator: str = "calibrated",
        n_neighbors: int = 3,
        discrete_features: Any = "auto",
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(
            n_features_to_select=n_features_to_select,
            costs=costs,
            penalty=penalty,
            cost_scale=cost_scale,
            charge=charge,
            estimator=estimator,
            n_neighbors=n_neighbors,
            discrete_features=discrete_features,
            random_state=random_state,
            n_jobs=n_jobs,
        )
        self.redundancy = redundancy

    def _check_parameters(self, problem: Problem) -> None:
        if self.redundancy not in ("mean", "sum"):
            raise UsageError(f"redundancy={self.redundancy!r}; expected 'mean' or 'sum'")

    def _over(self, matrix: Floats, taken: list[int]) -> Floats:
        """Mean over the columns taken: Peng's definition; the paper prints the sum."""
        total = np.asarray(matrix[taken].sum(axis=0))
        return total if self.redundancy == "sum" else total / max(1, len(taken))


class MRMR(_OverTheSet):
    """Most relevant, least redundant: I(k;y) − mean I(j;k) − λC.

    Peng, Long and Ding 2005, doi:10.1109/TPAMI.2005.159. Two columns that tell only together are
    not seen, and a column that resembles nothing (noise) is soon preferred to one that resembles
    what is there: see JMI.

    Parameters
    ----------
    n_features_to_select : int, float or None
        A number, a share, or half of the columns. The ranking is of all columns in any case.
    costs : array, mapping or Series by name, CostModel, or None
        Costs of the columns; None: all 0.
    penalty : float
        λ, how much cost weighs against information.
    cost_scale : "share" or "raw"
        Share: costs are divided by their sum, so that λ does not depend on their unit.
    charge : "alone" or "shared"
        Shared: a column costs only what those taken have not paid already (CostModel only).
    redundancy : "mean" or "sum"
        Over the columns taken.
    estimator : "calibrated", "published" or "plugin"
        How mutual information is estimated: see netchoice.information.
    n_neighbors : int
        Of the nearest-neighbour estimates.
    discrete_features : "auto", bool, mask, positions or names
        Columns with integers; "auto" looks at their values.
    random_state : int, RandomState or None
        Breaks ties of values in the estimate. None draws again in each fit.
    n_jobs : int or None
        Threads.

    Attributes
    ----------
    ranking_ : array (q,)
        Positions of all columns, best first; ``ranking_names_`` their names.
    scores_, relevance_, costs_ : arrays (q,)
        By column: the criterion when it was taken, I(k;y), and its cost alone, scaled.
    support_ : array (q,) of bool
        The columns selected.
    steps_ : DataFrame
        In the order taken: feature, relevance, redundancy, (interaction,) cost, score.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> selector = MRMR(n_features_to_select=1, costs=[1, 1, 5, 1], penalty=1).fit(X, y)
    >>> selector.get_feature_names_out()
    array(['petal width (cm)'], dtype=object)
    """

    method = "mrmr"

    def _information(self, learnt: Informations, taken: list[int]) -> Terms:
        if not taken:
            return Terms(learnt.relevance, np.zeros_like(learnt.relevance))
        return Terms(learnt.relevance, self._over(learnt.redundancy, taken))


class JMI(_OverTheSet):
    """Joint mutual information: I(k;y) − mean I(j;k) + mean I(j;k given y) − λC.

    Yang and Moody 1999; Brown et al. 2012 (jmlr.org/papers/v13/brown12a). The last term rewards
    columns that tell together what neither tells alone. Parameters and attributes are those of
    :class:`MRMR`.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.integers(0, 2, (400, 4)).astype(float)
    >>> y = X[:, 1] + 2 * X[:, 3]
    >>> JMI(n_features_to_select=2).fit(X, y).get_support(indices=True)
    array([1, 3])
    """

    method = "jmi"

    def _information(self, learnt: Informations, taken: list[int]) -> Terms:
        if not taken:
            nothing = np.zeros_like(learnt.relevance)
            return Terms(learnt.relevance, nothing, nothing)
        return Terms(
            learnt.relevance,
            self._over(learnt.redundancy, taken),
            self._over(learnt.conditional, taken),
        )


class JMIM(SequentialSelector):
    """Joint mutual information, maximin: min over j of I(k,j;y) − λC.

    Bennasar, Hicks and Setchi 2015, doi:10.1016/j.eswa.2015.07.007, with I(k,j;y) = I(k;y) + I(j;y)
    − I(j;k) + I(j;k given y). Parameters and attributes are those of :class:`MRMR`, but for
    ``redundancy``; in ``steps_``, partner is I(j;y) for the j that attains the minimum.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> JMIM().fit(X, y).ranking_[:2]
    array([2, 1])
    """

    method = "jmim"

    def _information(self, learnt: Informations, taken: list[int]) -> Terms:
        own = learnt.relevance
        if not taken:
            nothing = np.zeros_like(own)
            return Terms(own, nothing, nothing, nothing)
        joint = learnt.conditional[taken] - learnt.redundancy[taken] + own[taken, None]
        least = np.array(taken)[joint.argmin(axis=0)]
        every = np.arange(len(own))
        return Terms(
            own, learnt.redundancy[least, every], learnt.conditional[least, every], own[least]
        )
