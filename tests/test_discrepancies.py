"""Which features differ from the simulations of a model, in words, and what to try."""

import functools
import math
import shlex

import numpy as np
import pandas as pd
import pytest

import netchoice
from netchoice.choice import discrepancies
from netchoice.choice.discrepancies import (
    advise,
    distinct_numbers,
    find_discrepancies,
    main_discrepancies,
)
from netchoice.features import FEATURES
from netchoice.models import builtin
from netchoice.validation import assignments

SPACES = builtin.spaces()
DUPLICATION, MECHANISMS = SPACES["duplication"], SPACES["mechanisms"]
ALL = SPACES["all"]


def only(value, simulated, name="n_triangles", **options):
    """Return the discrepancy of one feature."""
    (found,) = find_discrepancies({name: value}, pd.DataFrame({name: simulated}), **options)
    return found


def differing(**directions):
    """Return a discrepancy of size 1, 2, … for each feature: True means more than simulated."""
    simulated = pd.DataFrame({name: np.linspace(10, 20, 100) for name in directions})
    observed = {name: 30 + i if up else 0 - i for i, (name, up) in enumerate(directions.items())}
    return find_discrepancies(observed, simulated)


def advice_for(found=(), model="dmc", space=DUPLICATION, at_boundary=None, **options):
    options = {"at_boundary": at_boundary or {}, "isolated": "keep"} | options
    return advise(found, space[model], space, **options)


def test_every_built_in_feature_has_words_and_a_topic():
    labels = [item.label for item in FEATURES.values()]
    assert len(set(labels)) == len(labels)
    assert not [label for label in labels if "_" in label or label.endswith(".")]
    topics = {item.topic for item in FEATURES.values()}
    assert topics == {
        "density", "degrees", "hubs", "components", "distances", "clustering", "cores", "centrality",
        "dominating", "noise",
    }  # fmt: skip
    counts = {name for name, item in FEATURES.items() if item.is_count}
    assert counts == {
        name
        for name, item in FEATURES.items()
        if item.discrete and name not in ("degree_max", "lcc_diameter")
        and not name.startswith("noise")
    }  # fmt: skip


def test_own_features_get_words_from_their_name_or_their_label():
    @netchoice.feature(discrete=True)
    def n_leaves(degrees):
        return (degrees == 1).sum()

    @netchoice.feature(label="share of leaves", topic="degrees")
    def leaf_share(n_leaves, graph):
        return n_leaves / graph.n_nodes

    assert (n_leaves.label, n_leaves.topic, n_leaves.is_count) == ("leaves", "other", True)
    found = only(9, range(5), "n_leaves", features=[n_leaves])
    assert found.sentence == "more leaves than any of the 5 simulations: 9, simulated 0 to 4"
    found = only(0.9, [0.1, 0.25, 0.3], "leaf_share", features=[leaf_share])
    assert (
        found.sentence
        == "larger share of leaves than any of the 3 simulations: 0.9, simulated 0.1 to 0.3"
    )
    assert found.topic == "degrees"
    assert only(9, range(5), "my_number").sentence.startswith(
        "larger my number than any of the 5 simulations"
    )


def naive_direction(value, simulated):
    """Count the simulations on either side, one by one."""
    smaller = sum(1 for other in simulated if other < value)
    larger = sum(1 for other in simulated if other > value)
    if smaller >= 0.975 * len(simulated):
        return "more"
    return "fewer" if larger >= 0.975 * len(simulated) else ""


@pytest.mark.parametrize("kind", ["counts", "few values", "heavy tail", "negative"])
def test_directions_equal_counting(kind):
    rng, seen = np.random.default_rng(1), set()
    for _ in range(150):
        simulated = {
            "counts": rng.poisson(20, 200),
            "few values": rng.integers(0, 3, 200),
            "heavy tail": np.exp(rng.normal(0, 8, 200)),
            "negative": -np.exp(rng.normal(0, 2, 200)),
        }[kind].astype(float)
        value = float(rng.choice(simulated) + round(rng.normal(0, 1.5 * simulated.std())))
        found = only(value, simulated)
        assert found.direction == naive_direction(value, simulated)
        assert found.is_above == (found.direction == "more")
        assert (found.size > 0) <= bool(found.direction)
        assert (found.minimum, found.maximum) == (simulated.min(), simulated.max())
        for quantile, end in [(0.025, found.q025), (0.5, found.median), (0.975, found.q975)]:
            assert np.mean(simulated < end) <= quantile <= np.mean(simulated <= end)
        seen.add(found.direction)
    assert seen >= {"more", ""}


