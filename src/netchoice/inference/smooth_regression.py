"""The probabilities of models: a multinomial regression on smooth functions of all features."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cholesky, solve_triangular
from scipy.optimize import minimize
from scipy.special import expit, logit, softmax, stdtrit

from netchoice.errors import UsageError
from netchoice.inference.scaling import Floats, Scaling
from netchoice.threads import one_blas_thread

COVERAGE = 0.95
#: Parts of the simulations that are left out in turn, to see how far the probabilities depend on them.
N_PARTS = 5
#: Cosines of random sums of the features; their directions are part of the method, whatever the seed.
N_COSINES = 200
#: The distance between two rows, per root of the number of features, over which a cosine changes.
_LENGTH = 1.4
_PENALTY = 10.0  # on the squares of the coefficients of standardised columns
_MAX_SCORE = 5.5  # scores beyond this, far outside the table, count as this
#: Steps of the regression on all simulations, and, from there, without a part.
_N_STEPS, _N_STEPS_OF_PART = 100, 30
_TOLERANCE = 1e-7  # relative fall of the loss in a step
_SMALLEST = 1e-12
#: Probabilities this near to 0 or 1 are not distinguished from it: an interval reaches at least so far.
RESOLUTION = 0.0005


@dataclass(frozen=True)
class Probabilities:
    """The probability of each model for one observation, with the interval due to the simulations.

    An interval says how far the probability can be from what infinitely many simulations would give.
    """

    probabilities: dict[str, float]
    intervals: dict[str, tuple[float, float]]


@dataclass(frozen=True, eq=False)
class SmoothRegression:
    """A multinomial logistic regression on smooth functions of the features; use :meth:`fit`.

    The columns are the normal scores of the features, their squares, and 200 cosines of random sums of
    the scores (Rahimi & Recht 2007). With few features the cosines can follow any smooth log odds; with
    many, the scores and squares say most. A ridge penalty keeps the coefficients small. It varies little
    between two tables of simulations, and needs no choice of features.

    Attributes
    ----------
    models : tuple of str, sorted; the order of the columns of all probabilities
    labels : array (n,), the model of each simulation
    held_out : array (n, C)
        The probabilities of the models for each simulation, predicted without the fifth of the
        simulations that it is part of.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> y = np.repeat(["narrow", "wide"], 500)
    >>> X = rng.normal(scale=np.where(y == "narrow", 1, 3))[:, None]
    >>> fitted = SmoothRegression.fit(X, y)
    >>> fitted.predict_proba([[0.0], [7.0]]).round(1).tolist()
    [[0.8, 0.2], [0.0, 1.0]]
    >>> predicted = np.array(fitted.models)[fitted.held_out.argmax(axis=1)]
    >>> 0.7 < np.mean(predicted == y) < 0.8
    np.True_
    """

    models: tuple[str, ...]
    labels: NDArray[np.str_]
    held_out: Floats
    scaling: Scaling
    location: Floats
    unit: Floats
    coefficients: tuple[Floats, ...]  # (p, C) with intercepts first; of all simulations, then parts

    @classmethod
    def fit(cls, X: Any, y: Any, weights: Mapping[str, float] | None = None) -> Self:
        """Return the regression fitted to simulations of at least two models, and without each part.

        Parameters
        ----------
        X : array (n, q), features of the simulations
        y : array (n,), the model of each simulation; the numbers of simulations may differ
        weights : mapping, optional
            By model: its prior weight. Equal by default, whatever the numbers of simulations.
        """
        labels = np.asarray(y).astype(str)
        if len(labels) != len(X):
            raise UsageError(
                f"{len(X)} rows of features and {len(labels)} models; expected a model for each row"
            )
        models, codes, counts = np.unique(labels, return_inverse=True, return_counts=True)
        if len(models) < 2:
            raise UsageError(f"simulations of {len(models)} model; expected at least two models")
        if counts.min() < N_PARTS:
            raise UsageError(
                f"{counts.min()} simulations of {str(models[counts.argmin()])!r}; expected at least "
                f"{N_PARTS} of each model: simulate more, or leave the model out"
            )
        prior = _prior(models.tolist(), weights)
        part = _parts(codes)
        with one_blas_thread():
            scaling = Scaling.fit(X, "rank")
            columns = _smooth(scaling, X)
            location, unit = columns.mean(axis=0), columns.std(axis=0)
            unit[unit < 1e-9] = np.inf  # a constant column says nothing
            design = _standardised(columns, location, unit)
            whitening = _whitening(design, len(models))
            white, one_hot = design @ whitening, np.eye(len(models))[codes]
            penalty = whitening[1:].T @ whitening[1:] * _PENALTY
            start = np.zeros((len(whitening), len(models)))
            free = _minimum(white, one_hot, penalty, start, _N_STEPS)
            coefficients, held_out = [_corrected(whitening @ free, prior / counts)], one_hot.copy()
            for each in range(N_PARTS):
                kept, left = part != each, part == each
                found = _minimum(white[kept], one_hot[kept], penalty, free, _N_STEPS_OF_PART)
                found = _corrected(whitening @ found, prior / one_hot[kept].sum(axis=0))
                coefficients.append(found)
                held_out[left] = softmax(design[left] @ found, axis=1)
        return cls(
            tuple(models.tolist()), labels, held_out, scaling, location, unit, tuple(coefficients)
        )

    def predict_proba(self, X: Any) -> Floats:
        """Return the probabilities (m, C) of the models for each row of features (m, q)."""
        return np.asarray(softmax(self._log_odds(X, self.coefficients[:1])[0], axis=1))

    def predict(self, X: Any) -> tuple[Floats, Floats, Floats]:
        """Return the probabilities (m, C) for each row of features (m, q), and their lowest and highest.

        These follow from how far the log odds move without each part (the jackknife), and cover 95%. They
        do not say how far the regression is from the truth with infinitely many simulations.
        """
        found, *parts = softmax(self._log_odds(X, self.coefficients), axis=2)
        odds = logit(np.clip(parts, _SMALLEST, 1 - _SMALLEST))
        error = np.sqrt((N_PARTS - 1) * odds.var(axis=0))
        reach = stdtrit(N_PARTS - 1, (1 + COVERAGE) / 2) * error
        centre = logit(np.clip(found, _SMALLEST, 1 - _SMALLEST))
        low, high = expit(centre - reach), expit(centre + reach)
        return found, np.minimum(low, 1 - RESOLUTION), np.maximum(high, RESOLUTION)

    def probabilities_of(self, observed: Any) -> Probabilities:
        """Return the probabilities of the models for an observation (q,), with intervals."""
        found, low, high = (
            values[0].tolist()
            for values in self.predict(np.asarray(observed, dtype=np.float64)[None])
        )
        bounds = zip(low, high, strict=True)
        return Probabilities(
            dict(zip(self.models, found, strict=True)), dict(zip(self.models, bounds, strict=True))
        )

    def _log_odds(self, X: Any, coefficients: tuple[Floats, ...]) -> Floats:
        with one_blas_thread():
            design = _standardised(_smooth(self.scaling, X), self.location, self.unit)
            return np.array([design @ each for each in coefficients])


def probabilities_of(
    X: Any, y: Any, observed: Any, weights: Mapping[str, float] | None = None
) -> Probabilities:
    """Return the probabilities of the models for one observation, with intervals.

    Parameters
    ----------
    X, y, weights
        As in :meth:`SmoothRegression.fit`. With one model, its probability is 1.
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
    return SmoothRegression.fit(X, y, weights).probabilities_of(observed)


