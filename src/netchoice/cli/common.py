"""The application, and how commands print."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import typer

import netchoice
from netchoice.errors import printable
from netchoice.units import count

app = typer.Typer(
    name="netchoice",
    help="Which growth mechanism made this network?\n\n"
    "netchoice compares an observed network with networks grown by mechanistic models (preferential "
    "attachment, gene duplication, …). It selects the cheapest set of "
    "network statistics that distinguishes the models.",
    epilog="A first tour: [bold]netchoice show models[/bold] lists the models; "
    "[bold]netchoice grow dmr --nodes 1000 -o net.tsv[/bold] grows a network; "
    "[bold]netchoice choose net.tsv[/bold] chooses a model for it.",
    add_completion=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def say(*lines: str, err: bool = False) -> None:
    """Print lines on standard output, or on standard error; all that commands print passes here.

    A line break inside a line, for example in the name of a file, is printed as a code.
    """
    for line in lines:
        typer.echo(printable(line), err=err)


def print_result(as_json: bool, record: dict[str, Any], lines: Iterable[str]) -> None:
    """Print one JSON object, or lines of text, on standard output.

    The object is in ASCII, so that it is the same in every encoding of the output.
    """
    if as_json:
        lines = json.dumps(record, indent=2, allow_nan=False).splitlines()
    say(*lines)


def summary_line(graph: netchoice.Graph) -> str:
    """Return the summary of a network in one line."""
    summary = graph.summary()
    return (
        f"{count(summary['nodes'], 'node')}, {count(summary['edges'], 'edge')}; mean degree "
        f"{summary['mean_degree']:.3g}, largest {summary['max_degree']}; "
        f"{summary['isolated_nodes']} isolated; {count(summary['components'], 'component')}, "
        f"the largest with {count(summary['largest_component'], 'node')}"
    )
