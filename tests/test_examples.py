"""Run the examples at small scale and check their results."""

import re
import runpy
import sys
from pathlib import Path

import nbformat
import pandas as pd
import pytest

import netchoice

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
sys.path.insert(0, str(EXAMPLES))
import notebooks  # noqa: E402

NOTEBOOKS = sorted(
    path.stem for path in EXAMPLES.glob("*.py") if path.read_text().startswith("# %%")
)


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


@pytest.mark.slow
def test_network_scientist_finds_the_true_models(example):
    variables, printed, folder = example("network_scientist", "--small")
    answer, wrong, better = (variables[name] for name in ("answer", "wrong", "better"))
    assert answer.verdict.model == "dmr"
    assert wrong.verdict.kind == "none-fits"
    assert better.verdict.model == "rewired_ring"
    low, high = better["rewired_ring"].parameters["p"].interval
    assert 0.01 <= low < 0.06
    assert 0.04 < high <= 0.1
    assert (folder / "answer" / "figures" / "map.png").stat().st_size > 10_000
    assert "none of the 2 models fits" in printed


@pytest.mark.slow
def test_cohort_recovers_models_and_a_trend(example):
    variables, printed, folder = example("cohort", "--small")
    answers, summary = variables["answers"], variables["summary"]
    assert answers["id"].tolist() == variables["collection"].ids
    assert len(answers) == summary["answered"] == 27
    assert variables["correct"].sum() >= 20  # of 24 networks that the models made
    odd = answers["group"] == "odd"
    assert (answers.loc[odd, "verdict"] == "none-fits").all()
    assert (answers.loc[~odd, "verdict"] == "none-fits").sum() <= 2
    assert (variables["q_values"][odd] <= 0.1).all()  # with few simulations, p is 0.0025 at least
    assert variables["correlations"]["relatives"] > 0.5
    assert "odd networks with the verdict none-fits: 3 of 3" in printed
    assert (folder / "answers" / "report.html").stat().st_size > 100_000
    assert list(netchoice.References.load(folder / "simulations")) == list(variables["references"])


@pytest.mark.parametrize("name", notebooks.SCRIPTS)
def test_notebooks_have_the_cells_of_the_scripts_and_results(name):
    kept = nbformat.read(EXAMPLES / f"{name}.ipynb", as_version=4)
    nbformat.validate(kept)
    made = notebooks.notebook_of(name)
    assert [cell.source for cell in kept.cells] == [cell.source for cell in made.cells]
    outputs = [each for cell in kept.cells for each in cell.get("outputs", [])]
    assert len(outputs) >= 5
    assert all(each.output_type != "error" for each in outputs)
    counts = [cell.execution_count for cell in kept.cells if cell.cell_type == "code"]
    assert counts == list(range(1, len(counts) + 1))


@pytest.mark.slow
@pytest.mark.parametrize("name", notebooks.SCRIPTS)
def test_notebooks_run_from_top_to_bottom(name, tmp_path):
    made = notebooks.run(notebooks.notebook_of(name), tmp_path, ("--small",))
    outputs = [each for cell in made.cells for each in cell.get("outputs", [])]
    shown = [each for each in outputs if each.output_type in ("execute_result", "display_data")]
    assert any("image/png" in each.data for each in shown) or name == "cohort"
    assert not [each for each in outputs if each.output_type == "error"]


def test_clinic_recommends_a_cheap_set_of_a_real_table(example):
    variables, printed, folder = example("clinic", "--small")
    evaluation, costs = variables["evaluation"], variables["costs"]
    assert evaluation.settings["constant"] == ["scanner"]
    assert len(evaluation.settings["rows"]) == 1
    point = evaluation.recommended
    assert point.cost < 0.9 * costs.cost_of_set(variables["columns"], "shared")
    assert point.accuracy > 0.93
    assert point.best_accuracy - point.accuracy <= 0.01
    assert evaluation.row_by_row["accuracy"] > evaluation.row_by_row["set_accuracy"]
    cheap = variables["cheap"].recommended
    assert cheap.share <= 0.4
    assert cheap.measure == "minus the mean cost of errors"
    assert "boosted trees recommend" in printed
    assert (folder / "accuracy-against-cost.png").stat().st_size > 10_000


def test_costs_of_the_invented_patients_are_complete():
    saved = pd.read_csv(EXAMPLES / "patients.csv")
    costs = netchoice.CostModel.from_file(EXAMPLES / "costs.csv")
    assert set(saved.columns) - {"diagnosis"} <= set(costs.own)


def test_method_developer_compares_its_selector_with_the_paper(example):
    variables, printed, folder = example("method_developer", "--small")
    best = variables["best"]
    assert len(best) == 11
    assert best.loc["contrast", "best set"] > 2 / 7  # seven models: twice the accuracy of chance
    assert best.loc["contrast", "best set"] <= best["best set"].max()
    assert f"contrast has rank {variables['rank']} of 11" in printed
    assert (folder / "pareto.png").stat().st_size > 10_000
