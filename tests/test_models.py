"""Models, priors, model spaces and density matching."""

import contextlib
import random
import sys
from types import SimpleNamespace

import igraph
import networkx as nx
import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

import netchoice
from netchoice import Graph, Model, ModelSpace, get_model, get_space
from netchoice.errors import GrowthLimitError, ModelError, UsageError
from netchoice.models import as_prior, builtin
from netchoice.models.space import FAMILIES, family_weights

SPACES = builtin.spaces()
RNG = np.random.default_rng


def test_builtin_spaces_are_those_of_the_specification():
    assert get_space("ba").labels == ("ba1", "ba2", "ba3", "ba4")
    assert get_space("duplication").labels == ("dmc", "dmr")
    assert len(get_space("mechanisms")) == 7
    for model in get_space("duplication"):
        assert {str(spec.prior) for spec in model.parameters.values()} == {"uniform(0.25, 0.75)"}
    for space in SPACES.values():
        if space.name != "all":
            assert space.weights == pytest.approx([1 / len(space)] * len(space))
        for model in space:
            assert model.description
            assert model.reference


def test_every_family_has_the_same_prior_weight_in_the_space_of_all_mechanisms():
    space = get_space("all")
    weights = {}
    for model, weight in zip(space.models, space.weights, strict=True):
        weights[model.family] = weights.get(model.family, 0) + weight
    assert set(weights) <= set(FAMILIES)
    assert list(weights.values()) == pytest.approx([1 / len(weights)] * len(weights))
    assert not {"ba1", "ba2", "ba3", "ba4"} & set(space.labels)


def test_a_further_variant_does_not_change_the_weight_of_its_family():
    models = [get_model(name) for name in ("dmc", "lpa", "rds")]
    before = family_weights(models)
    after = family_weights([*models, get_model("dmr")])
    assert before == pytest.approx([1 / 3] * 3)
    assert after == pytest.approx([1 / 6, 1 / 3, 1 / 3, 1 / 6])


def test_named_models_have_the_priors_of_their_own_space():
    assert get_model("dmc") is get_space("duplication")["dmc"]


@pytest.mark.parametrize("name", sorted(SPACES))
def test_sampling_follows_weights_and_priors(name):
    space, rng = get_space(name), RNG(1)
    draws = [space.sample(rng) for _ in range(2000)]
    counts = [sum(label == model.name for label, _ in draws) for model in space]
    assert scipy.stats.chisquare(counts, np.array(space.weights) * 2000).pvalue > 1e-4
    for label, parameters in draws:
        for key, value in parameters.items():
            prior = space[label].parameters[key].prior
            assert prior.low <= value <= prior.high


def test_models_are_drawn_by_weight():
    space = ModelSpace("mine", [get_model("dmc"), get_model("ba1")], weights=[3, 1])
    rng = RNG(1)
    share = np.mean([space.sample(rng)[0] == "dmc" for _ in range(4000)])
    assert share == pytest.approx(0.75, abs=0.03)
    for weights in ([1], [1, 0], [1, -1], [1, float("nan")]):
        with pytest.raises(
            UsageError, match="`weights` must be one positive number for each of 2 models"
        ):
            ModelSpace("mine", [get_model("dmc"), get_model("ba1")], weights)


@pytest.mark.parametrize(
    ("text", "check"),
    [
        ("uniform(0, 1)", scipy.stats.uniform(0, 1)),
        ("loguniform(0.1, 10)", scipy.stats.loguniform(0.1, 10)),
        ("normal(2, 3)", scipy.stats.norm(2, 3)),
        ("beta(2, 5)", scipy.stats.beta(2, 5)),
    ],
)
def test_texts_give_the_distributions_they_name(text, check):
    prior, rng = as_prior(text), RNG(2)
    assert str(prior) == text
    assert (prior.low, prior.high) == pytest.approx(check.support())
    assert scipy.stats.kstest([prior.draw(rng) for _ in range(2000)], check.cdf).pvalue > 1e-4
    frozen = as_prior(check)
    assert scipy.stats.kstest([frozen.draw(rng) for _ in range(500)], check.cdf).pvalue > 1e-4