@pytest.mark.parametrize("scale", [lambda x: x, np.exp, lambda x: np.round(3 * x)])
def test_size_grows_with_the_distance_and_is_zero_inside(scale):
    simulated = scale(np.random.default_rng(1).normal(0, 3, 500))
    middle, spread = np.median(simulated), np.ptp(simulated)
    for sign in (1, -1):
        end = simulated.max() if sign > 0 else simulated.min()
        sizes = [only(end + sign * k * spread, simulated).size for k in (0.01, 0.1, 1, 10, 1000)]
        assert sizes == sorted(sizes)
        assert 0 < sizes[0] < sizes[-1] < math.inf
    assert only(middle, simulated).size == 0


def test_heavy_tails_do_not_hide_other_features():
    rng = np.random.default_rng(1)
    simulated = pd.DataFrame(
        {"estrada_index": np.exp(rng.normal(30, 10, 300)), "n_triangles": rng.poisson(100, 300)}
    )
    observed = {"estrada_index": 1.2 * simulated["estrada_index"].max(), "n_triangles": 900}
    found = find_discrepancies(observed, simulated)
    assert [each.feature for each in found] == ["n_triangles", "estrada_index"]
    assert found[0].size > 2 * found[1].size


@pytest.mark.parametrize(
    ("value", "simulated", "sentence"),
    [
        (512, range(40, 211), "more triangles than any of the 171 simulations: 512, simulated 40 to 210"),
        (3, range(40, 211), "fewer triangles than any of the 171 simulations: 3, simulated 40 to 210"),
        (99, [*range(199), 200], "triangles: 99, simulated 0 to 200"),
        (199, [*range(199), 200],
         "more triangles than 99.5% of the 200 simulations: 199, simulated 0 to 200"),
        (1, [0] * 50, "more triangles than any of the 50 simulations: 1, simulated always 0"),
        (4, [4] * 50, "triangles: 4, as in every simulation"),
        (2, [1, math.nan, 3], "triangles: 2, simulated 1 to 3"),
        (2, [math.nan, math.inf, 3],
         "fewer triangles than any of the 2 simulations: 2, simulated 3 to inf"),
    ],
)  # fmt: skip
def test_sentences_of_counts(value, simulated, sentence):
    assert only(value, list(simulated)).sentence == sentence


def test_sentences_of_means_say_larger_and_smaller():
    simulated = np.linspace(0.01, 0.04312, 80)
    assert only(0.04314, simulated, "transitivity").sentence == (
        "larger transitivity than any of the 80 simulations: 0.04314, simulated 0.01 to 0.04312"
    )
    assert only(0.0, simulated, "degree_max").direction == "smaller"


def test_features_without_values_are_left_out():
    simulated = pd.DataFrame(
        {"n_triangles": [1, 2], "degree_mean": [math.nan] * 2, "degree_max": [1, 2]}
    )
    observed = {"n_triangles": math.nan, "degree_mean": 1, "lcc_nodes": 3, "degree_max": 1}
    assert [each.feature for each in find_discrepancies(observed, simulated)] == ["degree_max"]


@pytest.mark.parametrize(
    ("value", "text"),
    [(512, "512"), (0.043, "0.043"), (1.2e15, "1.2e+15"), (0, "0"), (1234.5, "1234"), (2.5e-7, "2.5e-07"),
     (math.inf, "inf"), (-3, "-3"), (123456, "123456"), (99.96, "100")],
)  # fmt: skip
def test_numbers_are_readable(value, text):
    assert distinct_numbers(value) == [text]


def test_short_list_has_the_plainest_feature_of_each_topic():
    found = differing(
        lcc_local_efficiency=True, n_triangles=True, core_2_size=False, degree_std=True
    )
    assert [each.feature for each in main_discrepancies(found)].count("n_triangles") == 1
    assert {each.topic for each in main_discrepancies(found)} == {"clustering", "cores", "hubs"}
    sizes = [each.size for each in main_discrepancies(found)]
    assert sizes == sorted(sizes, reverse=True)
    assert len(main_discrepancies(found, 2)) == 2
    slightly = only(20.5, np.linspace(10, 20, 100))
    far = only(1e4, np.linspace(10, 20, 100), "lcc_local_efficiency")
    assert main_discrepancies([far, slightly]) == [far]
    abstract = only(1e9, np.linspace(10, 20, 100), "estrada_index")
    assert main_discrepancies([abstract, far]) == [far, abstract]
    assert main_discrepancies([only(15, np.linspace(10, 20, 100))]) == []


