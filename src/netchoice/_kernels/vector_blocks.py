"""Loops over sixteen vectors side by side: most of the cost of the spectral features.

The order of all sums is fixed, so results are bit-identical.
"""

import numpy as np

from netchoice._kernels.compiler import helper
from netchoice._kernels.lanes import N_FLOATS, fill, load, store

LANES = N_FLOATS


@helper
def chebyshev_sweep(indptr, indices, older, newer, shift, scale, keep, sums):
    """Replace older by scale · (A − shift) · newer − keep · older.

    Adds the lanes' inner products (result, result) to ``sums[0]``, (result, newer) to ``sums[1]``.
    """
    minus_shift, times, minus_keep = fill(-shift), fill(scale), fill(-keep)
    squares, products = load(sums, 0), load(sums, 1)
    for u in range(len(indptr) - 1):
        own = load(newer, u)
        total = minus_shift * own
        for h in range(indptr[u], indptr[u + 1]):
            total = total + load(newer, indices[h])
        result = times * total + minus_keep * load(older, u)
        store(older, u, result)
        squares = squares + result * result
        products = products + result * own
    store(sums, 0, squares)
    store(sums, 1, products)


@helper
def fill_combinations(columns, weights, block):
    """Put Σᵢ columns[u, i] · weights[i] into block[u], each a row of sixteen."""
    for u in range(columns.shape[0]):
        total = fill(0.0)
        for i in range(columns.shape[1]):
            total = total + fill(columns[u, i]) * load(weights, i)
        store(block, u, total)


@helper
def inner_product(a, b):
    """Return the inner product of two arrays of equal length, in sixteen interleaved sums."""
    n_rows = len(a) // LANES
    a_rows = a[: n_rows * LANES].reshape((n_rows, LANES))
    b_rows = b[: n_rows * LANES].reshape((n_rows, LANES))
    sums = np.empty((1, LANES))
    total = fill(0.0)
    for i in range(n_rows):
        total = total + load(a_rows, i) * load(b_rows, i)
    store(sums, 0, total)
    result = 0.0
    for lane in range(LANES):
        result += sums[0, lane]
    for i in range(n_rows * LANES, len(a)):
        result += a[i] * b[i]
    return result
