"""Commands for network files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import netchoice
from netchoice.cli.common import (
    AsJson,
    Format,
    Header,
    Network,
    app,
    print_json,
    print_summary,
    read,
    say,
)


@app.command()
def describe(
    network: Network,
    format: Format = None,
    header: Header = None,
    as_json: AsJson = False,
) -> None:
    """Read a network and print what was dropped and a summary of the rest.

    Example: [bold]netchoice describe net.tsv[/bold]
    """
    graph, report = read(str(network), format, header)
    if as_json:
        print_json({"reading": report.as_dict(), **graph.summary()})
        return
    for line in report.lines():
        say(line)
    print_summary(graph)


@app.command()
def convert(
    network: Network,
    out: Annotated[
        Path, typer.Argument(help="Output file: .tsv or .graphml, optionally with .gz.")
    ],
    format: Format = None,
    header: Header = None,
    as_json: AsJson = False,
) -> None:
    """Convert a network file in any format to an edge list or GraphML.

    Example: [bold]netchoice convert net.gml net.tsv[/bold]
    """
    graph, report = netchoice.read_network(network, format, header=header)
    netchoice.write_network(graph, out)
    if as_json:
        print_json({"reading": report.as_dict(), "out": str(out)})
        return
    for line in report.lines():
        say(line)
    say(f"written to {out}")
