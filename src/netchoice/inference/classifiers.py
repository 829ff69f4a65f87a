"""Classifiers that estimate the probabilities of models: regression, neighbours and forests."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, expit, logit, ndtri

from netchoice._kernels.local_regression import regress_locally
from netchoice.forests import grow_forest
from netchoice.inference.scaling import (
    DEFAULT_SCALING,
    Codes,
    Floats,
    Scaling,
    distances,
    shares_of_nearest,
)
from netchoice.threads import threads
from netchoice.validation import check_fraction, check_integer

DEFAULT_COVERAGE = 0.95


@dataclass(frozen=True)
class Prediction:
    """Probabilities (m, C) of C models for m queries, with the bounds of their intervals.

    The prior is the models' shares of the training table. The details are further results by name,
    of shape (m,) or (m, C).
    """

    probabilities: Floats
    lower: Floats
    upper: Floats
    details: dict[str, NDArray[Any]]

    def reweighted(self, factors: Floats) -> Prediction:
        """Return the prediction with the odds of each model multiplied by its factor (C,)."""
        odds = self.probabilities * factors
        total = odds.sum(axis=1, keepdims=True)
        others = (total - odds) / (1 - self.probabilities)

        # A bound moves with the odds of its model against all others; exact for two models.
        def moved(bound: Floats) -> Floats:
            return np.asarray(bound * factors / (bound * factors + (1 - bound) * others))

        return Prediction(odds / total, moved(self.lower), moved(self.upper), self.details)


@dataclass(kw_only=True, eq=False)
class Classifier(ABC):
    """Base class of the classifiers: it scales the features and holds the settings of all."""

    scaling: str = DEFAULT_SCALING
    n_neighbors: int | None = None
    n_trees: int = 500
    seed: int = 0
    n_jobs: int | None = None

    def fit(self, X: Any, y: Any) -> Self:
        """Fit the scaling and the classifier to features ``X`` (n, q) and labels ``y`` (n,)."""
        check_integer("n_trees", self.n_trees)
        self.classes_, codes = np.unique(np.asarray(y), return_inverse=True)
        self._scaling = Scaling.fit(X, self.scaling)
        self.settings_ = self._fit(self._scaling.transform(X), codes)
        return self

    def predict(self, X: Any, coverage: float = DEFAULT_COVERAGE) -> Prediction:
        """Predict the probabilities of the models for the queries ``X`` (m, q), with intervals."""
        check_fraction("coverage", coverage)
        return self._predict(self._scaling.transform(X), coverage)

    def predict_proba(self, X: Any) -> Floats:
        """Return the probabilities (m, C) of the models for the queries ``X`` (m, q)."""
        return self.predict(X).probabilities

    def describe(self, prediction: Prediction) -> dict[str, Any]:
        """Return the settings used and the details of the first query, as plain Python values."""
        first = {name: values[0] for name, values in prediction.details.items()}
        return self.settings_ | {
            name: dict(zip(self.classes_.tolist(), value.tolist(), strict=True))
            if np.ndim(value)
            else value.item()
            for name, value in first.items()
        }

    @abstractmethod
    def _fit(self, X: Floats, codes: Codes) -> dict[str, Any]:
        """Fit to scaled features and class indices; return the settings used."""

    @abstractmethod
    def _predict(self, X: Floats, coverage: float) -> Prediction:
        """Predict for scaled queries."""

    def _neighbors_or(self, default: int, n: int) -> int:
        """Return ``n_neighbors``, or the default if it is None; at most all ``n`` rows."""
        if self.n_neighbors is None:
            return min(n, default)
        return check_integer("n_neighbors", self.n_neighbors, maximum=n)


PSEUDOCOUNT = 0.5  # votes that every model gets in advance (Jeffreys)


class NeighboursClassifier(Classifier):
    """Count the votes of the k nearest simulations, plus half a vote for every model.

    Given the votes v, the probabilities follow the distribution Dirichlet(v + ½). The prediction is
    its mean and, for each model, the central interval of its beta distribution. By default k is
    √n/2, and at least 10. Settings used: ``scaling``, ``n_neighbors``.

    >>> import numpy as np
    >>> X = np.random.default_rng(1).normal(size=(400, 2))
    >>> classifier = NeighboursClassifier(n_neighbors=10).fit(X, X[:, 0] > 0)
    >>> classifier.predict_proba([[3.0, 0.0]]).round(2)
    array([[0.05, 0.95]])
    """

    def _fit(self, X: Floats, codes: Codes) -> dict[str, Any]:
        self._X, self._one_hot = X, np.eye(len(self.classes_))[codes]
        self._k = self._neighbors_or(max(10, round(math.sqrt(len(X)) / 2)), len(X))
        return {"n_neighbors": self._k}

    def _predict(self, X: Floats, coverage: float) -> Prediction:
        votes = np.concatenate(
            [shares_of_nearest(d, self._k) @ self._one_hot for _, d in distances(self._X, X)]
        )
        a = votes + PSEUDOCOUNT
        b = a.sum(axis=1, keepdims=True) - a
        tail = (1 - coverage) / 2
        lower, upper = betaincinv(a, b, tail), betaincinv(a, b, 1 - tail)
        return Prediction(a / (a + b), lower, upper, {"votes": votes})


RIDGE = 0.3  # prior precision of the slopes, per local standard deviation of a feature
#: Local standard deviations between a query and the centre of its near simulations, beyond which these say
#: little about other models. On two tables, 99% of held-out simulations are nearer.
FAR = 3.5


def default_neighbors(n: int) -> int:
    """Return the default number of nearest rows of a table with n rows."""
    return min(n, round(8 * math.sqrt(n)))


class RegressionClassifier(Classifier):
    """Fit a local multinomial logistic regression and evaluate it at the query.

    Fagundes et al. 2007, doi:10.1073/pnas.0708280104, after Beaumont et al. 2002. The nearest
    simulations, by default 8√n, have Epanechnikov weights, scaled to their effective number N. One
    pseudo-simulation, in equal parts of all C models, is placed at the query, and the slopes have a
    small ridge penalty, so the probabilities are finite also where the models are separated. The
    intervals are normal in log-odds, from the curvature of the likelihood.

    A regression says nothing about a model without near simulations. Such a model is counted: it has
    1/C of wN + 1 simulations, and the interval of the beta distribution with these counts. The others share
    the rest by the regression. The weight w is exp(−(d/3.5)⁴), for a query that is d local standard
    deviations away from the centre of the near simulations: far from all simulations, they say little
    about absent models. One of them always counts. Settings used: ``scaling``, ``n_neighbors``,
    ``n_jobs``.

    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> y = np.repeat(["low", "high"], 1000)
    >>> X = rng.normal(np.where(y == "low", -1, 1))[:, None]
    >>> prediction = RegressionClassifier().fit(X, y).predict([[0.5]])  # true odds e : 1
    >>> bool(prediction.lower[0, 0] < np.e / (1 + np.e) < prediction.upper[0, 0])
    True
    """

    def _fit(self, X: Floats, codes: Codes) -> dict[str, Any]:
        self._X, self._codes = X, codes
        self._k = self._neighbors_or(default_neighbors(len(X)), len(X))
        return {"n_neighbors": self._k}

    def describe(self, prediction: Prediction) -> dict[str, Any]:
        """Return the details of the first query, with the models absent among its neighbours."""
        details = super().describe(prediction)
        return details | {"absent": [model for model, w in details["near"].items() if w == 0]}

    def _predict(self, X: Floats, coverage: float) -> Prediction:
        n_models = len(self.classes_)
        return predict_locally(self._X, self._codes, X, self._k, n_models, coverage, self.n_jobs)


def predict_locally(
    X: Floats,
    codes: Codes,
    queries: Floats,
    n_neighbors: int,
    n_models: int,
    coverage: float = DEFAULT_COVERAGE,
    n_jobs: int | None = None,
) -> Prediction:
    """Return what :class:`RegressionClassifier` predicts for queries (m, q) from rows (n, q), both scaled."""

    def regress(query: Floats) -> tuple[Floats, Floats, Floats, bool, float]:
        return regress_locally(X, codes, query, n_neighbors, n_models, RIDGE)  # type: ignore[no-any-return]

    # The kernel is compiled for arrays that can be written.
    X, queries = np.require(X, requirements="W"), np.require(queries, requirements="W")
    codes = np.require(codes, requirements="W")
    with threads(n_jobs) as run:
        found = map(np.array, zip(*run(regress, queries), strict=True))
    scores, covariance, near, separated, offset = found
    odds = np.where(near > 0, np.exp(scores - scores.max(axis=1, keepdims=True)), 0.0)
    probabilities = odds / odds.sum(axis=1, keepdims=True)
    half_width = ndtri((1 + coverage) / 2) * _deviation_of_log_odds(probabilities, covariance)
    log_odds = logit(probabilities)
    ends = expit(log_odds - half_width), expit(log_odds + half_width)
    lower, upper = (np.where(probabilities == 1, 1.0, end) for end in ends)
    present = Prediction(probabilities, lower, upper, {"near": near, "separated": separated})
    weight = np.exp(-((offset / FAR**2) ** 2))
    return _with_absent(present, near, weight, coverage)


def _with_absent(found: Prediction, near: Floats, weight: Floats, coverage: float) -> Prediction:
    """Return the prediction with the counted probabilities of models without near simulations."""
    n_models, total = near.shape[1], np.maximum(weight * near.sum(axis=1), 1)[:, None] + 1
    absent, tails = near == 0, ((1 - coverage) / 2, (1 + coverage) / 2)
    n_absent = absent.sum(axis=1, keepdims=True)
    each, together = 1 / n_models, np.maximum(n_absent, 0.5) / n_models
    low, high = (betaincinv(together, total - together, t) * (n_absent > 0) for t in tails)
    own_low, own_high = (betaincinv(each, total - each, t) for t in tails)
    return Prediction(
        np.where(absent, each / total, found.probabilities * (1 - n_absent * each / total)),
        np.where(absent, own_low, found.lower * (1 - high)),
        np.where(absent, own_high, found.upper * (1 - low)),
        found.details,
    )


def _deviation_of_log_odds(probabilities: Floats, covariance: Floats) -> Floats:
    """Return the standard deviation (m, C) of each log-odds from the scores' covariance (m, C, C)."""
    gradient = -probabilities[:, None, :] / (1 - probabilities).clip(min=1e-300)[:, :, None]
    diagonal = np.arange(probabilities.shape[1])
    gradient[:, diagonal, diagonal] = 1.0
    variance = (gradient @ covariance * gradient).sum(axis=2)
    return np.asarray(np.sqrt(variance.clip(min=0)))


