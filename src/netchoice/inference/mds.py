"""Metric multidimensional scaling: simulations and observations as points in the plane."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from scipy.spatial.distance import cdist

from netchoice.errors import UsageError
from netchoice.inference.scaling import DEFAULT_SCALING, Codes, Floats, Scaling, distances
from netchoice.inference.table_checks import check_labels, check_present, check_table
from netchoice.validation import check_integer

N_LANDMARKS = 300
OBSERVED = "observed"
_N_PAIRS, _MAX_ROWS = 50_000, 1000  # sample sizes of the two correlations
_MAX_ITERATIONS, _TOLERANCE = 100, 1e-4  # of majorisation; relative decrease of the stress


@dataclass(frozen=True)
class Embedding:
    """Simulations and observations as points in the plane; the result of :func:`embed`.

    Attributes
    ----------
    points : pandas.DataFrame
        ``x``, ``y``, ``label`` (the model, or "observed") and ``observed`` (true for an
        observation): the simulations in the order of the table, then the observations in theirs.
    pearson : float, correlation over pairs between distances in the plane and between features
    distance_correlation : float, Székely's, between positions in the plane and features
    features : tuple of str, features that the distances are computed from
    """

    points: pd.DataFrame = field(repr=False)
    pearson: float
    distance_correlation: float
    features: tuple[str, ...]


def embed(
    X: Any,
    y: Any,
    observed: Mapping[str, float] | Any | None = None,
    *,
    scaling: str = DEFAULT_SCALING,
    n_landmarks: int = N_LANDMARKS,
    seed: int = 0,
) -> Embedding:
    """Return an :class:`Embedding` of simulations, and observations, that keeps their distances.

    This is metric multidimensional scaling with landmarks (de Silva & Tenenbaum 2004). A random sample
    of the simulations, the landmarks, is placed by principal component analysis. Majorisation (de Leeuw
    & Mair 2009, doi:10.18637/jss.v031.i03) then moves the landmarks to minimise the squared differences
    between distances in the plane and true distances. Every other row is placed by its distances to the
    landmarks under the same criterion, and alone. So an observation has no influence on the positions of
    the simulations and of other observations.

    Parameters
    ----------
    X : DataFrame or array (n, q), features of the simulations
    y : array (n,), the model of each simulation
    observed : mapping or Series, or DataFrame (m, q), optional
        The same features of one observation, or of m observations. Features that are NaN for any of
        them are left out.
    scaling : "rank", "robust" or "standard"; see :class:`~netchoice.inference.scaling.Scaling`
    n_landmarks : int
    seed : int, seed of the landmarks and of the samples for the correlations

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> rng = np.random.default_rng(1)
    >>> X = pd.DataFrame(rng.normal(size=(60, 2)), columns=["degree_mean", "transitivity"])
    >>> embedding = embed(X, ["ba1", "ba2"] * 30, {"degree_mean": 9.0, "transitivity": 0.9})
    >>> embedding.points.tail(1)[["label", "observed"]].values.tolist()
    [['observed', True]]
    """
    check_integer("n_landmarks", n_landmarks, minimum=3)
    names, values, query = _usable_features(X, observed)
    if len(values) < 3:
        raise UsageError(f"a table with {len(values)} rows; expected at least 3")
    scaled = Scaling.fit(values, scaling).transform(np.vstack([values, query]))
    rng = np.random.default_rng(seed)
    plane = _place(scaled, rng.permutation(len(values))[:n_landmarks])
    pearson = _pearson(scaled, plane, rng)
    rows = rng.permutation(len(scaled))[:_MAX_ROWS]
    return Embedding(
        points=_points(plane, check_labels(y, len(values)).tolist()),
        pearson=pearson,
        distance_correlation=distance_correlation(scaled[rows], plane[rows]),
        features=tuple(names),
    )


def distance_correlation(a: Floats, b: Floats) -> float:
    """Return Székely's distance correlation of two paired samples (n, p) and (n, q).

    It is 0 if a sample is constant, and 1 if one is a rotated, shifted and scaled copy of the other
    (Székely, Rizzo & Bakirov 2007, doi:10.1214/009053607000000505).

    >>> import numpy as np
    >>> x = np.linspace(-1, 1, 101)[:, None]
    >>> distance_correlation(x, 3 - 2 * x), round(distance_correlation(x, x**2), 3)
    (1.0, 0.492)
    """
    first, second = _centred_distances(a), _centred_distances(b)
    covariance = float(np.mean(first * second))
    variances = float(np.mean(first**2)) * float(np.mean(second**2))
    return min(1.0, float(np.sqrt(max(covariance, 0) / np.sqrt(variances)))) if variances else 0.0


def _centred_distances(points: Floats) -> Floats:
    """Return the distances between points, centred by row and by column."""
    between = cdist(points, points)
    mean = between.mean(axis=0)
    return np.asarray(between - mean - mean[:, None] + mean.mean())


def _usable_features(X: Any, observed: Any) -> tuple[list[str], Floats, Floats]:
    """Return names and values (n, q) of the observed features, and the observations (m, q)."""
    names, values = check_table(X, allow_missing=observed is not None)
    if observed is None:
        return names, values, np.empty((0, len(names)))
    rows = observed if isinstance(observed, pd.DataFrame) else pd.DataFrame([dict(observed)])
    queries = rows[check_present(rows, names)].to_numpy(dtype=np.float64)
    used = ~np.isnan(queries).any(axis=0)
    if not used.any():
        raise UsageError("no feature has a value for every observation; expected at least one")
    return np.array(names)[used].tolist(), values[:, used], queries[:, used]


def _place(scaled: Floats, landmarks: Codes) -> Floats:
    """Return positions (n, 2): first of the landmarks, then of the others relative to these."""
    marks = scaled[landmarks]
    centre = marks.mean(axis=0)
    axes = _principal_axes(marks - centre)
    plane = np.zeros((len(scaled), 2))
    plane[:, : axes.shape[1]] = (scaled - centre) @ axes
    fixed = plane[landmarks] = _majorise(cdist(marks, marks), plane[landmarks])
    others = np.setdiff1d(np.arange(len(scaled)), landmarks)
    for block, true in distances(marks, scaled[others]):
        plane[others[block]] = _attach(true, plane[others[block]], fixed)
    return plane


def _principal_axes(centred: Floats) -> Floats:
    """Return the two directions (q, 2) of largest variance; the largest entry of each is positive."""
    axes = np.linalg.svd(centred, full_matrices=False)[2][:2].T
    largest = axes[np.abs(axes).argmax(axis=0), np.arange(axes.shape[1])]
    return np.asarray(axes * np.where(largest < 0, -1.0, 1.0))


def _majorise(true: Floats, plane: Floats) -> Floats:
    """Move points (m, 2) to match true distances (m, m) among themselves."""
    # Each iteration is a Guttman transform, which never increases the stress Σ(d − true)².
    stress = np.inf
    for _ in range(_MAX_ITERATIONS):
        between = cdist(plane, plane)
        before, stress = stress, float(((between - true) ** 2).sum())
        if before - stress <= _TOLERANCE * stress:
            break
        plane = _guttman(true, between, plane, plane)
    return plane


def _attach(true: Floats, plane: Floats, fixed: Floats) -> Floats:
    """Move each point (m, 2) alone to match its true distances (m, k) to fixed points."""
    plane, stress, moving = plane.copy(), np.full(len(plane), np.inf), np.arange(len(plane))
    for _ in range(_MAX_ITERATIONS):
        between = cdist(plane[moving], fixed)
        now = ((between - true[moving]) ** 2).sum(axis=1)
        falls = stress[moving] - now > _TOLERANCE * now
        moving, between = moving[falls], between[falls]
        if not len(moving):
            break
        stress[moving] = now[falls]
        plane[moving] = _guttman(true[moving], between, plane[moving], fixed) + fixed.mean(axis=0)
    return plane


def _guttman(true: Floats, between: Floats, plane: Floats, marks: Floats) -> Floats:
    """Return the Guttman transform of points: each moves by the mean pull of the marks."""
    pull = np.divide(true, between, out=np.zeros_like(true), where=between > 0)
    return np.asarray((pull.sum(axis=1)[:, None] * plane - pull @ marks) / len(marks))


def _points(plane: Floats, labels: list[str]) -> pd.DataFrame:
    """Return the positions with their labels; rows without a label are observations."""
    observed = np.arange(len(plane)) >= len(labels)
    names = labels + [OBSERVED] * int(observed.sum())
    return pd.DataFrame({"x": plane[:, 0], "y": plane[:, 1], "label": names, "observed": observed})


def _pearson(scaled: Floats, plane: Floats, rng: np.random.Generator) -> float:
    """Return the correlation of true and plane distances over random pairs."""
    first, second = rng.integers(len(scaled), size=(2, _N_PAIRS))
    different = first != second
    steps = ((points[first] - points[second])[different] for points in (scaled, plane))
    true, flat = (np.linalg.norm(step, axis=1) for step in steps)
    return float(np.corrcoef(true, flat)[0, 1]) if true.std() and flat.std() else 0.0
