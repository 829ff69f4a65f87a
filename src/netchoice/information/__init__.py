"""Mutual information of columns: with labels, with each other, and within classes.

The functions take any table of numbers. There are three estimators (``docs/information.md``
compares them):

- ``"calibrated"`` (default): in nats, invariant under strictly monotone maps of a column, near 0 for
  independent columns of any type;
- ``"published"``: the estimates of the paper: adjusted mutual information for two discrete columns,
  scikit-learn's nearest-neighbour estimates otherwise;
- ``"plugin"``: every value is a category; in nats, for tests and teaching.

Results are bit-identical for any order of the columns and any number of threads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from netchoice.errors import UsageError
from netchoice.information.arguments import as_column, as_labels, as_mask, as_table
from netchoice.information.columns import Floats
from netchoice.information.estimators import Calibrated, PairEstimator, Plugin, Published
from netchoice.names import unknown
from netchoice.threads import Run, threads
from netchoice.validation import check_integer

_ESTIMATORS: dict[str, type[PairEstimator]] = {
    "calibrated": Calibrated,
    "published": Published,
    "plugin": Plugin,
}
ESTIMATORS = tuple(_ESTIMATORS)

__all__ = [
    "ESTIMATORS",
    "conditional_redundancy",
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
    """Estimate the mutual information of each column with the labels, I(k;y).

    Parameters
    ----------
    X : array of shape (n_rows, n_columns)
        Finite numbers.
    y : array of shape (n_rows,)
        Labels of any type that can be sorted.
    discrete : boolean array of shape (n_columns,), optional
        Which columns are discrete; None: those with integers only. Only ``"published"`` uses it.
        ``"calibrated"`` uses how often values repeat, ``"plugin"`` treats all columns as discrete.
    estimator : {"calibrated", "published", "plugin"}
    seed : int
        Seed for breaking ties. The draw depends on the seed and the values of a column, not on
        its position.
    n_neighbors : int
        Number of neighbours in the nearest-neighbour estimates; all other rows if there are fewer.
    n_jobs : int, optional
        Number of threads; None: one, -1: one per processor.

    Returns
    -------
    array of shape (n_columns,)
        In nats. ``"calibrated"`` estimates lie between 0 and the entropy of the labels.
        ``"published"`` estimates of discrete columns are adjusted: at most 1, and negative if the
        mutual information is less than expected by chance. Constant columns have 0, and all
        columns have 0 if there is only one class.

    Examples
    --------
    >>> X = np.array([[1, 7], [1, 8], [5, 7], [5, 8], [1, 7], [1, 8], [5, 7], [5, 8]])
    >>> relevance(X, list("aabbaabb"), estimator="plugin").round(4) + 0.0
    array([0.6931, 0.    ])
    """
    method = make_estimator(estimator, seed, n_neighbors)
    table = as_table(X)
    labels = method.prepare_labels(as_labels(y, len(table)))
    with threads(n_jobs) as run:
        columns = _columns(table, as_mask(discrete, table), method, run)
        return np.array(run(lambda column: method.estimate(column, labels), columns))


def redundancy(
    X: ArrayLike,
    *,
    discrete: ArrayLike | None = None,
    estimator: str = "calibrated",
    seed: int = 0,
    n_neighbors: int = 3,
    n_jobs: int | None = None,
) -> Floats:
    """Estimate the mutual information of each pair of columns, I(j;k).

    The parameters are those of :func:`relevance`.

    Returns
    -------
    array of shape (n_columns, n_columns)
        Exactly symmetric. The diagonal is 0, because it is not estimated: no method needs it.

    Examples
    --------
    >>> X = np.array([[1, 7, 1], [1, 8, 1], [5, 7, 5], [5, 8, 5]])
    >>> redundancy(X, estimator="plugin")[0].round(4) + 0.0
    array([0.    , 0.    , 0.6931])
    """
    method = make_estimator(estimator, seed, n_neighbors)
    table = as_table(X)
    with threads(n_jobs) as run:
        columns = _columns(table, as_mask(discrete, table), method, run)
        return _pairs(columns, method.estimate, run)


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
    """Estimate the mutual information of each pair of columns within the classes, I(j;k|y).

    The result is the mean over the classes of :func:`redundancy` on the rows of a class, weighted
    by the shares of the classes. A negative calibrated estimate is set to 0 in the mean, not in each
    class. Columns are prepared (scaled, ranked, jittered) within the rows of a class. The parameters
    and the shape of the result are those of :func:`redundancy`.

    Examples
    --------
    >>> X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    >>> exclusive_or = X[:, 0] ^ X[:, 1]
    >>> conditional_redundancy(X, exclusive_or, estimator="plugin")[0, 1].round(4)
    np.float64(0.6931)
    """
    method = make_estimator(estimator, seed, n_neighbors)
    table = as_table(X)
    mask = as_mask(discrete, table)
    codes = as_labels(y, len(table))
    total = np.zeros((table.shape[1], table.shape[1]))
    with threads(n_jobs) as run:
        for rows, share in _classes(codes):
            columns = _columns(table[rows], mask, method, run)
            total += share * _pairs(columns, method.estimate_within_class, run)
    return np.maximum(total, method.minimum)


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
    """Estimate the mutual information of two columns, I(a;b), or I(a;b|given).

    The result is in nats, but adjusted for two discrete columns with ``"published"``.

    Parameters
    ----------
    a, b : arrays of shape (n_rows,)
        Finite numbers; a discrete column may also hold labels of another type.
    discrete : pair of bool
        Which of the two are discrete.
    estimator, seed, n_neighbors
        As in :func:`relevance`.
    given : array of shape (n_rows,), optional
        Labels; the result is the mean over their classes, weighted by the shares of the classes.

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
    method = make_estimator(estimator, seed, n_neighbors)
    first, second = as_column(a, "a", discrete[0]), as_column(b, "b", discrete[1])
    if len(first) != len(second):
        raise UsageError(
            f"`a` and `b` must have the same number of rows; got {len(first)} and {len(second)}"
        )
    codes = as_labels(np.zeros(len(first)) if given is None else given, len(first), "given")
    total = 0.0
    for rows, share in _classes(codes):
        one = method.prepare(first[rows], discrete[0])
        other = method.prepare(second[rows], discrete[1])
        total += share * method.estimate_within_class(one, other)
    return max(total, method.minimum)


