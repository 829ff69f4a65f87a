"""The neighbours of a row in the Relief family: by distance, by a limit, or by shared leaves.

All entries of a table are integers. Numeric columns come first and run from 0 to ``unit``; the others
are codes of nominal values, which differ by ``unit`` or not at all. Sums of differences are therefore
exact: no result depends on the order of columns, and equal distances compare as equal.
"""

import numpy as np
from numba import types

from netchoice._kernels.compiler import helper
from netchoice._kernels.random_stream import uniform

TABLE = types.Array(types.int64, 2, "C")
COARSE = types.Array(types.uint16, 2, "C")
LEAVES = types.Array(types.uint16, 2, "C")
ROUGHEST = np.uint16(65535)
#: ``BATCH`` rows are compared with ``STRETCH`` other rows at a time, which stay in the cache.
BATCH = 16
STRETCH = 1024


@helper
def _distance(table, n_numeric, unit, i, j):
    total = 0
    for k in range(n_numeric):
        total += abs(table[i, k] - table[j, k])
    for k in range(n_numeric, table.shape[1]):
        total += unit if table[i, k] != table[j, k] else 0
    return total


@helper
def row_sums(columns, n_numeric):
    """Return the sum of the numeric columns of each row."""
    sums = np.zeros(columns.shape[1], columns.dtype)
    for k in range(n_numeric):
        column = columns[k]
        for j in range(len(sums)):
            sums[j] += column[j]
    return sums


@helper
def distances_from(columns, n_numeric, unit, sum_by_row, i, out):
    """Compute the distance from row i to every row.

    |a − b| is 2 max(a, b) − a − b, and the sums of a and b are known. The remaining comparison and
    sum are vectorised; with 16 bits, four times as many rows at once as with 64. Intermediate
    overflows cancel.
    """
    n_rows = len(out)
    out[:] = 0
    for k in range(0, n_numeric - 3, 4):
        a, b, c, d = columns[k], columns[k + 1], columns[k + 2], columns[k + 3]
        p, q, r, s = a[i], b[i], c[i], d[i]
        for j in range(n_rows):
            out[j] += (max(a[j], p) + max(b[j], q)) + (max(c[j], r) + max(d[j], s))
    for k in range(n_numeric - n_numeric % 4, n_numeric):
        a = columns[k]
        p = a[i]
        for j in range(n_rows):
            out[j] += max(a[j], p)
    own_sum = sum_by_row[i]
    for j in range(n_rows):
        out[j] = 2 * out[j] - sum_by_row[j] - own_sum
    for k in range(n_numeric, len(columns)):
        a = columns[k]
        p = a[i]
        for j in range(n_rows):
            out[j] += unit if a[j] != p else 0


@helper
def _insert(values, value):
    """Insert a value into ascending values, and drop the largest."""
    at = len(values) - 1
    while at > 0 and values[at - 1] > value:
        values[at] = values[at - 1]
        at -= 1
    values[at] = value


@helper
def candidates(near, i, first, last, slack, smallest, least, found):
    """Put the rows of a class that may be among the nearest into ``found``; return their number.

    ``smallest`` has one entry per wanted neighbour. The error of rough distances is at most half of
    ``slack``, so the true neighbours are within ``slack`` of the last rough one. The rows are split
    into ``len(least)`` groups; the smallest distances of the groups bound the distance of the last
    neighbour, so that few groups must be searched.
    """
    n_groups = len(least)
    least[:] = ROUGHEST
    for base in range(first, last, n_groups):
        dealt = near[base : min(base + n_groups, last)]
        for g in range(len(dealt)):
            least[g] = min(least[g], dealt[g])
    smallest[:] = ROUGHEST
    worst = np.int64(ROUGHEST)
    for g in range(n_groups):
        rough = np.int64(least[g])
        if rough < worst:
            _insert(smallest, rough)
            worst = smallest[-1]
    limit = worst + slack
    n_found = 0
    for g in range(min(n_groups, last - first)):
        if least[g] <= limit:
            for j in range(first + g, last, n_groups):
                found[n_found] = j
                n_found += near[j] <= limit and j != i
    return n_found


