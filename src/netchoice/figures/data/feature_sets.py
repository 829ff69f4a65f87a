"""Sets of features that an evaluation compared: accuracy, cost, and positions in the rankings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from netchoice.costs import CostModel
from netchoice.errors import UsageError
from netchoice.evaluation import measure_of, pareto_front


class AccuracyGrid(NamedTuple):
    """One method's evaluation: a row for each k and a column for each penalty.

    Cells without an evaluation are NaN. ``noise_cells`` are row and column of each set that
    contains noise features.
    """

    penalties: list[float]
    ks: list[int]
    accuracy: NDArray[np.float64]
    cost: NDArray[np.float64]
    noise_cells: NDArray[np.int64]


def accuracy_grid(evaluation: pd.DataFrame, method: str, cost: str) -> AccuracyGrid:
    """Return one method's accuracies, costs (in this column) and sets with noise features."""
    rows = evaluation[evaluation["method"] == method]
    for row in rows[rows.duplicated(["penalty", "k"])].itertuples():
        raise UsageError(
            f"the evaluation of {method!r} has two rows for penalty {row.penalty:g} and "
            f"k = {row.k:g}; expected one"
        )
    columns = ["accuracy", cost, "n_noise"]
    wide = rows.pivot(index="k", columns="penalty", values=columns).astype(np.float64)
    accuracy, costs, n_noise = (wide[name].to_numpy() for name in columns)
    penalties = [float(penalty) for penalty in wide["accuracy"].columns]
    noise_cells = np.argwhere(np.nan_to_num(n_noise) > 0)
    return AccuracyGrid(penalties, [int(k) for k in wide.index], accuracy, costs, noise_cells)


def accuracy_limits(
    evaluation: pd.DataFrame, low: float | None = None, high: float | None = None
) -> tuple[float, float]:
    """Return the ends of the colour scale; if all accuracies are equal, they get the best colour."""
    low = float(evaluation["accuracy"].min()) if low is None else low
    high = float(evaluation["accuracy"].max()) if high is None else high
    return (low if low < high else high - 0.01), high


def ranking_positions(rankings: pd.DataFrame, method: str) -> pd.DataFrame:
    """Return the position of each feature (rows) at each penalty (columns) for one method."""
    rows = rankings[rankings["method"] == method]
    for row in rows[rows.duplicated(["penalty", "feature"])].itertuples():
        raise UsageError(
            f"the ranking path of {method!r} has {row.feature!r} twice at penalty "
            f"{row.penalty:g}; expected it once"
        )
    return rows.pivot(index="feature", columns="penalty", values="position").sort_index(axis=1)


def penalty_text(penalty: float, digits: int = 4) -> str:
    """Return a penalty as short text for an axis.

    >>> penalty_text(0.0125), penalty_text(204.8, 2), penalty_text(61440.0)
    ('0.0125', '205', '61.4k')
    """
    if penalty >= 1e6:
        return f"{penalty:.2g}"
    if penalty >= 1000:
        return f"{penalty / 1000:.3g}k"
    return f"{penalty:.{max(digits, 3) if penalty >= 100 else digits}g}"


class FeatureSets:
    """The first k features of every ranking: by method, penalty and k.

    ``rankings`` and ``evaluation`` are what :func:`netchoice.selection.rank_path` and
    :func:`netchoice.evaluate` return. ``chosen`` holds ``method``, ``penalty`` and ``k`` of the
    recommended set, and the ``charge`` of its cost. The unit is "s" for seconds, or "".
    """

    def __init__(
        self, rankings: pd.DataFrame, evaluation: pd.DataFrame, costs: CostModel,
        chosen: Mapping[str, Any], unit: str,
    ) -> None:  # fmt: skip
        self.unit, self.rankings = unit, rankings
        self.charge = str(chosen.get("charge", "shared"))
        self.orders = {
            key: list(own.sort_values("position")["feature"])
            for key, own in rankings.groupby(["method", "penalty"], sort=False)
        }
        self.features = list(dict.fromkeys(rankings["feature"]))
        self.measure = measure_of(evaluation)
        self.methods = list(dict.fromkeys(evaluation["method"]))
        self.evaluation = evaluation.sort_values(["penalty", "k"], kind="stable")
        self.costs_given = any(costs.alone().values())
        self.has_costs = bool((self.evaluation[["cost_shared", "cost_alone"]] > 0).any(axis=None))
        self.cost_of_all = costs.cost_of_set(self.features, "shared")
        self.recommended = self._index(chosen)

    def rows(self, method: str) -> pd.DataFrame:
        """Return the evaluation of one method, ordered by penalty and then k."""
        return self.evaluation[self.evaluation["method"] == method]

    def penalties(self, method: str) -> list[float]:
        """Return the penalties of one method in ascending order."""
        return sorted(set(self.rows(method)["penalty"]))

    def features_of(self, row: Mapping[str, Any]) -> list[str]:
        """Return the features of one row of the evaluation, in their order of selection."""
        return self.orders[(row["method"], row["penalty"])][: int(row["k"])]

    def distinct_rows(self, method: str) -> list[dict[str, Any]]:
        """Return one row of a method for each distinct set, that of the smallest penalty."""
        distinct: dict[frozenset[str], dict[str, Any]] = {}
        for row in self.rows(method).to_dict("records"):
            distinct.setdefault(frozenset(self.features_of(row)), row)
        return list(distinct.values())

    def front(self, charge: str) -> pd.DataFrame:
        """Return the Pareto front, the cheapest set first."""
        return pareto_front(self.evaluation, cost=f"cost_{charge}")

    def _index(self, chosen: Mapping[str, Any]) -> dict[str, int]:
        """Return the index of the chosen method and penalty, and the chosen k."""
        method, k = str(chosen["method"]), int(chosen["k"])
        penalties = self.penalties(method)
        nearest = min(range(len(penalties)), key=lambda i: abs(penalties[i] - chosen["penalty"]))
        own = self.rows(method)
        if k not in set(own[own["penalty"] == penalties[nearest]]["k"]):
            raise ValueError(f"evaluation.csv has no row of the chosen set ({method}, {k})")
        return {"method": self.methods.index(method), "penalty": nearest, "k": k}
