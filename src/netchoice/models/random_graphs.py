"""Models of random graphs without preferential attachment: static, growing, small world."""

from __future__ import annotations

import math

import numpy as np

from netchoice.errors import UsageError
from netchoice.graph import Graph
from netchoice.models.growth_kernels import GrowthByNode, graph_of, seed_from
from netchoice.models.model import Model, Parameter
from netchoice.models.preferential import MEAN_LINKS
from netchoice.models.priors import uniform


def grow_rds(n_nodes: int, rng: np.random.Generator, mean_links: float) -> Graph:
    """Place round(mean_links · n) edges; all sets of pairs are equally likely."""
    from netchoice._kernels import random_graph_growth as kernels

    n_edges, n_pairs = round(mean_links * n_nodes), n_nodes * (n_nodes - 1) // 2
    if n_edges > n_pairs:
        raise _too_dense("rds", mean_links, n_nodes, n_pairs / n_nodes)
    return graph_of(kernels.grow_rds(n_nodes, n_edges, seed_from(rng)))


def grow_smw(n_nodes: int, rng: np.random.Generator, mean_links: float, p_rewire: float) -> Graph:
    """Link each node to its next neighbours on a ring; rewire each edge with probability p_rewire."""
    from netchoice._kernels import random_graph_growth as kernels

    if n_nodes <= 2 * math.ceil(mean_links):
        raise _too_dense("smw", mean_links, n_nodes, (n_nodes - 1) // 2)
    return graph_of(kernels.grow_smw(n_nodes, float(mean_links), float(p_rewire), seed_from(rng)))


def _too_dense(name: str, mean_links: float, n_nodes: int, most: float) -> UsageError:
    return UsageError(
        f"{name}: mean_links={mean_links:g} is too dense for {n_nodes} nodes; expected at most {most:g}"
    )


RDS = Model(
    "rds",
    grow_rds,
    {"mean_links": MEAN_LINKS},
    description="random static network",
    reference="Erdős & Rényi, Publ. Math. Debrecen 6:290 (1959)",
    min_nodes=2,
)
RDG = Model(
    "rdg",
    GrowthByNode("rdg", "random_graph_growth", ("mean_links",)),
    {"mean_links": MEAN_LINKS},
    description="random growing network",
    reference="Callaway et al., Phys. Rev. E 64:041902 (2001), doi:10.1103/PhysRevE.64.041902",
    min_nodes=2,
)
SMW = Model(
    "smw",
    grow_smw,
    {
        "mean_links": MEAN_LINKS,
        "p_rewire": Parameter(
            uniform(0, 1), 0.0, 1.0, "probability that an edge of the ring moves one end"
        ),
    },
    description="small world: a ring lattice with rewired edges",
    reference="Watts & Strogatz, Nature 393:440 (1998), doi:10.1038/30918",
    min_nodes=3,
)
