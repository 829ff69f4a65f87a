"""Searching subsets of columns for accuracy and cost: what is tried, and what is best of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, combinations, islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netchoice.errors import UsageError
from netchoice.selection.column_costs import ColumnCosts
from netchoice.selection.greedy import Floats
from netchoice.threads import threads

Subset = tuple[int, ...]

#: How many of the sets that tell most beyond their parts are followed up.
N_BEST = 10
#: Columns that tell nothing drown in the distances what the others of a group tell.
LARGEST_GROUP = 6


class Tried(NamedTuple):
    """One set that was evaluated."""

    columns: Subset
    cost: float
    accuracies: Floats  # one for each fold

    @property
    def accuracy(self) -> float:
        """Mean over the folds."""
        return float(self.accuracies.mean())

    @property
    def standard_error(self) -> float:
        """Of that mean, over the folds."""
        return float(self.accuracies.std(ddof=1) / math.sqrt(len(self.accuracies)))


class Archive:
    """All sets evaluated, each once, in threads; the order of results is that of the questions.

    Parameters
    ----------
    accuracies : callable
        For a set of columns, its accuracy in each fold.
    costs : ColumnCosts
    n_jobs : int or None
    """

    def __init__(
        self, accuracies: Callable[[Subset], Floats], costs: ColumnCosts, n_jobs: int | None
    ) -> None:
        self._accuracies = accuracies
        self._n_jobs = n_jobs
        self.costs = costs
        self.tried: dict[Subset, Tried] = {}

    def __len__(self) -> int:
        return len(self.tried)

    def evaluate(self, subsets: Iterable[Subset], at_most: int | None = None) -> None:
        """Try the sets that were not tried yet; the first of them, where the number is limited."""
        new = dict.fromkeys(subset for subset in subsets if subset not in self.tried)
        chosen = list(islice(new, None if at_most is None else max(0, at_most)))
        with threads(self._n_jobs) as run:
            found = run(self._accuracies, chosen)
        for subset, accuracies in zip(chosen, found, strict=True):
            self.tried[subset] = Tried(subset, self.costs.of_set(subset), accuracies)

    def accuracy(self, subset: Subset) -> float:
        """Mean accuracy of a set that was tried; 0 of one that was not."""
        return self.tried[subset].accuracy if subset in self.tried else 0.0

    def beyond_the_best_column(self, subsets: Iterable[Subset]) -> list[Subset]:
        """Those of the sets that are more accurate than each of their columns, most so first."""
        gain = {}
        for subset in subsets:
            parts = [(column,) for column in subset]
            if subset in self.tried and all(part in self.tried for part in parts):
                gain[subset] = self.accuracy(subset) - max(map(self.accuracy, parts))
        return sorted((one for one in gain if gain[one] > 0), key=lambda one: (-gain[one], one))

    def is_perfect(self) -> bool:
        """Whether nothing is left to look for: the cheapest single column makes no mistake."""
        return self.front()[0].accuracy == 1

    def front(self) -> list[Tried]:
        """Sets that no other beats in cost or accuracy without losing in the other, by cost.

        Of several with the same cost and accuracy, the one with the fewest columns, then the
        earliest.
        """
        best: list[Tried] = []
        # Sums of the same costs in another order differ in the last digits: that is no gain.
        for one in sorted(
            self.tried.values(),
            key=lambda t: (float(f"{t.cost:.12g}"), -t.accuracy, len(t.columns), t.columns),
        ):
            if not best or one.accuracy > best[-1].accuracy:
                best.append(one)
        return best


def explore(
    archive: Archive,
    given: Sequence[Subset],
    *,
    n_columns: int,
    max_features: int,
    n_evaluations: int,
    population: int,
    seed: int,
) -> None:
    """Fill the archive: every set where they are few enough, otherwise scouts, then evolution."""
    archive.evaluate(given)
    sizes = range(1, max_features + 1)
    every = chain.from_iterable(combinations(range(n_columns), k) for k in sizes)
    some = list(islice(every, n_evaluations + 1))
    if len(some) <= n_evaluations:
        archive.evaluate(some)
        return
    evolve = _evolution()  # before hours of work, not after
    scout(archive, n_columns, max_features, n_evaluations // 2, seed)
    if n_evaluations > len(archive) and not archive.is_perfect():
        pairs = [subset for subset in archive.tried if len(subset) == 2]
        partners = archive.beyond_the_best_column(pairs)
        evolve(
            _masks(archive.tried, n_columns),
            partial(_aims, archive),
            n_evaluations=n_evaluations - len(archive),
            population=population,
            max_features=max_features,
            partners=partners[:N_BEST],
            seed=seed,
        )


def scout(archive: Archive, n_columns: int, max_features: int, at_most: int, seed: int) -> None:
    """Single columns, cheapest first; the cheapest and the best of them together; then pairs.

    Two columns that tell only together are invisible to a search that adds one at a time. So all
    pairs are tried if they are few enough; if not, random groups that hold most pairs somewhere,
    and then the pairs inside the groups that tell most beyond their best column.
    """
    enough = len(archive) + at_most
    by_cost = [int(i) for i in np.lexsort((np.arange(n_columns), archive.costs.alone))]
    archive.evaluate([(i,) for i in by_cost], at_most)
    if archive.is_perfect():
        return
    by_accuracy = sorted(by_cost, key=lambda i: -archive.accuracy((i,)))
    sizes = [2**k for k in range(1, n_columns.bit_length()) if 2**k <= max_features]
    together = [tuple(sorted(order[:k])) for k in sizes for order in (by_cost, by_accuracy)]
    archive.evaluate(together, enough - len(archive))
    left = enough - len(archive)
    size = group_size(n_columns, min(max_features, LARGEST_GROUP), left)
    if size == 2 and math.comb(n_columns, 2) <= left:
        archive.evaluate(combinations(range(n_columns), 2))
    elif size:
        groups = list(random_groups(n_columns, size, left - _pairs_in_the_best(size), seed))
        archive.evaluate(groups)
        telling = archive.beyond_the_best_column(groups)
        archive.evaluate(pair for group in telling[:N_BEST] for pair in combinations(group, 2))


def group_size(n_columns: int, largest: int, n_groups: int) -> int:
    """Columns in a group, so that this many groups hold most pairs; 0 where none can.

    Twice as many places as pairs: a pair is then in some random group 6 times in 7.

    >>> group_size(40, 6, 1000), group_size(100, 6, 1000), group_size(5000, 6, 1000)
    (2, 5, 6)
    """
    pairs = math.comb(n_columns, 2)
    if largest < 2:
        return 0
    if pairs <= n_groups:
        return 2
    enough = (k for k in range(3, largest) if n_groups * math.comb(k, 2) >= 2 * pairs)
    size = next(enough, largest)
    return size if n_groups >= 2 * _pairs_in_the_best(size) else 0


def _pairs_in_the_best(size: int) -> int:
    return 0 if size == 2 else N_BEST * math.comb(size, 2)


def random_groups(n_columns: int, size: int, wanted: int, seed: int) -> Iterator[Subset]:
    """Groups of this size: the columns are shuffled and cut into groups, again and again."""
    rng = np.random.default_rng([seed, 1])
    for i in range(max(0, wanted)):
        at = i % (n_columns // size)
        if at == 0:
            shuffled = rng.permutation(n_columns)
        yield tuple(sorted(int(c) for c in shuffled[at * size : (at + 1) * size]))


def _evolution() -> Callable[..., None]:
    try:
        from netchoice.selection.nsga import evolve
    except ModuleNotFoundError as error:
        raise UsageError(
            f"searching among this many subsets needs {str(error.name).partition('.')[0]}, which "
            "is not installed; install it with: pip install 'netchoice[search]'"
        ) from error
    return evolve


def _masks(subsets: Collection[Subset], n_columns: int) -> NDArray[np.bool_]:
    masks = np.zeros((len(subsets), n_columns), dtype=bool)
    for mask, subset in zip(masks, subsets, strict=True):
        mask[list(subset)] = True
    return masks


def _aims(archive: Archive, masks: NDArray[np.bool_]) -> Floats:
    """What is to be small, for each set: cost and inaccuracy."""
    subsets = [tuple(int(i) for i in np.flatnonzero(mask)) for mask in masks]
    archive.evaluate(subsets)
    positive = archive.costs.alone[archive.costs.alone > 0]
    unit = positive.min() if len(positive) else 1.0
    # Costs span orders of magnitude; their logarithm spreads the search over all of them.
    found = [archive.tried[subset] for subset in subsets]
    return np.array([[math.log1p(one.cost / unit), -one.accuracy] for one in found])
