"""The answer for one network, with everything that a report shows."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from netchoice.io import ReadingReport
from netchoice.models.space import ModelSpace, family_of, family_probabilities
from netchoice.storage.table import ReferenceTable
from netchoice.units import duration
from netchoice.workflows.choice import Choice, Evidence
from netchoice.workflows.comparison import Comparison
from netchoice.workflows.feature_selection import FeatureSelection
from netchoice.workflows.misfit import explain, power_sentence
from netchoice.workflows.run_folder import versions
from netchoice.workflows.screening import Screening


def answer(
    found: Comparison,
    reading: ReadingReport | None = None,
    seconds: float = 0.0,
    screening: Screening | None = None,
) -> Choice:
    """Return the verdict, the probabilities, the parameters, and how each model differs.

    ``seconds`` is the time that the run took until now. Models that the ``screening`` discarded have
    probability 0.
    """
    prepared, verdict, fit = found.prepared, found.verdict, found.fit
    compared = prepared.space if screening is None else screening.space
    misfit = explain(found, compared)
    posteriors = {name: found.posterior(name) for name in prepared.space.labels}
    known = {name: each for name, each in posteriors.items() if each is not None}
    tested = prepared.held_out
    evidence = Evidence(
        graph=found.network,
        selection=prepared.selection,
        table=prepared.table,
        probabilities=found.probabilities,
        held_out=tested,
        posteriors=known,
        quality={name: prepared.quality(name) for name in found.reported if name in known},
        fit=fit,
        fit_table=prepared.fit_table,
        fit_observed=found.fit_observed,
        misfit=misfit,
        reading=reading,
    )
    probabilities = dict(found.probabilities.probabilities)
    if screening is not None:
        probabilities |= dict.fromkeys(screening.discarded, 0.0)
    settings = prepared.settings
    near = {model: len(found.near(model).table) for model in prepared.space.labels}
    n_near = sum(n for model, n in near.items() if found.is_near(model))
    return Choice(
        verdict=verdict.kind,
        headline=verdict.sentence,
        network={**found.network.summary(), "isolated": settings.isolated},
        space=_space_record(settings.space, prepared.space),
        model=verdict.model,
        probabilities=probabilities,
        families=family_probabilities(compared, probabilities),
        intervals=dict(found.probabilities.intervals),
        fits=bool(fit.fits),
        fit_p_values=dict(fit.p_values),
        fit=_fit_record(found),
        misfit={model: each.as_dict() for model, each in misfit.items()},
        features=found.selected,
        parameters=found.parameters,
        mixtures=[asdict(each) for each in found.mixtures],
        accuracy=float(tested.accuracy),
        confusion=tested.confusion,
        scores={"log_score": float(tested.log_score), "brier": float(tested.brier)},
        selection=prepared.selection.as_dict(),
        cost=_cost(prepared.selection, prepared.table, prepared.fit_table, n_near, seconds),
        notes=list(found.notes()),
        screening=None if screening is None else screening.as_dict(),
        settings={**settings.as_dict(), "network": found.network.fingerprint, **versions()},
        evidence=evidence,
    )


def _space_record(record: dict[str, Any], space: ModelSpace) -> dict[str, Any]:
    """Return the record of a space with the family of each model."""
    models = [{**each, "family": family_of(space[each["name"]])} for each in record["models"]]
    return {**record, "models": models}


def _fit_record(found: Comparison) -> dict[str, Any]:
    fit, powers = found.fit, found.prepared.power(found.verdict.model)
    remoteness = {name: x if np.isfinite(x) else None for name, x in fit.remoteness.items()}
    return {
        "summary": fit.summary,
        "overall": fit.overall,
        "alpha": fit.alpha,
        "floor": fit.floor,
        "simulations": fit.n_simulations,
        "local": found.is_local,
        "not_near": dict(found.not_near),
        "local_p_value": found.local_p_value,
        "features": [str(name) for name in fit.quantiles.index],
        "remoteness": remoteness,
        "power": [asdict(each) for each in powers],
        "power_summary": power_sentence(powers),
    }


def _cost(
    selection: FeatureSelection,
    table: ReferenceTable,
    fit_table: ReferenceTable,
    n_near: int,
    elapsed: float,
) -> dict[str, Any]:
    """Return what the features cost, and what the selection saved."""
    offered = selection.simulations.features
    all_features = selection.cost(offered)
    selected = selection.cost(selection.features)
    fit_features = selection.cost(fit_table.features)
    saved = len(table) * max(0.0, all_features - selected)
    fit_simulations = len(fit_table) + n_near
    parts = {
        "for_model": selection.cost(selection.for_model),
        "for_parameters": selection.cost(selection.for_parameters),
    }
    split = (
        f" ({duration(parts['for_model'])} for the model alone)"
        if selection.parameter_evaluation is not None
        else ""
    )
    summary = (
        f"cost of the selected features: {duration(selected)} per network{split}; of all "
        f"{len(offered)} features: {duration(all_features)}; saved on {len(table)} "
        f"simulations: {duration(saved)}; the test of fit used {fit_simulations} simulations at "
        f"{duration(fit_features)} each"
    )
    return {
        "selected_features": selected,
        **parts,
        "all_features": all_features,
        "speedup": all_features / selected if selected else None,
        "saved_seconds": saved,
        "simulations": len(table),
        "fit_features": fit_features,
        "fit_simulations": fit_simulations,
        "seconds": round(elapsed, 3),
        "unit": "CPU seconds per network",
        "extrapolated": bool(selection.pilots),
        "summary": summary,
    }
