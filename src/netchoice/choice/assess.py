"""What the simulations say about each model: does it fit, and how probable is it?"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import ndtri

from netchoice.choice.observe import Observed
from netchoice.choice.reference import (
    CALIBRATION,
    INFERENCE,
    SCREENED,
    SCREENED_CALIBRATION,
    TRAINING,
    Reference,
)
from netchoice.choice.settings import FIRST_CALIBRATED, Clock, Round
from netchoice.inference.model_scores import (
    FAR_RATIO,
    FAR_SCORE,
    MIN_CALIBRATING,
    clearly_beyond,
)
from netchoice.inference.scaling import Floats
from netchoice.inference.sequential_test import BORDERLINE, FITS, REJECTED, Decision, decide
from netchoice.inference.smooth_regression import COVERAGE, Probabilities
from netchoice.inference.verdict import OPEN, eligible
from netchoice.threads import one_blas_thread

#: Fewest simulations of a model with cheap features that say anything, and as many calibrating ones.
MIN_SCREENED = 15
#: Parts of the simulations with cheap features that are made one after the other under a time limit.
PARTS = (0.15, 0.4, 1)
#: The state of a model of which no network has the density.
UNMATCHED = "never has this density"


@dataclass(frozen=True)
class ModelState:
    """What is known about the fit of one model.

    Attributes
    ----------
    state : str
        "fits", "does not fit", "borderline", "open" or "never has this density".
    decision : Decision or None
        Of the sequential test; None before the first round.
    is_clear : bool
        Whether the model was rejected because the network is far beyond its simulations.
    remoteness : float
        How far the score of the network is beyond the median of the simulations, relative to the distance
        from their median to their maximum.
    is_tested : bool
        Whether the model was tested with all features, not only with the cheap ones of the first round.
    """

    state: str = OPEN
    decision: Decision | None = None
    is_clear: bool = False
    remoteness: float = 0.0
    is_tested: bool = False

    @property
    def is_decided(self) -> bool:
        """Whether the state is that of all simulations, not only of those before the time limit."""
        return self.state != OPEN and (self.is_tested or self.state != FITS)


@dataclass(frozen=True)
class State:
    """What is known after a round.

    Attributes
    ----------
    models : mapping, the state of each model
    compared : tuple of str, models that were compared with all features
    before : Probabilities or None, of the models compared, before any of these was rejected
    probabilities : Probabilities or None, of the eligible models
    n_inferred : int, simulations of each of these that were made to infer them
    is_precise : bool, whether more simulations would not change the probabilities much
    """

    models: Mapping[str, ModelState]
    compared: tuple[str, ...] = ()
    before: Probabilities | None = None
    probabilities: Probabilities | None = None
    n_inferred: int = 0
    is_precise: bool = False

    @classmethod
    def start(cls, reference: Reference) -> State:
        """Return the state before the first round: every model is open."""
        models = {model.name: ModelState() for model in reference.settings.space}
        return cls(models | {name: ModelState(UNMATCHED) for name in reference.unmatched})

    def with_state(self, *states: str) -> tuple[str, ...]:
        """Return the models with one of these states."""
        return tuple(name for name, each in self.models.items() if each.state in states)

    @property
    def candidates(self) -> tuple[str, ...]:
        """The models that are not rejected."""
        return self.with_state(FITS, BORDERLINE, OPEN)

    @property
    def eligible(self) -> tuple[str, ...]:
        """The models that probabilities are about."""
        return eligible({name: each.state for name, each in self.models.items()})

    @property
    def open_models(self) -> tuple[str, ...]:
        """The models that need more simulations: undecided ones, and those of unclear probability."""
        undecided = self.with_state(OPEN)
        return undecided if undecided or self.is_precise else self.eligible

    @property
    def is_decided(self) -> bool:
        """Whether no model is open."""
        return not self.with_state(OPEN)

    @property
    def is_settled(self) -> bool:
        """Whether more simulations would change nothing."""
        return not self.open_models


def settle(reference: Reference, observed: Observed, clock: Clock) -> State:
    """Simulate and assess in rounds, until every model is decided and the probabilities are precise."""
    state = State.start(reference)
    for round in reference.effort.rounds():
        simulate(reference, round, state, clock)
        state = assess(reference, observed, state, round)
        if state.is_settled or clock.has_passed(Clock.SIMULATED):
            break
    return at_the_end(reference, observed, state)


def simulate(reference: Reference, round: Round, state: State, clock: Clock) -> None:
    """Add the simulations of a round for the models that are open."""
    deadline, effort = clock.at(Clock.SIMULATED), reference.effort
    for models in reference.by_speed(state.open_models):
        if round.is_cheap:
            _simulate_cheap(reference, models, deadline)
        elif state.is_decided:
            n = min(round.calibrated, effort.inferred)
            reference.simulate(INFERENCE, models, n, deadline)
        else:
            reference.simulate_training(models, deadline)
            reference.simulate(CALIBRATION, models, round.calibrated, deadline)


def _simulate_cheap(reference: Reference, models: tuple[str, ...], deadline: float | None) -> None:
    """Add the simulations with cheap features."""
    effort = reference.effort
    # Under a time limit, a part of both streams says more than the whole of one.
    for part in (1,) if deadline is None else PARTS:
        reference.simulate(SCREENED, models, math.ceil(part * effort.screened), deadline)
        n = math.ceil(part * effort.n_screening)
        reference.simulate(SCREENED_CALIBRATION, models, n, deadline)


def assess(reference: Reference, observed: Observed, state: State, round: Round) -> State:
    """Return what is known after a round: the fit of the open models, and the probabilities."""
    with one_blas_thread():
        if round.is_cheap:
            return _screen(reference, observed, state)
        if state.is_decided:
            return _infer(reference, observed, state, round)
        return _test(reference, observed, state, round)


def _row(observed: Observed, names: tuple[str, ...]) -> Floats:
    return np.array([[observed.values[name] for name in names]])


def _screen(reference: Reference, observed: Observed, state: State) -> State:
    """Reject models that are clearly wrong, by the distance ratio on cheap features.

    The simulations do not depend on the user's seed, so neither does what is rejected.
    """
    names = reference.usable(SCREENED, observed.values)
    if not names:
        return state
    row, models = _row(observed, names), dict(state.models)
    for model in state.open_models:
        streams = (SCREENED, SCREENED_CALIBRATION)
        if min(len(reference.X(stream, model, names)) for stream in streams) < MIN_SCREENED:
            continue  # the time limit ended the round
        scores = reference.screened_ratios(model, names)
        score = float(reference.ratio(model, names).logarithms(row)[0])
        is_clear = _is_clear(scores, score, FAR_RATIO)
        # Only a clear rejection is final: the test with all features sees more.
        models[model] = ModelState(
            REJECTED if is_clear else OPEN, decide(scores >= score), is_clear, _remoteness(scores, score)
        )  # fmt: skip
    return replace(state, models=models)


def _is_clear(scores: Floats, score: float, far: float) -> bool:
    enough = len(scores) >= MIN_CALIBRATING
    return enough and bool(clearly_beyond(scores, [score], far)[0])


def _remoteness(scores: Floats, score: float) -> float:
    middle, most = float(np.median(scores)), float(np.max(scores))
    return (score - middle) / max(most - middle, 1e-9)


def _test(reference: Reference, observed: Observed, state: State, round: Round) -> State:
    """Test the open models with all features, on all calibrating simulations that they have."""
    names = reference.usable(TRAINING, observed.values)
    row, models = _row(observed, names), dict(state.models)
    tested = [model for model in state.open_models if reference.can_score(model, names)]
    for model in tested:
        if models[model].state == FITS:
            continue
        scores = reference.calibrating_scores(model, names, round.calibrated)
        score = float(reference.score(model, names)(row)[0])
        decision = decide(scores >= score, most=reference.effort.most)
        is_first = round.calibrated <= FIRST_CALIBRATED
        is_clear = is_first and _is_clear(scores, score, FAR_SCORE)
        is_last = round.calibrated >= reference.effort.most
        undecided = decision.state == BORDERLINE and not is_last
        models[model] = ModelState(
            REJECTED if is_clear else OPEN if undecided else decision.state, decision, is_clear,
            _remoteness(scores, score), is_tested=True,
        )  # fmt: skip
    compared = tuple(dict.fromkeys([*state.compared, *tested]))
    return replace(state, models=models, compared=compared)


def _infer(reference: Reference, observed: Observed, state: State, round: Round) -> State:
    """Infer the probabilities after the tests are decided, and whether they are precise."""
    n = min(round.calibrated, reference.effort.inferred)
    most = n >= reference.effort.inferred
    state = _with_probabilities(reference, observed, replace(state, n_inferred=n))
    if state.probabilities is None:
        return replace(state, is_precise=True)
    best = max(state.probabilities.probabilities.items(), key=lambda item: item[1])[0]
    low, high = state.probabilities.intervals[best]
    error = (high - low) / (2 * float(ndtri((1 + COVERAGE) / 2)))
    return replace(state, is_precise=most or error <= reference.effort.precision)


def _with_probabilities(reference: Reference, observed: Observed, state: State) -> State:
    """Return the state with probabilities from the rows with all features, before and after rejections."""
    names = reference.usable(TRAINING, observed.values)
    row, before = _row(observed, names)[0], state.before
    if before is None and len(state.compared) > 1:
        before = reference.regression_before(state.compared, names).probabilities_of(row)
    inferred = tuple(name for name in state.compared if name in state.eligible)
    found = None
    if inferred:
        found = reference.probabilities(inferred, names, state.n_inferred, row)
    return replace(state, before=before, probabilities=found)


def at_the_end(reference: Reference, observed: Observed, state: State) -> State:
    """Return the state in which no more simulations are made.

    If the time ended before the probabilities were inferred, they are inferred from the rows that there are,
    with cheap features if no others. An open model that the test with cheap features accepts fits, as far as
    this test can see.
    """
    models = {
        name: replace(each, state=FITS)
        if each.state == OPEN and each.decision is not None and each.decision.state == FITS
        else each
        for name, each in state.models.items()
    }
    state = replace(state, models=models)
    if state.probabilities is not None:
        return state
    with one_blas_thread():
        if {*state.compared} & {*state.eligible} or not state.eligible:
            return _with_probabilities(reference, observed, state)
        found = _screened_probabilities(reference, observed, state.eligible)
    return replace(state, before=state.before or found, probabilities=found)


def _screened_probabilities(
    reference: Reference, observed: Observed, models: tuple[str, ...]
) -> Probabilities | None:
    names = reference.usable(SCREENED, observed.values)
    fewest = min(len(reference.screened_rows(model, names)) for model in models)
    if not names or fewest < 2 * MIN_SCREENED:
        return None
    return reference.screened_probabilities(models, names, _row(observed, names)[0])
