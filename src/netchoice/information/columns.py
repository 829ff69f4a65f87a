"""Prepared columns: ranks, codes and counts, computed once and used in all pairs."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int32]


class LookupTables(NamedTuple):
    """Values of functions at 0, 1, … n, which the kernels look up."""

    log: Floats
    digamma: Floats
    scores: Floats


@lru_cache(maxsize=64)
def lookup_tables(n: int) -> LookupTables:
    """Return logarithms and digammas of the integers up to n, and the n normal scores."""
    from scipy.special import digamma, ndtri

    numbers = np.maximum(np.arange(n + 1), 1)
    scores = ndtri((np.arange(n) + 0.5) / max(n, 1))
    return LookupTables(np.log(numbers), digamma(numbers), scores)


class SortedColumn(NamedTuple):
    """The sorted values of a column, the rows in that order, and the rank of each row."""

    values: Floats
    order: Integers
    rank: Integers


def sorted_column(values: Floats, order: NDArray[np.intp]) -> SortedColumn:
    """Return the column with these sorted values, whose rows have this order."""
    rank = np.empty(len(order), np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    return SortedColumn(values, order.astype(np.int32), rank)


@dataclass(frozen=True)
class CodedColumn:
    """A column as integers 0, 1, … in the order of its values, and the count of each value."""

    codes: Integers
    counts: NDArray[np.int64]
    nominal: bool = False  # the order has no meaning, as in class labels

    @property
    def n_values(self) -> int:
        """Number of distinct values."""
        return len(self.counts)

    @property
    def n_tied(self) -> int:
        """Number of rows that share their value with another row."""
        return len(self.codes) - int(np.count_nonzero(self.counts == 1))

    @cached_property
    def marginal(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The distinct counts of values in ascending order, and how many values have each count."""
        return np.unique(self.counts, return_counts=True)

    @cached_property
    def count_logs(self) -> float:
        """Sum of count · log(count) over the values."""
        counts, multiplicities = self.marginal
        logs = lookup_tables(len(self.codes)).log
        return float((multiplicities * (counts * logs[counts])).sum())

    @cached_property
    def entropy(self) -> float:
        """Entropy in nats."""
        n = len(self.codes)
        return float(lookup_tables(n).log[n]) - self.count_logs / n

    @cached_property
    def digest(self) -> bytes:
        """Hash of the codes in 16 bytes."""
        return digest(self.codes)


def encode_column(values: NDArray[Any], *, nominal: bool = False) -> CodedColumn:
    """Return the codes of a column, which are invariant under strictly monotone maps.

    Increasing and decreasing maps give the same codes: those of the direction in which the first
    row that differs between both has the lower code.
    """
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    codes: Integers = inverse.astype(np.int32)
    if not nominal:
        reversed_codes: Integers = (len(counts) - 1 - codes).astype(np.int32)
        differs = np.flatnonzero(codes != reversed_codes)
        if len(differs) and codes[differs[0]] > reversed_codes[differs[0]]:
            codes, counts = reversed_codes, counts[::-1]
    return CodedColumn(codes, np.ascontiguousarray(counts, np.int64), nominal)


def middle_scores(column: CodedColumn) -> tuple[Floats, Floats]:
    """Return the normal score of each row, and its position in the sorted column; ties are averaged.

    >>> middle_scores(encode_column(np.array([5.0, 7.0, 7.0])))[1]
    array([0.5, 2. , 2. ])
    """
    from scipy.special import ndtri

    position = (np.cumsum(column.counts) - column.counts / 2)[column.codes]
    return ndtri(position / len(position)), position


def without_trend(values: Floats, numbers: Floats) -> Floats:
    """Return the residuals of a linear regression of the values on the numbers.

    >>> without_trend(np.array([1.0, 3.0, 4.0]), np.array([0.0, 1.0, 2.0])).round(3)
    array([-0.167,  0.333, -0.167])
    """
    centred, trend = values - values.mean(), numbers - numbers.mean()
    squares = float(trend @ trend)
    return np.asarray(centred - trend * (float(centred @ trend) / squares) if squares else centred)


def digest(values: NDArray[Any]) -> bytes:
    """Return a hash of an array in 16 bytes."""
    return hashlib.blake2b(np.ascontiguousarray(values).tobytes(), digest_size=16).digest()


def generator(content: bytes, seed: int) -> np.random.Generator:
    """Return a generator that depends on the hash of a column and the seed, not on its position."""
    return np.random.default_rng([seed, *np.frombuffer(content, np.uint32).tolist()])


def jittered(values: Floats, seed: int) -> Floats:
    """Return a column as scikit-learn prepares it: standardised, and with noise to break ties.

    A standard deviation below ten times the machine epsilon counts as 0. The noise is normal, with
    a standard deviation of 1e-10 times the mean absolute value, and at least 1e-10.

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
