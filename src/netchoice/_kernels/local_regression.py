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
def value_at_rank(values, rank):
    """Return the value with this rank, counted from 0, in ascending order (Hoare's quickselect)."""
    values = values.copy()
    low, high = 0, len(values) - 1
    while low < high:
        pivot = values[(low + high) // 2]
        i, j = low, high
        while i <= j:
            while values[i] < pivot:
                i += 1
            while values[j] > pivot:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                i += 1
                j -= 1
        low, high = (low, j) if rank <= j else (i, high) if rank >= i else (rank, rank)
    return values[rank]


@helper
def epanechnikov(distance, k):
    """Return the rows among the k nearest with positive weights 1 − (d/δ)², and these weights.

    The bandwidth δ is the distance of the next row; in Beaumont et al. 2002 it is that of the k-th
    row, which then has weight 0. If all near rows are equally far, they have equal weights.
    """
    n, n_near = len(distance), 0
    rows, weights = np.empty(n, np.int64), np.empty(n)
    bandwidth = value_at_rank(distance, min(k, n - 1)) * (1 if n > k else 1 + 1 / n)
    for row in range(n):
        if distance[row] < bandwidth * (1 - TIED):
            rows[n_near], weights[n_near] = row, 1 - (distance[row] / bandwidth) ** 2
            n_near += 1
    if n_near == 0:
        for row in range(n):
            if distance[row] <= bandwidth * (1 + TIED):
                rows[n_near], weights[n_near] = row, 1.0
                n_near += 1
    return rows[:n_near], weights[:n_near]


@helper
def use_local_unit(steps, column, weights, total):
    """Divide a column of steps from the query by its local standard deviation; 0 if it is constant.

    The first rows have weights, with this total; the others, at the query, do not change.
    """
    mean, variance = 0.0, 0.0
    for row in range(len(weights)):
        mean += weights[row] / total * steps[row, column]
    for row in range(len(weights)):
        variance += weights[row] / total * (steps[row, column] - mean) ** 2
    unit = np.sqrt(variance)
    if unit <= 1e-9 * max(abs(mean), 1e-3):
        unit = np.inf
    offset = min(max(mean / unit, -MAX_DEVIATIONS), MAX_DEVIATIONS)
    for row in range(len(weights)):
        steps[row, column] = (steps[row, column] - mean) / unit + offset


@helper
def _are_separated(X, codes, n, coefficients):
    """Return whether the classes of the first n rows have the largest scores."""
    n_classes = coefficients.shape[1]
    for row in range(n):
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
    equal parts of all classes, is placed at the query. Classes without near rows take no part. Return the
    log-odds (C,) of the classes and their covariance (C, C), both up to a constant that probabilities do
    not depend on, the weight (C,) of each class among the near rows, whether the regression separates
    the classes of these rows, and the squared distance of the query from their centre, in local standard
    deviations. Log-odds and covariances of absent classes are 0.
    """
    rows, weights = epanechnikov(distances_from(X, query), n_neighbours)
    n, q = len(rows), len(query)
    total, squares = 0.0, 0.0
    for i in range(n):
        total += weights[i]
        squares += weights[i] ** 2
    near = np.zeros(n_classes)
    for i in range(n):
        near[codes[rows[i]]] += weights[i] * total / squares
    present = np.flatnonzero(near)
    number = np.zeros(n_classes, np.int64)
    number[present] = np.arange(len(present))
    scores, covariance = np.zeros(n_classes), np.zeros((n_classes, n_classes))
    design = np.zeros((n + len(present), q))
    all_codes = np.arange(-n, len(present))
    all_weights = np.full(n + len(present), 1 / n_classes)
    for i in range(n):
        all_codes[i] = number[codes[rows[i]]]
        all_weights[i] = weights[i] * total / squares
        for k in range(q):
            design[i, k] = X[rows[i], k] - query[k]
    offset = 0.0
    for k in range(q):
        use_local_unit(design, k, weights, total)
        mean = 0.0
        for i in range(n):
            mean += weights[i] / total * design[i, k]
        offset += mean * mean
    if len(present) == 1:
        return scores, covariance, near, True, offset
    coefficients, fitted = fit_multinomial(design, all_codes, all_weights, len(present), ridge)
    separated = _are_separated(design, all_codes, n, coefficients)
    for i in present:
        scores[i] = coefficients[0, number[i]]
        for j in present:
            covariance[i, j] = fitted[number[i], number[j]]
    return scores, covariance, near, separated, offset
