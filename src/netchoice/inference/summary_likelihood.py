"""The likelihood of parameters, given summaries of the features, and draws weighted by it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from scipy.special import ndtri

from netchoice.inference.scaling import Floats, effective_n

#: Rows that the regression is fitted to; others are predicted.
MAX_CENTRES = 1500
#: Precision of the Gaussian kernel, divided by the number of columns.
_PRECISION = 0.3
#: Scores beyond this count as this. Far from all rows only the linear kernel is left.
_MAX_SCORE = 4.0
_PENALTIES = 10.0 ** np.arange(-4, 2.5, 0.5)


@dataclass(frozen=True)
class KernelRegression:
    """A regression of several targets on the scaled columns of a table.

    The penalty of each target minimises the leave-one-out error.

    Attributes
    ----------
    centres : array (c, q), rows that the regression is fitted to
    weights : array (c, p), of the kernels around the centres
    mean : array (p,), of the targets
    predictions : array (n, p)
        Predictions for the rows of the table, none of which uses the target of its own row.

    Examples
    --------
    >>> x = np.linspace(-2, 2, 100)[:, None]
    >>> regression = KernelRegression.fit(x, np.sin(x))
    >>> bool(abs(regression.predict(np.array([[1.0]])).item() - np.sin(1)) < 0.01)
    True
    """

    centres: Floats
    weights: Floats
    mean: Floats
    predictions: Floats

    @classmethod
    def fit(cls, X: Floats, targets: Floats) -> Self:
        """Return the regression of the targets (n, p) on the columns of X (n, q)."""
        X = _scores(X)
        n = min(len(X), MAX_CENTRES)
        centres, mean = X[:n], targets.mean(axis=0)
        values, vectors = np.linalg.eigh(_kernel(centres, centres))
        projected, squares = vectors.T @ (targets[:n] - mean), vectors**2
        weights, residuals = np.empty((n, targets.shape[1])), np.empty((n, targets.shape[1]))
        for j, column in enumerate(projected.T):
            fits = []
            for penalty in _PENALTIES:
                shrunk = 1 / (values.clip(0) + penalty)
                found = vectors @ (shrunk * column)
                left_out = found / (squares @ shrunk)
                fits.append((float(left_out @ left_out), found, left_out))
            _, weights[:, j], residuals[:, j] = min(fits, key=lambda fit: fit[0])
        predictions = np.concatenate(
            [targets[:n] - residuals, _kernel(X[n:], centres) @ weights + mean]
        )
        return cls(centres, weights, mean, predictions)

    @classmethod
    def restored(cls, X: Floats, weights: Floats, mean: Floats, predictions: Floats) -> Self:
        """Return the regression on the columns of X (n, q) that was fitted before."""
        return cls(_scores(X)[: len(weights)], weights, mean, predictions)

    def predict(self, X: Floats) -> Floats:
        """Return the predictions (m, p) for new rows (m, q)."""
        return np.asarray(_kernel(_scores(X), self.centres) @ self.weights + self.mean)


def _scores(X: Floats) -> Floats:
    return np.asarray(X.clip(-_MAX_SCORE, _MAX_SCORE))


def _kernel(a: Floats, b: Floats) -> Floats:
    q = a.shape[1]
    return np.asarray(np.exp(-_PRECISION / q * cdist(a, b, "sqeuclidean")) + a @ b.T / q)


#: Simulations whose parameters are within this many standard errors of those that the regression
#: predicts, and at least so many for each coefficient, determine the likelihood.
_WINDOW, _ROWS_PER_COEFFICIENT = 5.0, 50
_SMALLEST_QUANTILE = 1e-6
_JITTER = 0.1  # standard deviation of the moves between two steps, relative to that of the draws
_MAX_STEPS = 200


@dataclass(frozen=True)
class PriorScale:
    """Parameters as quantiles of their prior draws, so that every prior is uniform on [0, 1].

    ``knots`` holds the distinct values of each parameter, with finite bounds of the prior at the ends,
    and their quantiles.

    >>> scale = PriorScale.fit(np.array([[1.0], [10.0], [100.0]]), [(0.0, np.inf)])
    >>> scale.to_unit(np.array([[0.0], [10.0]])).ravel(), scale.from_unit(np.array([[0.5]])).item()
    (array([0. , 0.5]), 10.0)
    """

    knots: tuple[tuple[Floats, Floats], ...]
    is_integer: tuple[bool, ...]
    is_unbounded: tuple[bool, ...]

    @classmethod
    def fit(cls, drawn: Floats, limits: list[tuple[float, float]]) -> Self:
        """Return the scale of parameters (n, p) with these bounds."""
        knots = []
        for column, (low, high) in zip(drawn.T, limits, strict=True):
            values, counts = np.unique(column, return_counts=True)
            quantiles = (np.cumsum(counts) - counts / 2) / len(column)
            if math.isfinite(low) and low < values[0]:
                values, quantiles = np.r_[low, values], np.r_[0.0, quantiles]
            if math.isfinite(high) and high > values[-1]:
                values, quantiles = np.r_[values, high], np.r_[quantiles, 1.0]
            knots.append((values, quantiles))
        is_integer = tuple((drawn == np.rint(drawn)).all(axis=0).tolist())
        return cls(tuple(knots), is_integer, tuple(bool(np.isinf(ends).all()) for ends in limits))

    def to_unit(self, values: Floats) -> Floats:
        """Return the quantiles of parameters (n, p)."""
        columns = [np.interp(x, *knots) for x, knots in zip(values.T, self.knots, strict=True)]
        return np.column_stack(columns)

    def from_unit(self, units: Floats) -> Floats:
        """Return the parameters at these quantiles; integers are rounded."""
        columns = [np.interp(u, q, x) for u, (x, q) in zip(units.T, self.knots, strict=True)]
        return np.where(
            self.is_integer, np.rint(np.column_stack(columns)), np.column_stack(columns)
        )

    def coordinates(self, units: Floats) -> Floats:
        """Return the quantiles, but normal scores for parameters without bounds.

        In the tails of a prior without bounds, the quantiles hardly change, and the features still do.
        """
        scores = ndtri(units.clip(_SMALLEST_QUANTILE, 1 - _SMALLEST_QUANTILE))
        return np.where(self.is_unbounded, scores, units)

    def smooth(self, units: Floats, n: int, rng: np.random.Generator) -> Floats:
        """Return n draws from the smoothed distribution of the quantiles (Silverman's bandwidth)."""
        bandwidth = units.std(axis=0) * len(units) ** (-1 / (units.shape[1] + 4))
        return self.move(units[rng.integers(len(units), size=n)], bandwidth, rng)

    def move(self, units: Floats, deviation: Floats, rng: np.random.Generator) -> Floats:
        """Return the quantiles after normal moves, reflected at 0 and 1; integers do not move."""
        moves = np.where(self.is_integer, 0.0, deviation) * rng.normal(size=units.shape)
        return np.asarray(1 - np.abs(1 - np.abs(units + moves) % 2))


@dataclass(frozen=True)
class Window:
    """Parameters within some standard errors of those that the regression predicts."""

    middle: Floats
    error: Floats
    width: float

    @classmethod
    def fit(cls, units: Floats, middle: Floats, error: Floats) -> Self:
        """Return the window that holds enough simulations for each coefficient of the mean."""
        p = units.shape[1]
        fewest = min(len(units) - 1, _ROWS_PER_COEFFICIENT * (p + 1) * (p + 2) // 2)
        distance = cls(middle, error, math.inf).distance(units)
        width = max(_WINDOW, float(np.partition(distance, fewest)[fewest]) * (1 + 1e-9))
        return cls(middle, error, width)

    def distance(self, units: Floats) -> Floats:
        """Return the distance of parameters (n, p) from the middle, in standard errors."""
        return np.asarray(np.linalg.norm((units - self.middle) / self.error, axis=1))

    def contains(self, units: Floats) -> NDArray[np.bool_]:
        """Return whether parameters (n, p) are inside."""
        return self.distance(units) < self.width

    def rows(self, units: Floats) -> tuple[NDArray[np.int64], Floats]:
        """Return the rows inside, and their Epanechnikov weights."""
        weights = 1 - (self.distance(units) / self.width) ** 2
        rows = np.flatnonzero(weights > 0)
        return rows, weights[rows]


@dataclass(frozen=True)
class SummaryLikelihood:
    """A normal likelihood of the observed summaries: their mean is quadratic in the coordinates.

    Attributes
    ----------
    observed : array (p,), the summaries of the observation
    coefficients : array (c, p), of the quadratic mean
    precision : array (p, p), inverse covariance of the summaries given the parameters
    window : Window, the region in which these hold; the likelihood is 0 outside
    """

    observed: Floats
    coefficients: Floats
    precision: Floats
    window: Window

    @classmethod
    def fit(cls, observed: Floats, summaries: Floats, units: Floats, error: Floats) -> Self:
        """Return the likelihood from summaries (n, p) that estimate the coordinates ``units`` (n, p).

        The standard errors of these estimates near the observation set the width of the window: the
        distribution of the summaries given the parameters comes from simulations with similar parameters.
        """
        middle = observed.clip(units.min(axis=0), units.max(axis=0))
        window = Window.fit(units, middle, np.maximum(error, 1e-9))
        rows, weights = window.rows(units)
        quadratic = _quadratic(units[rows])
        coefficients, _ = _least_squares(quadratic, summaries[rows], weights)
        residuals = summaries[rows] - quadratic @ coefficients
        # The mean was fitted with c coefficients: the observation is farther from it by (n + c)/(n − c).
        n, c = float(effective_n(weights)), quadratic.shape[1]
        widening = (n + c) / (n - c) if n > c + 1 else 1.0
        covariance = widening * (residuals * weights[:, None]).T @ residuals / weights.sum()
        deviation = np.sqrt(np.diag(covariance))
        # Beyond the summaries of all simulations the regression extrapolates.
        low, high = summaries.min(axis=0) - deviation, summaries.max(axis=0) + deviation
        floor = 1e-12 * np.eye(len(covariance))
        precision = np.linalg.inv(covariance + floor)
        return cls(observed.clip(low, high), coefficients, precision, window)

    def log(self, units: Floats) -> Floats:
        """Return the log-likelihood of parameters with these coordinates (n, p)."""
        distance = self.observed - _quadratic(units) @ self.coefficients
        squares = (distance @ self.precision * distance).sum(axis=1)
        return np.where(self.window.contains(units), -0.5 * squares, -np.inf)


def draw_posterior(
    n: int,
    units: Floats,
    likelihood: SummaryLikelihood,
    prior: PriorScale,
    rng: np.random.Generator,
) -> Floats:
    """Return n draws from the posterior, given draws from the prior (sequential Monte Carlo).

    The likelihood enters as a power that rises from 0 to 1. In every step the power rises as far as
    half of the draws remain effective; the draws are resampled and moved a little.
    """
    power, inside = 0.0, likelihood.window.rows(prior.coordinates(units))[0]
    units = prior.smooth(units[inside], n, rng)
    for _ in range(_MAX_STEPS):
        log = likelihood.log(prior.coordinates(units))
        log -= log.max()
        rise = _largest_rise(log, 1 - power)
        weights = np.where(log > -np.inf, np.exp(rise * log), 0.0)
        positions = (np.arange(len(units)) + rng.random()) / len(units)
        chosen = np.searchsorted(np.cumsum(weights) / weights.sum(), positions)
        units = units[chosen.clip(max=len(units) - 1)]
        units = prior.move(units, _JITTER * units.std(axis=0), rng)
        power += rise
        if power >= 1:
            break
    return units


def _largest_rise(log: Floats, left: float) -> float:
    """Return the largest power, to 1 % and up to what is left, that keeps half of the draws effective."""
    possible = log[log > -np.inf]
    if effective_n(np.exp(left * possible)) >= len(possible) / 2:
        return left
    low, high = 0.0, left
    for _ in range(60):
        if high - low < 0.01 * high:
            break
        middle = (low + high) / 2
        enough = effective_n(np.exp(middle * possible)) >= len(possible) / 2
        low, high = (middle, high) if enough else (low, middle)
    return high


def _quadratic(units: Floats) -> Floats:
    """Return the columns 1, u and all products of two columns of u."""
    first, second = np.triu_indices(units.shape[1])
    return np.column_stack([np.ones(len(units)), units, units[:, first] * units[:, second]])


def _least_squares(design: Floats, values: Floats, weights: Floats) -> tuple[Floats, int]:
    root = np.sqrt(weights)[:, None]
    fit, _, rank, _ = np.linalg.lstsq(design * root, values * root, rcond=1e-6)
    return np.asarray(fit, dtype=np.float64), int(rank)
