"""Growth of networks: compiled kernels against networkx, CPU time of one thread.

For preferential attachment the peer is the generator of networkx. networkx has none for duplication;
there the peer is the reference implementation in tests/naive.py. Both sides use the same parameters,
drawn from the prior. Ratios are of total CPU time, which includes building the graph.
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
REQUIRED_RATIOS = {"ba": 50, "dmc": 200, "dmr": 200}


def cpu_seconds(function, repeats: int) -> float:
    """Return the mean CPU seconds of this thread per call."""
    start = time.thread_time()
    for i in range(repeats):
        function(i)
    return (time.thread_time() - start) / repeats


def compare(name: str, n_networks: int) -> tuple[float, float]:
    """Return the mean CPU seconds per network of the peer and of netchoice."""
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

    ours(0)  # loads the compiled kernel, which is not timed
    ours_seconds = cpu_seconds(ours, 10 * n_networks)
    return cpu_seconds(peer, n_networks), ours_seconds


def main() -> None:
    """Print the table; exit with status 1 if a required ratio is not reached."""
    print(f"growing networks of {N_NODES} nodes, one thread, CPU ms per network")
    print(f"{'model':8}{'networkx':>12}{'netchoice':>12}{'ratio':>9}{'required':>10}")
    missed = []
    for name in ("ba1", "ba2", "ba3", "ba4", "dmc", "dmr"):
        peer, ours = compare(name, 40 if name.startswith("ba") else 20)
        required = REQUIRED_RATIOS[name.rstrip("1234")]
        print(f"{name:8}{peer * 1e3:12.3f}{ours * 1e3:12.4f}{peer / ours:8.0f}×{required:9}×")
        if peer / ours < required:
            missed.append(name)
    for name in ("ba4", "dmc", "dmr"):
        model, rng = netchoice.get_model(name), np.random.default_rng(1)
        parameters = {key: 0.6 for key in model.parameters if key != "m"}
        start = time.thread_time()
        graph = model.grow(100_000, parameters, rng)
        print(f"{name}: 100,000 nodes, {graph.n_edges} edges in {time.thread_time() - start:.2f} s")
    if missed:
        sys.exit(f"below the required ratio: {', '.join(missed)}")


if __name__ == "__main__":
    main()
