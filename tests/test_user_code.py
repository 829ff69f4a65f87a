"""Models and features of users: what they may be called, what they print, what is drawn."""

import json
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest
from quick_answers import choose, grown

import netchoice
from netchoice.costs import CostError
from netchoice.errors import ModelError, TableError, UsageError

FEATURE = """
import netchoice
print("imported")

@netchoice.feature()
def loud(degrees):
    "The mean degree, with noise on standard output."
    print("a line from the feature")
    return float(degrees.mean())

@netchoice.model(p="uniform(0.1, 0.2)")
def chatty(n_nodes, rng, p):
    "Random edges."
    import networkx as nx
    print("a line from the model")
    return nx.fast_gnp_random_graph(n_nodes, p, seed=int(rng.integers(2**31)))
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "mine.py").write_text(FEATURE)
    (tmp_path / "net.tsv").write_text("a\tb\nb\tc\nc\td\n")
    return tmp_path


def run_in(folder, *arguments):
    command = [sys.executable, "-m", "netchoice", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    assert done.returncode == 0, done.stderr
    return done


def test_printing_feature_leaves_json_intact(folder):
    done = run_in(folder, "show", "net.tsv", "--features", "mine:loud", "--json")
    assert json.loads(done.stdout)
    assert "a line from the feature" in done.stderr
    assert "imported" in done.stderr


@pytest.mark.parametrize("engine", ["serial", "processes"])
def test_printing_model_leaves_standard_output_intact(folder, engine):
    done = run_in(
        folder, "simulate", "mine:chatty", "--nodes", 12, "--samples", 6, "--features", "mine:loud",
        "--engine", engine, "--workers", 1, "--out", "table",
    )  # fmt: skip
    assert done.stdout.startswith("table: 6 rows")
    assert "a line from" not in done.stdout
    assert "a line from the model" in done.stderr


def test_printing_in_python_goes_to_standard_error(capsys):
    @netchoice.feature()
    def loud(degrees):
        print("from the feature")
        return 1.0

    def grow(n_nodes, rng):
        print("from the model")
        return netchoice.Graph.from_edges([(0, 1)], n_nodes)

    graph = netchoice.Model("grow", grow).grow(5, {}, np.random.default_rng(1))
    netchoice.compute_features(graph, [loud])
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "from the feature" in captured.err
    assert "from the model" in captured.err


def test_threads_restore_standard_output(capsys):
    """Functions that overlap in time leave standard output as it was."""
    first, second = threading.Event(), threading.Event()

    def early(n_nodes, rng):
        first.set()
        second.wait(10)
        return netchoice.Graph.from_edges([(0, 1)], n_nodes)

    def late(n_nodes, rng):
        first.wait(10)
        second.set()
        time.sleep(0.05)  # ends after the other
        return netchoice.Graph.from_edges([(0, 1)], n_nodes)

    before, rng = sys.stdout, np.random.default_rng(1)
    with ThreadPoolExecutor(2) as pool:
        models = [netchoice.Model(f.__name__, f) for f in (early, late)]
        assert [g.n_edges for g in pool.map(lambda m: m.grow(5, {}, rng), models)] == [1, 1]
    assert sys.stdout is before


def test_spaces_take_names_of_models():
    mine = netchoice.Model("mine", lambda n_nodes, rng: None)
    space = netchoice.ModelSpace("x", [mine, "dmr", "dmr+lpa", "dmc~edges"])
    assert space.labels == ("mine", "dmr", "dmr+lpa", "dmc~edges")
    assert space["dmr"] == netchoice.get_model("dmr")
    with pytest.raises(UsageError, match="unknown model 'dmrr'; did you mean 'dmr'"):
        netchoice.ModelSpace("x", [mine, "dmrr"])


def test_parameters_are_drawn_from_the_priors_by_default():
    model = netchoice.get_model("dmr")
    drawn = model.grow(100, rng=np.random.default_rng(7))
    rng = np.random.default_rng(7)
    assert drawn == model.grow(100, model.sample(rng), rng)
    with pytest.raises(UsageError, match="`p_delete` of `dmr` is missing"):
        model.grow(100, {}, rng)


FRAME = pd.DataFrame({"label": ["a", "b"] * 20, "age": np.arange(40), "dose": 1.0, "bmi": 2.0})


def test_costs_of_unknown_columns_are_refused():
    costs = {"age": 1.0, "dose": 2.0, "bmi": 3.0, "bni": 4.0}
    message = "cost for 'bni', which is not a column of the table; did you mean 'bmi'"
    with pytest.raises(TableError, match=message):
        netchoice.ReferenceTable.from_frame(FRAME, costs=costs)
    table = netchoice.ReferenceTable.from_frame(FRAME)
    with pytest.raises(CostError, match=message):
        netchoice.rank_features(table, costs=costs)
    with pytest.raises(TableError, match="name 'quite different', which the table does not have"):
        netchoice.ReferenceTable.from_frame(FRAME, costs={"quite different": 1})


def test_costs_of_constant_columns_are_known():
    """Ranking leaves out constant columns; their costs are still those of the table."""
    table = netchoice.ReferenceTable.from_frame(FRAME)
    ranking = netchoice.rank_features(table, costs={"age": 1.0, "dose": 2.0, "bmi": 3.0})
    assert ranking.ranking == ["age"]
    assert ranking.constant == ["dose", "bmi"]


def test_missing_cost_suggests_a_name():
    costs = netchoice.CostModel({"glucos": 1.0})
    with pytest.raises(CostError, match="feature 'glucose' has no cost; did you mean 'glucos'"):
        costs.cost("glucose")


def test_other_features_of_a_resumed_folder_are_named(tmp_path):
    options = {"n_nodes": 20, "n_samples": 6, "seed": 1, "engine": "serial", "out": tmp_path / "t"}
    netchoice.simulate_table("ba", features=["degree_mean", "transitivity"], **options)
    with pytest.raises(
        UsageError, match="unknown feature 'transitivty'; did you mean 'transitivity'"
    ):
        netchoice.simulate_table("ba", features=["degree_mean", "transitivty"], **options)
    with pytest.raises(TableError, match="differ in features: transitivity and degree_std; their"):
        netchoice.simulate_table("ba", features=["degree_mean", "degree_std"], **options)


def test_other_settings_of_a_resumed_run_are_named(tmp_path):
    network, options = grown("ba2", 20), {"out": tmp_path / "run"}
    choose(network, features=["degree_mean"], **options)
    message = r"another features; give another folder.* The run has degree_mean; got degree_max"
    with pytest.raises(UsageError, match=message):
        choose(network, features=["degree_max"], **options)


class _SpeechlessError(Exception):
    def __str__(self):
        raise RuntimeError("no message")


def test_errors_whose_message_fails_are_reported():
    def fails(*_arguments):
        raise _SpeechlessError

    says = "_SpeechlessError: its message cannot be shown"
    with pytest.raises(ModelError, match=says):
        netchoice.Model("mine", fails, {}).grow(10, rng=np.random.default_rng(1))
    feature = netchoice.feature()(lambda degrees: fails())
    found = netchoice.compute_features(
        netchoice.get_model("ba1").grow(10, rng=np.random.default_rng(1)), [feature]
    )
    assert says in next(iter(found.failures.values()))
