"""Sections that both reports have: sets of features, rankings, costs."""

from __future__ import annotations

from typing import Any

from netchoice.costs import CostModel
from netchoice.evaluation import format_accuracy
from netchoice.figures.data.cost_text import CHARGES, cost_text, list_costs
from netchoice.figures.data.feature_sets import FeatureSets
from netchoice.figures.interactive.feature_costs import drawn_rows, feature_costs
from netchoice.figures.interactive.feature_sets import MOST_RANKED, explorer, heatmap, ranking_paths
from netchoice.markup import Html, element
from netchoice.report.elements import Sections, aside, details_table, script_table, select, slider


def add_explorer(sections: Sections, sets: FeatureSets, note: str = "", fold: str = "") -> None:
    """Add the figure of accuracy against cost, with controls to select any set."""
    measure = sets.measure
    accuracy_note = (
        f"The {measure} is that of all cross-validation folds, with its 95% interval. At the top of the "
        f"page, the {measure} was measured on other rows, which were not used to choose the set."
    )
    plot = sections.draw("explorer", explorer(sets), f"Scatter plot of {measure} against cost")
    sections.add(
        "explorer", f"{measure.capitalize()} against cost",
        "Each marker is a set of features: higher is more accurate, further left is cheaper. The line "
        f"is the Pareto front, the best {measure} for each cost. Choose a method, the penalty λ (the "
        "weight of the cost) and the number k of features, or click a marker, to see that set.",
        element("div", plot, _panel(sets), class_="beside"),
        aside(f"{accuracy_note} {note}".strip()), _front_table(sets), fold=fold,
    )  # fmt: skip


def _panel(sets: FeatureSets) -> Html:
    most_penalties = max(len(sets.penalties(method)) for method in sets.methods)
    controls = [
        _method_list(sets, "method"),
        slider("penalty", "Penalty λ", most_penalties - 1),
        slider("k", "Number of features k", int(sets.evaluation["k"].max()), 1),
        select("charge", "Cost", CHARGES) if sets.has_costs else None,
        element("button", "Show the recommended set", id="recommended", type="button"),
    ]
    lists = element("ol", id="selected-features"), element("dl", id="selected-numbers")
    title = element("h3", "The selected set")
    selected = element("div", title, *lists, id="selected", aria_live="polite")
    form = element("form", *filter(None, controls), id="controls", aria_label="Select a set")
    return element("div", form, selected, class_="panel")


def _method_list(sets: FeatureSets, name: str, class_: str | None = None) -> Html:
    return select(name, "Method", {str(i): m for i, m in enumerate(sets.methods)}, class_)


def _front_table(sets: FeatureSets) -> Html:
    rows = [
        (", ".join(sets.features_of(row)), str(row["method"]), float(row["penalty"]), int(row["k"]),
         format_accuracy(row["accuracy"], sets.measure),
         *(cost_text(row[f"cost_{charge}"], sets.unit) for charge in CHARGES))
        for row in sets.front(sets.charge).to_dict("records")
    ]  # fmt: skip
    head = ("features", "method", "λ", "k", sets.measure,
            *(f"cost, {text}" for text in CHARGES.values()))  # fmt: skip
    caption = "Cheapest set first; all sets are in evaluation.csv"
    return details_table("Show the Pareto front as a table", caption, head, rows)


def add_heatmap(sections: Sections, sets: FeatureSets) -> None:
    """Add a heat map of accuracy for each method."""
    figures = [heatmap(sets, method) for method in sets.methods]
    sections.add(
        "heat", f"{sets.measure.capitalize()} over λ and k",
        "Lighter cells are more accurate; all methods share one colour scale. Rings mark sets with "
        "noise features. Click a cell to select that set.",
        _method_list(sets, "heat-method", "method"),
        sections.draw("heat", figures, f"Heat map of {sets.measure}"),
        script_table("Show the numbers as a table", "heat"),
        fold="Show the heat map",
    )  # fmt: skip


def add_rankings(sections: Sections, sets: FeatureSets) -> None:
    """Add the figure of rankings over λ for each method, if there are several penalties."""
    if not any(len(sets.penalties(method)) > 1 for method in sets.methods):
        return
    figures = [ranking_paths(sets, method) for method in sets.methods]
    sections.add(
        "ranking", "Rankings over λ",
        "Each line is a feature; position 1 is selected first. Expensive features fall as λ grows. "
        f"The figure shows at most {MOST_RANKED} features, those with the best positions.",
        _method_list(sets, "ranking-method", "method"),
        sections.draw("ranking", figures, "Positions over λ"),
        script_table("Show the rankings as a table", "ranking"),
        fold="Show the rankings",
    )  # fmt: skip


def add_costs(
    sections: Sections, costs: CostModel, chosen: list[str], unit: str, *notes: Any
) -> None:
    """Add the figure and the table of feature costs: alone, and once the shared steps are paid."""
    listed = list_costs(costs)
    rows = [
        (row.feature, cost_text(row.alone, unit), cost_text(row.own, unit),
         ", ".join(f"{step.name} ({cost_text(step.cost, unit)})" for step in row.steps),
         "yes" if row.feature in chosen else "")
        for row in listed
    ]  # fmt: skip
    head = ("feature", "cost alone", "own part", "shared steps", "selected")
    n_omitted = len(listed) - len(drawn_rows(listed, chosen))
    omitted_features = "cheaper feature is" if n_omitted == 1 else "cheaper features are"
    sections.add(
        "costs", "Cost of each feature",
        "A filled point is the cost of a feature alone. A ring is its cost once its shared steps "
        "are paid; the distance between the two is what other features can share. Selected features "
        "have a ★." + (f" {n_omitted} {omitted_features} in the table only." if n_omitted else ""),
        sections.draw("costs", feature_costs(listed, chosen, unit), "Cost of each feature"),
        details_table("Show the costs as a table", "Most expensive feature first", head, rows),
        *notes, fold="Show the costs",
    )  # fmt: skip
