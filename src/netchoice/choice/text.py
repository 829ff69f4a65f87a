"""The text of an answer: at most twelve lines for the first screen, and all that is known."""

from __future__ import annotations

import math
import re
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from netchoice.choice.assess import UNMATCHED
from netchoice.choice.discrepancies import ALL_MECHANISMS, Advice, Discrepancy, distinct_numbers
from netchoice.choice.notes import TWO_KINDS
from netchoice.inference.sequential_test import BORDERLINE, FITS
from netchoice.inference.verdict import OPEN, rounded
from netchoice.markup import summary_html
from netchoice.models.builtin import get_space
from netchoice.units import count, duration

if TYPE_CHECKING:
    from netchoice.choice.answer import Answer, ModelAnswer

#: Characters of a line of the first screen, and its lines; a command adds one that names the folder.
WIDTH, MOST_LINES = 100, 11
#: Begins a line on simulations that the network is outside of, as in the report.
SIGN = "⚠"
#: What decides more, and the characters of names that fit into a line with it.
LARGER, MOST_NAMED = "take a larger network of this kind, or a cohort", 26
#: Models that the first screen lists, and contradictions that it shows if no model fits.
MOST_LISTED, MOST_CONTRADICTIONS = 4, 2


def answer_lines(answer: Answer, *, verbose: bool = False, language: str = "shell") -> list[str]:
    """Return an answer in lines of at most 100 characters, at most eleven of them.

    Parameters
    ----------
    answer : Answer
    verbose : bool, also everything else: all models, parameters, notes
    language : "shell" or "python", what advice speaks
    """
    if verbose:
        return list(_all_lines(answer, language))
    head = [_network(answer), *wrapped(f"verdict: {answer.verdict.sentence}")]
    following = next_step(answer, language).rpartition("; ")[2]
    end = [
        *_signed(contradictions(answer)), power_line(answer, WIDTH), *[*_parameters(answer, WIDTH)][:1],
        _cost(answer), f"next: {following}" if following else "",
    ]  # fmt: skip
    end = [line for line in end if line]
    models = _models(answer, MOST_LINES - len(head) - len(end))
    return [line if len(line) <= WIDTH else f"{line[: WIDTH - 1]}…" for line in head + models + end]


def wrapped(line: str) -> list[str]:
    """Return a line in lines of at most 100 characters, of which the later ones are indented."""
    if len(line) <= WIDTH:
        return [line]
    return textwrap.wrap(line, WIDTH, subsequent_indent="    ", break_on_hyphens=False)


def _models(answer: Answer, most: int) -> list[str]:
    """Return the first candidates, each with its contradiction, and a line that counts the other models."""
    lines: list[str] = []
    shown: list[ModelAnswer] = []
    for each in _listed(answer):
        own = [
            model_line(each, answer.has_probabilities),
            *_signed([contradiction(answer, each)], "    "),
        ]
        if len(lines) + len(own) + 1 > most:
            break
        lines += own
        shown.append(each)
    return [*lines, *_others(answer, shown)]


def _network(answer: Answer) -> str:
    network, reading = answer.network, answer.reading
    text = f"network: {count(network['nodes'], 'node')}, {count(network['edges'], 'edge')}"
    if reading is None:
        return text
    loops, repeated = reading.self_loops, reading.repeated_edges
    left_out = [
        count(loops, "self loop") if loops else "",
        count(repeated, "repeated edge") if repeated else "",
        "direction" if reading.direction_ignored else "",
        "weights" if reading.weights_ignored else "",
    ]
    listed = ", ".join(filter(None, left_out))
    return f"{text}; without {listed}" if listed else text


def _listed(answer: Answer) -> list[ModelAnswer]:
    """Return the candidates that the first screen lists: those of which something is known, fitting first."""
    known = [
        each for each in answer.candidates if each.state != OPEN or each.probability is not None
    ]
    return sorted(known, key=lambda each: each.state != FITS)[:MOST_LISTED]


def _others(answer: Answer, listed: Sequence[ModelAnswer]) -> Iterator[str]:
    """Yield a line on the models that are not listed, if any is."""
    others = Counter(each.state for each in answer.models if each not in listed)
    if others and listed:
        several = {FITS: "fit", "does not fit": "do not fit", UNMATCHED: "never have this density"}
        names = {OPEN: "not decided"}
        ranked = sorted(others.items(), key=lambda item: (item[0] != FITS, -item[1]))
        states = ", ".join(
            f"{n} {(several | names if n > 1 else names).get(state, state)}" for state, n in ranked
        )
        yield f"  the other models: {states}"


