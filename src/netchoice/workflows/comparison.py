"""One network next to prepared simulations: probabilities, fit, verdict and parameters."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import ndtri

from netchoice.errors import FailedRowsError, UsageError
from netchoice.features import FeatureResult, compute_features
from netchoice.features.registry import find
from netchoice.graph import Graph
from netchoice.inference import Fit, ModelProbabilities, pool_feature_sets
from netchoice.inference.goodness_of_fit import ALPHA, goodness_of_fit, min_simulations
from netchoice.models.density_matched import MatchedModel, MatchedSpace
from netchoice.storage.table import ReferenceTable
from netchoice.threads import one_blas_thread
from netchoice.workflows.choice_text import Verdict, decide
from netchoice.workflows.discrepancies import Discrepancy, find_discrepancies
from netchoice.workflows.identifiability import (
    MixtureCheck,
    check_mixtures,
    may_have_two_kinds,
    thinning_notes,
)
from netchoice.workflows.local_simulations import (
    FitSimulations,
    ModelPosterior,
    has_density,
    local_space,
)
from netchoice.workflows.parameters import (
    Parameters,
    parameter_notes,
    parameter_record,
    reported_models,
)
from netchoice.workflows.prepared import Prepared, comparable_network
from netchoice.workflows.simulation_plan import LOCAL_SHARE, Stopwatch, answer_seconds
from netchoice.workflows.sizes import Size


@dataclass(frozen=True)
class Comparison:
    """One network, compared with prepared simulations; every result is computed when it is first used."""

    prepared: Prepared
    network: Graph
    stopwatch: Stopwatch | None = None
    known: FeatureResult | None = None

    @classmethod
    def of(
        cls,
        prepared: Prepared,
        graph: Any,
        stopwatch: Stopwatch | None = None,
        known: FeatureResult | None = None,
    ) -> Comparison:
        """Check that the simulations are comparable with the network.

        ``known`` holds the features of the network, if they were computed before.
        """
        settings = prepared.settings
        network, _ = comparable_network(graph, settings.isolated)
        own = Size(network.n_nodes, settings.isolated)
        if not Size(settings.n_nodes, settings.isolated).covers(own):
            kind = "nodes with edges" if settings.isolated == "drop" else "nodes"
            ends = settings.n_nodes if isinstance(settings.n_nodes, tuple) else (settings.n_nodes,)
            raise UsageError(
                f"the network has {network.n_nodes} {kind}, and the simulations have "
                f"{' to '.join(map(str, ends))}; prepare a chooser for {network.n_nodes} nodes"
            )
        space = prepared.space
        if isinstance(space, MatchedSpace):
            low, high = space.bounds
            if not low <= network.n_edges <= high:
                raise UsageError(
                    f"the network has {network.n_edges} edges, and the density-matched simulations have "
                    f"{low} to {high}; prepare a chooser that matches this network"
                )
        return cls(prepared, network, stopwatch, known)

    # Features

    @cached_property
    def _computed(self) -> tuple[dict[str, float], dict[str, str]]:
        names = self.prepared.observed_features
        result = self.known
        if result is None:
            result = compute_features(self.network, self.prepared.maker.as_given(names))
        failures = {name: result.failures[name] for name in names if name in result.failures}
        values = {name: float(result.values[name]) for name in names if name not in failures}
        return values, failures

    @property
    def values(self) -> dict[str, float]:
        """The features of the network that have a value."""
        return self._computed[0]

    @property
    def failures(self) -> dict[str, str]:
        """Why other features have no value."""
        return self._computed[1]

    @property
    def selected(self) -> dict[str, float]:
        """The selected features; all of them must have a value."""
        names = self.prepared.selection.features
        for name in names:
            if name in self.failures:
                raise UsageError(
                    f"feature {name!r} has no value on this network ({self.failures[name]}); leave it "
                    "out of the features"
                )
        return {name: self.values[name] for name in names}

    @property
    def fit_observed(self) -> dict[str, float]:
        """The features that the fit is judged on."""
        names = self.prepared.fit_table.features
        return {name: self.values[name] for name in names if name in self.values}

    # Results

    @cached_property
    def probabilities(self) -> ModelProbabilities:
        """The probabilities of the models, pooled over near-optimal sets of features."""
        prepared, selected = self.prepared, self.selected
        with one_blas_thread():
            others = [
                each.estimate(self.values)
                for each in prepared.pooled_estimators
                if self.values.keys() >= {*each.names}
            ]
            own = prepared.selected_estimator.estimate(selected)
            return pool_feature_sets(own, others)

    @property
    def standard_error(self) -> float:
        """Of the largest probability from the selected features, due to the number of simulations."""
        with one_blas_thread():
            found = self.prepared.selected_estimator.estimate(self.selected)
        low, high = found.intervals[found.model]
        return float((high - low) / (2 * ndtri((1 + found.coverage) / 2)))

    @cached_property
    def prior_fit(self) -> Fit:
        """The test of fit on simulations with parameters from the priors."""
        names = self.prepared.fit_table.features
        return self.prepared.fit_test.test({name: self.values.get(name, np.nan) for name in names})

    @cached_property
    def local_fit(self) -> Fit | None:
        """The test of the most probable model, near the network; None if this is not needed.

        On average over the prior, the test rejects a network of a model with probability alpha. At the
        corners of the prior it rejects more often. Before the most probable model is rejected, it is
        therefore simulated again, with parameters from its posterior.
        """
        model = self.probabilities.model
        if not self._is_confirmed_locally or not self.is_near(model):
            return None
        table = self.near(model).table
        if model in self.not_near:
            return None
        return goodness_of_fit(table.X[list(self.fit_observed)], table.y, self.fit_observed)

    @property
    def local_p_value(self) -> float | None:
        """The p-value of the most probable model, near the network; None if this is not needed."""
        return None if self.local_fit is None else self.local_fit.overall

    @cached_property
    def fit(self) -> Fit:
        """The test of fit: a model that fits near the network is not rejected."""
        fit, local, model = self.prior_fit, self.local_fit, self.probabilities.model
        if local is None or not local.fits:
            return fit
        return fit.with_p_value(model, local.overall, local.n_simulations[model])

    @cached_property
    def verdict(self) -> Verdict:
        """Whether one model fits, several, none, or they cannot be distinguished."""
        return decide(self.probabilities, self.fit, self.prepared.is_above_chance)

    @cached_property
    def reported(self) -> list[str]:
        """The named model, then the other models that fit."""
        return reported_models(self.verdict.model, self.fit, self.probabilities.probabilities)

    @cached_property
    def _posteriors(self) -> dict[str, ModelPosterior]:
        return {}

    def posterior(self, model: str) -> ModelPosterior | None:
        """Return the posterior of a model's parameters; None if it has none."""
        missing = frozenset(self.failures) & frozenset(self.prepared.fit_table.features)
        estimators = self.prepared.parameter_estimators(missing)
        if model in estimators and model not in self._posteriors:
            with one_blas_thread():
                self._posteriors[model] = estimators[model].posterior(self.values)
        return self._posteriors.get(model)

    @cached_property
    def parameters(self) -> Parameters:
        """The estimates of the reported models, with their quality."""
        quality = {model: self.prepared.quality(model) for model in self._reported_posteriors}
        return parameter_record(self.reported, self._reported_posteriors, quality)

    @property
    def _reported_posteriors(self) -> dict[str, ModelPosterior]:
        found = {model: self.posterior(model) for model in self.reported}
        return {model: each for model, each in found.items() if each is not None}

    @cached_property
    def mixtures(self) -> list[MixtureCheck]:
        """Whether each reported mixture can be identified; nothing if none of the models fits."""
        if self.verdict.kind == "none-fits":
            return []
        known, space = self.probabilities.probabilities, self.prepared.space
        return check_mixtures(self.reported, space, self._reported_posteriors, known, self.fit)

    def notes(self) -> Iterator[str]:
        """Yield what a careful reader should know."""
        prepared, model = self.prepared, self.probabilities.model
        of_tables = () if self.stopwatch is None else self.stopwatch.notes
        yield from dict.fromkeys([*prepared.notes, *of_tables])
        if self.prior_fit.alpha > ALPHA:
            yield (
                f"the fit was judged at alpha = {self.prior_fit.alpha:.2g} instead of {ALPHA:g}: a model has "
                f"fewer than {min_simulations()} simulations"
            )
        failed = [*prepared.settings.without, *self.failures]
        if failed:
            yield f"features without a value on this network were left out: {', '.join(failed)}"
        if self.verdict.kind != "none-fits":  # there the advice says it
            yield from parameter_notes(self.parameters, prepared.space)
            yield from (each.sentence for each in self.mixtures)
            yield from thinning_notes(self.reported, self._reported_posteriors)
        if self.fit is not self.prior_fit:
            yield (
                f"{model} does not fit with parameters from its prior "
                f"(p = {self.prior_fit.p_values[model]:.3g}), and fits with parameters from its posterior "
                f"(p = {self.local_p_value:.3g}): the network is at the edge of what the prior allows"
            )
        for name, reason in self.not_near.items():
            yield (
                f"{name} was compared with simulations from its prior, not with simulations near the network "
                f"(parameters from its posterior): {reason}"
            )
        if may_have_two_kinds(self.network):
            yield (
                "all cycles of the network have an even number of edges, as if it had two kinds of nodes and "
                "edges only between the kinds; the models have one kind of nodes, and a model that makes few "
                "triangles can be the nearest for this reason alone"
            )
        if prepared.settings.isolated == "drop":
            yield (
                "the network has no isolated nodes, so those of the simulations were dropped; pass "
                '--isolated keep (in Python isolated="keep") to keep them'
            )
        elif self.network.n_isolated:
            yield (
                f"{self.network.n_isolated} isolated nodes were kept, in the network and in the simulations"
            )

    # Simulations near the network

    @cached_property
    def _near(self) -> dict[str, FitSimulations]:
        return {}

    def near(self, model: str) -> FitSimulations:
        """Return simulations of a model with parameters from its posterior.

        A prior covers many networks that are unlike the observed one. If the model is not simulated near
        the network, these are the simulations from the prior.
        """
        if self.is_near(model) and model not in self._near:
            try:
                self._near[model] = self._simulate_near(model)
            except FailedRowsError:
                self.not_near[model] = "too many of these failed"
        found = self._near.get(model)
        return self.prepared.fit_simulations if found is None else found

    @cached_property
    def not_near(self) -> dict[str, str]:
        """Why models that were to be simulated near the network were not, by name."""
        return {}

    @cached_property
    def _checked(self) -> set[str]:
        return set()

    def is_near(self, model: str) -> bool:
        """Return whether a model is simulated near the network.

        Parameters from a posterior can be such that hardly any network has the density that simulations
        must have.
        """
        if self.is_local and model not in self._checked | self._near.keys():
            self._checked.add(model)
            posterior = self.posterior(model)
            found = local_space(self.prepared.space, model, posterior)[model]
            if posterior is not None and isinstance(found, MatchedModel):
                matching = f"{model} near the network"
                if not self._watch.decided(
                    matching, lambda: has_density(found, self._near_seconds)
                ):
                    self.not_near[model] = "hardly any of these have the density of the network"
        return self.is_local and model not in self.not_near

    @cached_property
    def is_local(self) -> bool:
        """Whether models are simulated near the network: as planned, if the time limit allows it."""
        prepared, watch = self.prepared, self._watch
        if not prepared.plan.local_samples:
            return False
        n_models = len(prepared.space)
        rows = n_models * prepared.plan.min_fit_samples
        seconds = watch.simulating(rows, prepared.near_seconds)
        answer = 0.0 if watch.limit is None else watch.wall(answer_seconds(n_models))
        return not watch.skips(
            "models were not simulated near the network", seconds + answer, LOCAL_SHARE
        )

    @property
    def _watch(self) -> Stopwatch:
        return self.stopwatch or Stopwatch(None, 1)

    def _simulate_near(self, model: str) -> FitSimulations:
        prepared = self.prepared
        n_nodes, features = self.network.n_nodes, prepared.fit_table.features
        name = f"local-{prepared.space.labels.index(model)}"
        space = local_space(prepared.space, model, self.posterior(model))
        stream = f"choose local {model}"

        def simulate(rows: int, **limits: Any) -> ReferenceTable:
            return prepared.maker.table(
                name, n_nodes, rows, features, stream=stream, stage="local", space=space, **limits
            )

        rows, seconds = self._n_near(name, model), self._near_seconds
        table = self._watch.limited(name, rows, min_simulations(), seconds, simulate)
        table = table.complete()
        if len(table) < min_simulations():
            raise FailedRowsError(
                f"{len(table)} simulations of {model} with parameters from its posterior succeeded; expected "
                f"at least {min_simulations()}"
            )
        simulator = prepared.maker.simulator(n_nodes, features, stream=stream, space=space)
        return FitSimulations(table, simulator)

    @property
    def _is_confirmed_locally(self) -> bool:
        """Whether the most probable model is rejected, so that it is tested near the network too."""
        fit = self.prior_fit
        return fit.p_values[self.probabilities.model] <= fit.alpha

    def _n_near(self, name: str, model: str) -> int:
        plan, fit_table, watch = self.prepared.plan, self.prepared.fit_table, self.stopwatch
        possible = len(fit_table) // len(self.prepared.space)
        decides = model == self.probabilities.model and self._is_confirmed_locally
        most = plan.local_samples if decides else min(plan.local_samples, plan.shown_samples)
        wanted = max(plan.min_fit_samples, min(most, possible))
        if watch is None or watch.limit is None:
            return wanted
        row_seconds, minimum = self.prepared.near_seconds, plan.min_fit_samples
        return watch.affordable(name, wanted, minimum, row_seconds, self._near_seconds)

    @property
    def _near_seconds(self) -> float:
        """Seconds for the simulations of one model near the network."""
        n_models, watch = len(self.prepared.space), self._watch
        if watch.limit is None:
            return math.inf
        to_come = max(1, n_models - len(self._near) - len(self.not_near))
        return LOCAL_SHARE * (watch.left - watch.wall(answer_seconds(n_models))) / to_come

    def discrepancies(self, model: str) -> list[Discrepancy]:
        """Return how the network differs from simulations of a model, farthest outside first."""
        table = self.near(model).table
        X: pd.DataFrame = table.X[list(self.fit_observed)][table.y == model]
        given = [find(feature) for feature in self.prepared.maker.given_features.values()]
        return find_discrepancies(self.fit_observed, X, given)
