"""Commands for models."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

import netchoice
from netchoice.cli.common import AsJson, app, print_json, print_summary, say
from netchoice.errors import UsageError


class Isolated(StrEnum):
    """What to do with isolated nodes."""

    keep = "keep"
    drop = "drop"


Match = Annotated[
    Path | None,
    typer.Option(
        "--match", metavar="NETWORK", help="Match the density (edges per node) of this network."
    ),
]
Prior = Annotated[
    list[str] | None,
    typer.Option("--prior", metavar="NAME=DIST", help='For example "p_delete=uniform(0,1)".'),
]
IsolatedNodes = Annotated[
    Isolated | None,
    typer.Option(
        "--isolated",
        help="keep: grow to the number of nodes; drop: grow to that many non-isolated nodes and drop "
        "the others. Default: keep, or drop if an observed network (of choose, or --match) has none.",
    ),
]


@app.command()
def models(
    spaces: Annotated[
        list[str] | None,
        typer.Argument(metavar="[SPACE]...", help="Model spaces; by default all."),
    ] = None,
    match: Match = None,
    prior: Prior = None,
    isolated: IsolatedNodes = None,
    as_json: AsJson = False,
) -> None:
    """List model spaces, their models, parameters, priors and references.

    Example: [bold]netchoice models duplication[/bold]

    With --match, print the priors of the density-matched space and how many proposed networks match.
    """
    from netchoice.models.builtin import SPACES

    shown = [netchoice.get_space(name) for name in spaces or SPACES]
    if prior:
        shown = [space.with_priors(assignments(prior, "--prior")) for space in shown]
    rates: dict[str, dict[str, float]] = {}
    if match is not None:
        observed, _ = netchoice.read_network(match)
        matched = [space.matched_to(observed, isolated=isolated) for space in shown]
        rates = {space.name: space.acceptance_rates() for space in matched}
        shown = list(matched)
    records = [_space_record(space, rates.get(space.name)) for space in shown]
    if as_json:
        print_json({"spaces": records})
    else:
        for record in records:
            _print_space(record)


def _space_record(space: netchoice.ModelSpace, rates: dict[str, float] | None) -> dict[str, Any]:
    records: list[dict[str, Any]] = []
    for model, weight in zip(space.models, space.weights, strict=True):
        record = {
            "name": model.name,
            "description": model.description,
            "weight": weight,
            "parameters": {
                name: {"prior": str(spec.prior), "meaning": spec.meaning}
                for name, spec in model.parameters.items()
            },
            "reference": model.reference,
        }
        if rates is not None:
            record["acceptance_rate"] = rates[model.name]
        records.append(record)
    return {"name": space.name, "models": records}


def _print_space(space: dict[str, Any]) -> None:
    say(f"space {space['name']}")
    for model in space["models"]:
        accepted = model.get("acceptance_rate")
        note = "" if accepted is None else f"; {accepted:.1%} of proposed networks match"
        say(f"  {model['name']:5} {model['description']}{note}")
        for name, spec in model["parameters"].items():
            say(f"        {name:15} {spec['prior']:25} {spec['meaning']}".rstrip())
        if model["reference"]:
            say(f"        {model['reference']}")
    say("")


@app.command()
def grow(
    model: Annotated[
        str, typer.Argument(help="Name of a model, or module:attribute for your own.")
    ],
    nodes: Annotated[int | None, typer.Option("--nodes", "-n", help="Number of nodes.")] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="NAME=VALUE", help="Value of a parameter; the others are drawn."
        ),
    ] = None,
    prior: Prior = None,
    seed: Annotated[
        int | None, typer.Option("--seed", min=0, help="By default random; it is always printed.")
    ] = None,
    isolated: IsolatedNodes = None,
    match: Match = None,
    out: Annotated[
        str | None,
        typer.Option(
            "--out", "-o", help="Output file: .tsv or .graphml, optionally with .gz; - to print."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Grow one network.

    Example: [bold]netchoice grow dmr --nodes 1000 --set p_delete=0.4 --seed 1 -o net.tsv[/bold]

    Parameters that are not set are drawn from their priors and printed.
    """
    import numpy as np

    if out == "-" and as_json:
        raise UsageError("--json and --out - both print to the screen; pass a file to --out")
    chosen = netchoice.get_model(model)
    chosen = chosen.with_priors(assignments(prior or (), "--prior"))
    chosen = chosen.with_priors(_numbers(settings or ()))
    kept = (isolated or Isolated.keep).value
    if match is not None:
        observed, _ = netchoice.read_network(match)
        nodes = observed.n_nodes if nodes is None else nodes
        space = netchoice.ModelSpace(chosen.name, [chosen]).matched_to(observed, isolated=isolated)
        chosen, kept = space[chosen.name], space.isolated
    if nodes is None:
        raise UsageError("the number of nodes is missing; pass it, for example --nodes 1000")
    if seed is None:
        seed = int(np.random.SeedSequence().entropy) % 2**32  # type: ignore[arg-type]
    rng = np.random.default_rng(seed)
    parameters = chosen.sample(rng)
    graph = chosen.grow(nodes, parameters, rng, isolated=kept)
    if out is not None and out != "-":
        netchoice.write_network(graph, out)
    record = {
        "model": chosen.name,
        "parameters": parameters,
        "seed": seed,
        "isolated": kept,
        "out": out,
        **graph.summary(),
    }
    if as_json:
        print_json(record)
        return
    values = ", ".join(f"{name}={value:.6g}" for name, value in parameters.items())
    line = f"grew {chosen.name} ({values}), seed {seed}, isolated nodes: {kept}"
    if out == "-":
        typer.echo(line, err=True)
        say(netchoice.io.edge_list_text(graph).rstrip("\n"))
        return
    say(line)
    print_summary(graph)
    say(f"written to {out}" if out else "not written; pass -o net.tsv to write it")


def assignments(texts: Iterable[str], option: str) -> dict[str, str]:
    """Parse texts of the form ``name=value`` from the command line."""
    pairs = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.strip() or not value.strip():
            raise UsageError(f"{text!r} is not of the form name=value (in {option})")
        pairs[name.strip()] = value.strip()
    return pairs


def _numbers(texts: Iterable[str]) -> dict[str, float]:
    values = {}
    for name, text in assignments(texts, "--set").items():
        try:
            values[name] = float(text)
        except ValueError:
            raise UsageError(f"--set {name}={text}: expected a number") from None
    return values
