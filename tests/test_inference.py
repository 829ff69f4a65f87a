"""Scaling, model probabilities and posteriors: closed forms, reference implementations, calibration."""

import naive_inference as naive
import numpy as np
import pandas as pd
import pytest
from fast_and_slow import fast_for
from scipy.special import expit, logit, softmax
from scipy.stats import beta, binom, norm
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression

from netchoice._kernels.compiler import _registry
from netchoice._kernels.local_regression import (
    epanechnikov,
    regress_locally,
    use_local_unit,
    value_at_rank,
)
from netchoice._kernels.multinomial_regression import fit_multinomial
from netchoice.errors import UsageError
from netchoice.inference import classifiers
from netchoice.inference import scaling as weights
from netchoice.inference.posterior import PosteriorEstimator, posterior, posterior_of
from netchoice.inference.probabilities import (
    METHODS,
    ModelProbabilities,
    ProbabilityEstimator,
    model_probabilities,
    pool_feature_sets,
)
from netchoice.inference.reliability import held_out, reliability
from netchoice.inference.scaling import SCALINGS, Scaling
from netchoice.inference.summary_likelihood import SummaryLikelihood


def two_normals(n, seed, gap=1.0, q=1):
    """Two models whose first feature is N(∓gap, 1); the other features are noise."""
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(n) < 0.5, "a", "b")
    X = rng.normal(size=(n, q))
    X[:, 0] += np.where(y == "a", -gap, gap)
    return pd.DataFrame(X, columns=[f"f{k}" for k in range(q)]), pd.Series(y)


def true_probability(x, gap=1.0):
    """Return the probability of model "b" given the first feature."""
    return 1 / (1 + np.exp(-2 * gap * x))


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


# Neighbours


def test_votes_with_ties_equal_the_reference_implementation():
    rng = np.random.default_rng(5)
    X = rng.integers(0, 4, (60, 2)).astype(float)
    labels = rng.integers(0, 3, 60)
    queries = rng.integers(0, 4, (20, 2)).astype(float)
    (_, distance), *_ = weights.distances(X, queries)
    for k in (1, 7, 60):
        ours = weights.shares_of_nearest(distance, k) @ np.eye(3)[labels]
        assert ours.sum(axis=1) == pytest.approx(k)
        for row, votes in zip(queries, ours, strict=True):
            ref = naive.votes(X.tolist(), labels.tolist(), row.tolist(), k, range(3))
            assert votes == pytest.approx(ref)


def test_neighbours_predict_the_mean_and_interval_of_a_dirichlet():
    X, y = two_normals(400, 6)
    result = model_probabilities(X, y, {"f0": 0.3}, method="neighbours", n_neighbors=10)
    votes = result.details["votes"]
    assert sum(votes.values()) == pytest.approx(10)
    assert list(result.probabilities.values()) == pytest.approx(
        naive.dirichlet_mean(list(votes.values()))
    )
    a, b = votes["a"] + 0.5, votes["b"] + 0.5
    assert result.intervals["a"] == pytest.approx(beta(a, b).interval(0.95))


def test_unanimous_neighbours_do_not_give_certainty():
    X, y = two_normals(400, 7, gap=30)
    result = model_probabilities(X, y, {"f0": 30.0}, method="neighbours", n_neighbors=10)
    assert result.probabilities["b"] == pytest.approx(10.5 / 11)


# Forest


def test_discriminant_axes_equal_scikit_learn():
    rng = np.random.default_rng(8)
    y = rng.integers(0, 3, 300)
    X = rng.normal(size=(300, 4)) @ rng.normal(size=(4, 4)) + np.eye(3, 4)[y] * 2
    ours = X @ classifiers.discriminant_axes(X, y, 3)
    theirs = LinearDiscriminantAnalysis(solver="svd").fit(X, y).transform(X)
    for k in range(2):
        assert abs(np.corrcoef(ours[:, k], theirs[:, k])[0, 1]) == pytest.approx(1, abs=1e-9)


