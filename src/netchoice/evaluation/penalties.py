"""Values of the penalty λ to try."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from netchoice.costs import CostModel
from netchoice.validation import check_integer

#: The paper's grid; its costs are the CPU seconds of the paper's own code.
PAPER_PENALTIES = (
    0.0, 0.0125, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0, 1.1, 1.6, 2.3, 3.2, 4.5, 6.4, 8.0, 9.0,
    10.0, 11.0, 12.0, 12.8, 25.6, 51.2, 102.4, 204.8,
)  # fmt: skip
#: The smallest positive penalty, as in the paper.
MIN_PENALTY = 0.0125
#: More than the information that one feature adds in any method.
MAX_INFORMATION = 5.0


def penalty_grid(
    costs: CostModel, features: Iterable[str] | None = None, n: int = 26
) -> list[float]:
    """Return penalties for costs as shares: 0, then a geometric sequence until only cost matters.

    Parameters
    ----------
    costs : CostModel
    features : iterable of str, optional, to choose from; all by default
    n : int, number of penalties, at least 3

    Examples
    --------
    >>> from netchoice import CostModel
    >>> penalty_grid(CostModel({"a": 1, "b": 9}), n=4)
    [0.0, 0.013, 0.79, 50.0]
    """
    check_integer("n", n, 3)
    shares = [share for share in costs.alone(features, "share").values() if share > 0]
    if not shares:
        return [0.0]
    last = max(MAX_INFORMATION / min(shares), 10 * MIN_PENALTY)
    return [0.0, *(float(f"{value:.2g}") for value in np.geomspace(MIN_PENALTY, last, n - 1))]
