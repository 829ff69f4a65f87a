"""The main command: which model made this network, or each network of a cohort? And its preparation."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Argument, Option
from typer.core import TyperCommand, TyperOption

import netchoice
from netchoice.cli import options
from netchoice.cli.common import app, print_result, say
from netchoice.errors import UsageError, one_line
from netchoice.interruption import STARTED
from netchoice.progress import stages
from netchoice.threads import count_threads
from netchoice.units import count, duration, seconds_of
from netchoice.warmup import warm_up_for

if TYPE_CHECKING:  # at run time it would load scipy for every command
    from netchoice.workflows.sizes import Size

#: Options that a prepared chooser has decided. Models and features that are not built in must be named
#: again, and must be the same.
_DECIDED = {
    "match", "samples", "purpose", "method", "penalty", "budget", "time_limit", "inference", "no_local",
    "seed",
}  # fmt: skip
#: Options that a simulated table has decided.
_TABLE_DECIDED = {"match", "seed"}
_MODELS = ("space", "models", "mix", "thin", "prior")

#: Options of choose that its help shows first.
_FIRST = {
    "space", "with_", "match", "samples", "features", "budget", "time_limit", "seed", "workers", "out",
    "as_json",
}  # fmt: skip


class _TwoPanels(TyperCommand):
    """A command whose help shows most options in a second panel."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        for each in self.params:
            if isinstance(each, TyperOption) and each.name not in _FIRST:
                each.rich_help_panel = "Advanced"


@app.command(cls=_TwoPanels)
def choose(
    context: typer.Context,
    networks: Annotated[
        list[str],
        Argument(
            metavar="NETWORK…",
            help="A network file. For a cohort: several files, a folder, a pattern, a manifest, or a "
            "file of many networks.",
        ),
    ],
    space: Annotated[
        str | None,
        Option(help="A model space by name, or module:attribute; duplication by default."),
    ] = None,
    models: options.Models = None,
    mix: options.Mix = None,
    thin: options.Thin = None,
    with_: Annotated[
        Path | None,
        Option("--with", help="Use a chooser that netchoice prepare made.", **options.FOLDER),
    ] = None,
    table: options.Table = None,
    match: Annotated[bool, Option("--match", help="Use density-matched simulations.")] = False,
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
    ranges: Annotated[
        bool,
        Option(
            "--ranges", help="Prepare ranges of sizes for a cohort with many sizes, not each size."
        ),
    ] = False,
    only: Annotated[
        str | None, Option(metavar="ID", help="Of a cohort, choose for this network alone.")
    ] = None,
    format: options.Format = None,
    header: options.Header = None,
    columns: options.Columns = None,
    workers: options.Workers = None,
    engine: options.Engine = "processes",
    seed: options.Seed = 1,
    out: Annotated[
        Path | None,
        Option(
            "--out",
            "-o",
            help="Folder of the answer; NAME-choice by default, NAME-cohort of a cohort.",
            **options.FOLDER,
        ),
    ] = None,
    fresh: options.Fresh = False,
    figures: options.Figures = "png",
    no_report: options.NoReport = False,
    as_json: options.AsJson = False,
) -> None:
    """Choose the model that made this network, and test whether any model fits.

    Example: [bold]netchoice choose ito2001.txt --space duplication[/bold]

    A cohort: [bold]netchoice choose brains/ --with prepared-300 --out answers[/bold]

    To resume an interrupted run, run the same command again.
    """
    from netchoice.io import is_collection

    settings: dict[str, Any] = {
        "samples": samples, "features": options.split_list(features, "--features"),
        "purpose": purpose, "method": options.split_list(method, "--method") or (),
        "penalty": penalty, "budget": budget, "inference": inference, "seed": seed,
        "time_limit": None if time_limit is None else seconds_of(time_limit, "--time-limit"),
        "isolated": isolated, "local": not no_local,
    }  # fmt: skip
    chosen = options.model_space(space, models, mix, thin, prior, options.DEFAULT_SPACE)
    chooser = _chooser(context, with_, table, chosen, settings)
    if out is not None and with_ is not None and out.resolve() == with_.resolve():
        raise UsageError("--out and --with name the same folder; give another folder to --out")
    run: dict[str, Any] = {"workers": workers, "engine": engine, "fresh": fresh}
    run["report"] = not no_report
    is_table = False if columns else header
    if only is None and (len(networks) > 1 or is_collection(networks[0], header=is_table)):
        if figures != "png":
            raise UsageError(
                "--figures writes the figures of one network; the figures of a cohort are in its report"
            )
        if chooser is None:
            chooser = netchoice.Chooser(chosen, match=match, **settings)
        folder = out or Path(f"{_name(networks[0])}-cohort")
        choosers = str(with_ or table or "")
        how: dict[str, Any] = {"format": format, "header": header}
        how["columns"] = options.split_list(columns, "--columns")
        _choose_cohort(chooser, networks, how, folder, choosers, run, ranges, as_json)
        return

    from netchoice.report import report_choice
    from netchoice.workflows import TimeLimit

    if engine == "processes":
        warm_up_for(chosen, workers)  # what reads a network, too
    graph, reading = options.read_one(networks, only, format, header, columns)
    folder = out or Path(f"{_name(only or networks[0])}-choice")
    if not as_json:
        say(*reading.lines())
    if match and chooser is None:
        chosen = chosen.matched_to(graph, isolated=settings["isolated"])
    if settings["time_limit"] is not None:  # reading is part of the command
        settings["time_limit"] = TimeLimit(settings["time_limit"], started=STARTED)
    run |= {"path": folder, "reading": reading, "on_progress": True, "figures": figures}
    if not as_json:
        run["on_answer"] = lambda choice: say(choice.summary())
    if chooser is not None:
        choice = report_choice(graph, chooser=chooser, **run)
    else:
        choice = report_choice(graph, chosen, **settings, **run)
    if as_json:
        typer.echo(choice.to_json())
        return
    report = "" if no_report else "report.html, "
    say(f"{report}choice.json, tables and figures are in {folder}")


