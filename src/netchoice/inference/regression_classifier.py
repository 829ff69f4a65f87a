"""Model probabilities from a multinomial regression on the nearest simulations."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, log_softmax, ndtri, softmax

from netchoice.inference.classifier import Classifier, Prediction
from netchoice.inference.neighbour_weights import distances, effective_n, epanechnikov, local_steps
from netchoice.inference.scaling import Codes, Floats
from netchoice.threads import threads

RIDGE = 0.3  # prior precision of the slopes, per local standard deviation of a feature
_MAX_ITERATIONS, _TOLERANCE = 30, 1e-8
_BATCH = 32  # queries whose regressions are fitted together


class RegressionClassifier(Classifier):
    """Fit a local multinomial logistic regression and evaluate it at the query.

    Fagundes et al. 2007, doi:10.1073/pnas.0708280104, after Beaumont et al. 2002. The nearest
    simulations, by default 8√n, have Epanechnikov weights, scaled to their effective number. One
    pseudo-simulation, in equal parts of all models, is placed at the query, and the slopes have a
    small ridge penalty, so the probabilities are finite also where the models are separated or only
    one is near. The intervals are normal in log-odds, from the curvature of the likelihood. Settings
    used: ``scaling``, ``n_neighbors``, ``n_jobs``.

    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> y = np.repeat(["low", "high"], 1000)
    >>> X = rng.normal(np.where(y == "low", -1, 1))[:, None]
    >>> prediction = RegressionClassifier().fit(X, y).predict([[0.5]])  # true odds e : 1
    >>> bool(prediction.lower[0, 0] < np.e / (1 + np.e) < prediction.upper[0, 0])
    True
    """

    def _fit(self, X: Floats, codes: Codes) -> dict[str, int]:
        self._X, self._one_hot = X, np.eye(len(self.classes_))[codes]
        self._k = self._neighbors_or(round(8 * math.sqrt(len(X))), len(X))
        return {"n_neighbors": self._k}

    def describe(self, prediction: Prediction) -> dict[str, Any]:
        """Return the details of the first query, with the models absent among its neighbours."""
        details = super().describe(prediction)
        return details | {"absent": [model for model, w in details["near"].items() if w == 0]}

    def _predict(self, X: Floats, coverage: float) -> Prediction:
        batches = [X[start : start + _BATCH] for start in range(0, len(X), _BATCH)]
        with threads(self.n_jobs) as run:
            parts = run(lambda queries: self._predict_batch(queries, coverage), batches)
        probabilities, lower, upper, near, separated = map(np.concatenate, zip(*parts, strict=True))
        return Prediction(probabilities, lower, upper, {"near": near, "separated": separated})

    def _predict_batch(self, queries: Floats, coverage: float) -> tuple[NDArray[Any], ...]:
        """Return probabilities, their bounds, the weights of models, and whether they are separated."""
        (_, distance), *_ = distances(self._X, queries)
        rows, weights = epanechnikov(distance, self._k)
        weights *= (effective_n(weights) / weights.sum(axis=1))[:, None]
        m, n_models = len(queries), self._one_hot.shape[1]
        steps = local_steps(self._X[rows] - queries[:, None, :], weights)
        designs = np.concatenate([np.ones((*rows.shape, 1)), steps], axis=2)
        one_hot = self._one_hot[rows]
        # The pseudo-simulation at the query is a row for each model, with equal weights.
        coefficients, covariance, _ = fit_multinomial(
            np.hstack([designs, np.tile(np.eye(1, designs.shape[2]), (m, n_models, 1))]),
            np.hstack([one_hot, np.tile(np.eye(n_models), (m, 1, 1))]),
            np.hstack([weights, np.full((m, n_models), 1 / n_models)]),
            RIDGE,
        )
        probabilities = softmax(coefficients[:, 0, :], axis=-1)
        fitted = (designs @ coefficients).argmax(axis=2)
        separated = ((fitted == one_hot.argmax(axis=2)) | ~(weights > 0)).all(axis=1)
        logit = np.log(probabilities) - np.log1p(-probabilities)
        half_width = ndtri((1 + coverage) / 2) * _deviation_of_logits(probabilities, covariance)
        lower, upper = expit(logit - half_width), expit(logit + half_width)
        near = (one_hot * weights[:, :, None]).sum(axis=1)
        return probabilities, lower, upper, near, separated


def _deviation_of_logits(probabilities: Floats, covariance: Floats) -> Floats:
    """Return the standard deviation (m, C) of each log-odds from the scores' covariance (m, C, C)."""
    n_models = probabilities.shape[1]
    others = np.where(np.eye(n_models, dtype=bool), 0.0, probabilities[:, None, :])
    gradient = np.eye(n_models) - others / others.sum(axis=2, keepdims=True)
    variance = np.einsum("mci,mij,mcj->mc", gradient, covariance, gradient)
    return np.asarray(np.sqrt(variance.clip(min=0)))


