"""Simulations near the observed network: a model with parameters from its posterior."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from netchoice.errors import NetchoiceError
from netchoice.graph import Graph
from netchoice.inference import Posterior
from netchoice.inference.posterior import MIN_SIMULATIONS, PosteriorEstimator, posterior_of
from netchoice.models.density_matched import MatchedModel
from netchoice.models.model import Draws, Model
from netchoice.models.space import ModelSpace
from netchoice.row_simulator import RowSimulator
from netchoice.storage.table import ReferenceTable
from netchoice.threads import threads

Bounds = dict[str, tuple[float, float]]
#: Of so many networks with parameters from a posterior, so many must have the density.
NEAR_TRIES, MIN_NEAR = 200, 10


@dataclass(frozen=True)
class ParameterEstimator:
    """What estimates the parameters of one model.

    ``estimator`` holds the simulations, and ``bounds`` the bounds of the priors. ``integers`` names
    the integer parameters. ``constants`` holds parameters that have the same value in all simulations,
    for example because only this value matches the density. ``table`` names the table.
    """

    estimator: PosteriorEstimator
    bounds: Bounds
    integers: frozenset[str]
    constants: dict[str, float]
    table: str

    def posterior(self, observed: Mapping[str, float]) -> ModelPosterior:
        """Return the posterior, given the features of a network."""
        values = {name: observed[name] for name in self.estimator.features}
        return ModelPosterior(posterior_of(self.estimator, values), self)


@dataclass(frozen=True)
class ModelPosterior:
    """The posterior of a model's parameters for one network, and what it was estimated with."""

    posterior: Posterior
    source: ParameterEstimator

    @property
    def estimator(self) -> PosteriorEstimator:
        """The simulations that the posterior is estimated from."""
        return self.source.estimator

    @property
    def bounds(self) -> Bounds:
        """The bounds of the priors."""
        return self.source.bounds

    @property
    def draws(self) -> Draws:
        """Draws from the posterior."""
        frame = self.posterior.draws.assign(**self.source.constants)
        columns = [
            [int(x) if name in self.source.integers else float(x) for x in frame[name]]
            for name in frame
        ]
        return Draws(tuple(map(str, frame.columns)), tuple(zip(*columns, strict=True)))


def parameter_estimators(
    space: ModelSpace, name: str, table: ReferenceTable, features: list[str]
) -> dict[str, ParameterEstimator]:
    """Return what estimates the parameters of each model that has some, from these features.

    A model with too few simulations has no estimator.
    """
    found = {model.name: parameter_estimator(model, name, table, features) for model in space}
    return {name: result for name, result in found.items() if result is not None}


def more_precise(candidates: Sequence[ParameterEstimator]) -> ParameterEstimator:
    """Return the one with the smallest errors of the summaries (geometric mean over parameters)."""
    return min(candidates, key=lambda each: math.prod(each.estimator.errors.tolist()))


def parameter_estimator(
    model: Model,
    name: str,
    table: ReferenceTable,
    features: list[str],
    fitted: Mapping[str, NDArray[np.float64]] | None = None,
) -> ParameterEstimator | None:
    """Return what estimates the parameters of a model; None if it has none, or too few simulations.

    ``fitted`` holds the arrays of an estimator that was fitted before to the same simulations.
    """
    rows = (table.y == model.name).to_numpy()
    drawn = table.parameters[rows].reset_index(drop=True)
    names = [name for name in model.parameters if name in drawn and drawn[name].nunique() > 1]
    if not names or len(drawn) < MIN_SIMULATIONS:
        return None
    priors = {name: model.parameters[name].prior for name in names}
    bounds = {name: (float(prior.low), float(prior.high)) for name, prior in priors.items()}
    X = table.X[features][rows].reset_index(drop=True)
    constants = {name: drawn[name].iloc[0] for name in model.parameters if name in drawn}
    constants = {name: value for name, value in constants.items() if name not in names}
    integers = frozenset(name for name in drawn if (drawn[name] % 1 == 0).all())
    estimator = PosteriorEstimator.fit(X, drawn[names], bounds=bounds, fitted=fitted)
    return ParameterEstimator(estimator, bounds, integers, constants, name)


def local_space(space: ModelSpace, model: str, posterior: ModelPosterior | None) -> ModelSpace:
    """Return one model of a space, with parameters from its posterior if it has one."""
    found = space[model]
    if posterior is not None:
        found = replace(found, draws=posterior.draws)
    return ModelSpace(f"{space.name}, posterior", [found])


def has_density(model: MatchedModel, seconds: float) -> bool:
    """Return whether enough networks with parameters from a posterior have the density, within the time."""
    rng, n_matches = np.random.default_rng(0), 0
    end = time.monotonic() + seconds
    for _ in range(NEAR_TRIES):
        with suppress(NetchoiceError):  # a model of the user can fail for some parameters
            n_matches += model.matches(rng)
        if n_matches == MIN_NEAR or time.monotonic() > end:
            break
    return n_matches == MIN_NEAR


@dataclass(frozen=True)
class FitSimulations:
    """Simulations that a network is compared with, and the simulator that grows them again."""

    table: ReferenceTable
    simulator: RowSimulator

    def networks(self, model: str, most: int, n_jobs: int | None = None) -> list[Graph]:
        """Return networks of the first rows of a model."""
        frame = self.table.successful
        rows = frame["row"][frame["label"] == model].head(most).tolist()
        with threads(n_jobs) as run:
            return [graph for _, graph in run(self.simulator.network, rows)]
