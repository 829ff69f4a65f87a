"""The commands rank and evaluate on tables: what they print and write, how they exit."""

import json
import re
import sys

import numpy as np
import pandas as pd
import pytest

import netchoice
from netchoice.features.paper import paper_costs

# netchoice rank


@pytest.fixture(scope="module")
def small_table(tmp_path_factory):
    path = tmp_path_factory.mktemp("tables") / "t"
    features = ["transitivity", "n_triangles", "degree_mean", "degree_max", "shell_6_size"]
    features += ["noise_normal"]
    netchoice.simulate_table(
        "ba", n_nodes=30, n_samples=120, seed=1, engine="serial", out=path, features=features
    )
    return path


def test_rank_prints_one_line_for_each_feature(run, small_table):
    code, out, _ = run("rank", small_table, "--penalty", 0.1)
    assert code == 0
    lines = out.splitlines()
    assert "120 rows, 4 classes; 5 features ranked by jmi, penalty 0.1, costs: measured" in lines[0]
    assert lines[1] == "left out because constant: shell_6_size"
    assert lines[2].split() == (
        ["feature", "score", "relevance", "redundancy", "interaction", "cost", "cumulative"]
    )
    assert len(lines) == 8
    record = json.loads(run("rank", small_table, "--penalty", 0.1, "--json")[1])["rankings"][0]
    assert [line.split()[1] for line in lines[3:]] == record["ranking"]
    assert record["constant"] == ["shell_6_size"]
    assert record["features"][0]["feature"] == record["ranking"][0]
    costs = [line["cost"] for line in record["features"]]
    assert record["features"][-1]["cumulative_cost"] == pytest.approx(sum(costs))


@pytest.fixture
def ranked(run, small_table):
    """Return what ``netchoice rank --json`` prints."""

    def ranked(*options):
        code, out, errors = run("rank", small_table, "--json", *options)
        assert code == 0, errors
        (record,) = json.loads(out)["rankings"]
        return record

    return ranked


def test_rank_uses_the_given_costs(ranked):
    paper = ranked("--costs", "paper", "--penalty", 1e6)
    assert paper["costs"] == "paper:ba"
    seconds = paper_costs("ba")
    by_cost = [seconds[name] for name in paper["ranking"]]
    assert by_cost == sorted(by_cost)
    assert ranked("--costs", "paper:duplication")["costs"] == "paper:duplication"
    shared = ranked("--penalty", 1e6)
    alone = ranked("--charge", "alone", "--penalty", 1e6)
    last = [record["features"][-1]["cumulative_cost"] for record in (shared, alone)]
    assert last[0] < last[1]
    forest = ranked("--method", "penalized-mda", "--seed", 3, "--workers", 2)
    assert forest["method"] == "penalized-mda"
    assert forest["ranking"][-1] == "noise_normal"


def test_several_methods_and_own_ones_are_named(run, small_table, own_module, tmp_path):
    code, text, errors = run("rank", small_table, "--method", f"jmi,{own_module}:Own")
    assert code == 0, errors
    assert text.count("features ranked by") == 2
    arguments = ["--method", f"{own_module}:Own", "--penalty", "0,1"]
    code, text, errors = run("evaluate", small_table, *arguments, "--out", tmp_path / "out")
    assert code == 0, errors
    shown = run("show", tmp_path / "out")[1]
    assert text.startswith(shown)
    assert run("rank", small_table, "--method", f"{own_module}:missing")[0] == 2
    code, _, errors = run("rank", small_table, "--method", f"{own_module}:number")
    assert code == 2
    assert "makes a int; expected a subclass of netchoice.selection.CostAwareSelector" in errors


@pytest.fixture
def own_module(tmp_path, monkeypatch):
    """Return the name of a module with a selector of a user."""
    (tmp_path / "own_selectors.py").write_text(
        "from netchoice.selection import MRMR\n\n"
        "class Own(MRMR):\n    '''As MRMR.'''\n\n"
        "number = 3\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    return "own_selectors"


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"method": "relieff", "penalty": 0.5, "charge": "alone", "seed": 3},
        {"penalty": 2.0, "costs": "paper:ba"},
        {"rows": 50, "seed": 2},
    ],
)
def test_rank_prints_what_rank_features_returns(ranked, small_table, options):
    arguments = [
        text
        for name, value in options.items()
        for text in (f"--{name.replace('_', '-')}", str(value))
    ]
    expected = netchoice.rank_features(small_table, **options).as_dict()
    assert ranked(*arguments) == json.loads(json.dumps({"table": str(small_table), **expected}))


