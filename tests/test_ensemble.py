"""The ensemble: its weights and temperature against reference implementations and closed forms."""

import pickle

import naive_mixture as naive
import numpy as np
import pytest
from scipy.special import logit, softmax

from netchoice.inference import ensemble, model_probabilities
from netchoice.inference.ensemble import (
    cross_fitted_temperature,
    fit_temperature,
    log_score,
    mixture_weights,
    smoothed_targets,
    tempered,
)


def random_predictions(n_members, m, n_models, seed):
    """Predictions of members that know the truth more or less, and the targets."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, n_models, m)
    known = rng.uniform(0, 3, (n_members, 1, 1)) * np.eye(n_models)[codes]
    predictions = softmax(known + rng.normal(size=(n_members, m, n_models)), axis=2)
    return predictions, smoothed_targets(codes, n_models)


def two_normals(n, seed, q=2):
    """Two models whose first feature is N(∓1, 1); the other features are noise."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    X = rng.normal(size=(n, q))
    X[:, 0] += 2 * y - 1
    return X, y


# Weights


@pytest.mark.parametrize("seed", range(4))
def test_weights_equal_those_of_a_general_optimiser(seed):
    predictions, targets = random_predictions(4, 60, 3, seed)
    ours, ref = mixture_weights(predictions, targets), naive.best_weights(predictions, targets)
    assert ours.sum() == pytest.approx(1)
    assert ours == pytest.approx(ref, abs=0.01)
    score = log_score(np.tensordot(ours, predictions, 1), targets)
    assert score == pytest.approx(naive.log_score(ours, predictions, targets))
    assert score <= naive.log_score(ref, predictions, targets) + 2e-6


def test_a_member_that_is_the_truth_has_all_the_weight():
    predictions, _ = random_predictions(3, 200, 3, 5)
    weights = mixture_weights(predictions, predictions[1])
    assert weights == pytest.approx([0, 1, 0], abs=0.02)


def test_a_mixture_of_members_has_their_weights():
    predictions, _ = random_predictions(3, 200, 3, 6)
    truth = np.tensordot([0.2, 0.5, 0.3], predictions, 1)
    assert mixture_weights(predictions, truth) == pytest.approx([0.2, 0.5, 0.3], abs=0.01)


def test_weights_of_two_constant_members_in_closed_form():
    """The mean of (0.9, 0.1) and (0.2, 0.8) equals the frequencies (0.55, 0.45) with equal weights."""
    constant = np.array([[0.9, 0.1], [0.2, 0.8]])
    predictions = np.repeat(constant[:, None], 20, axis=1)
    targets = np.eye(2)[[0] * 11 + [1] * 9]
    assert mixture_weights(predictions, targets) == pytest.approx([0.5, 0.5], abs=0.005)


def test_equal_members_have_equal_weights():
    predictions, targets = random_predictions(1, 30, 2, 7)
    assert mixture_weights(predictions[[0, 0, 0]], targets) == pytest.approx([1 / 3] * 3)


# Temperature


def test_temperature_equals_the_best_of_a_grid():
    grid = np.geomspace(0.2, 5, 400)
    for seed in range(3):
        predictions, targets = random_predictions(1, 60, 3, seed)
        ref = naive.best_temperature(predictions[0], targets, grid)
        assert fit_temperature(predictions[0], targets) == pytest.approx(ref, rel=0.01)


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.5])
def test_temperature_of_the_truth_is_found(temperature):
    predictions, _ = random_predictions(1, 100, 3, 8)
    truth = tempered(predictions[0], temperature)
    assert fit_temperature(predictions[0], truth) == pytest.approx(temperature, rel=1e-3)


def test_temperature_is_1_unless_it_improves_other_folds():
    """In each fold the best temperature is on another side of 1 than in the others."""
    confident, cautious = np.array([[0.8, 0.2]] * 10), np.array([[0.95, 0.05]] * 10)
    probabilities = np.array([confident, cautious]).reshape(-1, 2)
    frequencies = np.repeat([[0.95, 0.05], [0.8, 0.2]], 10, axis=0)
    folds = np.repeat([0, 1], 10)
    assert cross_fitted_temperature(probabilities, frequencies, folds) == 1
    sharper = np.repeat([[0.95, 0.05], [0.99, 0.01]], 10, axis=0)
    assert cross_fitted_temperature(probabilities, sharper, folds) < 0.8
    assert cross_fitted_temperature(probabilities[:10], sharper[:10], folds[:10]) == 1  # one fold


def test_error_probability_without_errors_is_about_one_in_the_number_of_rows():
    """One pseudo-simulation in equal parts of two models is half an error among m rows."""
    probabilities = np.repeat([[0.9, 0.1]], 500, axis=0)
    targets = smoothed_targets(np.zeros(500, dtype=int), 2)
    found = tempered(probabilities, fit_temperature(probabilities, targets))
    assert found[0, 1] == pytest.approx(0.5 / 501, rel=0.01)


# Held-out rows


def test_first_rows_have_all_models_in_proportion():
    codes = np.repeat([0, 1, 2], [600, 300, 2])
    order = ensemble.stratified_order(codes, 1)
    assert sorted(order) == list(range(902))
    counts = np.bincount(codes[order[:90]])
    assert counts[0] == pytest.approx(60, abs=1)
    assert counts[1] == pytest.approx(30, abs=1)
    assert counts[2] == 1


