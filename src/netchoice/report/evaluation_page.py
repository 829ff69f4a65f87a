"""The page of an evaluation: the recommended features, accuracy against cost, rankings, and costs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from netchoice import figures
from netchoice.evaluation import pareto_front
from netchoice.evaluation.operating_points import format_accuracy, measure_of
from netchoice.figures.cost_figures import CHARGES, cost_text, list_costs
from netchoice.figures.feature_sets import MOST_RANKED
from netchoice.markup import Html
from netchoice.report.page import (
    WIDE_SIZE,
    Headline,
    Sections,
    aside,
    details,
    html_page,
    panels,
    settings,
    table,
)
from netchoice.units import count

if TYPE_CHECKING:
    from netchoice.choice.evaluate import FeatureEvaluation

MOST_NAMED = 4  # features in a tooltip


class EvaluationPage:
    """The sections of the page, and what they share: the evaluated sets, the rankings and the costs."""

    def __init__(self, result: FeatureEvaluation) -> None:
        self.rankings, evaluation, self.costs = result.rankings, result.evaluation, result.costs
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
        self.add_rankings()
        self.add_costs()
        groups = {
            "Settings": {"costs": self.cost_source} | self.settings,
            "Recommended": self.point,
        }
        self.sections.add(
            "appendix", "Appendix", "What is needed to repeat the run.", settings(groups)
        )
        return html_page(self.headline(), self.sections)

    # The first screen

    def headline(self) -> Headline:
        """Return the recommended set, its accuracy and its cost."""
        point = self.point
        names = ", ".join(point["features"])
        n = len(point["features"])
        number = "One feature is" if n == 1 else f"{n} features are"
        title = f"{number} recommended: {names}."
        rule = "This is the most accurate set within the budget."
        if point["rule"] == "cheapest":
            loss = self._text(self.settings["loss"])
            rule = f"This is the cheapest set that is at most {loss} worse than the best one."
        return Headline(
            title, rule, [self._accuracy(), self._gain(), self._cost()], facts=[*self._warnings()]
        )

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
        rows = self.evaluation.to_dict("records")
        shown = self.evaluation.assign(tooltip=[self._in_words(row) for row in rows])
        figure = self.sections.draw(
            f"Scatter plot of {measure} against cost of all evaluated sets, with the Pareto front.",
            lambda ax: figures.pareto(shown, cost=cost, point=self.chosen, unit=self.unit, ax=ax),
            (WIDE_SIZE[0], 3.1 + 0.06 * self.evaluation["method"].nunique()),
        )
        self.sections.add(
            "explorer", f"{measure.capitalize()} against cost",
            "Each marker is a set of features: higher is more accurate, further left is cheaper. The line "
            f"is the Pareto front, the best {measure} for each cost; the star is the recommended set. "
            "Point at a marker to see its method, the penalty λ (the weight of the cost), the number k of "
            "features, and the features.",
            figure,
            aside(
                f"The {measure} is that of all cross-validation folds. At the top of the page, the {measure} "
                "in each fold is that of the set that the other folds choose."
            ),
            self._front_table(),
        )  # fmt: skip

    def _in_words(self, row: Mapping[str, Any]) -> str:
        """Return one set as text: its place in the evaluation, its quality, and its features."""
        names = row["features"]
        rest = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
        amount = cost_text(row[f"cost_{self.charge}"], self.unit)
        return (
            f"{row['method']}, λ = {row['penalty']:.4g}, k = {row['k']:g}: {self._text(row['accuracy'])} for "
            f"{amount}: {', '.join(names[:MOST_NAMED])}{rest}"
        )

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

    # Rankings

    def add_rankings(self) -> None:
        """Add the figure of rankings over λ for each method with several penalties."""
        if self.rankings["penalty"].nunique() < 2:
            return
        drawn = map(self._ranking_figure, dict.fromkeys(self.rankings["method"]))
        self.sections.add(
            "ranking", "Rankings over λ",
            "Each line is a feature; position 1 is selected first. Expensive features fall as λ grows. "
            f"The figures show at most {MOST_RANKED} features, those with the best positions.",
            panels(drawn, "pairs"), fold="Show the rankings",
        )  # fmt: skip

    def _ranking_figure(self, method: str) -> Html:
        return self.sections.draw(
            f"Positions of features over λ for {method}.",
            lambda ax: figures.ranking_paths(self.rankings, method, ax=ax),
            (WIDE_SIZE[0], 3.6),
        )

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