@helper
def split_by_distance(table, n_numeric, unit, i, found, n_found, smallest, exact, tied):
    """Keep the rows closer than the last neighbour in ``found``; put equally far ones into ``tied``.

    ``smallest`` has one entry per wanted neighbour.
    """
    smallest[:] = 1 << 62
    for at in range(n_found):
        exact[at] = _distance(table, n_numeric, unit, i, found[at])
        if exact[at] < smallest[-1]:
            _insert(smallest, exact[at])
    farthest = smallest[-1]
    n_closer = 0
    n_tied = 0
    for at in range(n_found):
        j = found[at]
        if exact[at] < farthest:
            found[n_closer] = j
            n_closer += 1
        elif exact[at] == farthest:
            tied[n_tied] = j
            n_tied += 1
    return n_closer, n_tied


@helper
def below_the_dead_band(exact, i):
    """Return the limit of row i: mean minus half a standard deviation of its distances to others.

    The limit is reduced by a relative 1e-12, so that a distance that equals it up to rounding does
    not count as nearer.
    """
    n_others = len(exact) - 1
    total = 0
    for j in range(len(exact)):
        total += exact[j]
    mean = total / n_others
    squares = 0.0
    for j in range(len(exact)):
        if j != i:
            squares += (exact[j] - mean) ** 2
    return np.int64(np.floor(mean * (1 - 1e-12) - np.sqrt(squares / n_others) / 2))


@helper
def count_shared_leaves(leaves, first, last, shared):
    """Count the trees in which each of the rows first to last shares a leaf with every row."""
    n_trees, n_rows = leaves.shape
    for base in range(0, n_rows, STRETCH):
        end = min(base + STRETCH, n_rows)
        for i in range(first, last):
            count = shared[i - first, base:end]
            count[:] = 0
            for t in range(0, n_trees - 3, 4):
                a, b = leaves[t, base:end], leaves[t + 1, base:end]
                c, d = leaves[t + 2, base:end], leaves[t + 3, base:end]
                p, q, r, s = leaves[t, i], leaves[t + 1, i], leaves[t + 2, i], leaves[t + 3, i]
                for j in range(len(count)):
                    count[j] += (a[j] == p) + (b[j] == q) + (c[j] == r) + (d[j] == s)
            for t in range(n_trees - n_trees % 4, n_trees):
                a = leaves[t, base:end]
                p = leaves[t, i]
                for j in range(len(count)):
                    count[j] += a[j] == p


@helper
def last_level(shared, i, first, last, wanted, histogram):
    """Return the number of shared leaves of the last of the ``wanted`` nearest rows of a class."""
    histogram[:] = 0
    for j in range(first, last):
        histogram[shared[j]] += 1
    if first <= i < last:
        histogram[shared[i]] -= 1
    level = len(histogram) - 1
    n_above = histogram[level]
    while n_above < wanted:
        level -= 1
        n_above += histogram[level]
    return level


@helper
def draw_rows(rows, n_rows, wanted, state):
    """Move ``wanted`` of the rows to the front; all choices are equally likely."""
    a, b, c, d = state[0], state[1], state[2], state[3]
    n_drawn = 0
    for at in range(n_rows):
        draw, a, b, c, d = uniform(a, b, c, d)
        if draw * (n_rows - at) < wanted - n_drawn:
            rows[n_drawn] = rows[at]
            n_drawn += 1
    state[0], state[1], state[2], state[3] = a, b, c, d


@helper
def split_by_level(count, level, i, first, last, above, found):
    """Split the rows of a class into those that share more leaves than ``level`` and as many."""
    n_above = 0
    n_found = 0
    for j in range(first, last):
        if count[j] >= level and j != i:
            if count[j] > level:
                above[n_above] = j
                n_above += 1
            else:
                found[n_found] = j
                n_found += 1
    return n_above, n_found
