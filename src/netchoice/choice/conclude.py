"""The answer that follows from simulations, the network, and what was found out about the models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from netchoice.choice.answer import (
    Answer,
    Cost,
    Evidence,
    FeatureValue,
    Map,
    ModelAnswer,
    ParameterEstimate,
    PosteriorDraws,
)
from netchoice.choice.assess import State
from netchoice.choice.discrepancies import (
    Advice,
    Discrepancy,
    advise,
    find_discrepancies,
    main_discrepancies,
)
from netchoice.choice.notes import notes_of
from netchoice.choice.observe import Observed
from netchoice.choice.reference import (
    CALIBRATION,
    SCREENED,
    TRAINING,
    ModelPosterior,
    NearRows,
    Reference,
)
from netchoice.choice.run_folder import versions
from netchoice.choice.settings import Clock
from netchoice.features import comparable_features
from netchoice.features.reference_costs import reference_costs
from netchoice.features.registry import find
from netchoice.inference import embed
from netchoice.inference.posterior_quality import PosteriorQuality
from netchoice.inference.power import Noticed
from netchoice.inference.verdict import OPEN, verdict_of
from netchoice.io import ReadingReport
from netchoice.models.space import family_of
from netchoice.profiles import Envelope, envelopes, network_profile
from netchoice.threads import one_blas_thread, threads

#: Models whose simulations near the network are shown, with posteriors and distributions.
MOST_SHOWN = 3
#: Simulations near the network of each model that is shown.
N_NEAR = 200
#: Main differences of each model, rows of each model in the map and in histograms, and histograms.
N_DISCREPANCIES, N_MAPPED, N_SAMPLED, N_HISTOGRAMS = 4, 300, 400, 6
#: Models of the map and of the histograms; the others were rejected.
MOST_MAPPED = 8
#: Larger networks are grown again in smaller numbers, so that at most so many nodes are grown.
MAX_PROFILE_NODES, MIN_PROFILES = 150_000, 10
#: Share of the time limit after which what is not needed for the verdict is left out.
DETAILS = 0.75


@dataclass(frozen=True)
class _Known:
    """What the answer is made from, and what several of its parts share."""

    reference: Reference
    observed: Observed
    state: State
    clock: Clock

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


def conclude(
    reference: Reference,
    observed: Observed,
    state: State,
    clock: Clock,
    reading: ReadingReport | None = None,
) -> Answer:
    """Return the answer for a network: the verdict, the reasons, and what figures show."""
    known = _Known(reference, observed, state, clock)
    posteriors = _posteriors(known)
    near = _near(known, posteriors)
    quality = _quality(known, posteriors)
    models = tuple(
        _model_answer(known, name, posteriors.get(name), quality.get(name), near.get(name))
        for name in [*known.ranked, *reference.unmatched]
    )
    verdict = verdict_of(
        {name: each.state for name, each in state.models.items()},
        {each.name: each.p_value for each in models if each.p_value is not None},
        {} if state.probabilities is None else state.probabilities.probabilities,
        {} if state.probabilities is None else state.probabilities.intervals,
        {model.name: family_of(model) for model in reference.settings.space},
    )
    if verdict.kind == OPEN and clock.seconds is None:
        verdict = replace(
            verdict, sentence="not decided: most simulations of the open models failed"
        )
    held_out = _held_out(known)
    answer = Answer(
        verdict=verdict,
        models=models,
        network={**observed.graph.summary(), "isolated": observed.size.isolated},
        features=_feature_values(known),
        power=_power(known),
        accuracy=held_out.accuracy,
        log_score=held_out.log_score,
        notes=(),
        cost=_cost(known),
        is_complete=all(each.is_decided for each in state.models.values()),
        space={**reference.space.as_dict(), "matched": observed.size.edges is not None},
        settings={
            **reference.settings.as_dict(),
            "time_limit": clock.seconds,
            "network": observed.graph.fingerprint,
            **versions(),
        },
        reading=reading,
        evidence=Evidence(
            map=_map(known),
            posteriors={name: _draws(posteriors[name], each) for name, each in quality.items()},
            envelopes=_envelopes(known, near),
            samples=_samples(known),
            reliability=held_out.reliability,
            confusion=held_out.confusion,
        ),
        graph=observed.graph,
    )
    return replace(answer, notes=notes_of(answer, observed, posteriors, reference))


# Models


def _posteriors(known: _Known) -> dict[str, ModelPosterior]:
    """Return the posteriors of the candidates, and of rejected models that are shown."""
    found = {}
    for model in dict.fromkeys([*known.candidates, *known.shown]):
        if known.has_all and model in known.reference.models:
            estimator = known.reference.parameter_estimator(
                model, known.names, known.state.n_inferred
            )
            if estimator is not None:
                found[model] = estimator.posterior(known.observed.values)
    return found


def _quality(
    known: _Known, posteriors: Mapping[str, ModelPosterior]
) -> dict[str, PosteriorQuality]:
    """Return how well the parameters of the most probable candidates are estimated."""
    found = {}
    for model in known.shown:
        if (
            model in posteriors
            and model in known.candidates
            and not known.clock.has_passed(DETAILS)
        ):
            quality = known.reference.quality(model, known.names, known.state.n_inferred)
            if quality is not None:
                found[model] = quality
    return found


def _near(known: _Known, posteriors: Mapping[str, ModelPosterior]) -> dict[str, NearRows]:
    """Return simulations near the network of the models that are shown."""
    found, deadline = {}, known.clock.at(DETAILS)
    for model in known.shown:
        posterior, n_nodes = posteriors.get(model), known.observed.graph.n_nodes
        if posterior is not None and not known.clock.has_passed(Clock.SIMULATED):
            found[model] = known.reference.near(model, posterior, N_NEAR, n_nodes, deadline)
    return {model: rows for model, rows in found.items() if len(rows.X) > 1}


def _model_answer(
    known: _Known,
    name: str,
    posterior: ModelPosterior | None,
    quality: PosteriorQuality | None,
    near: NearRows | None,
) -> ModelAnswer:
    state, reference = known.state.models[name], known.reference
    model, probabilities = reference.settings.space[name], known.state.probabilities
    is_simulated, before = name in reference.models, known.state.before
    found = _discrepancies(known, known.rows(name)) if is_simulated else []
    outside = tuple(
        each.feature for each in found if not each.minimum <= each.observed <= each.maximum
    )
    shown = found if near is None else _discrepancies(known, near.X)
    is_candidate = name in known.candidates
    decision = None if state.is_clear and not state.is_tested else state.decision
    chances = {} if probabilities is None else probabilities.probabilities
    return ModelAnswer(
        name=name,
        family=family_of(model),
        description=model.description,
        reference=model.reference,
        state=state.state,
        p_value=None if decision is None else decision.p_value,
        p_interval=None if decision is None else decision.interval,
        hits=0 if decision is None else decision.hits,
        simulations=0 if state.decision is None else state.decision.n,
        probability=chances.get(name) if is_candidate else None,
        interval=probabilities.intervals.get(name) if is_candidate and probabilities else None,
        probability_before=None if before is None else before.probabilities.get(name),
        remoteness=state.remoteness,
        parameters=_estimates(known, name, posterior, quality) if is_candidate else {},
        discrepancies=tuple(main_discrepancies(shown, N_DISCREPANCIES)),
        outside=outside,
        advice=() if is_candidate else _advice(known, name, shown, posterior),
    )


def _discrepancies(known: _Known, simulated: pd.DataFrame) -> list[Discrepancy]:
    given = [find(each) for each in known.reference.settings.features or ()]
    names = [name for name in simulated.columns if name in known.observed.values]
    return find_discrepancies(known.observed.values, simulated[names], given)


def _advice(
    known: _Known, name: str, found: list[Discrepancy], posterior: ModelPosterior | None
) -> tuple[Advice, ...]:
    settings = known.reference.settings
    sides = {} if posterior is None else posterior.posterior.at_boundary
    return tuple(
        advise(
            found, settings.space[name], settings.space, at_boundary=sides,
            isolated=known.observed.size.isolated, matched=known.observed.size.edges is not None,
        )[:2]
    )  # fmt: skip


def _estimates(
    known: _Known, name: str, posterior: ModelPosterior | None, quality: PosteriorQuality | None
) -> dict[str, ParameterEstimate]:
    if posterior is None:
        return {}
    found, priors = posterior.posterior, known.reference.space[name].parameters
    qualities: dict[str, Any] = {} if quality is None else quality.parameters
    nan = float("nan")
    return {
        parameter: ParameterEstimate(
            median=found.median[parameter],
            interval=found.intervals[parameter],
            coverage=found.coverage,
            at_boundary=found.at_boundary.get(parameter),
            prior=str(priors[parameter].prior),
            **{
                key: getattr(qualities[parameter], key) if parameter in qualities else nan
                for key in ("rmse", "prior_sd", "shrinkage", "interval_coverage", "rank_p_value")
            },
            interval_coverage_interval=(
                qualities[parameter].interval_coverage_interval
                if parameter in qualities
                else (nan, nan)
            ),
            held_out=0 if quality is None else len(quality.ranks),
            simulations=len(posterior.source.estimator),
        )
        for parameter in found.median
    }


# The test of fit


def _power(known: _Known) -> dict[str, Noticed]:
    """Return which alterations of the most probable model's networks the test of fit notices."""
    n = known.reference.effort.shown
    model = next((name for name in known.ranked if name in known.state.compared), None)
    if model is None or not n or known.clock.has_passed(DETAILS):
        return {}
    with one_blas_thread():
        return known.reference.power(model, known.names, n)


