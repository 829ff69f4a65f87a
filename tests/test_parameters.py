"""Parameters in an answer: every model that fits, their quality, draws, ArviZ and the report."""

import dataclasses
import json
import re
import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from netchoice.workflows.parameters import (
    parameter_lines,
    parameter_notes,
    posterior_draws,
    reported_models,
)
from page_outline import Outline
from small_plans import small_plan

import netchoice
from netchoice import ModelSpace, figures
from netchoice.errors import NetchoiceError, UsageError
from netchoice.inference import posterior
from netchoice.models.model import Parameter
from netchoice.models.priors import uniform
from netchoice.report.build import write_report

PLAN = small_plan(selection_samples=600, samples=400, fit_samples=600)
KEYS = {
    "simulations", "features",
    "median", "interval", "coverage", "at_boundary", "rmse", "prior_sd", "shrinkage",
    "interval_coverage", "interval_coverage_interval", "rank_p_value", "held_out",
}  # fmt: skip


@pytest.fixture(scope="module")
def answered(tmp_path_factory):
    """An answer with two models that fit, and one without parameters that does not."""
    folder = tmp_path_factory.mktemp("parameters") / "run"
    dmr = netchoice.get_model("dmr")
    again = dataclasses.replace(dmr, name="dmr_again")
    space = ModelSpace("equal models", [dmr, again, netchoice.get_model("ba4")])
    graph = dmr.grow(60, {"p_delete": 0.5, "p_new": 0.5}, np.random.default_rng(3))
    choice = netchoice.choose_model(
        graph, space, features=["transitivity"], isolated="keep", engine="serial", workers=1,
        plan=PLAN, path=folder,
    )  # fmt: skip
    return choice, folder


def test_every_model_that_fits_has_parameters_with_their_quality(answered):
    choice, folder = answered
    fitting = {name for name, p in choice.fit_p_values.items() if p > choice.fit["alpha"]}
    assert fitting == {"dmr", "dmr_again"}
    assert set(choice.parameters) == fitting
    assert next(iter(choice.parameters)) == choice.model
    record = json.loads((folder / "choice.json").read_text())
    assert record["schema"] == 5
    assert record["parameters"] == json.loads(json.dumps(choice.parameters))
    prior_sd = 0.5 / np.sqrt(12)  # of a uniform prior on [0.25, 0.75]
    for model in fitting:
        assert list(choice.parameters[model]) == ["p_delete", "p_new"]
        for known in choice.parameters[model].values():
            assert set(known) == KEYS
            assert known["prior_sd"] == pytest.approx(prior_sd, rel=0.15)
            assert 0 < known["rmse"] < 1.3 * prior_sd
            assert known["shrinkage"] < 1
            low, high = known["interval_coverage_interval"]
            assert low <= known["interval_coverage"] <= high
            estimator = choice.evidence.posteriors[model].estimator
            assert known["held_out"] == min(200, len(estimator))
            assert known["simulations"] == len(estimator)


def test_quality_is_measured_on_the_simulations_of_the_posterior(answered):
    choice, _ = answered
    known, evidence = choice.evidence.posteriors["dmr"].estimator, choice.evidence
    table = (
        evidence.fit_table if len(known.features) == len(evidence.fit_observed) else evidence.table
    )
    rows = (table.y == "dmr").to_numpy()
    assert len(known) == rows.sum()
    drawn = known.parameters[:, known.names.index("p_new")]
    assert np.array_equal(drawn, table.parameters["p_new"][rows])


def test_summary_has_one_line_for_each_parameter(answered):
    choice, _ = answered
    number = r"[\d.]+"
    for model in choice.parameters:
        for name in ("p_delete", "p_new"):
            line = (
                rf"^{model} {name}: {number} \(95% interval {number} to {number}; "
                rf"expected error {number}, prior {number}\)$"
            )
            assert len(re.findall(line, str(choice), re.MULTILINE)) == 1


def test_posterior_csv_holds_weighted_draws(answered):
    choice, folder = answered
    frame = choice.posterior()
    assert list(frame) == ["model", "draw", "weight", "p_delete", "p_new"]
    assert frame.groupby("model")["weight"].sum().to_numpy() == pytest.approx([1, 1])
    assert frame[["p_delete", "p_new"]].stack().between(0.25, 0.75).all()
    medians = frame.groupby("model")["p_new"].median()
    assert all(medians[m] == own["p_new"]["median"] for m, own in choice.parameters.items())
    pd.testing.assert_frame_equal(
        pd.read_csv(folder / "posterior.csv"), frame, check_dtype=False, rtol=1e-5
    )
    one = choice.posterior("dmr_again")
    assert set(one["model"]) == {"dmr_again"}
    assert one["draw"].tolist() == list(range(2000))


def test_posterior_of_a_model_that_has_none_is_refused(answered):
    choice, _ = answered
    with pytest.raises(UsageError, match="unknown model 'dm'; did you mean 'dmr'"):
        choice.posterior("dm")
    with pytest.raises(UsageError, match=r"ba4 has no posterior; expected .*: dmr, dmr_again"):
        choice.to_arviz("ba4")


def test_named_model_comes_first_then_other_fitting_models_by_probability():
    fit = SimpleNamespace(p_values={"a": 0.5, "b": 0.001, "c": 0.2, "d": 0.3}, alpha=0.01)
    probabilities = {"a": 0.1, "b": 0.5, "c": 0.3, "d": 0.1001}
    assert reported_models("b", fit, probabilities) == ["b", "c", "d", "a"]