def make_estimator(name: str, seed: int, n_neighbors: int) -> PairEstimator:
    """Return the estimator of this name."""
    seed, n_neighbors = check_integer("seed", seed, 0), check_integer("n_neighbors", n_neighbors)
    if name not in ESTIMATORS:
        raise unknown("estimator", str(name), ESTIMATORS)
    return _ESTIMATORS[name](seed, n_neighbors)


def _pairs(columns: list[Any], estimate: Callable[[Any, Any], float], run: Run) -> Floats:
    j, k = np.triu_indices(len(columns), 1)
    matrix = np.zeros((len(columns), len(columns)))
    matrix[j, k] = matrix[k, j] = run(lambda pair: estimate(*pair), combinations(columns, 2))
    return matrix


def _columns(
    table: Floats, discrete: NDArray[np.bool_], method: PairEstimator, run: Run
) -> list[Any]:
    return run(
        lambda j: method.prepare(np.ascontiguousarray(table[:, j]), bool(discrete[j])),
        range(table.shape[1]),
    )


def _classes(codes: NDArray[np.int64]) -> Iterator[tuple[NDArray[np.intp], float]]:
    """Yield the rows of each class, and its share of all rows."""
    for label in range(int(codes.max()) + 1):
        rows = np.flatnonzero(codes == label)
        yield rows, len(rows) / len(codes)
