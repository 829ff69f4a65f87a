"""Simulations near the network: made before a model is rejected, and to explain an answer."""

import dataclasses
import math
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest

import netchoice
from netchoice.errors import GrowthLimitError
from netchoice.models import density_matched
from netchoice.models.model import Draws
from netchoice.models.space import ModelSpace
from netchoice.workflows import SimulationPlan, comparison
from netchoice.workflows import prepared as prepared_module
from netchoice.workflows.answer import answer
from netchoice.workflows.comparison import Comparison
from netchoice.workflows.local_simulations import local_space
from netchoice.workflows.preparation import ChoiceSettings, make_preparation, plan_of
from netchoice.workflows.prepared import Prepared
from netchoice.workflows.simulation_plan import Pace, Stopwatch
from netchoice.workflows.table_maker import TableMaker

N_NODES = 40
PLAN = SimulationPlan(selection_samples=400, samples=200, profile_samples=20, power_samples=10)


@pytest.fixture(scope="module")
def prepared():
    """Simulations of dmc and dmr."""
    return simulated(netchoice.get_space("duplication"), "degree_mean")


def simulated(space, feature):
    """Return prepared simulations of a space."""
    settings = ChoiceSettings(
        space=space.as_dict(), n_nodes=N_NODES, isolated="keep", plan=PLAN,
        features=("transitivity", feature),
    )  # fmt: skip
    maker = TableMaker(space, settings.seed, settings.isolated, "serial", 1)
    return Prepared.simulate(make_preparation(space, settings, maker))


def compare(prepared, graph, folder, local=True):
    """Compare a network with prepared simulations; tables near the network are written to a folder."""
    settings = dataclasses.replace(prepared.settings, plan=plan_of(PLAN, local))
    maker = dataclasses.replace(prepared.maker, folder=folder)
    return Comparison.of(dataclasses.replace(prepared, settings=settings, maker=maker), graph)


def local_tables(folder):
    return sorted(path.name for path in folder.glob("tables/local-*"))


def grown_network(p_delete, p_connect, seed):
    parameters = {"p_delete": p_delete, "p_connect": p_connect}
    return netchoice.get_model("dmc").grow(N_NODES, parameters, np.random.default_rng(seed))


@pytest.fixture
def corner():
    """A network of dmc whose two parameters are at bounds of their priors."""
    return grown_network(0.25, 0.25, seed=6)


def test_network_at_a_corner_of_the_prior_is_not_rejected(prepared, corner, tmp_path):
    found = compare(prepared, corner, tmp_path)
    assert not found.prior_fit.fits
    assert found.probabilities.model == "dmc"
    assert found.verdict.kind == "one-fits"
    assert found.fit.p_values["dmc"] == found.local_p_value > found.fit.alpha
    assert found.fit.p_values["dmr"] == found.prior_fit.p_values["dmr"]
    assert sum("at the edge of what the prior allows" in note for note in found.notes()) == 1
    assert local_tables(tmp_path) == ["local-0"]  # only the most probable model
    near, simulated = found.near("dmc").table.parameters, prepared.fit_table.parameters
    assert near["p_connect"].mean() < simulated["p_connect"].mean()
    choice = answer(found)
    assert choice.fits
    assert choice.fit["local_p_value"] == found.local_p_value
    assert choice.fit_p_values == found.fit.p_values


def test_without_the_local_stage_it_is_rejected(prepared, corner, tmp_path):
    found = compare(prepared, corner, tmp_path, local=False)
    assert found.verdict.kind == "none-fits"
    assert found.local_p_value is None
    assert found.near("dmc").table is prepared.fit_table
    assert not local_tables(tmp_path)


def test_model_that_fits_is_simulated_again_only_to_explain_the_answer(prepared, tmp_path):
    found = compare(prepared, grown_network(0.5, 0.5, seed=1), tmp_path)
    assert found.verdict.model == "dmc"
    assert found.fit is found.prior_fit
    assert found.parameters["dmc"]
    assert not local_tables(tmp_path)
    choice = answer(found)
    assert local_tables(tmp_path) == ["local-0", "local-1"]
    assert choice.fit["local_p_value"] is None
    assert choice.fit["local"]
    n_near = sum(len(found.near(model).table) for model in ("dmc", "dmr"))
    assert choice.cost["fit_simulations"] == len(prepared.fit_table) + n_near


def test_network_of_another_kind_is_rejected_near_the_network_too(prepared, tmp_path):
    found = compare(prepared, nx.grid_2d_graph(5, 8), tmp_path)
    assert found.verdict.kind == "none-fits"
    assert found.local_p_value <= found.fit.alpha
    assert found.fit is found.prior_fit
    assert local_tables(tmp_path) == [f"local-{['dmc', 'dmr'].index(found.probabilities.model)}"]