VOTE_SHARE_PSEUDOCOUNT = 0.001  # half a vote of 500 trees, so that no model has a share of 0
MIN_LEAF = 5  # of the error forest, as in Pudlo et al.


class ForestClassifier(Classifier):
    """Random-forest ABC of Pudlo et al. 2016, doi:10.1093/bioinformatics/btv684.

    The first forest is grown on the features and their discriminant axes, and the model with most
    votes is predicted. The second forest, grown on the out-of-bag errors of the first, estimates the
    probability that the prediction is wrong. The other models share it in proportion to their votes.

    Half an error and half a success are added to the errors of the rows near the query. The number
    of these rows is the harmonic mean of the leaf sizes. The error is bounded so that the predicted
    model stays the most probable. The intervals are those of the local error rate,
    Beta(errors + ½, successes + ½). Settings used: ``scaling``, ``n_trees``, ``seed``, ``n_jobs``.

    >>> import numpy as np
    >>> X = np.random.default_rng(1).normal(size=(400, 2))
    >>> classifier = ForestClassifier(n_trees=50).fit(X, X[:, 0] > 0)
    >>> classifier.predict_proba([[3.0, 0.0]]).argmax()
    np.int64(1)
    """

    def _fit(self, X: Floats, codes: Codes) -> dict[str, Any]:
        # Each forest takes an integer seed, drawn from a stream of its own.
        streams = np.random.SeedSequence(self.seed).spawn(2)
        seeds = [int(stream.generate_state(1, np.uint64)[0]) for stream in streams]
        self._axes = discriminant_axes(X, codes, len(self.classes_))
        table = self._with_axes(X)
        trees: dict[str, Any] = {
            "target": "classes",
            "n_trees": self.n_trees,
            "n_jobs": self.n_jobs,
        }
        self._voting_forest = grow_forest(table, codes, seed=seeds[0], **trees)
        votes = self._voting_forest.oob_votes
        has_votes = votes.any(axis=1)
        wrong = (votes.argmax(axis=1) != codes)[has_votes]
        trees |= {"seed": seeds[1], "min_leaf": MIN_LEAF}
        self._error_forest = grow_forest(table[has_votes], wrong, **trees)
        self._error_rate, self._leaf_size = _by_leaf(self._error_forest.leaves, wrong)
        return {"n_trees": self.n_trees}

    def _with_axes(self, X: Floats) -> Floats:
        return np.hstack([X, X @ self._axes])

    def _predict(self, X: Floats, coverage: float) -> Prediction:
        table = self._with_axes(X)
        votes = self._voting_forest.predict_proba(table)
        leaves = self._error_forest.apply(table)
        trees = np.arange(leaves.shape[1])
        error = self._error_rate[trees, leaves].mean(axis=1)
        n = 1 / (1 / self._leaf_size[trees, leaves]).mean(axis=1)
        a, b = error * n + 0.5, (1 - error) * n + 0.5
        tail = (1 - coverage) / 2
        probabilities = share_error(votes, np.minimum(a / (a + b), _max_error(votes)))
        ends = [share_error(votes, betaincinv(a, b, quantile)) for quantile in (tail, 1 - tail)]
        ends.append(probabilities)
        details = {"votes": votes, "local_error": error, "rows_near": n}
        return Prediction(probabilities, np.minimum.reduce(ends), np.maximum.reduce(ends), details)


