"""Commands that grow a network, and that compile what does so."""

from __future__ import annotations

from typing import Annotated

from typer import Argument, Option

import netchoice
from netchoice.cli import options
from netchoice.cli.common import app, say, summary_line
from netchoice.errors import UsageError
from netchoice.io.writer import edge_list_text
from netchoice.validation import assignments


@app.command()
def grow(
    model: Annotated[str, Argument(help="Name of a model, or module:attribute for your own.")],
    nodes: options.Nodes = None,
    prior: options.Prior = None,
    seed: options.Seed = 1,
    isolated: options.IsolatedNodes = None,
    like: options.Like = None,
    out: Annotated[
        str | None,
        Option(
            "--out", "-o", help="Output file: .tsv or .graphml, optionally with .gz; - to print."
        ),
    ] = None,
) -> None:
    """Grow one network.

    Example: [bold]netchoice grow dmr --nodes 1000 --prior p_delete=0.4 --seed 1 -o net.tsv[/bold]

    Parameters are drawn from their priors and printed; the prior of a parameter can be one value.
    """
    import numpy as np

    chosen = netchoice.get_model(model).with_priors(assignments(prior, "prior"))
    kept: str = isolated or "keep"
    if like is not None:
        observed, _ = netchoice.read_network(like)
        nodes = observed.n_nodes if nodes is None else nodes
        space = netchoice.ModelSpace(chosen.name, [chosen]).matched_to(observed, isolated=isolated)
        chosen, kept = space[chosen.name], space.isolated
    if nodes is None:
        raise UsageError("the number of nodes is missing; pass it, for example --nodes 1000")
    rng = np.random.default_rng(seed)
    parameters = chosen.sample(rng)
    graph = chosen.grow(nodes, parameters, rng, isolated=kept)
    values = ", ".join(f"{name}={value:.6g}" for name, value in parameters.items())
    line = f"grew {chosen.name} ({values}), seed {seed}, isolated nodes: {kept}"
    if out == "-":
        say(line, err=True)
        say(*edge_list_text(graph).splitlines())
        return
    if out is not None:
        netchoice.write_network(graph, out)
    written = f"written to {out}" if out else "not written; pass -o net.tsv to write it"
    say(line, summary_line(graph), written)


@app.command()
def warmup() -> None:
    """Compile all numerical kernels now, so that later commands start faster.

    Example: [bold]netchoice warmup[/bold]
    """
    from netchoice.warmup import warm_up

    def progress(name: str, compiled: bool, ready: int, total: int) -> None:
        status = "compiled" if compiled else "was ready"
        say(f"[{ready}/{total}] {name} {status}", err=True)

    compiled = warm_up(None, progress)
    say(f"{len(compiled)} kernels ready, {sum(compiled.values())} of them compiled now")
