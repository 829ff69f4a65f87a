"""Growth of networks: compiled mechanisms against networkx, CPU time of one thread.

Where networkx has the mechanism, it is the peer. It has none for dmc and dmr; there the peer is the
reference implementation in tests/naive.py. Both sides use the same parameters. Ratios are of total CPU
time, which includes building the graph. A ratio of 50 was wanted for each.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np

import netchoice

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
import naive
import report

N_NODES, REQUIRED = 1000, 50


def _degrees(mean_links: float, exponent: float, rng: np.random.Generator) -> list[int]:
    low = 2 * mean_links * (exponent - 2) / (exponent - 1)
    degrees = (low * rng.random(N_NODES) ** (-1 / (exponent - 1))).astype(int)
    degrees = np.minimum(degrees, N_NODES - 1)
    degrees[0] += degrees.sum() % 2
    return degrees.tolist()


def _reference(name: str) -> Callable[..., Any]:
    return lambda values, rng: naive.MODELS[name](N_NODES, rng, **values)


def _planted(values: dict[str, float], rng: np.random.Generator) -> nx.Graph:
    groups, size = int(values["n_groups"]), N_NODES // int(values["n_groups"])
    edges, inside = values["mean_links"] * N_NODES, values["p_inside"]
    p_in = inside * edges / (groups * size * (size - 1) / 2)
    p_out = (1 - inside) * edges / (size * size * groups * (groups - 1) / 2)
    return nx.planted_partition_graph(groups, size, p_in, p_out, seed=int(rng.integers(2**31)))


#: By model: its parameters, and the peer, a function of the parameters and a generator.
PEERS: dict[str, tuple[dict[str, float], Callable[..., Any]]] = {
    **{
        f"ba{m}": ({}, lambda values, rng, m=m: nx.barabasi_albert_graph(N_NODES, m))
        for m in (1, 2, 3, 4)
    },
    "dmc": ({"p_delete": 0.5, "p_connect": 0.5}, _reference("dmc")),
    "dmr": ({"p_delete": 0.5, "p_new": 0.5}, _reference("dmr")),
    "rds": ({"mean_links": 2.0}, lambda v, rng: nx.gnm_random_graph(N_NODES, 2 * N_NODES)),
    "smw": (
        {"mean_links": 2.0, "p_rewire": 0.2},
        lambda v, rng: nx.watts_strogatz_graph(N_NODES, 4, 0.2),
    ),
    "holme-kim": (
        {"mean_links": 2.0, "p_triad": 0.5},
        lambda v, rng: nx.powerlaw_cluster_graph(N_NODES, 2, 0.5),
    ),
    "ispolatov": (
        {"p_keep": 0.4},
        lambda v, rng: nx.duplication_divergence_graph(N_NODES, 0.4),
    ),
    "redirection": (
        {"mean_links": 1.0, "p_redirect": 0.5},
        lambda v, rng: nx.gnr_graph(N_NODES, 0.5),
    ),
    "nonlinear": (
        {"mean_links": 1.0, "alpha": 0.5},
        lambda v, rng: nx.gn_graph(N_NODES, kernel=math.sqrt),
    ),
    "geometric": (
        {"mean_links": 2.0},
        lambda v, rng: nx.random_geometric_graph(N_NODES, math.sqrt(4 / math.pi / N_NODES)),
    ),
    "planted-partition": ({"mean_links": 2.0, "n_groups": 10, "p_inside": 0.8}, _planted),
    "configuration": (
        {"mean_links": 2.0, "exponent": 2.5},
        lambda v, rng: nx.Graph(nx.configuration_model(_degrees(2.0, 2.5, rng))),
    ),
}


def cpu_seconds(function: Callable[[], Any], repeats: int) -> float:
    """Return the mean CPU seconds of this thread per call."""
    start = time.thread_time()
    for _ in range(repeats):
        function()
    return (time.thread_time() - start) / repeats


def compare(name: str, n_networks: int = 20) -> tuple[float, float]:
    """Return the mean CPU seconds per network of the peer and of netchoice."""
    model, rng = netchoice.get_model(name), np.random.default_rng(1)
    parameters, peer = PEERS[name]
    model.grow(N_NODES, parameters, rng)  # loads the compiled functions, which is not timed
    ours = cpu_seconds(lambda: model.grow(N_NODES, parameters, rng), 10 * n_networks)
    return cpu_seconds(lambda: peer(parameters, rng), n_networks), ours


def main() -> None:
    """Print the ratio of each mechanism, and write them."""
    parser = argparse.ArgumentParser(description=__doc__)
    report.add_json(parser)
    options = parser.parse_args()
    print(f"growing networks of {N_NODES} nodes, one thread, CPU ms per network")
    print(f"{'model':20}{'peer':>12}{'netchoice':>12}{'ratio':>9}")
    ratios = {}
    for name in PEERS:
        peer, ours = compare(name)
        ratios[name] = peer / ours
        print(f"{name:20}{peer * 1e3:12.3f}{ours * 1e3:12.4f}{ratios[name]:8.0f}×")
    missed = [name for name, ratio in ratios.items() if ratio < REQUIRED]
    totals = {
        "wanted": REQUIRED,
        "smallest": min(ratios.values()),
        "median": float(np.median([*ratios.values()])),
        "largest": max(ratios.values()),
        "n_compared": len(ratios),
        "n_missed": len(missed),
        "missed": ", ".join(missed) or "none",
    }
    report.write(options, ratios | totals)


if __name__ == "__main__":
    main()
