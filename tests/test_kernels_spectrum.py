"""Spectral kernels against dense eigendecompositions and closed forms."""

import math

import naive
import networkx as nx
import numpy as np
import pytest
from fast_and_slow import fast_for

import netchoice
from netchoice import Graph
from netchoice._kernels.linear_passes import component_labels
from netchoice._kernels.spectrum import estrada_index, leading_eigenvector

pytestmark = pytest.mark.kernels

ACCURACY = 1e-9
SMALLEST_GAP = 1e-6


def ours(graph):
    labels = component_labels(graph.indptr, graph.indices)
    estrada = estrada_index(graph.indptr, graph.indices, *labels)
    value, vector = leading_eigenvector(graph.indptr, graph.indices, *labels)
    return estrada, value, vector


def neighbour_lists(graph):
    return [graph.neighbors(u).tolist() for u in range(graph.n_nodes)]


def check(graph):
    adjacency = neighbour_lists(graph)
    estrada, value, vector = ours(graph)
    assert estrada == pytest.approx(naive.estrada_index(adjacency), rel=ACCURACY, abs=0)
    ref_value, ref_vector, gap = naive.leading_eigenvector(adjacency)
    assert value == pytest.approx(ref_value, rel=ACCURACY, abs=1e-14)
    assert vector.shape == (graph.n_nodes,)
    assert np.all(vector >= 0)
    if graph.n_nodes and gap > SMALLEST_GAP:
        assert vector.mean() == pytest.approx(ref_vector.mean(), rel=ACCURACY)
        assert vector.max() == pytest.approx(ref_vector.max(), rel=ACCURACY)
        np.testing.assert_allclose(vector, ref_vector, rtol=0, atol=1e-14 / gap + 1e-9)


def relabelled(graph, seed=0):
    order = np.random.default_rng(seed).permutation(len(graph))
    return nx.relabel_nodes(graph, dict(zip(range(len(graph)), order.tolist(), strict=True)))


def side_by_side(*graphs):
    return nx.disjoint_union_all(graphs)


def cliques_around_a_centre(n_cliques, size, largest=1):
    """Return a graph with a repeated eigenvalue, which a Krylov space contains only once."""
    graph = nx.disjoint_union_all([nx.complete_graph(size)] * n_cliques)
    centre = n_cliques * size
    graph.add_edges_from((centre, i * size) for i in range(n_cliques))
    graph.add_edges_from(nx.complete_graph(range(centre, centre + largest)).edges())
    return graph


NAMED = {
    "one edge": nx.path_graph(2),
    "path 3": nx.path_graph(3),
    "path 47": nx.path_graph(47),
    "path 300": nx.path_graph(300),
    "long-tailed triangle": nx.lollipop_graph(3, 250),
    "lollipop": nx.lollipop_graph(40, 60),
    "barbell": nx.barbell_graph(30, 10),
    "star 5": nx.star_graph(4),
    "star 300": nx.star_graph(299),
    "cycle 3": nx.cycle_graph(3),
    "cycle 48": nx.cycle_graph(48),
    "cycle 301": nx.cycle_graph(301),
    "complete 10": nx.complete_graph(10),
    "complete 60": nx.complete_graph(60),
    "complete 400": nx.complete_graph(400),
    "complete bipartite": nx.complete_bipartite_graph(40, 90),
    "grid": nx.convert_node_labels_to_integers(nx.grid_2d_graph(12, 17)),
    "hypercube": nx.convert_node_labels_to_integers(nx.hypercube_graph(8)),
    "ring lattice": nx.watts_strogatz_graph(200, 6, 0.0, seed=1),
    "random regular": nx.random_regular_graph(3, 200, seed=1),
    "cliques around a centre": cliques_around_a_centre(6, 20),
    "big cliques around a centre": cliques_around_a_centre(3, 45),
    "cliques around a larger one": cliques_around_a_centre(4, 45, largest=51),
    "cliques around a much larger one": cliques_around_a_centre(4, 45, largest=75),
    "balanced tree": nx.balanced_tree(3, 5),
    "random tree": nx.random_labeled_tree(200, seed=2),
    "two equal components": side_by_side(nx.lollipop_graph(5, 4), nx.lollipop_graph(5, 4)),
    "two equal, interleaved": relabelled(
        side_by_side(nx.lollipop_graph(5, 4), nx.lollipop_graph(5, 4))
    ),
    "two large equal, interleaved": relabelled(
        side_by_side(*[nx.barabasi_albert_graph(120, 3, seed=3)] * 2)
    ),
    "star and cycle, both 2": side_by_side(nx.star_graph(4), nx.cycle_graph(7)),
    "cycle and star, both 2": side_by_side(nx.cycle_graph(7), nx.star_graph(4)),
    "star and cycle, interleaved": relabelled(
        side_by_side(nx.star_graph(4), nx.cycle_graph(70), nx.empty_graph(3)), seed=5
    ),
    "clique and bipartite, both 6": side_by_side(
        nx.complete_bipartite_graph(4, 9), nx.complete_graph(7)
    ),
    "later component leads": side_by_side(nx.path_graph(60), nx.empty_graph(2), nx.star_graph(9)),
    "many small components": relabelled(
        side_by_side(*[nx.path_graph(k) for k in range(1, 9)] * 2, *[nx.cycle_graph(5)] * 3)
    ),
}


