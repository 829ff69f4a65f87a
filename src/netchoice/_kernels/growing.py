"""Networks that grow step by step: their state, and the operations of a step.

A step is a compiled function ``step(net, new, *values)``, which links the node ``new`` to the network
``net`` and may change other edges. ``growth_loop`` calls it.

Edge e is a pair of half-edges 2e and 2e+1, one in the list of each of its ends. ``OWNER`` of a half-edge
h is the node whose list contains h, so the node at the other end is the owner of ``h ^ 1``. When an edge
moves from one node to another, the entry of its other end does not change. A random half-edge belongs to
a node with a probability proportional to its degree.
"""

from collections import namedtuple

import numpy as np

from netchoice._kernels.compiler import helper
from netchoice._kernels.random_stream import uniform

# Columns of ``nodes``, ``halves`` and positions in ``counts``.
FIRST, DEGREE, STAMP, PICKED = 0, 1, 2, 3
OWNER, FOLLOWING = 0, 1
NODES, EDGES, LINKED, ROOM_NODES, ROOM_HALVES = 0, 1, 2, 3, 4

#: The state of a growing network.
#:
#: nodes : int32, a row for each node: its first half-edge or -1, its degree, a stamp, and a column in
#:     which a step may list nodes. halves : int32, a row for each half-edge: its owner and the
#:     following half-edge in the list. traits : float64, a number for each node, at first -1. counts :
#:     nodes, edges, nodes with edges, and the lengths of the arrays. stream : state of the random
#:     stream. memory : int32, what a mechanism keeps between steps, at first -1.
Growing = namedtuple("Growing", "nodes halves traits counts stream memory")


@helper
def draw(net):
    """Draw a number in [0, 1)."""
    stream = net.stream
    number, a, b, c, d = uniform(stream[0], stream[1], stream[2], stream[3])
    stream[0], stream[1], stream[2], stream[3] = a, b, c, d
    return number


@helper
def draw_integer(net, mean):
    """Draw the integer below or above ``mean``, with this mean."""
    base = int(mean)
    return base + (1 if draw(net) < mean - base else 0)


@helper
def degree(net, node):
    """Return the number of neighbours of a node."""
    return net.nodes[node, DEGREE]


@helper
def n_edges(net):
    """Return the number of edges."""
    return net.counts[EDGES]


@helper
def first(net, node):
    """Return the first half-edge of a node, or -1; :func:`following` gives the others."""
    return net.nodes[node, FIRST]


@helper
def following(net, half):
    """Return the next half-edge of the same node, or -1."""
    return net.halves[half, FOLLOWING]


@helper
def other_end(net, half):
    """Return the neighbour to which a half-edge leads."""
    return net.halves[half ^ 1, OWNER]


@helper
def by_degree(net, n_before):
    """Draw a node by its degree; only the first ``n_before`` edges count, at least one."""
    return net.halves[int(draw(net) * (2 * n_before)), OWNER]


@helper
def by_degree_or_one(net, new):
    """Draw an earlier node by its degree; a node without links counts as a node with one."""
    n_halves = 2 * net.counts[EDGES]
    n_more = new if net.counts[LINKED] < new else 0
    while True:
        at = int(draw(net) * (n_halves + n_more))
        if at < n_halves:
            return net.halves[at, OWNER]
        if net.nodes[at - n_halves, DEGREE] == 0:
            return np.int32(at - n_halves)


@helper
def random_neighbour(net, node):
    """Draw a neighbour of a node that has neighbours."""
    k, n_halves = np.int64(net.nodes[node, DEGREE]), 2 * net.counts[EDGES]
    if k * k > n_halves:  # fewer random half-edges than entries of the list have to be read
        half = int(draw(net) * n_halves)
        while net.halves[half, OWNER] != node:
            half = int(draw(net) * n_halves)
    else:
        half = np.int64(net.nodes[node, FIRST])
        for _ in range(int(draw(net) * k)):
            half = np.int64(net.halves[half, FOLLOWING])
    return net.halves[half ^ 1, OWNER]


@helper
def are_linked(net, u, v):
    """Return whether two nodes are linked."""
    if net.nodes[u, DEGREE] > net.nodes[v, DEGREE]:
        u, v = v, u
    half = net.nodes[u, FIRST]
    while half >= 0:
        if net.halves[half ^ 1, OWNER] == v:
            return True
        half = net.halves[half, FOLLOWING]
    return False


@helper
def stamp(net, node, value):
    """Stamp a node; return False if it had this stamp already. Stamps are 0 at first."""
    if net.nodes[node, STAMP] == value:
        return False
    net.nodes[node, STAMP] = value
    return True


@helper
def draw_unstamped(net, new):
    """Draw one of the earlier nodes without the stamp ``new``; there must be one."""
    node = int(draw(net) * new)
    while net.nodes[node, STAMP] == new:
        node = int(draw(net) * new)
    return node


@helper
def unstamped_neighbour(net, node, below, new):
    """Draw a neighbour with an index under ``below`` and without the stamp ``new``, -1 if none."""
    chosen, n_found = -1, 0
    half = net.nodes[node, FIRST]
    while half >= 0:
        neighbour = net.halves[half ^ 1, OWNER]
        if neighbour < below and net.nodes[neighbour, STAMP] != new:
            n_found += 1
            if draw(net) * n_found < 1.0:  # each of the candidates found so far is equally likely
                chosen = neighbour
        half = net.halves[half, FOLLOWING]
    return chosen


@helper
def pick(net, i, node):
    """Write a node at place i of the list of picked nodes."""
    net.nodes[i, PICKED] = node


@helper
def picked(net, i):
    """Return the node at place i of the list of picked nodes."""
    return net.nodes[i, PICKED]


@helper
def attach(net, half, node):
    """Put a half-edge at the beginning of the list of a node."""
    net.halves[half, OWNER] = node
    net.halves[half, FOLLOWING] = net.nodes[node, FIRST]
    net.nodes[node, FIRST] = half
    if net.nodes[node, DEGREE] == 0:
        net.counts[LINKED] += 1
    net.nodes[node, DEGREE] += 1


@helper
def detach(net, half, before):
    """Take a half-edge out of the list of its owner; ``before`` precedes it in the list, -1 if none."""
    node, after = net.halves[half, OWNER], net.halves[half, FOLLOWING]
    if before >= 0:
        net.halves[before, FOLLOWING] = after
    else:
        net.nodes[node, FIRST] = after
    net.nodes[node, DEGREE] -= 1
    if net.nodes[node, DEGREE] == 0:
        net.counts[LINKED] -= 1


@helper
def link(net, u, v):
    """Add the edge between two nodes that are not linked."""
    half = 2 * net.counts[EDGES]
    attach(net, half, u)
    attach(net, half + 1, v)
    net.counts[EDGES] += 1


@helper
def link_picked(net, new, n_picked):
    """Link the new node to the first ``n_picked`` picked nodes."""
    for i in range(n_picked):
        link(net, new, net.nodes[i, PICKED])