def test_discriminant_axes_of_constant_and_repeated_columns():
    rng = np.random.default_rng(9)
    y = rng.integers(0, 2, 100)
    x = rng.normal(size=100) + y
    axes = classifiers.discriminant_axes(np.column_stack([x, x, np.ones(100)]), y, 2)
    assert np.isfinite(axes).all()
    projected = np.column_stack([x, x, np.ones(100)]) @ axes
    assert abs(np.corrcoef(projected[:, 0], x)[0, 1]) == pytest.approx(1)
    assert classifiers.discriminant_axes(np.ones((100, 2)), y, 2).shape[0] == 2


def test_other_models_share_the_error_by_their_votes():
    rng = np.random.default_rng(10)
    votes = rng.dirichlet([0.5, 0.5, 0.5, 0.5], 50)
    errors = rng.random(50)
    ours = classifiers.share_error(votes, np.minimum(errors, classifiers._max_error(votes)))
    for row, shares, error in zip(ours, votes, errors, strict=True):
        assert row == pytest.approx(naive.share_error(shares.tolist(), error, 0.001))
    assert (ours.argmax(axis=1) == votes.argmax(axis=1)).all()
    assert ours.sum(axis=1) == pytest.approx(1)


@pytest.mark.kernels
def test_local_error_is_the_mean_over_leaves():
    X, y = two_normals(300, 11, q=2)
    classifier = classifiers.ForestClassifier(n_trees=20, seed=1).fit(X, y)
    queries = np.array([[0.1, 0.0], [3.0, 0.0]])
    local_error = classifier.predict(queries).details["local_error"]
    scaling = Scaling.fit(X)
    votes = classifier._voting_forest.oob_votes
    has_votes = votes.any(axis=1)
    wrong = (votes.argmax(axis=1) != (y == "b"))[has_votes].to_numpy()
    leaves = classifier._error_forest.apply(classifier._with_axes(scaling.transform(queries)))
    training = classifier._error_forest.apply(
        classifier._with_axes(scaling.transform(X))[has_votes]
    )
    assert (training == classifier._error_forest.leaves).all()
    for i in range(2):
        shares = [wrong[training[:, t] == leaves[i, t]].mean() for t in range(20)]
        assert local_error[i] == pytest.approx(np.mean(shares))
    assert local_error[0] > local_error[1]


# Regression


