"""The estimators: each prepares a column once, then scores pairs of prepared columns, in nats."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from netchoice.information.columns import (
    Coded,
    Marginal,
    Sorted,
    coded,
    generator,
    in_order,
    jittered,
    tables,
)


class Estimator(Protocol):
    """Prepares columns and scores pairs; exchanging the two columns changes no bit."""

    def column(self, values: NDArray[Any], discrete: bool) -> Any:
        """A column of numbers, made ready."""

    def labels(self, codes: NDArray[Any]) -> Any:
        """A column of class labels, made ready."""

    def pair(self, a: Any, b: Any) -> float:
        """The mutual information of two columns that were made ready on the same rows."""

    def within_class(self, a: Any, b: Any) -> float:
        """The same for the rows of one class, of which the mean over classes will be taken."""

    @property
    def lowest(self) -> float:
        """What such a mean cannot be below."""


def plain_information(a: Coded, b: Coded) -> float:
    """Mutual information of the observed frequencies."""
    from netchoice._kernels.contingency import joint_count_logs

    n = len(a.codes)
    log = tables(n).log
    joint = joint_count_logs(a.codes, b.codes, a.n_values, b.n_values, log)
    return float(log[n] - ((a.count_logs + b.count_logs) - joint) / n)


def chance_information(a: Coded, b: Coded) -> float:
    """What ``plain_information`` is in the mean when one column is shuffled."""
    from netchoice._kernels.contingency import expected_information

    n = len(a.codes)
    first, second = sorted((a.marginal, b.marginal), key=_in_full)  # for exact symmetry
    return float(expected_information(*first, *second, n, tables(n).log))


def _in_full(marginal: Marginal) -> tuple[list[int], list[int]]:
    return marginal.counts.tolist(), marginal.times.tolist()


def kraskov(a: Sorted, b: Sorted, n_neighbors: int) -> float:
    """Nearest neighbours of two columns of numbers without ties."""
    from netchoice._kernels.mutual_information import of_values

    n = len(a.values)
    partner = b.place[a.order]
    k = min(n_neighbors, n - 1)
    return float(of_values(a.values, b.values, partner, k, tables(n).digamma))


def ross(a: Sorted, labels: Coded, n_neighbors: int) -> float:
    """Nearest neighbours of a column of numbers without ties, and labels."""
    from netchoice._kernels.mutual_information import of_values_and_labels

    digamma = tables(len(a.values)).digamma
    in_turn = labels.codes[a.order]
    return float(of_values_and_labels(a.values, in_turn, labels.n_values, n_neighbors, digamma))


class Plugin:
    """Every value a category of its own; exact on small tables, for tests and teaching."""

    lowest = -math.inf

    def column(self, values: NDArray[Any], discrete: bool) -> Coded:
        """Codes, whatever the values."""
        return coded(values, nominal=True)

    def labels(self, codes: NDArray[Any]) -> Coded:
        """Codes."""
        return coded(codes, nominal=True)

    def pair(self, a: Coded, b: Coded) -> float:
        """Of the observed frequencies; never below 0 but by rounding."""
        return 0.0 if min(a.n_values, b.n_values) < 2 else max(0.0, plain_information(a, b))

    within_class = pair


class Published:
    """The published way: adjusted for discrete pairs, nearest neighbours of raw values otherwise.

    None stands for a column that carries nothing: constant, or discrete with all values distinct.
    """

    lowest = -math.inf

    def __init__(self, seed: int, n_neighbors: int) -> None:
        self.seed = seed
        self.n_neighbors = n_neighbors

    def column(self, values: NDArray[Any], discrete: bool) -> Coded | Sorted | None:
        """Codes if discrete, otherwise scaled values with some noise."""
        if discrete:
            return self.labels(values)
        if len(values) == 0 or (values == values[0]).all():
            return None
        noisy = jittered(values, self.seed)
        order = np.argsort(noisy, kind="stable")
        return in_order(noisy[order], order)

    def labels(self, codes: NDArray[Any]) -> Coded | None:
        """Codes."""
        column = coded(codes, nominal=True)
        return column if 1 < column.n_values < len(codes) else None

    def pair(self, a: Coded | Sorted | None, b: Coded | Sorted | None) -> float:
        """Adjusted (unit 1) for two discrete columns; otherwise in nats and not below 0."""
        if a is None or b is None:
            return 0.0
        if isinstance(a, Coded):
            if isinstance(b, Coded):
                chance = chance_information(a, b)
                mean_entropy = 0.5 * (a.entropy + b.entropy)
                return (plain_information(a, b) - chance) / (mean_entropy - chance)
            return max(0.0, ross(b, a, self.n_neighbors))
        if isinstance(b, Coded):
            return max(0.0, ross(a, b, self.n_neighbors))
        return max(0.0, kraskov(a, b, self.n_neighbors))

    within_class = pair


#: Ties are broken in so many ways if more than this share of the rows has any.
DRAWS, TIED = 4, 0.05


@dataclass(frozen=True)
class Ranked:
    """A column as codes, and as normal scores of its ranks."""

    coded: Coded
    seed: int

    @cached_property
    def draws(self) -> tuple[Sorted, ...]:
        """The scores, with ties broken at random, in several ways if there are many."""
        codes, counts = self.coded.codes, self.coded.counts
        n = len(codes)
        rng = generator(self.coded.digest, self.seed)
        tied = n - np.count_nonzero(counts == 1)
        orders = [
            np.lexsort((rng.random(n), codes)) for _ in range(DRAWS if tied > TIED * n else 1)
        ]
        return tuple(in_order(tables(n).scores, order) for order in orders)


class Calibrated:
    """Invariant under monotone maps, 0 for independent columns, and one unit for all pairs.

    A pair is scored as a table of frequencies where the table is well filled; otherwise by nearest
    neighbours of normal scores. ``docs/information.md`` has the evidence for every number here.
    """

    lowest = 0.0
    #: The table is well filled if chance alone gives at most this many nats, or this share of what
    #: the columns could share at most.
    CHANCE = 0.1
    #: A column whose values occur this often in the mean can serve as labels.
    ROWS_PER_LABEL = 30

    def __init__(self, seed: int, n_neighbors: int) -> None:
        self.seed = seed
        self.n_neighbors = n_neighbors

    def column(self, values: NDArray[Any], discrete: bool) -> Ranked:
        """Codes and normal scores; what counts is how often values repeat, not ``discrete``."""
        return Ranked(coded(values), self.seed)

    def labels(self, codes: NDArray[Any]) -> Ranked:
        """The same, but their order means nothing."""
        return Ranked(coded(codes, nominal=True), self.seed)

    def pair(self, a: Ranked, b: Ranked) -> float:
        """In nats, between 0 and the smaller entropy."""
        return max(self.within_class(a, b), 0.0)

    def within_class(self, a: Ranked, b: Ranked) -> float:
        """The same, but below 0 where chance has it so: the mean over classes must not gain by it."""
        most = min(a.coded.entropy, b.coded.entropy)
        if min(a.coded.n_values, b.coded.n_values) < 2:
            return 0.0
        by_table = self._by_table(a.coded, b.coded, most)
        estimate = self._by_neighbours(a, b) if by_table is None else by_table
        return min(estimate, most)

    def _by_table(self, a: Coded, b: Coded, most: float) -> float | None:
        """0 in the mean for independent columns, ``most`` for dependent ones; None if too sparse.

        The mean over shuffles counts fully at independence and not at all at full dependence,
        where there is nothing left that chance could add.
        """
        limit = self.CHANCE * min(1.0, most)
        if (a.n_values - 1) * (b.n_values - 1) > 20 * limit * len(a.codes):
            return None  # about ten times too sparse, even if many values are rare
        chance = chance_information(a, b)
        if chance > limit:
            return None
        return (plain_information(a, b) - chance) * most / (most - chance)

    def _by_neighbours(self, a: Ranked, b: Ranked) -> float:
        first, second = sorted((a, b), key=_better_as_labels)
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


def _better_as_labels(column: Ranked) -> tuple[bool, int, bytes]:
    """Labels first, then the fewest values; the content decides a draw, not the place."""
    return not column.coded.nominal, column.coded.n_values, column.coded.digest


def make(estimator: str, seed: int, n_neighbors: int) -> Estimator:
    """The estimator of this name."""
    if estimator == "plugin":
        return Plugin()
    if estimator == "published":
        return Published(seed, n_neighbors)
    return Calibrated(seed, n_neighbors)
