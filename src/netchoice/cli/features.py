"""Commands about features and their prices."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

import netchoice
from netchoice.cli.common import AsJson, app, print_json, say
from netchoice.errors import UsageError
from netchoice.features import FEATURES, Feature, FeatureResult, steps_of
from netchoice.features.registry import find


@app.command()
def features(
    network: Annotated[
        Path | None, typer.Argument(help="A network file; without it, features are listed.")
    ] = None,
    only: Annotated[
        str | None,
        typer.Option(
            "--only",
            metavar="NAME,…",
            help="Only these features, by name or yours as module:attribute.",
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option("--seed", min=0, help="Compute the noise features too.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the features, or compute them on a network with the price of each.

    Example: [bold]netchoice features net.tsv --only transitivity,n_triangles[/bold]

    The price is the CPU time to compute that feature alone, with every step it is computed from.
    """
    chosen = _chosen(only)
    if network is None:
        _list([find(name) for name in chosen or FEATURES], as_json)
        return
    import numpy as np

    graph, report = netchoice.read_network(network)
    rng = None if seed is None else np.random.default_rng(seed)
    result = netchoice.compute_features(graph, chosen, rng=rng, repeat_short=True)
    if as_json:
        print_json({"reading": report.as_dict(), **_record(result)})
        return
    for line in report.lines():
        say(line)
    _print_result(result)


def _chosen(only: str | None) -> list[str] | None:
    if only is None:
        return None
    names = [name.strip() for name in only.split(",") if name.strip()]
    if not names:
        raise UsageError("--only names no feature; for example --only transitivity,n_triangles")
    return names


def _list(listed: list[Feature], as_json: bool) -> None:
    records: list[dict[str, Any]] = [
        {
            "name": item.name,
            "definition": item.definition,
            "discrete": item.discrete,
            "steps": list(steps_of(item)),
            "growth": item.growth,
            "version": item.version,
        }
        for item in listed
    ]
    if as_json:
        print_json({"features": records})
        return
    for record in records:
        kind = "discrete" if record["discrete"] else "continuous"
        say(f"{record['name']} ({kind})")
        say(f"    {record['definition']}")
        steps = ", ".join(record["steps"]) or "none"
        say(f"    steps: {steps}; own growth: {record['growth'] or 'not stated'}")


def _record(result: FeatureResult) -> dict[str, Any]:
    values = {name: None if name in result.failures else v for name, v in result.values.items()}
    return {
        "values": values,
        "seconds": result.seconds,
        "own_seconds": result.own_seconds,
        "step_seconds": result.step_seconds,
        "failures": result.failures,
    }


def _print_result(result: FeatureResult) -> None:
    say(f"{'feature':26}{'value':>18}{'price alone':>14}")
    for name in sorted(result.values, key=lambda name: -result.seconds[name]):
        shown = "failed" if name in result.failures else f"{result.values[name]:.10g}"
        say(f"{name:26}{shown:>18}{_duration(result.seconds[name]):>14}")
    for name, reason in result.failures.items():
        say(f"{name} failed: {reason}")
    together = sum(result.step_seconds.values()) + sum(result.own_seconds.values())
    say(f"all together, shared steps paid once: {_duration(together)}")


def _duration(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e6:.3g} µs"
