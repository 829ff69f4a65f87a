"""Space: nodes have places, and near ones are linked."""

from __future__ import annotations

import math

import numpy as np

from netchoice._kernels.compiler import FLOAT, INT, helper, kernel
from netchoice._kernels.csr import adjacency
from netchoice._kernels.growth_loop import DONE
from netchoice._kernels.linked_pairs import add, new_set, pair_key, remove, slot_of
from netchoice._kernels.random_stream import SEED, start, uniform
from netchoice.graph import Graph
from netchoice.models.mechanism import MEAN_LINKS, graph_of, probability, seed_from, too_dense
from netchoice.models.model import Model


@kernel(INT, FLOAT, FLOAT, SEED)
def rewire_ring(n_nodes, mean_links, p_rewire, seed):
    """Rewire a ring lattice (Watts–Strogatz): each edge moves one end with probability p_rewire."""
    n_rings = int(np.ceil(mean_links))
    linked_pairs = new_set(2 * n_nodes * n_rings)  # room for each edge before and after its move
    ends = np.empty(2 * n_nodes * n_rings, np.int32)
    degree = np.zeros(n_nodes, np.int64)
    a, b, c, d = start(seed)
    n_edges = 0
    for ring in range(1, n_rings + 1):
        p_edge = mean_links - (ring - 1)  # below 1 on the outermost ring only
        for u in range(n_nodes):
            draw, a, b, c, d = uniform(a, b, c, d)
            if draw < p_edge:
                v = (u + ring) % n_nodes
                add(linked_pairs, pair_key(u, v))
                ends[2 * n_edges] = u
                ends[2 * n_edges + 1] = v
                degree[u] += 1
                degree[v] += 1
                n_edges += 1
    for e in range(n_edges):
        u, v = ends[2 * e], ends[2 * e + 1]
        draw, a, b, c, d = uniform(a, b, c, d)
        if draw >= p_rewire or degree[u] >= n_nodes - 1:
            continue
        w = u
        while w == u or linked_pairs[slot_of(linked_pairs, pair_key(u, w))] >= 0:
            draw, a, b, c, d = uniform(a, b, c, d)
            w = int(draw * n_nodes)
        remove(linked_pairs, pair_key(u, v))
        add(linked_pairs, pair_key(u, w))
        degree[v] -= 1
        degree[w] += 1
        ends[2 * e + 1] = w
    indptr, indices = adjacency(ends, n_edges, n_nodes)
    return DONE, n_nodes, indptr, indices


