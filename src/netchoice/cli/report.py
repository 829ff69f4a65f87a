"""The command that writes a report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from netchoice.cli.common import AsJson, app, print_json, say


@app.command()
def report(
    folder: Annotated[
        Path, typer.Argument(help="A folder that netchoice choose or netchoice evaluate made.")
    ],
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="The file; report.html in the folder by default."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write the HTML report of an answer or an evaluation again.

    Example: [bold]netchoice report ito2001-choice --out ito2001.html[/bold]

    The file is self-contained: open it from disk, or send it by mail.
    """
    from netchoice.report import write_report

    written = write_report(folder, out)
    if as_json:
        print_json({"folder": str(folder), "report": str(written), "bytes": written.stat().st_size})
    else:
        say(f"report written to {written}; open it in a browser")
