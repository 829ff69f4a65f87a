"""The command that prints what to write and to cite in a paper."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Annotated

from typer import Argument

from netchoice.cli import options
from netchoice.cli.common import app, show
from netchoice.errors import UsageError


@app.command()
def cite(
    folder: Annotated[
        Path | None,
        Argument(
            help="A folder that netchoice choose made, to describe its run.", **options.FOLDER
        ),
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Print a paragraph on methods and the publications to cite.

    Example: [bold]netchoice cite ito2001-choice[/bold]
    """
    from netchoice.report.folder import naming_damage, read_folder
    from netchoice.workflows.methods_text import methods_text, references

    record = None
    if folder is not None:
        results = read_folder(folder)
        if not results.is_choice:
            raise UsageError(f"{folder} holds an evaluation; expected a folder of netchoice choose")
        record = results.record
    with contextlib.nullcontext() if folder is None else naming_damage(folder):
        methods, cited = methods_text(record), references(record)
    lines = [methods, "", *(f"- {each}" for each in cited)]
    show(as_json, {"methods": methods, "references": cited}, lines)
