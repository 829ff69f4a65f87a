"""The quality of posteriors: closed forms, leave-one-out, ranks, and calibration that is wrong."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import beta, binom, kstest

from netchoice.errors import UsageError
from netchoice.inference import posterior, posterior_quality
from netchoice.inference.posterior import PosteriorEstimator
from netchoice.inference.posterior_quality import randomised_ranks, uniformity_p_value


def normal_means(n, seed=1, noise=1 / 3):
    """Return means with prior N(0, 1), and one observation of each with this standard deviation."""
    rng = np.random.default_rng(seed)
    drawn = pd.DataFrame({"mean": rng.normal(size=n)})
    return pd.DataFrame({"x": drawn["mean"] + noise * rng.normal(size=n)}), drawn


def two_parameters(n, seed=2):
    rng = np.random.default_rng(seed)
    drawn = pd.DataFrame(rng.uniform(0, 1, (n, 2)), columns=["p", "q"])
    noise = 0.1 * rng.normal(size=(n, 2))
    X = pd.DataFrame({"x": drawn["p"] + drawn["q"], "y": drawn["p"] - drawn["q"]}) + noise
    return X, drawn, {"p": (0.0, 1.0), "q": (0.0, 1.0)}


def within_chance(share, n, probability):
    low, high = binom(n, probability).interval(0.9999)
    return low <= share * n <= high


def test_quality_of_a_normal_mean_equals_the_closed_form():
    """The posterior is N(0.9 x, 0.1), so the error is √0.1 and the shrinkage 0.9."""
    X, drawn = normal_means(4000)
    quality = posterior_quality(X, drawn, n_held_out=800)
    known = quality.parameters["mean"]
    assert known.rmse == pytest.approx(np.sqrt(0.1), rel=0.1)
    assert known.prior_sd == pytest.approx(drawn["mean"].std(ddof=0))
    assert known.shrinkage == pytest.approx(0.9, abs=0.025)
    assert within_chance(known.interval_coverage, 800, 0.95)
    low, high = known.interval_coverage_interval
    assert low < known.interval_coverage < high
    assert known.rank_p_value > 0.001
    assert quality.ranks.shape == (800, 1)


def test_quality_of_a_rate_equals_the_closed_form():
    """With a uniform prior every count is equally probable, and its posterior is a Beta distribution."""
    rng = np.random.default_rng(3)
    drawn = pd.DataFrame({"rate": rng.uniform(0, 1, 4000)})
    X = pd.DataFrame({"count": rng.binomial(100, drawn["rate"])})
    known = posterior_quality(X, drawn, bounds={"rate": (0, 1)}, n_held_out=800).parameters["rate"]
    counts = np.arange(101)
    variance = beta(counts + 1, 101 - counts).var().mean()
    assert known.rmse == pytest.approx(np.sqrt(variance), rel=0.1)
    assert known.shrinkage == pytest.approx(1 - 12 * variance, abs=0.01)
    assert within_chance(known.interval_coverage, 800, 0.95)


def test_features_without_information_do_not_shrink_the_prior():
    rng = np.random.default_rng(4)
    drawn = pd.DataFrame({"p": rng.uniform(0, 1, 2000)})
    X = pd.DataFrame({"x": rng.normal(size=2000)})
    known = posterior_quality(X, drawn, bounds={"p": (0, 1)}).parameters["p"]
    assert known.shrinkage == pytest.approx(0, abs=0.1)
    assert known.rmse == pytest.approx(known.prior_sd, rel=0.15)


@pytest.mark.slow
def test_posterior_of_a_held_out_row_is_that_of_the_other_rows():
    """The scaling, the quantiles and the penalty are shared; this changes the draws little."""
    X, drawn, bounds = two_parameters(1500)
    known = PosteriorEstimator.fit(X, drawn, bounds=bounds)
    for row in range(5):
        summaries = known.regression.predictions[row]
        units = known.draw(summaries, 2000, np.random.default_rng(0), without=row)
        ours = known.prior.from_unit(units)
        ref = posterior(X.drop(row), drawn.drop(row), X.loc[row], bounds=bounds).draws.to_numpy()
        assert np.abs(ours.mean(axis=0) - ref.mean(axis=0)).max() < 0.2 * ref.std(axis=0).max()
        assert ours.std(axis=0) == pytest.approx(ref.std(axis=0), rel=0.15)


def test_quality_does_not_depend_on_threads_and_is_repeatable():
    X, drawn, bounds = two_parameters(200)
    options = {"bounds": bounds, "n_held_out": 40}
    first, second = (posterior_quality(X, drawn, n_jobs=n, **options) for n in (1, 3))
    assert first.parameters == second.parameters
    assert first.ranks.equals(second.ranks)
    other = posterior_quality(X, drawn, seed=1, **options)
    assert not first.ranks.index.equals(other.ranks.index)
    assert first.ranks.index.is_unique
    assert first.parameters["p"].held_out == 40
    assert len(posterior_quality(X, drawn, bounds=bounds, n_held_out=999).ranks) == 200


@pytest.mark.parametrize(
    ("change", "coverage"),
    [
        (lambda units: units.mean(axis=0) + 0.4 * (units - units.mean(axis=0)), (0.4, 0.8)),
        (lambda units: (units + 0.1).clip(0, 1), (0.4, 0.93)),
    ],
    ids=["too narrow", "shifted"],
)
def test_wrong_posteriors_are_detected(monkeypatch, change, coverage):
    X, drawn = normal_means(1500)
    right = PosteriorEstimator.draw
    monkeypatch.setattr(PosteriorEstimator, "draw", lambda *args, **kw: change(right(*args, **kw)))
    known = posterior_quality(X, drawn).parameters["mean"]
    assert known.rank_p_value < 1e-4
    assert coverage[0] < known.interval_coverage < coverage[1]


def test_too_wide_posteriors_are_detected(monkeypatch):
    X, drawn = normal_means(1500)
    right = PosteriorEstimator.draw

    def flat(self, query, n_draws, rng, without=None):
        units = right(self, query, n_draws, rng, without)
        return (units.mean(axis=0) + 2.5 * (units - units.mean(axis=0))).clip(0, 1)

    monkeypatch.setattr(PosteriorEstimator, "draw", flat)
    known = posterior_quality(X, drawn).parameters["mean"]
    assert known.rank_p_value < 1e-3
    assert known.interval_coverage > 0.98


def test_ranks_of_integers_are_uniform():
    """Draws and true values come from one distribution on four integers, so most of them are equal."""
    rng = np.random.default_rng(5)
    draws = rng.integers(0, 4, (3000, 99)).astype(float)
    truth = rng.integers(0, 4, 3000).astype(float)
    ranks = randomised_ranks(draws, truth, rng)
    for rank, own, true in zip(ranks[:50], draws, truth, strict=False):
        below = sum(x < true for x in own)
        assert below <= rank <= below + sum(x == true for x in own)
    # The share of equal draws varies, so the rank within them need not be exactly uniform.
    assert np.histogram(ranks, 10, (0, 100))[0] == pytest.approx(300, abs=75)


def test_p_value_of_uniform_ranks_is_uniform():
    rng = np.random.default_rng(6)
    p_values = [uniformity_p_value(rng.integers(0, 10, 100), 9, rng) for _ in range(400)]
    assert kstest(p_values, "uniform").pvalue > 0.001
    assert uniformity_p_value(np.full(100, 5), 9, rng) < 1e-9


def test_constant_and_integer_parameters():
    rng = np.random.default_rng(7)
    drawn = pd.DataFrame({"m": rng.integers(1, 5, 600), "fixed": np.full(600, 0.5)})
    X = pd.DataFrame({"x": drawn["m"] + 0.1 * rng.normal(size=600)})
    bounds = {"m": (1, 4), "fixed": (0.5, 0.5)}
    quality = posterior_quality(X, drawn, bounds=bounds, n_held_out=60).parameters
    assert 0.5 < quality["m"].shrinkage < 1
    assert quality["m"].interval_coverage > 0.9
    fixed = quality["fixed"]
    assert (fixed.rmse, fixed.prior_sd, fixed.shrinkage) == (0, 0, 0)
    assert fixed.interval_coverage == 1


def test_quality_refuses_bad_input():
    X, drawn = normal_means(60)
    with pytest.raises(UsageError, match="`n_held_out` must be an integer of at least 1; got 0"):
        posterior_quality(X, drawn, n_held_out=0)
    with pytest.raises(UsageError, match="`coverage` must be a number between 0 and 1; got 95"):
        posterior_quality(X, drawn, coverage=95)
    with pytest.raises(UsageError, match=r"20 simulations and 20 rows .* at least 30"):
        posterior_quality(X[:20], drawn[:20])
