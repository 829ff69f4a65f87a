"""The methods by name, as used on the command line and in tables, and the baseline of all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from netchoice.errors import UsageError
from netchoice.selection.base import CostAwareSelector, TrainingData
from netchoice.selection.column_costs import ColumnCosts, smallest_positive
from netchoice.selection.forest_importance import PenalizedForest, WeightedForest
from netchoice.selection.forward_regression import ForwardRegression
from netchoice.selection.greedy import Floats, Step, Terms, rank_greedily
from netchoice.selection.relief import ForestReliefF, ReliefF
from netchoice.selection.sequential import JMI, JMIM, MRMR
from netchoice.user_code import load_attribute
from netchoice.validation import unknown


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
    supports_missing = True

    def _compute_statistics(self, data: TrainingData, group: Sequence[CostAwareSelector]) -> Any:
        return data

    def _information(self, statistics: TrainingData, selected: list[int]) -> Terms:
        # The maximum of log w + Gumbel noise is a draw with probability ∝ w. Each draw has new noise.
        rng = np.random.default_rng([statistics.seed, len(selected)])
        return Terms(rng.gumbel(size=len(statistics.names)))

    def _rank(
        self, statistics: TrainingData, costs: ColumnCosts, n_steps: int | None = None
    ) -> list[Step]:
        least = smallest_positive(costs.alone)

        def log_marginal_costs(selected: list[int]) -> Floats:
            marginal = costs.marginal_costs(selected)
            return np.asarray(np.log(np.where(marginal > 0, marginal, least)))

        steps = rank_greedily(
            len(costs.alone),
            partial(self._information, statistics),
            log_marginal_costs,
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


#: A factory of selectors for each method; the methods of the paper are the first, in its order.
METHODS: dict[str, Callable[..., CostAwareSelector]] = {
    "mrmr": MRMR,
    "jmi": JMI,
    "jmim": JMIM,
    "relieff": ReliefF,
    "forest-relieff": ForestReliefF,
    "penalized-mdi": partial(PenalizedForest, importance="mdi"),
    "penalized-mda": partial(PenalizedForest, importance="mda"),
    "weighted-mdi": partial(WeightedForest, importance="mdi"),
    "weighted-mda": partial(WeightedForest, importance="mda"),
    "random": RandomRanking,
    "forward-regression": ForwardRegression,
}

#: The nine methods of the paper, in its order.
PAPER_METHODS = (
    "mrmr", "jmi", "jmim", "relieff", "forest-relieff", "penalized-mdi", "penalized-mda",
    "weighted-mdi", "weighted-mda",
)  # fmt: skip

#: The method that ignores the data. A selector should rank better than this one.
BASELINE = "random"


def get_selector(method: str, **parameters: Any) -> CostAwareSelector:
    """Return a new selector with these parameters, by its name or by ``module:attribute``.

    The names are those of :data:`METHODS`. The attribute is a subclass of :class:`CostAwareSelector`,
    or a function with these parameters that returns such a selector.

    >>> get_selector("jmi", penalty=1)
    JMI(penalty=1)
    >>> get_selector("netchoice.selection:MRMR")
    MRMR()
    """
    if ":" not in method:
        if method not in METHODS:
            raise unknown("method", method, METHODS)
        return METHODS[method](**parameters)
    loaded = load_attribute(method)
    made = loaded(**parameters) if callable(loaded) else loaded
    if not isinstance(made, CostAwareSelector):
        raise UsageError(
            f"{method} makes a {type(made).__name__}; expected a subclass of "
            "netchoice.selection.CostAwareSelector"
        )
    return made


#: The methods that draw cheap columns more often instead of subtracting a cost from a score.
WEIGHTED_METHODS = tuple(name for name in METHODS if METHODS[name]().statistics_depend_on_penalty)

#: The methods that take numbers as a target; all take classes.
NUMBER_METHODS = tuple(name for name in METHODS if METHODS[name]().supports_numbers)
