"""The prediction of the number of edges: matches that it leaves out, and the time that it saves.

A density-matched model grows no network if the predicted number of edges is far from a match. Here, networks
are grown in any case, and those are counted that match and would have been left out. Then the CPU time of a
match of `kumpula` is measured without and with the prediction, in one process. The prediction is fitted once
in a process.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from typing import Any

import networkx as nx
import numpy as np

import netchoice
from netchoice.errors import NetchoiceError
from netchoice.models.model import Model

#: Numbers of nodes, of edges, and of networks of each model.
SETTINGS = ((150, 1800, 1000), (300, 3000, 300), (400, 5600, 300))
#: Nodes and edges of real networks for which `kumpula` took most of the time.
SLOW = ((1717, 7113), (407, 5794), (762, 16651))


def matched(n_nodes: int, n_edges: int, names: list[str]) -> list[Any]:
    """Return mechanisms that are matched to a random network."""
    network = nx.gnm_random_graph(n_nodes, n_edges, seed=1)
    return list(netchoice.get_space("all").only(names).matched_to(network))


def count(model: Any, networks: int, seed: int) -> tuple[int, int]:
    """Return how many networks match, and how many of these would have been left out."""
    rng, found = np.random.default_rng(seed), []
    for _ in range(networks):
        parameters = Model.sample(model, rng)
        try:
            if model.propose(model.n_nodes, parameters, rng) is not None:
                found.append(model.prediction.is_far(parameters, *model.bounds(model.n_nodes)))
        except NetchoiceError:  # it cannot have this density
            continue
    return len(found), sum(found)


def without(model: Any) -> Any:
    """Return the same model, which grows a network for each draw of parameters."""
    made = replace(model)
    made.__dict__["prediction"] = None
    return made


def cpu_of_matches(model: Any, matches: int) -> float:
    """Return the CPU seconds of a match."""
    rng, started = np.random.default_rng(1), time.process_time()
    for _ in range(matches):
        model.draw(model.n_nodes, rng, model.isolated)
    return (time.process_time() - started) / matches


def main() -> None:
    """Print both."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--matches", type=int, default=40)
    parser.add_argument("--seed", type=int, default=11)
    given = parser.parse_args()
    totals = np.zeros(2, dtype=int)
    for n_nodes, n_edges, networks in SETTINGS:
        for model in matched(n_nodes, n_edges, netchoice.get_space("all").labels):
            if model.prediction is not None:
                found = count(model, networks, given.seed)
                totals += found
                print(
                    f"{n_nodes} nodes, {n_edges} edges, {model.name}: {networks} networks, {found[0]} match, "
                    f"{found[1]} of these would have been left out",
                    flush=True,
                )
    print(f"in all: {totals[0]} match, {totals[1]} of these would have been left out")
    for n_nodes, n_edges in SLOW:
        model = matched(n_nodes, n_edges, ["kumpula"])[0]
        model.draw(n_nodes, np.random.default_rng(0), model.isolated)  # compiles the kernel
        model.__dict__.pop("prediction")
        started = time.process_time()
        assert model.prediction is not None
        fit = time.process_time() - started
        plain, fewer = (cpu_of_matches(each, given.matches) for each in (without(model), model))
        print(
            f"{n_nodes} nodes, {n_edges} edges, kumpula: a match takes {plain / fewer:.1f} times less CPU "
            f"time with the prediction; its fit takes as long as {fit / plain:.0f} matches without it",
            flush=True,
        )


if __name__ == "__main__":
    main()
