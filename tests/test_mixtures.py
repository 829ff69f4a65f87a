"""Mixtures and thinned models against reference implementations, exact enumeration and closed forms."""

import json
import pickle

import naive
import networkx as nx
import numpy as np
import pytest
from fast_and_slow import fast_for, few_or_many
from quick_answers import choose
from scipy import stats

import netchoice
from netchoice.errors import EdgeLimitError, UsageError
from netchoice.models.builtin import rebuilt_space, with_mixtures
from netchoice.models.mechanism import MEAN_LINKS, mechanism
from netchoice.models.mixture import mixture, pure_models
from netchoice.models.space import family_weights
from netchoice.models.thinned import Observation, thinned

N_NODES = 40
ALPHA = 1e-5  # about 60 tests; correct code fails for fewer than one in a thousand seeds
VALUES = {"dmc_p_delete": 0.4, "dmc_p_connect": 0.6, "dmr_p_delete": 0.5, "dmr_p_new": 0.8}
DMC, DMR = {"p_delete": 0.4, "p_connect": 0.6}, {"p_delete": 0.5, "p_new": 0.8}


def measure(graph):
    """Return edges, largest degree and triangles of a networkx graph."""
    degrees = dict(graph.degree()).values()
    return graph.number_of_edges(), max(degrees), sum(nx.triangles(graph).values()) // 3


def sample(grow, n_networks, seed=1):
    """Return the statistics of networks that ``grow(rng)`` returns, one row for each."""
    rng = np.random.default_rng(seed)
    grown = (grow(rng) for _ in range(n_networks))
    return [measure(each.to_networkx() if hasattr(each, "to_networkx") else each) for each in grown]


def smallest_p(ours, reference):
    columns = zip(np.transpose(ours), np.transpose(reference), strict=True)
    return min(stats.ks_2samp(a, b, method="asymp").pvalue for a, b in columns)


# Mixtures


def test_mixture_has_the_parameters_of_both_models():
    mixed = netchoice.get_model("dmr+lpa")
    assert (mixed.name, mixed.family) == ("dmr+lpa", "mixture")
    assert mixed.description == "dmr with probability q, else lpa"
    assert list(mixed.parameters) == [
        "q", "dmr_p_delete", "dmr_p_new", "lpa_mean_links", "lpa_attractiveness",
    ]  # fmt: skip
    assert str(mixed.parameters["q"].prior) == "uniform(0, 1)"
    for name in ("dmr", "lpa"):
        assert netchoice.get_model(name).reference in mixed.reference


def test_parameter_with_one_meaning_is_shared():
    mixed = netchoice.get_model("lpa+rdg")
    assert list(mixed.parameters) == ["q", "mean_links", "lpa_attractiveness"]
    assert mixed.parameters["mean_links"].adapts
    changed = netchoice.get_model("lpa").with_priors({"mean_links": "uniform(1, 2)"})
    with pytest.raises(UsageError, match="share mean_links in a mixture, but its priors are"):
        mixture(changed, netchoice.get_model("rdg"))


def test_names_with_a_hyphen_become_prefixes_with_an_underscore():
    @mechanism("closure", "", p_triad=0.5, mean_links=MEAN_LINKS)
    def holme_like(net, new, p_triad, mean_links):
        """A step"""

    mixed = mixture(netchoice.get_model("dmr"), holme_like)
    assert mixed.name == "dmr+holme-like"
    assert list(mixed.parameters)[3:] == ["holme_like_p_triad", "holme_like_mean_links"]


def test_growth_begins_with_the_larger_star():
    mixed = netchoice.get_model("dmr+ba3")
    assert mixed.min_nodes == 4
    assert mixed.grow(4, {"q": 0.5, "dmr_p_delete": 0.5, "dmr_p_new": 0.5}, rng()).n_edges == 3


def rng(seed=1):
    return np.random.default_rng(seed)


def test_mixture_with_q_1_is_bit_identical_to_the_first_model():
    mixed, pure = netchoice.get_model("dmr+lpa"), netchoice.get_model("dmr")
    others = {"lpa_mean_links": 2.0, "lpa_attractiveness": 1.0}
    for isolated in ("keep", "drop"):
        values = {"q": 1, "dmr_p_delete": 0.4, "dmr_p_new": 0.5, **others}
        one = mixed.grow(200, values, rng(), isolated=isolated)
        two = pure.grow(200, {"p_delete": 0.4, "p_new": 0.5}, rng(), isolated=isolated)
        assert one == two


