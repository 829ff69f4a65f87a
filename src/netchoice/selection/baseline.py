"""The baseline: a ranking that looks at costs alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from netchoice.selection.base import CostAwareSelector, Problem
from netchoice.selection.column_costs import ColumnCosts, logarithms
from netchoice.selection.greedy import Step, Terms, take_one_by_one


class RandomRanking(CostAwareSelector):
    """Columns drawn one by one with probability ∝ C^(−λ), whatever the data say.

    A selector that is not better than this has found nothing. Parameters and attributes are those
    of :class:`MRMR` that do not concern mutual information; a cost of 0 is taken at the smallest
    positive one.

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.zeros((10, 3)), np.arange(10) % 2
    >>> RandomRanking(costs=[9, 1, 4], penalty=50).fit(X, y).ranking_
    array([1, 2, 0])
    """

    method = "random"

    def _learn(self, problem: Problem, together: Sequence[CostAwareSelector]) -> Any:
        return problem

    def _information(self, learnt: Problem, taken: list[int]) -> Terms:
        # The largest of log w + Gumbel noise is a draw with probability ∝ w; noise again for each.
        rng = np.random.default_rng([learnt.seed, len(taken)])
        return Terms(rng.gumbel(size=len(learnt.names)))

    def _rank(self, learnt: Problem, costs: ColumnCosts) -> list[Step]:
        drawn = take_one_by_one(
            len(costs.alone),
            lambda taken: self._information(learnt, taken),
            lambda taken: logarithms(costs.one_more(taken)),
            self.penalty,
        )
        columns = [step.column for step in drawn]
        return [  # noise is no relevance, and a logarithm no cost
            step._replace(
                terms=[0.0, None, None, None],
                cost=float(costs.one_more(columns[:i])[step.column]),
            )
            for i, step in enumerate(drawn)
        ]
