"""Budgets of steps: a feature over its budget has no value, and the network keeps its row."""

import numpy as np
import pytest

import netchoice
from netchoice.errors import UsageError
from netchoice.features.budget import over_budget
from netchoice.workflows.feature_selection import simulate_for_selection
from netchoice.workflows.simulation_plan import SimulationPlan
from netchoice.workflows.table_maker import TableMaker


@netchoice.feature
def sometimes(graph):
    """A feature that takes too many steps on dense networks."""
    if graph.n_edges > 60:
        raise over_budget("this search", 10**9)
    return graph.n_edges


@netchoice.feature
def twice(sometimes):
    """A feature that needs the other one."""
    return 2 * sometimes


@pytest.fixture(scope="module")
def table():
    return netchoice.simulate_table(
        "duplication", n_nodes=30, n_samples=40, seed=1, engine="serial",
        features=["degree_mean", "n_triangles", sometimes],
    )  # fmt: skip


def test_rows_keep_their_other_features(table):
    n_dense = int((table.frame["degree_mean"] > 4).sum())
    assert 0 < n_dense < 40
    assert len(table.failures) == 0
    assert len(table) == 40
    assert table.partial == {"sometimes": n_dense}
    assert table.frame["sometimes"].isna().sum() == n_dense


def test_complete_rows_have_the_feature(table):
    complete = table.complete()
    assert len(complete) == 40 - table.partial["sometimes"]
    assert np.isfinite(complete.X.to_numpy()).all()
    assert len(table.complete(["degree_mean", "n_triangles"])) == 40


def test_selection_leaves_the_feature_out_and_keeps_all_networks():
    maker = TableMaker(
        netchoice.get_space("duplication"), 1, "keep", "serial", given_features={"sometimes": sometimes}
    )  # fmt: skip
    names = ["degree_mean", "n_triangles", "sometimes"]
    stages = {"n_triangles": 0.5}

    def simulate(name, n_nodes, rows, **options):
        return maker.table(name, n_nodes, rows, names, stream="selection", **options)

    found = simulate_for_selection(simulate, 30, 40, SimulationPlan(), False, stages)
    assert found.simulations.features == ["degree_mean", "n_triangles"]
    assert len(found.simulations) == 40
    assert found.simulations.stages == stages


def test_features_that_need_it_are_not_computed_either():
    dense = netchoice.get_model("ba4").grow(30, rng=np.random.default_rng(1))
    found = netchoice.compute_features(dense, [twice, "degree_mean"])
    reason = "NotComputedError: this search takes more than 1e+09 steps, the budget of one network"
    assert found.failures["sometimes"] == reason
    assert found.not_computed == {"sometimes", "twice"}
    assert found.values["degree_mean"] > 0


def test_choice_by_a_named_feature_that_fails_on_simulations_is_refused():
    network = netchoice.get_model("ba1").grow(30, rng=np.random.default_rng(1))
    plan = SimulationPlan(selection_samples=40, samples=40, min_samples=20, local_samples=0)
    message = r"'sometimes' has no value on \d+ of \d+ simulations \(NotComputedError: this search"
    with pytest.raises(UsageError, match=message):
        netchoice.choose_model(
            network, "ba", features=["degree_mean", sometimes], engine="serial", plan=plan,
            on_progress=False,
        )  # fmt: skip
