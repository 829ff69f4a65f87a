"""Checks and conversions of numbers of features and sets of columns."""

from __future__ import annotations

import numbers
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netchoice.errors import UsageError


def resolve_n_features(n_features_to_select: Any, n_features: int) -> int:
    """Return the number of features to select, given as a number, a fraction, or None for half.

    >>> resolve_n_features(None, 7), resolve_n_features(3, 7), resolve_n_features(0.5, 8)
    (3, 3, 4)
    """
    value = n_features_to_select
    if value is None:
        return max(1, n_features // 2)
    if isinstance(value, numbers.Integral):
        if 1 <= int(value) <= n_features:
            return int(value)
    elif isinstance(value, numbers.Real) and 0 < float(value) <= 1:
        return max(1, int(float(value) * n_features))
    raise UsageError(
        f"`n_features_to_select` must be an integer from 1 to {n_features}, a fraction above 0 and "
        f"up to 1.0, or None for half of the features; got {value!r}"
    )


def check_numbers(X: Any) -> None:
    """Raise an error unless a table is dense and its columns hold numbers; name the column.

    >>> import pandas as pd
    >>> check_numbers(pd.DataFrame({"age": [20, 30], "town": ["Ulm", "Bonn"]}))
    Traceback (most recent call last):
    netchoice.errors.UsageError: `X` must hold numbers; got 'Ulm' in the column 'town'. Encode the \
column as numbers, or drop it
    """
    if hasattr(X, "toarray"):
        raise UsageError(
            f"`X` must be dense; got a sparse {type(X).__name__}. Selectors estimate from all values of a "
            "column: pass X.toarray()"
        )
    for name, values in _columns(X):
        if values.dtype.kind in "biufc":  # scikit-learn refuses complex numbers
            continue
        wrong = next((value for value in values if not _is_number(value)), None)
        if wrong is not None:
            shown = str(wrong) if isinstance(wrong, np.generic) else repr(wrong)
            raise UsageError(
                f"`X` must hold numbers; got {shown} in the column {name}. Encode the column as numbers, or "
                "drop it"
            )


def not_finite(X: Any) -> UsageError:
    """Return the error for a table with missing or infinite values."""
    finite = ((name, np.isfinite(values.astype(float)).all()) for name, values in _columns(X))
    name = next((name for name, is_finite in finite if not is_finite), None)
    where = "" if name is None else f" in the column {name}"
    return UsageError(
        f"`X` must be finite; got missing (NaN) or infinite (inf) values{where}. Drop or impute them"
    )


def _columns(X: Any) -> Iterator[tuple[str, NDArray[Any]]]:
    """Yield the name and the values of each column of a table; nothing if X is no table."""
    if hasattr(X, "columns"):
        for position, name in enumerate(X.columns):
            column = X.iloc[:, position] if hasattr(X, "iloc") else X[name]
            yield repr(str(name)), np.asarray(column)
    elif isinstance(X, list | np.ndarray):
        values = np.asarray(X, dtype=object) if isinstance(X, list) else X
        for position in range(values.shape[1] if values.ndim == 2 else 0):
            yield str(position), values[:, position]


def _is_number(value: Any) -> bool:
    """Return whether a value of a column converts to a number; text such as "3" does."""
    if isinstance(value, np.datetime64 | np.timedelta64):
        return False
    try:
        float(value)
    except ValueError:
        return False
    except TypeError:  # a missing value is reported as missing, and other objects by scikit-learn
        return True
    return True


def column_mask(parameter: str, columns: Any, names: Sequence[str]) -> NDArray[np.bool_]:
    """Return the mask of columns given as a mask, positions, names, or one bool for all.

    >>> column_mask("nominal_features", ["b"], ["a", "b"])
    array([False,  True])
    """
    mask = np.zeros(len(names), dtype=bool)
    if columns is None or isinstance(columns, (bool, np.bool_)):
        return mask | bool(columns)
    values = [columns] if isinstance(columns, (str, numbers.Integral)) else list(columns)
    if len(values) and all(isinstance(value, (bool, np.bool_)) for value in values):
        if len(values) != len(names):
            raise UsageError(
                f"`{parameter}` must have one bool for each of {len(names)} columns; got {len(values)}"
            )
        return np.array(values, dtype=bool)
    positions = {name: i for i, name in enumerate(names)}
    for value in values:
        position: Any = positions.get(value, value) if isinstance(value, str) else value
        if not isinstance(position, numbers.Integral) or not 0 <= int(position) < len(names):
            raise UsageError(
                f"`{parameter}` must hold column names, positions from 0 to {len(names) - 1}, or a "
                f"mask; got {value!r}"
            )
        mask[int(position)] = True
    return mask
