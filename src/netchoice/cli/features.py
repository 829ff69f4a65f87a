"""Commands for features and their costs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer
from typer import Argument, Option

import netchoice
from netchoice.cli import options
from netchoice.cli.common import app, show
from netchoice.features import FEATURES, STEPS, Feature, FeatureResult
from netchoice.features.registry import find, plan
from netchoice.units import duration


@app.command()
def features(
    network: Annotated[
        Path | None, Argument(help="A network file; without it, list the features.")
    ] = None,
    format: options.Format = None,
    header: options.Header = None,
    columns: options.Columns = None,
    only: Annotated[
        str | None,
        Option(
            metavar="NAME,…", help="Only these features: names, or module:attribute for your own."
        ),
    ] = None,
    seed: Annotated[
        int | None, Option(min=0, help="Compute the noise features too, with this seed.")
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """List the features, or compute them on a network and print the cost of each.

    Example: [bold]netchoice features net.tsv --only transitivity,n_triangles[/bold]

    The cost is the CPU time to compute the feature alone, with all shared steps that it uses.
    """
    expected = "names, for example --only transitivity,n_triangles"
    chosen = options.split_list(only, "--only", expected=expected)
    if network is None:
        records = _records([find(name) for name in chosen or FEATURES])
        show(as_json, {"features": records}, _descriptions(records))
        return
    import numpy as np

    graph, report = options.read(str(network), format, header, columns)
    rng = None if seed is None else np.random.default_rng(seed)
    result = netchoice.compute_features(graph, chosen, rng=rng, repeat_short=True)
    record = {"reading": report.as_dict(), **result.as_dict()}
    show(as_json, record, (*report.lines(), *_values(result)))
    for name, reason in result.failures.items():
        typer.echo(f"netchoice: {name} failed: {reason}", err=True)
    if result.values and all(name in result.failures for name in result.values):
        raise typer.Exit(1)


def _records(listed: list[Feature]) -> list[dict[str, Any]]:
    lineage = plan(tuple(listed)).lineage
    return [
        {
            "name": item.name, "definition": item.definition, "discrete": item.discrete,
            "steps": {name: STEPS[name].growth for name in lineage[item.name] if name in STEPS},
            "growth": item.growth, "version": item.version,
        }
        for item in listed
    ]  # fmt: skip


def _descriptions(records: list[dict[str, Any]]) -> Iterator[str]:
    for record in records:
        yield f"{record['name']} ({'discrete' if record['discrete'] else 'continuous'})"
        yield f"    {record['definition']}"
        used = ", ".join(f"{name} ({growth})" for name, growth in record["steps"].items())
        own = record["growth"] or "not stated"
        yield f"    own time grows as {own}; shared steps and their growth: {used or 'none'}"


def _values(result: FeatureResult) -> Iterator[str]:
    yield f"{'feature':26}{'value':>18}{'cost alone':>14}"
    for name in sorted(result.values, key=lambda name: -result.seconds[name]):
        shown = "failed" if name in result.failures else f"{result.values[name]:.10g}"
        yield f"{name:26}{shown:>18}{duration(result.seconds[name]):>14}"
    yield f"all together, shared steps paid once: {duration(result.total_seconds)}"
