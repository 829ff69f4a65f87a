"""Simulations near the observed network: each model with parameters from its posterior."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from netchoice.graph import Graph
from netchoice.inference import Posterior, PosteriorQuality
from netchoice.inference.posterior import posterior_of
from netchoice.inference.posterior_estimator import MIN_SIMULATIONS, PosteriorEstimator
from netchoice.inference.posterior_quality import quality_of
from netchoice.models.model import Draws, Model
from netchoice.models.space import ModelSpace
from netchoice.row_simulator import RowSimulator
from netchoice.storage.table import ReferenceTable
from netchoice.threads import threads

Bounds = dict[str, tuple[float, float]]


@dataclass(frozen=True)
class ModelPosterior:
    """The posterior of a model's parameters, and the simulations that it is estimated from.

    ``estimator`` holds these simulations, and ``bounds`` the bounds of the priors. ``integers`` names
    the integer parameters. ``constants`` holds parameters that have the same value in all simulations,
    for example because only this value matches the density.
    """

    posterior: Posterior
    estimator: PosteriorEstimator
    bounds: Bounds
    integers: frozenset[str]
    constants: dict[str, float]

    @property
    def draws(self) -> Draws:
        """Draws from the posterior."""
        frame = self.posterior.draws.assign(**self.constants)
        columns = [
            [int(x) if name in self.integers else float(x) for x in frame[name]] for name in frame
        ]
        return Draws(tuple(map(str, frame.columns)), tuple(zip(*columns, strict=True)))

    def quality(self, seed: int, n_jobs: int | None = None) -> PosteriorQuality:
        """Return how well the parameters of these simulations are estimated from the others."""
        coverage = self.posterior.coverage
        return quality_of(self.estimator, coverage=coverage, seed=seed, n_jobs=n_jobs)


def model_posteriors(
    space: ModelSpace, table: ReferenceTable, observed: Mapping[str, float]
) -> dict[str, ModelPosterior]:
    """Return the posterior of each model that has parameters, from all features of a table.

    A model with too few simulations has no posterior.
    """
    complete = table.X[list(observed)].notna().all()
    features = [name for name in observed if complete[name] and not np.isnan(observed[name])]
    found = {model.name: _posterior(model, table, observed, features) for model in space}
    return {name: result for name, result in found.items() if result is not None}


def more_precise(candidates: Sequence[ModelPosterior]) -> ModelPosterior:
    """Return the posterior with the smallest errors of the summaries (geometric mean over parameters)."""
    return min(candidates, key=lambda each: math.prod(each.posterior.errors.values()))


def _posterior(
    model: Model, table: ReferenceTable, observed: Mapping[str, float], features: list[str]
) -> ModelPosterior | None:
    rows = (table.y == model.name).to_numpy()
    drawn = table.parameters[rows].reset_index(drop=True)
    names = [name for name in model.parameters if name in drawn and drawn[name].nunique() > 1]
    if not names or len(drawn) < MIN_SIMULATIONS:
        return None
    priors = {name: model.parameters[name].prior for name in names}
    bounds = {name: (float(prior.low), float(prior.high)) for name, prior in priors.items()}
    X = table.X[features][rows].reset_index(drop=True)
    values = {name: observed[name] for name in features}
    constants = {name: drawn[name].iloc[0] for name in model.parameters if name in drawn}
    constants = {name: value for name, value in constants.items() if name not in names}
    integers = frozenset(name for name in drawn if (drawn[name] % 1 == 0).all())
    estimator = PosteriorEstimator.fit(X, drawn[names], bounds=bounds)
    found = posterior_of(estimator, values)
    return ModelPosterior(found, estimator, bounds, integers, constants)


def posterior_space(space: ModelSpace, posteriors: Mapping[str, ModelPosterior]) -> ModelSpace:
    """Return the models of a space, equally often, with parameters from their posteriors."""
    models = [
        replace(model, draws=posteriors[model.name].draws) if model.name in posteriors else model
        for model in space
    ]
    return ModelSpace(f"{space.name}, posterior", models)


@dataclass(frozen=True)
class FitSimulations:
    """The simulations that the fit is judged on, and the simulator that grows them again."""

    table: ReferenceTable
    simulator: RowSimulator

    def networks(self, model: str, most: int, n_jobs: int | None = None) -> list[Graph]:
        """Return networks of the first rows of a model."""
        frame = self.table.successful
        rows = frame["row"][frame["label"] == model].head(most).tolist()
        with threads(n_jobs) as run:
            return [graph for _, graph in run(self.simulator.network, rows)]
