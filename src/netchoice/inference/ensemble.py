"""Model probabilities from several classifiers, weighted by their predictions of held-out rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import expit, logit, ndtri, softmax

from netchoice.inference.classifiers import (
    Classifier,
    ForestClassifier,
    NeighboursClassifier,
    Prediction,
    RegressionClassifier,
)
from netchoice.inference.scaling import Codes, Floats
from netchoice.threads import one_openmp_thread

N_ITERATIONS, LEARNING_RATE, MAX_LEAVES, RIDGE = 100, 0.1, 8, 5.0


class BoostingClassifier(Classifier):
    """Boosted trees of scikit-learn, with histograms; a member of the ensemble.

    One hundred steps, each with a tree of up to 8 leaves for every model. The trees give no intervals:
    both bounds equal the probability. Settings used: ``scaling``, ``seed``.

    >>> import numpy as np
    >>> X = np.random.default_rng(1).normal(size=(400, 2))
    >>> classifier = BoostingClassifier().fit(X, X[:, 0] > 0)
    >>> classifier.predict_proba([[3.0, 0.0]]).argmax()
    np.int64(1)
    """

    def _fit(self, X: Floats, codes: Codes) -> dict[str, Any]:
        from sklearn.ensemble import HistGradientBoostingClassifier

        self._trees = HistGradientBoostingClassifier(
            max_iter=N_ITERATIONS, learning_rate=LEARNING_RATE, max_leaf_nodes=MAX_LEAVES,
            l2_regularization=RIDGE, early_stopping=False, random_state=self.seed,
        )  # fmt: skip
        with one_openmp_thread():
            self._trees.fit(X, codes)
        return {"n_iterations": N_ITERATIONS}

    def _predict(self, X: Floats, coverage: float) -> Prediction:
        with one_openmp_thread():
            probabilities = self._trees.predict_proba(X)
        return Prediction(probabilities, probabilities, probabilities, {})


SHARPEST, FLATTEST = 0.2, 5.0  # temperatures
_GAP = 1e-6  # largest distance from the best log score, in nats
_MAX_STEPS = 20_000


def smoothed_targets(codes: Codes, n_models: int) -> Floats:
    """Return the true model of each row (m, C), mixed with one pseudo-simulation of all models.

    The pseudo-simulation is in equal parts of all models and rows. Without it, the best probabilities
    would be 0 and 1 if no row is predicted wrongly.

    >>> smoothed_targets(np.array([0, 1, 1]), 2)
    array([[0.875, 0.125],
           [0.125, 0.875],
           [0.125, 0.875]])
    """
    m = len(codes)
    return np.asarray((m * np.eye(n_models)[codes] + 1 / n_models) / (m + 1))


def log_score(probabilities: Floats, targets: Floats) -> float:
    """Return the mean of −log of the probabilities (m, C), weighted by the targets (m, C)."""
    return float(-(targets * np.log(probabilities)).sum() / len(targets))


def mixture_weights(predictions: Floats, targets: Floats) -> Floats:
    """Return the weights of the members whose weighted mean has the lowest log score.

    The score is convex in the weights. Each step of the EM algorithm multiplies a weight by the slope
    of the score, whose weighted mean is 1. The largest slope minus 1 bounds the distance from the
    lowest score, so the steps end when it is at most 1e-6.

    Parameters
    ----------
    predictions : array (members, m, C), positive probabilities
    targets : array (m, C), rows that sum to 1

    >>> truth, noise = np.array([[0.9, 0.1], [0.1, 0.9]]), np.full((2, 2), 0.5)
    >>> mixture_weights(np.array([truth, noise]), truth).round(2)
    array([1., 0.])
    """
    weights = np.full(len(predictions), 1 / len(predictions))
    for _ in range(_MAX_STEPS):
        shares = targets / np.tensordot(weights, predictions, 1) / len(targets)
        slopes = np.tensordot(predictions, shares, 2)
        if slopes.max() <= 1 + _GAP:
            break
        weights *= slopes
    return np.asarray(weights / weights.sum())


def tempered(probabilities: Floats, temperature: float) -> Floats:
    """Return probabilities ∝ p^(1 / temperature): sharper below 1, flatter above 1."""
    return np.asarray(softmax(np.log(probabilities) / temperature, axis=1))


def fit_temperature(probabilities: Floats, targets: Floats) -> float:
    """Return the temperature with the lowest log score, from 0.2 to 5."""
    found = minimize_scalar(
        lambda power: log_score(tempered(probabilities, 1 / power), targets),
        bounds=(1 / FLATTEST, 1 / SHARPEST),
        method="bounded",
    )
    return float(1 / found.x)


def cross_fitted_temperature(probabilities: Floats, targets: Floats, folds: Codes) -> float:
    """Return the best temperature, or 1 if temperatures do not improve the score of other folds."""
    scored, names = probabilities.copy(), np.unique(folds)
    if len(names) < 2:
        return 1.0
    for fold in names:
        others = folds != fold
        temperature = fit_temperature(probabilities[others], targets[others])
        scored[~others] = tempered(probabilities[~others], temperature)
    if log_score(scored, targets) >= log_score(probabilities, targets):
        return 1.0
    return fit_temperature(probabilities, targets)


MEMBERS: dict[str, type[Classifier]] = {
    "boosting": BoostingClassifier,
    "forest": ForestClassifier,
    "neighbours": NeighboursClassifier,
    "regression": RegressionClassifier,
}
FOLDS = 3
MAX_HELD_OUT = 1000  # rows that are predicted to find the weights and the temperature
MAX_TRAINING = 6000  # rows that the members of a fold are fitted to
_SMALLEST = 1e-9  # probability, so that every log score is finite
_SMALLEST_BOUND = 1e-12  # distance of the bounds of intervals from 0 and 1


class EnsembleClassifier(Classifier):
    """Weighted mean of boosted trees, forest, neighbours and regression, calibrated.

    A super learner (van der Laan, Polley & Hubbard 2007, doi:10.2202/1544-6115.1309). Up to 1000 rows,
    in three folds, are predicted by members that are fitted without them. The probabilities of each
    member are raised to the power 1 / temperature, the weights of the members minimise the log score of
    their weighted mean, and the mean has a temperature too. A temperature is 1 unless it improves the
    log score of folds that it was not fitted to. All scores count one pseudo-simulation in equal parts
    of all models, so that probabilities stay finite if all held-out rows are predicted correctly.

    The intervals are normal in log-odds. Their variance is the weighted variance of the log-odds
    between members, plus the sampling variance of the regression. Log-odds and their errors are
    divided by the temperatures. Settings used: ``scaling``, ``n_trees``, ``seed``, ``n_jobs``.

    >>> import numpy as np
    >>> X = np.random.default_rng(1).normal(size=(400, 2))
    >>> classifier = EnsembleClassifier(n_trees=50).fit(X, X[:, 0] > 0)
    >>> classifier.predict_proba([[3.0, 0.0]]).argmax()
    np.int64(1)
    """

    def _fit(self, X: Floats, codes: Codes) -> dict[str, Any]:
        self._members = self._fit_members(X, codes)
        rows, folds = held_out_rows(codes, self.seed)
        found = np.empty((len(MEMBERS), len(rows), len(self.classes_)))
        for fold in np.unique(folds):
            found[:, folds == fold] = self._predict_fold(X, codes, rows[folds == fold])
        targets = smoothed_targets(codes[rows], len(self.classes_))
        temperatures = [cross_fitted_temperature(each, targets, folds) for each in found]
        found = np.array(list(map(tempered, found, temperatures)))
        self._temperatures = dict(zip(MEMBERS, temperatures, strict=True))
        self._weights = mixture_weights(found, targets)
        mean = np.tensordot(self._weights, found, 1)
        self._temperature = cross_fitted_temperature(mean, targets, folds)
        return {
            "weights": dict(zip(MEMBERS, self._weights.tolist(), strict=True)),
            "temperatures": self._temperatures,
            "temperature": self._temperature,
            "n_held_out": len(rows),
        }

    def _fit_members(self, X: Floats, codes: Codes) -> dict[str, Classifier]:
        """Return the members, fitted to scaled features."""
        members = {}
        for name, kind in MEMBERS.items():
            members[name] = kind(n_trees=self.n_trees, seed=self.seed, n_jobs=self.n_jobs)
            members[name].classes_ = self.classes_
            members[name]._fit(X, codes)
        return members

    def _predict_fold(self, X: Floats, codes: Codes, rows: Codes) -> Floats:
        """Return the probabilities (members, m, C) of rows by members that are fitted without them."""
        others = np.delete(np.arange(len(X)), rows)
        others = others[stratified_order(codes[others], self.seed)[:MAX_TRAINING]]
        members = self._fit_members(X[others], codes[others])
        return np.array([_probabilities(each._predict(X[rows], 0.5)) for each in members.values()])

    def _predict(self, X: Floats, coverage: float) -> Prediction:
        found = {name: each._predict(X, coverage) for name, each in self._members.items()}
        members = np.array(
            [tempered(_probabilities(found[name]), t) for name, t in self._temperatures.items()]
        )
        mean = np.tensordot(self._weights, members, 1)
        between = np.tensordot(self._weights, (logit(members) - logit(mean)) ** 2, 1)
        local, z = found["regression"], ndtri((1 + coverage) / 2)
        sampling = (_bounded_logit(local.upper) - _bounded_logit(local.lower)) / (2 * z)
        sampling /= self._temperatures["regression"]
        probabilities = _at_least(tempered(mean, self._temperature), _SMALLEST)
        half_width = z * np.sqrt(between + sampling**2) / self._temperature
        ends = (expit(logit(probabilities) + sign * half_width) for sign in (-1, 1))
        lower, upper = (end.clip(_SMALLEST_BOUND, 1 - _SMALLEST_BOUND) for end in ends)
        return Prediction(probabilities, lower, upper, dict(zip(MEMBERS, members, strict=True)))


def held_out_rows(codes: Codes, seed: int) -> tuple[Codes, Codes]:
    """Return up to 1000 rows, with all models in proportion, and their folds.

    The rows of a model are in different folds, so a model with two rows or more is in every training
    part. The only row of a model is not held out.
    """
    rows = stratified_order(codes, seed)
    rows = rows[np.bincount(codes)[codes[rows]] > 1][:MAX_HELD_OUT]
    return rows, _places_within_models(codes[rows]) % FOLDS


def stratified_order(codes: Codes, seed: int) -> Codes:
    """Return the rows in random order, so that the first rows have all models in proportion.

    >>> codes = np.array([0] * 6 + [1] * 3)
    >>> codes[stratified_order(codes, seed=1)]
    array([0, 1, 0, 0, 1, 0, 0, 1, 0])
    """
    rows = np.random.default_rng(seed).permutation(len(codes))
    shares = _places_within_models(codes[rows]) / np.bincount(codes)[codes[rows]]
    return np.asarray(rows[np.lexsort((codes[rows], shares))])


def _places_within_models(codes: Codes) -> Codes:
    """Return the place 0, 1, 2, … of each row among the rows of its model."""
    order = np.argsort(codes, kind="stable")
    counts = np.bincount(codes)
    places = np.empty(len(codes), dtype=np.int64)
    places[order] = np.arange(len(codes)) - np.repeat(np.cumsum(counts) - counts, counts)
    return places


def _probabilities(prediction: Prediction) -> Floats:
    """Return the probabilities of a member, none of which is nearly 0."""
    return _at_least(prediction.probabilities, _SMALLEST)


def _at_least(probabilities: Floats, smallest: float) -> Floats:
    """Return probabilities that are raised to a minimum and sum to 1."""
    raised = probabilities.clip(min=smallest)
    return np.asarray(raised / raised.sum(axis=1, keepdims=True))


def _bounded_logit(bounds: Floats) -> Floats:
    return np.asarray(logit(bounds.clip(_SMALLEST_BOUND, 1 - _SMALLEST_BOUND)))
