"""The one idea: information minus λ times cost. Every method plugs into this loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netchoice.errors import UsageError

Floats = NDArray[np.float64]


class Terms(NamedTuple):
    """What each column would add, given those taken: relevance − redundancy + interaction + partner.

    Methods that look at columns one by one have their relevance only. The partner's relevance
    counts where a column is judged together with one of those taken.
    """

    relevance: Floats
    redundancy: Floats | None = None
    interaction: Floats | None = None
    partner: Floats | None = None

    @property
    def information(self) -> Floats:
        """The part of the criterion that has nothing to do with costs."""
        total = self.relevance
        if self.redundancy is not None:
            total = total - self.redundancy
        for more in (self.interaction, self.partner):
            if more is not None:
                total = total + more
        return total

    def of(self, column: int) -> list[float | None]:
        """The terms of one column."""
        return [None if term is None else float(term[column]) for term in self]


class Step(NamedTuple):
    """One column taken, and why."""

    column: int
    terms: list[float | None]
    cost: float
    score: float


def take_one_by_one(
    n: int,
    information: Callable[[list[int]], Terms],
    cost: Callable[[list[int]], Floats],
    penalty: float,
) -> list[Step]:
    """All columns, each time the one with the most information minus λ × cost.

    Parameters
    ----------
    n : int
        Number of columns.
    information, cost : callables
        Given the columns taken so far, a value for every column.
    penalty : float
        λ, how much cost weighs against information.

    Returns
    -------
    list of Step
        In the order taken. Ties go to the cheaper column, then to the earlier one.

    Examples
    --------
    >>> weights, costs = np.array([3.0, 2.0, 2.5]), np.array([5.0, 0.0, 1.0])
    >>> steps = take_one_by_one(3, lambda taken: Terms(weights), lambda taken: costs, penalty=1)
    >>> [step.column for step in steps]
    [1, 2, 0]
    """
    left = np.arange(n)
    steps: list[Step] = []
    while len(left):
        taken = [step.column for step in steps]
        terms, costs = information(taken), cost(taken)
        information_left, costs_left = terms.information[left], costs[left]
        if np.isnan(information_left).any():
            raise UsageError("the information of a column is not a number; mend the method")
        with np.errstate(over="ignore"):
            # Above the cheapest, so that a huge penalty leaves information among equal costs.
            scores = information_left - penalty * (costs_left - costs_left.min())
            told = terms.information - penalty * costs
        best = int(left[np.lexsort((left, costs_left, -scores))[0]])
        steps.append(Step(best, terms.of(best), float(costs[best]), float(told[best])))
        left = left[left != best]
    return steps
