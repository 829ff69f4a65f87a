"""The Relief family: a column is good if it differs between classes where rows are alike.

Every row looks at rows like it: those of its own class are hits, the others misses. A column's
weight is, over all rows, its mean difference to the misses minus that to the hits. The methods
differ in which rows count as alike. Columns that tell only together are found, because rows are
compared in all columns at once.

Differences are |a − b| divided by the column's range, or 0 and 1 for nominal columns; distances are
sums of differences. Misses of class c count p(c) / (1 − p(own class)) times.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netchoice.errors import UsageError
from netchoice.selection.base import CostAwareSelector, Problem, column_mask, labels
from netchoice.selection.greedy import Floats, Terms
from netchoice.threads import threads

ROWS_AT_A_TIME = 256  # whatever the number of threads, so that sums are rounded in the same way
ROUGHEST = np.iinfo(np.uint16).max
OWN_LIMIT = -1  # each row has its own


@dataclass(frozen=True)
class WholeTable:
    """A table in integers, its rows sorted by class, as the kernels take it.

    Attributes
    ----------
    cells : array (n, q) of int64
        Numeric columns, from 0 to ``unit``, then codes of nominal ones.
    starts : array (n_classes + 1,) of int64
        Where each class starts.
    rows, columns : arrays
        Where each row and each column was in the caller's table.
    """

    cells: NDArray[np.int64]
    n_numeric: int
    unit: int
    starts: NDArray[np.int64]
    rows: NDArray[np.intp]
    columns: NDArray[np.intp]

    @classmethod
    def of(cls, X: Any, y: Any, nominal: Any) -> WholeTable:
        """Check the caller's table and bring it into this form."""
        X, y = np.asarray(X, dtype=np.float64), np.asarray(y)
        if X.ndim != 2 or y.shape != X.shape[:1]:
            raise UsageError(
                f"a table of shape {X.shape} and labels of shape {y.shape}; expected (n, q) and "
                "(n,), one label for each row"
            )
        if not np.isfinite(X).all():
            raise UsageError("the table has NaN or infinite values; drop or fill those rows")
        classes, codes = labels(y)
        is_nominal = column_mask("nominal", nominal, [f"x{k}" for k in range(X.shape[1])])
        rows, columns = (np.argsort(by, kind="stable") for by in (codes, is_nominal))
        unit, n_numeric = _unit(X.size), int((~is_nominal).sum())
        X = X[np.ix_(rows, columns)]
        nominal_codes = [codes_of(column) for column in X[:, n_numeric:].T]
        cells = np.column_stack([_scaled(X[:, :n_numeric], unit), *nominal_codes])
        starts = np.searchsorted(codes[rows], np.arange(len(classes) + 1)).astype(np.int64)
        return cls(np.ascontiguousarray(cells), n_numeric, unit, starts, rows, columns)

    @property
    def head(self) -> tuple[Any, ...]:
        """What every kernel takes after the cells."""
        return self.n_numeric, self.unit, self.starts

    @cached_property
    def by_column(self) -> NDArray[np.int64]:
        """The cells, each column in one piece."""
        return np.ascontiguousarray(self.cells.T)

    def coarse(self) -> tuple[NDArray[np.uint16], int, int]:
        """The columns in 16 bits, their unit, and how far rough distances may mislead.

        Sums over all columns fit into 16 bits as well. Rounding changes a distance by no more
        than twice what it changes a row, in sum over columns; two distances may be compared.
        """
        numeric, codes = np.split(self.by_column, [self.n_numeric])
        unit = ROUGHEST // max(1, len(self.by_column))
        if codes.max(initial=0) > ROUGHEST:
            unit = 0  # all distances are then equal, and exact ones decide
        exact = numeric * (unit / self.unit)
        rounded = np.rint(exact)
        change = np.abs(rounded - exact).sum(axis=0).max(initial=0.0)
        coarse = np.concatenate([rounded, codes & ROUGHEST]).astype(np.uint16)
        return coarse, unit, 4 * (int(change) + 1)

    def weights(self, gains: Callable[[int, int], Floats], n_jobs: int | None) -> Floats:
        """Mean over rows of what a kernel says that columns gain, in the caller's order."""
        n = len(self.cells)
        blocks = [(first, min(first + ROWS_AT_A_TIME, n)) for first in range(0, n, ROWS_AT_A_TIME)]
        with threads(n_jobs) as run:
            total = sum(run(lambda block: gains(*block), blocks))
        weights = np.empty(len(self.columns))
        weights[self.columns] = total / (n * self.unit)
        return weights


def _unit(n_cells: int) -> int:
    """What a difference of 1 is: divisible by small numbers, and sums over a table fit.

    Divisible, so that columns of counts with a small range keep their ties: 1/3 and 2/3 are whole.
    """
    units = (math.lcm(*range(1, m + 1)) for m in range(30, 0, -1))
    return next(unit for unit in units if n_cells * unit < 2**62)


