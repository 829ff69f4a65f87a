"""From simulated tables to an answer: probabilities, parameters, fit, and notes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from netchoice.evaluation import wilson
from netchoice.inference import (
    Fit,
    Posterior,
    goodness_of_fit,
    held_out,
    model_probabilities,
    posterior,
)
from netchoice.inference.probabilities import DEFAULT_METHOD
from netchoice.io import ReadingReport
from netchoice.models import Model
from netchoice.storage.table import ReferenceTable
from netchoice.units import duration
from netchoice.workflows.choice import Choice, Evidence
from netchoice.workflows.feature_selection import FeatureSelection
from netchoice.workflows.run import Run
from netchoice.workflows.run_folder import versions


def answer(
    run: Run,
    selection: FeatureSelection,
    table: ReferenceTable,
    fit_table: ReferenceTable,
    reading: ReadingReport | None = None,
) -> Choice:
    """Infer the model and its parameters from the tables, and test whether any model fits."""
    evidence = _infer(run, selection, table, fit_table, reading)
    probabilities, tested, fit = evidence.probabilities, evidence.held_out, evidence.fit
    run.notes.extend(_notes(run, evidence))
    return Choice(
        network={**run.network.summary(), "isolated": run.settings.isolated},
        space=run.settings.space,
        model=probabilities.model,
        probabilities=dict(probabilities.probabilities),
        intervals=dict(probabilities.intervals),
        fits=bool(fit.fits),
        fit_p_values=dict(fit.p_values),
        fit={
            "summary": fit.summary,
            "overall": fit.overall,
            "alpha": fit.alpha,
            "floor": fit.floor,
            "simulations": fit.n_simulations,
            "features": list(fit_table.features),
        },
        features={name: run.observed.values[name] for name in selection.features},
        parameters={} if evidence.posterior is None else evidence.posterior.summary(),
        accuracy=float(tested.accuracy),
        confusion=tested.confusion,
        scores={"log_score": float(tested.log_score), "brier": float(tested.brier)},
        selection=selection.as_dict(),
        cost=_cost(selection, table, fit_table, run.stopwatch.elapsed),
        notes=run.notes,
        settings={**run.settings.as_dict(), **versions()},
        evidence=evidence,
    )


def _infer(
    run: Run,
    selection: FeatureSelection,
    table: ReferenceTable,
    fit_table: ReferenceTable,
    reading: ReadingReport | None,
) -> Evidence:
    run.observed.compute([*selection.features, *fit_table.features])
    run.observed.require(selection.features)
    observed = run.observed.values
    values = {name: observed[name] for name in selection.features}
    fit_values = {name: observed[name] for name in fit_table.features if name in observed}
    X, y = table.X[list(values)], table.y
    options: dict[str, Any] = {"seed": run.settings.seed, "n_jobs": run.stopwatch.workers}
    method = run.settings.inference or DEFAULT_METHOD
    weights = dict(zip(run.space.labels, run.space.weights, strict=True))
    probabilities = model_probabilities(X, y, values, method=method, weights=weights, **options)
    parameters, bounds = _parameters(run.space[probabilities.model], table, values)
    return Evidence(
        graph=run.network,
        selection=selection,
        table=table,
        probabilities=probabilities,
        held_out=held_out(X, y, method=method, limit=run.plan.held_out_samples, **options),
        posterior=parameters,
        prior_bounds=bounds,
        fit=goodness_of_fit(fit_table.X[list(fit_values)], fit_table.y, fit_values, **options),
        fit_table=fit_table,
        fit_observed=fit_values,
        reading=reading,
    )


def _parameters(
    model: Model, table: ReferenceTable, observed: Mapping[str, float]
) -> tuple[Posterior | None, dict[str, tuple[float, float]]]:
    """Return the posterior of a model's parameters and the bounds of their priors."""
    rows = (table.y == model.name).to_numpy()
    drawn = table.parameters[rows].reset_index(drop=True)
    names = [name for name in model.parameters if name in drawn and drawn[name].nunique() > 1]
    if not names:
        return None, {}
    priors = {name: model.parameters[name].prior for name in names}
    bounds = {name: (float(prior.low), float(prior.high)) for name, prior in priors.items()}
    X = table.X[list(observed)][rows].reset_index(drop=True)
    return posterior(X, drawn[names], observed, bounds=bounds), bounds


def _notes(run: Run, evidence: Evidence) -> Iterator[str]:
    """Yield what a careful reader should know about an answer."""
    tested = evidence.held_out
    chance = float(evidence.table.y.value_counts(normalize=True).max())
    if wilson(float(tested.accuracy), int(tested.confusion.to_numpy().sum()))[0] <= chance:
        yield (
            "the models of this space cannot be distinguished: the held-out accuracy is "
            f"{tested.accuracy:.1%}, no better than chance"
        )
    if evidence.posterior is not None:
        for name, side in evidence.posterior.at_boundary.items():
            yield (
                f"the posterior of {name} is at the prior's boundary ({side}); a wider prior may "
                "change it"
            )
    yield from _notes_on_fit(evidence.fit, evidence.probabilities.model)
    if run.settings.isolated == "drop":
        yield (
            "the network has no isolated nodes, so those of the simulations were dropped; pass "
            '--isolated keep (in Python isolated="keep") to keep them'
        )
    elif run.network.n_isolated:
        yield (
            f"{run.network.n_isolated} isolated nodes were kept, in the network and in the simulations"
        )


def _notes_on_fit(fit: Fit, model: str) -> Iterator[str]:
    p = fit.p_values[model]
    if not fit.fits:
        yield (
            "as none of these models fits, the probabilities only say which of several wrong models is "
            "nearest on the selected features; other features may give another answer"
        )
    elif p <= fit.alpha:
        others = ", ".join(name for name, value in fit.p_values.items() if value > fit.alpha)
        yield (
            f"{model} is the most probable model on the selected features, but it does not fit "
            f"(p = {p:.2g}); on all features {others} fits: do not trust the probabilities"
        )


def _cost(
    selection: FeatureSelection,
    table: ReferenceTable,
    fit_table: ReferenceTable,
    elapsed: float,
) -> dict[str, Any]:
    """Return what the features cost, and what the selection saved."""
    all_features = selection.cost(selection.table.features)
    selected = table.costs.cost_of_set(selection.features, "shared")
    fit_features = selection.cost(fit_table.features)
    saved = len(table) * max(0.0, all_features - selected)
    summary = (
        f"cost of the selected features: {duration(selected)} per network; of all "
        f"{len(selection.table.features)} features: {duration(all_features)}; saved on {len(table)} "
        f"simulations: {duration(saved)}; the fit was judged on {len(fit_table)} simulations at "
        f"{duration(fit_features)} each"
    )
    return {
        "selected_features": selected,
        "all_features": all_features,
        "speedup": all_features / selected if selected else None,
        "saved_seconds": saved,
        "simulations": len(table),
        "fit_features": fit_features,
        "fit_simulations": len(fit_table),
        "seconds": round(elapsed, 3),
        "unit": "CPU seconds per network",
        "extrapolated": bool(selection.pilots),
        "summary": summary,
    }
