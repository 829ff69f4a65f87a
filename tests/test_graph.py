"""The class Graph: construction, conversion and checks."""

import copy
import hashlib
import pickle
import struct
import subprocess
import sys

import igraph
import networkit
import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from netchoice import Graph
from netchoice.errors import NetchoiceError, NetworkFormatError

pytestmark = pytest.mark.kernels

pairs = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), max_size=40)


@given(pairs, st.integers(13, 20))
def test_from_edges_drops_self_loops_and_repeated_edges(edges, n_nodes):
    graph = Graph.from_edges(edges, n_nodes)
    simple = {tuple(sorted(edge)) for edge in edges if edge[0] != edge[1]}
    assert [tuple(edge) for edge in graph.edges().tolist()] == sorted(simple)
    assert graph.n_nodes == n_nodes
    assert graph.self_loops_dropped == sum(u == v for u, v in edges)
    assert graph.repeats_dropped == len(edges) - graph.self_loops_dropped - len(simple)
    for node in range(n_nodes):
        neighbors = graph.neighbors(node).tolist()
        assert neighbors == sorted(v if u == node else u for u, v in simple if node in (u, v))
    assert graph.degrees.tolist() == [len(graph.neighbors(node)) for node in range(n_nodes)]
    assert Graph(graph.indptr, graph.indices) == graph


@given(pairs)
def test_array_list_and_generator_give_the_same_graph(edges):
    graph = Graph.from_edges(edges)
    assert Graph.from_edges(np.array(edges, dtype=np.int64).reshape(-1, 2)) == graph
    assert Graph.from_edges(edge for edge in edges) == graph
    assert Graph.from_edges(edges[::-1]) == graph
    assert graph.n_nodes == max((max(edge) for edge in edges), default=-1) + 1


@given(pairs)
def test_conversion_to_other_types_and_back_gives_the_same_graph(edges):
    graph = Graph.from_edges(edges, 13)
    assert Graph.from_networkx(graph.to_networkx()) == graph
    assert pickle.loads(pickle.dumps(graph)) == graph
    assert copy.deepcopy(graph) == graph
    assert Graph.of(graph) is graph
    named = nx.relabel_nodes(graph.to_networkx(), str)
    assert Graph.of(named) == graph
    assert Graph.of(named).labels == tuple(map(str, range(13)))
    assert list(Graph.of(named).to_networkx()) == list(named)
    for build in (scipy.sparse.csr_array, scipy.sparse.coo_matrix, np.asarray):
        matrix = build(nx.to_numpy_array(graph.to_networkx()))
        assert Graph.of(matrix) == graph
        assert Graph.of(matrix).repeats_dropped == 0
    assert Graph.of(igraph.Graph(13, graph.edges().tolist())) == graph
    assert Graph.of(networkit.nxadapter.nx2nk(graph.to_networkx())) == graph


def test_labels_are_kept():
    graph = Graph.from_edges([("b", "a"), ("a", 3), ("b", "b")])
    assert graph.labels == ("b", "a", 3)
    assert graph.without_isolated().labels == ("b", "a", 3)
    assert Graph.from_edges([("a", "a"), ("b", "c")]).without_isolated().labels == ("b", "c")
    named = igraph.Graph(edges=[(0, 1)])
    named.vs["name"] = ["x", "y"]
    assert Graph.of(named).labels == ("x", "y")
    holes = networkit.Graph(4)
    holes.addEdge(1, 3)
    holes.removeNode(0)
    assert Graph.of(holes).labels == (1, 2, 3)
    assert Graph.of(holes).edges().tolist() == [[0, 2]]


def test_integer_nodes_of_networkx_keep_their_ids():
    shuffled = nx.Graph()
    shuffled.add_nodes_from([2, 0, 1])
    shuffled.add_edge(2, 0)
    graph = Graph.of(shuffled)
    assert graph.labels is None
    assert graph.edges().tolist() == [[0, 2]]
    assert Graph.of(nx.Graph([(5, 7)])).labels == (5, 7)
    assert Graph.of(nx.MultiDiGraph([(0, 1), (1, 0), (0, 1)])).repeats_dropped == 2


def test_graphs_with_no_or_one_node():
    for graph in (Graph.from_edges([]), Graph([0], []), Graph.of(nx.Graph())):
        assert (graph.n_nodes, graph.n_edges) == (0, 0)
        assert graph.edges().shape == (0, 2)
        assert graph.summary()["components"] == 0
    single = Graph.from_edges([], n_nodes=1)
    assert single.summary()["largest_component"] == 1
    assert repr(single) == "<Graph: 1 node, 0 edges>"
    assert repr(Graph.from_edges([("a", "b")])) == "<Graph: 2 nodes, 1 edge, labelled>"


