"""Distances between queries and simulations, votes of the nearest simulations, and effective numbers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.spatial.distance import cdist

from netchoice.inference.scaling import Floats

#: Relative difference up to which two distances or scores count as equal. Sums of the same squares
#: in another order differ by less.
TIE_TOLERANCE = 1e-9

_MAX_CELLS = 4_000_000  # distances in memory at a time


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


def effective_n(weights: Floats) -> Floats:
    """Return Kish's effective sample size (Σw)² / Σw² along the last axis."""
    return np.asarray(weights.sum(axis=-1) ** 2 / (weights**2).sum(axis=-1))
