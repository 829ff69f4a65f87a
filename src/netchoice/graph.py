"""The network that everything is computed on: simple, undirected, immutable, CSR."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from netchoice.errors import NetworkFormatError

if TYPE_CHECKING:
    import networkx as nx
    from numpy.typing import ArrayLike, NDArray

MAX_ENTRIES = np.iinfo(np.int32).max


class Graph:
    """A simple undirected network with nodes 0…n−1.

    Parameters
    ----------
    indptr, indices : arrays of int32
        Neighbours of node ``i`` are ``indices[indptr[i]:indptr[i + 1]]``, sorted. Checked:
        a self loop, a repeat or an edge in one direction only is an error. To build a graph
        from other things, use :meth:`from_edges` or :meth:`of`.
    labels : sequence, optional
        Names of the nodes, all different.

    Examples
    --------
    >>> g = Graph.from_edges([(0, 1), (1, 2), (2, 1), (3, 3)])
    >>> g
    <Graph: 4 nodes, 2 edges>
    >>> g.self_loops_dropped, g.repeats_dropped
    (1, 1)
    >>> g.neighbors(1)
    array([0, 2], dtype=int32)
    """

    __hash__: Any

    def __init__(
        self, indptr: ArrayLike, indices: ArrayLike, labels: Sequence[Hashable] | None = None
    ) -> None:
        from netchoice._kernels.csr import check_csr

        indptr, indices = (
            _as_int32(a, what) for a, what in ((indptr, "indptr"), (indices, "indices"))
        )
        if len(indptr) == 0:
            raise NetworkFormatError("indptr is empty; expected n + 1 entries, [0] for no nodes")
        code, node = check_csr(indptr, indices)
        if code:
            raise NetworkFormatError(
                f"not a simple undirected graph in CSR form: {_CSR_FAULTS[code]} at node {node}; "
                "Graph.from_edges or Graph.of accept loops, repeats and one-way edges"
            )
        self._set(indptr, indices, labels)

    def _set(
        self,
        indptr: NDArray[np.int32],
        indices: NDArray[np.int32],
        labels: Sequence[Hashable] | None = None,
        self_loops_dropped: int = 0,
        repeats_dropped: int = 0,
    ) -> None:
        indptr.flags.writeable = False
        indices.flags.writeable = False
        if labels is not None:
            labels = tuple(labels)
            if len(labels) != len(indptr) - 1:
                raise NetworkFormatError(
                    f"{len(labels)} labels for {len(indptr) - 1} nodes; one each is needed"
                )
            if len(set(labels)) != len(labels):
                raise NetworkFormatError("two nodes have the same label; labels must differ")
        values = {
            "indptr": indptr,
            "indices": indices,
            "labels": labels,
            "self_loops_dropped": int(self_loops_dropped),
            "repeats_dropped": int(repeats_dropped),
        }
        self.__dict__.update(values)

    @classmethod
    def _trusted(cls, *args: Any, **kwargs: Any) -> Graph:
        """A graph from arrays that a kernel has just made; nothing is checked."""
        graph = cls.__new__(cls)
        graph._set(*args, **kwargs)
        return graph

    if TYPE_CHECKING:
        indptr: NDArray[np.int32]
        indices: NDArray[np.int32]
        labels: tuple[Hashable, ...] | None
        self_loops_dropped: int
        repeats_dropped: int

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"a Graph cannot be changed (tried to set {name!r}); build a new one")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a Graph cannot be changed (tried to delete {name!r})")

    # Building

    @classmethod
    def from_edges(cls, edges: Any, n_nodes: int | None = None) -> Graph:
        """The graph with these edges.

        Parameters
        ----------
        edges : array of shape (m, 2), or iterable of pairs
            Integers are node ids. Anything else is a label, numbered by first appearance.
            Self loops and repeats (in either direction) are dropped and counted.
        n_nodes : int, optional
            Number of nodes where ids are integers; by default the largest id + 1.

        Examples
        --------
        >>> Graph.from_edges([("b", "a"), ("a", "c")]).labels
        ('b', 'a', 'c')
        >>> Graph.from_edges([(0, 1)], n_nodes=5).n_nodes
        5
        """
        pairs, labels = _number(edges)
        if labels is not None:
            if n_nodes not in (None, len(labels)):
                raise NetworkFormatError(
                    f"n_nodes={n_nodes}, but the edges have {len(labels)} different labels; "
                    "n_nodes is for integer node ids"
                )
            n_nodes = len(labels)
        return cls._from_pairs(pairs, n_nodes, labels)

    @classmethod
    def _from_pairs(
        cls,
        pairs: NDArray[Any],
        n_nodes: int | None,
        labels: Sequence[Hashable] | None = None,
    ) -> Graph:
        from netchoice._kernels.csr import csr_from_edges

        if pairs.size and pairs.min() < 0:
            raise NetworkFormatError(f"node id {pairs.min()} is negative; ids run from 0")
        needed = int(pairs.max()) + 1 if pairs.size else 0
        n_nodes = needed if n_nodes is None else _check_n_nodes(n_nodes, needed)
        if n_nodes >= MAX_ENTRIES or 2 * len(pairs) >= MAX_ENTRIES:
            raise NetworkFormatError(
                f"{n_nodes} nodes (the largest id + 1) and {len(pairs)} edges are more than 32-bit "
                f"indices hold; nodes and twice the edges must stay below {MAX_ENTRIES}"
            )
        sources = np.array(pairs[:, 0], dtype=np.int32)
        targets = np.array(pairs[:, 1], dtype=np.int32)
        indptr, indices, loops, repeats = csr_from_edges(sources, targets, n_nodes)
        return cls._trusted(indptr, indices, labels, loops, repeats)

    @classmethod
    def of(cls, thing: Any) -> Graph:
        """The graph that any of the usual objects stands for.

        Takes a :class:`Graph`, a networkx, igraph or networkit graph, a scipy sparse matrix or
        array, a square NumPy array (non-zero entries are edges), or a list of pairs. Direction,
        weights, self loops and repeats are dropped. None of these libraries is imported.

        >>> import numpy as np
        >>> Graph.of(np.ones((3, 3)))
        <Graph: 3 nodes, 3 edges>
        """
        if isinstance(thing, Graph):
            return thing
        library = type(thing).__module__.partition(".")[0]
        if hasattr(thing, "adj") and hasattr(thing, "nodes"):
            return cls.from_networkx(thing)
        if library == "igraph":
            return _from_igraph(thing)
        if library == "networkit":
            return _from_networkit(thing)
        if hasattr(thing, "tocoo"):
            return matrix_entries(thing).graph()
        if isinstance(thing, np.ndarray):
            return matrix_entries(thing).graph()
        if isinstance(thing, (list, tuple, set)):
            return cls.from_edges(thing)
        raise NetworkFormatError(
            f"cannot make a network of a {type(thing).__module__}.{type(thing).__qualname__}; "
            "expected a networkx, igraph or networkit graph, a sparse or square array, or a list "
            "of pairs (for a file: netchoice.read_network)"
        )

    @classmethod
    def from_networkx(cls, graph: nx.Graph) -> Graph:
        """From any networkx graph; nodes 0…n−1 keep their ids, others are numbered in order.

        >>> import networkx as nx
        >>> Graph.from_networkx(nx.path_graph(["x", "y", "z"])).labels
        ('x', 'y', 'z')
        """
        nodes = list(graph)
        plain = all(type(node) is int for node in nodes) and set(nodes) == set(range(len(nodes)))
        position = {node: i for i, node in enumerate(sorted(nodes) if plain else nodes)}
        ends = (position[node] for edge in graph.edges() for node in edge)
        pairs = np.fromiter(ends, dtype=np.int32, count=2 * graph.number_of_edges())
        return cls._from_pairs(pairs.reshape(-1, 2), len(nodes), None if plain else nodes)

    def to_networkx(self) -> nx.Graph:
        """As a networkx graph, nodes in order (by label where there are labels), edges sorted.

        >>> sorted(Graph.from_edges([(0, 2), (1, 2)]).to_networkx().edges())
        [(0, 2), (1, 2)]
        """
        import networkx as nx

        graph = nx.Graph()
        names = range(self.n_nodes) if self.labels is None else self.labels
        graph.add_nodes_from(names)
        graph.add_edges_from((names[u], names[v]) for u, v in self.edges().tolist())
        return graph

    # Looking

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return len(self.indptr) - 1

    @property
    def n_edges(self) -> int:
        """Number of edges."""
        return len(self.indices) // 2

    @property
    def degrees(self) -> NDArray[np.int32]:
        """Degree of each node."""
        return np.diff(self.indptr)

    @property
    def n_isolated(self) -> int:
        """Number of nodes without neighbours."""
        return int(np.count_nonzero(self.degrees == 0))

    def neighbors(self, node: int) -> NDArray[np.int32]:
        """Sorted neighbours of a node (read-only)."""
        if not 0 <= node < self.n_nodes:
            raise IndexError(f"no node {node}; nodes run from 0 to {self.n_nodes - 1}")
        return self.indices[self.indptr[node] : self.indptr[node + 1]]

    def edges(self) -> NDArray[np.int32]:
        """All edges as an array of shape (m, 2), smaller end first, sorted.

        >>> Graph.from_edges([(2, 1), (1, 0)]).edges().tolist()
        [[0, 1], [1, 2]]
        """
        from netchoice._kernels.csr import edges_of

        return np.column_stack(edges_of(self.indptr, self.indices))

    def without_isolated(self) -> Graph:
        """The graph without nodes of degree 0; the others keep their order and labels.

        >>> Graph.from_edges([(0, 3)], n_nodes=5).without_isolated()
        <Graph: 2 nodes, 1 edge>
        """
        from netchoice._kernels.csr import drop_isolated

        indptr, indices, kept = drop_isolated(self.indptr, self.indices)
        labels = None if self.labels is None else [self.labels[i] for i in kept]
        return Graph._trusted(indptr, indices, labels)

    def summary(self) -> dict[str, Any]:
        """Size, density and connectedness, for a first look.

        >>> Graph.from_edges([(0, 1), (1, 2)], n_nodes=5).summary()["components"]
        3
        """
        from netchoice._kernels.components import component_labels

        labels, n_components = component_labels(self.indptr, self.indices)
        n, degrees = self.n_nodes, self.degrees
        return {
            "nodes": n,
            "edges": self.n_edges,
            "mean_degree": 2 * self.n_edges / n if n else 0.0,
            "max_degree": int(degrees.max()) if n else 0,
            "isolated_nodes": self.n_isolated,
            "components": int(n_components),
            "largest_component": int(np.bincount(labels).max()) if n else 0,
            "fingerprint": self.fingerprint,
        }

    @cached_property
    def fingerprint(self) -> str:
        """A digest of the structure: equal for equal numbered graphs, whatever their labels."""
        digest = hashlib.blake2b(digest_size=16)
        for array in (np.array([self.n_nodes]), self.indptr, self.indices):
            digest.update(array.astype("<i4", copy=False).tobytes())
        return digest.hexdigest()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Graph):
            return NotImplemented
        return np.array_equal(self.indptr, other.indptr) and np.array_equal(
            self.indices, other.indices
        )

    def __hash__(self) -> int:  # type: ignore[no-redef]
        return hash(self.fingerprint)

    def __reduce__(self) -> Any:
        dropped = (self.self_loops_dropped, self.repeats_dropped)
        return Graph._trusted, (self.indptr, self.indices, self.labels, *dropped)

    def __repr__(self) -> str:
        labelled = ", labelled" if self.labels is not None else ""
        return f"<Graph: {_count(self.n_nodes, 'node')}, {_count(self.n_edges, 'edge')}{labelled}>"


_CSR_FAULTS = {
    1: "indptr does not count up from 0 to len(indices)",
    2: "a neighbour out of range",
    3: "neighbours not sorted, or repeated",
    4: "a self loop",
    5: "an edge in one direction only",
}


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _as_int32(values: ArrayLike, what: str) -> NDArray[np.int32]:
    array = np.asarray(values)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise NetworkFormatError(
            f"{what} is a {array.ndim}-dimensional array of {array.dtype}; "
            "expected one dimension of integers"
        )
    if array.size and not 0 <= int(array.min()) <= int(array.max()) < MAX_ENTRIES:
        raise NetworkFormatError(f"{what} has entries below 0 or too large for 32 bits")
    return np.array(array, dtype=np.int32, order="C")


def _check_n_nodes(n_nodes: int, needed: int) -> int:
    if isinstance(n_nodes, bool) or not isinstance(n_nodes, (int, np.integer)) or n_nodes < 0:
        raise NetworkFormatError(f"n_nodes={n_nodes!r}; expected an integer, 0 or more")
    if n_nodes < needed:
        raise NetworkFormatError(
            f"node id {needed - 1} with n_nodes={n_nodes}; ids must be below n_nodes"
        )
    return int(n_nodes)


def _number(edges: Any) -> tuple[NDArray[Any], list[Hashable] | None]:
    """Pairs of node ids, and the labels if the ends were not integers already."""
    if isinstance(edges, np.ndarray) and edges.dtype.kind != "O":
        if edges.size and (edges.ndim != 2 or edges.shape[1] != 2):
            raise NetworkFormatError(
                f"an array of shape {edges.shape}; expected (m, 2), one row per edge "
                "(for an adjacency matrix: Graph.of)"
            )
        if edges.dtype.kind in "iu" or not edges.size:
            return edges.reshape(-1, 2) if edges.size else np.empty((0, 2), np.int32), None
        if edges.dtype.kind == "f":
            raise NetworkFormatError(
                "the edges are an array of floats; give node ids as integers (edges.astype(int))"
            )
        edges = edges.tolist()
    ends: list[Hashable] = []
    if not hasattr(edges, "__iter__"):
        raise NetworkFormatError(f"{edges!r} is no list of edges; expected pairs of nodes")
    for i, edge in enumerate(edges):
        try:
            if isinstance(edge, str):
                raise TypeError
            u, v = edge
            hash(u), hash(v)
        except (TypeError, ValueError):
            raise NetworkFormatError(
                f"edge number {i + 1} is {edge!r}; expected a pair of nodes"
            ) from None
        ends += (u, v)
    if all(isinstance(end, (int, np.integer)) and not isinstance(end, bool) for end in ends):
        try:
            return np.array(ends, dtype=np.int64).reshape(-1, 2), None
        except OverflowError:
            raise NetworkFormatError("a node id does not fit 64 bits; use labels (str)") from None
    for end in ends:
        if end is None or end != end:
            raise NetworkFormatError(f"{end!r} is no name for a node; drop rows with missing ends")
    position: dict[Hashable, int] = {}
    ids = np.fromiter(
        (position.setdefault(end, len(position)) for end in ends), np.int64, len(ends)
    )
    return ids.reshape(-1, 2), list(position)


def _from_igraph(graph: Any) -> Graph:
    pairs = np.array(graph.get_edgelist(), dtype=np.int64).reshape(-1, 2)
    names = graph.vs["name"] if "name" in graph.vs.attributes() else None
    if names is not None and len(set(names)) != len(names):
        names = None
    return Graph._from_pairs(pairs, graph.vcount(), names)


def _from_networkit(graph: Any) -> Graph:
    ends = [end for edge in graph.iterEdges() for end in edge]
    nodes = list(graph.iterNodes())
    pairs = np.array(ends, dtype=np.int64).reshape(-1, 2)
    if len(nodes) == graph.upperNodeIdBound():
        return Graph._from_pairs(pairs, len(nodes))
    return Graph._from_pairs(np.searchsorted(nodes, pairs), len(nodes), nodes)


@dataclass(frozen=True)
class MatrixEntries:
    """The non-zero entries of a square matrix, and what they say of an undirected network."""

    pairs: NDArray[Any]  # one row per undirected edge or self loop, repeats as in the matrix
    n_nodes: int
    directed: bool
    weighted: bool

    def graph(self) -> Graph:
        """The network."""
        return Graph._from_pairs(self.pairs, self.n_nodes)


def matrix_entries(matrix: Any) -> MatrixEntries:
    """Read an adjacency matrix, dense or sparse.

    Entries at (u, v) and at (v, u) are one edge; if one is without the other, edges had direction.
    """
    _check_square(matrix.shape)
    if isinstance(matrix, np.ndarray):
        row, column = np.nonzero(matrix)
        data = matrix[row, column]
    else:
        coo = matrix.tocoo()
        present = coo.data != 0
        row, column, data = coo.row[present], coo.col[present], coo.data[present]
    if data.dtype.kind not in "biuf" or (data.dtype.kind == "f" and np.isnan(data).any()):
        raise NetworkFormatError(
            f"an adjacency matrix of {data.dtype} with missing or non-numeric entries; "
            "expected numbers, 0 for no edge"
        )
    n_nodes = int(matrix.shape[0])
    if n_nodes >= MAX_ENTRIES:
        raise NetworkFormatError(f"a matrix with {n_nodes} rows; at most {MAX_ENTRIES - 1} fit")
    row, column = row.astype(np.int64), column.astype(np.int64)
    above, below = row < column, row > column
    upward = np.sort(row[above] * n_nodes + column[above])
    downward = np.sort(column[below] * n_nodes + row[below])
    directed = not np.array_equal(upward, downward)
    kept = (row <= column) | below if directed else row <= column
    pairs = np.column_stack([row[kept], column[kept]])
    return MatrixEntries(pairs, n_nodes, directed, bool(np.any(data != 1)))


def _check_square(shape: tuple[int, ...]) -> None:
    if len(shape) != 2 or shape[0] != shape[1]:
        raise NetworkFormatError(
            f"an array of shape {shape}; an adjacency matrix is square "
            "(for a list of edges: Graph.from_edges)"
        )
