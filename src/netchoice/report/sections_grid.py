"""Sections that both reports have: what was tried, what it costs, how features were ranked."""

from __future__ import annotations

from netchoice.costs import CostModel
from netchoice.report import figures_grid
from netchoice.report.costs import Unit
from netchoice.report.grid import Grid
from netchoice.report.markup import Html, element
from netchoice.report.parts import Sheet, details, paragraph, select, slider, table


def add_explorer(sheet: Sheet, grid: Grid, more: str = "") -> None:
    """Accuracy against cost, with controls that move through all sets."""
    rest = "Accuracy here is that of all cross-validation folds, with its 95% interval."
    sheet.add(
        "explorer",
        "Accuracy against cost",
        "Each sign is a set of features: higher is more accurate, further left is cheaper, and the line is "
        "the best for the money; pick a method, move λ (how much cost weighs) and k (how many features), "
        "or click a sign, and the words follow.",
        element(
            "div",
            sheet.draw(
                "explorer",
                figures_grid.explorer(grid),
                "Scatter plot of accuracy against cost for every set of features; the controls "
                "beside it and the table below it give the same",
            ),
            _panel(grid),
            class_="beside",
        ),
        paragraph(f"{rest} {more}".strip(), class_="aside"),
        _front_table(grid),
    )


def _panel(grid: Grid) -> Html:
    charges = {"shared": "common steps paid once", "alone": "each feature alone"}
    longest = max(len(grid.penalties(method)) for method in grid.methods)
    controls = [
        select("method", "Method", _numbered(grid.methods)),
        slider("penalty", "Penalty λ", longest - 1),
        slider("k", "Features k", int(grid.rows["k"].max()), 1),
        select("charge", "Cost", charges) if grid.has_costs else None,
        element("button", "Back to the recommended set", id="recommended", type="button"),
    ]
    shown = element(
        "div",
        element("h3", "The set shown"),
        element("ol", id="shown-features"),
        element("dl", id="shown-figures"),
        id="shown",
        aria_live="polite",
    )
    return element(
        "div",
        element("form", *filter(None, controls), id="controls", aria_label="Which set is shown"),
        shown,
        class_="panel",
    )


def _numbered(names: list[str]) -> dict[str, str]:
    return {str(i): name for i, name in enumerate(names)}


def _front_table(grid: Grid) -> Html:
    rows = [
        (
            ", ".join(grid.sets(row)),
            str(row["method"]),
            float(row["penalty"]),
            int(row["k"]),
            f"{row['accuracy']:.2%}",
            grid.unit.tell(row["cost_alone"]),
            grid.unit.tell(row["cost_shared"]),
        )
        for row in grid.best_rows()
    ]
    head = ("features", "method", "λ", "k", "accuracy", "cost alone", "cost shared")
    return details(
        "The sets that are the best for the money, as a table",
        table("Cheapest first; all sets are in evaluation.csv", head, rows),
    )


def add_heat(sheet: Sheet, grid: Grid) -> None:
    """Heat map per method."""
    sheet.add(
        "heat",
        "Accuracy over λ and k, method by method",
        "Lighter is more accurate; all methods share one scale. Rings mark sets with noise features. "
        "Click a cell to show that set above.",
        select("heat-method", "Method", _numbered(grid.methods), "method"),
        sheet.draw(
            "heat",
            [figures_grid.heat(grid, method) for method in grid.methods],
            "Heat map of accuracy over the penalty and the number of features, for one method",
        ),
        details("The accuracies as a table", element("div", id="heat-table"), name="heat-details"),
    )


def add_ranking(sheet: Sheet, grid: Grid) -> None:
    """How the order changes with λ."""
    if not any(len(grid.penalties(method)) > 1 for method in grid.methods):
        return
    sheet.add(
        "ranking",
        "How the ranking changes with λ",
        f"Each line is a feature; 1 is the best place. Dear features fall as λ grows. At most "
        f"{figures_grid.MOST_RANKED} features are drawn, those that stand highest.",
        select("ranking-method", "Method", _numbered(grid.methods), "method"),
        sheet.draw(
            "ranking",
            [figures_grid.ranking(grid, method) for method in grid.methods],
            "Lines of the place of features in the ranking over the penalty, for one method",
        ),
        details(
            "The rankings as a table",
            element("div", id="ranking-table"),
            name="ranking-details",
        ),
    )


def add_costs(sheet: Sheet, costs: CostModel, chosen: list[str], unit: Unit) -> None:
    """What each feature costs, alone and where its steps are paid."""
    steps = costs.own | costs.steps
    rows = [
        (
            name,
            unit.tell(costs.cost(name)),
            unit.tell(costs.own[name]),
            ", ".join(f"{step} ({unit.tell(steps[step])})" for step in costs.uses.get(name, ())),
            "yes" if name in chosen else "",
        )
        for name in sorted(costs.features, key=costs.cost, reverse=True)
    ]
    left_out = len(rows) - len(figures_grid.most_expensive(costs, chosen))
    cheaper = "cheaper feature is" if left_out == 1 else "cheaper features are"
    more = f" {left_out} {cheaper} in the table only." if left_out else ""
    sheet.add(
        "costs",
        "Cost of every feature, and the steps it shares",
        "A full dot is what a feature costs alone, a ring what it still costs once its common steps "
        f"are paid: the further apart, the more there is to share. Features in use have a ★.{more}",
        sheet.draw(
            "costs",
            figures_grid.cost_list(costs, chosen, unit),
            "Dots for the cost of features alone and with their common steps paid",
        ),
        details(
            "The costs as a table",
            table(
                "Most expensive first",
                ("feature", "cost alone", "its own part", "common steps", "in use"),
                rows,
            ),
        ),
    )
