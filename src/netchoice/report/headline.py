"""The first screen of the report: title, verdict, four cards and notes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from netchoice.costs import CostModel
from netchoice.evaluation import format_accuracy
from netchoice.figures.data.cost_text import CHARGES, cost_text
from netchoice.units import duration
from netchoice.workflows.choice_text import format_probability


class Card(NamedTuple):
    """One question, its short answer, and details."""

    question: str
    answer: str
    details: str
    warning: bool = False


class Headline(NamedTuple):
    """Content of the first screen."""

    title: str
    verdict: str
    cards: list[Card]
    notes: Sequence[str]


def choice_headline(record: Mapping[str, Any], name: str) -> Headline:
    """Return the first screen for the choice of a model; ``name`` names the network."""
    model = str(record["model"])
    n_held_out = sum(n for row in record["confusion"].values() for n in row.values())
    probabilities, fits = record["probabilities"], record["fits"]
    most_probable = model if fits else max(probabilities, key=lambda name: probabilities[name])
    low, high = record["intervals"][most_probable]
    shown = format_probability(probabilities[most_probable])
    probability = Card(
        "How probable is it?" if fits else "Most probable, if one of them were right",
        shown if fits else f"{most_probable} {shown}",
        f"interval {format_probability(low)} to {format_probability(high)}, on the selected features; "
        f"held-out accuracy: {record['accuracy']:.1%} of {n_held_out} simulations of these models",
        not fits,
    )
    return Headline(
        f"Which model made {name}?",
        _verdict(record, model),
        [_model_card(record, model), probability, _fit_card(record, model), _cost_card(record)],
        [*record["notes"], record["fit"]["power_summary"]],
    )


def _verdict(record: Mapping[str, Any], model: str) -> str:
    headline = str(record["headline"])
    sentence = f"Of {len(record['probabilities'])} models compared: {headline}."
    if record["verdict"] != "none-fits":
        return sentence
    return (
        f"{sentence} Nearest means: measured on all {len(record['fit']['features'])} features together, "
        f"the network is closest to the simulations of {model}, relative to their spread. This is not "
        f"evidence for {model}."
    )


def _model_card(record: Mapping[str, Any], model: str) -> Card:
    parameters = [
        f"{name} = {known['median']:.3g} ({known['interval'][0]:.3g} to {known['interval'][1]:.3g})"
        for name, known in record["parameters"][model].items()
    ]
    details = f"with {', '.join(parameters)}" if parameters else "it has no free parameters"
    question = "Which model?" if record["fits"] else "Which model is the nearest?"
    return Card(question, model, details, not record["fits"])


def _fit_card(record: Mapping[str, Any], model: str) -> Card:
    own_fits = record["fit_p_values"][model] > record["fit"]["alpha"]
    answer = "No" if not record["fits"] else "Yes" if own_fits else "Another one"
    return Card("Does any model fit?", answer, str(record["fit"]["summary"]), answer != "Yes")


def _cost_card(record: Mapping[str, Any]) -> Card:
    cost, n = record["cost"], len(record["features"])
    details = [f"per network, for {n} {'feature' if n == 1 else 'features'}"]
    if cost["speedup"]:
        details.append(f"all features cost {cost['speedup']:.3g} times as much")
    if cost["saved_seconds"]:
        saved = duration(cost["saved_seconds"])
        details.append(f"{saved} saved on {cost['simulations']} simulations")
    details += [
        f"the test of fit cost {duration(cost['fit_features'])} for each of "
        f"{cost['fit_simulations']} simulations",
        f"the last run took {duration(cost['seconds'])} in total",
    ]
    return Card("What does it cost?", duration(cost["selected_features"]), "; ".join(details))


def evaluation_headline(record: Mapping[str, Any], costs: CostModel, unit: str) -> Headline:
    """Return the first screen for an evaluation: the recommended set, its accuracy and its cost."""
    point = record["recommended"]
    names, (low, high) = list(point["features"]), point["interval"]
    loss = point["best_accuracy"] - point["accuracy"]
    count = "One feature is" if len(names) == 1 else f"{len(names)} features are"
    rules = {
        "cheapest": "the cheapest set that is as accurate as the best one within statistical error",
        "budget": "the most accurate set within the budget",
        "knee": "the knee of the Pareto front, between its cheapest and its most accurate set",
    }
    measure = point.get("measure", "accuracy")

    def text(value: float) -> str:
        return format_accuracy(value, measure)

    cards = [
        Card("Which features?", str(len(names)), f"selected by {point['method']} with penalty "
             f"{point['penalty']:.3g}: {', '.join(names)}"),
        Card("How accurate are they?", text(point["accuracy"]), f"held-out {measure}, on rows that were "
             f"not used to choose the set; {point['coverage']:.0%} interval {text(low)} to {text(high)}"),
        Card("How much accuracy is lost?", text(loss) if loss > 0 else "none",
             f"compared with the most accurate set, which reaches {text(point['best_accuracy'])} with "
             f"{len(point['best_features'])} features"),
        _set_cost_card(point, costs, unit),
    ]  # fmt: skip
    verdict = f"{count} recommended: {', '.join(names)}. This is {rules[point['rule']]}."
    return Headline("How few features are enough?", verdict, cards, ())


def _set_cost_card(point: Mapping[str, Any], costs: CostModel, unit: str) -> Card:
    question = "What do they cost?"
    if not point["cost"]:
        is_given = any(costs.alone().values())
        reason = "these features are free" if is_given else "no costs were given"
        return Card(question, "nothing", reason)
    details = CHARGES[point["charge"]]
    if point["speedup"]:
        details += f"; {point['speedup']:.3g} times cheaper than all features"
    return Card(question, cost_text(point["cost"], unit), details)
