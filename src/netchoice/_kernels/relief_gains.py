"""The sums of the Relief family over near hits and near misses of every row.

The rows of a table are sorted by class; class c is rows ``starts[c]`` to ``starts[c + 1]``. Every
kernel takes the rows ``first`` to ``last`` and returns, for each column, the sum of their
contributions (the column's gain), in units.
"""

import numpy as np
from numba import types

from netchoice._kernels.compiler import INT, helper, kernel
from netchoice._kernels.random_stream import SEED, start
from netchoice._kernels.relief_neighbours import (
    BATCH,
    COARSE,
    LEAVES,
    ROUGHEST,
    STRETCH,
    TABLE,
    below_the_dead_band,
    candidates,
    count_shared_leaves,
    distances_from,
    draw_rows,
    last_level,
    row_sums,
    split_by_distance,
    split_by_level,
)

STARTS = types.Array(types.int64, 1, "C")


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


@helper
def _add_within(table, n_numeric, unit, starts, first, last, exact, limits, sums, gains):
    """Add the mean difference to the rows of each class within a row's limit.

    All rows of the batch are compared with one stretch of the table before the next one, so that
    the stretch stays in the cache.
    """
    n_within = np.empty(last - first, np.int64)
    found = np.empty(STRETCH, np.int64)
    for c in range(len(starts) - 1):
        sums[:] = 0
        n_within[:] = 0
        for base in range(starts[c], starts[c + 1], STRETCH):
            for i in range(first, last):
                distance = exact[i - first]
                total = sums[i - first]
                limit = limits[i - first]
                n_found = 0
                for j in range(base, min(base + STRETCH, starts[c + 1])):
                    found[n_found] = j
                    n_found += distance[j] <= limit and j != i
                n_within[i - first] += n_found
                _add_differences(table, n_numeric, unit, i, found, n_found, total)
        for i in range(first, last):
            if n_within[i - first] > 0:
                factor = _factor(starts, _class_of(starts, i), c) / n_within[i - first]
                for k in range(len(gains)):
                    gains[k] += factor * sums[i - first, k]


@kernel(TABLE, TABLE, INT, INT, STARTS, INT, INT, INT)
def surf(table, columns, n_numeric, unit, starts, limit, first, last):
    """Sum the differences to all rows within ``limit``, or within each row's own limit if it is −1."""
    n_rows, n_columns = table.shape
    sum_by_row = row_sums(columns, n_numeric)
    exact = np.empty((BATCH, n_rows), np.int64)
    sums = np.empty((BATCH, n_columns), np.int64)
    limits = np.empty(BATCH, np.int64)
    gains = np.zeros(n_columns)
    for base in range(first, last, BATCH):
        end = min(base + BATCH, last)
        for i in range(base, end):
            distances_from(columns, n_numeric, unit, sum_by_row, i, exact[i - base])
            limits[i - base] = limit if limit >= 0 else below_the_dead_band(exact[i - base], i)
        _add_within(table, n_numeric, unit, starts, base, end, exact, limits, sums, gains)
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
