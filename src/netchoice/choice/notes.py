"""What a careful reader of an answer should know: at most five notes, the most important first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from netchoice.choice.answer import Answer
from netchoice.choice.discrepancies import wider_prior
from netchoice.choice.identifiability import check_mixtures, may_have_two_kinds, thinning_notes
from netchoice.choice.observe import Observed
from netchoice.choice.reference import ModelPosterior, Reference
from netchoice.units import count

MOST_NOTES = 5
#: Ranks of true values are tested at this level, divided by the number of parameters.
RANK_ALPHA = 0.01


def notes_of(
    answer: Answer,
    observed: Observed,
    posteriors: Mapping[str, ModelPosterior],
    reference: Reference,
) -> tuple[str, ...]:
    """Return the notes of an answer, each with what to do."""
    found = dict.fromkeys(_notes(answer, observed, posteriors, reference))
    return tuple(found)[:MOST_NOTES]


def _notes(
    answer: Answer,
    observed: Observed,
    posteriors: Mapping[str, ModelPosterior],
    reference: Reference,
) -> Iterator[str]:
    yield from _about_time(answer, observed)
    if may_have_two_kinds(observed.graph):
        yield (
            "all cycles of the network have an even number of edges, as if it had two kinds of nodes; the "
            "models have one kind: compare a projection on one kind of nodes instead"
        )
    candidates = {each.name: each for each in answer.models if each.is_candidate}
    chances = {name: each.probability or 0.0 for name, each in candidates.items()}
    known = {name: posteriors[name] for name in candidates if name in posteriors}
    for check in check_mixtures(reference.space, known, chances):
        yield check.sentence
    yield from thinning_notes(known)
    yield from parameter_notes(answer, reference)
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


def parameter_notes(answer: Answer, reference: Reference) -> Iterator[str]:
    """Yield notes on posteriors at a boundary, and on those that are not calibrated."""
    candidates = [each for each in answer.models if each.is_candidate]
    n_tested = max(1, sum(len(each.parameters) for each in candidates))
    for each in candidates:
        for name, estimate in each.parameters.items():
            side = estimate.at_boundary
            if side and wider_prior(reference.space[each.name].parameters[name], side):
                yield (
                    f"the posterior of {each.name} {name} is at the prior's boundary ({side}); a wider prior "
                    f'may change it: --prior "{each.name}.{name}='
                    f'{wider_prior(reference.space[each.name].parameters[name], side)}"'
                )
            if estimate.held_out and estimate.rank_p_value < RANK_ALPHA / n_tested:
                yield (
                    f"posteriors of {each.name} {name} are not calibrated (p = {estimate.rank_p_value:.2g} "
                    f"on {estimate.held_out} held-out simulations): read its interval with care"
                )
