"""The sums of the Relief family for targets that are numbers (RReliefF).

Every kernel takes the rows ``first`` to ``last`` and compares each of them with its neighbours, whose
weights sum to 1. It returns an array (1 + t, 1 + q): the sums, over all pairs of a row and a neighbour,
of weight × a × b, where a is 1 or the difference in one of t targets, and b is 1 or the difference, in
units, in one of q columns. ``targets`` (n, t) run from 0 to 1.
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

TARGETS = types.Array(types.float64, 2, "C")
ZERO = np.int64(0)  # the literal 0 has another type, and helpers would be compiled twice


@helper
def _add_products(table, n_numeric, unit, targets, i, rows, n_rows, weight, apart, sums):
    """Add the products of row i and each of these rows, which have the same weight.

    ``apart`` is working memory: 1, and the differences in all columns.
    """
    apart[0] = 1.0
    for at in range(n_rows):
        j = rows[at]
        for k in range(n_numeric):
            apart[k + 1] = abs(table[i, k] - table[j, k])
        for k in range(n_numeric, table.shape[1]):
            apart[k + 1] = unit if table[i, k] != table[j, k] else 0
        for c in range(len(sums)):
            factor = weight if c == 0 else weight * abs(targets[i, c - 1] - targets[j, c - 1])
            for k in range(len(apart)):
                sums[c, k] += factor * apart[k]


@kernel(TABLE, INT, INT, TARGETS, COARSE, INT, INT, INT, INT, INT)
def relieff(table, n_numeric, unit, targets, coarse, coarse_unit, slack, n_neighbors, first, last):
    """Sum the products over the nearest rows (RReliefF).

    If several rows are as far as the last neighbour, they share the remaining places equally.
    """
    n_rows, n_columns = table.shape
    sum_by_row = row_sums(coarse, n_numeric)
    near = np.empty(n_rows, np.uint16)
    least = np.empty(64 * (1 + n_neighbors // 10), np.uint16)
    found, tied = np.empty(n_rows, np.int64), np.empty(n_rows, np.int64)
    exact = np.empty(n_rows, np.int64)
    smallest = np.empty(min(n_neighbors, n_rows - 1), np.int64)
    apart = np.empty(n_columns + 1)
    sums = np.zeros((targets.shape[1] + 1, n_columns + 1))
    for i in range(first, last):
        distances_from(coarse, n_numeric, np.uint16(coarse_unit), sum_by_row, i, near)
        near[i] = ROUGHEST  # a row is never its own neighbour
        n_found = candidates(near, i, ZERO, n_rows, slack, smallest, least, found)
        n_closer, n_tied = split_by_distance(
            table, n_numeric, unit, i, found, n_found, smallest, exact, tied
        )
        weight = 1.0 / len(smallest)
        share = weight * (len(smallest) - n_closer) / n_tied
        _add_products(table, n_numeric, unit, targets, i, found, n_closer, weight, apart, sums)
        _add_products(table, n_numeric, unit, targets, i, tied, n_tied, share, apart, sums)
    return sums


@kernel(TABLE, TABLE, INT, INT, TARGETS, INT, INT, INT)
def surf(table, columns, n_numeric, unit, targets, limit, first, last):
    """Sum the products over all rows within ``limit``, or within each row's own limit if it is −1.

    All rows of a batch are compared with one stretch of the table before the next one, so that the
    stretch stays in the cache.
    """
    n_rows, n_columns = table.shape
    sum_by_row = row_sums(columns, n_numeric)
    exact, found = np.empty((BATCH, n_rows), np.int64), np.empty(STRETCH, np.int64)
    limits, apart = np.empty(BATCH, np.int64), np.empty(n_columns + 1)
    sums = np.zeros((targets.shape[1] + 1, n_columns + 1))
    of_rows = np.empty((BATCH, targets.shape[1] + 1, n_columns + 1))
    for base in range(first, last, BATCH):
        n_batch = min(BATCH, last - base)
        for b in range(n_batch):
            distances_from(columns, n_numeric, unit, sum_by_row, base + b, exact[b])
            limits[b] = limit if limit >= 0 else below_the_dead_band(exact[b], base + b)
        of_rows[:] = 0.0
        for begin in range(0, n_rows, STRETCH):
            for b in range(n_batch):
                distance, n_found = exact[b], 0
                for j in range(begin, min(begin + STRETCH, n_rows)):
                    found[n_found] = j
                    n_found += distance[j] <= limits[b] and j != base + b
                _add_products(
                    table,
                    n_numeric,
                    unit,
                    targets,
                    base + b,
                    found,
                    n_found,
                    1.0,
                    apart,
                    of_rows[b],
                )
        for b in range(n_batch):
            if of_rows[b, 0, 0] > 0:
                sums += of_rows[b] / of_rows[b, 0, 0]
    return sums


@kernel(TABLE, INT, INT, TARGETS, LEAVES, SEED, INT, INT, INT)
def forest_relieff(table, n_numeric, unit, targets, leaves, seed, n_neighbors, first, last):
    """Sum the products over the rows that share the most leaves (forest RReliefF).

    Of rows that share equally many leaves, the nearest count. Of equally near rows, some are drawn.
    """
    n_rows, n_columns = table.shape
    wanted = min(n_neighbors, n_rows - 1)
    shared = np.empty((BATCH, n_rows), np.uint16)
    histogram = np.empty(len(leaves) + 1, np.int64)
    above, places = np.empty(wanted, np.int64), np.empty(wanted, np.int64)
    found, tied = np.empty(n_rows, np.int64), np.empty(n_rows, np.int64)
    exact = np.empty(n_rows, np.int64)
    apart = np.empty(n_columns + 1)
    sums = np.zeros((targets.shape[1] + 1, n_columns + 1))
    row_seed, state = seed.copy(), np.empty(4, np.uint64)
    weight = 1.0 / wanted
    for i in range(first, last):
        if (i - first) % BATCH == 0:
            count_shared_leaves(leaves, i, min(i + BATCH, last), shared)
        count = shared[(i - first) % BATCH]
        row_seed[2] = seed[2] + np.uint64(i)  # one stream per row, for any split of the work
        state[0], state[1], state[2], state[3] = start(row_seed)
        level = last_level(count, i, ZERO, n_rows, wanted, histogram)
        n_above, n_found = split_by_level(count, level, i, ZERO, n_rows, above, found)
        n_closer, n_tied = split_by_distance(
            table, n_numeric, unit, i, found, n_found, places[: wanted - n_above], exact, tied
        )
        n_drawn = wanted - n_above - n_closer
        draw_rows(tied, n_tied, n_drawn, state)
        _add_products(table, n_numeric, unit, targets, i, above, n_above, weight, apart, sums)
        _add_products(table, n_numeric, unit, targets, i, found, n_closer, weight, apart, sums)
        _add_products(table, n_numeric, unit, targets, i, tied, n_drawn, weight, apart, sums)
    return sums
