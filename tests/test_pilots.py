"""Features selected on pilots: in Python, by the command, with a user's models and features."""

import dataclasses
import json

import numpy as np
import pytest
from netchoice.workflows import PilotSelection
from small_plans import small_plan

import netchoice
from netchoice import ReferenceTable
from netchoice.errors import UsageError
from netchoice.row_simulator import RowSimulator
from reproduction.cost_growth import CostGrowth

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
        "path": tmp_path_factory.mktemp("pilots") / "run",
    }  # fmt: skip


@pytest.fixture(scope="module")
def found(options):
    return netchoice.select_on_pilots("ba", **options)


def pilots(options):
    tables = options["path"] / "tables"
    return [ReferenceTable.load(tables / f"pilot-{n}") for n in (12, 24, 48)]


def test_features_are_selected_at_extrapolated_costs(found, options):
    assert isinstance(found, PilotSelection)
    assert (found.space, found.n_nodes, found.pilot_nodes, found.samples) == ("ba", 5000, 48, 120)
    assert found.features == ("degree_mean",)
    *_, largest = tables = pilots(options)
    expected = CostGrowth.fit(tables).predict(5000)
    assert found.costs == expected
    assert found.cost == expected.cost("degree_mean")
    assert found.cost_of_all == pytest.approx(expected.cost_of_set(FEW, "shared"))
    ranking = found.ranking.set_index("feature")
    assert set(ranking.index) == set(FEW)
    assert ranking["cost"].to_dict() == {name: expected.cost(name) for name in ranking.index}
    assert ranking.loc["betweenness_max", "pilot_cost"] == largest.costs.cost("betweenness_max")
    assert ranking.loc["betweenness_max", "cost"] > 100 * largest.costs.cost("betweenness_max")


def test_accuracy_is_that_of_further_pilots(found, options):
    tested = ReferenceTable.load(options["path"] / "tables" / "test")
    assert tested.features == ["degree_mean"]
    assert (len(tested), tested.manifest["n_nodes"]) == (120, 48)
    streams = {table.manifest["stream"] for table in (tested, *pilots(options))}
    assert streams == {"pilot test", "choose pilot-12", "choose pilot-24", "choose pilot-48"}
    low, high = found.interval
    assert low < found.accuracy <= high
    assert found.accuracy == 1


def test_result_is_written_and_can_be_json(found, options):
    record = json.loads((options["path"] / "pilot.json").read_text())
    assert record == json.loads(json.dumps(found.as_dict(), allow_nan=False))
    assert record["features"] == ["degree_mean"]
    assert [row["feature"] for row in record["ranking"]] == list(found.ranking["feature"])
    assert netchoice.CostModel(**record["costs"]) == found.costs
    for field in dataclasses.fields(found):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(found, field.name, None)


def test_resumed_run_simulates_nothing_again(found, options, monkeypatch):
    def done_before(*_, **__):
        raise AssertionError("this was done before")

    monkeypatch.setattr(RowSimulator, "simulate", done_before)
    again = netchoice.select_on_pilots("ba", **options)
    assert again.as_dict() == found.as_dict()


def test_other_settings_and_foreign_folders_are_refused(found, options, tmp_path):
    with pytest.raises(UsageError, match="holds a run with another candidates"):
        netchoice.select_on_pilots("ba", **{**options, "features": FEW[:2]})
    with pytest.raises(UsageError, match="holds a run with another n_nodes"):
        netchoice.select_on_pilots("ba", **{**options, "n_nodes": 6000})
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(UsageError, match="is not empty and holds no run of netchoice pilot"):
        netchoice.select_on_pilots("ba", **{**options, "path": tmp_path})