def test_simulations_near_the_network_show_how_it_differs(prepared, corner, tmp_path):
    """The range comes from simulations like the network, not from the whole prior."""
    found = compare(prepared, corner, tmp_path)
    near = found.near("dmc").table.X
    differences = found.discrepancies("dmc")
    assert {each.feature for each in differences} == set(found.fit_observed)
    for each in differences:
        values = near[each.feature]
        assert (each.minimum, each.maximum) == (values.min(), values.max()), each.feature


def test_time_limit_reduces_the_simulations_near_the_network(
    prepared, corner, tmp_path, monkeypatch
):
    monkeypatch.setattr(prepared_module, "growth_seconds", lambda table: 1.0)
    watch = Stopwatch(limit=2 * PLAN.min_fit_samples + 400.0, workers=1)
    watch.__dict__["_paces"].append((math.inf, Pace(1.0, 1.0)))
    found = dataclasses.replace(compare(prepared, corner, tmp_path), stopwatch=watch)
    assert PLAN.min_fit_samples <= len(found.near("dmc").table) <= 200


def test_too_little_time_leaves_out_the_simulations_near_the_network(
    prepared, corner, tmp_path, monkeypatch
):
    monkeypatch.setattr(prepared_module, "growth_seconds", lambda table: 1.0)
    found = compare(prepared, corner, tmp_path)
    found = dataclasses.replace(found, stopwatch=Stopwatch(limit=30.0, workers=1))
    assert not found.is_local
    assert found.local_fit is None
    note = "models were not simulated near the network, to stay within the time limit"
    assert list(found.notes()).count(note) == 1


@pytest.fixture(scope="module")
def matched():
    """Density-matched simulations of dmc and dmr."""
    corner = grown_network(0.25, 0.25, seed=6)
    return simulated(netchoice.get_space("duplication").matched_to(corner), "degree_std")


def check_prior_is_used(prepared, found, reason, folder):
    """Check that dmc is compared on its prior, and dmr near the network."""
    result = answer(found)
    assert "local-1" in local_tables(folder)
    assert found.near("dmc") is found.prepared.fit_simulations
    assert not found.is_near("dmc")
    assert found.is_near("dmr")
    assert [*result.fit["not_near"]] == ["dmc"]
    assert [note for note in result.notes if "simulations from its prior" in note] == [
        "dmc was compared with simulations from its prior, not with simulations near the network "
        f"(parameters from its posterior): {reason}"
    ]
    if found.probabilities.model == "dmc":
        assert found.local_fit is None
    assert result.cost["fit_simulations"] == len(prepared.fit_table) + len(found.near("dmr").table)


def test_posterior_without_the_density_leaves_the_simulations_from_the_prior(
    matched, corner, tmp_path, monkeypatch
):
    draws = Draws(("p_delete", "p_connect"), ((0.999, 0.0),))  # hardly an edge is left

    def impossible(space, model, posterior):
        found = local_space(space, model, posterior)[model]
        return ModelSpace("posterior", [replace(found, draws=draws) if model == "dmc" else found])

    monkeypatch.setattr(comparison, "local_space", impossible)
    found = compare(matched, corner, tmp_path)
    reason = "hardly any of these have the density of the network"
    check_prior_is_used(matched, found, reason, tmp_path)
    assert local_tables(tmp_path) == ["local-1"]


def test_simulations_that_fail_near_the_network_do_not_lose_the_answer(
    matched, corner, tmp_path, monkeypatch
):
    def failing(*args, **options):
        raise GrowthLimitError("too many steps")

    def fails(space, model, posterior):
        found = local_space(space, model, posterior)[model]
        return ModelSpace(
            "posterior", [replace(found, function=failing) if model == "dmc" else found]
        )

    monkeypatch.setattr(comparison, "local_space", fails)
    monkeypatch.setattr(comparison, "has_density", lambda *_: True)
    monkeypatch.setattr(density_matched, "MAX_DRAWS", 2)
    found = compare(matched, corner, tmp_path)
    check_prior_is_used(matched, found, "too many of these failed", tmp_path)


def test_the_time_limit_holds_for_trying_networks_near_the_network(
    matched, corner, tmp_path, monkeypatch
):
    tried = []
    monkeypatch.setattr(
        density_matched.MatchedModel, "matches", lambda *_: tried.append(1) or False
    )
    monkeypatch.setattr(Comparison, "_near_seconds", -1.0)
    found = compare(matched, corner, tmp_path)
    assert not found.is_near("dmc")
    assert len(tried) == 1
