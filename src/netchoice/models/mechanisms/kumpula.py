"""Weighted social network: links through neighbours strengthen the links on the way."""

from __future__ import annotations

import numpy as np

from netchoice._kernels.compiler import FLOAT, INT, helper, kernel
from netchoice._kernels.growth_loop import DONE
from netchoice._kernels.neighbour_lists import adjacency_of, more_room, start_lists
from netchoice._kernels.random_stream import SEED, start, uniform
from netchoice.graph import Graph
from netchoice.models.mechanism import graph_of, probability, seed_from
from netchoice.models.model import Model, Parameter, growth_limit, next_total
from netchoice.models.priors import loguniform

P_DELETE, P_RANDOM, N_SWEEPS = 0.01, 0.005, 800
_MAX_TRIES = 1000
#: A node: the place of its first link, its number of links, and the sum of their weights.
_NODE = np.dtype([("first", "u4"), ("degree", "u4"), ("strength", "f8")])
#: A link, as one end sees it: the other end, the place of the same link there, and the weight.
_LINK = np.dtype([("node", "u4"), ("back", "u4"), ("weight", "f8")])


@helper
def _link(nodes, links, u, v):
    """Add a link of weight 1; return how many of the two nodes had no links."""
    to_v, to_u = nodes[u].first + nodes[u].degree, nodes[v].first + nodes[v].degree
    links[to_v].node, links[to_v].back, links[to_v].weight = v, to_u, 1.0
    links[to_u].node, links[to_u].back, links[to_u].weight = u, to_v, 1.0
    nodes[u].degree += 1
    nodes[v].degree += 1
    nodes[u].strength += 1.0
    nodes[v].strength += 1.0
    return (nodes[u].degree == 1) + (nodes[v].degree == 1)


@helper
def _unlink_all(nodes, links, u):
    """Remove all links of a node; return how many nodes lost their last link."""
    n_alone = 1 if nodes[u].degree > 0 else 0
    for to_v in range(nodes[u].first, nodes[u].first + nodes[u].degree):
        v, gap = links[to_v].node, links[to_v].back
        nodes[v].degree -= 1
        nodes[v].strength -= links[gap].weight
        n_alone += nodes[v].degree == 0
        moved = links[nodes[v].first + nodes[v].degree]
        links[gap].node, links[gap].back, links[gap].weight = moved.node, moved.back, moved.weight
        links[moved.back].back = gap
    nodes[u].degree, nodes[u].strength = 0, 0.0
    return n_alone


@helper
def _update(nodes, links, room, t, end, n_linked, n_wanted, p_close, amount, a, b, c, d):
    """Update nodes in turn until the end, until so many nodes have links, or until a list is nearly full.

    An update adds at most two links to a list, and all lists have room for them. The functions that are
    called with arrays take time, but few updates add or remove links.

    Returns ``t, n_linked, a, b, c, d``: the next time, the number of nodes with links, and the stream.
    """
    n_nodes = len(nodes)
    u, crowded = t % n_nodes - 1, False
    while t < end and n_linked != n_wanted and not crowded:
        t += 1
        u = u + 1 if u + 1 < n_nodes else 0
        if nodes[u].degree > 0:
            # Go from u to a neighbour v, chosen by weight.
            first = np.int64(nodes[u].first)
            last = first + nodes[u].degree - 1
            draw, a, b, c, d = uniform(a, b, c, d)
            to_v = first
            at = draw * nodes[u].strength - links[to_v].weight
            while at >= 0.0 and to_v < last:
                to_v += 1
                at -= links[to_v].weight
            v, v_to_u = links[to_v].node, links[to_v].back
            draw, a, b, c, d = uniform(a, b, c, d)
            if nodes[v].degree > 1:
                # Go on to another neighbour w of v, and strengthen both links.
                at = draw * (nodes[v].strength - links[v_to_u].weight)
                to_w = np.int64(nodes[v].first)
                for place in range(to_w, to_w + nodes[v].degree):
                    if place != v_to_u:
                        to_w = place
                        at -= links[place].weight
                        if at < 0.0:
                            break
                w, w_to_v = links[to_w].node, links[to_w].back
                links[to_v].weight += amount
                links[v_to_u].weight += amount
                links[to_w].weight += amount
                links[w_to_v].weight += amount
                nodes[u].strength += amount
                nodes[v].strength = nodes[v].strength + amount + amount
                nodes[w].strength += amount
                # Strengthen the link of u and w, or add one.
                to_w = first
                while to_w <= last and links[to_w].node != w:
                    to_w += 1
                if to_w <= last:
                    links[to_w].weight += amount
                    links[links[to_w].back].weight += amount
                    nodes[u].strength += amount
                    nodes[w].strength += amount
                else:
                    draw, a, b, c, d = uniform(a, b, c, d)
                    if draw < p_close:
                        n_linked += _link(nodes, links, u, w)
                        crowded = nodes[u].degree + 2 > room[u] or nodes[w].degree + 2 > room[w]
        draw, a, b, c, d = uniform(a, b, c, d)
        if nodes[u].degree == 0 or draw < P_RANDOM:
            draw, a, b, c, d = uniform(a, b, c, d)
            v = int(draw * (n_nodes - 1))
            v += v >= u
            to_v = np.int64(nodes[u].first)
            last = to_v + nodes[u].degree - 1
            while to_v <= last and links[to_v].node != v:
                to_v += 1
            if to_v > last:
                n_linked += _link(nodes, links, u, v)
                crowded = crowded or nodes[u].degree + 2 > room[u] or nodes[v].degree + 2 > room[v]
        draw, a, b, c, d = uniform(a, b, c, d)
        if draw < P_DELETE:
            n_linked -= _unlink_all(nodes, links, u)
    return t, n_linked, a, b, c, d


