"""Parameters in an answer: every candidate, their quality, draws, ArviZ and the report."""

import re
import sys
from dataclasses import replace
from types import ModuleType

import numpy as np
import pandas as pd
import pytest
from page_outline import Outline
from report_folders import made_answer

import netchoice
from netchoice.choice.answer import Answer
from netchoice.choice.notes import parameter_notes
from netchoice.errors import NetchoiceError, UsageError
from netchoice.inference import posterior
from netchoice.report.build import write_report

PARAMETERS = {"dmr": ["p_delete", "p_new"], "dmc": ["p_delete", "p_connect"]}


def test_every_candidate_has_parameters_with_their_quality():
    answer = made_answer()
    assert {each.name: list(each.parameters) for each in answer.candidates} == PARAMETERS
    prior_sd = 0.5 / np.sqrt(12)
    for model in answer.candidates:
        for known in model.parameters.values():
            assert known.prior == "uniform(0.25, 0.75)"
            quality = known.quality
            assert quality.prior_sd == pytest.approx(prior_sd, rel=0.1)
            assert 0 < quality.rmse < 1.3 * prior_sd
            assert quality.shrinkage < 1
            low, high = quality.interval_coverage_interval
            assert low <= quality.interval_coverage <= high
            assert quality.held_out == 20
            assert 200 <= known.simulations < answer.cost.simulations


def test_summary_has_the_parameters_of_the_most_probable_model_and_verbose_those_of_all():
    answer, number = made_answer(), r"[\d.]+"
    lines = [
        rf"^parameters of {model}: "
        + ", ".join(rf"{name} {number} \({number} to {number}\)" for name in names)
        for model, names in PARAMETERS.items()
    ]
    found = [re.findall(line, answer.summary(), re.MULTILINE) for line in lines]
    assert list(map(len, found)) == [1, 0]
    verbose = answer.summary(verbose=True)
    assert all(len(re.findall(line, verbose, re.MULTILINE)) == 1 for line in lines)


def test_line_that_would_be_too_long_has_no_intervals():
    answer = made_answer()
    known = answer.models[0].parameters
    many = {f"{name}_{i}": each for name, each in known.items() for i in range(2)}
    longer = replace(answer, models=(replace(answer.models[0], parameters=many),))
    (line,) = (text for text in longer.summary().splitlines() if text.startswith("parameters"))
    medians = ", ".join(f"{name} {each.median:.3g}" for name, each in many.items())
    assert line == f"parameters of dmr: {medians}"


def test_draws_are_a_table_and_medians_are_those_of_the_draws(tmp_path):
    answer = made_answer()
    frame = answer.to_frame("posterior")
    assert list(frame) == ["model", "draw", "p_delete", "p_new", "p_connect"]
    for model, draws in frame.groupby("model"):
        assert draws["draw"].tolist() == list(range(2000))
        for name in PARAMETERS[model]:
            assert draws[name].between(0.25, 0.75).all()
            assert draws[name].median() == pytest.approx(answer[model].parameters[name].median)
    folder = answer.save(tmp_path)
    kept = pd.read_csv(folder / "tables" / "posterior.csv")
    pd.testing.assert_frame_equal(kept, frame, check_dtype=False, rtol=1e-5)
    again = Answer.load(folder).evidence.posteriors["dmr"].draws["p_new"]
    np.testing.assert_allclose(again, answer.evidence.posteriors["dmr"].draws["p_new"], rtol=1e-5)


def test_parameter_with_the_name_of_a_column_keeps_its_draws():
    answer = made_answer()
    known = answer.evidence.posteriors["dmr"]
    renamed = replace(known, draws=dict(zip(("model", "draw"), known.draws.values(), strict=True)))
    frame = replace(
        answer, evidence=replace(answer.evidence, posteriors={"dmr": renamed})
    ).to_frame("posterior")
    assert set(frame["model"]) == {"dmr"}
    for column, name in (("model_parameter", "p_delete"), ("draw_parameter", "p_new")):
        np.testing.assert_array_equal(frame[column], known.draws[name])


def test_posterior_of_a_model_that_has_none_is_refused():
    with pytest.raises(UsageError, match="unknown model with a posterior 'dm'; did you mean 'dm"):
        made_answer().to_arviz("dm")


def test_notes_name_boundaries_and_posteriors_that_are_not_calibrated():
    answer = made_answer()
    estimate = answer["dmr"].parameters["p_new"]

    def calibrated(p_value):
        return replace(estimate, quality=replace(estimate.quality, rank_p_value=p_value))

    known = calibrated(0.3)
    estimates = {
        "a": known,
        "b": calibrated(0.004),  # above 0.01 / 5
        "c": calibrated(0.001),
        "d": replace(known, at_boundary="lower"),
        "q": replace(known, at_boundary="upper"),  # nothing is above 1
    }

    def grow(n_nodes, rng, **parameters):
        """Never called."""

    priors = dict.fromkeys("abcd", "uniform(0.2, 0.8)") | {"q": "uniform(0, 1)"}
    model = netchoice.Model("dmr", grow, priors)
    changed = replace(answer, models=(replace(answer["dmr"], parameters=estimates),))
    first, second = parameter_notes(changed, {"dmr": model})
    assert first.startswith("posteriors of dmr c are not calibrated (p = 0.001 on 20 held-out")
    assert second.startswith("the posterior of dmr d is at the prior's boundary (lower); a wider")
    assert '--prior "dmr.d=uniform(0,0.8)"' in second


def test_report_shows_the_posteriors_of_each_candidate(tmp_path):
    answer = made_answer()
    page = Outline(write_report(answer, tmp_path / "page.html").read_text())
    for model, (first, second) in PARAMETERS.items():
        pair = page.figures[f"{model}: Draws of {first} and {second} together."]
        points = re.findall(r'<use href="([^"]*)" x="([\d.]+)" y="([\d.]+)"', pair)
        places = np.array([place for name, *place in points if name == points[-1][0]], float)
        known = answer.evidence.posteriors[model].draws
        draws = np.array([known[first], known[second]])
        assert len(places) == 500
        assert np.corrcoef(places.T)[0, 1] == pytest.approx(-np.corrcoef(draws)[0, 1], abs=0.1)


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
