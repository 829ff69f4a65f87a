"""Screening of large model spaces: models that could not have made the network are discarded early."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from netchoice.errors import UsageError
from netchoice.features import FEATURES, STEPS, comparable_features, compute_features, steps_of
from netchoice.graph import Graph
from netchoice.inference import ConformalTest
from netchoice.models.density_matched import MatchedModel
from netchoice.models.space import ModelSpace
from netchoice.storage.table import ReferenceTable
from netchoice.workflows.preparation import Preparation
from netchoice.workflows.simulation_plan import SCREENING_SHARE, SimulationPlan

#: A model is discarded if its p-value is at most this: the true model in at most 0.5 % of networks.
ALPHA = 0.005
#: So many models are always compared, those with the largest scores: one model alone cannot be chosen,
#: and if none fits, the nearest ones show why.
MIN_MODELS = 3
#: Networks of a model that are tried before it counts as one that never has the density.
MATCH_TRIES = 5000
TABLE = "screening"
#: Simulations of each model, at least, if a time limit ends the screening early.
MIN_SCREENED = 50


@dataclass(frozen=True)
class Screening:
    """Which models of a large space go on to the choice, and why the others do not.

    Attributes
    ----------
    space : ModelSpace
        The space that was screened.
    p_values : dict
        By model: the share of its simulations, with the network among them, whose score is not above
        that of the network (:class:`~netchoice.inference.ConformalTest`). Models of a density-matched
        space that never have its density have no p-value.
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

    space: ModelSpace
    p_values: dict[str, float]
    kept: tuple[str, ...]
    n_training: int
    n_compared: dict[str, int]
    features: tuple[str, ...]

    @property
    def unmatched(self) -> list[str]:
        """Models of a density-matched space of which no network has the density; they are discarded."""
        return [model.name for model in self.space if model.name not in self.p_values]

    @property
    def discarded(self) -> list[str]:
        """The discarded models."""
        return [model.name for model in self.space if model.name not in self.kept]

    @property
    def summary(self) -> str:
        """What the screening decided, in a sentence."""
        p = {name: f"{name} p = {value:.2g}" for name, value in self.p_values.items()}
        texts = [p.get(name, f"{name} never has this density") for name in self.discarded]
        decided = f"discarded by screening, probability 0: {', '.join(texts) or 'no model'}"
        near = [p[name] for name in self.kept if self.p_values[name] <= ALPHA]
        if near:
            decided += f"; kept to have {len(self.kept)} models to compare: {', '.join(near)}"
        return decided

    def as_dict(self) -> dict[str, Any]:
        """Return what ``choice.json`` holds of the screening."""
        return {
            "alpha": ALPHA,
            "p_values": self.p_values,
            "kept": list(self.kept),
            "discarded": self.discarded,
            "unmatched": self.unmatched,
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
    return tuple(name for name in comparable_features() if _is_cheap(name))


def _is_cheap(name: str) -> bool:
    feature = FEATURES[name]
    return feature.is_cheap and all(STEPS[step].is_cheap for step in steps_of(feature))


def screen(preparation: Preparation, network: Graph) -> Screening:
    """Simulate all models with cheap features, and return which of them go on.

    All models are simulated equally often, at the size of the network.
    """
    settings, space = preparation.settings, matching(preparation.space)
    features = [name for name in cheap_features() if name not in settings.without]
    wanted = n_screening(space, settings.plan)

    def simulate(rows: int, **limits: Any) -> ReferenceTable:
        return preparation.maker.table(
            TABLE, network.n_nodes, rows, features, stream="choose screening",
            space=equal_weights(space), **limits,
        )  # fmt: skip

    watch = preparation.stopwatch
    seconds = SCREENING_SHARE * watch.left
    table = watch.limited(TABLE, wanted, MIN_SCREENED * len(space), seconds, simulate).complete()
    share = table.manifest["n_samples"] / wanted
    n_training = max(1, round(share * settings.plan.screening_training))
    test = ConformalTest.fit(
        table.X, table.y, n_training=n_training, seed=settings.seed, n_jobs=preparation.stopwatch.workers
    )  # fmt: skip
    known = compute_features(network, features).values
    observed = [[float(known[name]) for name in features]]
    p_values = dict(zip(test.models, test.p_values(observed)[0].tolist(), strict=True))
    scores = dict(zip(test.models, test.scores(observed)[0].tolist(), strict=True))
    p_values = {name: p_values[name] for name in space.labels}
    return Screening(
        space=preparation.space,
        p_values=p_values,
        kept=_kept(p_values, scores),
        n_training=n_training,
        n_compared={name: len(test.calibrating[name]) for name in space.labels},
        features=tuple(features),
    )


def _kept(p_values: Mapping[str, float], scores: Mapping[str, float]) -> tuple[str, ...]:
    """Return the models that go on, in their order."""
    ranked = sorted(p_values, key=lambda name: (p_values[name] <= ALPHA, -scores[name]))
    n_kept = max(MIN_MODELS, sum(p > ALPHA for p in p_values.values()))
    return tuple(name for name in p_values if name in ranked[:n_kept])


def matching(space: ModelSpace) -> ModelSpace:
    """Return a density-matched space without models that never match; they could not be simulated."""
    rng = np.random.default_rng(0)
    kept = [
        model.name
        for model in space
        if not isinstance(model, MatchedModel) or model.can_match(MATCH_TRIES, rng)
    ]
    if len(kept) < 2:
        raise UsageError(
            f"of {len(space)} models, {len(kept)} can make a network of this density; expected at least "
            "two: leave out the match, or widen the priors"
        )
    return space if len(kept) == len(space) else space.only(kept)


def equal_weights(space: ModelSpace) -> ModelSpace:
    """Return the space with equal weights, from which the screening simulates."""
    return ModelSpace(f"{space.name}, screening", space.models)


def n_screening(space: ModelSpace, plan: SimulationPlan) -> int:
    """Return how many networks the screening simulates."""
    return plan.screening_samples * len(space)
