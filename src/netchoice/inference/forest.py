"""Model probabilities from random forests: votes pick the model, a second forest says how surely."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from netchoice.forests import grow_forest
from netchoice.inference.nearest import Codes, Floats, Told

Leaves = NDArray[np.int32]

HALF_A_VOTE = 0.001  # of 500 trees, so that nobody has none
MIN_LEAF = 5  # of the second forest, as Pudlo et al. have it


class ByForest:
    """Random-forest ABC: Pudlo et al. 2016, doi:10.1093/bioinformatics/btv684.

    A forest is grown on the features and their discriminant axes. Its votes for a network pick the
    model. A second forest learns where the first errs: from whether each simulation was told wrongly
    by the trees that did not see it. What it says of the network is the probability that the pick is
    wrong; the other models share that by their votes.

    Two things are added, so that no probability is 0 or 1, and no model likelier than the one
    picked. The errors near the network count with half an error and half a success beforehand, as
    if the leaves were of as many simulations as their harmonic mean: fewer than the weights that
    the trees give together to simulations are worth. And the error is at most what leaves the
    pick the most probable: the best choice errs no more than that.

    Intervals are of the local share of errors, Beta(errors + ½, successes + ½).
    """

    def __init__(
        self,
        X: Floats,
        y: Codes,
        n_models: int,
        *,
        n_trees: int,
        seed: int,
        n_jobs: int | None,
    ) -> None:
        picking, judging = np.random.SeedSequence(seed).spawn(2)
        self._axes = discriminant_axes(X, y, n_models)
        table = self._with_axes(X)
        # The two streams are drawn from as integers, which is what a forest takes.
        first, second = (int(s.generate_state(1, np.uint64)[0]) for s in (picking, judging))
        self._votes = grow_forest(table, y, n_trees=n_trees, seed=first, n_jobs=n_jobs)
        judged = self._votes.oob_votes.any(axis=1)
        wrong = (self._votes.oob_votes.argmax(axis=1) != y)[judged]
        self._errors = grow_forest(
            table[judged], wrong, n_trees=n_trees, min_leaf=MIN_LEAF, seed=second, n_jobs=n_jobs
        )
        self._share, self._size = _by_leaf(self._errors.leaves, wrong)

    def _with_axes(self, X: Floats) -> Floats:
        return np.hstack([X, X @ self._axes])

    def tell(self, asked: Floats, coverage: float) -> Told:
        """Probabilities of the models at these points (m, q)."""
        from scipy.special import betaincinv

        table = self._with_axes(asked)
        votes = self._votes.predict_proba(table)
        leaves = self._errors.apply(table)
        trees = np.arange(leaves.shape[1])
        error = self._share[trees, leaves].mean(axis=1)
        n = 1 / (1 / self._size[trees, leaves]).mean(axis=1)
        a, b = error * n + 0.5, (1 - error) * n + 0.5
        outside = (1 - coverage) / 2
        spread = [a / (a + b), betaincinv(a, b, outside), betaincinv(a, b, 1 - outside)]
        middle = shared_by_votes(votes, np.minimum(spread[0], _largest_error(votes)))
        best, worst = (shared_by_votes(votes, bound) for bound in spread[1:])
        return Told(
            middle,
            np.minimum.reduce([middle, best, worst]),
            np.maximum.reduce([middle, best, worst]),
            {"votes": votes, "local_error": error, "rows_near": n},
        )


def discriminant_axes(X: Floats, y: Codes, n_models: int) -> Floats:
    """Directions (q, ≤ C − 1) along which the models differ most, against their spread (Fisher)."""
    means = np.array([X[y == c].mean(axis=0) for c in range(n_models)])
    within = np.cov((X - means[y]).T, bias=True).reshape(X.shape[1], X.shape[1])
    spread, directions = np.linalg.eigh(within)
    sound = spread > spread[-1] * 1e-10 if spread[-1] > 0 else np.zeros(len(spread), dtype=bool)
    whitening = directions[:, sound] / np.sqrt(spread[sound])
    shares = np.bincount(y, minlength=n_models) / len(y)
    between = (means - X.mean(axis=0)) @ whitening * np.sqrt(shares)[:, None]
    _, _, axes = np.linalg.svd(between, full_matrices=False)
    return np.asarray(whitening @ axes[: n_models - 1].T)


def _by_leaf(leaves: Leaves, wrong: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """Share of errors and number of rows (trees, leaves) in every leaf, over all rows."""
    n_trees, n_leaves = leaves.shape[1], int(leaves.max()) + 1
    flat = (leaves + np.arange(n_trees) * n_leaves).ravel()
    size = np.bincount(flat, minlength=n_trees * n_leaves).astype(float)
    errors = np.bincount(flat, np.repeat(wrong, n_trees), n_trees * n_leaves)
    share = errors / size.clip(min=1)
    return share.reshape(n_trees, n_leaves), size.clip(min=1).reshape(n_trees, n_leaves)


def shared_by_votes(votes: Floats, error: Floats) -> Floats:
    """The picked model gets 1 − error, the others share the error by their votes."""
    rows, picked = np.arange(len(votes)), votes.argmax(axis=1)
    shared = _shares_of_others(votes) * error[:, None]
    shared[rows, picked] = 1 - error
    return np.asarray(shared)


def _largest_error(votes: Floats) -> Floats:
    """That leaves the picked model the most probable, by a hair."""
    return np.asarray((1 - 1e-9) / (1 + _shares_of_others(votes).max(axis=1)))


def _shares_of_others(votes: Floats) -> Floats:
    others = votes + HALF_A_VOTE
    others[np.arange(len(votes)), votes.argmax(axis=1)] = 0
    return np.asarray(others / others.sum(axis=1, keepdims=True))
