"""Model probabilities from the votes of the nearest simulations."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.special import betaincinv

from netchoice.inference.classifier import Classifier, Prediction
from netchoice.inference.neighbour_weights import distances, shares_of_nearest
from netchoice.inference.scaling import Codes, Floats

PSEUDOCOUNT = 0.5  # votes that every model gets in advance (Jeffreys)


class NeighboursClassifier(Classifier):
    """Count the votes of the k nearest simulations, plus half a vote for every model.

    Given the votes v, the probabilities follow the distribution Dirichlet(v + ½). The prediction is
    its mean and, for each model, the central interval of its beta distribution. By default k is
    √n/2, and at least 10. Settings used: ``scaling``, ``n_neighbors``.

    >>> import numpy as np
    >>> X = np.random.default_rng(1).normal(size=(400, 2))
    >>> classifier = NeighboursClassifier(n_neighbors=10).fit(X, X[:, 0] > 0)
    >>> classifier.predict_proba([[3.0, 0.0]]).round(2)
    array([[0.05, 0.95]])
    """

    def _fit(self, X: Floats, codes: Codes) -> dict[str, Any]:
        self._X, self._one_hot = X, np.eye(len(self.classes_))[codes]
        self._k = self._neighbors_or(max(10, round(math.sqrt(len(X)) / 2)), len(X))
        return {"n_neighbors": self._k}

    def _predict(self, X: Floats, coverage: float) -> Prediction:
        votes = np.concatenate(
            [shares_of_nearest(d, self._k) @ self._one_hot for _, d in distances(self._X, X)]
        )
        a = votes + PSEUDOCOUNT
        b = a.sum(axis=1, keepdims=True) - a
        tail = (1 - coverage) / 2
        lower, upper = betaincinv(a, b, tail), betaincinv(a, b, 1 - tail)
        return Prediction(a / (a + b), lower, upper, {"votes": votes})
