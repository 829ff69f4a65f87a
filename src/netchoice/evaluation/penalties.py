"""Which penalties to look at."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from netchoice.costs import CostModel
from netchoice.errors import UsageError

#: The paper's grid, made for seconds of its own code.
PAPER_PENALTIES = (
    0.0, 0.0125, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0, 1.1, 1.6, 2.3, 3.2, 4.5, 6.4, 8.0, 9.0,
    10.0, 11.0, 12.0, 12.8, 25.6, 51.2, 102.4, 204.8,
)  # fmt: skip
SMALLEST = 0.0125  # the paper's
#: More information than a feature adds in any method; times λ's unit it outweighs everything.
MUCH = 5.0


def penalty_grid(
    costs: CostModel, features: Iterable[str] | None = None, n: int = 26
) -> list[float]:
    """Penalties for costs as shares: 0, then evenly in ratio until cost alone decides.

    At the last one, a feature that costs as little more as the cheapest one's cost loses more than
    any information can make up for.

    Parameters
    ----------
    costs : CostModel
    features : iterable of str, optional
        Those offered; all by default.
    n : int
        Number of penalties, at least 3.

    Examples
    --------
    >>> from netchoice import CostModel
    >>> penalty_grid(CostModel({"a": 1, "b": 9}), n=4)
    [0.0, 0.013, 0.79, 50.0]
    """
    if n < 3:
        raise UsageError(f"n={n} penalties; expected at least 3")
    shares = [share for share in costs.alone(features, "share").values() if share > 0]
    if not shares:
        return [0.0]
    last = max(MUCH / min(shares), 10 * SMALLEST)
    return [0.0, *(float(f"{value:.2g}") for value in np.geomspace(SMALLEST, last, n - 1))]
