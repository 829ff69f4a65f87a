"""The protocol of the classifiers: ``fit``, ``predict`` and ``predict_proba``."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from netchoice.inference.scaling import DEFAULT_SCALING, Codes, Floats, Scaling
from netchoice.validation import check_fraction, check_integer

DEFAULT_COVERAGE = 0.95


@dataclass(frozen=True)
class Prediction:
    """Probabilities (m, C) of C models for m queries, with the bounds of their intervals.

    The prior is the models' shares of the training table. The details are further results by name,
    of shape (m,) or (m, C).
    """

    probabilities: Floats
    lower: Floats
    upper: Floats
    details: dict[str, NDArray[Any]]

    def reweighted(self, factors: Floats) -> Prediction:
        """Return the prediction with the odds of each model multiplied by its factor (C,)."""
        odds = self.probabilities * factors
        total = odds.sum(axis=1, keepdims=True)
        others = (total - odds) / (1 - self.probabilities)

        # A bound moves with the odds of its model against all others; exact for two models.
        def moved(bound: Floats) -> Floats:
            return np.asarray(bound * factors / (bound * factors + (1 - bound) * others))

        return Prediction(odds / total, moved(self.lower), moved(self.upper), self.details)


@dataclass(kw_only=True, eq=False)
class Classifier(ABC):
    """Base class of the classifiers: it scales the features and holds the settings of all."""

    scaling: str = DEFAULT_SCALING
    n_neighbors: int | None = None
    n_trees: int = 500
    seed: int = 0
    n_jobs: int | None = None

    def fit(self, X: Any, y: Any) -> Self:
        """Fit the scaling and the classifier to features ``X`` (n, q) and labels ``y`` (n,)."""
        check_integer("n_trees", self.n_trees)
        self.classes_, codes = np.unique(np.asarray(y), return_inverse=True)
        self._scaling = Scaling.fit(X, self.scaling)
        self.settings_ = self._fit(self._scaling.transform(X), codes)
        return self

    def predict(self, X: Any, coverage: float = DEFAULT_COVERAGE) -> Prediction:
        """Predict the probabilities of the models for the queries ``X`` (m, q), with intervals."""
        check_fraction("coverage", coverage)
        return self._predict(self._scaling.transform(X), coverage)

    def predict_proba(self, X: Any) -> Floats:
        """Return the probabilities (m, C) of the models for the queries ``X`` (m, q)."""
        return self.predict(X).probabilities

    def describe(self, prediction: Prediction) -> dict[str, Any]:
        """Return the settings used and the details of the first query, as plain Python values."""
        first = {name: values[0] for name, values in prediction.details.items()}
        return self.settings_ | {
            name: dict(zip(self.classes_.tolist(), value.tolist(), strict=True))
            if np.ndim(value)
            else value.item()
            for name, value in first.items()
        }

    @abstractmethod
    def _fit(self, X: Floats, codes: Codes) -> dict[str, Any]:
        """Fit to scaled features and class indices; return the settings used."""

    @abstractmethod
    def _predict(self, X: Floats, coverage: float) -> Prediction:
        """Predict for scaled queries."""

    def _neighbors_or(self, default: int, n: int) -> int:
        """Return ``n_neighbors``, or the default if it is None; at most all ``n`` rows."""
        if self.n_neighbors is None:
            return min(n, default)
        return check_integer("n_neighbors", self.n_neighbors, maximum=n)