def test_fresh_starts_over(options, tmp_path):
    few = {**options, "samples": 80, "features": FEW[:2], "path": tmp_path / "run"}
    netchoice.select_on_pilots("ba", **few)
    again = netchoice.select_on_pilots("ba", **{**few, "n_nodes": 900, "fresh": True})
    assert again.n_nodes == 900
    assert json.loads((tmp_path / "run" / "pilot.json").read_text())["n_nodes"] == 900


def test_budget_limits_the_cost_at_full_size(options):
    few = {**options, "path": None, "n_nodes": 100_000}
    cheap = netchoice.select_on_pilots("duplication", **few, budget="60%")
    assert cheap.cost <= 0.6 * sum(cheap.costs.alone(FEW).values())
    with pytest.raises(UsageError, match="no set costs at most 1e-12"):
        netchoice.select_on_pilots("duplication", **few, budget=1e-12)


@pytest.mark.slow
def test_choose_selects_the_same_features_on_pilots():
    """Both use the same simulations, costs and selection."""
    space = netchoice.get_space("ba")
    plan = dataclasses.replace(
        small_plan(selection_samples=640, selection_models=len(space), min_fit_samples=1),
        max_direct_nodes=50, pilot_sizes=(10, 20, 40), pilot_cost_samples=200,
    )  # fmt: skip
    network = netchoice.get_model("ba3").grow(90, rng=np.random.default_rng(1))
    common = {"seed": 3, "engine": "serial", "isolated": "keep"}
    choice = netchoice.choose_model(
        network, space, purpose="model", samples=200, plan=plan, local=False, **common
    )
    found = netchoice.select_on_pilots(space, n_nodes=90, pilot_nodes=40, samples=640, **common)
    assert found.features == choice.evidence.selection.features
    assert found.cost == pytest.approx(choice.cost["selected_features"])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"pilot_nodes": 27}, "`pilot_nodes` must be an integer of at least 28; got 27"),
        ({"n_nodes": 40}, "pilots of 48 nodes for networks of 40; expected pilots that are not larger"),
        ({"n_nodes": 1.5}, "`n_nodes` must be an integer"),
        ({"samples": 79}, "`samples` must be an integer of at least 80; got 79"),
        ({"method": "jmj"}, "unknown method 'jmj'; did you mean 'jmi'"),
        ({"penalty": -1}, "`penalty` must be a non-negative number; got -1"),
        ({"budget": "5 apples"}, "budget"),
        ({"isolated": "lose"}, "`isolated` must be 'keep' or 'drop'; got 'lose'"),
        ({"features": ["transitivty"]}, "did you mean 'transitivity'"),
        ({"features": ["lcc_nodes"]}, "all features are constant over the simulations"),
        ({"seed": -1}, "`seed` must be an integer of at least 0; got -1"),
    ],
)  # fmt: skip
def test_wrong_option_is_refused(options, wrong, message):
    with pytest.raises(UsageError, match=message):
        netchoice.select_on_pilots("ba", **{**options, "path": None, "samples": 80, **wrong})


def test_spaces_that_cannot_have_pilots_are_refused(options):
    network = netchoice.get_model("ba2").grow(60, rng=np.random.default_rng(1))
    matched = netchoice.get_space("duplication").matched_to(network)
    with pytest.raises(UsageError, match="matches the density of one network"):
        netchoice.select_on_pilots(matched, **{**options, "path": None})
    one = netchoice.ModelSpace("one", [netchoice.get_model("dmc")])
    with pytest.raises(UsageError, match="one model only, so there is nothing to choose"):
        netchoice.select_on_pilots(one, **{**options, "path": None})


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
    assert "accuracy with 32 nodes: 100.0% (95% interval 94.0% to 100.0%)" in out
    assert "cost with 3000 nodes: " in out
    assert len(out.splitlines()) <= 12
    code, out, _ = run(*arguments, "--json")
    record = json.loads(out)
    assert code == 0
    assert record["features"] == ["n_leaves"]
    assert record["out"] == "pilots"
    assert (tmp_path / "pilots" / "pilot.json").exists()


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
