"""The methods by name, as used on the command line and in tables."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from netchoice.names import unknown
from netchoice.selection.base import CostAwareSelector
from netchoice.selection.baseline import RandomRanking
from netchoice.selection.forest_importance import PenalizedForest, WeightedForest
from netchoice.selection.forward_regression import ForwardRegression
from netchoice.selection.relief import ForestReliefF, ReliefF
from netchoice.selection.sequential import JMI, JMIM, MRMR

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
    """Return a new selector with these parameters for one of ``METHODS``.

    >>> get_selector("jmi", penalty=1)
    JMI(penalty=1)
    """
    if method not in METHODS:
        raise unknown("method", method, METHODS)
    return METHODS[method](**parameters)


#: The methods that draw cheap columns more often instead of subtracting a cost from a score.
WEIGHTED_METHODS = tuple(name for name in METHODS if METHODS[name]().statistics_depend_on_penalty)

#: The methods that take numbers as a target; all take classes.
NUMBER_METHODS = tuple(name for name in METHODS if METHODS[name]().supports_numbers)
