"""Tests whether any model fits an observation, and false discovery rates over many tests."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from netchoice.errors import UsageError
from netchoice.inference.scaling import TIE_TOLERANCE, Codes, Floats, Scaling, distances
from netchoice.inference.table_checks import Labels, check_labels, check_observed, check_table
from netchoice.validation import check_fraction, check_integer

N_NEIGHBORS = 10
ALPHA = 0.01
MAX_SIMULATIONS = 2000  # of each model; their number squared distances are computed
#: Share of the simulations that the features are scaled by; the observation is compared with the others.
SCALING_SHARE = 0.2


@dataclass(frozen=True)
class Fit:
    """How well each model fits an observation; the result of :func:`goodness_of_fit`.

    Attributes
    ----------
    p_values : dict
        By model: the share of its simulations, with the observation among them, that are at least
        as remote as the observation. Uniform if the model made the observation.
    alpha : float
        Largest probability that no model fits although one of them made the observation.
    n_simulations : dict, number N of simulations, by model
    remoteness : dict
        By model: the mean distance of the observation to its nearest simulations, divided by the same
        quantity for these simulations. About 1 if the model made the observation.
    quantiles : pandas.DataFrame
        By feature and model: the share of simulations below the observed value, plus half of those
        equal to it. 0 or 1 means that the value is outside the simulated range.
    left_out : tuple of str, features without a value for the observation or for some simulation
    """

    p_values: dict[str, float]
    alpha: float
    n_simulations: dict[str, int]
    remoteness: dict[str, float]
    quantiles: pd.DataFrame = field(repr=False)
    left_out: tuple[str, ...]

    @property
    def overall(self) -> float:
        """The largest p-value."""
        return max(self.p_values.values())

    @property
    def fits(self) -> bool:
        """Whether ``overall`` is above ``alpha``; if not, none of these models fits."""
        return self.overall > self.alpha

    @property
    def floor(self) -> float:
        """The smallest possible ``overall``: 1/(N + 1) for the fewest simulations N of a model."""
        return 1 / (min(self.n_simulations.values()) + 1)

    @property
    def summary(self) -> str:
        """The result in a sentence."""
        return _summary(self.p_values, self.alpha, max(self.n_simulations.values()))

    def with_p_value(self, model: str, p_value: float, n_simulations: int) -> Fit:
        """Return the result with the p-value of a model on other simulations."""
        return replace(
            self,
            p_values=self.p_values | {model: p_value},
            n_simulations=self.n_simulations | {model: n_simulations},
        )

    @property
    def nearest(self) -> str:
        """The model to whose simulations the observation is nearest, relative to their spread."""
        return min(self.remoteness, key=lambda model: self.remoteness[model])

    def outside(self, model: str) -> list[str]:
        """Return the features whose observed value is outside the simulated range of a model."""
        quantiles = self.quantiles[model]
        return list(quantiles.index[quantiles.isin([0, 1])])


def goodness_of_fit(
    X: Any,
    y: Any,
    observed: Mapping[str, float],
    *,
    n_neighbors: int = N_NEIGHBORS,
    alpha: float = ALPHA,
    max_simulations: int = MAX_SIMULATIONS,
    seed: int = 0,
) -> Fit:
    """Test whether any model fits an observation; return a :class:`Fit`.

    A fifth of the simulations of each model determines the scale of the features. The observation is
    added to the other N. Each of these N + 1 rows gets a score: the mean distance to its nearest
    neighbours, divided by the average of the same quantity over these neighbours. The p-value is the
    share of the N + 1 rows that score at least as high as the observation. All rows are treated alike,
    so if the model made the observation, every rank is equally likely: P(p ≤ α) ≤ α for any
    distribution of the features, and p is at least 1/(N + 1). None of the models fits if all p-values
    are at most ``alpha``. If one of them made the observation, this has probability ``alpha`` at most,
    whatever the number of models.

    Distances are Euclidean between normal scores of ranks (:class:`Scaling`), within each model.
    Use as many and as varied features as possible. Features selected to distinguish the models
    cannot test the fit: they say little about the other ways in which an observation can differ.

    Parameters
    ----------
    X : DataFrame (n, q), features of the simulations
    y : array (n,), the model of each simulation
    observed : mapping, features of the observation; those with NaN are left out
    n_neighbors : int, number of nearest neighbours
    alpha : float, significance level
    max_simulations : int
        Largest number of simulations of each model; from more, this many are drawn at random.
    seed : int, seed of this draw

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat(["thin", "thick"], 200)
    >>> X = pd.DataFrame({"degree": np.where(y == "thin", 2, 8) + rng.normal(size=400)})
    >>> fit = goodness_of_fit(X, y, {"degree": 8.1})
    >>> fit.fits, fit.p_values["thin"] == fit.floor == 1 / 161
    (True, True)
    >>> goodness_of_fit(X, y, {"degree": 20.0}).fits
    False
    """
    fitted = FitTest.fit(
        X, y, n_neighbors=n_neighbors, alpha=alpha, max_simulations=max_simulations, seed=seed
    )
    return fitted.test(observed)


@dataclass(frozen=True)
class FitTest:
    """The test of :func:`goodness_of_fit`, with everything that does not depend on the observation.

    Attributes
    ----------
    names : list of str, features of the simulations that all of them have
    references : dict of Reference, the simulations of each model
    alpha : float, significance level
    left_out : tuple of str, features without a value for some simulation

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = pd.DataFrame({"degree": rng.normal(size=300)})
    >>> test = FitTest.fit(X, ["thin"] * 300)
    >>> [test.test({"degree": degree}).fits for degree in (0.1, 20.0)]
    [True, False]
    """

    names: list[str]
    references: dict[str, Reference]
    alpha: float
    left_out: tuple[str, ...] = ()

    @classmethod
    def fit(
        cls,
        X: Any,
        y: Any,
        *,
        n_neighbors: int = N_NEIGHBORS,
        alpha: float = ALPHA,
        max_simulations: int = MAX_SIMULATIONS,
        seed: int = 0,
    ) -> Self:
        """Check the simulations, and compare them with each other."""
        names, X = check_table(X, allow_missing=True)
        usable = ~np.isnan(X).any(axis=0)
        if not usable.any():
            raise UsageError("no feature has a value for every simulation")
        samples = _samples(X[:, usable], check_labels(y, len(X)), max_simulations, seed)
        check_fraction("alpha", alpha)
        for model, sample in samples.items():
            if _n_compared(len(sample)) + 1 < 1 / alpha:
                raise UsageError(
                    f"{len(sample)} simulations of {model}; with so few its p-value cannot be at most "
                    f"alpha={alpha:g}: expected at least {min_simulations(alpha)}, or a higher alpha"
                )
        fewest = min(_n_compared(len(sample)) for sample in samples.values())
        check_integer("n_neighbors", n_neighbors, maximum=fewest - 1)
        references = {
            model: Reference.fit(sample, n_neighbors) for model, sample in samples.items()
        }
        kept = np.array(names)[usable].tolist()
        return cls(kept, references, alpha, tuple(n for n in names if n not in kept))

    def test(self, observed: Mapping[str, float]) -> Fit:
        """Test whether any model fits an observation; features with NaN are left out."""
        names = [*self.names, *self.left_out]
        values = check_observed(observed, names, allow_missing=True)[: len(self.names)]
        missing = np.isnan(values)
        if missing.all():
            raise UsageError("no feature has a value for the observation and for every simulation")
        if missing.any():
            return self._only(~missing).test(observed)
        scores = {model: each.scores(values) for model, each in self.references.items()}
        sizes = {model: len(each.points) for model, each in self.references.items()}
        return Fit(
            p_values={model: _p_value(found) for model, found in scores.items()},
            alpha=self.alpha,
            n_simulations=sizes,
            remoteness={model: float(found[-1]) for model, found in scores.items()},
            quantiles=_quantiles(self.references, self.names, values),
            left_out=self.left_out,
        )

    def _only(self, used: NDArray[np.bool_]) -> FitTest:
        """Return the test on some of the features."""
        kept = [name for name, is_used in zip(self.names, used, strict=True) if is_used]
        others = [name for name in self.names if name not in kept]
        references = {
            model: Reference.fit(each.sample[:, used], each.near.shape[1])
            for model, each in self.references.items()
        }
        return FitTest(kept, references, self.alpha, (*self.left_out, *others))


def _samples(X: Floats, labels: Labels, maximum: int, seed: int) -> dict[str, Floats]:
    """Return the simulations of each model; from more than the maximum, that many are drawn."""
    rng = np.random.default_rng(seed)
    samples = {}
    for model in np.unique(labels):
        rows = np.flatnonzero(labels == model)
        if len(rows) > maximum:
            rows = np.sort(rng.choice(rows, maximum, replace=False))
        samples[str(model)] = X[rows]
    return samples


def fit_p_values(X: Any, observations: Any, *, n_neighbors: int = N_NEIGHBORS) -> Floats:
    """Return the p-value of each of several observations, given simulations of one model.

    >>> rng = np.random.default_rng(0)
    >>> fit_p_values(rng.normal(size=(199, 2)), [[0, 0], [9, 9]]).round(3)
    array([0.7  , 0.006])
    """
    return Reference.fit(np.asarray(X, dtype=float), n_neighbors).p_values(observations)


@dataclass(frozen=True)
class Reference:
    """Simulations of one model, and their nearest neighbours among each other.

    ``sample`` holds the features of all simulations. The first of them determine the ``scaling``, and the
    other N are scaled to ``points`` (N, q). ``near`` (N, k) holds the rows of the k nearest points, the
    farthest last, ``reach`` (N,) the distance to the farthest, and ``mean`` (N,) the mean distance to all k.
    """

    sample: Floats
    scaling: Scaling
    points: Floats
    near: Codes
    reach: Floats
    mean: Floats

    @classmethod
    def fit(cls, sample: Floats, k: int) -> Self:
        """Scale the simulations, and find the k nearest of each."""
        first = len(sample) - _n_compared(len(sample))
        scaling = Scaling.fit(sample[:first], "rank")
        points = scaling.transform(sample[first:])
        near, distance = np.empty((len(points), k), dtype=np.int64), np.empty((len(points), k))
        for block, found in distances(points, points):
            rows = np.arange(len(found))
            found[rows, rows + block.start] = np.inf
            nearest = np.argpartition(found, k - 1, axis=1)[:, :k]
            values = np.take_along_axis(found, nearest, axis=1)
            order = np.argsort(values, axis=1, kind="stable")
            near[block] = np.take_along_axis(nearest, order, axis=1)
            distance[block] = np.take_along_axis(values, order, axis=1)
        return cls(sample, scaling, points, near, distance[:, -1], distance.mean(axis=1))

    def p_values(self, observations: Any) -> Floats:
        """Return the p-value of each of several observations (m, q)."""
        rows = np.asarray(observations, dtype=float)
        return np.array([_p_value(self.scores(row)) for row in rows])

    def scores(self, values: Floats) -> Floats:
        """Return the remoteness of each simulation and, last, of an observation with these features.

        The observation is one of the N + 1 rows: it may be among the nearest neighbours of a simulation.
        """
        k = self.near.shape[1]
        ((_, found),) = distances(self.points, self.scaling.transform(values[None]))
        distance = found[0]
        nearest = np.argpartition(distance, k - 1)[:k]
        own = distance[nearest].mean()
        closer = distance < self.reach
        mean = np.where(closer, self.mean + (distance - self.reach) / k, self.mean)
        of_others = mean[self.near]
        of_others[closer, -1] = own  # the observation replaces the farthest neighbour
        return _ratio(np.append(mean, own), np.append(of_others.mean(axis=1), mean[nearest].mean()))


def min_simulations(alpha: float = ALPHA) -> int:
    """Return how many simulations of a model are needed for p-values as small as alpha.

    >>> min_simulations(0.01)
    124
    """
    n = int(np.ceil(1 / alpha)) - 1
    while _n_compared(n) + 1 < 1 / alpha:
        n += 1
    return n


def possible_alpha(n: int) -> float:
    """Return the usual alpha, or the smallest p-value that n simulations of a model can give if it is larger.

    >>> possible_alpha(500), round(possible_alpha(84), 4)
    (0.01, 0.0147)
    """
    return max(ALPHA, (1 + 1e-9) / (_n_compared(n) + 1))


def _n_compared(n: int) -> int:
    """Return how many of n simulations the observation is compared with."""
    return n - max(2, round(SCALING_SHARE * n))


def _p_value(scores: Floats) -> float:
    return float(np.mean(scores >= scores[-1] * (1 - TIE_TOLERANCE)))


def _ratio(mean: Floats, of_others: Floats) -> Floats:
    """Return the mean distance to the nearest others, relative to that of these others."""
    # The local outlier factor (doi:10.1145/335191.335388) without its lower bound on distances.
    # Identical rows have remoteness 1; a row that differs from identical ones is infinitely remote.
    identical = (mean == 0) & (of_others == 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(identical, 1.0, mean / of_others))


def _quantiles(
    references: Mapping[str, Reference], names: list[str], values: Floats
) -> pd.DataFrame:
    below = {
        model: np.mean((each.sample < values) + 0.5 * (each.sample == values), axis=0)
        for model, each in references.items()
    }
    return pd.DataFrame(below, index=pd.Index(names, name="feature"))


def _summary(p_values: Mapping[str, float], alpha: float, largest: int) -> str:
    limit = f"with {largest} simulations no p-value can be below {1 / (largest + 1):.3g}"
    if max(p_values.values()) <= alpha:
        listed = ", ".join(f"{p:.3g} ({model})" for model, p in p_values.items())
        return f"none of these models fits: p = {listed}, all at most {alpha:g}; {limit}"
    fitting = [f"{model} fits (p = {p:.3g})" for model, p in p_values.items() if p > alpha]
    others = [f"{model} does not (p = {p:.3g})" for model, p in p_values.items() if p <= alpha]
    return f"{', '.join([*fitting, *others])}; {limit}"


#: Expected share of wrong rejections among all rejections.
RATE = 0.05


def adjusted_p_values(p: Any) -> Floats:
    """Return the p-values adjusted for the false discovery rate; NaN stays NaN.

    Reject the tests whose adjusted p-value (q-value) is at most 0.05. The expected share of wrong
    rejections is then at most 0.05 if the tests are independent or positively dependent (Benjamini &
    Hochberg 1995, doi:10.1111/j.2517-6161.1995.tb02031.x; Benjamini & Yekutieli 2001,
    doi:10.1214/aos/1013699998). The adjusted value of the i-th smallest of m p-values is the smallest
    of m·p₍ⱼ₎/j over all j ≥ i, and at most 1. Tests without a p-value are not counted in m.

    A p-value computed from N simulations is at least 1/(N + 1). Among many tests even this smallest
    p-value can be too large to reject one test alone; see :func:`fewest_rejections`.

    Parameters
    ----------
    p : array (m,), p-values from 0 to 1, or NaN

    Examples
    --------
    >>> adjusted_p_values([0.01, 0.04, float("nan"), 0.03, 0.5]).round(3).tolist()
    [0.04, 0.053, nan, 0.053, 0.5]
    """
    values = np.array(p, dtype=np.float64)
    wrong = values[(values < 0) | (values > 1)].tolist()
    if values.ndim != 1 or wrong:
        found = f"p-values of shape {values.shape}" + (
            f", among them {wrong[0]:g}" if wrong else ""
        )
        raise UsageError(f"{found}; expected one dimension and values from 0 to 1, or NaN")
    known = np.flatnonzero(~np.isnan(values))
    falling = known[np.argsort(-values[known], kind="stable")]
    ranks = np.arange(len(known), 0, -1)
    adjusted = np.minimum.accumulate(values[falling] * (len(known) / ranks))
    values[falling] = adjusted.clip(max=1.0)
    return values


def fewest_rejections(n_tests: int, floor: float, rate: float = RATE) -> int:
    """Return the smallest number of tests that can be rejected together at a false discovery rate.

    With m tests and p-values of at least ``floor``, k tests are rejected together only if
    ``floor`` ≤ rate·k/m. So k is at least m·floor/rate. With N = 1500 simulations, a rate of 0.05 and up
    to 75 tests, one test can be rejected alone. With 1000 tests, at least 14 tests need p-values at or
    near the floor. If fewer hypotheses are false, none can be rejected, whatever the data. The limit is
    a share of the tests, 1/(rate·(N + 1)), and only more simulations lower it.

    Parameters
    ----------
    n_tests : int, number of p-values m
    floor : float, the smallest possible p-value, 1/(N + 1) for N simulations
    rate : float, false discovery rate

    Examples
    --------
    >>> [fewest_rejections(m, 1 / 1501) for m in (75, 76, 1000, 100_000)]
    [1, 2, 14, 1333]
    """
    check_integer("n_tests", n_tests, minimum=1)
    check_fraction("floor", floor)
    check_fraction("rate", rate)
    least = n_tests * floor / rate
    return max(1, math.ceil(least * (1 - 1e-12)))  # an exact quotient must not be rounded up
