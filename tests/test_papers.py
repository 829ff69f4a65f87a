"""What a paper needs: a citation, tables, and figures as files."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from small_plans import small_plan

import netchoice
from netchoice.errors import UsageError

ROOT = Path(__file__).resolve().parents[1]
FEATURES = ["degree_mean", "transitivity", "noise_normal"]
PLAN = small_plan(selection_samples=320)


@pytest.fixture(scope="module")
def network(tmp_path_factory):
    path = tmp_path_factory.mktemp("networks") / "net.tsv"
    graph = netchoice.get_model("dmr").grow(30, rng=np.random.default_rng(3), isolated="drop")
    netchoice.write_network(graph, path)
    return path


@pytest.fixture(scope="module")
def folder(network, tmp_path_factory):
    """Return the folder of a choice, with figures as PDF."""
    path = tmp_path_factory.mktemp("answer") / "run"
    graph, reading = netchoice.read_network(network)
    netchoice.report.report_choice(
        graph, "duplication", path=path, reading=reading, samples=200, plan=PLAN, engine="serial",
        features=FEATURES[:2], report=False, figures="pdf",
    )  # fmt: skip
    return path


@pytest.fixture(scope="module")
def choice():
    network = netchoice.get_model("dmr").grow(30, rng=np.random.default_rng(3))
    return netchoice.choose_model(
        network,
        "duplication",
        samples=200,
        plan=PLAN,
        local=False,
        engine="serial",
        features=FEATURES[:2],
    )


@pytest.fixture(scope="module")
def evaluation():
    table = netchoice.simulate_table(
        "ba", n_nodes=30, n_samples=80, seed=1, engine="serial", features=FEATURES
    )
    return netchoice.evaluate_features(table, methods=["jmi"], max_features=2, folds=4)


def test_citation_file_is_that_of_this_version():
    text = (ROOT / "CITATION.cff").read_text()
    assert f"\nversion: {netchoice.__version__}\n" in text
    doi = re.search(r"doi: (\S+)", text)[1]
    assert f"doi:{doi}" in (ROOT / "README.md").read_text()


def test_models_are_a_table(choice):
    frame = choice.to_frame()
    assert frame.columns.tolist() == [
        "model", "family", "probability", "low", "high", "fit_p", "fits",
    ]  # fmt: skip
    assert frame["model"].tolist() == sorted(
        choice.intervals, key=lambda m: -choice.probabilities[m]
    )
    assert dict(zip(frame["model"], frame["probability"], strict=True)) == choice.probabilities
    assert (frame["low"] <= frame["high"]).all()
    np.testing.assert_array_equal(frame["fits"], frame["fit_p"] > choice.fit["alpha"])


def test_parameters_and_features_are_tables(choice):
    parameters = choice.to_frame("parameters")
    for row in parameters.itertuples():
        known = choice.parameters[row.model][row.parameter]
        assert (row.median, [row.low, row.high]) == (known["median"], list(known["interval"]))
    assert len(parameters) == sum(map(len, choice.parameters.values()))
    features = choice.to_frame("features").set_index("feature")
    assert features["observed"].to_dict() == choice.features
    confusion = choice.to_frame("confusion").set_index("true model")
    pd.testing.assert_frame_equal(confusion, choice.confusion, check_names=False)
    pd.testing.assert_frame_equal(choice.to_frame("discrepancies"), choice.discrepancies())


def test_evaluation_has_tables(evaluation):
    front = evaluation.to_frame()
    assert front["cost_shared"].is_monotonic_increasing
    assert front["accuracy"].is_monotonic_increasing
    assert len(evaluation.to_frame("evaluation")) == len(evaluation.evaluation)
    costs = evaluation.to_frame("costs").set_index("feature")
    assert costs.loc["transitivity", "alone"] == evaluation.costs.cost("transitivity")
    with pytest.raises(UsageError, match="unknown table 'rankngs'; did you mean 'rankings'"):
        evaluation.to_frame("rankngs")


def test_figures_have_the_wanted_format(folder):
    files = {path.suffix for path in (folder / "figures").iterdir()}
    assert files == {".pdf"}
    assert (folder / "figures" / "probabilities.pdf").read_bytes().startswith(b"%PDF")


def test_fresh_run_deletes_figures_of_every_format(folder, network, tmp_path):
    """The figures of an earlier run with another format do not stay behind."""
    from netchoice.workflows.run_folder import CHOICE_FILES

    for path in (folder / "figures").iterdir():
        pattern = f"figures/{path.name}"
        assert any(Path(pattern).match(written) for written in CHOICE_FILES.written), path.name


@pytest.mark.slow
def test_commands_write_figures_in_a_format(run, tmp_path):
    table = tmp_path / "table"
    netchoice.simulate_table(
        "ba", n_nodes=30, n_samples=80, seed=1, engine="serial", features=FEATURES, path=table
    )
    options = ("--method", "jmi", "--max-features", 2, "--folds", 4, "--no-report", "--workers", 1)
    code, _, errors = run("evaluate", table, "--out", tmp_path / "e", "--figures", "svg", *options)
    assert code == 0, errors
    assert (tmp_path / "e" / "pareto.svg").read_text().startswith("<?xml")
    assert not list((tmp_path / "e").glob("*.png"))
    code, _, errors = run("evaluate", table, "--out", tmp_path / "e", "--figures", "gif", *options)
    assert code == 2
    assert "'gif' is not one of 'png', 'svg', 'pdf'" in errors


def test_figures_of_a_cohort_are_in_its_report(run, network, tmp_path):
    code, _, errors = run("choose", network, network, "--figures", "pdf", "--out", tmp_path / "c")
    assert code == 2
    assert "--figures writes the figures of one network" in errors
