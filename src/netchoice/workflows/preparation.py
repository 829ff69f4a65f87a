"""The simulations of a chooser: which networks are simulated, and which features are selected."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from importlib.metadata import version
from typing import Any, Self

from netchoice.costs import CostModel
from netchoice.errors import UsageError
from netchoice.features import Feature, comparable_features
from netchoice.features.catalogue import SIZE_FEATURE
from netchoice.features.registry import find
from netchoice.inference.probabilities import METHODS as INFERENCE_METHODS
from netchoice.machines import machine_id
from netchoice.models.density_matched import MatchedSpace
from netchoice.models.space import ModelSpace
from netchoice.selection import get_selector
from netchoice.storage.kept_files import fingerprint_of
from netchoice.storage.table import ReferenceTable
from netchoice.storage.user_cache import kept_costs
from netchoice.threads import count_threads
from netchoice.units import parse_budget
from netchoice.validation import check_choice
from netchoice.workflows.feature_selection import (
    PURPOSES,
    FeatureSelection,
    SelectionOptions,
    select_features,
    simulate_for_selection,
)
from netchoice.workflows.run_folder import ROWS
from netchoice.workflows.simulation_plan import (
    INFERENCE_SHARE,
    MIN_LARGE_SAMPLES,
    RANKING_EACH,
    RANKINGS,
    SELECTION_SHARE,
    WORKERS,
    SimulationPlan,
    Stopwatch,
    TimeLimit,
    answer_seconds,
    ranking_seconds,
)
from netchoice.workflows.table_maker import (
    SimulationCosts,
    TableMaker,
    expensive_features,
    growth_seconds,
    seconds_per_row,
)

#: Share of the time left for simulations that are timed only, and for pilots that only serve to
#: extrapolate costs; and their fewest rows.
_PROBE_SHARE, _COST_SHARE, _MIN_COST_SAMPLES = 0.1, 0.15, 30
#: Share of the time of the selection for expensive features, and fewest rows of each model with them.
_COMPLETE_SHARE, _MIN_COMPLETE = 0.4, 30
#: Share of the time left for the simulations of a large network.
_SHARED_SHARE = 0.8
#: Extrapolated costs may be too low by this factor.
_COST_MARGIN = 1.5
#: A large network may take so many CPU seconds even if it grows faster.
_CHEAP_ROW_SECONDS = 0.05
#: Features that take hardly any time, to measure the growth with; and so many are always used.
_ALWAYS_CHEAP, _MIN_LARGE_FEATURES = ("degree_mean", "degree_max"), 4


@dataclass(frozen=True, kw_only=True)
class ChoiceSettings:
    """What an answer depends on besides the network; kept in ``run.json`` and ``choice.json``.

    ``n_nodes`` is a number, or the smallest and the largest one of a range. ``without`` holds features
    that have no value on the network and are not offered for selection.
    """

    space: dict[str, Any]
    n_nodes: int | tuple[int, int]
    isolated: str
    samples: int | None = None
    features: tuple[str, ...] | None = None
    without: tuple[str, ...] = ()
    purpose: str = "both"
    method: tuple[str, ...] = ("jmi",)
    penalty: float | None = None
    budget: float | str | None = None
    inference: str | None = None
    time_limit: float | None = None
    seed: int = 1
    plan: SimulationPlan = field(default_factory=SimulationPlan)

    @property
    def largest(self) -> int:
        """The largest number of nodes."""
        return self.n_nodes if isinstance(self.n_nodes, int) else self.n_nodes[1]

    def check(self, compared: tuple[str, ...] = ()) -> None:
        """Refuse settings that make no sense, before anything is simulated."""
        for name in (*self.method, *compared):
            get_selector(name)
        check_choice("--for (in Python, purpose)", self.purpose, PURPOSES)
        if self.inference is not None:
            check_choice("inference", self.inference, INFERENCE_METHODS)
        if self.budget is not None:
            parse_budget(self.budget)

    def as_dict(self) -> dict[str, Any]:
        """Return the settings for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Return the settings of a record that :meth:`as_dict` made and JSON kept."""
        values = dict(record)
        for name in ("features", "without", "method"):
            values[name] = None if values[name] is None else tuple(values[name])
        if isinstance(values["n_nodes"], list):
            values["n_nodes"] = tuple(values["n_nodes"])
        plan = dict(values["plan"])
        plan["pilot_sizes"] = tuple(plan["pilot_sizes"])
        return cls(**(values | {"plan": SimulationPlan(**plan)}))


@dataclass(frozen=True)
class Preparation:
    """The settings of a chooser, and what makes its tables.

    Attributes
    ----------
    compared : tuple of str
        Methods of selection that are evaluated for the report only.
    given_table : ReferenceTable or None
        A table that was simulated before; it then serves for all purposes.
    candidates : tuple of str
        Features to select from; if empty, all comparable ones and those that the user named.
    """

    space: ModelSpace
    settings: ChoiceSettings
    maker: TableMaker
    stopwatch: Stopwatch
    compared: tuple[str, ...] = ()
    given_table: ReferenceTable | None = None
    candidates: tuple[str, ...] = ()

    def with_space(self, space: ModelSpace) -> Preparation:
        """Return the same with other models."""
        settings = replace(self.settings, space=space.as_dict())
        return replace(self, space=space, settings=settings, maker=replace(self.maker, space=space))

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
        """Whether networks of this size are too large to compute all features on simulations."""
        large = self.settings.largest > self.plan.max_direct_nodes
        return large and not isinstance(self.space, MatchedSpace) and self.given_table is None

    @property
    def fit_table_name(self) -> str:
        """Name of the table that the fit is judged on."""
        if self.given_table is not None:
            return "inference"
        if self.is_shared:
            return "inference"
        return "fit" if self.uses_pilots else "selection"

    @property
    def fit_stream(self) -> str:
        """The random stream of that table."""
        if self.given_table is not None:
            return str(self.given_table.manifest["stream"])
        return f"choose {self.fit_table_name}"

    def select(self) -> FeatureSelection:
        """Return the features to base answers on."""
        settings = self.settings
        given = settings.features
        selection = self._for_selection()
        selection = replace(selection, costs=self._kept_costs(selection))
        if self.is_shared:
            selection = selection.restricted_to(self._affordable_features(selection))
        if selection.pilots:
            self.notes.append(
                f"features were selected on networks with {selection.pilots[-1]} nodes, at costs "
                f"extrapolated to {settings.n_nodes} nodes"
            )
        if given is not None:
            return selection.with_features(dict.fromkeys([*given, *self._size_feature]))
        options = SelectionOptions(
            settings.method,
            compared=self.compared,
            penalty=settings.penalty,
            budget=settings.budget,
            seed=settings.seed,
            n_jobs=self.stopwatch.workers,
        )
        selected = select_features(
            selection, self.plan, options, purpose=settings.purpose, folder=self.maker.folder,
            stopwatch=self.stopwatch,
        )  # fmt: skip
        return selected.with_added(self._size_feature)

    @property
    def _size_feature(self) -> tuple[str, ...]:
        """The number of nodes, which all answers use if simulations have different sizes."""
        return () if isinstance(self.settings.n_nodes, int) else (find(SIZE_FEATURE).name,)

    def _kept_costs(self, selection: FeatureSelection) -> CostModel:
        """Return the costs that were measured first for these models and this size on this machine."""
        settings = self.settings
        key = {
            "machine": machine_id(), "netchoice": version("netchoice"), "space": settings.space,
            "n_nodes": settings.n_nodes, "isolated": settings.isolated, "pilots": selection.pilots,
            "features": selection.simulations.features,
        }  # fmt: skip
        if self.given_table is not None or settings.time_limit is not None:
            return selection.costs
        return kept_costs(selection.costs, key, self.maker.folder)

    @property
    def _offered(self) -> list[str]:
        """The features to select from."""
        comparable = [*comparable_features(), *(self.settings.features or ()), *self._size_feature]
        names = self.candidates or comparable
        return [name for name in dict.fromkeys(names) if name not in self.settings.without]

    def _for_selection(self) -> FeatureSelection:
        """Return simulations with the offered features, and nothing selected."""
        names = self._offered
        if self.given_table is not None:
            table = self.given_table.with_features(names)
            self._check_named(table)
            kept = table.without_partial()
            self._note_left_out(table.features, kept)
            return FeatureSelection((), kept.costs, kept.complete())
        plan, watch = self.plan, self.stopwatch
        wanted, n_complete = self._selection_samples, self.n_complete
        seconds = math.inf
        if watch.limit is not None:
            wanted, n_complete, seconds = self._affordable_selection()
            if not n_complete:
                names = [name for name in names if name not in self._expensive]
                self.notes.append(
                    "expensive features were left out, to stay within the time limit: "
                    f"{', '.join(self._expensive)}"
                )
        share = n_complete / wanted
        stages = dict.fromkeys(self._expensive, share) if 0 < share < 1 else {}

        def simulated(name: str, n_nodes: Any, rows: int, **options: Any) -> ReferenceTable:
            minimum = self._min_selection_samples if rows == wanted else _MIN_COST_SAMPLES
            part = seconds if rows == wanted else _COST_SHARE * seconds

            def simulate(n: int, **limits: Any) -> ReferenceTable:
                return self.maker.table(
                    name, n_nodes, n, names, stream=f"choose {name}", **options, **limits
                )

            table = watch.limited(name, rows, minimum, part, simulate)
            self._check_named(table)
            return table

        found = simulate_for_selection(
            simulated, self.settings.n_nodes, wanted, plan, self.uses_pilots, stages
        )
        self._note_left_out(names, found.simulations)
        return found

    def _note_left_out(self, names: Sequence[str], kept: ReferenceTable) -> None:
        left_out = [name for name in names if name not in kept.features]
        if left_out:
            self.notes.append(
                f"features without a value on some simulation were left out: {', '.join(left_out)}"
            )

    def _check_named(self, table: ReferenceTable) -> None:
        """Refuse a feature that the user named and that has no value on some simulation."""
        missing = table.not_computed
        for name in self.settings.features or ():
            reasons = missing.loc[missing["feature"] == name, "reason"]
            if len(reasons):
                raise UsageError(
                    f"feature {name!r} has no value on {len(reasons)} of {len(table)} simulations "
                    f"({reasons.iloc[0]}); leave it out of the features, or correct it"
                )

    def _affordable_selection(self) -> tuple[int, int, float]:
        """Return how many rows to select on, how many of them with expensive features, and their seconds.

        Raises an error if the time limit is too short for the smallest numbers.
        """
        watch, costs, minimum = self.stopwatch, self.probed_costs(), self._min_selection_samples
        row_seconds = costs.growth + costs.cheap
        fixed = self._fixed_seconds
        if self.is_shared:  # the full size needs most of the time
            fixed += watch.simulating(self._min_large_samples / 2, self._large_growth)
        n_inferred = 0 if self.is_shared else self.plan.min_samples
        needed = watch.simulating(minimum + n_inferred, row_seconds)
        if not watch.leaves(needed + watch.wall(ranking_seconds(minimum)) + fixed):
            needed += watch.wall(ranking_seconds(minimum)) + fixed
            raise watch.refusal(needed - watch.left)
        seconds = SELECTION_SHARE * (watch.left - fixed - watch.wall(ranking_seconds(minimum)))

        def decide_complete() -> int:
            possible = _COMPLETE_SHARE * seconds / max(watch.simulating(1, costs.expensive), 1e-9)
            fewest = min(self.n_complete, _MIN_COMPLETE * len(self.space))
            return min(self.n_complete, int(possible)) if possible >= fewest else 0

        n_complete = watch.decided("complete", decide_complete)
        seconds -= watch.simulating(n_complete, costs.expensive)
        # A row takes the time of its simulation, and some of the rankings.
        row_seconds += RANKINGS * RANKING_EACH * watch.workers
        name = f"pilot-{self.plan.pilot_sizes[-1]}" if self.uses_pilots else "selection"
        wanted = watch.affordable(name, self._selection_samples, minimum, row_seconds, seconds)
        return wanted, int(n_complete), 1.2 * seconds

    @property
    def _min_selection_samples(self) -> int:
        """The fewest simulations to select on; the fit of large networks is judged on others."""
        return self._min_large_samples if self.is_shared else self.min_fit_samples

    @property
    def _fixed_seconds(self) -> float:
        """Seconds of the answer, and of the start of workers, at this moment."""
        starts = 0.0 if self.maker.engine == "serial" else WORKERS
        return self.stopwatch.wall(starts + answer_seconds(len(self.space)))

    def check_time_limit(self) -> None:
        """Raise an error if the time limit is too short for any network, before anything is computed."""
        watch = self.stopwatch
        if watch.limit is None:
            return
        named = self.settings.features is not None
        ranked = 0.0 if named else ranking_seconds(self._min_selection_samples)
        needed = self._fixed_seconds + watch.wall(ranked)
        if not watch.leaves(needed):
            raise watch.refusal(needed - watch.left)

    @property
    def _selection_samples(self) -> int:
        plan = self.plan
        n_models = max(plan.selection_models, len(self.space))
        wanted = math.ceil(plan.selection_samples * n_models / plan.selection_models)
        return max(wanted, self.min_fit_samples)

    @property
    def n_complete(self) -> int:
        """The number of simulations for selection that expensive features are computed on."""
        return max(self.plan.complete_samples, self.plan.complete_each * len(self.space))

    @property
    def _expensive(self) -> list[str]:
        """The expensive features, decided once in a run."""

        def decide() -> list[str]:
            return expensive_features(self._probe.costs, self._offered, growth_seconds(self._probe))

        found: list[str] = self.stopwatch.decided("expensive", decide)
        return found

    def probed_costs(self) -> SimulationCosts:
        """Return what a simulation costs, from a few of them."""
        probe, names, expensive = self._probe, self._offered, self._expensive
        cheap = probe.costs.cost_of_set([name for name in names if name not in expensive], "shared")
        everything = probe.costs.cost_of_set(names, "shared")
        return SimulationCosts(growth_seconds(probe), cheap, everything - cheap)

    @cached_property
    def _probe(self) -> ReferenceTable:
        """Return a few simulations of the size that features are selected at, to see what they cost."""
        plan = self.plan
        size: Any = plan.pilot_sizes[-1] if self.uses_pilots else self.settings.n_nodes
        maker = replace(self.maker, engine="serial", folder=None, on_progress=None)

        def simulate(rows: int, **limits: Any) -> ReferenceTable:
            return maker.table("probe", size, rows, self._offered, stream="choose probe", **limits)

        return simulate(plan.probe_samples, **self._probe_limits)

    @property
    def _probe_limits(self) -> dict[str, Any]:
        """When a few simulations that are timed end, if there is a time limit."""
        watch = self.stopwatch
        if watch.limit is None:
            return {}
        return {"deadline": time.monotonic() + _PROBE_SHARE * max(0.0, watch.left)}

    @property
    def min_fit_samples(self) -> int:
        """The fewest simulations that the fit of all models can be judged on, by their weights."""
        return math.ceil(self.plan.min_fit_samples / min(self.space.weights) - 1e-6)

    def rounds(self, selection: FeatureSelection) -> list[int]:
        """Return the numbers of simulations for inference, of which the first that is enough is used."""
        plan, watch, samples = self.plan, self.stopwatch, self.settings.samples
        if self.given_table is not None:
            return [len(selection.table)]
        most = samples or plan.samples
        if self.is_shared:
            return [most]
        if samples is None or watch.limit is not None:
            seconds = plan.max_seconds if watch.limit is None else self._inference_seconds
            row_seconds = seconds_per_row(self._first_rows(selection))
            most = watch.affordable("inference", most, plan.min_samples, row_seconds, seconds)
        if samples is not None:
            return [most]
        n_rounds = max(0, math.ceil(math.log2(most / plan.first_samples)))
        return [*(plan.first_samples * 2**k for k in range(n_rounds)), most]

    def simulate_for_inference(self, selection: FeatureSelection, rows: int) -> ReferenceTable:
        """Return simulations of this size with the selected features only."""
        if self.given_table is not None:
            return selection.table
        features, minimum = selection.features, self.plan.min_samples
        if self.is_shared:
            features, minimum = tuple(selection.offered), self._min_large_samples // 2

        def simulate(n: int, **limits: Any) -> ReferenceTable:
            return self._table("inference", self.settings.n_nodes, n, features, **limits)

        table = self.stopwatch.limited(
            "inference", rows, minimum, self._inference_seconds, simulate
        )
        complete = table.complete()
        if len(complete) < len(table):
            self.notes.append(
                f"{len(table) - len(complete)} of {len(table)} simulations are not used, because a "
                "selected feature has no value on them"
            )
        return complete

    @property
    def _inference_seconds(self) -> float:
        watch = self.stopwatch
        left = watch.left - watch.wall(answer_seconds(len(self.space)))
        return (_SHARED_SHARE if self.is_shared else INFERENCE_SHARE) * left

    @property
    def is_shared(self) -> bool:
        """Whether one table of a large network serves for inference and for the fit, to save time."""
        return self.uses_pilots and self.stopwatch.limit is not None

    @property
    def _min_large_samples(self) -> int:
        return math.ceil(MIN_LARGE_SAMPLES / min(self.space.weights) - 1e-6)

    def simulate_for_fit(
        self, selection: FeatureSelection, inferred: ReferenceTable
    ) -> ReferenceTable:
        """Return simulations of this size with as many features as can be afforded.

        The fit is never judged on the selected features alone: they distinguish the models from one
        another, and say little about other ways in which a network can differ from all of them.
        """
        if self.is_shared:
            return inferred
        if not selection.pilots:
            expensive = selection.simulations.stages
            if expensive:
                self.notes.append(
                    f"the fit was judged without {len(expensive)} features that would more than double the "
                    f"cost of a simulation: {', '.join(expensive)}"
                )
            return selection.cheap
        plan, watch = self.plan, self.stopwatch
        seconds = plan.max_fit_seconds * watch.workers
        growth = growth_seconds(self._first_rows(selection))
        by_cost = sorted(selection.simulations.features, key=selection.costs.cost)
        affordable: list[str] = []
        for name in by_cost:
            more = [*affordable, name]
            if (selection.cost(more) + growth) * self.min_fit_samples > seconds:
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
        rows = max(self.min_fit_samples, rows)
        return self._table("fit", self.settings.n_nodes, rows, affordable)

    @cached_property
    def _large_growth(self) -> float:
        """CPU seconds to grow a large network with the cheapest features, from a few of them."""
        maker = replace(self.maker, on_progress=None)

        def decide() -> float:
            grown = maker.table(
                "growth", self.settings.n_nodes, self.plan.probe_samples, list(_ALWAYS_CHEAP),
                stream="choose growth", **self._probe_limits,
            )  # fmt: skip
            return seconds_per_row(grown)

        return float(self.stopwatch.decided("growth", decide))

    def _affordable_features(self, selection: FeatureSelection) -> list[str]:
        """Return the features that a large network is simulated with within the time limit.

        They are added by cost, while the smallest number of simulations fits into the time that is left.
        """
        watch, minimum = self.stopwatch, self._min_large_samples
        by_cost = sorted(selection.simulations.features, key=selection.costs.cost)

        def decide() -> list[str]:
            growth, seconds = self._large_growth, self._inference_seconds
            chosen: list[str] = []
            for name in by_cost:
                row_seconds = growth + _COST_MARGIN * selection.cost([*chosen, name])
                is_slow = watch.simulating(minimum, row_seconds) > seconds
                # More simulations are worth more than features that cost much more than the growth.
                is_slow = is_slow or row_seconds > max(4 * growth, _CHEAP_ROW_SECONDS)
                if is_slow and len(chosen) >= _MIN_LARGE_FEATURES:
                    break
                chosen.append(name)
            return chosen

        chosen: list[str] = watch.decided("affordable", decide)
        left_out = [name for name in by_cost if name not in chosen]
        if left_out:
            self.notes.append(
                f"{len(left_out)} features that are too expensive at this size were left out, to stay "
                f"within the time limit: {', '.join(left_out[:5])}{'…' if left_out[5:] else ''}"
            )
        return chosen

    def _first_rows(self, selection: FeatureSelection) -> ReferenceTable:
        """Return the first rows of the table for inference, to see how long a row takes."""
        rows = self.plan.probe_samples
        return self._table("inference", self.settings.n_nodes, rows, selection.features)

    def _table(
        self, name: str, n_nodes: int | tuple[int, int], rows: int, features: Any, **limits: Any
    ) -> ReferenceTable:
        return self.maker.table(name, n_nodes, rows, features, stream=f"choose {name}", **limits)


def plan_of(plan: SimulationPlan | None, local: bool) -> SimulationPlan:
    """Return a plan, by default the usual one; without a local stage if it is not wanted."""
    plan = plan or SimulationPlan()
    return plan if local else replace(plan, local_samples=0)


def make_preparation(
    space: ModelSpace,
    settings: ChoiceSettings,
    maker: TableMaker,
    compare: Iterable[str] = (),
    time_limit: TimeLimit | None = None,
) -> Preparation:
    """Check the settings, and return what makes the simulations; the clock starts now."""
    if len(space) < 2:
        raise UsageError(
            f"the space {space.name} holds one model only, so there is nothing to choose; give at "
            "least two (netchoice.inference.goodness_of_fit tests the fit of a single model)"
        )
    limit = settings.plan.max_direct_nodes
    if not isinstance(settings.n_nodes, int) and settings.largest > limit:
        raise UsageError(
            f"a range up to {settings.largest} nodes; expected at most {limit}: larger networks need "
            "simulations of their own size"
        )
    for given in map(find, maker.given_features.values()):
        if given.numbered:
            raise UsageError(
                f"feature {given.name!r} depends on the order of the nodes, which is the age in simulations "
                "and not in a file: its values cannot be compared. Leave it out of the features"
            )
    compared = tuple(name for name in compare if name not in settings.method)
    settings.check(compared)
    rows_file = None if maker.folder is None else maker.folder / ROWS
    workers = 1 if maker.engine == "serial" else maker.workers or count_threads(-1)
    watch = Stopwatch(settings.time_limit, workers, rows_file, fingerprint_of(settings.as_dict()))
    if time_limit is not None:
        watch.started, watch.after = time_limit.started, time_limit.after
    return Preparation(space, settings, maker, watch, compared)
