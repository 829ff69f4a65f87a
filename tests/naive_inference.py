"""Reference implementations of the inference: slow and readable, without imports from netchoice."""

from statistics import NormalDist

import numpy as np


def normal_scores(column):
    """Return Φ⁻¹ of the mean rank of each value, as a share of all ranks."""
    n = len(column)
    scores = []
    for value in column:
        below = sum(other < value for other in column)
        equal = sum(other == value for other in column)
        scores.append(NormalDist().inv_cdf((below + equal / 2) / n))
    return scores


def epanechnikov(distances, k):
    """Return the weights 1 − (d/δ)² of the k nearest rows; δ is the distance of the next row."""
    bandwidth = sorted(distances)[k]
    return [max(0.0, 1 - (d / bandwidth) ** 2) for d in distances]


def multinomial_regression(X, one_hot, weights, ridge):
    """Return coefficients (q + 1, C) and the covariance (C, C) of the intercepts, by Newton's method.

    Every class has its own coefficients. Both results are relative to the last class.
    """
    design = np.column_stack([np.ones(len(X)), X])
    p, n_classes = design.shape[1], one_hot.shape[1]
    penalty = np.repeat([[1e-6], *[[ridge]] * (p - 1)], n_classes, axis=1)

    def loss_and_derivatives(coefficients):
        scores = design @ coefficients
        logs = scores - np.logaddexp.reduce(scores, axis=1, keepdims=True)
        loss = -(weights * (logs * one_hot).sum(axis=1)).sum()
        slope, curvature = penalty * coefficients, np.diag(penalty.ravel())
        for row, shares, classes, weight in zip(
            design, np.exp(logs), one_hot, weights, strict=True
        ):
            slope = slope + weight * np.outer(row, shares - classes)
            spread = np.diag(shares) - np.outer(shares, shares)
            curvature = curvature + weight * np.kron(np.outer(row, row), spread)
        return loss + 0.5 * (penalty * coefficients**2).sum(), slope, curvature

    coefficients = np.zeros((p, n_classes))
    loss, slope, curvature = loss_and_derivatives(coefficients)
    for _ in range(50):
        step = np.linalg.solve(curvature, slope.ravel()).reshape(slope.shape)
        while loss_and_derivatives(coefficients - step)[0] > loss * (1 + 1e-12):
            step = step / 2
        coefficients = coefficients - step
        loss, slope, curvature = loss_and_derivatives(coefficients)
        if np.abs(step).max() < 1e-9:
            break
    relative = np.eye(n_classes) - np.eye(n_classes)[-1]
    covariance = np.linalg.inv(curvature)[:n_classes, :n_classes]
    return coefficients @ relative.T, relative @ covariance @ relative.T


def distance_correlation(a, b):
    """Return the distance correlation by the sums of Székely, Rizzo & Bakirov 2007, definition 3."""

    def centred(points):
        n = len(points)
        d = [[float(np.linalg.norm(p - q)) for q in points] for p in points]
        rows = [sum(row) / n for row in d]
        grand = sum(rows) / n
        return [[d[i][j] - rows[i] - rows[j] + grand for j in range(n)] for i in range(n)]

    def mean_product(s, t):
        return (
            sum(x * y for u, v in zip(s, t, strict=True) for x, y in zip(u, v, strict=True))
            / len(s) ** 2
        )

    first, second = centred(a), centred(b)
    variances = mean_product(first, first) * mean_product(second, second)
    return (mean_product(first, second) / variances**0.5) ** 0.5


def adjusted_p_values(p):
    """Return Benjamini and Hochberg's adjusted p-values: the smallest rate at which each is rejected."""
    m, adjusted = len(p), []
    for own in p:
        rates = [m * other / sum(each <= other for each in p) for other in p if other >= own]
        adjusted.append(min(1.0, *rates))
    return adjusted
