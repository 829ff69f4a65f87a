"""The answer in words: what a reader who stops after the first screen should know."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from netchoice.costs import CostModel
from netchoice.report.costs import Unit, has_costs
from netchoice.units import duration
from netchoice.workflows.choice import chance


class Card(NamedTuple):
    """One question, its answer in a word or two, and what else is to be said."""

    question: str
    answer: str
    rest: str
    warning: bool = False


class Told(NamedTuple):
    """The first screen."""

    title: str
    headline: str
    cards: list[Card]
    notes: Sequence[str]


def of_choice(record: Mapping[str, Any], name: str) -> Told:
    """Of an answer for a network: the model, how sure, whether anything fits, what it cost."""
    model = str(record["model"])
    low, high = record["intervals"][model]
    judged = sum(n for row in record["confusion"].values() for n in row.values())
    probability = Card(
        "How sure?",
        chance(record["probabilities"][model]),
        f"probability of {model}{'' if record['fits'] else ', had one of these models made it'}, between "
        f"{chance(low)} and {chance(high)}; of {judged} held-out simulations "
        f"{record['accuracy']:.1%} were given their true model",
        not record["fits"],
    )
    return Told(
        f"Which model made {name}?",
        _verdict(record, model),
        [_model(record, model), probability, _fit(record, model), _cost(record)],
        record["notes"],
    )


def _verdict(record: Mapping[str, Any], model: str) -> str:
    among = f"Of {len(record['probabilities'])} models compared"
    if not record["fits"]:
        return (
            f"{among}, none explains this network. On the features selected {model} is the nearest, "
            "which is no reason to believe in it."
        )
    if record["fit_p_values"][model] <= record["fit"]["alpha"]:
        return (
            f"{among}, {model} is the most probable on the features selected, but it does not fit, "
            "and another one does: the answer is not to be trusted."
        )
    return f"{among}, {model} is the most probable, and the network looks like what it makes."


def _model(record: Mapping[str, Any], model: str) -> Card:
    told = [
        f"{name} {known['median']:.3g} ({known['interval'][0]:.3g} to {known['interval'][1]:.3g})"
        for name, known in record["parameters"].items()
    ]
    rest = f"with {', '.join(told)}" if told else "it has no free parameters"
    return Card("Which model?", model, rest, not record["fits"])


def _fit(record: Mapping[str, Any], model: str) -> Card:
    alpha = record["fit"]["alpha"]
    own = record["fit_p_values"][model]
    if not record["fits"]:
        answer, warning = "No", True
    else:
        answer, warning = ("Yes", False) if own > alpha else ("Another one", True)
    return Card("Does any model fit?", answer, str(record["fit"]["summary"]), warning)


def _cost(record: Mapping[str, Any]) -> Card:
    cost, n = record["cost"], len(record["features"])
    told = [f"per network, for {n} {'feature' if n == 1 else 'features'}"]
    if cost["speedup"]:
        told.append(f"all features cost {cost['speedup']:.3g} times as much")
    if cost["saved_seconds"]:
        told.append(f"{duration(cost['saved_seconds'])} saved on {cost['simulations']} simulations")
    judged = f"on each of {cost['fit_simulations']} others"
    told.append(f"judging the fit took {duration(cost['fit_features'])} {judged}")
    told.append(f"the last run took {duration(cost['seconds'])} in all")
    return Card("What does it cost?", duration(cost["selected_features"]), "; ".join(told))


def of_evaluation(record: Mapping[str, Any], costs: CostModel, unit: Unit) -> Told:
    """Of an evaluation: the recommended set, its accuracy and its cost."""
    point = record["recommended"]
    names, (low, high) = list(point["features"]), point["interval"]
    lost = point["best_accuracy"] - point["accuracy"]
    count = "One feature is" if len(names) == 1 else f"{len(names)} features are"
    rules = {
        "cheapest": "the cheapest set that is as accurate as the best one, up to chance",
        "budget": "the most accurate set within the budget",
        "knee": "the bend of the line through the best sets, between its cheapest and its best",
    }
    cards = [
        Card("Which features?", str(len(names)), f"from {point['method']} with penalty "
             f"{point['penalty']:.3g}: {', '.join(names)}"),
        Card("How accurate?", f"{point['accuracy']:.2%}", f"on rows that had no part in the choice; "
             f"{point['coverage']:.0%} interval {low:.2%} to {high:.2%}"),
        Card("What is lost?", f"{max(0.0, lost):.2%}" if lost > 0 else "nothing",
             f"against the most accurate set, {point['best_accuracy']:.2%} with "
             f"{len(point['best_features'])} features"),
        _cost_of_set(point, costs, unit),
    ]  # fmt: skip
    return Told(
        "How few features are enough?",
        f"{count} recommended: {', '.join(names)}. This is {rules[point['rule']]}.",
        cards,
        (),
    )


def _cost_of_set(point: Mapping[str, Any], costs: CostModel, unit: Unit) -> Card:
    question = "What does it cost?"
    if not point["cost"]:
        why = "these features are free" if has_costs(costs) else "no costs were given"
        return Card(question, "nothing", why)
    told = ["common steps paid once" if point["charge"] == "shared" else "each feature paid alone"]
    if point["speedup"]:
        told.append(f"{point['speedup']:.3g} times cheaper than all features")
    return Card(question, unit.tell(point["cost"]), "; ".join(told))
