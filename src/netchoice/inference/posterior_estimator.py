"""Draws from posteriors of a model's parameters: the simulations, scaled once for many observations."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from netchoice.errors import UsageError
from netchoice.inference.neighbour_weights import distances, epanechnikov
from netchoice.inference.scaling import DEFAULT_SCALING, Floats, Scaling
from netchoice.inference.summary_likelihood import PriorScale, SummaryLikelihood, draw_posterior
from netchoice.inference.table_checks import check_table
from netchoice.validation import check_integer

MIN_SIMULATIONS = 30  # of the model, to estimate its parameters
ROWS_PER_COEFFICIENT = 16  # of the regression of the parameters on the features

Bounds = tuple[float, float]


@dataclass(frozen=True)
class PosteriorEstimator:
    """Simulations of one model, prepared to draw from the posterior of any observation.

    Attributes
    ----------
    features, names : list of str, names of the q features and of the p parameters
    limits : list, (low, high) of each parameter, infinite where it has no bound
    scaling : Scaling, of the features
    scaled : array (n, q), scaled features of the simulations
    prior : PriorScale, of the parameters
    parameters, units : array (n, p), parameters of the simulations, and their quantiles
    n_accept : int, optional, number of nearest simulations; by default it depends on n and q
    """

    features: list[str]
    names: list[str]
    limits: list[Bounds]
    scaling: Scaling
    scaled: Floats
    prior: PriorScale
    parameters: Floats
    units: Floats
    n_accept: int | None

    @classmethod
    def fit(
        cls,
        X: Any,
        parameters: Any,
        *,
        bounds: Mapping[str, Bounds] | None = None,
        n_accept: int | None = None,
        scaling: str = DEFAULT_SCALING,
    ) -> Self:
        """Check and scale simulations; :func:`~netchoice.inference.posterior` explains the arguments."""
        features, values = check_table(X)
        names, drawn = check_table(parameters)
        n = len(values)
        if n < MIN_SIMULATIONS or len(drawn) != n:
            raise UsageError(
                f"{n} simulations and {len(drawn)} rows of parameters; expected equal numbers, and at "
                f"least {MIN_SIMULATIONS}; simulate more"
            )
        limits = _check_bounds(bounds or {}, names, drawn)
        if n_accept is not None:
            n_accept = check_integer("n_accept", n_accept, maximum=n)
        fitted, prior = Scaling.fit(values, scaling), PriorScale.fit(drawn, limits)
        scaled, units = fitted.transform(values), prior.to_unit(drawn)
        return cls(features, names, limits, fitted, scaled, prior, drawn, units, n_accept)

    def count_accepted(self, n: int) -> int:
        """Return the number of nearest simulations used, if there are n."""
        if self.n_accept is not None:
            return min(self.n_accept, n)
        coefficients = len(self.features) + 1
        wanted = max(round(4 * math.sqrt(n)), 50, ROWS_PER_COEFFICIENT * coefficients)
        return min(n // 2, wanted)

    def draw(
        self, query: Floats, n_draws: int, rng: np.random.Generator, without: int | None = None
    ) -> Floats:
        """Return draws (n_draws, p) from the posterior of one observation, as quantiles of the prior.

        ``query`` (q,) holds its scaled features. The simulation in row ``without`` is left out.
        """
        scaled, units = self.scaled, self.units
        if without is not None:
            scaled, units = np.delete(scaled, without, axis=0), np.delete(units, without, axis=0)
        _, distance = next(distances(scaled, query[None]))
        nearest, kernel = epanechnikov(distance, self.count_accepted(len(scaled)))
        weights = np.zeros(len(scaled))
        weights[nearest[0]] = kernel[0]
        likelihood = SummaryLikelihood.fit(scaled - query, units, weights)
        return draw_posterior(n_draws, units, likelihood, self.prior, rng)


def credible_interval(draws: Floats, coverage: float, limits: Bounds) -> Bounds:
    """Return the shortest of the central interval and those that begin or end at a bound.

    >>> low, high = credible_interval(np.linspace(0, 1, 101) ** 4, 0.9, (0.0, np.inf))
    >>> low, round(high, 3)
    (0.0, 0.656)
    """
    (low, high), tail = limits, (1 - coverage) / 2
    ends = np.quantile(draws, (tail, 1 - tail, coverage, 1 - coverage)).tolist()
    candidates = [(ends[0], ends[1]), (low, ends[2]), (ends[3], high)]
    return min(candidates, key=lambda interval: interval[1] - interval[0])


def _check_bounds(bounds: Mapping[str, Bounds], names: list[str], drawn: Floats) -> list[Bounds]:
    """Return the bounds of every parameter, infinite where none are given."""
    unknown = [name for name in bounds if name not in names]
    if unknown:
        raise UsageError(
            f"bounds for {', '.join(unknown)}; expected parameters among {', '.join(names)}"
        )
    limits = []
    for name, column in zip(names, drawn.T, strict=True):
        low, high = map(float, bounds.get(name, (-math.inf, math.inf)))
        if not (low <= column.min() and column.max() <= high):
            raise UsageError(
                f"{name} was drawn from {column.min():g} to {column.max():g}, but its bounds are "
                f"{low:g} and {high:g}; expected all draws within the bounds"
            )
        limits.append((low, high))
    return limits
