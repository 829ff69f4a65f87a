"""Introductions: nodes introduce their neighbours to each other, and leave."""

from __future__ import annotations

import math

import numpy as np

from netchoice._kernels.compiler import FLOAT, INT, helper, kernel
from netchoice._kernels.growth_loop import DONE
from netchoice._kernels.neighbour_lists import adjacency_of, more_room, start_lists
from netchoice._kernels.random_stream import SEED, start, uniform
from netchoice.graph import Graph
from netchoice.models.mechanism import graph_of, seed_from
from netchoice.models.model import Model, Parameter, growth_limit, next_total
from netchoice.models.priors import loguniform

#: Growth takes this number of lifetimes of a node.
N_LIFETIMES = 5.0
#: To drop isolated nodes, growth goes on for at most so many steps for each node.
_MORE_STEPS, _MAX_TRIES = 10, 1000

#: A node: the place of its first link, and its number of links.
_NODE = np.dtype([("first", "u4"), ("degree", "u4")])
#: A link, as one end sees it: the other end, and the place of the same link in the list of that end.
_LINK = np.dtype([("node", "u4"), ("back", "u4")])


@helper
def _introduce(nodes, links, room, step, n_steps, n_linked, n_wanted, p_leave, a, b, c, d):
    """Run steps until the last one, until so many nodes have links, or until a list is nearly full.

    A step adds at most two links to a list, and all lists have room for them.

    Returns ``step, n_linked, u, v, a, b, c, d``: the next step, the number of nodes with links, two nodes
    such that all new links of the last step are theirs, and the stream.
    """
    n_nodes, crowded, met, new = len(nodes), False, 0, 0
    while step < n_steps and n_linked != n_wanted and not crowded:
        step += 1
        draw, a, b, c, d = uniform(a, b, c, d)
        u = int(draw * n_nodes)
        draw, a, b, c, d = uniform(a, b, c, d)
        other, a, b, c, d = uniform(a, b, c, d)
        if nodes[u].degree >= 2:
            i, j = int(draw * nodes[u].degree), int(other * (nodes[u].degree - 1))
            j += j >= i
            first = np.int64(nodes[u].first)
            u, v = np.int64(links[first + i].node), np.int64(links[first + j].node)
        else:
            v = int(draw * (n_nodes - 1))
            v += v >= u
        # Link u and v; search in the shorter list whether they are linked.
        if nodes[u].degree > nodes[v].degree:
            u, v = v, u
        met = u
        place = np.int64(nodes[u].first)
        to_v, to_u = place + nodes[u].degree, nodes[v].first + nodes[v].degree
        while place < to_v and links[place].node != v:
            place += 1
        if place == to_v:
            links[to_v].node, links[to_v].back = v, to_u
            links[to_u].node, links[to_u].back = u, to_v
            nodes[u].degree += 1
            nodes[v].degree += 1
            n_linked += (nodes[u].degree == 1) + (nodes[v].degree == 1)
            crowded = nodes[u].degree + 2 > room[u] or nodes[v].degree + 2 > room[v]
        draw, a, b, c, d = uniform(a, b, c, d)
        if draw < p_leave:
            # Replace a node by a new one.
            draw, a, b, c, d = uniform(a, b, c, d)
            new = int(draw * n_nodes)
            n_linked += nodes[new].degree == 0
            for place in range(nodes[new].first, nodes[new].first + nodes[new].degree):
                v, gap = links[place].node, links[place].back
                nodes[v].degree -= 1
                n_linked -= nodes[v].degree == 0
                moved = links[nodes[v].first + nodes[v].degree]
                links[gap].node, links[gap].back = moved.node, moved.back
                links[moved.back].back = gap
            draw, a, b, c, d = uniform(a, b, c, d)
            v = int(draw * (n_nodes - 1))
            v += v >= new
            to_v, to_u = nodes[new].first, nodes[v].first + nodes[v].degree
            links[to_v].node, links[to_v].back = v, to_u
            links[to_u].node, links[to_u].back = new, to_v
            nodes[new].degree = 1
            nodes[v].degree += 1
            n_linked += nodes[v].degree == 1
            crowded = crowded or nodes[v].degree + 2 > room[v]
    return step, n_linked, met, new, a, b, c, d


@kernel(INT, INT, FLOAT, INT, SEED)
def introduce(n_nodes, n_steps, p_leave, n_linked, seed):
    """Run the steps of :func:`grow_davidsen`, beginning without links.

    With ``n_linked`` above 0, go on until so many nodes have links, for at most ten steps for each node.
    """
    nodes = np.zeros(n_nodes, _NODE)
    room, used = start_lists(nodes)
    links = np.empty(2 * used, _LINK)
    a, b, c, d = start(seed)
    step, n_found, n_wanted, end = 0, 0, -1, n_steps
    last = end + _MORE_STEPS * n_nodes if n_linked > 0 else end
    while step < last and n_found != n_wanted:
        step, n_found, u, v, a, b, c, d = _introduce(
            nodes, links, room, step, end, n_found, n_wanted, p_leave, a, b, c, d
        )
        links, used = more_room(nodes, links, room, used, u)
        links, used = more_room(nodes, links, room, used, v)
        if step == end:
            end, n_wanted = last, n_linked
    indptr, indices = adjacency_of(nodes, links)
    return DONE, n_nodes, indptr, indices


def grow_davidsen(
    n_nodes: int, rng: np.random.Generator, lifetime: float, isolated: str = "keep"
) -> Graph:
    """Let random nodes introduce two of their neighbours to each other, and random nodes leave.

    In each step, a random node introduces two random neighbours to each other, which are then linked.
    A node with fewer than two neighbours links itself to a random node instead. Then, with probability
    1 / lifetime, a random node loses all its links and is linked to one random node, as a new node. The
    number of nodes is fixed. There are 5 · n · lifetime steps, so that each node is replaced 5 times on
    average. After 10 times, edges and clustering are the same. To drop isolated nodes, steps go on until n
    of slightly more nodes have links.

    Priors: lifetime is log-uniform on [1, 20], which gives 0.9 to 6 edges per node in networks of 1000
    nodes. It is a time scale, so equal ratios have equal prior probabilities.
    """
    total, n_wanted = n_nodes, 0 if isolated == "keep" else n_nodes
    for _ in range(_MAX_TRIES):
        n_steps = math.ceil(N_LIFETIMES * total * lifetime)
        graph = graph_of(introduce(total, n_steps, 1.0 / lifetime, n_wanted, seed_from(rng)))
        if isolated == "keep":
            return graph
        graph = graph.without_isolated()
        if graph.n_nodes == n_nodes:
            return graph
        total = next_total(total, n_nodes, graph.n_nodes)
    raise growth_limit("davidsen", n_nodes, total)


DAVIDSEN = Model(
    "davidsen",
    grow_davidsen,
    {
        "lifetime": Parameter(
            loguniform(1, 20),
            1.0,
            1e4,
            "number of introductions for each node that leaves",
            adapts=True,
        )
    },
    description="introductions: nodes introduce their neighbours to each other, and leave",
    reference="Davidsen, Ebel & Bornholdt, Phys. Rev. Lett. 88:128701 (2002), "
    "doi:10.1103/PhysRevLett.88.128701",
    min_nodes=2,
    family="closure",
)