@few_or_many("n", 80, 400)
@pytest.mark.parametrize("isolated", ["keep", "drop"])
def test_mixture_with_q_0_is_distributed_as_the_second_model(isolated, n):
    mixed, pure = netchoice.get_model("dmc+dmr"), netchoice.get_model("dmr")
    ours = sample(lambda rng: mixed.grow(N_NODES, {"q": 0, **VALUES}, rng, isolated=isolated), n)
    reference = sample(lambda rng: pure.grow(N_NODES, DMR, rng, isolated=isolated), n, seed=2)
    assert smallest_p(ours, reference) > ALPHA


def naive_mixture(rng, q, isolated):
    """Grow a mixture of dmc and dmr, one step after the other."""

    def step(graph, new):
        if rng.random() < q:
            naive.dmc_step(graph, new, rng, *DMC.values())
        else:
            naive.dmr_step(graph, new, rng, *DMR.values())

    return naive._grow(nx.path_graph(2), step, N_NODES, isolated)


@few_or_many("n", 80, 400)
@pytest.mark.parametrize("isolated", ["keep", "drop"])
@pytest.mark.parametrize("q", [0.2, 0.7])
def test_mixture_is_distributed_as_the_reference_implementation(q, isolated, n):
    mixed = netchoice.get_model("dmc+dmr")
    ours = sample(lambda rng: mixed.grow(N_NODES, {"q": q, **VALUES}, rng, isolated=isolated), n)
    reference = sample(lambda rng: naive_mixture(rng, q, isolated), n, seed=2)
    assert smallest_p(ours, reference) > ALPHA


@fast_for("q", [0.2], [0.2, 0.7])
def test_the_comparison_detects_a_wrong_share(q):
    mixed = netchoice.get_model("dmc+dmr")
    wrong = sample(lambda rng: mixed.grow(N_NODES, {"q": 1 - q, **VALUES}, rng), 400)
    reference = sample(lambda rng: naive_mixture(rng, q, "keep"), 400, seed=2)
    assert smallest_p(wrong, reference) < ALPHA


def mixture_outcomes(n_nodes, q):
    """Return all networks of the mixture of dmc and dmr, with exact probabilities."""

    def step(edges, new):
        for outcomes, share in ((naive.dmc_step_outcomes(*DMC.values()), q),
                                (naive.dmr_step_outcomes(*DMR.values()), 1 - q)):  # fmt: skip
            yield from ((after, share * p) for after, p in outcomes(edges, new))

    return naive._outcomes(n_nodes, step)


@few_or_many("n_draws", 2000, 20_000)
@pytest.mark.parametrize("n_nodes", [3, 4])
def test_small_mixtures_have_exact_probabilities(n_nodes, n_draws):
    exact = {edges: p for edges, p in mixture_outcomes(n_nodes, 0.3).items() if p > 0}
    assert sum(exact.values()) == pytest.approx(1)
    mixed, generator = netchoice.get_model("dmc+dmr"), rng(3)
    counts = dict.fromkeys(exact, 0)
    for _ in range(n_draws):
        grown = mixed.grow(n_nodes, {"q": 0.3, **VALUES}, generator)
        counts[frozenset(map(tuple, grown.edges().tolist()))] += 1  # KeyError: impossible network
    expected = np.array(list(exact.values())) * n_draws
    assert stats.chisquare(list(counts.values()), expected).pvalue > 1e-4


def test_mechanism_with_a_memory_can_be_mixed():
    """Nodes of the other mechanism become active, too, in the order of their addition."""
    values = {"q": 0.5, "mean_links": 2.0, "agv_attractiveness": 1.0}
    grown = netchoice.get_model("agv+rdg").grow(300, values, rng())
    assert grown.n_edges == pytest.approx(600, rel=0.1)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("dmr+rds", "rds cannot be mixed.*expected a growing mechanism: .*dmc, dmr"),
        ("dmr+dmr", "a mixture of dmr with itself; expected two different models"),
        ("dmr+", "'dmr\\+' is not a mixture; expected two models"),
        ("dmr+lpa+rdg", "is not a mixture; expected two models"),
        ("dmr+lpaa", "unknown model 'lpaa'; did you mean 'lpa'"),
        ("dmr~links", "`thin` must be .*'links'"),
        ("dmr~edges~nodes", "dmr~edges has a parameter p_observed already"),
    ],
)
def test_errors_say_what_is_wrong_with_a_name(name, message):
    with pytest.raises(UsageError, match=message):
        netchoice.get_model(name)


def test_mixture_of_a_mixture_is_refused():
    with pytest.raises(UsageError, match="dmr\\+lpa cannot be mixed"):
        mixture(netchoice.get_model("dmr+lpa"), netchoice.get_model("rdg"))


