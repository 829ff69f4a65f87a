"""Speed of simulating reference tables, with one and two workers, compared with networkx and networkit.

The tables have all features of space ``ba`` at 100, 300 and 1000 nodes. Rows per second are counted
from the first quarter of a run to its end, which excludes the start of the processes and the repeated
timing of short features on the first 16 rows. The best of two runs counts. The time of the kernels is
the sum of the CPU seconds in the table: growth, steps and features. The overhead is the wall time of
one worker beyond it. Run this on an idle machine.

The comparison is a simple loop in one process: networkx grows the network, and networkx and networkit
compute the same features, each shared quantity once, as in features.py. Its CPU time is measured.
"""

from __future__ import annotations

import argparse
import os
import sys
import time

from features import GROUPS  # first: it holds numerical libraries to one thread

# isort: split
import networkit as nk
import networkx as nx
import numpy as np

import netchoice

ROWS = {100: 2000, 300: 800, 1000: 240}  # per worker
PEER_NETWORKS = {100: 12, 300: 8, 1000: 4}
MIN_SPEED_UP = {100: 1.7, 1000: 1.7}
MAX_OVERHEAD = {100: 0.30, 1000: 0.10}


def rows_per_second(n_nodes: int, workers: int) -> tuple[float, float]:
    """Return the rows per second and the CPU seconds of the kernels per row."""
    n_rows = workers * ROWS[n_nodes]
    times: list[tuple[float, int]] = []

    def record(done: int, total: int, failed: int) -> None:
        if done >= total / 4:
            times.append((time.perf_counter(), done))

    table = netchoice.simulate_table(
        "ba", n_nodes=n_nodes, n_samples=n_rows, seed=1, workers=workers, on_progress=record
    )
    (start, first), (end, last) = times[0], times[-1]
    late = table.frame[table.frame["row"] >= n_rows / 4].filter(like="seconds_")
    return (last - first) / (end - start), float(late.astype(float).sum(axis=1).mean())


def peers_seconds(n_nodes: int) -> float:
    """Return the CPU seconds per row of a loop with networkx and networkit."""
    rng = np.random.default_rng(1)
    start = time.process_time()
    for i in range(PEER_NETWORKS[n_nodes]):
        graph = nx.barabasi_albert_graph(n_nodes, int(rng.integers(1, 5)), seed=i)
        peer = nk.nxadapter.nx2nk(graph)
        row: dict[str, float] = {}
        for _, compute, _ in GROUPS.values():
            row.update(compute(graph, peer))
    return (time.process_time() - start) / PEER_NETWORKS[n_nodes]


def main() -> None:
    """Print the speeds; exit with 1 if a target is missed."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    nk.setNumberOfThreads(1)
    load = os.getloadavg()[0]
    if load > 0.5:
        print(f"the machine is busy (load {load:.1f}); the speed-up of two workers is not reliable")
    print("reference tables, space ba, all features; seconds per 1000 rows (rows per second)")
    print(
        f"{'nodes':>6}{'1 worker':>18}{'2 workers':>18}{'speed-up':>10}{'kernels':>9}"
        f"{'overhead':>10}{'nx/networkit':>14}{'ratio':>7}"
    )
    missed = []
    for n_nodes in ROWS:
        runs = {1: [], 2: []}
        for _ in range(2):
            for workers, speeds in runs.items():
                speeds.append(rows_per_second(n_nodes, workers))
        one, two = max(runs[1]), max(runs[2])
        speed_up, overhead = two[0] / one[0], 1 / (one[0] * one[1]) - 1
        peer = peers_seconds(n_nodes)
        shown = "".join(f"{f'{1e3 / rate:.2f} ({rate:.0f})':>18}" for rate, _ in (one, two))
        print(
            f"{n_nodes:6}{shown}{speed_up:9.2f}×{1e3 * one[1]:9.2f}{overhead:10.1%}"
            f"{1e3 * peer:14.1f}{peer * one[0]:6.0f}×",
            flush=True,
        )
        if speed_up < MIN_SPEED_UP.get(n_nodes, 0):
            missed.append(
                f"speed-up {speed_up:.2f} at n = {n_nodes} (target {MIN_SPEED_UP[n_nodes]})"
            )
        if overhead > MAX_OVERHEAD.get(n_nodes, np.inf):
            missed.append(f"overhead {overhead:.1%} at n = {n_nodes} ({MAX_OVERHEAD[n_nodes]:.0%})")
    targets = (
        f"{', '.join(f'{target}× at {n}' for n, target in MIN_SPEED_UP.items())}; overhead under "
        f"{', '.join(f'{target:.0%} at {n}' for n, target in MAX_OVERHEAD.items())}"
    )
    print(
        f"\ntargets: speed-up {targets}; ratio: CPU time of the loop over wall time of one worker"
    )
    if missed:
        sys.exit(f"missed: {'; '.join(missed)}")


if __name__ == "__main__":
    main()
