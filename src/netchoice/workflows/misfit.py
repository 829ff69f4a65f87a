"""Why a model does not fit, and what the test of fit could have noticed in networks of this size."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from netchoice.alterations import move_edges, swap_edges
from netchoice.errors import UsageError
from netchoice.evaluation import wilson
from netchoice.features import Feature, compute_features
from netchoice.graph import Graph
from netchoice.models.space import ModelSpace
from netchoice.profiles import Envelope, envelopes, network_profile
from netchoice.threads import threads
from netchoice.workflows.discrepancies import (
    Advice,
    Discrepancy,
    advise,
    main_discrepancies,
)

if TYPE_CHECKING:
    from netchoice.workflows.comparison import Comparison


def _moved(graph: Graph, rng: np.random.Generator) -> Graph:
    # A network without isolated nodes is compared with simulations that have none either.
    share = max(0.05, 1 / max(graph.n_edges, 1))  # at least one edge
    return move_edges(graph, share, rng, keep_linked=not graph.n_isolated)


#: The alternatives to a model: its simulations, altered in one of these ways.
ALTERNATIVES: dict[str, Callable[[Graph, np.random.Generator], Graph]] = {
    "all edges rewired with degrees kept": lambda graph, rng: swap_edges(graph, 5, rng),
    "about a third of the edges rewired with degrees kept": lambda graph, rng: swap_edges(
        graph, 0.25, rng
    ),
    "1 in 20 edges moved": _moved,
}


@dataclass(frozen=True)
class Power:
    """The share of n altered networks that a test rejects, with its 95% Wilson interval."""

    alternative: str
    share: float
    interval: tuple[float, float]
    n: int


def fit_power(
    graphs: Sequence[Graph],
    features: Sequence[str | Feature],
    rejects: Callable[[pd.DataFrame], NDArray[Any] | Sequence[bool]],
    rng: np.random.Generator,
) -> list[Power]:
    """Return the power of a test against alternatives to a model: its altered simulations.

    Parameters
    ----------
    graphs : sequence of Graph, simulations of the model
    features : sequence of str or Feature, the features that the test uses
    rejects : callable
        Takes a DataFrame of these features, one row for each altered network, and returns for each
        row whether the test rejects it.
    rng : numpy.random.Generator

    Examples
    --------
    >>> import netchoice
    >>> rng = np.random.default_rng(1)
    >>> rings = [netchoice.get_model("smw").grow(60, {"mean_links": 2, "p_rewire": 0.1}, rng)] * 20
    >>> powers = fit_power(rings, ["n_triangles"], lambda X: X["n_triangles"] < 30, rng)
    >>> powers[0].alternative, powers[0].share
    ('all edges rewired with degrees kept', 1.0)
    """
    if not graphs:
        raise UsageError("no networks; expected at least one simulation of the model")
    powers = []
    for alternative, alter in ALTERNATIVES.items():
        rows = [compute_features(alter(graph, rng), features).values for graph in graphs]
        share = float(np.mean(np.asarray(rejects(pd.DataFrame(rows)), dtype=bool)))
        powers.append(Power(alternative, share, wilson(share, len(graphs)), len(graphs)))
    return powers


def power_sentence(powers: Sequence[Power]) -> str:
    """Return what a test notices at this size, in a sentence.

    >>> power_sentence([Power("1 in 20 edges moved", 0.25, (0.14, 0.40), 40)])
    'at this size the test notices: 1 in 20 edges moved in 25% of 40 simulated cases'
    """
    if not powers:
        return "the power of the test was not measured"
    first, *others = [f"{each.alternative} in {each.share:.0%}" for each in powers]
    cases = [f"{first} of {powers[0].n} simulated cases", *others]
    return f"at this size the test notices: {'; '.join(cases)}"


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
