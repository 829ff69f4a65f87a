"""Tables that predict numbers: targets, files, commands, evaluation, and features for parameters."""

import json
from itertools import product

import numpy as np
import pandas as pd
import pytest
from netchoice.workflows import SimulationPlan
from netchoice.workflows.feature_selection import (
    FeatureSelection,
    SelectionOptions,
    cheapest_pair,
    parameter_quantiles,
    select_features,
)
from sklearn.datasets import load_diabetes
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import cross_val_predict

import netchoice
from netchoice.errors import UsageError
from netchoice.evaluation import operating_point
from netchoice.evaluation.scorers import RegressionScorer
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
    quantiles = parameter_quantiles(simulated)
    assert list(quantiles) == ["dmc.p_connect", "dmc.p_delete", "dmr.p_delete", "dmr.p_new"]
    known = quantiles["dmr.p_new"].dropna()
    assert known.index.equals(simulated.y[simulated.y == "dmr"].index)
    assert known.rank().equals(simulated.parameters["p_new"].dropna().rank())
    assert 0 < known.min() < known.max() < 1


# Evaluation


def test_evaluation_of_numbers_is_that_of_scikit_learn(diabetes):
    table = netchoice.ReferenceTable.from_frame(diabetes, "progression")
    rankings = rank_path(ForwardRegression(), table.X, table.target, [0])
    found = netchoice.evaluate_rankings(
        rankings, table, ks=[3], classifier=LinearRegression(), folds=5
    ).iloc[0]
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


def test_regression_scorer_equals_least_squares_on_scores():
    """The columns have no ties, and the test rows lie inside the training rows."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    Y = np.column_stack([X[:, 0] + 0.3 * rng.normal(size=400), X[:, 1] ** 2])
    target = as_target(Y)
    folds = make_folds(target, 4, 0)
    score, _ = RegressionScorer(X, target, folds)(0, [0, 1], [False, True])[0]
    train, test = folds[0]
    from netchoice.inference.scaling import Scaling

    scores = Scaling.fit(X[train]).transform(X)[:, :2].clip(-4, 4)
    terms = np.column_stack([scores, scores**2])
    predicted = LinearRegression().fit(terms[train], Y[train]).predict(terms[test])
    errors = ((predicted - Y[test]) ** 2).mean(axis=0) / Y.var(axis=0)
    assert score / len(test) == pytest.approx(1 - np.sqrt(errors.prod()), abs=1e-4)


def test_operating_point_of_numbers_uses_the_standard_error():
    evaluation = pd.DataFrame(
        {
            "method": "jmi", "penalty": 0.0, "k": [1, 2, 3], "measure": "R²",
            "features": [("a",), ("a", "b"), ("a", "b", "c")], "accuracy": [0.7, 0.88, 0.9],
            "accuracy_se": 0.01, "accuracy_reporting": [0.7, 0.87, 0.9],
            "accuracy_reporting_se": 0.01, "n_choosing": 50, "n_reporting": 50,
            "cost_shared": [1.0, 2.0, 9.0], "share_shared": 0.1, "speedup": 1.0,
        }
    )  # fmt: skip
    strict = operating_point(evaluation, choose_on="all")
    assert strict.features == ("a", "b", "c")
    wide = operating_point(evaluation.assign(accuracy_se=0.03), choose_on="all")
    assert (wide.features, wide.measure) == (("a", "b"), "R²")
    assert wide.interval == pytest.approx((0.850, 0.890), abs=0.001)
    tolerant = operating_point(evaluation, choose_on="all", error_factor=1.1)
    assert tolerant.features == ("a", "b")  # (1 − 0.88) < 1.1² (1 − 0.9)


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
        "--penalty", "0", "--max-features", 4, "--out", tmp_path / "results",
    )  # fmt: skip
    assert code == 0, errors
    assert "target: numbers (progression)" in out
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


# Features for the parameters in choose


def test_cheapest_pair_equals_brute_force():
    rng = np.random.default_rng(0)
    names = list("abcdefg")
    uses = {name: ["step"] for name in "abc"}
    for _ in range(20):
        costs = netchoice.CostModel(
            dict(zip(names, rng.uniform(1, 9, 7), strict=True)), uses, {"step": 5.0}
        )
        one, other = (
            [tuple(sorted(rng.choice(names, rng.integers(1, 4), replace=False))) for _ in range(6)]
            for _ in range(2)
        )
        found = cheapest_pair(costs, one, other)
        cost = {
            pair: costs.cost_of_set({*pair[0], *pair[1]}, "shared") for pair in product(one, other)
        }
        assert cost[found] <= 1.25 * min(cost.values())
        nearly = [p for p in cost if cost[p] <= 1.25 * min(cost.values())]
        fewest = min(len({*p[0], *p[1]}) for p in nearly)
        assert len({*found[0], *found[1]}) == fewest
    assert cheapest_pair(costs, one, other, budget=0.1) is None


def test_features_are_selected_for_each_purpose(simulated, tmp_path):
    offered = FeatureSelection((), simulated.costs, simulated)
    options = SelectionOptions(("jmi",), n_jobs=1)
    plan = SimulationPlan()
    both = select_features(offered, plan, options, folder=tmp_path)
    assert {*both.features} == {*both.for_model, *both.for_parameters}
    assert both.for_model
    assert both.for_parameters
    assert (tmp_path / "parameter-scores.jsonl").exists()
    scores = both.as_dict()["parameter_score"]
    assert (1 - scores["selected"]) <= 1.3 * (1 - scores["best"])
    again = select_features(offered, plan, options, folder=tmp_path)
    assert again.features == both.features
    model = select_features(offered, plan, options, purpose="model")
    assert model.for_parameters == ()
    assert model.as_dict()["parameter_score"] is None
    parameters = select_features(offered, plan, options, purpose="parameters")
    assert parameters.features == parameters.for_model == parameters.for_parameters


def test_spaces_without_parameters_select_for_the_model():
    table = netchoice.simulate_table(
        "ba", n_nodes=30, n_samples=120, seed=1, features=["degree_mean", "transitivity"],
        engine="serial",
    )  # fmt: skip
    offered = FeatureSelection((), table.costs, table)
    options = SelectionOptions(("jmi",), n_jobs=1)
    assert select_features(offered, SimulationPlan(), options).for_parameters == ()
    with pytest.raises(UsageError, match="no model of the space has parameters"):
        select_features(offered, SimulationPlan(), options, purpose="parameters")
