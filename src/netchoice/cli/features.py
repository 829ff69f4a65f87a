"""Commands for features and their costs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

import netchoice
from netchoice.cli.common import AsJson, Format, Header, app, print_json, say
from netchoice.errors import UsageError
from netchoice.features import FEATURES, STEPS, Feature, FeatureResult
from netchoice.features.plan import plan
from netchoice.features.registry import find
from netchoice.units import duration


@app.command()
def features(
    network: Annotated[
        Path | None, typer.Argument(help="A network file; without it, list the features.")
    ] = None,
    format: Format = None,
    header: Header = None,
    only: Annotated[
        str | None,
        typer.Option(
            "--only",
            metavar="NAME,…",
            help="Only these features: names, or module:attribute for your own.",
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option("--seed", min=0, help="Compute the noise features too, with this seed."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the features, or compute them on a network and print the cost of each.

    Example: [bold]netchoice features net.tsv --only transitivity,n_triangles[/bold]

    The cost is the CPU time to compute the feature alone, with all shared steps that it uses.
    """
    chosen = _chosen(only)
    if network is None:
        _list([find(name) for name in chosen or FEATURES], as_json)
        return
    import numpy as np

    graph, report = netchoice.read_network(network, format, header=header)
    rng = None if seed is None else np.random.default_rng(seed)
    result = netchoice.compute_features(graph, chosen, rng=rng, repeat_short=True)
    if as_json:
        print_json({"reading": report.as_dict(), **result.as_dict()})
    else:
        for line in report.lines():
            say(line)
        _print_result(result)
    for name, reason in result.failures.items():
        typer.echo(f"netchoice: {name} failed: {reason}", err=True)
    if result.values and all(name in result.failures for name in result.values):
        raise typer.Exit(1)


def _chosen(only: str | None) -> list[str] | None:
    if only is None:
        return None
    names = [name.strip() for name in only.split(",") if name.strip()]
    if not names:
        raise UsageError(
            "--only is empty; expected names, for example --only transitivity,n_triangles"
        )
    return names


def _list(listed: list[Feature], as_json: bool) -> None:
    together = plan(tuple(listed))
    records: list[dict[str, Any]] = []
    for item in listed:
        steps = {name: STEPS[name].growth for name in together.lineage[item.name] if name in STEPS}
        records.append(
            {
                "name": item.name,
                "definition": item.definition,
                "discrete": item.discrete,
                "steps": steps,
                "growth": item.growth,
                "version": item.version,
            }
        )
    if as_json:
        print_json({"features": records})
        return
    for record in records:
        kind = "discrete" if record["discrete"] else "continuous"
        say(f"{record['name']} ({kind})")
        say(f"    {record['definition']}")
        used = ", ".join(f"{name} ({growth})" for name, growth in record["steps"].items())
        own = record["growth"] or "not stated"
        say(f"    own time grows as {own}; shared steps and their growth: {used or 'none'}")


def _print_result(result: FeatureResult) -> None:
    say(f"{'feature':26}{'value':>18}{'cost alone':>14}")
    for name in sorted(result.values, key=lambda name: -result.seconds[name]):
        shown = "failed" if name in result.failures else f"{result.values[name]:.10g}"
        say(f"{name:26}{shown:>18}{duration(result.seconds[name]):>14}")
    say(f"all together, shared steps paid once: {duration(result.total_seconds)}")
