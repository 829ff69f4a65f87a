"""Triangles, squares and common neighbours, counted on adjacency lists that are ordered by rank.

Counting small subgraphs is cheap when every subgraph is found from only one of its nodes, the one
that comes first (or last) in a ranking of the nodes: the neighbours of higher or lower rank are a slice.

Square clustering: Pedro G. Lind, Marta C. González and Hans J. Herrmann, Cycles and clustering in bipartite
networks, Physical Review E 72 (2005) 056127, doi:10.1103/PhysRevE.72.056127; the terms are counted as in
networkx.
"""

from __future__ import annotations

import numpy as np

from netchoice._kernels.compiler import CONST_INTS, helper, kernel


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
