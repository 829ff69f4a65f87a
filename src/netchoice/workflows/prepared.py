"""Everything that answers for networks of one size share: simulations, and what is fitted to them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from netchoice.errors import UsageError
from netchoice.evaluation import wilson
from netchoice.graph import Graph
from netchoice.inference import FitTest, HeldOut, PosteriorQuality, held_out
from netchoice.inference.goodness_of_fit import possible_alpha
from netchoice.inference.posterior_quality import quality_of
from netchoice.inference.probabilities import DEFAULT_METHOD, ProbabilityEstimator
from netchoice.models.space import ModelSpace
from netchoice.storage.table import ReferenceTable
from netchoice.validation import check_choice
from netchoice.workflows.feature_selection import FeatureSelection
from netchoice.workflows.local_simulations import (
    FitSimulations,
    ParameterEstimator,
    more_precise,
    parameter_estimators,
)
from netchoice.workflows.misfit import Power, fit_power
from netchoice.workflows.preparation import ChoiceSettings, Preparation
from netchoice.workflows.simulation_plan import SimulationPlan, Stopwatch
from netchoice.workflows.table_maker import TableMaker, growth_seconds

#: A smaller network shows no trace of the mechanism that made it.
MIN_NODES = 8
#: Larger networks are altered in smaller numbers, so that at most so many nodes are grown.
MAX_POWER_NODES, MIN_POWERS = 60_000, 10


def comparable_network(graph: Any, isolated: str | None) -> tuple[Graph, str]:
    """Return the network to compare, and whether simulations keep or drop their isolated nodes.

    Parameters
    ----------
    graph : Graph, or anything that :meth:`Graph.of` accepts
    isolated : "keep", "drop" or None
        None: drop them if the network has none.
    """
    network = Graph.of(graph)
    if isolated is None:
        isolated = "keep" if network.n_isolated else "drop"
    check_choice("isolated", isolated, ("keep", "drop"))
    if not network.n_edges:
        raise UsageError(
            f"the network has {network.n_nodes} nodes and no edges; there is nothing to compare"
        )
    if isolated == "drop":
        network = network.without_isolated()
    if network.n_nodes < MIN_NODES:
        kind = "nodes with edges" if isolated == "drop" else "nodes"
        raise UsageError(
            f"the network has {network.n_nodes} {kind}; expected at least {MIN_NODES}: a smaller "
            "network shows no trace of the mechanism that made it"
        )
    return network, isolated


@dataclass(frozen=True)
class Prepared:
    """The simulations for one number of nodes, and what answers for any such network need.

    ``table`` holds the selected features, ``fit_table`` all features that could be afforded. ``notes``
    says what a careful reader should know about the simulations. The quality of parameters and the power
    of the test are computed for a model when they are first needed.
    """

    space: ModelSpace
    settings: ChoiceSettings
    maker: TableMaker
    selection: FeatureSelection
    table: ReferenceTable
    fit_table: ReferenceTable
    fit_table_name: str
    fit_stream: str
    notes: tuple[str, ...] = ()
    n_jobs: int | None = None
    known_held_out: HeldOut | None = None
    known_quality: dict[str, PosteriorQuality] = field(default_factory=dict)
    known_power: dict[str, list[Power]] = field(default_factory=dict)
    known_estimators: dict[str, ParameterEstimator] | None = None
    stopwatch: Stopwatch = field(default_factory=lambda: Stopwatch(None, 1), repr=False)

    @classmethod
    def simulate(
        cls, preparation: Preparation, is_precise: Callable[[Prepared], bool] | None = None
    ) -> Prepared:
        """Simulate the tables and select the features.

        With ``is_precise``, the simulations for inference are made in rounds, until it returns True.
        """
        selection = preparation.select()
        rounds = preparation.rounds(selection)
        first, *more = rounds if is_precise else rounds[-1:]
        table = preparation.simulate_for_inference(selection, first)
        prepared = cls(
            space=preparation.space,
            settings=preparation.settings,
            maker=preparation.maker,
            selection=selection,
            table=table,
            fit_table=preparation.simulate_for_fit(selection, table),
            fit_table_name=preparation.fit_table_name,
            fit_stream=preparation.fit_stream,
            notes=tuple(preparation.notes),
            n_jobs=preparation.stopwatch.workers,
            stopwatch=preparation.stopwatch,
        )
        for rows in more:
            is_cut = table.manifest["n_samples"] < first  # by the time limit
            if is_precise is None or is_cut or is_precise(prepared):
                break
            prepared = prepared._with_table(preparation.simulate_for_inference(selection, rows))
        return prepared

    def _with_table(self, table: ReferenceTable) -> Prepared:
        """Return the same with other simulations for inference; what does not depend on them is kept."""
        made = replace(self, table=table)
        kept = ("pooled_estimators", "fit_test", "_complete")
        vars(made).update({name: vars(self)[name] for name in kept if name in vars(self)})
        return made

    @property
    def plan(self) -> SimulationPlan:
        """How many networks each stage simulates."""
        return self.settings.plan

    def for_worker(self) -> Prepared:
        """Return what a worker process needs: all is fitted, it simulates by itself and writes no files."""
        maker = replace(self.maker, engine="serial", workers=1, folder=None, on_progress=None)
        made = replace(
            self,
            maker=maker,
            n_jobs=None,
            known_held_out=self.held_out,
            stopwatch=Stopwatch(None, 1),
        )
        fitted = (
            "selected_estimator", "pooled_estimators", "fit_test", "_estimators", "_complete",
            "is_above_chance",
        )  # fmt: skip
        self.parameter_estimators()
        vars(made).update({name: getattr(self, name) for name in fitted})
        return made

    def assess(self) -> None:
        """Measure, for all models, the quality of parameters and the power of the test of fit."""
        _ = self.held_out
        for model in self.space.labels:
            if model in self.parameter_estimators():
                self.quality(model)
            self.power(model)

    @cached_property
    def _complete(self) -> list[str]:
        """Features of the fit that have a value on all simulations."""
        complete = self.fit_table.X.notna().all()
        return [name for name in self.fit_table.features if complete[name]]

    # Probabilities

    @cached_property
    def held_out(self) -> HeldOut:
        """How well the models of held-out simulations are predicted."""
        if self.known_held_out is not None:
            return self.known_held_out
        X, y = self.table.X[list(self.selection.for_model)], self.table.y
        return held_out(
            X, y, method=self._method, limit=self.plan.held_out_samples,
            seed=self.settings.seed, n_jobs=self.n_jobs,
        )  # fmt: skip

    @cached_property
    def is_above_chance(self) -> bool:
        """Whether the models of held-out simulations are predicted better than by chance."""
        chance = float(self.table.y.value_counts(normalize=True).max())
        n_tested = int(self.held_out.confusion.to_numpy().sum())
        return wilson(float(self.held_out.accuracy), n_tested)[0] > chance

    @property
    def _method(self) -> str:
        return self.settings.inference or DEFAULT_METHOD

    @cached_property
    def selected_estimator(self) -> ProbabilityEstimator:
        """The probabilities of the models from the selected features."""
        return self._estimator(self.selection.for_model, self.table)

    @cached_property
    def pooled_estimators(self) -> list[ProbabilityEstimator]:
        """The same from other sets of features, as good as the selected one, on the fit's simulations."""
        sets = [each for each in self.selection.near_optimal if {*self._complete}.issuperset(each)]
        most = min(len(sets), self.plan.pooled_sets)
        chosen = np.linspace(0, len(sets) - 1, most).round().astype(int)
        return [self._estimator(sets[i], self.fit_table) for i in chosen]

    def _estimator(self, features: Sequence[str], rows: ReferenceTable) -> ProbabilityEstimator:
        weights = dict(zip(self.space.labels, self.space.weights, strict=True))
        return ProbabilityEstimator.fit(
            rows.X[list(features)], rows.y, method=self._method, weights=weights, seed=self.settings.seed
        )  # fmt: skip

    # Parameters

    def parameter_estimators(
        self, without: frozenset[str] = frozenset()
    ) -> dict[str, ParameterEstimator]:
        """Return what estimates the parameters of each model that has some.

        The fit's table has many features, and the table for inference has many simulations, with the
        features that were selected for the parameters. Each model uses the table with the smaller error.
        ``without`` holds features that have no value on the network.
        """
        if without not in self._estimators:
            self._estimators[without] = self._fit_parameter_estimators(without)
        return self._estimators[without]

    @cached_property
    def _estimators(self) -> dict[frozenset[str], dict[str, ParameterEstimator]]:
        return {}

    def _fit_parameter_estimators(self, without: frozenset[str]) -> dict[str, ParameterEstimator]:
        if self.known_estimators is not None and not without:
            return self.known_estimators
        features = [name for name in self._complete if name not in without]
        found = parameter_estimators(self.space, self.fit_table_name, self.fit_table, features)
        if not self.selection.for_parameters:
            return found
        complete = self.table.X.notna().all()
        names = [name for name in self.selection.features if complete[name]]
        others = parameter_estimators(self.space, "inference", self.table, names)
        return {
            model: more_precise([each[model] for each in (found, others) if model in each])
            for model in {**found, **others}
        }

    def quality(self, model: str) -> PosteriorQuality:
        """Return how well the parameters of a model are estimated."""
        if model not in self.known_quality:
            estimator = self.parameter_estimators()[model].estimator
            found = quality_of(estimator, seed=self.settings.seed, n_jobs=self.n_jobs)
            self.known_quality[model] = found
        return self.known_quality[model]

    # The test of fit

    @cached_property
    def fit_test(self) -> FitTest:
        """The test of fit, on simulations with parameters from the priors."""
        table = self.fit_table
        alpha = possible_alpha(int(table.y.value_counts().min()))
        return FitTest.fit(table.X, table.y, alpha=alpha, seed=self.settings.seed)

    def power(self, model: str) -> list[Power]:
        """Return which alterations of a model's simulations the test of fit notices."""
        if model not in self.known_power:
            self.known_power[model] = self._power(model)
        return self.known_power[model]

    def _power(self, model: str) -> list[Power]:
        test = self.fit_test
        most = max(MIN_POWERS, MAX_POWER_NODES // self.settings.largest)
        most = min(self.plan.power_samples, most)
        watch, growth = self.stopwatch, growth_seconds(self.fit_table)
        seconds = watch.simulating(1, growth) + watch.wall(3 * (growth + self._fit_cost))
        most = watch.reduced(f"networks to measure power on ({model})", most, MIN_POWERS, seconds)
        networks = self.fit_simulations.networks(model, most, self.n_jobs)
        if not networks:
            return []

        def rejects(altered: pd.DataFrame) -> np.ndarray:
            rows = altered[test.names].to_numpy(dtype=float)
            complete = ~np.isnan(rows).any(axis=1)
            rejected = np.zeros(len(rows), dtype=bool)
            p_values = test.references[model].p_values(rows[complete])
            rejected[complete] = p_values <= test.alpha
            return rejected

        rng = np.random.default_rng(self.settings.seed)
        return fit_power(networks, self.maker.as_given(test.names), rejects, rng)

    @property
    def _fit_cost(self) -> float:
        """CPU seconds of the features of the fit, for a network."""
        return self.selection.cost(self.fit_table.features)

    @property
    def near_seconds(self) -> float:
        """CPU seconds of a simulation near a network, with the features of the fit."""
        return growth_seconds(self.fit_table) + self._fit_cost

    @cached_property
    def fit_simulations(self) -> FitSimulations:
        """The simulations of the fit's table, whose networks can be grown again."""
        simulator = self.maker.simulator(
            self.settings.n_nodes, self.fit_table.features, stream=self.fit_stream, space=self.space
        )
        return FitSimulations(self.fit_table, simulator)

    @property
    def observed_features(self) -> list[str]:
        """The features that are computed on an observed network."""
        return list(dict.fromkeys([*self.selection.features, *self.fit_table.features]))