@pytest.mark.parametrize("counts", [(2, 2), (10, 3), (500, 2), (3000, 40)])
def test_every_model_is_in_every_training_part(counts):
    codes = np.repeat([0, 1], counts)
    rows, folds = ensemble.held_out_rows(codes, 0)
    assert len(set(rows)) == len(rows) == min(len(codes), ensemble.MAX_HELD_OUT)
    for fold in np.unique(folds):
        others = np.delete(codes, rows[folds == fold])
        assert set(others) == {0, 1}
        kept = ensemble.stratified_order(others, 0)[: ensemble.MAX_TRAINING]
        assert set(others[kept]) == {0, 1}


def test_the_only_row_of_a_model_is_not_held_out():
    rows, folds = ensemble.held_out_rows(np.array([0, 1, 1, 1, 1]), 0)
    assert sorted(rows) == [1, 2, 3, 4]
    assert np.bincount(folds).tolist() == [2, 1, 1]


# The classifier


@pytest.fixture(scope="module")
def fitted():
    X, y = two_normals(600, 1)
    return ensemble.EnsembleClassifier(n_trees=40, seed=3).fit(X, y)


@pytest.mark.kernels
def test_prediction_is_the_tempered_mean_of_the_members(fitted):
    queries, _ = two_normals(20, 2)
    found = fitted.predict(queries, 0.9)
    weights, temperature = fitted.settings_["weights"], fitted.settings_["temperature"]
    assert list(weights) == list(found.details) == list(ensemble.MEMBERS)
    mean = sum(weights[name] * found.details[name] for name in weights)
    assert found.probabilities == pytest.approx(tempered(mean, temperature))
    assert found.probabilities.sum(axis=1) == pytest.approx(1)
    assert (found.lower < found.probabilities).all()
    assert (found.probabilities < found.upper).all()


@pytest.mark.kernels
def test_members_predict_as_they_do_alone_after_their_temperatures(fitted):
    X, y = two_normals(600, 1)
    queries, _ = two_normals(5, 2)
    found = fitted.predict(queries).details
    temperatures = fitted.settings_["temperatures"]
    for name, kind in ensemble.MEMBERS.items():
        alone = kind(n_trees=40, seed=3).fit(X, y).predict_proba(queries)
        assert found[name] == pytest.approx(tempered(alone, temperatures[name]), abs=1e-8)


@pytest.mark.kernels
def test_variance_of_log_odds_is_that_between_members_plus_that_of_the_regression(fitted):
    X, y = two_normals(600, 1)
    queries, _ = two_normals(5, 2)
    found = fitted.predict(queries, 0.95)
    weights, temperature = fitted.settings_["weights"], fitted.settings_["temperature"]
    alone = ensemble.RegressionClassifier().fit(X, y).predict(queries, 0.95)
    sampling = (logit(alone.upper) - logit(alone.lower)) / (2 * 1.959964)
    sampling /= fitted.settings_["temperatures"]["regression"]
    mean = sum(weights[name] * found.details[name] for name in weights)
    squares = {name: (logit(found.details[name]) - logit(mean)) ** 2 for name in weights}
    between = sum(weights[name] * squares[name] for name in weights)
    ours = (logit(found.upper) - logit(found.lower)) / (2 * 1.959964)
    assert ours == pytest.approx(np.sqrt(between + sampling**2) / temperature, rel=1e-5)


@pytest.mark.kernels
def test_result_depends_on_the_seed_only(fitted):
    X, y = two_normals(600, 1)
    queries, _ = two_normals(5, 2)
    again = ensemble.EnsembleClassifier(n_trees=40, seed=3, n_jobs=2).fit(X, y)
    assert again.settings_ == fitted.settings_
    assert (again.predict_proba(queries) == fitted.predict_proba(queries)).all()
    copied = pickle.loads(pickle.dumps(fitted))
    assert (copied.predict_proba(queries) == fitted.predict_proba(queries)).all()


@pytest.mark.kernels
def test_held_out_rows_do_not_train_their_predictors():
    """With labels at random, members that saw the rows they predict would seem to know them."""
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(300, 3)), rng.integers(0, 2, 300)
    found = ensemble.EnsembleClassifier(n_trees=40).fit(X, y)
    assert found.predict_proba(rng.normal(size=(50, 3))) == pytest.approx(0.5, abs=0.25)


@pytest.mark.kernels
@pytest.mark.parametrize(
    ("counts", "n_features"), [((1, 1), 1), ((2, 2), 1), ((1, 8), 2), ((4, 4, 4), 2), ((30, 30), 3)]
)
def test_few_rows_and_constant_columns(counts, n_features):
    y = np.repeat(np.arange(len(counts)), counts)
    X = np.random.default_rng(5).normal(size=(len(y), n_features))
    X[:, 1:] = 4.0
    found = ensemble.EnsembleClassifier(n_trees=10).fit(X, y).predict(X)
    assert found.probabilities.sum(axis=1) == pytest.approx(1)
    assert ((found.probabilities > 0) & (found.probabilities < 1)).all()


@pytest.mark.kernels
def test_details_are_plain_numbers_by_name():
    X, y = two_normals(120, 6, q=1)
    result = model_probabilities(
        X, np.array(["a", "b"])[y], {"0": 0.4}, method="ensemble", n_trees=20
    )
    assert result.method == "ensemble"
    assert result.details["n_held_out"] == 120
    assert sum(result.details["weights"].values()) == pytest.approx(1)
    assert 0.2 <= result.details["temperature"] <= 5
    assert sum(result.details["boosting"].values()) == pytest.approx(1)
    assert list(result.details["regression"]) == ["a", "b"]