def bounds(space, key, text):
    label, _, name = key.partition(".")
    prior = space.with_priors({key: text})[label].parameters[name].prior
    return prior.low, prior.high


@pytest.mark.parametrize("space", SPACES.values(), ids=str)
def test_advice_on_priors_is_accepted_and_wider(space):
    for model in space:
        for name, parameter in model.parameters.items():
            for side in ("lower", "upper"):
                (first, *_) = advice_for((), model.name, space, {name: side})
                prior, allowed = parameter.prior, (parameter.low, parameter.high)
                at_limit = (prior.low, prior.high)[side == "upper"] == allowed[side == "upper"]
                assert first.command.startswith("--prior") != at_limit
                if not at_limit:
                    option, text = shlex.split(first.command)
                    ((key, new),) = assignments([text], option).items()
                    low, high = bounds(space, key, new)
                    assert (low < prior.low, high > prior.high) == (
                        side == "lower",
                        side == "upper",
                    )


@pytest.mark.parametrize(
    ("prior", "side", "expected"),
    [
        ("integers(2, 6)", "upper", "integers(2,14)"),
        ("loguniform(0.1, 1)", "lower", "loguniform(0.01,1)"),
        ("loguniform(0.1, 1)", "upper", "loguniform(0.1,10)"),
        ("uniform(0, 0.1)", "upper", "uniform(0,0.3)"),
        ("uniform(-2, 0.1)", "lower", "uniform(-6.2,0.1)"),
    ],
)
def test_advice_on_priors_keeps_the_family(prior, side, expected):
    model = netchoice.Model("mine", lambda n_nodes, rng, p: None, {"p": prior})
    space = netchoice.ModelSpace("mine", [model])
    (first,) = advice_for((), "mine", space, {"p": side})
    assert first.command == f'--prior "mine.p={expected}"'


def test_advice_on_density_components_and_isolated_nodes():
    denser = differing(degree_mean=True, n_components=False)
    assert [each.command for each in advice_for(denser)] == ["--match"]
    assert "larger mean degree than any of the 100 simulations" in advice_for(denser)[0].sentence
    matched = advice_for(denser, "rds", MECHANISMS, matched=True)
    assert [each.command for each in matched] == ["--isolated drop"]
    pieces = differing(n_components=True)
    assert advice_for(pieces, isolated="drop")[0].command == "--isolated keep"
    at_boundary = advice_for((), "rds", MECHANISMS, {"mean_links": "upper"})
    assert [each for each in at_boundary if "--prior" in each.command]
    matched = advice_for((), "rds", MECHANISMS, {"mean_links": "upper"}, matched=True)
    assert not [each for each in matched if "--prior" in each.command]


def test_advice_on_mechanisms():
    (only_one,) = advice_for(differing(degree_max=True, transitivity=True), "ba2", SPACES["ba"])
    assert only_one.command == "--space all --match"
    assert (
        "more clustered than simulations of ba2; try forest-fire, vazquez-walk and "
        "geometric" in str(only_one)
    )
    (mixed,) = advice_for(differing(transitivity=True), "dmr", ALL)
    assert mixed.command == "--space dmr+forest-fire"
    assert "try a mixture with forest-fire" in mixed.sentence
    own = advice_for(differing(transitivity=True), "geometric", ALL)
    assert [each.sentence for each in own] == [
        "the network is more clustered than simulations of geometric; try a model of your own that "
        "closes triangles"
    ]
    fewer = advice_for(differing(degree_std=False), "dmr")
    assert (
        "less dominated by hubs than simulations of dmr; try smw, geometric and "
        "planted-partition" in str(fewer[0])
    )
    assert [each.command for each in advice_for()] == ["--space all --match"]
    assert [each.command for each in advice_for((), "rds", ALL)] == [""]


