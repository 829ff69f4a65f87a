"""Weighted social network: links through neighbours strengthen the links on the way."""

from __future__ import annotations

import numpy as np

from netchoice._kernels.compiler import FLOAT, INT, helper, kernel
from netchoice._kernels.growth_loop import DONE
from netchoice._kernels.neighbour_lists import adjacency_of, place_of, wider
from netchoice._kernels.random_stream import SEED, start, uniform
from netchoice.graph import Graph
from netchoice.models.mechanism import graph_of, seed_from
from netchoice.models.model import Model, Parameter, growth_limit, next_total
from netchoice.models.priors import loguniform
from netchoice.models.shared_parameters import probability

P_DELETE, P_RANDOM, N_SWEEPS = 0.01, 0.005, 800
_MAX_TRIES = 1000


@helper
def _place_by_weight(weights, strength, degree, u, skipped, at):
    """Return the place at the share ``at`` of the weights of the links of u, without a skipped place."""
    at *= strength[u] - (weights[u, skipped] if skipped >= 0 else 0.0)
    chosen = -1
    for place in range(degree[u]):
        if place != skipped:
            chosen = place
            at -= weights[u, place]
            if at < 0.0:
                break
    return chosen


@helper
def _raise(weights, strength, u, place, v, back, amount):
    """Raise the weight of a link, which is at ``place`` in the list of u and at ``back`` in that of v."""
    weights[u, place] += amount
    weights[v, back] += amount
    strength[u] += amount
    strength[v] += amount


@helper
def _link(neighbours, weights, degree, strength, u, v):
    """Add a link of weight 1."""
    neighbours[u, degree[u]], neighbours[v, degree[v]] = v, u
    weights[u, degree[u]] = weights[v, degree[v]] = 1.0
    degree[u] += 1
    degree[v] += 1
    strength[u] += 1.0
    strength[v] += 1.0


@helper
def _unlink_all(neighbours, weights, degree, strength, u):
    """Remove all links of a node."""
    for place in range(degree[u]):
        v = neighbours[u, place]
        back = place_of(neighbours, degree, v, u)
        degree[v] -= 1
        strength[v] -= weights[v, back]
        neighbours[v, back] = neighbours[v, degree[v]]
        weights[v, back] = weights[v, degree[v]]
    degree[u], strength[u] = 0, 0.0


@helper
def _search_locally(neighbours, weights, degree, strength, u, p_close, amount, a, b, c, d):
    """Go from u to a neighbour v and on to a neighbour w of v, and link or strengthen u and w."""
    draw, a, b, c, d = uniform(a, b, c, d)
    to_v = _place_by_weight(weights, strength, degree, u, -1, draw)
    v = neighbours[u, to_v]
    v_to_u = place_of(neighbours, degree, v, u)
    draw, a, b, c, d = uniform(a, b, c, d)
    to_w = _place_by_weight(weights, strength, degree, v, v_to_u, draw)
    if to_w < 0:
        return a, b, c, d
    w = neighbours[v, to_w]
    _raise(weights, strength, u, to_v, v, v_to_u, amount)
    _raise(weights, strength, v, to_w, w, place_of(neighbours, degree, w, v), amount)
    closing = place_of(neighbours, degree, u, w)
    if closing >= 0:
        _raise(weights, strength, u, closing, w, place_of(neighbours, degree, w, u), amount)
    else:
        draw, a, b, c, d = uniform(a, b, c, d)
        if draw < p_close:
            _link(neighbours, weights, degree, strength, u, w)
    return a, b, c, d


@helper
def _update(neighbours, weights, degree, strength, t, end, p_close, amount, a, b, c, d):
    """Update nodes in turn until the end, or until a list is nearly full; return the next time.

    An update adds at most two entries to a list.
    """
    n_nodes, full = len(degree), neighbours.shape[1] - 1
    while t < end:
        u = t % n_nodes
        t += 1
        crowded = False
        if degree[u] > 0:
            a, b, c, d = _search_locally(
                neighbours, weights, degree, strength, u, p_close, amount, a, b, c, d
            )
            crowded = degree[neighbours[u, degree[u] - 1]] >= full
        draw, a, b, c, d = uniform(a, b, c, d)
        if degree[u] == 0 or draw < P_RANDOM:
            draw, a, b, c, d = uniform(a, b, c, d)
            v = int(draw * (n_nodes - 1))
            v += v >= u
            if place_of(neighbours, degree, u, v) < 0:
                _link(neighbours, weights, degree, strength, u, v)
            crowded = crowded or degree[v] >= full
        crowded = crowded or degree[u] >= full
        draw, a, b, c, d = uniform(a, b, c, d)
        if draw < P_DELETE:
            _unlink_all(neighbours, weights, degree, strength, u)
        if crowded:
            break
    return t, a, b, c, d


@kernel(INT, INT, FLOAT, FLOAT, INT, SEED)
def sweep(n_nodes, n_sweeps, p_close, reinforcement, n_linked, seed):
    """Run the sweeps of :func:`grow_kumpula`, beginning without links.

    With ``n_linked`` above 0, go on until so many nodes have links, for at most ten sweeps.
    """
    neighbours, degree = np.empty((n_nodes, 16), np.int32), np.zeros(n_nodes, np.int32)
    weights, strength = np.empty((n_nodes, 16)), np.zeros(n_nodes)
    a, b, c, d = start(seed)
    t, end, last = 0, n_sweeps * n_nodes, n_sweeps * n_nodes
    if n_linked > 0:
        last += 10 * n_nodes
    while t < last:
        if t >= end:
            if np.sum(degree > 0) == n_linked:
                break
            end = t + 1
        t, a, b, c, d = _update(
            neighbours, weights, degree, strength, t, end, p_close, reinforcement, a, b, c, d
        )
        if degree.max() >= neighbours.shape[1] - 1:
            neighbours, weights = wider(neighbours, n_nodes), wider(weights, n_nodes)
    indptr, indices = adjacency_of(neighbours, degree)
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
    dense networks with reinforcement still have up to 10% fewer edges than after 800 or 1600. To drop
    isolated nodes, updates go on until n of slightly more nodes have links.

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
