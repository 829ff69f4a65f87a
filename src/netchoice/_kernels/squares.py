"""Square clustering: the squares through a node, as a share of the possible ones.

Pedro G. Lind, Marta C. González and Hans J. Herrmann, Cycles and clustering in bipartite networks,
Physical Review E 72 (2005) 056127, doi:10.1103/PhysRevE.72.056127; the terms are
counted as in networkx.
"""

import numpy as np

from netchoice._kernels.compiler import CONST_INTS, helper, kernel
from netchoice._kernels.ranked_adjacency import by_degree, ranked_adjacency


@helper
def _squares_and_triangles(start, split, ranked):
    """Count squares (cycles of four nodes, with chords or without) and triangles by node rank.

    Every square v–u–x–w is found once, from its node v of largest degree. With ``paths[x]`` paths
    v–u–x over nodes u, x that rank after v, each of these paths closes a square with each of the
    others: u is in ``paths[x] - 1`` of them, and v and x in half as many per path. Where x is
    linked to v, each path closes a triangle. The time for an edge u–v is proportional to its
    smaller degree, so hubs are not expensive.
    """
    n_nodes = len(split)
    squares = np.zeros(n_nodes, np.int64)
    triangles = np.zeros(n_nodes, np.int64)
    paths = np.zeros(n_nodes, np.int64)
    reached = np.empty(n_nodes, np.int32)
    # after_v[u]: position after v in the list of u; it grows by 1 each time, since v increases.
    after_v = start[:-1].copy()
    for v in range(n_nodes):
        n_reached = 0
        for h in range(split[v], start[v + 1]):
            u = ranked[h]
            after_v[u] += 1
            for g in range(after_v[u], start[u + 1]):
                x = ranked[g]
                reached[n_reached] = x
                n_reached += paths[x] == 0
                paths[x] += 1
        if n_reached == 0:
            continue
        n_closed = 0
        for h in range(split[v], start[v + 1]):
            u = ranked[h]
            triangles[u] += paths[u]
            n_closed += paths[u]
            paths_from_u = 0
            for g in range(after_v[u], start[u + 1]):
                paths_from_u += paths[ranked[g]]
            squares[u] += paths_from_u - (start[u + 1] - after_v[u])
        triangles[v] += n_closed // 2  # each triangle has two closed paths
        squares_at_v = 0
        for i in range(n_reached):
            x = reached[i]
            pairs = paths[x] * (paths[x] - 1) // 2
            squares[x] += pairs
            squares_at_v += pairs
            paths[x] = 0
        squares[v] += squares_at_v
    return squares, triangles


@kernel(CONST_INTS, CONST_INTS)
def square_clustering(indptr, indices):
    """Return the squares through each node divided by the number that its neighbours' degrees allow."""
    n_nodes = len(indptr) - 1
    order = by_degree(indptr)
    start, split, ranked = ranked_adjacency(indptr, indices, order)
    squares, triangles = _squares_and_triangles(start, split, ranked)
    clustering = np.zeros(n_nodes, np.float64)
    for r in range(n_nodes):
        degree = np.int64(start[r + 1] - start[r])
        neighbour_edges = 0  # without the edges to the node itself
        for h in range(start[r], start[r + 1]):
            u = np.int64(ranked[h])
            neighbour_edges += start[u + 1] - start[u] - 1
        possible = (degree - 1) * neighbour_edges - 2 * triangles[r] - squares[r]
        if possible > 0:
            clustering[order[r]] = squares[r] / possible
    return clustering
