"""Prices in words and along an axis."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

from netchoice.costs import CostModel
from netchoice.units import duration

_STEPS = {True: (1.0,), False: (1.0, 2.0, 5.0)}  # of each power of ten; fewer where there are many


class Unit(NamedTuple):
    """What prices are counted in: seconds, or whatever the user counts in."""

    seconds: bool

    def tell(self, price: float) -> str:
        """A price in words.

        >>> Unit(True).tell(0.00025), Unit(False).tell(12.5)
        ('250 µs', '12.5')
        """
        if self.seconds:
            return "0 s" if price == 0 else duration(price)
        return f"{price:.4g}"


def has_prices(costs: CostModel) -> bool:
    """Whether any feature costs anything.

    >>> has_prices(CostModel({"a": 0.0, "b": 2.0})), has_prices(CostModel({"a": 0.0}))
    (True, False)
    """
    return any(costs.price(name) > 0 for name in costs.features)


class PriceAxis:
    """A logarithmic axis; what is free stands at its left end.

    >>> axis = PriceAxis([0.0, 0.001, 0.1], Unit(True))
    >>> axis.place(0.1), round(axis.place(0.0), 6)
    (0.1, 0.000333)
    """

    def __init__(self, prices: Iterable[float], unit: Unit) -> None:
        given = [float(price) for price in prices]
        self.positive = [price for price in given if price > 0]
        self.unit = unit
        self.free = bool(self.positive) and min(given) == 0

    def place(self, price: float) -> float:
        """Where a price stands on the axis."""
        return max(float(price), self.floor)

    @property
    def floor(self) -> float:
        """Where prices of 0 stand."""
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
