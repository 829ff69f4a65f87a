"""Search among sets of columns for high accuracy and low cost."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, combinations, islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netchoice.errors import UsageError
from netchoice.selection.column_costs import ColumnCosts, smallest_positive
from netchoice.selection.greedy import Floats
from netchoice.threads import threads

Subset = tuple[int, ...]

#: Number of groups, and of pairs, with the largest joint gain that the search follows up.
N_FOLLOWED = 10
#: In larger groups, uninformative columns dominate the distances between rows.
MAX_GROUP_SIZE = 6


class EvaluatedSubset(NamedTuple):
    """A set of columns with its cost and its accuracy in each fold."""

    columns: Subset
    cost: float
    accuracies: Floats

    @property
    def accuracy(self) -> float:
        """Mean accuracy over the folds."""
        return float(self.accuracies.mean())

    @property
    def standard_error(self) -> float:
        """Standard error of the mean accuracy over the folds."""
        return float(self.accuracies.std(ddof=1) / math.sqrt(len(self.accuracies)))


@dataclass
class Archive:
    """All sets evaluated so far, each once, in the order in which they were requested."""

    accuracies: Callable[[Subset], Floats]  # of a set, in each fold
    costs: ColumnCosts
    n_jobs: int | None
    evaluated: dict[Subset, EvaluatedSubset] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.evaluated)

    def evaluate(self, subsets: Iterable[Subset], limit: int | None = None) -> None:
        """Evaluate the sets that are new; with a limit, only the first of them."""
        new = dict.fromkeys(subset for subset in subsets if subset not in self.evaluated)
        first = list(islice(new, None if limit is None else max(0, limit)))
        with threads(self.n_jobs) as run:
            results = run(self.accuracies, first)
        for subset, accuracies in zip(first, results, strict=True):
            cost = self.costs.cost_of_set(subset)
            self.evaluated[subset] = EvaluatedSubset(subset, cost, accuracies)

    def accuracy(self, subset: Subset) -> float:
        """Return the mean accuracy of a set; the lowest value if it has not been evaluated."""
        return self.evaluated[subset].accuracy if subset in self.evaluated else -math.inf

    def with_joint_gain(self, subsets: Iterable[Subset]) -> list[Subset]:
        """Return the sets that are more accurate than each of their columns, largest gain first."""
        gain = {}
        for subset in subsets:
            parts = [(column,) for column in subset]
            if subset in self.evaluated and all(part in self.evaluated for part in parts):
                gain[subset] = self.accuracy(subset) - max(map(self.accuracy, parts))
        return sorted((s for s in gain if gain[s] > 0), key=lambda s: (-gain[s], s))

    def cheapest_is_perfect(self) -> bool:
        """Return whether the cheapest set makes no error, so that no other set can be better."""
        return self.front()[0].accuracy == 1

    def front(self) -> list[EvaluatedSubset]:
        """Return the Pareto front, sorted by cost.

        No other set is cheaper and as accurate, or more accurate and as cheap. Among sets with the
        same cost and accuracy, the front has the one with the fewest columns, then the earliest.
        """
        front: list[EvaluatedSubset] = []
        # Costs are rounded, because sums in a different order differ in the last digits.
        for subset in sorted(
            self.evaluated.values(),
            key=lambda s: (float(f"{s.cost:.12g}"), -s.accuracy, len(s.columns), s.columns),
        ):
            if not front or subset.accuracy > front[-1].accuracy:
                front.append(subset)
        return front


def search_subsets(
    archive: Archive,
    initial: Sequence[Subset],
    *,
    n_columns: int,
    max_features: int,
    n_evaluations: int,
    population: int,
    seed: int,
) -> None:
    """Evaluate all sets if they are few enough; otherwise small sets first, then NSGA-II."""
    archive.evaluate(initial)
    sizes = range(1, max_features + 1)
    every = chain.from_iterable(combinations(range(n_columns), k) for k in sizes)
    first = list(islice(every, n_evaluations + 1))
    if len(first) <= n_evaluations:
        archive.evaluate(first)
        return
    evolve = _import_nsga()  # first, so that a missing package is an error at once
    evaluate_small_sets(archive, n_columns, max_features, n_evaluations // 2, seed)
    if n_evaluations > len(archive) and not archive.cheapest_is_perfect():
        pairs = [subset for subset in archive.evaluated if len(subset) == 2]
        evolve(
            np.array([np.isin(range(n_columns), subset) for subset in archive.evaluated]),
            partial(_objectives, archive),
            n_evaluations=n_evaluations - len(archive),
            population=population,
            max_features=max_features,
            partners=archive.with_joint_gain(pairs)[:N_FOLLOWED],
            seed=seed,
        )


def evaluate_small_sets(
    archive: Archive, n_columns: int, max_features: int, limit: int, seed: int
) -> None:
    """Evaluate single columns, then the cheapest and the best of them jointly, then pairs.

    A search that adds one column at a time does not find two columns that are informative only
    jointly. So all pairs are evaluated if they are few enough. If not, random groups that contain
    most pairs are evaluated, and then the pairs inside the groups with the largest joint gain.
    """
    max_size = len(archive) + limit
    by_cost = [int(i) for i in np.lexsort((np.arange(n_columns), archive.costs.alone))]
    archive.evaluate([(i,) for i in by_cost], limit)
    if archive.cheapest_is_perfect():
        return
    by_accuracy = sorted(by_cost, key=lambda i: -archive.accuracy((i,)))
    sizes = [2**k for k in range(1, n_columns.bit_length()) if 2**k <= max_features]
    prefixes = [tuple(sorted(order[:k])) for k in sizes for order in (by_cost, by_accuracy)]
    archive.evaluate(prefixes, max_size - len(archive))
    remaining = max_size - len(archive)
    size = group_size(n_columns, min(max_features, MAX_GROUP_SIZE), remaining)
    if size == 2 and math.comb(n_columns, 2) <= remaining:
        archive.evaluate(combinations(range(n_columns), 2))
    elif size:
        groups = list(random_groups(n_columns, size, remaining - _n_followed_pairs(size), seed))
        archive.evaluate(groups)
        followed = archive.with_joint_gain(groups)[:N_FOLLOWED]
        archive.evaluate(pair for group in followed for pair in combinations(group, 2))


def group_size(n_columns: int, max_size: int, n_groups: int) -> int:
    """Return the size of random groups that contain most pairs of columns, or 0 if none does.

    With twice as many pairs in all groups as different pairs, 6/7 of the pairs are in some group.

    >>> group_size(40, 6, 1000), group_size(100, 6, 1000), group_size(5000, 6, 1000)
    (2, 5, 6)
    """
    n_pairs = math.comb(n_columns, 2)
    if max_size < 2:
        return 0
    if n_pairs <= n_groups:
        return 2
    large_enough = (k for k in range(3, max_size) if n_groups * math.comb(k, 2) >= 2 * n_pairs)
    size = next(large_enough, max_size)
    return size if n_groups >= 2 * _n_followed_pairs(size) else 0


def _n_followed_pairs(size: int) -> int:
    return 0 if size == 2 else N_FOLLOWED * math.comb(size, 2)


def random_groups(n_columns: int, size: int, n_groups: int, seed: int) -> Iterator[Subset]:
    """Yield groups of this size: the columns are shuffled and divided into groups repeatedly."""
    rng = np.random.default_rng([seed, 1])
    for i in range(max(0, n_groups)):
        place = i % (n_columns // size)
        if place == 0:
            shuffled = rng.permutation(n_columns)
        yield tuple(sorted(int(c) for c in shuffled[place * size : (place + 1) * size]))


def _import_nsga() -> Callable[..., None]:
    try:
        from netchoice.selection.nsga import evolve
    except ModuleNotFoundError as error:
        raise UsageError(
            f"a search among this many sets needs {str(error.name).partition('.')[0]}, which is "
            "not installed; install it with: pip install 'netchoice[search]'"
        ) from error
    return evolve


def _objectives(archive: Archive, masks: NDArray[np.bool_]) -> Floats:
    """Return the objectives (n_sets, 2) that NSGA-II minimises: log cost and −accuracy."""
    subsets = [tuple(int(i) for i in np.flatnonzero(mask)) for mask in masks]
    archive.evaluate(subsets)
    results = [archive.evaluated[subset] for subset in subsets]
    unit = smallest_positive(archive.costs.alone)
    # Costs span orders of magnitude; on the log scale the search covers all of them.
    return np.array([[math.log1p(s.cost / unit), -s.accuracy] for s in results])
