"""The Relief family: a good column differs between similar rows of different classes or numbers.

Each row is compared with similar rows. The methods differ in which rows count as similar. They find
columns that are informative only jointly, because rows are compared in all columns at once.

For classes, similar rows of the row's own class are hits, the others are misses. The weight of a
column is its mean difference to the misses minus its mean difference to the hits, averaged over all
rows. Misses of class c have the weight p(c) / (1 − p(own class)).

For numbers (RReliefF), similar rows are found regardless of their targets. The weight of a column is
its mean difference in proportion to the differences of the targets, minus its mean difference in
proportion to 1 minus these differences. The similar rows of a row have equal weights, which sum to 1;
the published method lets them decrease with rank. Rows without similar rows do not count. With
several targets, the weight is the mean over the targets.

Differences are |a − b| divided by the column's range, or 0 and 1 for nominal columns. Distances are
sums of differences.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from netchoice.selection.base import CostAwareSelector, TrainingData
from netchoice.selection.greedy import Floats, Terms
from netchoice.selection.inputs import column_mask
from netchoice.selection.relief_table import IntegerTable
from netchoice.validation import check_integer

LIMIT_PER_ROW = -1  # the kernel computes a distance limit for each row


def relieff_weights(
    X: Any,
    y: Any,
    *,
    target: str = "auto",
    n_neighbors: int = 10,
    nominal: Any = None,
    n_jobs: int | None = None,
) -> Floats:
    """Return the weights (q,) of :class:`ReliefF`, between −1 and 1; 0 for a constant column."""
    table = IntegerTable.from_arrays(X, y, nominal, target)
    n_neighbors = min(check_integer("n_neighbors", n_neighbors), len(table.cells))
    arguments = (table.cells, *table.layout, *table.coarse(), n_neighbors)
    return table.weights(lambda *rows: table.kernels.relieff(*arguments, *rows), n_jobs)


def surf_weights(
    X: Any, y: Any, *, target: str = "auto", nominal: Any = None, n_jobs: int | None = None
) -> Floats:
    """Return the weights (q,) of :class:`SURF`."""
    table = IntegerTable.from_arrays(X, y, nominal, target)
    # The largest integer below the mean
    limit = max(0, (table.sum_of_distances() - 1) // math.comb(len(table.cells), 2))
    return _weights_within(limit, table, n_jobs)


def multisurf_weights(
    X: Any, y: Any, *, target: str = "auto", nominal: Any = None, n_jobs: int | None = None
) -> Floats:
    """Return the weights (q,) of :class:`MultiSURF`."""
    return _weights_within(LIMIT_PER_ROW, IntegerTable.from_arrays(X, y, nominal, target), n_jobs)


def _weights_within(limit: int, table: IntegerTable, n_jobs: int | None) -> Floats:
    """Return weights with all rows within a distance limit as neighbours."""
    arguments = (table.cells, table.cells.T.copy(), *table.layout, limit)
    return table.weights(lambda *rows: table.kernels.surf(*arguments, *rows), n_jobs)


@dataclass(kw_only=True, eq=False, repr=False)
class ReliefSelector(CostAwareSelector):
    """Base of the family: the relevance of a column is its weight."""

    nominal_features: Any = None

    def _check_parameters(self, data: TrainingData) -> None:
        self._weight_options(data)

    def _weight_options(self, data: TrainingData) -> dict[str, Any]:
        nominal = column_mask("nominal_features", self.nominal_features, data.names)
        return {"nominal": nominal, "n_jobs": self.n_jobs}

    def _information(self, statistics: Floats, selected: list[int]) -> Terms:
        return Terms(statistics)


class SURF(ReliefSelector):
    """SURF weight − λC: ReliefF with all rows nearer than the mean distance as neighbours.

    Greene et al. 2009, doi:10.1186/1756-0381-2-5. The mean is over all pairs of rows. The
    neighbours in a class have equal weights; a class without neighbours adds nothing. For two
    classes this is the published method. For more, misses are weighted as in ReliefF. For numbers,
    the neighbours of a row have equal weights. The parameters and attributes are those of
    :class:`ReliefF`, without ``n_neighbors``.

    Examples
    --------
    >>> SURF().fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 1, 1]).relevance_
    array([ 1., -1.])
    """

    method = "surf"

    def _compute_statistics(self, data: TrainingData, group: Sequence[CostAwareSelector]) -> Floats:
        options = self._weight_options(data)
        return data.mean(lambda part: surf_weights(part.X, part.target, **options))


class MultiSURF(ReliefSelector):
    """MultiSURF weight − λC: SURF with a distance threshold for each row.

    Urbanowicz et al. 2018, doi:10.1016/j.jbi.2018.07.015. Neighbours are the rows nearer than the
    mean minus half the standard deviation of the row's distances to all others. Far rows do not
    count, as in the authors' scikit-rebate. The parameters and attributes are those of
    :class:`ReliefF`, without ``n_neighbors``.

    Examples
    --------
    >>> MultiSURF().fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 1, 1]).relevance_
    array([ 1., -1.])
    """

    method = "multisurf"

    def _compute_statistics(self, data: TrainingData, group: Sequence[CostAwareSelector]) -> Floats:
        options = self._weight_options(data)
        return data.mean(lambda part: multisurf_weights(part.X, part.target, **options))


@dataclass(kw_only=True, eq=False, repr=False)
class ReliefF(ReliefSelector):
    """ReliefF weight − λC: difference to near misses minus difference to near hits.

    Kononenko 1994, doi:10.1007/3-540-57868-4_57; Robnik-Šikonja and Kononenko 2003,
    doi:10.1023/A:1025667309714. Every row is visited once. ReliefF finds columns that are
    informative only jointly. But a column that separates the classes into two distant groups ranks
    above a column that separates all of them by less. The parameters and attributes are those below
    and those of :class:`MRMR` without mutual information. ``relevance_`` has the weights, and
    ``random_state`` has no effect.

    For numbers, this is RReliefF (Robnik-Šikonja and Kononenko 2003): a column gains if near rows
    with different targets differ in it, and loses if near rows with similar targets do. Differences
    of targets are divided by the target's range. The near rows have equal weights, and not weights
    that decrease with rank. The weights of several targets are averaged.

    Parameters
    ----------
    n_neighbors : int
        Number of nearest hits, and of nearest misses of each class; all rows of a class with fewer.
        For numbers: of nearest rows. Rows that tie for the last places share them, so that the order
        of rows does not matter.
    nominal_features : mask, positions, names or None
        Columns whose values are categories: they differ by 0 or 1. Differences of the other
        columns are divided by the column's range.


    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).integers(0, 2, (400, 5))
    >>> ReliefF(n_features_to_select=2).fit(X, X[:, 1] ^ X[:, 3]).get_support(indices=True)
    array([1, 3])
    """

    n_neighbors: int = 10

    method = "relieff"

    def _weight_options(self, data: TrainingData) -> dict[str, Any]:
        options = super()._weight_options(data)
        return options | {"n_neighbors": check_integer("n_neighbors", self.n_neighbors)}

    def _compute_statistics(self, data: TrainingData, group: Sequence[CostAwareSelector]) -> Floats:
        options = self._weight_options(data)
        return data.mean(lambda part: relieff_weights(part.X, part.target, **options))
