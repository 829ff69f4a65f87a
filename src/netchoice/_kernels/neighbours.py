"""Votes of the nearest neighbours, for every prefix of a sequence of columns."""

import numpy as np
from numba import types

from netchoice._kernels.compiling import BOOLS, INT, INTS, helper, kernel

#: One row per column of the table, so that a column lies together in memory.
COLUMNS = types.Array(types.float64, 2, "C")
BLOCK = 16


@helper
def _add_squares(column, value, distance):
    """One more column in the squared distances from one row to all."""
    for i in range(len(column)):
        difference = column[i] - value
        distance[i] += difference * difference


@helper
def _nearest(distance, near, nearest, bound):
    """Positions of the smallest distances, ascending; among equal ones the earlier position.

    At least as many distances as wanted must lie below the bound.
    """
    wanted, n = len(near), len(distance)
    near[:] = np.inf
    farthest = bound
    for start in range(0, n, BLOCK):
        # Most blocks hold nobody near; to know that takes no branch per row, so it is vectorised.
        some = 0
        for i in range(BLOCK):
            some += distance[start + i] < farthest
        if some == 0:
            continue
        for i in range(start, start + BLOCK):
            d = distance[i]
            if d < farthest:
                at = wanted - 1
                while at > 0 and near[at - 1] > d:
                    near[at] = near[at - 1]
                    nearest[at] = nearest[at - 1]
                    at -= 1
                near[at] = d
                nearest[at] = i
                farthest = min(farthest, near[wanted - 1])


@kernel(COLUMNS, INTS, COLUMNS, INTS, BOOLS, INT, INT)
def neighbour_votes(known, label, asked, order, counted, n_neighbours, n_classes):
    """How many of each asked row's nearest known rows are of each class.

    Columns are added in the given order; votes are counted after those that are marked, so the
    distances of a prefix serve all longer ones.
    """
    n_known, n_asked = known.shape[1], asked.shape[1]
    votes = np.zeros((counted.sum(), n_asked, n_classes), np.int32)
    distance = np.empty((n_known + BLOCK - 1) // BLOCK * BLOCK)
    near = np.empty(min(n_neighbours, n_known))
    nearest = np.zeros(len(near), np.int32)
    for row in range(n_asked):
        distance[:n_known] = 0.0
        distance[n_known:] = np.inf  # fills the last block
        bound = np.inf
        at = 0
        for step in range(len(order)):
            column = order[step]
            _add_squares(known[column], asked[column, row], distance)
            if counted[step]:
                if at > 0:  # those who were nearest before have a say in who can be now
                    bound = np.nextafter(distance[nearest].max(), np.inf)
                _nearest(distance, near, nearest, bound)
                for i in range(len(nearest)):
                    votes[at, row, label[nearest[i]]] += 1
                at += 1
    return votes
