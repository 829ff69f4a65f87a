"""Growth kernels against reference implementations and exact enumeration."""

import functools

import naive
import naive_mechanisms_b as naive_b
import networkx as nx
import numpy as np
import pytest
from fast_and_slow import few_or_many
from kernel_probes import uniforms
from scipy import stats

import netchoice
from netchoice._kernels.linear_passes import component_labels
from netchoice.models import builtin

SPACES = builtin.spaces()
N_NODES = 40
PARAMETERS = {
    "dmc": [{"p_delete": 0.3, "p_connect": 0.4}, {"p_delete": 0.7, "p_connect": 0.6}],
    "dmr": [{"p_delete": 0.3, "p_new": 0.4}, {"p_delete": 0.7, "p_new": 0.7}],
    "rds": [{"mean_links": 0.8}, {"mean_links": 2.3}],
    "rdg": [{"mean_links": 0.7}, {"mean_links": 2.3}],
    "lpa": [
        {"mean_links": 0.7, "attractiveness": 1.0},
        {"mean_links": 2.3, "attractiveness": 0.3},
    ],
    "agv": [
        {"mean_links": 0.7, "attractiveness": 1.0},
        {"mean_links": 2.3, "attractiveness": 0.3},
    ],
    "smw": [{"mean_links": 0.7, "p_rewire": 0.3}, {"mean_links": 2.3, "p_rewire": 0.3}],
    **{f"ba{m}": [{"m": m}] for m in (1, 2, 3, 4)},
    "holme-kim": [{"mean_links": 1.4, "p_triad": 0.8}, {"mean_links": 3.0, "p_triad": 0.4}],
    "jackson-rogers": [
        {"mean_links": 1.6, "share_random": 0.3},
        {"mean_links": 3.2, "share_random": 0.6},
    ],
    "forest-fire": [{"p_burn": 0.2}, {"p_burn": 0.45}],
    "planted-partition": [
        {"mean_links": 1.2, "n_groups": 3, "p_inside": 0.6},
        {"mean_links": 2.3, "n_groups": 7, "p_inside": 0.9},
    ],
    "configuration": [
        {"mean_links": 1.2, "exponent": 3.0},
        {"mean_links": 2.3, "exponent": 2.3},
    ],
    "geometric": [{"mean_links": 1.2}, {"mean_links": 2.3}],
    "hyperbolic": [
        {"mean_links": 1.1, "exponent": 2.4, "temperature": 0.5},
        {"mean_links": 2.3, "exponent": 2.8, "temperature": 0.0},
    ],
    "davidsen": [{"lifetime": 2.5}, {"lifetime": 9.0}],
    "kumpula": [
        {"p_close": 0.02, "reinforcement": 0.8},
        {"p_close": 0.15, "reinforcement": 0.3},
    ],
    "toivonen": [{"max_secondary": 0.7, "p_two": 0.3}, {"max_secondary": 3.0, "p_two": 0.7}],
    "nonlinear": [{"mean_links": 0.7, "alpha": 0.5}, {"mean_links": 2.3, "alpha": 1.3}],
    "fitness": [{"mean_links": 0.7, "spread": 1.0}, {"mean_links": 2.3, "spread": 0.6}],
    "redirection": [{"mean_links": 0.7, "p_redirect": 0.4}, {"mean_links": 2.3, "p_redirect": 0.8}],
    "copying": [{"mean_links": 0.7, "p_random": 0.5}, {"mean_links": 2.3, "p_random": 0.2}],
    "saramaki-kaski": [{"mean_links": 0.7, "n_steps": 1}, {"mean_links": 2.3, "n_steps": 3}],
    "vazquez-walk": [{"p_follow": 0.3}, {"p_follow": 0.7}],
    "ispolatov": [{"p_keep": 0.3}, {"p_keep": 0.6}],
    "heterodimer": [{"p_keep": 0.3, "p_dimer": 0.5}, {"p_keep": 0.5, "p_dimer": 0.1}],
}
MOST_REFERENCE = {"kumpula": 15, "davidsen": 150}  # networks of slow reference implementations
# The first setting of a model keeps isolated nodes, the second one drops them.
CASES = [
    (name, i, ("keep", "drop")[i])
    for name, choices in PARAMETERS.items()
    for i in range(len(choices))
]
# Each case tests 4 statistics in 2 ways: with this significance level per test, correct code fails for
# fewer than one in a thousand seeds.
ALPHA = 1e-3 / (len(CASES) * 4 * 2)


