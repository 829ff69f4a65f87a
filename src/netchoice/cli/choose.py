"""The main job: which model made this network?"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

import netchoice
from netchoice.cli.common import AsJson, Format, Header, app, read, say
from netchoice.cli.models import IsolatedNodes, Prior, assignments
from netchoice.cli.progress import progress
from netchoice.cli.report import NoReport, write
from netchoice.errors import NetchoiceError, UsageError
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
        bool, typer.Option("--match", help="Only simulations as dense as the network.")
    ] = False,
    samples: Annotated[
        int | None, typer.Option("--samples", min=100, help="Simulations for the answer.")
    ] = None,
    features: Annotated[
        str | None,
        typer.Option("--features", metavar="NAME,…", help="Use these; selected by default."),
    ] = None,
    method: Annotated[
        str, typer.Option("--method", metavar="NAME,…", help="How features are selected.")
    ] = "jmi",
    penalty: Annotated[
        float | None, typer.Option("--penalty", min=0, help="λ; a whole range by default.")
    ] = None,
    budget: Annotated[
        str | None,
        typer.Option("--budget", help="Cost of the features per network: 5ms, or 2%."),
    ] = None,
    time_limit: Annotated[
        str | None, typer.Option("--time-limit", help="Of the simulations: 60s, 5min.")
    ] = None,
    inference: Annotated[
        str | None, typer.Option("--inference", help="neighbours, forest or regression.")
    ] = None,
    prior: Prior = None,
    isolated: IsolatedNodes = None,
    format: Format = None,
    header: Header = None,
    workers: Annotated[
        int | None, typer.Option("--workers", min=1, help="Processes; one per core by default.")
    ] = None,
    engine: Annotated[
        str, typer.Option("--engine", help="serial, processes, or dask://HOST:PORT.")
    ] = "processes",
    seed: Annotated[int, typer.Option("--seed", min=0, help="Everything follows from it.")] = 1,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Folder of the answer; NAME-choice if absent."),
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Start over.")] = False,
    no_report: NoReport = False,
    as_json: AsJson = False,
) -> None:
    """Which model made this network, how sure is that, and does any model fit at all?

    Example: [bold]netchoice choose ito2001.txt --space duplication[/bold]

    Stopped with Ctrl-C or killed, the same command goes on where it was.
    """
    graph, report = read(network, format, header)
    kept = None if isolated is None else isolated.value
    chosen = _space(space, models).with_priors(assignments(prior or (), "--prior"))
    if match:
        chosen = chosen.matched_to(graph, isolated=kept)
    folder = out or Path(f"{Path(network.rpartition(':')[2]).stem}-choice")
    if not as_json:
        for line in report.lines():
            say(line)
    with _stages() as on_progress:
        choice = netchoice.choose_model(
            graph,
            chosen,
            samples=samples,
            features=None if features is None else [n.strip() for n in features.split(",")],
            method=[name.strip() for name in method.split(",")],
            compare=() if no_report or time_limit else _compared(),
            penalty=penalty,
            budget=budget,
            time_limit=None if time_limit is None else seconds_of(time_limit, "--time-limit"),
            inference=inference,
            isolated=kept,
            seed=seed,
            workers=workers,
            engine=engine,
            path=folder,
            fresh=fresh,
            on_progress=on_progress,
        )
    try:
        (folder / "reading.json").write_text(json.dumps(report.as_dict(), indent=2) + "\n")
        netchoice.figures.draw_choice(choice, folder / "figures")
    except OSError as error:
        raise NetchoiceError(f"cannot write to {folder}: {error.strerror}") from error
    if not no_report:
        write(folder)
    if as_json:
        typer.echo(choice.to_json())
    else:
        say(choice.summary())
        told = "" if no_report else "report.html, "
        say(f"everything is in {folder}: {told}choice.json, tables, figures")


def _compared() -> list[str]:
    """For the report: the paper's methods, but for those that learn again for every penalty."""
    from netchoice.selection import METHODS

    return [name for name in list(METHODS)[:9] if not name.startswith("weighted")]


def _space(space: str, models: str | None) -> netchoice.ModelSpace:
    if models is None:
        return netchoice.get_space(space)
    names = [name.strip() for name in models.split(",") if name.strip()]
    if not names:
        raise UsageError("--models names no model; give names such as dmc,dmr,mine:my_model")
    return netchoice.ModelSpace("chosen", [netchoice.get_model(name) for name in names])


@contextmanager
def _stages() -> Iterator[Callable[[str, int, int, int], None]]:
    """A progress line of its own for each stage."""
    open_bars: dict[str, Any] = {}

    def update(stage: str, done: int, total: int, failed: int) -> None:
        if stage not in open_bars:
            for bar, _ in open_bars.values():
                bar.__exit__(None, None, None)
            open_bars.clear()
            bar = progress(f"simulating ({stage})")
            open_bars[stage] = (bar, bar.__enter__())
        open_bars[stage][1](done, total, failed)

    try:
        yield update
    finally:
        for bar, _ in open_bars.values():
            bar.__exit__(None, None, None)
