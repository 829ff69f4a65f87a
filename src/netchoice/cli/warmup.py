"""The command that compiles the kernels."""

from __future__ import annotations

from typing import Annotated

import typer

from netchoice.cli.common import AsJson, app, print_json, say


@app.command()
def warmup(
    workers: Annotated[
        int | None,
        typer.Option("--workers", min=1, help="Number of processes; one per core by default."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Compile all numerical kernels now, so that later commands start faster.

    Example: [bold]netchoice warmup[/bold]
    """
    from netchoice.warmup import warm_up

    def progress(name: str, compiled: bool, ready: int, total: int) -> None:
        status = "compiled" if compiled else "was ready"
        typer.echo(f"[{ready}/{total}] {name} {status}", err=True)

    compiled = warm_up(workers, progress)
    if as_json:
        print_json({"compiled": [name for name, new in compiled.items() if new]})
    else:
        say(f"{len(compiled)} kernels ready, {sum(compiled.values())} of them compiled now")
