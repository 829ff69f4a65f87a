"""Models of growth by preferential attachment."""

from __future__ import annotations

import numpy as np

from netchoice.graph import Graph
from netchoice.models.growth_kernels import GrowthByNode, graph_of, seed_from
from netchoice.models.model import Model, Parameter
from netchoice.models.priors import constant, uniform

ATTRACTIVENESS = Parameter(
    uniform(0.2, 5),
    0.01,
    1000.0,
    "added to every degree, so that nodes without links can be chosen",
)
MEAN_LINKS = Parameter(
    uniform(0.5, 4), 0.001, 100.0, "mean number of links per new node", adapts=True
)


def grow_ba(n_nodes: int, rng: np.random.Generator, m: int) -> Graph:
    """Link each new node to m distinct nodes chosen proportionally to degree."""
    from netchoice._kernels import attachment_growth as kernels

    return graph_of(kernels.grow_ba(n_nodes, int(m), seed_from(rng)))


def _ba(m: int) -> Model:
    return Model(
        f"ba{m}",
        grow_ba,
        {"m": Parameter(constant(m), m, m, "number of links of each new node")},
        description=f"preferential attachment, {m} link{'s' if m > 1 else ''} per new node",
        reference="Barabási & Albert, Science 286:509 (1999), doi:10.1126/science.286.5439.509",
        min_nodes=m + 1,
    )


BA = [_ba(m) for m in (1, 2, 3, 4)]
LPA = Model(
    "lpa",
    GrowthByNode("lpa", "attachment_growth", ("mean_links", "attractiveness")),
    {"mean_links": MEAN_LINKS, "attractiveness": ATTRACTIVENESS},
    description="linear preferential attachment with initial attractiveness",
    reference="Dorogovtsev, Mendes & Samukhin, Phys. Rev. Lett. 85:4633 (2000), "
    "doi:10.1103/PhysRevLett.85.4633",
    min_nodes=2,
)
AGV = Model(
    "agv",
    GrowthByNode("agv", "attachment_growth", ("mean_links", "attractiveness")),
    {"mean_links": MEAN_LINKS, "attractiveness": ATTRACTIVENESS},
    description="aging vertices: new nodes link to active nodes, which retire over time",
    reference="Klemm & Eguíluz, Phys. Rev. E 65:036123 (2002), doi:10.1103/PhysRevE.65.036123",
    min_nodes=2,
)
