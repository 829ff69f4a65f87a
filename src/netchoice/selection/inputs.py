"""Checks and conversions of numbers of features and sets of columns."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
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