# Features


def _feature_values(known: _Known) -> tuple[FeatureValue, ...]:
    """Return the features that models were compared by, with the place of the network among simulations."""
    costs = known.reference.costs()
    compared = known.state.compared or known.reference.models
    rows = {name: known.rows(name) for name in compared}
    found = []
    for name in known.names:
        item, value = find(_given(known, name)), known.observed.values[name]
        below = {
            model: float(np.mean((X[name] < value) + 0.5 * (X[name] == value)))
            for model, X in rows.items()
            if name in X and len(X)
        }
        cost = costs.cost(name) if name in costs.own else 0.0
        found.append(FeatureValue(name, item.label, item.topic, value, cost, below))
    return tuple(found)


def _given(known: _Known, name: str) -> Any:
    from netchoice.choice.observe import as_given

    return as_given([name], known.reference.settings)[0]


def _cost(known: _Known) -> Cost:
    reference, names = known.reference, list(known.names)
    costs, n = reference.costs(), reference.size.typical()
    measured = costs.cost_of_set([name for name in names if name in costs.own], "shared")
    everything = comparable_features()
    by_reference = reference_costs(everything, *n)
    builtin = [name for name in names if name in by_reference.own]
    share = by_reference.cost_of_set(builtin, "shared") if builtin else 0.0
    ratio = by_reference.cost_of_set(everything, "shared") / share if share else 1.0
    return Cost(
        simulations=reference.n_simulated,
        simulation_seconds=reference.cpu_seconds,
        features=measured,
        all_features=measured * max(1.0, ratio),
        seconds=round(known.clock.elapsed, 3),
    )