def measure(graph):
    """Return edges, largest degree, triangles and components of a networkx graph."""
    return (
        graph.number_of_edges(),
        max(dict(graph.degree()).values()),
        sum(nx.triangles(graph).values()) // 3,
        nx.number_connected_components(graph),
    )


def two_sample_p(ours, reference):
    """Return the smallest p-value over statistics, of tests of the distribution and the mean."""
    p_values = []
    for a, b in zip(np.transpose(ours), np.transpose(reference), strict=True):
        p_values.append(stats.ks_2samp(a, b, method="asymp").pvalue)
        error = np.sqrt(a.var() / len(a) + b.var() / len(b))
        difference = abs(a.mean() - b.mean())
        p_values.append(2 * stats.norm.sf(difference / error) if error else difference == 0)
    return min(p_values)


@functools.cache
def reference_sample(name, i, isolated, n_networks):
    rng = np.random.default_rng([5, i])
    grown = (
        naive.MODELS[name](N_NODES, rng, isolated=isolated, **PARAMETERS[name][i])
        for _ in range(min(n_networks, MOST_REFERENCE.get(name, n_networks)))
    )
    return [measure(graph) for graph in grown]


def our_sample(name, parameters, isolated, n_networks, seed=2):
    rng = np.random.default_rng(seed)
    model = netchoice.get_model(name)
    grown = (model.grow(N_NODES, parameters, rng, isolated=isolated) for _ in range(n_networks))
    return [measure(graph.to_networkx()) for graph in grown]


def test_every_model_has_a_reference_implementation_and_parameters():
    names = {model.name for space in SPACES.values() for model in space}
    assert names == set(naive.MODELS) == set(PARAMETERS)


@few_or_many("n_networks", 60, 400)
@pytest.mark.parametrize(
    ("name", "i", "isolated"),
    [
        pytest.param(*case, marks=pytest.mark.slow) if case[0] == "kumpula" else case
        for case in CASES
    ],
)
def test_same_distribution_as_the_reference_implementation(name, i, isolated, n_networks):
    ours = our_sample(name, PARAMETERS[name][i], isolated, n_networks)
    assert two_sample_p(ours, reference_sample(name, i, isolated, n_networks)) > ALPHA


@pytest.mark.slow
@pytest.mark.parametrize("isolated", ["keep", "drop"])
@pytest.mark.parametrize("name", ["dmc", "dmr"])
def test_same_distribution_at_a_larger_size(name, isolated):
    model, parameters = netchoice.get_model(name), PARAMETERS[name][1]
    ours, reference = np.random.default_rng(6), np.random.default_rng(7)
    a = [
        measure(model.grow(250, parameters, ours, isolated=isolated).to_networkx())
        for _ in range(400)
    ]
    b = [
        measure(naive.MODELS[name](250, reference, isolated=isolated, **parameters))
        for _ in range(400)
    ]
    assert two_sample_p(a, b) > ALPHA


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("dmc", {"p_delete": 0.4, "p_connect": 0.4}),
        ("dmr", {"p_delete": 0.3, "p_new": 0.7}),
        ("smw", {"mean_links": 0.7, "p_rewire": 0.6}),
    ],
)
def test_the_comparison_detects_a_wrong_parameter(name, wrong):
    ours, reference = our_sample(name, wrong, "keep", 400), reference_sample(name, 0, "keep", 400)
    assert two_sample_p(ours, reference) < ALPHA