def grow_smw(n_nodes: int, rng: np.random.Generator, mean_links: float, p_rewire: float) -> Graph:
    """Rewire a ring lattice.

    Each node of a ring links to its next neighbours; then each edge moves one end to a random node with
    probability p_rewire.

    Priors: p_rewire from a lattice (0) to a random graph (1).
    """
    if n_nodes <= 2 * math.ceil(mean_links):
        raise too_dense("smw", mean_links, n_nodes, (n_nodes - 1) // 2)
    return graph_of(rewire_ring(n_nodes, float(mean_links), float(p_rewire), seed_from(rng)))


SMW = Model(
    "smw",
    grow_smw,
    {
        "mean_links": MEAN_LINKS,
        "p_rewire": probability("probability that an edge of the ring moves one end", 0, 1),
    },
    description="small world: a ring lattice with rewired edges",
    reference="Watts & Strogatz, Nature 393:440 (1998), doi:10.1038/30918",
    min_nodes=3,
    family="spatial",
)


@helper
def _places_by_cell(n_nodes, n_cells, seed):
    """Draw places; return their coordinates, sorted by cell, and where each cell begins.

    Nodes are numbered by cell, which changes no property of the network.
    """
    x, y = np.empty(n_nodes), np.empty(n_nodes)
    begin = np.zeros(n_cells * n_cells + 1, np.int64)
    a, b, c, d = start(seed)
    for u in range(n_nodes):
        x[u], a, b, c, d = uniform(a, b, c, d)
        y[u], a, b, c, d = uniform(a, b, c, d)
        begin[int(x[u] * n_cells) * n_cells + int(y[u] * n_cells) + 1] += 1
    for cell in range(n_cells * n_cells):
        begin[cell + 1] += begin[cell]
    sorted_x, sorted_y = np.empty(n_nodes), np.empty(n_nodes)
    fill = begin[:-1].copy()
    for u in range(n_nodes):
        cell = int(x[u] * n_cells) * n_cells + int(y[u] * n_cells)
        sorted_x[fill[cell]], sorted_y[fill[cell]] = x[u], y[u]
        fill[cell] += 1
    return sorted_x, sorted_y, begin


@kernel(INT, FLOAT, SEED)
def link_near_places(n_nodes, radius, seed):
    """Link all pairs of random places in the unit square whose distance is below the radius.

    The square has cells that are at least as wide as the radius, so the neighbours of a place are in
    its own cell and the eight cells around it. Each pair is found from its later node.
    """
    n_cells = max(1, min(int(1.0 / radius), int(np.sqrt(n_nodes))))
    x, y, begin = _places_by_cell(n_nodes, n_cells, seed)
    ends = np.empty(8 * n_nodes, np.int32)
    n_edges = 0
    for u in range(n_nodes):
        if 2 * (n_edges + u) > len(ends):
            longer = np.empty(2 * (len(ends) + 2 * u), np.int32)
            longer[: len(ends)] = ends
            ends = longer
        column, row = int(x[u] * n_cells), int(y[u] * n_cells)
        for across in range(max(column - 1, 0), column + 1):
            low = max(row - 1, 0)
            high = min(row + 1, n_cells - 1)
            last = min(u, begin[across * n_cells + high + 1])
            for v in range(begin[across * n_cells + low], last):
                if (x[u] - x[v]) ** 2 + (y[u] - y[v]) ** 2 < radius * radius:
                    ends[2 * n_edges] = v
                    ends[2 * n_edges + 1] = u
                    n_edges += 1
    indptr, indices = adjacency(ends, n_edges, n_nodes)
    return DONE, n_nodes, indptr, indices


def share_nearer(radius: float) -> float:
    """Return the probability that two random places in the unit square are nearer than the radius."""
    if radius <= 1:
        return math.pi * radius**2 - 8 / 3 * radius**3 + radius**4 / 2
    if radius >= math.sqrt(2):
        return 1.0
    s = math.sqrt(radius**2 - 1)
    around = (math.pi - 2 - 4 * math.atan(s)) * radius**2
    return 1 / 3 + around - radius**4 / 2 + 4 * s + 8 / 3 * s**3


def radius_for(share: float) -> float:
    """Return the radius within which this share of pairs of random places is, by bisection."""
    low, high = 0.0, math.sqrt(2)
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if share_nearer(middle) < share else (low, middle)
    return high


def grow_geometric(n_nodes: int, rng: np.random.Generator, mean_links: float) -> Graph:
    """Link nodes at random places in the unit square that are nearer than a radius.

    The radius is the one with which the expected number of edges is exactly mean_links · n. It takes
    into account that places near the boundary have fewer neighbours. Gilbert describes the infinite
    plane; the square with a boundary is the common finite version.
    """
    share = 2 * mean_links / (n_nodes - 1)
    if share > 1:
        raise too_dense("geometric", mean_links, n_nodes, (n_nodes - 1) / 2)
    return graph_of(link_near_places(n_nodes, radius_for(share), seed_from(rng)))


GEOMETRIC = Model(
    "geometric",
    grow_geometric,
    {"mean_links": MEAN_LINKS},
    description="random geometric network: near places in the unit square are linked",
    reference="Gilbert, J. SIAM 9:533 (1961), doi:10.1137/0109045",
    min_nodes=2,
    family="spatial",
)
