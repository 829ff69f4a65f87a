"""Known limits of closure, spatial and static mechanisms, and the same models of other libraries."""

import math
import random

import igraph
import naive_mechanisms_b as naive
import networkx as nx
import numpy as np
import pytest
from scipy import stats

import netchoice
from netchoice._kernels.random_stream import start
from netchoice.errors import UsageError
from netchoice.models.mechanism import Growth, graph_of, seed_from
from netchoice.models.mechanisms.davidsen import introduce
from netchoice.models.mechanisms.hyperbolic import (
    FINE,
    _far_distance,
    _link_far,
    _link_near,
    _places,
    find_radius,
    link_in_disk,
    share_linked,
)
from netchoice.models.mechanisms.hyperbolic import radius_for as hyperbolic_radius_for
from netchoice.models.mechanisms.kumpula import sweep
from netchoice.models.mechanisms.spatial import radius_for, share_nearer
from netchoice.models.mechanisms.static import least_degree, match_stubs, power_law_degrees


def grow(name, n_nodes, seed=0, **parameters):
    return netchoice.get_model(name).grow(n_nodes, parameters, np.random.default_rng(seed))


def degree_shares(graph, *degrees):
    found = np.diff(graph.indptr)
    return [np.mean(found == degree) for degree in degrees]


def transitivity(graph):
    return nx.transitivity(graph.to_networkx())


def mean_differs(a, b):
    """Return by how many standard errors the means of two samples differ."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    error = np.sqrt(a.var() / len(a) + b.var() / len(b))
    return abs(a.mean() - b.mean()) / error if error else float(a.mean() != b.mean())


def exponent_of(degrees, least):
    """Return the maximum-likelihood exponent of a power law above ``least``, and its standard error."""
    tail = np.asarray(degrees)[np.asarray(degrees) >= least]
    exponent = 1 + len(tail) / np.log(tail / (least - 0.5)).sum()
    return exponent, (exponent - 1) / math.sqrt(len(tail))


# Closure


def test_holme_kim_without_triads_has_the_degrees_of_preferential_attachment():
    """The share of degree k is 2m(m+1) / (k(k+1)(k+2)); here m = 2."""
    graph = grow("holme-kim", 50_000, mean_links=2, p_triad=0)
    exact = [12 / (k * (k + 1) * (k + 2)) for k in (2, 3, 4, 6)]
    assert degree_shares(graph, 2, 3, 4, 6) == pytest.approx(exact, abs=0.01)


def test_holme_kim_clusters_more_with_more_triads():
    found = [transitivity(grow("holme-kim", 5000, mean_links=3, p_triad=p)) for p in (0, 0.5, 1)]
    assert found[0] < 0.02
    assert found[0] * 3 < found[1] < found[2]


def test_holme_kim_agrees_with_networkx():
    ours = [grow("holme-kim", 1000, seed, mean_links=3, p_triad=0.6) for seed in range(20)]
    theirs = [nx.powerlaw_cluster_graph(1000, 3, 0.6, seed=seed) for seed in range(20)]
    clustering = np.mean([nx.average_clustering(graph.to_networkx()) for graph in ours])
    # networkx sometimes chooses a node twice, which leaves out 1% of the edges.
    assert clustering == pytest.approx(
        np.mean([nx.average_clustering(g) for g in theirs]), rel=0.05
    )
    edges = np.mean([graph.number_of_edges() for graph in theirs])
    assert ours[0].n_edges == pytest.approx(edges, rel=0.02)


def test_holme_kim_and_jackson_rogers_end_if_few_nodes_have_links():
    """The first nodes are linked to all earlier ones; then there are no further candidates."""
    for name, second in (("holme-kim", "p_triad"), ("jackson-rogers", "share_random")):
        graph = grow(name, 40, **{"mean_links": 100, second: 0.5})
        assert graph.n_edges == 40 * 39 // 2


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("jackson-rogers", {"mean_links": 1, "share_random": 1}),
        ("forest-fire", {"p_burn": 0.001}),
        ("toivonen", {"max_secondary": 0.01, "p_two": 0}),
    ],
)
def test_without_closure_growth_gives_a_random_recursive_tree(name, parameters):
    """The share of degree k is 2^-k."""
    graph = grow(name, 50_000, **parameters)
    assert degree_shares(graph, 1, 2, 3) == pytest.approx([1 / 2, 1 / 4, 1 / 8], abs=0.01)


def test_jackson_rogers_clusters_if_links_go_to_neighbours():
    anywhere = transitivity(grow("jackson-rogers", 5000, mean_links=4, share_random=1))
    near = transitivity(grow("jackson-rogers", 5000, mean_links=4, share_random=0.25))
    assert near > 20 * anywhere


def test_toivonen_has_one_initial_contact_and_half_a_secondary_one():
    """With K = 1, a new node has a secondary contact with probability 1/2; it closes one triangle."""
    graph = grow("toivonen", 20_000, max_secondary=1, p_two=0)
    n_secondary = graph.n_edges - (20_000 - 1)
    assert stats.binomtest(n_secondary, 20_000 - 2, 0.5).pvalue > 1e-3
    assert sum(nx.triangles(graph.to_networkx()).values()) == 3 * n_secondary


def test_forest_fire_agrees_with_igraph_where_its_rule_is_the_same():
    """At three nodes, each of igraph's two directions leads to at most one neighbour."""
    igraph.set_random_number_generator(random.Random(1))
    ours = sum(grow("forest-fire", 3, seed, p_burn=0.4).n_edges == 3 for seed in range(2000))
    theirs = sum(
        igraph.Graph.Forest_Fire(3, 0.4, bw_factor=1, directed=False).ecount() == 3
        for _ in range(2000)
    )
    assert stats.binomtest(ours, 2000, 0.4).pvalue > 1e-3
    assert stats.binomtest(theirs, 2000, 0.4).pvalue > 1e-4


