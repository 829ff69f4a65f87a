"""Mutual information of two discrete columns, and its expected value under independence, in nats.

Both depend on counts only. The sums run over counts in ascending order, so that exchanging the
columns gives the same bits. The expectation is over tables with the same margins:
Nguyen Xuan Vinh, Julien Epps and James Bailey, Information theoretic measures for clusterings
comparison (2010), https://jmlr.org/papers/v11/vinh10a.html.
"""

import numpy as np
from numba import types

from netchoice._kernels.compiler import INT, INTS, helper, kernel

FLOATS = types.Array(types.float64, 1, "C")
LONGS = types.Array(types.int64, 1, "C")

#: All cells are counted in a dense table if there are at most this many per row of data.
_DENSE = 8


@helper
def _tally_of_cells(a, b, n_a, n_b):
    """Count the cells of the table that hold 0, 1, 2, … rows; empty cells may be left out."""
    n = len(a)
    tally = np.zeros(n + 1, np.int64)
    if n_a * n_b <= _DENSE * n:
        cells = np.zeros(n_a * n_b, np.int32)
        for i in range(n):
            cells[a[i] * n_b + b[i]] += 1
        for count in cells:
            tally[count] += 1
        return tally
    keys = np.empty(n, np.int64)
    for i in range(n):
        keys[i] = a[i] * np.int64(n_b) + b[i]
    keys.sort()
    run = 1
    for i in range(1, n):
        if keys[i] == keys[i - 1]:
            run += 1
        else:
            tally[run] += 1
            run = 1
    tally[run] += 1
    return tally


@kernel(INTS, INTS, INT, INT, FLOATS)
def joint_count_logs(a, b, n_a, n_b, log):
    """Return the sum over the cells of count · log(count); ``log[c]`` is the logarithm of c."""
    tally = _tally_of_cells(a, b, n_a, n_b)
    total = 0.0
    for count in range(2, len(tally)):
        if tally[count]:
            total += tally[count] * (count * log[count])
    return total


@helper
def _expected_cell(a, b, n, log):
    """Return the expectation of x · log(n x / (a b)) for the count x of a cell with margins a and b.

    The hypergeometric weights are computed relative to the most likely count, in both directions
    until they are negligible, and normalised at the end.
    """
    constant = log[n] - (log[a] + log[b])
    mode = ((a + 1) * (b + 1)) // (n + 2)
    weight, weights, total = 1.0, 0.0, 0.0
    x = mode
    while weight > 1e-19:
        weights += weight
        if x > 0:
            total += weight * x * (log[x] + constant)
        weight *= float((a - x) * (b - x)) / ((x + 1) * (n - a - b + x + 1))
        x += 1
    weight, x = 1.0, mode
    while x > 0:
        weight *= float(x * (n - a - b + x)) / ((a - x + 1) * (b - x + 1))
        x -= 1
        if weight <= 1e-19:
            break
        weights += weight
        if x > 0:
            total += weight * x * (log[x] + constant)
    return total / weights


@kernel(LONGS, LONGS, LONGS, LONGS, INT, FLOATS)
def expected_information(counts_a, times_a, counts_b, times_b, n, log):
    """Return the expected mutual information of independent columns with these margins.

    ``times_a[i]`` values of the first column have ``counts_a[i]`` rows each, and so for the second column.
    """
    total = 0.0
    for i in range(len(counts_a)):
        for j in range(len(counts_b)):
            times = float(times_a[i] * times_b[j])
            total += times * _expected_cell(counts_a[i], counts_b[j], n, log)
    return total / n
