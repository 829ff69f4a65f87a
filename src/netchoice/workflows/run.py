"""One run of ``choose_model``: the network, the settings, and the simulations it makes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from netchoice.errors import NetchoiceError, UsageError
from netchoice.evaluation import parse_budget
from netchoice.features import Feature, feature_names
from netchoice.features.registry import find
from netchoice.graph import Graph
from netchoice.inference.goodness_of_fit import ALPHA
from netchoice.inference.probabilities import METHODS as INFERENCE_METHODS
from netchoice.models.density_matched import MatchedSpace
from netchoice.models.space import ModelSpace
from netchoice.names import unknown
from netchoice.selection import METHODS
from netchoice.storage.table import ReferenceTable
from netchoice.validation import check_choice
from netchoice.workflows.feature_selection import (
    PURPOSES,
    FeatureSelection,
    SelectionOptions,
    select_features,
    simulate_for_selection,
)
from netchoice.workflows.local_simulations import (
    FitSimulations,
    ModelPosterior,
    model_posteriors,
    more_precise,
    posterior_space,
)
from netchoice.workflows.observed import ObservedFeatures
from netchoice.workflows.simulation_plan import SimulationPlan, Stopwatch
from netchoice.workflows.table_maker import TableMaker, seconds_per_row


@dataclass(frozen=True)
class ChoiceSettings:
    """What an answer depends on; kept in ``run.json`` and ``choice.json``."""

    space: dict[str, Any]
    network: str
    isolated: str
    samples: int | None
    features: tuple[str, ...] | None
    purpose: str
    method: tuple[str, ...]
    penalty: float | None
    budget: float | str | None
    inference: str | None
    time_limit: float | None
    seed: int
    plan: SimulationPlan

    def check(self, compared: tuple[str, ...] = ()) -> None:
        """Refuse settings that make no sense, before anything is simulated."""
        for name in (*self.method, *compared):
            if name not in METHODS:
                raise unknown("method", name, METHODS)
        check_choice("--for (in Python, purpose)", self.purpose, PURPOSES)
        if self.inference is not None:
            check_choice("inference", self.inference, INFERENCE_METHODS)
        if self.budget is not None:
            parse_budget(self.budget)

    def as_dict(self) -> dict[str, Any]:
        """Return the settings for JSON."""
        return asdict(self)


@dataclass(frozen=True)
class Run:
    """One network, one model space, and the tables that are simulated for them.

    Attributes
    ----------
    compared : tuple of str
        Methods of selection that are evaluated for the report only.
    """

    network: Graph
    space: ModelSpace
    settings: ChoiceSettings
    maker: TableMaker
    observed: ObservedFeatures
    stopwatch: Stopwatch
    compared: tuple[str, ...] = ()

    @property
    def plan(self) -> SimulationPlan:
        """How many networks each stage simulates."""
        return self.settings.plan

    @property
    def given_features(self) -> list[Feature]:
        """Features of the user's own."""
        return [find(feature) for feature in self.maker.given_features.values()]

    @property
    def notes(self) -> list[str]:
        """What a careful reader should know."""
        return self.stopwatch.notes

    @property
    def uses_pilots(self) -> bool:
        """Whether the network is too large to compute all features on simulations of its size."""
        large = self.network.n_nodes > self.plan.max_direct_nodes
        return large and not isinstance(self.space, MatchedSpace)

    def select(self) -> FeatureSelection:
        """Return the features to base the answer on."""
        given = self.settings.features
        offered = self._offered_features(given or ())
        selection = simulate_for_selection(
            self.maker,
            self.network.n_nodes,
            offered,
            self._selection_samples(offered),
            self.plan,
            self.uses_pilots,
        )
        if selection.pilots:
            self.notes.append(
                f"features were selected on networks with {selection.pilots[-1]} nodes, at costs "
                f"extrapolated to {self.network.n_nodes} nodes"
            )
        if given is not None:
            return selection.with_features(given)
        settings = self.settings
        options = SelectionOptions(
            settings.method,
            compared=self.compared,
            penalty=settings.penalty,
            budget=settings.budget,
            seed=settings.seed,
            n_jobs=self.stopwatch.workers,
        )
        return select_features(
            selection, self.plan, options, purpose=settings.purpose, folder=self.maker.folder
        )

    def _offered_features(self, given: tuple[str, ...]) -> list[str]:
        """Return the features to select from: those that have a value on the network."""
        offered = list(dict.fromkeys([*feature_names(noise=False), *given]))
        if self.uses_pilots:
            return offered
        self.observed.compute(offered)
        self.observed.require(given)
        failed = self.observed.failures
        if failed:
            self.notes.append(
                f"features without a value on this network were left out: {', '.join(failed)}"
            )
        return [name for name in offered if name not in failed]

    def _selection_samples(self, offered: list[str]) -> int:
        plan, watch = self.plan, self.stopwatch
        if watch.limit is None:
            return plan.selection_samples
        size = plan.pilot_sizes[-1] if self.uses_pilots else self.network.n_nodes
        name = f"pilot-{size}" if self.uses_pilots else "selection"
        probe = self._table(name, size, plan.probe_samples, offered)
        row_seconds, seconds = seconds_per_row(probe), 0.5 * watch.left
        return watch.affordable(
            name, plan.selection_samples, self._min_fit_samples, row_seconds, seconds
        )

    @property
    def _min_fit_samples(self) -> int:
        return self.plan.min_fit_samples * len(self.space)

    def simulate_for_inference(self, selection: FeatureSelection) -> ReferenceTable:
        """Return simulations of the network's size with the selected features only."""
        plan, watch, samples = self.plan, self.stopwatch, self.settings.samples
        probe = self._probe(selection)
        seconds = plan.max_seconds if watch.limit is None else 0.5 * watch.left
        rows = samples or plan.samples
        if samples is None or watch.limit is not None:
            row_seconds = seconds_per_row(probe)
            rows = watch.affordable("inference", rows, plan.min_samples, row_seconds, seconds)
        return self._table("inference", self.network.n_nodes, rows, selection.features)

    def simulate_for_fit(self, selection: FeatureSelection) -> ReferenceTable:
        """Return simulations of the network's size with as many features as can be afforded.

        The fit is never judged on the selected features alone: they distinguish the models from one
        another, and say little about other ways in which a network can differ from all of them.
        """
        if not selection.pilots:
            return selection.table
        plan, watch = self.plan, self.stopwatch
        limit = plan.max_fit_seconds if watch.limit is None else 0.5 * watch.limit
        seconds = limit * watch.workers
        growth = seconds_per_row(self._probe(selection))
        by_cost = sorted(selection.table.features, key=selection.costs.cost)
        affordable: list[str] = []
        for name in by_cost:
            more = [*affordable, name]
            if (selection.cost(more) + growth) * self._min_fit_samples > seconds:
                break
            affordable = more
        if not affordable:
            raise UsageError(
                "no feature is cheap enough to judge the fit of a network of this size"
            )
        left_out = by_cost[len(affordable) :]
        if left_out:
            self.notes.append(
                f"the fit was judged without {len(left_out)} features that are too expensive at this "
                f"size: {', '.join(left_out[-5:])}…"
            )
        rows = int(min(plan.fit_samples, seconds / (selection.cost(affordable) + growth)))
        rows = max(self._min_fit_samples, rows)
        return self._table("fit", self.network.n_nodes, rows, affordable)

    def posteriors(
        self, selection: FeatureSelection, table: ReferenceTable, fit_table: ReferenceTable
    ) -> dict[str, ModelPosterior]:
        """Return the posterior of each model's parameters.

        The fit's table has many features, and the table for inference has many simulations, with the
        features that were selected for the parameters. Each model uses the table with the smaller error.
        """
        found = model_posteriors(self.space, fit_table, self.fit_observed(fit_table))
        if not selection.for_parameters:
            return found
        self.observed.compute(selection.features)
        self.observed.require(selection.features)
        observed = {name: self.observed.values[name] for name in selection.features}
        others = model_posteriors(self.space, table, observed)
        return {
            model: more_precise([each[model] for each in (found, others) if model in each])
            for model in {**found, **others}
        }

    def fit_observed(self, fit_table: ReferenceTable) -> dict[str, float]:
        """Return the features of the network that the fit is judged on."""
        self.observed.compute(fit_table.features)
        values = self.observed.values
        return {name: values[name] for name in fit_table.features if name in values}

    def simulate_locally(
        self, fit_table: ReferenceTable, posteriors: Mapping[str, ModelPosterior]
    ) -> FitSimulations:
        """Return simulations of each model from its posterior, that the fit is finally judged on.

        A prior covers many networks that are unlike the observed one, and the observed network may be
        at the edge of all of them although the model made it.
        """
        n_nodes, features = self.network.n_nodes, fit_table.features
        name = "fit" if self.uses_pilots else "selection"
        space, table = self.space, fit_table
        if self.plan.local_samples:
            name, space = "local", posterior_space(self.space, posteriors)
            table = self._table(name, n_nodes, self._local_rows(fit_table), features, space)
            self._check_local(table)
        simulator = self.maker.simulator(n_nodes, features, stream=f"choose {name}", space=space)
        return FitSimulations(table, simulator)

    def _check_local(self, table: ReferenceTable) -> None:
        """Refuse to judge a model on too few simulations that succeeded."""
        counts = table.y.value_counts()
        for model in self.space.labels:
            if counts.get(model, 0) < 1 / ALPHA:
                raise NetchoiceError(
                    f"{counts.get(model, 0)} simulations of {model} with parameters from its posterior "
                    "succeeded, too few to judge its fit; pass --no-local (in Python local=False) to judge "
                    "it on simulations from the prior"
                )

    def _local_rows(self, fit_table: ReferenceTable) -> int:
        plan, watch, n_models = self.plan, self.stopwatch, len(self.space)
        each = max(plan.min_fit_samples, min(plan.local_samples, len(fit_table) // n_models))
        if watch.limit is None:
            return each * n_models
        row_seconds = seconds_per_row(fit_table)
        return watch.affordable(
            "local", each * n_models, self._min_fit_samples, row_seconds, 0.8 * watch.left
        )

    def _probe(self, selection: FeatureSelection) -> ReferenceTable:
        """Return the first rows of the table for inference, to see how long a row takes."""
        rows = self.plan.probe_samples
        return self._table("inference", self.network.n_nodes, rows, selection.features)

    def _table(
        self, name: str, n_nodes: int, rows: int, features: Any, space: ModelSpace | None = None
    ) -> ReferenceTable:
        return self.maker.table(name, n_nodes, rows, features, stream=f"choose {name}", space=space)
