"""Models of growth by gene duplication."""

from __future__ import annotations

from netchoice.models.growth_kernels import GrowthByNode
from netchoice.models.model import Model, Parameter
from netchoice.models.priors import uniform


def _probability(meaning: str) -> Parameter:
    return Parameter(uniform(0.25, 0.75), 0.0, 1.0, meaning)


DMC = Model(
    "dmc",
    GrowthByNode("dmc", "duplication_growth", ("p_delete", "p_connect")),
    {
        "p_delete": _probability("probability that a copied pair of edges loses one of the two"),
        "p_connect": _probability(
            "probability that the new node is linked to the node it was copied from"
        ),
    },
    description="duplication with mutation and complementation",
    reference="Vázquez et al., ComPlexUs 1:38 (2003), doi:10.1159/000067642",
    min_nodes=2,
)
DMR = Model(
    "dmr",
    GrowthByNode("dmr", "duplication_growth", ("p_delete", "p_new")),
    {
        "p_delete": _probability("probability that the new node loses a copied edge"),
        "p_new": _probability("expected number of links of the new node to random earlier nodes"),
    },
    description="duplication with random mutation",
    reference="Solé et al., Adv. Complex Syst. 5:43 (2002), doi:10.1142/S021952590200047X",
    min_nodes=2,
)