@pytest.mark.parametrize("n_nodes", [1, 2, 3, 17])
def test_graphs_without_edges_have_exact_values(n_nodes):
    estrada, value, vector = ours(Graph.from_edges([], n_nodes=n_nodes))
    assert estrada == n_nodes
    assert value == 0
    assert vector.tolist() == [1.0] + [0.0] * (n_nodes - 1)


def test_graph_without_nodes_has_exact_values():
    estrada, value, vector = ours(Graph.from_edges([], n_nodes=0))
    assert (estrada, value, len(vector)) == (0, 0, 0)


@pytest.mark.parametrize("name", NAMED)
def test_named_graphs_equal_the_reference(name):
    check(Graph.from_networkx(NAMED[name]))


def test_complete_graph_and_star_have_closed_forms():
    estrada, value, _ = ours(Graph.from_networkx(nx.complete_graph(50)))
    assert estrada == pytest.approx(math.exp(49) + 49 / math.e, rel=1e-12)
    assert value == pytest.approx(49, rel=1e-14)
    estrada, value, vector = ours(Graph.from_networkx(nx.star_graph(100_000)))
    assert estrada == pytest.approx(99_999 + 2 * math.cosh(math.sqrt(100_000)), rel=ACCURACY)
    assert value == pytest.approx(math.sqrt(100_000), rel=1e-13)
    assert vector.max() == pytest.approx(math.sqrt(0.5), rel=1e-12)


def test_estrada_index_overflows_only_if_its_value_does():
    estrada, *_ = ours(Graph.from_networkx(nx.complete_graph(700)))
    assert estrada == pytest.approx(math.exp(699), rel=ACCURACY)
    estrada, *_ = ours(Graph.from_networkx(nx.complete_graph(720)))
    assert estrada == math.inf


def test_long_path_has_the_closed_form():
    n = 2000
    _, value, vector = ours(Graph.from_networkx(nx.path_graph(n)))
    angle = math.pi / (n + 1)
    assert value == pytest.approx(2 * math.cos(angle), rel=1e-14)
    exact = np.sin(angle * np.arange(1, n + 1)) * math.sqrt(2 / (n + 1))
    assert vector.mean() == pytest.approx(exact.mean(), rel=ACCURACY)
    assert vector.max() == pytest.approx(exact.max(), rel=ACCURACY)


def test_all_graphs_with_up_to_seven_nodes_equal_the_reference():
    for graph in nx.graph_atlas_g():
        check(Graph.from_networkx(graph))


@fast_for("seed", [0], range(4))
@pytest.mark.parametrize("mean_degree", [0.5, 1, 1.5, 3, 8, 30, 100])
@pytest.mark.parametrize("n_nodes", [30, 110, 260])
def test_random_graphs_equal_the_reference(n_nodes, mean_degree, seed):
    density = min(1, mean_degree / n_nodes)
    check(Graph.from_networkx(nx.fast_gnp_random_graph(n_nodes, density, seed)))


@pytest.mark.parametrize("label", ["ba1", "ba2", "ba3", "ba4"])
@pytest.mark.parametrize("n_nodes", [20, 100, 400])
def test_preferential_attachment_equals_the_reference(label, n_nodes):
    model = netchoice.get_space("ba")[label]
    check(model.grow(n_nodes, {}, np.random.default_rng(7)))


@fast_for("p_delete", [0.25, 0.6], [0.25, 0.35, 0.45, 0.6, 0.75])
@pytest.mark.parametrize(("label", "other"), [("dmc", "p_connect"), ("dmr", "p_new")])
@pytest.mark.slow
def test_duplication_equals_the_reference(label, other, p_delete):
    model = netchoice.get_space("duplication")[label]
    rng = np.random.default_rng(11)
    for value in (0.25, 0.5, 0.75):
        check(model.grow(400, {"p_delete": p_delete, other: value}, rng))


def test_results_are_bit_identical_on_every_run():
    graph = netchoice.get_space("ba")["ba3"].grow(300, {}, np.random.default_rng(1))
    first, again = ours(graph), ours(graph)
    assert first[:2] == again[:2]
    assert np.array_equal(first[2], again[2])
