"""The edges of objects: graphs of other libraries, arrays, data frames, lists and dictionaries."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netchoice.edge_pairs import (
    EdgePairs,
    check_names,
    from_edge_list,
    from_entries,
    from_matrix,
    number_nodes,
)  # fmt: skip
from netchoice.errors import NetworkFormatError

#: Names of columns of nodes: the two ends of an edge by their direction, or these and numbered names.
END_COLUMN = re.compile(
    r"(source|target|src|dst|from|to|start|end|head|tail)(_?(node_?)?(id|name)?|_?node)"
)
_NODE_COLUMN = re.compile(
    rf"{END_COLUMN.pattern}|(node|id|name|vertex|protein|gene|interactor)_?[12ab]"
)


def plain_name(cell: str) -> str:
    """Return the name of a column in lower case, with _ for spaces and hyphens."""
    return cell.strip('"').lower().replace(" ", "_").replace("-", "_")


def node_columns(names: Iterable[str]) -> list[int]:
    """Return the positions of the columns that have usual names of columns of nodes.

    >>> node_columns(["weight", "Source", "target_id", "node 1"])
    [1, 2, 3]
    """
    return [k for k, name in enumerate(names) if _NODE_COLUMN.fullmatch(plain_name(name))]


def from_object(thing: Any) -> EdgePairs:
    """Return the edges of a graph of another library, an array, a data frame, a list or a dictionary."""
    library = type(thing).__module__.partition(".")[0]
    if hasattr(thing, "adj") and hasattr(thing, "nodes"):
        return from_networkx(thing)
    readers: dict[str, Callable[[Any], EdgePairs]] = {
        "igraph": _from_igraph, "networkit": _from_networkit, "pandas": from_frame,
        "graph_tool": _from_graph_tool, "polars": lambda frame: from_frame(frame.to_pandas()),
    }  # fmt: skip
    if library in readers:
        return readers[library](thing)
    if isinstance(thing, np.ndarray):
        return from_array(thing)
    if hasattr(thing, "tocoo"):
        return from_matrix(thing)
    if isinstance(thing, Mapping):
        return from_neighbours(thing)
    if isinstance(thing, (list, tuple, set)):
        return from_edge_list(thing, with_weights=True)
    raise NetworkFormatError(
        f"{thing!r:.80} is not a network; expected a path, a graph of networkx, igraph, networkit or "
        "graph-tool, a sparse or square array, an array of edges, a data frame, a list of pairs, or a "
        "dictionary of neighbours"
    )


def from_array(array: NDArray[Any]) -> EdgePairs:
    """Return the edges of an array: a square one is an adjacency matrix, (m, 2) and (m, 3) are edges."""
    square = array.ndim == 2 and array.shape[0] == array.shape[1]
    if square and len(array) == 2 and array.dtype.kind in "iu" and not np.isin(array, (0, 1)).all():
        raise NetworkFormatError(
            "an array of shape (2, 2) with other integers than 0 and 1; it may be an adjacency matrix "
            "or two edges; use Graph.from_edges for edges"
        )
    if square or array.ndim != 2 or array.shape[1] not in (2, 3):
        return from_matrix(array)
    ends, weighted = array[:, :2], array.shape[1] == 3
    if array.dtype.kind == "O":
        return from_edge_list(array.tolist(), with_weights=True)
    if weighted and array.dtype.kind == "f":
        if not (np.isfinite(ends).all() and (ends == ends.round()).all()):
            raise NetworkFormatError(
                f"an array of shape {array.shape} with decimal numbers in the first two columns; expected "
                "node ids and a weight in each row, or a square adjacency matrix"
            )
        ends = ends.astype(np.int64)
    return replace(from_edge_list(ends), weighted=weighted)


def from_frame(frame: Any) -> EdgePairs:
    """Return the edges of a data frame of pandas: an adjacency matrix or a table of edges."""
    names = [str(name) for name in getattr(frame, "columns", ())]
    if getattr(frame, "ndim", 1) != 2 or len(names) < 2:
        raise NetworkFormatError(
            f"a {type(frame).__name__} of pandas with {len(names)} columns; expected a table of edges, "
            "with two columns of nodes, or a square adjacency matrix"
        )
    labels, columns = list(frame.index), list(frame.columns)
    if len(labels) == len(columns) == len(set(labels)) and set(labels) == set(columns):
        values = frame[labels].to_numpy()
        if values.dtype.kind in "biuf":
            row, column = np.nonzero(values)
            edges = from_entries(row, column, values[row, column], len(labels))
            return replace(edges, labels=None if labels == list(range(len(labels))) else labels)
    known = node_columns(names)
    u, v = known[:2] if len(known) > 1 else (0, 1)
    one, other = frame.iloc[:, u], frame.iloc[:, v]
    if one.isna().any() or other.isna().any():
        raise NetworkFormatError(
            f"missing values in the columns {names[u]!r} and {names[v]!r}; drop these rows"
        )
    if any(column.dtype.kind == "f" and (column % 1 != 0).any() for column in (one, other)):
        raise NetworkFormatError(
            f"a data frame with decimal numbers in the columns {names[u]!r} and {names[v]!r}; "
            "expected names of nodes in two columns, or a square matrix with equal index and columns"
        )
    ends = [end for pair in zip(one.tolist(), other.tolist(), strict=True) for end in pair]
    ignored = tuple(name for k, name in enumerate(names) if k not in (u, v))
    return number_nodes(check_names(ends), weighted=bool(ignored), ignored=ignored)


def from_neighbours(lists: Mapping[Any, Any]) -> EdgePairs:
    """Return the edges of a dictionary with the neighbours of each node."""
    entries: list[tuple[Hashable, Hashable]] = []
    for node, neighbours in lists.items():
        if isinstance(neighbours, (str, bytes)) or not isinstance(neighbours, Iterable):
            raise NetworkFormatError(
                f"the neighbours of {node!r} are {neighbours!r}; expected a list of nodes for each node"
            )
        entries += [(node, other) for other in neighbours]
    ends = check_names([end for entry in entries for end in entry])
    nodes = list(dict.fromkeys([*lists, *ends]))
    return once_if_mirrored(number_plain(nodes, ends))


def number_plain(nodes: list[Any], ends: Iterable[Any], **flags: Any) -> EdgePairs:
    """Number nodes; 0…n−1 keep their ids, others are numbered in order and are labels."""
    plain = all(type(node) is int for node in nodes) and set(nodes) == set(range(len(nodes)))
    edges = number_nodes(ends, sorted(nodes) if plain else nodes, **flags)
    return replace(edges, labels=None) if plain else edges


def once_if_mirrored(edges: EdgePairs) -> EdgePairs:
    """Return each edge once if both of its ends list it; otherwise the edges are directed."""
    pairs = edges.pairs
    entries = set(map(tuple, pairs.tolist()))
    if len(entries) < len(pairs):
        return edges
    if all((v, u) in entries for u, v in entries):
        return replace(edges, pairs=pairs[pairs[:, 0] <= pairs[:, 1]])
    one_way = not any((v, u) in entries for u, v in entries if u != v)
    return edges if one_way else replace(edges, directed=True)


def from_networkx(graph: Any) -> EdgePairs:
    """Return the edges of a networkx graph; nodes 0…n−1 keep their ids, others get numbers."""
    weighted = any("weight" in data for *_, data in graph.edges(data=True))
    ends = (node for edge in graph.edges() for node in edge)
    return number_plain(list(graph), ends, directed=graph.is_directed(), weighted=weighted)


def _from_igraph(graph: Any) -> EdgePairs:
    pairs = np.array(graph.get_edgelist(), dtype=np.int64).reshape(-1, 2)
    names = graph.vs["name"] if "name" in graph.vs.attributes() else None
    if names is not None and len(set(names)) != len(names):
        names = None
    return EdgePairs(pairs, graph.vcount(), names, graph.is_directed(), graph.is_weighted())


def _from_networkit(graph: Any) -> EdgePairs:
    ends = [end for edge in graph.iterEdges() for end in edge]
    nodes = list(graph.iterNodes())
    pairs = np.array(ends, dtype=np.int64).reshape(-1, 2)
    flags = {"directed": graph.isDirected(), "weighted": graph.isWeighted()}
    if len(nodes) == graph.upperNodeIdBound():
        return EdgePairs(pairs, len(nodes), **flags)
    return EdgePairs(np.searchsorted(nodes, pairs), len(nodes), nodes, **flags)


def _from_graph_tool(graph: Any) -> EdgePairs:
    pairs = np.asarray(graph.get_edges())[:, :2].astype(np.int64)
    return EdgePairs(pairs, graph.num_vertices(), directed=graph.is_directed())
