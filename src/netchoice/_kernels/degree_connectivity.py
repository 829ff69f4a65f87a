"""Relation between the degree of a node and the degrees of its neighbours."""

import numpy as np

from netchoice._kernels.compiler import BOOLS, CONST_INTS, kernel


@kernel(CONST_INTS, CONST_INTS, BOOLS)
def degree_connectivity(indptr, indices, included):
    """Return the mean, over all degrees k, of the mean degree of the neighbours of degree-k nodes.

    Only nodes marked in ``included`` count. It must consist of entire components: all nodes, or
    the largest component. Degrees that do not occur are left out; degree 0 has value 0.
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
