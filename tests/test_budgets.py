"""Budgets of steps: a feature over its budget has no value, and the network keeps its row."""

import numpy as np
import pytest
from quick_answers import choose, grown

import netchoice
from netchoice.errors import TableError, UsageError
from netchoice.features.budget import over_budget


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
    with pytest.raises(TableError, match="computed on a part of the rows only"):
        _ = table.X
    complete = table.complete()
    assert len(complete) == 40 - table.partial["sometimes"]
    assert np.isfinite(complete.X.to_numpy()).all()
    assert len(table.only(["degree_mean", "n_triangles"]).complete()) == 40


def test_selection_leaves_the_feature_out_and_keeps_all_networks():
    found = netchoice.select_on_pilots(
        "duplication", n_nodes=30, pilot_nodes=30, samples=80, engine="serial",
        features=["degree_mean", "n_triangles", sometimes],
    )  # fmt: skip
    assert set(found.ranking["feature"]) == {"degree_mean", "n_triangles"}
    assert found.samples == 80


def test_features_that_need_it_are_not_computed_either():
    dense = netchoice.get_model("ba4").grow(30, rng=np.random.default_rng(1))
    found = netchoice.compute_features(dense, [twice, "degree_mean"])
    reason = "NotComputedError: this search takes more than 1e+09 steps, the budget of one network"
    assert found.failures["sometimes"] == reason
    assert found.not_computed == {"sometimes", "twice"}
    assert found.values["degree_mean"] > 0


def test_choice_by_a_named_feature_that_fails_on_simulations_is_refused():
    message = r"'sometimes' has no value on some simulations \(NotComputedError: this search takes"
    with pytest.raises(UsageError, match=message):
        choose(grown("ba1"), features=["degree_mean", sometimes])
