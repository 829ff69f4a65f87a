"""Power of a test of fit: the share of altered networks that it notices, by kind of alteration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from netchoice.errors import UsageError
from netchoice.inference.sequential_test import ALPHA
from netchoice.inference.wilson_interval import wilson
from netchoice.validation import check_fraction


@dataclass(frozen=True)
class Noticed:
    """How many altered networks of one kind a test rejects.

    Attributes
    ----------
    share : float, the share that is rejected
    n : int, the number of altered networks
    interval : (float, float), Wilson's 95% interval of the probability
    """

    share: float
    n: int
    interval: tuple[float, float]


def noticed(
    calibrating: Any, altered: Mapping[str, Any], *, alpha: float = ALPHA
) -> dict[str, Noticed]:
    """Return by kind of alteration what a test of p ≤ alpha notices.

    The p-value of a score is its rank among the calibrating ones, with itself among them. The kinds must be
    others than those that the score was trained with: of these, it notices more.

    Parameters
    ----------
    calibrating : array (n,), scores of simulations that the score was not fitted to
    altered : mapping, by kind: scores of altered simulations, an array (m,)
    alpha : float

    Examples
    --------
    >>> calibrating = np.arange(1000)
    >>> found = noticed(calibrating, {"rewired": [5, 995, 2000, 3000]})["rewired"]
    >>> found.share, found.n, [round(end, 2) for end in found.interval]
    (0.75, 4, [0.3, 0.95])
    """
    check_fraction("alpha", alpha)
    known = np.sort(np.asarray(calibrating, dtype=np.float64))
    least = int(np.ceil(1 / alpha - 1e-9)) - 1
    if len(known) < least:
        raise UsageError(
            f"{len(known)} calibrating scores; expected at least {least}, because with fewer no p-value is "
            f"at most {alpha:g}: simulate more"
        )
    found = {}
    for kind, values in altered.items():
        scores = np.asarray(values, dtype=np.float64)
        if not len(scores):
            raise UsageError(f"no scores of networks with {kind}; expected at least one")
        above = len(known) - np.searchsorted(known, scores, side="left")
        share = float(np.mean((above + 1) / (len(known) + 1) <= alpha))
        found[kind] = Noticed(share, len(scores), wilson(share, len(scores)))
    return found
