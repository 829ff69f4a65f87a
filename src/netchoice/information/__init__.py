"""Mutual information of columns: with a target, with each other, and given the target.

A target is class labels, or one or several columns of numbers.

The functions take any table of numbers. There are three estimators (``docs/evidence-selection.md``
compares them):

- ``"calibrated"`` (default): in nats, invariant under strictly monotone maps of a column, near 0 for
  independent columns of any type;
- ``"published"``: the estimates of the paper: adjusted mutual information for two discrete columns,
  scikit-learn's nearest-neighbour estimates otherwise;
- ``"plugin"``: every value is a category; in nats, for tests and teaching.

A missing value (NaN) is a value of its own: with the indicators M of what is missing, the information of
two columns is I(M_a;M_b) + P(a known) I(a;M_b | a known) + P(b known) I(M_a;b | b known) + P(both known)
I(a;b | both known). Each term is estimated from the rows that it is about. Columns of categories
(``nominal``) are treated as class labels.

Results are bit-identical for any order of the columns and any number of threads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from netchoice.errors import UsageError
from netchoice.information.estimators import (
    Calibrated,
    Floats,
    PairEstimator,
    Plugin,
    Published,
    encode_column,
    middle_scores,
)
from netchoice.targets import Classes, Target, as_target, check_complete
from netchoice.threads import Run, threads
from netchoice.validation import check_integer, unknown

_ESTIMATORS: dict[str, type[PairEstimator]] = {
    "calibrated": Calibrated,
    "published": Published,
    "plugin": Plugin,
}
ESTIMATORS = tuple(_ESTIMATORS)
#: Slices of rows with similar numbers, for mutual information given numbers.
MAX_SLICES, ROWS_PER_SLICE = 10, 100

__all__ = [
    "ESTIMATORS",
    "conditional_redundancy",
    "mutual_information",
    "redundancy",
    "relevance",
]


def __dir__() -> list[str]:
    return sorted(__all__)


def relevance(
    X: ArrayLike,
    y: ArrayLike | Target,
    *,
    target: str = "auto",
    discrete: ArrayLike | None = None,
    nominal: ArrayLike | None = None,
    estimator: str = "calibrated",
    seed: int = 0,
    n_neighbors: int = 3,
    n_jobs: int | None = None,
) -> Floats:
    """Estimate the mutual information of each column with the target, I(k;y).

    Parameters
    ----------
    X : array of shape (n_rows, n_columns)
        Numbers; NaN where a value is missing.
    y : array of shape (n_rows,) or (n_rows, n_targets)
        Labels of any type that can be sorted, or numbers. With several columns of numbers, the result
        is the mean over these columns.
    target : {"auto", "classes", "numbers"}
        What ``y`` holds. "auto": numbers, if there are several columns, fractions, or more than 20
        distinct integers.
    discrete : boolean array of shape (n_columns,), optional
        Which columns are discrete; None: those with integers only. Only ``"published"`` uses it.
        ``"calibrated"`` uses how often values repeat, ``"plugin"`` treats all columns as discrete.
    nominal : boolean array of shape (n_columns,), optional
        Which columns hold codes of categories, whose order has no meaning; None: no column.
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
    wanted = as_complete_target(y, target, len(table))
    if isinstance(wanted, Classes):
        goals = [_Column.of(method, wanted.codes.astype(float), True, True)]
    else:
        goals = [_Column.of(method, np.ascontiguousarray(v), False) for v in wanted.values.T]
    with threads(n_jobs) as run:
        columns = _columns(table, as_masks(discrete, nominal, table), method, run)
        means = run(lambda column: _mean(column.with_other(goal) for goal in goals), columns)
    return np.array(means)


