"""The class of networks: simple, undirected and immutable, in CSR form."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Sequence
from functools import cache, cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from netchoice import edge_pairs
from netchoice.edge_pairs import MAX_ENTRIES, EdgePairs
from netchoice.errors import NetworkFormatError
from netchoice.notebook import summary_html
from netchoice.validation import check_integer

if TYPE_CHECKING:
    import networkx as nx

_CSR_FAULTS = {
    1: "`indptr` does not increase from 0 to len(indices)",
    2: "a neighbour out of range",
    3: "neighbours not sorted, or repeated",
    4: "a self loop",
    5: "an edge in one direction only",
}


@cache
def kernel(name: str) -> Any:
    """Return ``module.function`` of ``netchoice._kernels``, which is imported on first use."""
    module, _, function = name.partition(".")
    return getattr(import_module(f"netchoice._kernels.{module}"), function)


class Graph:
    """A simple undirected network with nodes 0…n−1.

    Parameters
    ----------
    indptr, indices : arrays of int32
        The sorted neighbours of node ``i`` are ``indices[indptr[i]:indptr[i + 1]]``. Self loops,
        repeated edges and edges in one direction only raise an error. Use :meth:`from_edges` or
        :meth:`of` to build a graph from other objects.
    labels : sequence, optional
        Names of the nodes, all different.

    Examples
    --------
    >>> g = Graph.from_edges([(0, 1), (1, 2), (2, 1), (3, 3)])
    >>> g
    <Graph: 4 nodes, 2 edges>
    >>> g.self_loops_dropped, g.repeats_dropped
    (1, 1)
    """

    indptr: NDArray[np.int32]
    indices: NDArray[np.int32]
    labels: tuple[Hashable, ...] | None
    self_loops_dropped: int
    repeats_dropped: int

    def __init__(
        self, indptr: ArrayLike, indices: ArrayLike, labels: Sequence[Hashable] | None = None
    ) -> None:
        indptr, indices = _as_int32("indptr", indptr), _as_int32("indices", indices)
        if len(indptr) == 0:
            raise NetworkFormatError(
                "`indptr` must have n + 1 entries ([0] for no nodes); got an empty array"
            )
        code, node = kernel("csr.check_csr")(indptr, indices)
        if code:
            raise NetworkFormatError(
                f"not a simple undirected graph in CSR form: {_CSR_FAULTS[code]} at node {node}; "
                "Graph.from_edges and Graph.of accept loops, repeated edges and one-way edges"
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
        indptr.flags.writeable = indices.flags.writeable = False
        if labels is not None:
            labels = tuple(labels)
            if len(labels) != len(indptr) - 1:
                raise NetworkFormatError(
                    f"{len(labels)} labels for {len(indptr) - 1} nodes; expected one label per node"
                )
            if len(set(labels)) != len(labels):
                raise NetworkFormatError("two nodes have the same label; labels must differ")
        dropped = {"self_loops_dropped": self_loops_dropped, "repeats_dropped": repeats_dropped}
        self.__dict__.update(indptr=indptr, indices=indices, labels=labels, **dropped)

    @classmethod
    def _trusted(cls, *args: Any) -> Graph:
        """Return a graph of arrays that a kernel made, without checking them."""
        graph = cls.__new__(cls)
        graph._set(*args)
        return graph

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"a Graph cannot be changed (tried to set {name!r}); build a new one")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a Graph cannot be changed (tried to delete {name!r})")

    @classmethod
    def from_edges(cls, edges: Any, n_nodes: int | None = None) -> Graph:
        """Build a graph from its edges.

        Parameters
        ----------
        edges : array of shape (m, 2), or iterable of pairs
            Integers are node ids. Other ends are labels, which are numbered by first appearance.
            Self loops and repeated edges (in either direction) are dropped and counted.
        n_nodes : int, optional
            Number of nodes if ids are integers. The default is the largest id + 1.

        Examples
        --------
        >>> Graph.from_edges([("b", "a"), ("a", "c")]).labels
        ('b', 'a', 'c')
        """
        edges = edge_pairs.from_edge_list(edges)
        if edges.labels is None:
            edges = EdgePairs(edges.pairs, n_nodes)
        elif n_nodes not in (None, edges.n_nodes):
            raise NetworkFormatError(
                f"n_nodes={n_nodes}, but the edges have {edges.n_nodes} different labels; "
                "n_nodes is for integer node ids"
            )
        return cls.from_pairs(edges)

    @classmethod
    def from_pairs(cls, edges: EdgePairs) -> Graph:
        """Build a graph from :class:`~netchoice.edge_pairs.EdgePairs`."""
        pairs, n_nodes = edges.pairs, edges.n_nodes
        if pairs.size and pairs.min() < 0:
            raise NetworkFormatError(f"node id {pairs.min()} is negative; node ids start at 0")
        needed = int(pairs.max()) + 1 if pairs.size else 0
        n_nodes = needed if n_nodes is None else check_integer("n_nodes", n_nodes, minimum=0)
        if n_nodes < needed:
            raise NetworkFormatError(
                f"node id {needed - 1} with n_nodes={n_nodes}; node ids must be below n_nodes"
            )
        if n_nodes >= MAX_ENTRIES or 2 * len(pairs) >= MAX_ENTRIES:
            raise NetworkFormatError(
                f"{n_nodes} nodes (the largest id + 1) and {len(pairs)} edges need more than 32-bit "
                f"indices; nodes and twice the edges must be below {MAX_ENTRIES}"
            )
        sources, targets = np.array(pairs.T, dtype=np.int32, order="C")
        csr_from_edges = kernel("csr.csr_from_edges")
        indptr, indices, loops, repeats = csr_from_edges(sources, targets, n_nodes)
        return cls._trusted(indptr, indices, edges.labels, int(loops), int(repeats))

    @classmethod
    def of(cls, thing: Any) -> Graph:
        """Convert a graph of another library, a matrix, or a list of pairs to a graph.

        Accepts a :class:`Graph`, a networkx, igraph or networkit graph, a scipy sparse matrix or
        array, a square NumPy array (non-zero entries are edges), or a list of pairs. Direction,
        weights, self loops and repeated edges are dropped. None of these libraries is imported.

        >>> import numpy as np
        >>> Graph.of(np.ones((3, 3)))
        <Graph: 3 nodes, 3 edges>
        """
        return thing if isinstance(thing, Graph) else cls.from_pairs(edge_pairs.from_object(thing))

    @classmethod
    def from_networkx(cls, graph: nx.Graph) -> Graph:
        """Convert a networkx graph; nodes 0…n−1 keep their ids, others are numbered in order."""
        return cls.from_pairs(edge_pairs.from_networkx(graph))

    def to_networkx(self) -> nx.Graph:
        """Return a networkx graph, nodes in order (by label if there are labels), edges sorted."""
        import networkx as nx

        graph = nx.Graph()
        names = range(self.n_nodes) if self.labels is None else self.labels
        graph.add_nodes_from(names)
        graph.add_edges_from((names[u], names[v]) for u, v in self.edges().tolist())
        return graph

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
        """Return the sorted neighbours of a node, a read-only array."""
        if not 0 <= node < self.n_nodes:
            raise IndexError(f"there is no node {node}; nodes are 0 to {self.n_nodes - 1}")
        return self.indices[self.indptr[node] : self.indptr[node + 1]]

    def edges(self) -> NDArray[np.int32]:
        """Return all edges as a sorted array of shape (m, 2), smaller end first."""
        return np.column_stack(kernel("csr.edges_of")(self.indptr, self.indices))

    def without_isolated(self) -> Graph:
        """Return the graph without nodes of degree 0; the others keep their order and labels."""
        indptr, indices, kept = kernel("csr.drop_isolated")(self.indptr, self.indices)
        labels = None if self.labels is None else [self.labels[i] for i in kept]
        return Graph._trusted(indptr, indices, labels)

    def summary(self) -> dict[str, Any]:
        """Return the number of nodes, edges and components, the degrees, and the fingerprint."""
        component_labels = kernel("component_labels.component_labels")
        labels, n_components = component_labels(self.indptr, self.indices)
        n = self.n_nodes
        return {
            "nodes": n,
            "edges": self.n_edges,
            "mean_degree": 2 * self.n_edges / n if n else 0.0,
            "max_degree": int(self.degrees.max()) if n else 0,
            "isolated_nodes": self.n_isolated,
            "components": int(n_components),
            "largest_component": int(np.bincount(labels).max()) if n else 0,
            "fingerprint": self.fingerprint,
        }

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the structure, which is equal for equally numbered graphs with any labels."""
        digest = hashlib.blake2b(digest_size=16)
        for array in (np.array([self.n_nodes]), self.indptr, self.indices):
            digest.update(array.astype("<i4", copy=False).tobytes())
        return digest.hexdigest()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Graph):
            return NotImplemented
        pairs = ((self.indptr, other.indptr), (self.indices, other.indices))
        return all(np.array_equal(mine, others) for mine, others in pairs)

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __reduce__(self) -> Any:
        dropped = (self.self_loops_dropped, self.repeats_dropped)
        return Graph._trusted, (self.indptr, self.indices, self.labels, *dropped)

    def __repr__(self) -> str:
        labelled = ", labelled" if self.labels is not None else ""
        return f"<Graph: {_count(self.n_nodes, 'node')}, {_count(self.n_edges, 'edge')}{labelled}>"

    def _repr_html_(self) -> str:
        rows = [(name.replace("_", " "), value) for name, value in self.summary().items()]
        return summary_html(repr(self).strip("<>"), ("", "value"), rows)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _as_int32(name: str, values: ArrayLike) -> NDArray[np.int32]:
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
