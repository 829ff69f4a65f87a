"""The central idea: information minus λ times cost. Every method plugs into this loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netchoice.errors import UsageError

Floats = NDArray[np.float64]


class Terms(NamedTuple):
    """The information that each column adds: relevance − redundancy + interaction + partner.

    Each term has one value per column. Methods that score columns one by one have the relevance
    only. ``partner`` is the relevance of a selected column, for methods that score pairs.
    """

    relevance: Floats
    redundancy: Floats | None = None
    interaction: Floats | None = None
    partner: Floats | None = None

    @property
    def information(self) -> Floats:
        """The sum of the terms: the criterion without the cost."""
        total = self.relevance if self.redundancy is None else self.relevance - self.redundancy
        return sum((term for term in self[2:] if term is not None), start=total)


class Step(NamedTuple):
    """One step of the ranking: the selected column, its terms, its cost and its score."""

    column: int
    terms: list[float | None]
    cost: float
    score: float


def rank_greedily(
    n_columns: int,
    information: Callable[[list[int]], Terms],
    cost: Callable[[list[int]], Floats],
    penalty: float,
    affordable: Callable[[list[int]], NDArray[np.bool_]] | None = None,
    n_steps: int | None = None,
) -> list[Step]:
    """Rank the columns: each step selects the column with the most information minus λ × cost.

    ``information`` and ``cost`` return the terms and the cost of every column, given the columns
    selected so far; ``penalty`` is λ. Ties go to the cheaper column, then to the earlier one.
    With a budget, ``affordable`` returns the columns that the rest of it pays for; as long as there are
    any, only these are selected. ``n_steps`` is the number of columns to rank; None ranks all.

    >>> weights, costs = np.array([3.0, 2.0, 2.5]), np.array([5.0, 0.0, 1.0])
    >>> steps = rank_greedily(3, lambda selected: Terms(weights), lambda selected: costs, penalty=1)
    >>> [step.column for step in steps]
    [1, 2, 0]
    """
    remaining = np.arange(n_columns)
    steps: list[Step] = []
    n_ranked = n_columns if n_steps is None else min(n_steps, n_columns)
    while len(steps) < n_ranked:
        selected = [step.column for step in steps]
        terms, costs = information(selected), cost(selected)
        gains = terms.information
        candidates = remaining
        if affordable is not None and (paid := affordable(selected)[remaining]).any():
            candidates = remaining[paid]
        candidate_costs = costs[candidates]
        if np.isnan(gains[remaining]).any():
            raise UsageError(
                "`_information` must return a number for every column; got NaN. Correct the method."
            )
        with np.errstate(over="ignore"):
            # Costs above the cheapest: a huge penalty still ranks equal costs by information.
            scores = gains[candidates] - penalty * (candidate_costs - candidate_costs.min())
            best = int(candidates[np.lexsort((candidates, candidate_costs, -scores))[0]])
            score = float(gains[best] - penalty * costs[best])
        best_terms = [None if term is None else float(term[best]) for term in terms]
        steps.append(Step(best, best_terms, float(costs[best]), score))
        remaining = remaining[remaining != best]
    return steps