def test_frozen_scipy_distributions_are_priors():
    rng = RNG(4)
    for frozen in (
        scipy.stats.randint(1, 4),
        scipy.stats.binom(10, 0.3),
        scipy.stats.truncnorm(-1, 1, loc=0.5, scale=0.1),
        scipy.stats.rv_histogram(np.histogram([0.1, 0.2, 0.9], bins=4)),
    ):
        prior = as_prior(frozen)
        assert prior.low <= prior.draw(rng) <= prior.high
    for wrong in (scipy.stats.uniform(float("nan"), 1), scipy.stats.uniform([0, 1], 1)):
        with pytest.raises(UsageError, match="is not a prior of one number"):
            as_prior(wrong)


def test_nearly_equal_priors_are_different():
    assert as_prior(0.1234567) != as_prior(0.1234568)
    precise = as_prior("uniform(0.12345678,0.123456789)")
    assert str(precise) == "uniform(0.12345678, 0.123456789)"


def test_integer_and_constant_priors():
    rng = RNG(3)
    prior = as_prior("integers(2, 4)")
    assert {prior.draw(rng) for _ in range(200)} == {2, 3, 4}
    assert as_prior("0.5").draw(rng) == 0.5
    assert as_prior(3).is_constant


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("unifrom(0,1)", "did you mean 'uniform'"),
        ("uniform(0)", "uniform takes two numbers"),
        ("uniform(1,0)", "expected first bound < second bound"),
        ("uniform(0,inf)", "two numbers"),
        ("loguniform(0,1)", "0 < first bound"),
        ("beta(0,1)", "above 0"),
        ("normal(0,0)", "above 0"),
        ("integers(0.5,2)", "integers"),
        ("nan", "is not a prior"),
        ("__import__('os')", "unknown distribution"),
        ("", "is not a prior"),
        (None, "is not a prior"),
        (True, "is not a prior"),
    ],
)
def test_invalid_priors_raise_an_error(text, message):
    with pytest.raises(UsageError, match=message):
        as_prior(text)


@given(st.text(max_size=30))
def test_any_text_is_a_prior_or_raises_a_usage_error(text):
    with contextlib.suppress(UsageError):
        as_prior(text)


def test_with_priors_changes_priors():
    space = get_space("duplication").with_priors({"p_delete": "uniform(0,1)", "dmr.p_new": 0.5})
    assert str(space["dmc"].parameters["p_delete"].prior) == "uniform(0, 1)"
    assert str(space["dmr"].parameters["p_delete"].prior) == "uniform(0, 1)"
    assert space["dmr"].sample(RNG(1))["p_new"] == 0.5
    assert (
        str(get_space("duplication")["dmc"].parameters["p_delete"].prior) == "uniform(0.25, 0.75)"
    )
    with pytest.raises(UsageError, match="did you mean 'p_delete'"):
        get_space("duplication").with_priors({"p_delte": 1})
    with pytest.raises(UsageError, match="prior of `p_delete` of `dmc` must be inside"):
        get_space("duplication").with_priors({"p_delete": "normal(0.5, 0.1)"})
    with pytest.raises(
        UsageError, match=r"`p_delete` of `dmc` must be a number in \[0, 1\]; got 2"
    ):
        get_space("duplication").with_priors({"p_delete": 2})


