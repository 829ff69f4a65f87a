"""Commands that simulate, show, export and import reference tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer
from typer import Argument, Option

import netchoice
from netchoice.cli import options
from netchoice.cli.common import app, show
from netchoice.errors import UsageError
from netchoice.units import duration

tables = typer.Typer(help="Show, export and import reference tables.", rich_markup_mode="rich")
app.add_typer(tables, name="table")

TablePath = Annotated[Path, Argument(help="The folder of a reference table.", **options.FOLDER)]


@app.command()
def simulate(
    space: options.Space = None,
    nodes: Annotated[
        int | None, Option("--nodes", "-n", help="Number of nodes of each network.")
    ] = None,
    samples: Annotated[int, Option(help="Number of rows of the table.")] = 1000,
    seed: Annotated[int, Option(min=0, help="Seed of all rows.")] = 1,
    out: Annotated[
        Path | None,
        Option("--out", "-o", help="Folder of the table; resumed if it exists.", **options.FOLDER),
    ] = None,
    features: Annotated[
        str | None, Option(metavar="NAME,…", help="Compute only these features; all by default.")
    ] = None,
    stages: Annotated[
        str | None,
        Option(
            metavar="NAME=SHARE,…",
            help="Compute expensive features on a share of the rows only: estrada_index=0.2.",
        ),
    ] = None,
    stream: Annotated[
        str, Option(help="Tables with different streams share no randomness.")
    ] = "train",
    mix: options.Mix = None,
    thin: options.Thin = None,
    prior: options.Prior = None,
    isolated: options.IsolatedNodes = None,
    match: options.Match = None,
    workers: options.Processes = None,
    engine: options.Engine = "processes",
    row_timeout: Annotated[
        float | None, Option(min=0.001, help="Time limit of a row in seconds.")
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Simulate a reference table: networks from a model space, with features and costs.

    Example: [bold]netchoice simulate duplication --nodes 1000 --samples 5000 --out tables/train[/bold]

    If the command was stopped or killed, run it again to resume.
    """
    if out is None:
        raise UsageError("--out is missing; pass a folder, for example --out tables/train")
    chosen = options.model_space(space, None, mix, thin, prior)
    treatment = None if isolated is None else isolated.value
    if match is not None:
        observed, _ = netchoice.read_network(match)
        nodes = observed.n_nodes if nodes is None else nodes
        chosen = chosen.matched_to(observed, isolated=treatment)
    if nodes is None:
        raise UsageError("--nodes is missing; pass a number, for example --nodes 1000")
    names = None if features is None else [name.strip() for name in features.split(",")]
    table = netchoice.simulate_table(
        chosen, n_nodes=nodes, n_samples=samples, seed=seed, features=names,
        stages=_shares(stages), engine=engine, workers=workers, path=out, stream=stream,
        isolated=treatment, row_timeout=row_timeout, on_progress=True,
    )  # fmt: skip
    _show(table, out, as_json)


@tables.command()
def info(path: TablePath, as_json: options.AsJson = False) -> None:
    """Show rows, labels, failures, features and costs of a table.

    Example: [bold]netchoice table info tables/train[/bold]
    """
    _show(netchoice.ReferenceTable.load(path), path, as_json)


@tables.command()
def export(
    path: TablePath,
    out: Annotated[Path, Argument(help="A .csv or .parquet file.")],
    overwrite: options.Overwrite = False,
    as_json: options.AsJson = False,
) -> None:
    """Write labels, parameters and features of a table to one file.

    Example: [bold]netchoice table export tables/train train.csv[/bold]
    """
    frame = netchoice.ReferenceTable.load(path).export(out, overwrite=overwrite)
    record = {"out": str(out), "rows": len(frame), "columns": list(frame.columns)}
    text = f"wrote {len(frame)} rows and {frame.shape[1]} columns to {out}"
    show(as_json, record, [text])


@tables.command("import")
def import_table(
    file: Annotated[Path, Argument(help="A CSV file with a header: labels and features.")],
    out: Annotated[Path, Argument(help="Folder of the new table.", **options.FOLDER)],
    label: Annotated[str, Option(help="The column of labels.")] = "label",
    costs: Annotated[
        Path | None, Option(help="A CSV or JSON file with a cost for each feature; 0 by default.")
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Make a reference table from a CSV file, with a cost for each feature.

    Example: [bold]netchoice table import data.csv tables/mine --label diagnosis --costs costs.csv[/bold]
    """
    table = netchoice.ReferenceTable.from_csv(file, label, costs=costs)
    table.save(out)
    record = {"path": str(out), "rows": len(table), "features": table.features}
    text = f"wrote {len(table)} rows with {len(table.features)} features to {out}"
    show(as_json, record, [text])


def _shares(text: str | None) -> dict[str, float]:
    """Return the shares of rows by feature, from a text such as ``estrada_index=0.2``."""
    shares = {}
    for part in [] if text is None else text.split(","):
        name, _, share = part.strip().partition("=")
        try:
            shares[name] = float(share)
        except ValueError:
            raise UsageError(
                f"--stages has {part!r}; expected a feature and a share, for example estrada_index=0.2"
            ) from None
    return shares


def _show(table: netchoice.ReferenceTable, path: Path, as_json: bool) -> None:
    record = {
        "path": str(path), "rows": len(table),
        "labels": {str(name): int(n) for name, n in table.y.value_counts().sort_index().items()},
        "stages": table.stages, "failures": table.failures.to_dict("records"),
        "not_computed": table.not_computed.to_dict("records"), "features": table.features,
        "seconds": table.costs.alone(table.features),
        "seconds_together": table.costs.cost_of_set(table.features, "shared"),
        **{name: table.manifest.get(name) for name in ("space", "n_nodes", "seed")},
    }  # fmt: skip
    show(as_json, record, _lines(record))


def _lines(record: dict[str, Any]) -> Iterator[str]:
    counts = ", ".join(f"{label} {n}" for label, n in record["labels"].items())
    yield f"{record['path']}: {record['rows']} rows ({counts}), {len(record['features'])} features"
    yield f"space {record['space']['name']}, {record['n_nodes']} nodes, seed {record['seed']}"
    for name, share in record["stages"].items():
        yield f"{name} is computed on {share:.0%} of the rows"
    failures = record["failures"]
    for failure in failures[:5]:
        yield f"row {failure['row']} failed: {failure['failure']}"
    if len(failures) > 5:
        yield f"… {len(failures)} rows failed in total"
    reasons = {each["feature"]: each["reason"] for each in reversed(record["not_computed"])}
    n_rows = Counter(each["feature"] for each in record["not_computed"])
    for name, reason in sorted(reasons.items()):
        yield f"{name} was not computed on {n_rows[name]} rows, for example: {reason}"
    most_expensive = sorted(record["seconds"].items(), key=lambda item: -item[1])[:5]
    shown = ", ".join(f"{name} {duration(cost)}" for name, cost in most_expensive)
    yield f"most expensive features, each alone: {shown}"
    together = duration(record["seconds_together"])
    yield f"all features of one network, each shared step paid once: {together}"
