"""Scaling, scores of predictions and posteriors: closed forms, reference implementations, calibration."""

import naive_inference as naive
import numpy as np
import pandas as pd
import pytest
from fast_and_slow import fast_for
from scipy.stats import beta, binom, norm

from netchoice.errors import UsageError
from netchoice.inference.posterior import PosteriorEstimator, posterior, posterior_of
from netchoice.inference.reliability import reliability, scored
from netchoice.inference.scaling import SCALINGS, Scaling
from netchoice.inference.summary_likelihood import SummaryLikelihood

# Scaling


def test_rank_scores_are_normal_scores_of_middle_ranks():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, 6, 60), 10.0 ** rng.uniform(-20, 20, 60)])
    ours = Scaling.fit(X, "rank").transform(X)
    for k in range(2):
        assert ours[:, k] == pytest.approx(naive.normal_scores(X[:, k].tolist()), abs=1e-12)


def test_rank_scores_do_not_depend_on_the_unit_or_a_monotone_function():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(500, 1))
    inside = rng.choice(x[:, 0], 40)[:, None]
    plain = Scaling.fit(x).transform(inside)
    assert Scaling.fit(np.exp(40 * x)).transform(np.exp(40 * inside)) == pytest.approx(plain)
    assert Scaling.fit(1e9 * x + 3).transform(1e9 * inside + 3) == pytest.approx(plain)


@pytest.mark.parametrize("kind", SCALINGS)
def test_scalings_are_increasing_everywhere(kind):
    rng = np.random.default_rng(2)
    columns = np.column_stack(
        [
            rng.normal(size=300),
            10.0 ** rng.uniform(0, 40, 300),
            np.where(rng.random(300) < 0.95, 0.0, rng.integers(1, 50, 300)),
            rng.integers(0, 2, 300),
        ]
    )
    scaling = Scaling.fit(columns, kind)
    for k in range(columns.shape[1]):
        low, high = columns[:, k].min(), columns[:, k].max()
        reach = high - low
        grid = np.sort(
            np.r_[
                columns[:, k], low - reach * 2.0 ** np.arange(5), high + reach * 2.0 ** np.arange(5)
            ]
        )
        queries = np.tile(columns[:1], (len(grid), 1))
        queries[:, k] = grid
        scaled = scaling.transform(queries)[:, k]
        assert (np.diff(scaled)[np.diff(grid) > 0] >= 0).all()
        assert (np.diff(scaled)[:5] > 0).all()
        assert (np.diff(scaled)[-5:] > 0).all()


def test_values_outside_the_table_are_far():
    rng = np.random.default_rng(3)
    normal, wide = rng.normal(size=4000), 10.0 ** rng.uniform(0, 40, 4000)
    scaling = Scaling.fit(np.column_stack([normal, wide]), "rank")

    def score(x, y):
        return scaling.transform([[x, y]])[0]

    edge = norm.ppf(1 - 0.5 / 4000)
    # 20 standard deviations score at least twice as much as the outermost of 4000 values
    assert score(20.0, 1.0)[0] > 2 * edge
    assert score(-20.0, 1.0)[0] < -2 * edge
    # ten more orders of magnitude are outside, a hundred more are far outside
    assert edge < score(0, 1e50)[1] < score(0, 1e140)[1]
    assert score(0, 1e140)[1] > 2 * edge
    # the score is continuous at the edge of the table
    assert score(normal.max() * 1.001, 1)[0] == pytest.approx(edge, rel=0.01)
    assert np.isfinite(score(-np.inf, np.inf)).all()


@pytest.mark.parametrize("kind", SCALINGS)
def test_constant_columns_are_zero_at_their_value_and_far_elsewhere(kind):
    scaling = Scaling.fit(np.tile([[0.0, 7.0]], (50, 1)), kind)
    assert (scaling.transform([[0.0, 7.0]]) == 0).all()
    away = scaling.transform([[1.0, -7.0]])[0]
    assert away[0] > 0 > away[1]
    if kind != "standard":
        assert (abs(away) > norm.ppf(0.99)).all()


def test_standard_scaling_equals_scikit_learn():
    from sklearn.preprocessing import StandardScaler

    X = np.random.default_rng(4).lognormal(size=(80, 3))
    X[:, 1] = 4.0
    ours = Scaling.fit(X, "standard").transform(X)
    assert ours == pytest.approx(StandardScaler().fit_transform(X))


