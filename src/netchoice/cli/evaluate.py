"""Commands that weigh accuracy against cost."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import netchoice
from netchoice.cli.common import AsJson, app, print_json, say
from netchoice.cli.progress import progress
from netchoice.cli.rank import Costs, Label, Seed, check_finite, costs_of, load_table
from netchoice.cli.report import NoReport, write
from netchoice.costs import CostModel
from netchoice.errors import NetchoiceError, UsageError
from netchoice.units import duration, in_seconds

if TYPE_CHECKING:
    import pandas as pd

    from netchoice import selection
    from netchoice.evaluation import OperatingPoint

#: The paper's nine methods and its baseline.
DEFAULT_METHODS = 10


@app.command()
def evaluate(
    train: Annotated[Path, typer.Argument(help="Table to rank on: a folder, or a CSV file.")],
    test: Annotated[
        Path | None, typer.Argument(help="Table to test on; by default half of the first one.")
    ] = None,
    methods: Annotated[
        str | None,
        typer.Option("--methods", metavar="NAME,…", help="By default the nine and the baseline."),
    ] = None,
    penalties: Annotated[
        str,
        typer.Option(
            "--penalties", metavar="auto|paper|λ,…", help="Values of λ; auto suits the costs."
        ),
    ] = "auto",
    max_features: Annotated[
        int, typer.Option("--max-features", min=1, help="Sets of 1 to so many features.")
    ] = 15,
    classifier: Annotated[str, typer.Option("--classifier", help="knn or svm.")] = "knn",
    folds: Annotated[int, typer.Option("--folds", min=2, help="Of the cross-validation.")] = 10,
    budget: Annotated[
        str | None,
        typer.Option("--budget", help="Cost of the features per network: 5ms, or 2%."),
    ] = None,
    rule: Annotated[
        str | None,
        typer.Option("--rule", help="cheapest (as good as the best), budget (the best), or knee."),
    ] = None,
    costs: Costs = None,
    charge: Annotated[
        str, typer.Option("--charge", help="shared, or alone: common steps paid each time.")
    ] = "shared",
    cost_scale: Annotated[
        str, typer.Option("--cost-scale", help="share (of the sum of costs), or raw.")
    ] = "share",
    label: Label = "label",
    seed: Seed = 0,
    workers: Annotated[
        int | None, typer.Option("--workers", min=1, help="Threads; one per core by default.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Folder for tables and pictures.")
    ] = None,
    no_report: NoReport = False,
    as_json: AsJson = False,
) -> None:
    """How few features are enough: accuracy against cost for many rankings, and a recommendation.

    Example: [bold]netchoice evaluate tables/train tables/test --out results[/bold]

    Stopped with Ctrl-C or killed, the same command goes on where it was.
    """
    from netchoice import selection
    from netchoice.evaluation import operating_point
    from netchoice.evaluation.operating_point import as_budget
    from netchoice.workflows.table_maker import versions

    if out is None:
        raise UsageError("where to? Give --out, for example --out results")
    rule = rule or ("cheapest" if budget is None else "budget")
    if budget is not None:
        as_budget(budget)  # a wrong one is told before the work, not after
    first, second = _tables(train, test, label, seed)
    model, source = costs_of(first, costs)
    model = CostModel(dict.fromkeys(first.features, 0.0)) if model is None else model
    if budget is not None and budget.strip()[-1:].isalpha() and not in_seconds(source):
        raise UsageError(
            f"--budget {budget} is a time, and costs from {source} are none; give a plain number in "
            "their unit, or a share such as 2%"
        )
    threads = workers or os.cpu_count() or 1
    selectors = _selectors(first, methods, model, cost_scale, seed, threads)
    with progress("ranking", "rankings") as on_progress:
        values = _penalties(penalties, model, first.features)
        rankings = selection.rank_path(selectors, first.X, first.y, values, on_progress=on_progress)
    with progress("evaluating", "rankings") as on_progress:
        evaluation = netchoice.evaluate(
            rankings,
            second,
            ks=range(1, max_features + 1),
            classifier=classifier,
            folds=folds,
            costs=model,
            seed=seed,
            n_jobs=threads,
            path=out / "scores.jsonl",
            on_progress=on_progress,
        )
    point = operating_point(evaluation, rule, budget=budget, charge=charge)
    record = {
        "train": str(train),
        "test": None if test is None else str(test),
        "costs": source,
        "recommended": point.as_dict(),
        "out": str(out),
        "settings": {
            "methods": list(dict.fromkeys(rankings["method"])), "penalties": values,
            "max_features": max_features, "classifier": classifier, "folds": folds,
            "budget": budget, "rule": rule, "charge": charge, "cost_scale": cost_scale,
            "label": label, "seed": seed, "rows": {"train": len(first), "test": len(second)},
        },
        **versions(),
    }  # fmt: skip
    _write(out, record, rankings, evaluation, model.only(first.features), point)
    if not no_report:
        write(out)
    if as_json:
        print_json(record)
    else:
        _print(point, source, out, report=not no_report)


def _tables(
    train: Path, test: Path | None, label: str, seed: int
) -> tuple[netchoice.ReferenceTable, netchoice.ReferenceTable]:
    first = load_table(train, label)
    if test is None:
        first, second = first.split(seed=seed)
    else:
        second = load_table(test, label)
    check_finite(first, train)
    check_finite(second, test or train)
    varying = first.drop_constant()
    if not varying.features:
        raise UsageError(f"all {len(first.features)} features of {train} are constant")
    return varying, second


def _selectors(
    table: netchoice.ReferenceTable,
    methods: str | None,
    costs: CostModel,
    cost_scale: str,
    seed: int,
    threads: int,
) -> list[selection.CostAwareSelector]:
    from netchoice.selection import METHODS, get_selector

    names = list(METHODS)[:DEFAULT_METHODS]
    names = names if methods is None else [name.strip() for name in methods.split(",")]
    given = {
        "costs": costs, "cost_scale": cost_scale, "random_state": seed, "n_jobs": threads,
    }  # fmt: skip
    selectors = [get_selector(name, **given) for name in dict.fromkeys(names)]
    for selector in selectors:
        if "discrete_features" in selector.get_params():
            selector.set_params(discrete_features=[table.discrete[n] for n in table.features])
    return selectors


def _penalties(text: str, costs: CostModel, features: list[str]) -> list[float]:
    from netchoice.evaluation import PAPER_PENALTIES, penalty_grid

    if text == "paper":
        return list(PAPER_PENALTIES)
    if text == "auto":
        return penalty_grid(costs, features)
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise UsageError(
            f"--penalties {text!r}; expected auto, paper, or numbers such as 0,0.1,1,10"
        ) from None


def _write(
    out: Path,
    record: dict[str, Any],
    rankings: pd.DataFrame,
    evaluation: pd.DataFrame,
    costs: CostModel,
    point: OperatingPoint,
) -> None:
    from netchoice import figures

    try:
        out.mkdir(parents=True, exist_ok=True)
        rankings.to_csv(out / "rankings.csv", index=False)
        joined = evaluation.assign(features=evaluation["features"].map(";".join))
        joined.to_csv(out / "evaluation.csv", index=False)
        (out / "recommended.json").write_text(json.dumps(record, indent=2, ensure_ascii=False))
        (out / "costs.json").write_text(json.dumps(costs.as_dict(), indent=2))
        cost = f"cost_{point.charge}"
        chosen = {cost: point.cost, "accuracy": point.accuracy}
        unit = "s" if in_seconds(record["costs"]) else ""
        figures.save(figures.heatmaps(evaluation), out / "heatmaps.png")
        figures.save(figures.feature_costs(costs, unit=unit), out / "costs.png")
        if evaluation[cost].gt(0).any():
            picture = figures.pareto(evaluation, cost=cost, point=chosen, unit=unit)
            figures.save(picture, out / "pareto.png")
        if rankings["penalty"].nunique() > 1:
            for method in dict.fromkeys(rankings["method"]):
                picture = figures.ranking_paths(rankings, method)
                figures.save(picture, out / f"ranking-{method}.png")
    except OSError as error:
        raise NetchoiceError(f"cannot write to {out}: {error.strerror}") from error


def _print(point: OperatingPoint, source: str, out: Path, report: bool) -> None:
    show = duration if in_seconds(source) else "{:.4g}".format
    low, high = point.interval
    say(f"recommended ({point.rule}): {', '.join(point.features)}")
    say(f"from {point.method}, penalty {point.penalty:.3g}, {point.k} features")
    faster = f"{point.speedup:.3g} times cheaper than all features" if point.cost else "free"
    say(f"cost, {point.charge}: {show(point.cost)}, {faster}")
    say(
        f"accuracy on rows that had no part in the choice: {point.accuracy:.4f} "
        f"({point.coverage:.0%} interval {low:.4f} to {high:.4f}); the most accurate set: "
        f"{point.best_accuracy:.4f}"
    )
    say(f"{'report.html, ' if report else ''}tables and pictures in {out}")
