"""What an answer depends on besides the network, and how precise it is to be."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple, Self

from netchoice.errors import UsageError
from netchoice.features.registry import Feature, find
from netchoice.models.builtin import get_space
from netchoice.models.density_matched import MatchedSpace
from netchoice.models.space import ModelSpace
from netchoice.selection import get_selector
from netchoice.units import parse_budget, seconds_of
from netchoice.validation import (
    check_choice,
    check_integer,
    check_non_negative,
    check_positive,
)

#: The space that a network is compared with if no models are named; it is density-matched.
DEFAULT_SPACE = "all"
#: The seed of all random numbers, unless another one is given.
DEFAULT_SEED = 1
#: Calibrating simulations of each model in the first round with all features.
FIRST_CALIBRATED = 200
#: Nodes up to which scores are trained on as many simulations as an effort says, and the fewest.
TRAINED_NODES, MIN_TRAINED = 300, 150
#: A feature of the user's own, or the name of one.
GivenFeature = str | Feature


def _several(names: str | Iterable[Any]) -> tuple[Any, ...]:
    return (names,) if isinstance(names, str) else tuple(names)


class Round(NamedTuple):
    """What is simulated in a round, of each model that is open.

    The first round simulates cheap features. Every other one simulates all affordable features: as many
    networks as ``calibrated`` that the score of the network is compared with, and when all models are
    decided, as many that the probabilities are inferred from.
    """

    is_cheap: bool
    calibrated: int = 0


@dataclass(frozen=True, kw_only=True)
class Effort:
    """How many networks are simulated, and how precise an answer is to be.

    Attributes
    ----------
    screened : int
        Simulations of each model with cheap features, which models that are clearly wrong are rejected by;
        two thirds as many others calibrate.
    trained : int
        Simulations of each remaining model that its score is trained on, a third of them at the bounds of
        its prior. For networks of more than 300 nodes, fewer are enough.
    altered : int
        Altered simulations that the score is trained on, too.
    most : int
        The most simulations of a model that the score of the network is compared with.
    inferred : int
        The most further simulations of a model that the probabilities are inferred from.
    precision : float
        Simulations are added until the standard error of the largest probability is at most this.
    held_out : int
        Simulations that the quality of estimated parameters is measured on.
    shown : int
        Simulated networks whose distributions are shown next to those of the network.

    Examples
    --------
    >>> [tuple(round) for round in Effort(most=800).rounds()]
    [(True, 0), (False, 200), (False, 400), (False, 800), (False, 800)]
    >>> Effort().n_trained(60), Effort().n_trained(1000)
    (1500, 450)
    """

    screened: int = 150
    trained: int = 1500
    altered: int = 400
    most: int = 4000
    inferred: int = 1600
    precision: float = 0.01
    held_out: int = 200
    shown: int = 60

    def __post_init__(self) -> None:
        for name in ("screened", "trained", "altered", "most", "inferred"):
            check_integer(name, getattr(self, name), 150)
        for name in ("held_out", "shown"):
            check_integer(name, getattr(self, name), 0)
        check_positive("precision", self.precision)

    @classmethod
    def small(cls) -> Self:
        """Return an effort for examples and tests: an answer takes seconds, and is less certain."""
        return cls(trained=150, altered=150, most=400, inferred=200, held_out=20, shown=10)

    @property
    def n_screening(self) -> int:
        """Simulations of each model with cheap features that calibrate."""
        return self.screened * 2 // 3

    def n_trained(self, n_nodes: int) -> int:
        """Return how many simulations scores of networks with so many nodes are trained on."""
        return min(self.trained, max(MIN_TRAINED, self.trained * TRAINED_NODES // n_nodes))

    def rounds(self) -> Iterator[Round]:
        """Yield the rounds: first cheap features for all models, then more where it matters."""
        yield Round(is_cheap=True)
        calibrated = min(FIRST_CALIBRATED, self.most)
        yield Round(is_cheap=False, calibrated=calibrated)
        while calibrated < self.most:
            calibrated = min(2 * calibrated, self.most)
            yield Round(is_cheap=False, calibrated=calibrated)
        yield Round(is_cheap=False, calibrated=calibrated)


@dataclass(frozen=True)
class Clock:
    """The time limit of a task, and when it started.

    Simulations end when ``SIMULATED`` of the time has passed; the rest is for the answer, its figures and
    its report. What is not settled by then is said to be open.
    """

    seconds: float | None
    started: float = field(default_factory=time.monotonic)

    #: Shares of the time that have passed when simulations end, the selection of features, and the features
    #: of the network.
    SIMULATED, SELECTED, OBSERVED = 0.7, 0.4, 0.25

    @classmethod
    def of(cls, limit: float | str | Clock | None) -> Clock:
        """Return a clock; a number of seconds, or a text such as "5min", starts it now."""
        if isinstance(limit, Clock):
            return limit
        if limit is None:
            return cls(None)
        return cls(check_positive("time_limit", seconds_of(limit, "time_limit")))

    @property
    def elapsed(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self.started

    def at(self, share: float) -> float | None:
        """Return the time of the clock ``time.monotonic`` when this share of the limit has passed."""
        return None if self.seconds is None else self.started + share * self.seconds

    def has_passed(self, share: float) -> bool:
        """Return whether this share of the limit has passed; never without a limit."""
        end = self.at(share)
        return end is not None and time.monotonic() > end


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What an answer depends on besides the network.

    Attributes
    ----------
    space : ModelSpace, the models, before they are matched to a density
    match : bool, whether simulations have the density of the network
    isolated : "keep", "drop" or None
    features : tuple, optional, the features that the user named
    method, penalty, budget
        How features are selected, if a budget, a penalty or methods are given.
    costs : "reference" or "measured", the costs by which features are selected
    seed : int
    effort : Effort
    """

    space: ModelSpace
    match: bool = False
    isolated: str | None = None
    features: tuple[GivenFeature, ...] | None = None
    method: tuple[str, ...] = ()
    penalty: float | None = None
    budget: float | str | None = None
    costs: str = "reference"
    seed: int = 1
    effort: Effort = field(default_factory=Effort)

    @classmethod
    def of(
        cls,
        space: str | ModelSpace | None = None,
        *,
        match: bool | None = None,
        isolated: str | None = None,
        features: str | Iterable[GivenFeature] | None = None,
        method: str | Iterable[str] = (),
        penalty: float | None = None,
        budget: float | str | None = None,
        costs: str = "reference",
        seed: int = 1,
        effort: Effort | None = None,
    ) -> Self:
        """Check the options of a task, and return them as settings.

        Without a space, all mechanisms are compared, density-matched. A space that is named is compared as
        it is, unless ``match`` is True.
        """
        if effort is not None and not hasattr(effort, "rounds"):
            raise UsageError(f"`effort` must be a netchoice.Effort; got {effort!r}")
        known = get_space(DEFAULT_SPACE if space is None else space)
        if len(known) < 2:
            raise UsageError(
                f"the space {known.name} holds one model only, so there is nothing to choose; give at "
                "least two models"
            )
        if isinstance(known, MatchedSpace):
            known, match = known.base, True
        made = cls(
            space=known,
            match=space is None if match is None else bool(match),
            isolated=isolated,
            features=None if features is None else tuple(dict.fromkeys(_several(features))),
            method=_several(method),
            penalty=penalty,
            budget=budget,
            costs=check_choice("costs", costs, ("reference", "measured")),
            seed=check_integer("seed", seed, 0),
            effort=effort or Effort(),
        )
        made._check()
        return made

    def _check(self) -> None:
        if self.isolated is not None:
            check_choice("isolated", self.isolated, ("keep", "drop"))
        for name in self.method:
            get_selector(name)
        if self.penalty is not None:
            check_non_negative("penalty", self.penalty)
        if self.budget is not None:
            parse_budget(self.budget)
        given = [find(each) for each in self.features or ()]
        if self.features is not None and not given:
            raise UsageError("`features` is empty; name at least one feature")
        for each in given:
            if each.numbered:
                raise UsageError(
                    f"feature {each.name!r} depends on the order of the nodes, which is the age in "
                    "simulations and not in a file: its values cannot be compared. Leave it out of the "
                    "features"
                )
            if each.is_random:
                raise UsageError(
                    f"feature {each.name!r} is random: its value says nothing about a network; leave it "
                    "out of the features"
                )

    @property
    def selects(self) -> bool:
        """Whether features are selected, by ranking and evaluation."""
        return bool(self.method) or self.penalty is not None or self.budget is not None

    @property
    def names(self) -> tuple[str, ...] | None:
        """Names of the features that the user named."""
        return None if self.features is None else tuple(find(each).name for each in self.features)

    def as_dict(self) -> dict[str, Any]:
        """Return the settings for JSON."""
        return {
            "space": self.space.as_dict(),
            "match": self.match,
            "isolated": self.isolated,
            "features": None if self.names is None else list(self.names),
            "method": list(self.method),
            "penalty": self.penalty,
            "budget": self.budget,
            "costs": self.costs,
            "seed": self.seed,
            "effort": asdict(self.effort),
        }