def _scaled(X: Floats, unit: int) -> NDArray[np.int64]:
    """From 0 for the least value of a column to ``unit`` for the greatest; 0 if all are equal."""
    # Near 1 first, so that the difference of the greatest numbers is finite.
    X = np.ldexp(X, -np.frexp(np.abs(X).max(axis=0))[1])
    X = X - X.min(axis=0)
    span = X.max(axis=0)
    return np.asarray(np.rint(X / np.where(span > 0, span, 1.0) * unit), dtype=np.int64)


def codes_of(values: NDArray[Any]) -> NDArray[np.int64]:
    """Position of each value among the distinct ones."""
    return np.unique(values, return_inverse=True)[1].astype(np.int64)


def checked_neighbors(n_neighbors: Any, n_rows: int) -> int:
    """A number of neighbours, no more than there are rows."""
    if isinstance(n_neighbors, numbers.Integral) and int(n_neighbors) >= 1:
        return min(int(n_neighbors), n_rows)
    raise UsageError(f"n_neighbors={n_neighbors!r}; expected an integer, 1 or more")


def relieff_weights(
    X: Any,
    y: Any,
    *,
    n_neighbors: int = 10,
    nominal: Any = None,
    n_jobs: int | None = None,
) -> Floats:
    """How much more each column differs to near misses than to near hits: ReliefF.

    Kononenko 1994, doi:10.1007/3-540-57868-4_57; Robnik-Šikonja and Kononenko 2003,
    doi:10.1023/A:1025667309714. Every row is visited once, and never its own hit.

    Parameters
    ----------
    X : array (n, q)
        Finite numbers.
    y : array (n,)
        Labels of any type, at least two different ones.
    n_neighbors : int
        Nearest rows of each class; all of them if a class has fewer. Rows that are equally far,
        and too many for the last places, share them, so that the order of rows does not matter.
    nominal : mask, positions, or None
        Columns whose values are names: they differ by 0 or 1.
    n_jobs : int or None
        Threads; the result is the same for any number.

    Returns
    -------
    array (q,)
        Between −1 and 1; 0 for a column that is constant.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    >>> relieff_weights(X, [0, 0, 1, 1], n_neighbors=1)
    array([ 1., -1.])
    """
    from netchoice._kernels.relief_gains import relieff

    table = WholeTable.of(X, y, nominal)
    wanted = checked_neighbors(n_neighbors, len(table.cells))
    coarse = table.coarse()
    return table.weights(
        lambda *rows: relieff(table.cells, *table.head, *coarse, wanted, *rows), n_jobs
    )


