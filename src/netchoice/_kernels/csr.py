"""Adjacency lists in compressed sparse row (CSR) form, and orders of their nodes."""

from __future__ import annotations

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


@helper
def breadth_first(indptr, indices, left_out):
    """List the nodes in breadth-first order, component by component, without those left out.

    Neighbours are then close to each other in the order. Components are sorted by smallest node.
    Returns the order, the positions where components start (and where the last one ends), and the
    position of each node (-1 if left out).
    """
    n_nodes = len(indptr) - 1
    order = np.empty(n_nodes, np.int32)
    starts = np.empty(n_nodes + 1, np.int32)
    place = np.full(n_nodes, -1, np.int32)
    n_components, head, tail = 0, 0, 0
    for root in range(n_nodes):
        if left_out[root] or place[root] >= 0:
            continue
        starts[n_components] = tail
        n_components += 1
        place[root] = tail
        order[tail] = root
        tail += 1
        while head < tail:
            u = order[head]
            head += 1
            for h in range(indptr[u], indptr[u + 1]):
                v = indices[h]
                if place[v] < 0 and not left_out[v]:
                    place[v] = tail
                    order[tail] = v
                    tail += 1
    starts[n_components] = tail
    return order[:tail], starts[: n_components + 1], place


@helper
def renumbered(indptr, indices, order, place):
    """Return adjacency and degrees of the nodes in ``order``, numbered by their position in it.

    The adjacency is unsigned, so array look-ups need no test for negative indices. Differences of
    unsigned numbers can wrap around; therefore the degrees are returned as well.
    """
    new_indptr = np.empty(len(order) + 1, np.uint32)
    new_indices = np.empty(len(indices), np.uint32)
    degree = np.empty(len(order), np.int64)
    new_indptr[0] = 0
    end = 0
    for i in range(len(order)):
        start = end
        for h in range(indptr[order[i]], indptr[order[i] + 1]):
            j = place[indices[h]]
            if j >= 0:
                new_indices[end] = j
                end += 1
        new_indptr[i + 1] = end
        degree[i] = end - start
    return new_indptr, new_indices, degree


@helper
def counting_sort(keys, n_keys, nodes):
    """Sort nodes by key, stably; also return the position where each key starts."""
    start = np.zeros(n_keys + 2, np.int64)
    for i in range(len(nodes)):
        start[keys[nodes[i]] + 2] += 1
    for key in range(n_keys):
        start[key + 2] += start[key + 1]
    ordered = np.empty(len(nodes), np.int32)
    for i in range(len(nodes)):
        key = keys[nodes[i]]
        ordered[start[key + 1]] = nodes[i]
        start[key + 1] += 1
    return ordered, start


@helper
def by_degree(degree, starts):
    """Sort the nodes of each component by increasing degree.

    In this order most nodes have as many neighbours as the node before, so the processor predicts
    the end of the loop over neighbours correctly.
    """
    n_nodes = len(degree)
    component = np.empty(n_nodes, np.int64)
    for c in range(len(starts) - 1):
        component[starts[c] : starts[c + 1]] = c
    everywhere, _ = counting_sort(degree, n_nodes, np.arange(n_nodes))
    ordered, _ = counting_sort(component, len(starts) - 1, everywhere)
    return ordered.astype(np.uint32)