def test_forest_fire_becomes_denser_as_it_grows():
    per_node = [grow("forest-fire", n, p_burn=0.48).n_edges / n for n in (200, 1000, 5000)]
    assert per_node[0] < per_node[1] < per_node[2]


# Fixed number of nodes


def introduced(n_lifetimes, seed):
    seed = seed_from(np.random.default_rng([n_lifetimes, seed]))
    return graph_of(introduce(500, n_lifetimes * 500 * 8, 1 / 8, 0, seed))


def swept(n_lifetimes, seed):
    seed = seed_from(np.random.default_rng([n_lifetimes, seed]))
    return graph_of(sweep(500, n_lifetimes * 100, 0.1, 0.5, 0, seed))


@pytest.mark.parametrize(("run", "n_lifetimes"), [(introduced, 5), (swept, 8)])
def test_networks_with_fixed_nodes_are_stationary_and_clustered(run, n_lifetimes):
    once = [run(n_lifetimes, seed) for seed in range(8)]
    twice = [run(2 * n_lifetimes, seed) for seed in range(8)]
    assert mean_differs([g.n_edges for g in once], [g.n_edges for g in twice]) < 4
    once, twice = [transitivity(g) for g in once], [transitivity(g) for g in twice]
    assert np.mean(once) == pytest.approx(np.mean(twice), rel=0.07)
    assert min(once) > 0.1


# Static


def test_planted_partition_agrees_with_networkx():
    n_inside, n_between = 10 * 20 * 19 / 2, 200 * 199 / 2 - 10 * 20 * 19 / 2
    parameters = {"mean_links": 3, "n_groups": 10, "p_inside": 0.8}
    ours = [grow("planted-partition", 200, s, **parameters).to_networkx() for s in range(100)]
    p_in, p_out = 480 / n_inside, 120 / n_between
    theirs = [nx.planted_partition_graph(10, 20, p_in, p_out, seed=seed) for seed in range(100)]
    ours = [sum(nx.triangles(graph).values()) / 3 for graph in ours]
    theirs = [sum(nx.triangles(graph).values()) / 3 for graph in theirs]
    # The number of edges varies in networkx by 4%, and with its cube the number of triangles by 1%.
    assert np.mean(ours) == pytest.approx(np.mean(theirs), rel=0.06)


def test_planted_partition_places_edges_between_groups_that_are_full():
    graph = grow("planted-partition", 10, mean_links=3, n_groups=5, p_inside=1)
    inside = sum((u - v) % 5 == 0 for u, v in graph.edges().tolist())
    assert (graph.n_edges, inside) == (30, 5)
    complete = grow("planted-partition", 9, mean_links=4, n_groups=4, p_inside=0.5)
    assert complete.n_edges == 36
    with pytest.raises(
        UsageError, match=r"mean_links=5 is too dense for 9 nodes; expected at most 4"
    ):
        grow("planted-partition", 9, mean_links=5, n_groups=4, p_inside=0.5)


