"""False discovery rates over many tests: adjusted p-values, and what a number of simulations allows."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from netchoice.errors import UsageError
from netchoice.inference.scaling import Floats
from netchoice.validation import check_fraction, check_integer

#: Expected share of wrong rejections among all rejections.
RATE = 0.05


def adjusted_p_values(p: Any) -> Floats:
    """Return the p-values adjusted for the false discovery rate; NaN stays NaN.

    Reject the tests whose adjusted p-value (q-value) is at most 0.05. The expected share of wrong
    rejections is then at most 0.05 if the tests are independent or positively dependent (Benjamini &
    Hochberg 1995, doi:10.1111/j.2517-6161.1995.tb02031.x; Benjamini & Yekutieli 2001,
    doi:10.1214/aos/1013699998). The adjusted value of the i-th smallest of m p-values is the smallest
    of m·p₍ⱼ₎/j over all j ≥ i, and at most 1. Tests without a p-value are not counted in m.

    A p-value computed from N simulations is at least 1/(N + 1). Among many tests even this smallest
    p-value can be too large to reject one test alone; see :func:`fewest_rejections`.

    Parameters
    ----------
    p : array (m,), p-values from 0 to 1, or NaN

    Examples
    --------
    >>> adjusted_p_values([0.01, 0.04, float("nan"), 0.03, 0.5]).round(3).tolist()
    [0.04, 0.053, nan, 0.053, 0.5]
    """
    values = np.array(p, dtype=np.float64)
    wrong = values[(values < 0) | (values > 1)].tolist()
    if values.ndim != 1 or wrong:
        found = f"p-values of shape {values.shape}" + (
            f", among them {wrong[0]:g}" if wrong else ""
        )
        raise UsageError(f"{found}; expected one dimension and values from 0 to 1, or NaN")
    known = np.flatnonzero(~np.isnan(values))
    falling = known[np.argsort(-values[known], kind="stable")]
    ranks = np.arange(len(known), 0, -1)
    adjusted = np.minimum.accumulate(values[falling] * (len(known) / ranks))
    values[falling] = adjusted.clip(max=1.0)
    return values


def fewest_rejections(n_tests: int, floor: float, rate: float = RATE) -> int:
    """Return the smallest number of tests that can be rejected together at a false discovery rate.

    With m tests and p-values of at least ``floor``, k tests are rejected together only if
    ``floor`` ≤ rate·k/m. So k is at least m·floor/rate. With N = 1500 simulations, a rate of 0.05 and up
    to 75 tests, one test can be rejected alone. With 1000 tests, at least 14 tests need p-values at or
    near the floor. If fewer hypotheses are false, none can be rejected, whatever the data. The limit is
    a share of the tests, 1/(rate·(N + 1)), and only more simulations lower it.

    Parameters
    ----------
    n_tests : int, number of p-values m
    floor : float, the smallest possible p-value, 1/(N + 1) for N simulations
    rate : float, false discovery rate

    Examples
    --------
    >>> [fewest_rejections(m, 1 / 1501) for m in (75, 76, 1000, 100_000)]
    [1, 2, 14, 1333]
    """
    check_integer("n_tests", n_tests, minimum=1)
    check_fraction("floor", floor)
    check_fraction("rate", rate)
    least = n_tests * floor / rate
    return max(1, math.ceil(least * (1 - 1e-12)))  # an exact quotient must not be rounded up
