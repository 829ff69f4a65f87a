"""The main command: which model made this network?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import netchoice
from netchoice.cli.common import AsJson, Format, Header, app, read, say
from netchoice.cli.models import IsolatedNodes, Prior, assignments
from netchoice.cli.options import Budget, Engine, NoReport, SimulationSeed, Workers, split_list
from netchoice.cli.progress import stages
from netchoice.units import seconds_of


@app.command()
def choose(
    network: Annotated[
        str, typer.Argument(help="A network file, or yeast:uetz2000, yeast:ito2001, yeast:yu2008.")
    ],
    space: Annotated[
        str, typer.Option("--space", help="A model space by name, or module:attribute.")
    ] = "duplication",
    models: Annotated[
        str | None,
        typer.Option("--models", metavar="NAME,…", help="Models to compare instead of a space."),
    ] = None,
    match: Annotated[
        bool, typer.Option("--match", help="Use density-matched simulations.")
    ] = False,
    samples: Annotated[
        int | None,
        typer.Option("--samples", min=100, help="Simulations that the answer is based on."),
    ] = None,
    features: Annotated[
        str | None,
        typer.Option("--features", metavar="NAME,…", help="Features to use; selected by default."),
    ] = None,
    method: Annotated[
        str, typer.Option("--method", metavar="NAME,…", help="How features are selected.")
    ] = "jmi",
    penalty: Annotated[
        float | None, typer.Option("--penalty", min=0, help="λ; many values by default.")
    ] = None,
    budget: Budget = None,
    time_limit: Annotated[
        str | None, typer.Option("--time-limit", help="Time for the simulations: 60s, 5min.")
    ] = None,
    inference: Annotated[
        str | None, typer.Option("--inference", help="neighbours, forest or regression.")
    ] = None,
    prior: Prior = None,
    isolated: IsolatedNodes = None,
    format: Format = None,
    header: Header = None,
    workers: Workers = None,
    engine: Engine = "processes",
    seed: SimulationSeed = 1,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Folder of the answer; NAME-choice by default."),
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Delete an earlier run in the folder, and start over.")
    ] = False,
    no_report: NoReport = False,
    as_json: AsJson = False,
) -> None:
    """Choose the model that made this network, and test whether any model fits.

    Example: [bold]netchoice choose ito2001.txt --space duplication[/bold]

    To resume an interrupted run, run the same command again.
    """
    from netchoice.report import report_choice

    graph, reading = read(network, format, header)
    isolated_nodes = None if isolated is None else isolated.value
    names = split_list(models, "--models", str)
    chosen = netchoice.get_space(space)
    if names is not None:
        chosen = netchoice.ModelSpace("chosen", [netchoice.get_model(name) for name in names])
    chosen = chosen.with_priors(assignments(prior or (), "--prior"))
    if match:
        chosen = chosen.matched_to(graph, isolated=isolated_nodes)
    folder = out or Path(f"{Path(network.rpartition(':')[2]).stem}-choice")
    if not as_json:
        for line in reading.lines():
            say(line)
    with stages("simulating ({})") as on_progress:
        choice = report_choice(
            graph,
            chosen,
            path=folder,
            report=not no_report,
            samples=samples,
            features=split_list(features, "--features", str),
            method=split_list(method, "--method", str) or (),
            penalty=penalty,
            budget=budget,
            time_limit=None if time_limit is None else seconds_of(time_limit, "--time-limit"),
            inference=inference,
            isolated=isolated_nodes,
            seed=seed,
            workers=workers,
            engine=engine,
            fresh=fresh,
            reading=reading,
            on_progress=on_progress,
        )
    if as_json:
        typer.echo(choice.to_json())
    else:
        say(choice.summary())
        say(
            f"{'' if no_report else 'report.html, '}choice.json, tables and figures are in {folder}"
        )