@pytest.fixture
def patients(tmp_path):
    rng = np.random.default_rng(0)
    rows = ["diagnosis,glucose,sodium,scan"]
    for _ in range(200):
        ill = rng.integers(2)
        values = [*(ill + 0.1 * rng.normal(size=2)), rng.normal()]
        rows.append(f"{'ill' if ill else 'well'}," + ",".join(map(str, values)))
    (tmp_path / "patients.csv").write_text("\n".join(rows))
    (tmp_path / "costs.csv").write_text(
        "test,euro,uses\nglucose,2,blood\nsodium,1,blood\nblood,10\nscan,12.5\n"
    )
    return "rank", tmp_path / "patients.csv", "--label", "diagnosis"


def test_rank_reads_a_csv_file_with_costs(run, patients, tmp_path):
    code, out, _ = run(*patients, "--method", "relieff")
    assert code == 0
    assert "costs: none" in out
    assert "cumulative" not in out
    costs = ("--costs", tmp_path / "costs.csv", "--penalty", 1e6)
    alone = json.loads(run(*patients, *costs, "--charge", "alone", "--json")[1])["rankings"][0]
    assert alone["ranking"] == ["sodium", "glucose", "scan"]
    assert [line["cumulative_cost"] for line in alone["features"]] == [11, 23, 35.5]
    shared = json.loads(run(*patients, *costs, "--json")[1])["rankings"][0]
    assert [line["cumulative_cost"] for line in shared["features"]] == [11, 13, 25.5]


def test_rank_draws_rows_of_a_csv_file_at_random(run, tmp_path):
    rows = [f"{'ill' if i >= 150 else 'well'},{i},{i % 7}" for i in range(200)]  # sorted by label
    (tmp_path / "sorted.csv").write_text("\n".join(["label,a,b", *rows]))
    record = json.loads(run("rank", tmp_path / "sorted.csv", "--rows", 60, "--json")[1])[
        "rankings"
    ][0]
    assert record["rows"] == 60
    assert record["target"] == "2 classes"
    assert record["ranking"] == ["a", "b"]


def test_rank_warns_that_a_penalty_without_costs_has_no_effect(run, patients):
    code, _, errors = run(*patients, "--penalty", 1)
    assert code == 0
    assert errors == "netchoice: there are no costs, so the penalty changes nothing\n"


def test_infinite_score_is_none_in_json(patients, tmp_path):
    options = {"label": "diagnosis", "costs": {"glucose": 1, "sodium": 1e9, "scan": 0}}
    ranked = netchoice.rank_features(patients[1], "random", penalty=1e308, **options)
    assert ranked.as_dict()["features"][0]["score"] is None


@pytest.mark.parametrize(
    ("options", "expected", "message"),
    [
        (["--costs", "measured"], 2, "this table has no measured costs"),
        (["--costs", "paper"], 2, "expected paper:ba or paper:duplication"),
        (["--costs", "nowhere.csv"], 1, "nowhere.csv cannot be read"),
        (["--method", "jmy"], 2, "did you mean 'jmi'"),
        (["--charge", "twice"], 2, "`charge` must be 'alone' or 'shared'; got 'twice'"),
        (["--seed", 99999999999], 2, "--seed"),
    ],
)
def test_rank_refuses_a_wrong_option(run, patients, options, expected, message):
    code, _, errors = run(*patients, *options)
    assert code == expected, errors
    assert message in errors
    assert errors.count("\n") == 1


@pytest.mark.parametrize(
    ("content", "expected", "message"),
    [
        (None, 1, "table.csv does not exist"),
        ("diagnosis,a\nx,1\ny,2\n", 1, "no column 'label'"),
        ("a;b\n1;2\n", 1, "separated by semicolons"),
        ("label,a\n", 1, "has no rows"),
        ("label\nx\ny\n", 1, "no column besides 'label'"),
        (
            "label,a\n0.5,1\n0.5,2\n",
            1,
            "at least two different values in each column; got fewer in 'label'",
        ),
        ("label,a\nx,1\n,2\n", 1, "1 of 2 rows have no label"),
        ("label,a,b\nx,1,1\ny,2,inf\n", 1, "column 'b' has a value of ±inf"),
        ("label,a,b\nx,1,1\nx,2,3\n", 1, "one class only"),
        ("label,a,b\nx,1,1\ny,1,1\n", 1, "all 2 features of the table are constant"),
        (
            "label,seen,text,more\nx,2020-01-02,1,1\n,2021-01-02,a,a\n",
            1,
            "the table needs 3 changes: (1) 1 of 2 rows have no label, the first of them row 2; drop these "
            "rows; (2) column 'seen' holds dates or times: replace it by a number, such as the days since "
            "another date; (3) columns 'text', 'more': each holds numbers and text such as",
        ),
    ],
)
def test_rank_refuses_a_wrong_table(run, tmp_path, content, expected, message):
    if content is not None:
        (tmp_path / "table.csv").write_text(content)
    code, _, errors = run("rank", tmp_path / "table.csv")
    assert code == expected, errors
    assert message in errors
    assert errors.count("\n") == 1


