"""Every set of features that was tried, packed for the page: rankings, accuracies, costs."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from netchoice.costs import CostModel
from netchoice.evaluation import pareto_front, wilson
from netchoice.report.costs import CostAxis, Unit, has_costs
from netchoice.report.markup import label
from netchoice.report.theme import short

if TYPE_CHECKING:
    import pandas as pd

COVERAGE = 0.95
CHARGES = ("shared", "alone")


class Grid:
    """The first k features of every ranking: by method, penalty and k.

    Parameters
    ----------
    rankings, evaluation : DataFrame
        As :func:`netchoice.selection.rank_path` and :func:`netchoice.evaluate` make them.
    costs : CostModel
    chosen : dict
        ``method``, ``penalty`` and ``k`` of the set that is recommended, and the ``charge`` that
        counted.
    """

    def __init__(
        self,
        rankings: pd.DataFrame,
        evaluation: pd.DataFrame,
        costs: CostModel,
        chosen: dict[str, Any],
        unit: Unit,
    ) -> None:
        self.unit = unit
        self.charge = str(chosen.get("charge", "shared"))
        self.orders = {
            key: list(own.sort_values("position")["feature"])
            for key, own in rankings.groupby(["method", "penalty"], sort=False)
        }
        self.features = list(dict.fromkeys(rankings["feature"]))
        self.methods = list(dict.fromkeys(evaluation["method"]))
        self.rows = evaluation.sort_values(["penalty", "k"], kind="stable")
        self.given = has_costs(costs)
        self.whole = costs.cost_of_set(self.features, "shared")
        self.recommended = self._find(chosen)

    def of(self, method: str) -> pd.DataFrame:
        """The rows of one method, by penalty and then k."""
        return self.rows[self.rows["method"] == method]

    def penalties(self, method: str) -> list[float]:
        """Its values of λ, smallest first."""
        return sorted(set(self.of(method)["penalty"]))

    def sets(self, row: Any) -> list[str]:
        """The features of a row, best first."""
        return self.orders[(row["method"], row["penalty"])][: int(row["k"])]

    @cached_property
    def axis(self) -> CostAxis:
        """Of both costs, so that it stays where it is when one is looked at after the other."""
        both = [self.rows[f"cost_{charge}"] for charge in CHARGES]
        return CostAxis([*both[0], *both[1]], self.unit)

    @property
    def has_costs(self) -> bool:
        """Whether anything costs anything."""
        return bool(self.axis.positive)

    def place(self, row: Any, charge: str) -> float:
        """Where a set stands along the axis: at its cost, or at its size where nothing has a cost."""
        return self.axis.place(row[f"cost_{charge}"]) if self.has_costs else float(row["k"])

    def front(self, charge: str) -> dict[str, list[float | None]]:
        """The best accuracy for the money, as a line."""
        if not self.has_costs:
            best = self.rows.groupby("k", as_index=False)["accuracy"].max()
            return {"x": short(best["k"]), "y": short(best["accuracy"])}
        front = pareto_front(self.rows, cost=f"cost_{charge}")
        return {
            "x": short(map(self.axis.place, front[f"cost_{charge}"])),
            "y": short(front["accuracy"]),
        }

    def best_rows(self) -> list[dict[str, Any]]:
        """The Pareto front as a table, cheapest first."""
        cost = f"cost_{self.charge}"
        return list(pareto_front(self.rows, cost=cost).to_dict("records"))

    def _find(self, chosen: dict[str, Any]) -> dict[str, int]:
        method = str(chosen["method"])
        penalties = self.penalties(method)
        near = min(range(len(penalties)), key=lambda i: abs(penalties[i] - chosen["penalty"]))
        own = self.of(method)
        if int(chosen["k"]) not in set(own[own["penalty"] == penalties[near]]["k"]):
            raise ValueError(
                f"evaluation.csv has no row of the set chosen ({method}, {chosen['k']})"
            )
        return {"method": self.methods.index(method), "penalty": near, "k": int(chosen["k"])}

    def packed(self) -> dict[str, Any]:
        """For the script; features by their number."""
        number = {name: i for i, name in enumerate(self.features)}
        n = float((self.rows["n_choosing"] + self.rows["n_reporting"]).iloc[0])
        ends = {share: wilson(share, n, COVERAGE) for share in set(self.rows["accuracy"])}
        cells = []
        for method in self.methods:
            own = self.of(method)
            cells.append([self._cell(at, number, ends) for _, at in own.groupby("penalty")])
        return {
            "features": self.features,
            "labels": [label(name, 60) for name in self.features],
            "methods": self.methods,
            "penalties": [self.penalties(method) for method in self.methods],
            "cells": cells,
            "whole": self.whole,
            "floor": self.axis.floor,
            "has_costs": self.has_costs,
            "given": self.given,
            "seconds": self.unit.seconds,
            "charge": self.charge,
            "front": {charge: self.front(charge) for charge in CHARGES},
            "recommended": self.recommended,
            "rows": int(n),
        }

    def _cell(
        self, at: pd.DataFrame, number: dict[str, int], ends: dict[float, tuple[float, float]]
    ) -> dict[str, Any]:
        """One ranking: its features in order, and what the first k of them do and cost."""
        first = at.iloc[0]
        order = self.orders[(first["method"], first["penalty"])][: int(at["k"].max())]
        return {
            "order": [number[name] for name in order],
            "k": [int(k) for k in at["k"]],
            "accuracy": short(at["accuracy"]),
            "low": short(ends[share][0] for share in at["accuracy"]),
            "high": short(ends[share][1] for share in at["accuracy"]),
            "alone": short(at["cost_alone"]),
            "shared": short(at["cost_shared"]),
        }
