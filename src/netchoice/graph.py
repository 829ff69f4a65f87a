"""The class of networks: simple, undirected and immutable, in CSR form."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Sequence
from functools import cache, cached_property
from importlib import import_module
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from netchoice import network_objects
from netchoice.edge_pairs import CSR_FAULTS, MAX_ENTRIES, EdgePairs, as_int32, from_edge_list
from netchoice.errors import NetworkFormatError
from netchoice.markup import summary_html
from netchoice.units import count
from netchoice.validation import check_integer

if TYPE_CHECKING:
    import networkx as nx

#: Read a network file; ``netchoice.io`` puts its function here, since it imports this module.
FILE_READERS: list[Callable[[str | PathLike[str]], Graph]] = []


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
    <Graph: 4 nodes, 2 edges; dropped: 1 self loop, 1 repeated edge>
    """

    indptr: NDArray[np.int32]
    indices: NDArray[np.int32]
    labels: tuple[Hashable, ...] | None
    _dropped: tuple[int, int, bool, bool]

    def __init__(
        self, indptr: ArrayLike, indices: ArrayLike, labels: Sequence[Hashable] | None = None
    ) -> None:
        indptr, indices = as_int32("indptr", indptr), as_int32("indices", indices)
        if len(indptr) == 0:
            raise NetworkFormatError(
                "`indptr` must have n + 1 entries ([0] for no nodes); got an empty array"
            )
        code, node = kernel("csr.check_csr")(indptr, indices)
        if code:
            raise NetworkFormatError(
                f"not a simple undirected graph in CSR form: {CSR_FAULTS[code]} at node {node}; "
                "Graph.from_edges and Graph.of accept loops, repeated edges and one-way edges"
            )
        self._set(indptr, indices, labels)

    def _set(
        self,
        indptr: NDArray[np.int32],
        indices: NDArray[np.int32],
        labels: Sequence[Hashable] | None = None,
        dropped: tuple[int, int, bool, bool] = (0, 0, False, False),
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
        self.__dict__.update(indptr=indptr, indices=indices, labels=labels, _dropped=dropped)

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
        edges = from_edge_list(edges)
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
        dropped = (int(loops), int(repeats), edges.directed, edges.weighted)
        return cls._trusted(indptr, indices, edges.labels, dropped)

    @classmethod
    def of(cls, thing: Any) -> Graph:
        """Convert an object of another library, a list, or the path of a file to a graph.

        Accepted are a :class:`Graph`; the path of a network file; a networkx, igraph, networkit or
        graph-tool graph; a scipy sparse matrix or array; a NumPy array; a data frame of pandas; a list
        of pairs, or of triples with a weight; and a dictionary with the neighbours of each node. None
        of these libraries is imported.

        A square array is an adjacency matrix, in which non-zero entries are edges. An array of shape
        (m, 2) has one edge per row, and one of shape (m, 3) also a weight; integers are node ids. An
        array of shape (2, 2) is an adjacency matrix if it has zeros and ones only, and else an error.
        A data frame is an adjacency matrix if it is numeric and its index equals its columns; otherwise
        the nodes are in two columns with known names (source, target, from, to, …), or in the first two.

        Direction, weights, self loops and repeated edges are dropped, and :attr:`dropped` says so.

        >>> import numpy as np
        >>> Graph.of(np.ones((3, 3)))
        <Graph: 3 nodes, 3 edges; dropped: 3 self loops>
        >>> Graph.of({"a": ["b", "c"], "b": ["a"]}).dropped
        ['direction', '1 repeated edge']
        """
        if isinstance(thing, Graph):
            return thing
        if isinstance(thing, (str, PathLike)) and FILE_READERS:
            return FILE_READERS[0](thing)
        return cls.from_pairs(network_objects.from_object(thing))

    @classmethod
    def from_networkx(cls, graph: nx.Graph) -> Graph:
        """Convert a networkx graph; nodes 0…n−1 keep their ids, others are numbered in order."""
        return cls.from_pairs(network_objects.from_networkx(graph))

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
    def self_loops_dropped(self) -> int:
        """Number of self loops of the object or file that were dropped."""
        return self._dropped[0]

    @property
    def repeats_dropped(self) -> int:
        """Number of repeated edges of the object or file that were dropped."""
        return self._dropped[1]

    @property
    def dropped(self) -> list[str]:
        """What the object or file had, and a simple undirected network has not.

        >>> Graph.from_edges([(0, 1), (1, 0), (1, 1)]).dropped
        ['1 self loop', '1 repeated edge']
        """
        loops, repeats, direction, weights = self._dropped
        texts = ("direction", "weights", count(loops, "self loop"), count(repeats, "repeated edge"))
        present = zip(texts, (direction, weights, loops, repeats), strict=True)
        return [text for text, is_present in present if is_present]

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
        return Graph._trusted(indptr, indices, labels, self._dropped)

    def summary(self) -> dict[str, Any]:
        """Return the number of nodes, edges and components, the degrees, and the fingerprint."""
        component_labels = kernel("linear_passes.component_labels")
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
        return Graph._trusted, (self.indptr, self.indices, self.labels, self._dropped)

    def __repr__(self) -> str:
        labelled = ", labelled" if self.labels is not None else ""
        dropped = f"; dropped: {', '.join(self.dropped)}" if self.dropped else ""
        size = f"{count(self.n_nodes, 'node')}, {count(self.n_edges, 'edge')}"
        return f"<Graph: {size}{labelled}{dropped}>"

    def _repr_html_(self) -> str:
        rows = [(name.replace("_", " "), value) for name, value in self.summary().items()]
        return summary_html(repr(self).strip("<>"), ("", "value"), rows)