@few_or_many("n_draws", 2000, 20_000)
@pytest.mark.parametrize("n_nodes", [3, 4])
@pytest.mark.parametrize(
    ("name", "outcomes", "parameters"),
    [
        ("dmc", naive.dmc_outcomes, {"p_delete": 0.35, "p_connect": 0.6}),
        ("dmc", naive.dmc_outcomes, {"p_delete": 1.0, "p_connect": 0.0}),
        ("dmr", naive.dmr_outcomes, {"p_delete": 0.35, "p_new": 0.8}),
        ("dmr", naive.dmr_outcomes, {"p_delete": 1.0, "p_new": 1.0}),
        ("holme-kim", naive_b.holme_kim_outcomes, {"mean_links": 1.5, "p_triad": 0.3}),
        ("holme-kim", naive_b.holme_kim_outcomes, {"mean_links": 0.6, "p_triad": 1.0}),
        ("holme-kim", naive_b.holme_kim_outcomes, {"mean_links": 2.0, "p_triad": 0.6}),
        (
            "jackson-rogers",
            naive_b.jackson_rogers_outcomes,
            {"mean_links": 1.5, "share_random": 0.4},
        ),
        (
            "jackson-rogers",
            naive_b.jackson_rogers_outcomes,
            {"mean_links": 0.8, "share_random": 1.0},
        ),
        (
            "jackson-rogers",
            naive_b.jackson_rogers_outcomes,
            {"mean_links": 2.4, "share_random": 0.1},
        ),
        (
            "planted-partition",
            naive_b.planted_partition_outcomes,
            {"mean_links": 0.6, "n_groups": 2, "p_inside": 0.7},
        ),
        (
            "planted-partition",
            naive_b.planted_partition_outcomes,
            {"mean_links": 1.0, "n_groups": 3, "p_inside": 0.9},
        ),
        ("toivonen", naive_b.toivonen_outcomes, {"max_secondary": 0.5, "p_two": 0.4}),
        ("toivonen", naive_b.toivonen_outcomes, {"max_secondary": 2.3, "p_two": 0.9}),
    ],
)
def test_small_networks_have_exact_probabilities(name, outcomes, parameters, n_nodes, n_draws):
    exact = outcomes(n_nodes, *parameters.values())
    exact = {edges: p for edges, p in exact.items() if p > 0}
    assert sum(exact.values()) == pytest.approx(1)
    model, rng = netchoice.get_model(name), np.random.default_rng(3)
    counts = dict.fromkeys(exact, 0)
    for _ in range(n_draws):
        grown = model.grow(n_nodes, parameters, rng)
        counts[frozenset(map(tuple, grown.edges().tolist()))] += 1  # KeyError: impossible network
    expected = np.array(list(exact.values())) * n_draws
    if len(expected) > 1:
        assert stats.chisquare(list(counts.values()), expected).pvalue > 1e-4


def test_dmc_never_removes_both_copies():
    """With every pair losing one edge and no connection, the number of edges stays 1."""
    rng = np.random.default_rng(4)
    for _ in range(200):
        grown = netchoice.get_model("dmc").grow(30, {"p_delete": 1, "p_connect": 0}, rng)
        assert grown.n_edges == 1
    kept = netchoice.get_model("dmc").grow(30, {"p_delete": 0, "p_connect": 1}, rng)
    assert kept.n_edges == 30 * 29 // 2


@few_or_many("n_draws", 4000, 20_000)
def test_dmr_links_each_earlier_node_with_probability_p_new_over_n(n_draws):
    """All copied edges lost: node t has p_new links on average, evenly over earlier nodes."""
    rng = np.random.default_rng(5)
    t = 5
    links = np.zeros(t)
    for _ in range(n_draws):
        grown = netchoice.get_model("dmr").grow(t + 1, {"p_delete": 1, "p_new": 0.8}, rng)
        links[grown.neighbors(t)] += 1
    p_values = [stats.binomtest(int(k), n_draws, 0.8 / t).pvalue for k in links]
    assert min(p_values) > 1e-4


