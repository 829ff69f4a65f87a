"""The one idea: information minus λ times price. Every method plugs into this loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Terms(NamedTuple):
    """What each column would add, given those taken: relevance − redundancy + interaction.

    Methods that look at columns one by one have no redundancy and no interaction.
    """

    relevance: Floats
    redundancy: Floats | None = None
    interaction: Floats | None = None

    @property
    def information(self) -> Floats:
        """The part of the criterion that has nothing to do with prices."""
        if self.redundancy is None:
            return self.relevance
        if self.interaction is None:
            return self.relevance - self.redundancy
        return self.relevance - self.redundancy + self.interaction

    def of(self, column: int) -> tuple[float, float | None, float | None]:
        """The three terms of one column."""
        redundancy, interaction = (
            None if term is None else float(term[column])
            for term in (self.redundancy, self.interaction)
        )
        return float(self.relevance[column]), redundancy, interaction


class Step(NamedTuple):
    """One column taken, and why."""

    column: int
    relevance: float
    redundancy: float | None
    interaction: float | None
    price: float
    score: float


def take_one_by_one(
    n: int,
    information: Callable[[list[int]], Terms],
    price: Callable[[list[int]], Floats],
    penalty: float,
) -> list[Step]:
    """All columns, each time the one with the most information minus λ × price.

    Parameters
    ----------
    n : int
        Number of columns.
    information, price : callables
        Given the columns taken so far, a value for every column.
    penalty : float
        λ, how much price weighs against information.

    Returns
    -------
    list of Step
        In the order taken. Ties go to the cheaper column, then to the earlier one.

    Examples
    --------
    >>> weights, prices = np.array([3.0, 2.0, 2.5]), np.array([5.0, 0.0, 1.0])
    >>> steps = take_one_by_one(3, lambda taken: Terms(weights), lambda taken: prices, penalty=1)
    >>> [step.column for step in steps]
    [1, 2, 0]
    """
    left = np.arange(n)
    steps: list[Step] = []
    while len(left):
        taken = [step.column for step in steps]
        terms, prices = information(taken), price(taken)
        with np.errstate(over="ignore"):  # an endless penalty leaves the order of price
            scores = terms.information - penalty * prices
        best = int(left[np.lexsort((left, prices[left], -scores[left]))[0]])
        steps.append(Step(best, *terms.of(best), float(prices[best]), float(scores[best])))
        left = left[left != best]
    return steps