# netchoice evaluate


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """Return the folders of two tables with labels that some features predict."""
    folder = tmp_path_factory.mktemp("tables")
    costs = netchoice.CostModel(
        {"a": 1.0, "b": 1.0, "c": 5.0, "d": 0.5, "noise_e": 0.5, "f": 0.0},
        {"a": ["step"], "b": ["step"]},
        {"step": 8.0},
    )
    for seed, name in ((1, "train"), (2, "test")):
        rng = np.random.default_rng(seed)
        y = rng.integers(0, 3, 400)
        frame = pd.DataFrame(rng.normal(size=(400, 6)), columns=list(costs.own))
        frame["a"] += 1.5 * (y == 0)
        frame["b"] += 1.5 * (y == 1)
        frame["c"] = frame["a"] + 0.3 * rng.normal(size=400)
        frame["label"] = np.array(["x", "y", "z"])[y]
        netchoice.ReferenceTable.from_frame(frame, costs=costs).save(folder / name)
    return folder / "train", folder / "test"


OPTIONS = ["--method", "jmi,relieff", "--penalty", "0,1,10", "--classifier", "knn"]


def test_evaluate_prints_and_writes_what_evaluate_features_returns(run, tables, tmp_path):
    out = tmp_path / "results"
    code, text, errors = run("evaluate", *tables, *OPTIONS, "--out", out)
    assert code == 0, errors
    assert text.startswith("recommended (at most 1.0% worse than the best set): ")
    assert "times cheaper than all features" in text
    assert re.search(
        r"accuracy on rows that were not used to choose: \d\d\.\d% \(95% interval", text
    )
    assert re.search(r"correct in each class: x \d\d\.\d%, y \d\d", text)
    assert "what more money buys (accuracy in all folds):\n   0  " in text
    assert text.endswith(f"report.html, tables and figures are in {out}\n")
    assert "evaluating: 6/6 rankings" in errors
    names = (
        "tables/evaluation.csv",
        "tables/rankings.csv",
        "figures/pareto.png",
        "figures/costs.png",
    )
    for name in (*names, "figures/ranking-jmi.png", "report.html"):
        assert (out / name).stat().st_size > 500
    shown = {"report.html", "recommended.json", "figures", "tables", "run"}
    assert {path.name for path in out.iterdir()} == shown

    resumed = ["--out", out, "--json"]
    record = json.loads(run("evaluate", *tables, *OPTIONS, *resumed)[1])
    kept = json.loads((out / "recommended.json").read_text())
    assert {**kept, "out": str(out)} == {**record, "netchoice": kept["netchoice"]}
    assert ", ".join(record["recommended"]["features"]) in text
    expected = netchoice.evaluate_features(
        *tables, methods=["jmi", "relieff"], penalties=[0, 1, 10], classifier="knn"
    )
    assert record == json.loads(json.dumps({**expected.as_dict(), "out": str(out)}))

    within = json.loads(run("evaluate", *tables, *OPTIONS, *resumed, "--budget", "60%")[1])
    assert within["recommended"]["rule"] == "budget"
    assert within["recommended"]["share"] <= 0.6

    code, _, errors = run("evaluate", *tables, *OPTIONS, *resumed, "--seed", 9)
    assert code == 1
    assert "scores.json belongs to another run" in errors


def test_evaluate_divides_a_single_table_into_folds(run, tables, tmp_path):
    code, out, errors = run("evaluate", tables[0], *OPTIONS, "--out", tmp_path, "--json")
    assert code == 0, errors
    assert json.loads(out)["settings"]["rows"] == [400]
    assert (tmp_path / "report.html").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "--out is missing; give it, for example --out results"),
        (["--penalty", "few", "--out", "x"], "--penalty few; expected numbers"),
        (["--method", "jm", "--out", "x"], "unknown method 'jm'"),
        (["--budget", "5eur", "--out", "x"], "`budget` must be a cost such as 20"),
    ],
)
def test_evaluate_refuses_a_wrong_option(run, tables, options, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, _, errors = run("evaluate", *tables, *options)
    assert code == 2
    assert message in errors
    assert not (tmp_path / "x").exists()