@kernel(INT, INT, FLOAT, FLOAT, INT, SEED)
def sweep(n_nodes, n_sweeps, p_close, reinforcement, n_linked, seed):
    """Run the sweeps of :func:`grow_kumpula`, beginning without links.

    With ``n_linked`` above 0, go on until so many nodes have links, for at most ten sweeps.
    """
    nodes = np.zeros(n_nodes, _NODE)
    room, used = start_lists(nodes)
    links = np.empty(2 * used, _LINK)
    a, b, c, d = start(seed)
    t, n_found, n_wanted, end = 0, 0, -1, n_sweeps * n_nodes
    last = end + 10 * n_nodes if n_linked > 0 else end
    while t < last and n_found != n_wanted:
        t, n_found, a, b, c, d = _update(
            nodes, links, room, t, end, n_found, n_wanted, p_close, reinforcement, a, b, c, d
        )
        links, used = more_room(nodes, links, room, used, (t - 1) % n_nodes)
        if t == end:
            end, n_wanted = last, n_linked
    indptr, indices = adjacency_of(nodes, links)
    return DONE, n_nodes, indptr, indices


def grow_kumpula(
    n_nodes: int,
    rng: np.random.Generator,
    p_close: float,
    reinforcement: float,
    isolated: str = "keep",
) -> Graph:
    """Let nodes search for others through their neighbours; used links become stronger.

    The number of nodes is fixed, and links have weights. In each sweep, every node u is updated in turn.
    It chooses a neighbour v and then another neighbour w of v, both by weight. If there is such a w, the
    weights of u-v and v-w are raised by reinforcement. If u and w are linked, their weight is raised
    too; if not, they are linked with probability p_close. Then u is linked to a random node, with probability
    0.005, or always if it has no links. Last, all its links are removed with probability 0.01. New
    links have weight 1. The paper removes links with probability 0.001 and links random nodes with 0.0005;
    with the same ratio and ten times larger values, the network is stationary after a tenth of the
    sweeps. There are 800 sweeps, in which each node is replaced 8 times on average. After 400 sweeps,
    dense networks with reinforcement still have up to 10% fewer edges than after 800 or 1600. With values of
    p_close beyond its prior, which match dense networks, the number of edges still grows after 800 sweeps.
    To drop isolated nodes, updates go on until n of slightly more nodes have links.

    Priors: p_close is log-uniform on [0.003, 0.1], because the number of edges depends on its order of
    magnitude; networks of 1000 nodes then have 1.1 to 4.4 edges per node. reinforcement is uniform on
    [0, 1], from links that are all equal to a use that counts as much as a new link.
    """
    values = (float(p_close), float(reinforcement))
    if isolated == "keep":
        return graph_of(sweep(n_nodes, N_SWEEPS, *values, 0, seed_from(rng)))
    total = round(n_nodes / (1 - P_DELETE))
    for _ in range(_MAX_TRIES):
        graph = graph_of(sweep(total, N_SWEEPS, *values, n_nodes, seed_from(rng)))
        graph = graph.without_isolated()
        if graph.n_nodes == n_nodes:
            return graph
        total = next_total(total, n_nodes, graph.n_nodes)
    raise growth_limit("kumpula", n_nodes, total)


KUMPULA = Model(
    "kumpula",
    grow_kumpula,
    {
        "p_close": Parameter(
            loguniform(0.003, 0.1),
            1e-4,
            1.0,
            "probability that two nodes that meet through a neighbour are linked",
            adapts=True,
        ),
        "reinforcement": probability("added to the weight of a link each time it is used", 0, 1),
    },
    description="weighted social network: searches through neighbours strengthen links",
    reference="Kumpula et al., Phys. Rev. Lett. 99:228701 (2007), doi:10.1103/PhysRevLett.99.228701",
    min_nodes=2,
    family="closure",
)