@pytest.mark.parametrize(
    ("name", "n_nodes", "parameters", "message"),
    [
        (
            "dmc",
            10,
            {"p_delete": 1.5, "p_connect": 0.5},
            r"`p_delete` of `dmc` must be a number in \[0, 1\]; got 1.5",
        ),
        (
            "dmc",
            10,
            {"p_delete": float("nan"), "p_connect": 0.5},
            "`p_delete` of `dmc` must be .*; got nan",
        ),
        ("dmc", 10, {"p_delete": "a", "p_connect": 0.5}, "`p_delete` of `dmc` must be .*; got 'a'"),
        ("dmc", 10, {"p_delete": 0.5}, "`p_connect` of `dmc` is missing"),
        ("dmc", 10, {"p_delete": 0.5, "p_conect": 0.5}, "did you mean 'p_connect'"),
        (
            "dmr",
            1,
            {"p_delete": 0.5, "p_new": 0.5},
            "`n_nodes` of `dmr` must be an integer from 2 .*; got 1",
        ),
        ("ba4", 4, {}, "`n_nodes` of `ba4` must be an integer from 5 to .*; got 4"),
        ("ba1", 10, {"m": 2}, "`m` of `ba1` must be .*; got 2"),
        ("dmr", 2.5, {"p_delete": 0.5, "p_new": 0.5}, "`n_nodes` .* got 2.5"),
        ("dmr", float("nan"), {"p_delete": 0.5, "p_new": 0.5}, "`n_nodes` .* got nan"),
        ("dmr", True, {"p_delete": 0.5, "p_new": 0.5}, "`n_nodes` .* got True"),
        ("rds", 5, {"mean_links": 4}, "too dense for 5 nodes; expected at most 2"),
        ("smw", 6, {"mean_links": 3, "p_rewire": 0}, "too dense for 6 nodes"),
    ],
)
def test_invalid_parameters_raise_an_error(name, n_nodes, parameters, message):
    with pytest.raises(UsageError, match=message):
        get_model(name).grow(n_nodes, parameters, RNG(1))


def test_invalid_names_and_options_raise_an_error():
    with pytest.raises(UsageError, match="did you mean 'dmr'"):
        get_model("dmrr")
    with pytest.raises(UsageError, match="did you mean 'duplication'"):
        get_space("duplications")
    with pytest.raises(UsageError, match="did you mean 'dmc'"):
        get_space("duplication")["dmcc"]
    with pytest.raises(UsageError, match="`isolated` must be 'keep' or 'drop'; got"):
        get_model("ba1").grow(10, {}, RNG(1), isolated="no")
    for rng in (None, 1, random.Random(1)):
        with pytest.raises(UsageError, match="`rng` must be a generator such as"):
            get_model("ba1").grow(10, {}, rng)
    with pytest.raises(UsageError, match="two models called"):
        ModelSpace("twice", [get_model("ba1"), get_model("ba1")])
    with pytest.raises(UsageError, match="no models"):
        ModelSpace("none", [])
    with pytest.raises(UsageError, match="is not a Model"):
        ModelSpace("wrong", [len])


# Users' models


def user_model(result):
    return Model("mine", lambda n_nodes, rng: result(n_nodes))


@pytest.mark.parametrize(
    "result",
    [
        nx.path_graph,
        igraph.Graph.Ring,
        lambda n: Graph.from_edges([(0, 1)], n),
        lambda n: np.zeros((n, n)),
    ],
)
def test_models_may_return_graphs_of_any_type(result):
    assert user_model(result).grow(12, {}, RNG(1)).n_nodes == 12


@pytest.mark.parametrize(
    ("result", "message"),
    [
        (lambda n: nx.path_graph(n + 1), "'mine' returned a network with 13 nodes instead of 12"),
        (lambda n: nx.Graph([(i, i) for i in range(n)]), "'mine' .* 12 self loops"),
        (lambda n: nx.path_graph(n, create_using=nx.DiGraph), "directed edges"),
        (lambda n: nx.MultiGraph([(i, (i + 1) % n) for i in range(n)] * 2), "12 repeated edges"),
        (lambda n: np.triu(np.ones((n, n)), 1), "directed edges"),
        (lambda n: 1 / 0, "model 'mine' raised ZeroDivisionError: division by zero"),
        (
            lambda n: None,
            "'mine' did not return a network: None is not a network",
        ),
        (lambda n: "file.txt", "cannot convert a str to a network"),
    ],
)
def test_invalid_results_of_a_model_raise_an_error(result, message):
    with pytest.raises(ModelError, match=message):
        user_model(result).grow(12, {}, RNG(1))


