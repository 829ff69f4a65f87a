"""Tables that predict numbers: targets, files, evaluation and commands."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import cross_val_predict

import netchoice
from netchoice.evaluation import evaluate_rankings
from netchoice.evaluation.scores import make_folds
from netchoice.selection import ForwardRegression, rank_path
from netchoice.targets import Classes, Numbers, as_target


@pytest.fixture(scope="module")
def diabetes():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    return X.assign(progression=y)


@pytest.fixture(scope="module")
def simulated():
    features = ["degree_mean", "transitivity", "n_components", "degree_std", "n_triangles"]
    return netchoice.simulate_table(
        "duplication", n_nodes=60, n_samples=600, seed=1, features=features, engine="serial"
    )


# Targets


@pytest.mark.parametrize(
    ("y", "kind"),
    [
        (["a", "b", "a"], Classes),
        ([True, False, True], Classes),
        (np.arange(100) % 20, Classes),
        (np.arange(100) % 21, Numbers),
        (np.arange(100.0) % 20, Classes),
        ([0.5, 1.0, 2.0], Numbers),
        (np.ones((3, 2)), Numbers),
        (pd.DataFrame({"y": [0.5, 1.5]}), Numbers),
        (pd.Series(["x", "y"], dtype="category"), Classes),
    ],
)
def test_kind_of_a_target_follows_its_content(y, kind):
    assert isinstance(as_target(y), kind)


def test_kind_of_a_target_can_be_given():
    assert as_target([1, 2, 3], "numbers").values.tolist() == [[1.0], [2.0], [3.0]]
    assert as_target([0.5, 1.5], "classes").labels.tolist() == [0.5, 1.5]
    target = as_target([[1.0, 2.0], [np.nan, 3.0], [4.0, 5.0]])
    assert as_target(target) is target
    parts = {part.names: (rows.tolist(), weight) for rows, part, weight in target.parts()}
    assert parts == {("y0",): ([0, 2], 0.5), ("y1",): ([0, 1, 2], 0.5)}


# Tables


def test_table_of_numbers_keeps_its_target_on_disk(diabetes, tmp_path):
    table = netchoice.ReferenceTable.from_frame(diabetes, "progression")
    assert repr(table) == "<ReferenceTable: 442 rows (target progression), 10 features>"
    table.save(tmp_path / "t")
    loaded = netchoice.ReferenceTable.load(tmp_path / "t")
    np.testing.assert_array_equal(loaded.target.values, diabetes[["progression"]])
    halves = loaded.split(seed=1)
    assert [len(half) for half in halves] == [221, 221]
    assert all(half.target.names == ("progression",) for half in halves)


def test_several_columns_can_be_predicted(diabetes):
    table = netchoice.ReferenceTable.from_frame(diabetes, ["progression", "bmi"])
    assert table.target.names == ("progression", "bmi")
    assert len(table.features) == 9


def test_parameters_can_be_the_target(simulated):
    table = simulated.with_target(simulated.parameters[["p_new"]])
    assert len(table) == (simulated.y == "dmr").sum()
    assert set(table.y) == {"dmr"}


# Evaluation


def test_evaluation_of_numbers_is_that_of_scikit_learn(diabetes):
    table = netchoice.ReferenceTable.from_frame(diabetes, "progression")
    rankings = rank_path(ForwardRegression(), table.X, table.target, [0])
    regression = {"classifier": LinearRegression(), "folds": 5}
    found = evaluate_rankings(rankings, table, ks=[3], **regression).iloc[0]
    y = diabetes["progression"].to_numpy()
    folds = make_folds(table.target, 5, 0)
    predicted = cross_val_predict(
        LinearRegression(), diabetes[list(found["features"])], y, cv=folds
    )
    by_fold = [1 - np.mean((predicted[t] - y[t]) ** 2) / y.var() for _, t in folds]
    assert found["measure"] == "R²"
    assert found["accuracy"] == pytest.approx(np.mean(by_fold))
    assert found["accuracy_se"] == pytest.approx(np.std(by_fold, ddof=1) / np.sqrt(5))
    assert np.isnan(found["log_loss"])


# Commands


def test_rank_and_evaluate_a_column_of_numbers(run, diabetes, tmp_path):
    file = tmp_path / "diabetes.csv"
    diabetes.to_csv(file, index=False)
    code, out, errors = run(
        "rank", file, "--label", "progression", "--method", "forward-regression"
    )
    assert code == 0, errors
    assert "442 rows, numbers (progression); 10 features ranked by forward-regression" in out
    code, out, errors = run("rank", file, "--label", "progression,bmi", "--json")
    assert json.loads(out)["rankings"][0]["target"] == "numbers (progression, bmi)"
    code, out, errors = run("rank", file, "--label", "progression", "--target", "classes", "--json")
    assert json.loads(out)["rankings"][0]["target"] == "214 classes"
    code, out, errors = run(
        "evaluate", file, "--label", "progression", "--method", "forward-regression,random",
        "--penalty", "0", "--out", tmp_path / "results",
    )  # fmt: skip
    assert code == 0, errors
    assert "442 rows, numbers (progression); 2 x 5 folds" in out
    assert "R² on rows that were not used to choose: 0." in out
    assert "standard deviations of the target" in out
    report = (tmp_path / "results" / "report.html").read_text()
    assert "R² against cost" in report
    record = json.loads((tmp_path / "results" / "recommended.json").read_text())
    assert record["recommended"]["measure"] == "R²"


def test_rank_the_features_for_a_parameter(run, simulated, tmp_path):
    simulated.save(tmp_path / "t")
    code, out, errors = run("rank", tmp_path / "t", "--label", "p_new,p_delete", "--json")
    assert json.loads(out)["rankings"][0]["target"] == "numbers (p_new, p_delete)"
    code, out, errors = run("rank", tmp_path / "t", "--label", "p_newer")
    assert code != 0
    assert (
        "has no parameter 'p_newer'; expected label, for the model, or parameters among" in errors
    )