def test_own_mechanism_is_mixed_by_module_and_attribute(tmp_path, monkeypatch):
    (tmp_path / "own_steps.py").write_text(
        "from netchoice.models.growing import link\n"
        "from netchoice.models.mechanism import mechanism\n\n\n"
        "@mechanism('closure', '', weight=1.0)\n"
        "def chain(net, new, weight):\n"
        "    link(net, new, new - 1)\n"
    )
    monkeypatch.chdir(tmp_path)
    mixed = netchoice.get_model("own_steps:chain+dmr")
    assert mixed.name == "chain+dmr"
    values = {"q": 1.0, "chain_weight": 1.0, "dmr_p_delete": 0.5, "dmr_p_new": 0.5}
    assert mixed.grow(50, values, rng()).n_edges == 49
    space = with_mixtures(None, ["own_steps:chain+dmr"])
    assert space.labels == ("chain", "dmr", "chain+dmr")


# Spaces


def test_mixture_has_the_priors_of_its_pure_models_in_the_space():
    paper = netchoice.get_space("duplication").with_mixtures(["dmc+dmr", "dmr+lpa"])
    assert paper.labels == ("dmc", "dmr", "dmc+dmr", "lpa", "dmr+lpa")
    assert str(paper["dmr+lpa"].parameters["dmr_p_delete"].prior) == "uniform(0.25, 0.75)"
    alone = with_mixtures(None, ["dmr+lpa"])
    assert alone.labels == ("dmr", "lpa", "dmr+lpa")
    for name, parameter in (("dmr", "p_delete"), ("dmr+lpa", "dmr_p_delete")):
        assert str(alone[name].parameters[parameter].prior) == "uniform(0.25, 1)"


def test_weights_of_added_models():
    """Equal weights stay equal, weights by family stay by family, others get the mean weight."""
    assert set(netchoice.get_space("mechanisms").with_mixtures(["dmr+lpa"]).weights) == {1 / 8}
    by_family = netchoice.get_space("all").with_mixtures(["dmr+lpa", "dmc+rdg"])
    assert by_family.weights == pytest.approx(family_weights(by_family.models))
    models = netchoice.get_space("duplication").models
    own = netchoice.ModelSpace("own", models, [1, 3]).with_mixtures(["dmc+dmr"])
    assert own.weights == pytest.approx((1 / 6, 1 / 2, 1 / 3))


@pytest.mark.parametrize("kind", ["edges", "nodes"])
def test_spaces_are_rebuilt_from_their_records(kind):
    observed = netchoice.Graph.from_edges([(i, i + 1) for i in range(60)])
    mixed = netchoice.get_space("duplication").with_mixtures(["dmr+lpa"])
    changed = mixed.thinned(kind).with_priors(
        {"q": "beta(2, 2)", "p_observed": "uniform(0.5, 1)", "dmc~edges.p_delete": 0.5}
        if kind == "edges"
        else {"lpa_mean_links": "uniform(1, 2)"}
    )
    for space in (mixed, mixed.thinned(kind), changed, changed.matched_to(observed)):
        again = rebuilt_space(json.loads(json.dumps(space.as_dict())))
        assert again.as_dict() == space.as_dict()


def test_matched_spaces_are_mixed_and_thinned_before_they_are_matched():
    observed = netchoice.Graph.from_edges([(i, (i + 1) % 60) for i in range(60)])
    base = netchoice.get_space("duplication")
    one = base.matched_to(observed).with_mixtures(["dmr+lpa"]).thinned("edges")
    two = base.with_mixtures(["dmr+lpa"]).thinned("edges").matched_to(observed)
    assert one.as_dict() == two.as_dict()


def test_matched_mixture_searches_the_density_of_the_pure_model():
    """The number of links per node is that of lpa alone; with few such nodes, any value would match."""
    observed = netchoice.Graph.from_edges([(i, (i + d) % 80) for i in range(80) for d in (1, 2)])
    space = with_mixtures(None, ["dmr+lpa"]).matched_to(observed)
    ranges = [space["lpa"].parameters["mean_links"], space["dmr+lpa"].parameters["lpa_mean_links"]]
    for spec in ranges:
        assert (spec.prior.low, spec.prior.high) == pytest.approx((1.75, 2.3), rel=0.12)
    generator = rng()
    for _ in range(5):
        parameters = space["dmr+lpa"].sample(generator)
        assert 144 <= space["dmr+lpa"].grow(80, parameters, generator).n_edges <= 176


# Thinning


def ring(n_nodes, rng):
    """A ring."""
    nodes = np.arange(n_nodes)
    return netchoice.Graph.from_edges(np.column_stack([nodes, np.roll(nodes, -1)]))


