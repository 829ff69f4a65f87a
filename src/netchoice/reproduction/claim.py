"""Claims, the evidence that judges them, and their findings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from netchoice.evaluation import wilson
from netchoice.reproduction.pilot_run import PilotRun
from netchoice.reproduction.space_run import SpaceRun

if TYPE_CHECKING:
    import pandas as pd

    from netchoice.reproduction.yeast_run import YeastRun

HOLDS, IN_PART, FAILS = "holds", "holds in part", "does not hold"
#: Accuracy that counts as the paper's "perfectly", "100 %" and "1": it rounds to 1.00.
PERFECT = 0.995
#: The paper's penalties from this one on count as "very large".
LARGE = 12.8
NOISE_FEATURES = ("noise_normal", "noise_uniform", "noise_bernoulli", "noise_integer")


class Finding(NamedTuple):
    """Verdict on a claim, our figure with its uncertainty, and a note that explains it."""

    verdict: str
    figure: str
    note: str = ""


@dataclass
class Evidence:
    """Results that the claims are judged by; most are computed on first use."""

    spaces: Mapping[str, SpaceRun] = field(default_factory=dict)
    pilots: Mapping[str, PilotRun] = field(default_factory=dict)
    yeast: YeastRun | None = None


Judge = Callable[[Evidence], dict[str, Finding]]


@dataclass(frozen=True)
class Claim:
    """A statement of the paper, and the criterion for it to hold.

    ``judge`` returns findings by variant (costs, node counts). The first variant is the paper's
    own; it gives the verdict. ``added_later`` marks a claim whose criterion was written when
    results of other claims were known.
    """

    name: str
    part: str
    where: str
    statement: str
    criterion: str
    judge: Judge
    added_later: bool = False


def verdict(holds: bool, holds_in_part: bool) -> str:
    """Return the verdict: "holds", "holds in part" or "does not hold"."""
    return HOLDS if holds else IN_PART if holds_in_part else FAILS


def verdict_of_count(count: int, total: int) -> str:
    """Return the verdict on a claim about all of a number of things; more than half: in part.

    >>> verdict_of_count(9, 9), verdict_of_count(5, 9), verdict_of_count(4, 9)
    ('holds', 'holds in part', 'does not hold')
    """
    return verdict(count == total, count > total / 2)


def with_interval(accuracy: float, n: float) -> str:
    """Return an accuracy with its 95 % interval for n rows, as text.

    >>> with_interval(1.0, 2500)
    '1.0000 (0.9985–1)'
    """
    low, high = wilson(accuracy, n)
    return f"{accuracy:.4f} ({low:.4f}–{high:.4g})"


def cell_label(row: Any) -> str:
    """Return method, penalty and number of features of a cell, as text."""
    return f"{row['method']}, λ = {row['penalty']:g}, k = {row['k']}"


def first_noise_ranks(rankings: pd.DataFrame) -> pd.DataFrame:
    """Return the rank of the first noise feature, by penalty (rows) and method (columns).

    A ranking without noise features gets the rank after the last.

    >>> import pandas as pd
    >>> rankings = pd.DataFrame({"method": "jmi", "penalty": 0.0, "position": [1, 2, 3],
    ...                          "feature": ["degree_mean", "noise_normal", "transitivity"]})
    >>> int(first_noise_ranks(rankings).loc[0.0, "jmi"])
    2
    """
    is_noise = rankings["feature"].isin(NOISE_FEATURES)
    rank = rankings["position"].where(is_noise, rankings["position"].max() + 1)
    first = rank.groupby([rankings["method"], rankings["penalty"]], sort=False).min()
    return first.astype(int).unstack("method")
