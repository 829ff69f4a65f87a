"""Claims, the evidence that judges them, and their findings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from netchoice.reproduction.pilot_run import PilotRun
from netchoice.reproduction.space_run import SpaceRun

if TYPE_CHECKING:
    from netchoice.reproduction.yeast_run import YeastRun

HOLDS, IN_PART, FAILS = "holds", "holds in part", "does not hold"
#: Accuracy that counts as the paper's "perfectly", "100 %" and "1": it rounds to 1.00.
PERFECT = 0.995


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
    """A statement of the paper, and the criterion for it to hold."""

    name: str
    part: str
    where: str
    statement: str
    criterion: str
    judge: Judge  # findings by variant (costs, node counts); the first, the paper's own, decides
    added_later: bool = False  # the criterion was written when other results were known


def verdict(holds: bool, holds_in_part: bool) -> str:
    """Return the verdict: "holds", "holds in part" or "does not hold"."""
    return HOLDS if holds else IN_PART if holds_in_part else FAILS


def verdict_of_count(count: int, total: int) -> str:
    """Return the verdict on a claim about all of a number of things; more than half: in part.

    >>> verdict_of_count(9, 9), verdict_of_count(5, 9), verdict_of_count(4, 9)
    ('holds', 'holds in part', 'does not hold')
    """
    return verdict(count == total, count > total / 2)
