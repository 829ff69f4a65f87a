"""Reference costs: complete, deterministic, growing with networks, and shaped like the costs of a table."""

import itertools
import json
import re
from importlib.resources import files

import networkx as nx
import pytest

import netchoice
from netchoice.costs import CostError
from netchoice.errors import UsageError
from netchoice.features import FEATURES, feature_names
from netchoice.features.catalogue import SIZE_FEATURE
from netchoice.features.reference_costs import MOST_NODES, Curve, reference_costs
from netchoice.features.registry import STEPS

RECORD = json.loads((files("netchoice.features") / "reference_costs.json").read_text("utf-8"))
BUILT_IN = feature_names(noise=True)


@netchoice.feature(discrete=True)
def leaves(degrees):
    """Nodes with one neighbour."""
    return (degrees == 1).sum()


@netchoice.feature()
def share_of_leaves(graph, leaves):
    """Share of nodes with one neighbour."""
    return leaves / graph.n_nodes


@netchoice.feature()
def assortativity(networkx_graph):
    """Assortativity of degrees."""
    return nx.degree_assortativity_coefficient(networkx_graph)


@netchoice.feature(name="degree_mean")
def namesake(graph):
    """A feature with the name of a built-in one."""
    return float(graph.n_nodes)


def test_every_built_in_feature_and_shared_step_has_a_curve():
    assert list(RECORD["own"]) == [*FEATURES, "n_nodes"]
    assert list(RECORD["steps"]) == list(STEPS)
    assert tuple(RECORD["columns"]) == Curve._fields


def test_file_says_where_it_is_from_but_names_no_machine():
    assert set(RECORD) == {"netchoice", "measured", "formula", "columns", "steps", "own"}
    assert re.fullmatch(r"\d+\.\d+\.\d+", RECORD["netchoice"])
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", RECORD["measured"])


def test_curves_have_few_digits_and_never_fall():
    for name, numbers in (RECORD["own"] | RECORD["steps"]).items():
        overhead, factor, *powers = numbers
        assert overhead > 0, name
        assert factor >= 0, name
        assert all(0 <= power <= 3 and power == round(power, 3) for power in powers), name
        assert all(number == float(f"{number:.3g}") for number in (overhead, factor)), name


def test_costs_are_positive_and_do_not_fall_with_nodes_or_edges():
    sizes = (1, 20, 100, 1000, 10_000, 1_000_000)
    grid = {
        (n, m): reference_costs(BUILT_IN, n, m)
        for n, m in itertools.product(sizes, (0, 1, *sizes[1:]))
    }
    for (n, m), costs in grid.items():
        parts = costs.own | costs.steps
        assert min(parts.values()) > 0
        for (more_n, more_m), larger in grid.items():
            if more_n >= n and more_m >= m:
                bigger = larger.own | larger.steps
                assert all(bigger[name] >= cost for name, cost in parts.items())


def test_expensive_features_are_expensive_on_large_networks():
    costs = reference_costs(BUILT_IN, 5000, 15_000)
    alone = costs.alone()
    quadratic = {"betweenness_max", "central_point_dominance", "estrada_index"}
    assert set(sorted(alone, key=alone.get)[-3:]) == quadratic
    assert costs.cost("betweenness_max") > 100 * costs.cost("degree_max")


def test_costs_have_the_form_of_those_of_a_simulated_table():
    features = [*BUILT_IN, SIZE_FEATURE, share_of_leaves, leaves, assortativity]
    table = netchoice.simulate_table(
        "duplication", n_nodes=20, n_samples=20, seed=1, features=features, engine="serial"
    )
    costs = reference_costs(features, 20, 30)
    assert costs.uses == table.costs.uses
    assert set(costs.own) == set(table.costs.own)
    assert set(costs.steps) == set(table.costs.steps)
    assert costs.cost_of_set(table.features, "shared") > 0
    some = reference_costs([share_of_leaves], 20, 30)
    assert set(some.own) == {"leaves", "share_of_leaves"}  # also the feature that it uses
    assert some.uses["share_of_leaves"] == ("degrees", "leaves")
    assert set(some.steps) == {"degrees"}


def test_costs_are_the_same_in_every_call_and_in_any_company():
    assert reference_costs(BUILT_IN, 300, 900) == reference_costs(BUILT_IN, 300, 900)
    together = reference_costs(BUILT_IN, 300, 900)
    for name in BUILT_IN:
        costs = reference_costs([FEATURES[name]], 300, 900)
        assert costs == together.only([name])
        assert all(cost == float(f"{cost:.3g}") for cost in costs.own.values())
    assert reference_costs([], 300, 900).features == []


def test_curve_is_overhead_plus_powers():
    assert Curve(1.0, 0.5, 1.0, 2.0).seconds(3, 4) == 25
    assert Curve(1.0, 0.5, 1.0, 2.0).seconds(3, 0) == Curve(1.0, 0.5, 1.0, 2.0).seconds(3, 1) == 2.5
    assert Curve(0.0, 1.0, 1.0, 0.0).seconds(12_345, 1) == 12_300


def test_own_feature_costs_as_much_as_the_most_expensive_built_in_one():
    most = max(reference_costs(BUILT_IN, 500, 1500).own.values())
    costs = reference_costs([share_of_leaves, leaves], 500, 1500)
    assert costs.own == {"leaves": most, "share_of_leaves": most}
    assert costs.steps["degrees"] == reference_costs(["degree_max"], 500, 1500).steps["degrees"]
    # The name of a built-in feature does not make a feature as cheap.
    assert reference_costs([namesake], 500, 1500).own == {"degree_mean": most}


def test_measured_seconds_replace_reference_costs():
    usual = reference_costs([share_of_leaves, "degree_max"], 500, 1500)
    given = {"leaves": 0.25, "degrees": 0.5, "degree_max": 0}
    costs = reference_costs([share_of_leaves, "degree_max"], 500, 1500, measured=given)
    assert costs.own == usual.own | {"leaves": 0.25, "degree_max": 0}
    assert costs.steps == usual.steps | {"degrees": 0.5}
    assert costs.uses == usual.uses


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((["degree_maxx"], 10, 10), r"unknown feature 'degree_maxx'; did you mean 'degree_max'"),
        (("degree_max", 10, 10), r"`features` must be a list of features; got 'degree_max'"),
        ((["degree_max"], 0, 10), r"`n_nodes` must be an integer from 1 to \d+; got 0"),
        ((["degree_max"], MOST_NODES + 1, 10), r"`n_nodes` must be an integer from 1 to \d+; got"),
        ((["degree_max"], 10, -1), r"`n_edges` must be an integer from 0 to \d+; got -1"),
        ((["degree_max"], 10, 2.5), r"`n_edges` must be an integer from 0 to \d+; got 2\.5"),
        ((["degree_max"], 10, 10, [1.0]), r"`measured` must be a mapping .* got \[1\.0\]"),
        (
            (["degree_max"], 10, 10, {"degree": 1}),
            r"unknown feature or shared step in `measured` 'degree'; did you mean",
        ),
    ],
)
def test_wrong_arguments_are_refused(arguments, message):
    with pytest.raises(UsageError, match=message):
        reference_costs(*arguments)


def test_wrong_seconds_are_refused():
    with pytest.raises(CostError, match=r"the cost of 'degree_max' is -1\.0; expected a finite"):
        reference_costs(["degree_max"], 10, 10, {"degree_max": -1})


def test_largest_networks_have_finite_costs():
    costs = reference_costs(BUILT_IN, MOST_NODES, 10**15)
    assert max(costs.alone().values()) < 1e100
