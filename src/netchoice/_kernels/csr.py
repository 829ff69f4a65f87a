"""Adjacency lists in compressed sparse row (CSR) form, built in linear time and memory."""

import numpy as np

from netchoice._kernels.compiler import CONST_INTS, INT, INTS, helper, kernel


@kernel(INTS, INTS, INT)
def csr_from_edges(sources, targets, n_nodes):
    """Return the adjacency of the simple graph with these edges.

    Two counting passes: the first gathers each node's neighbours in any order; the second
    visits the nodes in order and appends each to its neighbours' lists, which leaves every list
    sorted and repeats next to each other.

    Returns ``indptr, indices, n_self_loops, n_repeated``.
    """
    n_edges = len(sources)
    start = np.zeros(n_nodes + 1, np.int64)
    n_self_loops = 0
    for e in range(n_edges):
        u, v = sources[e], targets[e]
        if u == v:
            n_self_loops += 1
        else:
            start[u + 1] += 1
            start[v + 1] += 1
    for i in range(n_nodes):
        start[i + 1] += start[i]

    gathered = np.empty(start[n_nodes], np.int32)
    fill = start[:-1].copy()
    for e in range(n_edges):
        u, v = sources[e], targets[e]
        if u != v:
            gathered[fill[u]] = v
            fill[u] += 1
            gathered[fill[v]] = u
            fill[v] += 1

    ordered = np.empty(start[n_nodes], np.int32)
    fill[:] = start[:-1]
    for u in range(n_nodes):
        for h in range(start[u], start[u + 1]):
            v = gathered[h]
            if fill[v] == start[v] or ordered[fill[v] - 1] != u:
                ordered[fill[v]] = u
                fill[v] += 1

    indptr = np.zeros(n_nodes + 1, np.int32)
    for u in range(n_nodes):
        indptr[u + 1] = indptr[u] + (fill[u] - start[u])
    n_kept = indptr[n_nodes]
    if n_kept == len(ordered):
        return indptr, ordered, n_self_loops, 0
    indices = np.empty(n_kept, np.int32)
    for u in range(n_nodes):
        indices[indptr[u] : indptr[u + 1]] = ordered[start[u] : fill[u]]
    return indptr, indices, n_self_loops, (len(ordered) - n_kept) // 2


@helper
def adjacency(ends, n_edges, n_nodes):
    """Return the sorted adjacency of a simple graph whose edges are source, target, source, …

    The two counting passes of ``csr_from_edges``, without its checks.
    """
    indptr = np.zeros(n_nodes + 1, np.int32)
    for h in range(2 * n_edges):
        indptr[ends[h] + 1] += 1
    for u in range(n_nodes):
        indptr[u + 1] += indptr[u]
    fill = indptr[:-1].copy()
    gathered = np.empty(2 * n_edges, np.int32)
    for e in range(n_edges):
        u, v = ends[2 * e], ends[2 * e + 1]
        gathered[fill[u]] = v
        fill[u] += 1
        gathered[fill[v]] = u
        fill[v] += 1
    fill[:] = indptr[:-1]
    indices = np.empty(2 * n_edges, np.int32)
    for u in range(n_nodes):
        for h in range(indptr[u], indptr[u + 1]):
            v = gathered[h]
            indices[fill[v]] = u
            fill[v] += 1
    return indptr, indices


@kernel(CONST_INTS, CONST_INTS)
def edges_of(indptr, indices):
    """Return the two ends of every edge, smaller end first, in sorted order."""
    n_edges = len(indices) // 2
    sources = np.empty(n_edges, np.int32)
    targets = np.empty(n_edges, np.int32)
    e = 0
    for u in range(len(indptr) - 1):
        for h in range(indptr[u], indptr[u + 1]):
            v = indices[h]
            if v > u:
                sources[e] = u
                targets[e] = v
                e += 1
    return sources, targets


@kernel(INTS, INTS)
def check_csr(indptr, indices):
    """Check that the arrays are the adjacency of a simple undirected graph.

    Returns ``(code, node)``: 0 valid, 1 indptr not a cumulative count, 2 neighbour out of range,
    3 neighbours not sorted or repeated, 4 self loop, 5 edge missing in the other direction.
    """
    n_nodes = len(indptr) - 1
    if indptr[0] != 0 or indptr[n_nodes] != len(indices):
        return 1, 0
    for u in range(n_nodes):
        if indptr[u + 1] < indptr[u]:
            return 1, u
    for u in range(n_nodes):
        for h in range(indptr[u], indptr[u + 1]):
            v = indices[h]
            if v < 0 or v >= n_nodes:
                return 2, u
            if v == u:
                return 4, u
            if h > indptr[u] and indices[h - 1] >= v:
                return 3, u
    seen = np.zeros(n_nodes, np.int64)  # how many of v's neighbours have been visited so far
    for u in range(n_nodes):
        for h in range(indptr[u], indptr[u + 1]):
            v = indices[h]
            at = indptr[v] + seen[v]
            if at >= indptr[v + 1] or indices[at] != u:
                return 5, u
            seen[v] += 1
    return 0, 0


@kernel(CONST_INTS, CONST_INTS)
def drop_isolated(indptr, indices):
    """Remove the nodes of degree 0; the other nodes keep their order."""
    n_nodes = len(indptr) - 1
    position = np.empty(n_nodes, np.int32)
    kept = np.empty(n_nodes, np.int32)
    n_kept = 0
    for u in range(n_nodes):
        position[u] = n_kept
        if indptr[u + 1] > indptr[u]:
            kept[n_kept] = u
            n_kept += 1
    new_indptr = np.empty(n_kept + 1, np.int32)
    new_indptr[0] = 0
    for i in range(n_kept):
        new_indptr[i + 1] = indptr[kept[i] + 1]
    new_indices = np.empty(len(indices), np.int32)
    for h in range(len(indices)):
        new_indices[h] = position[indices[h]]
    return new_indptr, new_indices, kept[:n_kept].copy()
