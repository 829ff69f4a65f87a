"""The page of an evaluation: the recommended features, accuracy against cost, and costs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from netchoice import figures
from netchoice.evaluation import pareto_front
from netchoice.evaluation.recommendation import format_accuracy, measure_of
from netchoice.figures.cost_figures import CHARGES, cost_text, list_costs
from netchoice.markup import Html
from netchoice.report.page import (
    WIDE_SIZE,
    Sections,
    aside,
    details,
    html_page,
    settings,
    table,
)
from netchoice.units import count

if TYPE_CHECKING:
    from netchoice.choice.evaluate import FeatureEvaluation


class EvaluationPage:
    """The sections of the page, and what they share: the evaluated sets and the costs."""

    def __init__(self, result: FeatureEvaluation) -> None:
        evaluation, self.costs = result.evaluation, result.costs
        self.settings, self.cost_source = dict(result.settings), result.cost_source
        self.unit = "s" if result.in_seconds else ""
        self.sections, self.point = Sections(), result.recommended.as_dict()
        self.charge, self.measure = self.point["charge"], measure_of(evaluation)
        self.evaluation = evaluation.sort_values(["penalty", "k"], kind="stable")
        self.has_costs = bool((evaluation[["cost_shared", "cost_alone"]] > 0).any(axis=None))
        keys = ["method", "penalty", "k"]
        is_chosen = (evaluation[keys] == [self.point[key] for key in keys]).all(axis=1)
        self.chosen = evaluation[is_chosen].iloc[0]

    def html(self) -> str:
        """Return the text of the HTML file."""
        self.add_sets()
        self.add_costs()
        groups = {
            "Settings": {"costs": self.cost_source} | self.settings,
            "Recommended": self.point,
        }
        self.sections.add(
            "appendix", "Appendix", "What is needed to repeat the run.", settings(groups)
        )
        point = self.point
        names = ", ".join(point["features"])
        n = len(point["features"])
        number = "One feature is" if n == 1 else f"{n} features are"
        title = f"{number} recommended: {names}."
        rule = "This is the most accurate set within the budget."
        if point["rule"] == "cheapest":
            loss = self._text(self.settings["loss"])
            rule = f"This is the cheapest set that is at most {loss} worse than the best one."
        notes = [self._accuracy(), self._gain(), self._cost()]
        return html_page(self.sections, title, rule, notes, facts=[*self._warnings()])

    def _accuracy(self) -> str:
        point, (low, high) = self.point, map(self._text, self.point["interval"])
        return (
            f"Held-out {self.measure}, on rows that were not used to choose the set: "
            f"{self._text(point['accuracy'])} ({point['coverage']:.0%} interval {low} to {high})."
        )

    def _warnings(self) -> Iterator[str]:
        """Yield that the accuracy is low if most of what chance gets wrong stays wrong."""
        # Of c equally frequent classes, chance predicts 1/c. A prediction without features has R² = 0.
        classes = re.match(r"(\d+) classes", self.settings["target"])
        by_chance = 1 / int(classes[1]) if classes else 0.0
        if self.measure in ("accuracy", "R²") and self.point["accuracy"] < (1 + by_chance) / 2:
            chance = f"; chance alone reaches {self._text(by_chance)}" if by_chance else ""
            yield f"The {self.measure} is low{chance}. The features say little about the label."

    def _gain(self) -> str:
        """Return what a larger set gains, on the rows that were not used to choose a set."""
        point, best = self.point, self.point["best_accuracy"]
        if set(point["best_features"]) == set(point["features"]):
            return "No evaluated set was better when the set was chosen."
        within = point["accuracy"] < best <= point["interval"][1]
        return (
            f"The best set has {count(len(point['best_features']), 'feature')}. It reaches "
            f"{self._text(best)} on the same rows"
            + ("; the difference is within statistical error." if within else ".")
        )

    def _cost(self) -> str:
        point = self.point
        if not point["cost"]:
            is_given = any(self.costs.alone().values())
            return "These features are free." if is_given else "No costs were given."
        text = f"They cost {cost_text(point['cost'], self.unit)}, {CHARGES[point['charge']]}"
        more = (
            f"; all features cost {point['speedup']:.3g} times as much" if point["speedup"] else ""
        )
        return f"{text}{more}."

    def _text(self, value: float) -> str:
        return format_accuracy(value, self.measure)

    # Accuracy against cost

    def add_sets(self) -> None:
        """Add the figure of accuracy against cost, with the recommended set."""
        measure, cost = self.measure, f"cost_{self.charge}" if self.has_costs else "k"
        figure = self.sections.draw(
            f"Scatter plot of {measure} against cost of all evaluated sets, with the Pareto front.",
            lambda ax: figures.pareto(
                self.evaluation, cost=cost, point=self.chosen, unit=self.unit, ax=ax
            ),
            (WIDE_SIZE[0], 3.1 + 0.06 * self.evaluation["method"].nunique()),
        )
        self.sections.add(
            "explorer", f"{measure.capitalize()} against cost",
            "Each marker is a set of features: higher is more accurate, further left is cheaper. The line "
            f"is the Pareto front, the best {measure} for each cost; the star is the recommended set. "
            "In the table, the penalty λ is the weight of the cost, and k is the number of features.",
            figure,
            aside(
                f"The {measure} is that of all cross-validation folds. At the top of the page, the {measure} "
                "in each fold is that of the set that the other folds choose."
            ),
            self._front_table(),
        )  # fmt: skip

    def _front_table(self) -> Html:
        front = pareto_front(self.evaluation, cost=f"cost_{self.charge}")
        rows = [
            (", ".join(row["features"]), str(row["method"]), float(row["penalty"]), int(row["k"]),
             self._text(row["accuracy"]),
             *(cost_text(row[f"cost_{charge}"], self.unit) for charge in CHARGES))
            for row in front.to_dict("records")
        ]  # fmt: skip
        head = ("features", "method", "λ", "k", self.measure,
                *(f"cost, {text}" for text in CHARGES.values()))  # fmt: skip
        caption = "Cheapest set first; all sets are in tables/evaluation.csv"
        return details("Show the Pareto front as a table", table(caption, head, rows))

    # Costs

    def add_costs(self) -> None:
        """Add the table of feature costs: alone, and once the shared steps are paid."""
        chosen, unit = list(self.point["features"]), self.unit
        rows = [
            (row.feature, cost_text(row.alone, unit), cost_text(row.own, unit),
             ", ".join(f"{step} ({cost_text(cost, unit)})" for step, cost in row.steps.items()),
             "yes" if row.feature in chosen else "")
            for row in list_costs(self.costs)
        ]  # fmt: skip
        head = ("feature", "cost alone", "own part", "shared steps", "selected")
        self.sections.add(
            "costs", "Cost of each feature",
            "The own part is the cost of a feature once its shared steps are paid.",
            table("Most expensive feature first", head, rows), fold="Show the costs",
        )  # fmt: skip
