"""Features that only a share of the rows of a table has."""

from __future__ import annotations

import math

_GOLDEN_RATIO = (1 + math.sqrt(5)) / 2


def is_computed(row: int, share: float) -> bool:
    """Return whether a feature that a share of the rows has is computed on this row.

    The choice depends on nothing but the number of the row, so rows with the feature are like all others.
    Multiples of the golden ratio are spread evenly: the first n rows always have the right share.

    >>> sum(is_computed(row, 0.2) for row in range(1000)), is_computed(0, 0.001)
    (200, True)
    """
    return row * _GOLDEN_RATIO % 1 < share
