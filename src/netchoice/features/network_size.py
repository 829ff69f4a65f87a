"""The number of nodes as a feature, for simulations of networks with different sizes."""

from __future__ import annotations

from netchoice.features.registry import feature
from netchoice.graph import Graph

#: How worker processes import the feature.
SIZE_FEATURE = "netchoice.features.network_size:n_nodes"


def _n_nodes(graph: Graph) -> float:
    """Number of nodes."""
    return float(graph.n_nodes)


n_nodes = feature(_n_nodes, name="n_nodes", discrete=True)
