"""What is computed once for a column, before it is paired with others."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Whole = NDArray[np.int32]


class Tables(NamedTuple):
    """Functions of 0, 1, … n, looked up instead of computed in the kernels."""

    log: Floats
    digamma: Floats
    scores: Floats


@lru_cache(maxsize=64)
def tables(n: int) -> Tables:
    """Logarithms and digammas of the numbers up to n, and the n normal scores."""
    from scipy.special import digamma, ndtri

    numbers = np.maximum(np.arange(n + 1), 1)
    return Tables(np.log(numbers), digamma(numbers), ndtri((np.arange(n) + 0.5) / max(n, 1)))


class Sorted(NamedTuple):
    """A column in ascending order, the rows in that order, and the place of each row in it."""

    values: Floats
    order: Whole
    place: Whole


def in_order(values: Floats, order: NDArray[np.intp]) -> Sorted:
    """A column whose rows stand in this order; ``values`` are already sorted."""
    place = np.empty(len(order), np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    return Sorted(values, order.astype(np.int32), place)


class Marginal(NamedTuple):
    """How often values occur: the counts in ascending order, each with how many values have it."""

    counts: NDArray[np.int64]
    times: NDArray[np.int64]


@dataclass(frozen=True)
class Coded:
    """A column as integers 0, 1, … in the order of its values.

    ``nominal``: the order means nothing, as in class labels.
    """

    codes: Whole
    counts: NDArray[np.int64]
    nominal: bool = False

    @property
    def n_values(self) -> int:
        """How many values differ."""
        return len(self.counts)

    @cached_property
    def marginal(self) -> Marginal:
        """How often values occur."""
        return Marginal(*np.unique(self.counts, return_counts=True))

    @cached_property
    def count_logs(self) -> float:
        """Sum of count · log(count)."""
        counts, times = self.marginal
        return float((times * (counts * tables(len(self.codes)).log[counts])).sum())

    @cached_property
    def entropy(self) -> float:
        """In nats."""
        n = len(self.codes)
        return float(tables(n).log[n]) - self.count_logs / n

    @cached_property
    def digest(self) -> bytes:
        """What the column holds, in 16 bytes."""
        return digest(self.codes)


def coded(values: NDArray[Any], *, nominal: bool = False) -> Coded:
    """The column as codes; a strictly monotone map of the values, up or down, changes nothing.

    Of the two directions the one is taken in which the first row that tells them apart is lower.
    """
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    codes: Whole = inverse.astype(np.int32)
    if not nominal:
        upside_down: Whole = (len(counts) - 1 - codes).astype(np.int32)
        differs = np.flatnonzero(codes != upside_down)
        if len(differs) and codes[differs[0]] > upside_down[differs[0]]:
            codes, counts = upside_down, counts[::-1]
    return Coded(codes, np.ascontiguousarray(counts, np.int64), nominal)


def digest(values: NDArray[Any]) -> bytes:
    """The content of an array in 16 bytes."""
    return hashlib.blake2b(np.ascontiguousarray(values).tobytes(), digest_size=16).digest()


def generator(content: bytes, seed: int) -> np.random.Generator:
    """Random numbers that depend on what a column holds and on the seed, not on where it stands."""
    return np.random.default_rng([seed, *np.frombuffer(content, np.uint32).tolist()])


def jittered(values: Floats, seed: int) -> Floats:
    """A column as scikit-learn prepares it: divided by its deviation, and ties broken by noise.

    The noise is normal, 1e-10 times the mean absolute value or 1e-10, whichever is more. A
    deviation below ten times the machine epsilon counts as none, as it does there.

    >>> jittered(np.array([1.0, 1.0, 3.0]), seed=0).round(6)
    array([1.06066 , 1.06066 , 3.181981])
    """
    values = np.asarray(values, np.float64)
    largest = float(np.abs(values).max(initial=0.0))
    if largest > 1e150:  # squares would overflow
        values = values / largest
    deviation = float(values.std())
    scaled = values / deviation if deviation >= 10 * np.finfo(float).eps else values
    width = 1e-10 * max(1.0, float(np.abs(scaled).mean()))
    noise = generator(digest(values), seed).standard_normal(len(values))
    return np.asarray(scaled + width * noise)
