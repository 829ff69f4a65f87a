"""Stages of a simulation: expensive features are computed on a part of the simulations only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from netchoice.costs import CostModel

#: Below so many seconds for a network, all features are cheap.
CHEAP_SECONDS = 5e-3


class SimulationCosts(NamedTuple):
    """CPU seconds of one simulation: its growth, its cheap features, and its expensive ones."""

    growth: float
    cheap: float
    expensive: float


def expensive_features(costs: CostModel, names: Sequence[str], growth: float) -> list[str]:
    """Return the features that would more than double the cost of a simulation.

    The features are sorted by cost. From the first on that costs more than the network and all cheaper
    features together, they are expensive.

    Parameters
    ----------
    costs : CostModel, of the features, with shared steps
    names : sequence of str, features
    growth : float, seconds to simulate a network without features

    Examples
    --------
    >>> costs = CostModel({"density": 0.001, "distance": 0.003, "betweenness": 0.04})
    >>> expensive_features(costs, ["betweenness", "density", "distance"], growth=0.002)
    ['betweenness']
    """
    ranked = sorted(names, key=costs.cost)
    for k in range(1, len(ranked)):
        before = growth + costs.cost_of_set(ranked[:k], "shared")
        after = growth + costs.cost_of_set(ranked[: k + 1], "shared")
        if after > max(2 * before, CHEAP_SECONDS):
            return ranked[k:]
    return []
