"""Probabilities of models by smooth regression, against closed forms."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal, norm

from netchoice.errors import UsageError
from netchoice.inference.smooth_regression import (
    N_PARTS,
    RESOLUTION,
    SmoothRegression,
    probabilities_of,
)

NORMALS = {"left": (-1.0, 1.0), "right": (1.0, 1.0), "wide": (0.0, 3.0)}


def table(n, seed, counts=None):
    rng = np.random.default_rng(seed)
    y = np.repeat(list(NORMALS), n if counts is None else counts)
    return np.array([rng.normal(*NORMALS[label]) for label in y])[:, None], y


def exact(x, weights=(1, 1, 1)):
    densities = [w * norm.pdf(x, *NORMALS[m]) for m, w in zip(NORMALS, weights, strict=True)]
    return np.array(densities) / np.sum(densities)


@pytest.mark.parametrize("x", [-2.5, -1.0, 0.0, 0.7, 2.0])
def test_three_normals(x):
    X, y = table(4000, 1)
    assert SmoothRegression.fit(X, y).predict_proba([[x]])[0] == pytest.approx(exact(x), abs=0.06)


def test_log_odds_that_are_not_quadratic():
    rng = np.random.default_rng(7)
    X = rng.normal(size=(6000, 1))
    y = np.where(rng.random(len(X)) < 1 / (1 + np.exp(-2 * np.sin(1.3 * X[:, 0]))), "b", "a")
    weights = {"a": np.mean(y == "a"), "b": np.mean(y == "b")}
    x = np.array([-2.0, -1.0, 0.0, 0.5, 1.2, 2.0])
    found = SmoothRegression.fit(X, y, weights).predict_proba(x[:, None])[:, 1]
    assert found == pytest.approx(1 / (1 + np.exp(-2 * np.sin(1.3 * x))), abs=0.06)


def test_product_of_two_features():
    rng = np.random.default_rng(8)
    X = rng.normal(size=(6000, 2))
    p = 1 / (1 + np.exp(-3 * np.tanh(X[:, 0] * X[:, 1])))
    y = np.where(rng.random(len(X)) < p, "same", "other")
    query = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, -1.0], [0.0, 1.0]])
    counts = np.mean(y == "same")
    weights = {"same": counts, "other": 1 - counts}
    found = SmoothRegression.fit(X, y, weights).predict_proba(query)[:, 1]
    expected = 1 / (1 + np.exp(-3 * np.tanh(query[:, 0] * query[:, 1])))
    assert found == pytest.approx(expected, abs=0.08)


def test_numbers_of_simulations_are_not_prior_weights():
    X, y = table(0, 2, counts=[6000, 1500, 3000])
    found = SmoothRegression.fit(X, y).predict_proba([[0.3]])[0]
    assert found == pytest.approx(exact(0.3), abs=0.05)


def test_weights_multiply_the_odds():
    X, y = table(1000, 3)
    weights = {"left": 1.0, "right": 5.0, "wide": 0.0}
    plain = SmoothRegression.fit(X, y)
    weighted = SmoothRegression.fit(X, y, weights)
    for first, second in (
        (plain.predict_proba([[0.2]]), weighted.predict_proba([[0.2]])),
        (plain.held_out, weighted.held_out),
    ):
        odds = first * list(weights.values())
        assert second == pytest.approx(odds / odds.sum(axis=1, keepdims=True))
    with pytest.raises(UsageError, match="no prior weight of wide"):
        SmoothRegression.fit(X, y, {"left": 1, "right": 1})


def test_correlations_between_features_are_used():
    rng = np.random.default_rng(4)
    close = multivariate_normal([0, 0], [[1, 0.95], [0.95, 1]])
    first, second = (close.rvs(3000, random_state=rng) for _ in range(2))
    X = np.concatenate([first, second + np.array([0.4, -0.4])])
    y = np.repeat(["a", "b"], 3000)
    query = [[0.2, -0.2], [0.0, 0.0], [0.4, -0.4]]
    found = SmoothRegression.fit(X, y).predict_proba(query)[:, 0]
    assert found == pytest.approx([0.5, 0.96, 0.04], abs=0.05)


def test_held_out_accuracy_is_that_of_new_simulations_and_of_the_best_rule():
    X, y = table(1500, 6)
    fitted = SmoothRegression.fit(X, y)
    predicted = np.array(fitted.models)[fitted.held_out.argmax(axis=1)]
    best = np.mean(np.array(list(NORMALS))[exact(X[:, 0]).argmax(axis=0)] == y)
    assert np.mean(predicted == y) == pytest.approx(best, abs=0.015)
    fresh, labels = table(1500, 7)
    scores = [
        -np.mean(np.log(p[np.arange(len(p)), np.searchsorted(fitted.models, truth)]))
        for p, truth in ((fitted.held_out, y), (fitted.predict_proba(fresh), labels))
    ]
    assert scores[0] == pytest.approx(scores[1], abs=0.03)


def test_held_out_knows_nothing_where_there_is_nothing_to_know():
    rng = np.random.default_rng(9)
    X, y = rng.normal(size=(200, 30)), np.tile(["a", "b"], 100)
    predicted = SmoothRegression.fit(X, y).held_out.argmax(axis=1)
    assert np.mean(predicted == (y == "b")) == pytest.approx(0.5, abs=0.11)  # three deviations


@pytest.mark.slow
def test_intervals_of_two_tables_meet_and_narrow():
    widths = {}
    for n in (300, 3000):
        meet, total = 0, []
        for seed in range(12):
            first, second = (
                probabilities_of(*table(n, 100 * seed + k), [0.9]).intervals for k in (1, 2)
            )
            meet += all(
                first[m][0] <= second[m][1] and second[m][0] <= first[m][1] for m in NORMALS
            )
            total += [high - low for low, high in first.values()]
        assert meet >= 11
        widths[n] = np.median(total)
    assert widths[3000] < 0.5 * widths[300]


@pytest.mark.slow
def test_interval_covers_the_closed_form():
    covered = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        y = np.repeat(["a", "b"], 2000)
        X = rng.normal(np.where(y == "a", 0.0, 1.0))[:, None]
        low, high = probabilities_of(X, y, [0.6]).intervals["b"]
        covered.append(low - 0.01 <= norm.pdf(0.4) / (norm.pdf(0.4) + norm.pdf(0.6)) <= high + 0.01)
    assert sum(covered) >= 17


def test_intervals_do_not_distinguish_tiny_probabilities():
    X, y = table(500, 10)
    X[y == "right"] += 100
    low, high = probabilities_of(X, y, [0.0]).intervals["right"]
    assert low <= RESOLUTION <= high


def test_order_of_the_rows_and_scale_of_the_features_hardly_matter():
    X, y = table(800, 5)
    found = probabilities_of(np.exp(X), y, [np.exp(0.4)])
    order = np.lexsort((np.arange(len(y)), -np.unique(y, return_inverse=True)[1]))
    other = probabilities_of(X[order], y[order], [0.4])
    for model, p in found.probabilities.items():
        assert other.probabilities[model] == pytest.approx(p, abs=0.02)


def test_many_observations_at_once_are_the_same_as_one_by_one_and_again():
    X, y = table(200, 11)
    fitted, again = SmoothRegression.fit(X, y), SmoothRegression.fit(X, y)
    found, low, high = fitted.predict(X[:40])
    assert np.array_equal(found, again.predict(X[:40])[0])
    one = fitted.probabilities_of(X[17])
    assert list(one.probabilities.values()) == pytest.approx(found[17])
    assert [end for ends in one.intervals.values() for end in ends] == pytest.approx(
        np.column_stack([low[17], high[17]]).ravel()
    )
    assert fitted.predict_proba(X[:40]) == pytest.approx(found)


def test_constant_and_identical_columns_change_little():
    X, y = table(1000, 12)
    twice = np.column_stack([X, np.full(len(X), 3.0), X])
    expected = SmoothRegression.fit(X, y).predict_proba([[0.4]])[0]
    fitted = SmoothRegression.fit(twice, y)
    assert fitted.predict_proba([[0.4, 3.0, 0.4]])[0] == pytest.approx(expected, abs=0.05)
    assert np.isfinite(fitted.predict([[0.4, 5.0, 0.4]])).all()
    nothing = SmoothRegression.fit(np.ones((60, 2)), np.repeat(["a", "b", "c"], 20))
    assert nothing.predict_proba([[1.0, 1.0]])[0] == pytest.approx([1 / 3] * 3, abs=1e-3)


def test_fewer_rows_than_features_and_observations_far_outside():
    rng = np.random.default_rng(13)
    X, y = rng.normal(size=(20, 45)), np.repeat(["a", "b"], 10)
    fitted = SmoothRegression.fit(X, y)
    found, low, high = fitted.predict(np.full((1, 45), 1e300))
    assert np.isfinite(found).all()
    assert (low <= found + 1e-12).all()
    assert (found <= high + 1e-12).all()


def test_a_model_with_few_simulations_is_a_clear_error():
    X, y = np.zeros((N_PARTS * 2 - 1, 2)), ["a"] * N_PARTS + ["b"] * (N_PARTS - 1)
    with pytest.raises(UsageError, match="4 simulations of 'b'; expected at least 5"):
        SmoothRegression.fit(X, y)
    with pytest.raises(UsageError, match="9 rows of features and 2 models"):
        SmoothRegression.fit(X, ["a", "b"])


def test_one_model_has_probability_one():
    assert probabilities_of(np.zeros((5, 2)), ["a"] * 5, [0, 0]).probabilities == {"a": 1.0}
    with pytest.raises(UsageError, match="expected at least two models"):
        SmoothRegression.fit(np.zeros((5, 2)), ["a"] * 5)