@pytest.mark.parametrize("matched", [False, True])
@pytest.mark.parametrize("feature", ["transitivity", "degree_max"])
def test_advice_has_the_same_form_in_both_directions(feature, matched):
    words = {"transitivity": "clustered", "degree_max": "dominated by hubs"}[feature]
    for space, model in [*((ALL, name) for name in ALL.labels), (DUPLICATION, "dmc")]:
        for is_above in (True, False):
            found = differing(**{feature: is_above})
            first = advice_for(found, model, space, matched=matched)[0]
            direction = "more" if is_above else "less"
            fact = f"the network is {direction} {words} than simulations of {model}; try "
            assert first.sentence.startswith(fact)
            if space is DUPLICATION:
                assert first.command == "--space all --match"


def test_a_mixture_that_was_compared_is_not_advised_again():
    space = ALL.with_mixtures(["dmr+forest-fire"])
    advice = advice_for(differing(transitivity=True), "dmr", space)
    assert not [each for each in advice if "dmr+forest-fire" in each.command]


def test_rates_decide_what_is_advised_and_counts_do_not():
    """Collaborations of scientists have fewer triangles than simulations of dmc, and are more clustered."""
    (said,) = advice_for(differing(n_triangles=False, transitivity=True))
    assert "the network is more clustered than simulations of dmc" in said.sentence
    for found in (
        differing(n_triangles=True),
        differing(transitivity=True, clustering_mean=False),
        differing(degree_max=True, degree_std=False),
    ):
        assert [each.sentence for each in advice_for(found)] == ["try a space with more mechanisms"]


N_NODES, N_NETWORKS = 100, 60
#: The number of triangles also grows with hubs.
CLUSTERING = ["transitivity", "clustering_mean", "n_triangles"]
HUBS = ["degree_max", "degree_std", "n_triangles"]


@functools.cache
def features_of(name):
    """Return features of networks of a model with about two links per node."""
    links = [(i, (i + k) % N_NODES) for i in range(N_NODES) for k in (1, 2)]
    base = netchoice.ModelSpace(name, [netchoice.get_model(name)])
    (model,) = base.matched_to(netchoice.Graph.from_edges(links), isolated="keep")
    rng, names = np.random.default_rng(1), list(dict.fromkeys(CLUSTERING + HUBS))
    grown = [model.grow(N_NODES, model.sample(rng), rng) for _ in range(N_NETWORKS)]
    return pd.DataFrame([netchoice.compute_features(graph, names).values for graph in grown])


@pytest.mark.parametrize(
    ("known", "difference", "more", "less"),
    [
        (CLUSTERING, "clustered", "geometric", "rds"),
        (CLUSTERING, "clustered", "forest-fire", "dmr"),
        (CLUSTERING, "clustered", "vazquez-walk", "lpa"),
        (HUBS, "dominated by hubs", "fitness", "smw"),
        (HUBS, "dominated by hubs", "redirection", "rds"),
        (HUBS, "dominated by hubs", "configuration", "geometric"),
    ],
)
def test_advice_names_a_known_difference_in_both_directions(known, difference, more, less):
    for network, model, direction in ((more, less, "more"), (less, more, "less")):
        values = features_of(network)[known]
        middle = values.sort_values(known[0]).iloc[N_NETWORKS // 2]
        found = find_discrepancies(middle.to_dict(), features_of(model)[known])
        options = {"at_boundary": {}, "isolated": "keep", "matched": True}
        (advice,) = advise(found, ALL[model], DUPLICATION, **options)
        fact = f"the network is {direction} {difference} than simulations of {model};"
        assert advice.sentence.startswith(fact)


@pytest.mark.slow
def test_recommended_models_make_such_networks():
    rates = {"clustering": "transitivity", "hubs": "degree_max"}
    values = {name: features_of(name) for name in ALL.labels}
    for (topic, above), (_, names, _) in discrepancies._REMEDIES.items():
        assert set(names) < set(ALL.labels)
        # A model helps if some of its networks are more extreme than the typical ones of the others.
        rate = {name: known[rates[topic]] for name, known in values.items()}
        others = [known.median() for name, known in rate.items() if name not in names]
        for name in names:
            extreme = rate[name].quantile(0.95 if above else 0.05)
            helps = extreme > max(others) if above else extreme <= min(others)
            assert helps, (topic, above, name, extreme, others)
