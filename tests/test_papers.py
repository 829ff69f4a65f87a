"""What a paper needs: a citation, tables, and figures as files."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from report_folders import NO_EVIDENCE, made_answer, made_evaluation, rejected

import netchoice
from netchoice import figures
from netchoice.errors import UsageError

ROOT = Path(__file__).resolve().parents[1]


def test_citation_file_is_that_of_this_version():
    text = (ROOT / "CITATION.cff").read_text()
    assert f"\nversion: {netchoice.__version__}\n" in text
    doi = re.search(r"doi: (\S+)", text)[1]
    assert f"doi:{doi}" in (ROOT / "README.md").read_text()


def test_models_are_a_table():
    answer = made_answer()
    frame = answer.to_frame()
    assert list(frame) == [
        "model", "family", "state", "probability", "low", "high", "p", "p_low", "p_high", "simulations",
        "probability_before",
    ]  # fmt: skip
    assert frame["probability"].is_monotonic_decreasing
    for row in frame.itertuples():
        known = answer[row.model]
        assert (row.state, row.probability, row.p) == (
            known.state,
            known.probability,
            known.p_value,
        )
        assert (row.low, row.high) == known.interval
        assert (row.p_low, row.p_high) == known.p_interval
    assert rejected(answer).to_frame()["probability"].isna().all()


def test_parameters_features_and_discrepancies_are_tables():
    answer = made_answer()
    parameters = answer.to_frame("parameters")
    assert len(parameters) == sum(len(each.parameters) for each in answer.models) == 4
    for row in parameters.itertuples():
        known = answer[row.model].parameters[row.parameter]
        assert (row.median, (row.low, row.high), row.rmse) == (
            known.median, known.interval, known.quality.rmse,
        )  # fmt: skip
    features = answer.to_frame("features").set_index("feature")
    assert features["observed"].to_dict() == {each.name: each.observed for each in answer.features}
    assert features["below_dmr"].to_dict() == {
        each.name: each.below["dmr"] for each in answer.features
    }
    differences = rejected(answer).to_frame("discrepancies")
    assert differences["model"].tolist() == ["dmc", "dmr"]
    assert differences["sentence"].str.startswith("larger transitivity than any").all()
    with pytest.raises(UsageError, match="unknown table 'modles'; did you mean 'models'"):
        answer.to_frame("modles")


def test_evaluation_has_tables():
    evaluation = made_evaluation()
    front = evaluation.to_frame()
    assert front["cost_shared"].is_monotonic_increasing
    assert front["accuracy"].is_monotonic_increasing


def test_figures_have_the_wanted_format(tmp_path):
    answer = replace(made_answer(), evidence=NO_EVIDENCE)
    (file,) = figures.draw_answer(answer, tmp_path, format="pdf")
    assert file.name == "probabilities.pdf"
    assert file.read_bytes().startswith(b"%PDF")
    with pytest.raises(UsageError, match="`format` must be 'png', 'svg' or 'pdf'"):
        figures.draw_answer(answer, tmp_path, format="gif")
