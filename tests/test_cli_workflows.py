"""The command choose: what it prints and writes, how it exits."""

import functools
import json

import numpy as np
import pytest
from netchoice.workflows import preparation as preparation_module
from small_plans import small_plan

import netchoice

# netchoice choose


@pytest.fixture
def few_simulations(monkeypatch):
    """Let the command simulate few networks."""
    plan = functools.partial(small_plan, selection_samples=320, samples=400)
    monkeypatch.setattr(preparation_module, "SimulationPlan", plan)


@pytest.fixture
def network_file(tmp_path):
    model, rng = netchoice.get_model("ba2"), np.random.default_rng(1)
    netchoice.write_network(model.grow(40, model.sample(rng), rng), tmp_path / "net.tsv")
    return tmp_path / "net.tsv"


@pytest.mark.usefixtures("few_simulations")
def test_choose_prints_and_writes_the_answer(run, network_file, tmp_path, request):
    out, n_edges = tmp_path / "answer", netchoice.read_network(network_file)[0].n_edges
    command = ["choose", network_file, "--models", "ba1,ba2", "--engine", "serial", "--out", out]
    code, text, errors = run(*command, "--samples", 300)
    assert code == 0, errors
    verdict = "verdict: one model fits and is clearly the most probable: ba2"
    assert any(line.startswith(verdict) for line in text.splitlines())
    assert text.endswith(f"report.html, choice.json, tables and figures are in {out}\n")
    assert "simulating (selection): 320/320 rows" in errors
    names = {path.stem for path in (out / "figures").iterdir()}
    assert names >= {"embedding", "features", "probabilities"}
    assert (out / "report.html").stat().st_size > 100_000
    assert json.loads((out / "reading.json").read_text())["rows"] == n_edges

    request.getfixturevalue("no_figures")
    code, text, errors = run(*command, "--samples", 300, "--no-report", "--json")
    assert code == 0, errors
    record = json.loads(text)
    assert record["model"] == "ba2"
    assert set(record["probabilities"]) == {"ba1", "ba2"}
    assert record == json.loads((out / "choice.json").read_text())
    assert "simulating" not in errors  # the run was resumed

    code, text, errors = run("show", out)
    assert (code, errors) == (0, "")
    assert text.startswith("one model fits and is clearly the most probable: ba2")
    assert "\n  ba2: probability " in text
    assert json.loads(run("show", out, "--json")[1]) == record

    code, _, errors = run(*command)
    assert code == 2
    assert "another samples" in errors


@pytest.mark.usefixtures("few_simulations", "no_figures")
def test_choose_compares_the_models_of_a_space_with_given_features(run, network_file, tmp_path):
    code, text, errors = run(
        "choose", network_file, "--space", "ba", "--features", "degree_mean", "--engine", "serial",
        "--no-report", "--no-local", "-o", tmp_path / "m", "--json",
    )  # fmt: skip
    assert code == 0, errors
    assert set(json.loads(text)["probabilities"]) == {"ba1", "ba2", "ba3", "ba4"}
    assert json.loads(text)["verdict"] == "one-fits"
    assert not json.loads(text)["fit"]["local"]
    assert not (tmp_path / "m" / "report.html").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--time-limit", "soon"],
            "`--time-limit` must be a time such as 5ms, 90s or 2min; got 'soon'",
        ),
        (["--models", ","], "--models is empty; expected items separated by commas"),
        (["--method", "jm"], "unknown method 'jm'; did you mean 'jmi'"),
        (["--budget", "5eur"], "`budget` must be a cost such as 20"),
        (["--inference", "bayes"], "`inference` must be"),
    ],
)
def test_choose_refuses_a_wrong_option(run, network_file, tmp_path, options, message):
    code, _, errors = run("choose", network_file, *options, "-o", tmp_path / "x")
    assert code == 2
    assert message in errors
    assert not (tmp_path / "x").exists()


def test_choose_refuses_a_missing_file(run, tmp_path):
    code, _, errors = run("choose", tmp_path / "nowhere.tsv")
    assert code == 1
    assert "nowhere.tsv" in errors
