"""Histograms of features over the simulations."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

BINS = 30
_WIDE = 100.0  # the axis is logarithmic if the maximum is more than this many times the median
_LARGEST = 1e300  # larger values would overflow


@dataclass(frozen=True)
class FeatureScale:
    """Axis of one feature: linear, logarithmic, or logarithmic with a linear part around 0.

    ``linear_part`` is where the linear part of a "symlog" axis ends, a power of ten.

    >>> scale = FeatureScale.of(np.array([0, 1, 1, 10, 1e5]))
    >>> scale.kind, scale.linear_part, scale.ticks()
    ('symlog', 1.0, [0.0, 1.0, 100.0, 10000.0])
    """

    kind: str
    linear_part: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Floats) -> FeatureScale:
        """Return the scale that suits the values."""
        low, high = float(values.min()), float(values.max())
        sizes = np.abs(values[values != 0])
        if not len(sizes) or sizes.max() <= _WIDE * np.median(sizes):
            return cls("linear", 0.0, low, high)
        linear_part = 10.0 ** math.ceil(math.log10(np.quantile(sizes, 0.02)))
        return cls("log" if low > 0 else "symlog", linear_part, low, high)

    def transform(self, values: Any) -> Floats:
        """Return the positions of values along the axis."""
        if self.kind == "linear":
            return np.asarray(values, dtype=np.float64)
        if self.kind == "log":
            return np.asarray(np.log10(values))
        return np.asarray(np.arcsinh(np.asarray(values) / self.linear_part))

    def edges(self, values: Floats) -> Floats:
        """Return the borders of the bins, evenly spaced along the axis; integers get a bin each."""
        if self.low == self.high:
            return np.array([self.low - 0.5, self.low + 0.5])
        if self.kind == "log":
            return np.geomspace(self.low, self.high, BINS + 1)
        if self.kind == "symlog":
            first, last = self.transform([self.low, self.high])
            steps = np.linspace(first, last, BINS + 1)
            edges = np.asarray(np.sinh(steps) * self.linear_part)
            edges[[0, -1]] = self.low, self.high  # rounding must not exclude the extremes
            return edges
        if (values == np.round(values)).all() and self.high - self.low <= BINS:
            return np.arange(self.low - 0.5, self.high + 1)
        return np.linspace(self.low, self.high, BINS + 1)

    def ticks(self) -> list[float]:
        """Return up to about five values for the ticks of an axis that is not linear."""
        first = self.low if self.kind == "log" else self.linear_part
        last = max(abs(self.low), abs(self.high))
        powers = range(math.ceil(math.log10(first)), math.floor(math.log10(last)) + 1)
        sizes = [10.0**power for power in powers[:: -(-len(powers) // 4) or 1]]
        ticks = [*(-size for size in reversed(sizes)), 0.0, *sizes]
        return [tick for tick in ticks if self.low <= tick <= self.high]


@dataclass(frozen=True)
class FeatureHistogram:
    """Share of each model's simulations in each bin of one feature, and the observed value or None."""

    name: str
    scale: FeatureScale
    edges: Floats
    shares: dict[str, Floats]
    observed: float | None


def feature_histogram(name: str, values: Floats, models: Any, observed: float) -> FeatureHistogram:
    """Return the histogram of one feature by model; simulations without a value are left out."""
    known = ~np.isnan(values)
    values, models = values[known].clip(-_LARGEST, _LARGEST), np.asarray(models)[known]
    value = None if math.isnan(observed) else min(max(observed, -_LARGEST), _LARGEST)
    shown = values if value is None else np.append(values, value)
    scale = FeatureScale.of(shown)
    edges = scale.edges(shown)
    groups = {str(model): values[models == model] for model in np.unique(models)}
    shares = {model: np.histogram(own, edges)[0] / len(own) for model, own in groups.items()}
    return FeatureHistogram(name, scale, edges, shares, value)
