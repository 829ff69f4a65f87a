"""Features selected on pilots: in Python, by the command, with a user's models and features."""

import json
import re

import pytest
from quick_answers import choose, grown

import netchoice
from netchoice import ReferenceTable
from netchoice.choice import PilotSelection
from netchoice.errors import UsageError
from netchoice.features.reference_costs import reference_costs
from netchoice.inference.wilson_interval import wilson

FEW = ["degree_mean", "transitivity", "betweenness_max", "n_triangles"]
MODULE = """
import netchoice
import numpy as np

def ring(n, rng):
    return netchoice.Graph.from_edges([(i, (i + 1) % n) for i in range(n)], n_nodes=n)

def star(n, rng):
    return netchoice.Graph.from_edges([(0, i) for i in range(1, n)], n_nodes=n)

def path(n, rng):
    return netchoice.Graph.from_edges([(i, i + 1) for i in range(n - 1)], n_nodes=n)

models = netchoice.ModelSpace(
    "shapes", [netchoice.Model(f.__name__, f, {}) for f in (ring, star, path)]
)

@netchoice.feature
def n_leaves(graph):
    return int((np.diff(graph.indptr) == 1).sum())
"""


@pytest.fixture(scope="module")
def options(tmp_path_factory):
    return {
        "n_nodes": 5000, "pilot_nodes": 48, "samples": 120, "features": FEW, "engine": "serial",
        "out": tmp_path_factory.mktemp("pilots") / "run",
    }  # fmt: skip


@pytest.fixture(scope="module")
def found(options):
    return netchoice.select_on_pilots("ba", **options)


def pilots(options):
    return ReferenceTable.load(options["out"] / "tables/pilots")


def test_features_are_selected_at_the_reference_costs_of_large_networks(found, options):
    assert isinstance(found, PilotSelection)
    assert (found.space, found.n_nodes, found.pilot_nodes, found.samples) == ("ba", 5000, 48, 120)
    assert found.features == ("degree_mean",)
    table = pilots(options)
    expected = reference_costs(FEW, 5000, round(5000 * table.X["degree_mean"].mean() / 2))
    assert (found.costs, found.cost_source) == (expected, "reference")
    assert found.cost == expected.cost("degree_mean")
    assert found.cost_of_all == pytest.approx(expected.cost_of_set(FEW, "shared"))
    ranking = found.ranking.set_index("feature")
    assert set(ranking.index) == set(FEW)
    assert ranking["cost"].to_dict() == {name: expected.cost(name) for name in ranking.index}
    assert ranking.loc["betweenness_max", "pilot_cost"] == table.costs.cost("betweenness_max")
    assert ranking.loc["betweenness_max", "cost"] > 100 * table.costs.cost("betweenness_max")


def test_measured_costs_grow_as_the_reference_costs(found, options):
    measured = netchoice.select_on_pilots("ba", **options | {"out": None}, costs="measured")
    assert measured.cost_source == "measured"
    ratio = measured.ranking["cost"] / measured.ranking["pilot_cost"]
    growth = dict(zip(measured.ranking["feature"], ratio, strict=True))
    large, small = (reference_costs(FEW, n, 2 * n) for n in (5000, 48))
    for name in ("betweenness_max", "degree_mean"):
        expected = large.cost(name) / small.cost(name)
        assert growth[name] == pytest.approx(expected, rel=0.5)
    assert growth["betweenness_max"] > 1000 > growth["degree_mean"]


def test_accuracy_is_that_of_pilots_that_did_not_select(found, options):
    """One half of the pilots ranks the features; in the other, folds choose sets for each other."""
    assert (len(pilots(options)), pilots(options).manifest["n_nodes"]) == (120, 48)
    low, high = found.interval
    assert (low, high) == pytest.approx(wilson(1.0, 60))
    assert found.accuracy == 1


def test_result_is_written_and_can_be_json(found, options):
    record = json.loads((options["out"] / "pilot.json").read_text())
    assert record == json.loads(json.dumps(found.as_dict(), allow_nan=False))
    assert [row["feature"] for row in record["ranking"]] == list(found.ranking["feature"])
    assert netchoice.CostModel(**record["costs"]) == found.costs


@pytest.mark.usefixtures("no_simulation")
def test_resumed_run_simulates_nothing_again(found, options):
    assert netchoice.select_on_pilots("ba", **options).as_dict() == found.as_dict()


@pytest.mark.usefixtures("no_simulation")
def test_other_settings_and_foreign_folders_are_refused(found, options, tmp_path):
    with pytest.raises(UsageError, match="holds a run with another features"):
        netchoice.select_on_pilots("ba", **{**options, "features": FEW[:2]})
    with pytest.raises(UsageError, match="holds a run with another n_nodes"):
        netchoice.select_on_pilots("ba", **{**options, "n_nodes": 6000})
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(UsageError, match="is not empty and holds no run of netchoice pilot"):
        netchoice.select_on_pilots("ba", **{**options, "out": tmp_path})


