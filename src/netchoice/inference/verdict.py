"""The verdict: which models fit, which of them are probable, and which one, if any, is named."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from netchoice.inference.sequential_test import BORDERLINE, FITS

#: A model whose test was ended before it was decided.
OPEN = "open"
#: Probability that the named set of models has at least, and that a named model has.
ENOUGH = 0.95
#: A model is named only if the lower end of the interval of its probability is above this.
LOWEST = 0.5
#: A sentence names at most so many models.
MOST_NAMED = 2
#: What each verdict says, before it names models.
KINDS = {
    "one-fits": "one model fits and is by far the most probable",
    "several-fit": "at least one model fits, and none is named",
    "borderline": "no model fits for certain",
    "none-fits": "none of the models fits",
    "open": "not decided",
}


@dataclass(frozen=True)
class Verdict:
    """What can be said about the models of a space, given an observation.

    Attributes
    ----------
    kind : str
        "one-fits": a model fits and is named. "several-fit": at least one model fits, and none is named.
        "borderline": no model fits for certain, and some are not rejected. "none-fits": all are rejected.
        "open": the test was ended before any model was accepted, or all were rejected.
    model : str or None
        The model that is named.
    candidates : tuple of str
        The models that are not rejected, the most probable first.
    probable : tuple of str
        The smallest set of :func:`eligible` models with a probability of at least 0.95.
    families : dict
        By family of the eligible models: the sum of their probabilities, the most probable family first.
    sentence : str
    """

    kind: str
    model: str | None
    candidates: tuple[str, ...]
    probable: tuple[str, ...]
    families: dict[str, float]
    sentence: str


def eligible(states: Mapping[str, str]) -> tuple[str, ...]:
    """Return the models that probabilities are about: those that fit, and those not decided in time.

    A borderline model is one only if all others are rejected. Otherwise it could take all the probability
    with one seed, and be rejected with the next.

    >>> eligible({"a": "fits", "b": "borderline"}), eligible({"b": "borderline", "c": "does not fit"})
    (('a',), ('b',))
    """
    found = tuple(model for model, state in states.items() if state in (FITS, OPEN))
    return found or tuple(model for model, state in states.items() if state == BORDERLINE)


def verdict_of(
    states: Mapping[str, str],
    p_values: Mapping[str, float],
    probabilities: Mapping[str, float],
    intervals: Mapping[str, tuple[float, float]],
    families: Mapping[str, str] | None = None,
) -> Verdict:
    """Return the verdict on models.

    A model is named if it fits, if its probability is at least 0.95, and if the lower end of its interval
    is above 0.5. A rejected model is neither named nor a candidate.

    Parameters
    ----------
    states : mapping
        By model: "fits", "borderline" or "open" for candidates, anything else for rejected models.
    p_values : mapping, by model; models that were rejected without a p-value have none
    probabilities, intervals : mapping
        By eligible model, given that one of these made the observation.
    families : mapping, optional, by model: its family

    Examples
    --------
    >>> verdict = verdict_of(
    ...     {"a": "fits", "b": "does not fit", "c": "fits"}, {"a": 0.5, "b": 0.001, "c": 0.4},
    ...     {"a": 0.98, "c": 0.02}, {"a": (0.97, 0.99), "c": (0.01, 0.03)},
    ... )
    >>> verdict.kind, verdict.model, verdict.sentence
    ('one-fits', 'a', '2 of 3 models fit, and a is by far the most probable: 0.98')
    """
    kept = [model for model, state in states.items() if state in (FITS, BORDERLINE, OPEN)]
    candidates = tuple(sorted(kept, key=lambda model: -probabilities.get(model, 0.0)))
    considered = [model for model in candidates if model in eligible(states)]
    probable = _smallest_set(considered, probabilities)
    sums: dict[str, float] = {}
    for model in considered if families else ():
        family = (families or {})[model]
        sums[family] = sums.get(family, 0.0) + probabilities.get(model, 0.0)
    ordered = dict(sorted(sums.items(), key=lambda item: -item[1]))
    named = None
    known = {states[model] for model in candidates}
    if not candidates:
        kind = "none-fits"
    elif FITS not in known:
        kind = "open" if OPEN in known else "borderline"
    elif len(probable) == 1 and states[probable[0]] == FITS and _is_clear(probable[0], intervals):
        kind, named = "one-fits", probable[0]
    else:
        kind = "several-fit"
    sentence = _sentence(kind, states, p_values, candidates, probable, probabilities, ordered)
    return Verdict(kind, named, candidates, probable, ordered, sentence)


def _smallest_set(models: Sequence[str], probabilities: Mapping[str, float]) -> tuple[str, ...]:
    total = 0.0
    for number, model in enumerate(models, 1):
        total += probabilities.get(model, 0.0)
        if total >= ENOUGH:
            return tuple(models[:number])
    return tuple(models)


def _is_clear(model: str, intervals: Mapping[str, tuple[float, float]]) -> bool:
    return len(intervals) == 1 or (model in intervals and intervals[model][0] > LOWEST)


def _sentence(
    kind: str,
    states: Mapping[str, str],
    p_values: Mapping[str, float],
    candidates: tuple[str, ...],
    probable: tuple[str, ...],
    probabilities: Mapping[str, float],
    families: Mapping[str, float],
) -> str:
    n_models = len(states)
    if kind == "none-fits":
        largest = max(p_values.values(), default=None)
        rest = "" if largest is None else f": the largest p-value is {largest:.2g}"
        return f"none of the {n_models} models fits{rest}"
    if kind == "borderline":
        first = f"{candidates[0]} (p = {p_values[candidates[0]]:.2g})"
        listed = (
            f"borderline: {first}" if len(candidates) == 1 else f"{len(candidates)} are borderline"
        )
        return f"none of the {n_models} models fits for certain; {listed}"
    if kind == "open":
        return f"not decided within the time limit: {len(candidates)} of {n_models} models are still open"
    fitting = [model for model in candidates if states[model] == FITS]
    count = f"{len(fitting)} of {n_models} models {'fits' if len(fitting) == 1 else 'fit'}"
    known = [*states.values()]
    others = ((known.count(BORDERLINE), "borderline"), (known.count(OPEN), "not decided"))
    listed = ", ".join(f"{n} {word}" for n, word in others if n)
    count += f" ({listed})" if listed else ""
    if kind == "one-fits":
        first = probable[0]
        if len(fitting) == 1 and OPEN not in states.values():
            return f"{count}: {first}"
        return f"{count}, and {first} is by far the most probable: {rounded(probabilities[first])}"
    if not probabilities:
        return f"{count}: {', '.join(fitting)}" if len(fitting) <= MOST_NAMED else count
    family, share = next(iter(families.items()), ("", 0.0))
    are_few = len(probable) <= MOST_NAMED
    if len(families) > 1 and share >= ENOUGH:
        named = f": {', '.join(probable)}" if are_few else ""
        return f"{count}; the probable family is {family} ({rounded(share)}){named}"
    listed = ", ".join(f"{model} {rounded(probabilities.get(model, 0.0))}" for model in probable)
    are = "is" if len(probable) == 1 else "are"
    return f"{count}; {len(probable)} {are} probable" + (f": {listed}" if are_few else "")


def rounded(probability: float) -> str:
    """Return a probability with two digits; 0 and 1 only if it is 0 or 1.

    >>> rounded(0.034), rounded(0.999), rounded(0.0001)
    ('0.03', '>0.99', '<0.01')
    """
    if 0.995 <= probability < 1:
        return ">0.99"
    return "<0.01" if 0 < probability < 0.005 else f"{probability:.2f}"
