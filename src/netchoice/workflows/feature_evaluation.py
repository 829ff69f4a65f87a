"""The result of an evaluation of features, with its tables, figures and report."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from netchoice.atomic import write_text
from netchoice.costs import CostModel
from netchoice.evaluation import OperatingPoint, format_accuracy, pareto_front
from netchoice.notebook import summary_html
from netchoice.storage.listing import claim_files, list_files
from netchoice.storage.shards import disk_errors
from netchoice.stores import place
from netchoice.units import duration
from netchoice.workflows.feature_selection import SCORES
from netchoice.workflows.result_tables import ResultTables
from netchoice.workflows.run_folder import versions
from netchoice.workflows.shortcuts import draw_one, write_page

if TYPE_CHECKING:
    import pandas as pd


#: Files that the report is made from.
_READ_AGAIN = ("rankings.csv", "evaluation.csv", "costs.json", "recommended.json")


def evaluation_files(methods: Iterable[str]) -> list[str]:
    """Return the names of all files that an evaluation may write."""
    figures = ["heatmaps", "costs", "pareto", *(f"ranking-{name}" for name in methods)]
    drawn = [f"{name}.{suffix}" for name in figures for suffix in ("png", "svg", "pdf")]
    return [*_READ_AGAIN, SCORES, "report.html", *drawn]


@dataclass(frozen=True)
class EvaluationSettings:
    """What an evaluation of features depends on."""

    methods: tuple[str, ...]
    penalties: tuple[float, ...]
    max_features: int
    classifier: Any
    folds: int
    budget: float | str | None
    rule: str
    charge: str
    cost_scale: str
    label: str
    target: str
    seed: int
    rows: dict[str, int]


@dataclass(frozen=True)
class FeatureEvaluation(ResultTables):
    """Accuracy against cost for many sets of features; returned by :func:`evaluate_features`.

    ``evaluation`` is a frame as :func:`netchoice.evaluate_rankings` returns it, ``rankings`` one of
    :func:`netchoice.selection.rank_path`. ``cost_source`` says where the costs come from,
    ``in_seconds`` whether they are times, ``train`` and ``test`` where the tables come from.

    Examples
    --------
    >>> import netchoice
    >>> table = netchoice.simulate_table(
    ...     "ba", n_nodes=40, n_samples=80, seed=1, engine="serial",
    ...     features=["degree_mean", "transitivity", "noise_normal"])
    >>> result = netchoice.evaluate_features(table, methods=["jmi"], max_features=2, folds=5)
    >>> sorted(result.rankings["method"].unique()), result.in_seconds, result.recommended.features
    (['jmi'], True, ('degree_mean',))
    """

    recommended: OperatingPoint
    evaluation: pd.DataFrame = field(repr=False)
    rankings: pd.DataFrame = field(repr=False)
    costs: CostModel = field(repr=False)
    cost_source: str
    in_seconds: bool
    settings: EvaluationSettings
    train: str | None = None
    test: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return what ``recommended.json`` holds."""
        return {
            "train": self.train,
            "test": self.test,
            "costs": self.cost_source,
            "recommended": self.recommended.as_dict(),
            "settings": asdict(self.settings),
            **versions(),
        }

    def save(self, folder: str | PathLike[str]) -> Path:
        """Write the recommendation, the evaluation, the rankings and the costs."""
        folder = place(folder)
        joined = self.evaluation.assign(features=self.evaluation["features"].map(";".join))
        record = {**self.as_dict(), "out": str(folder)}
        text = json.dumps(record, indent=2, ensure_ascii=False, default=str)
        claim_files(folder, _READ_AGAIN)
        with disk_errors(folder):
            write_text(folder / "rankings.csv", self.rankings.to_csv(index=False))
            write_text(folder / "evaluation.csv", joined.to_csv(index=False))
            write_text(folder / "costs.json", json.dumps(self.costs.as_dict(), indent=2))
            write_text(folder / "recommended.json", text)
        list_files(folder, _READ_AGAIN)
        return folder

    def __repr__(self) -> str:
        point = self.recommended
        accuracy = format_accuracy(point.accuracy, point.measure)
        return (
            f"<FeatureEvaluation: {len(self.evaluation)} sets of features; recommended: "
            f"{', '.join(point.features)} ({point.measure} {accuracy})>"
        )

    def _repr_html_(self) -> str:
        point = self.recommended
        cost, front = f"cost_{point.charge}", self._front()
        rows = [
            (row["method"], f"{row['penalty']:.3g}", ", ".join(row["features"]),
             format_accuracy(row["accuracy"], point.measure), self._cost_text(row[cost]))
            for _, row in front.iterrows()
        ]  # fmt: skip
        head = ("method", "penalty", "features", point.measure, f"cost, {point.charge}")
        recommended = ", ".join(point.features)
        lines = [
            f"the recommended set costs {self._cost_text(point.cost)}; {point.measure} on rows that were "
            f"not used to choose: {format_accuracy(point.accuracy, point.measure)}",
            f"the table lists the {len(front)} sets that no other of {len(self.evaluation)} beats in cost "
            f"and {point.measure}",
        ]
        return summary_html(f"Recommended ({point.rule}): {recommended}", head, rows, lines)

    def _cost_text(self, cost: float) -> str:
        return duration(cost) if self.in_seconds else f"{cost:.4g}"

    def _tables(self) -> dict[str, Callable[[], pd.DataFrame]]:
        return {
            "front": self._front,
            "evaluation": lambda: self.evaluation,
            "rankings": lambda: self.rankings,
            "costs": self._cost_table,
        }

    def _front(self) -> pd.DataFrame:
        cost = f"cost_{self.recommended.charge}"
        kept = ["method", "penalty", "k", "features", "accuracy", "accuracy_se", cost]
        return pareto_front(self.evaluation, cost=cost)[kept]

    def _cost_table(self) -> pd.DataFrame:
        import pandas as pd

        rows = [(name, own, self.costs.cost(name)) for name, own in self.costs.own.items()]
        return pd.DataFrame(rows, columns=["feature", "own", "alone"])

    def plot(self, figure: str = "pareto") -> Any:
        """Draw a figure of the evaluation; return its Axes, which a notebook shows.

        ``figure`` is "heatmaps", "costs", "pareto" or "ranking-METHOD".
        """
        return draw_one("evaluation_drawings", self, figure)

    def report(self, path: str | PathLike[str] = "report.html", *, overwrite: bool = False) -> Path:
        """Write the HTML report, as ``netchoice evaluate`` does, and return its path.

        A file that exists is refused, unless ``overwrite`` is true.
        """
        return write_page(self.save, path, overwrite)
