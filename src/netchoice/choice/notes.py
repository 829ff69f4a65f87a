"""What a careful reader of an answer should know: at most five notes, the most important first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from netchoice.choice.answer import Answer, Interval
from netchoice.choice.conclude import Known
from netchoice.choice.discrepancies import wider_prior
from netchoice.choice.observe import Observed
from netchoice.choice.reference import ModelPosterior
from netchoice.graph import Graph
from netchoice.models.mixture import SHARE, pure_models
from netchoice.models.space import ModelSpace
from netchoice.models.thinned import OBSERVED
from netchoice.units import count

MOST_NOTES = 5
#: Ranks of true values are tested at this level, divided by the number of parameters.
RANK_ALPHA = 0.01
#: A posterior is like its prior if its interval is wider than this share of the prior's interval.
LIKE_PRIOR = 0.8
#: A pure model that fits competes with the mixture from this share of the mixture's probability on.
COMPETING = 1 / 3
#: An interval of q that comes this close to 0 or 1 does not exclude a pure model.
NEAR_PURE = 0.02

#: How the note on a network with two kinds of nodes begins.
TWO_KINDS = "all cycles of the network have an even number of edges"
#: Of so many independent cycles, all are even by chance in about one of 1000 networks.
MANY_CYCLES = 10


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


# Mixtures and thinned models


def mixture_notes(
    space: ModelSpace,
    posteriors: Mapping[str, ModelPosterior],
    probabilities: Mapping[str, float],
) -> Iterator[str]:
    """Yield a sentence for each mixture among the models with a probability: can it be identified?"""
    for name, probability in probabilities.items():
        pure = pure_models(space[name])
        if pure:
            fitting = {part: probabilities[part] for part in pure if part in probabilities}
            intervals = _intervals(posteriors.get(name), SHARE)
            yield mixture_sentence(name, pure, *intervals, probability, fitting)


def mixture_sentence(
    model: str,
    pure: tuple[str, ...],
    interval: Interval | None,
    prior: Interval | None,
    probability: float,
    fitting: Mapping[str, float],
) -> str:
    """Return whether a mixture can be identified, and why not, in a sentence.

    It cannot be identified if the interval of q is like that of its prior, if a pure model fits and has at
    least a third of the mixture's probability, or if the interval of q comes close to 0 or 1.

    Parameters
    ----------
    model : name of the mixture
    pure : names of its first and second model
    interval, prior : 95% intervals of q, of the posterior and of the prior
    probability : of the mixture
    fitting : probabilities of the pure models that fit
    """
    rival = max(fitting, key=lambda name: fitting[name], default=None)
    if interval is None or prior is None:
        reason = f"{SHARE} was not estimated, because too few simulations succeeded"
    elif is_like_prior(interval, prior):
        reason = f"the posterior of {SHARE} is like its prior"
    elif rival is not None and fitting[rival] >= COMPETING * probability:
        reason = f"{rival} alone fits, too, and is at least a third as probable"
    elif interval[0] <= NEAR_PURE or interval[1] >= 1 - NEAR_PURE:
        alone = pure[1] if interval[0] <= NEAR_PURE else pure[0]
        reason = f"the interval of {SHARE}, {_text(interval)}, does not exclude {alone} alone"
    else:
        return f"if {model} made the network, the mixture can be identified: {SHARE} is {_text(interval)}"
    return f"the mixture {model} cannot be identified: {reason}"


def thinning_notes(posteriors: Mapping[str, ModelPosterior]) -> Iterator[str]:
    """Yield a sentence for each thinned model that the network says little about ``p_observed`` of."""
    for model, known in posteriors.items():
        interval, prior = _intervals(known, OBSERVED)
        if interval is not None and prior is not None and is_like_prior(interval, prior):
            yield (
                f"the network does not show how much of {model} was observed: the posterior of {OBSERVED} "
                f"({_text(interval)}) is like its prior"
            )


def is_like_prior(interval: Interval, prior: Interval) -> bool:
    """Return whether an interval is nearly as wide as that of the prior.

    >>> is_like_prior((0.1, 0.9), (0.025, 0.975)), is_like_prior((0.1, 0.8), (0.025, 0.975))
    (True, False)
    """
    return interval[1] - interval[0] > LIKE_PRIOR * (prior[1] - prior[0])


def _intervals(found: ModelPosterior | None, name: str) -> tuple[Interval | None, Interval | None]:
    """Return the intervals of a parameter in the posterior and in the simulations, if it has any."""
    if found is None or name not in found.posterior.intervals:
        return None, None
    known = found.source.estimator
    drawn = known.parameters[:, known.names.index(name)]
    tail = (1 - found.posterior.coverage) / 2
    low, high = np.quantile(drawn, (tail, 1 - tail)).tolist()
    return found.posterior.intervals[name], (low, high)


def _text(interval: Interval) -> str:
    return f"{interval[0]:.2g} to {interval[1]:.2g}"


# Two kinds of nodes


def may_have_two_kinds(network: Graph) -> bool:
    """Return whether a network has at least ten independent cycles and all its cycles are even.

    Such a network can be divided into two kinds of nodes, so that every edge leads from one kind to the
    other. Plants and their pollinators are an example. A tree can always be divided like this, and tells
    nothing.

    Examples
    --------
    >>> lattice = [(5 * i + j, 5 * i + k) for i in range(5) for j, k in ((0, 1), (1, 2), (2, 3), (3, 4))]
    >>> lattice += [(i, i + 5) for i in range(20)]
    >>> may_have_two_kinds(Graph.from_edges(lattice))
    True
    >>> may_have_two_kinds(Graph.from_edges([*lattice, (0, 6)]))
    False
    """
    u, v = network.edges().T.astype(np.int64)
    n_nodes, n_edges = network.n_nodes, network.n_edges
    n_components = _n_components(u, v, n_nodes)
    if n_edges - n_nodes + n_components < MANY_CYCLES:
        return False
    # Each node twice, and each edge from one copy to the other: two parts for each component without an
    # odd cycle, one for each component with an odd cycle.
    ends = np.concatenate([u, v]), np.concatenate([v, u]) + n_nodes
    return _n_components(*ends, 2 * n_nodes) == 2 * n_components


def _n_components(u: np.ndarray, v: np.ndarray, n_nodes: int) -> int:
    links = coo_array((np.ones(len(u), np.int8), (u, v)), shape=(n_nodes, n_nodes))
    return int(connected_components(links, directed=False, return_labels=False))
