"""What the simulations say about each model: does it fit, and how probable is it?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from scipy.special import ndtri

from netchoice.choice.observe import Observed
from netchoice.choice.reference import (
    CALIBRATION,
    SCREENED,
    SCREENED_CALIBRATION,
    TRAINING,
    ModelPosterior,
    NearRows,
    Reference,
)
from netchoice.choice.settings import FIRST_CALIBRATED, Clock, Round
from netchoice.inference.model_probabilities import COVERAGE, Probabilities
from netchoice.inference.model_scores import clearly_beyond
from netchoice.inference.scaling import Floats
from netchoice.inference.sequential_test import BORDERLINE, FITS, REJECTED, Decision, decide
from netchoice.inference.verdict import OPEN
from netchoice.threads import one_blas_thread

#: A model that the first test rejects is rejected if at most this share of its simulations near the
#: network scores as high as the network.
NEAR_ALPHA = 0.02
#: Fewest simulations of a model with cheap features that say anything, half of them calibrating.
MIN_SCREENED = 40
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
        Of the sequential test; None before the first round with all features.
    is_clear : bool
        Whether the model was rejected because the network is far beyond its simulations.
    near_p : float or None
        Share of its simulations near the network that score at least as high as the network.
    remoteness : float
        How far the score of the network is beyond the median of the simulations, relative to the distance
        from their median to their maximum.
    n_features : int, features that the fit was judged on
    is_tested : bool, whether these were all features, not only the cheap ones of the first rounds
    """

    state: str = OPEN
    decision: Decision | None = None
    is_clear: bool = False
    near_p: float | None = None
    remoteness: float = 0.0
    n_features: int = 0
    is_tested: bool = False


@dataclass(frozen=True)
class State:
    """What is known after a round.

    Attributes
    ----------
    models : mapping, the state of each model
    compared : tuple of str, models that were compared with all features
    before : Probabilities or None, of the models compared, before any of these was rejected
    probabilities : Probabilities or None, of the candidates
    n_inferred : int, calibrating simulations of each candidate that these are inferred from
    is_precise : bool, whether more simulations would not change the probabilities much
    near : mapping, simulations near the network of models that these were made for
    """

    models: Mapping[str, ModelState]
    compared: tuple[str, ...] = ()
    before: Probabilities | None = None
    probabilities: Probabilities | None = None
    n_inferred: int = 0
    is_precise: bool = False
    near: Mapping[str, NearRows] = field(default_factory=dict, repr=False)

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
    def open_models(self) -> tuple[str, ...]:
        """The models that need more simulations: undecided ones, and candidates of unclear probability."""
        undecided = self.with_state(OPEN, BORDERLINE)
        return undecided if self.is_precise or not self.compared else self.candidates

    @property
    def is_settled(self) -> bool:
        """Whether more simulations would change nothing."""
        return not self.open_models


