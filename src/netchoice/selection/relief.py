"""The Relief family: a good column differs between similar rows of different classes.

Each row is compared with similar rows. The methods differ in which rows count as similar: the nearest
ones, or those that share most leaves of a random forest. They find columns that are informative only
jointly, because rows are compared in all columns at once.

Similar rows of the row's own class are hits, the others are misses. The weight of a column is its mean
difference to the misses minus its mean difference to the hits, averaged over all rows. Misses of class c
have the weight p(c) / (1 − p(own class)).

Differences are |a − b| divided by the column's range, or 0 and 1 for nominal columns. Distances are
sums of differences. They are computed in integers, and are exact.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from netchoice.errors import UsageError
from netchoice.forests import grow_forest
from netchoice.selection.base import CostAwareSelector, TrainingData, column_mask
from netchoice.selection.greedy import Floats, Terms
from netchoice.targets import Classes, as_target, check_varies
from netchoice.threads import threads
from netchoice.validation import check_integer

#: Rows per block. It is the same for any number of threads, so that sums are rounded equally.
BLOCK_SIZE = 256
MAX_UINT16 = np.iinfo(np.uint16).max


# Selectors


@dataclass(kw_only=True, eq=False, repr=False)
class ReliefF(CostAwareSelector):
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

    nominal_features: Any = None
    n_neighbors: int = 10

    method: ClassVar[str] = "relieff"
    supports_numbers: ClassVar[bool] = False

    def _check_parameters(self, data: TrainingData) -> None:
        self._weight_options(data)

    def _weight_options(self, data: TrainingData) -> dict[str, Any]:
        nominal = column_mask("nominal_features", self.nominal_features, data.names) | data.nominal
        n_neighbors = check_integer("n_neighbors", self.n_neighbors)
        return {"nominal": nominal, "n_jobs": self.n_jobs, "n_neighbors": n_neighbors}

    def _compute_statistics(self, data: TrainingData, group: Sequence[CostAwareSelector]) -> Floats:
        return relieff_weights(data.X, data.target, **self._weight_options(data))

    def _information(self, statistics: Floats, selected: list[int]) -> Terms:
        return Terms(statistics)


@dataclass(kw_only=True, eq=False, repr=False)
class ForestReliefF(ReliefF):
    """ReliefF among the rows that share most leaves of a random forest: weight − λC.

    The forest learns from the target which rows are similar, so columns of noise do not blur the
    similarity as they blur a distance. In return, rows of different classes are rarely similar.
    Among rows that share equally many leaves the nearer ones are neighbours; among equally near
    ones, as many as needed are drawn at random. The parameters and attributes are those below and
    those of :class:`ReliefF`.

    Parameters
    ----------
    n_neighbors, nominal_features
        As in :class:`ReliefF`; the forest itself treats all columns as numbers.
    n_trees : int
    min_leaf : int
        Minimum number of rows in a leaf, at most a tenth of the rows. In a small table, trees with
        larger leaves could not split, and all rows would be equally similar.
    random_state : int, RandomState or None
        Grows the forest and draws neighbours. None: another draw in each fit.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> ForestReliefF(n_trees=50).fit(X, y).get_support(indices=True)
    array([2, 3])
    """

    n_trees: int = 500
    min_leaf: int = 100

    method: ClassVar[str] = "forest-relieff"

    def _check_parameters(self, data: TrainingData) -> None:
        super()._check_parameters(data)
        check_integer("min_leaf", self.min_leaf)

    def _compute_statistics(self, data: TrainingData, group: Sequence[CostAwareSelector]) -> Floats:
        forest = grow_forest(
            data.X,
            data.target,
            n_trees=self.n_trees,
            min_leaf=min(self.min_leaf, max(1, len(data.X) // 10)),
            seed=data.seed,
            n_jobs=self.n_jobs,
        )
        return forest_relieff_weights(
            data.X, data.target, forest.leaves, seed=data.seed, **self._weight_options(data)
        )


# Weights


def relieff_weights(
    X: Any, y: Any, *, n_neighbors: int = 10, nominal: Any = None, n_jobs: int | None = None
) -> Floats:
    """Return the weights (q,) of :class:`ReliefF`, between −1 and 1; 0 for a constant column."""
    from netchoice._kernels.relief import relieff

    table = IntegerTable.from_arrays(X, y, nominal)
    n_neighbors = min(check_integer("n_neighbors", n_neighbors), len(table.cells))
    arguments = (table.cells, *table.layout, *table.coarse(), n_neighbors)
    return table.weights(lambda *rows: relieff(*arguments, *rows), n_jobs)


def forest_relieff_weights(
    X: Any,
    y: Any,
    leaves: Any,
    *,
    n_neighbors: int = 10,
    nominal: Any = None,
    seed: int = 0,
    n_jobs: int | None = None,
) -> Floats:
    """Return the weights (q,) of :class:`ForestReliefF`, given the leaves (n, n_trees) of all rows.

    >>> X, leaves = [[0, 0], [0, 1], [1, 0], [1, 1]], [[0], [1], [1], [0]]
    >>> forest_relieff_weights(X, [0, 0, 1, 1], leaves, n_neighbors=1)
    array([1., 0.])
    """
    from netchoice._kernels.relief import forest_relieff

    table = IntegerTable.from_arrays(X, y, nominal)
    n_neighbors = min(check_integer("n_neighbors", n_neighbors), len(table.cells))
    by_tree = _leaves_by_tree(leaves, table)
    state = np.random.SeedSequence(seed).generate_state(3, np.uint64)
    arguments = (table.cells, *table.layout, by_tree, state, n_neighbors)
    return table.weights(lambda *rows: forest_relieff(*arguments, *rows), n_jobs)


def _leaves_by_tree(leaves: Any, table: IntegerTable) -> NDArray[np.uint16]:
    """Return the leaves (n_trees, n) of the sorted rows in 16 bits."""
    leaves = np.asarray(leaves)
    n = len(table.cells)
    if leaves.ndim != 2 or len(leaves) != n or not np.issubdtype(leaves.dtype, np.integer):
        raise UsageError(
            f"`leaves` must be integers of shape ({n}, n_trees), one row per row of `X`; got "
            f"{leaves.dtype} of shape {leaves.shape}"
        )
    by_tree = np.ascontiguousarray(leaves[table.rows].T)
    if by_tree.size and (by_tree.min() < 0 or by_tree.max() > MAX_UINT16):
        by_tree = np.array([encode(tree) for tree in by_tree])
    if len(by_tree) > MAX_UINT16 or by_tree.max(initial=0) > MAX_UINT16:
        raise UsageError(
            f"`leaves` must have at most {MAX_UINT16} trees and leaves per tree; got "
            f"{len(by_tree)} trees of at most {by_tree.max(initial=0) + 1} leaves. Grow larger "
            "leaves or fewer trees"
        )
    return by_tree.astype(np.uint16)


# Tables


@dataclass(frozen=True)
class IntegerTable:
    """A table of integers, the input of the kernels; its rows are sorted by class."""

    cells: NDArray[np.int64]  # numeric columns, scaled from 0 to `unit`, then codes of nominal ones
    n_numeric: int
    unit: int
    starts: NDArray[np.int64]  # the first row of each class, and the number of rows
    rows: NDArray[np.intp]  # the position of each row in the caller's table
    columns: NDArray[np.intp]  # the position of each column in the caller's table

    @classmethod
    def from_arrays(cls, X: Any, y: Any, nominal: Any) -> IntegerTable:
        """Check the caller's table and convert it."""
        X, target = np.asarray(X, dtype=np.float64), as_target(y, "classes")
        assert isinstance(target, Classes)
        if X.ndim != 2 or len(target) != len(X):
            raise UsageError(
                "`X` must have the shape (n, q), and `y` one label for each row; got "
                f"{X.shape} and {len(target)} labels"
            )
        if not np.isfinite(X).all():
            raise UsageError("`X` must be finite; got NaN or infinite values. Impute or drop them")
        check_varies(target)
        is_nominal = column_mask("nominal", nominal, [f"x{k}" for k in range(X.shape[1])])
        columns = np.argsort(is_nominal, kind="stable")
        rows = np.argsort(target.codes, kind="stable")
        unit, n_numeric = _unit(X.size), int((~is_nominal).sum())
        X = X[np.ix_(rows, columns)]
        nominal_codes = [encode(column) for column in X[:, n_numeric:].T]
        numbers = np.rint(_from_0_to_1(X[:, :n_numeric]) * unit).astype(np.int64)
        cells = np.ascontiguousarray(np.column_stack([numbers, *nominal_codes]))
        starts = np.searchsorted(target.codes[rows], np.arange(len(target.labels) + 1))
        return cls(cells, n_numeric, unit, starts.astype(np.int64), rows, columns)

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
        """Return the weights in the caller's order from the sums of a kernel over all rows."""
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


def _from_0_to_1(X: Floats) -> Floats:
    """Scale each column from 0 at its minimum to 1 at its maximum; constants become 0."""
    # Values are first scaled to about 1, so that the range of huge numbers is finite.
    X = np.ldexp(X, -np.frexp(np.abs(X).max(axis=0))[1])
    X = X - X.min(axis=0)
    span = X.max(axis=0)
    return np.asarray(X / np.where(span > 0, span, 1.0))


def encode(values: NDArray[Any]) -> NDArray[np.int64]:
    """Return the position of each value among the distinct values."""
    return np.unique(values, return_inverse=True)[1].astype(np.int64)
