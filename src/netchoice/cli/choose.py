"""The main command: which model made this network, or each network of a cohort? And its preparation."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from typer import Argument, Option
from typer.core import TyperCommand, TyperOption

import netchoice
from netchoice.cli import options
from netchoice.cli.common import app, print_result, say
from netchoice.errors import UsageError, one_line
from netchoice.interruption import STARTED
from netchoice.storage.run_folder import RECORD
from netchoice.storage.shards import MANIFEST
from netchoice.units import count, seconds_of

#: Values of options for one network that were not given, unless they are None.
_USUAL = {"method": (), "costs": "reference", "verbose": False}
#: Options of choose that its help shows first.
_FIRST = {
    "space", "match", "reference", "features", "budget", "time_limit", "seed", "workers", "out", "verbose",
    "as_json",
}  # fmt: skip
_SPACE_HELP = (
    "Models to compare: a space, or models and mixtures such as dmc,dmr+lpa; module:attribute for your own. "
    "By default all mechanisms, density-matched."
)


class _TwoPanels(TyperCommand):
    """A command whose help shows most options in a second panel."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        for each in self.params:
            if isinstance(each, TyperOption) and each.name not in _FIRST:
                each.rich_help_panel = "Advanced"


@app.command(cls=_TwoPanels)
def choose(
    networks: Annotated[
        list[str],
        Argument(
            metavar="NETWORK…",
            help="A network file. For a cohort: several files, a folder, a pattern, a manifest, or a "
            "file of many networks.",
        ),
    ],
    space: Annotated[str | None, Option(help=_SPACE_HELP)] = None,
    match: Annotated[
        bool | None,
        Option(help="Simulate density-matched networks; by default without --space."),
    ] = None,
    reference: Annotated[
        Path | None,
        Option(help="Use simulations that netchoice prepare made.", **options.FOLDER),
    ] = None,
    features: options.Features = None,
    budget: options.Budget = None,
    time_limit: options.TimeLimit = None,
    method: options.Method = None,
    penalty: Annotated[float | None, Option(min=0, help="Select features with this λ.")] = None,
    costs: options.FeatureCosts = "reference",
    prior: options.Prior = None,
    isolated: options.IsolatedNodes = None,
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
    verbose: Annotated[
        bool, Option("--verbose", "-v", help="Print all that is known, not twelve lines.")
    ] = False,
    as_json: options.AsJson = False,
) -> None:
    """Choose the model that made this network, and test which models fit.

    Example: [bold]netchoice choose ito2001.txt[/bold]

    A cohort: [bold]netchoice choose brains/ --space duplication --out answers[/bold]

    To resume an interrupted run, run the same command again.
    """
    from netchoice.choice.settings import Clock
    from netchoice.io.collection import is_collection

    _refuse_results(networks)
    settings: dict[str, Any] = {
        "space": space, "match": match, "reference": reference,
        "features": options.split_list(features, "--features"), "prior": prior, "isolated": isolated,
        "seed": seed, "workers": workers, "engine": engine, "fresh": fresh, "on_progress": True,
    }  # fmt: skip
    for_one: dict[str, Any] = {
        "budget": budget, "method": options.split_list(method, "--method") or (), "penalty": penalty,
        "costs": costs, "time_limit": time_limit,
    }  # fmt: skip
    if len(networks) > 1 or is_collection(networks[0], header=False if columns else header):
        for name, value in {**for_one, "verbose": verbose}.items():
            if value != _USUAL.get(name):
                option = name.replace("_", "-")
                raise UsageError(f"--{option} is for one network; leave it out for a cohort")
        how = {
            "format": format,
            "header": header,
            "columns": options.split_list(columns, "--columns"),
        }
        folder = out or Path(f"{_name(networks[0])}-cohort")
        _choose_cohort(networks, how, folder, settings, as_json)
        return
    if time_limit is not None:  # reading is part of the command
        for_one["time_limit"] = Clock(seconds_of(time_limit, "--time-limit"), STARTED)
    graph, reading = options.read(networks[0], format, header, columns)
    folder = out or Path(f"{_name(networks[0])}-choice")
    settings |= {**for_one, "reading": reading}
    _choose_one(graph, folder, settings, verbose, as_json)


