"""The command that compiles the kernels."""

from __future__ import annotations

import typer

from netchoice.cli import options
from netchoice.cli.common import app, show


@app.command()
def warmup(workers: options.Processes = None, as_json: options.AsJson = False) -> None:
    """Compile all numerical kernels now, so that later commands start faster.

    Example: [bold]netchoice warmup[/bold]
    """
    from netchoice.warmup import warm_up

    def progress(name: str, compiled: bool, ready: int, total: int) -> None:
        status = "compiled" if compiled else "was ready"
        typer.echo(f"[{ready}/{total}] {name} {status}", err=True)

    compiled = warm_up(workers, progress)
    new = [name for name, is_new in compiled.items() if is_new]
    text = f"{len(compiled)} kernels ready, {len(new)} of them compiled now"
    show(as_json, {"compiled": new}, [text])
