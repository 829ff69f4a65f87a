"""Distributions of networks against networkx, and envelopes of simulated networks."""

import json
from collections import Counter
from itertools import combinations

import naive
import networkx as nx
import numpy as np
import pytest

from netchoice import Graph, profiles
from netchoice._kernels.distance_histograms import source_distances
from netchoice._kernels.subgraphs import shared_partners
from netchoice.profiles import (
    NO_PATH,
    QUANTILES,
    Distribution,
    Envelope,
    common_axis,
    envelopes,
    extremeness,
    network_profile,
)
from netchoice.storage.records import from_record, to_record

NETWORKS = {
    "one node": nx.empty_graph(1),
    "no edges": nx.empty_graph(5),
    "star": nx.star_graph(6),
    "complete": nx.complete_graph(7),
    "two parts": nx.disjoint_union(nx.cycle_graph(5), nx.path_graph(3)),
    "sparse": nx.gnm_random_graph(60, 50, seed=1),
    "dense": nx.gnm_random_graph(40, 300, seed=2),
    "hubs": nx.barabasi_albert_graph(120, 3, seed=3),
    "clustered": nx.watts_strogatz_graph(80, 6, 0.1, seed=4),
}


def networkx_profile(network):
    """Return each distribution as a dictionary from value to share or mean."""
    n, degree = len(network), dict(network.degree)
    lengths = dict(nx.all_pairs_shortest_path_length(network))
    pairs = list(combinations(network, 2))
    edges = list(network.edges)
    clustering = nx.clustering(network)
    by_degree = {k: [u for u in network if degree[u] == k] for k in set(degree.values()) if k > 1}

    def shares(values):
        values = list(values)
        return {value: count / len(values) for value, count in Counter(values).items()}

    return {
        "degree": shares(degree.values()),
        "distance": shares(lengths[u].get(v, NO_PATH) for u, v in pairs),
        "partners": shares(len(list(nx.common_neighbors(network, u, v))) for u, v in edges),
        "core": shares(nx.core_number(network).values()),
        "clustering": {k: np.mean([clustering[u] for u in own]) for k, own in by_degree.items()},
        "component": shares(len(c) for c in nx.connected_components(network) for _ in c),
    }, n


@pytest.mark.parametrize("name", NETWORKS)
def test_profile_equals_networkx(name):
    expected, _ = networkx_profile(NETWORKS[name])
    profile = network_profile(Graph.of(NETWORKS[name]))
    assert list(profile) == list(expected)
    for panel, distribution in profile.items():
        found = dict(
            zip(distribution.values.tolist(), distribution.binned(distribution.values), strict=True)
        )
        assert found == pytest.approx(expected[panel]), panel


@pytest.mark.kernels
@pytest.mark.parametrize("name", NETWORKS)
def test_kernels_equal_the_reference(name):
    graph = Graph.of(NETWORKS[name])
    adjacency = [graph.neighbors(u).tolist() for u in range(graph.n_nodes)]
    partners = Counter(len({*adjacency[u]} & {*adjacency[v]}) for u, v in graph.edges())
    assert shared_partners(graph.indptr, graph.indices).tolist() == [
        partners[k] for k in range(max(partners, default=-1) + 1)
    ]
    sources = np.arange(0, graph.n_nodes, 3, dtype=np.int32)
    found = Counter(d for u in sources for d in naive.distances_from(adjacency, u).values())
    assert source_distances(graph.indptr, graph.indices, sources).tolist() == [
        found[d] for d in range(max(found) + 1)
    ]


def test_distances_of_large_networks_are_sampled(monkeypatch):
    graph = Graph.of(nx.disjoint_union(nx.barabasi_albert_graph(300, 2, seed=1), nx.path_graph(9)))
    exact = network_profile(graph)["distance"]
    monkeypatch.setattr(profiles, "MOST_NODES", 200)
    sampled = network_profile(graph, seed=3)["distance"]
    assert (exact.sampled, sampled.sampled) == (False, True)
    starts, _ = common_axis([exact, sampled])
    assert sampled.binned(starts) == pytest.approx(exact.binned(starts), abs=0.05)
    assert (sampled.binned(starts) != exact.binned(starts)).any()
    monkeypatch.setattr(profiles, "N_SOURCES", graph.n_nodes)
    assert network_profile(graph)["distance"].binned(starts) == pytest.approx(exact.binned(starts))


