"""Parameters that several mechanisms share."""

from __future__ import annotations

from netchoice.errors import TooDenseError
from netchoice.models.model import Parameter
from netchoice.models.priors import uniform

ATTRACTIVENESS = Parameter(
    uniform(0.2, 5),
    0.01,
    1000.0,
    "added to every degree, so that nodes without links can be chosen",
)
MEAN_LINKS = Parameter(
    uniform(0.5, 4), 0.001, 100.0, "mean number of links per new node", adapts=True
)
P_KEEP = Parameter(
    uniform(0.1, 0.7), 0.001, 1.0, "probability that the new node keeps a copied link", adapts=True
)


def probability(meaning: str, low: float = 0.25, high: float = 0.75) -> Parameter:
    """Return the parameter for a probability; its prior is uniform between two bounds."""
    return Parameter(uniform(low, high), 0.0, 1.0, meaning)


def too_dense(
    name: str, mean_links: float, n_nodes: int, most: float, about: str = ""
) -> TooDenseError:
    """Return the error for more links than the nodes have room for."""
    return TooDenseError(
        f"{name}: mean_links={mean_links:g} is too dense for {n_nodes} nodes; expected at most "
        f"{about}{most:g}"
    )