def test_isolated_nodes_of_users_models_are_dropped():
    @netchoice.model(p="uniform(0.02, 0.1)")
    def gnp(n_nodes, rng, p):
        return nx.fast_gnp_random_graph(n_nodes, p, seed=int(rng.integers(2**31)))

    graph = gnp.grow(60, {"p": 0.02}, RNG(1), isolated="drop")
    assert (graph.n_nodes, graph.n_isolated) == (60, 0)
    with pytest.raises(GrowthLimitError, match="nearly all nodes stay isolated"):
        user_model(nx.empty_graph).grow(10, {}, RNG(1), isolated="drop")
    with pytest.raises(GrowthLimitError, match="above the limit of 5 edges"):
        user_model(nx.path_graph).grow(10, {}, RNG(1), max_edges=5)


def test_a_model_may_drop_isolated_nodes_itself():
    def correct(n_nodes, rng, *, isolated="keep"):
        return nx.path_graph(n_nodes) if isolated == "drop" else nx.empty_graph(n_nodes)

    def incorrect(n_nodes, rng, *, isolated="keep"):
        return nx.empty_graph(n_nodes)

    assert Model("correct", correct).grow(5, {}, RNG(1), isolated="drop").n_edges == 4
    with pytest.raises(ModelError, match="5 isolated nodes despite"):
        Model("incorrect", incorrect).grow(5, {}, RNG(1), isolated="drop")


def test_decorator_reports_what_is_missing():
    with pytest.raises(UsageError, match="parameter p has no prior"):
        netchoice.model()(lambda n_nodes, rng, p: None)
    with pytest.raises(UsageError, match="unknown parameter of model function"):
        netchoice.model(q=1)(lambda n_nodes, rng, p=1: None)
    with pytest.raises(UsageError, match=r"expected \(n_nodes, rng"):
        netchoice.model()(lambda n, p: None)
    with pytest.raises(UsageError, match="`name` must be a text that is not empty"):
        Model("", nx.path_graph)


def test_models_and_spaces_by_module_and_attribute(monkeypatch):
    def plain(n_nodes, rng, k=2):
        """A ring."""
        return nx.cycle_graph(n_nodes)

    mine = SimpleNamespace(
        plain=plain, space=ModelSpace("pair", [get_model("dmc")]), number=3, __name__="mine"
    )
    monkeypatch.setitem(sys.modules, "mine_for_test", mine)
    assert get_model("mine_for_test:plain").description == "A ring."
    assert get_space("mine_for_test:space").labels == ("dmc",)
    assert get_space("mine_for_test:plain").labels == ("plain",)
    with pytest.raises(UsageError, match="is a int; expected"):
        get_model("mine_for_test:number")
    with pytest.raises(UsageError, match="did you mean 'plain'"):
        get_model("mine_for_test:plane")
    with pytest.raises(UsageError, match="no module 'nowhere_at_all'"):
        get_model("nowhere_at_all:x")
    with pytest.raises(UsageError, match="not of the form module:attribute"):
        get_model(":x")


# Density-matched spaces


def observed(n_nodes, n_edges, seed=1):
    return get_model("rds").grow(n_nodes, {"mean_links": n_edges / n_nodes}, RNG(seed))


@pytest.mark.parametrize(
    ("n_nodes", "n_edges", "isolated"),
    [
        (790, 761, "keep"),
        (790, 761, "drop"),
        (789, 644, "drop"),
        (300, 1500, "drop"),
        (60, 50, "keep"),
    ],
)
def test_matched_networks_have_the_observed_number_of_edges(n_nodes, n_edges, isolated):
    space = get_space("mechanisms").matched_to(observed(n_nodes, n_edges), isolated=isolated)
    rng = RNG(2)
    for model in space:
        for _ in range(5):
            graph = model.grow(n_nodes, model.sample(rng), rng)
            assert abs(graph.n_edges - n_edges) <= 0.1 * n_edges, model.name
            assert graph.n_nodes == n_nodes
            if isolated == "drop":
                assert graph.n_isolated == 0


