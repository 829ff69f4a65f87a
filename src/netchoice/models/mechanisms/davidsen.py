"""Introductions: nodes introduce their neighbours to each other, and leave."""

from __future__ import annotations

import math

import numpy as np

from netchoice._kernels.compiler import FLOAT, INT, helper, kernel
from netchoice._kernels.growth_loop import DONE
from netchoice._kernels.neighbour_lists import adjacency_of, place_of, wider
from netchoice._kernels.random_stream import SEED, start, uniform
from netchoice.graph import Graph
from netchoice.models.mechanism import graph_of, seed_from
from netchoice.models.model import Model, Parameter
from netchoice.models.priors import loguniform

#: Growth takes this number of lifetimes of a node.
N_LIFETIMES = 5.0


@helper
def _introduce(neighbours, degree, step, n_steps, p_leave, a, b, c, d):
    """Run steps until the last one, or until a list is nearly full; return the next step.

    A step adds at most two entries to a list.
    """
    n_nodes, full = len(degree), neighbours.shape[1] - 1
    while step < n_steps:
        step += 1
        draw, a, b, c, d = uniform(a, b, c, d)
        u = int(draw * n_nodes)
        draw, a, b, c, d = uniform(a, b, c, d)
        other, a, b, c, d = uniform(a, b, c, d)
        if degree[u] >= 2:
            i, j = int(draw * degree[u]), int(other * (degree[u] - 1))
            u, v = neighbours[u, i], neighbours[u, j + (j >= i)]
        else:
            v = int(draw * (n_nodes - 1))
            v += v >= u
        if degree[u] > degree[v]:
            u, v = v, u
        if place_of(neighbours, degree, u, v) < 0:
            neighbours[u, degree[u]], neighbours[v, degree[v]] = v, u
            degree[u] += 1
            degree[v] += 1
        crowded = degree[u] >= full or degree[v] >= full
        draw, a, b, c, d = uniform(a, b, c, d)
        if draw < p_leave:
            draw, a, b, c, d = uniform(a, b, c, d)
            u = int(draw * n_nodes)
            for place in range(degree[u]):
                v = neighbours[u, place]
                degree[v] -= 1
                neighbours[v, place_of(neighbours, degree, v, u)] = neighbours[v, degree[v]]
            draw, a, b, c, d = uniform(a, b, c, d)
            v = int(draw * (n_nodes - 1))
            v += v >= u
            neighbours[u, 0], neighbours[v, degree[v]] = v, u
            degree[u] = 1
            degree[v] += 1
            crowded = crowded or degree[v] >= full
        if crowded:
            break
    return step, a, b, c, d


@kernel(INT, INT, FLOAT, SEED)
def introduce(n_nodes, n_steps, p_leave, seed):
    """Run the steps of :func:`grow_davidsen`, beginning without links."""
    neighbours, degree = np.empty((n_nodes, 16), np.int32), np.zeros(n_nodes, np.int32)
    a, b, c, d = start(seed)
    step = 0
    while step < n_steps:
        step, a, b, c, d = _introduce(neighbours, degree, step, n_steps, p_leave, a, b, c, d)
        if degree.max() >= neighbours.shape[1] - 1:
            neighbours = wider(neighbours, n_nodes)
    indptr, indices = adjacency_of(neighbours, degree)
    return DONE, n_nodes, indptr, indices


def grow_davidsen(n_nodes: int, rng: np.random.Generator, lifetime: float) -> Graph:
    """Let random nodes introduce two of their neighbours to each other, and random nodes leave.

    In each step, a random node introduces two random neighbours to each other, which are then linked.
    A node with fewer than two neighbours links itself to a random node instead. Then, with probability
    1 / lifetime, a random node loses all its links and is linked to one random node, as a new node. The
    number of nodes is fixed. There are 5 · n · lifetime steps, so that each node is replaced 5 times on
    average. After 10 times, edges and clustering are the same.

    Priors: lifetime is log-uniform on [1, 20], which gives 0.9 to 6 edges per node in networks of 1000
    nodes. It is a time scale, so equal ratios have equal prior probabilities.
    """
    n_steps = math.ceil(N_LIFETIMES * n_nodes * lifetime)
    return graph_of(introduce(n_nodes, n_steps, 1.0 / lifetime, seed_from(rng)))


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
