"""The command that selects features on pilots: networks smaller than those to analyse."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

from typer import Option

import netchoice
from netchoice.cli import options
from netchoice.cli.common import app, show
from netchoice.units import duration

if TYPE_CHECKING:
    from netchoice.workflows import PilotSelection


@app.command()
def pilot(
    space: options.Space = None,
    nodes: Annotated[
        int | None, Option("--nodes", "-n", help="Nodes of the networks to analyse.")
    ] = None,
    pilot_nodes: Annotated[int, Option(help="Nodes of the networks to select on.")] = 1000,
    samples: Annotated[int, Option(help="Number of these networks.")] = 2000,
    features: Annotated[
        str | None,
        Option(
            metavar="NAME,…",
            help="Features to select from, also your own (module:attribute); all by default.",
        ),
    ] = None,
    method: Annotated[
        str, Option("--method", "-m", help="Method that ranks the features.")
    ] = "jmi",
    penalty: options.Penalty = None,
    budget: options.Budget = None,
    mix: options.Mix = None,
    thin: options.Thin = None,
    prior: options.Prior = None,
    isolated: Annotated[
        options.Isolated, Option(help="keep or drop isolated nodes of the simulated networks.")
    ] = options.Isolated.keep,
    seed: options.SimulationSeed = 1,
    workers: options.Processes = None,
    engine: options.Engine = "processes",
    out: options.OutFolder = None,
    fresh: Annotated[bool, Option("--fresh", help="Delete an earlier run in the folder.")] = False,
    as_json: options.AsJson = False,
) -> None:
    """Select features on small networks, at the costs that they have on large networks.

    Example: [bold]netchoice pilot duplication --nodes 100000 --out pilots[/bold]

    The features distinguish the models of the space. To resume an interrupted run with --out, run the same
    command again.
    """
    found = netchoice.select_on_pilots(
        options.model_space(space, None, mix, thin, prior),
        n_nodes=options.require(nodes, "--nodes", "100000"), pilot_nodes=pilot_nodes,
        samples=samples, features=options.split_list(features, "--features"), method=method,
        penalty=penalty, budget=budget, isolated=isolated.value, seed=seed, workers=workers,
        engine=engine, path=out, fresh=fresh, on_progress=True,
    )  # fmt: skip
    record = {**found.as_dict(), "out": None if out is None else str(out)}
    show(as_json, record, _lines(found))


def _lines(found: PilotSelection) -> Iterator[str]:
    low, high = found.interval
    yield (
        f"{found.space}: features for networks of {found.n_nodes} nodes, from {found.samples} pilots of "
        f"{found.pilot_nodes} nodes"
    )
    yield f"selected: {', '.join(found.features)}"
    yield (
        f"accuracy with {found.pilot_nodes} nodes: {found.accuracy:.1%} (95% interval {low:.1%} to "
        f"{high:.1%})"
    )
    yield (
        f"cost with {found.n_nodes} nodes: {duration(found.cost)} per network, all features "
        f"{duration(found.cost_of_all)}"
    )
    if found.stability:
        yield f"stability of the selection: {found.stability}"
    width = max(map(len, found.ranking["feature"]))
    head = f"{'ranking':<{width}}  {'alone':>10}  {f'with {found.pilot_nodes} nodes':>16}"
    yield head
    for row in found.ranking.head(10).itertuples():
        mark = " (selected)" if row.feature in found.features else ""
        yield (
            f"{row.feature:<{width}}  {duration(row.cost):>10}  {duration(row.pilot_cost):>16}{mark}"
        )
    for note in found.notes:
        yield f"note: {note}"
