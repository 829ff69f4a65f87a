"""The scale on which numbers have mean 0 and standard deviation 1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class StandardScale:
    """Mean and standard deviation of each column, in units of a power of 2.

    The power of 2 keeps squares of huge and of tiny numbers finite.

    >>> scale = StandardScale.of(np.array([[1.0, 1e300], [3.0, 3e300]]))
    >>> scale.standardise(np.array([[5.0, 5e300]]))
    array([[3., 3.]])
    """

    exponent: NDArray[np.int32]
    mean: Floats
    deviation: Floats  # 1 for a constant column

    @classmethod
    def of(cls, values: Floats) -> Self:
        """Return the scale of each column of a table (n, t)."""
        exponent = np.frexp(np.abs(values).max(axis=0))[1]
        scaled = np.ldexp(values, -exponent)
        deviation = scaled.std(axis=0)
        return cls(exponent, scaled.mean(axis=0), np.where(deviation > 0, deviation, 1.0))

    def standardise(self, values: Floats) -> Floats:
        """Return values in standard deviations from the mean."""
        return np.asarray((np.ldexp(values, -self.exponent) - self.mean) / self.deviation)

    def restore(self, standardised: Floats) -> Floats:
        """Return the values on the original scale."""
        return np.asarray(np.ldexp(standardised * self.deviation + self.mean, self.exponent))
