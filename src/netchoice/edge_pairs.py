"""Edges as pairs of node ids, from lists and matrices."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from netchoice.errors import NetworkFormatError

#: Node ids are 32-bit integers, and so are positions in arrays with two entries per edge.
MAX_ENTRIES = np.iinfo(np.int32).max
#: What is wrong with arrays in CSR form, by the code of the kernel that checks them.
CSR_FAULTS = {
    1: "`indptr` does not increase from 0 to len(indices)",
    2: "a neighbour out of range",
    3: "neighbours not sorted, or repeated",
    4: "a self loop",
    5: "an edge in one direction only",
}


@dataclass(frozen=True)
class EdgePairs:
    """Edges as pairs of node ids; self loops and repeated edges may occur."""

    pairs: NDArray[Any]  # of shape (m, 2)
    n_nodes: int | None  # None if the largest id decides
    labels: Sequence[Hashable] | None = None
    directed: bool = False
    weighted: bool = False
    declares_nodes: bool = True  # False if only edges name nodes
    kinds: tuple[int, int] | None = None  # nodes of each kind, if the network is bipartite
    ignored: tuple[str, ...] = ()  # columns that were not used
    findings: tuple[str, ...] = ()  # what was decided by the content
    warnings: tuple[str, ...] = ()  # what may be wrong


def number_nodes(
    ends: Iterable[Hashable], declared: Iterable[Hashable] | None = None, **flags: Any
) -> EdgePairs:
    """Number nodes by first appearance: first the declared ones, then the ends of edges."""
    position = {name: i for i, name in enumerate(dict.fromkeys(declared or ()))}
    ids = [position.setdefault(end, len(position)) for end in ends]
    flags["declares_nodes"] = declared is not None
    return EdgePairs(np.array(ids, np.int64).reshape(-1, 2), len(position), list(position), **flags)


def from_edge_list(edges: Any, with_weights: bool = False) -> EdgePairs:
    """Return the edges of a list of pairs, or of an array of shape (m, 2); integers are ids.

    With ``with_weights``, edges may have a third entry, a weight or a dictionary, which is ignored.
    """
    if isinstance(edges, np.ndarray) and edges.dtype.kind != "O":
        return _from_edge_array(edges)
    if not hasattr(edges, "__iter__"):
        raise NetworkFormatError(f"{edges!r} is not a list of edges; expected pairs of nodes")
    ends, weighted = _ends(edges, with_weights)
    if all(isinstance(end, (int, np.integer)) and not isinstance(end, bool) for end in ends):
        try:
            pairs = np.array(ends, dtype=np.int64).reshape(-1, 2)
        except OverflowError:
            message = "a node id does not fit into 64 bits; use labels (str)"
            raise NetworkFormatError(message) from None
        return EdgePairs(pairs, None, weighted=weighted)
    return number_nodes(check_names(ends), weighted=weighted)


def check_names(ends: list[Hashable]) -> list[Hashable]:
    """Return the names of nodes after checking that none is missing."""
    for end in ends:
        if end is None or end != end:
            raise NetworkFormatError(
                f"{end!r} is not a name of a node; drop rows with missing ends"
            )
    return ends


def _from_edge_array(edges: NDArray[Any]) -> EdgePairs:
    if not edges.size:
        return EdgePairs(np.empty((0, 2), np.int32), None)
    if edges.ndim != 2 or edges.shape[1] != 2:
        raise NetworkFormatError(
            f"an array of shape {edges.shape}; expected (m, 2), one row per edge "
            "(for an adjacency matrix, use Graph.of)"
        )
    if edges.dtype.kind in "iu":
        return EdgePairs(edges, None)
    if edges.dtype.kind == "f":
        raise NetworkFormatError(
            "the edges are an array of floats; convert node ids to integers: edges.astype(int)"
        )
    return from_edge_list(edges.tolist())


def _ends(edges: Iterable[Any], with_weights: bool) -> tuple[list[Hashable], bool]:
    """Return both ends of each edge, and whether some edges have weights."""
    ends: list[Hashable] = []
    weighted = False
    for i, edge in enumerate(edges):
        try:
            if isinstance(edge, str):
                raise TypeError
            u, v, *weights = edge
            if len(weights) > with_weights or not all(map(_is_weight, weights)):
                raise TypeError
            hash(u), hash(v)
        except (TypeError, ValueError):
            third = ", possibly with a weight" * with_weights
            message = f"edge number {i + 1} is {edge!r}; expected a pair of nodes{third}"
            raise NetworkFormatError(message) from None
        ends += (u, v)
        weighted |= bool(weights)
    return ends, weighted


def _is_weight(value: Any) -> bool:
    return isinstance(value, (int, float, np.number, dict)) or value is None


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
    row, column, data = _present(row, column, data, n_nodes)
    above, below = row < column, row > column
    upward = np.sort(row[above] * n_nodes + column[above])
    downward = np.sort(column[below] * n_nodes + row[below])
    directed = not np.array_equal(upward, downward)
    pairs = np.column_stack([row, column])
    kept = pairs if directed else pairs[~below]
    return EdgePairs(kept, n_nodes, None, directed, bool(np.any(data != 1)))


def from_incidence(
    row: NDArray[Any], column: NDArray[Any], data: NDArray[Any], shape: tuple[int, int]
) -> EdgePairs:
    """Return the edges of a matrix whose rows and columns are different nodes, first the rows."""
    n_rows, n_columns = shape
    row, column, data = _present(row, column, data, n_rows + n_columns)
    pairs = np.column_stack([row, column + n_rows])
    weighted = bool(np.any(data != 1))
    return EdgePairs(pairs, n_rows + n_columns, weighted=weighted, kinds=shape)


def _present(
    row: NDArray[Any], column: NDArray[Any], data: NDArray[Any], n_nodes: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[Any]]:
    """Return the entries other than 0, after checking their values and the number of nodes."""
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
    return row[present].astype(np.int64), column[present].astype(np.int64), data[present]


def as_int32(name: str, values: ArrayLike) -> NDArray[np.int32]:
    """Return an array of 32-bit integers after checking that all values fit."""
    array = np.asarray(values)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise NetworkFormatError(
            f"`{name}` must be a one-dimensional array of integers; got {array.ndim} dimensions "
            f"of {array.dtype}"
        )
    if array.size and not 0 <= int(array.min()) <= int(array.max()) < MAX_ENTRIES:
        raise NetworkFormatError(
            f"`{name}` must have entries from 0 to {MAX_ENTRIES - 1}; got {array.min()} to {array.max()}"
        )
    return np.array(array, dtype=np.int32, order="C")
