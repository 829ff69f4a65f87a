"""Scores of how unlike the simulations of a model an observation is; fixed before they are used.

The rank of an observation among fresh simulations is a valid p-value for any score that does not depend on
them. A good score is large for observations that the model did not make. Two parts are combined:

- The **distance ratio** compares the distance of a row to its nearest simulations with the distances of
  these among each other. It notices rows far from all simulations, whatever the reason.
- The **trained score** is the log odds that a row is an altered simulation, learned from simulations and
  from altered copies of them. It notices small changes of the kinds that it has learned, and some others.

Each part alone misses what the other one notices: the trees of the trained score do not extrapolate, and the
distance ratio is blind to small changes in few features. The combination is large if one of the parts is.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from scipy.stats import norm

from netchoice.errors import UsageError
from netchoice.inference.scaling import Codes, Floats, Scaling, distances
from netchoice.threads import one_blas_thread, one_openmp_thread
from netchoice.validation import check_integer

N_NEIGHBORS = 10
#: Normal scores of ranks beyond this count as this, so that one far feature does not hide the others.
MAX_SCORE = 8.0
#: The weight of the trained score; the distance ratio has the rest.
TRAINED_WEIGHT = 0.8
#: Fewest simulations that a score is trained on, and that its scale is taken from.
MIN_TRAINING, MIN_SCALE = 50, 50


def scaled(scaling: Scaling, X: Any) -> Floats:
    """Return the columns on the scale of a score, clipped."""
    return np.asarray(scaling.transform(X).clip(-MAX_SCORE, MAX_SCORE))


@dataclass(frozen=True)
class DistanceRatio:
    """The mean distance of a row to its nearest simulations, relative to that of these simulations.

    This is the local outlier factor (doi:10.1145/335191.335388) without its lower bound on distances.

    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> ratio = DistanceRatio.fit(X)
    >>> (ratio([[0, 0], [9, 9]]) > 2).tolist()
    [False, True]
    """

    scaling: Scaling
    points: Floats
    mean: Floats

    @classmethod
    def fit(cls, X: Any, n_neighbors: int = N_NEIGHBORS) -> Self:
        """Scale the simulations (n, q), and find the nearest ones of each."""
        check_integer("n_neighbors", n_neighbors, maximum=len(X) - 1)
        scaling = Scaling.fit(X, "rank")
        points = scaled(scaling, X)
        mean = np.empty(len(points))
        for block, found in distances(points, points):
            rows = np.arange(len(found))
            found[rows, rows + block.start] = np.inf
            mean[block] = np.partition(found, n_neighbors - 1, axis=1)[:, :n_neighbors].mean(axis=1)
        return cls(scaling, points, mean)

    def __call__(self, X: Any, n_neighbors: int = N_NEIGHBORS) -> Floats:
        """Return the ratio of each row (m,); identical rows have 1."""
        ratios = []
        for _, found in distances(self.points, scaled(self.scaling, X)):
            nearest = np.argpartition(found, n_neighbors - 1, axis=1)[:, :n_neighbors]
            own = np.take_along_axis(found, nearest, axis=1).mean(axis=1)
            of_others = self.mean[nearest].mean(axis=1)
            with np.errstate(divide="ignore", invalid="ignore"):
                ratios.append(np.where((own == 0) & (of_others == 0), 1.0, own / of_others))
        return np.concatenate(ratios)


@dataclass(frozen=True)
class TrainedScore:
    """The log odds that a row is an altered simulation: the sum of boosted trees and a regression.

    Both see the scaled features, the residual of each feature given all others, and the Mahalanobis
    distance. The regression also sees their squares.
    """

    scaling: Scaling
    mean: Floats
    used: Codes
    precision: Floats
    trees: Any
    regression: Any
    location: Floats
    unit: Floats

    @classmethod
    def fit(cls, X: Any, altered: Any) -> Self:
        """Train on simulations (n, q) and on altered ones (m, q)."""
        from sklearn.covariance import ledoit_wolf
        from sklearn.ensemble import HistGradientBoostingClassifier
        from sklearn.linear_model import LogisticRegression

        scaling = Scaling.fit(X, "rank")
        Z = scaled(scaling, X)
        mean = Z.mean(axis=0)
        used = np.flatnonzero(Z.std(axis=0) > 1e-9)
        trees = HistGradientBoostingClassifier(
            max_iter=300, learning_rate=0.08, max_leaf_nodes=8, l2_regularization=1.0,
            early_stopping=False, random_state=0,
        )  # fmt: skip
        regression = LogisticRegression(C=0.02, max_iter=300)
        is_altered = np.repeat([0, 1], [len(X), len(altered)])
        with one_blas_thread(), one_openmp_thread():
            covariance = ledoit_wolf((Z - mean)[:, used], assume_centered=True)[0]
            made = cls(
                scaling, mean, used, np.linalg.inv(covariance), trees, regression, mean, mean
            )
            parts = made._parts(np.concatenate([X, altered]))
            trees.fit(np.hstack(parts), is_altered)
            columns = _with_squares(*parts)
            location, unit = columns.mean(axis=0), columns.std(axis=0) + 1e-9
            regression.fit((columns - location) / unit, is_altered)
        return cls(scaling, mean, used, made.precision, trees, regression, location, unit)

    def _parts(self, X: Any) -> tuple[Floats, Floats, Floats]:
        """Return scaled features, their residuals given all others, and squared Mahalanobis distances."""
        Z = scaled(self.scaling, X) - self.mean
        diagonal = np.sqrt(np.diag(self.precision))
        residuals = Z[:, self.used] @ self.precision / diagonal
        squared = (residuals * diagonal * Z[:, self.used]).sum(axis=1, keepdims=True)
        return Z, residuals, squared

    def __call__(self, X: Any) -> Floats:
        """Return the log odds of each row (m,)."""
        with one_blas_thread(), one_openmp_thread():
            parts = self._parts(X)
            odds = self.trees.decision_function(np.hstack(parts))
            columns = (_with_squares(*parts) - self.location) / self.unit
            return np.asarray(odds + self.regression.decision_function(columns))


def _with_squares(Z: Floats, residuals: Floats, squared: Floats) -> Floats:
    most = 30.0
    squares = [np.minimum(part**2, most) for part in (residuals, Z)]
    return np.hstack([Z, residuals, *squares, np.sqrt(squared.clip(min=0))])


@dataclass(frozen=True)
class ModelScore:
    """The score of a model: the distance ratio and the trained score, on one scale; use :meth:`fit`.

    The scale of a part is the logarithm of the share of other simulations that score higher, continued
    beyond them. The combination is the harmonic mean of these shares: one large part is enough.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.multivariate_normal([0, 0], [[1, 0.9], [0.9, 1]], size=1000)
    >>> altered = rng.normal(size=(600, 2))
    >>> score = ModelScore.fit(X[:600], altered, X[600:])
    >>> (score([[2, -2], [20, 20]]) > score([[0.5, 0.5]])).tolist()
    [True, True]
    """

    ratio: DistanceRatio
    trained: TrainedScore
    ratio_scale: Scaling = field(repr=False)
    trained_scale: Scaling = field(repr=False)

    @classmethod
    def fit(cls, X: Any, altered: Any, others: Any) -> Self:
        """Fit both parts to simulations and altered ones, and their scales to other simulations.

        Parameters
        ----------
        X : array (n, q), simulations of the model
        altered : array (m, q), altered simulations
        others : array (k, q), further simulations
        """
        X, altered, others = (np.asarray(rows, dtype=np.float64) for rows in (X, altered, others))
        for name, rows, least in (
            ("simulations", X, MIN_TRAINING), ("altered simulations", altered, MIN_TRAINING),
            ("simulations for the scale", others, MIN_SCALE),
        ):  # fmt: skip
            if len(rows) < least:
                raise UsageError(f"{len(rows)} {name}; expected at least {least}")
        ratio, trained = DistanceRatio.fit(X), TrainedScore.fit(X, altered)
        return cls(
            ratio,
            trained,
            Scaling.fit(_finite(ratio(others)), "rank"),
            Scaling.fit(_finite(trained(others)), "rank"),
        )

    def __call__(self, X: Any) -> Floats:
        """Return the score of each row (m,); the larger, the more unlike the simulations."""
        X = np.asarray(X, dtype=np.float64)
        shares = [
            -norm.logsf(self.ratio_scale.transform(_finite(self.ratio(X)))[:, 0]),
            -norm.logsf(self.trained_scale.transform(_finite(self.trained(X)))[:, 0]),
        ]
        weights = np.log([1 - TRAINED_WEIGHT, TRAINED_WEIGHT])
        return np.asarray(np.logaddexp.reduce(np.stack(shares) + weights[:, None], axis=0))


def _finite(scores: Floats) -> Floats:
    """Return the scores as a column; infinite ratios count as the largest number."""
    return np.nan_to_num(scores, posinf=np.finfo(float).max)[:, None]
