"""Adjusted p-values, and when no test can be rejected."""

import naive_inference as naive
import numpy as np
import pytest
from scipy.stats import false_discovery_control

from netchoice.errors import UsageError
from netchoice.inference.false_discovery import RATE, adjusted_p_values, fewest_rejections


@pytest.mark.parametrize("n", [1, 2, 7, 60])
def test_equals_the_reference_implementation_and_scipy(n):
    rng = np.random.default_rng(n)
    p = rng.uniform(size=n).round(1) ** 3  # with ties
    assert adjusted_p_values(p) == pytest.approx(naive.adjusted_p_values(p.tolist()))
    assert adjusted_p_values(p) == pytest.approx(false_discovery_control(p))


def test_order_of_the_p_values_is_kept():
    p = np.sort(np.random.default_rng(1).uniform(size=200) ** 4)
    q = adjusted_p_values(p)
    assert (np.diff(q) >= 0).all()
    assert (q >= p).all()
    assert q.max() <= 1


def test_missing_p_values_stay_missing_and_are_not_counted():
    q = adjusted_p_values([0.02, np.nan, 0.04, np.nan])
    assert q == pytest.approx([0.04, np.nan, 0.04, np.nan], nan_ok=True)
    assert np.isnan(adjusted_p_values([np.nan])).all()
    assert adjusted_p_values([]).shape == (0,)


def test_argument_is_not_changed():
    p = np.array([0.5, 0.1])
    adjusted_p_values(p)
    assert p.tolist() == [0.5, 0.1]


@pytest.mark.parametrize("p", [[0.5, 1.2], [-0.1], [[0.5]], 0.5])
def test_bad_p_values_are_refused(p):
    with pytest.raises(UsageError, match="expected one dimension and values from 0 to 1"):
        adjusted_p_values(p)


@pytest.mark.parametrize("n_tests", [1, 10, 75, 76, 1000])
@pytest.mark.parametrize("n_simulations", [99, 1500])
def test_fewer_tests_than_the_fewest_are_never_rejected(n_tests, n_simulations):
    """The closed form agrees with k tests at the floor, all others at 1."""
    floor = 1 / (n_simulations + 1)
    fewest = fewest_rejections(n_tests, floor)
    for k in {1, fewest - 1, fewest, fewest + 1} & set(range(1, n_tests + 1)):
        p = np.where(np.arange(n_tests) < k, floor, 1.0)
        assert (adjusted_p_values(p) <= 0.05 * (1 + 1e-9)).sum() == (k if k >= fewest else 0)


def test_exact_quotient_is_not_rounded_up():
    assert fewest_rejections(100, 0.01, 0.05) == 20
    assert fewest_rejections(7, 0.05, 0.35) == 1


def test_false_discovery_rate_is_kept_for_tests_that_share_their_simulations():
    """Each p-value is a rank among the same 400 simulations: of 30 true models, and of 10 wrong ones."""
    rng = np.random.default_rng(4)
    wrong, power = [], []
    for _ in range(200):
        simulated = np.sort(rng.normal(size=400))
        scores = np.concatenate([rng.normal(size=30), rng.normal(7, size=10)])
        p = (1 + 400 - np.searchsorted(simulated, scores)) / 401
        rejected = adjusted_p_values(p) <= RATE
        wrong.append(rejected[:30].sum() / max(1, rejected.sum()))
        power.append(rejected[30:].mean())
    assert np.mean(wrong) <= RATE
    assert np.mean(power) > 0.9