def test_fresh_starts_over(options, tmp_path):
    few = {**options, "samples": 80, "features": FEW[:2], "out": tmp_path / "run"}
    netchoice.select_on_pilots("ba", **few)
    again = netchoice.select_on_pilots("ba", **{**few, "n_nodes": 900, "fresh": True})
    assert again.n_nodes == 900
    assert json.loads((tmp_path / "run" / "pilot.json").read_text())["n_nodes"] == 900


def test_budget_limits_the_cost_at_full_size(options):
    few = {**options, "out": None, "n_nodes": 100_000}
    cheap = netchoice.select_on_pilots("duplication", **few, budget="60%")
    assert cheap.cost <= 0.6 * cheap.cost_of_all
    with pytest.raises(UsageError, match="no set costs at most 1e-12"):
        netchoice.select_on_pilots("duplication", **few, budget=1e-12)


def test_choose_selects_the_same_features_as_pilots(tmp_path):
    """Both use the same pilots, costs and selection, in and out of a folder."""
    network = grown("ba3", 30)
    options = {"space": "ba", "features": FEW, "penalty": 0.5, "seed": 3, "isolated": "keep"}
    answer = choose(network, **options, out=tmp_path / "answer")
    selected = tuple(each.name for each in answer.features)
    assert selected == tuple(each.name for each in choose(network, **options).features)
    found = netchoice.select_on_pilots(
        **options, n_nodes=30, pilot_nodes=30, samples=800, engine="serial"
    )
    assert found.features == selected
    kept = ReferenceTable.load(tmp_path / "answer/run/simulations/selection/tables/pilots")
    assert (len(kept), kept.features) == (800, FEW)


@pytest.mark.usefixtures("no_simulation")
@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"pilot_nodes": 27}, "`pilot_nodes` must be an integer of at least 28; got 27"),
        ({"pilot_nodes": 6000}, "pilots of 6000 nodes for networks of 5000"),
        ({"samples": 79}, "`samples` must be an integer of at least 80; got 79"),
        ({"n_nodes": 1.5}, "`n_nodes` must be an integer"),
        ({"features": []}, "`features` is empty; name at least one feature"),
        ({"features": ["noise_normal"]}, "is random"),
        ({"method": "jm"}, "unknown method 'jm'"),
        ({"space": "dmc"}, "one model only, so there is nothing to choose"),
        ({"space": netchoice.get_space("ba").matched_to(grown("ba2"))},
         "matches the density of one network"),
    ],
)  # fmt: skip
def test_wrong_option_is_refused(options, changed, message):
    with pytest.raises(UsageError, match=message):
        netchoice.select_on_pilots(**{"space": "ba", **options, "out": None, **changed})


def test_constant_features_cannot_be_selected_from(options):
    given = {**options, "out": None, "samples": 80, "features": ["lcc_nodes"]}
    with pytest.raises(UsageError, match="all features are constant over the simulations"):
        netchoice.select_on_pilots("ba", **given)


# The command


@pytest.fixture
def own_module(tmp_path, monkeypatch):
    """Name a module with a space and a feature of a user in the current folder."""
    (tmp_path / "shapes_of_a_user.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    return "shapes_of_a_user"


def test_command_selects_for_own_models_with_own_features(run, own_module, tmp_path):
    arguments = [
        "pilot", f"{own_module}:models", "--nodes", 3000, "--pilot-nodes", 32, "--samples", 60,
        "--features", f"{own_module}:n_leaves,betweenness_max,degree_mean", "--engine", "serial",
        "--out", "pilots",
    ]  # fmt: skip
    code, out, err = run(*arguments)
    assert code == 0, err
    assert "shapes: features for networks of 3000 nodes, from 60 pilots of 32 nodes" in out
    assert "selected: n_leaves\n" in out
    assert re.search(r"accuracy with 32 nodes: 100\.0% \(95% interval 8.\..% to 100\.0%\)", out)
    assert "cost with 3000 nodes: " in out
    assert len(out.splitlines()) <= 12
    assert json.loads((tmp_path / "pilots" / "pilot.json").read_text())["features"] == ["n_leaves"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["ba"], "--nodes is missing; give it, for example --nodes 100000"),
        (["--nodes", "3000"], "the model space is missing"),
        (["ba", "--nodes", "500"], "pilots of 1000 nodes for networks of 500"),
        (["baa", "--nodes", "5000"], "did you mean 'ba'"),
        (["ba", "--nodes", "5000", "--methods", "jmi"], "--methods"),
    ],
)
def test_command_refuses_a_wrong_option(run, arguments, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, _, err = run("pilot", *arguments, "--out", "x")
    assert code == 2
    assert message in err
    assert not (tmp_path / "x").exists()
