"""All features against networkx, and the registry of features and shared steps."""

import json
import math
import os
import subprocess
import sys
import time

import networkit
import networkx as nx
import networkx_features
import numpy as np
import pytest
from fast_and_slow import fast_for
from hypothesis import given, settings
from hypothesis import strategies as st

import netchoice
from netchoice import Graph, compute_features
from netchoice.errors import UsageError
from netchoice.features import FEATURES, feature_names, paper_costs
from netchoice.features.computation import run_plan
from netchoice.features.registry import STEPS, find, plan, steps_of
from netchoice.models import builtin

NOT_NOISE = feature_names(noise=False)


def canonical(graph):
    return networkx_features.canonical(graph.n_nodes, graph.edges().tolist())


def assert_same(graph, expected=None):
    """Compare with networkx: integers must be equal, others within a relative 1e-9."""
    expected = networkx_features.features(canonical(graph)) if expected is None else expected
    result = compute_features(graph)
    assert not result.failures
    assert set(result.values) == set(expected) == set(NOT_NOISE)
    for name, value in result.values.items():
        reference = expected[name]
        if reference is None:
            continue  # the eigenvector is ill-defined
        if FEATURES[name].discrete:
            assert value == reference, name
            assert type(value) is int, name
        else:
            assert value == pytest.approx(reference, rel=1e-9, abs=1e-12), name


SHAPES = {
    "no nodes": nx.empty_graph(0),
    "one node": nx.empty_graph(1),
    "two nodes": nx.empty_graph(2),
    "one edge": nx.path_graph(2),
    "three nodes": nx.empty_graph(3),
    "path3": nx.path_graph(3),
    "no edges": nx.empty_graph(9),
    "path": nx.path_graph(40),
    "star": nx.star_graph(30),
    "cycle": nx.cycle_graph(31),
    "complete": nx.complete_graph(12),
    "bipartite": nx.complete_bipartite_graph(5, 7),
    "grid": nx.convert_node_labels_to_integers(nx.grid_2d_graph(5, 6)),
    "two identical": nx.disjoint_union(nx.petersen_graph(), nx.petersen_graph()),
    "interleaved": nx.relabel_nodes(
        nx.disjoint_union(nx.wheel_graph(6), nx.wheel_graph(6)),
        {i: (7 * i) % 12 for i in range(12)},
    ),
    "same eigenvalue": nx.disjoint_union(nx.star_graph(4), nx.cycle_graph(6)),
    "with isolated": nx.disjoint_union(nx.empty_graph(3), nx.barbell_graph(5, 3)),
    "karate": nx.karate_club_graph(),
}


@pytest.mark.parametrize("name", SHAPES)
def test_special_graphs_equal_networkx(name):
    shape = SHAPES[name]
    assert_same(Graph.from_edges(list(shape.edges()), len(shape)))


@pytest.mark.parametrize(
    "graphs",
    [slice(209), pytest.param(slice(209, None), marks=pytest.mark.slow)],
    ids=["up to six nodes", "seven nodes"],
)
def test_all_1253_graphs_with_up_to_seven_nodes_equal_networkx(graphs):
    atlas = nx.graph_atlas_g()
    assert len(atlas) == 1253
    assert len(atlas[208]) == 6
    for shape in atlas[graphs]:
        assert_same(Graph.from_edges(list(shape.edges()), len(shape)))


@settings(max_examples=60)
@given(st.integers(1, 40), st.floats(0, 0.6), st.integers(0, 2**32 - 1))
def test_random_graphs_equal_networkx(n_nodes, density, seed):
    assert_same(Graph.of(nx.gnp_random_graph(n_nodes, density, seed=seed)))


@settings(max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 15), st.integers(0, 15)), max_size=60))
def test_arbitrary_edges_equal_networkx(edges):
    assert_same(Graph.from_edges(edges, 16))


@fast_for("space", ["ba", "duplication", "mechanisms"], sorted(builtin.spaces()))
def test_networks_of_all_models_equal_networkx(space):
    rng = np.random.default_rng(1)
    for model in netchoice.get_space(space):
        for n_nodes in (30, 120):
            graph = model.grow(n_nodes, model.sample(rng), rng)
            if graph.n_edges < 1200:  # networkx lists all cliques
                assert_same(graph)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ba1", "ba2", "ba3", "ba4", "dmc", "dmr"])
