"""The command that weighs accuracy against cost."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from netchoice.cli import options
from netchoice.cli.common import app, show
from netchoice.units import duration

if TYPE_CHECKING:
    from netchoice.workflows import FeatureEvaluation


@app.command()
def evaluate(
    train: Annotated[
        Path, Argument(help="Table to rank on: a folder, or a CSV file.", **options.FOLDER)
    ],
    test: Annotated[
        Path | None,
        Argument(help="Table to test on; by default half of the first one.", **options.FOLDER),
    ] = None,
    methods: Annotated[
        str | None,
        Option(
            metavar="NAME,…",
            help="Methods that rank; by default the paper's nine and the baseline.",
        ),
    ] = None,
    penalties: Annotated[
        str,
        Option(metavar="auto|paper|λ,…", help="Values of λ; auto computes them from the costs."),
    ] = "auto",
    max_features: Annotated[int, Option(min=1, help="Largest number of features in a set.")] = 15,
    folds: Annotated[int, Option(min=2, help="Cross-validation folds.")] = 10,
    budget: options.Budget = None,
    rule: Annotated[
        str | None,
        Option(help="cheapest (not clearly worse than the best) or budget (best within it)."),
    ] = None,
    costs: options.Costs = None,
    charge: options.Charge = "shared",
    cost_scale: options.CostScale = "share",
    label: options.Label = "label",
    target: options.Target = "auto",
    rows: options.Rows = None,
    seed: options.Seed = 0,
    workers: Annotated[int | None, Option(min=1, help="Threads; one per core by default.")] = None,
    out: options.OutFolder = None,
    figures: options.Figures = options.FigureFormat.png,
    no_report: options.NoReport = False,
    as_json: options.AsJson = False,
) -> None:
    """Show accuracy against cost for many rankings, and recommend a set of features.

    Example: [bold]netchoice evaluate tables/train tables/test --out results[/bold]

    To resume an interrupted evaluation, run the same command again.
    """
    from netchoice.report import report_evaluation

    out = options.require(out, "--out", "results")
    by_name = penalties in ("auto", "paper")
    result = report_evaluation(
        train, test, path=out, report=not no_report, figures=figures.value,
        methods=options.split_list(methods, "--methods"),
        penalties=penalties if by_name else options.split_list(penalties, "--penalties", float) or (),
        max_features=max_features, folds=folds, rule=rule, budget=budget,
        costs=costs, charge=charge, cost_scale=cost_scale, label=label, target=target, rows=rows,
        seed=seed, workers=workers, on_progress=True,
    )  # fmt: skip
    files = f"{'' if no_report else 'report.html, '}tables and figures are in {out}"
    show(as_json, {**result.as_dict(), "out": str(out)}, (*_lines(result), files))


def _lines(result: FeatureEvaluation) -> Iterator[str]:
    point = result.recommended
    cost = duration(point.cost) if result.in_seconds else f"{point.cost:.4g}"
    low, high = point.interval
    yield f"recommended ({point.rule}): {', '.join(point.features)}"
    yield f"from {point.method}, penalty {point.penalty:.3g}, {point.k} features"
    ratio = f"{point.speedup:.3g} times cheaper than all features" if point.cost else "free"
    yield f"cost, {point.charge}: {cost}, {ratio}"
    yield f"target: {result.settings.target}"
    yield (
        f"{point.measure} on rows that were not used to choose: {point.accuracy:.4f} "
        f"({point.coverage:.0%} interval {low:.4f} to {high:.4f}); the most accurate set: "
        f"{point.best_accuracy:.4f}"
    )
    if point.measure == "R²":
        yield (
            f"root mean squared error: {max(0.0, 1 - point.accuracy) ** 0.5:.4f} standard deviations of "
            "the target"
        )
