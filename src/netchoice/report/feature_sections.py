"""Sections about sets of features: accuracy against cost, over λ and k, rankings, and costs."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import pandas as pd
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import to_hex

from netchoice import figures
from netchoice.costs import CostModel
from netchoice.evaluation import accuracy_interval, format_accuracy, measure_of, pareto_front
from netchoice.figures.cost_figures import CHARGES, cost_text, list_costs
from netchoice.figures.feature_sets import MOST_RANKED
from netchoice.figures.heatmaps import accuracy_limits
from netchoice.markup import Html, element, join
from netchoice.report.page import (
    SMALL_SIZE,
    WIDE_SIZE,
    Sections,
    aside,
    details,
    details_table,
    panels,
    table,
)

MOST_COSTS = 60  # features in the figure of costs, besides the selected ones
MOST_NAMED = 4  # features in a tooltip


class FeatureSets:
    """The evaluated sets of features, the first k of every ranking, and the chosen one.

    ``rankings`` and ``evaluation`` are what :func:`netchoice.selection.rank_path` and
    :func:`netchoice.evaluate` return. ``chosen`` holds ``method``, ``penalty`` and ``k`` of the
    recommended set, and the ``charge`` of its cost. The unit is "s" for seconds, or "".
    """

    def __init__(
        self, rankings: pd.DataFrame, evaluation: pd.DataFrame, costs: CostModel,
        chosen: Mapping[str, Any], unit: str,
    ) -> None:  # fmt: skip
        self.rankings, self.costs, self.unit = rankings, costs, unit
        self.charge, self.measure = str(chosen.get("charge", "shared")), measure_of(evaluation)
        self.orders = {
            key: list(own.sort_values("position")["feature"])
            for key, own in rankings.groupby(["method", "penalty"], sort=False)
        }
        self.methods = list(dict.fromkeys(evaluation["method"]))
        self.evaluation = evaluation.sort_values(["penalty", "k"], kind="stable")
        self.has_costs = bool((evaluation[["cost_shared", "cost_alone"]] > 0).any(axis=None))
        method, k = str(chosen["method"]), int(chosen["k"])
        own = evaluation[evaluation["method"] == method]
        distance = (own["penalty"] - chosen["penalty"]).abs()
        own = own[(distance == distance.min()) & (own["k"] == k)]
        if own.empty:
            raise ValueError(f"evaluation.csv has no row of the chosen set ({method}, {k})")
        self.chosen = own.iloc[0]

    def features_of(self, row: Mapping[str, Any]) -> list[str]:
        """Return the features of one row of the evaluation, in their order of selection."""
        return self.orders[(row["method"], row["penalty"])][: int(row["k"])]


def add_sets(sections: Sections, sets: FeatureSets, note: str = "", fold: str = "") -> None:
    """Add the figure of accuracy against cost, with the recommended set."""
    measure = sets.measure
    cost = f"cost_{sets.charge}" if sets.has_costs else "k"
    shown = sets.evaluation.assign(
        tooltip=[_in_words(sets, row) for row in sets.evaluation.to_dict("records")]
    )
    figure = sections.draw(
        f"Scatter plot of {measure} against cost of all evaluated sets, with the Pareto front.",
        lambda ax: figures.pareto(shown, cost=cost, point=sets.chosen, unit=sets.unit, ax=ax),
        (WIDE_SIZE[0], 3.1 + 0.06 * len(sets.methods)),
    )
    accuracy_note = (
        f"The {measure} is that of all cross-validation folds, with its 95% interval. At the top of the "
        f"page, the {measure} was measured on other rows, which were not used to choose the set."
    )
    sections.add(
        "explorer", f"{measure.capitalize()} against cost",
        "Each marker is a set of features: higher is more accurate, further left is cheaper. The line "
        f"is the Pareto front, the best {measure} for each cost; the star is the recommended set. Point at a "
        "marker to see its method, the penalty λ (the weight of the cost), the number k of features, and "
        "the features.",
        element("div", figure, _recommended(sets), class_="beside"),
        aside(f"{accuracy_note} {note}".strip()), _front_table(sets), fold=fold,
    )  # fmt: skip


def _in_words(sets: FeatureSets, row: Mapping[str, Any]) -> str:
    """Return one set as text: its place in the evaluation, its quality, and its features."""
    names = sets.features_of(row)
    listed = ", ".join(names[:MOST_NAMED])
    rest = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    amount = cost_text(row[f"cost_{sets.charge}"], sets.unit)
    return (
        f"{row['method']}, λ = {row['penalty']:.4g}, k = {row['k']:g}: "
        f"{format_accuracy(row['accuracy'], sets.measure)} for {amount}: {listed}{rest}"
    )


def _recommended(sets: FeatureSets) -> Html:
    """Return the recommended set with its accuracy and its costs."""
    row = sets.chosen
    low, high = accuracy_interval(row, "accuracy", row["n_choosing"] + row["n_reporting"])
    shown, *ends = (format_accuracy(value, sets.measure) for value in (row["accuracy"], low, high))
    numbers = {
        "Selected by": f"{row['method']}, λ = {row['penalty']:.4g}, k = {row['k']:g}",
        sets.measure.capitalize(): f"{shown} (95% interval {ends[0]} to {ends[1]})",
        "Cost, shared steps paid once": cost_text(row["cost_shared"], sets.unit),
        "Cost, each feature paid alone": cost_text(row["cost_alone"], sets.unit),
        "Compared with all features": _comparison(sets),
    }
    items = join(join([element("dt", term), element("dd", text)]) for term, text in numbers.items())
    names = element("ol", *(element("li", name) for name in sets.features_of(row)))
    return element(
        "div", element("h3", "The recommended set"), names, element("dl", items), class_="panel"
    )


def _comparison(sets: FeatureSets) -> str:
    if not any(sets.costs.alone().values()):
        return "no costs were given"
    cost = float(sets.chosen["cost_shared"])
    if not cost:
        return "free"
    times = sets.costs.cost_of_set(dict.fromkeys(sets.rankings["feature"]), "shared") / cost
    return f"{times:.3g} times cheaper" if times > 1.005 else "the same cost"


def _front_table(sets: FeatureSets) -> Html:
    front = pareto_front(sets.evaluation, cost=f"cost_{sets.charge}")
    rows = [
        (", ".join(sets.features_of(row)), str(row["method"]), float(row["penalty"]), int(row["k"]),
         format_accuracy(row["accuracy"], sets.measure),
         *(cost_text(row[f"cost_{charge}"], sets.unit) for charge in CHARGES))
        for row in front.to_dict("records")
    ]  # fmt: skip
    head = ("features", "method", "λ", "k", sets.measure,
            *(f"cost, {text}" for text in CHARGES.values()))  # fmt: skip
    caption = "Cheapest set first; all sets are in evaluation.csv"
    return details_table("Show the Pareto front as a table", caption, head, rows)


def add_heat_maps(sections: Sections, sets: FeatureSets) -> None:
    """Add a heat map of accuracy for each method."""
    drawn = [
        sections.draw(
            f"Heat map of {sets.measure} over λ and k for {method}.",
            partial(_draw_heat_map, sets, method),
            (SMALL_SIZE[0], 2.3),
        )
        for method in sets.methods
    ]
    tables = [_heat_table(sets, method) for method in sets.methods]
    lines = (
        " Lines join sets of equal cost, as a share of the cost of all features "
        f"({CHARGES[sets.charge]})."
    )
    sections.add(
        "heat", f"{sets.measure.capitalize()} over λ and k",
        "Lighter cells are more accurate; all methods share one colour scale. Rings mark sets with "
        f"noise features. The frame marks the recommended set.{lines if sets.has_costs else ''}",
        _colour_scale(sets), panels(drawn), details("Show the numbers as tables", join(tables)),
        fold="Show the heat maps",
    )  # fmt: skip


def _draw_heat_map(sets: FeatureSets, method: str, ax: Axes) -> None:
    best, share = sets.chosen, f"share_{sets.charge}"
    chosen = (best["penalty"], int(best["k"])) if method == best["method"] else None
    figures.heatmap(sets.evaluation, method, share=share, chosen=chosen, ax=ax)


def _colour_scale(sets: FeatureSets) -> Html:
    """Return the colours of the heat maps with the accuracies at both ends."""
    low, high = (format_accuracy(end, sets.measure, 1) for end in accuracy_limits(sets.evaluation))
    colours = ",".join(to_hex(colormaps["cividis"](step / 4)) for step in range(5))
    bar = element("span", class_="scale", style=f"background:linear-gradient(90deg,{colours})")
    return element("p", f"{sets.measure}: {low} ", bar, f" {high}", class_="aside")


def _heat_table(sets: FeatureSets, method: str) -> Html:
    own = sets.evaluation[sets.evaluation["method"] == method]
    wide = own.pivot(index="penalty", columns="k", values="accuracy")
    rows = [
        (f"{penalty:.4g}", *("" if value != value else f"{value:.4f}" for value in values))
        for penalty, values in zip(wide.index, wide.to_numpy(), strict=True)
    ]
    return table(
        f"{sets.measure} over λ and k, method {method}", ("λ \\ k", *(f"{k:g}" for k in wide)), rows
    )


def add_rankings(sections: Sections, sets: FeatureSets) -> None:
    """Add the figure of rankings over λ for each method with several penalties."""
    methods = [name for name in sets.methods if len(_penalties(sets, name)) > 1]
    if not methods:
        return
    drawn = [
        sections.draw(
            f"Positions of features over λ for {method}.",
            partial(_draw_ranking, sets, method),
            (WIDE_SIZE[0], 3.6),
        )
        for method in methods
    ]
    sections.add(
        "ranking", "Rankings over λ",
        "Each line is a feature; position 1 is selected first. Expensive features fall as λ grows. "
        f"The figures show at most {MOST_RANKED} features, those with the best positions.",
        panels(drawn, "pairs"),
        details("Show the rankings as tables", join(_ranking_table(sets, name) for name in methods)),
        fold="Show the rankings",
    )  # fmt: skip


def _draw_ranking(sets: FeatureSets, method: str, ax: Axes) -> None:
    figures.ranking_paths(sets.rankings, method, ax=ax)


def _penalties(sets: FeatureSets, method: str) -> list[float]:
    return sorted({penalty for name, penalty in sets.orders if name == method})


def _ranking_table(sets: FeatureSets, method: str) -> Html:
    last = int(sets.evaluation["k"].max())
    rows = [
        (f"{penalty:.4g}", *sets.orders[(method, penalty)][:last])
        for penalty in _penalties(sets, method)
    ]
    head = ("λ \\ position", *map(str, range(1, max(map(len, rows)))))
    return table(f"Features by position, method {method}", head, rows)


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
    names = [row.feature for i, row in enumerate(listed) if i < MOST_COSTS or row.feature in chosen]
    n_omitted = len(listed) - len(names)
    omitted_features = "cheaper feature is" if n_omitted == 1 else "cheaper features are"
    sections.add(
        "costs", "Cost of each feature",
        "A filled point is the cost of a feature alone. A ring is its cost once its shared steps "
        "are paid; the distance between the two is what other features can share. Selected features "
        "have a ★." + (f" {n_omitted} {omitted_features} in the table only." if n_omitted else ""),
        panels(_cost_figures(sections, costs, names, chosen, unit), "pairs"),
        details_table("Show the costs as a table", "Most expensive feature first", head, rows),
        *notes, fold="Show the costs",
    )  # fmt: skip


def _cost_figures(
    sections: Sections, costs: CostModel, names: list[str], chosen: list[str], unit: str
) -> list[Html]:
    """Return the figure of the costs in two parts if there are many features."""
    half = len(names) if len(names) <= MOST_COSTS // 3 else -(-len(names) // 2)
    all_costs = [cost for name in names for cost in (costs.cost(name), costs.own[name])]

    def draw(part: list[str], ax: Axes) -> None:
        figures.feature_costs(costs, part, chosen=chosen, unit=unit, steps=False, ax=ax)
        if ax.get_xscale() == "log":
            ax.set_xlim(min(all_costs) / 1.5, max(all_costs) * 1.5)

    return [
        sections.draw(
            f"Cost of each feature alone and with its shared steps paid, from {part[0]} to {part[-1]}.",
            partial(draw, part),
            (WIDE_SIZE[0], 0.6 + 0.15 * len(part)),
        )
        for part in (names[:half], names[half:])
        if part
    ]
