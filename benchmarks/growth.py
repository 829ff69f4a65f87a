"""Growing networks: compiled kernels against networkx, in one run, one thread, CPU time.

The peer for preferential attachment is networkx's own generator; for duplication there is none, so
it is the plain networkx version in tests/naive.py. Both sides get the same parameters, drawn from
the prior. Ratios are of total CPU time; ours includes building the graph.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import networkx as nx
import numpy as np

import netchoice

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
import naive

N_NODES = 1000
BARS = {"ba": 50, "dmc": 200, "dmr": 200}


def cpu_seconds(function, repeats: int) -> float:
    """Mean CPU seconds of this thread for one call."""
    start = time.thread_time()
    for i in range(repeats):
        function(i)
    return (time.thread_time() - start) / repeats


def compare(name: str, n_networks: int) -> tuple[float, float]:
    """Mean CPU seconds per network: the peer's and ours."""
    model = netchoice.get_model(name)
    rng = np.random.default_rng(1)
    draws = [model.sample(rng) for _ in range(n_networks)]

    def peer(i: int) -> None:
        if name.startswith("ba"):
            nx.barabasi_albert_graph(N_NODES, draws[i]["m"], seed=i)
        else:
            naive.MODELS[name](N_NODES, rng, **draws[i])

    def ours(i: int) -> None:
        model.grow(N_NODES, draws[i % n_networks], rng)

    ours(0)  # loading a compiled kernel is not growing
    ours_seconds = cpu_seconds(ours, 10 * n_networks)
    return cpu_seconds(peer, n_networks), ours_seconds


def main() -> None:
    """Print the table; exit 1 if a bar is missed."""
    print(f"growing networks of {N_NODES} nodes, one thread, CPU ms per network")
    print(f"{'model':8}{'networkx':>12}{'netchoice':>12}{'ratio':>9}{'bar':>7}")
    missed = []
    for name in ("ba1", "ba2", "ba3", "ba4", "dmc", "dmr"):
        peer, ours = compare(name, 40 if name.startswith("ba") else 20)
        bar = BARS[name.rstrip("1234")]
        print(f"{name:8}{peer * 1e3:12.3f}{ours * 1e3:12.4f}{peer / ours:8.0f}×{bar:6}×")
        if peer / ours < bar:
            missed.append(name)
    for name in ("ba4", "dmc", "dmr"):
        model, rng = netchoice.get_model(name), np.random.default_rng(1)
        parameters = {key: 0.6 for key in model.parameters if key != "m"}
        start = time.thread_time()
        graph = model.grow(100_000, parameters, rng)
        print(f"{name}: 100,000 nodes, {graph.n_edges} edges in {time.thread_time() - start:.2f} s")
    if missed:
        sys.exit(f"below the bar: {', '.join(missed)}")


if __name__ == "__main__":
    main()