def test_scaling_refuses_bad_input():
    with pytest.raises(UsageError, match="'rank', 'robust' or 'standard'; got 'ranks'"):
        Scaling.fit([[1.0], [2.0]], "ranks")
    with pytest.raises(UsageError, match="column 'b' has missing values"):
        Scaling.fit(pd.DataFrame({"a": [1, 2], "b": [1, np.nan]}))
    with pytest.raises(UsageError, match="1 rows; expected at least 2"):
        Scaling.fit([[1.0]])
    with pytest.raises(UsageError, match="2 columns; expected the 1"):
        Scaling.fit([[1.0], [2.0]]).transform([[1.0, 2.0]])


# Scores of predictions


def test_scores_of_predictions_by_hand():
    rng = np.random.default_rng(22)
    models, labels = ["c", "a", "b"], rng.choice(["a", "b", "c"], 300)
    probabilities = rng.dirichlet([1, 2, 3], 300)
    found = scored(models, probabilities, labels)
    frame = pd.DataFrame(probabilities, columns=models)
    of_truth = np.array([frame.loc[i, label] for i, label in enumerate(labels)])
    assert found.log_score == pytest.approx(-np.log(of_truth).mean())
    predicted = frame.idxmax(axis=1)
    assert found.accuracy == pytest.approx((predicted == labels).mean())
    assert found.confusion.loc["a", "b"] == ((labels == "a") & (predicted == "b")).sum()
    assert found.confusion.to_numpy().sum() == 300
    assert found.reliability["n"].sum() == 900


def test_calibrated_probabilities_have_the_frequencies_that_they_predict():
    rng = np.random.default_rng(21)
    probability = rng.uniform(size=5000)
    labels = np.where(rng.random(5000) < probability, "yes", "no")
    found = scored(["yes", "no"], np.column_stack([probability, 1 - probability]), labels)
    assert len(found.reliability) == 10
    for row in found.reliability.itertuples():
        spread = 4 * np.sqrt(row.predicted * (1 - row.predicted) / row.n)
        assert row.observed == pytest.approx(row.predicted, abs=spread)


def test_probability_of_0_of_the_true_model_has_a_finite_score():
    assert np.isfinite(scored(["a", "b"], np.array([[1.0, 0.0]]), ["b"]).log_score)


def test_reliability_has_no_empty_bins():
    table = reliability(np.array([[1.0, 0.0], [0.55, 0.45]]), np.array([[1, 0], [1, 0]]))
    assert table["low"].tolist() == [0.0, 0.4, 0.5, 0.9]
    assert table["n"].tolist() == [1, 1, 1, 1]


# Posterior


@fast_for("count", [0, 30], [0, 1, 5, 30, 50, 99, 100])
@pytest.mark.slow
def test_posterior_of_a_rate_equals_the_beta_distribution(count):
    """With a uniform prior, the posterior of a rate after 100 trials is Beta(count + 1, 101 - count)."""
    rng = np.random.default_rng(25)
    drawn = pd.DataFrame({"rate": rng.uniform(0, 1, 20000)})
    X = pd.DataFrame({"count": rng.binomial(100, drawn["rate"])})
    result = posterior(X, drawn, {"count": count}, bounds={"rate": (0, 1)})
    truth = beta(count + 1, 101 - count)
    low, high = result.intervals["rate"]
    assert abs(result.median["rate"] - truth.median()) < 0.45 * truth.std()
    assert result.draws["rate"].std() == pytest.approx(truth.std(), rel=0.45)
    # A count of 0 is far from normal, and the likelihood is normal.
    assert truth.cdf(high) - truth.cdf(low) == pytest.approx(
        0.95, abs=0.03 if 5 <= count < 99 else 0.13
    )
    if count in (0, 100):
        assert (low == 0) == (count == 0)
        assert (high == 1) == (count == 100)
        assert result.at_boundary == {"rate": "lower" if count == 0 else "upper"}


@pytest.mark.slow
def test_intervals_cover_parameters_at_the_boundary_of_the_prior():
    """Of 200 observations made at a corner of the prior, the intervals cover the corner in about 95%."""
    rng = np.random.default_rng(26)
    drawn = pd.DataFrame(rng.uniform(0, 1, (3000, 2)), columns=["p", "q"])

    def features(p, q, n):
        noise = 0.1 * rng.normal(size=(n, 3))
        return pd.DataFrame(np.column_stack([p + q, p - q, p * q]) + noise, columns=list("xyz"))

    X = features(drawn["p"], drawn["q"], 3000)
    observations = features(np.zeros(200), np.ones(200), 200)
    bounds = {"p": (0, 1), "q": (0, 1)}
    covered = {"p": 0, "q": 0}
    known = PosteriorEstimator.fit(X, drawn, bounds=bounds)
    for _, observed in observations.iterrows():
        intervals = posterior_of(known, observed).intervals
        covered["p"] += intervals["p"][0] == 0
        covered["q"] += intervals["q"][1] == 1
    assert min(covered.values()) >= binom(200, 0.95).ppf(1e-4)


