"""Core numbers, by repeatedly removing (peeling) the node of smallest degree.

Vladimir Batagelj and Matjaž Zaveršnik, An O(m) algorithm for cores decomposition of networks
(2003), arXiv:cs/0310049.
"""

import numpy as np

from netchoice._kernels.compiler import CONST_INTS, helper, kernel


@helper
def _sorted_by_degree(degree):
    """Sort the nodes by degree; return the order, each node's position, and where each degree starts.

    The first ``bucket_start[d + 1]`` nodes have degree d or less.
    """
    n_nodes = len(degree)
    largest = 0
    for u in range(n_nodes):
        largest = max(largest, degree[u])
    fill = np.zeros(largest + 2, np.int32)
    for u in range(n_nodes):
        fill[degree[u] + 1] += 1
    for d in range(largest + 1):
        fill[d + 1] += fill[d]
    bucket_start = fill.copy()
    order = np.empty(n_nodes, np.int32)
    position = np.empty(n_nodes, np.int32)
    for u in range(n_nodes):
        at = fill[degree[u]]
        order[at] = u
        position[u] = at
        fill[degree[u]] = at + 1
    return order, position, bucket_start


@helper
def peel(indptr, indices):
    """Return the core number of each node, and the nodes in the order of their removal.

    In that order every node has at most as many later neighbours as its core number.
    """
    n_nodes = len(indptr) - 1
    core = np.empty(n_nodes, np.int32)  # for nodes not yet removed: the remaining degree
    for u in range(n_nodes):
        core[u] = indptr[u + 1] - indptr[u]
    order, position, bucket_start = _sorted_by_degree(core)
    for i in range(n_nodes):
        u = order[i]
        core_u = core[u]
        for h in range(indptr[u], indptr[u + 1]):
            v = indices[h]
            core_v = core[v]
            if core_v > core_u:
                # Swap v with the first node of its bucket, and start the bucket one position later.
                first = bucket_start[core_v]
                at = position[v]
                w = order[first]
                order[at] = w
                position[w] = at
                order[first] = v
                position[v] = first
                bucket_start[core_v] = first + 1
                core[v] = core_v - 1
    return core, order


@kernel(CONST_INTS, CONST_INTS)
def core_numbers(indptr, indices):
    """Return each node's largest k such that it is in the k-core, and a degeneracy order."""
    return peel(indptr, indices)