def test_graphs_are_immutable_and_hashable():
    graph = Graph.from_edges([(0, 1), (1, 2)])
    same = Graph.from_edges([("x", "y"), ("z", "y")])
    other = Graph.from_edges([(0, 1), (0, 2)])
    with pytest.raises(AttributeError, match="cannot be changed"):
        graph.indptr = None
    with pytest.raises(ValueError, match="read-only"):
        graph.indices[0] = 2
    with pytest.raises(AttributeError, match="cannot be changed"):
        del graph.indptr
    assert graph.fingerprint == same.fingerprint != other.fingerprint
    assert {graph, same, other} == {graph, other}
    assert graph != "graph"
    # Isolated nodes are part of the structure.
    assert Graph.from_edges([(0, 1)]) != Graph.from_edges([(0, 1)], n_nodes=3)
    # The fingerprint is stored in files, so it must never change.
    content = struct.pack("<9i", 3, *(0, 1, 3, 4), *(1, 0, 2, 1))
    assert graph.fingerprint == hashlib.blake2b(content, digest_size=16).hexdigest()


def test_input_arrays_are_not_changed():
    edges = np.array([[0, 1], [1, 2]])
    indptr, indices = np.array([0, 1, 2], np.int32), np.array([1, 0], np.int32)
    Graph.from_edges(edges)
    Graph(indptr, indices)
    edges[0, 0] = indptr[0] = indices[0] = 0  # still writable
    one = np.array([[0, 1]])
    one.flags.writeable = False
    assert Graph.from_edges(one).n_edges == 1


@pytest.mark.parametrize(
    ("edges", "n_nodes", "message"),
    [
        ([(0, -1)], None, "node id -1 is negative"),
        ([(0, 5)], 3, "node id 5 with n_nodes=3"),
        ([(0, 1)], -1, "`n_nodes` must be an integer of at least 0; got -1"),
        ([(0, 1)], float("nan"), "`n_nodes` must be an integer of at least 0; got nan"),
        (None, None, "is not a list of edges"),
        ([(0, 1, 2)], None, "edge number 1 is .* expected a pair"),
        ([(0, 1), 7], None, "edge number 2 is 7"),
        (["ab"], None, "edge number 1 is 'ab'"),
        ([([], 1)], None, "expected a pair of nodes"),
        ([("a", None)], None, "None is not a name of a node"),
        ([("a", float("nan"))], None, "nan is not a name"),
        ([("a", "b")], 5, "2 different labels"),
        ([(0, 2**40)], None, "need more than 32-bit indices"),
        ([(0, 2**80)], None, "does not fit into 64 bits"),
        (np.zeros((3, 3), int), None, r"shape \(3, 3\); expected \(m, 2\)"),
        (np.zeros((3, 2)), None, "array of floats"),
    ],
)
def test_invalid_edges_raise_an_error(edges, n_nodes, message):
    with pytest.raises(NetchoiceError, match=message):
        Graph.from_edges(edges, n_nodes)


@pytest.mark.parametrize(
    ("indptr", "indices", "message"),
    [
        ([], [], "`indptr` must have n . 1 entries .*; got an empty array"),
        ([0, 1], [], "does not increase from 0"),
        ([1, 2], [0, 0], "does not increase from 0"),
        ([0, 2, 1, 2], [1, 2], "does not increase from 0"),
        ([0, 1, 2], [1, 2], "out of range"),
        ([0, 1, 2], [0, 1], "self loop"),
        ([0, 2, 3, 4], [2, 1, 0, 0], "not sorted"),
        ([0, 1, 1], [1], "one direction only"),
        (
            [0, 1, 1],
            [[1]],
            "`indices` must be a one-dimensional array of integers; got 2 dimensions",
        ),
        ([0, 1, 1], [0.5], "one-dimensional array of integers; got 1 dimensions of float64"),
        ([0, 1, 1], [-1], "`indices` must have entries from 0 to .*; got -1 to -1"),
    ],
)
def test_invalid_csr_arrays_raise_an_error(indptr, indices, message):
    with pytest.raises(NetworkFormatError, match=message):
        Graph(indptr, indices)


def test_invalid_labels_raise_an_error():
    with pytest.raises(NetworkFormatError, match="1 labels for 2 nodes"):
        Graph([0, 1, 2], [1, 0], ["a"])
    with pytest.raises(NetworkFormatError, match="same label"):
        Graph([0, 1, 2], [1, 0], ["a", "a"])


@pytest.mark.parametrize(
    ("thing", "message"),
    [
        ("net.txt", "net.txt: no such file"),
        (None, "None is not a network"),
        (np.zeros((3, 2)), "array of floats"),
        (np.zeros((3, 4)), "square"),
        (scipy.sparse.csr_array((3, 2)), "square"),
        (np.full((2, 2), np.nan), "missing"),
        (np.array([["a", "b"], ["c", "d"]]), "expected numbers"),
    ],
)
def test_objects_that_are_not_networks_raise_an_error(thing, message):
    with pytest.raises(NetworkFormatError, match=message):
        Graph.of(thing)


