"""The first screen of the report of a choice: title, verdict, four cards and notes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from netchoice.costs import CostModel
from netchoice.markup import Html
from netchoice.report.elements import model_name
from netchoice.report.model_texts import model_text
from netchoice.units import duration
from netchoice.workflows.choice_text import VERDICTS, format_probability

MOST_LISTED = 4  # models in a sentence; all models are in the table below
_NOTHING = Html("")


class Card(NamedTuple):
    """One question, its short answer, and details, a paragraph each."""

    question: str
    answer: str
    details: Sequence[str]
    warning: bool = False


class Headline(NamedTuple):
    """Content of the first screen; the picture stands next to the cards."""

    title: str
    verdict: str
    cards: list[Card]
    notes: Sequence[str]
    picture: Html = _NOTHING


def choice_headline(
    record: Mapping[str, Any], name: str, costs: CostModel, picture: Html = _NOTHING
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


def sentence(text: str) -> str:
    """Return a text as a sentence: with a capital letter and a full stop.

    >>> sentence("all nodes were kept")
    'All nodes were kept.'
    """
    return f"{text[:1].upper()}{text[1:].removesuffix('.')}."


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