def test_parameter_with_the_name_of_a_column_keeps_its_draws():
    draws = pd.DataFrame({"weight": [1.5, 2.5], "k": [1.0, 2.0]})
    known = SimpleNamespace(posterior=SimpleNamespace(draws=draws))
    frame = posterior_draws(["m"], {"m": known})
    assert frame["weight"].tolist() == [0.5, 0.5]
    assert frame["weight_parameter"].tolist() == [1.5, 2.5]


def estimate(**changes):
    known = {
        "median": 0.3126, "interval": [0.2, 0.44], "coverage": 0.95, "at_boundary": None,
        "rmse": 0.0654, "prior_sd": 0.1443, "interval_coverage": 0.84, "rank_p_value": 0.3,
        "held_out": 200,
    }  # fmt: skip
    return known | changes


def test_line_of_a_parameter():
    (line,) = parameter_lines({"dmr": {"p_new": estimate()}})
    expected = "dmr p_new: 0.313 (95% interval 0.2 to 0.44; expected error 0.065, prior 0.14)"
    assert line == expected


def test_notes_name_boundaries_and_posteriors_that_are_not_calibrated():
    record = {
        "dmr": {
            "a": estimate(),
            "b": estimate(rank_p_value=0.004),  # above 0.01 / 5
            "c": estimate(rank_p_value=0.001),
            "d": estimate(at_boundary="lower"),
            "q": estimate(at_boundary="upper"),  # nothing is above 1
        }
    }
    inner, widest = Parameter(uniform(0.2, 0.8), 0, 1), Parameter(uniform(0, 1), 0, 1)
    parameters = dict.fromkeys("abcd", inner) | {"q": widest}
    space = ModelSpace("one", [netchoice.Model("dmr", lambda n_nodes, rng: [], parameters)])
    first, second = parameter_notes(record, space)
    assert first.startswith(
        "posteriors of dmr c are not calibrated: the ranks of the true values in 200 held-out "
        "simulations are not uniform (p = 0.001), and 84% of the 95% intervals contain the true value"
    )
    assert second.startswith("the posterior of dmr d is at the prior's boundary (lower);")


# The report and the figures


def test_report_shows_each_model_that_fits(answered):
    choice, folder = answered
    text = write_report(folder).read_text()
    drawn = Outline(text).figures
    evidence = json.loads((folder / "evidence.json").read_text())["posteriors"]
    assert list(evidence) == list(choice.parameters)
    for model in choice.parameters:
        own = evidence[model]
        assert f"Quality on {len(own['ranks']['p_new'])} held-out simulations of {model}<" in text
        pair = drawn[f"Draws of p_delete and p_new of {model} together."]
        points = re.findall(r'<use href="([^"]*)" x="([\d.]+)" y="([\d.]+)"/>', pair)
        places = np.array([place for name, *place in points if name == points[-1][0]], float)
        assert len(places) == 500
        draws = np.array([own["draws"][name] for name in ("p_delete", "p_new")]).T
        assert np.corrcoef(places.T)[0, 1] == pytest.approx(-np.corrcoef(draws.T)[0, 1], abs=0.1)
        assert f"Ranks of the true values of {model} p_new in held-out simulations." in drawn


@pytest.mark.slow
def test_figures_of_other_models_that_fit_have_their_names(answered, tmp_path):
    choice, _ = answered
    names = {path.name for path in figures.draw_choice(choice, tmp_path)}
    other = next(name for name in choice.parameters if name != choice.model)
    assert {"parameters.png", "ranks.png", f"parameters-{other}.png", f"ranks-{other}.png"} <= names


# ArviZ


def a_posterior():
    rng = np.random.default_rng(8)
    drawn = pd.DataFrame({"p": rng.uniform(0, 1, 200), "q": rng.uniform(0, 1, 200)})
    X = pd.DataFrame({"x": drawn["p"] + 0.1 * rng.normal(size=200)})
    return posterior(X, drawn, {"x": 0.4}, bounds={"p": (0, 1), "q": (0, 1)})


@pytest.mark.filterwarnings("ignore")  # ArviZ announces its own changes
def test_arviz_reads_the_draws():
    arviz = pytest.importorskip("arviz", reason="ArviZ is not installed")
    result = a_posterior()
    group = result.to_arviz()["posterior"]
    assert set(group.data_vars) == {"p", "q"}
    assert group["p"].shape == (1, 2000)
    assert np.array_equal(group["q"].to_numpy()[0], result.draws["q"])
    summary = arviz.summary(result.to_arviz(), round_to="none")
    assert summary.loc["p", "mean"] == pytest.approx(result.draws["p"].mean())


def before_one(posterior=None, *, prior=None):
    return {"posterior": posterior}


def from_one(data, *, name=None):
    return data


@pytest.mark.parametrize("from_dict", [before_one, from_one])
def test_both_interfaces_of_arviz_are_used(monkeypatch, from_dict):
    arviz = ModuleType("arviz")
    arviz.from_dict = from_dict
    monkeypatch.setitem(sys.modules, "arviz", arviz)
    result = a_posterior()
    groups = result.to_arviz()
    assert list(groups) == ["posterior"]
    assert list(groups["posterior"]) == ["p", "q"]
    assert np.array_equal(groups["posterior"]["p"][0], result.draws["p"])


def test_missing_arviz_is_reported_in_one_line(monkeypatch):
    monkeypatch.setitem(sys.modules, "arviz", None)
    with pytest.raises(NetchoiceError, match=r"not installed; install it with: pip install '"):
        a_posterior().to_arviz()
