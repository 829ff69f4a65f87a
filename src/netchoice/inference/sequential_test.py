"""Sequential tests: is a p-value below a level? Simulations are added until the answer is certain enough.

A p-value of a Monte Carlo test is an unknown number: the probability that a simulation scores at least as
high as the observation. Each simulation is a trial, and the trials that do are hits. A confidence sequence
contains the p-value after every number of trials at once, with a probability of at least 1 − ``risk``. So one
can look at it after each trial, and stop at any time. Two runs with other random numbers contradict each
other with a probability of at most 2 · ``risk``.

The sequence is the one of Robbins (1970, doi:10.1214/aoms/1177696786): p is excluded if the likelihood of
the hits is at most ``risk`` times its mean over a beta distribution. The distribution Beta(1, 1/level), whose
mean is near the level, makes it narrow there. A third state is needed for p-values near the level, which no
number of simulations decides (Gandy, Hahn & Ding 2017, arXiv:1703.09305).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import betaln, xlog1py, xlogy

from netchoice.errors import UsageError
from netchoice.validation import check_fraction, check_integer

ALPHA = 0.01
#: Probability that a p-value at any number of simulations is outside its confidence sequence.
RISK = 0.001
#: Simulations after which a p-value that is not yet above or below the level is borderline.
MOST = 4000
FITS, BORDERLINE, REJECTED = "fits", "borderline", "does not fit"


@dataclass(frozen=True)
class Decision:
    """Whether a model fits, from the hits among the simulations of a sequential test.

    Attributes
    ----------
    state : "fits", "does not fit" or "borderline"
    hits, n : int
        Simulations that score at least as high as the observation, and all simulations used.
    interval : (float, float)
        Contains the p-value with a probability of 95%, whenever the test stopped.

    Examples
    --------
    >>> decide([0] * 2000).state, decide([0] * 300).state
    ('does not fit', 'borderline')
    """

    state: str
    hits: int
    n: int
    interval: tuple[float, float]

    @property
    def p_value(self) -> float:
        """The share of the simulations, with the observation among them, that score as high as it.

        >>> decide([False] * 99).p_value
        0.01
        """
        return (self.hits + 1) / (self.n + 1)


def decide(hits: Any, *, alpha: float = ALPHA, risk: float = RISK, most: int = MOST) -> Decision:
    """Return the decision of a sequential test of p ≤ alpha.

    The test stops at the first simulation after which the confidence sequence is above or below alpha.
    If there is none among the first ``most`` simulations, the model is borderline.

    Parameters
    ----------
    hits : boolean array, whether each simulation scores at least as high as the observation, in order
    alpha, risk : float
    most : int

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> [decide(rng.random(5000) < p).state for p in (0.5, 0.0, 0.01)]
    ['fits', 'does not fit', 'borderline']
    """
    check_fraction("alpha", alpha)
    check_fraction("risk", risk)
    check_integer("most", most)
    trials = np.asarray(hits, dtype=bool)
    if trials.ndim != 1:
        raise UsageError(f"hits of shape {trials.shape}; expected one dimension")
    trials = trials[:most]
    sums, n = np.cumsum(trials), np.arange(1, len(trials) + 1)
    certain = np.flatnonzero(_log_ratio(sums, n, alpha, alpha) <= np.log(risk))
    if not len(certain):
        found = int(trials.sum())
        return Decision(BORDERLINE, found, len(trials), interval(found, len(trials), alpha=alpha))
    at = certain[0]
    state = FITS if sums[at] > alpha * n[at] else REJECTED
    found = int(sums[at])
    return Decision(state, found, int(n[at]), interval(found, int(n[at]), alpha=alpha))


def interval(
    hits: int, n: int, *, alpha: float = ALPHA, coverage: float = 0.95
) -> tuple[float, float]:
    """Return the interval of a p-value that holds whenever the test stopped.

    Parameters
    ----------
    hits, n : int
    alpha : float, the level near which the interval is narrow
    coverage : float

    Examples
    --------
    >>> [round(end, 4) for end in interval(0, 1000)], [round(end, 4) for end in interval(500, 1000)]
    ([0.0, 0.0054], [0.3244, 0.6756])
    """
    check_fraction("coverage", coverage)
    if n == 0:
        return 0.0, 1.0
    limit, share = np.log1p(-coverage), hits / n

    def outside(p: float) -> float:
        return float(_log_ratio(hits, n, p, alpha) - limit)

    least, most = 1e-12, 1 - 1e-12
    low = brentq(outside, least, share) if hits and outside(least) < 0 else 0.0
    high = brentq(outside, share, most) if hits < n and outside(most) < 0 else 1.0
    return float(low), float(high)


def _log_ratio(hits: Any, n: Any, p: float, alpha: float) -> Any:
    """Return the logarithm of the likelihood of p, divided by its mean over Beta(1, 1/alpha)."""
    likelihood = xlogy(hits, p) + xlog1py(n - hits, -p)
    return likelihood - betaln(1 + hits, 1 / alpha + n - hits) + betaln(1, 1 / alpha)
