"""Scaling of features so that distances between rows are comparable, and weights of near rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from scipy.special import ndtri

from netchoice.errors import UsageError
from netchoice.validation import check_choice

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]

SCALINGS = ("rank", "robust", "standard")
DEFAULT_SCALING = "rank"

_MAX_VALUE = 1e300  # replaces infinite values, such as an overflowed Estrada index
_MAX_SCORE = 1e100  # the square of a score must not overflow
_NORMAL_QUARTILES = 1.3489795003921634  # distance between the quartiles of a standard normal
_TAIL = 0.1  # share of the table on each side that determines the slope outside


@dataclass(frozen=True)
class Scaling:
    """A fitted transformation of the columns of a table to a common scale; use :meth:`fit`.

    - ``rank``: normal scores of the ranks. The value at quantile u of the table becomes Φ⁻¹(u), ties
      get their mean rank, and values between two values of the table are interpolated. Monotone
      transformations of a feature do not matter, nor how many orders of magnitude it spans.
    - ``robust``: asinh of the distance from the median in units of the interquartile range (divided
      by that of a standard normal). It is linear in the middle and logarithmic outside.
    - ``standard``: distance from the mean in standard deviations, as in the paper. A few large values
      compress all others: a feature that spans 40 orders of magnitude is lost.

    **Outside the table** the scores of ``rank`` continue on the logarithmic scale of ``robust``, with
    the mean slope over the outermost tenth of the table on that side, so these values are far.
    **A constant column** is 0 at its value. Any other value is placed beyond the outermost score that
    a table of this size can give, by the asinh of its distance in units of the constant (of 1, if the
    constant is 0). ``standard`` only centres such columns. Infinite values count as ±1e300.

    >>> scaling = Scaling.fit([[1.0], [10.0], [100.0], [1e3], [1e30]], "rank")
    >>> scaling.transform([[1.0], [100.0], [550.0], [1e30], [1e60]]).round(2).T
    array([[-1.28,  0.  ,  0.26,  1.28,  2.12]])
    """

    kind: str
    columns: tuple[_Column, ...]

    @classmethod
    def fit(cls, X: Any, kind: str = DEFAULT_SCALING) -> Self:
        """Return a scaling of this kind, fitted to the columns of a table (n, q)."""
        check_choice("scaling", kind, SCALINGS)
        X = _as_finite(X)
        if len(X) < 2:
            raise UsageError(f"a table with {len(X)} rows; expected at least 2 to fit a scaling")
        return cls(kind, tuple(_Column.fit(values, kind) for values in X.T))

    def transform(self, X: Any) -> Floats:
        """Return the scaled columns of a table (m, q)."""
        X = _as_finite(X)
        if X.shape[1] != len(self.columns):
            raise UsageError(
                f"a table with {X.shape[1]} columns; expected the {len(self.columns)} columns that the "
                "scaling was fitted to"
            )
        scaled = np.empty(X.shape)
        for k, column in enumerate(self.columns):
            scaled[:, k] = getattr(column, self.kind)(X[:, k])
        return scaled.clip(-_MAX_SCORE, _MAX_SCORE)


@dataclass(frozen=True)
class _Column:
    """Number of rows, location and unit of one column, its distinct values and their normal scores."""

    n: int
    middle: float
    unit: float
    values: Floats
    scores: Floats

    @classmethod
    def fit(cls, column: Floats, kind: str) -> Self:
        values, counts = np.unique(column, return_counts=True)
        scores = ndtri((np.cumsum(counts) - counts / 2) / len(column))  # of the mean ranks
        if kind == "standard":
            middle, unit = float(column.mean()), float(column.std()) if len(values) > 1 else 0.0
        else:
            low, middle, high = np.quantile(column, (0.25, 0.5, 0.75)).tolist()
            deviation = float(np.mean(np.abs(column - middle)))
            unit = (high - low) / _NORMAL_QUARTILES or deviation or abs(middle)
        return cls(len(column), middle, unit or 1.0, values, scores)

    def standard(self, x: Any) -> Any:
        return (x - self.middle) / self.unit

    def robust(self, x: Any) -> Any:
        logarithmic = np.arcsinh(self.standard(x))
        if len(self.values) > 1:
            return logarithmic
        return logarithmic + np.sign(logarithmic) * ndtri(1 - 0.5 / self.n)  # the outermost score

    def rank(self, x: Floats) -> Floats:
        if len(self.values) == 1:
            return np.asarray(self.robust(x))
        scores = np.interp(x, self.values, self.scores)
        for side, outside in ((0, x < self.values[0]), (-1, x > self.values[-1])):
            if np.count_nonzero(outside):  # several times faster than any() for one row
                beyond = self.robust(x[outside]) - self.robust(self.values[side])
                scores[outside] = self.scores[side] + self._tail_slope(side) * beyond
        return np.asarray(scores)

    def _tail_slope(self, side: int) -> float:
        """Return the score per logarithmic unit, over the outermost tenth or the last two values."""
        if side == 0:
            at = max(1, int(np.searchsorted(self.scores, ndtri(_TAIL), side="left")))
        else:
            last = int(np.searchsorted(self.scores, ndtri(1 - _TAIL), side="right")) - 1
            at = min(last, len(self.values) - 2)
        length = abs(self.robust(self.values[side]) - self.robust(self.values[at]))
        return float(abs(self.scores[side] - self.scores[at]) / max(length, 1e-12))


def _as_finite(X: Any) -> Floats:
    """Return a table as numbers within ±1e300; missing values are an error."""
    names = getattr(X, "columns", None)
    X = np.asarray(X, dtype=np.float64)
    if X.ndim != 2:
        raise UsageError(f"a table of shape {X.shape}; expected two dimensions")
    missing = np.isnan(X).any(axis=0)
    if missing.any():
        k = int(missing.argmax())
        name = k if names is None else repr(names[k])
        raise UsageError(f"column {name} has missing values (NaN); drop the column or those rows")
    return np.asarray(X.clip(-_MAX_VALUE, _MAX_VALUE))


#: Relative difference up to which two distances or scores count as equal. Sums of the same squares
#: in another order differ by less.
TIE_TOLERANCE = 1e-9

_MAX_CELLS = 4_000_000  # distances in memory at a time


def distances(X: Floats, queries: Floats) -> Iterator[tuple[slice, Floats]]:
    """Yield blocks of queries and their Euclidean distances to all rows of ``X``."""
    step = max(1, _MAX_CELLS // len(X))
    for start in range(0, len(queries), step):
        block = slice(start, min(start + step, len(queries)))
        yield block, cdist(queries[block], X)


def effective_n(weights: Floats) -> Floats:
    """Return Kish's effective sample size (Σw)² / Σw² along the last axis."""
    return np.asarray(weights.sum(axis=-1) ** 2 / (weights**2).sum(axis=-1))
