"""The posterior distribution of a model's parameters, given the features of one observation."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit, logit

from netchoice.errors import UsageError
from netchoice.inference.classifier import DEFAULT_COVERAGE
from netchoice.inference.neighbour_weights import distances, effective_n, epanechnikov, local_steps
from netchoice.inference.scaling import DEFAULT_SCALING, Floats, Scaling
from netchoice.inference.table_checks import check_observed, check_table
from netchoice.validation import check_fraction, check_integer

MIN_SIMULATIONS = 30  # of the model, to estimate its parameters
#: A posterior is at the prior's boundary if more than a third of it, and more than 3 times the
#: prior's share, lies in the outermost twentieth of the prior range.
OUTER_SHARE, MIN_BOUNDARY_MASS, MIN_BOUNDARY_RATIO = 0.05, 1 / 3, 3.0

Bounds = tuple[float, float]
Edges = dict[str, Bounds]


@dataclass(frozen=True)
class Posterior:
    """Posterior distribution of a model's parameters; the result of :func:`posterior`.

    Attributes
    ----------
    accepted : DataFrame (k, p)
        Parameters of the nearest simulations, as drawn from the prior, with the table's index.
    adjusted : DataFrame (k, p), the same draws after the adjustment to the observed features
    weights : array (k,), weights of the draws; they sum to 1
    median : dict, posterior median of each parameter
    intervals : dict, central credible interval (lower, upper) of each parameter
    coverage : float, coverage of the intervals
    edges : dict
        For each bounded parameter, by side (``lower``, ``upper``): the share of the posterior and
        the share of the prior in the outermost twentieth of the prior range.
    at_boundary : dict
        Side on which the posterior of a parameter is at the prior's boundary: more than a third of
        the posterior, and more than 3 times the prior's share, lies in the outermost twentieth.
    """

    accepted: pd.DataFrame
    adjusted: pd.DataFrame
    weights: Floats
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


def posterior(
    X: Any,
    parameters: Any,
    observed: Mapping[str, float] | Any,
    *,
    bounds: Mapping[str, Bounds] | None = None,
    n_accept: int | None = None,
    scaling: str = DEFAULT_SCALING,
    coverage: float = DEFAULT_COVERAGE,
) -> Posterior:
    """Return the :class:`Posterior` of a model's parameters, by ABC with regression adjustment.

    Beaumont et al. 2002, doi:10.1093/genetics/162.4.2025. The nearest simulations are weighted by an
    Epanechnikov kernel. The parameters are regressed on the features among them, and each draw is
    moved along the regression from its own features to the observed ones. Bounded parameters are
    regressed as logits within their bounds, so all draws stay inside the prior.

    Parameters
    ----------
    X : DataFrame (n, q), features of simulations of one model
    parameters : DataFrame (n, p), parameters of these simulations; integer columns stay integers
    observed : mapping or Series, the same features of the observation
    bounds : mapping, optional
        (low, high) by parameter; each may be infinite. Parameters not listed are unbounded.
    n_accept : int, optional, number of draws; by default 4√n (at least 50, at most n/2)
    scaling : "rank", "robust" or "standard"; see :class:`~netchoice.inference.scaling.Scaling`
    coverage : float, coverage of the credible intervals

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
    names, values = check_table(X)
    parameter_names, drawn = check_table(parameters)
    query = check_observed(observed, names)[None]
    coverage = check_fraction("coverage", coverage)
    n = len(values)
    if n < MIN_SIMULATIONS or len(drawn) != n:
        raise UsageError(
            f"{n} simulations and {len(drawn)} rows of parameters; expected equal numbers, and at "
            f"least {MIN_SIMULATIONS}; simulate more"
        )
    limits = _check_bounds(bounds or {}, parameter_names, drawn)
    default = min(n // 2, max(50, round(4 * math.sqrt(n))))
    k = check_integer("n_accept", default if n_accept is None else n_accept, maximum=n)
    scales = Scaling.fit(values, scaling)
    scaled, query = scales.transform(values), scales.transform(query)
    _, distance = next(distances(scaled, query))
    nearest, kernel = epanechnikov(distance, k)
    rows, weights = nearest[0], kernel[0] / kernel[0].sum()
    is_integer = (drawn == np.rint(drawn)).all(axis=0)
    adjusted = _adjusted(scaled[rows] - query, drawn[rows], weights, limits, is_integer.tolist())
    frame = {"index": getattr(X, "index", np.arange(n))[rows], "columns": parameter_names}
    edges = {
        name: _edge_shares(adjusted[:, j], weights, drawn[:, j], limits[j])
        for j, name in enumerate(parameter_names)
    }
    sides = {name: _boundary_side(shares) for name, shares in edges.items()}
    tail = (1 - coverage) / 2
    quantiles = {
        name: weighted_quantile(adjusted[:, j], weights, [tail, 0.5, 1 - tail]).tolist()
        for j, name in enumerate(parameter_names)
    }
    return Posterior(
        accepted=pd.DataFrame(drawn[rows], **frame),
        adjusted=pd.DataFrame(adjusted, **frame),
        weights=weights,
        median={name: middle for name, (_, middle, _) in quantiles.items()},
        intervals={name: (low, high) for name, (low, _, high) in quantiles.items()},
        coverage=coverage,
        edges=edges,
        at_boundary={name: side for name, side in sides.items() if side is not None},
    )


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


def _adjusted(
    steps: Floats, drawn: Floats, weights: Floats, limits: list[Bounds], is_integer: list[bool]
) -> Floats:
    """Return the draws moved along the local regression; integers are rounded within their bounds."""
    adjusted = np.empty(drawn.shape)
    for j, (values, (low, high)) in enumerate(zip(drawn.T, limits, strict=True)):
        margin = 0.5 if is_integer[j] else 0.0  # values that round to the bound belong to it
        to_real, from_real = _unbounded(low - margin, high + margin)
        adjusted[:, j] = from_real(_regressed(steps, to_real(values), weights))
        if is_integer[j]:
            adjusted[:, j] = np.rint(adjusted[:, j]).clip(low, high)
    return adjusted


def _regressed(steps: Floats, values: Floats, weights: Floats) -> Floats:
    """Return the fitted value at the observation plus the residual of each draw."""
    design = np.column_stack([np.ones(len(steps)), local_steps(steps, weights)])
    root = np.sqrt(weights)
    fit, _, rank, _ = np.linalg.lstsq(design * root[:, None], values * root, rcond=1e-6)
    k = float(effective_n(weights))
    # The fit with p coefficients has reduced the variance of the residuals by the factor (k − p)/k.
    widening = math.sqrt(k / (k - rank)) if k > rank + 1 else 1.0
    return np.asarray(fit[0] + (values - design @ fit) * widening)


def _unbounded(low: float, high: float) -> tuple[Any, Any]:
    """Return a map from the interval to the real line, and its inverse: logit, log or identity."""
    if math.isinf(low) and math.isinf(high):
        return (lambda x: x), (lambda z: z)
    if math.isinf(high):
        tiny = np.finfo(float).tiny
        return (lambda x: np.log((x - low).clip(min=tiny))), (lambda z: low + np.exp(z))
    if math.isinf(low):
        to_real, from_real = _unbounded(-high, math.inf)
        return (lambda x: to_real(-x)), (lambda z: -from_real(z))
    width = high - low or 1.0
    near = 1e-4  # a draw at a bound is moved inside by this share of the range
    return (
        lambda x: logit(((x - low) / width).clip(near, 1 - near)),
        lambda z: low + width * expit(z) if high > low else np.full(len(z), low),
    )


def weighted_quantile(values: Floats, weights: Floats, quantiles: Any) -> Floats:
    """Return quantiles of weighted values, interpolated between the midpoints of the weights.

    >>> weighted_quantile(np.array([3.0, 1.0, 2.0]), np.ones(3), [0.5, 0.9])
    array([2., 3.])
    """
    order = np.argsort(values, kind="stable")
    sorted_weights = weights[order]
    midpoints = (np.cumsum(sorted_weights) - sorted_weights / 2) / sorted_weights.sum()
    return np.asarray(np.interp(quantiles, midpoints, values[order]))


def _edge_shares(values: Floats, weights: Floats, prior: Floats, limits: Bounds) -> Edges:
    """Return by side the shares of posterior and prior in the outermost twentieth of the range."""
    low, high = limits
    if math.isinf(low) or math.isinf(high):
        return {}
    margin = OUTER_SHARE * (high - low)
    low, high = low + margin, high - margin
    at_edge: dict[str, Any] = {"lower": lambda x: x <= low, "upper": lambda x: x >= high}
    return {
        side: (float(np.average(is_at(values), weights=weights)), float(np.mean(is_at(prior))))
        for side, is_at in at_edge.items()
    }


def _boundary_side(edges: Edges) -> str | None:
    """Return the side on which the posterior is at the prior's boundary, if there is one."""
    sides = {
        side: share
        for side, (share, prior) in edges.items()
        if share > max(MIN_BOUNDARY_MASS, MIN_BOUNDARY_RATIO * prior)
    }
    return max(sides, key=lambda side: sides[side], default=None)