def model_line(each: ModelAnswer, has_probabilities: bool = True) -> str:
    """Return the name, the probability, the state and the p-value of a candidate."""
    chance = ""
    if each.probability is not None and each.interval is not None and has_probabilities:
        chance = f"{rounded(each.probability):>5} ({' to '.join(map(rounded, each.interval))})  "
    p = "" if each.p_value is None else f"p = {each.p_value:.2g}"
    states = {FITS: "fits", BORDERLINE: "borderline", OPEN: "not decided"}
    return f"  {each.name:<16} {chance}{states[each.state]}, {p}".rstrip(", ")


def contradiction(answer: Answer, model: ModelAnswer) -> str:
    """Return in which feature the network is outside simulations of a model; "" if it is in none."""
    features = {each.name: each for each in answer.features}
    first = next((features[name] for name in model.outside if name in features), None)
    if first is not None:
        value = distinct_numbers(first.observed)[0]
        return f"{first.label} = {value} is outside all simulations of {model.name}"
    near = next((each for each in model.discrepancies if each.is_outside), None)
    if near is None:
        return ""
    value = distinct_numbers(near.observed)[0]
    return f"{near.label} = {value} is outside the simulations of {model.name} near the network"


def is_signed(model: ModelAnswer, one: Discrepancy) -> bool:
    """Return whether a difference carries the sign: the network is outside simulations of the model."""
    return one.is_outside or one.feature in model.outside


def _signed(texts: Iterable[str], margin: str = "  ") -> list[str]:
    """Return contradictions as lines with the sign that they have in the report."""
    return [f"{margin}{SIGN} {text}" for text in texts if text]


def contradictions(answer: Answer) -> Iterator[str]:
    """Yield in what the network differs from all, or nearly all, models, if none fits."""
    if answer.candidates:
        return
    found = Counter(name for each in answer.models for name in each.outside)
    features = {each.name: each for each in answer.features}
    n_models = len(answer.models)
    topics: set[str] = set()
    for name, n in found.most_common():
        each = features.get(name)
        if each is None or each.topic in topics:
            continue
        topics.add(each.topic)
        value = distinct_numbers(each.observed)[0]
        yield f"{each.label} = {value} is outside all simulations of {n} of {n_models} models"
        if len(topics) == MOST_CONTRADICTIONS:
            return


def power_line(answer: Answer, width: float = math.inf) -> str:
    """Return what the test of fit notices at this size, in a line; "" if it was not measured."""
    if not answer.power:
        return ""
    model, ((kind, first), *others) = answer.power_of, answer.power.items()
    line = (
        f"power: of {first.n} networks of {model} with {kind}, the test notices {first.share:.0%}"
    )
    rest = ", ".join(f"{kind} {each.share:.0%}" for kind, each in others)
    if "rewired" not in kind:
        rest = f"rewired ones are networks of {model} again"
    with_rest = f"{line} ({rest})" if rest else line
    return with_rest if len(with_rest) <= width else line


def _parameters(answer: Answer, width: float = math.inf) -> Iterator[str]:
    """Yield a line on the parameters of each model that fits; without intervals if it would be too long."""
    for each in answer.candidates:
        if each.parameters and each.state == FITS:
            line = f"parameters of {each.name}: {', '.join(_estimates(each, with_intervals=True))}"
            short = (
                f"parameters of {each.name}: {', '.join(_estimates(each, with_intervals=False))}"
            )
            yield line if len(line) <= width else short


def _estimates(model: ModelAnswer, with_intervals: bool) -> Iterator[str]:
    for name, known in model.parameters.items():
        low, high = known.interval
        yield f"{name} {known.median:.3g}" + f" ({low:.3g} to {high:.3g})" * with_intervals


def _cost(answer: Answer) -> str:
    cost = answer.cost
    measured = f" at {duration(cost.features)} per network" if cost.features else ""
    return (
        f"cost: {count(cost.simulations, 'simulation')}, {duration(cost.simulation_seconds)} of CPU time; "
        f"{len(answer.features)} features{measured}"
    )


def next_step(answer: Answer, language: str) -> str:
    """Return the one thing to do next."""
    if any(note.startswith(TWO_KINDS) for note in answer.notes):
        return "compare a projection on one kind of nodes: the network seems to have two kinds"
    if answer.ended_by_limit:
        return "give a longer time limit, which decides between the models"
    if not answer.candidates:
        advice = next((one for each in answer.models for one in each.advice), None)
        return "" if advice is None else advice_text(advice, language)
    return advice_text(_next_with_candidates(answer), language)