def test_few_simulations_with_many_features_do_not_give_a_narrow_posterior():
    rng = np.random.default_rng(34)
    drawn = pd.DataFrame({"p": rng.uniform(0, 1, 120)})
    X = pd.DataFrame(rng.normal(size=(120, 47))).add_prefix("f")
    result = posterior(X, drawn, dict.fromkeys(X, 0.0), bounds={"p": (0, 1)})
    low, high = result.intervals["p"]
    assert high - low > 0.6


def test_posterior_is_repeatable():
    rng = np.random.default_rng(35)
    drawn = pd.DataFrame({"p": rng.uniform(0, 1, 400)})
    X = pd.DataFrame({"x": drawn["p"] + rng.normal(size=400)})
    first, second = (posterior(X, drawn, {"x": 0.2}, bounds={"p": (0, 1)}) for _ in range(2))
    assert first.draws.equals(second.draws)
    assert not first.draws.equals(
        posterior(X, drawn, {"x": 0.2}, bounds={"p": (0, 1)}, seed=1).draws
    )


@pytest.mark.slow
def test_posterior_of_a_conjugate_normal_mean():
    """With prior N(0, 1) and the mean x of 9 observations of N(·, 1) the posterior is N(0.9 x, 0.1)."""
    rng = np.random.default_rng(27)
    drawn = pd.DataFrame({"mean": rng.normal(size=20000)})
    X = pd.DataFrame({"average": drawn["mean"] + rng.normal(size=20000) / 3})
    for x in (-1.0, 0.3, 1.5):
        result = posterior(X, drawn, {"average": x}, coverage=0.9)
        truth = norm(0.9 * x, np.sqrt(0.1))
        assert result.median["mean"] == pytest.approx(truth.mean(), abs=0.06)
        assert result.intervals["mean"] == pytest.approx(truth.interval(0.9), abs=0.12)
        assert result.at_boundary == {}


def test_likelihood_of_normal_summaries_is_their_density():
    """Summaries N(u², 0.05²) have a normal density, whose mean is quadratic in the quantile u."""
    rng = np.random.default_rng(28)
    units = rng.uniform(0, 1, (50_000, 1))
    summaries = units**2 + 0.05 * rng.normal(size=units.shape)
    likelihood = SummaryLikelihood.fit(np.array([0.5]), summaries, units, np.array([0.05]))
    queries = np.array([0.6, 0.65, 0.7])[:, None]
    expected = norm(queries[:, 0] ** 2, 0.05).logpdf(0.5) - norm(0, 0.05).logpdf(0)
    assert likelihood.log(queries) == pytest.approx(expected, abs=0.05)
    assert likelihood.log(np.array([[0.01]])) == -np.inf


@fast_for("coverage", [0.9], [0.9, 0.5])
@pytest.mark.slow
def test_credible_intervals_have_the_stated_coverage(coverage):
    rng = np.random.default_rng(29)
    drawn = pd.DataFrame(rng.uniform(0, 1, (2300, 2)), columns=["p", "q"])
    X = pd.DataFrame(
        {
            "x": drawn["p"] + drawn["q"] + 0.2 * rng.normal(size=2300),
            "y": np.exp(drawn["p"] - drawn["q"] + 0.2 * rng.normal(size=2300)),
        }
    )
    bounds = {"p": (0, 1), "q": (0, 1)}
    hits = np.zeros(2)
    known = PosteriorEstimator.fit(X[300:], drawn[300:], bounds=bounds)
    for i in range(300):
        result = posterior_of(known, X.iloc[i], coverage=coverage)
        assert result.draws.min().min() >= 0
        assert result.draws.max().max() <= 1
        for j, name in enumerate(drawn):
            low, high = result.intervals[name]
            hits[j] += low <= drawn[name][i] <= high
    expected = binom(300, coverage).interval(0.9999)
    assert (hits >= expected[0]).all()
    assert (hits <= expected[1]).all()


