"""Model probabilities from a multinomial regression on the nearest simulations."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.special import expit, ndtri

from netchoice._kernels.multinomial_regression import fit_multinomial
from netchoice.inference.classifier import Classifier, Prediction
from netchoice.inference.neighbour_weights import distances, effective_n, epanechnikov, local_steps
from netchoice.inference.scaling import Codes, Floats
from netchoice.threads import threads

RIDGE = 0.3  # prior precision of the slopes, per local standard deviation of a feature


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
        self._X, self._codes = X, codes
        self._k = self._neighbors_or(round(8 * math.sqrt(len(X))), len(X))
        return {"n_neighbors": self._k}

    def describe(self, prediction: Prediction) -> dict[str, Any]:
        """Return the details of the first query, with the models absent among its neighbours."""
        details = super().describe(prediction)
        return details | {"absent": [model for model, w in details["near"].items() if w == 0]}

    def _predict(self, X: Floats, coverage: float) -> Prediction:
        # One query at a time: its last digits do not depend on the other queries.
        with threads(self.n_jobs) as run:
            parts = run(lambda query: self._predict_one(query, coverage), X)
        probabilities, lower, upper, near, separated = map(np.array, zip(*parts, strict=True))
        return Prediction(probabilities, lower, upper, {"near": near, "separated": separated})

    def _predict_one(
        self, query: Floats, coverage: float
    ) -> tuple[Floats, Floats, Floats, Floats, bool]:
        """Return probabilities, their bounds, the weights of models, and whether they are separated."""
        ((_, (distance,)),) = distances(self._X, query[None])
        rows, weights = epanechnikov(distance, self._k)
        weights *= effective_n(weights) / weights.sum()
        n_models, codes = len(self.classes_), self._codes[rows]
        steps = local_steps(self._X[rows] - query, weights)
        # The pseudo-simulation at the query is a row for each model, with equal weights.
        coefficients, covariance = fit_multinomial(
            np.concatenate([steps, np.zeros((n_models, len(query)))]),
            np.concatenate([codes, np.arange(n_models)]),
            np.concatenate([weights, np.full(n_models, 1 / n_models)]),
            n_models,
            RIDGE,
        )
        intercepts, slopes = coefficients[0], coefficients[1:]
        odds = np.exp(intercepts - intercepts.max())
        probabilities = odds / odds.sum()
        log_odds = np.log(probabilities) - np.log1p(-probabilities)
        half_width = ndtri((1 + coverage) / 2) * _deviation_of_log_odds(probabilities, covariance)
        lower, upper = expit(log_odds - half_width), expit(log_odds + half_width)
        near = np.bincount(codes, weights, n_models)
        separated = bool(((intercepts + steps @ slopes).argmax(axis=1) == codes).all())
        return probabilities, lower, upper, near, separated


def _deviation_of_log_odds(probabilities: Floats, covariance: Floats) -> Floats:
    """Return the standard deviation (C,) of each model's log-odds from the intercepts' covariance."""
    gradient = -probabilities / (1 - probabilities)[:, None]
    np.fill_diagonal(gradient, 1.0)
    variance = (gradient @ covariance * gradient).sum(axis=1)
    return np.asarray(np.sqrt(variance.clip(min=0)))