def test_axis_has_a_bin_for_each_value_or_bins_of_growing_width():
    def distribution(*values):
        return Distribution(np.array(values), np.ones(len(values)), np.array(float(len(values))))

    starts, labels = common_axis([distribution(3), distribution(7, NO_PATH)])
    assert labels == ["3", "4", "5", "6", "7", "no path"]
    assert starts.tolist() == [3, 4, 5, 6, 7, NO_PATH]
    for high in (24, 100, 5000, 10**9):
        starts, labels = common_axis([distribution(0, 1, high)])
        widths = np.diff(starts)
        assert len(labels) == len(starts) <= profiles.MOST_BINS
        assert labels[:3] == ["0", "1", "2"] or high == 10**9
        assert (np.diff(widths) >= -1).all()
        assert labels[-1].rpartition("–")[2] == str(high)
        assert distribution(0, 1, high).binned(starts).sum() == pytest.approx(1)


def simulated_profiles(n, seed):
    networks = (nx.gnm_random_graph(40, 80, seed=seed + i) for i in range(n))
    return [network_profile(Graph.of(network)) for network in networks]


def test_envelope_holds_the_quantiles_of_the_simulations():
    *simulated, observed = simulated_profiles(60, 0)
    own = envelopes(observed, {"er": simulated})["er"]
    for panel, envelope in own.items():
        starts, labels = common_axis([observed[panel], *(p[panel] for p in simulated)])
        rows = np.array([p[panel].binned(starts) for p in simulated])
        assert envelope.labels == labels
        np.testing.assert_array_equal(envelope.observed, observed[panel].binned(starts))
        for i, column in enumerate(rows.T):
            known = column[~np.isnan(column)]
            expected = np.quantile(known, QUANTILES) if len(known) >= 6 else [np.nan] * 5
            np.testing.assert_allclose(envelope.quantiles[:, i], expected)
    assert np.isnan(own["clustering"].quantiles).any()  # few simulations have the largest degree


def test_models_share_axes():
    hubs = [network_profile(Graph.of(nx.star_graph(39)))] * 5
    made = envelopes(hubs[0], {"er": simulated_profiles(5, 9), "star": hubs})
    for panel in made["er"]:
        assert made["er"][panel].labels == made["star"][panel].labels
    assert made["star"]["degree"].p_value == 1
    assert made["er"]["degree"].p_value == pytest.approx(1 / 6)


def test_envelope_survives_json():
    *simulated, observed = simulated_profiles(30, 4)
    for envelope in envelopes(observed, {"er": simulated})["er"].values():
        record = json.loads(json.dumps(to_record(envelope), allow_nan=False))
        again = from_record(Envelope, record)
        assert to_record(again) == record
        np.testing.assert_allclose(again.quantiles, envelope.quantiles, rtol=1e-3)
        np.testing.assert_allclose(again.observed, envelope.observed, rtol=1e-3)


def reference_extremeness(rows):
    """Sum what each row has outside the ranges of the columns, value by value."""
    outside = np.zeros(len(rows))
    for column in rows.T:
        known = sorted(np.sqrt(value) for value in column if not np.isnan(value))
        if known:
            low, high = np.quantile(known, [0.025, 0.975])
            for i, value in enumerate(column):
                if not np.isnan(value):
                    outside[i] += max(0, low - np.sqrt(value), np.sqrt(value) - high)
    return np.mean(outside >= outside[0] - 1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_extremeness_equals_the_reference(seed):
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, 5, (20, 7)).astype(float)
    rows[rng.random(rows.shape) < 0.2] = np.nan
    rows[:, 3] = np.nan
    assert extremeness(rows) == pytest.approx(reference_extremeness(rows))


def test_extremeness_is_small_for_the_observed_network_as_often_as_it_says():
    rng = np.random.default_rng(1)
    p = [extremeness(rng.poisson(3, (40, 12)).astype(float)) for _ in range(400)]
    assert 0.02 < np.mean(np.array(p) <= 0.05) <= 0.08
