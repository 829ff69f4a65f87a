"""Altered networks against reference implementations, networkx and enumeration; power in an answer."""

import itertools
from collections import Counter
from dataclasses import replace

import naive
import naive_rewiring
import networkx as nx
import numpy as np
import pytest
from kernel_probes import uniforms
from quick_answers import FEW, QUICK, choose
from scipy import stats

import netchoice
from netchoice import Graph
from netchoice.alterations import (
    ALTERATIONS,
    CHANGES,
    TRAINED,
    altered,
    change_edges,
    move_edges,
    swap_edges,
    trained_kind,
)
from netchoice.choice.text import power_line
from netchoice.errors import UsageError

pytestmark = pytest.mark.kernels

ALPHA = 1e-4
GRAPHS = {
    "no nodes": nx.empty_graph(0),
    "no edges": nx.empty_graph(5),
    "one edge": nx.path_graph(2),
    "path": nx.path_graph(9),
    "star": nx.star_graph(8),
    "complete": nx.complete_graph(7),
    "nearly complete": nx.complement(nx.path_graph(9)),
    "two cliques": nx.disjoint_union(nx.complete_graph(4), nx.complete_graph(5)),
    "with isolated nodes": nx.gnm_random_graph(30, 20, seed=3),
    "dense": nx.gnp_random_graph(14, 0.5, seed=2),
    "clustered": nx.watts_strogatz_graph(40, 6, 0.1, seed=1),
    "hubs": nx.barabasi_albert_graph(40, 2, seed=1),
}


def stream(seed):
    """Return the uniform numbers that a kernel draws if it is called with this generator's seed."""
    return uniforms(np.random.default_rng(seed).random(3).view("u8"), 40_000)


def checked(graph):
    """Return the graph after the constructor has checked its arrays."""
    return Graph(graph.indptr, graph.indices)


def same(ours, reference):
    return ours.edges().tolist() == sorted(sorted(edge) for edge in reference.edges())


@pytest.mark.parametrize("times", [0, 0.3, 1, 5])
@pytest.mark.parametrize("name", GRAPHS)
def test_swapped_edges_equal_the_reference_implementation(name, times):
    for seed in range(5):
        graph = Graph.of(GRAPHS[name])
        ours = checked(swap_edges(graph, times, np.random.default_rng(seed)))
        draws = stream(seed)[: 2 * round(times * graph.n_edges)]
        assert same(ours, naive.swap_edges(GRAPHS[name], draws))
        assert np.array_equal(ours.degrees, graph.degrees)


@pytest.mark.parametrize("keep_linked", [False, True])
@pytest.mark.parametrize("share", [0, 0.05, 0.4, 1])
@pytest.mark.parametrize("name", GRAPHS)
def test_moved_edges_equal_the_reference_implementation(name, share, keep_linked):
    for seed in range(5):
        graph = Graph.of(GRAPHS[name])
        rng, moves = np.random.default_rng(seed), round(share * graph.n_edges)
        ours = checked(move_edges(graph, share, rng, keep_linked=keep_linked))
        reference = naive.move_edges(GRAPHS[name], moves, keep_linked, iter(stream(seed)))
        assert same(ours, reference)
        assert (ours.n_nodes, ours.n_edges) == (graph.n_nodes, graph.n_edges)
        stayed = len(set(map(tuple, ours.edges())) & set(map(tuple, graph.edges())))
        assert stayed >= graph.n_edges - moves
        if keep_linked:
            assert ours.n_isolated <= graph.n_isolated


