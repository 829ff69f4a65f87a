"""Draws from posteriors of a model's parameters: the simulations, scaled once for many observations."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from netchoice.errors import UsageError
from netchoice.inference.kernel_regression import KernelRegression
from netchoice.inference.scaling import DEFAULT_SCALING, Floats, Scaling
from netchoice.inference.summary_likelihood import PriorScale, SummaryLikelihood, draw_posterior
from netchoice.inference.table_checks import check_table
from netchoice.threads import one_blas_thread

MIN_SIMULATIONS = 30  # of the model, to estimate its parameters

Bounds = tuple[float, float]


@dataclass(frozen=True)
class PosteriorEstimator:
    """Simulations of one model, prepared to draw from the posterior of any observation.

    Attributes
    ----------
    features, names : list of str, names of the q features and of the p parameters
    limits : list, (low, high) of each parameter, infinite where it has no bound
    scaling : Scaling, of the features
    prior : PriorScale, of the parameters
    parameters, units : array (n, p), parameters of the simulations, and their quantiles
    regression : KernelRegression
        Of the coordinates of the parameters on the scaled features; its predictions are summaries.
    """

    features: list[str]
    names: list[str]
    limits: list[Bounds]
    scaling: Scaling
    prior: PriorScale
    parameters: Floats
    units: Floats
    regression: KernelRegression

    @classmethod
    def fit(
        cls,
        X: Any,
        parameters: Any,
        *,
        bounds: Mapping[str, Bounds] | None = None,
        scaling: str = DEFAULT_SCALING,
        fitted: Mapping[str, Floats] | None = None,
    ) -> Self:
        """Check and scale simulations; :func:`~netchoice.inference.posterior` explains the arguments.

        ``fitted`` is what :attr:`arrays` returned when the regression was fitted to the same simulations.
        """
        features, values = check_table(X)
        names, drawn = check_table(parameters)
        n = len(values)
        if n < MIN_SIMULATIONS or len(drawn) != n:
            raise UsageError(
                f"{n} simulations and {len(drawn)} rows of parameters; expected equal numbers, and at "
                f"least {MIN_SIMULATIONS}; simulate more"
            )
        limits = _check_bounds(bounds or {}, names, drawn)
        scale, prior = Scaling.fit(values, scaling), PriorScale.fit(drawn, limits)
        scaled, units = scale.transform(values), prior.to_unit(drawn)
        if fitted is not None:
            regression = KernelRegression.restored(scaled, **fitted)
        else:
            # With more than one thread of BLAS, the last digits would depend on their number.
            with one_blas_thread():
                regression = KernelRegression.fit(scaled, prior.coordinates(units))
        return cls(features, names, limits, scale, prior, drawn, units, regression)

    @property
    def arrays(self) -> dict[str, Floats]:
        """What was fitted, by name: weights, mean and predictions of the regression."""
        return {name: getattr(self.regression, name) for name in ("weights", "mean", "predictions")}

    def __len__(self) -> int:
        return len(self.units)

    @property
    def errors(self) -> Floats:
        """Root mean squared error (p,) of the summaries."""
        residuals = self.regression.predictions - self.prior.coordinates(self.units)
        return np.asarray(np.sqrt((residuals**2).mean(axis=0)))

    def summaries_of(self, features: Floats) -> Floats:
        """Return the summaries (p,) of an observation with these features (q,)."""
        return np.asarray(self.regression.predict(self.scaling.transform(features[None]))[0])

    def draw(
        self, observed: Floats, n_draws: int, rng: np.random.Generator, without: int | None = None
    ) -> Floats:
        """Return draws (n_draws, p) from the posterior of one observation, as quantiles of the prior.

        ``observed`` (p,) holds its summaries. The simulation in row ``without`` is left out.
        """
        summaries, units = self.regression.predictions, self.units
        if without is not None:
            summaries, units = (np.delete(each, without, axis=0) for each in (summaries, units))
        coordinates = self.prior.coordinates(units)
        residuals = summaries - coordinates
        distance = np.linalg.norm((summaries - observed) / self.errors.clip(min=1e-9), axis=1)
        n_near = round(4 * math.sqrt(len(units)))
        near = np.argpartition(distance, n_near)[:n_near]
        error = np.sqrt((residuals[near] ** 2).mean(axis=0))
        likelihood = SummaryLikelihood.fit(observed, summaries, coordinates, error)
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