def surf_weights(
    X: Any,
    y: Any,
    *,
    nominal: Any = None,
    n_jobs: int | None = None,
) -> Floats:
    """Like ReliefF, with all rows nearer than the mean distance as neighbours: SURF.

    Greene et al. 2009, doi:10.1186/1756-0381-2-5. The mean is over all pairs of rows. The rows of
    a class that are nearer count equally; a class that has none adds nothing. For two classes
    this is the published method, for more the misses are weighted as in ReliefF.

    Parameters and result are those of :func:`relieff_weights`.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    >>> surf_weights(X, [0, 0, 1, 1])
    array([ 1., -1.])
    """
    from netchoice._kernels.relief_gains import surf

    table = WholeTable.of(X, y, nominal)
    n = len(table.cells)
    # The greatest integer that is less than the mean
    limit = max(0, (_sum_of_distances(table) - 1) // (n * (n - 1) // 2))
    by_column = table.by_column
    return table.weights(
        lambda *rows: surf(table.cells, by_column, *table.head, limit, *rows), n_jobs
    )


def _sum_of_distances(table: WholeTable) -> int:
    """Over all pairs of rows, exactly, without looking at pairs."""
    n = len(table.cells)
    ordered = np.sort(table.cells[:, : table.n_numeric], axis=0)
    # The r-th of n numbers in order is the greater in r pairs and the smaller in n − 1 − r.
    balance = 2 * np.arange(n) - (n - 1)
    high, low = ordered >> 21, ordered & ((1 << 21) - 1)  # so that no product overflows
    total = (int((balance @ high).sum()) << 21) + int((balance @ low).sum())
    for codes in table.cells[:, table.n_numeric :].T:
        total += (n * n - int((np.bincount(codes) ** 2).sum())) // 2 * table.unit
    return total


def multisurf_weights(
    X: Any,
    y: Any,
    *,
    nominal: Any = None,
    n_jobs: int | None = None,
) -> Floats:
    """Like SURF, with a threshold for each row: MultiSURF.

    Urbanowicz et al. 2018, doi:10.1016/j.jbi.2018.07.015. Neighbours are the rows nearer than the
    mean minus half the standard deviation of the row's distances to all others; as in the
    authors' scikit-rebate, far rows do not count.

    Parameters and result are those of :func:`relieff_weights`.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    >>> multisurf_weights(X, [0, 0, 1, 1])
    array([ 1., -1.])
    """
    from netchoice._kernels.relief_gains import surf

    table = WholeTable.of(X, y, nominal)
    by_column = table.by_column
    return table.weights(
        lambda *rows: surf(table.cells, by_column, *table.head, OWN_LIMIT, *rows), n_jobs
    )


class _ReliefSelector(CostAwareSelector):
    """Base of the family: the weight of a column is its relevance, whatever was taken."""

    def __init__(
        self,
        *,
        n_features_to_select: Any = None,
        costs: Any = None,
        penalty: Any = 0.0,
        cost_scale: str = "share",
        charge: str = "alone",
        nominal_features: Any = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(
            n_features_to_select=n_features_to_select,
            costs=costs,
            penalty=penalty,
            cost_scale=cost_scale,
            charge=charge,
            random_state=random_state,
            n_jobs=n_jobs,
        )
        self.nominal_features = nominal_features

    def _check_parameters(self, problem: Problem) -> None:
        self._nominal(problem)

    def _nominal(self, problem: Problem) -> NDArray[np.bool_]:
        return column_mask("nominal_features", self.nominal_features, problem.names)

    def _information(self, learnt: Floats, taken: list[int]) -> Terms:
        return Terms(learnt)


class SURF(_ReliefSelector):
    """All rows nearer than the mean distance: weight − λC, see :func:`surf_weights`.

    No number of neighbours to choose. Parameters and attributes are those of :class:`ReliefF`,
    but for ``n_neighbors``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> SURF().fit(X, y).get_support(indices=True)
    array([2, 3])
    """

    method = "surf"

    def _learn(self, problem: Problem, together: Sequence[CostAwareSelector]) -> Floats:
        nominal = self._nominal(problem)
        return surf_weights(problem.X, problem.y, nominal=nominal, n_jobs=self.n_jobs)


class MultiSURF(_ReliefSelector):
    """Rows nearer than a threshold of each row's own: weight − λC, see :func:`multisurf_weights`.

    No number of neighbours to choose. Parameters and attributes are those of :class:`ReliefF`,
    but for ``n_neighbors``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> MultiSURF().fit(X, y).get_support(indices=True)
    array([2, 3])
    """

    method = "multisurf"

    def _learn(self, problem: Problem, together: Sequence[CostAwareSelector]) -> Floats:
        nominal = self._nominal(problem)
        return multisurf_weights(problem.X, problem.y, nominal=nominal, n_jobs=self.n_jobs)


class ReliefF(_ReliefSelector):
    """Difference to near misses minus difference to near hits: weight − λC.

    See :func:`relieff_weights`. Columns that tell only together are found. But a column that
    splits the classes into two far groups beats one that tells all of them apart.

    Parameters
    ----------
    n_features_to_select, costs, penalty, cost_scale, charge
        As in :class:`MRMR`.
    n_neighbors : int
        Nearest hits, and nearest misses of each class.
    nominal_features : mask, positions, names or None
        Columns whose values are names: they differ by 0 or 1. All others are numbers, differences
        being divided by the column's range.
    random_state : any
        Changes nothing here.
    n_jobs : int or None
        Threads.

    Attributes
    ----------
    ranking_, ranking_names_, scores_, costs_, support_, steps_
        As in :class:`MRMR`.
    relevance_ : array (q,)
        The weights.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).integers(0, 2, (400, 5))
    >>> ReliefF(n_features_to_select=2).fit(X, X[:, 1] ^ X[:, 3]).get_support(indices=True)
    array([1, 3])
    """

    method = "relieff"

    def __init__(
        self,
        *,
        n_features_to_select: Any = None,
        costs: Any = None,
        penalty: Any = 0.0,
        cost_scale: str = "share",
        charge: str = "alone",
        n_neighbors: int = 10,
        nominal_features: Any = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(
            n_features_to_select=n_features_to_select,
            costs=costs,
            penalty=penalty,
            cost_scale=cost_scale,
            charge=charge,
            nominal_features=nominal_features,
            random_state=random_state,
            n_jobs=n_jobs,
        )
        self.n_neighbors = n_neighbors

    def _check_parameters(self, problem: Problem) -> None:
        super()._check_parameters(problem)
        checked_neighbors(self.n_neighbors, len(problem.X))

    def _how(self, problem: Problem) -> dict[str, Any]:
        return {
            "n_neighbors": self.n_neighbors,
            "nominal": self._nominal(problem),
            "n_jobs": self.n_jobs,
        }

    def _learn(self, problem: Problem, together: Sequence[CostAwareSelector]) -> Floats:
        return relieff_weights(problem.X, problem.y, **self._how(problem))
