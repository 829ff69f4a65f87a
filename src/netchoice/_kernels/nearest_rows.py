"""Nearest neighbours among known rows, for every prefix of a sequence of columns."""

import numpy as np
from numba import types

from netchoice._kernels.compiler import BOOLS, INT, INTS, helper, kernel

#: One row per column of the table, so that a column is contiguous in memory.
COLUMNS = types.Array(types.float64, 2, "C")
BLOCK = 16


@helper
def _add_squares(column, value, distance):
    """Add one column to the squared distances from one row to all others."""
    for i in range(len(column)):
        difference = column[i] - value
        distance[i] += difference * difference


@helper
def _find_nearest(distance, near_distance, nearest, bound):
    """Find the positions of the smallest distances, in ascending order of distance, then position.

    At least ``len(nearest)`` distances must lie below the bound.
    """
    wanted, n = len(near_distance), len(distance)
    near_distance[:] = np.inf
    farthest = bound
    for start in range(0, n, BLOCK):
        # Most blocks hold no near row. This test has no branch per row, so it is vectorised.
        n_near = 0
        for i in range(BLOCK):
            n_near += distance[start + i] < farthest
        if n_near == 0:
            continue
        for i in range(start, start + BLOCK):
            d = distance[i]
            if d < farthest:
                place = wanted - 1
                while place > 0 and near_distance[place - 1] > d:
                    near_distance[place] = near_distance[place - 1]
                    nearest[place] = nearest[place - 1]
                    place -= 1
                near_distance[place] = d
                nearest[place] = i
                farthest = min(farthest, near_distance[wanted - 1])


@kernel(COLUMNS, COLUMNS, INTS, BOOLS, INT)
def nearest_rows(known, queries, order, counted, n_neighbours):
    """Return the nearest known rows of each query, nearest first, for each counted prefix.

    Columns are added in the given order. Neighbours are searched after each column that is marked in
    ``counted``, so the distances of a prefix are reused for all longer prefixes.
    """
    n_known, n_queries = known.shape[1], queries.shape[1]
    wanted = min(n_neighbours, n_known)
    found = np.zeros((counted.sum(), n_queries, wanted), np.int32)
    distance = np.empty((n_known + BLOCK - 1) // BLOCK * BLOCK)
    near_distance = np.empty(wanted)
    nearest = np.zeros(wanted, np.int32)
    for row in range(n_queries):
        distance[:n_known] = 0.0
        distance[n_known:] = np.inf  # fills the last block
        bound = np.inf
        prefix = 0
        for step in range(len(order)):
            column = order[step]
            _add_squares(known[column], queries[column, row], distance)
            if counted[step]:
                if prefix > 0:  # the previous neighbours bound the distance of the new ones
                    bound = np.nextafter(distance[nearest].max(), np.inf)
                _find_nearest(distance, near_distance, nearest, bound)
                for i in range(wanted):
                    found[prefix, row, i] = nearest[i]
                prefix += 1
    return found
