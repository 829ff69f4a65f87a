"""What a paper needs: a paragraph on methods, citations, tables and figures as files."""

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from small_plans import small_plan

import netchoice
from netchoice.errors import UsageError
from netchoice.latex import latex_table, latex_text
from netchoice.workflows import methods_text, references

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
def record(folder):
    return json.loads((folder / "choice.json").read_text())


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


def test_cite_describes_a_run(run, folder, record):
    code, text, errors = run("cite", folder)
    assert code == 0, errors
    settings = record["settings"]
    expected = [
        f"{record['network']['nodes']} nodes and {record['network']['edges']} edges",
        "2 models: dmc (p_delete ~ uniform(0.25, 0.75)",
        "2 given features: degree_mean, transitivity",
        f"from {record['cost']['simulations']} simulations",
        f"with {record['cost']['fit_simulations']} simulations (α = 0.01)",
        f"netchoice {netchoice.__version__} (Python {settings['python']}",
        f"numba {settings['versions']['numba']}",
        f"seed {settings['seed']}",
        "doi:10.1080/10618600.2022.2151453",
        netchoice.get_model("dmr").reference,
        netchoice.get_model("dmc").reference,
    ]
    for part in expected:
        assert part in text
    code, printed, _ = run("cite", folder, "--json")
    assert json.loads(printed) == {
        "methods": methods_text(record),
        "references": references(record),
    }


def test_cite_without_a_run_names_the_software(run):
    code, text, _ = run("cite")
    assert code == 0
    assert f"We used netchoice {netchoice.__version__}" in text
    assert "Raynal, Hoffmann & Onnela" in text


def test_cite_refuses_other_folders(run, tmp_path, evaluation):
    code, _, errors = run("cite", tmp_path / "nothing")
    assert code == 2
    assert "is not a folder" in errors
    evaluation.save(tmp_path / "evaluation")
    code, _, errors = run("cite", tmp_path / "evaluation")
    assert code == 2
    assert "holds an evaluation; expected a folder of netchoice choose" in errors


def test_selection_and_screening_are_described(record):
    selected = {
        **record,
        "selection": {
            **record["selection"],
            "operating_point": {"rule": "budget", "penalty": 0.5},
            "pilots": [250, 500],
        },
        "screening": {
            "p_values": dict.fromkeys("abcdefghij", 0.1),
            "simulations": 500,
            "alpha": 0.005,
        },
    }
    text = methods_text(selected)
    assert "selection with JMI (jmi)" in text
    assert "simulations with 250, 500 nodes: the most accurate set within the budget" in text
    assert "λ = 0.5" in text
    assert "screening of 10 models with 500 simulations (α = 0.005)" in text


def test_models_of_users_are_left_out_of_references(record):
    models = [*record["space"]["models"], {"name": "mine", "priors": {}, "weight": 1}]
    mine = {**record, "space": {**record["space"], "models": models}}
    assert references(mine) == references(record)
    assert "3 models: dmc" in methods_text(mine)
    assert ", mine." in methods_text(mine)


def test_citation_file_is_that_of_this_version():
    text = (ROOT / "CITATION.cff").read_text()
    assert f"\nversion: {netchoice.__version__}\n" in text
    doi = re.search(r"doi: (\S+)", text)[1]
    assert doi in references()[0]


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


@pytest.mark.parametrize(
    "table", ["models", "parameters", "features", "confusion", "discrepancies"]
)
def test_tables_of_a_choice_are_latex(choice, table):
    text = choice.to_latex(table, caption="5% of p_new")
    frame = choice.to_frame(table)
    sides = re.search(r"\\begin\{tabular\}\{([lr]+)\}", text)[1]
    assert len(sides) == frame.shape[1]
    rows = text.partition("\\midrule\n")[2].partition("\n\\bottomrule")[0].splitlines()
    assert len(rows) == len(frame)
    for row in rows:
        assert row.endswith(r"\\")
        assert len(re.findall(r"(?<!\\)&", row)) == frame.shape[1] - 1
    assert r"\caption{5\% of p\_new}" in text
    assert not re.search(r"(?<!\\)_", text), "LaTeX reads _ as a command"


def test_special_characters_are_escaped():
    assert latex_text("a_b & 5% \\ {x} ~ ^ # $ λ") == (
        r"a\_b \& 5\% \textbackslash{} \{x\} \textasciitilde{} \textasciicircum{} \# \$ $\lambda$"
    )
    frame = pd.DataFrame({"names": [("a_1", "b")], "n": [3], "p": [None]})
    assert r"a\_1, b & 3 & -- \\" in latex_table(frame)


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
    options = ("--methods", "jmi", "--max-features", 2, "--folds", 4, "--no-report", "--workers", 1)
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