def test_networks_of_a_thousand_nodes_equal_networkx(name):
    rng, model = np.random.default_rng(11), netchoice.get_model(name)
    for _ in range(3):
        graph = model.grow(1000, model.sample(rng), rng)
        if graph.n_edges < 8000:
            assert_same(graph)


@pytest.mark.parametrize("name", ["uetz2000", "ito2001", "yu2008"])
@pytest.mark.slow
def test_yeast_networks_equal_networkx(yeast_folder, name):
    graph, _ = netchoice.read_network(yeast_folder / f"{name}.txt")
    assert_same(graph)
    published = {"uetz2000": 0.018437, "ito2001": 0.024969, "yu2008": 0.020650}
    values = compute_features(graph, ["transitivity"]).values
    assert values["transitivity"] == pytest.approx(published[name], abs=5e-7)


def test_larger_networks_equal_networkit():
    rng = np.random.default_rng(2)
    for name in ("ba3", "dmc", "dmr"):
        model = netchoice.get_model(name)
        graph = model.grow(400, model.sample(rng), rng)
        peer = networkit.nxadapter.nx2nk(graph.to_networkx())
        ours = compute_features(graph).values
        between = networkit.centrality.Betweenness(peer, normalized=True).run().scores()
        assert ours["betweenness_max"] == pytest.approx(max(between), rel=1e-9)
        assert ours["betweenness_mean"] == pytest.approx(np.mean(between), rel=1e-9)
        components = networkit.components.ConnectedComponents(peer).run()
        assert ours["n_components"] == components.numberOfComponents()
        cores = np.array(networkit.centrality.CoreDecomposition(peer).run().scores())
        assert ours["core_2_size"] == (cores >= 2).sum()
        triangles = networkit.sparsification.TriangleEdgeScore(_indexed(peer)).run().scores()
        assert ours["n_triangles"] == sum(triangles) // 3


def _indexed(graph):
    graph.indexEdges()
    return graph


def test_labels_and_order_of_edges_do_not_matter():
    rng = np.random.default_rng(3)
    graph = netchoice.get_model("dmr").grow(200, {"p_delete": 0.5, "p_new": 0.5}, rng)
    edges = graph.edges()
    shuffled = rng.permutation(edges[:, ::-1])
    again = Graph.from_edges(shuffled, 200)
    assert compute_features(again).values == compute_features(graph).values


def test_noise_features_need_a_generator_and_have_independent_streams():
    graph = Graph.from_edges([(0, 1)])
    assert not any(name.startswith("noise") for name in compute_features(graph).values)
    with pytest.raises(UsageError, match="noise_normal draws random numbers; pass `rng`"):
        compute_features(graph, ["noise_normal"])
    every = compute_features(graph, rng=np.random.default_rng(5)).values
    assert set(every) == set(feature_names())
    alone = compute_features(graph, ["noise_integer"], rng=np.random.default_rng(5)).values
    assert alone["noise_integer"] == every["noise_integer"]
    draws = [
        compute_features(graph, [n for n in FEATURES if "noise" in n], rng=rng).values
        for rng in map(np.random.default_rng, range(2000))
    ]
    columns = {name: np.array([draw[name] for draw in draws]) for name in draws[0]}
    assert abs(columns["noise_normal"].mean()) < 0.1
    assert columns["noise_normal"].std() == pytest.approx(1, abs=0.06)
    assert 0 <= columns["noise_uniform"].min() < 1
    assert 49 < columns["noise_uniform"].max() < 50
    assert columns["noise_bernoulli"].mean() == pytest.approx(0.5, abs=0.05)
    assert set(columns["noise_integer"]) == set(range(50))
    between = np.corrcoef(list(columns.values())) - np.eye(4)
    assert np.abs(between).max() < 0.08


def test_only_the_required_steps_are_run():
    result = compute_features(Graph.from_edges([(0, 1)]), ["degree_max", "n_triangles"])
    assert list(result.values) == ["degree_max", "n_triangles"]
    assert set(result.step_seconds) == {"degrees", "degree_counts", "triangles"}
    assert not compute_features(Graph.from_edges([(0, 1)]), []).values