def _next_with_candidates(answer: Answer) -> Advice:
    """Return the one thing to do next if some models are not rejected."""
    verdict, probable = answer.verdict, answer.verdict.probable
    if verdict.kind == "open":
        return Advice(
            "give narrower priors to the open models, of which most simulations failed", ""
        )
    if verdict.kind == "borderline":
        return Advice(f"to decide on {_named(verdict.candidates)}, {LARGER}", "")
    if verdict.model is None and len(probable) == 1:
        return Advice(f"to be sure of {probable[0]}, {LARGER}", "")
    if verdict.model is None:
        return Advice(f"to decide between {_named(probable)}, {LARGER}", "")
    if contradiction(answer, answer[verdict.model]):
        return Advice(f"see in the report how the network differs from {verdict.model}", "")
    if not set(get_space("all").labels) <= {each.name for each in answer.models}:
        return Advice(f"compare {verdict.model} with all mechanisms", ALL_MECHANISMS)
    return Advice(f"see if {verdict.model} also fits another network of the same kind", "")


def _named(models: Sequence[str]) -> str:
    """Return the names of one or two models, if they are short."""
    names = " and ".join(models)
    return names if len(models) <= 2 and len(names) <= MOST_NAMED else "these models"


#: An option of a command, and its value if it has one.
_OPTION = re.compile(r'--(\w+)(?: "?([^" -][^" ]*)"?)?')


def advice_text(advice: Advice, language: str = "shell") -> str:
    """Return what to try, with an option of the command or an argument of the function.

    >>> advice_text(Advice("try all mechanisms", "--space all --match"), "python")
    'try all mechanisms: space="all", match=True'
    """
    command = advice.command
    if language == "python":
        given = _OPTION.findall(command)
        command = ", ".join(
            f'{name}="{value}"' if value else f"{name}=True" for name, value in given
        )
    return f"{advice.sentence}: {command}" if command else advice.sentence


def _all_lines(answer: Answer, language: str) -> Iterator[str]:
    """Yield everything that the text of an answer says."""
    yield _network(answer)
    if answer.reading is not None:
        yield from (f"  {line}" for line in answer.reading.lines())
    yield f"verdict: {answer.verdict.sentence}"
    yield from _signed(contradictions(answer))
    if len(answer.verdict.families) > 1:
        shares = answer.verdict.families.items()
        yield f"families: {', '.join(f'{name} {rounded(share)}' for name, share in shares)}"
    for each in answer.models:
        yield from _about_model(answer, each, language)
    yield from filter(None, [power_line(answer), *_parameters(answer)])
    if answer.accuracy == answer.accuracy:
        yield f"held-out accuracy: {answer.accuracy:.1%} of simulations of the models with probabilities"
    names = ", ".join(f"{each.name} = {each.observed:.4g}" for each in answer.features)
    yield f"features ({len(answer.features)}): {names}"
    yield _cost(answer)
    yield from (f"note: {note}" for note in answer.notes)
    following = next_step(answer, language)
    if following:
        yield f"next: {following}"


def _about_model(answer: Answer, each: ModelAnswer, language: str) -> Iterator[str]:
    if each.is_candidate:
        yield model_line(each, answer.has_probabilities)
        if not any(is_signed(each, one) for one in each.discrepancies[:2]):
            yield from _signed([contradiction(answer, each)], "    ")
    else:
        p = f", p = {each.p_value:.2g}" if each.p_value is not None else ""
        before = (
            ""
            if each.probability_before is None
            else f"; its probability before was {rounded(each.probability_before)}"
        )
        yield f"  {each.name:<16} {each.state}{p}{before}"
    for one in each.discrepancies[:2]:
        yield f"    {SIGN} {one.sentence}" if is_signed(each, one) else f"    {one.sentence}"
    for advice in each.advice[:1]:
        yield f"    {advice_text(advice, language)}"


def answer_html(answer: Answer) -> str:
    """Return the verdict, the candidates and the other lines as HTML."""
    rows = [
        (
            each.name,
            each.family,
            each.state,
            "" if each.probability is None else rounded(each.probability),
            "" if each.interval is None else " – ".join(map(rounded, each.interval)),
            "" if each.p_value is None else f"{each.p_value:.2g}",
        )
        for each in (answer.candidates or answer.models[:MOST_LISTED])
    ]
    head = ("model", "family", "fit", "probability", "interval", "p")
    lines = [
        *contradictions(answer), power_line(answer), *_parameters(answer), _cost(answer), *answer.notes
    ]  # fmt: skip
    return summary_html(
        f"Verdict: {answer.verdict.sentence}", head, rows, [line for line in lines if line]
    )
