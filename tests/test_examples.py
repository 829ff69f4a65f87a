"""Run the examples at small scale and check their results."""

import json
import re
import runpy
import sys
from pathlib import Path

import pandas as pd
import pytest

import netchoice

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
NOTEBOOKS = sorted(path.stem for path in EXAMPLES.glob("*.py") if "# %%" in path.read_text())


@pytest.fixture
def example(monkeypatch, tmp_path, capsys):
    """Return a function that runs an example and returns its variables, its output and its folder."""

    def run(name, *arguments):
        monkeypatch.setattr(sys, "argv", [f"{name}.py", *arguments, "--out", str(tmp_path)])
        variables = runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
        return variables, capsys.readouterr().out, tmp_path

    return run


def test_each_audience_has_an_example():
    assert NOTEBOOKS == ["clinic", "cohort", "method_developer", "network_scientist"]


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_cells_open_as_a_notebook(name):
    """The script begins with a title, and every cell contains either text or code."""
    text = (EXAMPLES / f"{name}.py").read_text()
    assert text.startswith("# %% [markdown]\n# # ")
    cells = re.split(r"^# %%", text, flags=re.MULTILINE)[1:]
    assert len(cells) >= 10
    for cell in cells:
        lines = [line for line in cell.splitlines()[1:] if line.strip()]
        if cell.startswith(" [markdown]"):
            assert all(line.startswith("#") for line in lines), cell
        else:
            assert any(not line.startswith("#") for line in lines), cell


def test_network_scientist_finds_the_true_models(example):
    variables, printed, folder = example("network_scientist", "--small")
    answer, wrong, better = (variables[name] for name in ("answer", "wrong", "better"))
    assert (answer.model, answer.fits) == ("dmr", True)
    assert wrong.fits is False
    assert (better.model, better.fits) == ("rewired_ring", True)
    low, high = better.parameters["rewired_ring"]["p"]["interval"]
    assert 0.01 <= low < 0.06
    assert 0.04 < high <= 0.1
    assert (folder / "answer" / "figures" / "embedding.png").stat().st_size > 10_000
    assert "none of these models fits" in printed


def test_cohort_recovers_models_and_a_trend(example):
    variables, printed, folder = example("cohort", "--small")
    answers, summary = variables["answers"], variables["summary"]
    assert answers["id"].tolist() == variables["collection"].ids
    assert len(answers) == summary["answered"] == 27
    assert variables["correct"].sum() >= 20  # of 24 networks that the models made
    odd = answers["group"] == "odd"
    assert (answers.loc[odd, "verdict"] == "none-fits").all()
    assert (answers.loc[~odd, "verdict"] == "none-fits").sum() <= 2
    assert (variables["q_values"][odd] <= 0.05).all()
    assert variables["correlations"]["relatives"] > 0.5
    assert "odd networks with the verdict none-fits: 3 of 3" in printed
    assert (folder / "answers" / "report.html").stat().st_size > 1_000_000
    assert netchoice.Chooser.load(folder / "chooser").sizes_ == variables["chooser"].sizes_


def test_cells_of_the_notebook_run():
    """The notebook has no outputs, and its code cells run in order, in one namespace."""
    notebook = json.loads((EXAMPLES / "cohort.ipynb").read_text(encoding="utf-8"))
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 4)
    variables = {}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            assert (cell["outputs"], cell["execution_count"]) == ([], None)
            exec(compile("".join(cell["source"]), "cohort.ipynb", "exec"), variables)
    answers, named = variables["answers"], variables["named"]
    assert (named[answers["group"] == "odd"] == "none fits").all()
    truth = answers["group"].map({"patients": "dmc", "controls": "dmr"})
    assert (named == truth).sum() >= 10  # of 12 networks that the models made
    assert (variables["folder"] / "answers" / "report.html").exists()


def test_clinic_selects_cheap_and_accurate_tests(example):
    variables, printed, folder = example("clinic", "--small")
    assert variables["first_choice"] == {0: "scan", 1: "haemoglobin"}
    chosen = variables["chosen"]
    assert "scan" not in chosen.features
    assert chosen.cost < 60
    assert chosen.interval[1] >= 0.95
    assert all(point.cost <= budget for budget, point in variables["within"].items())
    assert variables["within"][20].accuracy > variables["within"][5].accuracy + 0.1
    assert (folder / "accuracy-against-cost.png").stat().st_size > 10_000
    assert "haemoglobin and glucose from one sample: 17 euro" in printed

    # The CSV files contain the same patients and costs.
    patients, costs = variables["patients"], variables["costs"]
    saved = pd.read_csv(EXAMPLES / "patients.csv")
    pd.testing.assert_frame_equal(saved, patients, check_dtype=False)
    assert set(costs.alone()) == set(saved.columns) - {"diagnosis"}
    from_file = netchoice.CostModel.from_file(EXAMPLES / "costs.csv")
    for charge in ("alone", "shared"):
        names = list(costs.features)
        assert from_file.cost_of_set(names, charge) == costs.cost_of_set(names, charge)


def test_method_developer_compares_its_selector_with_the_paper(example):
    variables, printed, folder = example("method_developer", "--small")
    best = variables["best"]
    assert len(best) == 11
    assert best.loc["contrast", "best set"] > 2 / 7  # seven models: twice the accuracy of chance
    assert best.loc["contrast", "best set"] <= best["best set"].max()
    assert f"contrast has rank {variables['rank']} of 11" in printed
    assert (folder / "pareto.png").stat().st_size > 10_000
