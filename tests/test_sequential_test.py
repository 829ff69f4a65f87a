"""Sequential tests against exact probabilities of random walks."""

import numpy as np
import pytest
from scipy.special import beta as beta_function
from scipy.stats import binom

from netchoice.errors import UsageError
from netchoice.inference.sequential_test import (
    ALPHA,
    BORDERLINE,
    FITS,
    REJECTED,
    RISK,
    decide,
    interval,
)

MOST = 3000


def boundaries(alpha, risk, most):
    """Return by number of trials the hits at which the test stops: at most, and at least so many."""
    low, high = np.full(most + 1, -1), np.full(most + 1, most + 1)
    for n in range(1, most + 1):
        hits = np.arange(n + 1)
        mean = beta_function(1 + hits, 1 / alpha + n - hits) / beta_function(1, 1 / alpha)
        with np.errstate(under="ignore", divide="ignore", invalid="ignore"):
            excluded = alpha**hits * (1 - alpha) ** (n - hits) <= risk * mean
        below, above = (
            np.flatnonzero(excluded & (hits <= alpha * n)),
            np.flatnonzero(excluded & (hits > alpha * n)),
        )
        low[n] = below[-1] if len(below) else -1
        high[n] = above[0] if len(above) else most + 1
    return low, high


@pytest.fixture(scope="module")
def limits():
    return boundaries(ALPHA, RISK, 1500)


def probabilities(p, limits):
    """Return the exact probabilities that the test stops with "fits" and with "does not fit"."""
    low, high = limits
    at, fits, rejected = np.array([1.0]), 0.0, 0.0
    for n in range(1, len(low)):
        at = np.append(at, 0.0) * (1 - p) + np.append(0.0, at) * p
        fits += at[high[n] :].sum()
        rejected += at[: low[n] + 1].sum()
        at[high[n] :] = at[: low[n] + 1] = 0.0
    return fits, rejected


def test_wrong_decisions_at_the_level_have_at_most_the_risk(limits):
    fits, rejected = probabilities(ALPHA, limits)
    assert fits + rejected <= RISK


@pytest.mark.parametrize("p", [0.0005, 0.004, 0.0099, 0.0101, 0.02, 0.3])
def test_two_runs_contradict_each_other_with_at_most_twice_the_risk(p, limits):
    fits, rejected = probabilities(p, limits)
    assert 2 * fits * rejected <= 2 * RISK


def test_clear_cases_are_decided(limits):
    assert probabilities(0.0, limits)[1] == 1
    assert probabilities(0.05, limits)[0] > 0.999


@pytest.mark.parametrize("p", [0.0, 0.003, 0.01, 0.03, 0.4, 1.0])
def test_decision_is_that_of_the_boundaries(p, limits):
    low, high = limits
    rng = np.random.default_rng(3)
    for _ in range(20):
        hits = rng.random(1500) < p
        sums = np.append(0, np.cumsum(hits))
        stops = np.flatnonzero((sums <= low) | (sums >= high))
        found = decide(hits, most=1500)
        if not len(stops):
            assert (found.state, found.n) == (BORDERLINE, 1500)
            continue
        n = stops[0]
        assert (found.n, found.hits) == (n, sums[n])
        assert found.state == (FITS if sums[n] >= high[n] else REJECTED)


def test_further_trials_do_not_change_a_decision():
    hits = np.random.default_rng(1).random(4000) < 0.1
    found = decide(hits)
    assert found.n < 400
    assert decide(hits[: found.n]) == decide(np.append(hits[: found.n], np.zeros(3000))) == found


@pytest.mark.parametrize("p", [0.002, 0.01, 0.05, 0.5])
def test_interval_covers_whenever_the_test_stops(p):
    rng = np.random.default_rng(0)
    decisions = [decide(rng.random(5000) < p) for _ in range(400)]
    covered = sum(low <= p <= high for low, high in (each.interval for each in decisions))
    assert binom.sf(len(decisions) - covered - 1, len(decisions), 0.05) > 1e-3


@pytest.mark.parametrize(("hits", "n"), [(0, 1), (1, 1), (0, 500), (3, 700), (40, 41), (60, 60)])
def test_interval_contains_the_share(hits, n):
    low, high = interval(hits, n)
    assert 0 <= low <= hits / n <= high <= 1
    assert interval(hits, n, coverage=0.5)[0] >= low


def test_no_trials():
    found = decide([])
    assert (found.state, found.n, found.p_value, found.interval) == (BORDERLINE, 0, 1.0, (0.0, 1.0))


def test_wrong_input_is_refused():
    with pytest.raises(UsageError, match="hits of shape"):
        decide(np.zeros((2, 2)))
    with pytest.raises(UsageError, match="risk"):
        decide([0], risk=2)
