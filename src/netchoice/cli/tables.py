"""Commands about reference tables."""

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

table = typer.Typer(help="Look at reference tables.", rich_markup_mode="rich")
app.add_typer(table, name="table")

TablePath = Annotated[Path, typer.Argument(help="The folder of a reference table.")]


@app.command()
def simulate(
    space: Annotated[str, typer.Argument(help="A model space by name, or module:attribute.")],
    nodes: Annotated[
        int | None, typer.Option("--nodes", "-n", help="Nodes of each network.")
    ] = None,
    samples: Annotated[int, typer.Option("--samples", help="Rows of the table.")] = 1000,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Every row follows from it.")] = 1,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Folder of the table; taken up if it exists.")
    ] = None,
    features: Annotated[
        str | None,
        typer.Option("--features", metavar="NAME,…", help="Only these; all by default."),
    ] = None,
    stream: Annotated[
        str, typer.Option("--stream", help="Tables with different names share no randomness.")
    ] = "train",
    prior: Prior = None,
    isolated: IsolatedNodes = None,
    match: Match = None,
    workers: Annotated[
        int | None, typer.Option("--workers", min=1, help="Processes; one per core by default.")
    ] = None,
    engine: Annotated[
        str, typer.Option("--engine", help="serial, processes, or dask://HOST:PORT.")
    ] = "processes",
    row_timeout: Annotated[
        float | None,
        typer.Option("--row-timeout", min=0.001, help="Seconds after which a row is given up."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Simulate a reference table: networks from a model space, with features and costs.

    Example: [bold]netchoice simulate duplication --nodes 1000 --samples 5000 --out tables/train[/bold]

    Stopped with Ctrl-C or killed, the same command goes on where it was.
    """
    if out is None:
        raise UsageError("where to? Give --out, for example --out tables/train")
    chosen = netchoice.get_space(space).with_priors(assignments(prior or (), "--prior"))
    kept = None if isolated is None else isolated.value
    if match is not None:
        observed, _ = netchoice.read_network(match)
        nodes = observed.n_nodes if nodes is None else nodes
        chosen = chosen.matched_to(observed, isolated=kept)
    if nodes is None:
        raise UsageError("how many nodes? Give --nodes, for example --nodes 1000")
    names = None if features is None else [name.strip() for name in features.split(",")]
    with progress(f"simulating {chosen.name}") as on_progress:
        made = netchoice.simulate_table(
            chosen,
            n_nodes=nodes,
            n_samples=samples,
            seed=seed,
            features=names,
            engine=engine,
            workers=workers,
            path=out,
            stream=stream,
            isolated=kept,
            row_timeout=row_timeout,
            on_progress=on_progress,
        )
    if as_json:
        print_json(_record(made, out))
    else:
        _print_table(made, out)


@table.command()
def info(path: TablePath, as_json: AsJson = False) -> None:
    """Rows, labels, failures, features and costs of a table.

    Example: [bold]netchoice table info tables/train[/bold]
    """
    made = netchoice.ReferenceTable.load(path)
    if as_json:
        print_json(_record(made, path))
    else:
        _print_table(made, path)


@table.command()
def export(
    path: TablePath,
    out: Annotated[Path, typer.Argument(help="A .csv or .parquet file.")],
    as_json: AsJson = False,
) -> None:
    """Write labels, parameters and features of a table to one file.

    Example: [bold]netchoice table export tables/train train.csv[/bold]
    """
    made = netchoice.ReferenceTable.load(path)
    frame = made.X
    frame.insert(0, "label", made.y)
    for name, column in reversed(list(made.parameters.items())):
        frame.insert(1, f"parameter_{name}", column)
    try:
        if out.suffix == ".parquet":
            frame.to_parquet(out, index=False)
        elif out.suffix == ".csv":
            frame.to_csv(out, index=False)
        else:
            raise UsageError(f"{out}: expected a name that ends in .csv or .parquet")
    except OSError as error:
        raise netchoice.errors.NetchoiceError(f"cannot write {out}: {error.strerror}") from error
    if as_json:
        print_json({"out": str(out), "rows": len(frame), "columns": list(frame.columns)})
    else:
        say(f"{len(frame)} rows and {frame.shape[1]} columns written to {out}")


@table.command("import")
def bring_in(
    file: Annotated[Path, typer.Argument(help="A CSV file: labels and features, with a header.")],
    out: Annotated[Path, typer.Argument(help="Folder for the table.")],
    label: Annotated[str, typer.Option("--label", help="The column with the labels.")] = "label",
    costs: Annotated[
        Path | None, typer.Option("--costs", help="A CSV file: feature, cost; 0 by default.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Make a table of a CSV file that was made elsewhere, with a cost for each column.

    Example: [bold]netchoice table import data.csv tables/mine --label diagnosis --costs costs.csv[/bold]
    """
    made = netchoice.ReferenceTable.from_csv(file, label, costs=costs)
    made.save(out)
    if as_json:
        print_json({"path": str(out), "rows": len(made), "features": made.features})
    else:
        say(f"{len(made)} rows with {len(made.features)} features kept in {out}")


def _record(made: netchoice.ReferenceTable, path: Path) -> dict[str, Any]:
    together = made.costs.cost_of_set(made.features, "shared")
    return {
        "path": str(path),
        "rows": len(made),
        "labels": {str(label): int(n) for label, n in made.y.value_counts().sort_index().items()},
        "failures": made.failures.to_dict("records"),
        "features": made.features,
        "seconds": made.costs.alone(made.features),
        "seconds_together": together,
        "space": made.manifest["space"],
        "n_nodes": made.manifest["n_nodes"],
        "seed": made.manifest.get("seed"),
    }


def _print_table(made: netchoice.ReferenceTable, path: Path) -> None:
    record = _record(made, path)
    labels = ", ".join(f"{label} {n}" for label, n in record["labels"].items())
    say(f"{path}: {record['rows']} rows ({labels}), {len(record['features'])} features")
    nodes = record["n_nodes"]
    say(f"space {record['space']['name']}, {nodes} nodes, seed {record['seed']}")
    for failure in record["failures"][:5]:
        say(f"row {failure['row']} failed: {failure['failure']}")
    if len(record["failures"]) > 5:
        say(f"… {len(record['failures'])} rows failed in all")
    most_expensive = sorted(record["seconds"].items(), key=lambda item: -item[1])
    shown = ", ".join(f"{name} {duration(seconds)}" for name, seconds in most_expensive[:5])
    say(f"most expensive features, alone: {shown}")
    say(
        f"all features of a network, shared steps paid once: {duration(record['seconds_together'])}"
    )
