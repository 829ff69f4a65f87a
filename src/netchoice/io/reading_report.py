"""The report of what a file contained, and the cleaning of its rows."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from netchoice.edge_pairs import EdgePairs, number_nodes
from netchoice.graph import Graph


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

    def as_dict(self) -> dict[str, Any]:
        """Return all counts as a dictionary for JSON."""
        return asdict(self)

    def lines(self) -> list[str]:
        """Return the report as text, one remark per line."""
        remarks = [
            f"read {self.path} ({self.format}): {self.rows} rows",
            f"{self.n_nodes} nodes, {self.n_edges} edges kept",
        ]
        if self.self_loops:
            remarks.append(f"{self.self_loops} self loops dropped")
        if self.names_only_in_self_loops:
            remarks.append(
                f"{self.names_only_in_self_loops} names that occur only in self loops dropped"
            )
        if self.repeated_edges:
            remarks.append(f"{self.repeated_edges} repeated edges merged")
        if self.direction_ignored:
            remarks.append("direction of edges ignored")
        if self.weights_ignored:
            remarks.append("weights and other columns ignored")
        if self.declares_nodes:
            remarks.append(f"{self.isolated_nodes} isolated nodes, as declared")
        else:
            remarks.append("the format cannot declare isolated nodes, so there are none")
        return remarks


@dataclass
class Rows:
    """The result of a parser: the names of the two ends of each row."""

    ends: Any  # source, target, source, …: a sequence of names, or an array of node ids
    declared: Iterable[Hashable] | None = None  # all nodes, if the format declares them
    directed: bool = False
    weighted: bool = False
    node_ids: int | None = None  # if the names are ids: the number of nodes


def clean(rows: Rows, path: str, format: str) -> tuple[Graph, ReadingReport]:
    """Number the nodes by first appearance; drop and count self loops and repeated edges."""
    if rows.node_ids is not None:
        edges = EdgePairs(np.asarray(rows.ends, np.int64).reshape(-1, 2), rows.node_ids)
    else:
        edges = number_nodes(rows.ends, len(rows.ends), rows.declared or ())
    graph = Graph.from_pairs(edges)
    loops, repeats = graph.self_loops_dropped, graph.repeats_dropped
    only_loops = 0
    if rows.declared is None and rows.node_ids is None:
        only_loops = graph.n_isolated
        graph = graph.without_isolated()
    return graph, ReadingReport(
        path=path,
        format=format,
        rows=len(edges.pairs),
        self_loops=loops,
        repeated_edges=repeats,
        names_only_in_self_loops=only_loops,
        isolated_nodes=graph.n_isolated,
        declares_nodes=rows.declared is not None or rows.node_ids is not None,
        direction_ignored=rows.directed,
        weights_ignored=rows.weighted,
        n_nodes=graph.n_nodes,
        n_edges=graph.n_edges,
    )
