"""The verdict: which models fit, which of them are probable, and which one, if any, is named."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from netchoice.inference.sequential_test import FITS, REJECTED, Decision

#: Probability that the named set of models has at least, and that a named model has.
ENOUGH = 0.95
#: A model is named only if the lower end of the interval of its probability is above this.
LOWEST = 0.5


@dataclass(frozen=True)
class Verdict:
    """What can be said about the models of a space, given an observation.

    Attributes
    ----------
    kind : str
        "one-fits": one model fits and is named. "several-fit": at least one model fits, and none is named.
        "borderline": no model fits for certain, and some are not rejected. "none-fits": all are rejected.
    model : str or None
        The model that is named.
    candidates : tuple of str
        The models that are not rejected, the most probable first.
    probable : tuple of str
        The smallest set of candidates with a probability of at least 0.95.
    families : dict
        By family of the candidates: the sum of their probabilities, the most probable family first.
    sentence : str
    """

    kind: str
    model: str | None
    candidates: tuple[str, ...]
    probable: tuple[str, ...]
    families: dict[str, float]
    sentence: str


def verdict_of(
    decisions: Mapping[str, Decision],
    probabilities: Mapping[str, float],
    intervals: Mapping[str, tuple[float, float]],
    families: Mapping[str, str] | None = None,
) -> Verdict:
    """Return the verdict on models.

    A model is named if it fits, if its probability is at least 0.95, and if the lower end of its interval
    is above 0.5. A rejected model is neither named nor a candidate.

    Parameters
    ----------
    decisions : mapping, by model: the decision of its test of fit
    probabilities, intervals : mapping
        By model that is not rejected, given that one of these made the observation.
    families : mapping, optional, by model: its family

    Examples
    --------
    >>> fits, rejected = Decision("fits", 40, 80, (0.4, 0.6)), Decision("does not fit", 0, 950, (0, 0.006))
    >>> verdict = verdict_of(
    ...     {"a": fits, "b": rejected, "c": fits}, {"a": 0.98, "c": 0.02},
    ...     {"a": (0.97, 0.99), "c": (0.01, 0.03)},
    ... )
    >>> verdict.kind, verdict.model, verdict.sentence
    ('one-fits', 'a', '2 of 3 models fit, and a is by far the most probable: 0.98')
    """
    states = {model: each.state for model, each in decisions.items()}
    kept = [model for model, state in states.items() if state != REJECTED]
    candidates = tuple(sorted(kept, key=lambda model: -probabilities[model]))
    probable = _smallest_set(candidates, probabilities)
    sums: dict[str, float] = {}
    for model in candidates if families else ():
        family = (families or {})[model]
        sums[family] = sums.get(family, 0.0) + probabilities[model]
    ordered = dict(sorted(sums.items(), key=lambda item: -item[1]))
    named = None
    if not candidates:
        kind = "none-fits"
    elif FITS not in states.values():
        kind = "borderline"
    elif len(probable) == 1 and states[probable[0]] == FITS and _is_clear(probable[0], intervals):
        kind, named = "one-fits", probable[0]
    else:
        kind = "several-fit"
    sentence = _sentence(kind, decisions, candidates, probable, probabilities, ordered)
    return Verdict(kind, named, candidates, probable, ordered, sentence)


def _smallest_set(
    candidates: tuple[str, ...], probabilities: Mapping[str, float]
) -> tuple[str, ...]:
    total = 0.0
    for number, model in enumerate(candidates, 1):
        total += probabilities[model]
        if total >= ENOUGH:
            return candidates[:number]
    return candidates


def _is_clear(model: str, intervals: Mapping[str, tuple[float, float]]) -> bool:
    return len(intervals) == 1 or intervals[model][0] > LOWEST


def _sentence(
    kind: str,
    decisions: Mapping[str, Decision],
    candidates: tuple[str, ...],
    probable: tuple[str, ...],
    probabilities: Mapping[str, float],
    families: Mapping[str, float],
) -> str:
    n_models = len(decisions)
    if kind == "none-fits":
        largest = max(each.p_value for each in decisions.values())
        return f"none of the {n_models} models fits: all p-values are at most {largest:.2g}"
    if kind == "borderline":
        listed = ", ".join(f"{model} (p = {decisions[model].p_value:.2g})" for model in candidates)
        return f"none of the {n_models} models fits for certain; borderline: {listed}"
    fitting = [model for model in candidates if decisions[model].state == FITS]
    count = f"{len(fitting)} of {n_models} models {'fits' if len(fitting) == 1 else 'fit'}"
    first = probable[0]
    if kind == "one-fits":
        if len(candidates) == 1:
            return f"{count}: {first}"
        return f"{count}, and {first} is by far the most probable: {_rounded(probabilities[first])}"
    family, share = next(iter(families.items()), ("", 0.0))
    listed = ", ".join(f"{model} {_rounded(probabilities[model])}" for model in probable)
    if len(families) > 1 and share >= ENOUGH:
        return f"{count}; the mechanism is {family} ({_rounded(share)}): {listed}"
    return f"{count}; the probable ones are {listed}"


def _rounded(probability: float) -> str:
    """Return a probability with two digits; 1 only if it is 1.

    >>> _rounded(0.034), _rounded(0.999)
    ('0.03', '>0.99')
    """
    return ">0.99" if 0.995 <= probability < 1 else f"{probability:.2f}"
