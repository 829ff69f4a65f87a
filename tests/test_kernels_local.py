"""Kernels of local structure against reference implementations and networkx."""

from functools import cache
from math import comb

import naive
import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import netchoice
from netchoice import Graph
from netchoice._kernels.clique_search import clique_number, count_cliques
from netchoice._kernels.linear_passes import (
    component_labels,
    core_numbers,
    degree_connectivity,
    edge_dominating_set_size,
    node_dominating_set_size,
)
from netchoice._kernels.local_efficiency import local_efficiency
from netchoice._kernels.subgraphs import node_triangles, square_clustering

pytestmark = pytest.mark.kernels

close = {"rtol": 1e-9, "atol": 1e-12}
#: So many steps that a search for cliques is never stopped.
MANY = 10**12


def largest_component(graph):
    label, n_components = component_labels(graph.indptr, graph.indices)
    if n_components == 0:
        return np.zeros(0, bool)
    return label == np.argmax(np.bincount(label))


def measure(graph):
    """Return the results of all kernels, by name."""
    csr = graph.indptr, graph.indices
    everything = np.ones(graph.n_nodes, bool)
    return {
        "core": core_numbers(*csr)[0],
        "triangles": node_triangles(*csr),
        "local_efficiency": local_efficiency(*csr),
        "square_clustering": square_clustering(*csr),
        "cliques": count_cliques(*csr, MANY),
        "clique_number": clique_number(*csr, MANY),
        "node_dominating": node_dominating_set_size(*csr),
        "edge_dominating": edge_dominating_set_size(*csr),
        "connectivity": degree_connectivity(*csr, everything),
        "lcc_connectivity": degree_connectivity(*csr, largest_component(graph)),
    }


def measure_with_reference(graph):
    adjacency = [graph.neighbors(u).tolist() for u in range(graph.n_nodes)]
    return {
        "core": naive.core_numbers(adjacency),
        "triangles": naive.node_triangles(adjacency),
        "local_efficiency": naive.local_efficiency(adjacency),
        "square_clustering": naive.square_clustering(adjacency),
        "cliques": naive.count_cliques(adjacency),
        "clique_number": naive.clique_number(adjacency),
        "node_dominating": naive.node_dominating_set_size(adjacency),
        "edge_dominating": naive.edge_dominating_set_size(adjacency),
        "connectivity": naive.degree_connectivity(adjacency, [True] * graph.n_nodes),
        "lcc_connectivity": naive.degree_connectivity(adjacency, largest_component(graph)),
    }


def mean(values):
    values = list(values)
    return sum(values) / len(values) if values else 0


def measure_with_networkx(graph):
    network = graph.to_networkx()
    lcc = network.subgraph(np.flatnonzero(largest_component(graph)).tolist())
    triangles = nx.triangles(network)
    return {
        "core": list(nx.core_number(network).values()),
        "triangles": list(triangles.values()),
        "local_efficiency": [
            nx.global_efficiency(network.subgraph(network[v])) for v in range(graph.n_nodes)
        ],
        "square_clustering": list(nx.square_clustering(network).values()),
        "cliques": count_with_networkx(network),
        "clique_number": max(map(len, nx.find_cliques(network)), default=0),
        "node_dominating": len(nx.approximation.min_weighted_dominating_set(network)),
        "edge_dominating": (
            len(nx.approximation.min_edge_dominating_set(network)) if graph.n_nodes else 0
        ),
        "connectivity": mean(nx.average_degree_connectivity(network).values()),
        "lcc_connectivity": mean(nx.average_degree_connectivity(lcc).values()),
    }


def count_with_networkx(network):
    fours = fives = 0
    for clique in nx.enumerate_all_cliques(network):
        if len(clique) > 5:
            break
        fours += len(clique) == 4
        fives += len(clique) == 5
    return fours, fives


def assert_same(ours, ref):
    assert ours.keys() == ref.keys()
    for name, expected in ref.items():
        result, expected = np.asarray(ours[name]), np.asarray(expected)
        assert result.shape == expected.shape, name
        if np.issubdtype(result.dtype, np.integer):
            assert result.tolist() == expected.tolist(), name
        else:
            np.testing.assert_allclose(result, expected, err_msg=name, **close)


