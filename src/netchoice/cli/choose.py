"""The main command: which model made this network, or each network of a cohort?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from typer import Argument, Option

import netchoice
from netchoice.cli import options
from netchoice.cli.common import app, say
from netchoice.errors import UsageError
from netchoice.interruption import STARTED
from netchoice.units import seconds_of
from netchoice.warmup import warm_up_for

#: Options that a prepared chooser has decided. Models and features that are not built in must be named
#: again, and must be the same.
_DECIDED = {
    "match", "samples", "purpose", "method", "penalty", "budget", "time_limit", "inference", "no_local",
    "seed",
}  # fmt: skip
#: Options that a simulated table has decided.
_TABLE_DECIDED = {"match", "seed"}
_MODELS = ("space", "models", "mix", "thin", "prior")


@app.command()
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
    table: Annotated[
        Path | None,
        Option(
            help="Use the simulations of a table that netchoice simulate made, all or --samples of them.",
            **options.FOLDER,
        ),
    ] = None,
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
    seed: options.SimulationSeed = 1,
    out: Annotated[
        Path | None,
        Option(
            "--out",
            "-o",
            help="Folder of the answer; NAME-choice by default, NAME-cohort of a cohort.",
            **options.FOLDER,
        ),
    ] = None,
    fresh: Annotated[
        bool, Option("--fresh", help="Delete an earlier run in the folder, and start over.")
    ] = False,
    figures: options.Figures = options.FigureFormat.png,
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
        "isolated": None if isolated is None else isolated.value, "local": not no_local,
    }  # fmt: skip
    chosen = options.model_space(space, models, mix, thin, prior, options.DEFAULT_SPACE)
    chooser = _chooser(context, with_, table, chosen, settings)
    if out is not None and with_ is not None and out.resolve() == with_.resolve():
        raise UsageError("--out and --with name the same folder; give another folder to --out")
    run: dict[str, Any] = {"workers": workers, "engine": engine, "fresh": fresh}
    run["report"] = not no_report
    is_table = False if columns else header
    if only is None and (len(networks) > 1 or is_collection(networks[0], header=is_table)):
        from netchoice.cli.cohort import choose_cohort

        if figures is not options.FigureFormat.png:
            raise UsageError(
                "--figures writes the figures of one network; the figures of a cohort are in its report"
            )
        if chooser is None:
            chooser = netchoice.Chooser(chosen, match=match, **settings)
        folder = out or Path(f"{_name(networks[0])}-cohort")
        choosers = str(with_ or table or "")
        how: dict[str, Any] = {"format": format, "header": header}
        how["columns"] = options.split_list(columns, "--columns")
        choose_cohort(chooser, networks, how, folder, choosers, run, ranges, as_json)
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
    run |= {"path": folder, "reading": reading, "on_progress": True, "figures": figures.value}
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
