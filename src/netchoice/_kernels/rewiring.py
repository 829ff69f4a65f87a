"""Alterations that make a network more or less clustered, or its degrees more or less equal or alike.

All keep the number of edges, and no node loses its last neighbour. A change replaces one edge by another
one, or lets two edges exchange ends. The network is held in the lists of half-edges of ``growing``.
"""

from __future__ import annotations

import numpy as np

from netchoice._kernels.compiler import CONST_INTS, INT, helper, kernel
from netchoice._kernels.csr import adjacency
from netchoice._kernels.growing import (
    FIRST,
    FOLLOWING,
    OWNER,
    Growing,
    are_linked,
    attach,
    degree,
    detach,
    draw,
    first,
    following,
    link,
    n_edges,
    other_end,
    random_neighbour,
)
from netchoice._kernels.random_stream import SEED, start

#: What an alteration makes more or less of: triangles, equal degrees, links between similar degrees.
CLOSE, OPEN, CONCENTRATE, EQUALISE, ASSORT, DISASSORT = 0, 1, 2, 3, 4, 5
#: Attempts for one change; after these, the next change is tried.
_TRIES = 50


@helper
def _as_lists(indptr, indices, seed):
    """Return the network with lists of half-edges."""
    n_nodes = len(indptr) - 1
    nodes = np.zeros((n_nodes, 4), np.int32)
    nodes[:, FIRST] = -1
    counts = np.array([n_nodes, 0, 0, n_nodes, len(indices)])
    halves = np.empty((len(indices), 2), np.int32)
    stream, memory = np.array(start(seed)), np.empty(0, np.int32)
    net = Growing(nodes, halves, np.empty(0), counts, stream, memory)
    for u in range(n_nodes):
        for h in range(indptr[u], indptr[u + 1]):
            if indices[h] > u:
                link(net, u, indices[h])
    return net


@helper
def _move_half(net, half, node):
    """Move a half-edge to the list of another node."""
    before, at = -1, net.nodes[net.halves[half, OWNER], FIRST]
    while at != half:
        before, at = at, net.halves[at, FOLLOWING]
    detach(net, half, before)
    attach(net, half, node)


@helper
def _replace(net, edge, u, v):
    """Replace an edge by u–v."""
    _move_half(net, 2 * edge, u)
    _move_half(net, 2 * edge + 1, v)


@helper
def _share_neighbour(net, u, v):
    """Return whether two nodes have a common neighbour."""
    if degree(net, u) > degree(net, v):
        u, v = v, u
    half = first(net, u)
    while half >= 0:
        if are_linked(net, other_end(net, half), v):
            return True
        half = following(net, half)
    return False


@helper
def _random_edge(net, in_triangle):
    """Draw an edge that is in a triangle, or in none, and whose ends have other neighbours; -1 if rare."""
    for _ in range(_TRIES):
        edge = int(draw(net) * n_edges(net))
        u, v = net.halves[2 * edge, OWNER], net.halves[2 * edge + 1, OWNER]
        if degree(net, u) > 1 and degree(net, v) > 1 and _share_neighbour(net, u, v) == in_triangle:
            return edge
    return -1


@helper
def _close(net):
    """Link two neighbours of a random node instead of two nodes without a common neighbour."""
    for _ in range(_TRIES):
        w = int(draw(net) * len(net.nodes))
        if degree(net, w) < 2:
            continue
        u, v = random_neighbour(net, w), random_neighbour(net, w)
        if u != v and not are_linked(net, u, v):
            edge = _random_edge(net, False)
            if edge >= 0:
                _replace(net, edge, u, v)
            return


@helper
def _open(net):
    """Link two random nodes without a common neighbour instead of two nodes with one."""
    edge = _random_edge(net, True)
    for _ in range(_TRIES if edge >= 0 else 0):
        u, v = int(draw(net) * len(net.nodes)), int(draw(net) * len(net.nodes))
        if u != v and not are_linked(net, u, v) and not _share_neighbour(net, u, v):
            _replace(net, edge, u, v)
            return


@helper
def _random_target(net, concentrate):
    """Draw a node by its degree, or of two random nodes the one with fewer neighbours."""
    if concentrate:
        return np.int64(net.halves[int(draw(net) * 2 * n_edges(net)), OWNER])
    u, v = int(draw(net) * len(net.nodes)), int(draw(net) * len(net.nodes))
    return u if degree(net, u) <= degree(net, v) else v


@helper
def _change_degrees(net, concentrate):
    """Move one end of a random edge to a node with more neighbours, or to one with fewer."""
    for _ in range(_TRIES):
        half = int(draw(net) * 2 * n_edges(net))
        left, kept = net.halves[half, OWNER], net.halves[half ^ 1, OWNER]
        node = _random_target(net, concentrate)
        if node == kept or degree(net, left) < 2 or are_linked(net, kept, node):
            continue
        gain = degree(net, node) + 1 - degree(net, left)
        if (gain > 0) if concentrate else (gain < 0):
            _move_half(net, half, node)
            return


@helper
def _change_mixing(net, sign):
    """Let two edges exchange ends so that the degrees of linked nodes become more alike, or less."""
    for _ in range(2 * _TRIES):
        h, k = int(draw(net) * 2 * n_edges(net)), int(draw(net) * 2 * n_edges(net))
        u, v = net.halves[h, OWNER], net.halves[h ^ 1, OWNER]
        x, y = net.halves[k, OWNER], net.halves[k ^ 1, OWNER]
        gain = (np.int64(degree(net, u)) - degree(net, x)) * (degree(net, y) - degree(net, v))
        if sign * gain <= 0 or u == y or x == v:
            continue
        if not are_linked(net, u, y) and not are_linked(net, x, v):
            _move_half(net, h ^ 1, y)
            _move_half(net, k ^ 1, v)
            return


@kernel(CONST_INTS, CONST_INTS, INT, INT, SEED)
def alter_edges(indptr, indices, kind, n_changes, seed):
    """Return the adjacency after a number of changes of one kind; fewer if no edge can be changed."""
    net = _as_lists(indptr, indices, seed)
    for _ in range(n_changes if len(indices) else 0):
        if kind == CLOSE:
            _close(net)
        elif kind == OPEN:
            _open(net)
        elif kind in (CONCENTRATE, EQUALISE):
            _change_degrees(net, kind == CONCENTRATE)
        else:
            _change_mixing(net, 1 if kind == ASSORT else -1)
    return adjacency(net.halves[:, OWNER].copy(), n_edges(net), len(net.nodes))
