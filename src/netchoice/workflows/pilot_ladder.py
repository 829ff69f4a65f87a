"""Pilots of increasing size, and how accurate their features are at a larger size."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from netchoice.cost_growth import CostGrowth
from netchoice.evaluation import wilson
from netchoice.evaluation.accuracy_tests import (
    Labels,
    above_chance,
    chance,
    cross_validated_labels,
    paired_gain,
)
from netchoice.storage.table import ReferenceTable
from netchoice.workflows.pilot_inputs import fit_cost_growth, pilot_table, rank_pilot
from netchoice.workflows.table_maker import TableMaker, total_seconds

if TYPE_CHECKING:
    import pandas as pd

FeatureSet = tuple[str, ...]


@dataclass(frozen=True)
class Pilot:
    """One pilot: the features it selects, and which fresh networks of its size they predict."""

    n_nodes: int
    features: FeatureSet
    correct: NDArray[np.bool_]
    chance: float
    seconds: float


@dataclass(frozen=True)
class LadderSettings:
    """How pilots are made and compared; see :func:`recommend_pilot_size`."""

    target: int
    method: str
    penalty: float
    k: int
    samples: int
    check_samples: int
    tolerance: float
    confirm: int
    coverage: float
    budget: float


@dataclass
class PilotLadder:
    """Pilots of increasing size, and the accuracies of their features.

    Attributes
    ----------
    predictions : dict
        True and predicted labels, by size and set of features.
    check_seconds : dict
        CPU seconds of these checks.
    """

    maker: TableMaker
    settings: LadderSettings
    pilots: list[Pilot] = field(default_factory=list)
    tables: list[ReferenceTable] = field(default_factory=list)
    predictions: dict[tuple[int, FeatureSet], tuple[Labels, Labels]] = field(default_factory=dict)
    check_seconds: dict[tuple[int, FeatureSet], float] = field(default_factory=dict)

    def add(self, n_nodes: int) -> None:
        """Add a pilot of this size."""
        settings = self.settings
        table = pilot_table(self.maker, "pilot", n_nodes, settings.samples)
        self.tables.append(table)
        growth = self.cost_growth()
        costs = table.costs if growth is None else growth.predict(settings.target)
        ranking = rank_pilot(
            table,
            [settings.method],
            [settings.penalty],
            costs if settings.penalty else None,
            seed=self.maker.seed,
            n_jobs=self.maker.workers,
        )
        features = tuple(sorted(ranking["feature"][: settings.k]))
        if features:
            truth, predicted = self.predict(n_nodes, features)
            correct = truth == predicted
        else:
            truth = table.y.to_numpy(dtype=str)
            correct = np.zeros(len(truth), dtype=bool)
        self.pilots.append(Pilot(n_nodes, features, correct, chance(truth), total_seconds(table)))

    def cost_growth(self) -> CostGrowth | None:
        """Return how costs grow; None for fewer than two sizes."""
        return fit_cost_growth(self.tables) if len(self.tables) > 1 else None

    def predict(self, n_nodes: int, features: FeatureSet) -> tuple[Labels, Labels]:
        """Return true and predicted labels of networks of a size, from these features alone."""
        key = (n_nodes, features)
        if key not in self.predictions:
            table = pilot_table(self.maker, "check", n_nodes, self.settings.check_samples, features)
            self.predictions[key] = cross_validated_labels(table)
            self.check_seconds[key] = total_seconds(table)
        return self.predictions[key]

    def check_size(self, features: Iterable[str]) -> int:
        """Return the target, or the largest size by halving at which the features are affordable."""
        growth, n = self.cost_growth(), self.settings.target
        largest = self.pilots[-1].n_nodes
        if growth is None:
            return largest
        cost = self.settings.budget / self.settings.check_samples
        while n > largest and cost < growth.predict(n).cost_of_set(features, "shared"):
            n = max(n // 2, largest)
        return n

    def gain(self, small: Pilot, large: Pilot, n_nodes: int) -> tuple[float, float]:
        """Return the accuracy that the larger pilot's features gain, and the interval's upper end."""
        truth, by_small = self.predict(n_nodes, small.features)
        _, by_large = self.predict(n_nodes, large.features)
        return paired_gain(by_large == truth, by_small == truth, self.settings.coverage)

    def learnable(self, pilot: Pilot) -> bool:
        """Return whether the features distinguish the models better than chance at their own size."""
        return bool(pilot.features) and above_chance(
            pilot.correct, pilot.chance, self.settings.coverage, len(self.pilots)
        )

    def gains(self, i: int) -> list[tuple[float, float]]:
        """Return what the next larger pilots gain over pilot i."""
        small = self.pilots[i]
        following = self.pilots[i + 1 : i + 1 + self.settings.confirm]
        larger = [pilot for pilot in following if pilot.features]
        if not small.features or not larger:
            return []
        n = min(self.check_size(pilot.features) for pilot in (small, *larger))
        return [self.gain(small, pilot, n) for pilot in larger]

    def confirmed(self) -> int | None:
        """Return the position of the smallest pilot that enough larger ones do not beat."""
        settings = self.settings
        for i, pilot in enumerate(self.pilots[: -settings.confirm]):
            gains = self.gains(i) if self.learnable(pilot) else []
            enough = len(gains) == settings.confirm
            if enough and max(upper for _, upper in gains) <= settings.tolerance:
                return i
        return None

    def not_beaten(self) -> int | None:
        """Return the position of the smallest pilot whose estimated loss is within the tolerance."""
        for i, pilot in enumerate(self.pilots):
            if self.learnable(pilot) and all(
                gain <= self.settings.tolerance for gain, _ in self.gains(i)
            ):
                return i
        return None

    def evidence(self) -> pd.DataFrame:
        """Return a frame with one row for each size."""
        import pandas as pd

        sizes = [self.check_size(pilot.features) for pilot in self.pilots if pilot.features]
        n = min(sizes, default=self.settings.target)
        return pd.DataFrame([self._row(i, n) for i in range(len(self.pilots))])

    def _row(self, i: int, check_n: int) -> dict[str, Any]:
        pilot, coverage = self.pilots[i], self.settings.coverage
        here = float(pilot.correct.mean())
        low, high = wilson(here, len(pilot.correct), coverage)
        row: dict[str, Any] = {
            "n": pilot.n_nodes, "features": pilot.features, "accuracy_here": here, "here_low": low,
            "here_high": high, "chance": pilot.chance, "learnable": self.learnable(pilot),
            "check_n": check_n, "accuracy_check": math.nan, "check_low": math.nan,
            "check_high": math.nan, "gain": math.nan, "gain_high": math.nan,
            "seconds": pilot.seconds,
        }  # fmt: skip
        if pilot.features:
            truth, predicted = self.predict(check_n, pilot.features)
            row["accuracy_check"] = float((truth == predicted).mean())
            low, high = wilson(row["accuracy_check"], len(truth), coverage)
            row["check_low"], row["check_high"] = low, high
        gains = self.gains(i)
        if gains:
            row["gain"] = max(gain for gain, _ in gains)
            row["gain_high"] = max(upper for _, upper in gains)
        return row

    def hopeless(self, evidence: pd.DataFrame) -> bool:
        """Return whether no pilot is better than chance, neither at its own size nor at the target."""
        for pilot in self.pilots:
            if self.learnable(pilot):
                return False
            if pilot.features:
                truth, predicted = self.predict(int(evidence["check_n"].iloc[0]), pilot.features)
                coverage, n_tests = self.settings.coverage, len(self.pilots)
                if above_chance(truth == predicted, chance(truth), coverage, n_tests):
                    return False
        return True
