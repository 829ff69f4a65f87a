"""ReliefF: the near hits and near misses of every row, and the sums of differences to them.

All entries of a table are integers. Numeric columns come first and run from 0 to ``unit``; the others
are codes of nominal values, which differ by ``unit`` or not at all. Sums of differences are therefore
exact: no result depends on the order of columns, and equal distances compare as equal.

The rows of a table are sorted by class; class c is rows ``starts[c]`` to ``starts[c + 1]``. Every
kernel takes the rows ``first`` to ``last`` and returns, for each column, the sum of their
contributions (the column's gain), in units.
"""

import numpy as np
from numba import types

from netchoice._kernels.compiler import INT, helper, kernel
from netchoice._kernels.random_stream import SEED, start, uniform

TABLE = types.Array(types.int64, 2, "C")
COARSE = types.Array(types.uint16, 2, "C")
LEAVES = types.Array(types.uint16, 2, "C")
STARTS = types.Array(types.int64, 1, "C")
ROUGHEST = np.uint16(65535)
#: ``BATCH`` rows are compared with ``STRETCH`` other rows at a time, which stay in the cache.
BATCH = 16
STRETCH = 1024


# The neighbours of a row: by distance, or by shared leaves


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


# The sums of differences to the neighbours


@helper
def _add_differences(table, n_numeric, unit, i, rows, n_rows, sums):
    """Add the differences in each column between row i and these rows, four rows at a time."""
    for at in range(0, n_rows - 3, 4):
        a, b, c, d = rows[at], rows[at + 1], rows[at + 2], rows[at + 3]
        for k in range(n_numeric):
            own = table[i, k]
            sums[k] += (
                abs(table[a, k] - own)
                + abs(table[b, k] - own)
                + abs(table[c, k] - own)
                + abs(table[d, k] - own)
            )
    for at in range(n_rows - n_rows % 4, n_rows):
        j = rows[at]
        for k in range(n_numeric):
            sums[k] += abs(table[i, k] - table[j, k])
    for k in range(n_numeric, table.shape[1]):
        n_other = 0
        for at in range(n_rows):
            n_other += table[rows[at], k] != table[i, k]
        sums[k] += n_other * unit


@helper
def _factor(starts, own, c):
    """Return the weight of the mean difference to class c for a row of class ``own``."""
    if c == own:
        return -1.0
    size = starts[c + 1] - starts[c]
    return size / (starts[-1] - (starts[own + 1] - starts[own]))


@helper
def _class_of(starts, i):
    c = 0
    while starts[c + 1] <= i:
        c += 1
    return c


@kernel(TABLE, INT, INT, STARTS, COARSE, INT, INT, INT, INT, INT)
def relieff(table, n_numeric, unit, starts, coarse, coarse_unit, slack, n_neighbors, first, last):
    """Sum the differences to the nearest rows of each class (ReliefF).

    Rough distances find candidates; exact distances select the neighbours. If several rows are as
    far as the last neighbour, they share the remaining places equally.
    """
    n_rows, n_columns = table.shape
    sum_by_row = row_sums(coarse, n_numeric)
    near = np.empty(n_rows, np.uint16)
    least = np.empty(64 * (1 + n_neighbors // 10), np.uint16)
    found = np.empty(n_rows, np.int64)
    tied = np.empty(n_rows, np.int64)
    exact = np.empty(n_rows, np.int64)
    places = np.empty(n_neighbors, np.int64)
    closer_sums = np.empty(n_columns, np.int64)
    tied_sums = np.empty(n_columns, np.int64)
    gains = np.zeros(n_columns)
    for i in range(first, last):
        own = _class_of(starts, i)
        distances_from(coarse, n_numeric, np.uint16(coarse_unit), sum_by_row, i, near)
        near[i] = ROUGHEST  # a row is never its own neighbour
        for c in range(len(starts) - 1):
            begin, end = starts[c], starts[c + 1]
            wanted = min(n_neighbors, end - begin - (c == own))
            if wanted == 0:
                continue
            smallest = places[:wanted]
            n_found = candidates(near, i, begin, end, slack, smallest, least, found)
            n_closer, n_tied = split_by_distance(
                table, n_numeric, unit, i, found, n_found, smallest, exact, tied
            )
            closer_sums[:] = 0
            tied_sums[:] = 0
            _add_differences(table, n_numeric, unit, i, found, n_closer, closer_sums)
            _add_differences(table, n_numeric, unit, i, tied, n_tied, tied_sums)
            share = (wanted - n_closer) / n_tied
            factor = _factor(starts, own, c) / wanted
            for k in range(n_columns):
                gains[k] += factor * (closer_sums[k] + share * tied_sums[k])
    return gains


@kernel(TABLE, INT, INT, STARTS, LEAVES, SEED, INT, INT, INT)
def forest_relieff(table, n_numeric, unit, starts, leaves, seed, n_neighbors, first, last):
    """Sum the differences to the rows of each class that share the most leaves (forest ReliefF).

    Of rows that share equally many leaves, the nearest count. Of equally near rows, some are drawn.
    """
    n_rows, n_columns = table.shape
    shared = np.empty((BATCH, n_rows), np.uint16)
    histogram = np.empty(len(leaves) + 1, np.int64)
    above = np.empty(n_neighbors, np.int64)
    found = np.empty(n_rows, np.int64)
    tied = np.empty(n_rows, np.int64)
    exact = np.empty(n_rows, np.int64)
    places = np.empty(n_neighbors, np.int64)
    sums = np.empty(n_columns, np.int64)
    gains = np.zeros(n_columns)
    row_seed = seed.copy()
    state = np.empty(4, np.uint64)
    for i in range(first, last):
        if (i - first) % BATCH == 0:
            count_shared_leaves(leaves, i, min(i + BATCH, last), shared)
        count = shared[(i - first) % BATCH]
        own = _class_of(starts, i)
        row_seed[2] = seed[2] + np.uint64(i)  # one stream per row, for any split of the work
        state[0], state[1], state[2], state[3] = start(row_seed)
        for c in range(len(starts) - 1):
            begin, end = starts[c], starts[c + 1]
            wanted = min(n_neighbors, end - begin - (c == own))
            if wanted == 0:
                continue
            least = last_level(count, i, begin, end, wanted, histogram)
            n_above, n_found = split_by_level(count, least, i, begin, end, above, found)
            n_closer, n_tied = split_by_distance(
                table, n_numeric, unit, i, found, n_found, places[: wanted - n_above], exact, tied
            )
            n_drawn = wanted - n_above - n_closer
            draw_rows(tied, n_tied, n_drawn, state)
            sums[:] = 0
            _add_differences(table, n_numeric, unit, i, above, n_above, sums)
            _add_differences(table, n_numeric, unit, i, found, n_closer, sums)
            _add_differences(table, n_numeric, unit, i, tied, n_drawn, sums)
            factor = _factor(starts, own, c) / wanted
            for k in range(n_columns):
                gains[k] += factor * sums[k]
    return gains