def fit_multinomial(
    designs: Floats, one_hot: Floats, weights: Floats, ridge: float
) -> tuple[Floats, Floats, Floats]:
    """Fit b weighted multinomial regressions at once, by Newton's method with step halving.

    The designs (b, n, p) have ones in the first column; the classes of the rows are ``one_hot``
    (b, n, C). Every class has its own coefficients, and all slopes have the same ridge penalty, so
    the result does not depend on a reference class. Return the coefficients (b, p, C), the
    covariance (b, C, C) of the intercepts, and the losses (b,).
    """
    b, _, p = designs.shape
    n_classes = one_hot.shape[2]
    penalty = np.full((p, n_classes), float(ridge))
    penalty[0] = 1e-6  # makes the intercepts unique: a common shift changes no probability
    weighted = designs * weights[:, :, None]

    def loss_of(coefficients: Floats) -> tuple[Floats, Floats]:
        logs = log_softmax(designs @ coefficients, axis=2)
        misfit = -((logs * one_hot).sum(axis=2) * weights).sum(axis=1)
        return misfit + 0.5 * (penalty * coefficients**2).sum(axis=(1, 2)), np.exp(logs)

    coefficients = np.zeros((b, p, n_classes))
    loss, probabilities = loss_of(coefficients)
    for _ in range(_MAX_ITERATIONS):
        slope = weighted.transpose(0, 2, 1) @ (probabilities - one_hot) + penalty * coefficients
        curvature = _curvature(designs, weighted, probabilities, penalty)
        flat = slope.transpose(0, 2, 1).reshape(b, -1, 1)
        step = np.linalg.solve(curvature, flat).reshape(b, n_classes, p).transpose(0, 2, 1)
        length = np.ones((b, 1, 1))
        for _ in range(_MAX_ITERATIONS):
            new_loss, new_probabilities = loss_of(coefficients - length * step)
            worse = new_loss > loss + 1e-10 * np.abs(loss)
            if not worse.any():
                break
            length[worse] /= 2
        coefficients = coefficients - length * step
        loss, probabilities = new_loss, new_probabilities
        if np.abs(step).max() < _TOLERANCE:
            break
    inverse = np.linalg.inv(_curvature(designs, weighted, probabilities, penalty))
    return coefficients, np.asarray(inverse[:, ::p, ::p], dtype=np.float64), loss


def _curvature(designs: Floats, weighted: Floats, probabilities: Floats, penalty: Floats) -> Floats:
    """Return the second derivatives (b, Cp, Cp) of the loss; coefficients are ordered by class."""
    b, _, p = designs.shape
    n_classes = probabilities.shape[2]
    blocks = np.empty((b, n_classes, p, n_classes, p))
    transposed = weighted.transpose(0, 2, 1)
    for i in range(n_classes):
        for j in range(i + 1):
            factor = probabilities[:, :, i] * ((i == j) - probabilities[:, :, j])
            block = transposed @ (designs * factor[:, :, None])
            blocks[:, i, :, j, :] = blocks[:, j, :, i, :] = block
    flat = blocks.reshape(b, n_classes * p, n_classes * p)
    flat[:, range(n_classes * p), range(n_classes * p)] += penalty.T.ravel()
    return flat
