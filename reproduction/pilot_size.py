"""How large a pilot must be: grow it until a larger one selects nothing better."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from netchoice.errors import UsageError
from netchoice.inference.wilson_interval import wilson
from netchoice.models.space import ModelSpace
from netchoice.selection import METHODS
from netchoice.storage.table import ReferenceTable
from netchoice.validation import (
    check_fraction,
    check_integer,
    check_non_negative,
    check_positive,
    unknown,
)
from reproduction.pilots import check_sizes, costs_at, rank_pilot
from reproduction.spaces import Progress, Simulations

if TYPE_CHECKING:
    import pandas as pd

#: Default sizes double from the first to the last.
FIRST_SIZE, LAST_SIZE = 10, 1000
MIN_SAMPLES = 20

FeatureSet = tuple[str, ...]
Labels = NDArray[np.str_]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Recommendation:
    """The recommended pilot size; returned by :func:`recommend_pilot_size`.

    Attributes
    ----------
    n_nodes : int or None
        The size. None if no pilot that was tried can be recommended.
    features : tuple of str
        The features that are selected there.
    verdict : str
        The recommendation and its evidence in words.
    certain : bool
        Whether the interval of the loss against larger pilots is within the tolerance.
    evidence : DataFrame
        One row for each size: the features selected; the accuracy with them on fresh networks of that
        size (accuracy_here) and at the size where all sets are compared (check_n), each with an
        interval; the largest gain of the next larger pilots there (gain, gain_high).
    confused : list of pairs
        Models that the features cannot distinguish where they were checked.
    """

    n_nodes: int | None
    features: FeatureSet
    verdict: str
    certain: bool
    evidence: pd.DataFrame = field(repr=False)
    confused: list[tuple[str, str]]


def recommend_pilot_size(
    space: str | ModelSpace,
    target: int,
    *,
    sizes: Iterable[int] | None = None,
    method: str = "jmi",
    penalty: float = 0.0,
    k: int = 5,
    samples: int = 500,
    check_samples: int = 1000,
    tolerance: float = 0.02,
    confirm: int = 2,
    coverage: float = 0.95,
    budget: float = 600.0,
    features: Sequence[str] | None = None,
    seed: int = 1,
    engine: str | Executor = "processes",
    workers: int | None = None,
    on_progress: Progress | None = None,
) -> Recommendation:
    """Find the smallest pilot networks that select features as good as larger pilots do.

    The features that a pilot selects are computed on networks of the target size. This is cheap
    because no other feature is computed. A pilot is large enough if the next ``confirm`` larger ones
    gain at most ``tolerance`` in accuracy there, by the upper end of a paired interval (Agresti & Min
    2005, doi:10.1002/sim.1781). The models need not be separated at the pilot's own size, and the
    selected features need not be the same.

    Parameters
    ----------
    target : int
        Number of nodes of the networks to analyse.
    sizes : iterable of int, optional
        Pilot sizes to try, in increasing order. By default 10, 20, 40, … up to 1000 or the target.
    method, penalty, k
        How features are selected, and how many. With a positive penalty, costs are extrapolated to
        the target size.
    samples, check_samples : int
        Rows of each pilot table; and networks of the target size, the same for all sets.
    tolerance : float
        The loss of accuracy that is accepted.
    confirm : int
        Number of larger pilots that must not be better.
    coverage : float
        Coverage of the intervals.
    budget : float
        CPU seconds to check one set at the target size. A set that would cost more is checked at a
        smaller size: the target is halved until the budget suffices.

    Examples
    --------
    >>> found = recommend_pilot_size(
    ...     "ba", 60, sizes=[15, 30, 60], k=1, samples=60, check_samples=200, engine="serial",
    ...     features=["degree_mean", "transitivity", "noise_normal"])
    >>> found.n_nodes, found.features, found.certain
    (15, ('degree_mean',), True)
    """
    target = check_integer("target", target)
    order = check_sizes(_default_sizes(target) if sizes is None else sizes, target)
    simulations = Simulations(space, seed, features, engine, workers, None, on_progress)
    ladder = PilotLadder(
        simulations, target, method, penalty, k, samples, check_samples, tolerance, confirm, coverage, budget
    )  # fmt: skip
    for n_nodes in order:
        ladder.add(n_nodes)
        if ladder.confirmed() is not None:
            break
    return ladder.recommendation()


def _default_sizes(target: int) -> list[int]:
    last = min(LAST_SIZE, target)
    sizes = [FIRST_SIZE * 2**i for i in range(20) if FIRST_SIZE * 2**i <= last]
    return sizes or [target]


@dataclass(frozen=True)
class Pilot:
    """One pilot: the features it selects, and which fresh networks of its size they predict."""

    n_nodes: int
    features: FeatureSet
    correct: Flags
    chance: float


@dataclass
class PilotLadder:
    """Pilots of increasing size, and the accuracies of their features.

    The settings are those of :func:`recommend_pilot_size`.

    Attributes
    ----------
    predictions : dict
        True and predicted labels, by size and set of features.
    """

    simulations: Simulations
    target: int
    method: str
    penalty: float
    k: int
    samples: int
    check_samples: int
    tolerance: float = 0.02
    confirm: int = 2
    coverage: float = 0.95
    budget: float = 600.0
    pilots: list[Pilot] = field(default_factory=list)
    tables: list[ReferenceTable] = field(default_factory=list)
    predictions: dict[tuple[int, FeatureSet], tuple[Labels, Labels]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise unknown("method", self.method, METHODS)
        check_non_negative("penalty", self.penalty)
        check_integer("k", self.k)
        check_integer("samples", self.samples, MIN_SAMPLES)
        check_integer("check_samples", self.check_samples, MIN_SAMPLES)
        check_fraction("tolerance", self.tolerance)
        check_integer("confirm", self.confirm)
        check_fraction("coverage", self.coverage)
        check_positive("budget", self.budget)

    def add(self, n_nodes: int) -> None:
        """Add a pilot of this size."""
        table = self.simulations.table("pilot", n_nodes, self.samples)
        self.tables.append(table)
        costs = costs_at(self.tables, self.target) if self.penalty else None
        ranking = rank_pilot(
            table, [self.method], [self.penalty], costs, seed=self.simulations.seed,
            n_jobs=self.simulations.workers,
        )  # fmt: skip
        features = tuple(sorted(ranking["feature"][: self.k]))
        if features:
            truth, predicted = self.predict(n_nodes, features)
            correct = truth == predicted
        else:
            truth = table.y.to_numpy(dtype=str)
            correct = np.zeros(len(truth), dtype=bool)
        self.pilots.append(Pilot(n_nodes, features, correct, chance(truth)))

    def predict(self, n_nodes: int, features: FeatureSet) -> tuple[Labels, Labels]:
        """Return true and predicted labels of networks of a size, from these features alone."""
        key = (n_nodes, features)
        if key not in self.predictions:
            table = self.simulations.table("check", n_nodes, self.check_samples, features)
            self.predictions[key] = cross_validated_labels(table)
        return self.predictions[key]

    def check_size(self, features: Iterable[str]) -> int:
        """Return the target, or the largest size by halving at which the features are affordable."""
        n, largest = self.target, self.pilots[-1].n_nodes
        if len(self.tables) < 2:
            return largest
        most = self.budget / self.check_samples
        while n > largest and most < costs_at(self.tables, n).cost_of_set(features, "shared"):
            n = max(n // 2, largest)
        return n

    def gain(self, small: Pilot, large: Pilot, n_nodes: int) -> tuple[float, float]:
        """Return the accuracy that the larger pilot's features gain, and the interval's upper end."""
        truth, by_small = self.predict(n_nodes, small.features)
        _, by_large = self.predict(n_nodes, large.features)
        return paired_gain(by_large == truth, by_small == truth, self.coverage)

    def learnable(self, pilot: Pilot) -> bool:
        """Return whether the features distinguish the models better than chance at their own size."""
        return bool(pilot.features) and above_chance(
            pilot.correct, pilot.chance, self.coverage, len(self.pilots)
        )

    def gains(self, i: int) -> list[tuple[float, float]]:
        """Return what the next larger pilots gain over pilot i."""
        small = self.pilots[i]
        following = self.pilots[i + 1 : i + 1 + self.confirm]
        larger = [pilot for pilot in following if pilot.features]
        if not small.features or not larger:
            return []
        n = min(self.check_size(pilot.features) for pilot in (small, *larger))
        return [self.gain(small, pilot, n) for pilot in larger]

    def confirmed(self) -> int | None:
        """Return the position of the smallest pilot that enough larger ones do not beat."""
        for i, pilot in enumerate(self.pilots[: -self.confirm]):
            gains = self.gains(i) if self.learnable(pilot) else []
            enough = len(gains) == self.confirm
            if enough and max(upper for _, upper in gains) <= self.tolerance:
                return i
        return None

    def not_beaten(self) -> int | None:
        """Return the position of the smallest pilot whose estimated loss is within the tolerance."""
        for i, pilot in enumerate(self.pilots):
            if self.learnable(pilot) and all(gain <= self.tolerance for gain, _ in self.gains(i)):
                return i
        return None

    def recommendation(self) -> Recommendation:
        """Return the smallest pilot that is large enough, and why."""
        chosen = self.confirmed()
        certain = chosen is not None
        if chosen is None:
            chosen = self.not_beaten()
        evidence = self._evidence()
        if chosen is None or self._hopeless(evidence):
            return Recommendation(None, (), self._no_verdict(evidence), False, evidence, [])
        pilot = self.pilots[chosen]
        check_n = int(evidence["check_n"].iloc[chosen])
        confused = confused_pairs(*self.predict(check_n, pilot.features), self.coverage)
        verdict = self._verdict(evidence.iloc[chosen], certain, confused)
        return Recommendation(pilot.n_nodes, pilot.features, verdict, certain, evidence, confused)

    def _evidence(self) -> pd.DataFrame:
        """Return a frame with one row for each size."""
        import pandas as pd

        sizes = [self.check_size(pilot.features) for pilot in self.pilots if pilot.features]
        n = min(sizes, default=self.target)
        return pd.DataFrame([self._row(i, n) for i in range(len(self.pilots))])

    def _row(self, i: int, check_n: int) -> dict[str, Any]:
        pilot = self.pilots[i]
        here = float(pilot.correct.mean())
        low, high = wilson(here, len(pilot.correct), self.coverage)
        row: dict[str, Any] = {
            "n": pilot.n_nodes, "features": pilot.features, "accuracy_here": here, "here_low": low,
            "here_high": high, "chance": pilot.chance, "learnable": self.learnable(pilot),
            "check_n": check_n, "accuracy_check": math.nan, "check_low": math.nan,
            "check_high": math.nan, "gain": math.nan, "gain_high": math.nan,
        }  # fmt: skip
        if pilot.features:
            truth, predicted = self.predict(check_n, pilot.features)
            row["accuracy_check"] = float((truth == predicted).mean())
            low, high = wilson(row["accuracy_check"], len(truth), self.coverage)
            row["check_low"], row["check_high"] = low, high
        gains = self.gains(i)
        if gains:
            row["gain"] = max(gain for gain, _ in gains)
            row["gain_high"] = max(upper for _, upper in gains)
        return row

    def _hopeless(self, evidence: pd.DataFrame) -> bool:
        """Return whether no pilot is better than chance, neither at its own size nor at the target."""
        for pilot in self.pilots:
            if self.learnable(pilot):
                return False
            if pilot.features:
                truth, predicted = self.predict(int(evidence["check_n"].iloc[0]), pilot.features)
                n_tests = len(self.pilots)
                if above_chance(truth == predicted, chance(truth), self.coverage, n_tests):
                    return False
        return True

    def _no_verdict(self, evidence: pd.DataFrame) -> str:
        last = self.pilots[-1].n_nodes
        if not self._hopeless(evidence):
            return (
                f"no pilot can be recommended: larger pilots still select better features at {last} "
                "nodes; try larger sizes"
            )
        best, by_chance = evidence["accuracy_check"].max(), evidence["chance"].mean()
        check_n = int(evidence["check_n"].iloc[0])
        seen = (
            "no feature varies" if math.isnan(best) else f"at best {best:.3f} with {check_n} nodes"
        )
        return (
            f"no pilot can be recommended: with pilots of up to {last} nodes the models are not "
            f"distinguished better than by chance (accuracy {seen}; chance {by_chance:.3f}). They are the "
            "same, or they differ in nothing that the features measure, or only in larger networks"
        )

    def _verdict(self, row: pd.Series, certain: bool, confused: list[tuple[str, str]]) -> str:
        where = f"{row['check_n']} nodes"
        verdict = (
            f"{row['n']} nodes are enough: features selected there have an accuracy of "
            f"{row['accuracy_check']:.3f} ({row['check_low']:.3f} to {row['check_high']:.3f}) at {where}"
        )
        if row["check_n"] < self.target:
            verdict += f" (at {self.target} nodes they cost more than the budget)"
        if not math.isnan(row["gain_high"]):
            verdict += (
                f"; larger pilots gain {row['gain']:.3f} there, at most {row['gain_high']:.3f}"
            )
        if not certain:
            verdict = (
                f"perhaps {verdict}. This is not certain: expected a gain of at most "
                f"{self.tolerance:g} for {self.confirm} larger sizes; try more sizes or more "
                "networks to check with"
            )
        for first, second in confused:
            verdict += (
                f". {first} and {second} are not distinguished at {where} by any selected feature"
            )
        return verdict


def paired_gain(correct: Flags, before: Flags, coverage: float = 0.95) -> tuple[float, float]:
    """Return how much more often the first prediction is correct, and the upper end of its interval.

    Both are predictions for the same rows. The interval is that of Agresti & Min (2005),
    doi:10.1002/sim.1781, which adds half a row to each cell.

    >>> gain, upper = paired_gain(np.array([True] * 100), np.array([True] * 99 + [False]))
    >>> gain, round(upper, 3)
    (0.01, 0.037)
    """
    n = len(correct)
    won, lost = float((correct & ~before).sum()), float((before & ~correct).sum())
    gain = (won - lost) / n
    won, lost, n = won + 0.5, lost + 0.5, n + 2
    middle = (won - lost) / n
    error = math.sqrt((won + lost) / n - middle**2) / math.sqrt(n)
    return gain, middle + float(ndtri((1 + coverage) / 2)) * error


def cross_validated_labels(table: ReferenceTable) -> tuple[Labels, Labels]:
    """Return the true labels, and those predicted by 10 nearest neighbours in cross-validation."""
    from sklearn.model_selection import StratifiedKFold, cross_val_predict
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    truth = table.y.to_numpy(dtype=str)
    fewest = int(np.unique(truth, return_counts=True)[1].min())
    if fewest < 2 or len(set(truth)) < 2:
        raise UsageError(
            f"the rarest model has {fewest} of {len(truth)} rows; more check_samples are needed"
        )
    folds = StratifiedKFold(min(10, fewest), shuffle=True, random_state=0)
    neighbours = KNeighborsClassifier(min(10, len(truth) // 4))
    classifier = make_pipeline(StandardScaler(), neighbours)
    predicted = cross_val_predict(classifier, table.X.to_numpy(dtype=float), truth, cv=folds)
    return truth, np.asarray(predicted, dtype=str)


def chance(truth: Labels) -> float:
    """Return the accuracy of always predicting the most frequent label."""
    return float(np.unique(truth, return_counts=True)[1].max() / len(truth))


def above_chance(correct: Flags, by_chance: float, coverage: float, n_tests: int) -> bool:
    """Return whether the accuracy is above chance, corrected for the number of such tests."""
    strict = 1 - (1 - coverage) / max(1, n_tests)
    return wilson(float(correct.mean()), len(correct), strict)[0] > by_chance


def confused_pairs(truth: Labels, predicted: Labels, coverage: float) -> list[tuple[str, str]]:
    """Return the pairs of labels that are not distinguished better than by chance."""
    pairs = list(combinations(sorted(set(truth)), 2))
    confused = []
    for pair in pairs:
        both = np.isin(truth, pair) & np.isin(predicted, pair)
        true, correct = truth[both], (truth == predicted)[both]
        if both.any() and not above_chance(correct, chance(true), coverage, len(pairs)):
            confused.append(pair)
    return confused
