"""The features that an answer is based on: selected on simulations, under their costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
from netchoice.features import min_powers
from netchoice.selection import rank_path
from netchoice.storage.table import ReferenceTable
from netchoice.workflows.selectors import selectors_for
from netchoice.workflows.simulation_plan import SimulationPlan
from netchoice.workflows.table_maker import TableMaker

if TYPE_CHECKING:
    import pandas as pd

SECOND_SCORES = "second-scores.jsonl"


@dataclass(frozen=True)
class FeatureSelection:
    """Selected features and the simulations they were selected on.

    ``costs`` are those at the size of the observed network, extrapolated if pilot networks were used;
    ``pilots`` holds their sizes, and ``table`` is then that of the largest ones. ``point``, ``rankings``
    and ``evaluation`` are None if the user named the features. ``second`` holds the features that are
    selected if the two halves of the simulations are exchanged, and ``near_optimal`` the sets that are as
    accurate as the best one in either selection, within statistical error.
    """

    features: tuple[str, ...]
    costs: CostModel
    table: ReferenceTable
    pilots: tuple[int, ...] = ()
    point: OperatingPoint | None = None
    rankings: pd.DataFrame | None = field(default=None, repr=False)
    evaluation: pd.DataFrame | None = field(default=None, repr=False)
    second: tuple[str, ...] = ()
    near_optimal: tuple[tuple[str, ...], ...] = field(default=(), repr=False)

    @property
    def stability(self) -> str | None:
        """How well two selections on different simulations agree, in a sentence."""
        if not self.second:
            return None
        union, common = {*self.features, *self.second}, {*self.features} & {*self.second}
        return (
            f"{len(common)} of {len(union)} features are selected on both halves of the simulations; "
            f"{len(self.near_optimal)} sets are equally accurate within statistical error"
        )

    def with_features(self, features: Sequence[str]) -> FeatureSelection:
        """Return the same simulations with features that the user named."""
        return replace(self, features=tuple(features))

    def cost(self, features: Sequence[str]) -> float:
        """Return the CPU seconds per network of these features, shared steps paid once."""
        return self.costs.cost_of_set(features, "shared")

    def as_dict(self) -> dict[str, Any]:
        """Return what ``choice.json`` holds of the selection."""
        record: dict[str, Any] = {
            "features": list(self.features),
            "pilots": list(self.pilots),
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
    maker: TableMaker,
    n_nodes: int,
    offered: Sequence[str],
    samples: int,
    plan: SimulationPlan,
    pilots: bool,
) -> FeatureSelection:
    """Simulate the networks to select on, with all offered features; nothing is selected yet."""
    if not pilots:
        table = maker.table("selection", n_nodes, samples, offered, stream="choose selection")
        return FeatureSelection((), table.costs, table)
    rows = dict.fromkeys(plan.pilot_sizes, plan.pilot_cost_samples)
    rows[plan.pilot_sizes[-1]] = samples
    tables = [
        maker.table(f"pilot-{n}", n, n_rows, offered, stream=f"choose pilot-{n}")
        for n, n_rows in rows.items()
    ]
    costs = CostGrowth.fit(tables, powers=min_powers()).predict(n_nodes)
    return FeatureSelection((), costs, tables[-1], plan.pilot_sizes)


def select_features(
    selection: FeatureSelection,
    plan: SimulationPlan,
    *,
    methods: Sequence[str],
    compared: Sequence[str] = (),
    penalty: float | None = None,
    budget: float | str | None = None,
    seed: int = 0,
    n_jobs: int | None = None,
    scores: Path | None = None,
) -> FeatureSelection:
    """Rank the features on one half of the simulations, and choose a set on the other half.

    The set comes from the rankings of ``methods``; those of ``compared`` are only evaluated. The halves
    are then exchanged, to see whether the selection is stable. The files ``scores`` and, for the second
    selection, ``second-scores.jsonl`` beside it keep the accuracies of sets.
    """
    halves = selection.table.split(seed=seed)
    second_scores = None if scores is None else scores.with_name(SECOND_SCORES)
    options: dict[str, Any] = {"penalty": penalty, "budget": budget, "seed": seed, "n_jobs": n_jobs}
    first = _select_on(selection, plan, *halves, methods, compared, scores, **options)
    try:
        second = _select_on(selection, plan, *halves[::-1], methods, (), second_scores, **options)
    except UsageError:  # for example, no set of the second ranking is within the budget
        second = None
    return replace(
        selection,
        features=first.point.features,
        point=first.point,
        rankings=first.rankings,
        evaluation=first.evaluation,
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
    near_optimal: list[tuple[str, ...]]


def _select_on(
    selection: FeatureSelection,
    plan: SimulationPlan,
    train: ReferenceTable,
    test: ReferenceTable,
    methods: Sequence[str],
    compared: Sequence[str],
    scores: Path | None,
    *,
    penalty: float | None,
    budget: float | str | None,
    seed: int,
    n_jobs: int | None,
) -> _Selection:
    """Rank the features on the first table, and choose a set on the second."""
    train = train.drop_constant()
    if not train.features:
        raise UsageError(
            "all features are constant over the simulations, so no feature can distinguish the "
            "models; the network is too small, or all models of the space make the same networks"
        )
    costs = selection.costs.only(train.features)
    selectors = selectors_for(
        train, (*methods, *compared), costs=costs, charge="shared", seed=seed, n_jobs=n_jobs
    )
    penalties = penalty_grid(costs, train.features) if penalty is None else [penalty]
    rankings = rank_path(selectors, train.X, train.y, penalties)
    evaluation = evaluate_rankings(
        rankings,
        test,
        ks=range(1, min(plan.max_features, len(train.features)) + 1),
        folds=max(2, min(10, int(test.y.value_counts().min()))),
        costs=selection.costs,
        seed=seed,
        n_jobs=n_jobs,
        path=scores,
    )
    # All rows may choose: the accuracy of the answer is measured on other simulations.
    offered = evaluation[evaluation["method"].isin(methods)]
    point = operating_point(offered, budget=budget, coverage=plan.coverage, choose_on="all")
    tied = near_optimal(offered, coverage=plan.coverage, choose_on="all").sort_values("cost_shared")
    sets = dict.fromkeys(tuple(sorted(features)) for features in tied["features"])
    return _Selection(rankings, evaluation, point, list(sets))
