"""CPU time of a simulated row by the number of nodes, and of a whole answer.

A row draws parameters, grows a network and computes all features that depend on a network alone. Rows are
timed on one thread, in two spaces: duplication as it is, and all mechanisms matched to a random network with
2.5 edges per node. ``--choose`` also answers for three networks with all mechanisms, in one process.

Before the features were one compiled pass, a row of the space duplication took 0.97, 1.36, 2.9 and 17.0 ms
with 42, 100, 300 and 1000 nodes. Wanted are a fourth, 1/2.5, 1/1.3 of that, and not more. An answer should
take at most 25 CPU seconds with 42 nodes, 60 with 300 and 80 with 1000.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterable
from typing import Any

import networkx as nx
import numpy as np
import report

import netchoice
from netchoice.features import comparable_features
from netchoice.features.computation import run_plan
from netchoice.simulate import make_simulator

SIZES = (20, 42, 100, 300, 1000)
BEFORE = {42: 0.97, 100: 1.36, 300: 2.9, 1000: 17.0}
FIRST = 64  # earlier rows are calibrated, or load code


def network(n_nodes: int) -> netchoice.Graph:
    """Return a random network with 2.5 edges per node."""
    return netchoice.Graph.of(nx.gnm_random_graph(n_nodes, round(2.5 * n_nodes), seed=1))


def milliseconds(function: Callable[[Any], Any], items: Iterable[Any]) -> float:
    """Return the mean CPU milliseconds of this thread per call."""
    items = list(items)
    start = time.thread_time()
    for item in items:
        function(item)
    return 1e3 * (time.thread_time() - start) / len(items)


def row_cost(space: netchoice.ModelSpace, n_nodes: int) -> tuple[float, float, float]:
    """Return the milliseconds of a row, of growing its network, and of computing its features."""
    simulator = make_simulator(space, n_nodes, None, comparable_features(), 1, "row costs")
    simulator.warm_up()
    rows = range(FIRST, FIRST + max(100, 60_000 // n_nodes))
    for row in range(FIRST):
        simulator(row)
    networks = [simulator.network(row)[1] for row in rows]
    return (
        milliseconds(simulator, rows),
        milliseconds(simulator.network, rows),
        milliseconds(lambda graph: run_plan(graph, simulator.plan, None, timed=False), networks),
    )


def rows() -> dict[str, float]:
    """Print the cost of a row by space and size, and return it."""
    found = {}
    print("CPU ms of a row, one thread")
    print(
        f"{'space':14}{'nodes':>6}{'row':>9}{'growth':>9}{'features':>9}{'before':>9}{'ratio':>7}"
    )
    for name in ("duplication", "all"):
        for n_nodes in SIZES:
            space = netchoice.get_space(name)
            if name == "all":
                space = space.matched_to(network(n_nodes), isolated="drop")
            parts = row_cost(space, n_nodes)
            found[f"{name} {n_nodes}"] = parts[0]
            before = BEFORE.get(n_nodes) if name == "duplication" else None
            compared = f"{before:9.2f}{before / parts[0]:6.1f}×" if before else ""
            print(f"{name:14}{n_nodes:6}{''.join(f'{part:9.3f}' for part in parts)}{compared}")
    return found


def answers() -> dict[str, float]:
    """Print the CPU seconds of answers with all mechanisms, and return them."""
    found = {}
    print("\nanswer with all mechanisms, one process")
    print(f"{'nodes':>6}{'CPU s':>9}{'simulations':>13}")
    for n_nodes in (42, 300, 1000):
        grown = netchoice.get_model("dmr").grow(
            n_nodes, {"p_delete": 0.5, "p_new": 0.5}, np.random.default_rng(1), isolated="drop"
        )
        start = time.process_time()
        answer = netchoice.choose_model(grown, space="all", seed=1, engine="serial")
        found[f"choose {n_nodes}"] = time.process_time() - start
        print(f"{n_nodes:6}{found[f'choose {n_nodes}']:9.1f}{answer.cost.simulations:13}")
    return found


def main() -> None:
    """Print the costs, and write them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--choose", action="store_true", help="also answer for three networks")
    report.add_json(parser)
    options = parser.parse_args()
    found = rows()
    report.write(options, found | (answers() if options.choose else {}))


if __name__ == "__main__":
    main()
