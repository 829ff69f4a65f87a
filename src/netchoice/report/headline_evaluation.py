"""The first screen of the report of an evaluation: the recommended set, its accuracy and its cost."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from netchoice.costs import CostModel
from netchoice.evaluation import format_accuracy
from netchoice.figures.data.cost_text import CHARGES, cost_text
from netchoice.report.headline import Card, Headline

_RULES = {
    "cheapest": "the cheapest set that is as accurate as the best one within statistical error",
    "budget": "the most accurate set within the budget",
}


def evaluation_headline(record: Mapping[str, Any], costs: CostModel, unit: str) -> Headline:
    """Return the first screen for an evaluation."""
    point = record["recommended"]
    names = list(point["features"])
    count = "One feature is" if len(names) == 1 else f"{len(names)} features are"
    selected = f"Selected by {point['method']} with penalty {point['penalty']:.3g}:"
    cards = [
        Card("Which features?", str(len(names)), [selected, f"{', '.join(names)}."]),
        _accuracy_card(point, _by_chance(record)),
        _loss_card(point),
        _cost_card(point, costs, unit),
    ]
    verdict = f"{count} recommended: {', '.join(names)}. This is {_RULES[point['rule']]}."
    return Headline("How few features are enough?", verdict, cards, ())


def _by_chance(record: Mapping[str, Any]) -> float:
    """Return what a prediction without features reaches: 1/c of c equally frequent classes; R² = 0."""
    classes = re.match(r"(\d+) classes", str(record["settings"].get("target", "")))
    return 1 / int(classes[1]) if classes else 0.0


def _accuracy_card(point: Mapping[str, Any], by_chance: float) -> Card:
    """Return the accuracy; it is marked as low if most of what chance gets wrong stays wrong."""
    measure, (low, high) = _measure(point), point["interval"]
    is_low = point["accuracy"] < (1 + by_chance) / 2
    details = [
        f"Held-out {measure}, on rows that were not used to choose the set.",
        f"{point['coverage']:.0%} interval {_text(point, low)} to {_text(point, high)}.",
    ]
    if is_low:
        chance = f"; chance alone reaches {_text(point, by_chance)}" if by_chance else ""
        details.append(f"This is low{chance}. The features say little about the label.")
    return Card("How accurate are they?", _text(point, point["accuracy"]), details, is_low)


def _loss_card(point: Mapping[str, Any]) -> Card:
    """Return what a larger set gains, on the rows that were not used to choose a set."""
    question = "Are more features more accurate?"
    best, n_best = point["best_accuracy"], len(point["best_features"])
    if set(point["best_features"]) == set(point["features"]):
        return Card(question, "No", ["No evaluated set was more accurate when the set was chosen."])
    count = f"{n_best} {'feature' if n_best == 1 else 'features'}"
    details = [
        f"The set that was the most accurate when the set was chosen has {count}. It reaches "
        f"{_text(point, best)} on the same rows."
    ]
    gain = best - point["accuracy"]
    if gain <= 0:
        return Card(question, "No", details)
    if best <= point["interval"][1]:
        details.append("The difference is within statistical error.")
    points = f"{100 * gain:.2f} points" if _measure(point) == "accuracy" else f"{gain:.3f}"
    return Card(question, f"By {points}", details)


def _cost_card(point: Mapping[str, Any], costs: CostModel, unit: str) -> Card:
    question = "What do they cost?"
    if not point["cost"]:
        is_given = any(costs.alone().values())
        reason = "These features are free." if is_given else "No costs were given."
        return Card(question, "nothing", [reason])
    details = [f"{CHARGES[point['charge']].capitalize()}."]
    if point["speedup"]:
        details.append(f"All features cost {point['speedup']:.3g} times as much.")
    return Card(question, cost_text(point["cost"], unit), details)


def _measure(point: Mapping[str, Any]) -> str:
    return str(point.get("measure", "accuracy"))


def _text(point: Mapping[str, Any], value: float) -> str:
    return format_accuracy(value, _measure(point))
