"""The Relief family: a good column differs between similar rows of different classes.

Each row is compared with similar rows: those of its own class are hits, the others are misses. The
weight of a column is its mean difference to the misses minus its mean difference to the hits,
averaged over all rows. The methods differ in which rows count as similar. They find columns that
are informative only jointly, because rows are compared in all columns at once.

Differences are |a − b| divided by the column's range, or 0 and 1 for nominal columns. Distances are
sums of differences. Misses of class c have the weight p(c) / (1 − p(own class)).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netchoice.errors import UsageError
from netchoice.selection.base import CostAwareSelector, TrainingData
from netchoice.selection.greedy import Floats, Terms
from netchoice.selection.inputs import column_mask, encode_labels
from netchoice.threads import threads
from netchoice.validation import check_integer

#: Rows per block. It is the same for any number of threads, so that sums are rounded equally.
BLOCK_SIZE = 256
MAX_UINT16 = np.iinfo(np.uint16).max
LIMIT_PER_ROW = -1  # the kernel computes a distance limit for each row


@dataclass(frozen=True)
class IntegerTable:
    """A table of integers with its rows sorted by class, the input of the kernels."""

    cells: NDArray[np.int64]  # numeric columns, scaled from 0 to `unit`, then codes of nominal ones
    n_numeric: int
    unit: int
    starts: NDArray[np.int64]  # the first row of each class, and the number of rows
    rows: NDArray[np.intp]  # the position of each row in the caller's table
    columns: NDArray[np.intp]  # the position of each column in the caller's table

    @classmethod
    def from_arrays(cls, X: Any, y: Any, nominal: Any) -> IntegerTable:
        """Check the caller's table and convert it."""
        X, y = np.asarray(X, dtype=np.float64), np.asarray(y)
        if X.ndim != 2 or y.shape != X.shape[:1]:
            raise UsageError(
                "`X` must have the shape (n, q) and `y` the shape (n,), one label for each row; "
                f"got {X.shape} and {y.shape}"
            )
        if not np.isfinite(X).all():
            raise UsageError("`X` must be finite; got NaN or infinite values. Impute or drop them")
        classes, codes = encode_labels(y)
        is_nominal = column_mask("nominal", nominal, [f"x{k}" for k in range(X.shape[1])])
        rows, columns = (np.argsort(by, kind="stable") for by in (codes, is_nominal))
        unit, n_numeric = _unit(X.size), int((~is_nominal).sum())
        X = X[np.ix_(rows, columns)]
        nominal_codes = [encode(column) for column in X[:, n_numeric:].T]
        cells = np.column_stack([_scaled(X[:, :n_numeric], unit), *nominal_codes])
        starts = np.searchsorted(codes[rows], np.arange(len(classes) + 1)).astype(np.int64)
        return cls(np.ascontiguousarray(cells), n_numeric, unit, starts, rows, columns)

    @property
    def layout(self) -> tuple[Any, ...]:
        """The arguments that every kernel takes after the cells."""
        return self.n_numeric, self.unit, self.starts

    def coarse(self) -> tuple[NDArray[np.uint16], int, int]:
        """Return the columns in 16 bits, their unit, and the largest error of coarse distances."""
        numeric, codes = np.split(np.ascontiguousarray(self.cells.T), [self.n_numeric])
        unit = MAX_UINT16 // max(1, len(self.columns))  # sums over all columns fit into 16 bits too
        if codes.max(initial=0) > MAX_UINT16:
            unit = 0  # all coarse distances are equal, and the kernel compares exact ones
        exact = numeric * (unit / self.unit)
        rounded = np.rint(exact)
        change = np.abs(rounded - exact).sum(axis=0).max(initial=0.0)
        coarse = np.concatenate([rounded, codes & MAX_UINT16]).astype(np.uint16)
        # Rounding changes a distance by at most twice this, and a comparison has two distances.
        return coarse, unit, 4 * (int(change) + 1)

    def weights(self, kernel: Callable[[int, int], Floats], n_jobs: int | None) -> Floats:
        """Return the weights in the caller's order: a kernel's sums, averaged over all rows."""
        n = len(self.cells)
        blocks = [(first, min(first + BLOCK_SIZE, n)) for first in range(0, n, BLOCK_SIZE)]
        with threads(n_jobs) as run:
            total = sum(run(lambda block: kernel(*block), blocks))
        weights = np.empty(len(self.columns))
        weights[self.columns] = total / (n * self.unit)
        return weights


def _unit(n_cells: int) -> int:
    """Return the integer that stands for a difference of 1.

    It is divisible by small numbers, so that columns of counts with a small range keep their ties:
    1/3 and 2/3 are integers. It is small enough that sums over the table do not overflow.
    """
    units = (math.lcm(*range(1, m + 1)) for m in range(30, 0, -1))
    return next(unit for unit in units if n_cells * unit < 2**62)