def simulate(reference: Reference, round: Round, state: State, clock: Clock) -> None:
    """Add the simulations of a round for the models that are open."""
    models, deadline = state.open_models, clock.at(Clock.SIMULATED)
    if round.screened:
        reference.simulate(SCREENED, models, round.screened // 2, deadline)
        reference.simulate(SCREENED_CALIBRATION, models, round.screened // 2, deadline)
        return
    reference.simulate_training(models, deadline)
    reference.simulate(CALIBRATION, models, round.calibrated, deadline)


def assess(
    reference: Reference, observed: Observed, state: State, round: Round, clock: Clock
) -> State:
    """Return what is known after a round: the fit of the open models, and the probabilities."""
    with one_blas_thread():
        if round.screened:
            return _screen(reference, observed, state, round)
        state = _test(reference, observed, state, round, clock)
        return _infer(reference, observed, state, round)


def _row(observed: Observed, names: tuple[str, ...]) -> Floats:
    return np.array([[observed.values[name] for name in names]])


def _screen(reference: Reference, observed: Observed, state: State, round: Round) -> State:
    """Reject models that are clearly wrong, by the distance ratio on cheap features."""
    names, n = reference.usable(SCREENED, observed.values), round.screened // 2
    if not names:
        return state
    row, models = _row(observed, names), dict(state.models)
    for model in state.open_models:
        sizes = (
            len(reference.X(stream, model, names, stop=n))
            for stream in (SCREENED, SCREENED_CALIBRATION)
        )
        if 2 * min(sizes) < MIN_SCREENED:
            continue  # the time limit ended the round
        ratios = reference.screened_ratios(model, names, n)
        own = float(reference.ratio(model, names, n)(row)[0])
        is_clear = bool(clearly_beyond(ratios, [own])[0])
        decision, far = decide(ratios >= own), _remoteness(np.log(ratios), float(np.log(own)))
        # Only a clear rejection is final: the test with all features sees more.
        models[model] = ModelState(
            REJECTED if is_clear else OPEN,
            decision,
            is_clear,
            remoteness=far,
            n_features=len(names),
        )
    return replace(state, models=models)


def _remoteness(scores: Floats, score: float) -> float:
    middle, most = float(np.median(scores)), float(np.max(scores))
    return (score - middle) / max(most - middle, 1e-9)


def _test(
    reference: Reference, observed: Observed, state: State, round: Round, clock: Clock
) -> State:
    """Test the open models with all features; simulate near the network before a model is rejected."""
    names = reference.usable(TRAINING, observed.values)
    row, models, near = _row(observed, names), dict(state.models), dict(state.near)
    compared = state.compared
    tested = [model for model in state.open_models if reference.can_score(model, names)]
    if not compared:
        compared = tuple(tested)
    for model in tested:
        known = models[model]
        if known.state == FITS:
            continue
        scores = reference.calibrating_scores(model, names, round.calibrated)
        score = float(reference.score(model, names)(row)[0])
        decision = decide(scores >= score, most=reference.effort.most)
        is_clear = bool(clearly_beyond(np.exp(scores), np.exp([score]))[0])
        found = ModelState(
            REJECTED if is_clear else decision.state, decision, is_clear,
            remoteness=_remoteness(scores, score), n_features=len(names), is_tested=True,
        )  # fmt: skip
        if found.state == BORDERLINE and round.calibrated < reference.effort.most:
            found = replace(found, state=OPEN)
        if found.state == REJECTED and not is_clear:
            posterior = posterior_near(reference, observed, model, names)
            if posterior is not None and clock.has_passed(Clock.SIMULATED):
                found = replace(found, state=OPEN)
            elif posterior is not None:
                near[model] = near_rows(reference, observed, model, posterior, clock)
                found = _with_near(found, reference, near[model], model, names, score)
        models[model] = found
    return replace(state, models=models, compared=compared, near=near)


def near_rows(
    reference: Reference,
    observed: Observed,
    model: str,
    posterior: ModelPosterior | None,
    clock: Clock,
) -> NearRows:
    """Return simulations of a model near the network."""
    n, deadline = reference.effort.local, clock.at(Clock.SIMULATED)
    return reference.near(model, posterior, n, observed.graph.n_nodes, deadline)


def posterior_near(
    reference: Reference, observed: Observed, model: str, names: tuple[str, ...]
) -> ModelPosterior | None:
    """Return the posterior of a model's parameters from its first simulations; None if it has none."""
    found = reference.parameter_estimator(model, names, FIRST_CALIBRATED)
    return None if found is None else found.posterior(observed.values)


def _with_near(
    found: ModelState,
    reference: Reference,
    rows: NearRows,
    model: str,
    names: tuple[str, ...],
    score: float,
) -> ModelState:
    """Return the state after the comparison with simulations near the network.

    On average over the prior, the first test rejects a network of a model with probability alpha. At the
    corners of the prior it rejects more often.
    """
    X = rows.X[list(names)].dropna().to_numpy(dtype=np.float64)
    if not len(X):
        return found
    scores = reference.score(model, names)(X)
    p = (1 + int((scores >= score).sum())) / (1 + len(scores))
    return replace(found, near_p=p, state=REJECTED if p <= NEAR_ALPHA else FITS)


def _infer(reference: Reference, observed: Observed, state: State, round: Round) -> State:
    """Infer the probabilities of the candidates, and whether they are precise."""
    if not state.compared:
        return state
    names = reference.usable(TRAINING, observed.values)
    row = _row(observed, names)[0]
    before = state.before
    if before is None:
        before = reference.probabilities(state.compared, names, FIRST_CALIBRATED, row)
    candidates = tuple(name for name in state.compared if name in state.candidates)
    if not candidates:
        return replace(state, before=before, probabilities=None, is_precise=True)
    n_inferred = round.calibrated if not state.is_precise else state.n_inferred
    n_inferred = min(n_inferred, reference.effort.inferred)
    found = reference.probabilities(candidates, names, n_inferred, row)
    best = max(found.probabilities, key=lambda name: found.probabilities[name])
    low, high = found.intervals[best]
    error = (high - low) / (2 * float(ndtri((1 + COVERAGE) / 2)))
    is_precise = error <= reference.effort.precision or n_inferred >= reference.effort.inferred
    return replace(
        state, before=before, probabilities=found, n_inferred=n_inferred, is_precise=is_precise
    )


def at_the_end(reference: Reference, observed: Observed, state: State) -> State:
    """Return the state in which no more simulations are made.

    If the time ended before the probabilities were inferred, they are inferred from the rows with cheap
    features. An open model that the test with cheap features accepts fits, as far as this test can see.
    """
    models = {
        name: replace(each, state=FITS)
        if each.state == OPEN and each.decision is not None and each.decision.state == FITS
        else each
        for name, each in state.models.items()
    }
    state = replace(state, models=models)
    if state.probabilities is None and state.candidates:
        with one_blas_thread():
            found = _screened_probabilities(reference, observed, state.candidates)
        state = replace(state, before=state.before or found, probabilities=found)
    return state


def _screened_probabilities(
    reference: Reference, observed: Observed, candidates: tuple[str, ...]
) -> Probabilities | None:
    names = reference.usable(SCREENED, observed.values)
    fewest = min(len(reference.screened_rows(model, names)) for model in candidates)
    if not names or fewest < MIN_SCREENED // 2:
        return None
    return reference.screened_probabilities(candidates, names, _row(observed, names)[0])
