"""Local multinomial regression: its kernels against reference implementations and closed forms."""

from itertools import combinations

import naive_inference as naive
import numpy as np
import pytest
from scipy.special import softmax
from sklearn.linear_model import LogisticRegression

from netchoice._kernels.compiler import _registry
from netchoice._kernels.local_regression import (
    epanechnikov,
    regress_locally,
    use_local_unit,
    value_at_rank,
)
from netchoice._kernels.multinomial_regression import fit_multinomial
from netchoice.inference.local_regression import default_neighbors, predict_locally


def labelled_rows(n, q, n_classes, seed, slope=1.0):
    """Return features, classes and weights; the log-odds are linear."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, q))
    y = slope * X @ rng.normal(size=(q, n_classes)) + rng.gumbel(size=(n, n_classes))
    return X, y.argmax(axis=1), rng.uniform(0.1, 2, n)


@pytest.mark.kernels
@pytest.mark.parametrize(
    ("n", "q", "n_classes", "slope"),
    [(1, 1, 2, 1.0), (15, 1, 2, 1.0), (16, 2, 3, 1.0), (33, 0, 4, 1.0), (60, 5, 4, 50.0), (90, 3, 6, 1.0)],
)  # fmt: skip
def test_multinomial_regression_equals_the_reference_implementation(n, q, n_classes, slope):
    X, y, weights = labelled_rows(n, q, n_classes, n, slope)
    X[:, 1:] += 30  # needs step halving
    weights[::7] = 0
    ours = fit_multinomial(X, y, weights, n_classes, 0.3)
    theirs = naive.multinomial_regression(X, np.eye(n_classes)[y], weights, 0.3)
    assert ours[0] == pytest.approx(theirs[0], abs=1e-8, rel=1e-8)
    # In the reference implementation, a common shift of all intercepts has the variance 1e6.
    assert ours[1] == pytest.approx(theirs[1], abs=1e-8, rel=1e-8)


@pytest.mark.kernels
def test_multinomial_regression_equals_scikit_learn():
    X, y, weights = labelled_rows(200, 3, 4, 12)
    theirs = LogisticRegression(C=1 / 0.7, tol=1e-10, max_iter=2000).fit(X, y, weights)
    coefficients, covariance = fit_multinomial(X, y, weights, 4, 0.7)
    probabilities = softmax(coefficients[0] + X @ coefficients[1:], axis=1)
    assert probabilities == pytest.approx(theirs.predict_proba(X), abs=1e-5)
    assert np.linalg.eigvalsh(covariance[:3, :3]).min() > 0


@pytest.mark.kernels
def test_order_of_classes_does_not_matter():
    X, y, weights = labelled_rows(100, 3, 3, 40)
    coefficients, _ = fit_multinomial(X, y, weights, 3, 5.0)
    turned, _ = fit_multinomial(X, (y + 1) % 3, weights, 3, 5.0)
    assert softmax(X @ turned[1:], axis=1)[:, [1, 2, 0]] == pytest.approx(
        softmax(X @ coefficients[1:], axis=1), abs=1e-9
    )


@pytest.mark.kernels
def test_deviation_of_log_odds_of_one_share():
    """Without features, the log-odds of a share p of n have the deviation √(1/(n·p·(1 − p)))."""
    y = np.repeat([0, 1], [30, 70])
    coefficients, covariance = fit_multinomial(np.empty((100, 0)), y, np.ones(100), 2, 1.0)
    assert softmax(coefficients[0]) == pytest.approx([0.3, 0.7], abs=1e-6)
    variance = covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1]
    assert np.sqrt(variance) == pytest.approx((100 * 0.21) ** -0.5, rel=1e-4)


@pytest.mark.kernels
@pytest.mark.parametrize("absent", [(1,), (1, 3), (0, 3, 5), (0, 1, 2, 3)])
def test_classes_with_near_rows_are_fitted_without_the_others(absent):
    """The reference implementation fits the classes that are near the query."""
    X, y, _ = labelled_rows(120, 3, 6, 44)
    y = np.where(np.isin(y, absent), max({*range(6)} - {*absent}), y)
    query = X[:20].mean(axis=0)
    scores, covariance, near, *_ = regress_locally(X, y, query, 60, 6, 0.3)
    present = np.flatnonzero(near)
    assert {*present}.isdisjoint(absent)
    assert (scores[near == 0] == 0).all()
    distance = np.linalg.norm(X - query, axis=1)
    weights = np.array(naive.epanechnikov(distance, 60))
    steps, mean = X - query, np.average(X - query, axis=0, weights=weights)
    steps = steps / np.sqrt(np.average((steps - mean) ** 2, axis=0, weights=weights))
    weights *= weights.sum() / (weights**2).sum()
    kept = weights > 0
    n = len(present)
    theirs = naive.multinomial_regression(
        np.vstack([steps[kept], np.zeros((n, 3))]),
        np.eye(6)[[*y[kept], *present]][:, present],
        [*weights[kept], *[1 / 6] * n],
        0.3,
    )
    probabilities = softmax(theirs[0][0])
    assert softmax(scores[present]) == pytest.approx(probabilities, rel=1e-7)
    ours, expected = covariance[np.ix_(present, present)], theirs[1]
    for first, second in combinations(range(n), 2):  # a common shift of all scores does not matter
        contrast = np.eye(n)[first] - np.eye(n)[second]
        variance = contrast @ expected[:n, :n] @ contrast
        assert contrast @ ours @ contrast == pytest.approx(variance, rel=1e-6)


@pytest.mark.kernels
@pytest.mark.parametrize("n_models", [2, 5])
def test_models_without_near_rows_are_counted(n_models):
    """With one model near, the others have 1/C of wN + 1 rows each."""
    rng = np.random.default_rng(45)
    y = np.arange(400 * n_models) % n_models
    X = rng.normal(size=(len(y), 2)) + 1000 * y[:, None]
    query = np.array([1.5, 1.5])  # at the edge of the first model
    found = predict_locally(X, y, query, 300, n_models)
    weights = np.array(naive.epanechnikov(np.linalg.norm(X - query, axis=1), 300))
    mean = np.average(X - query, axis=0, weights=weights)
    deviation = np.sqrt(np.average((X - query - mean) ** 2, axis=0, weights=weights))
    near = weights.sum() ** 2 / (weights**2).sum()
    n = near * np.exp(-((np.sum((mean / deviation) ** 2) / 3.5**2) ** 2))
    assert 1 < n < near
    share = 1 / n_models
    assert found[1:] == pytest.approx(share / (n + 1))
    assert found.sum() == pytest.approx(1)
    far = predict_locally(X, y, np.array([-50_000.0, 20_000.0]), 300, n_models)
    assert far[1:] == pytest.approx(share / 2)


@pytest.mark.kernels
def test_probability_of_two_normals_is_that_of_the_closed_form():
    rng = np.random.default_rng(3)
    y = np.arange(20_000) % 2
    X = rng.normal(np.where(y == 0, -1, 1))[:, None]
    for x in (-1.0, 0.0, 0.7):
        found = predict_locally(X, y, np.array([x]), default_neighbors(len(X)), 2)
        assert found[1] == pytest.approx(1 / (1 + np.exp(-2 * x)), abs=0.05)


@pytest.mark.kernels
def test_probabilities_are_finite_where_classes_are_separated():
    rng = np.random.default_rng(13)
    y = np.arange(600) % 2
    X = rng.normal(np.where(y == 0, -30, 30))[:, None]
    for x, k in ((30.0, 100), (0.0, 600), (1e6, 100)):
        found = predict_locally(X, y, np.array([x]), k, 2)
        assert ((found > 0) & (found < 1)).all()
    assert predict_locally(X, y, np.array([30.0]), 100, 2)[1] > 0.9
    assert 0.05 < predict_locally(X, y, np.array([0.0]), 600, 2)[1] < 0.95


@pytest.mark.kernels
def test_prediction_uses_the_kernel_that_warmup_compiles():
    """A call with another signature would compile the kernel again."""
    X, y, _ = labelled_rows(300, 2, 2, 43)
    predict_locally(X, y, X[0], 50, 2)
    dispatcher, argument_types = _registry["local_regression.regress_locally"]
    assert dispatcher.signatures == [argument_types]


@pytest.mark.kernels
def test_steps_in_local_units_by_hand():
    for steps, expected in (
        ([1.0, 3.0], [1.0, 3.0]),
        ([2.0, 6.0], [1.0, 3.0]),
        ([5.0, 5.0], [0.0, 0.0]),
        ([1e30, 1e30 * (1 + 1e-15)], [0.0, 0.0]),  # no more than rounding errors
        ([1e-20, 3e-20], [0.0, 0.0]),
        ([1e6 - 1.0, 1e6 + 1.0], [999, 1001]),  # slopes are meaningless from so far away
        ([-1e6 - 1.0, -1e6 + 1.0], [-1001, -999]),
    ):
        ours = np.array([[0.0, step] for step in (*steps, 7.0)])
        use_local_unit(ours, 1, np.ones(2), 2.0)
        assert ours[:, 1] == pytest.approx(np.array([*expected, 7.0]))
        assert (ours[:, 0] == 0).all()


@pytest.mark.kernels
@pytest.mark.parametrize("n", [1, 2, 3, 10, 101])
def test_value_at_rank_equals_sorting(n):
    rng = np.random.default_rng(n)
    for values in (rng.random(n), rng.integers(0, 4, n).astype(float), np.arange(n, 0.0, -1)):
        before = values.copy()
        assert [value_at_rank(values, rank) for rank in range(n)] == sorted(values)
        assert (values == before).all()


@pytest.mark.kernels
def test_epanechnikov_weights_equal_the_reference_implementation():
    distance = np.random.default_rng(44).random(50)
    rows, weights = epanechnikov(distance, 20)
    expected = np.array(naive.epanechnikov(distance.tolist(), 20))
    assert weights == pytest.approx(expected[rows])
    assert set(rows.tolist()) == set(np.flatnonzero(expected > 0).tolist())


@pytest.mark.kernels
def test_kernel_weights_are_equal_at_equal_distances():
    for distance, k in ((np.ones(8), 4), (np.zeros(8), 8), (np.r_[np.zeros(8), 1.0], 7)):
        rows, weights = epanechnikov(distance, k)
        assert rows.tolist() == list(range(8))  # ties do not depend on the order of the rows
        assert (weights == 1).all()
