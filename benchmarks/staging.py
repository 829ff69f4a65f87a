"""Simulations in rounds and stages: is the answer as good as with 20,000 simulations and all features?

Held-out networks are drawn from the prior of a space and compared with simulations, as ``choose`` does. Their
tables do not depend on the network, so they are made once; each network uses as many of the rows as it needs.

Fixed before the results were looked at. The answers are as good if the mean log score of the true model is
not lower by more than 0.005 than with all simulations. Features may cost at most a fifth of what they cost on
all simulations, for `mechanisms`, density-matched, with 1000 nodes.

``--fixed 1000 20000`` uses so many simulations for every network, one line for each number. Run the script
with it from the checkout of an earlier version, to compare versions: the networks are the same for the same
space, number of nodes and seed.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import netchoice
from netchoice.models.space import ModelSpace
from netchoice.storage.table import ReferenceTable
from netchoice.workflows.comparison import Comparison
from netchoice.workflows.preparation import ChoiceSettings, make_preparation
from netchoice.workflows.prepared import Prepared
from netchoice.workflows.table_maker import TableMaker

EDGES_PER_NODE = 3


def space_of(name: str, n_nodes: int, match: bool) -> ModelSpace:
    """Return the space, density-matched to a network with three edges per node if wanted."""
    space = netchoice.get_space(name)
    if not match:
        return space
    rng = np.random.default_rng(0)
    like = netchoice.get_model("rds").grow(
        n_nodes, {"mean_links": EDGES_PER_NODE}, rng, isolated="drop"
    )
    return space.matched_to(like, isolated="drop")


def held_out_networks(
    space: ModelSpace, n_nodes: int, n: int, seed: int
) -> list[tuple[str, netchoice.Graph]]:
    """Return networks of the space with the names of their models."""
    rng = np.random.default_rng([seed, 2026])
    found = []
    for _ in range(n):
        model = space.draw_model(rng)
        parameters, graph = model.draw(n_nodes, rng, "drop")
        grown = graph or model.grow(n_nodes, parameters, rng, isolated="drop")
        found.append((model.name, grown))
    return found


def prepare(space: ModelSpace, n_nodes: int, seed: int, folder: Path, workers: int) -> Prepared:
    """Return the prepared simulations, 20,000 for inference."""
    settings = ChoiceSettings(
        space=space.as_dict(), n_nodes=n_nodes, isolated="drop", samples=20_000, seed=seed
    )
    maker = TableMaker(space, seed, "drop", workers=workers, folder=folder)
    return Prepared.simulate(make_preparation(space, settings, maker))


def with_rows(prepared: Prepared, rows: int) -> Prepared:
    """Return the same with the first rows of the table only."""
    if rows == len(prepared.table):
        return prepared
    table = prepared.table
    part = replace(prepared, table=ReferenceTable(table.frame[:rows], table.manifest))
    for name in ("pooled_estimators", "fit_test"):  # they do not depend on this table
        vars(part)[name] = getattr(prepared, name)
    return part


def rounds_of(prepared: Prepared) -> list[Prepared]:
    """Return the same with the first rows only, as many as each round has."""
    rows, found = prepared.plan.first_samples, []
    while rows < len(prepared.table):
        found.append(with_rows(prepared, rows))
        rows *= 2
    return [*found, prepared]


def compare(rounds: list[Prepared], networks: list[tuple[str, netchoice.Graph]]) -> dict[str, Any]:
    """Compare each network with the first round that is precise, or with the last one."""
    found: dict[str, Any] = {"log_scores": [], "right": [], "rows": [], "fit_p": [], "fits": []}
    for truth, graph in networks:
        for each in rounds:
            compared = Comparison.of(each, graph)
            if each is rounds[-1] or compared.standard_error <= each.plan.precision:
                break
        probabilities, fit = compared.probabilities, compared.prior_fit
        found["log_scores"].append(float(np.log(probabilities.probabilities[truth])))
        found["right"].append(probabilities.model == truth)
        found["rows"].append(len(each.table))
        found["fit_p"].append(fit.p_values[truth])
        found["fits"].append(bool(fit.fits))
    return found


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--space", default="duplication")
    parser.add_argument("--nodes", type=int, default=1000)
    parser.add_argument("--match", action="store_true")
    parser.add_argument("--networks", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument(
        "--fixed", type=int, nargs="+", help="numbers of simulations to use instead"
    )
    parser.add_argument("--out", type=Path, required=True, help="folder of the tables, resumed")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    space = space_of(given.space, given.nodes, given.match)
    prepared = prepare(space, given.nodes, given.seed, given.out, given.workers)
    cost, selection = prepared.selection.cost, prepared.selection
    print(
        f"{given.space}, {given.nodes} nodes: features for the model "
        f"{1e3 * cost(selection.for_model):.3g} ms, all selected {1e3 * cost(selection.features):.3g} ms: "
        f"{', '.join(selection.features)}"
    )
    networks = held_out_networks(space, given.nodes, given.networks, given.seed)
    ways = {"rounds": rounds_of(prepared)} if not given.fixed else {
        f"fixed-{rows}": [with_rows(prepared, rows)] for rows in given.fixed
    }  # fmt: skip
    for name, rounds in ways.items():
        found = compare(rounds, networks)
        (given.out / f"{name}.json").write_text(json.dumps(found))
        rows = float(np.mean(found["rows"]))
        print(
            f"{name}: {len(networks)} networks, log score {np.mean(found['log_scores']):.4f}, right "
            f"{np.mean(found['right']):.4f}, simulations {rows:.0f}, true model rejected (p ≤ 0.01) "
            f"{np.mean(np.array(found['fit_p']) <= 0.01):.3f}, none fits {1 - np.mean(found['fits']):.3f}; "
            f"CPU seconds in features for inference {rows * cost(selection.features):.1f}",
            flush=True,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
