"""The figures of an answer and of an evaluation, by name and as files."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from netchoice.figures.axes import save_all
from netchoice.figures.cost_figures import feature_costs
from netchoice.figures.embeddings import embedding
from netchoice.figures.feature_sets import pareto, ranking_paths
from netchoice.figures.fit_panels import fit
from netchoice.figures.histograms import feature_distributions, posteriors
from netchoice.figures.predictions import probabilities, reliability
from netchoice.figures.style import SeriesStyle, model_styles
from netchoice.inference.mds import Embedding
from netchoice.validation import file_names

if TYPE_CHECKING:
    from netchoice.choice.answer import Answer, Map
    from netchoice.choice.evaluate import FeatureEvaluation

Drawings = dict[str, Callable[[], Any]]


def answer_drawings(answer: Answer) -> Drawings:
    """Return, by name, the functions that draw the figures of an answer; see :func:`draw_answer`."""
    evidence, styles = answer.evidence, answer_styles(answer)
    drawings: Drawings = {}
    chances, intervals = answer_probabilities(answer)
    if chances:
        drawings["probabilities"] = partial(probabilities, chances, intervals, styles=styles)
    for model, name in file_names(evidence.envelopes).items():
        drawings[f"fit-{name}"] = partial(
            fit, evidence.envelopes[model], colour=styles[model].colour
        )
    if evidence.map is not None:
        drawings["map"] = partial(embedding, answer_map(evidence.map), styles=styles)
    histograms = answer_histograms(answer)
    if histograms["samples"]:
        drawings["features"] = partial(feature_distributions, **histograms)
    most_probable = answer.candidates[0].name if answer.candidates else ""
    for model, name in file_names(evidence.posteriors).items():
        suffix = "" if model == most_probable else f"-{name}"
        drawings[f"parameters{suffix}"] = partial(posteriors, **answer_posterior(answer, model))
    if evidence.reliability:
        drawings["reliability"] = partial(reliability, pd.DataFrame(evidence.reliability))
    return drawings


def answer_styles(answer: Answer) -> dict[str, SeriesStyle]:
    """Return the style of each model, the same in all figures of an answer."""
    return model_styles(each.name for each in answer.models)


def answer_probabilities(
    answer: Answer,
) -> tuple[dict[str, float], dict[str, tuple[float, float]]]:
    """Return the probabilities of the models that have one, and their intervals."""
    known = {each.name: each for each in answer.candidates if each.probability is not None}
    intervals = {name: each.interval for name, each in known.items() if each.interval is not None}
    return {name: each.probability or 0.0 for name, each in known.items()}, intervals


def answer_map(found: Map) -> Embedding:
    """Return the map of an answer as what :func:`netchoice.figures.embedding` draws."""
    points = pd.DataFrame({"x": found.x, "y": found.y, "label": found.model, "observed": False})
    points.loc[len(points)] = [*found.observed, "observed", True]
    return Embedding(points, found.pearson, found.distance_correlation, found.features)


def answer_histograms(answer: Answer) -> dict[str, Any]:
    """Return the arguments of :func:`netchoice.figures.feature_distributions` for an answer."""
    samples = answer.evidence.samples
    return {
        "samples": {name: values for name, values in samples.items() if any(values.values())},
        "observed": {each.name: each.observed for each in answer.features},
        "labels": {each.name: each.label for each in answer.features},
        "styles": answer_styles(answer),
    }


def answer_posterior(answer: Answer, model: str) -> dict[str, Any]:
    """Return the arguments of :func:`netchoice.figures.posteriors` for a model of an answer.

    If simulations are density-matched, only some draws of a uniform prior are kept, and those need not be
    uniform.
    """
    known, estimates = answer.evidence.posteriors[model], answer[model].parameters
    priors = {name: each.prior.removeprefix("scipy.stats.") for name, each in estimates.items()}
    uniform = {name for name, prior in priors.items() if prior.startswith("uniform(")}
    return {
        "draws": known.draws,
        "intervals": {name: each.interval for name, each in estimates.items()},
        "bounds": known.bounds,
        "uniform": set() if answer.space["matched"] else uniform,
        "colour": answer_styles(answer)[model].colour,
    }


def draw_answer(answer: Answer, folder: str | PathLike[str], *, format: str = "png") -> list[Path]:
    """Draw the figures of an answer to files and return their paths.

    A figure is drawn if the answer has its data: the probabilities of the models that are not rejected
    (``probabilities.png``), the fit of the models that are shown (``fit-MODEL.png``), the network among the
    simulations (``map.png``), histograms of features (``features.png``), the posteriors of the most probable
    model (``parameters.png``) and of others (``parameters-MODEL.png``), and the reliability diagram.

    Parameters
    ----------
    answer : Answer, as :func:`netchoice.choose_model` returned it
    folder : path, created if it does not exist
    format : "png", "svg" or "pdf"

    Examples
    --------
    >>> import netchoice, numpy as np, tempfile
    >>> network = netchoice.get_model("ba2").grow(20, rng=np.random.default_rng(1))
    >>> effort = netchoice.Effort.small()
    >>> answer = netchoice.choose_model(network, "ba", effort=effort, engine="serial")
    >>> [path.stem for path in draw_answer(answer, tempfile.mkdtemp())][:2]
    ['probabilities', 'fit-ba2']
    """
    return save_all(answer_drawings(answer), folder, format)


def evaluation_drawings(result: FeatureEvaluation) -> Drawings:
    """Return, by name, the functions that draw the figures of an evaluation."""
    point, evaluation, rankings = result.recommended, result.evaluation, result.rankings
    cost, unit = f"cost_{point.charge}", "s" if result.in_seconds else ""
    drawings: Drawings = {
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

    The figures show the costs, accuracy against cost, and the ranking of each method along the penalties.

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
    ['costs', 'pareto', 'ranking-jmi']
    """
    return save_all(evaluation_drawings(result), folder, format)
