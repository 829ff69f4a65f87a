"""A report of what a folder holds, made again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from netchoice.cli.common import AsJson, app, print_json, say

NoReport = Annotated[
    bool, typer.Option("--no-report", help="Leave out the report, one HTML file of some 5 MB.")
]


@app.command()
def report(
    folder: Annotated[
        Path, typer.Argument(help="A folder that netchoice choose or netchoice evaluate made.")
    ],
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="The file; report.html in the folder if absent."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Make the HTML report of an answer or an evaluation once more.

    Example: [bold]netchoice report ito2001-choice --out ito2001.html[/bold]

    One file that needs nothing else: open it from disk, or send it by mail.
    """
    made = write(folder, out)
    if as_json:
        print_json({"folder": str(folder), "report": str(made), "bytes": made.stat().st_size})
    else:
        say(f"report in {made}: open it in a browser")


def write(folder: Path, out: Path | None = None) -> Path:
    """The report of a folder."""
    from netchoice.report import write_report

    return write_report(folder, out)
