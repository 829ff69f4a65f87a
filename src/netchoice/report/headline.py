"""The first screens of the reports of a choice and of an evaluation: verdict, four cards, notes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from netchoice.costs import CostModel
from netchoice.errors import NetchoiceError
from netchoice.evaluation import format_accuracy
from netchoice.figures.cost_figures import CHARGES, cost_text
from netchoice.markup import Html
from netchoice.models import get_model
from netchoice.report.page import Card, Headline, model_name, sentence
from netchoice.units import duration
from netchoice.workflows.choice_text import VERDICTS, format_probability

MOST_LISTED = 4  # models in a sentence; all models are in the table below
_RULES = {
    "cheapest": "the cheapest set that is as accurate as the best one within statistical error",
    "budget": "the most accurate set within the budget",
}


class ModelText(NamedTuple):
    """One sentence about a model, and its reference; both are "" if they are not known."""

    sentence: str
    reference: str


def model_text(name: str) -> ModelText:
    """Return the description and the reference of a built-in model, also of a mixture or a thinned one.

    A result folder keeps the names of models only, so nothing is known about a model of the user.

    >>> model_text("dmr").sentence
    'Duplication with random mutation.'
    >>> model_text("dmr+lpa").sentence
    'Each new node uses dmr with probability q, else lpa.'
    >>> model_text("my own model")
    ModelText(sentence='', reference='')
    """
    if ":" in name:  # the name of a file and an attribute, which must not be imported
        return ModelText("", "")
    try:
        model = get_model(name)
    except NetchoiceError:
        return ModelText("", "")
    text = f"each new node uses {model.description}" if "+" in name else model.description
    return ModelText(f"{text[:1].upper()}{text[1:].rstrip('.')}." if text else "", model.reference)


def choice_headline(
    record: Mapping[str, Any], name: str, costs: CostModel, picture: Html | None = None
) -> Headline:
    """Return the first screen for the choice of a model; ``name`` names the network."""
    model = str(record["model"])
    cards = [
        _model_card(record, model),
        _probability_card(record, model),
        _fit_card(record, model),
        cost_card(record, costs),
    ]
    notes = [sentence(note) for note in (*record["notes"], record["fit"]["power_summary"])]
    return Headline(f"Which model made {name}?", verdict(record), cards, notes, picture)


def verdict(record: Mapping[str, Any]) -> str:
    """Return the verdict; of many fitting models it gives the number only."""
    model, kind = str(record["model"]), record["verdict"]
    fitting, n = len(_fitting(record)), len(record["fit_p_values"])
    screened = record.get("screening")
    first = f"{len(screened['p_values'])} models were screened. " if screened else ""
    answer = f"{first}Of {n} models compared: {record['headline']}."
    if fitting > MOST_LISTED:
        known = "" if kind == "several-fit" else f"{VERDICTS[kind].capitalize()}. "
        answer = (
            f"{first}Of {n} models compared, {fitting} fit. {known}The most probable is {model}."
        )
    return answer


def _fitting(record: Mapping[str, Any]) -> list[str]:
    """Return the models that fit, the most probable first."""
    fitting = [name for name, p in record["fit_p_values"].items() if p > record["fit"]["alpha"]]
    return sorted(fitting, key=lambda name: -record["probabilities"][name])


def _model_card(record: Mapping[str, Any], model: str) -> Card:
    parameters = [
        f"{name} = {known['median']:.3g} ({known['interval'][0]:.3g} to {known['interval'][1]:.3g})"
        for name, known in record["parameters"][model].items()
    ]
    with_parameters = (
        f"With {', '.join(parameters)}." if parameters else "It has no free parameters."
    )
    known = model_text(model)
    details = [text for text in (known.sentence, with_parameters, known.reference) if text]
    if record["fits"]:
        return Card("Which model?", model_name(model), details)
    nearest = (
        f"Measured on all {len(record['fit']['features'])} features together, the network is closest to "
        f"simulations of {model}, relative to their spread. This is not evidence for {model}."
    )
    return Card("Which model is the nearest?", model_name(model), [nearest, *details], True)


def _probability_card(record: Mapping[str, Any], model: str) -> Card:
    probabilities, fits = record["probabilities"], record["fits"]
    named = model if fits else max(probabilities, key=lambda name: probabilities[name])
    low, high = map(format_probability, record["intervals"][named])
    shown = format_probability(probabilities[named])
    n_held_out = sum(n for row in record["confusion"].values() for n in row.values())
    details = [
        f"Interval {low} to {high}, on the selected features.",
        f"Held-out accuracy: {record['accuracy']:.1%} of {n_held_out} simulations of these models.",
    ]
    if fits:
        return Card("How probable is it?", shown, details)
    return Card("Most probable, if one of them were right", f"{named} {shown}", details, True)


def _fit_card(record: Mapping[str, Any], model: str) -> Card:
    p_values, alpha = record["fit_p_values"], record["fit"]["alpha"]
    fitting, own_fits = _fitting(record), p_values[model] > alpha
    shown = sorted(p_values, key=lambda name: (name != model, -p_values[name]))[:MOST_LISTED]
    listed = ", ".join(f"{name} p = {p_values[name]:.2g}" for name in shown)
    rest = len(p_values) - len(shown)
    details = [
        f"{listed}{f', and {rest} others in the table below' if rest else ''}.",
        f"A model fits if p is above {alpha:.2g}.",
    ]
    if not record["fits"]:
        return Card("Does any model fit?", "No", details, True)
    if not own_fits:
        return Card("Does any model fit?", "Another one", [f"{fitting[0]} fits.", *details], True)
    answer = "Yes" if len(p_values) == 1 else f"Yes, {len(fitting)} of {len(p_values)}"
    return Card("Does it fit?" if len(p_values) == 1 else "Do models fit?", answer, details)


def cost_card(record: Mapping[str, Any], costs: CostModel) -> Card:
    """Return the cost of the selected features, with shared steps paid once.

    The costs are those by which the features were selected, as everywhere in the report.
    """
    names = list(record["features"])
    cost, of_all = costs.cost_of_set(names, "shared"), costs.cost_of_set(costs.features, "shared")
    details = [
        f"CPU time per network for {len(names)} {'feature' if len(names) == 1 else 'features'}."
    ]
    if cost:
        details.append(
            f"All {len(costs.features)} features cost {of_all / cost:.3g} times as much."
        )
    return Card("What does it cost?", duration(cost), details)


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
