"""Sets of linked pairs of nodes (hash tables with open addressing), and alterations of edges with them."""

from __future__ import annotations

import numpy as np

from netchoice._kernels.compiler import BOOL, CONST_INTS, INT, helper, kernel
from netchoice._kernels.csr import adjacency, edges_of
from netchoice._kernels.random_stream import SEED, start, uniform

_EMPTY, _REMOVED = -1, -2


@helper
def new_set(n_expected):
    """Return an empty set with room for this many pairs."""
    size = 16
    while size < 2 * n_expected:
        size *= 2
    return np.full(size, _EMPTY, np.int64)


@helper
def pair_key(u, v):
    """Return the key of a pair of nodes in either order."""
    return (np.int64(min(u, v)) << 32) | np.int64(max(u, v))


@helper
def slot_of(table, key):
    """Return the slot that holds the key, or the free slot where it belongs."""
    mask = len(table) - 1
    mixed = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    slot = np.int64(mixed >> np.uint64(33)) & mask
    while table[slot] != _EMPTY and table[slot] != key:
        slot = (slot + 1) & mask
    return slot


@helper
def add(table, key):
    """Add a key to the set; return False if it was there already."""
    slot = slot_of(table, key)
    if table[slot] == key:
        return False
    table[slot] = key
    return True


@helper
def remove(table, key):
    """Remove a key from the set; its slot is not used again."""
    table[slot_of(table, key)] = _REMOVED


@helper
def larger_set(table):
    """Return the same set with twice the room, without the slots of removed keys."""
    larger = np.full(2 * len(table), _EMPTY, np.int64)
    for key in table:
        if key >= 0:
            larger[slot_of(larger, key)] = key
    return larger


@helper
def random_pair(n_nodes, a, b, c, d):
    """Draw two different nodes; also return the state of the random stream after the draws."""
    draw, a, b, c, d = uniform(a, b, c, d)
    u = int(draw * n_nodes)
    draw, a, b, c, d = uniform(a, b, c, d)
    v = int(draw * (n_nodes - 1))
    return u, v + 1 if v >= u else v, a, b, c, d


@helper
def _half_edges(indptr, indices):
    """Return, for each entry of ``indices``, its node, and the entry of the other end."""
    owner = np.empty(len(indices), np.int32)
    mate = np.empty(len(indices), np.int32)
    fill = indptr[:-1].copy()
    for u in range(len(indptr) - 1):
        for h in range(indptr[u], indptr[u + 1]):
            owner[h] = u
            mate[h] = fill[indices[h]]  # u comes next in the sorted list of this neighbour
            fill[indices[h]] += 1
    return owner, mate


@helper
def _are_linked(indptr, other, u, v):
    """Return whether two nodes are linked; the shorter of the two lists is searched."""
    if indptr[u + 1] - indptr[u] > indptr[v + 1] - indptr[v]:
        u, v = v, u
    for h in range(indptr[u], indptr[u + 1]):  # noqa: SIM110  numba compiles no generators
        if other[h] == v:
            return True
    return False


@kernel(CONST_INTS, CONST_INTS, INT, SEED)
def swap_edges(indptr, indices, n_attempts, seed):
    """Return the neighbours after attempts to replace edges u–v and x–y by u–y and x–v.

    Each attempt draws two of the half-edges independently. An attempt that would make a self loop or
    an edge that exists leaves the network as it is. Degrees, and with them ``indptr``, do not change.
    """
    owner, mate = _half_edges(indptr, indices)
    other = indices.copy()
    a, b, c, d = start(seed)
    for _ in range(n_attempts if len(indices) else 0):
        draw, a, b, c, d = uniform(a, b, c, d)
        h = int(draw * len(other))
        draw, a, b, c, d = uniform(a, b, c, d)
        k = int(draw * len(other))
        u, v, x, y = owner[h], other[h], owner[k], other[k]
        if u == y or x == v:
            continue
        if _are_linked(indptr, other, u, y) or _are_linked(indptr, other, x, v):
            continue
        h_mate, k_mate = mate[h], mate[k]
        other[h], other[k_mate] = y, u
        mate[h], mate[k_mate] = k_mate, h
        other[k], other[h_mate] = v, x
        mate[k], mate[h_mate] = h_mate, k
    fill = indptr[:-1].copy()
    ordered = np.empty(len(other), np.int32)
    for u in range(len(indptr) - 1):
        for h in range(indptr[u], indptr[u + 1]):
            ordered[fill[other[h]]] = u
            fill[other[h]] += 1
    return ordered


@kernel(CONST_INTS, CONST_INTS, INT, BOOL, SEED)
def move_edges(indptr, indices, n_moves, keep_linked, seed):
    """Return the adjacency after random edges were removed and as many random ones added.

    With ``keep_linked``, an edge stays if a node would lose its last neighbour; then fewer may move.
    """
    n_nodes, n_edges = len(indptr) - 1, len(indices) // 2
    sources, targets = edges_of(indptr, indices)
    degree = np.diff(indptr)
    ends = np.empty(2 * n_edges, np.int32)
    linked_pairs = new_set(n_edges)
    a, b, c, d = start(seed)
    n_moved, n_kept = 0, 0
    for i in range(n_edges):  # in random order: position i gets one of the edges not yet seen
        draw, a, b, c, d = uniform(a, b, c, d)
        e = i + int(draw * (n_edges - i))
        u, v = sources[e], targets[e]
        sources[e], targets[e] = sources[i], targets[i]
        if n_moved < n_moves and not (keep_linked and (degree[u] == 1 or degree[v] == 1)):
            degree[u] -= 1
            degree[v] -= 1
            n_moved += 1
        else:
            add(linked_pairs, pair_key(u, v))
            ends[2 * n_kept], ends[2 * n_kept + 1] = u, v
            n_kept += 1
    while n_kept < n_edges:
        u, v, a, b, c, d = random_pair(n_nodes, a, b, c, d)
        if add(linked_pairs, pair_key(u, v)):
            ends[2 * n_kept], ends[2 * n_kept + 1] = u, v
            n_kept += 1
    return adjacency(ends, n_edges, n_nodes)
