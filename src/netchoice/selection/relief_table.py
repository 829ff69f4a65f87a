"""Tables of integers, on which the Relief family computes exact distances, and the weights."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netchoice.errors import UsageError
from netchoice.selection.greedy import Floats
from netchoice.selection.inputs import column_mask
from netchoice.targets import Classes, as_target, check_complete, check_varies
from netchoice.threads import threads

#: Rows per block. It is the same for any number of threads, so that sums are rounded equally.
BLOCK_SIZE = 256
MAX_UINT16 = np.iinfo(np.uint16).max


@dataclass(frozen=True)
class IntegerTable:
    """A table of integers, the input of the kernels; its rows are sorted by class, if any."""

    cells: NDArray[np.int64]  # numeric columns, scaled from 0 to `unit`, then codes of nominal ones
    n_numeric: int
    unit: int
    goal: NDArray[Any]  # the first row of each class and the number of rows, or targets (n, t)
    rows: NDArray[np.intp]  # the position of each row in the caller's table
    columns: NDArray[np.intp]  # the position of each column in the caller's table

    @classmethod
    def from_arrays(cls, X: Any, y: Any, nominal: Any, target: str = "auto") -> IntegerTable:
        """Check the caller's table and convert it."""
        X, goal = np.asarray(X, dtype=np.float64), as_target(y, target)
        if X.ndim != 2 or len(goal) != len(X):
            raise UsageError(
                "`X` must have the shape (n, q), and `y` one label or number for each row; got "
                f"{X.shape} and {len(goal)} labels or numbers"
            )
        if not np.isfinite(X).all():
            raise UsageError("`X` must be finite; got NaN or infinite values. Impute or drop them")
        check_complete(goal)
        check_varies(goal)
        is_nominal = column_mask("nominal", nominal, [f"x{k}" for k in range(X.shape[1])])
        columns = np.argsort(is_nominal, kind="stable")
        rows = np.arange(len(X))
        if isinstance(goal, Classes):
            rows = np.argsort(goal.codes, kind="stable")
        unit, n_numeric = _unit(X.size), int((~is_nominal).sum())
        X = X[np.ix_(rows, columns)]
        nominal_codes = [encode(column) for column in X[:, n_numeric:].T]
        numbers = np.rint(_from_0_to_1(X[:, :n_numeric]) * unit).astype(np.int64)
        cells = np.ascontiguousarray(np.column_stack([numbers, *nominal_codes]))
        if isinstance(goal, Classes):
            starts = np.searchsorted(goal.codes[rows], np.arange(len(goal.labels) + 1))
            return cls(cells, n_numeric, unit, starts.astype(np.int64), rows, columns)
        return cls(cells, n_numeric, unit, _from_0_to_1(goal.values), rows, columns)

    @property
    def layout(self) -> tuple[Any, ...]:
        """The arguments that every kernel takes after the cells."""
        return self.n_numeric, self.unit, self.goal

    @property
    def kernels(self) -> ModuleType:
        """The module with the kernels for classes, or for numbers."""
        from netchoice._kernels import relief_gains, relief_products

        return relief_gains if self.goal.ndim == 1 else relief_products

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

    def sum_of_distances(self) -> int:
        """Return the exact sum of the distances of all pairs of rows, in O(n log n) per column."""
        n = len(self.cells)
        ordered = np.sort(self.cells[:, : self.n_numeric], axis=0)
        # The r-th of n sorted numbers is the larger one in r pairs and the smaller in n − 1 − r.
        balance = 2 * np.arange(n) - (n - 1)
        high, low = ordered >> 21, ordered & ((1 << 21) - 1)  # no product overflows
        total = (int((balance @ high).sum()) << 21) + int((balance @ low).sum())
        for codes in self.cells[:, self.n_numeric :].T:
            total += (n * n - int((np.bincount(codes) ** 2).sum())) // 2 * self.unit
        return total

    def weights(self, kernel: Callable[[int, int], Floats], n_jobs: int | None) -> Floats:
        """Return the weights in the caller's order from the sums of a kernel over all rows."""
        n = len(self.cells)
        blocks = [(first, min(first + BLOCK_SIZE, n)) for first in range(0, n, BLOCK_SIZE)]
        with threads(n_jobs) as run:
            total = sum(run(lambda block: kernel(*block), blocks))
        weights = np.empty(len(self.columns))
        weights[self.columns] = (
            total / (n * self.unit) if self.goal.ndim == 1 else _rrelieff(total, self.unit)
        )
        return weights


def _rrelieff(sums: Floats, unit: int) -> Floats:
    """Return the RReliefF weights (q,) from the sums (1 + t, 1 + q) of `relief_products`.

    The weight is the mean difference of pairs in proportion to how much their targets differ, minus
    that in proportion to how little they differ. A mean of no pairs counts as 0.
    """
    n_pairs, other_target = sums[0, 0], sums[1:, :1]
    column, both = sums[0, 1:] / unit, sums[1:, 1:] / unit
    same_target = n_pairs - other_target
    # of pairs whose targets all differ by 1, only rounding remains
    same_target[same_target <= 1e-12 * n_pairs] = np.inf
    other_target = np.where(other_target > 0, other_target, np.inf)
    return np.asarray((both / other_target - (column - both) / same_target).mean(axis=0))


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
