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
from numpy.typing import NDArray
from scipy.stats import norm

from netchoice.errors import UsageError
from netchoice.inference.scaling import Codes, Floats, Scaling, distances
from netchoice.threads import one_blas_thread, one_openmp_thread
from netchoice.validation import check_integer

Mask = NDArray[np.bool_]

N_NEIGHBORS = 10
#: Normal scores of ranks beyond this count as this, so that one far feature does not hide the others.
MAX_SCORE = 8.0
#: The weight of the trained score; the distance ratio has the rest.
TRAINED_WEIGHT = 0.8
#: A score is clearly beyond calibrating ones if it is so many standard deviations above their mean, and
#: above all of them: for logarithms of distance ratios (``benchmarks/racing.py``), and for scores of models
#: (``benchmarks/fit_scores.py``). Of the simulations of a model, about 0.1 % are clearly beyond.
FAR_RATIO, FAR_SCORE = 5.0, 7.0
#: Fewest calibrating scores that this is decided with.
MIN_CALIBRATING = 100
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

    def logarithms(self, X: Any) -> Floats:
        """Return the logarithm of the ratio of each row (m,); 0 and infinity count as the nearest number."""
        numbers = np.finfo(float)
        return np.asarray(np.log(self(X).clip(numbers.tiny, numbers.max)))


@dataclass(frozen=True)
class TrainedScore:
    """The log odds that a row is an altered simulation, by boosted trees.

    These see the scaled features, the residual of each feature given all others, and the squared Mahalanobis
    distance.
    """

    scaling: Scaling
    mean: Floats
    used: Codes
    precision: Floats
    trees: Any

    @classmethod
    def fit(cls, X: Any, altered: Any) -> Self:
        """Train on simulations (n, q) and on altered ones (m, q)."""
        from sklearn.covariance import ledoit_wolf
        from sklearn.ensemble import HistGradientBoostingClassifier

        scaling = Scaling.fit(X, "rank")
        Z = scaled(scaling, X)
        mean = Z.mean(axis=0)
        used = np.flatnonzero(Z.std(axis=0) > 1e-9)
        trees = HistGradientBoostingClassifier(
            max_iter=100, learning_rate=0.1, max_leaf_nodes=8, l2_regularization=1.0,
            early_stopping=False, random_state=0,
        )  # fmt: skip
        is_altered = np.repeat([0, 1], [len(X), len(altered)])
        with one_blas_thread(), one_openmp_thread():
            precision = np.empty((0, 0))  # if the simulations are all the same
            if len(used):
                covariance = ledoit_wolf((Z - mean)[:, used], assume_centered=True)[0]
                precision = np.asarray(np.linalg.inv(covariance), dtype=np.float64)
            made = cls(scaling, mean, used, precision, trees)
            trees.fit(made._inputs(np.concatenate([X, altered])), is_altered)
        return made

    def _inputs(self, X: Any) -> Floats:
        """Return scaled features, their residuals given all others, and squared Mahalanobis distances."""
        Z = scaled(self.scaling, X) - self.mean
        diagonal = np.sqrt(np.diag(self.precision))
        residuals = Z[:, self.used] @ self.precision / diagonal
        squared = (residuals * diagonal * Z[:, self.used]).sum(axis=1, keepdims=True)
        return np.hstack([Z, residuals, squared])

    def __call__(self, X: Any) -> Floats:
        """Return the log odds of each row (m,)."""
        with one_blas_thread(), one_openmp_thread():
            return np.asarray(self.trees.decision_function(self._inputs(X)))


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


def clearly_beyond(calibrating: Any, observed: Any, far: float) -> Mask:
    """Return whether observed scores are so far beyond calibrating ones that no further ones are needed.

    A score must exceed the largest calibrating one, and their mean by ``far`` standard deviations. The first
    condition alone bounds the share of simulations that are clearly beyond by 1 / (n + 1), whatever the
    distribution; the second one makes it much smaller.

    Parameters
    ----------
    calibrating : array (n,)
        Scores of simulations that the score was not fitted to, on a logarithmic scale: of
        :class:`ModelScore`, or :meth:`DistanceRatio.logarithms`.
    observed : array (m,)
    far : float
        ``FAR_RATIO`` for distance ratios, ``FAR_SCORE`` for scores of models, whose distribution is skewed.

    Examples
    --------
    >>> calibrating = np.random.default_rng(0).normal(size=100)
    >>> clearly_beyond(calibrating, [0.0, 3.0, 7.0], FAR_RATIO).tolist()
    [False, False, True]
    """
    known, seen = (np.asarray(scores, dtype=np.float64) for scores in (calibrating, observed))
    if len(known) < MIN_CALIBRATING:
        raise UsageError(
            f"{len(known)} calibrating scores; expected at least {MIN_CALIBRATING}: simulate more"
        )
    limit = max(known.max(), known.mean() + far * known.std())
    return np.asarray(seen > limit)


def _finite(scores: Floats) -> Floats:
    """Return the scores as a column; infinite ratios count as the largest number."""
    return np.nan_to_num(scores, posinf=np.finfo(float).max)[:, None]
