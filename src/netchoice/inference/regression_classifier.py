"""Model probabilities from a multinomial regression on the nearest simulations."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.special import expit, ndtri

from netchoice._kernels.local_regression import regress_locally
from netchoice.inference.classifier import Classifier, Prediction
from netchoice.inference.scaling import Codes, Floats
from netchoice.threads import threads

RIDGE = 0.3  # prior precision of the slopes, per local standard deviation of a feature


def default_neighbors(n: int) -> int:
    """Return the default number of nearest rows of a table with n rows."""
    return min(n, round(8 * math.sqrt(n)))


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
        self._k = self._neighbors_or(default_neighbors(len(X)), len(X))
        return {"n_neighbors": self._k}

    def describe(self, prediction: Prediction) -> dict[str, Any]:
        """Return the details of the first query, with the models absent among its neighbours."""
        details = super().describe(prediction)
        return details | {"absent": [model for model, w in details["near"].items() if w == 0]}

    def _predict(self, X: Floats, coverage: float) -> Prediction:
        def regress(query: Floats) -> tuple[Floats, Floats, Floats, bool]:
            n_models = len(self.classes_)
            return regress_locally(self._X, self._codes, query, self._k, n_models, RIDGE)  # type: ignore[no-any-return]

        with threads(self.n_jobs) as run:
            scores, covariance, near, separated = map(np.array, zip(*run(regress, X), strict=True))
        odds = np.exp(scores - scores.max(axis=1, keepdims=True))
        probabilities = odds / odds.sum(axis=1, keepdims=True)
        log_odds = np.log(probabilities) - np.log1p(-probabilities)
        half_width = ndtri((1 + coverage) / 2) * _deviation_of_log_odds(probabilities, covariance)
        lower, upper = expit(log_odds - half_width), expit(log_odds + half_width)
        return Prediction(probabilities, lower, upper, {"near": near, "separated": separated})


def _deviation_of_log_odds(probabilities: Floats, covariance: Floats) -> Floats:
    """Return the standard deviation (m, C) of each log-odds from the scores' covariance (m, C, C)."""
    gradient = -probabilities[:, None, :] / (1 - probabilities)[:, :, None]
    diagonal = np.arange(probabilities.shape[1])
    gradient[:, diagonal, diagonal] = 1.0
    variance = (gradient @ covariance * gradient).sum(axis=2)
    return np.asarray(np.sqrt(variance.clip(min=0)))
