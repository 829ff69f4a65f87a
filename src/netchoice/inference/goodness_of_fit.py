"""Test whether any model fits: the place of the observation among the simulations of each model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from netchoice.errors import UsageError
from netchoice.inference.neighbour_weights import TIE_TOLERANCE, distances
from netchoice.inference.scaling import Floats, Scaling
from netchoice.inference.table_checks import Labels, check_labels, check_observed, check_table
from netchoice.threads import threads
from netchoice.validation import check_fraction, check_integer

N_NEIGHBORS = 10
ALPHA = 0.01
MAX_SIMULATIONS = 2000  # of each model; their number squared distances are computed


@dataclass(frozen=True)
class Fit:
    """How well each model fits an observation; the result of :func:`goodness_of_fit`.

    Attributes
    ----------
    p_values : dict
        By model: the share of its simulations, with the observation among them, that are at least
        as remote as the observation. Uniform if the model made the observation.
    overall : float, the largest p-value
    fits : bool, whether ``overall`` is above ``alpha``; if not, none of these models fits
    alpha : float
        Largest probability that ``fits`` is false although one of the models made the observation.
    floor : float, the smallest possible ``overall``: 1/(N + 1) for the fewest simulations N of a model
    n_simulations : dict, N by model
    remoteness : dict
        By model: the mean distance of the observation to its nearest simulations, divided by the same
        quantity for these simulations. About 1 if the model made the observation.
    quantiles : pandas.DataFrame
        By feature and model: the share of simulations below the observed value, plus half of those
        equal to it. 0 or 1 means that the value is outside the simulated range.
    left_out : tuple of str, features without a value for the observation or for some simulation
    summary : str, the result in a sentence
    """

    p_values: dict[str, float]
    overall: float
    fits: bool
    alpha: float
    floor: float
    n_simulations: dict[str, int]
    remoteness: dict[str, float]
    quantiles: pd.DataFrame = field(repr=False)
    left_out: tuple[str, ...]
    summary: str

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
    n_jobs: int | None = None,
) -> Fit:
    """Test whether any model fits an observation; return a :class:`Fit`.

    For each model, the observation is added to the N simulations. Each of the N + 1 rows gets a
    score: the mean distance to its nearest neighbours, divided by the average of the same quantity
    over these neighbours. The p-value is the share of the N + 1 rows that score at least as high as
    the observation. All rows are treated alike, so if the model made the observation, every rank is
    equally likely: P(p ≤ α) ≤ α for any distribution of the features, and p is at least 1/(N + 1).
    None of the models fits if all p-values are at most ``alpha``. If one of them made the
    observation, this has probability ``alpha`` at most, whatever the number of models.

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
    n_jobs : int, optional, number of threads; the result does not depend on it

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat(["thin", "thick"], 200)
    >>> X = pd.DataFrame({"degree": np.where(y == "thin", 2, 8) + rng.normal(size=400)})
    >>> fit = goodness_of_fit(X, y, {"degree": 8.1})
    >>> fit.fits, fit.p_values["thin"] == fit.floor == 1 / 201
    (True, True)
    >>> goodness_of_fit(X, y, {"degree": 20.0}).fits
    False
    """
    names, X = check_table(X, allow_missing=True)
    values = check_observed(observed, names, allow_missing=True)
    usable = ~np.isnan(X).any(axis=0) & ~np.isnan(values)
    if not usable.any():
        raise UsageError("no feature has a value for the observation and for every simulation")
    values = values[usable]
    samples = _samples(X[:, usable], check_labels(y, len(X)), max_simulations, seed)
    sizes = {model: len(sample) for model, sample in samples.items()}
    fewest = min(sizes.values())
    check_fraction("alpha", alpha)
    if fewest + 1 < 1 / alpha:
        raise UsageError(
            f"{fewest} simulations of one model; with so few its p-value cannot be at most "
            f"alpha={alpha:g}: expected at least {int(np.ceil(1 / alpha)) - 1} of each, or a higher alpha"
        )
    check_integer("n_neighbors", n_neighbors, maximum=fewest - 1)
    with threads(n_jobs) as run:
        scores = run(lambda sample: _scores(sample, values, n_neighbors), samples.values())
    p_values = {model: _p_value(found) for model, found in zip(samples, scores, strict=True)}
    overall = max(p_values.values())
    return Fit(
        p_values=p_values,
        overall=overall,
        fits=overall > alpha,
        alpha=alpha,
        floor=1 / (fewest + 1),
        n_simulations=sizes,
        remoteness={model: float(found[-1]) for model, found in zip(samples, scores, strict=True)},
        quantiles=_quantiles(samples, np.array(names)[usable].tolist(), values),
        left_out=tuple(name for name, used in zip(names, usable, strict=True) if not used),
        summary=_summary(p_values, alpha, max(sizes.values())),
    )


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


def fit_p_values(
    X: Any, observations: Any, *, n_neighbors: int = N_NEIGHBORS, n_jobs: int | None = None
) -> Floats:
    """Return the p-value of each of several observations, given simulations of one model.

    >>> rng = np.random.default_rng(0)
    >>> fit_p_values(rng.normal(size=(199, 2)), [[0, 0], [9, 9]]).round(3)
    array([0.55 , 0.005])
    """
    X, rows = np.asarray(X, dtype=float), np.asarray(observations, dtype=float)
    with threads(n_jobs) as run:
        return np.array(run(lambda row: _p_value(_scores(X, row, n_neighbors)), list(rows)))


def _scores(sample: Floats, values: Floats, n_neighbors: int) -> Floats:
    """Return the remoteness of each simulation and, last, of the observation."""
    return _remoteness(_scaled(np.vstack([sample, values])), n_neighbors)


def _p_value(scores: Floats) -> float:
    return float(np.mean(scores >= scores[-1] * (1 - TIE_TOLERANCE)))


def _scaled(pool: Floats) -> Floats:
    """Scale all rows alike, without the extremes of a column influencing its scale."""
    return Scaling.fit(np.sort(pool, axis=0)[1:-1], "rank").transform(pool)


def _remoteness(points: Floats, k: int) -> Floats:
    """Return the mean distance to the k nearest others, relative to that of these others."""
    # The local outlier factor (doi:10.1145/335191.335388) without its lower bound on distances.
    near = np.empty((len(points), k), dtype=np.int64)
    mean = np.empty(len(points))
    for block, distance in distances(points, points):
        rows = np.arange(len(distance))
        distance[rows, rows + block.start] = np.inf
        near[block] = np.argpartition(distance, k - 1, axis=1)[:, :k]
        mean[block] = np.take_along_axis(distance, near[block], axis=1).mean(axis=1)
    of_others = mean[near].mean(axis=1)
    # Identical rows have remoteness 1; a row that differs from identical ones is infinitely remote.
    identical = (mean == 0) & (of_others == 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(identical, 1.0, mean / of_others))


def _quantiles(samples: Mapping[str, Floats], names: list[str], values: Floats) -> pd.DataFrame:
    below = {
        model: np.mean((sample < values) + 0.5 * (sample == values), axis=0)
        for model, sample in samples.items()
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
