"""What the columns of a table are to predict: classes, or one or several columns of numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netchoice.errors import UsageError
from netchoice.validation import check_choice

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]

KINDS = ("auto", "classes", "numbers")
#: Integers with more distinct values than this are numbers, those with fewer are classes.
MAX_INTEGER_CLASSES = 20


@dataclass(frozen=True)
class Classes:
    """A class for each row."""

    codes: NDArray[np.int64]  # the position of each row's label in `labels`
    labels: NDArray[Any]  # the distinct labels, sorted

    kind = "classes"

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def strata(self) -> NDArray[np.int64]:
        """Groups of similar rows, for samples and folds that represent all of them."""
        return self.codes

    def parts(self) -> Iterator[tuple[Rows, Classes, float]]:
        """Yield all rows, this target, and its weight 1."""
        yield np.arange(len(self)), self, 1.0


@dataclass(frozen=True)
class Numbers:
    """One or several numbers for each row; with several, NaN where a row has no value."""

    values: Floats  # (n, t)
    names: tuple[str, ...]  # of the t columns

    kind = "numbers"

    def __len__(self) -> int:
        return len(self.values)

    @property
    def strata(self) -> NDArray[np.int64]:
        """Groups of rows that have values in the same columns."""
        known = ~np.isnan(self.values)
        return np.unique(known, axis=0, return_inverse=True)[1].ravel().astype(np.int64)

    def parts(self) -> Iterator[tuple[Rows, Numbers, float]]:
        """Yield rows with the columns that have values in exactly these rows, and their share.

        >>> target = as_target([[1.5, 0.0], [2.5, 1.0], [0.5, np.nan], [3.5, np.nan]])
        >>> [(rows.tolist(), part.values.ravel().tolist()) for rows, part, _ in target.parts()]
        [([0, 1, 2, 3], [1.5, 2.5, 0.5, 3.5]), ([0, 1], [0.0, 1.0])]
        """
        known = ~np.isnan(self.values)
        patterns, group = np.unique(known.T, axis=0, return_inverse=True)
        for i in np.argsort([np.flatnonzero(group.ravel() == g)[0] for g in range(len(patterns))]):
            rows, columns = np.flatnonzero(patterns[i]), np.flatnonzero(group.ravel() == i)
            names = tuple(self.names[j] for j in columns)
            part = Numbers(np.ascontiguousarray(self.values[np.ix_(rows, columns)]), names)
            yield rows, part, len(columns) / len(self.names)


Target = Classes | Numbers


def as_target(y: Any, kind: str = "auto") -> Target:
    """Return what is to be predicted as classes or as numbers.

    ``kind`` is "classes", "numbers" or "auto". With "auto", several columns and numbers with fractions
    are numbers; integers are numbers if they have more than 20 distinct values; everything else is
    classes.

    >>> as_target(["b", "a", "b"])
    Classes(codes=array([1, 0, 1]), labels=array(['a', 'b'], dtype='<U1'))
    >>> as_target([0.5, 2, 1])
    Numbers(values=array([[0.5],
           [2. ],
           [1. ]]), names=('y',))
    """
    if isinstance(y, (Classes, Numbers)):
        return y
    check_choice("target", kind, KINDS)
    values = _as_array(y)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim not in (1, 2) or not values.size:
        raise UsageError(
            f"`y` must have one label or number, or several numbers, for each row; got the shape "
            f"{values.shape}"
        )
    if kind == "numbers" or (kind == "auto" and _holds_numbers(values)):
        return _as_numbers(values, y)
    return _as_classes(values)


def rows_of(target: Target, rows: Rows) -> Target:
    """Return the target of some rows.

    >>> rows_of(as_target(["b", "a", "b"]), np.array([0, 2])).codes
    array([1, 1])
    """
    if isinstance(target, Classes):
        return Classes(target.codes[rows], target.labels)
    return Numbers(np.ascontiguousarray(target.values[rows]), target.names)


def _as_array(y: Any) -> NDArray[Any]:
    try:
        return np.asarray(y)
    except ValueError as error:
        raise UsageError(
            "`y` must have one label or number, or several numbers, for each row; got lists of different "
            "lengths"
        ) from error


def _holds_numbers(values: NDArray[Any]) -> bool:
    if values.ndim == 2:
        return True
    if values.dtype.kind == "f":
        finite = values[np.isfinite(values)]
        if len(finite) < len(values) or (finite % 1 != 0).any():
            return True
    return values.dtype.kind in "iuf" and len(np.unique(values)) > MAX_INTEGER_CLASSES


def _as_classes(values: NDArray[Any]) -> Classes:
    if values.ndim == 2:
        raise UsageError(
            f"`y` must have one column of class labels; got {values.shape[1]} columns. Several columns "
            "must be numbers"
        )
    if values.dtype.kind in "fc" and not np.isfinite(values).all():
        raise UsageError(
            "`y` must be finite; got missing (NaN) or infinite values. Drop those rows"
        )
    if values.dtype.kind == "O":
        import pandas as pd

        n_missing = int(np.count_nonzero(pd.isna(values)))
        if n_missing:
            raise UsageError(
                f"`y` must have a label in every row; got none (None or NaN) in {n_missing} of "
                f"{len(values)} rows. Drop those rows"
            )
    try:
        labels, codes = np.unique(values, return_inverse=True)
    except TypeError as error:
        types = ", ".join(sorted({type(label).__name__ for label in values}))
        raise UsageError(
            f"`y` must hold labels of one type; got {types}, which cannot be sorted. Convert all labels "
            "to text or to numbers, and drop rows without a label"
        ) from error
    return Classes(codes.astype(np.int64), labels)


def _as_numbers(values: NDArray[Any], y: Any) -> Numbers:
    try:
        numbers = values.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise UsageError(
            "`y` must hold numbers; got another type. Encode labels as numbers, or pass one column of "
            'labels with target="classes"'
        ) from error
    numbers = numbers[:, None] if numbers.ndim == 1 else numbers
    t = numbers.shape[1]
    names = tuple(map(str, getattr(y, "columns", [f"y{i}" for i in range(t)] if t > 1 else ["y"])))
    if np.isinf(numbers).any() or (t == 1 and np.isnan(numbers).any()):
        raise UsageError(
            "`y` must be finite; got missing (NaN) or infinite values. Drop those rows (with several "
            "columns, NaN means that a row has no value)"
        )
    return Numbers(np.ascontiguousarray(numbers), names)


def check_varies(target: Target) -> None:
    """Raise an error unless there are two classes, or two different numbers in each column."""
    if isinstance(target, Classes):
        if len(target.labels) < 2:
            raise UsageError(
                f"`y` must have at least two classes; got one class only, {str(target.labels[0])!r}, in "
                f"all {len(target)} rows"
            )
        return
    for name, column in zip(target.names, target.values.T, strict=True):
        if len(np.unique(column[~np.isnan(column)])) < 2:
            raise UsageError(
                f"`y` must have at least two different values in each column; got fewer in {name!r}. "
                "Drop that column"
            )


def check_complete(target: Target) -> None:
    """Raise an error if a row has no value in one of several columns."""
    if isinstance(target, Numbers) and np.isnan(target.values).any():
        raise UsageError(
            "`y` must have a value in every row; got NaN. Drop those rows, or use a selector, which uses "
            "each column of `y` on the rows that have a value"
        )
