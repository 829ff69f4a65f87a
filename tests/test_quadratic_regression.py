"""Probabilities of models by quadratic regression, against closed forms."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal, norm

from netchoice.errors import UsageError
from netchoice.inference.quadratic_regression import QuadraticRegression, probabilities_of

NORMALS = {"left": (-1.0, 1.0), "right": (1.0, 1.0), "wide": (0.0, 3.0)}


def table(n, seed, counts=None):
    rng = np.random.default_rng(seed)
    y = np.repeat(list(NORMALS), n if counts is None else counts)
    return np.array([rng.normal(*NORMALS[label]) for label in y])[:, None], y


def exact(x, weights=(1, 1, 1)):
    densities = [w * norm.pdf(x, *NORMALS[m]) for m, w in zip(NORMALS, weights, strict=True)]
    return (
        densities[0] / sum(densities),
        densities[1] / sum(densities),
        densities[2] / sum(densities),
    )


@pytest.mark.parametrize("x", [-2.5, -1.0, 0.0, 0.7, 2.0])
def test_three_normals(x):
    X, y = table(4000, 1)
    assert QuadraticRegression.fit(X, y).predict_proba([[x]])[0] == pytest.approx(
        exact(x), abs=0.06
    )


def test_numbers_of_simulations_are_not_prior_weights():
    X, y = table(0, 2, counts=[6000, 1500, 3000])
    assert QuadraticRegression.fit(X, y).predict_proba([[0.3]])[0] == pytest.approx(
        exact(0.3), abs=0.05
    )


def test_weights_multiply_the_odds():
    X, y = table(1000, 3)
    weights = {"left": 1.0, "right": 5.0, "wide": 0.5}
    plain = QuadraticRegression.fit(X, y).predict_proba([[0.2]])[0]
    weighted = QuadraticRegression.fit(X, y, weights).predict_proba([[0.2]])[0]
    odds = plain * list(weights.values())
    assert weighted == pytest.approx(odds / odds.sum())


def test_correlations_between_features_are_used():
    rng = np.random.default_rng(4)
    close = multivariate_normal([0, 0], [[1, 0.95], [0.95, 1]])
    first, second = (close.rvs(3000, random_state=rng) for _ in range(2))
    X = np.concatenate([first, second + np.array([0.4, -0.4])])
    y = np.repeat(["a", "b"], 3000)
    query = [[0.2, -0.2], [0.0, 0.0], [0.4, -0.4]]
    found = QuadraticRegression.fit(X, y).predict_proba(query)[:, 0]
    assert found == pytest.approx([0.5, 0.96, 0.04], abs=0.05)


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


def test_interval_covers_the_closed_form_where_the_form_is_quadratic():
    covered = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        y = np.repeat(["a", "b"], 2000)
        X = rng.normal(np.where(y == "a", 0.0, 1.0))[:, None]
        low, high = probabilities_of(X, y, [0.6]).intervals["b"]
        covered.append(low - 0.01 <= norm.pdf(0.4) / (norm.pdf(0.4) + norm.pdf(0.6)) <= high + 0.01)
    assert sum(covered) >= 17


def test_order_of_the_models_and_scale_of_the_features_do_not_matter():
    X, y = table(800, 5)
    found = probabilities_of(np.exp(X), y, [np.exp(0.4)])
    order = np.lexsort((np.arange(len(y)), -np.unique(y, return_inverse=True)[1]))
    other = probabilities_of(X[order], y[order], [0.4])
    for model, p in found.probabilities.items():
        assert other.probabilities[model] == pytest.approx(p, abs=0.02)


def test_one_model_has_probability_one():
    assert probabilities_of(np.zeros((5, 2)), ["a"] * 5, [0, 0]).probabilities == {"a": 1.0}
    with pytest.raises(UsageError, match="expected at least two models"):
        QuadraticRegression.fit(np.zeros((5, 2)), ["a"] * 5)
