"""The ``netchoice`` command: parse, call, print."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

import netchoice
from netchoice.errors import NetchoiceError, UsageError

# The wrong use of options is an error class of click, which typer may or may not carry inside.
_WrongUse: Any = typer.BadParameter.__mro__[1]

app = typer.Typer(
    name="netchoice",
    help="Which growth mechanism made this network?\n\n"
    "netchoice compares an observed network with networks grown by mechanistic models (preferential "
    "attachment, gene duplication, …), paying only for the network statistics that are worth their "
    "price.",
    epilog="A first tour: [bold]netchoice models[/bold] lists what can grow networks; "
    "[bold]netchoice grow dmr --nodes 1000 --seed 1 -o net.tsv[/bold] grows one; "
    "[bold]netchoice describe net.tsv[/bold] reads it back.",
    add_completion=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


class Isolated(StrEnum):
    """What happens to nodes without links."""

    keep = "keep"
    drop = "drop"


AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]
Network = Annotated[Path, typer.Argument(help="A network file, in any format that is read.")]
Format = Annotated[
    str | None, typer.Option("--format", help=f"One of {', '.join(netchoice.io.FORMATS)}.")
]
Match = Annotated[
    Path | None,
    typer.Option("--match", metavar="NETWORK", help="Match the number of edges of this network."),
]
Prior = Annotated[
    list[str] | None,
    typer.Option("--prior", metavar="NAME=DIST", help='For example "p_delete=uniform(0,1)".'),
]
IsolatedNodes = Annotated[
    Isolated | None,
    typer.Option(
        "--isolated",
        help="keep: grow to that many nodes; drop: to that many non-isolated ones, and drop the rest. "
        "Default: keep; with --match, drop where the network's format cannot declare isolated nodes.",
    ),
]


@app.callback(invoke_without_command=True)
def _options(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False,
) -> None:
    if version:
        _say(f"netchoice {netchoice.__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        _say(context.get_help())


@app.command()
def models(
    spaces: Annotated[
        list[str] | None,
        typer.Argument(metavar="[SPACE]...", help="Spaces to show; all by default."),
    ] = None,
    match: Match = None,
    prior: Prior = None,
    isolated: IsolatedNodes = None,
    as_json: AsJson = False,
) -> None:
    """List model spaces, their models, parameters, priors and references.

    Example: [bold]netchoice models duplication[/bold]

    With --match: the priors after matching the density, and how many proposed networks match.
    """
    from netchoice.models.registry import SPACES

    shown = [netchoice.get_space(name) for name in spaces or SPACES]
    if prior:
        shown = [space.with_priors(_assignments(prior, "--prior")) for space in shown]
    rates: dict[str, dict[str, float]] = {}
    if match is not None:
        observed, kept = _observed(match, isolated)
        matched = [space.matched_to(observed, isolated=kept) for space in shown]
        rates = {space.name: space.acceptance_rates() for space in matched}
        shown = list(matched)
    records = [_space_record(space, rates.get(space.name)) for space in shown]
    if as_json:
        _print_json({"spaces": records})
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
    _say(f"space {space['name']}")
    for model in space["models"]:
        accepted = model.get("acceptance_rate")
        note = "" if accepted is None else f"; {accepted:.1%} of proposed networks match"
        _say(f"  {model['name']:5} {model['description']}{note}")
        for name, spec in model["parameters"].items():
            _say(f"        {name:15} {spec['prior']:25} {spec['meaning']}".rstrip())
        if model["reference"]:
            _say(f"        {model['reference']}")
    _say("")


@app.command()
def grow(
    model: Annotated[str, typer.Argument(help="A model by name, or yours as module:attribute.")],
    nodes: Annotated[int | None, typer.Option("--nodes", "-n", help="Number of nodes.")] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Fix a parameter; others are drawn."),
    ] = None,
    prior: Prior = None,
    seed: Annotated[
        int | None, typer.Option("--seed", min=0, help="Random by default, and always printed.")
    ] = None,
    isolated: IsolatedNodes = None,
    match: Match = None,
    out: Annotated[
        str | None,
        typer.Option(
            "--out", "-o", help="Where to write it: .tsv, .graphml, .gz; - for the screen."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Grow one network.

    Example: [bold]netchoice grow dmr --nodes 1000 --set p_delete=0.4 --seed 1 -o net.tsv[/bold]

    Parameters that are not set are drawn from their priors, and printed.
    """
    import numpy as np

    chosen = netchoice.get_model(model)
    chosen = chosen.with_priors(_assignments(prior or (), "--prior"))
    chosen = chosen.with_priors(_numbers(settings or ()))
    kept = (isolated or Isolated.keep).value
    if match is not None:
        observed, kept = _observed(match, isolated)
        nodes = observed.n_nodes if nodes is None else nodes
        space = netchoice.ModelSpace(chosen.name, [chosen]).matched_to(observed, isolated=kept)
        chosen = space[chosen.name]
    if nodes is None:
        raise UsageError("how many nodes? Give --nodes, for example --nodes 1000")
    if seed is None:
        seed = int(np.random.SeedSequence().entropy) % 2**32  # type: ignore[arg-type]
    rng = np.random.default_rng(seed)
    parameters = chosen.sample(rng)
    graph = chosen.grow(nodes, parameters, rng, isolated=kept)
    if out == "-":
        _say(netchoice.io.writing.edge_list_text(graph).rstrip("\n"))
        return
    if out is not None:
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
        _print_json(record)
        return
    values = ", ".join(f"{name}={value:.6g}" for name, value in parameters.items())
    _say(f"grew {chosen.name} ({values}), seed {seed}, isolated nodes: {kept}")
    _print_summary(graph)
    _say(f"written to {out}" if out else "not written; give -o net.tsv to keep it")


