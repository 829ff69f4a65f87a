"""Model probabilities from a multinomial regression on the nearest simulations."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.special import betaincinv, expit, logit, ndtri

from netchoice._kernels.local_regression import regress_locally
from netchoice.inference.classifier import DEFAULT_COVERAGE, Classifier, Prediction
from netchoice.inference.scaling import Codes, Floats
from netchoice.threads import threads

RIDGE = 0.3  # prior precision of the slopes, per local standard deviation of a feature
#: Local standard deviations between a query and the centre of its near simulations, beyond which these say
#: little about other models. On two tables, 99% of held-out simulations are nearer.
FAR = 3.5


def default_neighbors(n: int) -> int:
    """Return the default number of nearest rows of a table with n rows."""
    return min(n, round(8 * math.sqrt(n)))


class RegressionClassifier(Classifier):
    """Fit a local multinomial logistic regression and evaluate it at the query.

    Fagundes et al. 2007, doi:10.1073/pnas.0708280104, after Beaumont et al. 2002. The nearest
    simulations, by default 8√n, have Epanechnikov weights, scaled to their effective number N. One
    pseudo-simulation, in equal parts of all C models, is placed at the query, and the slopes have a
    small ridge penalty, so the probabilities are finite also where the models are separated. The
    intervals are normal in log-odds, from the curvature of the likelihood.

    A regression says nothing about a model without near simulations. Such a model is counted: it has
    1/C of wN + 1 simulations, and the interval of the beta distribution with these counts. The others share
    the rest by the regression. The weight w is exp(−(d/3.5)⁴), for a query that is d local standard
    deviations away from the centre of the near simulations: far from all simulations, they say little
    about absent models. One of them always counts. Settings used: ``scaling``, ``n_neighbors``,
    ``n_jobs``.

    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> y = np.repeat(["low", "high"], 1000)
    >>> X = rng.normal(np.where(y == "low", -1, 1))[:, None]
    >>> prediction = RegressionClassifier().fit(X, y).predict([[0.5]])  # true odds e : 1
    >>> bool(prediction.lower[0, 0] < np.e / (1 + np.e) < prediction.upper[0, 0])
    True
    """

    def _fit(self, X: Floats, codes: Codes) -> dict[str, Any]:
        self._X, self._codes = X, codes
        self._k = self._neighbors_or(default_neighbors(len(X)), len(X))
        return {"n_neighbors": self._k}

    def describe(self, prediction: Prediction) -> dict[str, Any]:
        """Return the details of the first query, with the models absent among its neighbours."""
        details = super().describe(prediction)
        return details | {"absent": [model for model, w in details["near"].items() if w == 0]}

    def _predict(self, X: Floats, coverage: float) -> Prediction:
        n_models = len(self.classes_)
        return predict_locally(self._X, self._codes, X, self._k, n_models, coverage, self.n_jobs)


def predict_locally(
    X: Floats,
    codes: Codes,
    queries: Floats,
    n_neighbors: int,
    n_models: int,
    coverage: float = DEFAULT_COVERAGE,
    n_jobs: int | None = None,
) -> Prediction:
    """Return what :class:`RegressionClassifier` predicts for queries (m, q) from rows (n, q), both scaled."""

    def regress(query: Floats) -> tuple[Floats, Floats, Floats, bool, float]:
        return regress_locally(X, codes, query, n_neighbors, n_models, RIDGE)  # type: ignore[no-any-return]

    # The kernel is compiled for arrays that can be written.
    X, queries = np.require(X, requirements="W"), np.require(queries, requirements="W")
    codes = np.require(codes, requirements="W")
    with threads(n_jobs) as run:
        found = map(np.array, zip(*run(regress, queries), strict=True))
    scores, covariance, near, separated, offset = found
    odds = np.where(near > 0, np.exp(scores - scores.max(axis=1, keepdims=True)), 0.0)
    probabilities = odds / odds.sum(axis=1, keepdims=True)
    half_width = ndtri((1 + coverage) / 2) * _deviation_of_log_odds(probabilities, covariance)
    log_odds = logit(probabilities)
    ends = expit(log_odds - half_width), expit(log_odds + half_width)
    lower, upper = (np.where(probabilities == 1, 1.0, end) for end in ends)
    present = Prediction(probabilities, lower, upper, {"near": near, "separated": separated})
    weight = np.exp(-((offset / FAR**2) ** 2))
    return _with_absent(present, near, weight, coverage)


def _with_absent(found: Prediction, near: Floats, weight: Floats, coverage: float) -> Prediction:
    """Return the prediction with the counted probabilities of models without near simulations."""
    n_models, total = near.shape[1], np.maximum(weight * near.sum(axis=1), 1)[:, None] + 1
    absent, tails = near == 0, ((1 - coverage) / 2, (1 + coverage) / 2)
    n_absent = absent.sum(axis=1, keepdims=True)
    each, together = 1 / n_models, np.maximum(n_absent, 0.5) / n_models
    low, high = (betaincinv(together, total - together, t) * (n_absent > 0) for t in tails)
    own_low, own_high = (betaincinv(each, total - each, t) for t in tails)
    return Prediction(
        np.where(absent, each / total, found.probabilities * (1 - n_absent * each / total)),
        np.where(absent, own_low, found.lower * (1 - high)),
        np.where(absent, own_high, found.upper * (1 - low)),
        found.details,
    )


def _deviation_of_log_odds(probabilities: Floats, covariance: Floats) -> Floats:
    """Return the standard deviation (m, C) of each log-odds from the scores' covariance (m, C, C)."""
    gradient = -probabilities[:, None, :] / (1 - probabilities).clip(min=1e-300)[:, :, None]
    diagonal = np.arange(probabilities.shape[1])
    gradient[:, diagonal, diagonal] = 1.0
    variance = (gradient @ covariance * gradient).sum(axis=2)
    return np.asarray(np.sqrt(variance.clip(min=0)))
