"""Random static network."""

from __future__ import annotations

import numpy as np

from netchoice._kernels.compiler import INT, kernel
from netchoice._kernels.csr import adjacency
from netchoice._kernels.growth_loop import DONE
from netchoice._kernels.linked_pairs import add, new_set, pair_key, random_pair
from netchoice._kernels.random_stream import SEED, start
from netchoice.graph import Graph
from netchoice.models.mechanism import graph_of, seed_from
from netchoice.models.model import Model
from netchoice.models.shared_parameters import MEAN_LINKS, too_dense


@kernel(INT, INT, SEED)
def place_edges(n_nodes, n_edges, seed):
    """Grow an Erdős–Rényi graph with ``n_edges`` edges; all sets of pairs are equally likely."""
    linked_pairs = new_set(n_edges)
    ends = np.empty(2 * n_edges, np.int32)
    a, b, c, d = start(seed)
    e = 0
    while e < n_edges:
        u, v, a, b, c, d = random_pair(n_nodes, a, b, c, d)
        if add(linked_pairs, pair_key(u, v)):
            ends[2 * e] = u
            ends[2 * e + 1] = v
            e += 1
    indptr, indices = adjacency(ends, n_edges, n_nodes)
    return DONE, n_nodes, indptr, indices


def grow_rds(n_nodes: int, rng: np.random.Generator, mean_links: float) -> Graph:
    """Place edges at random.

    There are round(mean_links · n) edges, and all sets of pairs are equally likely.
    """
    n_edges, n_pairs = round(mean_links * n_nodes), n_nodes * (n_nodes - 1) // 2
    if n_edges > n_pairs:
        raise too_dense("rds", mean_links, n_nodes, n_pairs / n_nodes)
    return graph_of(place_edges(n_nodes, n_edges, seed_from(rng)))


RDS = Model(
    "rds",
    grow_rds,
    {"mean_links": MEAN_LINKS},
    description="random static network",
    reference="Erdős & Rényi, Publ. Math. Debrecen 6:290 (1959), doi:10.5486/PMD.1959.6.3-4.12",
    min_nodes=2,
    family="static",
)