@pytest.mark.slow
def test_posterior_at_the_boundary_of_the_prior():
    rng = np.random.default_rng(30)
    drawn = pd.DataFrame(rng.uniform(0.25, 0.75, (3000, 2)), columns=["p", "q"])
    X = pd.DataFrame({"x": drawn["p"] + 0.03 * rng.normal(size=3000), "y": rng.normal(size=3000)})
    bounds = {"p": (0.25, 0.75), "q": (0.25, 0.75)}
    for x, side_by_name in ((0.9, {"p": "upper"}), (0.1, {"p": "lower"}), (0.5, {})):
        result = posterior(X, drawn, {"x": x, "y": 0.0}, bounds=bounds)
        assert result.at_boundary == side_by_name
        assert result.summary()["p"]["at_boundary"] == side_by_name.get("p")
        assert result.summary()["q"]["at_boundary"] is None
        for low, high in result.intervals.values():
            assert 0.25 <= low <= high <= 0.75
    assert result.edges["q"]["lower"][1] == pytest.approx(0.05, abs=0.02)


def test_integer_constant_and_half_bounded_parameters():
    rng = np.random.default_rng(31)
    drawn = pd.DataFrame(
        {
            "m": rng.integers(1, 5, 2000),
            "fixed": np.full(2000, 0.5),
            "scale": rng.exponential(size=2000),
            "negative": -rng.exponential(size=2000),
        }
    )
    X = pd.DataFrame(
        {
            "x": drawn["m"] + 0.1 * rng.normal(size=2000),
            "y": drawn["scale"] * rng.lognormal(0, 0.1, 2000),
            "z": drawn["negative"] * rng.lognormal(0, 0.1, 2000),
        }
    )
    bounds = {
        "m": (1, 4), "fixed": (0.5, 0.5), "scale": (0, np.inf), "negative": (-np.inf, 0)
    }  # fmt: skip
    result = posterior(X, drawn, {"x": 2.0, "y": 1.0, "z": -1.0}, bounds=bounds)
    assert result.median["m"] == 2
    assert set(result.draws["m"]) <= {1.0, 2.0, 3.0, 4.0}
    assert result.intervals["fixed"] == (0.5, 0.5)
    assert result.median["scale"] == pytest.approx(1, abs=0.15)
    assert result.median["negative"] == pytest.approx(-1, abs=0.15)
    assert result.draws["scale"].min() > 0 > result.draws["negative"].max()
    assert "scale" not in result.at_boundary


@pytest.mark.parametrize(
    ("draw", "low", "high"),
    [
        (lambda rng: np.exp(rng.uniform(np.log(1e-3), 0, 4000)), 1e-3, 1.0),
        (lambda rng: rng.integers(1, 4, 4000), 1, 3),
    ],
    ids=["loguniform", "few integers"],
)
@pytest.mark.slow
def test_boundary_is_found_on_the_scale_of_the_prior(draw, low, high):
    rng = np.random.default_rng(36)
    drawn = pd.DataFrame({"p": draw(rng)})
    X = pd.DataFrame({"x": np.log(drawn["p"]) + 0.05 * rng.normal(size=4000)})
    for value, side in ((low, "lower"), (high, "upper")):
        result = posterior(X, drawn, {"x": np.log(value)}, bounds={"p": (low, high)})
        assert result.at_boundary == {"p": side}
    middle = float(np.median(drawn["p"]))
    assert posterior(X, drawn, {"x": np.log(middle)}, bounds={"p": (low, high)}).at_boundary == {}


def test_posterior_refuses_bad_input():
    X = pd.DataFrame({"f0": np.random.default_rng(33).normal(size=60)})
    drawn = pd.DataFrame({"p": np.linspace(0, 1, 60)})
    with pytest.raises(UsageError, match=r"p was drawn from 0 to 1, but its bounds are 0\.5 and 1"):
        posterior(X, drawn, {"f0": 0.0}, bounds={"p": (0.5, 1)})
    with pytest.raises(UsageError, match="bounds for q; expected parameters among p"):
        posterior(X, drawn, {"f0": 0.0}, bounds={"q": (0, 1)})
    with pytest.raises(UsageError, match=r"20 simulations and 20 rows of parameters; .* least 30"):
        posterior(X[:20], drawn[:20], {"f0": 0.0})
    with pytest.raises(UsageError, match="60 simulations and 59 rows"):
        posterior(X, drawn[:59], {"f0": 0.0})
    with pytest.raises(UsageError, match="the observed f0 is missing"):
        posterior(X, drawn, {"f0": np.nan})
    with pytest.raises(UsageError, match="simulated p"):
        posterior(X, drawn.assign(p=np.nan), {"f0": 0.0})
