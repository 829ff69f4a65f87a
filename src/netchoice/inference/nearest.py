"""Which simulations are near, and what all three methods say of a network."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]

_CELLS = 4_000_000  # distances held at once
_FARTHEST = 1000.0
_TIED = 1e-9  # relative; sums of the same squares in another order differ by less


@dataclass(frozen=True)
class Told:
    """Probabilities of C models for m networks, under the shares that the models have in the table.

    Attributes
    ----------
    probabilities, low, high : arrays (m, C)
    details : dict of arrays
        What else was found, by name; the first axis is that of the networks.
    """

    probabilities: Floats
    low: Floats
    high: Floats
    details: dict[str, NDArray[Any]]


def told_in_parts(parts: list[Told]) -> Told:
    """One after another."""
    return Told(
        np.concatenate([part.probabilities for part in parts]),
        np.concatenate([part.low for part in parts]),
        np.concatenate([part.high for part in parts]),
        {name: np.concatenate([part.details[name] for part in parts]) for name in parts[0].details},
    )


def distances(known: Floats, asked: Floats) -> Iterator[tuple[slice, Floats]]:
    """Euclidean distances, a block of asked rows at a time."""
    from scipy.spatial.distance import cdist

    step = max(1, _CELLS // len(known))
    for start in range(0, len(asked), step):
        block = slice(start, min(start + step, len(asked)))
        yield block, cdist(asked[block], known)


def shares_of_nearest(distance: Floats, k: int) -> Floats:
    """How much every known row counts (m, n): 1 for the k nearest, 0 for the others.

    Rows that are equally far, where not all of them are among the k nearest, share what is left.
    """
    kth = np.partition(distance, k - 1, axis=1)[:, k - 1, None]
    nearer = distance < kth * (1 - _TIED)
    tied = (distance <= kth * (1 + _TIED)) & ~nearer
    left = k - nearer.sum(axis=1, keepdims=True)
    return np.asarray(nearer + tied * (left / tied.sum(axis=1, keepdims=True)))


def epanechnikov(distance: Floats, k: int) -> tuple[Codes, Floats]:
    """The k nearest rows (m, k) and their weights: 1 − (d/δ)², δ the distance of the next one.

    (Beaumont et al. 2002, doi:10.1093/genetics/162.4.2025, take the distance of the k-th itself,
    which then weighs nothing.) If all are equally far they weigh the same.
    """
    n = distance.shape[1]
    taken = min(k + 1, n)
    near = np.sort(np.argpartition(distance, taken - 1, axis=1)[:, :taken], axis=1)
    order = np.argsort(np.take_along_axis(distance, near, axis=1), axis=1, kind="stable")
    order = np.take_along_axis(near, order, axis=1)
    sorted_distance = np.take_along_axis(distance, order, axis=1)
    bandwidth = sorted_distance[:, -1:] * (1 if n > k else 1 + 1 / n)
    with np.errstate(invalid="ignore", divide="ignore"):
        weights = 1 - (sorted_distance[:, :k] / bandwidth) ** 2
    equal = ~(weights > _TIED).any(axis=1)
    weights[equal] = 1.0
    return order[:, :k], weights.clip(min=0.0)


def effective_number(weights: Floats) -> Floats:
    """How many equally weighted rows say as much (Kish): (Σw)² / Σw²."""
    return np.asarray(weights.sum(axis=-1) ** 2 / (weights**2).sum(axis=-1))


def local_steps(steps: Floats, weights: Floats) -> Floats:
    """Steps (…, n, q) from the asked point, in local standard deviations.

    A feature that does not vary among the near simulations says nothing there, and is 0. An asked
    point that is more than 1000 deviations away is taken to be 1000 away: slopes say nothing of either.
    """
    shares = (weights / weights.sum(axis=-1, keepdims=True))[..., None]
    mean = (steps * shares).sum(axis=-2, keepdims=True)
    deviation = np.sqrt(((steps - mean) ** 2 * shares).sum(axis=-2, keepdims=True))
    varies = deviation > 1e-9 * np.maximum(np.abs(mean), 1e-3)
    unit = np.where(varies, deviation, 1.0)
    away = (mean / unit).clip(-_FARTHEST, _FARTHEST)
    return np.asarray(np.where(varies, (steps - mean) / unit + away, 0.0))
