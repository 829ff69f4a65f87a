"""Bins of columns: trees compare the 16-bit codes of bins instead of values."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Codes = NDArray[np.uint16]

MAX_BINS = 65536  # the number of 16-bit codes


def bin_columns(X: Floats) -> tuple[tuple[Floats, ...], Codes]:
    """Divide each column into bins, and return their lower bounds and the codes (q, n).

    Every distinct value has its own bin. Columns with more than 65536 distinct values have that
    many bins of about equal size.

    >>> bins, codes = bin_columns(np.array([[1.0], [5.0], [1.0], [2.0]]))
    >>> bins[0], codes
    (array([1., 2., 5.]), array([[0, 2, 0, 1]], dtype=uint16))
    """
    codes = np.empty(X.T.shape, dtype=np.uint16)
    bins = []
    for k, column in enumerate(X.T):
        values, code, counts = np.unique(column, return_inverse=True, return_counts=True)
        if len(values) > MAX_BINS:
            middle = np.cumsum(counts) - counts / 2
            quantile = (middle * (MAX_BINS / len(column))).astype(np.int64)
            _, first, bin_of_value = np.unique(quantile, return_index=True, return_inverse=True)
            values, code = values[first], bin_of_value[code]
        bins.append(values)
        codes[k] = code
    return tuple(bins), codes


def assign_bins(X: Floats, bins: tuple[Floats, ...]) -> Codes:
    """Return the code (q, n) of the bin of each value of a table."""
    codes = np.empty(X.T.shape, dtype=np.uint16)
    for k, bounds in enumerate(bins):
        codes[k] = np.searchsorted(bounds[1:], X[:, k], side="right")
    return codes
