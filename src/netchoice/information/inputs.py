"""What callers pass, checked."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from netchoice.errors import UsageError
from netchoice.information.columns import Floats


def whole_number(name: str, value: Any, least: int) -> int:
    """A parameter that must be an integer."""
    try:
        number = operator.index(value)
    except TypeError:
        number = least - 1
    if number < least:
        raise UsageError(f"{name} is {value!r}; it must be an integer, at least {least}")
    return number


def as_table(X: ArrayLike) -> Floats:
    """Numbers in rows and columns, all finite."""
    try:
        table = np.asarray(X, np.float64)
    except (TypeError, ValueError):
        raise UsageError("X holds something that is not a number; encode such columns") from None
    if table.ndim != 2:
        raise UsageError(f"X has {table.ndim} dimension(s); it must have 2: rows and columns")
    if not len(table):
        raise UsageError("X has no rows; mutual information needs data")
    bad = np.flatnonzero(~np.isfinite(table).all(axis=0))
    if len(bad):
        shown = ", ".join(map(str, bad[:5])) + (", …" if len(bad) > 5 else "")
        raise UsageError(
            f"X has missing or infinite values in column(s) {shown}; "
            "impute them or drop those columns or rows"
        )
    return table


def as_labels(y: ArrayLike, n_rows: int, name: str = "y") -> NDArray[np.int64]:
    """Labels as 0, 1, …, in sorted order."""
    labels = np.asarray(y)
    if labels.shape != (n_rows,):
        raise UsageError(
            f"{name} has shape {labels.shape}; it must be one label for each of {n_rows} rows"
        )
    if labels.dtype.kind in "fc" and not np.isfinite(labels).all():
        raise UsageError(f"{name} has missing or infinite values; drop those rows")
    try:
        return np.unique(labels, return_inverse=True)[1].astype(np.int64)
    except TypeError:
        kinds = sorted({type(label).__name__ for label in labels})
        raise UsageError(
            f"{name} has labels of kinds that cannot be sorted together: {', '.join(kinds)}; "
            "use one kind, and drop rows without a label"
        ) from None


def as_column(values: ArrayLike, name: str, discrete: bool) -> Floats:
    """One column of numbers, or of labels if it is discrete."""
    column = np.asarray(values)
    if column.ndim != 1 or not len(column):
        raise UsageError(f"{name} has shape {column.shape}; it must be one column with rows")
    if discrete and column.dtype.kind not in "biuf":
        return as_labels(column, len(column), name).astype(np.float64)
    try:
        column = column.astype(np.float64)
    except (TypeError, ValueError):
        raise UsageError(f"{name} holds something that is not a number; is it discrete?") from None
    if not np.isfinite(column).all():
        raise UsageError(f"{name} has missing or infinite values; drop those rows")
    return column


def as_mask(discrete: ArrayLike | None, table: Floats) -> NDArray[np.bool_]:
    """Which columns are discrete; unless told, those that hold integers only."""
    if discrete is None:
        return np.asarray((table == np.floor(table)).all(axis=0))
    mask = np.asarray(discrete)
    if mask.dtype != np.bool_ or mask.shape != (table.shape[1],):
        raise UsageError(
            f"discrete is an array of {mask.dtype} with shape {mask.shape}; it must hold one bool "
            f"for each of {table.shape[1]} columns"
        )
    return mask
