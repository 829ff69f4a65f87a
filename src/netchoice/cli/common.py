"""What all commands share: the application, options, and how results are shown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

import netchoice

app = typer.Typer(
    name="netchoice",
    help="Which growth mechanism made this network?\n\n"
    "netchoice compares an observed network with networks grown by mechanistic models (preferential "
    "attachment, gene duplication, …). It selects network statistics by information and cost, and "
    "computes only the selected ones on most networks.",
    epilog="A first tour: [bold]netchoice models[/bold] lists the models; "
    "[bold]netchoice grow dmr --nodes 1000 --seed 1 -o net.tsv[/bold] grows a network; "
    "[bold]netchoice choose net.tsv[/bold] chooses a model for it.",
    add_completion=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]
Network = Annotated[Path, typer.Argument(help="A network file, in any format that is read.")]

Format = Annotated[
    str | None, typer.Option("--format", help=f"One of {', '.join(netchoice.io.FORMATS)}.")
]
Header = Annotated[
    bool | None,
    typer.Option("--header/--no-header", help="Is the first line of an edge list a header?"),
]


def read(
    name: str, format: str | None, header: bool | None
) -> tuple[netchoice.Graph, netchoice.ReadingReport]:
    """A network from a file, or one of the yeast networks by name."""
    if name.startswith("yeast:"):
        from netchoice import datasets

        return datasets.load(name)
    return netchoice.read_network(name, format=format, header=header)


def say(text: str) -> None:
    """A line on standard output."""
    typer.echo(text)


def print_json(record: dict[str, Any]) -> None:
    """One JSON object on standard output."""
    typer.echo(json.dumps(record, indent=2, ensure_ascii=False, allow_nan=False))


def print_summary(graph: netchoice.Graph) -> None:
    """A network in one line."""
    summary = graph.summary()
    say(
        f"{summary['nodes']} nodes, {summary['edges']} edges; mean degree "
        f"{summary['mean_degree']:.3g}, largest {summary['max_degree']}; "
        f"{summary['isolated_nodes']} isolated; {summary['components']} components, "
        f"the largest with {summary['largest_component']} nodes"
    )
