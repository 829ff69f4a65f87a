"""Edges as pairs of node ids, from lists, matrices and the graphs of other libraries."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netchoice.errors import NetworkFormatError

#: Node ids are 32-bit integers, and so are positions in arrays with two entries per edge.
MAX_ENTRIES = np.iinfo(np.int32).max


@dataclass(frozen=True)
class EdgePairs:
    """Edges as pairs of node ids; self loops and repeated edges may occur."""

    pairs: NDArray[Any]  # of shape (m, 2)
    n_nodes: int | None  # None if the largest id decides
    labels: Sequence[Hashable] | None = None
    directed: bool = False
    weighted: bool = False
    declares_nodes: bool = True  # False if only edges name nodes


def number_nodes(
    ends: Iterable[Hashable], declared: Iterable[Hashable] | None = None, **flags: bool
) -> EdgePairs:
    """Number nodes by first appearance: first the declared ones, then the ends of edges."""
    position = {name: i for i, name in enumerate(dict.fromkeys(declared or ()))}
    ids = [position.setdefault(end, len(position)) for end in ends]
    flags["declares_nodes"] = declared is not None
    return EdgePairs(np.array(ids, np.int64).reshape(-1, 2), len(position), list(position), **flags)


def from_object(thing: Any) -> EdgePairs:
    """Return the edges of a graph of another library, a matrix, or a list of pairs."""
    library = type(thing).__module__.partition(".")[0]
    if hasattr(thing, "adj") and hasattr(thing, "nodes"):
        return from_networkx(thing)
    if library == "igraph":
        return _from_igraph(thing)
    if library == "networkit":
        return _from_networkit(thing)
    if hasattr(thing, "tocoo") or isinstance(thing, np.ndarray):
        return from_matrix(thing)
    if isinstance(thing, (list, tuple, set)):
        return from_edge_list(thing)
    raise NetworkFormatError(
        f"cannot convert a {type(thing).__module__}.{type(thing).__qualname__} to a network; "
        "expected a networkx, igraph or networkit graph, a sparse or square array, or a list "
        "of pairs (to read a file, use netchoice.read_network)"
    )


def from_edge_list(edges: Any) -> EdgePairs:
    """Return the edges of a list of pairs, or of an array of shape (m, 2); integers are ids."""
    if isinstance(edges, np.ndarray) and edges.dtype.kind != "O":
        if edges.size and (edges.ndim != 2 or edges.shape[1] != 2):
            raise NetworkFormatError(
                f"an array of shape {edges.shape}; expected (m, 2), one row per edge "
                "(for an adjacency matrix, use Graph.of)"
            )
        if not edges.size:
            return EdgePairs(np.empty((0, 2), np.int32), None)
        if edges.dtype.kind in "iu":
            return EdgePairs(edges, None)
        if edges.dtype.kind == "f":
            raise NetworkFormatError(
                "the edges are an array of floats; convert node ids to integers: edges.astype(int)"
            )
        edges = edges.tolist()
    if not hasattr(edges, "__iter__"):
        raise NetworkFormatError(f"{edges!r} is not a list of edges; expected pairs of nodes")
    ends = _ends(edges)
    if all(isinstance(end, (int, np.integer)) and not isinstance(end, bool) for end in ends):
        try:
            return EdgePairs(np.array(ends, dtype=np.int64).reshape(-1, 2), None)
        except OverflowError:
            message = "a node id does not fit into 64 bits; use labels (str)"
            raise NetworkFormatError(message) from None
    for end in ends:
        if end is None or end != end:
            raise NetworkFormatError(
                f"{end!r} is not a name of a node; drop rows with missing ends"
            )
    return number_nodes(ends)


def _ends(edges: Iterable[Any]) -> list[Hashable]:
    ends: list[Hashable] = []
    for i, edge in enumerate(edges):
        try:
            if isinstance(edge, str):
                raise TypeError
            u, v = edge
            hash(u), hash(v)
        except (TypeError, ValueError):
            message = f"edge number {i + 1} is {edge!r}; expected a pair of nodes"
            raise NetworkFormatError(message) from None
        ends += (u, v)
    return ends


def from_networkx(graph: Any) -> EdgePairs:
    """Return the edges of a networkx graph; nodes 0…n−1 keep their ids, others get numbers."""
    nodes = list(graph)
    plain = all(type(node) is int for node in nodes) and set(nodes) == set(range(len(nodes)))
    position = {node: i for i, node in enumerate(sorted(nodes) if plain else nodes)}
    ends = (position[node] for edge in graph.edges() for node in edge)
    pairs = np.fromiter(ends, dtype=np.int32, count=2 * graph.number_of_edges())
    return EdgePairs(pairs.reshape(-1, 2), len(nodes), None if plain else nodes)


def _from_igraph(graph: Any) -> EdgePairs:
    pairs = np.array(graph.get_edgelist(), dtype=np.int64).reshape(-1, 2)
    names = graph.vs["name"] if "name" in graph.vs.attributes() else None
    if names is not None and len(set(names)) != len(names):
        names = None
    return EdgePairs(pairs, graph.vcount(), names)


def _from_networkit(graph: Any) -> EdgePairs:
    ends = [end for edge in graph.iterEdges() for end in edge]
    nodes = list(graph.iterNodes())
    pairs = np.array(ends, dtype=np.int64).reshape(-1, 2)
    if len(nodes) == graph.upperNodeIdBound():
        return EdgePairs(pairs, len(nodes))
    return EdgePairs(np.searchsorted(nodes, pairs), len(nodes), nodes)


def from_matrix(matrix: Any) -> EdgePairs:
    """Return the edges of a dense or sparse adjacency matrix: its non-zero entries."""
    check_square(matrix.shape)
    if isinstance(matrix, np.ndarray):
        row, column = np.nonzero(matrix)
        return from_entries(row, column, matrix[row, column], len(matrix))
    coo = matrix.tocoo()
    return from_entries(coo.row, coo.col, coo.data, int(matrix.shape[0]))


def check_square(shape: tuple[int, ...]) -> None:
    """Raise an error unless the shape is that of an adjacency matrix."""
    if len(shape) != 2 or shape[0] != shape[1]:
        raise NetworkFormatError(
            f"an array of shape {shape}; an adjacency matrix is square "
            "(for a list of edges, use Graph.from_edges)"
        )


def from_entries(
    row: NDArray[Any], column: NDArray[Any], data: NDArray[Any], n_nodes: int
) -> EdgePairs:
    """Return the edges of the entries of an adjacency matrix; entries of value 0 are no edges.

    Entries at (u, v) and at (v, u) are one edge. The matrix is directed if one of the two is 0.
    """
    if data.dtype.kind not in "biuf" or (data.dtype.kind == "f" and np.isnan(data).any()):
        raise NetworkFormatError(
            f"an adjacency matrix of {data.dtype} with missing or non-numeric entries; "
            "expected numbers, 0 for no edge"
        )
    if n_nodes >= MAX_ENTRIES:
        raise NetworkFormatError(
            f"an adjacency matrix with {n_nodes} rows; expected at most {MAX_ENTRIES - 1}"
        )
    present = data != 0
    row, column, data = row[present], column[present], data[present]
    row, column = row.astype(np.int64), column.astype(np.int64)
    above, below = row < column, row > column
    upward = np.sort(row[above] * n_nodes + column[above])
    downward = np.sort(column[below] * n_nodes + row[below])
    directed = not np.array_equal(upward, downward)
    pairs = np.column_stack([row, column])
    kept = pairs if directed else pairs[~below]
    return EdgePairs(kept, n_nodes, None, directed, bool(np.any(data != 1)))
