"""Claims, the evidence that judges them, and their findings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from netchoice.reproduction.pilot_run import PilotRun
from netchoice.reproduction.space_run import SpaceRun

if TYPE_CHECKING:
    from netchoice.reproduction.yeast_run import YeastRun

#: Accuracy that counts as the paper's "perfectly", "100 %" and "1": it rounds to 1.00.
PERFECT = 0.995
#: Accuracy that counts as the paper's "performed well".
WELL = 0.95

#: What a claim is about: the methods; the speed or scale of an implementation; or one machine.
METHOD, IMPLEMENTATION, MACHINE = "method", "implementation", "machine"


class Finding(NamedTuple):
    """Whether a claim holds on one table, the numbers that decide it, and details in words.

    None: the claim cannot be judged. The part of a name before a colon is printed once for all names
    that share it.
    """

    holds: bool | None
    values: Mapping[str, float]
    text: str = ""


@dataclass
class Evidence:
    """Results on one table that the claims are judged by; most are computed on first use."""

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
    judge: Judge  # findings by variant (costs, node counts); the first is the paper's own
    kind: str = METHOD