def _name(network: str) -> str:
    """Return the name of a network or cohort for the folder of its answer."""
    name = Path(network.rpartition(":")[2].rstrip("*?[]/\\")).stem
    return name or "networks"


def _chooser(
    context: typer.Context, folder: Path | None, table: Path | None, chosen: netchoice.ModelSpace,
    settings: dict[str, Any],
) -> netchoice.Chooser | None:  # fmt: skip
    """Return the chooser that the user names; refuse options that it has decided."""

    def is_given(name: str) -> bool:
        return getattr(context.get_parameter_source(name), "name", "") == "COMMANDLINE"

    if folder is None and table is None:
        return None
    if folder is not None and table is not None:
        raise UsageError("--with and --table are given; expected one of them")
    for name in sorted(_DECIDED if table is None else _TABLE_DECIDED):
        if is_given(name):
            option = "--for" if name == "purpose" else f"--{name.replace('_', '-')}"
            raise UsageError(
                f"{option} is given, but the simulations of {folder or table} were made before; leave it "
                "out, or leave out --with and --table"
            )
    models = chosen if any(map(is_given, _MODELS)) else None
    if folder is not None:
        chooser = netchoice.Chooser.load(folder, models, settings["features"])
    else:
        kept = {
            key: value
            for key, value in settings.items()
            if key not in {*_TABLE_DECIDED, "isolated", "samples"}
        }
        simulated = netchoice.ReferenceTable.load(str(table), draw=settings["samples"])
        chooser = netchoice.Chooser.from_table(simulated, models, **kept)
    if settings["isolated"] is not None:
        chooser.isolated = settings["isolated"]
    return chooser


# Cohorts


def _choose_cohort(
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
        print_result(True, record, ())
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
    table: options.Table = None,
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
    seed: options.Seed = 1,
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
            settings["isolated"] = isolated
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
    print_result(as_json, {"out": str(folder), "sizes": reports}, [*lines, use])
