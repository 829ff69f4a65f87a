"""Checks and conversions of the callers' tables, columns and labels."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from netchoice.errors import UsageError
from netchoice.information.columns import Floats
from netchoice.targets import Target, as_target, check_complete


def as_table(X: ArrayLike) -> Floats:
    """Return a table as an array of floats, all finite."""
    try:
        table = np.asarray(X, np.float64)
    except (TypeError, ValueError):
        raise UsageError("`X` must hold numbers; got another type. Encode such columns") from None
    if table.ndim != 2:
        raise UsageError(f"`X` must have 2 dimensions; got {table.ndim}")
    if not len(table):
        raise UsageError("`X` must have at least one row; got none")
    bad = np.flatnonzero(~np.isfinite(table).all(axis=0))
    if len(bad):
        shown = ", ".join(map(str, bad[:5])) + (", …" if len(bad) > 5 else "")
        raise UsageError(
            f"`X` must be finite; got missing or infinite values in column(s) {shown}. Impute them, "
            "or drop those columns or rows"
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
    if labels.dtype.kind in "fc" and not np.isfinite(labels).all():
        raise UsageError(
            f"`{name}` must be finite; got missing or infinite values. Drop those rows"
        )
    try:
        return np.unique(labels, return_inverse=True)[1].astype(np.int64)
    except TypeError:
        types = sorted({type(label).__name__ for label in labels})
        raise UsageError(
            f"`{name}` must have labels of one type; got {', '.join(types)}, which cannot be sorted. "
            "Convert them, and drop rows without a label"
        ) from None


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
    if not np.isfinite(column).all():
        raise UsageError(
            f"`{name}` must be finite; got missing or infinite values. Drop those rows"
        )
    return column


def as_mask(discrete: ArrayLike | None, table: Floats) -> NDArray[np.bool_]:
    """Return the mask of discrete columns; by default, those that hold integers only."""
    if discrete is None:
        return np.asarray((table == np.floor(table)).all(axis=0))
    mask = np.asarray(discrete)
    if mask.dtype != np.bool_ or mask.shape != (table.shape[1],):
        raise UsageError(
            f"`discrete` must have one bool for each of {table.shape[1]} columns; got {mask.dtype} "
            f"of shape {mask.shape}"
        )
    return mask
