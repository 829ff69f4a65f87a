"""The posterior distribution of a model's parameters, given the features of an observation."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from inspect import signature
from typing import Any, Self

import numpy as np
import pandas as pd

from netchoice.errors import NetchoiceError, UsageError
from netchoice.inference.scaling import DEFAULT_SCALING, Floats, Scaling
from netchoice.inference.summary_likelihood import (
    KernelRegression,
    PriorScale,
    SummaryLikelihood,
    draw_posterior,
)
from netchoice.inference.table_checks import check_observed, check_table
from netchoice.threads import one_blas_thread
from netchoice.validation import check_fraction

MIN_SIMULATIONS = 30  # of the model, to estimate its parameters
DEFAULT_COVERAGE = 0.95

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


N_DRAWS = 2000
#: A posterior is at the prior's boundary if more than a third of it, and more than 3 times the
#: prior's share, lies in the outermost twentieth of the prior range.
OUTER_SHARE, MIN_BOUNDARY_MASS, MIN_BOUNDARY_RATIO = 0.05, 1 / 3, 3.0

Edges = dict[str, Bounds]


@dataclass(frozen=True)
class Posterior:
    """Posterior distribution of a model's parameters; the result of :func:`posterior`.

    Attributes
    ----------
    draws : DataFrame (2000, p), draws from the posterior
    errors : dict
        Error of the summary of each parameter, in quantiles of the prior (normal scores if the prior has
        no bounds), on simulations that the summary was not fitted to.
    median : dict, posterior median of each parameter
    intervals : dict
        Credible interval (lower, upper) of each parameter: the shortest of the central interval and
        the intervals that begin or end at a bound of the prior.
    coverage : float, coverage of the intervals
    edges : dict
        For each bounded parameter, by side (``lower``, ``upper``): the share of the posterior and
        the share of the prior in the outermost twentieth of the prior range.
    at_boundary : dict
        Side on which the posterior of a parameter is at the prior's boundary: more than a third of
        the posterior, and more than 3 times the prior's share, lies in the outermost twentieth.
    """

    draws: pd.DataFrame
    errors: dict[str, float]
    median: dict[str, float]
    intervals: dict[str, Bounds]
    coverage: float
    edges: dict[str, Edges]
    at_boundary: dict[str, str]

    def summary(self) -> dict[str, dict[str, Any]]:
        """Return median, interval, coverage and boundary of each parameter, ready for JSON."""
        return {
            name: {
                "median": self.median[name],
                "interval": list(self.intervals[name]),
                "coverage": self.coverage,
                "at_boundary": self.at_boundary.get(name),
            }
            for name in self.median
        }

    def to_arviz(self) -> Any:
        """Return the draws for ArviZ: a DataTree, or InferenceData with ArviZ before 1.0.

        The draws are one chain. They are not a Markov chain, so ``r_hat`` cannot be computed from them,
        and diagnostics of convergence do not apply. Install ArviZ with ``pip install 'netchoice[arviz]'``.
        """
        return draws_to_arviz(self.draws)


def draws_to_arviz(draws: Mapping[str, Any]) -> Any:
    """Return draws by name of the parameter for ArviZ; see :meth:`Posterior.to_arviz`."""
    try:
        import arviz
    except ModuleNotFoundError as error:
        raise NetchoiceError(
            "to_arviz needs ArviZ, which is not installed; install it with: pip install 'netchoice[arviz]'"
        ) from error
    groups = {"posterior": {name: np.asarray(draws[name])[None] for name in draws}}
    is_old = "posterior" in signature(arviz.from_dict).parameters  # before 1.0
    return arviz.from_dict(**groups) if is_old else arviz.from_dict(groups)


def posterior(
    X: Any,
    parameters: Any,
    observed: Mapping[str, float] | Any,
    *,
    bounds: Mapping[str, Bounds] | None = None,
    scaling: str = DEFAULT_SCALING,
    coverage: float = DEFAULT_COVERAGE,
    seed: int = 0,
) -> Posterior:
    """Return the :class:`Posterior` of a model's parameters, given the features of one observation.

    The parameters are expressed as quantiles of their prior draws. Each is regressed on the features, by
    ridge regression with a Gaussian and a linear kernel. The predictions for simulations that the
    regression was not fitted to are summaries of the features, one for each parameter (Fearnhead &
    Prangle 2012, doi:10.1111/j.1467-9868.2011.01010.x). Near the observation, the distribution of these
    summaries given the parameters is normal around a quadratic function of the parameters (Wood 2010,
    doi:10.1038/nature09319). This likelihood weights draws from the prior. No draw leaves
    the prior, and the density at its bounds is not distorted.

    Parameters
    ----------
    X : DataFrame (n, q), features of simulations of one model
    parameters : DataFrame (n, p), parameters of these simulations; integer columns stay integers
    observed : mapping or Series, the same features of the observation
    bounds : mapping, optional
        (low, high) by parameter; each may be infinite. Parameters not listed are unbounded.
    scaling : "rank", "robust" or "standard"; see :class:`~netchoice.inference.scaling.Scaling`
    coverage : float, coverage of the credible intervals
    seed : int, seed of the draws

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> rng = np.random.default_rng(1)
    >>> p = pd.DataFrame({"rate": rng.uniform(0, 1, 4000)})
    >>> X = pd.DataFrame({"count": rng.binomial(100, p["rate"])})
    >>> result = posterior(X, p, {"count": 30}, bounds={"rate": (0, 1)})
    >>> round(result.median["rate"], 1), result.at_boundary
    (0.3, {})
    >>> posterior(X, p, {"count": 0}, bounds={"rate": (0, 1)}).at_boundary
    {'rate': 'lower'}
    """
    known = PosteriorEstimator.fit(X, parameters, bounds=bounds, scaling=scaling)
    return posterior_of(known, observed, coverage=coverage, seed=seed)


def posterior_of(
    known: PosteriorEstimator,
    observed: Mapping[str, float] | Any,
    *,
    coverage: float = DEFAULT_COVERAGE,
    seed: int = 0,
) -> Posterior:
    """Return the :class:`Posterior` of one observation, from simulations that were prepared before."""
    coverage = check_fraction("coverage", coverage)
    summaries = known.summaries_of(check_observed(observed, known.features))
    units = known.draw(summaries, N_DRAWS, np.random.default_rng(seed))
    draws = known.prior.from_unit(units)
    edges = {
        name: _edge_shares(units[:, j], known.units[:, j], known.limits[j])
        for j, name in enumerate(known.names)
    }
    sides = {name: _boundary_side(shares) for name, shares in edges.items()}
    columns = dict(zip(known.names, draws.T, strict=True))
    return Posterior(
        draws=pd.DataFrame(columns),
        errors=dict(zip(known.names, known.errors.tolist(), strict=True)),
        median={name: float(np.median(column)) for name, column in columns.items()},
        intervals={
            name: credible_interval(column, coverage, known.limits[j])
            for j, (name, column) in enumerate(columns.items())
        },
        coverage=coverage,
        edges=edges,
        at_boundary={name: side for name, side in sides.items() if side is not None},
    )


def _edge_shares(units: Floats, prior: Floats, limits: Bounds) -> Edges:
    """Return by side the shares of posterior and prior in the outermost twentieth of the prior.

    Both are given as quantiles of the prior. The smallest and the largest value belong to the outermost
    twentieth, also those of an integer with few values.
    """
    low = max(OUTER_SHARE, prior.min() + 1e-9)
    high = min(1 - OUTER_SHARE, prior.max() - 1e-9)
    at_edge: dict[str, Any] = {"lower": lambda u: u <= low, "upper": lambda u: u >= high}
    return {
        side: (float(np.mean(is_at(units))), float(np.mean(is_at(prior))))
        for (side, is_at), bound in zip(at_edge.items(), limits, strict=True)
        if math.isfinite(bound)
    }


def _boundary_side(edges: Edges) -> str | None:
    """Return the side on which the posterior is at the prior's boundary, if there is one."""
    sides = {
        side: share
        for side, (share, prior) in edges.items()
        if share > max(MIN_BOUNDARY_MASS, min(MIN_BOUNDARY_RATIO * prior, (1 + prior) / 2))
    }
    return max(sides, key=lambda side: sides[side], default=None)
