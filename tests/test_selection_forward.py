"""Forward regression against a reference implementation with scikit-learn's linear regression."""

import numpy as np
import pytest
from scipy.stats import norm, rankdata
from sklearn.datasets import load_diabetes, load_wine
from sklearn.linear_model import LinearRegression

from netchoice.selection import ForwardRegression


def information(X, columns, outcome):
    """Return −½ log(1 − R²) of a regression on rank scores and their squares, averaged over outcomes."""
    scores = norm.ppf((rankdata(X[:, columns], axis=0) - 0.5) / len(X))
    terms = np.column_stack([scores, scores**2])
    outcome = (outcome - outcome.mean(axis=0)) / outcome.std(axis=0)
    residuals = outcome - LinearRegression().fit(terms, outcome).predict(terms)
    return -0.5 * np.log((residuals**2).mean(axis=0)).mean()


def naive_ranking(X, outcome, costs, penalty):
    """Return the forward selection by information − penalty × cost."""
    ranking = []
    while len(ranking) < X.shape[1]:
        rest = [k for k in range(X.shape[1]) if k not in ranking]
        score = {k: information(X, [*ranking, k], outcome) - penalty * costs[k] for k in rest}
        ranking.append(max(rest, key=lambda k: score[k]))
    return ranking


@pytest.mark.parametrize("penalty", [0.0, 0.3])
def test_ranking_equals_the_reference_implementation(penalty):
    X, y = load_diabetes(return_X_y=True)
    several = np.c_[y, X[:, 3] + np.random.default_rng(0).normal(0, 0.05, len(X))]
    costs = np.arange(1.0, 11.0) / 55
    for outcome in (y[:, None], several):
        fitted = ForwardRegression(costs=costs, penalty=penalty).fit(X, outcome)
        assert list(fitted.ranking_) == naive_ranking(X, outcome, costs, penalty)


def test_gains_add_up_to_the_information_of_all_columns():
    X, y = load_diabetes(return_X_y=True)
    steps = ForwardRegression().fit(X, y).steps_
    gains = steps["relevance"] - steps["redundancy"]
    np.testing.assert_allclose(steps["score"], gains, atol=1e-12)
    assert gains.sum() == pytest.approx(information(X, list(range(10)), y[:, None]), abs=1e-4)


def test_classes_are_predicted_through_their_indicators():
    X, y = load_wine(return_X_y=True)
    indicators = np.equal.outer(y, [0, 1, 2]).astype(float)
    fitted = ForwardRegression().fit(X, y)
    assert fitted.target_ == "classes"
    assert list(fitted.ranking_[:5]) == naive_ranking(X[:, :13], indicators, np.zeros(13), 0)[:5]


def test_repeated_and_constant_columns_add_nothing():
    X, y = load_diabetes(return_X_y=True)
    X = np.c_[X[:, [2, 8]], X[:, 2], np.ones(len(X))]
    steps = ForwardRegression().fit(X, y).steps_
    assert list(steps["feature"][:2]) in (["x1", "x0"], ["x1", "x2"], ["x0", "x1"], ["x2", "x1"])
    np.testing.assert_allclose(steps["score"][2:], 0, atol=1e-9)


def test_categories_and_missing_values_are_indicators_in_the_regression():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    rng = np.random.default_rng(0)
    X, town = X[["age", "bmi"]].copy(), rng.integers(0, 4, len(X))
    y = y + 40 * town
    X["town"] = np.array(["Ulm", "Bonn", "Trier", "Kiel"])[town]
    X.loc[rng.random(len(X)) < 0.3, "bmi"] = np.nan
    missing = X["bmi"].isna().to_numpy()
    scores = np.zeros(len(X))
    known = X["bmi"].dropna()
    scores[~missing] = norm.ppf((rankdata(known) - 0.5) / len(known))
    terms = {
        "town": np.equal.outer(town, range(4)),
        "bmi": np.column_stack([scores, scores**2, missing]),
    }
    steps = ForwardRegression().fit(X, y).steps_
    assert list(steps["feature"]) == ["town", "bmi", "age"]
    both = np.column_stack([terms["town"], terms["bmi"]])
    for n, design in ((1, terms["town"]), (2, both)):
        outcome = ((y - y.mean()) / y.std()).to_numpy()
        residuals = outcome - LinearRegression().fit(design, outcome).predict(design)
        expected = -0.5 * np.log((residuals**2).mean())
        assert steps["score"][:n].sum() == pytest.approx(expected, abs=0.01)
