"""How the degree of a node goes with the degrees of its neighbours."""

import numpy as np

from netchoice._kernels.compiling import BOOLS, CONST_INTS, kernel


@kernel(CONST_INTS, CONST_INTS, BOOLS)
def degree_connectivity(indptr, indices, included):
    """Mean, over the degrees k that occur, of the mean degree of the neighbours of such nodes.

    ``included`` says which nodes count; it must hold whole components (all nodes, or the largest
    component). Degree 0 occurs with value 0.
    """
    n_nodes = len(indptr) - 1
    largest = 0
    for u in range(n_nodes):
        largest = max(largest, indptr[u + 1] - indptr[u])
    n_with = np.zeros(largest + 1, np.int64)
    neighbour_degrees = np.zeros(largest + 1, np.int64)
    for u in range(n_nodes):
        if not included[u]:
            continue
        k = indptr[u + 1] - indptr[u]
        n_with[k] += 1
        for h in range(indptr[u], indptr[u + 1]):
            v = indices[h]
            neighbour_degrees[k] += indptr[v + 1] - indptr[v]
    n_degrees = np.int64(n_with[0] > 0)
    total = 0.0
    for k in range(1, largest + 1):
        if n_with[k] > 0:
            n_degrees += 1
            total += neighbour_degrees[k] / (k * n_with[k])
    return total / n_degrees if n_degrees > 0 else 0.0
