"""The baseline: a random ranking that uses the costs but not the data."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from netchoice.selection.base import CostAwareSelector, TrainingData
from netchoice.selection.column_costs import ColumnCosts, log_costs
from netchoice.selection.greedy import Step, Terms, rank_greedily


class RandomRanking(CostAwareSelector):
    """Draw columns one by one with probability ∝ C^(−λ), independently of the data.

    A selector that does not rank better than this baseline has learned nothing from the data. The
    parameters and attributes are those of :class:`MRMR`, except those of mutual information. A
    cost of 0 counts as the smallest positive cost.

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.zeros((10, 3)), np.arange(10) % 2
    >>> RandomRanking(costs=[9, 1, 4], penalty=50).fit(X, y).ranking_
    array([1, 2, 0])
    """

    method = "random"

    def _compute_statistics(self, data: TrainingData, group: Sequence[CostAwareSelector]) -> Any:
        return data

    def _information(self, statistics: TrainingData, selected: list[int]) -> Terms:
        # The maximum of log w + Gumbel noise is a draw with probability ∝ w. Each draw has new noise.
        rng = np.random.default_rng([statistics.seed, len(selected)])
        return Terms(rng.gumbel(size=len(statistics.names)))

    def _rank(
        self, statistics: TrainingData, costs: ColumnCosts, n_steps: int | None = None
    ) -> list[Step]:
        steps = rank_greedily(
            len(costs.alone),
            partial(self._information, statistics),
            lambda selected: log_costs(costs.marginal_costs(selected)),
            self.penalty,
            costs.affordable(self.budget),
            n_steps,
        )
        columns = [step.column for step in steps]
        return [  # report costs instead of their logarithms, and no relevance instead of noise
            step._replace(
                terms=[0.0, None, None, None],
                cost=float(costs.marginal_costs(columns[:i])[step.column]),
            )
            for i, step in enumerate(steps)
        ]
