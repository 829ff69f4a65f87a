"""Cohorts: answers for many networks, and choosers that are prepared once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Argument, Option

import netchoice
from netchoice.cli import options
from netchoice.cli.common import app, say, show
from netchoice.errors import UsageError, one_line
from netchoice.progress import stages
from netchoice.threads import count_threads
from netchoice.units import count, duration, seconds_of

if TYPE_CHECKING:  # at run time it would load scipy for every command
    from netchoice.workflows.sizes import Size


def choose_cohort(
    chooser: netchoice.Chooser,
    names: Sequence[str],
    reading: dict[str, Any],
    folder: Path,
    given: str,
    run: dict[str, Any],
    ranges: bool,
    as_json: bool,
) -> None:
    """Answer for each network of a cohort, and print what came out.

    ``reading`` are the options of find_networks. ``given`` is the chooser that the user named;
    without one, each size is prepared in the folder of the cohort.
    """
    from netchoice.report import report_cohort

    collection = netchoice.io.find_networks(names, **reading)
    others = count(collection.left_out, "other file")
    left_out = f"; {others} left out" if collection.left_out else ""
    _tell(as_json, f"{count(len(collection), 'network')}{left_out}")
    for path in collection.special:
        _tell(as_json, one_line(f"{path}: a pipe, a socket or a device; left out"))
    with stages("{}", {"sizes": "networks", "answers": "networks"}) as on_progress:
        sizes = None
        if not given:
            sizes = _prepare_sizes(chooser, collection, folder, run, ranges, as_json, on_progress)
            given = str(chooser.path)
        _, record = report_cohort(
            chooser,
            collection,
            path=folder,
            sizes=sizes,
            given=given,
            networks=names,
            on_progress=on_progress,
            **run,
        )
    if as_json:
        show(True, record, ())
        return
    report = "report.html, " if run["report"] else ""
    say(
        record["headline"], *record["notes"],
        f"{report}answers.csv, answers.parquet and features.parquet are in {folder}",
    )  # fmt: skip


def _tell(as_json: bool, line: str) -> None:
    """Print a line, on standard error if standard output is JSON."""
    typer.echo(line, err=as_json)


def _prepare_sizes(
    chooser: netchoice.Chooser,
    collection: Any,
    folder: Path,
    run: dict[str, Any],
    ranges: bool,
    as_json: bool,
    on_progress: Any,
) -> list[Size | None]:
    """Prepare the sizes of all networks in the folder, and say before what it will take."""
    from netchoice.workflows.choose_cohort import (
        estimated_seconds,
        needed_sizes,
        open_own_chooser,
        sizes_of,
    )
    from netchoice.workflows.sizes import in_order

    sizes = sizes_of(chooser, collection, on_progress)
    limit = chooser.plan.max_direct_nodes
    if ranges:
        sizes = [
            size if size is None or chooser.match or size.range.ends[1] > limit else size.range
            for size in sizes
        ]
    needed = needed_sizes(sizes)
    if not needed:
        return sizes
    path = open_own_chooser(chooser, folder, run["fresh"])
    known = {*chooser.sizes_}
    missing = [size for size in needed if size not in known]
    listed = "; ".join(f"{n} with {size}" for size, n in list(needed.items())[:5])
    more = f"; and {len(needed) - 5} other sizes" if len(needed) > 5 else ""
    _tell(as_json, f"sizes: {listed}{more}")
    if missing:
        workers = run["workers"] or count_threads(-1)
        middle = in_order(missing)[len(missing) // 2]
        each = estimated_seconds(chooser.space, chooser.plan, middle, workers)
        _tell(
            as_json,
            f"{len(missing)} of {len(needed)} sizes are not prepared; each takes about {duration(each)}, "
            f"all about {duration(each * len(missing))}; they are kept in {path}",
        )
        fewer = {size.range for size in missing}
        if not ranges and len(missing) > 2 * len(fewer) and not chooser.match:
            _tell(
                as_json,
                f"with --ranges, {len(fewer)} ranges of sizes serve for all of them, in about "
                f"{duration(each * len(fewer))}; docs/cohorts.md says how exact they are",
            )
    chooser.fit(
        missing, path=path, workers=run["workers"], engine=run["engine"], on_progress=on_progress
    )
    return sizes


@app.command()
def prepare(
    space: Annotated[
        str | None,
        Argument(help="A model space by name, or module:attribute; duplication by default."),
    ] = None,
    nodes: Annotated[
        str | None,
        Option(
            "--nodes",
            "-n",
            metavar="N[,N…]",
            help="Number of nodes; several for several sizes; 240..375 for a range of sizes.",
        ),
    ] = None,
    models: options.Models = None,
    mix: options.Mix = None,
    thin: options.Thin = None,
    table: Annotated[
        Path | None,
        Option(
            help="Use the simulations of a table that netchoice simulate made, all or --samples of them.",
            **options.FOLDER,
        ),
    ] = None,
    match: options.Match = None,
    samples: options.Samples = None,
    features: options.Features = None,
    purpose: options.Purpose = "both",
    method: options.Method = "jmi",
    penalty: options.Penalty = None,
    budget: options.Budget = None,
    time_limit: options.TimeLimit = None,
    inference: options.Inference = None,
    no_local: options.NoLocal = False,
    prior: options.Prior = None,
    isolated: options.IsolatedNodes = None,
    workers: options.Workers = None,
    engine: options.Engine = "processes",
    seed: options.SimulationSeed = 1,
    out: Annotated[
        Path | None, Option("--out", "-o", help="Folder of the chooser.", **options.FOLDER)
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Prepare a chooser: simulations that answer for many networks of the same size.

    Example: [bold]netchoice prepare duplication --nodes 1000 --out duplication-1000[/bold]

    Networks with and without isolated nodes are compared with different simulations; both are prepared,
    unless --isolated names one. To resume an interrupted run, run the same command again.
    """
    folder = options.require(out, "--out", "duplication-1000")
    settings: dict[str, Any] = {
        "features": options.split_list(features, "--features"), "purpose": purpose,
        "method": options.split_list(method, "--method") or (), "penalty": penalty,
        "budget": budget, "inference": inference, "local": not no_local,
        "time_limit": None if time_limit is None else seconds_of(time_limit, "--time-limit"),
    }  # fmt: skip
    with stages("simulating ({})") as on_progress:
        if table is not None:
            if nodes is not None or match is not None:
                raise UsageError("--table is given, so --nodes and --match must be left out")
            simulated = netchoice.ReferenceTable.load(str(table), draw=samples)
            chooser = netchoice.Chooser.from_table(simulated, **settings)
            chooser.save(folder)
        else:
            settings |= {"samples": samples, "seed": seed}
            settings["isolated"] = None if isolated is None else isolated.value
            graphs: list[Any] = []
            if match is not None:
                graphs.append(netchoice.read_network(match)[0])
            elif nodes is None:
                raise UsageError("--nodes is missing; give it, for example --nodes 1000")
            numbers = options.split_list(nodes, "--nodes")
            chosen = options.model_space(space, models, mix, thin, prior, options.DEFAULT_SPACE)
            chooser = netchoice.Chooser(
                chosen, n_nodes=numbers, match=match is not None, **settings
            )
            chooser.fit(
                graphs, path=folder, workers=workers, engine=engine, on_progress=on_progress
            )
    reports = [chooser.describe(size) for size in chooser.sizes_]
    lines = [line for report in reports for line in report["lines"]]
    use = f"use it with: netchoice choose NETWORK… --with {folder}"
    show(as_json, {"out": str(folder), "sizes": reports}, [*lines, use])
