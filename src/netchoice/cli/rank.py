"""The command that ranks features."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

import netchoice
from netchoice.cli.common import AsJson, app, print_json, say
from netchoice.cli.options import Charge, Costs, CostScale, Label, Seed
from netchoice.units import duration


@app.command()
def rank(
    table: Annotated[Path, typer.Argument(help="The folder of a reference table, or a CSV file.")],
    method: Annotated[
        str, typer.Option("--method", "-m", help="jmi, mrmr, jmim, relieff, … (see the docs).")
    ] = "jmi",
    penalty: Annotated[
        float, typer.Option("--penalty", min=0, help="λ, the weight of cost against information.")
    ] = 0.0,
    costs: Costs = None,
    charge: Charge = "alone",
    cost_scale: CostScale = "share",
    estimator: Annotated[
        str | None,
        typer.Option("--estimator", help="Of mutual information: calibrated, published, plugin."),
    ] = None,
    label: Label = "label",
    seed: Seed = 0,
    workers: Annotated[
        int | None, typer.Option("--workers", min=1, help="Threads; one by default.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Rank the features of a table by information minus penalty times cost.

    Example: [bold]netchoice rank tables/train --method jmi --penalty 1 --charge shared[/bold]

    The table can also be a CSV file with a column of labels: [bold]netchoice rank patients.csv
    --label diagnosis --costs costs.csv --penalty 0.5[/bold]
    """
    ranking = netchoice.rank_features(
        table,
        method,
        penalty=penalty,
        costs=costs,
        charge=charge,
        cost_scale=cost_scale,
        estimator=estimator,
        label=label,
        seed=seed,
        workers=workers,
    )
    if ranking.costs == "none" and penalty > 0:
        typer.echo("netchoice: there are no costs, so the penalty changes nothing", err=True)
    record = {"table": str(table), **ranking.as_dict()}
    if as_json:
        print_json(record)
    else:
        _print(record, ranking.in_seconds)


def _print(record: dict[str, Any], in_seconds: bool) -> None:
    say(
        f"{record['table']}: {record['rows']} rows, {len(record['ranking'])} features ranked by "
        f"{record['method']}, penalty {record['penalty']:g}, costs: {record['costs']}, "
        f"charged {record['charge']}"
    )
    if record["constant"]:
        say(f"left out because constant: {', '.join(record['constant'])}")
    lines = record["features"]
    terms = [t for t in ("relevance", "redundancy", "interaction", "partner") if t in lines[0]]
    show = duration if in_seconds else "{:.4g}".format
    with_costs = "cost" in lines[0]
    width = max(len("feature"), *(len(name) for name in record["ranking"]))
    head = f"{'':>4}  {'feature':<{width}} {'score':>9}" + "".join(f" {t:>11}" for t in terms)
    say(head + (f" {'cost':>10} {'cumulative':>10}" if with_costs else ""))
    for line in lines:
        text = f"{line['position']:>4}  {line['feature']:<{width}} {_short(line['score']):>9}"
        text += "".join(f" {_short(line[t]):>11}" for t in terms)
        if with_costs:
            text += f" {show(line['cost']):>10} {show(line['cumulative_cost']):>10}"
        say(text)


def _short(number: float | None) -> str:
    if number is None:
        return "-∞"
    return f"{number:.4f}" if abs(number) < 1e4 else f"{number:.3g}"
