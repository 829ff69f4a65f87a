"""Scores of models: valid ranks, and what they notice."""

import numpy as np
import pytest
from scipy.stats import binom

from netchoice.errors import UsageError
from netchoice.inference.model_scores import (
    FAR_RATIO,
    FAR_SCORE,
    DistanceRatio,
    ModelScore,
    TrainedScore,
    clearly_beyond,
)

Q = 6


def simulations(n, rng):
    """Correlated, skewed and discrete features, one of them constant."""
    z = rng.normal(size=(n, 2)) @ rng_mixing() + 0.3 * rng.normal(size=(n, Q - 2))
    return np.column_stack(
        [z[:, 0], np.exp(z[:, 1]), np.round(2 * z[:, 2]), z[:, 3], z.sum(axis=1), np.full(n, 3.0)]
    )


def rng_mixing():
    return np.array([[1.0, 0.5, -0.8, 0.2], [0.0, 1.0, 0.6, -1.0]])


def altered(rows, rng):
    """Break the dependence between the features a little."""
    changed = rows.copy()
    changed[:, 0] += rng.normal(scale=0.5, size=len(rows))
    changed[:, 3] += rng.normal(scale=0.5, size=len(rows))
    return changed


@pytest.fixture(scope="module")
def score():
    rng = np.random.default_rng(1)
    X = simulations(700, rng)
    return ModelScore.fit(X, altered(X, rng), simulations(300, rng))


def p_values(score, rows, rng, n=2000):
    calibrating = np.sort(score(simulations(n, rng)))
    return (1 + n - np.searchsorted(calibrating, score(rows), side="left")) / (n + 1)


def test_ranks_among_fresh_simulations_are_uniform(score):
    rng = np.random.default_rng(2)
    rejected = np.sum(p_values(score, simulations(2000, rng), rng) <= 0.05)
    assert binom.sf(rejected - 1, 2000, 0.05) > 1e-3
    assert binom.cdf(rejected, 2000, 0.05) > 1e-3


def test_alterations_of_the_training_are_noticed_more_than_by_distance(score):
    rng = np.random.default_rng(3)
    rows = altered(simulations(500, rng), rng)
    both = np.mean(p_values(score, rows, rng) <= 0.01)
    distance = np.mean(p_values(score.ratio, rows, rng) <= 0.01)
    assert both > distance + 0.1


def test_far_rows_are_noticed_although_the_trees_do_not_extrapolate(score):
    rng = np.random.default_rng(4)
    rows = simulations(50, rng)
    rows[:, 1] *= 200
    assert (p_values(score, rows, rng) <= 0.01).all()


def test_another_value_of_a_constant_feature_is_noticed(score):
    rng = np.random.default_rng(5)
    rows = simulations(50, rng)
    rows[:, 5] = 4.0
    assert np.mean(p_values(score, rows, rng) <= 0.01) > 0.9


def test_score_is_the_same_in_every_run_and_for_every_row_alone(score):
    rng = np.random.default_rng(1)
    X = simulations(700, rng)
    again = ModelScore.fit(X, altered(X, rng), simulations(300, rng))
    rows = simulations(40, np.random.default_rng(6))
    assert np.array_equal(again(rows), score(rows))
    assert np.allclose([score(row[None])[0] for row in rows], score(rows), rtol=1e-9)


def test_distance_ratio_equals_its_definition():
    rng = np.random.default_rng(7)
    X, rows = rng.normal(size=(60, 3)), rng.normal(size=(5, 3))
    ratio = DistanceRatio.fit(X, 4)
    points = ratio.scaling.transform(X)
    for row, found in zip(ratio.scaling.transform(rows), ratio(rows, 4), strict=True):
        distance = np.linalg.norm(points - row, axis=1)
        nearest = np.argsort(distance)[:4]
        others = [np.sort(np.linalg.norm(points - points[i], axis=1))[1:5].mean() for i in nearest]
        assert found == pytest.approx(distance[nearest].mean() / np.mean(others))


def test_identical_simulations():
    same = np.ones((100, 2))
    ratio = DistanceRatio.fit(same)
    assert ratio([[1, 1]])[0] == 1
    assert ratio([[1, 2]])[0] == np.inf


def test_trained_score_is_higher_for_altered_rows():
    rng = np.random.default_rng(8)
    X, fresh = simulations(600, rng), simulations(300, rng)
    trained = TrainedScore.fit(X, altered(X, rng))
    assert np.median(trained(altered(fresh, rng))) > np.quantile(trained(fresh), 0.7)


def test_logarithms_of_ratios_are_finite():
    rng = np.random.default_rng(10)
    X, rows = rng.normal(size=(60, 3)), rng.normal(size=(5, 3))
    ratio = DistanceRatio.fit(X)
    assert np.array_equal(ratio.logarithms(rows), np.log(ratio(rows)))
    same = DistanceRatio.fit(np.ones((100, 2)))
    assert np.isfinite(same.logarithms([[1, 1], [1, 2]])).all()
    assert same.logarithms([[1, 1]])[0] == 0


def test_clearly_beyond_equals_its_definition():
    known = np.repeat([-1.0, 1.0], 50)  # mean 0, standard deviation 1
    assert clearly_beyond(known, [4.99, 5.01], 5.0).tolist() == [False, True]
    known[0] = 7.0
    limit = max(7.0, known.mean() + 5 * known.std())
    assert limit == 7.0
    assert clearly_beyond(known, [7.0, 7.01], 5.0).tolist() == [False, True]


def test_few_simulations_of_the_model_are_clearly_beyond(score):
    rng = np.random.default_rng(11)
    known, fresh = simulations(200, rng), simulations(4000, rng)
    beyond = clearly_beyond(score(known), score(fresh), FAR_SCORE)
    assert beyond.mean() <= 0.005
    ratio = score.ratio.logarithms
    assert clearly_beyond(ratio(known), ratio(fresh), FAR_RATIO).mean() <= 0.005


def test_far_rows_are_clearly_beyond(score):
    rng = np.random.default_rng(12)
    known, far = simulations(200, rng), simulations(50, rng)
    far[:, 1] *= 1000
    ratio = score.ratio.logarithms
    assert clearly_beyond(ratio(known), ratio(far), FAR_RATIO).all()


def test_too_few_calibrating_scores_are_refused():
    with pytest.raises(UsageError, match="99 calibrating scores; expected at least 100"):
        clearly_beyond(np.zeros(99), [1.0], FAR_RATIO)


def test_too_few_rows_are_refused():
    rows = np.random.default_rng(9).normal(size=(60, 2))
    with pytest.raises(UsageError, match="20 altered simulations; expected at least 50"):
        ModelScore.fit(rows, rows[:20], rows)
