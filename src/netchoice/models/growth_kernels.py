"""Functions of models that call compiled growth kernels."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netchoice.graph import Graph
from netchoice.models.model import MAX_GROWTH, edge_limit, growth_limit

#: Growth that passes the wanted number of non-isolated nodes starts over, at most this many times.
_MAX_STARTS = 1000


def seed_from(rng: np.random.Generator) -> NDArray[np.uint64]:
    """Draw the seed of a kernel's random stream from a NumPy generator."""
    return rng.random(3).view("u8")


def graph_of(grown: Any) -> Graph:
    """Return the graph that a growth kernel returned as arrays."""
    _, _, indptr, indices = grown
    return Graph._trusted(indptr, indices)


@dataclass(frozen=True)
class GrowthByNode:
    """The function of a model whose kernel, ``grow_<name>`` of a module, adds nodes one by one."""

    name: str
    module: str
    parameters: tuple[str, ...]

    def __call__(
        self,
        n_nodes: int,
        rng: np.random.Generator,
        *,
        isolated: str = "keep",
        max_edges: int | None = None,
        **values: float,
    ) -> Graph:
        """Grow one network."""
        kernel = getattr(import_module(f"netchoice._kernels.{self.module}"), f"grow_{self.name}")
        drop = isolated == "drop"
        max_nodes = MAX_GROWTH * n_nodes + 1000 if drop else n_nodes
        edges_allowed = 2**31 - 1 if max_edges is None else max_edges
        ordered = [float(values[name]) for name in self.parameters]
        for _ in range(_MAX_STARTS):
            grown = kernel(n_nodes, max_nodes, edges_allowed, drop, *ordered, seed_from(rng))
            status, total, _, indices = grown
            if status == 2:
                raise edge_limit(self.name, len(indices) // 2, edges_allowed)
            if status == 0:
                graph = graph_of(grown)
                return graph.without_isolated() if drop else graph
            if status == 1:
                break
        raise growth_limit(self.name, n_nodes, total)
