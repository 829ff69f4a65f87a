"""Model probabilities from two random forests: one votes, the other estimates its error."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv

from netchoice.forests import ClassificationForest, grow_forest
from netchoice.inference.classifier import Classifier, Prediction
from netchoice.inference.scaling import Codes, Floats

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
        forest = grow_forest(table, codes, seed=seeds[0], **trees)
        self._voting_forest = cast(ClassificationForest, forest)
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
