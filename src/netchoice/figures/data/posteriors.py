"""Draws from posteriors over the ranges of the priors, alone and in pairs, and ranks of true values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Range = tuple[float, float]

BINS = 15
MOST_POINTS = 500  # in the plane of two parameters
MOST_RANK_BINS, HELD_OUT_PER_BIN = 10, 20
BAND = 0.99  # probability that the count of a bin is within the band, if posteriors are exact


def prior_range(draws: Floats, bounds: Sequence[float | None] | None = None) -> Range:
    """Return the bounds of the prior; None is a bound of the draws.

    >>> prior_range(np.array([0.2, 0.4]), (0.0, None)), prior_range(np.array([3.0]))
    ((0.0, 0.4), (2.5, 3.5))
    """
    low, high = bounds or (None, None)
    low = float(draws.min()) if low is None else float(low)
    high = float(draws.max()) if high is None else float(high)
    return (low, high) if low < high else (low - 0.5, high + 0.5)


def posterior_histogram(
    draws: Floats, bounds: Sequence[float | None] | None = None
) -> tuple[Floats, Floats]:
    """Return bin edges and density over the bounds of the prior; None is a bound of the draws."""
    low, high = prior_range(draws, bounds)
    edges = np.linspace(low, high, BINS + 1)
    return edges, np.histogram(draws.clip(low, high), edges, density=True)[0]


@dataclass(frozen=True)
class JointDraws:
    """Draws of two parameters as points in the plane, with the ranges of the axes."""

    x: Floats
    y: Floats
    x_range: Range
    y_range: Range
    correlation: float

    @classmethod
    def of(cls, x: Floats, y: Floats, x_bounds: Any = None, y_bounds: Any = None) -> JointDraws:
        """Return at most 500 of the draws, evenly spaced; the correlation is that of all draws.

        >>> joint = JointDraws.of(np.arange(1000.0), -np.arange(1000.0), (0, 2000))
        >>> len(joint.x), joint.x_range, round(joint.correlation, 2)
        (500, (0.0, 2000.0), -1.0)
        """
        step = max(1, -(-len(x) // MOST_POINTS))
        varies = x.std() > 0 and y.std() > 0
        correlation = float(np.corrcoef(x, y)[0, 1]) if varies else 0.0
        ranges = prior_range(x, x_bounds), prior_range(y, y_bounds)
        return cls(x[::step], y[::step], *ranges, correlation)

    @property
    def label(self) -> str:
        """The legend of the points."""
        return f"draws (correlation {self.correlation:.2f})".replace("-", "−")


@dataclass(frozen=True)
class RankHistogram:
    """Number of held-out simulations by the share of draws below the true value.

    If posteriors are exact, each count has the mean ``expected`` and is between ``low`` and ``high`` with
    a probability of at least 99 %.
    """

    edges: Floats
    counts: NDArray[np.int64]
    expected: float
    low: float
    high: float

    @classmethod
    def of(cls, ranks: Any, n_draws: int) -> RankHistogram:
        """Return the histogram of ranks from 0 to ``n_draws``; a bin has about 20 simulations.

        >>> histogram = RankHistogram.of(np.arange(200) * 5, 999)
        >>> histogram.counts.tolist(), histogram.expected, histogram.low, histogram.high
        ([20, 20, 20, 20, 20, 20, 20, 20, 20, 20], 20.0, 10.0, 32.0)
        """
        from scipy.stats import binom

        shares = (np.asarray(ranks, dtype=np.float64) + 0.5) / (n_draws + 1)
        n, n_bins = len(shares), max(2, min(MOST_RANK_BINS, len(shares) // HELD_OUT_PER_BIN))
        edges = np.linspace(0, 1, n_bins + 1)
        low, high = binom(n, 1 / n_bins).interval(BAND)
        return cls(edges, np.histogram(shares, edges)[0], n / n_bins, float(low), float(high))
