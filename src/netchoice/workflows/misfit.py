"""Why a model does not fit: its simulations next to the observed network."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd

from netchoice.envelopes import Envelope, envelopes
from netchoice.inference import Fit, fit_p_values
from netchoice.profiles import network_profile
from netchoice.threads import threads
from netchoice.workflows.discrepancies import (
    Advice,
    Discrepancy,
    advise,
    find_discrepancies,
    main_discrepancies,
)
from netchoice.workflows.fit_power import Power, fit_power
from netchoice.workflows.local_simulations import FitSimulations, ModelPosterior
from netchoice.workflows.run import Run

#: Larger networks are grown again in smaller numbers, so that at most so many nodes are grown.
MAX_PROFILE_NODES, MIN_PROFILES = 150_000, 20
MAX_POWER_NODES, MIN_POWERS = 60_000, 10


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


def explain(
    run: Run,
    simulations: FitSimulations,
    fit: Fit,
    observed: Mapping[str, float],
    posteriors: Mapping[str, ModelPosterior],
) -> dict[str, Misfit]:
    """Compare the network with simulations of each model: features, distributions, what to try."""
    X, y = simulations.table.X[list(observed)], simulations.table.y
    panels = _panels(run, simulations)
    explained = {}
    for model in run.space:
        found = find_discrepancies(observed, X[y == model.name], run.given_features)
        known = posteriors.get(model.name)
        sides = {} if known is None else known.posterior.at_boundary
        fits = fit.p_values[model.name] > fit.alpha
        advice = [] if fits else advise(
            found, model, run.space, at_boundary=sides, isolated=run.settings.isolated
        )  # fmt: skip
        p_value = fit.p_values[model.name]
        explained[model.name] = Misfit(p_value, fits, found, advice, panels[model.name])
    return explained


def _panels(run: Run, simulations: FitSimulations) -> dict[str, dict[str, Envelope]]:
    most = max(MIN_PROFILES, MAX_PROFILE_NODES // run.network.n_nodes)
    most = min(run.plan.profile_samples, most)
    if not most:
        return {model: {} for model in run.space.labels}
    profiles = {}
    for model in run.space.labels:
        with threads(run.stopwatch.workers) as each:
            networks = simulations.networks(model, most, run.stopwatch.workers)
            profiles[model] = each(network_profile, networks)
    return envelopes(network_profile(run.network), profiles)


def power_of_test(run: Run, simulations: FitSimulations, fit: Fit, model: str) -> list[Power]:
    """Return which alterations of a model's simulations the test of fit would notice."""
    features, table = list(fit.quantiles.index), simulations.table
    sample = table.X[features][table.y == model].to_numpy(dtype=float)

    def rejects(altered: pd.DataFrame) -> np.ndarray:
        rows = altered[features].to_numpy(dtype=float)
        complete = ~np.isnan(rows).any(axis=1)
        rejected = np.zeros(len(rows), dtype=bool)
        p_values = fit_p_values(sample, rows[complete], n_jobs=run.stopwatch.workers)
        rejected[complete] = p_values <= fit.alpha
        return rejected

    most = min(run.plan.power_samples, max(MIN_POWERS, MAX_POWER_NODES // run.network.n_nodes))
    networks = simulations.networks(model, most, run.stopwatch.workers)
    if not networks:
        return []
    return fit_power(
        networks, run.maker.as_given(features), rejects, np.random.default_rng(run.settings.seed)
    )
