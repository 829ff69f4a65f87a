"""The posterior distribution of a model's parameters, given the features of one observation."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from inspect import signature
from typing import Any

import numpy as np
import pandas as pd

from netchoice.errors import NetchoiceError
from netchoice.inference.classifier import DEFAULT_COVERAGE
from netchoice.inference.posterior_estimator import (
    Bounds,
    PosteriorEstimator,
    credible_interval,
)
from netchoice.inference.scaling import DEFAULT_SCALING, Floats
from netchoice.inference.table_checks import check_observed
from netchoice.validation import check_fraction

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

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> rng = np.random.default_rng(1)
    >>> p = pd.DataFrame({"rate": rng.uniform(0, 1, 4000)})
    >>> X = pd.DataFrame({"count": rng.binomial(100, p["rate"])})
    >>> result = posterior(X, p, {"count": 30}, bounds={"rate": (0, 1)})
    >>> low, high = result.intervals["rate"]
    >>> low < 0.3 < high, len(result.draws)
    (True, 2000)
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
        try:
            import arviz
        except ModuleNotFoundError as error:
            raise NetchoiceError(
                "to_arviz needs ArviZ, which is not installed; install it with: "
                "pip install 'netchoice[arviz]'"
            ) from error
        groups = {"posterior": {name: self.draws[name].to_numpy()[None] for name in self.draws}}
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
