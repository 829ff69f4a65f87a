"""Evaluate how few features of a table are enough."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from os import PathLike
from typing import Any

from netchoice.costs import CostModel
from netchoice.errors import UsageError
from netchoice.evaluation import (
    PAPER_PENALTIES,
    evaluate_rankings,
    operating_point,
    penalty_grid,
)
from netchoice.progress import listener, shows_progress
from netchoice.selection import BASELINE, NUMBER_METHODS, PAPER_METHODS, rank_path
from netchoice.storage.listing import output_folder
from netchoice.storage.table import ReferenceTable
from netchoice.stores import place
from netchoice.targets import Numbers
from netchoice.threads import count_threads
from netchoice.units import parse_budget
from netchoice.validation import check_integer
from netchoice.workflows.cost_source import Costs, CostSource, find_costs
from netchoice.workflows.feature_evaluation import (
    EvaluationSettings,
    FeatureEvaluation,
    evaluation_files,
)
from netchoice.workflows.feature_selection import SCORES
from netchoice.workflows.selectors import selectors_for
from netchoice.workflows.table_maker import Progress
from netchoice.workflows.tables import Table, describe_target, load_table, varying_features


@shows_progress(units={"ranking": "rankings", "evaluating": "rankings"})
def evaluate_features(
    train: Table,
    test: Table | None = None,
    *,
    methods: Iterable[str] | None = None,
    penalties: str | Iterable[float] = "auto",
    max_features: int = 15,
    classifier: Any = "knn",
    folds: int = 10,
    rule: str | None = None,
    budget: float | str | None = None,
    costs: Costs | None = None,
    charge: str = "shared",
    cost_scale: str = "share",
    label: str = "label",
    target: str = "auto",
    rows: int | None = None,
    seed: int = 0,
    workers: int | None = None,
    path: str | PathLike[str] | None = None,
    on_progress: Progress | bool | None = None,
) -> FeatureEvaluation:
    """Rank features with many methods and penalties, evaluate the rankings, and recommend a set.

    Parameters
    ----------
    train : ReferenceTable or path
        The table to rank on: a table, its folder, or a CSV file.
    test : ReferenceTable or path, optional
        The table to evaluate on. By default one half of the first table.
    methods : iterable of str, optional
        By default the paper's methods and the random baseline; for numbers, all methods that take them.
    penalties : "auto", "paper" or iterable of float
        Values of λ. "auto" is a grid that suits the costs; "paper" is the paper's grid.
    max_features : int
        Sets of 1 to so many features are evaluated.
    classifier, folds
        As in :func:`netchoice.evaluate_rankings`.
    rule : "cheapest" or "budget", optional
        How the recommended set is chosen; see :func:`netchoice.operating_point`. By default "budget"
        if a budget is given, else "cheapest".
    budget : float or str, optional
        The largest cost of the recommended set.
    costs : optional
        As in :func:`~netchoice.workflows.find_costs`.
    charge : "shared" or "alone"
        How the recommended set is billed. Rankings always use the costs alone, as the paper does.
    cost_scale : "share" or "raw"
        "share" divides costs by their sum, so that λ does not depend on their unit.
    label, target
        The column to predict, and what it holds; as in :func:`netchoice.rank_features`. For numbers, R²
        takes the place of the accuracy.
    rows : int, optional
        Use so many rows of each table only, drawn at random with the seed.
    seed : int
    workers : int, optional
        Threads; one per core by default.
    path : path, optional
        Folder for the results. An interrupted evaluation is resumed there.
    on_progress : callable or bool, optional
        Called with the name of the stage, and the rankings done, in total, and failed. True shows the
        progress, False shows nothing. By default it is shown in a terminal or a notebook.

    Returns
    -------
    FeatureEvaluation

    Examples
    --------
    >>> import netchoice
    >>> table = netchoice.simulate_table(
    ...     "ba", n_nodes=40, n_samples=160, seed=1, engine="serial",
    ...     features=["degree_mean", "transitivity", "noise_normal"])
    >>> result = netchoice.evaluate_features(table, methods=["jmi"], max_features=2, folds=5)
    >>> result.recommended.features
    ('degree_mean',)
    """
    rule = rule or ("cheapest" if budget is None else "budget")
    if budget is not None:
        parse_budget(budget)  # a wrong budget is refused before the work
    first = load_table(train, label, target, rows=rows, seed=seed)
    if test is None:
        first, second = first.split(seed=seed)
    else:
        second = load_table(test, label, first.target.kind, rows=rows, seed=seed)
    source = find_costs(first, costs)
    first = varying_features(first)
    folder = None if path is None else place(path)
    _check_unit(budget, source)
    model = source.for_features(first.features)
    n_jobs, report = workers or count_threads(-1), listener(on_progress)
    settings = EvaluationSettings(
        methods=_default_methods(first) if methods is None else tuple(dict.fromkeys(methods)),
        penalties=_penalties(penalties, model, first.features),
        max_features=check_integer("max_features", max_features),
        classifier=classifier,
        folds=folds,
        budget=budget,
        rule=rule,
        charge=charge,
        cost_scale=cost_scale,
        label=label,
        target=describe_target(first),
        seed=seed,
        rows={"train": len(first), "test": len(second)},
    )
    selectors = selectors_for(
        first, settings.methods, costs=model, cost_scale=cost_scale, seed=seed, n_jobs=n_jobs
    )
    with output_folder(folder, evaluation_files(settings.methods)):
        rankings = rank_path(
            selectors,
            first.X,
            first.target,
            settings.penalties,
            on_progress=_stage(report, "ranking"),
        )
        evaluation = evaluate_rankings(
            rankings,
            second,
            ks=range(1, settings.max_features + 1),
            classifier=classifier,
            folds=folds,
            costs=model,
            seed=seed,
            n_jobs=n_jobs,
            path=None if folder is None else folder / SCORES,
            on_progress=_stage(report, "evaluating"),
        )
        result = FeatureEvaluation(
            recommended=operating_point(evaluation, rule, budget=budget, charge=charge),
            evaluation=evaluation,
            rankings=rankings,
            costs=model.only(first.features),
            cost_source=source.name,
            in_seconds=source.in_seconds,
            settings=settings,
            train=_name(train),
            test=_name(test),
        )
        if folder is not None:
            result.save(folder)
        return result


def _default_methods(table: ReferenceTable) -> tuple[str, ...]:
    """Return the methods to compare, unless the user names some."""
    return NUMBER_METHODS if isinstance(table.target, Numbers) else (*PAPER_METHODS, BASELINE)


def _check_unit(budget: float | str | None, source: CostSource) -> None:
    if isinstance(budget, str) and budget.strip()[-1:].isalpha() and not source.in_seconds:
        raise UsageError(
            f"the budget {budget} is a time, but the costs from {source.name} are not times; give a "
            "number in their unit, or a share such as 2%"
        )


def _penalties(
    penalties: str | Iterable[float], costs: CostModel, features: list[str]
) -> tuple[float, ...]:
    if penalties == "paper":
        return PAPER_PENALTIES
    if penalties == "auto":
        return tuple(penalty_grid(costs, features))
    try:
        return tuple(float(value) for value in penalties)
    except ValueError:
        raise UsageError(
            f"penalties {penalties!r}; expected auto, paper, or numbers such as 0, 0.1, 1, 10"
        ) from None


def _stage(report: Progress | None, stage: str) -> Callable[[int, int], None] | None:
    return report and (lambda done, total: report(stage, done, total, 0))


def _name(table: Table | None) -> str | None:
    return str(table) if isinstance(table, str | PathLike) else None
