"""What the parameters of a model were, given the features of one network."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from netchoice.errors import UsageError
from netchoice.inference.checked_inputs import (
    Floats,
    checked_count,
    checked_coverage,
    checked_observed,
    checked_table,
)
from netchoice.inference.nearest import distances, effective_number, epanechnikov, local_steps
from netchoice.inference.scaling import DEFAULT_SCALING, Scaling

if TYPE_CHECKING:
    import pandas as pd

FEWEST = 30  # simulations of the model, to say anything of its parameters
OUTER = 0.05  # share of the prior range, on each side, that counts as its bound
LEANS_ABOVE, LEANS_TIMES = 1 / 3, 3.0

Bounds = tuple[float, float]


@dataclass(frozen=True)
class Posterior:
    """What :func:`posterior` found.

    Attributes
    ----------
    accepted : DataFrame (k, p)
        Parameters of the nearest simulations, as they were drawn; the index is that of the table.
    adjusted : DataFrame (k, p)
        The same, moved to where they would be had the simulations had the observed features.
    weights : array (k,)
        Of the draws; they sum to 1.
    median : dict
    intervals : dict
        Of each parameter the central credible interval.
    coverage : float
    edges : dict
        Of each bounded parameter the share of the posterior in the ``lower`` and the ``upper``
        twentieth of the prior range, and of the prior.
    at_boundary : dict
        Parameters whose posterior lies at on a bound of the prior, and on which (``lower``,
        ``upper``): more than a third of it, and more than 3 times the prior's share, lie in the
        outermost twentieth of the range.
    """

    accepted: pd.DataFrame
    adjusted: pd.DataFrame
    weights: Floats
    median: dict[str, float]
    intervals: dict[str, Bounds]
    coverage: float
    edges: dict[str, dict[str, Bounds]]
    at_boundary: dict[str, str]

    def summary(self) -> dict[str, dict[str, Any]]:
        """Numbers and words by parameter, as they go into a JSON file."""
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
    coverage: float = 0.95,
) -> Posterior:
    """Posterior of a model's parameters: nearest draws, adjusted by a local linear regression.

    Beaumont et al. 2002, doi:10.1093/genetics/162.4.2025: the nearest simulations are weighted by
    an Epanechnikov kernel, the parameters regressed on the features among them, and each draw is
    moved along the regression from its own features to the observed ones. Parameters with bounds are
    regressed as logits within them, so that no draw leaves the prior.

    Parameters
    ----------
    X : DataFrame (n, q)
        Features of networks simulated by the one model.
    parameters : DataFrame (n, p)
        What they were simulated with. A column of integers stays one.
    observed : mapping or Series
        The same features of the network.
    bounds : mapping, optional
        (low, high) of parameters, either of which may be infinite. Parameters not named are taken
        to have none.
    n_accept : int, optional
        How many draws to accept; by default 4√n (at least 50, at most half).
    scaling : "rank", "robust" or "standard"
        As in :func:`~netchoice.inference.probabilities.model_probabilities`.
    coverage : float
        Of the credible intervals.

    Returns
    -------
    Posterior

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> rng = np.random.default_rng(1)
    >>> p = pd.DataFrame({"rate": rng.uniform(0, 1, 4000)})
    >>> X = pd.DataFrame({"count": rng.binomial(100, p["rate"])})
    >>> found = posterior(X, p, {"count": 30}, bounds={"rate": (0, 1)})
    >>> round(found.median["rate"], 1), found.at_boundary
    (0.3, {})
    >>> posterior(X, p, {"count": 0}, bounds={"rate": (0, 1)}).at_boundary
    {'rate': 'lower'}
    """
    import pandas as pd

    names, numbers = checked_table(X)
    _, drawn = checked_table(parameters)
    columns = list(pd.DataFrame(parameters).columns)
    asked = checked_observed(observed, names)
    coverage = checked_coverage(coverage)
    n = len(numbers)
    if n < FEWEST or len(drawn) != n:
        raise UsageError(
            f"{n} simulations and {len(drawn)} rows of parameters; expected as many of both, and at "
            f"least {FEWEST} of the model; simulate more"
        )
    limits = _checked_bounds(bounds or {}, columns, drawn)
    if n_accept is None:
        n_accept = min(n // 2, max(50, round(4 * math.sqrt(n))))
    k = checked_count("n_accept", n_accept, n)
    scales = Scaling.fit(numbers, scaling)
    known, asked = scales.transform(numbers), scales.transform(asked)
    _, distance = next(distances(known, asked))
    rows, kernel = (found[0] for found in epanechnikov(distance, k))
    weights = kernel / kernel.sum()
    moved = _adjusted(known[rows] - asked, drawn[rows], weights, limits, _are_whole(drawn))
    index = getattr(X, "index", np.arange(n))[rows]
    return _described(
        pd.DataFrame(drawn[rows], index=index, columns=columns),
        pd.DataFrame(moved, index=index, columns=columns),
        (drawn, weights, limits, coverage),
    )


def _checked_bounds(bounds: Mapping[str, Bounds], names: list[str], drawn: Floats) -> list[Bounds]:
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
                f"{low:g} and {high:g}; expected all draws within"
            )
        limits.append((low, high))
    return limits


def _are_whole(drawn: Floats) -> list[bool]:
    return [bool((column == np.rint(column)).all()) for column in drawn.T]


def _adjusted(
    steps: Floats, drawn: Floats, weights: Floats, limits: list[Bounds], whole: list[bool]
) -> Floats:
    """Draws moved along the local regression; integers are rounded, within their bounds."""
    moved = np.empty(drawn.shape)
    for j, (values, (low, high)) in enumerate(zip(drawn.T, limits, strict=True)):
        margin = 0.5 if whole[j] else 0.0  # half a unit on both sides belongs to the last one
        free, back = _unbounded(low - margin, high + margin)
        moved[:, j] = back(_moved_to_origin(steps, free(values), weights))
        if whole[j]:
            moved[:, j] = np.rint(moved[:, j]).clip(low, high)
    return moved


def _moved_to_origin(steps: Floats, values: Floats, weights: Floats) -> Floats:
    """Fit at the origin, and residuals.

    Residuals are widened by what the fit took from them: with k effective draws and p coefficients
    their variance is (k − p)/k of the truth.
    """
    design = np.column_stack([np.ones(len(steps)), local_steps(steps, weights)])
    root = np.sqrt(weights)
    fit, _, rank, _ = np.linalg.lstsq(design * root[:, None], values * root, rcond=1e-6)
    k = float(effective_number(weights))
    widening = math.sqrt(k / (k - rank)) if k > rank + 1 else 1.0
    return np.asarray(fit[0] + (values - design @ fit) * widening)


def _unbounded(low: float, high: float) -> tuple[Any, Any]:
    """A function from the open interval to all numbers, and its inverse: logit, log or nothing."""
    from scipy.special import expit, logit

    if math.isinf(low) and math.isinf(high):
        return (lambda x: x), (lambda z: z)
    if math.isinf(high):
        tiny = np.finfo(float).tiny
        return (lambda x: np.log((x - low).clip(min=tiny))), (lambda z: low + np.exp(z))
    if math.isinf(low):
        upwards, back = _unbounded(-high, math.inf)
        return (lambda x: upwards(-x)), (lambda z: -back(z))
    width = high - low or 1.0
    near = 1e-4  # a draw on the bound itself is taken to be this share of the range inside
    return (
        lambda x: logit(((x - low) / width).clip(near, 1 - near)),
        lambda z: low + width * expit(z) if high > low else np.full(len(z), low),
    )


def weighted_quantile(values: Floats, weights: Floats, shares: Any) -> Floats:
    """Quantiles of weighted draws, interpolated between the middles of their weights.

    >>> weighted_quantile(np.array([3.0, 1.0, 2.0]), np.ones(3), [0.5, 0.9])
    array([2., 3.])
    """
    order = np.argsort(values, kind="stable")
    held = weights[order]
    middle = (np.cumsum(held) - held / 2) / held.sum()
    return np.asarray(np.interp(shares, middle, values[order]))


def _described(
    accepted: pd.DataFrame, adjusted: pd.DataFrame, how: tuple[Floats, Floats, list[Bounds], float]
) -> Posterior:
    drawn, weights, limits, coverage = how
    outside = (1 - coverage) / 2
    median, intervals, edges, at_boundary = {}, {}, {}, {}
    for j, name in enumerate(adjusted.columns):
        values = adjusted[name].to_numpy()
        low, middle, high = weighted_quantile(values, weights, [outside, 0.5, 1 - outside]).tolist()
        median[name], intervals[name] = middle, (low, high)
        edges[name] = {
            side: (
                _share_at(side, values, weights, limits[j]),
                _share_at(side, drawn[:, j], None, limits[j]),
            )
            for side in ("lower", "upper")
            if math.isfinite(limits[j][0]) and math.isfinite(limits[j][1])
        }
        sides = {
            side: share
            for side, (share, prior) in edges[name].items()
            if share > max(LEANS_ABOVE, LEANS_TIMES * prior)
        }
        if sides and limits[j][0] < limits[j][1]:
            at_boundary[name] = max(sides, key=lambda side: sides[side])
    return Posterior(accepted, adjusted, weights, median, intervals, coverage, edges, at_boundary)


def _share_at(side: str, values: Floats, weights: Floats | None, limits: Bounds) -> float:
    """Share of draws in the outermost part of the range on one side."""
    low, high = limits
    margin = OUTER * (high - low)
    at = values <= low + margin if side == "lower" else values >= high - margin
    return float(np.average(at, weights=weights))
