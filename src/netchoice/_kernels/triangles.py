"""Number of triangles through each node."""

import numpy as np

from netchoice._kernels.compiler import CONST_INTS, helper, kernel
from netchoice._kernels.ranked_adjacency import by_degree, ranked_adjacency


@helper
def _triangles_by_rank(start, split, ranked):
    """Count the triangles through each node, with nodes numbered by degree rank.

    Every triangle is found once, from its node of smallest degree. A node has at most √(2m)
    neighbours of larger degree, and only these are visited.
    """
    n_nodes = len(split)
    through = np.zeros(n_nodes, np.int64)
    marked_by = np.full(n_nodes, -1, np.int32)
    for u in range(n_nodes):
        for h in range(start[u], split[u]):
            marked_by[ranked[h]] = u
        closed_at_u = 0
        for h in range(start[u] + 1, split[u]):
            v = ranked[h]
            closed_at_v = 0
            for g in range(start[v], split[v]):
                w = ranked[g]
                closed = int(marked_by[w] == u)
                closed_at_v += closed
                through[w] += closed
            through[v] += closed_at_v
            closed_at_u += closed_at_v
        through[u] += closed_at_u
    return through


@kernel(CONST_INTS, CONST_INTS)
def node_triangles(indptr, indices):
    """Count the triangles through each node; the sum is three times the triangles of the graph."""
    order = by_degree(indptr)
    start, split, ranked = ranked_adjacency(indptr, indices, order)
    by_rank = _triangles_by_rank(start, split, ranked)
    through = np.empty(len(order), np.int64)
    for r in range(len(order)):
        through[order[r]] = by_rank[r]
    return through
