"""Weights of several predictions, and the temperature of their mean, by the log score."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import softmax

from netchoice.inference.scaling import Codes, Floats

SHARPEST, FLATTEST = 0.2, 5.0  # temperatures
_GAP = 1e-6  # largest distance from the best log score, in nats
_MAX_STEPS = 20_000


def smoothed_targets(codes: Codes, n_models: int) -> Floats:
    """Return the true model of each row (m, C), mixed with one pseudo-simulation of all models.

    The pseudo-simulation is in equal parts of all models and rows. Without it, the best probabilities
    would be 0 and 1 if no row is predicted wrongly.

    >>> smoothed_targets(np.array([0, 1, 1]), 2)
    array([[0.875, 0.125],
           [0.125, 0.875],
           [0.125, 0.875]])
    """
    m = len(codes)
    return np.asarray((m * np.eye(n_models)[codes] + 1 / n_models) / (m + 1))


def log_score(probabilities: Floats, targets: Floats) -> float:
    """Return the mean of −log of the probabilities (m, C), weighted by the targets (m, C)."""
    return float(-(targets * np.log(probabilities)).sum() / len(targets))


def mixture_weights(predictions: Floats, targets: Floats) -> Floats:
    """Return the weights of the members whose weighted mean has the lowest log score.

    The score is convex in the weights. Each step of the EM algorithm multiplies a weight by the slope
    of the score, whose weighted mean is 1. The largest slope minus 1 bounds the distance from the
    lowest score, so the steps end when it is at most 1e-6.

    Parameters
    ----------
    predictions : array (members, m, C), positive probabilities
    targets : array (m, C), rows that sum to 1

    >>> truth, noise = np.array([[0.9, 0.1], [0.1, 0.9]]), np.full((2, 2), 0.5)
    >>> mixture_weights(np.array([truth, noise]), truth).round(2)
    array([1., 0.])
    """
    weights = np.full(len(predictions), 1 / len(predictions))
    for _ in range(_MAX_STEPS):
        shares = targets / np.tensordot(weights, predictions, 1) / len(targets)
        slopes = np.tensordot(predictions, shares, 2)
        if slopes.max() <= 1 + _GAP:
            break
        weights *= slopes
    return np.asarray(weights / weights.sum())


def tempered(probabilities: Floats, temperature: float) -> Floats:
    """Return probabilities ∝ p^(1 / temperature): sharper below 1, flatter above 1."""
    return np.asarray(softmax(np.log(probabilities) / temperature, axis=1))


def fit_temperature(probabilities: Floats, targets: Floats) -> float:
    """Return the temperature with the lowest log score, from 0.2 to 5."""
    found = minimize_scalar(
        lambda power: log_score(tempered(probabilities, 1 / power), targets),
        bounds=(1 / FLATTEST, 1 / SHARPEST),
        method="bounded",
    )
    return float(1 / found.x)


def cross_fitted_temperature(probabilities: Floats, targets: Floats, folds: Codes) -> float:
    """Return the best temperature, or 1 if temperatures do not improve the score of other folds."""
    scored, names = probabilities.copy(), np.unique(folds)
    if len(names) < 2:
        return 1.0
    for fold in names:
        others = folds != fold
        temperature = fit_temperature(probabilities[others], targets[others])
        scored[~others] = tempered(probabilities[~others], temperature)
    if log_score(scored, targets) >= log_score(probabilities, targets):
        return 1.0
    return fit_temperature(probabilities, targets)
