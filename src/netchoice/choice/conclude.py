"""The answer that follows from simulations, the network, and what was found out about the models."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from netchoice.choice.answer import Answer, Cost, Evidence, ModelAnswer, ParameterEstimate
from netchoice.choice.assess import State
from netchoice.choice.discrepancies import Discrepancy, find_discrepancies, main_discrepancies
from netchoice.choice.observe import Observed
from netchoice.choice.reference import SCREENED, TRAINING, ModelPosterior, Reference
from netchoice.choice.settings import Clock
from netchoice.features.registry import find
from netchoice.inference.posterior_quality import PosteriorQuality
from netchoice.inference.sequential_test import Decision, interval
from netchoice.inference.verdict import OPEN, verdict_of
from netchoice.io import ReadingReport
from netchoice.models.space import family_of
from netchoice.storage.run_folder import versions
from netchoice.threads import one_blas_thread

#: Models that are shown in detail, with posteriors and simulations near the network.
MOST_SHOWN = 3
#: Main differences of each model.
N_DISCREPANCIES = 4


@dataclass(frozen=True)
class Known:
    """What an answer is made from, and what several of its parts share."""

    reference: Reference
    observed: Observed
    state: State
    _posteriors: dict[str, ModelPosterior | None] = field(default_factory=dict)

    @property
    def has_all(self) -> bool:
        """Whether models were tested with all features."""
        return bool(self.state.compared)

    @property
    def names(self) -> tuple[str, ...]:
        """Features that models were compared by."""
        stream = TRAINING if self.has_all else SCREENED
        return self.reference.usable(stream, self.observed.values)

    @property
    def candidates(self) -> list[str]:
        """The models that are not rejected, the most probable first."""
        found = self.state.probabilities
        known = {} if found is None else found.probabilities
        return sorted(self.state.candidates, key=lambda model: -known.get(model, 0.0))

    @property
    def ranked(self) -> list[str]:
        """All simulated models: candidates by probability, then rejected ones, the nearest first."""
        rejected = [name for name in self.reference.models if name not in self.state.candidates]
        states = self.state.models

        def order(model: str) -> tuple[bool, float]:
            return not states[model].is_tested, states[model].remoteness

        return [name for name in self.candidates if name in self.reference.models] + sorted(
            rejected, key=order
        )

    @property
    def shown(self) -> list[str]:
        """The models that are shown in detail."""
        return (self.candidates or self.ranked)[:MOST_SHOWN]

    def rows(self, model: str) -> pd.DataFrame:
        """Return the features of the simulations of a model with parameters from its prior."""
        return self.reference.rows_of(model, self.observed.values)

    def posterior(self, model: str) -> ModelPosterior | None:
        """Return the posterior of a model; None if it has no parameters, or too few simulations."""
        if model not in self._posteriors:
            estimator = None
            if self.has_all and model in self.reference.models:
                n = self.state.n_inferred
                estimator = self.reference.parameter_estimator(model, self.names, n)
            self._posteriors[model] = (
                None if estimator is None else estimator.posterior(self.observed.values)
            )
        return self._posteriors[model]

    def discrepancies(self, simulated: pd.DataFrame) -> list[Discrepancy]:
        """Return how the network differs from simulations, farthest outside first."""
        given = [find(each) for each in self.reference.settings.features or ()]
        names = [name for name in simulated.columns if name in self.observed.values]
        return find_discrepancies(self.observed.values, simulated[names], given)


def conclude(known: Known, clock: Clock, reading: ReadingReport | None = None) -> Answer:
    """Return the answer for a network without reasons: a row of a cohort needs no more.

    Only if no model fits, the nearest one has discrepancies. :func:`~netchoice.choice.explain.explain`
    adds the rest.
    """
    reference, observed, state = known.reference, known.observed, known.state
    models = tuple(_model_answer(known, name) for name in [*known.ranked, *reference.unmatched])
    if models and not known.candidates:
        found = main_discrepancies(known.discrepancies(known.rows(models[0].name)), N_DISCREPANCIES)
        models = (replace(models[0], discrepancies=tuple(found)), *models[1:])
    nan, probabilities = float("nan"), state.probabilities
    verdict = verdict_of(
        {name: each.state for name, each in state.models.items()},
        {each.name: each.p_value for each in models if each.p_value is not None},
        {} if probabilities is None else probabilities.probabilities,
        {} if probabilities is None else probabilities.intervals,
        {model.name: family_of(model) for model in reference.settings.space},
    )
    if verdict.kind == OPEN and clock.seconds is None:
        sentence = "not decided: most simulations of the open models failed"
        verdict = replace(verdict, sentence=sentence)
    return Answer(
        verdict=verdict,
        models=models,
        network={**observed.graph.summary(), "isolated": observed.size.isolated},
        features=(),
        power={},
        accuracy=nan,
        log_score=nan,
        notes=(),
        cost=Cost(reference.n_simulated, reference.cpu_seconds, 0.0, 0.0, clock.elapsed),
        is_complete=all(each.is_decided for each in state.models.values()),
        space={**reference.space.as_dict(), "matched": observed.size.edges is not None},
        settings={
            **reference.settings.as_dict(),
            "time_limit": clock.seconds,
            "network": observed.graph.fingerprint,
            **versions(),
        },
        reading=reading,
        evidence=Evidence(None, {}, {}, {}, (), {}),
        graph=observed.graph,
    )


def _model_answer(known: Known, name: str) -> ModelAnswer:
    state, reference = known.state.models[name], known.reference
    model, probabilities = reference.settings.space[name], known.state.probabilities
    is_candidate = name in known.candidates
    tested = _tested(known, name)
    compared = tested or state.decision
    before = known.state.before
    chances, intervals = {}, {}
    if is_candidate and probabilities is not None:
        chances, intervals = probabilities.probabilities, probabilities.intervals
    return ModelAnswer(
        name=name,
        family=family_of(model),
        description=model.description,
        reference=model.reference,
        state=state.state,
        p_value=None if tested is None else tested.p_value,
        p_interval=None if tested is None else tested.interval,
        simulations=0 if compared is None else compared.n,
        probability=chances.get(name),
        interval=intervals.get(name),
        probability_before=None if before is None else before.probabilities.get(name),
        remoteness=state.remoteness,
        parameters=estimates(known, name) if name in known.candidates[:MOST_SHOWN] else {},
        discrepancies=(),
        outside=(),
        advice=(),
    )


def _tested(known: Known, name: str) -> Decision | None:
    """Return the decision on a model, with the p-value from all simulations that there are.

    A sequential test ends with few of them. It is None if a few simulations with cheap features have shown
    that the model is clearly wrong.
    """
    state = known.state.models[name]
    if state.is_clear and not state.is_tested:
        return None
    return tested_with_all(known, name) or state.decision


def tested_with_all(known: Known, name: str) -> Decision | None:
    """Return the p-value of a model from all simulations with all features; None if there are too few.

    Prepared simulations have it for a model that was rejected by cheap features, too.
    """
    state, reference = known.state.models[name], known.reference
    names = reference.usable(TRAINING, known.observed.values)
    if name not in reference.models or not reference.can_score(name, names):
        return None
    row = np.array([[known.observed.values[each] for each in names]])
    with one_blas_thread():
        score = float(reference.score(name, names)(row)[0])
        scores = reference.calibrating_scores(name, names)
    hits, n = int((scores >= score).sum()), len(scores)
    return Decision(state.state, hits, n, interval(hits, n))


def estimates(
    known: Known, name: str, quality: PosteriorQuality | None = None
) -> dict[str, ParameterEstimate]:
    """Return the parameters of a model, and how well they are estimated, if this was measured."""
    posterior = known.posterior(name)
    if posterior is None:
        return {}
    found, priors = posterior.posterior, known.reference.space[name].parameters
    qualities = {} if quality is None else quality.parameters
    return {
        parameter: ParameterEstimate(
            median=found.median[parameter],
            interval=found.intervals[parameter],
            coverage=found.coverage,
            at_boundary=found.at_boundary.get(parameter),
            prior=str(priors[parameter].prior),
            simulations=len(posterior.source.estimator),
            quality=qualities.get(parameter),
        )
        for parameter in found.median
    }