def check(graph, *, with_networkx=True):
    ours = measure(graph)
    assert_same(ours, measure_with_reference(graph))
    if with_networkx:
        assert_same(ours, measure_with_networkx(graph))
    order = core_numbers(graph.indptr, graph.indices)[1]
    adjacency = [graph.neighbors(u).tolist() for u in range(graph.n_nodes)]
    assert naive.is_degeneracy_order(order.tolist(), adjacency)


def of(network):
    return Graph.from_networkx(nx.convert_node_labels_to_integers(network))


def joined(*networks, n_isolated=0):
    return of(nx.disjoint_union_all([*networks, nx.empty_graph(n_isolated)]))


def wheel_of_cliques(n_cliques, size):
    """Return a chain of cliques with a hub that is linked to all nodes."""
    chain = nx.disjoint_union_all([nx.complete_graph(size)] * n_cliques)
    chain.add_edges_from((size * i + 1, size * (i + 1)) for i in range(n_cliques - 1))
    hub = len(chain)
    chain.add_edges_from((hub, u) for u in range(hub))
    return of(chain)


NAMED = {
    "no nodes": lambda: Graph.from_edges([], n_nodes=0),
    "one node": lambda: Graph.from_edges([], n_nodes=1),
    "two nodes": lambda: Graph.from_edges([], n_nodes=2),
    "one edge": lambda: Graph.from_edges([(0, 1)]),
    "no edges": lambda: Graph.from_edges([], n_nodes=7),
    "star": lambda: of(nx.star_graph(9)),
    "large star": lambda: of(nx.star_graph(200)),
    "star with a late centre": lambda: Graph.from_edges([(u, 9) for u in range(9)]),
    "path": lambda: of(nx.path_graph(12)),
    "cycle": lambda: of(nx.cycle_graph(11)),
    "square": lambda: of(nx.cycle_graph(4)),
    "complete": lambda: of(nx.complete_graph(9)),
    "complete bipartite": lambda: of(nx.complete_bipartite_graph(5, 7)),
    "petersen": lambda: of(nx.petersen_graph()),
    "wheel": lambda: of(nx.wheel_graph(90)),
    "wheel of cliques, narrow": lambda: wheel_of_cliques(6, 5),
    "wheel of cliques, wide": lambda: wheel_of_cliques(14, 6),
    "wheel of small cliques, wide": lambda: wheel_of_cliques(70, 3),
    "two identical components": lambda: joined(nx.wheel_graph(6), nx.wheel_graph(6)),
    "isolated and two parts": lambda: joined(nx.complete_graph(4), nx.path_graph(6), n_isolated=3),
    "hub of 64": lambda: of(nx.wheel_graph(65)),
    "hub of 65": lambda: of(nx.wheel_graph(66)),
    "almost complete": lambda: of(nx.complement(nx.path_graph(10))),
}


@pytest.mark.parametrize("name", NAMED)
def test_named_graphs_equal_the_references(name):
    check(NAMED[name]())


@pytest.mark.slow
def test_all_graphs_with_up_to_seven_nodes():
    for network in nx.graph_atlas_g():
        check(of(network))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("density", [0.01, 0.05, 0.15, 0.4])
def test_random_graphs_equal_the_references(density, seed):
    check(of(nx.gnp_random_graph(60, density, seed=seed)))


@pytest.mark.parametrize("density", [0.5, 0.8, 0.95])
def test_dense_graphs_equal_the_references(density):
    check(of(nx.gnp_random_graph(18, density, seed=1)))


@pytest.mark.parametrize("m", [1, 2, 3, 4])
def test_preferential_attachment_equals_the_references(m):
    check(of(nx.barabasi_albert_graph(300, m, seed=m)))


@cache
def duplication_network(seed):
    rng = np.random.default_rng(seed)
    space = netchoice.get_space("duplication")
    label, params = space.sample(rng)
    return space[label].grow(300, params, rng)


@pytest.mark.parametrize("seed", range(12))
def test_duplication_equals_the_references(seed):
    graph = duplication_network(seed)
    check(graph, with_networkx=graph.n_edges < 3000)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_arbitrary_edges_equal_the_references(data):
    n_nodes = data.draw(st.integers(1, 14))
    node = st.integers(0, n_nodes - 1)
    edges = data.draw(st.lists(st.tuples(node, node), max_size=60))
    check(Graph.from_edges(np.array(edges, int).reshape(-1, 2), n_nodes=n_nodes))


