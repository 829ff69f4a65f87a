"""The main command: which model made this network?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

import netchoice
from netchoice.cli import options
from netchoice.cli.common import app, say
from netchoice.cli.progress import stages
from netchoice.units import seconds_of


@app.command()
def choose(
    network: Annotated[
        str, Argument(help="A network file, or yeast:uetz2000, yeast:ito2001, yeast:yu2008.")
    ],
    space: Annotated[
        str, Option(help="A model space by name, or module:attribute.")
    ] = "duplication",
    models: Annotated[
        str | None, Option(metavar="NAME,…", help="Models to compare instead of a space.")
    ] = None,
    match: Annotated[bool, Option("--match", help="Use density-matched simulations.")] = False,
    samples: Annotated[
        int | None, Option(min=100, help="Number of simulations for inference; 20,000 by default.")
    ] = None,
    features: Annotated[
        str | None, Option(metavar="NAME,…", help="Features to use; by default they are selected.")
    ] = None,
    purpose: Annotated[
        str,
        Option("--for", metavar="model|parameters|both", help="What features are selected for."),
    ] = "both",
    method: Annotated[str, Option(metavar="NAME,…", help="Methods that select features.")] = "jmi",
    penalty: Annotated[
        float | None, Option(min=0, help="λ; by default many values are tried.")
    ] = None,
    budget: options.Budget = None,
    time_limit: Annotated[str | None, Option(help="Time for the simulations: 60s, 5min.")] = None,
    inference: Annotated[
        str | None, Option(help="regression (default), forest or neighbours.")
    ] = None,
    no_local: Annotated[
        bool,
        Option(
            "--no-local",
            help="Judge the fit on simulations from the priors, not near the network: faster, less exact.",
        ),
    ] = False,
    prior: options.Prior = None,
    isolated: options.IsolatedNodes = None,
    format: options.Format = None,
    header: options.Header = None,
    workers: options.Workers = None,
    engine: options.Engine = "processes",
    seed: options.SimulationSeed = 1,
    out: Annotated[
        Path | None, Option("--out", "-o", help="Folder of the answer; NAME-choice by default.")
    ] = None,
    fresh: Annotated[
        bool, Option("--fresh", help="Delete an earlier run in the folder, and start over.")
    ] = False,
    no_report: options.NoReport = False,
    as_json: options.AsJson = False,
) -> None:
    """Choose the model that made this network, and test whether any model fits.

    Example: [bold]netchoice choose ito2001.txt --space duplication[/bold]

    To resume an interrupted run, run the same command again.
    """
    from netchoice.report import report_choice

    graph, reading = options.read(network, format, header)
    isolated_nodes = None if isolated is None else isolated.value
    names = options.split_list(models, "--models")
    chosen = netchoice.get_space(space)
    if names is not None:
        chosen = netchoice.ModelSpace("chosen", [netchoice.get_model(name) for name in names])
    chosen = chosen.with_priors(options.assignments(prior, "--prior"))
    if match:
        chosen = chosen.matched_to(graph, isolated=isolated_nodes)
    folder = out or Path(f"{Path(network.rpartition(':')[2]).stem}-choice")
    if not as_json:
        say(*reading.lines())
    with stages("simulating ({})") as on_progress:
        choice = report_choice(
            graph, chosen, path=folder, report=not no_report, samples=samples,
            features=options.split_list(features, "--features"), purpose=purpose,
            method=options.split_list(method, "--method") or (), penalty=penalty, budget=budget,
            time_limit=None if time_limit is None else seconds_of(time_limit, "--time-limit"),
            inference=inference, isolated=isolated_nodes, seed=seed, workers=workers, engine=engine,
            fresh=fresh, reading=reading, on_progress=on_progress,
            local=not no_local,
        )  # fmt: skip
    if as_json:
        typer.echo(choice.to_json())
        return
    report = "" if no_report else "report.html, "
    say(choice.summary(), f"{report}choice.json, tables and figures are in {folder}")