def test_matching_conditions_parameters_and_network_jointly():
    """Sampling and growing gives the distribution of pairs (parameters, network) that match."""
    target = observed(60, 60)
    model = get_space("mechanisms").matched_to(target)["dmc"]
    rng, accepted = RNG(3), []
    while len(accepted) < 300:
        parameters = Model.sample(model, rng)
        graph = model.propose(60, parameters, rng)
        if graph is not None:
            accepted.append((parameters["p_delete"], graph.degrees.max()))
    drawn = []
    for _ in range(300):
        parameters = model.sample(rng)
        drawn.append((parameters["p_delete"], model.grow(60, parameters, rng).degrees.max()))
    for a, b in zip(np.transpose(accepted), np.transpose(drawn), strict=True):
        assert scipy.stats.ks_2samp(a, b, method="asymp").pvalue > 1e-3


def test_matching_keeps_a_prior_that_was_changed():
    wanted = get_space("mechanisms").with_priors({"lpa.mean_links": "uniform(1.1, 1.3)"})
    space = wanted.matched_to(observed(300, 360))
    assert str(space["lpa"].parameters["mean_links"].prior) == "uniform(1.1, 1.3)"
    assert str(space["agv"].parameters["mean_links"].prior) != "uniform(0.5, 4)"


def test_matching_drops_isolated_nodes_if_the_observed_network_has_none():
    space = get_space("duplication")
    assert space.matched_to(nx.path_graph(40)).isolated == "drop"
    with_some = nx.disjoint_union(nx.path_graph(40), nx.empty_graph(3))
    assert space.matched_to(with_some).isolated == "keep"
    with pytest.raises(UsageError, match="`isolated` must be 'keep' or 'drop'; got"):
        space.matched_to(nx.path_graph(40), isolated="maybe")


def test_a_parameter_of_a_users_model_can_adapt_to_the_density():
    def gnp(n_nodes, rng, links):
        p = min(1.0, 2 * links / (n_nodes - 1))
        return nx.fast_gnp_random_graph(n_nodes, p, seed=int(rng.integers(2**31)))

    links = netchoice.models.Parameter(as_prior("uniform(5, 9)"), 0.01, 40, adapts=True)
    space = ModelSpace("gnp", [Model("gnp", gnp, {"links": links})]).matched_to(observed(80, 100))
    graph = space["gnp"].grow(80, space["gnp"].sample(RNG(1)), RNG(2))
    assert 90 <= graph.n_edges <= 110
    with pytest.raises(UsageError, match="must have finite bounds above 0"):
        netchoice.models.Parameter(as_prior("uniform(0, 1)"), 0, 1, adapts=True)


def test_matched_models_keep_the_density_at_other_sizes():
    space = get_space("mechanisms").matched_to(observed(500, 600))
    graph = space["lpa"].grow(100, space["lpa"].sample(RNG(1)), RNG(2))
    assert abs(graph.n_edges - 120) <= 12


def test_impossible_matches_raise_an_error():
    with pytest.raises(UsageError, match="at least one edge"):
        get_space("mechanisms").matched_to(Graph.from_edges([], n_nodes=5))
    with pytest.raises(UsageError, match="`tolerance` must be a number between 0 and 1; got 0"):
        get_space("mechanisms").matched_to(observed(50, 60), tolerance=0)
    with pytest.raises(UsageError, match="cannot all have neighbours"):
        get_space("mechanisms").matched_to(observed(50, 10), isolated="drop")
    space = get_space("duplication").matched_to(observed(50, 60), isolated="keep")
    with pytest.raises(UsageError, match="call matched_to with the other value"):
        space["dmc"].grow(50, space["dmc"].sample(RNG(1)), RNG(1), isolated="drop")


def test_a_model_that_cannot_match_raises_an_error(monkeypatch):
    monkeypatch.setattr("netchoice.models.density_matched.MAX_PROPOSALS", 50)
    space = get_space("ba").matched_to(observed(50, 300))
    with pytest.raises(GrowthLimitError, match="ba1 with parameters from the prior: none of 50"):
        space["ba1"].sample(RNG(1))
    with pytest.raises(GrowthLimitError, match="ba1 with m=1: none of 50"):
        space["ba1"].grow(50, {}, RNG(1))