RING = netchoice.Model("ring", ring, family="spatial")


def half(n_nodes, rng):
    """Half of the nodes, which are all linked to one another."""
    pairs = [(u, v) for u in range(n_nodes // 2) for v in range(u)]
    return netchoice.Graph.from_edges(pairs, n_nodes)


HALF = netchoice.Model("half", half)


def test_thinned_model_keeps_family_and_description():
    model = thinned(RING, "edges")
    assert (model.name, model.family) == ("ring~edges", "spatial")
    assert model.description == "ring; some edges are observed"
    assert str(model.parameters["p_observed"].prior) == "uniform(0.2, 1)"
    assert pure_models(model) == ()
    assert pure_models(netchoice.get_model("dmr+lpa~nodes")) == ("dmr~nodes", "lpa~nodes")


def test_number_of_observed_edges_is_binomial():
    model, generator = thinned(RING, "edges"), rng()
    counts = [model.grow(30, {"p_observed": 0.4}, generator).n_edges for _ in range(3000)]
    expected = stats.binom.pmf(np.arange(31), 30, 0.4) * len(counts)
    observed = np.bincount(counts, minlength=31).astype(float)
    grouped = [np.array([a[:7].sum(), *a[7:18], a[18:].sum()]) for a in (observed, expected)]
    assert stats.chisquare(*grouped).pvalue > 1e-4


def test_every_edge_is_observed_with_the_same_probability():
    model, generator, seen = thinned(RING, "edges"), rng(), np.zeros((12, 12))
    for _ in range(4000):
        u, v = model.grow(12, {"p_observed": 0.3}, generator).edges().T
        seen[u, v] += 1
    counts = seen[seen > 0]
    assert len(counts) == 12
    assert min(stats.binomtest(int(k), 4000, 0.3).pvalue for k in counts) > 1e-4


def test_number_of_observed_linked_nodes_is_hypergeometric():
    """Of 40 nodes 20 are linked to one another; 16 of the 40 are observed."""
    model, generator = thinned(HALF, "nodes"), rng()
    edges = [model.grow(16, {"p_observed": 0.4}, generator).n_edges for _ in range(3000)]
    linked = np.arange(17)
    pmf = stats.hypergeom.pmf(linked, 40, 20, 16)
    pairs = linked * (linked - 1) // 2
    counts = np.array([np.sum(np.array(edges) == pairs[k]) for k in linked[4:13]], dtype=float)
    rest = len(edges) - counts.sum()
    expected = np.array([*pmf[4:13], 1 - pmf[4:13].sum()]) * len(edges)
    assert stats.chisquare([*counts, rest], expected).pvalue > 1e-4


@pytest.mark.parametrize("kind", ["edges", "nodes"])
def test_complete_measurement_changes_nothing(kind):
    model = netchoice.get_model("dmr")
    grown = model.grow(100, DMR, rng())
    assert thinned(model, kind).grow(100, {**DMR, "p_observed": 1}, rng()) == grown


@pytest.mark.parametrize("kind", ["edges", "nodes"])
@pytest.mark.parametrize("name", ["dmc", "dmr", "lpa", "rds", "smw", "dmr+lpa"])
def test_dropped_networks_have_the_wanted_number_of_linked_nodes(name, kind):
    model, generator = netchoice.get_model(f"{name}~{kind}"), rng()
    for _ in range(5):
        parameters = model.sample(generator)
        grown = model.grow(60, parameters, generator, isolated="drop")
        assert (grown.n_nodes, grown.n_isolated) == (60, 0)
        netchoice.Graph(grown.indptr, grown.indices)  # raises unless simple and sorted


def linked_ring(rng, total, kind, p):
    """Return the numbers of linked nodes and of edges of a ring that is observed in part."""
    if kind == "edges":
        kept = rng.random(total) < p
    else:
        seen = np.zeros(round(total / p), bool)
        seen[rng.choice(len(seen), total, replace=False)] = True
        kept = seen & np.roll(seen, -1)
    return int(np.sum(kept | np.roll(kept, 1))), int(kept.sum())


@pytest.mark.parametrize("kind", ["edges", "nodes"])
def test_dropped_networks_are_distributed_as_networks_with_that_number_of_linked_nodes(kind):
    """Reference: rings of all sizes that are likely, observed once; of these, those with 60 linked nodes.

    The share of observed edges or nodes may be 2% off, so a difference of 1.5% is allowed.
    """
    p, n_nodes, generator = 0.6, 60, rng(4)
    model = thinned(RING, kind)
    ours = [
        model.grow(n_nodes, {"p_observed": p}, generator, isolated="drop").n_edges
        for _ in range(500)
    ]
    rings = (linked_ring(generator, generator.integers(60, 90), kind, p) for _ in range(20_000))
    reference = [n_edges for n_linked, n_edges in rings if n_linked == n_nodes]
    assert len(reference) > 300
    assert np.mean(ours) == pytest.approx(np.mean(reference), rel=0.015)
    assert np.std(ours) == pytest.approx(np.std(reference), rel=0.2)


def test_share_of_observed_edges_is_within_the_tolerance():
    """In a ring a share 1 - (1 - p)² of the nodes is linked, and there are p edges per node."""
    model, generator = thinned(RING, "edges"), rng()
    shares = []
    for _ in range(200):
        grown = model.grow(300, {"p_observed": 0.5}, generator, isolated="drop")
        shares.append(grown.n_edges / grown.n_nodes)
    assert np.mean(shares) == pytest.approx(0.5 / 0.75, rel=0.02)


def test_times_of_an_observation():
    """A path 0-1-2-3 and an edge 4-5, observed in the order 1-2, 4-5, 0-1, 2-3."""
    edges = np.array([(0, 1), (1, 2), (2, 3), (4, 5)], np.int32)
    seen = Observation(edges, np.array([3, 1, 4, 2]), np.zeros(7), wanted=2)
    assert seen.n_linked == 4
    assert seen.until(2).edges().tolist() == [[1, 2], [4, 5]]
    assert seen.until(2).n_nodes == 7
    assert [seen.with_linked(n) for n in (1, 3, 7)] == [None] * 3
    assert [seen.with_linked(n).n_edges for n in (2, 4, 5)] == [1, 2, 3]
    assert seen.with_linked(6) is None, "two steps after the wanted end"


def test_limit_of_edges_is_that_of_the_observed_network():
    model = netchoice.get_model("ba4~edges")
    assert model.grow(200, {"p_observed": 0.25}, rng(), max_edges=250).n_edges <= 250
    with pytest.raises(EdgeLimitError, match="above the limit"):
        model.grow(200, {"p_observed": 1.0}, rng(), max_edges=250)


@fast_for("kind", ["edges"], ["edges", "nodes"])
def test_matched_thinned_models_match(kind):
    observed = netchoice.Graph.from_edges([(i, (i + 1) % 60) for i in range(60)])
    space = netchoice.get_space("mechanisms").thinned(kind).matched_to(observed)
    generator = rng()
    for model in space:
        grown = model.grow(60, model.sample(generator), generator)
        assert 54 <= grown.n_edges <= 66
        assert (grown.n_nodes, grown.n_isolated) == (60, 0)


def test_mixed_and_thinned_functions_can_be_pickled():
    function = netchoice.get_model("dmr+lpa").function
    assert pickle.loads(pickle.dumps(function)) == function
    space = netchoice.get_space("duplication").with_mixtures(["dmr+lpa"]).thinned("edges")
    options = {"n_nodes": 30, "n_samples": 12, "seed": 1, "features": ["degree_mean"]}
    one = netchoice.simulate_table(space, engine="serial", **options)
    two = netchoice.simulate_table(space, engine="processes", workers=2, **options)
    assert one.X.equals(two.X)


# Tables and answers


def test_simulated_table_of_a_mixture_can_be_used_again(tmp_path):
    netchoice.simulate_table(
        "dmr+lpa~nodes", n_nodes=30, n_samples=30, seed=1, features=["degree_mean"], engine="serial",
        out=tmp_path / "table",
    )  # fmt: skip
    table = netchoice.ReferenceTable.load(tmp_path / "table")
    space = rebuilt_space(table.manifest["space"])
    assert space.labels == ("dmr~nodes", "lpa~nodes", "dmr+lpa~nodes")
    assert set(table.y) <= set(space.labels)


def test_answer_says_whether_a_mixture_can_be_identified():
    """Grow a mixture, and choose between it and its pure models, all of them thinned."""
    model = netchoice.get_model("dmr+lpa")
    values = dict.fromkeys(model.parameters, 0.5) | {"lpa_mean_links": 2.0}
    answer = choose(model.grow(40, values, rng(), isolated="drop"), "dmr+lpa~edges")
    assert {each.name for each in answer.models} == {"dmr~edges", "lpa~edges", "dmr+lpa~edges"}
    assert answer["dmr+lpa~edges"].state == "fits"
    (said,) = [note for note in answer.notes if "dmr+lpa~edges" in note and "identified" in note]
    assert said in answer.summary(verbose=True)
