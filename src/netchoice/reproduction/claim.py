"""What a claim is, and how it is judged: by code, from criteria that stand beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from netchoice.evaluation import wilson
from netchoice.reproduction.costs import SETTINGS, Setting
from netchoice.reproduction.pilots import PilotRun
from netchoice.reproduction.spaces import SpaceRun

if TYPE_CHECKING:
    import pandas as pd

    from netchoice.reproduction.yeast import YeastRun

HOLDS, IN_PART, FAILS = "holds", "holds in part", "does not hold"
#: What the paper's "perfectly", "100 %" and "1" are taken to mean: it rounds to 1.00.
PERFECT = 0.995
#: Among the penalties of the paper, those that are "very large".
LARGE = 12.8


class Finding(NamedTuple):
    """How a claim fares: the verdict, our figure with its uncertainty, and why it is so."""

    verdict: str
    figure: str
    why: str = ""


@dataclass
class Evidence:
    """All that was computed, made when a claim asks for it."""

    spaces: Mapping[str, SpaceRun] = field(default_factory=dict)
    pilots: Mapping[str, PilotRun] = field(default_factory=dict)
    yeast: YeastRun | None = None


Judge = Callable[[Evidence], dict[str, Finding]]


@dataclass(frozen=True)
class Claim:
    """A statement of the paper, and what must be found for it to hold.

    ``judge`` gives findings by variant (costs, numbers of nodes); the first is the paper's own and
    gives the verdict. ``added_later`` marks a claim whose criterion was written when results of others
    were known.
    """

    name: str
    part: str
    where: str
    words: str
    criterion: str
    judge: Judge
    added_later: bool = False


def verdict(all_of_it: bool, some_of_it: bool) -> str:
    """One of three words."""
    return HOLDS if all_of_it else IN_PART if some_of_it else FAILS


def under_costs(family: str, judge: Callable[[SpaceRun, Setting], Finding]) -> Judge:
    """The same question under the paper's costs and ours, alone and shared."""
    return lambda evidence: {
        setting.words: judge(evidence.spaces[family], setting) for setting in SETTINGS
    }


def once(family: str, judge: Callable[[SpaceRun], Finding]) -> Judge:
    """A question that costs do not matter for."""
    return lambda evidence: {"": judge(evidence.spaces[family])}


def with_interval(accuracy: float, n: float) -> str:
    """An accuracy with the 95 % interval that n rows give it.

    >>> with_interval(1.0, 2500)
    '1.0000 (0.9985–1)'
    """
    low, high = wilson(accuracy, n)
    return f"{accuracy:.4f} ({low:.4f}–{high:.4g})"


def cell(row: Any) -> str:
    """Where in a heat map."""
    return f"{row['method']}, λ = {row['penalty']:g}, k = {row['k']}"


def first_noise(rankings: pd.DataFrame) -> pd.Series:
    """Position of the first noise feature, by method and penalty; one beyond the last if none.

    >>> import pandas as pd
    >>> rankings = pd.DataFrame({"method": "jmi", "penalty": 0.0, "position": [1, 2, 3],
    ...                          "feature": ["degree_mean", "noise_normal", "transitivity"]})
    >>> first_noise(rankings).to_dict()
    {('jmi', 0.0): 2}
    """
    noisy = rankings["feature"].str.startswith("noise_")
    position = rankings["position"].where(noisy, rankings["position"].max() + 1)
    first = position.groupby([rankings["method"], rankings["penalty"]], sort=False).min()
    return first.astype(int)