def test_cost_of_a_feature_is_its_own_time_and_that_of_all_its_steps():
    graph = netchoice.get_model("ba3").grow(500, {}, np.random.default_rng(1))
    result = compute_features(graph)
    for name, item in FEATURES.items():
        if item.is_random:
            continue
        steps = sum(result.step_seconds[step] for step in steps_of(item))
        assert result.seconds[name] == pytest.approx(result.own_seconds[name] + steps)
    assert "leading_eigenvector" in steps_of(FEATURES["eigenvector_max"])
    assert result.seconds["eigenvector_max"] > result.step_seconds["leading_eigenvector"] > 0
    total = sum(result.step_seconds.values()) + sum(result.own_seconds.values())
    assert result.total_seconds == pytest.approx(total)
    assert total > 0


@pytest.mark.slow
def test_values_do_not_depend_on_threads_or_process():
    """Two new processes with one and two threads give the same bits."""
    code = (
        "import netchoice, numpy as np\n"
        "parameters = {'p_delete': .4, 'p_connect': .5}\n"
        "g = netchoice.get_model('dmc').grow(300, parameters, np.random.default_rng(1))\n"
        "print({k: v.hex() if isinstance(v, float) else v"
        " for k, v in netchoice.compute_features(g).values.items()})"
    )
    printed = set()
    for threads in ("1", "2"):
        names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS", "MKL_NUM_THREADS")
        environment = os.environ | dict.fromkeys(names, threads)
        done = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env=environment,
        )
        printed.add(done.stdout)
    assert len(printed) == 1


def test_every_feature_and_step_has_a_definition_and_a_growth():
    assert len(FEATURES) == 51
    for name, item in FEATURES.items():
        assert item.definition, name
        assert item.growth, name
        assert item.version
    for name, item in STEPS.items():
        assert item.definition, name
        assert item.growth, name


def test_discrete_features_are_those_of_the_specification():
    discrete = {name for name, item in FEATURES.items() if item.discrete}
    assert discrete == {
        "n_components", "lcc_nodes", "lcc_edges", "lcc_diameter", "degree_max", "n_triangles",
        *(f"core_{k}_size" for k in range(2, 7)), *(f"shell_{k}_size" for k in range(2, 7)),
        "n_4_cliques", "n_5_cliques", "max_clique_size", *(f"n_pairs_distance_{k}" for k in range(3, 7)),
        "node_dominating_set_size", "edge_dominating_set_size", "noise_bernoulli", "noise_integer",
    }  # fmt: skip


# Users' features


@netchoice.feature(discrete=True, version="2", growth="n")
def n_leaves(degrees):
    """Nodes with one neighbour."""
    return (degrees == 1).sum()


@netchoice.feature()
def leaf_share(n_leaves, graph):
    """Fraction of leaves, computed from another feature."""
    return n_leaves / graph.n_nodes


@netchoice.feature()
def assortativity(networkx_graph):
    return nx.degree_assortativity_coefficient(networkx_graph)


def test_users_features_are_computed_and_charged():
    graph = Graph.of(nx.barbell_graph(4, 2))
    result = compute_features(graph, [n_leaves, assortativity, "degree_max"])
    assert result.values["n_leaves"] == 0
    assert result.values["assortativity"] == pytest.approx(
        nx.degree_assortativity_coefficient(nx.barbell_graph(4, 2))
    )
    assert result.seconds["assortativity"] > result.step_seconds["networkx_graph"] > 0
    both = compute_features(Graph.of(nx.star_graph(4)), [leaf_share, n_leaves])
    assert both.values == {"leaf_share": 0.8, "n_leaves": 4}
    assert n_leaves.version == "2"


def test_an_input_feature_is_computed_but_not_returned(monkeypatch):
    monkeypatch.setitem(FEATURES, "n_leaves", n_leaves)
    result = compute_features(Graph.of(nx.star_graph(4)), [leaf_share])
    assert result.values == {"leaf_share": 0.8}


FAILING = {
    "raises": (lambda graph: 1 / 0, "ZeroDivisionError"),
    "silent": (lambda graph: exec("raise KeyError"), "KeyError"),
    "text": (lambda graph: "many", "returned 'many', a str; expected one number"),
    "nothing": (lambda graph: None, "returned None"),
    "array": (lambda graph: np.zeros(3), "expected one number"),
    "complex": (lambda graph: 1j, "expected one number"),
    "nan": (lambda graph: math.nan, "returned nan; expected a finite number"),
    "inf": (lambda graph: -math.inf, "returned -inf; expected a finite number"),
}


