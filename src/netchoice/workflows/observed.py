"""The observed network as it is compared with simulations."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from netchoice.errors import UsageError
from netchoice.features import compute_features
from netchoice.graph import Graph
from netchoice.validation import check_choice
from netchoice.workflows.table_maker import TableMaker

#: A smaller network shows no trace of the mechanism that made it.
MIN_NODES = 8


def comparable_network(graph: Any, isolated: str | None) -> tuple[Graph, str]:
    """Return the network to compare, and whether simulations keep or drop their isolated nodes.

    Parameters
    ----------
    graph : Graph, or anything that :meth:`Graph.of` accepts
    isolated : "keep", "drop" or None
        None: drop them if the network has none.
    """
    network = Graph.of(graph)
    if isolated is None:
        isolated = "keep" if network.n_isolated else "drop"
    check_choice("isolated", isolated, ("keep", "drop"))
    if not network.n_edges:
        raise UsageError(
            f"the network has {network.n_nodes} nodes and no edges; there is nothing to compare"
        )
    if isolated == "drop":
        network = network.without_isolated()
    if network.n_nodes < MIN_NODES:
        kind = "nodes with edges" if isolated == "drop" else "nodes"
        raise UsageError(
            f"the network has {network.n_nodes} {kind}; expected at least {MIN_NODES}: a smaller "
            "network shows no trace of the mechanism that made it"
        )
    return network, isolated


@dataclass
class ObservedFeatures:
    """Features of the observed network; each is computed once."""

    network: Graph
    maker: TableMaker
    values: dict[str, float] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)

    def compute(self, names: Iterable[str]) -> None:
        """Compute the features that were not computed before."""
        new = [n for n in dict.fromkeys(names) if n not in self.values and n not in self.failures]
        if not new:
            return
        result = compute_features(self.network, self.maker.as_given(new))
        self.failures |= result.failures
        self.values |= {n: float(result.values[n]) for n in new if n not in result.failures}

    def require(self, names: Iterable[str]) -> None:
        """Refuse features that have no value on the network."""
        for name in names:
            if name in self.failures:
                raise UsageError(
                    f"feature {name!r} has no value on this network ({self.failures[name]}); leave it "
                    "out of the features"
                )