def redundancy(
    X: ArrayLike,
    *,
    discrete: ArrayLike | None = None,
    nominal: ArrayLike | None = None,
    estimator: str = "calibrated",
    seed: int = 0,
    n_neighbors: int = 3,
    n_jobs: int | None = None,
    on_progress: Callable[[int, int], None] | None = None,
) -> Floats:
    """Estimate the mutual information of each pair of columns, I(j;k).

    The parameters are those of :func:`relevance`; ``on_progress`` is called with the numbers of pairs done
    and of all pairs.

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
        columns = _columns(table, as_masks(discrete, nominal, table), method, run)
        return _pairs(columns, False, run, on_progress)


def conditional_redundancy(
    X: ArrayLike,
    y: ArrayLike | Target,
    *,
    target: str = "auto",
    discrete: ArrayLike | None = None,
    nominal: ArrayLike | None = None,
    estimator: str = "calibrated",
    seed: int = 0,
    n_neighbors: int = 3,
    n_jobs: int | None = None,
    on_progress: Callable[[int, int], None] | None = None,
) -> Floats:
    """Estimate the mutual information of each pair of columns given the target, I(j;k|y).

    For class labels, the result is the mean over the classes of :func:`redundancy` on the rows of a
    class, weighted by the shares of the classes. A negative calibrated estimate is set to 0 in the mean,
    not in each class. Columns are prepared (scaled, ranked, jittered) within the rows of a class.

    For numbers, slices of rows with similar numbers replace the classes: up to ten slices of equal
    size, with at least 100 rows each. Inside a slice the numbers still vary, so a column without many
    ties is replaced by its residual from a linear regression on the numbers. With several columns of
    numbers, the result is the mean over these columns.

    The parameters are those of :func:`redundancy`, and the shape of the result is the same.

    Examples
    --------
    >>> X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    >>> exclusive_or = X[:, 0] ^ X[:, 1]
    >>> conditional_redundancy(X, exclusive_or, estimator="plugin")[0, 1].round(4)
    np.float64(0.6931)
    """
    method = make_estimator(estimator, seed, n_neighbors)
    table = as_table(X)
    masks = as_masks(discrete, nominal, table)
    total = np.zeros((table.shape[1], table.shape[1]))
    with threads(n_jobs) as run:
        groups = list(_similar_rows(as_complete_target(y, target, len(table))))
        for i, (rows, share, numbers) in enumerate(groups):
            columns = _columns(table, masks, method, run, rows, numbers)
            total += share * _pairs(columns, True, run, on_progress, i, len(groups))
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
        Numbers, NaN where a value is missing; a discrete column may also hold labels of another type.
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
        one = _Column.of(method, first[rows], discrete[0])
        total += share * one.with_other(_Column.of(method, second[rows], discrete[1]), True)
    return max(total, method.minimum)


def make_estimator(name: str, seed: int, n_neighbors: int) -> PairEstimator:
    """Return the estimator of this name."""
    seed, n_neighbors = check_integer("seed", seed, 0), check_integer("n_neighbors", n_neighbors)
    if name not in ESTIMATORS:
        raise unknown("estimator", str(name), ESTIMATORS)
    return _ESTIMATORS[name](seed, n_neighbors)


@dataclass(frozen=True)
class _Column:
    """A column that is prepared for an estimator, and how to prepare it in some of its rows."""

    method: PairEstimator
    known: NDArray[np.bool_]
    prepare: Callable[[Any], Any]
    whole: Any  # None if values are missing

    @classmethod
    def of(
        cls,
        method: PairEstimator,
        values: Floats,
        discrete: bool,
        nominal: bool = False,
        rows: NDArray[np.intp] | None = None,
        numbers: Floats | None = None,
    ) -> _Column:
        """Prepare a column, or its values in some rows, adjusted for the numbers of these rows."""
        here = values if rows is None else values[rows]

        def prepare(places: Any) -> Any:
            if nominal:
                return method.prepare_labels(here[places])
            if rows is not None and numbers is not None:
                return method.prepare_given(values, discrete, rows[places], numbers[places])
            return method.prepare(here[places], discrete)

        known = ~np.isnan(here)
        return cls(method, known, prepare, prepare(slice(None)) if known.all() else None)

    def with_other(self, other: _Column, within_class: bool = False) -> float:
        """Estimate the mutual information with another column of the same rows."""
        method = self.method
        if self.whole is not None and other.whole is not None:
            estimate = method.estimate_within_class if within_class else method.estimate
            return estimate(self.whole, other.whole)

        def given(rows: NDArray[np.bool_], a: Any, b: Any) -> float:
            share = float(rows.mean())
            places = np.flatnonzero(rows)
            return share and share * method.estimate_within_class(a(places), b(places))

        everywhere = np.ones(len(self.known), dtype=bool)
        total = given(everywhere, self._indicator, other._indicator)
        total += given(self.known, self.prepare, other._indicator)
        total += given(other.known, self._indicator, other.prepare)
        total += given(self.known & other.known, self.prepare, other.prepare)
        return total if within_class else max(total, method.minimum)

    def _indicator(self, rows: NDArray[np.intp]) -> Any:
        return self.method.prepare_labels(self.known[rows])


def _pairs(
    columns: list[_Column],
    within_class: bool,
    run: Run,
    on_progress: Callable[[int, int], None] | None = None,
    part: int = 0,
    n_parts: int = 1,
) -> Floats:
    """Return the estimates of all pairs of columns; this is one of several parts that progress counts."""
    q = len(columns)
    matrix = np.zeros((q, q))
    n_pairs = q * (q - 1) // 2
    for j, column in enumerate(columns[:-1], start=1):
        found = run(partial(column.with_other, within_class=within_class), columns[j:])
        matrix[j - 1, j:] = matrix[j:, j - 1] = found
        if on_progress is not None:
            on_progress(part * n_pairs + n_pairs - (q - j) * (q - j - 1) // 2, n_parts * n_pairs)
    return matrix


def _columns(
    table: Floats,
    masks: tuple[NDArray[np.bool_], NDArray[np.bool_]],
    method: PairEstimator,
    run: Run,
    rows: NDArray[np.intp] | None = None,
    numbers: Floats | None = None,
) -> list[_Column]:
    """Prepare all columns, or their values in some rows, adjusted for the numbers of these rows."""
    discrete, nominal = masks

    def prepare(j: int) -> _Column:
        values = np.ascontiguousarray(table[:, j])
        return _Column.of(method, values, bool(discrete[j]), bool(nominal[j]), rows, numbers)

    return run(prepare, range(table.shape[1]))


def _similar_rows(target: Target) -> Iterator[tuple[NDArray[np.intp], float, Floats | None]]:
    """Yield rows of one class or of similar numbers, their share, and the numbers."""
    if isinstance(target, Classes):
        for rows, share in _classes(target.codes):
            yield rows, share, None
        return
    n, t = target.values.shape
    n_slices = max(1, min(MAX_SLICES, n // ROWS_PER_SLICE))
    for values in target.values.T:
        scores, position = middle_scores(encode_column(values))
        for rows, share in _classes(as_labels((position * n_slices / n).astype(np.int64), n)):
            yield rows, share / t, scores[rows]


def _classes(codes: NDArray[np.int64]) -> Iterator[tuple[NDArray[np.intp], float]]:
    """Yield the rows of each class, and its share of all rows."""
    for label in range(int(codes.max()) + 1):
        rows = np.flatnonzero(codes == label)
        yield rows, len(rows) / len(codes)


def _mean(values: Iterator[float]) -> float:
    listed = list(values)
    return sum(listed) / len(listed)


# Checks and conversions of the callers' tables, columns and labels


def as_table(X: ArrayLike) -> Floats:
    """Return a table as an array of floats, NaN where a value is missing."""
    try:
        table = np.asarray(X, np.float64)
    except (TypeError, ValueError):
        raise UsageError("`X` must hold numbers; got another type. Encode such columns") from None
    if table.ndim != 2:
        raise UsageError(f"`X` must have 2 dimensions; got {table.ndim}")
    if not len(table):
        raise UsageError("`X` must have at least one row; got none")
    bad = np.flatnonzero(np.isinf(table).any(axis=0))
    if len(bad):
        shown = ", ".join(map(str, bad[:5])) + (", …" if len(bad) > 5 else "")
        raise UsageError(
            f"`X` must be finite; got infinite values in column(s) {shown}. Drop those columns or rows"
        )
    return table


def as_complete_target(y: ArrayLike | Target, kind: str, n_rows: int) -> Target:
    """Return classes or numbers, with a value for each row."""
    target = as_target(y, kind)
    if len(target) != n_rows:
        raise UsageError(
            f"`y` must have one label or number for each of {n_rows} rows; got {len(target)}"
        )
    check_complete(target)
    return target


def as_labels(y: ArrayLike, n_rows: int, name: str = "y") -> NDArray[np.int64]:
    """Return labels as integers 0, 1, … in sorted order."""
    labels = np.asarray(y)
    if labels.shape != (n_rows,):
        raise UsageError(
            f"`{name}` must have one label for each of {n_rows} rows; got the shape {labels.shape}"
        )
    target = as_target(labels, "classes")
    assert isinstance(target, Classes)
    return target.codes


def as_column(values: ArrayLike, name: str, discrete: bool) -> Floats:
    """Return a column of numbers, or the codes of a discrete column of labels."""
    column = np.asarray(values)
    if column.ndim != 1 or not len(column):
        raise UsageError(f"`{name}` must be one column with rows; got the shape {column.shape}")
    if discrete and column.dtype.kind not in "biuf":
        return as_labels(column, len(column), name).astype(np.float64)
    try:
        column = column.astype(np.float64)
    except (TypeError, ValueError):
        raise UsageError(
            f"`{name}` must hold numbers; got another type. Pass `discrete` if it holds labels"
        ) from None
    if np.isinf(column).any():
        raise UsageError(f"`{name}` must be finite; got infinite values. Drop those rows")
    return column


def as_masks(
    discrete: ArrayLike | None, nominal: ArrayLike | None, table: Floats
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return the masks of discrete columns, by default those of integers, and of categories."""
    if discrete is None:
        discrete = np.asarray(((table == np.floor(table)) | np.isnan(table)).all(axis=0))
    is_nominal = np.zeros(table.shape[1], bool) if nominal is None else np.asarray(nominal)
    masks = np.asarray(discrete), is_nominal
    for name, mask in zip(("discrete", "nominal"), masks, strict=True):
        if mask.dtype != np.bool_ or mask.shape != (table.shape[1],):
            raise UsageError(
                f"`{name}` must have one bool for each of {table.shape[1]} columns; got {mask.dtype} "
                f"of shape {mask.shape}"
            )
    return masks
