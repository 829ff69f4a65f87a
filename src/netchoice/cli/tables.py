"""Commands that simulate, show, export and import reference tables."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

import netchoice
from netchoice.cli.common import AsJson, app, print_json, say
from netchoice.cli.models import IsolatedNodes, Match, Prior, assignments
from netchoice.cli.progress import progress
from netchoice.errors import UsageError
from netchoice.units import duration

tables = typer.Typer(help="Show, export and import reference tables.", rich_markup_mode="rich")
app.add_typer(tables, name="table")

TablePath = Annotated[Path, typer.Argument(help="The folder of a reference table.")]


@app.command()
def simulate(
    space: Annotated[str, typer.Argument(help="A model space by name, or module:attribute.")],
    nodes: Annotated[
        int | None, typer.Option("--nodes", "-n", help="Number of nodes of each network.")
    ] = None,
    samples: Annotated[int, typer.Option("--samples", help="Number of rows of the table.")] = 1000,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of all rows.")] = 1,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Folder of the table; resumed if it exists.")
    ] = None,
    features: Annotated[
        str | None,
        typer.Option(
            "--features", metavar="NAME,…", help="Compute only these features; all by default."
        ),
    ] = None,
    stream: Annotated[
        str, typer.Option("--stream", help="Tables with different streams share no randomness.")
    ] = "train",
    prior: Prior = None,
    isolated: IsolatedNodes = None,
    match: Match = None,
    workers: Annotated[
        int | None,
        typer.Option("--workers", min=1, help="Number of processes; one per core by default."),
    ] = None,
    engine: Annotated[
        str, typer.Option("--engine", help="serial, processes, or dask://HOST:PORT.")
    ] = "processes",
    row_timeout: Annotated[
        float | None,
        typer.Option("--row-timeout", min=0.001, help="Time limit of a row in seconds."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Simulate a reference table: networks from a model space, with features and costs.

    Example: [bold]netchoice simulate duplication --nodes 1000 --samples 5000 --out tables/train[/bold]

    If the command was stopped or killed, run it again to resume.
    """
    if out is None:
        raise UsageError("--out is missing; pass a folder, for example --out tables/train")
    chosen = netchoice.get_space(space).with_priors(assignments(prior or (), "--prior"))
    treatment = None if isolated is None else isolated.value
    if match is not None:
        observed, _ = netchoice.read_network(match)
        nodes = observed.n_nodes if nodes is None else nodes
        chosen = chosen.matched_to(observed, isolated=treatment)
    if nodes is None:
        raise UsageError("--nodes is missing; pass a number, for example --nodes 1000")
    names = None if features is None else [name.strip() for name in features.split(",")]
    with progress(f"simulating {chosen.name}") as on_progress:
        table = netchoice.simulate_table(
            chosen,
            n_nodes=nodes,
            n_samples=samples,
            seed=seed,
            features=names,
            engine=engine,
            workers=workers,
            path=out,
            stream=stream,
            isolated=treatment,
            row_timeout=row_timeout,
            on_progress=on_progress,
        )
    _show(table, out, as_json)


@tables.command()
def info(path: TablePath, as_json: AsJson = False) -> None:
    """Show rows, labels, failures, features and costs of a table.

    Example: [bold]netchoice table info tables/train[/bold]
    """
    _show(netchoice.ReferenceTable.load(path), path, as_json)


@tables.command()
def export(
    path: TablePath,
    out: Annotated[Path, typer.Argument(help="A .csv or .parquet file.")],
    as_json: AsJson = False,
) -> None:
    """Write labels, parameters and features of a table to one file.

    Example: [bold]netchoice table export tables/train train.csv[/bold]
    """
    frame = netchoice.ReferenceTable.load(path).export(out)
    if as_json:
        print_json({"out": str(out), "rows": len(frame), "columns": list(frame.columns)})
    else:
        say(f"wrote {len(frame)} rows and {frame.shape[1]} columns to {out}")


@tables.command("import")
def import_table(
    file: Annotated[Path, typer.Argument(help="A CSV file with a header: labels and features.")],
    out: Annotated[Path, typer.Argument(help="Folder of the new table.")],
    label: Annotated[str, typer.Option("--label", help="The column of labels.")] = "label",
    costs: Annotated[
        Path | None,
        typer.Option(
            "--costs", help="A CSV or JSON file with a cost for each feature; 0 by default."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Make a reference table from a CSV file, with a cost for each feature.

    Example: [bold]netchoice table import data.csv tables/mine --label diagnosis --costs costs.csv[/bold]
    """
    table = netchoice.ReferenceTable.from_csv(file, label, costs=costs)
    table.save(out)
    if as_json:
        print_json({"path": str(out), "rows": len(table), "features": table.features})
    else:
        say(f"wrote {len(table)} rows with {len(table.features)} features to {out}")


def _show(table: netchoice.ReferenceTable, path: Path, as_json: bool) -> None:
    labels = {str(label): int(n) for label, n in table.y.value_counts().sort_index().items()}
    failures = table.failures.to_dict("records")
    seconds = table.costs.alone(table.features)
    together = table.costs.cost_of_set(table.features, "shared")
    space, n_nodes, seed = (table.manifest.get(name) for name in ("space", "n_nodes", "seed"))
    if as_json:
        record: dict[str, Any] = {
            "path": str(path), "rows": len(table), "labels": labels, "failures": failures,
            "features": table.features, "seconds": seconds, "seconds_together": together,
            "space": space, "n_nodes": n_nodes, "seed": seed,
        }  # fmt: skip
        print_json(record)
        return
    counts = ", ".join(f"{label} {n}" for label, n in labels.items())
    say(f"{path}: {len(table)} rows ({counts}), {len(table.features)} features")
    say(f"space {table.manifest['space']['name']}, {n_nodes} nodes, seed {seed}")
    for failure in failures[:5]:
        say(f"row {failure['row']} failed: {failure['failure']}")
    if len(failures) > 5:
        say(f"… {len(failures)} rows failed in total")
    most_expensive = sorted(seconds.items(), key=lambda item: -item[1])[:5]
    shown = ", ".join(f"{name} {duration(cost)}" for name, cost in most_expensive)
    say(f"most expensive features, each alone: {shown}")
    say(f"all features of one network, each shared step paid once: {duration(together)}")
