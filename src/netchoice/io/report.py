"""What a reader found in a file, before and after cleaning."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from netchoice.graph import Graph


@dataclass(frozen=True)
class ReadingReport:
    """What was read, and what was dropped on the way to a simple undirected network."""

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
        """For JSON."""
        return asdict(self)

    def lines(self) -> list[str]:
        """The report in words, one remark a line."""
        remarks = [
            f"read {self.path} ({self.format}): {self.rows} rows",
            f"{self.n_nodes} nodes, {self.n_edges} edges kept",
        ]
        if self.self_loops:
            remarks.append(f"{self.self_loops} self loops dropped")
        if self.names_only_in_self_loops:
            remarks.append(f"{self.names_only_in_self_loops} names seen only in self loops dropped")
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
    """What a parser of one format hands over: names of the ends, row by row."""

    ends: Any  # source, target, source, …: a sequence of names, or an array of node ids
    declared: Iterable[Hashable] | None = None  # all nodes, where the format declares them
    directed: bool = False
    weighted: bool = False
    node_ids: int | None = None  # names are the ids 0…node_ids-1 themselves


def clean(rows: Rows, path: str, format: str) -> tuple[Graph, ReadingReport]:
    """Number the nodes by first appearance, drop loops and repeats, and count them."""
    if rows.node_ids is not None:
        ids = np.asarray(rows.ends, np.int64).reshape(-1, 2)
        graph = Graph._from_pairs(ids, rows.node_ids)
    else:
        position: dict[Hashable, int] = {}
        for name in rows.declared or ():
            position.setdefault(name, len(position))
        ids = np.fromiter(
            (position.setdefault(end, len(position)) for end in rows.ends), np.int64, len(rows.ends)
        ).reshape(-1, 2)
        graph = Graph._from_pairs(ids, len(position), list(position))
    loops, repeats = graph.self_loops_dropped, graph.repeats_dropped
    only_loops = 0
    if rows.declared is None and rows.node_ids is None:
        only_loops = graph.n_isolated
        graph = graph.without_isolated()
    return graph, ReadingReport(
        path=path,
        format=format,
        rows=len(ids),
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