def _prior(models: list[str], weights: Mapping[str, float] | None) -> Floats:
    """Return the prior weight (C,) of each model."""
    if weights is None:
        return np.ones(len(models))
    missing = [model for model in models if model not in weights]
    if missing:
        raise UsageError(
            f"no prior weight of {', '.join(missing)}; expected a weight of each model in `y`"
        )
    return np.array([weights[model] for model in models], dtype=np.float64)


def _parts(codes: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the part (n,) of each row: the rows of each model are dealt to the parts in turn."""
    part = np.empty(len(codes), dtype=np.intp)
    for code in range(codes.max() + 1):
        rows = np.flatnonzero(codes == code)
        part[rows] = np.arange(len(rows)) % N_PARTS
    return part


def _smooth(scaling: Scaling, X: Any) -> Floats:
    """Return the scores of the features, their squares, and cosines of random sums of the scores."""
    scores = scaling.transform(X).clip(-_MAX_SCORE, _MAX_SCORE)
    rng, q = np.random.default_rng(0), scores.shape[1]
    directions = rng.normal(size=(q, N_COSINES)) / (_LENGTH * np.sqrt(q))
    shift = rng.uniform(0, 2 * np.pi, N_COSINES)
    return np.hstack([scores, scores**2, np.cos(scores @ directions + shift)])


def _standardised(columns: Floats, location: Floats, unit: Floats) -> Floats:
    return np.hstack([np.ones((len(columns), 1)), (columns - location) / unit])


def _whitening(design: Floats, n_models: int) -> Floats:
    """Return the matrix (p, p) that makes the loss about equally curved in all directions.

    L-BFGS needs few steps then.
    """
    curvature = design.T @ design / (2 * n_models)
    curvature[np.diag_indices(len(curvature))] += _PENALTY
    upper = cholesky(curvature)
    return np.asarray(solve_triangular(upper, np.eye(len(upper))))


def _minimum(
    design: Floats, one_hot: Floats, penalty: Floats, start: Floats, n_steps: int
) -> Floats:
    """Return the coefficients (p, C) with the smallest penalised sum of −log of the probabilities."""

    def loss(flat: Floats) -> tuple[float, Floats]:
        coefficients = flat.reshape(start.shape)
        scores = design @ coefficients
        scores -= scores.max(axis=1, keepdims=True)
        own = np.vdot(scores, one_hot)
        odds = np.exp(scores, out=scores)
        total = odds.sum(axis=1, keepdims=True)
        odds /= total
        odds -= one_hot
        pull = penalty @ coefficients
        value = np.log(total).sum() - own + 0.5 * np.vdot(coefficients, pull)
        return float(value), (design.T @ odds + pull).ravel()

    options = {"maxiter": n_steps, "maxcor": 20, "ftol": _TOLERANCE, "gtol": 1e-3}
    found = minimize(loss, start.ravel(), jac=True, method="L-BFGS-B", options=options)
    return np.asarray(found.x).reshape(start.shape)


def _corrected(coefficients: Floats, factors: Floats) -> Floats:
    """Return the coefficients with the odds of each model multiplied by its factor (C,)."""
    made = coefficients.copy()
    with np.errstate(divide="ignore"):  # a prior weight of 0 gives the probability 0
        made[0] += np.log(factors)
    return made
