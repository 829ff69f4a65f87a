"""Kernel regression against scikit-learn, and its leave-one-out predictions against refits."""

import numpy as np
import pytest
from sklearn.kernel_ridge import KernelRidge

from netchoice.inference import summary_likelihood
from netchoice.inference.summary_likelihood import KernelRegression


def table(n, q=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, q))
    return X, np.column_stack([np.sin(X[:, 0]) + 0.1 * rng.normal(size=n), X[:, 1] * X[:, 2]])


def kernel(a, b):
    squares = ((a[:, None] - b[None]) ** 2).sum(axis=2)
    return np.exp(-0.3 / a.shape[1] * squares) + a @ b.T / a.shape[1]


def naive_predictions(X, target, new):
    """Return the predictions of scikit-learn with the penalty of the smallest leave-one-out error."""
    mean, errors = target.mean(), {}
    for penalty in 10.0 ** np.arange(-4, 2.5, 0.5):
        left_out = []
        for i in range(len(X)):
            others = np.arange(len(X)) != i
            fitted = KernelRidge(alpha=penalty, kernel="precomputed")
            fitted.fit(kernel(X[others], X[others]), target[others] - mean)
            left_out.append(fitted.predict(kernel(X[[i]], X[others]))[0] + mean)
        errors[penalty] = (((left_out - target) ** 2).sum(), left_out)
    penalty = min(errors, key=lambda p: errors[p][0])
    fitted = KernelRidge(alpha=penalty, kernel="precomputed").fit(kernel(X, X), target - mean)
    return errors[penalty][1], fitted.predict(kernel(new, X)) + mean


def test_predictions_equal_those_of_scikit_learn_and_of_refits():
    X, targets = table(60)
    new = np.random.default_rng(1).normal(size=(5, 3))
    ours = KernelRegression.fit(X, targets)
    for j in range(2):
        left_out, predicted = naive_predictions(X, targets[:, j], new)
        np.testing.assert_allclose(ours.predictions[:, j], left_out, atol=1e-6)
        np.testing.assert_allclose(ours.predict(new)[:, j], predicted, atol=1e-6)


def test_rows_beyond_the_centres_are_predicted(monkeypatch):
    monkeypatch.setattr(summary_likelihood, "MAX_CENTRES", 100)
    X, targets = table(300)
    ours = KernelRegression.fit(X, targets)
    assert len(ours.centres) == 100
    np.testing.assert_allclose(ours.predictions[100:], ours.predict(X[100:]), atol=1e-12)
    errors = ((ours.predictions - targets) ** 2).mean(axis=0) / targets.var(axis=0)
    assert (errors < 0.2).all()


def test_predictions_far_away_follow_the_linear_kernel():
    """Without the linear kernel they would return to the mean."""
    X = np.random.default_rng(0).normal(size=(400, 2))
    ours = KernelRegression.fit(X, X[:, :1])
    assert ours.predict(np.array([[4.0, 0.0]])).item() == pytest.approx(4.0, abs=0.4)
