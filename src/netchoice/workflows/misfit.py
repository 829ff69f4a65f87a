"""Why a model does not fit: its simulations next to the observed network."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from netchoice.envelopes import Envelope, envelopes
from netchoice.models.space import ModelSpace
from netchoice.profiles import network_profile
from netchoice.threads import threads
from netchoice.workflows.comparison import Comparison
from netchoice.workflows.discrepancies import (
    Advice,
    Discrepancy,
    advise,
    main_discrepancies,
)

#: Larger networks are grown again in smaller numbers, so that at most so many nodes are grown.
MAX_PROFILE_NODES, MIN_PROFILES = 150_000, 20


@dataclass(frozen=True)
class Misfit:
    """The observed network next to simulations of one model.

    Attributes
    ----------
    p_value, fits : float and bool, the result of the test of fit
    discrepancies : list of Discrepancy, all features, farthest outside first
    advice : list of Advice, what to try if the model does not fit
    panels : dict of Envelope, by distribution
    """

    p_value: float
    fits: bool
    discrepancies: list[Discrepancy]
    advice: list[Advice]
    panels: dict[str, Envelope]

    @property
    def main(self) -> list[Discrepancy]:
        """The main differences, one of each topic."""
        return main_discrepancies(self.discrepancies)

    def as_dict(self) -> dict[str, Any]:
        """Return what ``choice.json`` holds: the main differences, and the advice."""
        return {
            "discrepancies": [_finite(asdict(each)) for each in self.main],
            "advice": [asdict(each) for each in self.advice],
        }

    def figures(self) -> dict[str, Any]:
        """Return what the report shows, for JSON."""
        return {
            "p_value": self.p_value,
            "fits": self.fits,
            "discrepancies": [each.sentence for each in self.main],
            "advice": [str(each) for each in self.advice],
            "panels": {name: panel.as_dict() for name, panel in self.panels.items()},
        }


def _finite(record: dict[str, Any]) -> dict[str, Any]:
    """Return a record with None instead of numbers that JSON cannot hold."""
    return {
        key: None if isinstance(value, float) and not np.isfinite(value) else value
        for key, value in record.items()
    }


def explain(found: Comparison, compared: ModelSpace) -> dict[str, Misfit]:
    """Compare the network with simulations of each model: features, distributions, what to try.

    ``compared`` are all models that were compared, those that screening discarded included.
    """
    prepared, fit, panels = found.prepared, found.fit, _panels(found)
    explained = {}
    for model in prepared.space:
        differences = found.discrepancies(model.name)
        known = found.posterior(model.name)
        sides = {} if known is None else known.posterior.at_boundary
        p_value = fit.p_values[model.name]
        fits = p_value > fit.alpha
        advice = [] if fits else advise(
            differences, model, compared, at_boundary=sides, isolated=prepared.settings.isolated
        )  # fmt: skip
        explained[model.name] = Misfit(p_value, fits, differences, advice, panels[model.name])
    return explained


def _panels(found: Comparison) -> dict[str, dict[str, Envelope]]:
    prepared = found.prepared
    most = max(MIN_PROFILES, MAX_PROFILE_NODES // found.network.n_nodes)
    most = min(prepared.plan.profile_samples, most)
    # Each network is grown again, and its distributions take about as long as its features.
    watch, n_models = prepared.stopwatch, len(prepared.space)
    seconds = n_models * watch.simulating(1, 2 * prepared.near_seconds)
    most = watch.reduced("networks to show distributions of", most, MIN_PROFILES, seconds)
    if not most:
        return {model: {} for model in prepared.space.labels}
    profiles = {}
    for model in prepared.space.labels:
        with threads(prepared.n_jobs) as each:
            networks = found.near(model).networks(model, most, prepared.n_jobs)
            profiles[model] = each(network_profile, networks)
    return envelopes(network_profile(found.network), profiles)
