"""What an answer says about the parameters of models: estimates, their quality, and draws."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from netchoice.inference import Fit, PosteriorQuality
from netchoice.inference.goodness_of_fit import ALPHA
from netchoice.models.space import ModelSpace
from netchoice.workflows.discrepancies import wider_prior
from netchoice.workflows.local_simulations import ModelPosterior

#: By model and parameter: the estimate and its quality, as in ``choice.json``.
Parameters = dict[str, dict[str, dict[str, Any]]]


def reported_models(named: str, fit: Fit, probabilities: Mapping[str, float]) -> list[str]:
    """Return the named model, then the other models that fit, the most probable first."""
    fitting = [model for model, p in fit.p_values.items() if p > fit.alpha and model != named]
    return [named, *sorted(fitting, key=lambda model: -probabilities[model])]


def parameter_record(
    models: list[str],
    posteriors: Mapping[str, ModelPosterior],
    quality: Mapping[str, PosteriorQuality],
) -> Parameters:
    """Return estimates with their quality by model; a model without a posterior has none."""
    record: Parameters = {model: {} for model in models}
    for model in models:
        if model in posteriors:
            estimates, qualities = posteriors[model].posterior.summary(), quality[model].summary()
            known = posteriors[model].estimator
            source = {"simulations": len(known), "features": len(known.features)}
            record[model] = {name: estimates[name] | qualities[name] | source for name in estimates}
    return record


def parameter_lines(record: Parameters) -> Iterator[str]:
    """Yield a line for each parameter: the estimate, its interval, and the error to expect."""
    for model, parameters in record.items():
        for name, known in parameters.items():
            low, high = known["interval"]
            yield (
                f"{model} {name}: {known['median']:.3g} ({known['coverage']:.0%} interval {low:.3g} to "
                f"{high:.3g}; expected error {known['rmse']:.2g}, prior {known['prior_sd']:.2g})"
            )


def parameter_notes(record: Parameters, space: ModelSpace) -> Iterator[str]:
    """Yield what a careful reader should know about the posteriors: boundaries and calibration.

    A boundary beyond which the parameter has no values is not worth a note. Ranks are tested at level
    alpha, divided by the number of parameters.
    """
    n_tested = sum(map(len, record.values()))
    for model, parameters in record.items():
        for name, known in parameters.items():
            side = known["at_boundary"]
            if side and wider_prior(space[model].parameters[name], side):
                yield (
                    f"the posterior of {model} {name} is at the prior's boundary "
                    f"({side}); a wider prior may change it"
                )
            if known["rank_p_value"] < ALPHA / n_tested:
                yield (
                    f"posteriors of {model} {name} are not calibrated: the ranks of the true values in "
                    f"{known['held_out']} held-out simulations are not uniform "
                    f"(p = {known['rank_p_value']:.2g}), and {known['interval_coverage']:.0%} of the "
                    f"{known['coverage']:.0%} intervals contain the true value; more simulations may help"
                )


def posterior_draws(models: list[str], posteriors: Mapping[str, ModelPosterior]) -> pd.DataFrame:
    """Return the draws of models, with columns model, draw, weight and one for each parameter.

    The weights of a model are equal and have the sum 1. Parameters that a model lacks are NaN. A
    parameter that is itself called model, draw or weight gets the suffix ``_parameter``.
    """
    frames = [pd.DataFrame(columns=["model", "draw", "weight"])]
    for model in models:
        if model in posteriors:
            draws = posteriors[model].posterior.draws
            own = pd.DataFrame(
                {"model": model, "draw": range(len(draws)), "weight": 1 / len(draws)}
            )
            suffixes = ("", "_parameter")
            frames.append(own.merge(draws, left_index=True, right_index=True, suffixes=suffixes))
    return pd.concat(frames[1:] or frames, ignore_index=True)
