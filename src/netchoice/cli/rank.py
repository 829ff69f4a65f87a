"""Commands that rank features."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

import netchoice
from netchoice.cli.common import AsJson, app, print_json, say
from netchoice.costs import CHARGES, SCALES, CostModel
from netchoice.errors import UsageError
from netchoice.storage.manifest import TableError
from netchoice.units import duration, in_seconds

Label = Annotated[str, typer.Option("--label", help="The column with the labels of a CSV table.")]
Costs = Annotated[
    str | None,
    typer.Option(
        "--costs",
        metavar="measured|paper|FILE",
        help="Costs: those measured in the table, the paper's (also paper:ba, paper:duplication), "
        "or a CSV or JSON file.",
    ),
]
Seed = Annotated[
    int, typer.Option("--seed", min=0, max=2**32 - 1, help="Of whatever is drawn at random.")
]


@app.command()
def rank(
    table: Annotated[Path, typer.Argument(help="The folder of a reference table, or a CSV file.")],
    method: Annotated[
        str, typer.Option("--method", "-m", help="jmi, mrmr, jmim, relieff, … (see the docs).")
    ] = "jmi",
    penalty: Annotated[
        float, typer.Option("--penalty", min=0, help="λ: how much cost weighs.")
    ] = 0.0,
    costs: Costs = None,
    charge: Annotated[
        str, typer.Option("--charge", help="alone, or shared: common steps are paid once.")
    ] = "alone",
    cost_scale: Annotated[
        str, typer.Option("--cost-scale", help="share (of the sum of costs), or raw.")
    ] = "share",
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

    A CSV file with a column of labels will do as well: [bold]netchoice rank patients.csv --label
    diagnosis --costs costs.csv --penalty 0.5[/bold]
    """
    from netchoice.selection import get_selector

    given = {
        "penalty": penalty, "charge": charge, "cost_scale": cost_scale, "random_state": seed,
        "n_jobs": workers,
    }  # fmt: skip
    selector = get_selector(method, **given)
    for option, value, allowed in (("charge", charge, CHARGES), ("cost-scale", cost_scale, SCALES)):
        if value not in allowed:
            raise UsageError(f"--{option} {value!r}; expected {' or '.join(allowed)}")
    if estimator is not None and "estimator" not in selector.get_params():
        raise UsageError(f"{method} has no --estimator: it does not use mutual information")
    made = load_table(table, label)
    check_finite(made, table)
    varying = made.drop_constant()
    if not varying.features:
        raise UsageError(f"all {len(made.features)} features of {table} are constant")
    model, source = costs_of(varying, costs)
    if model is None and penalty > 0:
        typer.echo("netchoice: there are no costs, so the penalty changes nothing", err=True)
        selector.set_params(penalty=0.0)
    selector.set_params(costs=model)
    if estimator is not None:
        selector.set_params(estimator=estimator)
    if "discrete_features" in selector.get_params() and varying.features:
        selector.set_params(discrete_features=[varying.discrete[n] for n in varying.features])
    selector.fit(varying.X, varying.y)
    record = {
        "table": str(table),
        "rows": len(varying),
        "method": method,
        "penalty": penalty,
        "charge": charge,
        "cost_scale": cost_scale,
        "costs": source,
        "seed": seed,
        "ranking": list(selector.ranking_names_),
        "features": _lines(selector.steps_, model, charge),
        "constant": [name for name in made.features if name not in set(varying.features)],
    }
    if as_json:
        print_json(record)
    else:
        _print(record)


def check_finite(table: netchoice.ReferenceTable, path: Path) -> None:
    """Refuse missing and infinite values, naming the first column that has some."""
    for name, column in table.X.items():
        bad = int((~np.isfinite(column.to_numpy(dtype=float))).sum())
        if bad:
            raise UsageError(
                f"{path}: {bad} values of {name!r} are missing or infinite; leave out those rows or "
                "that column"
            )


def load_table(path: Path, label: str) -> netchoice.ReferenceTable:
    """A reference table from its folder, or from a CSV file."""
    if not path.exists():
        raise TableError(f"{path} does not exist; expected the folder of a table, or a CSV file")
    if path.is_dir():
        return netchoice.ReferenceTable.load(path)
    return netchoice.ReferenceTable.from_csv(path, label)


def costs_of(table: netchoice.ReferenceTable, costs: str | None) -> tuple[CostModel | None, str]:
    """Costs as the option asks for them, and their name."""
    names = table.features
    if costs in (None, "measured"):
        if any(table.costs.alone(names).values()):
            return table.costs, "measured"
        if costs is None:
            return None, "none"
        raise UsageError("no costs were measured in this table; give --costs FILE")
    assert costs is not None
    kind, _, family = costs.partition(":")
    if kind == "paper":
        family = family or str(table.manifest["space"]["name"])
        if family not in netchoice.features.paper.FAMILIES:
            raise UsageError(
                f"the paper has no costs for {family!r}; say which: --costs paper:ba or "
                "paper:duplication"
            )
        return CostModel.of(netchoice.paper_costs(family)), f"paper:{family}"
    return CostModel.from_file(costs), costs


def _lines(steps: Any, costs: CostModel | None, charge: str) -> list[dict[str, Any]]:
    """The ranking, with costs in their own unit."""
    lines = []
    names = list(steps["feature"])
    for i, step in enumerate(steps.to_dict("records")):
        del step["cost"]
        if costs is not None:
            step["cost"] = costs.marginal_cost(names[i], names[:i], charge)
            step["cumulative_cost"] = costs.cost_of_set(names[: i + 1], charge)
        step["score"] = step["score"] if math.isfinite(step["score"]) else None
        lines.append({"position": i + 1, **step})
    return lines


def _print(record: dict[str, Any]) -> None:
    say(
        f"{record['table']}: {record['rows']} rows, {len(record['ranking'])} features ranked by "
        f"{record['method']}, penalty {record['penalty']:g}, costs: {record['costs']}, "
        f"charged {record['charge']}"
    )
    if record["constant"]:
        say(f"left out because constant: {', '.join(record['constant'])}")
    lines = record["features"]
    terms = [t for t in ("relevance", "redundancy", "interaction", "partner") if t in lines[0]]
    seconds = in_seconds(record["costs"])
    show = duration if seconds else "{:.4g}".format
    with_costs = "cost" in lines[0]
    width = max(len("feature"), *(len(name) for name in record["ranking"]))
    head = f"{'':>4}  {'feature':<{width}} {'score':>9}" + "".join(f" {t:>11}" for t in terms)
    say(head + (f" {'cost':>10} {'so far':>10}" if with_costs else ""))
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
