"""From the kernels' arrays to graphs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from netchoice.graph import Graph
from netchoice.models.model import MAX_GROWTH, edge_limit, growth_limit

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


#: Growth that passes the wanted number of non-isolated nodes starts again, at most so often.
_MAX_STARTS = 1000


def seed_from(rng: np.random.Generator) -> NDArray[np.uint64]:
    """The start of a kernel's stream of random numbers, drawn from a NumPy generator."""
    return rng.random(3).view("u8")


def graph_of(grown: Any) -> Graph:
    """The graph that a growth kernel returned."""
    _, _, indptr, indices = grown
    return Graph._trusted(indptr, indices)


def grow_by_node(
    name: str,
    kernel: Any,
    n_nodes: int,
    rng: np.random.Generator,
    isolated: str,
    max_edges: int | None,
    *values: float,
) -> Graph:
    """Run a kernel that grows node by node, and stops by itself when there are enough."""
    drop = isolated == "drop"
    max_nodes = MAX_GROWTH * n_nodes + 1000 if drop else n_nodes
    edges_allowed = 2**31 - 1 if max_edges is None else max_edges
    for _ in range(_MAX_STARTS):
        grown = kernel(n_nodes, max_nodes, edges_allowed, drop, *map(float, values), seed_from(rng))
        status, total, _, indices = grown
        if status == 2:
            raise edge_limit(name, len(indices) // 2, edges_allowed)
        if status == 0:
            graph = graph_of(grown)
            return graph.without_isolated() if drop else graph
        if status == 1:
            break
    raise growth_limit(name, n_nodes, total)
