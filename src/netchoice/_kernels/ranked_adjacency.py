"""Adjacency lists renumbered by rank: the neighbours of higher or lower rank are a slice.

Counting small subgraphs is cheap when every subgraph is found from only one of its nodes, the one
that comes first (or last) in a ranking of the nodes.
"""

import numpy as np

from netchoice._kernels.compiler import helper


@helper
def by_degree(indptr):
    """Return the nodes sorted by decreasing degree, then by node id."""
    n_nodes = len(indptr) - 1
    largest = 0
    for u in range(n_nodes):
        largest = max(largest, indptr[u + 1] - indptr[u])
    fill = np.zeros(largest + 2, np.int32)  # fill[d]: how many nodes have degree largest - d + 1
    for u in range(n_nodes):
        fill[largest - (indptr[u + 1] - indptr[u]) + 1] += 1
    for d in range(largest + 1):
        fill[d + 1] += fill[d]
    order = np.empty(n_nodes, np.int32)
    for u in range(n_nodes):
        d = largest - (indptr[u + 1] - indptr[u])
        order[fill[d]] = u
        fill[d] += 1
    return order


@helper
def ranked_adjacency(indptr, indices, order):
    """Renumber the nodes so that node ``order[r]`` becomes r.

    Returns ``start, split, ranked``: the sorted neighbours of r are ``ranked[start[r] :
    start[r + 1]]``, and those greater than r start at ``split[r]``.
    """
    n_nodes = len(order)
    rank = np.empty(n_nodes, np.int32)
    start = np.empty(n_nodes + 1, np.int32)
    start[0] = 0
    for r in range(n_nodes):
        u = order[r]
        rank[u] = r
        start[r + 1] = start[r] + (indptr[u + 1] - indptr[u])
    # Filling in the order of the ranks gives sorted lists. When the loop reaches r, the list
    # of r holds exactly the neighbours before r.
    fill = start[:-1].copy()
    split = np.empty(n_nodes, np.int32)
    ranked = np.empty(len(indices), np.uint32)  # unsigned indices need no sign check
    for r in range(n_nodes):
        split[r] = fill[r]
        u = order[r]
        for h in range(indptr[u], indptr[u + 1]):
            neighbour = rank[indices[h]]
            ranked[fill[neighbour]] = r
            fill[neighbour] += 1
    return start, split, ranked
