"""Small world: a ring lattice with rewired edges."""

from __future__ import annotations

import math

import numpy as np

from netchoice._kernels.compiler import FLOAT, INT, kernel
from netchoice._kernels.csr import adjacency
from netchoice._kernels.growth_loop import DONE
from netchoice._kernels.linked_pairs import add, new_set, pair_key, remove, slot_of
from netchoice._kernels.random_stream import SEED, start, uniform
from netchoice.graph import Graph
from netchoice.models.mechanism import graph_of, seed_from
from netchoice.models.model import Model
from netchoice.models.shared_parameters import MEAN_LINKS, probability, too_dense


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