def test_neighbors_of_a_missing_node_raise_an_error():
    with pytest.raises(IndexError, match="nodes are 0 to 1"):
        Graph.from_edges([(0, 1)]).neighbors(-1)


def test_a_million_nodes_and_five_million_edges():
    """Memory is linear in the edges; an adjacency matrix would need a terabyte."""
    rng = np.random.default_rng(1)
    edges = rng.integers(0, 1_000_000, (5_000_000, 2))
    graph = Graph.from_edges(edges, n_nodes=1_000_000)
    assert graph.n_nodes == 1_000_000
    assert graph.n_edges + graph.repeats_dropped + graph.self_loops_dropped == 5_000_000
    assert (np.diff(graph.edges()[:, 0]) >= 0).all()


def test_other_libraries_are_not_imported():
    """Importing netchoice imports neither the compiler nor other graph libraries."""
    code = "import sys, netchoice; print(*sorted({m.partition('.')[0] for m in sys.modules}))"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    slow_to_import = {
        "networkx",
        "scipy",
        "igraph",
        "networkit",
        "numba",
        "pandas",
        "matplotlib",
        "sklearn",
    }
    assert not slow_to_import & set(loaded.stdout.split())


# Objects with edges


EDGES = [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)]


@pytest.mark.parametrize(
    "thing",
    [
        np.array(EDGES),
        np.array([(*edge, 5) for edge in EDGES]),
        np.array([(*edge, 0.5) for edge in EDGES]),
        [(*edge, 0.5) for edge in EDGES],
        [(*edge, {"weight": 2}) for edge in EDGES],
        {0: [1, 3, 2], 1: [0, 2], 2: [1, 3, 0], 3: [2, 0]},
        {0: {1: {}, 3: {}, 2: {}}, 1: {2: {}}, 2: {3: {}}, 3: {}},
        pd.DataFrame(EDGES, columns=["source", "target"]),
        pd.DataFrame([(9, *edge) for edge in EDGES], columns=["n", "from", "to"]),
        pd.DataFrame([(u, v, 1.5) for u, v in EDGES]),
        pd.DataFrame(nx.to_numpy_array(nx.Graph(EDGES))),
        nx.to_pandas_adjacency(nx.Graph(EDGES), nodelist=[0, 1, 2, 3]),
        pl.DataFrame(EDGES, schema=["u", "v"], orient="row"),
    ],
)
def test_objects_with_edges_become_networks(thing):
    graph = Graph.of(thing)
    names = graph.labels or range(4)
    found = {frozenset((names[u], names[v])) for u, v in graph.edges().tolist()}
    assert found == set(map(frozenset, EDGES))


def test_path_becomes_a_network(tmp_path):
    (tmp_path / "net.csv").write_text("u,v\n0,1\n1,2\n")
    assert Graph.of(tmp_path / "net.csv") == Graph.of(str(tmp_path / "net.csv"))
    assert Graph.of(tmp_path / "net.csv").n_edges == 2


def test_array_of_two_rows_and_columns():
    assert Graph.of(np.array([[0, 1], [1, 0]])).n_edges == 1
    with pytest.raises(
        NetworkFormatError, match=r"adjacency matrix or two edges; use Graph\.from_edges"
    ):
        Graph.of(np.array([[0, 1], [1, 2]]))


@pytest.mark.parametrize(
    ("thing", "message"),
    [
        (pd.DataFrame([[0.5, 1.5], [1.5, 2.5], [2.5, 0.5]]), "decimal numbers"),
        (pd.DataFrame({"a": ["x", None], "b": ["y", "z"], "c": [1, 2]}), "missing values in"),
        (pd.DataFrame({"a": pd.array([1, None], "Int64"), "b": [1, 2]}), "missing values in"),
        (pd.DataFrame({"a": [1]}), "expected a table of edges"),
        (np.array([[0.5, 1, 2], [1, 2, 3]]), "decimal numbers in the first two columns"),
        ({"a": 5}, "the neighbours of 'a' are 5"),
        ({"a": "bc"}, "the neighbours of 'a' are 'bc'"),
        ([(0, 1, "x")], "expected a pair of nodes, possibly with a weight"),
    ],
)
def test_other_objects_raise_an_error(thing, message):
    with pytest.raises(NetworkFormatError, match=message):
        Graph.of(thing)


def test_what_is_dropped_is_noted():
    graph = nx.MultiDiGraph([(0, 1), (1, 0), (0, 1), (1, 1)])
    graph.add_edge(1, 2, weight=3)
    graph = Graph.of(graph)
    assert graph.dropped[:2] == ["direction", "weights"]
    dropped = "direction, weights, 1 self loop, 2 repeated edges"
    assert repr(graph) == f"<Graph: 3 nodes, 2 edges; dropped: {dropped}>"
    assert pickle.loads(pickle.dumps(graph)).dropped == graph.dropped
    assert Graph.of(np.triu(np.ones((3, 3)), 1)).dropped == ["direction"]
    assert Graph.of(nx.path_graph(4)).dropped == []
