"""Multinomial regression on the rows of a table that are nearest to a query."""

import numpy as np
from numba import types

from netchoice._kernels.compiler import FLOAT, INT, helper, kernel
from netchoice._kernels.multinomial_regression import fit_multinomial

TABLE = types.Array(types.float64, 2, "C")
CODES = types.Array(types.int64, 1, "C")
NUMBERS = types.Array(types.float64, 1, "C")

TIED = 1e-9  # relative difference up to which two distances count as equal
MAX_DEVIATIONS = 1000.0  # of a query from the near rows; slopes are meaningless beyond


@helper
def distances_from(X, query):
    """Return the Euclidean distances (n,) of the rows of X (n, q) from the query (q,)."""
    distance = np.empty(len(X))
    for row in range(len(X)):
        total = 0.0
        for k in range(len(query)):
            difference = X[row, k] - query[k]
            total += difference * difference
        distance[row] = np.sqrt(total)
    return distance


@helper
def epanechnikov(distance, k):
    """Return the rows among the k nearest with positive weights 1 − (d/δ)², and these weights.

    The bandwidth δ is the distance of the next row; in Beaumont et al. 2002 it is that of the k-th
    row, which then has weight 0. If all near rows are equally far, they have equal weights.
    """
    n = len(distance)
    bandwidth = np.partition(distance, k)[k] if n > k else distance.max() * (1 + 1 / n)
    rows = np.flatnonzero(distance < bandwidth * (1 - TIED))
    if len(rows) == 0:
        rows = np.flatnonzero(distance <= bandwidth * (1 + TIED))
        return rows, np.ones(len(rows))
    return rows, 1 - (distance[rows] / bandwidth) ** 2


@helper
def use_local_unit(steps, weights):
    """Divide steps (n,) from the query by their local standard deviation, in place; 0 if constant."""
    mean, variance, total = 0.0, 0.0, weights.sum()
    for row in range(len(steps)):
        mean += weights[row] / total * steps[row]
    for row in range(len(steps)):
        variance += weights[row] / total * (steps[row] - mean) ** 2
    unit = np.sqrt(variance)
    if unit <= 1e-9 * max(abs(mean), 1e-3):
        unit = np.inf
    offset = min(max(mean / unit, -MAX_DEVIATIONS), MAX_DEVIATIONS)
    for row in range(len(steps)):
        steps[row] = (steps[row] - mean) / unit + offset


@helper
def _are_separated(X, codes, coefficients):
    """Return whether the class of every row has the largest score."""
    n_classes = coefficients.shape[1]
    for row in range(len(X)):
        top, best = -np.inf, -1
        for c in range(n_classes):
            score = coefficients[0, c]
            for k in range(X.shape[1]):
                score += X[row, k] * coefficients[k + 1, c]
            if score > top:
                top, best = score, c
        if best != codes[row]:
            return False
    return True


@kernel(TABLE, CODES, NUMBERS, INT, INT, FLOAT)
def regress_locally(X, codes, query, n_neighbours, n_classes, ridge):
    """Fit a multinomial regression to the rows nearest to a query, and evaluate it at the query.

    The near rows have Epanechnikov weights, scaled to their effective number (Kish). One more row, in
    equal parts of all classes, is placed at the query. Return the log-odds (C,) of the classes against
    the last one, their covariance (C, C), the weight (C,) of each class among the near rows, and
    whether the regression separates the classes of these rows.
    """
    rows, weights = epanechnikov(distances_from(X, query), n_neighbours)
    weights *= weights.sum() / (weights**2).sum()
    n, q = len(rows), len(query)
    steps, near = np.zeros((q, n)), np.zeros(n_classes)
    all_codes, all_weights = np.arange(-n, n_classes), np.full(n + n_classes, 1 / n_classes)
    for i in range(n):
        all_codes[i], all_weights[i] = codes[rows[i]], weights[i]
        near[codes[rows[i]]] += weights[i]
        for k in range(q):
            steps[k, i] = X[rows[i], k] - query[k]
    design = np.zeros((n + n_classes, q))
    for k in range(q):
        use_local_unit(steps[k], weights)
        design[:n, k] = steps[k]
    coefficients, covariance = fit_multinomial(design, all_codes, all_weights, n_classes, ridge)
    separated = _are_separated(design[:n], all_codes, coefficients)
    return coefficients[0].copy(), covariance, near, separated
