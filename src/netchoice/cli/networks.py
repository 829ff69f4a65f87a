"""Commands for network files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Argument

import netchoice
from netchoice.cli import options
from netchoice.cli.common import app, show, summary_line


@app.command()
def describe(
    network: options.Network,
    format: options.Format = None,
    header: options.Header = None,
    columns: options.Columns = None,
    as_json: options.AsJson = False,
) -> None:
    """Read a network and print what was dropped and a summary of the rest.

    Example: [bold]netchoice describe net.tsv[/bold]
    """
    graph, report = options.read(str(network), format, header, columns)
    record = {"reading": report.as_dict(), **graph.summary()}
    show(as_json, record, (*report.lines(), summary_line(graph)))


@app.command()
def convert(
    network: options.Network,
    out: Annotated[Path, Argument(help="Output file: .tsv or .graphml, optionally with .gz.")],
    format: options.Format = None,
    header: options.Header = None,
    columns: options.Columns = None,
    overwrite: options.Overwrite = False,
    as_json: options.AsJson = False,
) -> None:
    """Convert a network file in any format to an edge list or GraphML.

    Example: [bold]netchoice convert net.gml net.tsv[/bold]
    """
    graph, report = options.read(str(network), format, header, columns)
    netchoice.write_network(graph, out, overwrite=overwrite)
    record = {"reading": report.as_dict(), "out": str(out)}
    show(as_json, record, (*report.lines(), f"written to {out}"))