def _choose_one(
    graph: netchoice.Graph,
    folder: Path,
    settings: dict[str, Any],
    verbose: bool,
    as_json: bool,
) -> None:
    """Answer for one network, print the answer, and write figures and the report."""
    from netchoice.choice.text import answer_lines
    from netchoice.report import report_answer

    answer = netchoice.choose_model(graph, **settings, out=folder)
    if not as_json:  # before the report, which takes time
        say(*answer_lines(answer, verbose=verbose))
    report_answer(answer, folder)
    written = f"report.html, answer.json, figures and tables are in {folder}"
    print_result(as_json, answer.as_dict(), [written])


def _refuse_results(networks: Sequence[str]) -> None:
    """Refuse folders that netchoice wrote, which hold no networks to answer for."""
    for name in networks:
        if os.path.isdir(name) and any((Path(name) / each).exists() for each in (RECORD, MANIFEST)):
            raise UsageError(
                f"{name} holds results of netchoice and not networks; give networks, or show the results: "
                f"netchoice show {name}"
            )


def _name(network: str) -> str:
    """Return the name of a network or cohort for the folder of its answer."""
    name = Path(network.rpartition(":")[2].rstrip("*?[]/\\")).stem
    return name or "networks"


# Cohorts


def _choose_cohort(
    names: Sequence[str],
    reading: dict[str, Any],
    folder: Path,
    settings: dict[str, Any],
    as_json: bool,
) -> None:
    """Answer for each network of a cohort, and print what came out."""
    from netchoice.choice.cohort_summary import cohort_lines
    from netchoice.report import report_cohort

    collection = netchoice.io.find_networks(names, **reading)
    others = count(collection.left_out, "other file")
    left_out = f"; {others} left out" if collection.left_out else ""
    say(f"{count(len(collection), 'network')}{left_out}", err=as_json)
    for path in collection.special:
        say(one_line(f"{path}: a pipe, a socket or a device; left out"), err=as_json)
    _, record = report_cohort(collection, out=folder, networks=names, **settings)
    print_result(
        as_json, record,
        [*cohort_lines(record),
         f"report.html, summary.json, figures and tables are in {folder}"],
    )  # fmt: skip
    if not record["answered"]:
        raise typer.Exit(1)


@app.command()
def prepare(
    space: Annotated[str | None, Argument(help=_SPACE_HELP)] = None,
    nodes: Annotated[
        str | None,
        Option(
            "--nodes",
            "-n",
            metavar="N[,N…]",
            help="Number of nodes; several for several sizes; 240..375 for a range of sizes.",
        ),
    ] = None,
    like: options.Like = None,
    features: options.Features = None,
    prior: options.Prior = None,
    isolated: options.IsolatedNodes = None,
    workers: options.Workers = None,
    engine: options.Engine = "processes",
    seed: options.Seed = 1,
    out: options.OutFolder = None,
    fresh: options.Fresh = False,
) -> None:
    """Prepare simulations that answer for many networks of the same size.

    Example: [bold]netchoice prepare duplication --nodes 1000 --out duplication-1000[/bold]

    Networks with and without isolated nodes are compared with different simulations; both are prepared,
    unless --isolated names one. To resume an interrupted run, run the same command again.
    """
    folder = options.require(out, "--out", "duplication-1000")
    networks = [] if like is None else [netchoice.read_network(like)[0]]
    found = netchoice.prepare(
        space, options.split_list(nodes, "--nodes"), like=networks, prior=prior,
        features=options.split_list(features, "--features"), isolated=isolated, seed=seed,
        workers=workers, engine=engine, out=folder, fresh=fresh, on_progress=True,
    )  # fmt: skip
    say(
        f"prepared {', '.join(found.settings.space.labels)} for",
        *(f"  {size}" for size in found),
        f"use it with: netchoice choose NETWORK… --reference {folder}",
    )
