"""The simulated cloud in two dimensions, with the network in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from netchoice.errors import UsageError
from netchoice.features.registry import FEATURES
from netchoice.inference.nearest import distances
from netchoice.inference.scaling import DEFAULT_SCALING, Scaling
from netchoice.names import unknown

if TYPE_CHECKING:
    import pandas as pd

    from netchoice.storage.table import ReferenceTable

Floats = NDArray[np.float64]

LANDMARKS = 300
OBSERVED = "observed"
_PAIRS, _MOST_EXACT = 50_000, 1000  # pairs and rows on which the two correlations are taken
_ROUNDS, _STILL = 100, 1e-4  # of moving points; until the stress falls by less than this share


@dataclass(frozen=True)
class Embedding:
    """Networks as points in the plane; made by :func:`embed`.

    Attributes
    ----------
    points : pandas.DataFrame
        ``x``, ``y``, ``label`` (the model, or "observed") and ``observed`` (true for the network);
        simulations in the order of the table, then the network.
    pearson : float
        Correlation of the distances in the plane with those between the features, over pairs.
    distance_correlation : float
        Székely's, between places in the plane and features: 1 if nothing but size was lost.
    features : tuple of str
        What the distances rest on.
    """

    points: pd.DataFrame = field(repr=False)
    pearson: float
    distance_correlation: float
    features: tuple[str, ...]


def embed(
    table: ReferenceTable,
    observed: Mapping[str, float] | None = None,
    *,
    features: Iterable[str] | None = None,
    scaling: str = DEFAULT_SCALING,
    n_landmarks: int = LANDMARKS,
    seed: int = 0,
) -> Embedding:
    """Place simulated networks, and an observed one, in the plane by their distances.

    Metric multidimensional scaling. A random draw of the simulations, the landmarks, is scaled
    classically, which for such distances is principal component analysis, and then moved until the
    distances in the plane agree best with the true ones (least squares, by majorisation). Every
    other network, the observed one too, is then placed by its distances to the landmarks, in the
    same sense, so that it changes nothing about the cloud it is compared with.

    Parameters
    ----------
    table : ReferenceTable
    observed : mapping, optional
        Features of the network. Those with NaN are left out.
    features : iterable of str, optional
        By default all but the noise features.
    scaling : str
        How features are made comparable: see :class:`Scaling`.
    n_landmarks : int
    seed : int
        Of the landmarks, and of the pairs and rows on which the correlations are taken.

    Returns
    -------
    Embedding

    References
    ----------
    de Leeuw & Mair 2009, doi:10.18637/jss.v031.i03 (majorisation); de Silva & Tenenbaum 2004
    (landmarks); Székely, Rizzo & Bakirov 2007, doi:10.1214/009053607000000505.

    Examples
    --------
    >>> import netchoice
    >>> table = netchoice.simulate_table(
    ...     "ba", n_nodes=30, n_samples=60, seed=1, features=["degree_mean", "transitivity"],
    ...     engine="serial",
    ... )
    >>> embedding = embed(table, {"degree_mean": 9.0, "transitivity": 0.9})
    >>> embedding.points.tail(1)[["label", "observed"]].values.tolist()
    [['observed', True]]
    >>> embedding.pearson > 0.99
    True
    """
    if n_landmarks < 3:
        raise UsageError(f"n_landmarks={n_landmarks}; expected at least 3")
    if len(table) < 3:
        raise UsageError(f"a table with {len(table)} rows; expected at least 3")
    names = _features(table, observed, features)
    simulated = table.X[names].to_numpy(dtype=np.float64)
    scales = Scaling.fit(simulated, scaling)
    high = scales.transform(simulated)
    if observed is not None:
        high = np.vstack([high, scales.transform([[float(observed[name]) for name in names]])])
    rng = np.random.default_rng(seed)
    landmarks = rng.permutation(len(simulated))[:n_landmarks]
    low = _place(high, landmarks)
    return Embedding(
        points=_points(low, table, observed is not None),
        pearson=_pearson(high, low, rng),
        distance_correlation=distance_correlation(*_some_rows(high, low, rng)),
        features=tuple(names),
    )


def distance_correlation(a: Floats, b: Floats) -> float:
    """Székely's distance correlation of two samples, row by row (n, p) and (n, q).

    0 if one of them is constant; exactly 1 if one is the other turned, moved and scaled.

    >>> import numpy as np
    >>> x = np.linspace(-1, 1, 101)[:, None]
    >>> distance_correlation(x, 3 - 2 * x), round(distance_correlation(x, x**2), 3)
    (1.0, 0.492)
    """
    first, second = _centred(a), _centred(b)
    covariance = float(np.mean(first * second))
    variances = float(np.mean(first**2)) * float(np.mean(second**2))
    return min(1.0, float(np.sqrt(max(covariance, 0) / np.sqrt(variances)))) if variances else 0.0


def _centred(points: Floats) -> Floats:
    """Distances, with the means of rows and of columns taken off."""
    from scipy.spatial.distance import cdist

    between = cdist(points, points)
    mean = between.mean(axis=0)
    return np.asarray(between - mean - mean[:, None] + mean.mean())


def _features(
    table: ReferenceTable, observed: Mapping[str, float] | None, features: Iterable[str] | None
) -> list[str]:
    if features is None:
        noise = {name for name, item in FEATURES.items() if item.is_random}
        names = [name for name in table.features if name not in noise]
    else:
        names = list(features)
        for name in names:
            if name not in table.features:
                raise unknown("feature of the table", name, table.features)
    if observed is not None:
        missing = [name for name in names if name not in observed]
        if missing:
            raise UsageError(
                f"the network has no value for {', '.join(missing[:5])}; compute it, or name the "
                "features to use"
            )
        names = [name for name in names if not np.isnan(float(observed[name]))]
    if not names:
        raise UsageError("no features to take distances of; expected at least one")
    return names


def _place(high: Floats, landmarks: NDArray[np.int64]) -> Floats:
    """Everything in the plane: landmarks first, the others by their distances to these."""
    from scipy.spatial.distance import cdist

    marks = high[landmarks]
    centre = marks.mean(axis=0)
    axes = _principal_axes(marks - centre)
    low = np.zeros((len(high), 2))
    low[:, : axes.shape[1]] = (high - centre) @ axes
    fixed = low[landmarks] = _settle(cdist(marks, marks), low[landmarks])
    others = np.setdiff1d(np.arange(len(high)), landmarks)
    for block, true in distances(marks, high[others]):
        low[others[block]] = _settle(true, low[others[block]], fixed)
    return low


def _principal_axes(centred: Floats) -> Floats:
    """The two directions (q, 2) of largest variance, the largest entry of each positive."""
    axes = np.linalg.svd(centred, full_matrices=False)[2][:2].T
    largest = axes[np.abs(axes).argmax(axis=0), np.arange(axes.shape[1])]
    return np.asarray(axes * np.where(largest < 0, -1.0, 1.0))


def _settle(true: Floats, low: Floats, fixed: Floats | None = None) -> Floats:
    """Move points (m, 2) until distances agree with the true ones: to fixed points, or mutually.

    A round never raises the stress Σ(d − true)²: it goes to the minimum of a quadratic function that
    lies above it and touches it where the points are (the Guttman transform).
    """
    from scipy.spatial.distance import cdist

    stress = np.inf
    for _ in range(_ROUNDS):
        marks = low if fixed is None else fixed
        between = cdist(low, marks)
        before, stress = stress, float(((between - true) ** 2).sum())
        if before - stress <= _STILL * stress:
            break
        pull = np.divide(true, between, out=np.zeros_like(true), where=between > 0)
        low = (pull.sum(axis=1)[:, None] * low - pull @ marks) / len(marks)
        low = low + (0 if fixed is None else fixed.mean(axis=0))
    return low


def _points(low: Floats, table: ReferenceTable, with_network: bool) -> pd.DataFrame:
    import pandas as pd

    labels = [str(label) for label in table.y] + [OBSERVED] * with_network
    flags = np.arange(len(low)) >= len(table)
    return pd.DataFrame({"x": low[:, 0], "y": low[:, 1], "label": labels, "observed": flags})


def _pearson(high: Floats, low: Floats, rng: np.random.Generator) -> float:
    one, other = rng.integers(len(high), size=(2, _PAIRS))
    different = one != other
    one, other = one[different], other[different]
    true = np.linalg.norm(high[one] - high[other], axis=1)
    flat = np.linalg.norm(low[one] - low[other], axis=1)
    if true.std() == 0 or flat.std() == 0:
        return 0.0
    return float(np.corrcoef(true, flat)[0, 1])


def _some_rows(high: Floats, low: Floats, rng: np.random.Generator) -> tuple[Floats, Floats]:
    rows = rng.permutation(len(high))[:_MOST_EXACT]
    return high[rows], low[rows]
