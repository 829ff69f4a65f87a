"""The drawing of the observed network: places of nodes, and the SVG file."""

import re

import networkx as nx
import numpy as np
import pytest

import netchoice
from netchoice import figures
from netchoice.figures.embeddings import MOST_NODES, is_drawable, network_layout
from netchoice.graph import Graph
from netchoice.report.answer_page import network_picture


def small_graphs():
    path, star = nx.path_graph(12), nx.star_graph(9)
    apart = nx.disjoint_union(nx.complete_graph(5), nx.empty_graph(4))
    return {name: Graph.of(graph) for name, graph in
            {"path": path, "star": star, "apart": apart, "one": nx.empty_graph(1)}.items()}  # fmt: skip


@pytest.mark.parametrize("name", small_graphs())
def test_places_are_in_the_unit_square_and_reproducible(name):
    graph = small_graphs()[name]
    places = network_layout(graph)
    assert places.shape == (graph.n_nodes, 2)
    assert ((places >= 0) & (places <= 1)).all()
    assert np.array_equal(places, network_layout(graph))
    assert len(np.unique(places.round(6), axis=0)) == graph.n_nodes


@pytest.mark.parametrize("n_nodes", [60, 400], ids=["all nodes repel", "a sample repels"])
def test_neighbours_are_closer_than_other_nodes(n_nodes):
    graph = netchoice.get_model("ba1").grow(n_nodes, rng=np.random.default_rng(1))
    places = network_layout(graph)
    first, second = graph.edges().T
    linked = np.hypot(*(places[first] - places[second]).T)
    pairs = places[:, None, :] - places[None, :, :]
    all_pairs = np.hypot(pairs[..., 0], pairs[..., 1])[np.triu_indices(n_nodes, 1)]
    assert np.median(linked) < 0.4 * np.median(all_pairs)


def test_a_ring_is_drawn_as_a_ring():
    """Distances in the drawing grow with distances along the ring."""
    n = 16
    places = network_layout(Graph.of(nx.cycle_graph(n)))
    steps = [
        np.hypot(*(places - np.roll(places, k, axis=0)).T).mean() for k in range(1, n // 2 + 1)
    ]
    assert steps[0] < steps[2] < steps[5]


def test_drawing_has_each_node_and_edge_once():
    graph = netchoice.get_model("dmr").grow(50, {"p_delete": 0.4, "p_new": 0.5},
                                            np.random.default_rng(2))  # fmt: skip
    text = network_picture(graph)
    edges = max(re.findall(r'<path d="([^"]*)"', text), key=len)
    assert edges.count("M") == edges.count("L") == graph.n_edges
    nodes = re.findall(r'<use href="[^"]*" x="([\d.]+)" y="([\d.]+)"', text)
    assert len(nodes) == graph.n_nodes
    places = np.array(nodes, dtype=float)
    assert 0 <= places.min() <= places.max() <= 1008
    label = f"Drawing of the observed network, with 50 nodes and {graph.n_edges} edges"
    assert f'role="img" aria-label="{label}"' in text


def test_a_large_network_is_a_sentence():
    large = Graph.of(nx.path_graph(MOST_NODES + 1))
    assert not is_drawable(large)
    text = network_picture(large)
    assert "<svg" not in text
    assert f"The network has {MOST_NODES + 1} nodes and {MOST_NODES} edges. It is not drawn" in text


def test_points_of_nodes_with_more_edges_are_larger():
    ax = figures.network(Graph.of(nx.star_graph(9)))
    (small, leaves), (large, centre) = (
        (line.get_markersize(), len(line.get_xdata())) for line in ax.lines
    )
    assert small < large
    assert (leaves, centre) == (9, 1)
