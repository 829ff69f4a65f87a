"""Does any model explain the network at all? Where it stands among the simulations of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from netchoice.errors import UsageError
from netchoice.inference.nearest import distances
from netchoice.inference.scaling import Scaling
from netchoice.threads import threads

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]

NEIGHBOURS = 10
ALPHA = 0.01
#: Simulations of each model that are compared with one another; more are drawn down to these.
MOST = 2000
_TIED = 1e-9  # relative; two scores that differ by rounding alone are equal


@dataclass(frozen=True)
class Fit:
    """How well each model explains a network; made by :func:`goodness_of_fit`.

    Attributes
    ----------
    p_values : dict
        By model: the share of its simulations, with the network among them, that stand as far from
        the others as the network does. Uniform for a network that the model made.
    overall : float
        The largest of them.
    fits : bool
        Whether ``overall`` is above ``alpha``. If not, no model in this space explains the network.
    alpha : float
        A network that one of the models made is called out with at most this probability.
    floor : float
        The smallest value that ``overall`` can take: 1/(N+1), for the model with the fewest
        simulations N.
    n_simulations : dict
        N by model.
    quantiles : pandas.DataFrame
        By feature and model: the share of simulations below the network's value, half of those
        equal to it included. 0 or 1: beyond all simulations.
    left_out : tuple of str
        Features without a value on the network, or on some simulation.
    summary : str
        All this in a sentence.
    """

    p_values: dict[str, float]
    overall: float
    fits: bool
    alpha: float
    floor: float
    n_simulations: dict[str, int]
    quantiles: pd.DataFrame = field(repr=False)
    left_out: tuple[str, ...]
    summary: str

    def outside(self, model: str) -> list[str]:
        """Features whose value no simulation of this model reaches, above or below."""
        column = self.quantiles[model]
        return [str(name) for name in column.index[(column == 0) | (column == 1)]]


def goodness_of_fit(
    X: pd.DataFrame,
    y: Any,
    observed: Mapping[str, float],
    *,
    n_neighbors: int = NEIGHBOURS,
    alpha: float = ALPHA,
    max_simulations: int = MOST,
    seed: int = 0,
    n_jobs: int | None = None,
) -> Fit:
    """Judge whether any model explains a network, on features as many and as varied as can be had.

    For each model, the network joins its N simulations. Every one of the N + 1 gets a score: the
    mean distance to its nearest others, divided by what that distance is, on average, for these
    others. So a network is judged by how crowded the simulations are where it stands, not where
    they are densest. The p-value is the share of the N + 1 that score at least as high as the
    network. All are treated alike, so if the model made the network every place among them is
    equally likely: P(p ≤ α) ≤ α, whatever the features, and p cannot be below 1/(N + 1).

    No model explains the network if all p-values are at most ``alpha``. If one of the models made
    it, its own p-value is that small with at most this probability, so that no correction for
    the number of models is due.

    Distances are Euclidean between normal scores of ranks (:class:`Scaling`), within each model. A
    column's smallest and largest value are placed by what the others say, so that a value far beyond
    them is far, be it the network's or a simulation's; one that differs where all others agree
    is beyond the outermost score.

    Selected features cannot judge a fit: five that tell two models apart say little about all the
    ways in which a network can differ from both.

    Parameters
    ----------
    X : pandas.DataFrame (n, q)
        Features of the simulations.
    y : array (n,)
        Their models.
    observed : mapping
        Features of the network; those with NaN are left out.
    n_neighbors : int
        How many others count as near.
    alpha : float
        Probability of a false alarm.
    max_simulations : int
        Of each model; where there are more, so many are drawn.
    seed : int
        Of this draw.
    n_jobs : int, optional
        Threads; the result does not depend on them.

    Returns
    -------
    Fit

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat(["thin", "thick"], 200)
    >>> degree = np.where(y == "thin", 2, 8) + rng.normal(size=400)
    >>> X = pd.DataFrame({"degree": degree, "twice": 2 * degree + 0.1 * rng.normal(size=400)})
    >>> fit = goodness_of_fit(X, y, {"degree": 8.1, "twice": 16.1})
    >>> fit.fits, fit.p_values["thin"] == fit.floor == 1 / 201
    (True, True)
    >>> print(goodness_of_fit(X, y, {"degree": 8.1, "twice": 19.0}).summary)
    no model in this space explains the network: p = 0.00498 (thick), 0.00498 (thin), all at most 0.01; \
