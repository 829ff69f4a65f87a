"""Costs in words and along an axis."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

from netchoice.costs import CostModel
from netchoice.units import duration

_STEPS = {True: (1.0,), False: (1.0, 2.0, 5.0)}  # of each power of ten; fewer where there are many


class Unit(NamedTuple):
    """What costs are counted in: seconds, or whatever the user counts in."""

    seconds: bool

    def tell(self, cost: float) -> str:
        """A cost in words.

        >>> Unit(True).tell(0.00025), Unit(False).tell(12.5)
        ('250 µs', '12.5')
        """
        if self.seconds:
            return "0 s" if cost == 0 else duration(cost)
        return f"{cost:.4g}"


def has_costs(costs: CostModel) -> bool:
    """Whether any feature costs anything.

    >>> has_costs(CostModel({"a": 0.0, "b": 2.0})), has_costs(CostModel({"a": 0.0}))
    (True, False)
    """
    return any(costs.cost(name) > 0 for name in costs.features)


class CostAxis:
    """A logarithmic axis; what is free stands at its left end.

    >>> axis = CostAxis([0.0, 0.001, 0.1], Unit(True))
    >>> axis.place(0.1), round(axis.place(0.0), 6)
    (0.1, 0.000333)
    """

    def __init__(self, costs: Iterable[float], unit: Unit) -> None:
        given = [float(cost) for cost in costs]
        self.positive = [cost for cost in given if cost > 0]
        self.unit = unit
        self.free = bool(self.positive) and min(given) == 0

    def place(self, cost: float) -> float:
        """Where a cost stands on the axis."""
        return max(float(cost), self.floor)

    @property
    def floor(self) -> float:
        """Where costs of 0 stand."""
        return min(self.positive) / 3 if self.positive else 0.0

    def layout(self, title: str) -> dict[str, Any]:
        """For the figure."""
        if not self.positive:
            return {"title": {"text": title}, "type": "linear"}
        low, high = min(self.positive), max(self.positive)
        steps = _STEPS[high > 50 * low]
        powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        ticks = [step * 10.0**power for power in powers for step in steps]
        texts = [self.unit.tell(tick) for tick in ticks]
        if self.free:
            ticks, texts = [self.floor, *ticks], ["free", *texts]
        return {
            "title": {"text": title}, "type": "log", "tickvals": ticks, "ticktext": texts,
            "tickangle": 0,
        }  # fmt: skip