@pytest.mark.parametrize("name", FAILING)
def test_a_failing_feature_does_not_affect_the_others(name):
    function, message = FAILING[name]
    failing = netchoice.feature(name=name)(function)
    result = compute_features(Graph.from_edges([(0, 1)]), [failing, "degree_max"])
    assert message in result.failures[name]
    assert math.isnan(result.values[name])
    assert result.values["degree_max"] == 1
    needing = netchoice.feature(name="needing")(eval(f"lambda {name}: 1"))
    result = compute_features(Graph.from_edges([(0, 1)]), [failing, needing])
    assert result.failures["needing"] == f"needs {name}, which failed"


@pytest.mark.parametrize("graph", [nx.karate_club_graph(), nx.empty_graph(0), nx.path_graph(2)])
def test_values_of_one_pass_equal_those_that_are_timed_one_by_one(graph):
    @netchoice.feature()
    def hub_share(degree_max, n_triangles, fails):
        return degree_max / 2 + n_triangles

    @netchoice.feature()
    def fails(degrees):
        raise ValueError("always")

    chosen = plan((*map(find, FEATURES), hub_share, fails))
    graph = Graph.of(graph)
    one_by_one = run_plan(graph, chosen, np.random.default_rng(1))
    together = run_plan(graph, chosen, np.random.default_rng(1), timed=False)
    assert repr(together.values) == repr(one_by_one.values)
    assert together.failures == one_by_one.failures
    assert together.step_seconds.keys() == one_by_one.step_seconds.keys()
    assert "n_triangles" in one_by_one.own_seconds.keys() - together.own_seconds.keys()


def test_summary_of_a_step_over_its_budget_has_no_value(monkeypatch):
    monkeypatch.setattr("netchoice.features.catalogue.CLIQUE_STEPS", -1)
    graph = Graph.of(nx.complete_graph(80))
    chosen = plan(tuple(map(find, ["n_4_cliques", "degree_max", "n_triangles"])))
    for timed in (True, False):
        result = run_plan(graph, chosen, None, timed=timed)
        assert result.failures["n_4_cliques"] == "needs clique_counts, which failed"
        assert result.not_computed == {"clique_counts", "n_4_cliques"}
        assert result.values["degree_max"] == 79
        assert result.values["n_triangles"] == math.comb(80, 3)


def test_a_feature_cannot_change_shared_steps():
    @netchoice.feature()
    def changes_inputs(degrees, networkx_graph):
        with pytest.raises(ValueError, match="read-only"):
            degrees *= 0
        networkx_graph.remove_node(0)

    graph = Graph.of(nx.star_graph(4))
    result = compute_features(
        graph, [changes_inputs, "degree_max", "transitivity"], repeat_short=True
    )
    assert "Frozen graph" in result.failures["changes_inputs"]
    assert result.values["degree_max"] == 4


def test_a_feature_that_waits_is_not_repeated():
    """It takes no CPU time, so it looks short."""
    calls = []

    @netchoice.feature(name="waits")
    def waits(graph):
        calls.append(time.sleep(0.05))
        return 1.0

    result = compute_features(Graph.of(nx.star_graph(4)), [waits], repeat_short=True)
    assert result.values == {"waits": 1.0}
    assert len(calls) <= 2


def test_a_feature_that_fails_only_when_repeated():
    runs = []

    @netchoice.feature()
    def once(graph):
        runs.append(1)
        if len(runs) > 3:
            raise RuntimeError("enough")
        return 1.0

    result = compute_features(Graph.of(nx.star_graph(4)), [once, "degree_max"], repeat_short=True)
    assert result.failures["once"] == "RuntimeError: enough"
    assert result.values["degree_max"] == 4


def test_conversion_is_part_of_every_cost():
    graph = nx.barabasi_albert_graph(300, 2, seed=1)
    result = compute_features(graph, ["degree_max", "n_triangles"])
    conversion = result.step_seconds["conversion"]
    assert conversion > 0
    assert result.seconds["degree_max"] > conversion
    assert "conversion" not in compute_features(Graph.of(graph), ["degree_max"]).step_seconds


