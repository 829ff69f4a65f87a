"""The examples run, at small scale, and find what they say."""

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
    """Run one by name; its variables, what it printed, and its folder."""

    def run(name, *arguments):
        monkeypatch.setattr(sys, "argv", [f"{name}.py", *arguments, "--out", str(tmp_path)])
        found = runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
        return found, capsys.readouterr().out, tmp_path

    return run


def test_there_is_one_for_each_audience():
    assert NOTEBOOKS == ["clinic", "method_developer", "network_scientist"]


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_cells_open_as_a_notebook(name):
    """It begins with a title, and every cell is text or code, not both."""
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


def test_network_scientist(example):
    found, printed, folder = example("network_scientist", "--small")
    assert (found["answer"].model, found["answer"].fits) == ("dmr", True)
    assert found["wrong"].fits is False
    assert (found["better"].model, found["better"].fits) == ("rewired_ring", True)
    low, high = found["better"].parameters["p"]["interval"]
    assert 0.01 <= low < 0.05 < high <= 0.1
    assert (folder / "answer" / "figures" / "embedding.png").stat().st_size > 10_000
    assert "no model in this space explains the network" in printed


def test_clinic(example):
    found, printed, folder = example("clinic", "--small")
    assert found["first_choice"] == {0: "scan", 1: "haemoglobin"}
    chosen = found["chosen"]
    assert "scan" not in chosen.features
    assert chosen.cost < 60
    assert chosen.interval[1] >= 0.95
    assert all(point.cost <= budget for budget, point in found["within"].items())
    assert found["within"][20].accuracy > found["within"][5].accuracy + 0.1
    assert (folder / "accuracy-against-cost.png").stat().st_size > 10_000
    assert "haemoglobin and glucose from one sample: 17 euro" in printed

    # The files beside it hold the same patients and costs.
    kept = pd.read_csv(EXAMPLES / "patients.csv")
    pd.testing.assert_frame_equal(kept, found["patients"], check_dtype=False)
    assert set(found["costs"].alone()) == set(kept.columns) - {"diagnosis"}
    from_file = netchoice.CostModel.from_file(EXAMPLES / "costs.csv")
    for charge in ("alone", "shared"):
        names = list(found["costs"].features)
        expected = found["costs"].cost_of_set(names, charge)
        assert from_file.cost_of_set(names, charge) == expected


def test_method_developer(example):
    found, printed, folder = example("method_developer", "--small")
    best = found["best"]
    assert len(best) == 11
    assert best.loc["contrast", "best set"] > 2 / 7  # seven models: twice chance
    assert best.loc["contrast", "best set"] <= best["best set"].max()
    assert f"contrast is number {found['rank']} of 11" in printed
    assert (folder / "pareto.png").stat().st_size > 10_000