with 200 simulations of a model p cannot be below 0.00498
    """
    names, left_out = _usable(X, observed)
    values = np.array([float(observed[name]) for name in names])
    clouds = _clouds(X[names].to_numpy(dtype=np.float64), y, max_simulations, seed)
    fewest = min(len(cloud) for cloud in clouds.values())
    _check(alpha, n_neighbors, fewest)
    with threads(n_jobs) as run:
        found = run(lambda cloud: _p_value(cloud, values, n_neighbors), clouds.values())
    p_values = dict(zip(clouds, found, strict=True))
    return Fit(
        p_values=p_values,
        overall=max(found),
        fits=max(found) > alpha,
        alpha=alpha,
        floor=1 / (fewest + 1),
        n_simulations={model: len(cloud) for model, cloud in clouds.items()},
        quantiles=_quantiles(clouds, names, values),
        left_out=tuple(left_out),
        summary=_summary(p_values, alpha, max(len(cloud) for cloud in clouds.values())),
    )


def _usable(X: pd.DataFrame, observed: Mapping[str, float]) -> tuple[list[str], list[str]]:
    missing = [str(name) for name in X.columns if name not in observed]
    if missing:
        raise UsageError(
            f"the network has no value for {', '.join(missing[:5])}; expected one for each of the "
            f"{X.shape[1]} features of the simulations: compute them, or drop these columns"
        )
    whole = ~X.isna().any()
    names = [str(n) for n in X.columns if whole[n] and not np.isnan(float(observed[n]))]
    if not names:
        raise UsageError("no feature has a value on the network and on every simulation")
    return names, [str(name) for name in X.columns if name not in set(names)]


def _clouds(X: Floats, y: Any, most: int, seed: int) -> dict[str, Floats]:
    """The simulations of each model, drawn down to so many."""
    labels = np.asarray(y).astype(str)
    if len(labels) != len(X) or not len(X):
        raise UsageError(
            f"{len(X)} simulations and {len(labels)} labels; expected a label for each, and some"
        )
    rng = np.random.default_rng(seed)
    clouds = {}
    for model in np.unique(labels):
        rows = np.flatnonzero(labels == model)
        if len(rows) > most:
            rows = np.sort(rng.choice(rows, most, replace=False))
        clouds[str(model)] = X[rows]
    return clouds


def _check(alpha: float, n_neighbors: int, fewest: int) -> None:
    if not 0 < alpha < 1:
        raise UsageError(f"alpha={alpha!r}; expected a probability between 0 and 1")
    if fewest + 1 < 1 / alpha:
        raise UsageError(
            f"{fewest} simulations of one model; with so few its p-value cannot be at most "
            f"alpha={alpha:g}: expected at least {int(np.ceil(1 / alpha)) - 1} of each, or a higher alpha"
        )
    if not 1 <= n_neighbors < fewest:
        raise UsageError(f"n_neighbors={n_neighbors}; expected 1 to {fewest - 1}")


def _p_value(cloud: Floats, values: Floats, n_neighbors: int) -> float:
    scores = _remoteness(_scaled(np.vstack([cloud, values])), n_neighbors)
    return float(np.mean(scores >= scores[-1] * (1 - _TIED)))


def _scaled(pool: Floats) -> Floats:
    """On scales that treat all rows alike, and yet do not let an outlier hide by setting them."""
    return Scaling.fit(np.sort(pool, axis=0)[1:-1], "rank").transform(pool)


def _remoteness(points: Floats, k: int) -> Floats:
    """Mean distance to the k nearest others, relative to that of these others.

    As the local outlier factor of Breunig et al. 2000 (doi:10.1145/335191.335388), without its
    floor under the distances of near neighbours.
    """
    near = np.empty((len(points), k), dtype=np.int64)
    mean = np.empty(len(points))
    for block, distance in distances(points, points):
        rows = np.arange(len(distance))
        distance[rows, rows + block.start] = np.inf
        near[block] = np.argpartition(distance, k - 1, axis=1)[:, :k]
        mean[block] = np.take_along_axis(distance, near[block], axis=1).mean(axis=1)
    of_others = mean[near].mean(axis=1)
    # Copies of one network stand nowhere in particular; whatever is off them is infinitely far.
    alike = (mean == 0) & (of_others == 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(alike, 1.0, mean / of_others))


def _quantiles(clouds: Mapping[str, Floats], names: list[str], values: Floats) -> pd.DataFrame:
    import pandas as pd

    below = {
        model: np.mean((cloud < values) + 0.5 * (cloud == values), axis=0)
        for model, cloud in clouds.items()
    }
    return pd.DataFrame(below, index=pd.Index(names, name="feature"))


def _summary(p_values: Mapping[str, float], alpha: float, most: int) -> str:
    told = {model: f"{p:.3g} ({model})" for model, p in p_values.items()}
    possible = f"with {most} simulations of a model p cannot be below {1 / (most + 1):.3g}"
    bad = [told[model] for model, p in p_values.items() if p <= alpha]
    if len(bad) == len(p_values):
        return (
            f"no model in this space explains the network: p = {', '.join(bad)}, all at most "
            f"{alpha:g}; {possible}"
        )
    fitting = [f"{model} fits (p = {p:.3g})" for model, p in p_values.items() if p > alpha]
    others = [f"{model} does not (p = {p:.3g})" for model, p in p_values.items() if p <= alpha]
    return f"{', '.join([*fitting, *others])}; {possible}"
