"""Mutual information of columns: with labels, with each other, and within classes.

For any table of numbers. Three estimators (``docs/information.md`` compares them):

- ``"calibrated"`` (default): in nats, not changed by strictly monotone maps of a column, near 0
  for independent columns of any type;
- ``"published"``: what the method's paper used: adjusted mutual information for two discrete
  columns, scikit-learn's nearest-neighbour estimates otherwise;
- ``"plugin"``: every value a category of its own; in nats, for tests and teaching.

No result depends on the order of the columns or on the number of threads, not even by a bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from netchoice.errors import UsageError
from netchoice.information.columns import Floats, jittered
from netchoice.information.estimators import Estimator, make
from netchoice.information.inputs import (
    as_column,
    as_labels,
    as_mask,
    as_table,
    whole_number,
)
from netchoice.names import unknown
from netchoice.threads import Run, threads

ESTIMATORS = ("calibrated", "published", "plugin")

__all__ = [
    "ESTIMATORS",
    "conditional_redundancy",
    "jittered",
    "mutual_information",
    "redundancy",
    "relevance",
]


def relevance(
    X: ArrayLike,
    y: ArrayLike,
    *,
    discrete: ArrayLike | None = None,
    estimator: str = "calibrated",
    seed: int = 0,
    n_neighbors: int = 3,
    n_jobs: int | None = None,
) -> Floats:
    """Mutual information of each column with the labels, I(k;y).

    Parameters
    ----------
    X : array of shape (n_rows, n_columns)
        Finite numbers.
    y : array of shape (n_rows,)
        Labels of any kind that can be sorted.
    discrete : boolean array of shape (n_columns,), optional
        Which columns are discrete; None: those with integers only. Concerns ``"published"``
        alone. ``"calibrated"`` looks at how often values repeat, ``"plugin"`` takes all as discrete.
    estimator : {"calibrated", "published", "plugin"}
    seed : int
        For breaking ties. The draw depends on this and on the content of a column, not on its place.
    n_neighbors : int
        Of the nearest-neighbour estimates; of fewer rows, all others are neighbours.
    n_jobs : int, optional
        Threads; None: one, -1: as many as there are processors.

    Returns
    -------
    array of shape (n_columns,)
        In nats. With ``"calibrated"`` between 0 and the entropy of the labels. With
        ``"published"``, of discrete columns: adjusted, at most 1, and below 0 where less than
        chance would give. Constant columns have 0, and so has every column if there is one class.

    Examples
    --------
    >>> X = np.array([[1, 7], [1, 8], [5, 7], [5, 8], [1, 7], [1, 8], [5, 7], [5, 8]])
    >>> relevance(X, list("aabbaabb"), estimator="plugin").round(4) + 0.0
    array([0.6931, 0.    ])
    """
    how = _estimator(estimator, seed, n_neighbors)
    table = as_table(X)
    labels = how.labels(as_labels(y, len(table)))
    with threads(n_jobs) as run:
        columns = _columns(table, as_mask(discrete, table), how, run)
        return np.array(run(lambda column: how.pair(column, labels), columns))


def redundancy(
    X: ArrayLike,
    *,
    discrete: ArrayLike | None = None,
    estimator: str = "calibrated",
    seed: int = 0,
    n_neighbors: int = 3,
    n_jobs: int | None = None,
) -> Floats:
    """Mutual information of each pair of columns, I(j;k).

    Parameters are those of :func:`relevance`.

    Returns
    -------
    array of shape (n_columns, n_columns)
        Exactly symmetric. The diagonal is 0: it is not estimated, since no method needs it.

    Examples
    --------
    >>> X = np.array([[1, 7, 1], [1, 8, 1], [5, 7, 5], [5, 8, 5]])
    >>> redundancy(X, estimator="plugin").round(4) + 0.0
    array([[0.    , 0.    , 0.6931],
           [0.    , 0.    , 0.    ],
           [0.6931, 0.    , 0.    ]])
    """
    how = _estimator(estimator, seed, n_neighbors)
    table = as_table(X)
    with threads(n_jobs) as run:
        return _pairs(table, as_mask(discrete, table), how.pair, how, run)


def conditional_redundancy(
    X: ArrayLike,
    y: ArrayLike,
    *,
    discrete: ArrayLike | None = None,
    estimator: str = "calibrated",
    seed: int = 0,
    n_neighbors: int = 3,
    n_jobs: int | None = None,
) -> Floats:
    """Mutual information of each pair of columns within the classes, I(j;k|y).

    The mean over the classes of :func:`redundancy` on the rows of a class, weighted by the shares
    of the classes; the calibrated estimate is cut off at 0 in the mean only, not in each class.
    Everything that a column is prepared by (scale, ranks, noise, whether it is constant) is that of
    the rows of the class. Parameters and shape are those of :func:`redundancy`.

    Examples
    --------
    >>> X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    >>> exclusive_or = X[:, 0] ^ X[:, 1]
    >>> conditional_redundancy(X, exclusive_or, estimator="plugin")[0, 1].round(4)
    np.float64(0.6931)
    """
    how = _estimator(estimator, seed, n_neighbors)
    table = as_table(X)
    mask = as_mask(discrete, table)
    codes = as_labels(y, len(table))
    total = np.zeros((table.shape[1], table.shape[1]))
    with threads(n_jobs) as run:
        for rows, share in _classes(codes):
            total += share * _pairs(table[rows], mask, how.within_class, how, run)
    return np.maximum(total, how.lowest)


def mutual_information(
    a: ArrayLike,
    b: ArrayLike,
    *,
    discrete: tuple[bool, bool] = (False, False),
    estimator: str = "calibrated",
    seed: int = 0,
    n_neighbors: int = 3,
    given: ArrayLike | None = None,
) -> float:
    """Mutual information of two columns, I(a;b), or I(a;b|given).

    Parameters
    ----------
    a, b : arrays of shape (n_rows,)
        Finite numbers; a discrete one may also hold labels of another kind.
    discrete : pair of bool
        Which of the two are discrete.
    estimator, seed, n_neighbors
        As in :func:`relevance`.
    given : array of shape (n_rows,), optional
        Labels; the mean over their classes, weighted by the shares of the classes.

    Returns
    -------
    float
        In nats (adjusted, for two discrete columns and ``"published"``).

    Examples
    --------
    A bivariate normal with correlation 0.9 has −½ log(1 − 0.9²) = 0.830 nats, and so has every
    monotone map of it:

    >>> x, z = np.random.default_rng(1).normal(size=(2, 5000))
    >>> y = 0.9 * x + np.sqrt(1 - 0.9**2) * z
    >>> abs(mutual_information(x, y) - 0.830) < 0.03
    True
    >>> mutual_information(np.exp(x), -(y**3)) == mutual_information(x, y)
    True
    """
    how = _estimator(estimator, seed, n_neighbors)
    first, second = as_column(a, "a", discrete[0]), as_column(b, "b", discrete[1])
    if len(first) != len(second):
        raise UsageError(f"the columns have {len(first)} and {len(second)} rows; they must agree")
    codes = (
        np.zeros(len(first), np.int64) if given is None else as_labels(given, len(first), "given")
    )
    total = 0.0
    for rows, share in _classes(codes):
        one = how.column(first[rows], discrete[0])
        other = how.column(second[rows], discrete[1])
        total += share * how.within_class(one, other)
    return max(total, how.lowest)


def _estimator(estimator: str, seed: int, n_neighbors: int) -> Estimator:
    if estimator not in ESTIMATORS:
        raise unknown("estimator", estimator, ESTIMATORS)
    return make(
        estimator, whole_number("seed", seed, 0), whole_number("n_neighbors", n_neighbors, 1)
    )


def _pairs(
    table: Floats,
    discrete: NDArray[np.bool_],
    estimate: Callable[[Any, Any], float],
    how: Estimator,
    run: Run,
) -> Floats:
    columns = _columns(table, discrete, how, run)
    j, k = np.triu_indices(len(columns), 1)
    values = run(
        lambda pair: estimate(columns[pair[0]], columns[pair[1]]), list(zip(j, k, strict=True))
    )
    matrix = np.zeros((len(columns), len(columns)))
    matrix[j, k] = matrix[k, j] = values
    return matrix


def _columns(table: Floats, discrete: NDArray[np.bool_], how: Estimator, run: Run) -> list[Any]:
    return run(
        lambda j: how.column(np.ascontiguousarray(table[:, j]), bool(discrete[j])),
        range(table.shape[1]),
    )


def _classes(codes: NDArray[np.int64]) -> Iterator[tuple[NDArray[np.intp], float]]:
    """The rows of each class, and its share of all rows."""
    for label in range(int(codes.max()) + 1):
        rows = np.flatnonzero(codes == label)
        yield rows, len(rows) / len(codes)