@pytest.mark.parametrize("share", [0, 0.3, 2])
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("name", GRAPHS)
def test_changed_edges_equal_the_reference_implementation(name, change, share):
    for seed in range(3):
        graph = Graph.of(GRAPHS[name])
        ours = checked(change_edges(graph, change, share, np.random.default_rng(seed)))
        per_change = 2 if change.endswith("linked") else 1
        n_changes = max(1, max(1, round(share * graph.n_edges)) // per_change)
        reference = naive_rewiring.change_edges(GRAPHS[name], change, n_changes, stream(seed))
        assert same(ours, reference)
        assert (ours.n_nodes, ours.n_edges) == (graph.n_nodes, graph.n_edges)
        assert ours.n_isolated <= graph.n_isolated


def triangles(graph):
    return sum(nx.triangles(graph).values())


def mixing(graph):
    return nx.degree_assortativity_coefficient(graph)


def spread(graph):
    return np.std([degree for _, degree in graph.degree()])


@pytest.mark.parametrize(
    ("change", "statistic", "sign"),
    [
        ("triangles added", triangles, 1), ("triangles removed", triangles, -1),
        ("degrees concentrated", spread, 1), ("degrees equalised", spread, -1),
        ("similar degrees linked", mixing, 1), ("different degrees linked", mixing, -1),
    ],
)  # fmt: skip
@pytest.mark.parametrize("name", ["clustered", "hubs"])
def test_changes_do_what_their_names_say(name, change, statistic, sign):
    graph, rng = Graph.of(GRAPHS[name]), np.random.default_rng(6)
    before = statistic(GRAPHS[name])
    after = [statistic(change_edges(graph, change, 0.4, rng).to_networkx()) for _ in range(10)]
    assert sign * (np.mean(after) - before) > 0
    if change.endswith("linked"):
        assert np.array_equal(change_edges(graph, change, 0.4, rng).degrees, graph.degrees)


@pytest.mark.parametrize("name", ["clustered", "hubs", "with isolated nodes"])
def test_alterations_for_training_change_the_network_and_keep_its_size(name):
    graph, rng = Graph.of(GRAPHS[name]), np.random.default_rng(7)
    for number in range(2 * len(TRAINED)):
        drawn = [checked(altered(graph, number, rng)) for _ in range(10)]
        assert all((each.n_nodes, each.n_edges) == (graph.n_nodes, graph.n_edges) for each in drawn)
        assert sum(each != graph for each in drawn) >= 8, trained_kind(number)
    again = [altered(graph, 3, np.random.default_rng(1)) for _ in range(2)]
    assert again[0] == again[1]


def test_half_of_the_kinds_of_training_are_swaps_and_all_others_follow_in_turn():
    kinds = Counter(trained_kind(number) for number in range(14 * 5))
    others = {kind: 5 for kind in TRAINED if kind != "edges swapped"}
    assert kinds == {"edges swapped": 35, **others}


def test_unknown_change_is_refused():
    with pytest.raises(UsageError, match="change"):
        change_edges(Graph.of(GRAPHS["path"]), "nothing", 0.1, np.random.default_rng(1))


def test_edges_that_would_isolate_a_node_stay():
    star = Graph.of(GRAPHS["star"])
    assert move_edges(star, 1, np.random.default_rng(1), keep_linked=True) == star
    assert move_edges(star, 1, np.random.default_rng(1)) != star


def test_all_networks_with_the_same_degrees_are_equally_likely():
    degrees = (3, 2, 2, 2, 2, 1)
    pairs = list(itertools.combinations(range(6), 2))
    possible = [
        edges
        for edges in itertools.combinations(pairs, 6)
        if tuple(sum(u in edge for edge in edges) for u in range(6)) == degrees
    ]
    rng, graph = np.random.default_rng(1), Graph.from_edges(possible[0])
    drawn = Counter(
        tuple(map(tuple, swap_edges(graph, 15, rng).edges().tolist())) for _ in range(20_000)
    )
    assert set(drawn) == set(possible)
    assert stats.chisquare([drawn[edges] for edges in possible]).pvalue > ALPHA


def test_networks_with_all_edges_moved_are_equally_likely():
    possible = list(itertools.combinations(itertools.combinations(range(5), 2), 3))
    rng, graph = np.random.default_rng(2), Graph.from_edges(possible[0], n_nodes=5)
    drawn = Counter(
        tuple(map(tuple, move_edges(graph, 1, rng).edges().tolist())) for _ in range(12_000)
    )
    assert set(drawn) == set(possible)
    assert stats.chisquare([drawn[edges] for edges in possible]).pvalue > ALPHA


def statistics(graph):
    return (
        sum(nx.triangles(graph).values()) // 3,
        nx.number_connected_components(graph),
        nx.degree_assortativity_coefficient(graph),
    )


def networkx_swapped(seed):
    graph = GRAPHS["clustered"].copy()
    swaps = 10 * graph.number_of_edges()
    return nx.double_edge_swap(graph, swaps, max_tries=100 * swaps, seed=seed)


@pytest.mark.slow
def test_swapped_networks_have_the_same_distribution_as_those_of_networkx():
    rng, graph = np.random.default_rng(3), Graph.of(GRAPHS["clustered"])
    ours = [statistics(swap_edges(graph, 10, rng).to_networkx()) for _ in range(300)]
    theirs = [statistics(networkx_swapped(seed)) for seed in range(300)]
    few = [statistics(swap_edges(graph, 0.2, rng).to_networkx()) for _ in range(300)]
    for a, b in zip(np.transpose(ours), np.transpose(theirs), strict=True):
        assert stats.ks_2samp(a, b, method="asymp").pvalue > ALPHA
    assert stats.ks_2samp(np.transpose(few)[0], np.transpose(theirs)[0]).pvalue < ALPHA


@pytest.mark.parametrize(("times", "low", "high"), [(0.25, 0.30, 0.40), (5, 0.95, 1)])
def test_stated_share_of_edges_changes_in_networks_of_the_models(times, low, high):
    rng, shares = np.random.default_rng(4), []
    for model, parameters in [
        ("dmc", {"p_delete": 0.6, "p_connect": 0.4}),
        ("dmr", {"p_delete": 0.6, "p_new": 0.5}),
        ("lpa", {"mean_links": 2, "attractiveness": 1}),
        ("rds", {"mean_links": 2}),
    ]:
        graph = netchoice.get_model(model).grow(500, parameters, rng)
        kept = set(map(tuple, graph.edges()))
        left = len(kept & set(map(tuple, swap_edges(graph, times, rng).edges())))
        shares.append(1 - left / graph.n_edges)
    assert low < np.mean(shares) <= high, shares


def test_labels_stay_and_the_original_is_unchanged():
    graph = Graph.from_edges([("a", "b"), ("b", "c"), ("d", "e"), ("e", "f")])
    before = graph.fingerprint
    for changed in (
        swap_edges(graph, 9, np.random.default_rng(1)),
        move_edges(graph, 1, np.random.default_rng(1)),
    ):
        assert changed.labels == graph.labels
    assert graph.fingerprint == before


@pytest.mark.parametrize("alter", [swap_edges, move_edges])
def test_unusable_amounts_are_refused(alter):
    graph = Graph.of(GRAPHS["path"])
    with pytest.raises(UsageError, match="must be a non-negative number; got -1"):
        alter(graph, -1, np.random.default_rng(1))
    with pytest.raises(UsageError, match=r"`rng` must be a generator"):
        alter(graph, 0.5, 1)


# Power


@pytest.mark.parametrize("model", ["ba1", "smw"])
def test_alterations_of_the_power_keep_the_size_and_isolate_no_node(model):
    rng, given = np.random.default_rng(5), {"smw": {"mean_links": 2, "p_rewire": 0.1}, "ba1": {}}
    changed = {kind: [] for kind in ALTERATIONS}
    for _ in range(10):
        graph = netchoice.get_model(model).grow(80, given[model], rng)
        edges = set(map(tuple, graph.edges()))
        for kind, alter in ALTERATIONS.items():
            ours = checked(alter(graph, rng))
            assert (ours.n_nodes, ours.n_edges, ours.n_isolated) == (80, graph.n_edges, 0)
            if kind.endswith("rewired"):
                assert np.array_equal(ours.degrees, graph.degrees)
            changed[kind].append(1 - len(edges & set(map(tuple, ours.edges()))) / len(edges))
    all_edges, a_third, one_in_20 = (np.array(shares) for shares in changed.values())
    assert all_edges.mean() > 0.7 > a_third.mean() > 0.2
    assert (one_in_20 > 0).all()
    assert (one_in_20 <= 0.051).all()


def test_at_least_one_edge_of_a_small_network_moves():
    (moved,) = (alter for kind, alter in ALTERATIONS.items() if kind.endswith("moved"))
    ring = Graph.of(nx.cycle_graph(8))
    assert any(moved(ring, np.random.default_rng(seed)) != ring for seed in range(5))


def test_answer_states_the_power_for_each_alteration():
    graph = netchoice.get_model("smw").grow(
        80, {"mean_links": 2, "p_rewire": 0.1}, np.random.default_rng(5)
    )
    space = netchoice.get_space("smw,rds").with_priors(
        {"mean_links": 2, "p_rewire": "uniform(0, 0.2)"}
    )
    effort = replace(QUICK, trained=400, altered=400, shown=20)
    answer = choose(graph, space, features=FEW, effort=effort)
    assert list(answer.power) == list(ALTERATIONS)
    all_edges, a_third, one_in_20 = (each.share for each in answer.power.values())
    assert all_edges >= 0.9 > one_in_20  # all triangles are lost
    assert a_third > one_in_20
    for each in answer.power.values():
        low, high = each.interval
        assert each.n == 20
        assert low <= each.share <= high
    (line,) = (text for text in answer.summary().splitlines() if text.startswith("power: "))
    assert line == (
        f"power: of 20 networks of smw with all edges rewired, the test notices {all_edges:.0%}"
    )
    assert power_line(answer) == (
        f"{line} (a third rewired {a_third:.0%}, 1 in 20 moved {one_in_20:.0%})"
    )


def test_power_against_rewiring_is_not_stated_for_a_model_that_rewiring_reproduces():
    graph = netchoice.get_model("rds").grow(40, {"mean_links": 2}, np.random.default_rng(1))
    effort = replace(QUICK, shown=20)
    answer = choose(graph, "rds,ba3", features=FEW, effort=effort)
    assert answer["rds"].state == "fits"
    assert answer["ba3"].state == "does not fit"
    assert list(answer.power) == ["1 in 20 moved"]
    assert power_line(answer) == (
        f"power: of 20 networks of rds with 1 in 20 moved, the test notices "
        f"{answer.power['1 in 20 moved'].share:.0%} (rewired ones are networks of rds again)"
    )
    other = choose(graph, "rds,planted-partition", features=FEW, effort=effort, match=True)
    assert {each.name for each in other.candidates} == {"rds", "planted-partition"}
    assert other.power_of == "planted-partition"
