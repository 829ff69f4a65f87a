"""One pilot after the other, and what the features of each are worth at a larger size."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from netchoice.cost_growth import CostGrowth
from netchoice.evaluation import wilson
from netchoice.storage.table import ReferenceTable
from netchoice.workflows.pilot_accuracy import (
    Labels,
    above_chance,
    chance,
    paired_gain,
    told_labels,
)
from netchoice.workflows.pilot_tables import Maker, digest, fit_growth, rank, seconds_spent

if TYPE_CHECKING:
    import pandas as pd


@dataclass
class Rung:
    """One pilot: what it selects, and which fresh networks of its size that tells rightly."""

    n: int
    features: tuple[str, ...]
    right_here: NDArray[np.bool_]
    chance_here: float
    seconds: float


@dataclass
class Climb:
    """Pilots so far, and everything that was checked."""

    maker: Maker
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
    rungs: list[Rung] = field(default_factory=list)
    tables: list[ReferenceTable] = field(default_factory=list)
    checked: dict[tuple[int, tuple[str, ...]], tuple[Labels, Labels]] = field(default_factory=dict)
    seconds_checked: dict[tuple[int, tuple[str, ...]], float] = field(default_factory=dict)

    def step(self, n: int) -> None:
        """One more pilot."""
        table = self.maker.table(n, self.samples, stream="pilot")
        self.tables.append(table)
        growth = self.growth()
        costs = table.costs if growth is None else growth.predict(self.target)
        ranking = rank(
            table, [self.method], [self.penalty], costs if self.penalty else None,
            seed=self.maker.seed, workers=self.maker.workers,
        )  # fmt: skip
        chosen = tuple(sorted(ranking["feature"][: self.k]))
        truth, told = self.tell(n, chosen) if chosen else (table.y.to_numpy(dtype=str),) * 2
        right = truth == told if chosen else np.zeros(len(truth), dtype=bool)
        self.rungs.append(Rung(n, chosen, right, chance(truth), seconds_spent(table)))

    def growth(self) -> CostGrowth | None:
        """How costs grow, once two sizes are known."""
        return fit_growth(self.tables) if len(self.tables) > 1 else None

    def tell(self, n: int, features: tuple[str, ...]) -> tuple[Labels, Labels]:
        """True and told labels of the networks of a size, by these features alone."""
        key = (n, features)
        if key not in self.checked:
            table = self.maker.table(
                n, self.check_samples, stream="check", features=features, part=digest(features)
            )
            self.checked[key] = told_labels(table)
            self.seconds_checked[key] = seconds_spent(table)
        return self.checked[key]

    def check_size(self, features: Iterable[str]) -> int:
        """The target, or the largest size, halving, where these features can be afforded."""
        growth, n = self.growth(), self.target
        largest = self.rungs[-1].n
        if growth is None:
            return largest
        while n > largest and self.budget < self.check_samples * growth.predict(n).cost_of_set(
            features, "shared"
        ):
            n = max(n // 2, largest)
        return n

    def gain(self, small: Rung, large: Rung, n: int) -> tuple[float, float]:
        """Accuracy that the larger pilot's features gain, and the upper end of its interval."""
        truth, by_small = self.tell(n, small.features)
        _, by_large = self.tell(n, large.features)
        return paired_gain(by_large == truth, by_small == truth, self.coverage)

    def learnable(self, rung: Rung) -> bool:
        """Whether the features tell the models better than chance at the pilot's own size."""
        return bool(rung.features) and above_chance(
            rung.right_here, rung.chance_here, self.coverage, len(self.rungs)
        )

    def gains(self, i: int) -> list[tuple[float, float]]:
        """What the next larger pilots gain over pilot i, as far as there are any."""
        small = self.rungs[i]
        larger = [rung for rung in self.rungs[i + 1 : i + 1 + self.confirm] if rung.features]
        if not small.features or not larger:
            return []
        n = min(self.check_size(rung.features) for rung in (small, *larger))
        return [self.gain(small, rung, n) for rung in larger]

    def chosen(self) -> int | None:
        """The smallest pilot that enough larger ones do not beat; its position."""
        for i, rung in enumerate(self.rungs[: -self.confirm]):
            gains = self.gains(i) if self.learnable(rung) else []
            enough = len(gains) == self.confirm
            if enough and max(high for _, high in gains) <= self.tolerance:
                return i
        return None

    def not_worse_than_larger(self) -> int | None:
        """The smallest pilot from which on gains cannot be told from 0."""
        for i, rung in enumerate(self.rungs):
            if self.learnable(rung):
                gains = self.gains(i)
                if all(gain <= self.tolerance for gain, _ in gains):
                    return i
        return None

    def evidence(self) -> pd.DataFrame:
        """What is known of each size."""
        import pandas as pd

        with_any = [rung for rung in self.rungs if rung.features]
        n = min((self.check_size(rung.features) for rung in with_any), default=self.target)
        rows = []
        for i, rung in enumerate(self.rungs):
            here = float(rung.right_here.mean())
            low, high = wilson(here, len(rung.right_here), self.coverage)
            row: dict[str, Any] = {
                "n": rung.n, "features": rung.features, "accuracy_here": here, "here_low": low,
                "here_high": high, "chance": rung.chance_here, "learnable": self.learnable(rung),
                "check_n": n, "accuracy_check": math.nan, "check_low": math.nan,
                "check_high": math.nan, "gain": math.nan, "gain_high": math.nan,
                "seconds": rung.seconds,
            }  # fmt: skip
            if rung.features:
                truth, told = self.tell(n, rung.features)
                row["accuracy_check"] = float((truth == told).mean())
                low, high = wilson(row["accuracy_check"], len(truth), self.coverage)
                row["check_low"], row["check_high"] = low, high
            gains = self.gains(i)
            if gains:
                row["gain"] = max(gain for gain, _ in gains)
                row["gain_high"] = max(high for _, high in gains)
            rows.append(row)
        return pd.DataFrame(rows)

    def hopeless(self, evidence: pd.DataFrame) -> bool:
        """No better than chance anywhere: neither at the pilots' sizes nor where all are checked."""
        for rung in self.rungs:
            if self.learnable(rung):
                return False
            if rung.features:
                truth, told = self.tell(int(evidence["check_n"].iloc[0]), rung.features)
                if above_chance(truth == told, chance(truth), self.coverage, len(self.rungs)):
                    return False
        return True