def labelled_rows(n, q, n_classes, seed, slope=1.0):
    """Return features, classes and weights; the log-odds are linear."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, q))
    y = slope * X @ rng.normal(size=(q, n_classes)) + rng.gumbel(size=(n, n_classes))
    return X, y.argmax(axis=1), rng.uniform(0.1, 2, n)


@pytest.mark.kernels
@pytest.mark.parametrize(
    ("n", "q", "n_classes", "slope"),
    [(1, 1, 2, 1.0), (15, 1, 2, 1.0), (16, 2, 3, 1.0), (33, 0, 4, 1.0), (60, 5, 4, 50.0), (90, 3, 6, 1.0)],
)  # fmt: skip
def test_multinomial_regression_equals_the_reference_implementation(n, q, n_classes, slope):
    X, y, weights = labelled_rows(n, q, n_classes, n, slope)
    X[:, 1:] += 30  # needs step halving
    weights[::7] = 0
    ours = fit_multinomial(X, y, weights, n_classes, 0.3)
    theirs = naive.multinomial_regression(X, np.eye(n_classes)[y], weights, 0.3)
    assert ours[0] == pytest.approx(theirs[0], abs=1e-8, rel=1e-8)
    # In the reference implementation, a common shift of all intercepts has the variance 1e6.
    assert ours[1] == pytest.approx(theirs[1], abs=1e-8, rel=1e-8)


@pytest.mark.kernels
def test_multinomial_regression_equals_scikit_learn():
    X, y, weights = labelled_rows(200, 3, 4, 12)
    theirs = LogisticRegression(C=1 / 0.7, tol=1e-10, max_iter=2000).fit(X, y, weights)
    coefficients, covariance = fit_multinomial(X, y, weights, 4, 0.7)
    probabilities = softmax(coefficients[0] + X @ coefficients[1:], axis=1)
    assert probabilities == pytest.approx(theirs.predict_proba(X), abs=1e-5)
    assert np.linalg.eigvalsh(covariance[:3, :3]).min() > 0


@pytest.mark.kernels
def test_order_of_classes_does_not_matter():
    X, y, weights = labelled_rows(100, 3, 3, 40)
    coefficients, _ = fit_multinomial(X, y, weights, 3, 5.0)
    turned, _ = fit_multinomial(X, (y + 1) % 3, weights, 3, 5.0)
    assert softmax(X @ turned[1:], axis=1)[:, [1, 2, 0]] == pytest.approx(
        softmax(X @ coefficients[1:], axis=1), abs=1e-9
    )


@pytest.mark.kernels
def test_deviation_of_log_odds_of_one_share():
    """Without features, the log-odds of a share p of n have the deviation √(1/(n·p·(1 − p)))."""
    y = np.repeat([0, 1], [30, 70])
    coefficients, covariance = fit_multinomial(np.empty((100, 0)), y, np.ones(100), 2, 1.0)
    probabilities = softmax(coefficients[0])
    assert probabilities == pytest.approx([0.3, 0.7], abs=1e-6)
    (deviation,) = classifiers._deviation_of_log_odds(probabilities[None], covariance[None])
    assert deviation == pytest.approx([(100 * 0.21) ** -0.5] * 2, rel=1e-4)


@pytest.mark.kernels
@pytest.mark.parametrize("absent", [(1,), (1, 3), (0, 3, 5), (0, 1, 2, 3)])
def test_classes_with_near_rows_are_fitted_without_the_others(absent):
    """The reference implementation fits the classes that are near the query."""
    X, y, _ = labelled_rows(120, 3, 6, 44)
    y = np.where(np.isin(y, absent), max({*range(6)} - {*absent}), y)
    query = X[:20].mean(axis=0)
    scores, covariance, near, *_ = regress_locally(X, y, query, 60, 6, 0.3)
    present = np.flatnonzero(near)
    assert {*present}.isdisjoint(absent)
    assert (scores[near == 0] == 0).all()
    distance = np.linalg.norm(X - query, axis=1)
    weights = np.array(naive.epanechnikov(distance, 60))
    steps, mean = X - query, np.average(X - query, axis=0, weights=weights)
    steps = steps / np.sqrt(np.average((steps - mean) ** 2, axis=0, weights=weights))
    weights *= weights.sum() / (weights**2).sum()
    kept = weights > 0
    n = len(present)
    theirs = naive.multinomial_regression(
        np.vstack([steps[kept], np.zeros((n, 3))]),
        np.eye(6)[[*y[kept], *present]][:, present],
        [*weights[kept], *[1 / 6] * n],
        0.3,
    )
    probabilities = softmax(theirs[0][0])
    assert softmax(scores[present]) == pytest.approx(probabilities, rel=1e-7)
    expected = classifiers._deviation_of_log_odds(probabilities[None], theirs[1][None])
    ours = covariance[np.ix_(present, present)]
    found = classifiers._deviation_of_log_odds(softmax(scores[present])[None], ours[None])
    assert found == pytest.approx(expected, rel=1e-6)


@pytest.mark.kernels
@pytest.mark.parametrize("n_models", [2, 5])
def test_models_without_near_simulations_are_counted(n_models):
    """With one model near, the others have 1/C of wN + 1 simulations each, and a beta distribution."""
    rng = np.random.default_rng(45)
    y = np.arange(400 * n_models) % n_models
    X = rng.normal(size=(len(y), 2)) + 1000 * y[:, None]
    classifier = classifiers.RegressionClassifier(scaling="standard", n_neighbors=300).fit(X, y)
    query = np.array([1.5, 1.5])  # at the edge of the first model
    found = classifier.predict(query[None])
    scaled = (X - query) / X.std(axis=0)
    weights = np.array(naive.epanechnikov(np.linalg.norm(scaled, axis=1), 300))
    mean = np.average(scaled, axis=0, weights=weights)
    deviation = np.sqrt(np.average((scaled - mean) ** 2, axis=0, weights=weights))
    n = found.details["near"][0, 0] * np.exp(-((np.sum((mean / deviation) ** 2) / 3.5**2) ** 2))
    assert 1 < n < found.details["near"][0, 0]
    assert (found.details["near"][0, 1:] == 0).all()
    share = 1 / n_models
    assert found.probabilities[0, 1:] == pytest.approx(share / (n + 1))
    assert found.probabilities.sum() == pytest.approx(1)
    assert found.upper[0, 1:] == pytest.approx(beta(share, n + 1 - share).ppf(0.975))
    together = beta(1 - share, n + share)
    assert found.lower[0, 0] == pytest.approx(1 - together.ppf(0.975))
    assert found.upper[0, 0] == pytest.approx(1 - together.ppf(0.025))
    far = classifier.predict([[-50.0, 20.0]])
    assert (far.details["near"][0, 1:] == 0).all()
    assert far.probabilities[0, 1:] == pytest.approx(share / 2)


@pytest.mark.kernels
@pytest.mark.parametrize(("q", "n_classes"), [(1, 2), (4, 3), (15, 11)])
def test_a_query_has_the_same_bits_alone_and_among_others(q, n_classes):
    X, y, _ = labelled_rows(400, q, n_classes, 41)
    queries = np.random.default_rng(42).normal(size=(50, q))
    one, two = (
        classifiers.RegressionClassifier(n_jobs=n_jobs).fit(X, y).predict(queries)
        for n_jobs in (1, 2)
    )
    alone = classifiers.RegressionClassifier().fit(X, y)
    for i in range(0, 50, 7):
        single = alone.predict(queries[[i]])
        for among in (one, two):
            for name in ("probabilities", "lower", "upper"):
                assert (getattr(single, name)[0] == getattr(among, name)[i]).all()
            assert (single.details["near"][0] == among.details["near"][i]).all()


@pytest.mark.kernels
def test_regression_uses_the_kernel_that_warmup_compiles():
    """A call with another signature would compile the kernel again."""
    X, y = two_normals(300, 43, q=2)
    classifiers.RegressionClassifier().fit(X, y).predict(X[:2])
    dispatcher, argument_types = _registry["local_regression.regress_locally"]
    assert dispatcher.signatures == [argument_types]


@pytest.mark.kernels
def test_regression_is_finite_where_models_are_separated():
    X, y = two_normals(600, 13, gap=30)
    result = model_probabilities(X, y, {"f0": 30.0}, method="regression", n_neighbors=100)
    assert result.details["absent"] == ["a"]
    assert result.details["separated"]
    assert 0.9 < result.probabilities["b"] < 1
    result = model_probabilities(X, y, {"f0": 0.0}, method="regression", n_neighbors=600)
    assert result.details["absent"] == []
    assert result.details["separated"]
    assert 0.05 < result.probabilities["b"] < 0.95


# All methods


@pytest.mark.kernels
@pytest.mark.parametrize("method", METHODS)
def test_classifiers_predict_what_model_probabilities_returns(method):
    X, y = two_normals(300, 35, q=2)
    queries = X[:3] + 0.1
    classifier = METHODS[method](n_trees=30, seed=2).fit(X, y)
    prediction = classifier.predict(queries, coverage=0.8)
    assert classifier.classes_.tolist() == ["a", "b"]
    assert (classifier.predict_proba(queries) == prediction.probabilities).all()
    for i, (_, observed) in enumerate(queries.iterrows()):
        result = model_probabilities(
            X, y, observed, method=method, n_trees=30, seed=2, coverage=0.8
        )
        assert list(result.probabilities.values()) == pytest.approx(prediction.probabilities[i])
        bounds = np.column_stack([prediction.lower[i], prediction.upper[i]])
        assert np.array(list(result.intervals.values())) == pytest.approx(bounds)


@pytest.mark.kernels
@pytest.mark.parametrize("method", METHODS)
def test_probability_of_two_normals(method):
    X, y = two_normals(3000, 14, q=2)
    estimator = ProbabilityEstimator.fit(X, y, method=method, n_trees=200)
    inside = 0
    for x in (-1.5, -0.7, 0.0, 0.4, 1.0, 2.0):
        result = estimator.estimate({"f0": x, "f1": 0.2})
        truth = true_probability(x)
        # trees grown to purity are coarse where models overlap
        assert result.probabilities["b"] == pytest.approx(
            truth, abs=0.25 if method == "forest" else 0.1
        )
        assert sum(result.probabilities.values()) == pytest.approx(1)
        low, high = result.intervals["b"]
        assert low < result.probabilities["b"] < high
        inside += low < truth < high
        if abs(x) > 0.5:
            assert result.model == ("b" if x > 0 else "a")
    assert inside >= 4


@pytest.mark.kernels
@pytest.mark.parametrize("method", METHODS)
def test_no_probability_is_0_or_1(method):
    X, y = two_normals(400, 15, gap=50)
    estimator = ProbabilityEstimator.fit(X, y, method=method, n_trees=50)
    for x in (-50.0, 50.0, 1e6, -1e300, np.inf):
        result = estimator.estimate({"f0": x})
        assert result.model == ("b" if x > 0 else "a")
        for name, p in result.probabilities.items():
            low, high = result.intervals[name]
            assert 0 < low <= p <= high < 1


@pytest.mark.kernels
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("scaling", SCALINGS)
def test_probabilities_exist_far_outside_the_simulated_range(method, scaling):
    X, y = two_normals(400, 15, q=3)
    X["f1"] = np.exp(10 * X["f1"])
    X["f2"] = 4.0
    estimator = ProbabilityEstimator.fit(X, y, method=method, scaling=scaling, n_trees=20)
    for observed in ({"f0": 0.5, "f1": 1e40, "f2": 4.0}, {"f0": -1e200, "f1": 1.0, "f2": 5.0}):
        result = estimator.estimate(observed)
        assert sum(result.probabilities.values()) == pytest.approx(1)
        assert all(0 < p < 1 for p in result.probabilities.values())


@pytest.mark.kernels
def test_regression_intervals_are_wide_far_outside():
    """Far from both models the slopes are uncertain, so the interval is wide."""
    X, y = two_normals(2000, 34, gap=0.1, q=2)
    low, high = model_probabilities(X, y, {"f0": 0.0, "f1": 40.0}).intervals["b"]
    near_low, near_high = model_probabilities(X, y, {"f0": 0.0, "f1": 0.0}).intervals["b"]
    assert high - low > 0.8
    assert near_high - near_low < 0.3


@pytest.mark.kernels
def test_steps_in_local_units_by_hand():
    for steps, expected in (
        ([1.0, 3.0], [1.0, 3.0]),
        ([2.0, 6.0], [1.0, 3.0]),
        ([5.0, 5.0], [0.0, 0.0]),
        ([1e30, 1e30 * (1 + 1e-15)], [0.0, 0.0]),  # no more than rounding errors
        ([1e-20, 3e-20], [0.0, 0.0]),
        ([1e6 - 1.0, 1e6 + 1.0], [999, 1001]),  # slopes are meaningless from so far away
        ([-1e6 - 1.0, -1e6 + 1.0], [-1001, -999]),
    ):
        ours = np.array([[0.0, step] for step in (*steps, 7.0)])
        use_local_unit(ours, 1, np.ones(2), 2.0)
        assert ours[:, 1] == pytest.approx(np.array([*expected, 7.0]))
        assert (ours[:, 0] == 0).all()


@pytest.mark.kernels
@pytest.mark.parametrize("method", METHODS)
def test_prior_weights_multiply_the_odds(method):
    X, y = two_normals(800, 16)
    plain = model_probabilities(X, y, {"f0": 0.2}, method=method, n_trees=50)
    shares = y.value_counts(normalize=True)
    same = model_probabilities(
        X, y, {"f0": 0.2}, method=method, n_trees=50, weights=shares.to_dict()
    )
    assert same.probabilities == pytest.approx(plain.probabilities)
    assert same.intervals["a"] == pytest.approx(plain.intervals["a"])
    weights = {"a": 9.0, "b": 1.0}
    moved = model_probabilities(X, y, {"f0": 0.2}, method=method, n_trees=50, weights=weights)
    factor = 9 * shares["b"] / shares["a"]
    for before, after in (
        (plain.probabilities["a"], moved.probabilities["a"]),
        *zip(plain.intervals["a"], moved.intervals["a"], strict=True),
    ):
        assert after / (1 - after) == pytest.approx(factor * before / (1 - before))


def test_prior_weights_correct_for_a_rare_model():
    """One model has a tenth of the rows; the prior weights are equal."""
    X, y = two_normals(12000, 17)
    kept = (y == "a") | (np.arange(len(y)) % 10 == 0)
    X, y = X[kept], y[kept]
    for method in ("neighbours", "regression"):
        result = model_probabilities(
            X, y, {"f0": 0.0}, method=method, weights={"a": 0.5, "b": 0.5}, n_neighbors=600
        )
        assert result.probabilities["b"] == pytest.approx(0.5, abs=0.1)


@pytest.mark.kernels
@pytest.mark.parametrize("method", METHODS)
def test_result_does_not_depend_on_the_number_of_threads(method):
    X, y = two_normals(400, 18, q=2)
    observed = {"f0": 0.3, "f1": 0.1}
    answers = [
        model_probabilities(X, y, observed, method=method, n_trees=30, seed=5, n_jobs=n_jobs)
        for n_jobs in (1, 2, None)
    ]
    assert answers[0] == answers[1] == answers[2]
    settings = {"method": method, "n_trees": 20, "seed": 5, "folds": 2}
    result = [held_out(X, y, n_jobs=n, **settings) for n in (1, 2)]
    pd.testing.assert_frame_equal(result[0].probabilities, result[1].probabilities)


@pytest.mark.kernels
def test_order_of_observed_features_does_not_matter():
    X, y = two_normals(300, 19, q=2)
    one = model_probabilities(X, y, {"f0": 0.3, "f1": 0.1}, method="neighbours")
    other = model_probabilities(
        X, y, pd.Series({"f1": 0.1, "x": 3.0, "f0": 0.3}), method="neighbours"
    )
    assert one == other


@pytest.mark.kernels
@pytest.mark.slow
def test_one_model_under_two_names_gets_equal_probabilities():
    rng = np.random.default_rng(20)
    X = pd.DataFrame(rng.normal(size=(2000, 3)), columns=list("xyz"))
    y = rng.permutation(np.repeat(["one", "other"], 1000))
    for method in METHODS:
        result = model_probabilities(
            X, y, {"x": 0.1, "y": -0.3, "z": 0.2}, method=method, n_trees=200
        )
        assert result.probabilities["one"] == pytest.approx(0.5, abs=0.2)
        low, high = result.intervals["one"]
        assert low < 0.55
        assert high > 0.45


# Held-out simulations


@pytest.mark.kernels
@fast_for("method", [name for name in METHODS if name != "ensemble"], METHODS)
def test_probabilities_are_calibrated_on_held_out_simulations(method):
    X, y = two_normals(3000, 21, gap=0.7, q=2)
    result = held_out(X, y, method=method, n_trees=150, folds=3)
    for row in result.reliability.itertuples():
        # four standard deviations, plus an allowance for estimating from 2000 rows
        spread = 4 * np.sqrt(row.predicted * (1 - row.predicted) / row.n)
        assert row.observed == pytest.approx(row.predicted, abs=spread + 0.04)
    truth = true_probability(X["f0"].to_numpy(), 0.7)
    best = -np.log(np.where(y == "b", truth, 1 - truth)).mean()
    # trees grown to purity score worse where models overlap this much
    worse = 0.06 if method == "forest" else 0.02
    assert best - 0.01 < result.log_score < best + worse
    lost = 0.05 if method == "forest" else 0.01
    noise = 4 * np.sqrt(0.18 / 3000)
    assert norm.cdf(0.7) - lost - noise < result.accuracy < norm.cdf(0.7) + noise


def test_scores_of_held_out_simulations_by_hand():
    X, y = two_normals(300, 22)
    result = held_out(X, y, method="neighbours", folds=3)
    probabilities = result.probabilities
    assert list(probabilities.index) == list(X.index)
    of_truth = np.array([probabilities.loc[i, y[i]] for i in X.index])
    assert result.log_score == pytest.approx(-np.log(of_truth).mean())
    assert result.brier == pytest.approx(2 * ((1 - of_truth) ** 2).mean())
    predicted = probabilities.idxmax(axis=1)
    assert result.accuracy == pytest.approx((predicted == y).mean())
    assert result.confusion.loc["a", "b"] == ((y == "a") & (predicted == "b")).sum()
    assert result.confusion.to_numpy().sum() == 300
    assert (result.truth == y).all()
    assert result.reliability["n"].sum() == 600


def test_held_out_rows_do_not_train_the_classifier():
    """A row with a swapped label is predicted from the other rows, not from its own label."""
    X, y = two_normals(200, 23, gap=5)
    swapped = y.copy()
    swapped[0] = "a" if y[0] == "b" else "b"
    result = held_out(X, swapped, method="neighbours", n_neighbors=1)
    assert result.probabilities.loc[0].idxmax() == y[0]


def test_limit_reduces_the_predicted_rows_but_not_the_training_rows():
    X, y = two_normals(300, 24)
    every = held_out(X, y, method="neighbours")
    some = held_out(X, y, method="neighbours", limit=50)
    assert len(some.truth) == 50
    pd.testing.assert_frame_equal(some.probabilities, every.probabilities.loc[some.truth.index])
    assert len(held_out(X, y, method="neighbours", limit=1000).truth) == 300


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


@pytest.mark.kernels
@pytest.mark.parametrize("n", [1, 2, 3, 10, 101])
def test_value_at_rank_equals_sorting(n):
    rng = np.random.default_rng(n)
    for values in (rng.random(n), rng.integers(0, 4, n).astype(float), np.arange(n, 0.0, -1)):
        before = values.copy()
        assert [value_at_rank(values, rank) for rank in range(n)] == sorted(values)
        assert (values == before).all()


@pytest.mark.kernels
def test_epanechnikov_weights_equal_the_reference_implementation():
    distance = np.random.default_rng(44).random(50)
    rows, weights = epanechnikov(distance, 20)
    expected = np.array(naive.epanechnikov(distance.tolist(), 20))
    assert weights == pytest.approx(expected[rows])
    assert set(rows.tolist()) == set(np.flatnonzero(expected > 0).tolist())


@pytest.mark.kernels
def test_kernel_weights_are_equal_at_equal_distances():
    for distance, k in ((np.ones(8), 4), (np.zeros(8), 8), (np.r_[np.zeros(8), 1.0], 7)):
        rows, weights = epanechnikov(distance, k)
        assert rows.tolist() == list(range(8))  # ties do not depend on the order of the rows
        assert (weights == 1).all()


# Bad input


def bad(match, X=None, y=None, observed=None, **settings):
    table, labels = two_normals(60, 32, q=2)
    with pytest.raises(UsageError, match=match):
        model_probabilities(
            table if X is None else X,
            labels if y is None else y,
            {"f0": 0.1, "f1": 0.2} if observed is None else observed,
            **settings,
        )


def test_model_probabilities_refuses_bad_input():
    X, y = two_normals(60, 32, q=2)
    bad("the observed f1 is missing", observed={"f0": 1.0, "f1": np.nan})
    bad("no value for f1; compute", observed={"f0": 1.0})
    bad("missing values .* in the simulated f0", X=X.assign(f0=np.nan))
    bad("simulations of a only; expected at least two", y=np.full(60, "a"))
    bad("3 of b; expected at least 10", y=np.repeat(["a", "b"], [57, 3]))
    bad("60 simulations and labels of shape", y=y[:10])
    bad(
        "`method` must be 'neighbours', 'forest', 'regression' or 'ensemble'; got 'forrest'",
        method="forrest",
    )
    bad("`scaling` must be .*; got 'none'", scaling="none")
    bad("weights for a, c, simulations of a, b", weights={"a": 1, "c": 2})
    bad("expected positive numbers", weights={"a": 1, "b": 0})
    bad("`n_neighbors` must be an integer from 1 to 60; got 0", method="neighbours", n_neighbors=0)
    bad("`n_neighbors` must be .*; got 61", method="regression", n_neighbors=61)
    bad("`n_trees` must be .*; got 0", n_trees=0)
    bad("`coverage` must be a number between 0 and 1; got 95", coverage=95)
    bad("at least one, with distinct names", X=X[[]])
    with pytest.raises(UsageError, match="folds=1, but the rarest"):
        held_out(X, y, folds=1)


def test_posterior_refuses_bad_input():
    X, _ = two_normals(60, 33)
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


# Pooled probabilities


def estimate(p, half_width=1.0):
    """Return probabilities of two models with an interval of this half width in log-odds."""
    low, high = expit(logit(p) - half_width), expit(logit(p) + half_width)
    intervals = {"a": (low, high), "b": (1 - high, 1 - low)}
    return ModelProbabilities({"a": p, "b": 1 - p}, intervals, 0.95, "a", "regression", "rank")


def test_pooling_changes_nothing_if_the_sets_agree():
    pooled = pool_feature_sets(estimate(0.8), [estimate(0.8)] * 4)
    assert pooled.probabilities == pytest.approx({"a": 0.8, "b": 0.2})
    assert pooled.intervals["a"] == pytest.approx(estimate(0.8).intervals["a"])
    assert pool_feature_sets(estimate(0.8), [estimate(0.1)]) == estimate(0.8)


def test_pooled_interval_covers_the_disagreement_between_sets():
    others = [estimate(p) for p in (0.01, 0.1, 0.5, 0.9, 0.99)]
    pooled = pool_feature_sets(estimate(0.999), others)
    low, high = pooled.intervals["a"]
    assert low < 0.01
    assert high > 0.99
    assert 0.4 < pooled.probabilities["a"] < 0.95
    assert sum(pooled.probabilities.values()) == pytest.approx(1)


def test_pooled_interval_is_wide_if_only_the_selected_set_is_certain():
    pooled = pool_feature_sets(estimate(0.9997, 3.6), [estimate(0.5, 4.0)] * 16)
    low, high = pooled.intervals["a"]
    assert low < 0.3
    assert high > 0.99


def test_precise_selected_set_determines_the_answer_if_the_others_agree_with_it():
    pooled = pool_feature_sets(estimate(0.9, 0.1), [estimate(p, 2.0) for p in (0.88, 0.9, 0.91)])
    low, high = pooled.intervals["a"]
    assert pooled.probabilities["a"] == pytest.approx(0.9, abs=0.01)
    assert 0.85 < low < high < 0.94


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


def test_pooled_probabilities_of_three_models_sum_to_1():
    def three(a, b):
        p = {"a": a, "b": b, "c": 1 - a - b}
        intervals = {name: (0.8 * x, x + 0.2 * (1 - x)) for name, x in p.items()}
        return ModelProbabilities(p, intervals, 0.95, "a", "regression", "rank")

    pooled = pool_feature_sets(three(0.7, 0.2), [three(0.2, 0.7), three(0.1, 0.1), three(0.5, 0.2)])
    assert sum(pooled.probabilities.values()) == pytest.approx(1)
    assert pooled.model == max(pooled.probabilities, key=pooled.probabilities.get)
    for name, (low, high) in pooled.intervals.items():
        assert 0 < low < pooled.probabilities[name] < high < 1
