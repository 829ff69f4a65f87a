"""Features on a common scale, so that distances between networks mean something."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from netchoice.errors import UsageError

Floats = NDArray[np.float64]

#: From the one that loses least to the paper's.
SCALINGS = ("rank", "robust", "standard")
DEFAULT_SCALING = "rank"

_LARGEST = 1e300  # an overflowed Estrada index is farther than any other, and still a number
_FARTHEST = 1e100  # whose square is still a number
_NORMAL_QUARTILES = 1.3489795003921634  # distance between the quartiles of a standard normal
_INNER_TAIL = 0.1  # a tail is as long as from here to the outermost value


@dataclass(frozen=True)
class Scaling:
    """What was learnt of every column of a table; made by :meth:`fit`.

    The three ways:

    ``rank``
        Normal scores of the ranks: the value at the quantile u of the table becomes Φ⁻¹(u), equal
        values share their middle rank, values between two of the table are interpolated. It does
        not matter by what monotone function a feature is measured, nor how many orders of magnitude
        it spans. Values outside the table are not clipped: see below.
    ``robust``
        asinh of the value, from the median, in units of the distance between the quartiles (that of
        a normal distribution is 1 standard deviation): linear in the middle, logarithmic outside.
    ``standard``
        Mean and standard deviation; the paper's way. A few large values squeeze all others together:
        of a feature that spans 40 orders of magnitude nothing is left.

    **Outside the table** ranks say nothing. There the scores go on in the logarithmic measure of
    ``robust``, with the slope that they have on average over the outermost tenth of the table on
    that side. So a value that is beyond the table by as much as the tail is long gets as much above
    the outermost score as the tail is long in scores: far in terms of what the simulations show on
    that side, be it a narrow column or one of 40 orders of magnitude.

    **A constant column** is 0 for its own value. Another value is beyond the outermost score
    that a table of that many rows can give, by the asinh of its distance, in units of the constant
    (of 1, if that is 0). (``standard`` centres such columns only, as scikit-learn does.)

    Infinite values count as ±1e300.

    Examples
    --------
    >>> scaling = Scaling.fit([[1.0], [10.0], [100.0], [1e3], [1e30]], "rank")
    >>> scaling.transform([[1.0], [100.0], [550.0], [1e30], [1e60]]).round(2).T
    array([[-1.28,  0.  ,  0.26,  1.28,  2.12]])
    """

    how: str
    columns: tuple[_Column, ...]

    @classmethod
    def fit(cls, X: Any, how: str = DEFAULT_SCALING) -> Self:
        """Learn how the columns of a table (n, q) are spread."""
        if how not in SCALINGS:
            expected = ", ".join(map(repr, SCALINGS))
            raise UsageError(f"scaling {how!r}; expected one of {expected}")
        X = _numbers(X)
        if len(X) < 2:
            raise UsageError(f"a table with {len(X)} rows; expected at least 2 to learn its scales")
        return cls(how, tuple(_Column.fit(values, how) for values in X.T))

    def transform(self, X: Any) -> Floats:
        """The columns of a table (m, q), in C order, on the scales learnt."""
        X = _numbers(X)
        if X.shape[1] != len(self.columns):
            raise UsageError(
                f"a table with {X.shape[1]} columns; expected the {len(self.columns)} that the "
                "scales were learnt from"
            )
        scaled = np.empty(X.shape)
        for k, column in enumerate(self.columns):
            scaled[:, k] = getattr(column, self.how)(X[:, k])
        return scaled.clip(-_FARTHEST, _FARTHEST)


@dataclass(frozen=True)
class _Column:
    """Middle and spread of one column; its different values and their scores if ranks are wanted."""

    n: int
    middle: float
    unit: float
    is_constant: bool
    values: Floats
    scores: Floats

    @classmethod
    def fit(cls, column: Floats, how: str) -> Self:
        constant = bool(column.min() == column.max())
        if how == "standard":
            scale = float(column.std())
            middle, unit = float(column.mean()), scale if scale > 0 and not constant else 1.0
        else:
            middle, unit = _middle_and_unit(column)
        nothing = np.empty(0)
        values, scores = _normal_scores(column) if how == "rank" else (nothing, nothing)
        return cls(len(column), middle, unit, constant, values, scores)

    def standard(self, x: Any) -> Any:
        return (x - self.middle) / self.unit

    def robust(self, x: Any) -> Any:
        logarithmic = np.arcsinh((x - self.middle) / self.unit)
        if not self.is_constant:
            return logarithmic
        return logarithmic + np.sign(logarithmic) * _outermost_score(self.n)

    def rank(self, x: Floats) -> Floats:
        if self.is_constant:
            return np.asarray(self.robust(x))
        scores = np.interp(x, self.values, self.scores)
        for side, outside in ((0, x < self.values[0]), (-1, x > self.values[-1])):
            if outside.any():
                edge = self.values[side]
                beyond = self.robust(x[outside]) - self.robust(edge)
                scores[outside] = self.scores[side] + self._tail_slope(side) * beyond
        return np.asarray(scores)

    def _tail_slope(self, side: int) -> float:
        """Score per logarithmic unit, over the outermost tenth or at least the last two values."""
        from scipy.special import ndtri

        if side == 0:
            at = max(1, int(np.searchsorted(self.scores, ndtri(_INNER_TAIL), side="left")))
        else:
            last = int(np.searchsorted(self.scores, ndtri(1 - _INNER_TAIL), side="right")) - 1
            at = min(last, len(self.values) - 2)
        length = abs(self.robust(self.values[side]) - self.robust(self.values[at]))
        return float(abs(self.scores[side] - self.scores[at]) / max(length, 1e-12))


def _numbers(X: Any) -> Floats:
    names = getattr(X, "columns", None)
    X = np.asarray(X, dtype=np.float64)
    if X.ndim != 2:
        raise UsageError(f"a table of shape {X.shape}; expected two dimensions")
    missing = np.isnan(X).any(axis=0)
    if missing.any():
        k = int(missing.argmax())
        name = k if names is None else repr(names[k])
        raise UsageError(f"column {name} has missing values (NaN); drop the column or those rows")
    return np.asarray(X.clip(-_LARGEST, _LARGEST))


def _middle_and_unit(column: Floats) -> tuple[float, float]:
    """Median, and quartile distance; where that is 0, the mean distance from the median."""
    low, middle, high = np.quantile(column, (0.25, 0.5, 0.75))
    unit = float(high - low) / _NORMAL_QUARTILES
    if unit == 0:
        unit = float(np.mean(np.abs(column - middle)))
    if unit == 0:  # a constant
        unit = abs(float(middle)) or 1.0
    return float(middle), unit


def _normal_scores(column: Floats) -> tuple[Floats, Floats]:
    from scipy.special import ndtri

    values, counts = np.unique(column, return_counts=True)
    return values, ndtri((np.cumsum(counts) - counts / 2) / len(column))


def _outermost_score(n: int) -> float:
    from scipy.special import ndtri

    return float(ndtri(1 - 0.5 / n))
