"""The three methods behind one face."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netchoice.errors import UsageError
from netchoice.inference.checked_inputs import Codes, Floats, checked_count
from netchoice.inference.forest import ByForest
from netchoice.inference.nearest import Told
from netchoice.inference.neighbours import ByNeighbours
from netchoice.inference.regression import ByRegression
from netchoice.inference.scaling import DEFAULT_SCALING, Scaling

METHODS = ("neighbours", "forest", "regression")
DEFAULT_METHOD = "regression"
COVERAGE = 0.95


@dataclass(frozen=True)
class Method:
    """One of the three, with its settings."""

    name: str
    scaling: str = DEFAULT_SCALING
    n_neighbors: int | None = None
    n_trees: int = 500
    seed: int = 0
    n_jobs: int | None = None

    def __post_init__(self) -> None:
        if self.name not in METHODS:
            expected = ", ".join(map(repr, METHODS))
            raise UsageError(f"method {self.name!r}; expected one of {expected}")
        checked_count("n_trees", self.n_trees, 1_000_000)

    def near(self, n: int) -> int:
        """How many of n simulations count as near."""
        if self.n_neighbors is not None:
            return checked_count("n_neighbors", self.n_neighbors, n)
        root = float(np.sqrt(n))
        return min(n, max(10, round(root / 2)) if self.name == "neighbours" else round(8 * root))

    def tell(self, X: Floats, y: Codes, n_models: int, asked: Floats, coverage: float) -> Told:
        """Learn from the table, and tell the probabilities of the models for the rows asked."""
        scales = Scaling.fit(X, self.scaling)
        X, asked = scales.transform(X), scales.transform(asked)
        if self.name == "forest":
            settings: dict[str, Any] = {"n_trees": self.n_trees, "seed": self.seed}
            forests = ByForest(X, y, n_models, **settings, n_jobs=self.n_jobs)
            return forests.tell(asked, coverage)
        near = self.near(len(X))
        if self.name == "neighbours":
            return ByNeighbours(X, y, n_models, n_neighbors=near).tell(asked, coverage)
        regression = ByRegression(X, y, n_models, n_neighbors=near, n_jobs=self.n_jobs)
        return regression.tell(asked, coverage)

    def details(self, told: Told, models: list[str], n: int) -> dict[str, Any]:
        """What else is told of the first network."""

        def by_model(values: NDArray[Any]) -> dict[str, float]:
            return dict(zip(models, values[0].tolist(), strict=True))

        found = told.details
        if self.name == "forest":
            rest = {key: float(found[key][0]) for key in ("local_error", "rows_near")}
            return {"n_trees": self.n_trees, "votes": by_model(found["votes"]), **rest}
        if self.name == "neighbours":
            return {"n_neighbors": self.near(n), "votes": by_model(found["votes"])}
        near = by_model(found["weight_near"])
        return {
            "n_neighbors": self.near(n),
            "near": near,
            "absent": [model for model, weight in near.items() if weight == 0],
            "separated": bool(found["separated"][0]),
        }


def reweighted(told: Told, factors: Floats) -> Told:
    """Under other prior weights than the shares of the table.

    Bounds move with the odds of the model against the others together, whose proportions stay: exact
    for two models.
    """
    odds = told.probabilities * factors
    chances = odds / odds.sum(axis=1, keepdims=True)
    others = (odds.sum(axis=1, keepdims=True) - odds) / (1 - told.probabilities)

    def moved(bound: Floats) -> Floats:
        return np.asarray(bound * factors / (bound * factors + (1 - bound) * others))

    return Told(chances, moved(told.low), moved(told.high), told.details)
