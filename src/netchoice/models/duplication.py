"""Growth by gene duplication."""

from __future__ import annotations

from typing import TYPE_CHECKING

from netchoice.models.compiled import grow_by_node
from netchoice.models.model import Model, Parameter
from netchoice.models.priors import uniform

if TYPE_CHECKING:
    import numpy as np

    from netchoice.graph import Graph


def grow_dmc(
    n_nodes: int,
    rng: np.random.Generator,
    p_delete: float,
    p_connect: float,
    *,
    isolated: str = "keep",
    max_edges: int | None = None,
) -> Graph:
    """Copy a node; of each pair of copied edges lose at most one; perhaps link the copies."""
    from netchoice._kernels import duplication as kernels

    return grow_by_node(
        "dmc", kernels.grow_dmc, n_nodes, rng, isolated, max_edges, p_delete, p_connect
    )


def grow_dmr(
    n_nodes: int,
    rng: np.random.Generator,
    p_delete: float,
    p_new: float,
    *,
    isolated: str = "keep",
    max_edges: int | None = None,
) -> Graph:
    """Copy a node; lose some of the copy's edges; link the copy to random earlier nodes."""
    from netchoice._kernels import duplication as kernels

    return grow_by_node("dmr", kernels.grow_dmr, n_nodes, rng, isolated, max_edges, p_delete, p_new)


def _probability(meaning: str) -> Parameter:
    return Parameter(uniform(0.25, 0.75), 0.0, 1.0, meaning)


DMC = Model(
    "dmc",
    grow_dmc,
    {
        "p_delete": _probability("a copied pair of edges loses one of the two"),
        "p_connect": _probability("the new node is linked to the one it was copied from"),
    },
    description="duplication with mutation and complementation",
    reference="Vázquez et al., ComPlexUs 1:38 (2003), doi:10.1159/000067642",
    min_nodes=2,
)
DMR = Model(
    "dmr",
    grow_dmr,
    {
        "p_delete": _probability("the new node loses a copied edge"),
        "p_new": _probability("expected links of the new node to random earlier nodes"),
    },
    description="duplication with random mutation",
    reference="Solé et al., Adv. Complex Syst. 5:43 (2002), doi:10.1142/S021952590200047X",
    min_nodes=2,
)
