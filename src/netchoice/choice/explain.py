"""What an answer says besides the verdict: differences, power, quality, and what figures show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pandas as pd

from netchoice.choice.answer import (
    Answer,
    Cost,
    Evidence,
    FeatureValue,
    Map,
    ModelAnswer,
    PosteriorDraws,
)
from netchoice.choice.conclude import N_DISCREPANCIES, Known, estimates
from netchoice.choice.discrepancies import (
    Advice,
    Discrepancy,
    advise,
    find_discrepancies,
    main_discrepancies,
)
from netchoice.choice.notes import notes_of
from netchoice.choice.observe import as_given
from netchoice.choice.reference import CALIBRATION, ModelPosterior, NearRows
from netchoice.choice.settings import Clock
from netchoice.features import comparable_features
from netchoice.features.reference_costs import reference_costs
from netchoice.features.registry import find
from netchoice.inference import embed
from netchoice.inference.posterior_quality import PosteriorQuality
from netchoice.inference.power import Noticed
from netchoice.inference.reliability import HeldOut, scored
from netchoice.profiles import Envelope, envelopes, network_profile
from netchoice.storage.records import to_record
from netchoice.threads import one_blas_thread, threads

#: Simulations near the network of each model that is shown, and what sentences call them.
N_NEAR, NEAR = 200, "simulations near the network"
#: Models whose networks stay networks of the same model if edges are exchanged at random.
EXCHANGEABLE = ("configuration", "rds")
#: Rows of each model in the map and in histograms, and histograms.
N_MAPPED, N_SAMPLED, N_HISTOGRAMS = 300, 400, 6
#: Models of the map and of the histograms; the others were rejected.
MOST_MAPPED = 8
#: Larger networks are grown again in smaller numbers, so that at most so many nodes are grown.
MAX_PROFILE_NODES, MIN_PROFILES = 150_000, 10
#: Share of the time limit after which what is not needed for the verdict is left out.
DETAILS = 0.8


def explain(answer: Answer, known: Known, clock: Clock) -> Answer:
    """Return the answer with reasons: differences, power, quality of estimates, notes and evidence."""
    near, quality = _near(known, clock), _quality(known, clock)
    power_of, power = _power(known, clock)
    scores = _held_out(known)
    models = tuple(
        _explained(each, known, near.get(each.name), quality.get(each.name))
        for each in answer.models
    )
    answer = replace(
        answer,
        models=models,
        features=_feature_values(known),
        power=power,
        power_of=power_of,
        accuracy=float("nan") if scores is None else scores.accuracy,
        log_score=float("nan") if scores is None else scores.log_score,
        evidence=Evidence(
            map=_map(known),
            posteriors={name: _draws(known.posterior(name)) for name in quality},
            envelopes=_envelopes(known, near, clock),
            samples=_samples(known),
            reliability=() if scores is None else tuple(to_record(scores.reliability)),
            confusion={} if scores is None else to_record(scores.confusion.to_dict("index")),
        ),
        cost=_cost(known, clock),
    )
    return replace(answer, notes=notes_of(answer, known))


# Models


def _explained(
    answer: ModelAnswer, known: Known, near: NearRows | None, quality: PosteriorQuality | None
) -> ModelAnswer:
    name, is_simulated = answer.name, answer.name in known.reference.models
    found = known.discrepancies(known.rows(name)) if is_simulated else []
    shown = found
    if near is not None:
        given = [find(each) for each in known.reference.settings.features or ()]
        shown = find_discrepancies(known.observed.values, near.X, given, NEAR)
    return replace(
        answer,
        parameters=estimates(known, name, quality) if answer.is_candidate else {},
        discrepancies=tuple(main_discrepancies(shown, N_DISCREPANCIES)),
        outside=tuple(each.feature for each in found if each.is_outside),
        advice=() if answer.is_candidate else _advice(known, name, shown),
    )


def _advice(known: Known, name: str, found: list[Discrepancy]) -> tuple[Advice, ...]:
    settings = known.reference.settings
    posterior = known.posterior(name) if name in known.shown else None
    return tuple(
        advise(
            found, settings.space[name], settings.space,
            at_boundary={} if posterior is None else posterior.posterior.at_boundary,
            isolated=known.observed.size.isolated, matched=known.observed.size.edges is not None,
        )[:2]
    )  # fmt: skip


def _near(known: Known, clock: Clock) -> dict[str, NearRows]:
    """Return simulations near the network of the models that are shown."""
    found, deadline = {}, clock.at(DETAILS)
    for model in known.shown:
        posterior, n_nodes = known.posterior(model), known.observed.graph.n_nodes
        if posterior is not None and not clock.has_passed(Clock.SIMULATED):
            found[model] = known.reference.near(model, posterior, N_NEAR, n_nodes, deadline)
    return {model: rows for model, rows in found.items() if len(rows.X) > 1}


def _quality(known: Known, clock: Clock) -> dict[str, PosteriorQuality]:
    """Return how well the parameters of the most probable candidates are estimated."""
    found = {}
    for model in known.shown:
        is_needed = model in known.candidates and not clock.has_passed(DETAILS)
        if is_needed and known.posterior(model) is not None:
            quality = known.reference.quality(model, known.names, known.state.n_inferred)
            if quality is not None:
                found[model] = quality
    return found


def _power(known: Known, clock: Clock) -> tuple[str, dict[str, Noticed]]:
    """Return a candidate, the most probable one if possible, and which of its altered networks are noticed.

    Rewired networks of an exchangeable model are networks of this model, so no test notices them. Another
    candidate is taken then, or else rewiring is left out. Without a candidate, power says nothing.
    """
    n = known.reference.effort.shown
    compared = [name for name in known.candidates if name in known.state.compared]
    if not compared or not n or clock.has_passed(DETAILS):
        return "", {}
    others = [name for name in compared if name.partition("~")[0] not in EXCHANGEABLE]
    model = (others or compared)[0]
    with one_blas_thread():
        noticed = known.reference.power(model, known.names, n)
    if not others:
        noticed = {kind: each for kind, each in noticed.items() if "rewired" not in kind}
    return model, noticed


# Features


def _feature_values(known: Known) -> tuple[FeatureValue, ...]:
    """Return the features that models were compared by, with the place of the network among simulations."""
    costs = known.reference.costs()
    compared = known.state.compared or known.reference.models
    rows = {name: known.rows(name) for name in compared}
    found = []
    for name, given in zip(
        known.names, as_given(known.names, known.reference.settings), strict=True
    ):
        item, value = find(given), known.observed.values[name]
        below = {
            model: float(np.mean((X[name] < value) + 0.5 * (X[name] == value)))
            for model, X in rows.items()
            if name in X and len(X)
        }
        cost = costs.cost(name) if name in costs.own else 0.0
        found.append(FeatureValue(name, item.label, item.topic, value, cost, below))
    return tuple(found)


def _cost(known: Known, clock: Clock) -> Cost:
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
        seconds=round(clock.elapsed, 3),
    )


# Evidence


def _held_out(known: Known) -> HeldOut | None:
    """Return how well the models of simulations that were left out are predicted."""
    compared, n = known.state.compared, known.state.n_inferred
    eligible = tuple(name for name in compared if name in known.state.eligible)
    if len(compared) < 2:
        return None
    with one_blas_thread():
        if len(eligible) > 1:
            regression = known.reference.regression(eligible, known.names, n)
        else:
            regression = known.reference.regression_before(compared, known.names)
        return scored(regression.models, regression.held_out, regression.labels)


def _mapped(known: Known) -> list[str]:
    return [name for name in known.ranked if len(known.rows(name)) > 1][:MOST_MAPPED]


def _map(known: Known) -> Map | None:
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


def _draws(posterior: ModelPosterior | None) -> PosteriorDraws:
    assert posterior is not None  # its quality was measured
    draws = posterior.posterior.draws
    return PosteriorDraws(
        draws={str(name): tuple(column.astype(float)) for name, column in draws.items()},
        bounds=posterior.source.bounds,
    )


def _samples(known: Known) -> dict[str, dict[str, tuple[float, ...]]]:
    """Return values of the features that differ most between the models, and from the network."""
    models = _mapped(known)
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


def _envelopes(
    known: Known, near: Mapping[str, NearRows], clock: Clock
) -> dict[str, dict[str, Envelope]]:
    """Return distributions of the network next to those of simulations of the models shown."""
    most = min(
        known.reference.effort.shown,
        max(MIN_PROFILES, MAX_PROFILE_NODES // known.observed.graph.n_nodes),
    )
    profiles = {}
    for model in known.shown if most else ():
        if clock.has_passed(DETAILS):
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
