"""Distance histograms and betweenness against reference implementations and networkx."""

import naive
import networkx as nx
import numpy as np
import pytest
from fast_and_slow import fast_for
from hypothesis import given, settings
from hypothesis import strategies as st

from netchoice import Graph, get_space
from netchoice._kernels.betweenness import betweenness
from netchoice._kernels.distance_histograms import distance_histograms

pytestmark = pytest.mark.kernels

TWO_TRIANGLES = nx.disjoint_union(nx.complete_graph(3), nx.complete_graph(3))

SMALL = {
    "no nodes": nx.empty_graph(0),
    "one node": nx.empty_graph(1),
    "two nodes": nx.empty_graph(2),
    "one edge": nx.path_graph(2),
    "no edges": nx.empty_graph(70),
    "star": nx.star_graph(40),
    "path": nx.path_graph(41),
    "even cycle": nx.cycle_graph(40),
    "odd cycle": nx.cycle_graph(41),
    "complete": nx.complete_graph(40),
    "complete bipartite": nx.complete_bipartite_graph(7, 30),
    "tree": nx.balanced_tree(3, 3),
    "barbell": nx.barbell_graph(10, 7),
    "grid": nx.convert_node_labels_to_integers(nx.grid_2d_graph(7, 9)),
    "two equal components": TWO_TRIANGLES,
    "many equal components": nx.disjoint_union_all([nx.cycle_graph(5)] * 9),
    "larger component last": nx.disjoint_union(nx.cycle_graph(4), nx.path_graph(6)),
    "with isolated nodes": nx.disjoint_union_all(
        [nx.empty_graph(3), TWO_TRIANGLES, nx.empty_graph(2), nx.wheel_graph(9)]
    ),
    "cycle with trees": nx.compose(nx.cycle_graph(12), nx.full_rary_tree(2, 60)),
}


def adjacency_of(graph):
    return [graph.neighbors(u).tolist() for u in range(graph.n_nodes)]


def networkx_counts(network):
    counts = [0]
    for _, distance in nx.all_pairs_shortest_path_length(network):
        for d in distance.values():
            counts += [0] * (d + 1 - len(counts))
            counts[d] += d > 0
    return [count // 2 for count in counts]


def networkx_betweenness(network):
    values = nx.betweenness_centrality(network, normalized=False)
    return [values[u] for u in range(len(network))]


def close(values):
    return pytest.approx(values, rel=1e-9, abs=1e-9)


def check_with_reference(network):
    graph = Graph.of(network)
    adjacency = adjacency_of(graph)
    everywhere, largest = distance_histograms(graph.indptr, graph.indices)
    assert everywhere.dtype == largest.dtype == np.int64
    assert everywhere.tolist() == naive.distance_counts(adjacency)
    inside = naive.induced(adjacency, naive.largest_component(adjacency))
    assert largest.tolist() == naive.distance_counts(inside)
    between = betweenness(graph.indptr, graph.indices)
    assert between.dtype == np.float64
    assert between.tolist() == close(naive.betweenness(adjacency))


def check_with_networkx(network):
    graph = Graph.of(network)
    everywhere, largest = distance_histograms(graph.indptr, graph.indices)
    assert everywhere.tolist() == networkx_counts(network)
    component = max(nx.connected_components(network), key=len)
    assert largest.tolist() == networkx_counts(network.subgraph(component))
    between = betweenness(graph.indptr, graph.indices)
    assert between.tolist() == close(networkx_betweenness(network))


@pytest.mark.parametrize("name", SMALL)
def test_small_graphs_equal_the_reference(name):
    check_with_reference(SMALL[name])


@pytest.mark.parametrize("name", [name for name in SMALL if len(SMALL[name])])
def test_small_graphs_equal_networkx(name):
    check_with_networkx(SMALL[name])


def test_all_graphs_with_up_to_seven_nodes():
    for network in nx.graph_atlas_g():
        check_with_reference(network)


@settings(deadline=None, max_examples=150)
@given(n_nodes=st.integers(1, 45), mean_degree=st.floats(0, 12), seed=st.integers(0, 2**32 - 1))
def test_random_graphs_equal_the_reference(n_nodes, mean_degree, seed):
    p = min(1.0, mean_degree / n_nodes)
    check_with_reference(nx.gnp_random_graph(n_nodes, p, seed=seed))


@pytest.mark.parametrize("mean_degree", [0.5, 1.0, 1.5, 3.0, 10.0, 60.0])
@fast_for("n_nodes", [64], [64, 300])
def test_random_graphs_equal_networkx(n_nodes, mean_degree):
    for seed in range(3):
        p = min(1.0, mean_degree / n_nodes)
        check_with_networkx(nx.gnp_random_graph(n_nodes, p, seed=seed))


@fast_for("m", [2], [1, 2, 3, 4])
def test_preferential_attachment_equals_networkx(m):
    check_with_networkx(nx.barabasi_albert_graph(600, m, seed=m))


@pytest.mark.parametrize("seed", range(8))
def test_duplication_equals_networkx(seed):
    rng = np.random.default_rng(seed)
    space = get_space("duplication")
    label, params = space.sample(rng)
    check_with_networkx(space[label].grow(250, params, rng).to_networkx())


@pytest.mark.parametrize("n_nodes", [511, 512, 513, 1025])
def test_numbers_of_nodes_around_the_block_size(n_nodes):
    """One search covers 512 sources; more nodes need several searches."""
    graph = Graph.of(nx.cycle_graph(n_nodes))
    everywhere, largest = distance_histograms(graph.indptr, graph.indices)
    expected = [0] + [n_nodes] * (n_nodes // 2)
    if n_nodes % 2 == 0:
        expected[-1] //= 2
    assert everywhere.tolist() == largest.tolist() == expected


def test_long_path_has_the_closed_form():
    n_nodes = 3000
    graph = Graph.of(nx.path_graph(n_nodes))
    everywhere, _ = distance_histograms(graph.indptr, graph.indices)
    assert everywhere.tolist() == [0, *range(n_nodes - 1, 0, -1)]
    between = betweenness(graph.indptr, graph.indices)
    assert between.tolist() == [i * (n_nodes - 1 - i) for i in range(n_nodes)]


def chain_of_squares(length):
    network = nx.Graph()
    for i in range(length):
        network.add_edges_from((3 * i + a, 3 * i + b) for a, b in [(0, 1), (0, 2), (1, 3), (2, 3)])
    return network


def test_more_paths_than_a_64_bit_integer_can_count():
    """Every square doubles the number of paths, here to 2**100."""
    check_with_networkx(chain_of_squares(100))


def test_more_paths_than_a_float_can_count_give_nan():
    graph = Graph.of(chain_of_squares(1030))
    assert np.isnan(betweenness(graph.indptr, graph.indices)).any()


def test_betweenness_is_bit_identical_on_every_run():
    graph = Graph.of(nx.barabasi_albert_graph(500, 3, seed=0))
    runs = {betweenness(graph.indptr, graph.indices).tobytes() for _ in range(5)}
    assert len(runs) == 1


@pytest.mark.parametrize("kernel", [distance_histograms, betweenness])
def test_kernels_are_compiled_once(kernel):
    graph = Graph.of(nx.path_graph(3))
    kernel(graph.indptr, graph.indices)
    assert len(kernel.signatures) == 1
