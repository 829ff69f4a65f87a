"""Estimators of mutual information: each prepares columns once, then estimates pairs of them."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int32]


# Prepared columns: ranks, codes and counts, computed once and used in all pairs


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


# Estimators


@dataclass(frozen=True)
class PairEstimator:
    """Base of the estimators for pairs of columns; each is exactly symmetric in the two columns."""

    seed: int
    n_neighbors: int

    #: The smallest possible mean over classes.
    minimum: ClassVar[float] = -math.inf

    def prepare(self, values: NDArray[Any], discrete: bool) -> Any:
        """Prepare a column of numbers."""
        raise NotImplementedError

    def prepare_labels(self, codes: NDArray[Any]) -> Any:
        """Prepare a column of class labels."""
        raise NotImplementedError

    def prepare_given(
        self, values: NDArray[Any], discrete: bool, rows: NDArray[np.intp], numbers: NDArray[Any]
    ) -> Any:
        """Prepare a column in rows with similar numbers, adjusted for these numbers if possible."""
        return self.prepare(values[rows], discrete)

    def estimate(self, a: Any, b: Any) -> float:
        """Estimate the mutual information of two columns that were prepared on the same rows."""
        raise NotImplementedError

    def estimate_within_class(self, a: Any, b: Any) -> float:
        """Estimate the mutual information in the rows of one class, for a mean over classes."""
        return self.estimate(a, b)


def plugin_information(a: CodedColumn, b: CodedColumn) -> float:
    """Return the mutual information of the observed frequencies."""
    from netchoice._kernels.mutual_information import joint_count_logs

    n = len(a.codes)
    log = lookup_tables(n).log
    joint = joint_count_logs(a.codes, b.codes, a.n_values, b.n_values, log)
    return float(log[n] - ((a.count_logs + b.count_logs) - joint) / n)


def expected_mutual_information(a: CodedColumn, b: CodedColumn) -> float:
    """Return the mean of :func:`plugin_information` over all permutations of one column."""
    from netchoice._kernels.mutual_information import expected_information

    n = len(a.codes)
    marginals = (a.marginal, b.marginal)
    first, second = sorted(marginals, key=lambda m: [part.tolist() for part in m])  # symmetry
    return float(expected_information(*first, *second, n, lookup_tables(n).log))


def kraskov(a: SortedColumn, b: SortedColumn, n_neighbors: int) -> float:
    """Return the nearest-neighbour estimate for two columns of numbers without ties.

    Kraskov, Stögbauer and Grassberger 2004, doi:10.1103/PhysRevE.69.066138.
    """
    from netchoice._kernels.mutual_information import of_values

    n = len(a.values)
    partner = b.rank[a.order]
    k = min(n_neighbors, n - 1)
    return float(of_values(a.values, b.values, partner, k, lookup_tables(n).digamma))


def ross(a: SortedColumn, labels: CodedColumn, n_neighbors: int) -> float:
    """Return the nearest-neighbour estimate for a column of numbers without ties, and labels.

    Ross 2014, doi:10.1371/journal.pone.0087357.
    """
    from netchoice._kernels.mutual_information import of_values_and_labels

    digamma = lookup_tables(len(a.values)).digamma
    codes = labels.codes[a.order]
    return float(of_values_and_labels(a.values, codes, labels.n_values, n_neighbors, digamma))


class Plugin(PairEstimator):
    """The plug-in estimate: every value is a category. For tests and teaching."""

    def prepare(self, values: NDArray[Any], discrete: bool) -> CodedColumn:
        """Return the codes of the values."""
        return encode_column(values, nominal=True)

    def prepare_labels(self, codes: NDArray[Any]) -> CodedColumn:
        """Return the codes of the labels."""
        return encode_column(codes, nominal=True)

    def estimate(self, a: CodedColumn, b: CodedColumn) -> float:
        """Return the mutual information of the observed frequencies."""
        return 0.0 if min(a.n_values, b.n_values) < 2 else max(0.0, plugin_information(a, b))


class Published(PairEstimator):
    """The published estimates: adjusted for discrete pairs, nearest neighbours otherwise.

    A column without information is prepared as None: a constant column, or a discrete column whose
    values are all distinct.
    """

    def prepare(self, values: NDArray[Any], discrete: bool) -> CodedColumn | SortedColumn | None:
        """Return the codes of a discrete column, or the sorted jittered values."""
        if discrete:
            return self.prepare_labels(values)
        if len(values) == 0 or (values == values[0]).all():
            return None
        noisy = jittered(values, self.seed)
        order = np.argsort(noisy, kind="stable")
        return sorted_column(noisy[order], order)

    def prepare_given(
        self, values: NDArray[Any], discrete: bool, rows: NDArray[np.intp], numbers: NDArray[Any]
    ) -> CodedColumn | SortedColumn | None:
        """Return the codes of a discrete column, or the sorted residuals."""
        here = values[rows]
        return self.prepare(here if discrete else without_trend(here, numbers), discrete)

    def prepare_labels(self, codes: NDArray[Any]) -> CodedColumn | None:
        """Return the codes of the labels."""
        column = encode_column(codes, nominal=True)
        return column if 1 < column.n_values < len(codes) else None

    def estimate(
        self, a: CodedColumn | SortedColumn | None, b: CodedColumn | SortedColumn | None
    ) -> float:
        """Return the adjusted estimate for two discrete columns, otherwise nats, at least 0."""
        if a is None or b is None:
            return 0.0
        if isinstance(a, CodedColumn):
            if isinstance(b, CodedColumn):
                expected = expected_mutual_information(a, b)
                mean_entropy = 0.5 * (a.entropy + b.entropy)
                return (plugin_information(a, b) - expected) / (mean_entropy - expected)
            return max(0.0, ross(b, a, self.n_neighbors))
        if isinstance(b, CodedColumn):
            return max(0.0, ross(a, b, self.n_neighbors))
        return max(0.0, kraskov(a, b, self.n_neighbors))


#: Number of random ways to break ties, if more than this fraction of the rows has ties.
DRAWS, TIED = 4, 0.05


@dataclass(frozen=True)
class RankedColumn:
    """A column as codes, and as normal scores of its ranks."""

    coded: CodedColumn
    seed: int

    @cached_property
    def draws(self) -> tuple[SortedColumn, ...]:
        """The scores, with ties broken at random, in several ways if there are many ties."""
        codes = self.coded.codes
        n = len(codes)
        rng = generator(self.coded.digest, self.seed)
        n_draws = DRAWS if self.coded.n_tied > TIED * n else 1
        orders = [np.lexsort((rng.random(n), codes)) for _ in range(n_draws)]
        return tuple(sorted_column(lookup_tables(n).scores, order) for order in orders)


class Calibrated(PairEstimator):
    """The calibrated estimate: invariant under monotone maps, 0 for independence, always in nats.

    A pair is estimated from its contingency table if the table has enough rows per cell, otherwise
    from nearest neighbours of normal scores. ``docs/evidence-selection.md`` has the evidence for the
    constants.
    """

    minimum = 0.0
    #: Contingency tables are used if the mutual information expected by chance is at most this many
    #: nats, and at most this fraction of the smaller entropy.
    MAX_EXPECTED = 0.1
    #: A column with this mean number of rows per value can serve as labels.
    ROWS_PER_LABEL = 30

    def prepare(self, values: NDArray[Any], discrete: bool) -> RankedColumn:
        """Return codes and normal scores; ``discrete`` has no effect."""
        return RankedColumn(encode_column(values), self.seed)

    def prepare_given(
        self, values: NDArray[Any], discrete: bool, rows: NDArray[np.intp], numbers: NDArray[Any]
    ) -> RankedColumn:
        """Return the column, or its residuals if few of its values are repeated in these rows.

        The residuals are those of normal scores, so that monotone maps do not change them.
        """
        scores = middle_scores(encode_column(values))[0][rows]
        column = encode_column(scores)
        if column.n_tied <= TIED * len(rows):
            column = encode_column(without_trend(scores, numbers))
        return RankedColumn(column, self.seed)

    def prepare_labels(self, codes: NDArray[Any]) -> RankedColumn:
        """Return codes and normal scores of labels, whose order has no meaning."""
        return RankedColumn(encode_column(codes, nominal=True), self.seed)

    def estimate(self, a: RankedColumn, b: RankedColumn) -> float:
        """Return the mutual information in nats, between 0 and the smaller entropy."""
        return max(self.estimate_within_class(a, b), 0.0)

    def estimate_within_class(self, a: RankedColumn, b: RankedColumn) -> float:
        """Return an estimate that may be negative, so that a mean over classes is unbiased."""
        smaller_entropy = min(a.coded.entropy, b.coded.entropy)
        if min(a.coded.n_values, b.coded.n_values) < 2:
            return 0.0
        estimate = self._from_table(a.coded, b.coded, smaller_entropy)
        if estimate is None:
            estimate = self._from_neighbours(a, b)
        return min(estimate, smaller_entropy)

    def _from_table(self, a: CodedColumn, b: CodedColumn, smaller_entropy: float) -> float | None:
        """Return the estimate from the contingency table; None if the table is too sparse.

        Its mean is 0 for independent columns, and it is the smaller entropy for full dependence,
        where chance cannot add anything.
        """
        if a.nominal and b.nominal:  # the order of categories has no neighbours
            return plugin_information(a, b) - expected_mutual_information(a, b)
        limit = self.MAX_EXPECTED * min(1.0, smaller_entropy)
        if (a.n_values - 1) * (b.n_values - 1) > 20 * limit * len(a.codes):
            return None  # about ten times too sparse, even if many values are rare
        expected = expected_mutual_information(a, b)
        if expected > limit:
            return None
        gain = plugin_information(a, b) - expected
        return gain * smaller_entropy / (smaller_entropy - expected)

    def _from_neighbours(self, a: RankedColumn, b: RankedColumn) -> float:
        first, second = sorted((a, b), key=_label_key)
        rows_per_value = len(first.coded.codes) / first.coded.n_values
        if first.coded.nominal or rows_per_value >= self.ROWS_PER_LABEL:
            estimates = [ross(draw, first.coded, self.n_neighbors) for draw in second.draws]
        else:
            n_draws = max(len(a.draws), len(b.draws))
            estimates = [
                kraskov(a.draws[i % len(a.draws)], b.draws[i % len(b.draws)], self.n_neighbors)
                for i in range(n_draws)
            ]
        return sum(estimates) / len(estimates)


def _label_key(column: RankedColumn) -> tuple[bool, int, bytes]:
    """Return a sort key: labels first, then fewer values; ties are broken by the hash."""
    return not column.coded.nominal, column.coded.n_values, column.coded.digest