# Evidence


@dataclass(frozen=True)
class _HeldOut:
    accuracy: float
    log_score: float
    reliability: tuple[dict[str, float], ...]
    confusion: dict[str, dict[str, int]]


def _held_out(known: _Known) -> _HeldOut:
    """Return how well the models of simulations that were left out are predicted."""
    from netchoice.inference.reliability import scored

    compared, n = known.state.compared, known.state.n_inferred
    candidates = tuple(name for name in compared if name in known.candidates)
    if len(compared) < 2:
        return _HeldOut(float("nan"), float("nan"), (), {})
    with one_blas_thread():
        if len(candidates) > 1:
            regression = known.reference.regression(candidates, known.names, n)
        else:
            regression = known.reference.regression_before(compared, known.names)
        found = scored(regression.models, regression.held_out, regression.labels)
    return _HeldOut(
        found.accuracy,
        found.log_score,
        tuple(
            {str(key): float(value) for key, value in row.items()}
            for row in found.reliability.to_dict("records")
        ),
        {
            str(true): {str(name): int(n) for name, n in row.items()}
            for true, row in found.confusion.to_dict("index").items()
        },
    )


def _mapped(known: _Known) -> list[str]:
    return [name for name in known.ranked if len(known.rows(name)) > 1][:MOST_MAPPED]


