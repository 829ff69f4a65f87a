"""The quality of posteriors: errors, shrinkage, coverage and ranks, on held-out simulations."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from netchoice.inference.posterior import (
    DEFAULT_COVERAGE,
    Bounds,
    PosteriorEstimator,
    credible_interval,
)
from netchoice.inference.scaling import DEFAULT_SCALING, Codes, Floats
from netchoice.inference.wilson_interval import wilson
from netchoice.threads import one_blas_thread, threads
from netchoice.validation import check_fraction, check_integer

N_HELD_OUT = 200
N_RANK_DRAWS = 999  # from the posterior of each held-out simulation; ranks are from 0 to 999


@dataclass(frozen=True)
class ParameterQuality:
    """How well one parameter is estimated, on average over held-out simulations.

    Attributes
    ----------
    rmse : float, root of the mean squared difference between posterior mean and true value
    prior_sd : float, standard deviation of the parameter over all simulations
    shrinkage : float
        1 − mean variance of the posteriors / variance over all simulations. 1: the features determine
        the parameter; 0: they say nothing about it. It is 0 for a constant parameter.
    interval_coverage : float, share of the credible intervals that contain the true value
    interval_coverage_interval : tuple, the Wilson interval (95 %) of this share
    rank_p_value : float
        p-value of the Kolmogorov–Smirnov test that the ranks are uniform. Small: the posteriors are
        too narrow, too wide or shifted.
    held_out : int, the number of held-out simulations
    """

    rmse: float
    prior_sd: float
    shrinkage: float
    interval_coverage: float
    interval_coverage_interval: Bounds
    rank_p_value: float
    held_out: int


@dataclass(frozen=True)
class PosteriorQuality:
    """Quality of the posteriors of one model; the result of :func:`posterior_quality`.

    Attributes
    ----------
    parameters : dict, the :class:`ParameterQuality` of each parameter
    coverage : float, stated coverage of the intervals
    ranks : DataFrame (m, p)
        Rank of the true value among the draws, from 0 to ``n_draws``, for m held-out simulations. The
        index holds their rows. Equal values share their ranks at random.
    n_draws : int, number of draws from each posterior
    """

    parameters: dict[str, ParameterQuality]
    coverage: float
    ranks: pd.DataFrame
    n_draws: int


def posterior_quality(
    X: Any,
    parameters: Any,
    *,
    bounds: Mapping[str, Bounds] | None = None,
    n_held_out: int = N_HELD_OUT,
    scaling: str = DEFAULT_SCALING,
    coverage: float = DEFAULT_COVERAGE,
    seed: int = 0,
    n_jobs: int | None = None,
) -> PosteriorQuality:
    """Return the :class:`PosteriorQuality` of a model's simulations, whose parameters are known.

    Simulations are drawn at random and held out, one at a time. The posterior of each is the one that
    :func:`~netchoice.inference.posterior` estimates from all other simulations, with three exceptions:
    the scaling of the features, the quantiles of the prior and the penalty of the regression come from
    all simulations; the summaries of the others are leave-one-out predictions; and there are 999 draws.
    Errors, shrinkage and coverage are averages over the prior. They can differ for one observation, for
    example if its features are rare. If posteriors are exact, the rank of the true value among the
    draws is uniform (Cook et al. 2006, doi:10.1198/106186006X136976).

    Parameters
    ----------
    X, parameters, bounds, scaling, coverage
        As in :func:`~netchoice.inference.posterior`.
    n_held_out : int, number of held-out simulations, at most all
    seed : int, seed of the held-out rows, of the draws and of the order of equal values
    n_jobs : int, optional, number of threads; the result does not depend on it

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> rng = np.random.default_rng(1)
    >>> p = pd.DataFrame({"rate": rng.uniform(0, 1, 2000)})
    >>> X = pd.DataFrame({"count": rng.binomial(100, p["rate"])})
    >>> quality = posterior_quality(X, p, bounds={"rate": (0, 1)}).parameters["rate"]
    >>> round(quality.rmse, 2), round(quality.prior_sd, 2), round(quality.shrinkage, 2)
    (0.04, 0.29, 0.98)
    """
    known = PosteriorEstimator.fit(X, parameters, bounds=bounds, scaling=scaling)
    return quality_of(known, n_held_out=n_held_out, coverage=coverage, seed=seed, n_jobs=n_jobs)


def quality_of(
    known: PosteriorEstimator,
    *,
    n_held_out: int = N_HELD_OUT,
    coverage: float = DEFAULT_COVERAGE,
    seed: int = 0,
    n_jobs: int | None = None,
) -> PosteriorQuality:
    """Return the :class:`PosteriorQuality` of simulations that were prepared before."""
    coverage = check_fraction("coverage", coverage)
    n_held_out = min(check_integer("n_held_out", n_held_out), len(known))
    rng = np.random.default_rng(seed)
    rows = np.sort(rng.choice(len(known), n_held_out, replace=False))

    def draw(row: int) -> Floats:
        own = np.random.default_rng((seed, row))
        summaries = known.regression.predictions[row]
        return known.prior.from_unit(known.draw(summaries, N_RANK_DRAWS, own, without=row))

    # The matrices are small: threads of BLAS would wait for each other most of the time.
    with one_blas_thread(), threads(n_jobs) as run:
        draws = np.array(run(draw, rows.tolist()))
    ranks = np.empty((len(rows), len(known.names)), dtype=np.int64)
    qualities = {}
    for j, name in enumerate(known.names):
        values, truth = draws[:, :, j], known.parameters[rows, j]
        ranks[:, j] = randomised_ranks(values, truth, rng)
        ends = np.array([credible_interval(each, coverage, known.limits[j]) for each in values])
        covered = float(np.mean((ends[:, 0] <= truth) & (truth <= ends[:, 1])))
        variance = float(known.parameters[:, j].var())
        qualities[name] = ParameterQuality(
            rmse=math.sqrt(np.mean((values.mean(axis=1) - truth) ** 2)),
            prior_sd=math.sqrt(variance),
            shrinkage=1 - float(values.var(axis=1).mean()) / variance if variance else 0.0,
            interval_coverage=covered,
            interval_coverage_interval=wilson(covered, len(rows)),
            rank_p_value=uniformity_p_value(ranks[:, j], N_RANK_DRAWS, rng),
            held_out=len(rows),
        )
    frame = pd.DataFrame(ranks, columns=known.names, index=rows)
    return PosteriorQuality(qualities, coverage, frame, N_RANK_DRAWS)


def randomised_ranks(draws: Floats, truth: Floats, rng: np.random.Generator) -> Codes:
    """Return the rank (m,) of each true value among its draws (m, L), from 0 to L.

    If e draws equal the true value, its rank is one of e + 1 ranks, drawn at random.
    """
    below = (draws < truth[:, None]).sum(axis=1)
    equal = (draws == truth[:, None]).sum(axis=1)
    return np.asarray(below + rng.integers(0, equal + 1), dtype=np.int64)


def uniformity_p_value(ranks: Codes, n_draws: int, rng: np.random.Generator) -> float:
    """Return the Kolmogorov–Smirnov p-value that ranks from 0 to ``n_draws`` are uniform.

    A uniform number is added to each rank, so that the test is exact for integers.
    """
    from scipy.stats import kstest

    return float(kstest((ranks + rng.random(len(ranks))) / (n_draws + 1), "uniform").pvalue)