@pytest.mark.kernels
@pytest.mark.parametrize("name", sorted(PARAMETERS))
@pytest.mark.parametrize("isolated", ["keep", "drop"])
def test_growth_is_valid_and_deterministic(name, isolated):
    model = netchoice.get_model(name)
    for seed in range(5):
        for n_nodes in (model.min_nodes + 3, 17, 200):
            parameters = {**PARAMETERS[name][0]}
            one = model.grow(n_nodes, parameters, np.random.default_rng(seed), isolated=isolated)
            two = model.grow(n_nodes, parameters, np.random.default_rng(seed), isolated=isolated)
            assert one == two
            assert one.n_nodes == n_nodes
            netchoice.Graph(one.indptr, one.indices)  # raises unless simple and sorted
            if isolated == "drop":
                assert one.n_isolated == 0


@pytest.mark.kernels
@pytest.mark.parametrize("name", sorted(PARAMETERS))
def test_networks_of_the_smallest_sizes_can_be_grown(name):
    model, rng = netchoice.get_model(name), np.random.default_rng(1)
    parameters = {**PARAMETERS[name][0]}
    if "mean_links" in parameters:
        parameters["mean_links"] = 0.4  # fits two nodes
    for n_nodes in range(model.min_nodes, 9):
        for isolated in ("keep", "drop"):
            assert model.grow(n_nodes, parameters, rng, isolated=isolated).n_nodes == n_nodes


@pytest.mark.kernels
def test_ba_is_connected_with_the_right_number_of_edges():
    rng = np.random.default_rng(6)
    for m in (1, 2, 3, 4):
        graph = netchoice.get_model(f"ba{m}").grow(500, {}, rng)
        assert graph.n_edges == m * (500 - m)
        assert component_labels(graph.indptr, graph.indices)[1] == 1


@pytest.mark.kernels
def test_large_networks_grow_with_linear_memory():
    """Grow 100,000 nodes; arrays with n² entries would not fit into memory."""
    rng = np.random.default_rng(7)
    for name, parameters in [("dmc", {"p_delete": 0.6, "p_connect": 0.5}), ("ba4", {})]:
        graph = netchoice.get_model(name).grow(100_000, parameters, rng)
        assert graph.n_nodes == 100_000
    graph = netchoice.get_model("dmr").grow(
        100_000, {"p_delete": 0.6, "p_new": 0.5}, rng, isolated="drop"
    )
    assert graph.n_nodes == 100_000
    assert graph.n_isolated == 0


@pytest.mark.kernels
def test_growth_that_cannot_end_raises_an_error():
    rng = np.random.default_rng(8)
    with pytest.raises(netchoice.errors.GrowthLimitError, match="nearly all nodes stay isolated"):
        netchoice.get_model("dmc").grow(50, {"p_delete": 1, "p_connect": 0}, rng, isolated="drop")
    with pytest.raises(netchoice.errors.GrowthLimitError, match="above the limit of 100 edges"):
        netchoice.get_model("dmc").grow(
            500, {"p_delete": 0.1, "p_connect": 0.5}, rng, max_edges=100
        )


def test_random_stream_of_kernels_equals_numpys_sfc64():
    from netchoice.models.mechanism import seed_from

    seed = seed_from(np.random.default_rng(9))
    reference = np.random.SFC64()
    state = reference.state
    state["state"]["state"] = np.array([*seed, 1], dtype=np.uint64)
    reference.state = state
    reference.random_raw(12)
    assert uniforms(seed, 1000).tolist() == np.random.Generator(reference).random(1000).tolist()


def test_kernels_have_one_signature_each():
    """A second signature means that a caller passes other types and compiles the kernel twice."""
    from netchoice._kernels.compiler import kernels

    for name, dispatcher in kernels().items():
        assert len(dispatcher.signatures) <= 1, name
