"""The simple network of some edges, and the report of what was dropped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from netchoice.edge_pairs import EdgePairs
from netchoice.graph import Graph
from netchoice.units import count


@dataclass(frozen=True)
class ReadingReport:
    """The contents of a network file, and what was dropped to get a simple undirected network."""

    path: str
    format: str
    rows: int
    self_loops: int
    repeated_edges: int
    names_only_in_self_loops: int
    isolated_nodes: int
    declares_nodes: bool
    direction_ignored: bool
    weights_ignored: bool
    n_nodes: int
    n_edges: int
    reason: str = ""  # why the file has this format
    encoding: str = "utf-8"
    bipartite: Sequence[int] | None = None  # the number of nodes of each kind
    ignored: Sequence[str] = ()
    findings: Sequence[str] = ()
    warnings: Sequence[str] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return all counts as a dictionary for JSON."""
        return asdict(self)

    def lines(self) -> list[str]:
        """Return the report as text, one remark per line."""
        only_loops, loops = self.names_only_in_self_loops, count(self.self_loops, "self loop")
        kinds = " + ".join(map(str, self.bipartite or ()))
        names, repeats = count(only_loops, "name"), count(self.repeated_edges, "repeated edge")
        ignored = ", ".join(self.ignored)[:80]
        optional = (
            (self.reason, f"format: {self.format}; reason: {self.reason}"),
            (self.encoding != "utf-8", f"encoding: {self.encoding}, because it is not UTF-8"),
            *((True, finding) for finding in self.findings),
            (self.self_loops, f"{loops} dropped"),
            (only_loops, f"{names} that occur{'s' * (only_loops == 1)} only in self loops dropped"),
            (self.repeated_edges, f"{repeats} merged, in either direction"),
            (
                self.direction_ignored,
                "directed edges are not supported; every edge is read as undirected",
            ),
            (self.weights_ignored, f"weights are not supported; ignored: {ignored or 'weights'}"),
            (
                self.bipartite,
                f"bipartite networks are not supported; all {kinds} nodes are treated alike",
            ),
            (self.declares_nodes, f"{count(self.isolated_nodes, 'isolated node')}, as declared"),
            *((True, f"warning: {warning}") for warning in self.warnings),
        )
        remarks = [
            f"read {self.path} ({self.format}): {count(self.rows, 'row')}",
            f"{count(self.n_nodes, 'node')}, {count(self.n_edges, 'edge')} kept",
            *(text for is_true, text in optional if is_true),
        ]
        if not self.declares_nodes:
            remarks.append("the format cannot declare isolated nodes, so there are none")
        return remarks


def clean(
    edges: EdgePairs, path: str, format: str, reason: str = "", encoding: str = "utf-8"
) -> tuple[Graph, ReadingReport]:
    """Return the simple network of some edges, and a report of what was dropped."""
    graph = Graph.from_pairs(edges)
    kept = graph if edges.declares_nodes else graph.without_isolated()
    return kept, ReadingReport(
        path=path,
        format=format,
        rows=len(edges.pairs),
        self_loops=graph.self_loops_dropped,
        repeated_edges=graph.repeats_dropped,
        names_only_in_self_loops=graph.n_nodes - kept.n_nodes,
        isolated_nodes=kept.n_isolated,
        declares_nodes=edges.declares_nodes,
        direction_ignored=edges.directed,
        weights_ignored=edges.weighted,
        n_nodes=kept.n_nodes,
        n_edges=kept.n_edges,
        reason=reason,
        encoding=encoding,
        bipartite=edges.kinds,
        ignored=edges.ignored,
        findings=edges.findings,
        warnings=edges.warnings,
    )