@pytest.mark.parametrize("exponent", [2.2, 3.0])
def test_configuration_degrees_follow_the_power_law(exponent):
    seed, most = seed_from(np.random.default_rng(1)), 1e5 - 1
    least = least_degree(6.0, exponent, most)
    degrees = power_law_degrees(100_000, exponent, least, most, seed)
    found, error = exponent_of(degrees, 20)
    assert abs(found - exponent) < 4 * error + 0.02
    means = [
        power_law_degrees(
            1000, exponent, least_degree(6.0, exponent, 50.0), 50.0, seed_from(rng)
        ).mean()
        for rng in map(np.random.default_rng, range(200))
    ]
    assert abs(np.mean(means) - 6) < 4 * np.std(means) / math.sqrt(200)


def test_configuration_matches_stubs_like_networkx():
    rng = np.random.default_rng(2)
    degrees = np.repeat(np.array([1, 2, 3, 30], np.int32), [50, 30, 16, 4])
    degrees[0] += degrees.sum() % 2
    ours = [graph_of(match_stubs(degrees, seed_from(rng))).to_networkx() for _ in range(300)]
    theirs = []
    for seed in range(300):
        graph = nx.Graph(nx.configuration_model(degrees.tolist(), seed=seed))
        graph.remove_edges_from(list(nx.selfloop_edges(graph)))
        theirs.append(graph)
    for statistic in (nx.number_of_edges, lambda g: sum(nx.triangles(g).values())):
        assert mean_differs([statistic(g) for g in ours], [statistic(g) for g in theirs]) < 4


def test_configuration_says_when_the_degrees_do_not_fit():
    with pytest.raises(UsageError, match=r"configuration: mean_links=3 is too dense for 7 nodes"):
        grow("configuration", 7, mean_links=3, exponent=3)


# Spatial


def test_geometric_clusters_like_the_plane():
    """Away from the boundary the clustering is 1 - 3√3 / (4π)."""
    graph = grow("geometric", 20_000, mean_links=3)
    assert transitivity(graph) == pytest.approx(1 - 3 * math.sqrt(3) / (4 * math.pi), abs=0.015)


@pytest.mark.parametrize("share", [1e-4, 0.1, 0.9, 0.99])
def test_geometric_radius_has_the_share_of_pairs(share):
    assert radius_for(share) == pytest.approx(naive._square_radius(share), rel=1e-6)
    x, y = np.random.default_rng(3).random((2, 2, 200_000))
    near = int((np.hypot(x[0] - x[1], y[0] - y[1]) < radius_for(share)).sum())
    assert stats.binomtest(near, 200_000, share_nearer(radius_for(share))).pvalue > 1e-3


def test_geometric_agrees_with_networkx():
    ours = [grow("geometric", 300, seed, mean_links=4).to_networkx() for seed in range(60)]
    radius = radius_for(2 * 4 / 299)
    theirs = [nx.random_geometric_graph(300, radius, seed=seed) for seed in range(60)]
    for statistic in (nx.number_of_edges, nx.transitivity, nx.number_connected_components):
        assert mean_differs([statistic(g) for g in ours], [statistic(g) for g in theirs]) < 4


@pytest.mark.parametrize("mean_links", [0.5, 20, 48])
def test_geometric_has_the_expected_number_of_edges(mean_links):
    edges = [grow("geometric", 100, seed, mean_links=mean_links).n_edges for seed in range(300)]
    assert abs(np.mean(edges) - 100 * mean_links) < 4 * np.std(edges) / math.sqrt(300)


@pytest.mark.parametrize("temperature", [0.0, 0.5])
def test_hyperbolic_degrees_follow_the_power_law(temperature):
    graph = grow("hyperbolic", 4000, mean_links=5, exponent=2.5, temperature=temperature)
    assert exponent_of(np.diff(graph.indptr), 15)[0] == pytest.approx(2.5, abs=0.3)


@pytest.mark.parametrize(("exponent", "temperature"), [(2.1, 0.0), (2.5, 0.4), (3.5, 0.9)])
def test_hyperbolic_share_of_linked_pairs(exponent, temperature):
    """Compare the quadrature with random pairs, linked by the law of cosines."""
    alpha, radius, rng = (exponent - 1) / 2, 6.0, np.random.default_rng(4)
    quantiles, angle = rng.random((2, 400_000)), math.pi * rng.random(400_000)
    r, s = np.arccosh(1 + (np.cosh(alpha * radius) - 1) * quantiles) / alpha
    p = naive.hyperbolic_links(r, s, angle, radius, temperature)
    ours = share_linked(radius, alpha, temperature, *FINE)
    assert ours == pytest.approx(p.mean(), rel=0.01)


