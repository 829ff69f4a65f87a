"""The command that weighs accuracy against cost."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from netchoice.cli.common import AsJson, app, print_json, say
from netchoice.cli.options import (
    Budget,
    Charge,
    Costs,
    CostScale,
    Label,
    NoReport,
    Seed,
    Threads,
    require,
    split_list,
)
from netchoice.cli.progress import stages
from netchoice.units import duration

if TYPE_CHECKING:
    from netchoice.workflows import FeatureEvaluation


@app.command()
def evaluate(
    train: Annotated[Path, typer.Argument(help="Table to rank on: a folder, or a CSV file.")],
    test: Annotated[
        Path | None, typer.Argument(help="Table to test on; by default half of the first one.")
    ] = None,
    methods: Annotated[
        str | None,
        typer.Option(
            "--methods", metavar="NAME,…", help="By default the paper's and a random baseline."
        ),
    ] = None,
    penalties: Annotated[
        str,
        typer.Option(
            "--penalties", metavar="auto|paper|λ,…", help="Values of λ; auto suits the costs."
        ),
    ] = "auto",
    max_features: Annotated[
        int, typer.Option("--max-features", min=1, help="Evaluate sets of 1 to so many features.")
    ] = 15,
    classifier: Annotated[str, typer.Option("--classifier", help="knn or svm.")] = "knn",
    folds: Annotated[int, typer.Option("--folds", min=2, help="Cross-validation folds.")] = 10,
    budget: Budget = None,
    rule: Annotated[
        str | None,
        typer.Option("--rule", help="cheapest (as good as the best), budget (the best), or knee."),
    ] = None,
    costs: Costs = None,
    charge: Charge = "shared",
    cost_scale: CostScale = "share",
    label: Label = "label",
    seed: Seed = 0,
    workers: Threads = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Folder for tables and figures.")
    ] = None,
    no_report: NoReport = False,
    as_json: AsJson = False,
) -> None:
    """Show accuracy against cost for many rankings, and recommend a set of features.

    Example: [bold]netchoice evaluate tables/train tables/test --out results[/bold]

    To resume an interrupted evaluation, run the same command again.
    """
    from netchoice.report import report_evaluation

    require(out, "--out", "results")
    assert out is not None
    with stages(units={"ranking": "rankings", "evaluating": "rankings"}) as on_progress:
        result = report_evaluation(
            train,
            test,
            path=out,
            report=not no_report,
            methods=split_list(methods, "--methods", str),
            penalties=penalties
            if penalties in ("auto", "paper")
            else split_list(penalties, "--penalties", float) or (),
            max_features=max_features,
            classifier=classifier,
            folds=folds,
            rule=rule,
            budget=budget,
            costs=costs,
            charge=charge,
            cost_scale=cost_scale,
            label=label,
            seed=seed,
            workers=workers,
            on_progress=on_progress,
        )
    if as_json:
        print_json({**result.as_dict(), "out": str(out)})
    else:
        _print(result)
        say(f"{'' if no_report else 'report.html, '}tables and figures are in {out}")


def _print(result: FeatureEvaluation) -> None:
    point = result.recommended
    show = duration if result.in_seconds else "{:.4g}".format
    low, high = point.interval
    say(f"recommended ({point.rule}): {', '.join(point.features)}")
    say(f"from {point.method}, penalty {point.penalty:.3g}, {point.k} features")
    ratio = f"{point.speedup:.3g} times cheaper than all features" if point.cost else "free"
    say(f"cost, {point.charge}: {show(point.cost)}, {ratio}")
    say(
        f"accuracy on rows that were not used to choose: {point.accuracy:.4f} "
        f"({point.coverage:.0%} interval {low:.4f} to {high:.4f}); the most accurate set: "
        f"{point.best_accuracy:.4f}"
    )