@pytest.mark.parametrize("n_nodes", [63, 64, 65, 66, 128, 129, 200])
def test_complete_graphs_have_closed_forms(n_nodes):
    graph = of(nx.complete_graph(n_nodes))
    ours = measure(graph)
    assert ours["cliques"] == (comb(n_nodes, 4), comb(n_nodes, 5))
    assert ours["clique_number"] == n_nodes
    assert set(ours["core"]) == {n_nodes - 1}
    assert set(ours["triangles"]) == {comb(n_nodes - 1, 2)}
    assert sum(ours["triangles"]) == 3 * comb(n_nodes, 3)
    assert set(ours["local_efficiency"]) == {1}
    np.testing.assert_allclose(ours["square_clustering"], 1)
    assert ours["node_dominating"] == 1
    assert ours["edge_dominating"] == n_nodes // 2
    assert ours["connectivity"] == n_nodes - 1


@pytest.mark.parametrize(("n_nodes", "n_parts"), [(150, 10), (140, 70), (130, 3)])
def test_cliques_of_turan_graphs_have_closed_forms(n_nodes, n_parts):
    """A clique has at most one node of each part; counts are elementary symmetric sums."""
    parts = [n_nodes // n_parts + (i < n_nodes % n_parts) for i in range(n_parts)]
    counts = [1, 0, 0, 0, 0, 0]
    for part in parts:
        for size in range(5, 0, -1):
            counts[size] += part * counts[size - 1]
    graph = of(nx.turan_graph(n_nodes, n_parts))
    assert count_cliques(graph.indptr, graph.indices, MANY) == tuple(counts[4:])
    assert clique_number(graph.indptr, graph.indices, MANY) == n_parts


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.slow
def test_neighbourhoods_of_more_than_64_nodes_equal_the_references(seed):
    """The neighbours of a hub have several components and distances above 2."""
    network = nx.gnp_random_graph(210, 0.012 + 0.05 * seed, seed=seed)
    network.add_edges_from((210, u) for u in range(200))
    graph = of(network)
    check(graph)


def joined_cycles(n_cycles):
    """Return cycles of 5 nodes, with all edges between different cycles: hard to search for cliques."""
    return of(nx.complement(nx.disjoint_union_all([nx.cycle_graph(5)] * n_cycles)))


def test_searches_for_cliques_stop_at_their_number_of_steps():
    small, hard = joined_cycles(6), joined_cycles(20)
    assert clique_number(small.indptr, small.indices, MANY) == 12
    assert clique_number(hard.indptr, hard.indices, 10**6) == -1
    complete = of(nx.complete_graph(150))
    assert count_cliques(complete.indptr, complete.indices, 10**5) == (-1, -1)
    assert count_cliques(complete.indptr, complete.indices, MANY)[0] == comb(150, 4)


@pytest.mark.slow
def test_largest_clique_of_a_hard_network_is_not_computed_and_other_features_are():
    found = netchoice.compute_features(joined_cycles(20), ["max_clique_size", "n_triangles"])
    assert "takes more than 1e+09 steps" in found.failures["max_clique_size"]
    assert found.values["n_triangles"] > 0


@pytest.mark.parametrize("seed", range(3))
def test_cliques_in_dense_graphs_with_more_than_64_nodes(seed):
    network = nx.gnp_random_graph(110, 0.75, seed=seed)
    graph = of(network)
    largest, _ = nx.max_weight_clique(network, weight=None)
    assert clique_number(graph.indptr, graph.indices, MANY) == len(largest)
    adjacency = nx.to_numpy_array(graph.to_networkx(), dtype=np.int64)
    assert count_cliques(graph.indptr, graph.indices, MANY)[0] == four_cliques_by_matrix(adjacency)


def four_cliques_by_matrix(adjacency):
    """Count the edges among the common neighbours of each edge's ends; a 4-clique has six edges."""
    total = 0
    for u, v in zip(*np.nonzero(np.triu(adjacency)), strict=True):
        common = np.flatnonzero(adjacency[u] & adjacency[v])
        total += adjacency[np.ix_(common, common)].sum() // 2
    return total // 6


def test_results_are_bit_identical_on_every_run():
    graph = duplication_network(3)
    first, second = measure(graph), measure(graph)
    for name in first:
        np.testing.assert_array_equal(first[name], second[name])
