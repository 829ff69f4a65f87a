"""Screening of large model spaces: models that could not have made the network are discarded early."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from netchoice.features import FEATURES, STEPS, compute_features, feature_names, steps_of
from netchoice.graph import Graph
from netchoice.inference import ConformalTest
from netchoice.models.model import Model
from netchoice.models.space import ModelSpace
from netchoice.workflows.preparation import Preparation
from netchoice.workflows.simulation_plan import SimulationPlan

#: A model is discarded if its p-value is at most this: the true model in at most 0.5 % of networks.
ALPHA = 0.005
#: So many models are always compared, those with the largest scores: one model alone cannot be chosen,
#: and if none fits, the nearest ones show why.
MIN_MODELS = 3
#: How the time of a feature and of its steps may grow. Such features are cheap at any size.
CHEAP_GROWTH = {"1", "n", "n + m", "m^1.5"}
TABLE = "screening"


@dataclass(frozen=True)
class Screening:
    """Which models of a large space go on to the choice, and why the others do not.

    Attributes
    ----------
    models : tuple of Model
        All models of the space.
    p_values : dict
        By model: the share of its simulations, with the network among them, whose score is not above
        that of the network (:class:`~netchoice.inference.ConformalTest`).
    kept : tuple of str
        Models that go on: those with a p-value above alpha, and the ones with the largest scores if
        these are fewer than three.
    n_training : int
        Simulations of each model that trained the forest.
    n_compared : dict
        By model: simulations that the network was compared with.
    features : tuple of str
        The features of the screening.
    """

    models: tuple[Model, ...]
    p_values: dict[str, float]
    kept: tuple[str, ...]
    n_training: int
    n_compared: dict[str, int]
    features: tuple[str, ...]

    @property
    def discarded(self) -> dict[str, float]:
        """The p-values of the discarded models."""
        return {name: p for name, p in self.p_values.items() if name not in self.kept}

    @property
    def summary(self) -> str:
        """What the screening decided, in a sentence."""
        texts = ", ".join(f"{name} p = {p:.2g}" for name, p in self.discarded.items())
        decided = f"discarded by screening, probability 0: {texts or 'no model'}"
        near = [name for name in self.kept if self.p_values[name] <= ALPHA]
        if near:
            texts = ", ".join(f"{name} p = {self.p_values[name]:.2g}" for name in near)
            decided += f"; kept to have {len(self.kept)} models to compare: {texts}"
        return decided

    def as_dict(self) -> dict[str, Any]:
        """Return what ``choice.json`` holds of the screening."""
        return {
            "alpha": ALPHA,
            "p_values": self.p_values,
            "kept": list(self.kept),
            "discarded": list(self.discarded),
            "training": self.n_training,
            "simulations": self.n_compared,
            "features": list(self.features),
            "summary": self.summary,
        }


def is_screened(space: ModelSpace, plan: SimulationPlan) -> bool:
    """Return whether a space has so many models that they are screened first."""
    return len(space) > plan.screen_above


@cache
def cheap_features() -> tuple[str, ...]:
    """Return the features that are cheap at any size: at most m^1.5 steps for m edges.

    >>> {"transitivity", "degree_max"} <= {*cheap_features()}, "betweenness_max" in cheap_features()
    (True, False)
    """
    return tuple(name for name in feature_names(noise=False) if _growths(name) <= CHEAP_GROWTH)


def _growths(name: str) -> set[str]:
    feature = FEATURES[name]
    return {feature.growth, *(STEPS[step].growth for step in steps_of(feature))}


def screen(preparation: Preparation, network: Graph) -> Screening:
    """Simulate all models with cheap features, and return which of them go on.

    All models are simulated equally often, at the size of the network.
    """
    space, settings = preparation.space, preparation.settings
    features = [name for name in cheap_features() if name not in settings.without]
    n_training = settings.plan.screening_training
    table = preparation.maker.table(
        TABLE, network.n_nodes, n_screening(space, settings.plan), features,
        stream="choose screening", space=equal_weights(space),
    )  # fmt: skip
    test = ConformalTest.fit(
        table.X, table.y, n_training=n_training, seed=settings.seed, n_jobs=preparation.stopwatch.workers
    )  # fmt: skip
    known = compute_features(network, features).values
    observed = [[float(known[name]) for name in features]]
    p_values = dict(zip(test.models, test.p_values(observed)[0].tolist(), strict=True))
    scores = dict(zip(test.models, test.scores(observed)[0].tolist(), strict=True))
    ranked = sorted(space.labels, key=lambda name: (p_values[name] <= ALPHA, -scores[name]))
    n_kept = max(MIN_MODELS, sum(p > ALPHA for p in p_values.values()))
    kept = {*ranked[:n_kept]}
    return Screening(
        models=space.models,
        p_values={name: p_values[name] for name in space.labels},
        kept=tuple(name for name in space.labels if name in kept),
        n_training=n_training,
        n_compared={name: len(test.calibrating[name]) for name in space.labels},
        features=tuple(features),
    )


def equal_weights(space: ModelSpace) -> ModelSpace:
    """Return the space with equal weights, from which the screening simulates."""
    return ModelSpace(f"{space.name}, screening", space.models)


def n_screening(space: ModelSpace, plan: SimulationPlan) -> int:
    """Return how many networks the screening simulates."""
    return plan.screening_samples * len(space)