def discriminant_axes(X: Floats, codes: Codes, n_models: int) -> Floats:
    """Return Fisher's discriminant directions (q, ≤ C − 1), which separate the models best."""
    means = np.array([X[codes == c].mean(axis=0) for c in range(n_models)])
    within = np.cov((X - means[codes]).T, bias=True).reshape(X.shape[1], X.shape[1])
    variances, directions = np.linalg.eigh(within)
    varies = variances > max(variances[-1] * 1e-10, 0.0)
    whitening = directions[:, varies] / np.sqrt(variances[varies])
    shares = np.bincount(codes, minlength=n_models) / len(codes)
    between = (means - X.mean(axis=0)) @ whitening * np.sqrt(shares)[:, None]
    _, _, axes = np.linalg.svd(between, full_matrices=False)
    return np.asarray(whitening @ axes[: n_models - 1].T)


def _by_leaf(leaves: NDArray[np.int32], wrong: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """Return the error rate and the number of rows (trees, leaves) of every leaf."""
    n_trees, n_leaves = leaves.shape[1], int(leaves.max()) + 1
    flat = (leaves + np.arange(n_trees) * n_leaves).ravel()
    size = np.bincount(flat, minlength=n_trees * n_leaves).clip(min=1).astype(float)
    errors = np.bincount(flat, np.repeat(wrong, n_trees), n_trees * n_leaves)
    return (errors / size).reshape(n_trees, n_leaves), size.reshape(n_trees, n_leaves)


def share_error(votes: Floats, error: Floats) -> Floats:
    """Return probabilities: 1 − error for the predicted model, the error shared by the others."""
    shared = _shares_of_others(votes) * error[:, None]
    shared[np.arange(len(votes)), votes.argmax(axis=1)] = 1 - error
    return np.asarray(shared)


def _max_error(votes: Floats) -> Floats:
    """Return the largest error rate at which the predicted model stays the most probable."""
    return np.asarray((1 - 1e-9) / (1 + _shares_of_others(votes).max(axis=1)))


def _shares_of_others(votes: Floats) -> Floats:
    """Return the vote shares of the models that are not predicted; each row sums to 1."""
    others = votes + VOTE_SHARE_PSEUDOCOUNT
    others[np.arange(len(votes)), votes.argmax(axis=1)] = 0
    return np.asarray(others / others.sum(axis=1, keepdims=True))
