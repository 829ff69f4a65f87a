"""The probabilities of models: a multinomial regression on all features and their squares."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy.special import expit, logit, stdtrit

from netchoice.errors import UsageError
from netchoice.inference.scaling import Floats, Scaling
from netchoice.threads import one_blas_thread

COVERAGE = 0.95
#: Parts of the simulations that are left out in turn, to see how far the probabilities depend on them.
N_PARTS = 5
#: Squares of scaled features beyond this count as this.
_MAX_SQUARE = 30.0
_MAX_ITERATIONS = 300
#: The weight of the data against the penalty on the coefficients; see scikit-learn's LogisticRegression.
_C = 0.5
_SMALLEST = 1e-12


@dataclass(frozen=True)
class QuadraticRegression:
    """A multinomial logistic regression on the normal scores of the features and their squares.

    It varies little between two tables of simulations, and needs no choice of features.

    Attributes
    ----------
    models : tuple of str

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> y = np.repeat(["narrow", "wide"], 500)
    >>> X = rng.normal(scale=np.where(y == "narrow", 1, 3))[:, None]
    >>> fitted = QuadraticRegression.fit(X, y)
    >>> fitted.predict_proba([[0.0], [7.0]]).round(1).tolist()
    [[0.8, 0.2], [0.0, 1.0]]
    """

    models: tuple[str, ...]
    scaling: Scaling
    location: Floats
    unit: Floats
    regression: Any
    factors: Floats

    @classmethod
    def fit(cls, X: Any, y: Any, weights: Mapping[str, float] | None = None) -> Self:
        """Fit to simulations of at least two models.

        Parameters
        ----------
        X : array (n, q), features of the simulations
        y : array (n,), the model of each simulation; the numbers of simulations may differ
        weights : mapping, optional
            By model: its prior weight. Equal by default, whatever the numbers of simulations.
        """
        from sklearn.linear_model import LogisticRegression

        labels = np.asarray(y).astype(str)
        models, counts = np.unique(labels, return_counts=True)
        if len(models) < 2:
            raise UsageError(f"simulations of {len(models)} model; expected at least two models")
        prior = np.array([1.0 if weights is None else weights[model] for model in models])
        scaling = Scaling.fit(X, "rank")
        columns = _with_squares(scaling, X)
        location, unit = columns.mean(axis=0), columns.std(axis=0) + 1e-9
        regression = LogisticRegression(C=_C, max_iter=_MAX_ITERATIONS, warm_start=True)
        made = cls(tuple(models.tolist()), scaling, location, unit, regression, prior / counts)
        made._regress(X, labels)
        return made

    def _regress(self, X: Any, labels: Any) -> None:
        import warnings

        from sklearn.exceptions import ConvergenceWarning

        with one_blas_thread(), warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # the last digits do not matter
            self.regression.fit(self._columns(X), labels)

    def _columns(self, X: Any) -> Floats:
        return np.asarray((_with_squares(self.scaling, X) - self.location) / self.unit)

    def predict_proba(self, X: Any) -> Floats:
        """Return the probabilities (m, C) of the models for each row of features (m, q)."""
        with one_blas_thread():
            odds = self.regression.predict_proba(self._columns(X)) * self.factors
        return np.asarray(odds / odds.sum(axis=1, keepdims=True))

    def without(self, X: Any, y: Any, part: int) -> Self:
        """Return the regression without one of the parts of the simulations that it was fitted to."""
        labels = np.asarray(y).astype(str)
        kept = np.ones(len(labels), dtype=bool)
        for model in self.models:
            kept[np.flatnonzero(labels == model)[part::N_PARTS]] = False
        made = type(self)(
            self.models, self.scaling, self.location, self.unit, deepcopy(self.regression), self.factors
        )  # fmt: skip
        made._regress(np.asarray(X)[kept], labels[kept])
        return made


def _with_squares(scaling: Scaling, X: Any) -> Floats:
    scores = scaling.transform(X)
    return np.hstack([scores, np.minimum(scores**2, _MAX_SQUARE)])


@dataclass(frozen=True)
class Probabilities:
    """The probability of each model for one observation, with the interval due to the simulations.

    An interval says how far the probability can be from what infinitely many simulations would give.
    """

    probabilities: dict[str, float]
    intervals: dict[str, tuple[float, float]]


def probabilities_of(
    X: Any, y: Any, observed: Any, weights: Mapping[str, float] | None = None
) -> Probabilities:
    """Return the probabilities of the models for an observation.

    The regression is fitted again without each of five parts of the simulations. The intervals follow
    from how far the log odds move (the jackknife), and cover 95%.

    Parameters
    ----------
    X, y, weights
        As in :meth:`QuadraticRegression.fit`. With one model, its probability is 1.
    observed : array (q,), the features of the observation

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> y = np.repeat(["left", "right"], 500)
    >>> X = rng.normal(np.where(y == "left", -1, 1))[:, None]
    >>> found = probabilities_of(X, y, [0.0])
    >>> low, high = found.intervals["left"]
    >>> 0.3 < low < high < 0.7
    True
    """
    models = np.unique(np.asarray(y).astype(str)).tolist()
    if len(models) == 1:
        return Probabilities({models[0]: 1.0}, {models[0]: (1.0, 1.0)})
    row = np.asarray(observed, dtype=np.float64)[None]
    fitted = QuadraticRegression.fit(X, y, weights)
    found = fitted.predict_proba(row)[0]
    parts = [fitted.without(X, y, part).predict_proba(row)[0] for part in range(N_PARTS)]
    odds = logit(np.clip(parts, _SMALLEST, 1 - _SMALLEST))
    error = np.sqrt((N_PARTS - 1) * odds.var(axis=0))
    reach = stdtrit(N_PARTS - 1, (1 + COVERAGE) / 2) * error
    centre = logit(np.clip(found, _SMALLEST, 1 - _SMALLEST))
    low, high = expit(centre - reach), expit(centre + reach)
    return Probabilities(
        dict(zip(models, found.tolist(), strict=True)),
        {model: (float(low[k]), float(high[k])) for k, model in enumerate(models)},
    )
