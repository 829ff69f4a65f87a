"""The features that an answer is based on: selected on simulations, under their costs."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from netchoice.cost_growth import CostGrowth
from netchoice.costs import CostModel
from netchoice.errors import UsageError
from netchoice.evaluation import (
    OperatingPoint,
    evaluate_rankings,
    near_optimal,
    operating_point,
    penalty_grid,
)
from netchoice.evaluation.operating_points import COST_RESOLUTION
from netchoice.selection import rank_path
from netchoice.storage.table import ReferenceTable
from netchoice.targets import Numbers
from netchoice.units import parse_budget
from netchoice.workflows.rank import selectors_for
from netchoice.workflows.simulation_plan import EXTRA_SHARE, SimulationPlan, Stopwatch

if TYPE_CHECKING:
    import pandas as pd

Set = tuple[str, ...]

#: Simulations of a model in which a parameter must vary, to select features for it.
MIN_SIMULATIONS = 30
#: The cheapest sets for either purpose that are combined.
N_COMBINED = 40


def parameter_quantiles(table: ReferenceTable) -> pd.DataFrame:
    """Return each parameter of each model as quantiles of its prior draws; NaN for other models.

    Quantiles make parameters with different priors comparable.

    >>> import netchoice
    >>> table = netchoice.simulate_table(
    ...     "duplication", n_nodes=20, n_samples=80, seed=1, features=["degree_mean"], engine="serial")
    >>> list(parameter_quantiles(table))
    ['dmc.p_connect', 'dmc.p_delete', 'dmr.p_delete', 'dmr.p_new']
    """
    columns = {}
    for model, drawn in table.parameters.groupby(table.y):
        for name, values in drawn.items():
            if values.notna().sum() >= MIN_SIMULATIONS and values.nunique() > 1:
                columns[f"{model}.{name}"] = values.rank() / (values.notna().sum() + 1)
    frame = pd.DataFrame(columns, index=range(len(table)))
    return frame[sorted(columns)]


def cheapest_pair(
    costs: CostModel, one: Sequence[Set], other: Sequence[Set], budget: float | str | None = None
) -> tuple[Set, Set] | None:
    """Return a set of either kind, so that both together are cheapest; None if none is within the budget.

    Shared steps are paid once. Costs that differ by less than a quarter count as equal; of such pairs,
    the one with the fewest features is chosen, and then the first in the order of names.

    >>> costs = CostModel({"a": 1.0, "b": 3.0, "c": 3.5})
    >>> cheapest_pair(costs, [("a",), ("b",)], [("b",), ("a", "c")])
    (('b',), ('b',))
    """
    pairs = {
        pair: costs.cost_of_set({*pair[0], *pair[1]}, "shared")
        for pair in product(one[:N_COMBINED], other[:N_COMBINED])
    }
    if budget is not None:
        limit, relative = parse_budget(budget)
        limit *= sum(costs.alone().values()) if relative else 1.0
        pairs = {pair: cost for pair, cost in pairs.items() if cost <= limit}
    if not pairs:
        return None
    nearly = [p for p, cost in pairs.items() if cost <= COST_RESOLUTION * min(pairs.values())]
    return min(nearly, key=lambda pair: (len({*pair[0], *pair[1]}), sorted({*pair[0], *pair[1]})))


SCORES, SECOND_SCORES = "scores.jsonl", "second-scores.jsonl"
PARAMETER_SCORES = "parameter-scores.jsonl"


#: The method that ranks features for the parameters, by evidence (``docs/inference.md``).
PARAMETER_METHOD = "forward-regression"
#: A set is good enough for the parameters if its error is at most so many times that of the best set.
ERROR_FACTOR = 1.1
PURPOSES = ("both", "model", "parameters")


@dataclass(frozen=True)
class FeatureSelection:
    """Selected features and the simulations they were selected on.

    ``for_model`` holds the features that distinguish the models, ``for_parameters`` those that predict
    their parameters, and ``features`` all of them. ``costs`` are those at the size of the observed
    network, extrapolated if pilot networks were used; ``pilots`` holds their sizes, and ``table`` is then
    that of the largest ones. ``point``, ``rankings`` and ``evaluation`` are None if the user named the
    features. ``second`` holds the features that are selected if the two halves of the simulations are
    exchanged, and ``near_optimal`` the sets that distinguish the models as well as the best one in either
    selection, within statistical error. ``parameter_evaluation`` says how well sets predict the parameters.
    ``added`` holds features that were added to every set. ``staged`` holds all simulations, if expensive
    features were computed on a part of them only; ``table`` is then the part that was selected on.
    """

    features: Set
    costs: CostModel
    table: ReferenceTable
    pilots: tuple[int, ...] = ()
    for_model: Set = ()
    for_parameters: Set = ()
    point: OperatingPoint | None = None
    rankings: pd.DataFrame | None = field(default=None, repr=False)
    evaluation: pd.DataFrame | None = field(default=None, repr=False)
    second: tuple[str, ...] = ()
    near_optimal: tuple[tuple[str, ...], ...] = field(default=(), repr=False)
    parameter_evaluation: pd.DataFrame | None = field(default=None, repr=False)
    added: tuple[str, ...] = ()
    staged: ReferenceTable | None = field(default=None, repr=False)

    @property
    def simulations(self) -> ReferenceTable:
        """All simulations for the selection; expensive features may be computed on some rows only."""
        return self.table if self.staged is None else self.staged

    @property
    def cheap(self) -> ReferenceTable:
        """All simulations, without the expensive features."""
        table = self.simulations
        return table.complete([name for name in table.features if name not in table.stages])

    @property
    def stability(self) -> str | None:
        """How well two selections on different simulations agree, in a sentence."""
        if not self.second:
            return None
        first = {*(self.for_model or self.features)} - {*self.added}
        union, common = first | {*self.second}, first & {*self.second}
        return (
            f"{len(common)} of {len(union)} features are selected on both halves of the simulations; "
            f"{len(self.near_optimal)} sets are equally accurate within statistical error"
        )

    def with_features(self, features: Iterable[str]) -> FeatureSelection:
        """Return the same simulations with features that the user named."""
        named = tuple(features)
        return replace(self, features=named, for_model=named, for_parameters=named)

    @property
    def offered(self) -> list[str]:
        """The features that could be selected."""
        return self.table.features

    def restricted_to(self, names: Sequence[str]) -> FeatureSelection:
        """Return the same simulations with some of the features."""
        table = self.simulations
        table = table.with_features([name for name in table.features if name in names])
        return replace(self, table=table.complete(), staged=table, costs=self.costs.only(names))

    def with_added(self, names: Sequence[str]) -> FeatureSelection:
        """Return the selection with features that every set contains."""

        def more(features: Sequence[str]) -> Set:
            return tuple(dict.fromkeys([*features, *names])) if features else ()

        return replace(
            self,
            features=more(self.features),
            for_model=more(self.for_model),
            for_parameters=more(self.for_parameters),
            near_optimal=tuple(map(more, self.near_optimal)),
            added=tuple(names),
        ) if names else self  # fmt: skip

    def cost(self, features: Sequence[str]) -> float:
        """Return the CPU seconds per network of these features, shared steps paid once."""
        return self.costs.cost_of_set(features, "shared")

    def _parameter_score(self) -> dict[str, float] | None:
        """Return how well the parameters are predicted by the selected set and by the best one."""
        frame = self.parameter_evaluation
        if frame is None:
            return None
        selected = {*self.for_parameters}
        is_selected = frame["features"].map(lambda names: {*names, *self.added} == selected)
        scores = frame["accuracy"]
        return {"selected": float(scores[is_selected].iloc[0]), "best": float(scores.max())}

    def as_dict(self) -> dict[str, Any]:
        """Return what ``choice.json`` holds of the selection."""
        record: dict[str, Any] = {
            "features": list(self.features),
            "for_model": list(self.for_model),
            "for_parameters": list(self.for_parameters),
            "parameter_score": self._parameter_score(),
            "pilots": list(self.pilots),
            "offered": len(self.simulations.features),
            "expensive": self.simulations.stages,
            "simulations": len(self.table),
        }
        if self.point is not None:
            point = self.point.as_dict()
            not_kept = {"features", "accuracy", "interval", "coverage", "best_accuracy"}
            record["operating_point"] = {n: v for n, v in point.items() if n not in not_kept}
            record["second"] = list(self.second)
            record["near_optimal"] = len(self.near_optimal)
            record["stability"] = self.stability
        return record


def simulate_for_selection(
    simulate: Callable[..., ReferenceTable],
    n_nodes: int | tuple[int, int],
    samples: int,
    plan: SimulationPlan,
    pilots: bool,
    stages: Mapping[str, float] | None = None,
) -> FeatureSelection:
    """Simulate the networks to select on; nothing is selected yet.

    ``simulate(name, n_nodes, rows, stages=…)`` makes a table with all offered features. ``stages`` holds the
    share of the networks that each expensive feature is computed on.
    """
    if not pilots or not isinstance(n_nodes, int):
        table = simulate("selection", n_nodes, samples, stages=stages)
        table = table.without_partial()
        return FeatureSelection((), table.costs, table.complete(), staged=table)
    rows = dict.fromkeys(plan.pilot_sizes, plan.pilot_cost_samples)
    rows[plan.pilot_sizes[-1]] = samples
    tables = [
        simulate(f"pilot-{n}", n, n_rows, stages=stages if n == plan.pilot_sizes[-1] else None)
        for n, n_rows in rows.items()
    ]
    costs = CostGrowth.fit(tables).predict(n_nodes)
    largest = tables[-1].without_partial()
    return FeatureSelection((), costs, largest.complete(), plan.pilot_sizes, staged=largest)


@dataclass(frozen=True)
class SelectionOptions:
    """How features are ranked and chosen: methods, penalty (None: many), budget, seed and threads.

    Sets come from the rankings of ``methods``; those of ``compared`` are only evaluated.
    """

    methods: tuple[str, ...]
    compared: tuple[str, ...] = ()
    penalty: float | None = None
    budget: float | str | None = None
    seed: int = 0
    n_jobs: int | None = None


def select_features(
    selection: FeatureSelection,
    plan: SimulationPlan,
    options: SelectionOptions,
    *,
    purpose: str = "both",
    folder: Path | None = None,
    stopwatch: Stopwatch | None = None,
) -> FeatureSelection:
    """Rank the features on one half of the simulations, and choose sets on the other half.

    The purpose "model" chooses the cheapest set that distinguishes the models as well as the best one,
    "parameters" the cheapest set that predicts their parameters as well as the best one, within
    statistical error. "both" chooses two such sets that are cheapest together. The halves are then
    exchanged, to see whether the selection is stable, if the time limit allows this. The folder keeps the
    scores of sets.

    If expensive features were computed on a part of the simulations, the sets are first chosen on this
    part. Unless they hold an expensive feature, they are chosen again among the others, on all simulations.
    """
    staged = selection.simulations.stages
    if staged:
        tried = _select_sets(selection, plan, replace(options, compared=()), purpose)
        if staged.keys().isdisjoint(tried.features):
            selection = replace(selection, table=selection.cheap)
    watch = stopwatch or Stopwatch(None, 1)
    return _select_sets(selection, plan, options, purpose, folder, exchange=watch)


def _select_sets(
    selection: FeatureSelection,
    plan: SimulationPlan,
    options: SelectionOptions,
    purpose: str,
    folder: Path | None = None,
    exchange: Stopwatch | None = None,
) -> FeatureSelection:
    halves = selection.table.split(seed=options.seed)
    numbers = [parameter_quantiles(half) for half in halves]
    common = numbers[0].columns.intersection(numbers[1].columns)
    numbers = [half[common] for half in numbers]
    if not len(common):
        if purpose == "parameters":
            raise UsageError("no model of the space has parameters; select features for the model")
        purpose = "model"

    def path(name: str) -> Path | None:
        return None if folder is None else folder / name

    on_numbers = None
    if purpose != "model":
        tables = halves[0].with_target(numbers[0]), halves[1].with_target(numbers[1])
        scores = path(PARAMETER_SCORES)
        others = replace(options, methods=(PARAMETER_METHOD,), compared=())
        on_numbers = _select_on(selection, plan, tables, others, scores, "regression")
    if purpose == "parameters" and on_numbers is not None:
        chosen = on_numbers.point.features
        selected = on_numbers.added_to(selection, chosen, chosen)
        return replace(selected, parameter_evaluation=on_numbers.evaluation)
    started = time.monotonic()
    first = _select_on(selection, plan, halves, options, path(SCORES))
    took = time.monotonic() - started
    second = None
    if exchange is not None and exchange.skips(
        "the selection was not repeated on exchanged halves", 1.2 * took, EXTRA_SHARE
    ):
        exchange = None
    if exchange is not None:
        second = _second_selection(selection, plan, halves[::-1], options, path(SECOND_SCORES))
    return replace(
        first.combined_with(on_numbers, selection, options.budget),
        second=() if second is None else second.point.features,
        near_optimal=tuple(
            dict.fromkeys([*first.near_optimal, *(second.near_optimal if second else ())])
        ),
    )


@dataclass(frozen=True)
class _Selection:
    """One selection: on which rankings and evaluation it is based, and sets as good as its own."""

    rankings: pd.DataFrame
    evaluation: pd.DataFrame
    point: OperatingPoint
    near_optimal: list[Set]

    def added_to(
        self, selection: FeatureSelection, for_model: Set, for_parameters: Set
    ) -> FeatureSelection:
        """Return the simulations with these sets, and the rankings that they come from."""
        return replace(
            selection,
            features=tuple(dict.fromkeys([*for_model, *for_parameters])),
            for_model=for_model,
            for_parameters=for_parameters,
            point=self.point,
            rankings=self.rankings,
            evaluation=self.evaluation,
        )

    def combined_with(
        self, on_numbers: _Selection | None, selection: FeatureSelection, budget: float | str | None
    ) -> FeatureSelection:
        """Return this set for the model, or with one for the parameters if both are affordable."""
        costs = selection.costs.only(selection.table.features)
        others = [] if on_numbers is None else on_numbers.near_optimal
        pair = cheapest_pair(costs, self.near_optimal, others, budget)
        if on_numbers is None or pair is None:
            return self.added_to(selection, self.point.features, ())
        sets = self.evaluation["features"].map(lambda names: tuple(sorted(names)))
        chosen = operating_point(self.evaluation[sets == pair[0]], choose_on="all")
        combined = replace(self, point=chosen).added_to(selection, chosen.features, pair[1])
        return replace(combined, parameter_evaluation=on_numbers.evaluation)


def _select_on(
    selection: FeatureSelection,
    plan: SimulationPlan,
    tables: tuple[ReferenceTable, ...],
    options: SelectionOptions,
    scores: Path | None,
    classifier: str = "knn",
) -> _Selection:
    """Rank the features on the first table, and choose a set on the second."""
    train, test = tables[0].drop_constant(), tables[1]
    if not train.features:
        raise UsageError(
            "all features are constant over the simulations, so no feature can distinguish the "
            "models; the network is too small, or all models of the space make the same networks"
        )
    costs = selection.costs.only(train.features)
    methods = (*options.methods, *options.compared)
    common: dict[str, Any] = {"seed": options.seed, "n_jobs": options.n_jobs}
    selectors = selectors_for(train, methods, costs=costs, charge="shared", **common)
    penalty = options.penalty
    penalties = penalty_grid(costs, train.features) if penalty is None else [penalty]
    most = min(plan.max_features, len(train.features))
    rankings = rank_path(selectors, train.X, train.target, penalties, n_positions=most)
    evaluation = evaluate_rankings(
        rankings,
        test,
        ks=range(1, most + 1),
        classifier=classifier,
        folds=max(2, min(10, int(np.bincount(test.target.strata).min()))),
        costs=selection.costs,
        features=train.features,
        path=scores,
        **common,
    )
    # All rows may choose: the accuracy of the answer is measured on other simulations.
    offered = evaluation[evaluation["method"].isin(options.methods)]
    rule: dict[str, Any] = {
        "coverage": plan.coverage, "choose_on": "all", "error_factor": ERROR_FACTOR
    }  # fmt: skip
    # A budget limits the sets already: those for the parameters are then not made cheaper still.
    most_accurate = options.budget is not None and isinstance(test.target, Numbers)
    name = "budget" if most_accurate else "cheapest"
    point = operating_point(offered, name, budget=options.budget, **rule)
    tied = near_optimal(offered, **rule).sort_values("cost_shared")
    sets = dict.fromkeys(tuple(sorted(features)) for features in tied["features"])
    return _Selection(rankings, evaluation, point, list(sets))


def _second_selection(
    selection: FeatureSelection,
    plan: SimulationPlan,
    tables: tuple[ReferenceTable, ...],
    options: SelectionOptions,
    scores: Path | None,
) -> _Selection | None:
    """Return a selection to compare with the first; None if there is none within the budget."""
    try:
        return _select_on(selection, plan, tables, replace(options, compared=()), scores)
    except UsageError:
        return None
