"""What a careful reader of an answer should know: at most five notes, the most important first."""

from __future__ import annotations

from collections.abc import Iterator

from netchoice.choice.answer import Answer
from netchoice.choice.conclude import Known
from netchoice.choice.discrepancies import wider_prior
from netchoice.choice.identifiability import (
    TWO_KINDS,
    may_have_two_kinds,
    mixture_notes,
    thinning_notes,
)
from netchoice.choice.observe import Observed
from netchoice.models.space import ModelSpace
from netchoice.units import count

MOST_NOTES = 5
#: Ranks of true values are tested at this level, divided by the number of parameters.
RANK_ALPHA = 0.01


def notes_of(answer: Answer, known: Known) -> tuple[str, ...]:
    """Return the notes of an answer, each with what to do."""
    return tuple(dict.fromkeys(_notes(answer, known)))[:MOST_NOTES]


def _notes(answer: Answer, known: Known) -> Iterator[str]:
    observed, reference = known.observed, known.reference
    yield from _about_time(answer, observed)
    if may_have_two_kinds(observed.graph):
        yield (
            f"{TWO_KINDS}, as if it had two kinds of nodes; the models have one kind: compare a projection "
            "on one kind of nodes instead"
        )
    chances = {each.name: each.probability or 0.0 for each in answer.candidates}
    posteriors = {name: each for name in chances if (each := known.posterior(name)) is not None}
    yield from mixture_notes(reference.space, posteriors, chances)
    yield from thinning_notes(posteriors)
    yield from parameter_notes(answer, reference.space)
    if observed.size.isolated == "drop":
        yield (
            "the network has no isolated nodes, so those of the simulations were dropped; pass "
            '--isolated keep (in Python isolated="keep") to keep them'
        )
    elif observed.graph.n_isolated:
        yield (
            f"{observed.graph.n_isolated} isolated nodes were kept, in the network and in the simulations; "
            'pass --isolated drop (in Python isolated="drop") to drop them'
        )
    missing = [*observed.failures, *reference.incomplete]
    left_out = [name for name in dict.fromkeys(missing) if name not in observed.late]
    if left_out:
        yield f"features without a value were left out: {', '.join(left_out[:5])}{'…' * (len(left_out) > 5)}"


def _about_time(answer: Answer, observed: Observed) -> Iterator[str]:
    still_open = [each.name for each in answer.models if each.state == "open"]
    listed = ", ".join(still_open[:5]) + (", …" if len(still_open) > 5 else "")
    if still_open and not answer.ended_by_limit:
        yield (
            f"most simulations of {listed} failed, so the test of fit was not decided; narrower priors may "
            "help"
        )
    elif still_open:
        yield (
            f"the time limit ended the simulations before {count(len(still_open), 'model')} "
            f"{'was' if len(still_open) == 1 else 'were'} decided ({listed}); a longer limit decides more"
        )
    elif answer.ended_by_limit:
        yield (
            "the time limit ended the simulations before the models that fit were tested with all features; "
            "a longer limit tests them"
        )
    if observed.late:
        yield (
            f"{len(observed.late)} features of the network were not computed, to stay within the time limit; "
            "a longer limit includes them"
        )


def parameter_notes(answer: Answer, space: ModelSpace) -> Iterator[str]:
    """Yield notes on posteriors at a boundary, and on those that are not calibrated."""
    n_tested = max(1, sum(len(each.parameters) for each in answer.candidates))
    for each in answer.candidates:
        for name, estimate in each.parameters.items():
            side, quality = estimate.at_boundary, estimate.quality
            wider = wider_prior(space[each.name].parameters[name], side) if side else None
            if wider:
                yield (
                    f"the posterior of {each.name} {name} is at the prior's boundary ({side}); a wider prior "
                    f'may change it: --prior "{each.name}.{name}={wider}"'
                )
            if quality is not None and quality.rank_p_value < RANK_ALPHA / n_tested:
                yield (
                    f"posteriors of {each.name} {name} are not calibrated (p = {quality.rank_p_value:.2g} "
                    f"on {quality.held_out} held-out simulations): read its interval with care"
                )
