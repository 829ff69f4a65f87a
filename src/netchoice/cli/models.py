"""Commands for models."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated, Any

import typer
from typer import Argument, Option

import netchoice
from netchoice.cli import options
from netchoice.cli.common import app, say, show, summary_line
from netchoice.errors import UsageError
from netchoice.models.space import FAMILIES, by_family, family_of


@app.command()
def models(
    spaces: Annotated[
        list[str] | None, Argument(metavar="[SPACE]...", help="Model spaces; by default all.")
    ] = None,
    mix: options.Mix = None,
    thin: options.Thin = None,
    match: options.Match = None,
    prior: options.Prior = None,
    isolated: options.IsolatedNodes = None,
    as_json: options.AsJson = False,
) -> None:
    """List model spaces, their models, parameters, priors and references.

    Example: [bold]netchoice models duplication[/bold]

    With --match, print the priors of the density-matched space and how many proposed networks match.
    """
    from netchoice.models import builtin

    names: list[Any] = spaces or ([None] if mix else list(builtin.spaces()))
    shown = [options.model_space(name, None, mix, thin, prior) for name in names]
    rates: dict[str, dict[str, float]] = {}
    if match is not None:
        observed, _ = netchoice.read_network(match)
        matched = [space.matched_to(observed, isolated=isolated) for space in shown]
        rates = {space.name: space.acceptance_rates() for space in matched}
        shown = list(matched)
    records = [_space_record(space, rates.get(space.name)) for space in shown]
    lines = (line for record in records for line in _space_lines(record))
    show(as_json, {"spaces": records}, lines)


def _space_record(space: netchoice.ModelSpace, rates: dict[str, float] | None) -> dict[str, Any]:
    records = [
        {
            "name": model.name, "family": family_of(model), "description": model.description,
            "weight": weight,
            "parameters": {
                name: {"prior": str(spec.prior), "meaning": spec.meaning}
                for name, spec in model.parameters.items()
            },
            "reference": model.reference,
            **({} if rates is None else {"acceptance_rate": rates[model.name]}),
        }
        for model, weight in zip(space.models, space.weights, strict=True)
    ]  # fmt: skip
    families = [
        {"name": name, "description": FAMILIES.get(name, ""), "models": [m.name for m in members]}
        for name, members in by_family(space).items()
    ]
    return {"name": space.name, "families": families, "models": records}


def _space_lines(space: dict[str, Any]) -> Iterator[str]:
    """Yield the models of a space; those of several families below the names of their families."""
    yield f"space {space['name']}"
    models, families = {model["name"]: model for model in space["models"]}, space["families"]
    margin = "  " if len(families) > 1 else ""
    for family in families:
        if margin:
            yield f"  {family['name']}: {family['description']}".rstrip(": ")
        for name in family["models"]:
            yield from (f"{margin}{line}" for line in _model_lines(models[name]))
    yield ""


def _model_lines(model: dict[str, Any]) -> Iterator[str]:
    accepted = model.get("acceptance_rate")
    note = "" if accepted is None else f"; {accepted:.1%} of proposed networks match"
    yield f"  {model['name']:5} {model['description']}{note}"
    for name, spec in model["parameters"].items():
        yield f"        {name:15} {spec['prior']:25} {spec['meaning']}".rstrip()
    if model["reference"]:
        yield f"        {model['reference']}"


@app.command()
def grow(
    model: Annotated[str, Argument(help="Name of a model, or module:attribute for your own.")],
    nodes: Annotated[int | None, Option("--nodes", "-n", help="Number of nodes.")] = None,
    settings: Annotated[
        list[str] | None,
        Option("--set", metavar="NAME=VALUE", help="Value of a parameter; the others are drawn."),
    ] = None,
    prior: options.Prior = None,
    seed: Annotated[
        int | None, Option(min=0, help="Seed; random by default, and always printed.")
    ] = None,
    isolated: options.IsolatedNodes = None,
    match: options.Match = None,
    out: Annotated[
        str | None,
        Option(
            "--out", "-o", help="Output file: .tsv or .graphml, optionally with .gz; - to print."
        ),
    ] = None,
    overwrite: options.Overwrite = False,
    as_json: options.AsJson = False,
) -> None:
    """Grow one network.

    Example: [bold]netchoice grow dmr --nodes 1000 --set p_delete=0.4 --seed 1 -o net.tsv[/bold]

    Parameters that are not set are drawn from their priors and printed.
    """
    import numpy as np

    if out == "-" and as_json:
        raise UsageError("--json and --out - both print to the screen; pass a file to --out")
    chosen = netchoice.get_model(model).with_priors(options.assignments(prior, "--prior"))
    chosen = chosen.with_priors(_numbers(settings))
    kept = (isolated or options.Isolated.keep).value
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
    values = ", ".join(f"{name}={value:.6g}" for name, value in parameters.items())
    line = f"grew {chosen.name} ({values}), seed {seed}, isolated nodes: {kept}"
    if out == "-":
        typer.echo(line, err=True)
        say(netchoice.io.edge_list_text(graph).rstrip("\n"))
        return
    if out is not None:
        netchoice.write_network(graph, out, overwrite=overwrite)
    record = {
        "model": chosen.name, "parameters": parameters, "seed": seed, "isolated": kept, "out": out,
        **graph.summary(),
    }  # fmt: skip
    written = f"written to {out}" if out else "not written; pass -o net.tsv to write it"
    show(as_json, record, [line, summary_line(graph), written])


def _numbers(texts: Iterable[str] | None) -> dict[str, float]:
    values = {}
    for name, text in options.assignments(texts, "--set").items():
        try:
            values[name] = float(text)
        except ValueError:
            raise UsageError(f"--set {name}={text}: expected a number") from None
    return values
