"""Slow, readable reference implementations of the ensemble's weights and temperature."""

import math

import numpy as np
from scipy.optimize import minimize


def log_score(weights, predictions, targets):
    """Mean of −log of the weighted mean of the predictions, weighted by the targets."""
    total = 0.0
    for i in range(len(targets)):
        for c in range(len(targets[0])):
            mean = sum(w * p[i][c] for w, p in zip(weights, predictions, strict=True))
            total -= targets[i][c] * math.log(mean)
    return total / len(targets)


def best_weights(predictions, targets):
    """Weights on the simplex with the lowest log score, by sequential quadratic programming."""
    n = len(predictions)
    found = minimize(
        lambda w: log_score(w, predictions, targets),
        np.full(n, 1 / n),
        bounds=[(1e-9, 1)] * n,
        constraints={"type": "eq", "fun": lambda w: w.sum() - 1},
        options={"ftol": 1e-12},
    )
    return found.x


def best_temperature(probabilities, targets, grid):
    """Temperature of the grid with the lowest log score."""

    def score(temperature):
        total = 0.0
        for row, target in zip(probabilities, targets, strict=True):
            powers = [p ** (1 / temperature) for p in row]
            total -= sum(t * math.log(p / sum(powers)) for t, p in zip(target, powers, strict=True))
        return total

    return min(grid, key=score)