@pytest.mark.parametrize("exponent", [2.05, 2.5, 3.5, 20.0])
@pytest.mark.parametrize("temperature", [0.0, 0.02, 0.5, 0.95])
@pytest.mark.parametrize("share", [0.4, 0.05, 1e-4])
def test_hyperbolic_radius_gives_the_wanted_share(exponent, temperature, share):
    """From any start, the search ends at the same radius."""
    alpha = (exponent - 1) / 2
    radius, disk = hyperbolic_radius_for(share, alpha, temperature)
    assert share_linked(radius, alpha, temperature, *FINE) == pytest.approx(share, rel=1e-4)
    for start_at in (1e-3, 70.0):
        found, _ = find_radius(share, alpha, temperature, start_at, -0.5, *FINE)
        assert found == pytest.approx(radius, abs=1e-4)
    for ratio in (0.5, 0.95, 1.1):
        found, disk = hyperbolic_radius_for(share * ratio, alpha, temperature, disk)
        expected, _ = hyperbolic_radius_for(share * ratio, alpha, temperature)
        assert found == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("temperature", [0.0, 0.5])
def test_hyperbolic_has_no_radius_for_nearly_all_pairs(temperature):
    assert hyperbolic_radius_for(0.7, 0.9, temperature)[0] is None
    for start_at in (1e-3, 0.5, 70.0):
        assert find_radius(0.7, 0.9, temperature, start_at, -0.5, *FINE)[0] == 0


def test_hyperbolic_links_do_not_depend_on_which_pairs_are_far():
    rng, n_edges = np.random.default_rng(8), []
    for far_share in (1e-6, 0.01, 0.25):
        grown = [link_in_disk(150, 9.0, 0.8, 0.7, far_share, seed_from(rng)) for _ in range(400)]
        n_edges.append([graph_of(each).n_edges for each in grown])
    assert mean_differs(n_edges[0], n_edges[1]) < 4
    assert mean_differs(n_edges[0], n_edges[2]) < 4


def test_hyperbolic_clustering_decreases_with_temperature():
    found = [
        transitivity(grow("hyperbolic", 2000, mean_links=4, exponent=3, temperature=t))
        for t in (0, 0.5, 0.9)
    ]
    assert found[0] > 1.5 * found[1] > 3 * found[2]


def test_hyperbolic_agrees_with_networkit():
    networkit = pytest.importorskip("networkit")
    networkit.setSeed(1, False)
    parameters = {"mean_links": 4, "exponent": 3.0, "temperature": 0.0}
    ours = [grow("hyperbolic", 1000, seed, **parameters) for seed in range(30)]
    generator = networkit.generators.HyperbolicGenerator(1000, 8, 3.0, 0)
    theirs = [generator.generate() for _ in range(30)]
    expected = [nx.average_clustering(networkit.nxadapter.nk2nx(peer)) for peer in theirs[:5]]
    clustering = [nx.average_clustering(graph.to_networkx()) for graph in ours[:5]]
    assert np.mean(clustering) == pytest.approx(np.mean(expected), rel=0.05)
    # The standard error of the difference is 2 %.
    edges = np.mean([graph.n_edges for graph in ours])
    assert edges == pytest.approx(np.mean([peer.numberOfEdges() for peer in theirs]), rel=0.06)


def test_hyperbolic_says_when_the_density_does_not_fit():
    expected = r"hyperbolic: mean_links=4 is too dense for 9 nodes; expected at most about 2$"
    with pytest.raises(UsageError, match=expected):
        grow("hyperbolic", 9, mean_links=4, exponent=3, temperature=0.5)
    assert grow("hyperbolic", 9, mean_links=1.99, exponent=3, temperature=0.5).n_nodes == 9


def test_a_density_that_some_temperatures_cannot_have_is_no_error_of_a_matched_space():
    """Half of the pairs are linked at most if the temperature is high."""
    dense = netchoice.Graph.of(nx.gnm_random_graph(93, 2262, seed=1))
    space = netchoice.get_space("all").only(["hyperbolic", "rds"]).matched_to(dense)
    rng = np.random.default_rng(1)
    found = [space["hyperbolic"].draw(93, rng, "drop") for _ in range(20)]
    low, high = space.bounds
    assert all(low <= graph.n_edges <= high for _, graph in found)


