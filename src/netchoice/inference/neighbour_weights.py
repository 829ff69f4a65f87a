"""Distances between queries and simulations, and the weights of the nearest simulations."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.spatial.distance import cdist

from netchoice.inference.scaling import Codes, Floats

#: Relative difference up to which two distances or scores count as equal. Sums of the same squares
#: in another order differ by less.
TIE_TOLERANCE = 1e-9

_MAX_CELLS = 4_000_000  # distances in memory at a time
_MAX_DEVIATIONS = 1000.0  # of a query from the near simulations; slopes are meaningless beyond


def distances(X: Floats, queries: Floats) -> Iterator[tuple[slice, Floats]]:
    """Yield blocks of queries and their Euclidean distances to all rows of ``X``."""
    step = max(1, _MAX_CELLS // len(X))
    for start in range(0, len(queries), step):
        block = slice(start, min(start + step, len(queries)))
        yield block, cdist(queries[block], X)


def shares_of_nearest(distance: Floats, k: int) -> Floats:
    """Return the vote (m, n) of every row: 1 for the k nearest; ties share the last votes equally."""
    kth = np.partition(distance, k - 1, axis=1)[:, k - 1, None]
    nearer = distance < kth * (1 - TIE_TOLERANCE)
    tied = (distance <= kth * (1 + TIE_TOLERANCE)) & ~nearer
    left = k - nearer.sum(axis=1, keepdims=True)
    return np.asarray(nearer + tied * (left / tied.sum(axis=1, keepdims=True)))


def epanechnikov(distance: Floats, k: int) -> tuple[Codes, Floats]:
    """Return the rows among the k nearest with positive weights 1 − (d/δ)², and these weights.

    The bandwidth δ is the distance of the next row; in Beaumont et al. 2002 it is that of the k-th
    row, which then has weight 0. If all near rows are equally far, they have equal weights.
    """
    n = len(distance)
    bandwidth = float(np.partition(distance, k)[k] if n > k else distance.max() * (1 + 1 / n))
    rows = np.flatnonzero(distance < bandwidth * (1 - TIE_TOLERANCE))
    if not len(rows):
        rows = np.flatnonzero(distance <= bandwidth * (1 + TIE_TOLERANCE))
        return rows, np.ones(len(rows))
    return rows, 1 - (distance[rows] / bandwidth) ** 2


def effective_n(weights: Floats) -> Floats:
    """Return Kish's effective sample size (Σw)² / Σw² along the last axis."""
    return np.asarray(weights.sum(axis=-1) ** 2 / (weights**2).sum(axis=-1))


def local_steps(steps: Floats, weights: Floats) -> Floats:
    """Return the steps (n, q) from the query in units of the local standard deviation."""
    shares = weights / weights.sum()
    mean = np.einsum("i,ij->j", shares, steps)
    centred = steps - mean
    deviation = np.sqrt(np.einsum("i,ij,ij->j", shares, centred, centred))
    varies = deviation > 1e-9 * np.maximum(np.abs(mean), 1e-3)
    unit = np.where(varies, deviation, np.inf)  # a constant column is 0
    centred /= unit
    centred += (mean / unit).clip(-_MAX_DEVIATIONS, _MAX_DEVIATIONS)
    return np.asarray(centred)
