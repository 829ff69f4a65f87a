"""The command that writes a report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from netchoice.cli import options
from netchoice.cli.common import app, show


@app.command()
def report(
    folder: Annotated[
        Path,
        Argument(
            help="A folder that netchoice choose or netchoice evaluate made.", **options.FOLDER
        ),
    ],
    out: Annotated[
        Path | None, Option("--out", "-o", help="The file; report.html in the folder by default.")
    ] = None,
    overwrite: options.Overwrite = False,
    as_json: options.AsJson = False,
) -> None:
    """Write the HTML report of an answer or an evaluation again.

    Example: [bold]netchoice report ito2001-choice --out ito2001.html[/bold]

    The file is self-contained: open it from disk, or send it by mail.
    """
    from netchoice.report import write_report

    written = write_report(folder, out, overwrite=overwrite)
    record = {"folder": str(folder), "report": str(written), "bytes": written.stat().st_size}
    show(as_json, record, [f"report written to {written}; open it in a browser"])
