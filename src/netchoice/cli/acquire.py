"""The command that computes features of a network one by one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Option

import netchoice
from netchoice.cli import options
from netchoice.cli.common import app, show, summary_line
from netchoice.units import duration

if TYPE_CHECKING:
    from netchoice.workflows import NetworkAcquisition

#: Why an acquisition stopped, in words.
REASONS = {
    "confident": "other features would hardly change the most probable model",
    "budget": "no informative feature is within the budget",
    "uninformative": "no other feature of the table is informative for this network",
}


@app.command()
def acquire(
    network: options.Network,
    table: Annotated[
        Path | None,
        Option(
            help="The folder of a table of networks with as many nodes; netchoice simulate makes one.",
            **options.FOLDER,
        ),
    ] = None,
    budget: options.Budget = None,
    confidence: Annotated[
        float, Option(help="Probability with which the model must remain the same.")
    ] = 0.95,
    costs: options.Costs = None,
    charge: options.Charge = "shared",
    format: options.Format = None,
    header: options.Header = None,
    columns: options.Columns = None,
    as_json: options.AsJson = False,
) -> None:
    """Compute features of a network one by one until they show which model made it.

    Example: [bold]netchoice acquire net.tsv --table tables/train --budget 5ms[/bold]

    Each step computes the feature with the most expected information per cost, given the values so far.
    """
    folder = options.require(table, "--table", "tables/train")
    graph, report = options.read(str(network), format, header, columns)
    found = netchoice.acquire_features(
        graph, folder, budget=budget, confidence=confidence, costs=costs, charge=charge
    )
    record = {"reading": report.as_dict(), "table": str(folder), **found.as_dict()}
    show(as_json, record, (*report.lines(), summary_line(graph), *_lines(found)))


def _lines(found: NetworkAcquisition) -> Iterator[str]:
    from netchoice.workflows.acquire import HEAD

    rows = [HEAD, *found.rows()]
    widths = [max(len(row[i]) for row in rows) for i in range(len(HEAD))]
    for name, *numbers, shares in rows:
        cells = [f"{text:>{width}}" for text, width in zip(numbers, widths[1:], strict=False)]
        yield "  ".join([f"{name:<{widths[0]}}", *cells, shares])
    for name, reason in found.failures.items():
        yield f"{name} failed: {reason}"
    done = found.acquisition
    cost = duration(done.cost) if found.in_seconds else f"{done.cost:.4g}"
    yield f"stopped: {REASONS[done.stopped]}"
    yield (
        f"most probable: {found.model}, {found.probabilities[found.model]:.1%}; expected cost {cost}, "
        f"measured {duration(sum(found.measured))}"
    )
