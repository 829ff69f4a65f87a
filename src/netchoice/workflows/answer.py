"""From simulated tables to an answer: probabilities, parameters, fit, and notes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from netchoice.evaluation import wilson
from netchoice.inference import (
    Fit,
    HeldOut,
    ModelProbabilities,
    goodness_of_fit,
    held_out,
    model_probabilities,
    pool_feature_sets,
)
from netchoice.inference.probabilities import DEFAULT_METHOD
from netchoice.io import ReadingReport
from netchoice.storage.table import ReferenceTable
from netchoice.units import duration
from netchoice.workflows.choice import Choice, Evidence
from netchoice.workflows.choice_verdict import Verdict, decide
from netchoice.workflows.feature_selection import FeatureSelection
from netchoice.workflows.fit_power import power_sentence
from netchoice.workflows.local_simulations import FitSimulations, ModelPosterior
from netchoice.workflows.misfit import explain, power_of_test
from netchoice.workflows.parameters import (
    Parameters,
    parameter_notes,
    parameter_record,
    reported_models,
)
from netchoice.workflows.run import Run
from netchoice.workflows.run_folder import versions


def answer(
    run: Run,
    selection: FeatureSelection,
    table: ReferenceTable,
    fit_table: ReferenceTable,
    near: FitSimulations,
    posteriors: Mapping[str, ModelPosterior],
    reading: ReadingReport | None = None,
) -> Choice:
    """Return the verdict, the probabilities, the parameters, and how each model differs.

    ``table`` holds the selected features, ``fit_table`` all features that could be afforded, and
    ``near`` the same features of simulations from the posteriors.
    """
    observed = run.fit_observed(fit_table)
    pooled, tested = _probabilities(run, selection, table, fit_table)
    options: dict[str, Any] = {"seed": run.settings.seed, "n_jobs": run.stopwatch.workers}
    fit = goodness_of_fit(near.table.X[list(observed)], near.table.y, observed, **options)
    verdict = decide(pooled, fit, _is_above_chance(tested, table))
    reported = reported_models(verdict.model, fit, pooled.probabilities)
    quality = {name: posteriors[name].quality(**options) for name in reported if name in posteriors}
    parameters = parameter_record(reported, posteriors, quality)
    evidence = Evidence(
        graph=run.network,
        selection=selection,
        table=table,
        probabilities=pooled,
        held_out=tested,
        posteriors=dict(posteriors),
        quality=quality,
        fit=fit,
        fit_table=fit_table,
        fit_observed=observed,
        misfit=explain(run, near, fit, observed, posteriors),
        reading=reading,
    )
    run.notes.extend(_notes(run, verdict, parameters))
    return Choice(
        verdict=verdict.kind,
        headline=verdict.sentence,
        network={**run.network.summary(), "isolated": run.settings.isolated},
        space=run.settings.space,
        model=verdict.model,
        probabilities=dict(pooled.probabilities),
        intervals=dict(pooled.intervals),
        fits=bool(fit.fits),
        fit_p_values=dict(fit.p_values),
        fit=_fit_record(run, near, fit, verdict.model),
        misfit={model: each.as_dict() for model, each in evidence.misfit.items()},
        features={name: run.observed.values[name] for name in selection.features},
        parameters=parameters,
        accuracy=float(tested.accuracy),
        confusion=tested.confusion,
        scores={"log_score": float(tested.log_score), "brier": float(tested.brier)},
        selection=selection.as_dict(),
        cost=_cost(selection, table, fit_table, near.table, run.stopwatch.elapsed),
        notes=run.notes,
        settings={**run.settings.as_dict(), **versions()},
        evidence=evidence,
    )


def _probabilities(
    run: Run, selection: FeatureSelection, table: ReferenceTable, fit_table: ReferenceTable
) -> tuple[ModelProbabilities, HeldOut]:
    """Return the probabilities, pooled over near-optimal sets of features, and the held-out scores.

    They use the features for the model. Sets other than the selected one use the simulations of the fit,
    which have all features.
    """
    run.observed.compute([*selection.features, *fit_table.features])
    run.observed.require(selection.features)
    observed = run.observed.values
    options: dict[str, Any] = {"seed": run.settings.seed, "n_jobs": run.stopwatch.workers}
    options["method"] = run.settings.inference or DEFAULT_METHOD
    weights = dict(zip(run.space.labels, run.space.weights, strict=True))
    X, y = table.X[list(selection.for_model)], table.y

    def estimate(features: Sequence[str], rows: ReferenceTable) -> ModelProbabilities:
        values = {name: observed[name] for name in features}
        return model_probabilities(
            rows.X[list(features)], rows.y, values, weights=weights, **options
        )

    complete = fit_table.X.notna().all()
    usable = {name for name in fit_table.features if name in observed and complete[name]}
    sets = [each for each in selection.near_optimal if usable.issuperset(each)]
    chosen = np.linspace(0, len(sets) - 1, min(len(sets), run.plan.pooled_sets)).round().astype(int)
    others = [estimate(sets[i], fit_table) for i in chosen]
    tested = held_out(X, y, limit=run.plan.held_out_samples, **options)
    return pool_feature_sets(estimate(selection.for_model, table), others), tested


def _is_above_chance(tested: HeldOut, table: ReferenceTable) -> bool:
    """Return whether the models of held-out simulations are predicted better than by chance."""
    chance = float(table.y.value_counts(normalize=True).max())
    n_tested = int(tested.confusion.to_numpy().sum())
    return wilson(float(tested.accuracy), n_tested)[0] > chance


def _fit_record(run: Run, near: FitSimulations, fit: Fit, model: str) -> dict[str, Any]:
    powers = power_of_test(run, near, fit, model)
    remoteness = {name: x if np.isfinite(x) else None for name, x in fit.remoteness.items()}
    return {
        "summary": fit.summary,
        "overall": fit.overall,
        "alpha": fit.alpha,
        "floor": fit.floor,
        "simulations": fit.n_simulations,
        "local": bool(run.plan.local_samples),
        "features": [str(name) for name in fit.quantiles.index],
        "remoteness": remoteness,
        "power": [asdict(each) for each in powers],
        "power_summary": power_sentence(powers),
    }


def _notes(run: Run, verdict: Verdict, parameters: Parameters) -> Iterator[str]:
    """Yield what a careful reader should know about an answer."""
    if verdict.kind != "none-fits":  # there the advice says it
        yield from parameter_notes(parameters)
    if run.settings.isolated == "drop":
        yield (
            "the network has no isolated nodes, so those of the simulations were dropped; pass "
            '--isolated keep (in Python isolated="keep") to keep them'
        )
    elif run.network.n_isolated:
        yield (
            f"{run.network.n_isolated} isolated nodes were kept, in the network and in the simulations"
        )


def _cost(
    selection: FeatureSelection,
    table: ReferenceTable,
    fit_table: ReferenceTable,
    near: ReferenceTable,
    elapsed: float,
) -> dict[str, Any]:
    """Return what the features cost, and what the selection saved."""
    all_features = selection.cost(selection.table.features)
    selected = table.costs.cost_of_set(selection.features, "shared")
    fit_features = selection.cost(fit_table.features)
    saved = len(table) * max(0.0, all_features - selected)
    fit_simulations = len(fit_table) + (0 if near is fit_table else len(near))
    parts = {
        "for_model": table.costs.cost_of_set(selection.for_model, "shared"),
        "for_parameters": table.costs.cost_of_set(selection.for_parameters, "shared"),
    }
    split = (
        f" ({duration(parts['for_model'])} for the model alone)"
        if selection.parameter_evaluation is not None
        else ""
    )
    summary = (
        f"cost of the selected features: {duration(selected)} per network{split}; of all "
        f"{len(selection.table.features)} features: {duration(all_features)}; saved on {len(table)} "
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