def _scaled(X: Floats, unit: int) -> NDArray[np.int64]:
    """Scale each column from 0 at its minimum to ``unit`` at its maximum; constants become 0."""
    # Values are first scaled to about 1, so that the range of huge numbers is finite.
    X = np.ldexp(X, -np.frexp(np.abs(X).max(axis=0))[1])
    X = X - X.min(axis=0)
    span = X.max(axis=0)
    return np.asarray(np.rint(X / np.where(span > 0, span, 1.0) * unit), dtype=np.int64)


def encode(values: NDArray[Any]) -> NDArray[np.int64]:
    """Return the position of each value among the distinct values."""
    return np.unique(values, return_inverse=True)[1].astype(np.int64)


def relieff_weights(
    X: Any, y: Any, *, n_neighbors: int = 10, nominal: Any = None, n_jobs: int | None = None
) -> Floats:
    """Return the weights (q,) of :class:`ReliefF`, between −1 and 1; 0 for a constant column."""
    from netchoice._kernels.relief_gains import relieff

    table = IntegerTable.from_arrays(X, y, nominal)
    n_neighbors = min(check_integer("n_neighbors", n_neighbors), len(table.cells))
    coarse = table.coarse()
    return table.weights(
        lambda *rows: relieff(table.cells, *table.layout, *coarse, n_neighbors, *rows), n_jobs
    )


def surf_weights(X: Any, y: Any, *, nominal: Any = None, n_jobs: int | None = None) -> Floats:
    """Return the weights (q,) of :class:`SURF`."""
    table = IntegerTable.from_arrays(X, y, nominal)
    n = len(table.cells)
    # The largest integer below the mean
    return _weights_within(max(0, (_sum_of_distances(table) - 1) // math.comb(n, 2)), table, n_jobs)


def multisurf_weights(X: Any, y: Any, *, nominal: Any = None, n_jobs: int | None = None) -> Floats:
    """Return the weights (q,) of :class:`MultiSURF`."""
    return _weights_within(LIMIT_PER_ROW, IntegerTable.from_arrays(X, y, nominal), n_jobs)


def _weights_within(limit: int, table: IntegerTable, n_jobs: int | None) -> Floats:
    """Return weights with all rows within a distance limit as neighbours."""
    from netchoice._kernels.relief_gains import surf

    by_column = np.ascontiguousarray(table.cells.T)
    return table.weights(
        lambda *rows: surf(table.cells, by_column, *table.layout, limit, *rows), n_jobs
    )


def _sum_of_distances(table: IntegerTable) -> int:
    """Return the exact sum of the distances of all pairs of rows, in O(n log n) per column."""
    n = len(table.cells)
    ordered = np.sort(table.cells[:, : table.n_numeric], axis=0)
    # The r-th of n sorted numbers is the larger one in r pairs and the smaller in n − 1 − r.
    balance = 2 * np.arange(n) - (n - 1)
    high, low = ordered >> 21, ordered & ((1 << 21) - 1)  # no product overflows
    total = (int((balance @ high).sum()) << 21) + int((balance @ low).sum())
    for codes in table.cells[:, table.n_numeric :].T:
        total += (n * n - int((np.bincount(codes) ** 2).sum())) // 2 * table.unit
    return total


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
    classes this is the published method. For more, misses are weighted as in ReliefF. The
    parameters and attributes are those of :class:`ReliefF`, without ``n_neighbors``.

    Examples
    --------
    >>> SURF().fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 1, 1]).relevance_
    array([ 1., -1.])
    """

    method = "surf"

    def _compute_statistics(self, data: TrainingData, group: Sequence[CostAwareSelector]) -> Floats:
        return surf_weights(data.X, data.y, **self._weight_options(data))


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
        return multisurf_weights(data.X, data.y, **self._weight_options(data))


@dataclass(kw_only=True, eq=False, repr=False)
class ReliefF(ReliefSelector):
    """ReliefF weight − λC: difference to near misses minus difference to near hits.

    Kononenko 1994, doi:10.1007/3-540-57868-4_57; Robnik-Šikonja and Kononenko 2003,
    doi:10.1023/A:1025667309714. Every row is visited once. ReliefF finds columns that are
    informative only jointly. But a column that separates the classes into two distant groups ranks
    above a column that separates all of them by less. The parameters and attributes are those below
    and those of :class:`MRMR` without mutual information. ``relevance_`` has the weights, and
    ``random_state`` has no effect.

    Parameters
    ----------
    n_neighbors : int
        Number of nearest hits, and of nearest misses of each class; all rows of a class with fewer.
        Rows that tie for the last places share them, so that the order of rows does not matter.
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
        return relieff_weights(data.X, data.y, **self._weight_options(data))
