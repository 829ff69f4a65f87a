"""The command that ranks features."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer
from typer import Argument, Option

import netchoice
from netchoice.cli import options
from netchoice.cli.common import app, show
from netchoice.units import duration


@app.command()
def rank(
    table: Annotated[
        Path, Argument(help="The folder of a reference table, or a CSV file.", **options.FOLDER)
    ],
    method: Annotated[
        str, Option("--method", "-m", help="jmi, mrmr, jmim, relieff, … (see the docs).")
    ] = "jmi",
    penalty: Annotated[
        float, Option(min=0, help="λ, the weight of cost against information.")
    ] = 0.0,
    costs: options.Costs = None,
    charge: options.Charge = "alone",
    cost_scale: options.CostScale = "share",
    estimator: Annotated[
        str | None, Option(help="Estimator of information: calibrated, published or plugin.")
    ] = None,
    label: options.Label = "label",
    target: options.Target = "auto",
    rows: options.Rows = None,
    seed: options.Seed = 0,
    workers: Annotated[int | None, Option(min=1, help="Threads; one by default.")] = None,
    as_json: options.AsJson = False,
) -> None:
    """Rank the features of a table by information minus penalty times cost.

    Example: [bold]netchoice rank tables/train --method jmi --penalty 1 --charge shared[/bold]

    The table can also be a CSV file with a column of labels or numbers: [bold]netchoice rank
    patients.csv --label diagnosis --costs costs.csv --penalty 0.5[/bold]
    """
    ranking = netchoice.rank_features(
        table, method, penalty=penalty, costs=costs, charge=charge, cost_scale=cost_scale,
        estimator=estimator, label=label, target=target, rows=rows, seed=seed, workers=workers,
    )  # fmt: skip
    if ranking.costs == "none" and penalty > 0:
        typer.echo("netchoice: there are no costs, so the penalty changes nothing", err=True)
    record = {"table": str(table), **ranking.as_dict()}
    show(as_json, record, _lines(record, ranking.in_seconds))


def _lines(record: dict[str, Any], in_seconds: bool) -> Iterator[str]:
    yield (
        f"{record['table']}: {record['rows']} rows, {record['target']}; {len(record['ranking'])} "
        f"features ranked by {record['method']}, penalty {record['penalty']:g}, costs: {record['costs']}, "
        f"charged {record['charge']}"
    )
    if record["constant"]:
        yield f"left out because constant: {', '.join(record['constant'])}"
    features = record["features"]
    terms = [t for t in ("relevance", "redundancy", "interaction", "partner") if t in features[0]]
    cost_text = duration if in_seconds else "{:.4g}".format
    with_costs = "cost" in features[0]
    width = max(len("feature"), *(len(name) for name in record["ranking"]))
    head = f"{'':>4}  {'feature':<{width}} {'score':>9}" + "".join(f" {t:>11}" for t in terms)
    yield head + (f" {'cost':>10} {'cumulative':>10}" if with_costs else "")
    for row in features:
        text = f"{row['position']:>4}  {row['feature']:<{width}} {_short(row['score']):>9}"
        text += "".join(f" {_short(row[t]):>11}" for t in terms)
        if with_costs:
            text += f" {cost_text(row['cost']):>10} {cost_text(row['cumulative_cost']):>10}"
        yield text


def _short(number: float | None) -> str:
    if number is None:
        return "-∞"
    return f"{number:.4f}" if abs(number) < 1e4 else f"{number:.3g}"
