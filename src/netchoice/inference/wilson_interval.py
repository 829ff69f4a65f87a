"""Wilson's interval of a probability."""

from __future__ import annotations

import math

from scipy.special import ndtri


def wilson(share: float, n: float, coverage: float = 0.95) -> tuple[float, float]:
    """Return the Wilson (1927) interval of a probability, given the share of successes in n trials.

    >>> low, high = wilson(1.0, 2500)
    >>> round(low, 4), high
    (0.9985, 1.0)
    """
    z = float(ndtri((1 + coverage) / 2))
    share, n = float(share), float(n)
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half_width = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return max(0.0, centre - half_width), 1.0 if share == 1 else min(1.0, centre + half_width)
