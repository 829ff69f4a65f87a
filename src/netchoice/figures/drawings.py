"""The figures of a choice and of an evaluation, by name and as files."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from netchoice.figures.axes import save_all
from netchoice.figures.cost_figures import feature_costs
from netchoice.figures.distributions import feature_distributions
from netchoice.figures.embeddings import embedding
from netchoice.figures.feature_sets import pareto, ranking_paths
from netchoice.figures.fit_panels import fit
from netchoice.figures.heatmaps import heatmaps
from netchoice.figures.posterior_panels import posteriors, rank_histograms, uniform_priors
from netchoice.figures.predictions import confusion, probabilities, reliability
from netchoice.validation import file_names

if TYPE_CHECKING:
    from netchoice.workflows import Choice, FeatureEvaluation


def choice_drawings(choice: Choice) -> dict[str, Callable[[], Any]]:
    """Return, by name, the functions that draw the figures of a choice; see :func:`draw_choice`."""
    evidence = choice.evidence
    table, selection = evidence.table, evidence.selection
    compared = {name: choice.probabilities[name] for name in choice.intervals}
    costs = selection.costs.only(selection.table.features)
    drawings: dict[str, Callable[[], Any]] = {
        "probabilities": partial(probabilities, compared, choice.intervals),
        "features": partial(
            feature_distributions, table.X, table.y, choice.features, choice.features
        ),
        "embedding": lambda: embedding(evidence.embedding),
        "confusion": partial(confusion, choice.confusion),
        "reliability": partial(reliability, evidence.held_out.reliability),
        "costs": partial(feature_costs, costs),
    }
    uniform = {spec["name"]: uniform_priors(spec) for spec in choice.space["models"]}
    for model, name in file_names(evidence.quality).items():
        suffix = "" if model == choice.model else f"-{name}"
        known, quality = evidence.posteriors[model], evidence.quality[model]
        finite = {key: ends for key, ends in known.bounds.items() if np.isfinite(ends).all()}
        draws, intervals = known.posterior.draws, known.posterior.intervals
        drawings[f"parameters{suffix}"] = partial(
            posteriors, draws, intervals=intervals, priors=finite, uniform=uniform.get(model, ()),
            model=model,
        )  # fmt: skip
        drawings[f"ranks{suffix}"] = partial(
            rank_histograms, quality.ranks, quality.n_draws, model=model
        )
    if selection.evaluation is not None and selection.point is not None:
        point = {"cost_shared": selection.point.cost, "accuracy": selection.point.accuracy}
        drawings["accuracy-against-cost"] = partial(pareto, selection.evaluation, point=point)
    for model, name in file_names(evidence.misfit).items():
        if evidence.misfit[model].panels:  # a time limit can leave them out
            drawings[f"fit-{name}"] = partial(fit, evidence.misfit[model].panels, model=model)
    return drawings


def draw_choice(choice: Choice, folder: str | PathLike[str], *, format: str = "png") -> list[Path]:
    """Draw the figures of a choice to files and return their paths.

    The figures show the model probabilities, the features, the embedding, the confusion matrix, the
    reliability diagram and the costs; accuracy against cost if features were selected; the fit of each
    model (``fit-MODEL.png``) if it was examined; posteriors (``parameters.png``) and ranks of true values
    (``ranks.png``) if the named model has parameters, and the same for other models that fit
    (``parameters-MODEL.png``, ``ranks-MODEL.png``).

    Parameters
    ----------
    choice : Choice, as :func:`netchoice.choose_model` returned it
    folder : path, created if it does not exist
    format : "png", "svg" or "pdf"

    Examples
    --------
    >>> import netchoice, tempfile
    >>> network = netchoice.get_model("ba2").grow(20, rng=np.random.default_rng(1))
    >>> choice = netchoice.choose_model(network, "ba", samples=100, features=["degree_mean"],
    ...                                 plan=netchoice.workflows.SimulationPlan.small(), engine="serial")
    >>> [path.stem for path in draw_choice(choice, tempfile.mkdtemp())][:2]
    ['probabilities', 'features']
    """
    return save_all(choice_drawings(choice), folder, format)


def evaluation_drawings(result: FeatureEvaluation) -> dict[str, Callable[[], Any]]:
    """Return, by name, the functions that draw the figures of an evaluation."""
    point, evaluation, rankings = result.recommended, result.evaluation, result.rankings
    cost, unit = f"cost_{point.charge}", "s" if result.in_seconds else ""
    drawings: dict[str, Callable[[], Any]] = {
        "heatmaps": partial(heatmaps, evaluation),
        "costs": partial(feature_costs, result.costs, unit=unit),
    }
    if evaluation[cost].gt(0).any():
        chosen = {cost: point.cost, "accuracy": point.accuracy}
        drawings["pareto"] = partial(pareto, evaluation, cost=cost, point=chosen, unit=unit)
    if rankings["penalty"].nunique() > 1:
        for method in dict.fromkeys(rankings["method"]):
            name = f"ranking-{method}".replace(":", "-")
            drawings[name] = partial(ranking_paths, rankings, method)
    return drawings


def draw_evaluation(
    result: FeatureEvaluation, folder: str | PathLike[str], *, format: str = "png"
) -> list[Path]:
    """Draw the figures of an evaluation and return the paths of the files.

    The figures show accuracy over penalty and number of features, the costs, accuracy against cost,
    and the ranking of each method along the penalties.

    Parameters
    ----------
    result : FeatureEvaluation, as :func:`netchoice.evaluate_features` returned it
    folder : path, created if it does not exist
    format : "png", "svg" or "pdf"

    Examples
    --------
    >>> import netchoice, tempfile
    >>> table = netchoice.simulate_table("ba", n_nodes=30, n_samples=80, seed=1, engine="serial",
    ...                                  features=["degree_mean", "transitivity", "noise_normal"])
    >>> result = netchoice.evaluate_features(table, methods=["jmi"], max_features=2, folds=4)
    >>> sorted(path.stem for path in draw_evaluation(result, tempfile.mkdtemp()))
    ['costs', 'heatmaps', 'pareto', 'ranking-jmi']
    """
    return save_all(evaluation_drawings(result), folder, format)