def test_discrete_features_must_return_integers():
    half = netchoice.feature(discrete=True, name="half")(lambda graph: 0.5)
    integer = netchoice.feature(discrete=True, name="integer")(lambda graph: np.float64(2.0))
    large = netchoice.feature(discrete=True, name="large")(lambda graph: 2**60 + 1)
    result = compute_features(Graph.from_edges([(0, 1)]), [half, integer, large])
    assert "declared discrete" in result.failures["half"]
    assert result.values["integer"] == 2
    assert result.values["large"] == 2**60 + 1


def test_invalid_names_and_inputs_raise_an_error():
    graph = Graph.from_edges([(0, 1)])
    with pytest.raises(UsageError, match="did you mean 'transitivity'"):
        compute_features(graph, ["transitivty"])
    with pytest.raises(UsageError, match="`names` must be a list of features; got 'transitivity'"):
        compute_features(graph, "transitivity")
    with pytest.raises(
        UsageError,
        match="feature 'lost': its parameters must be names of inputs; unknown step or feature 'degreez'",
    ):
        compute_features(graph, [netchoice.feature(name="lost")(lambda degreez: 1)])
    one = netchoice.feature(name="one")(lambda two: 1)
    two = netchoice.feature(name="two")(lambda one: 1)
    with pytest.raises(UsageError, match="in a cycle: one → two → one"):
        compute_features(graph, [one, two])
    with pytest.raises(UsageError, match="two different features are called 'one'"):
        compute_features(graph, [one, netchoice.feature(name="one")(lambda graph: 1)])
    with pytest.raises(UsageError, match="cannot be called 'degrees'"):
        compute_features(graph, [netchoice.feature(name="degrees")(lambda graph: 1)])
    with pytest.raises(UsageError, match="expected a feature: a function decorated"):
        compute_features(graph, ["math:sqrt"])
    with pytest.raises(UsageError, match="is not a feature; decorate a function"):
        compute_features(graph, [len])
    with pytest.raises(UsageError, match="`rng` must be a generator such as"):
        compute_features(graph, ["degree_max"], rng=5)


@pytest.mark.slow
def test_compilation_is_not_part_of_a_cost(tmp_path):
    """A process without cached kernels reports costs of the same order as one with them."""
    code = (
        "import netchoice, numpy as np, json\n"
        "g = netchoice.get_model('ba2').grow(200, {}, np.random.default_rng(1))\n"
        "print(json.dumps(netchoice.compute_features(g, ['n_triangles']).seconds))"
    )
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment
    )
    assert "compiling" in done.stderr
    assert json.loads(done.stdout)["n_triangles"] < 0.05  # compiling takes a second


# The paper's costs


def test_paper_costs_have_the_printed_totals():
    ba, duplication = paper_costs("ba"), paper_costs("duplication")
    assert set(ba) == set(duplication) == set(feature_names())
    # The totals that the paper prints, in seconds; each entry is rounded.
    assert sum(ba.values()) == pytest.approx(3.7190, abs=0.001)
    assert sum(duplication.values()) == pytest.approx(4.7698, abs=0.001)
    assert duplication["square_clustering_std"] == pytest.approx(0.2548)
    noise = {name for name in FEATURES if name.startswith("noise")}
    assert ba.flagged == duplication.flagged == noise | {"eigenvector_mean", "eigenvector_max"}
    assert all(ba[name] == 0.05e-3 for name in ba.flagged)
    with pytest.raises(UsageError, match="did you mean 'duplication'"):
        paper_costs("duplicaton")


def test_greedy_dominating_set_of_a_network_with_isolated_nodes():
    """networkx's greedy set holds all nodes of a path if one more node is isolated, and we say so."""
    graph = netchoice.Graph.from_edges([(i, i + 1) for i in range(298)], 300)
    found = netchoice.compute_features(graph, ["node_dominating_set_size"]).values
    expected = nx.approximation.min_weighted_dominating_set(graph.to_networkx())
    assert found == {"node_dominating_set_size": len(expected)}
    assert len(expected) > 290
    smallest = 298 / 3 + 1  # every third node of the path, and the isolated one
    assert len(expected) > 2 * smallest
    assert "isolated" in FEATURES["node_dominating_set_size"].definition