def test_a_matched_model_says_if_given_parameters_are_too_dense():
    observed = netchoice.Graph.of(nx.gnm_random_graph(50, 1000, seed=1))
    space = netchoice.get_space("all").only(["hyperbolic", "rds"]).matched_to(observed)
    rng = np.random.default_rng(1)
    with pytest.raises(UsageError, match="mean_links=60 is too dense for 50 nodes"):
        space["rds"].grow(50, {"mean_links": 60}, rng)
    fixed = space["hyperbolic"].with_priors({"mean_links": 60})
    with pytest.raises(UsageError, match="mean_links=60 is too dense for"):
        fixed.draw(50, rng, "drop")


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("holme-kim", {"mean_links": 6, "p_triad": 0.5}),
        ("jackson-rogers", {"mean_links": 6, "share_random": 0.2}),
        ("forest-fire", {"p_burn": 0.4}),
        ("toivonen", {"max_secondary": 4, "p_two": 0.5}),
    ],
)
def test_closure_steps_work_among_isolated_nodes(name, parameters):
    """Nine of ten nodes come from another mechanism, which leaves nearly all of them without links."""
    step, names = netchoice.get_model(name).function.parts[0]
    other, others = netchoice.get_model("dmr").function.parts[0]
    growth = Growth("mixed", ((other, others), (step, names)))
    values = {**parameters, "p_delete": 0.9, "p_new": 0.05, "q": 0.9}
    for seed in range(20):
        graph = growth(300, np.random.default_rng(seed), **values)
        netchoice.Graph(graph.indptr, graph.indices)  # raises unless simple and sorted
        n_links = min(parameters.get("mean_links", 1), 2)
        assert graph.n_edges >= n_links * 0.1 * 300 * 0.5


def _stream(seed):
    return map(np.uint64, start(seed_from(np.random.default_rng(seed))))


def _links_at(places, radius, temperature, seed, share=0.0625):
    """Return the pairs that are linked at given places; ``share`` of the far pairs are visited."""
    far = _far_distance(radius, temperature, share)
    state = _stream(seed)
    ends = np.empty(16, np.int32)  # too short, so that it grows
    ends, n_edges, *state = _link_near(places, radius, temperature, far, ends, *state)
    if temperature > 0:
        state = map(np.uint64, state)
        ends, n_edges = _link_far(places, radius, temperature, far, share, ends, n_edges, *state)
    pairs = [tuple(sorted(pair)) for pair in ends[: 2 * n_edges].reshape(-1, 2).tolist()]
    assert len({*pairs}) == len(pairs)
    return pairs


def _distances(places):
    r, angle = places[4], places[5]
    difference = angle[:, None] - angle
    cosh = (
        np.cosh(r[:, None] - r) + 2 * np.outer(np.sinh(r), np.sinh(r)) * np.sin(difference / 2) ** 2
    )
    return np.arccosh(cosh.clip(min=1))


@pytest.mark.kernels
@pytest.mark.parametrize("radius", [0.5, 4.0, 12.0])
@pytest.mark.parametrize("alpha", [0.55, 1.2])
def test_hyperbolic_finds_every_near_pair(radius, alpha):
    """All pairs, compared one by one, give the same links at temperature 0."""
    for seed in range(5):
        places = _places(150, radius, alpha, *_stream(seed))[0]
        near = np.argwhere(np.triu(_distances(places) < radius, 1))
        assert {*map(tuple, near.tolist())} == {*_links_at(places, radius, 0.0, seed)}


@pytest.mark.kernels
@pytest.mark.parametrize(("temperature", "share"), [(0.2, 0.0625), (0.8, 0.01), (0.8, 0.25)])
def test_hyperbolic_links_each_pair_with_its_probability(temperature, share):
    radius, n, runs = 5.0, 25, 4000
    places = _places(n, radius, 0.9, *_stream(3))[0]
    counts = np.zeros((n, n))
    for seed in range(runs):
        for u, v in _links_at(places, radius, temperature, seed, share):
            counts[u, v] += 1
    p = 1 / (1 + np.exp((_distances(places) - radius) / (2 * temperature)))
    upper = np.triu_indices(n, 1)
    error = np.sqrt(p * (1 - p) * runs)[upper]
    scores = (counts - p * runs)[upper] / error
    tested = p[upper] * runs > 5
    assert abs(scores[tested]).max() < 5
    assert stats.kstest(scores[tested & (p[upper] * runs > 50)], "norm").pvalue > 1e-4