@app.command()
def describe(
    network: Network,
    format: Format = None,
    header: Annotated[
        bool | None,
        typer.Option("--header/--no-header", help="Is the first line of an edge list a header?"),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Read a network, say what was dropped, and describe what is left.

    Example: [bold]netchoice describe net.tsv[/bold]
    """
    graph, report = netchoice.read_network(network, format, header=header)
    if as_json:
        _print_json({"reading": report.as_dict(), **graph.summary()})
        return
    for line in report.lines():
        _say(line)
    _print_summary(graph)


@app.command()
def convert(
    network: Network,
    out: Annotated[Path, typer.Argument(help="Where to write it: .tsv or .graphml, also .gz.")],
    format: Format = None,
    as_json: AsJson = False,
) -> None:
    """Read a network in any format and write it, cleaned, as an edge list or GraphML.

    Example: [bold]netchoice convert net.gml net.tsv[/bold]
    """
    graph, report = netchoice.read_network(network, format)
    netchoice.write_network(graph, out)
    if as_json:
        _print_json({"reading": report.as_dict(), "out": str(out)})
        return
    for line in report.lines():
        _say(line)
    _say(f"written to {out}")


@app.command()
def warmup(
    workers: Annotated[
        int | None, typer.Option("--workers", min=1, help="Processes; one per core by default.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Compile all numerical kernels now, so that no later command has to wait.

    Example: [bold]netchoice warmup[/bold]
    """
    from netchoice.warmup import warm_up

    def progress(name: str, compiled: bool, ready: int, total: int) -> None:
        how = "compiled" if compiled else "was ready"
        typer.echo(f"[{ready}/{total}] {name} {how}", err=True)

    compiled = warm_up(workers, progress)
    if as_json:
        _print_json({"compiled": [name for name, new in compiled.items() if new]})
    else:
        _say(f"{len(compiled)} kernels ready, {sum(compiled.values())} of them compiled now")


def _observed(path: Path, isolated: Isolated | None) -> tuple[netchoice.Graph, str]:
    """The network to match, and what its format says about isolated nodes."""
    graph, report = netchoice.read_network(path)
    if isolated is not None:
        return graph, isolated.value
    return graph, "keep" if report.declares_nodes else "drop"


def _assignments(texts: Iterable[str], what: str) -> dict[str, str]:
    from netchoice.models.registry import parse_assignments

    return parse_assignments(texts, what)


def _numbers(texts: Iterable[str]) -> dict[str, float]:
    values = {}
    for name, text in _assignments(texts, "--set").items():
        try:
            values[name] = float(text)
        except ValueError:
            raise UsageError(f"--set {name}={text}: expected a number") from None
    return values


def _print_summary(graph: netchoice.Graph) -> None:
    summary = graph.summary()
    _say(
        f"{summary['nodes']} nodes, {summary['edges']} edges; mean degree "
        f"{summary['mean_degree']:.3g}, largest {summary['max_degree']}; "
        f"{summary['isolated_nodes']} isolated; {summary['components']} components, "
        f"the largest with {summary['largest_component']} nodes"
    )


def _say(text: str) -> None:
    typer.echo(text)


def _print_json(record: dict[str, Any]) -> None:
    typer.echo(json.dumps(record, indent=2, ensure_ascii=False, allow_nan=False))


def main(arguments: list[str] | None = None) -> None:
    """Run the command; exit 0 if fine, 1 if it failed, 2 if used wrongly."""
    sys.exit(_run(arguments))


def _run(arguments: list[str] | None) -> int:
    try:
        result = app(arguments, standalone_mode=False, prog_name="netchoice")
    except _WrongUse as error:
        where = error.ctx.command_path if error.ctx else "netchoice"
        return _fail(f"{error.format_message().rstrip('.')} (see {where} --help)", 2)
    except UsageError as error:
        return _fail(str(error), 2)
    except NetchoiceError as error:
        return _fail(str(error), 1)
    except (typer.Abort, KeyboardInterrupt):
        return _fail("stopped", 130)
    except BrokenPipeError:
        sys.stderr.close()  # nobody listens any more, and that is fine
        return 0
    return result if isinstance(result, int) else 0


def _fail(message: str, code: int) -> int:
    typer.echo(f"netchoice: {message}", err=True)
    return code


if __name__ == "__main__":
    main()
