"""Number of edges by the number of common neighbours of their ends."""

import numpy as np

from netchoice._kernels.compiler import CONST_INTS, kernel


@kernel(CONST_INTS, CONST_INTS)
def shared_partners(indptr, indices):
    """Count the edges whose ends have 0, 1, 2, … common neighbours.

    Of the two ends of an edge, the neighbours of that with smaller degree are visited, so the time
    is at most proportional to m^1.5.
    """
    n_nodes = len(indptr) - 1
    counts = np.zeros(n_nodes + 1, np.int64)
    neighbour_of = np.full(n_nodes, -1, np.int32)
    largest = -1
    for u in range(n_nodes):
        degree = indptr[u + 1] - indptr[u]
        for h in range(indptr[u], indptr[u + 1]):
            neighbour_of[indices[h]] = u
        for h in range(indptr[u], indptr[u + 1]):
            v = indices[h]
            other = indptr[v + 1] - indptr[v]
            if other < degree or (other == degree and v < u):
                common = 0
                for g in range(indptr[v], indptr[v + 1]):
                    common += int(neighbour_of[indices[g]] == u)
                counts[common] += 1
                largest = max(largest, common)
    return counts[: largest + 1].copy()