def _map(known: _Known) -> Map | None:
    """Return simulations and the network in two dimensions."""
    models = _mapped(known)
    rows = {name: known.rows(name).head(N_MAPPED) for name in models}
    names = [name for name in known.names if all(name in X for X in rows.values())]
    if not rows or not names or sum(map(len, rows.values())) < 3:
        return None
    X = pd.concat([each[names] for each in rows.values()], ignore_index=True)
    y = np.repeat(models, [len(each) for each in rows.values()])
    with one_blas_thread():
        found = embed(X, y, {name: known.observed.values[name] for name in names})
    points = found.points[~found.points["observed"]]
    network = found.points[found.points["observed"]].iloc[0]
    return Map(
        x=tuple(points["x"]), y=tuple(points["y"]), model=tuple(map(str, points["label"])),
        observed=(float(network["x"]), float(network["y"])), pearson=found.pearson,
        distance_correlation=found.distance_correlation, features=tuple(found.features),
    )  # fmt: skip


def _draws(posterior: ModelPosterior, quality: PosteriorQuality) -> PosteriorDraws:
    draws = posterior.posterior.draws
    return PosteriorDraws(
        draws={str(name): tuple(column.astype(float)) for name, column in draws.items()},
        bounds=posterior.source.bounds,
        ranks={str(name): tuple(column.astype(int)) for name, column in quality.ranks.items()},
        n_rank_draws=quality.n_draws,
    )


def _samples(known: _Known) -> dict[str, dict[str, tuple[float, ...]]]:
    """Return values of the features that differ most between the models, and from the network."""
    models = _mapped(known)[:MOST_MAPPED]
    rows = {name: known.rows(name) for name in models}

    def spread(feature: FeatureValue) -> float:
        shares = [feature.below[name] for name in models if name in feature.below]
        return max(shares, default=0.0) - min(shares, default=0.0)

    ranked = sorted(_feature_values(known), key=lambda each: -spread(each))
    topics: dict[str, FeatureValue] = {}
    for each in ranked:
        topics.setdefault(each.topic, each)
    chosen = [each.name for each in [*topics.values()][:N_HISTOGRAMS]]
    return {
        feature: {
            name: tuple(X[feature].head(N_SAMPLED).astype(float))
            for name, X in rows.items()
            if feature in X
        }
        for feature in chosen
    }


def _envelopes(known: _Known, near: Mapping[str, NearRows]) -> dict[str, dict[str, Envelope]]:
    """Return distributions of the network next to those of simulations of the models shown."""
    most = min(
        known.reference.effort.shown,
        max(MIN_PROFILES, MAX_PROFILE_NODES // known.observed.graph.n_nodes),
    )
    profiles = {}
    for model in known.shown if most else ():
        if known.clock.has_passed(DETAILS):
            break
        n_jobs = known.reference.n_jobs
        networks = (
            near[model].networks(most, n_jobs)
            if model in near
            else known.reference.networks(CALIBRATION, model, most)
        )
        if len(networks) > 1:
            with threads(n_jobs) as each:
                profiles[model] = each(network_profile, networks)
    return envelopes(network_profile(known.observed.graph), profiles) if profiles else {}
