"""Reference tables: how fast rows come, what workers bring, and the natural way next to it.

Space ``ba``, the whole battery, at 100, 300 and 1000 nodes, with one worker and with two. Rows per
second are counted from the first quarter of a run to its end, so that starting processes and timing
short features many times (the first 16 rows) are left out; the better of two runs, for everybody. The
kernels' own time is what the table itself says: growth, steps and features, in CPU seconds; overhead
is what one worker takes beyond it, by the clock. So this wants a quiet machine.

The peer is a loop as one would write it: networkx grows the network, networkx and networkit compute
the same features, each shared quantity once, as in features.py; one process, CPU time.
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

ROWS = {100: 2000, 300: 800, 1000: 240}  # for each worker
PEER_NETWORKS = {100: 12, 300: 8, 1000: 4}
SPEED_UP = {100: 1.7, 1000: 1.7}
OVERHEAD = {100: 0.30, 1000: 0.10}


def rows_per_second(n_nodes: int, workers: int) -> tuple[float, float]:
    """Rows per second, and the kernels' own seconds per row."""
    n_rows = workers * ROWS[n_nodes]
    marks: list[tuple[float, int]] = []

    def mark(done: int, total: int, failed: int) -> None:
        if done >= total / 4:
            marks.append((time.perf_counter(), done))

    table = netchoice.simulate_table(
        "ba", n_nodes=n_nodes, n_samples=n_rows, seed=1, workers=workers, on_progress=mark
    )
    (start, first), (end, last) = marks[0], marks[-1]
    late = table.frame[table.frame["row"] >= n_rows / 4].filter(like="seconds_")
    return (last - first) / (end - start), float(late.astype(float).sum(axis=1).mean())


def peers_seconds(n_nodes: int) -> float:
    """CPU seconds per row of a table made the natural way."""
    rng = np.random.default_rng(1)
    start = time.process_time()
    for i in range(PEER_NETWORKS[n_nodes]):
        graph = nx.barabasi_albert_graph(n_nodes, int(rng.integers(1, 5)), seed=i)
        peer = nk.nxadapter.nx2nk(graph)
        row: dict[str, float] = {}
        for _, peers_way, _ in GROUPS.values():
            row.update(peers_way(graph, peer))
    return (time.process_time() - start) / PEER_NETWORKS[n_nodes]


def main() -> None:
    """Print the table; exit 1 if a bar is missed."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    nk.setNumberOfThreads(1)
    busy = os.getloadavg()[0]
    if busy > 0.5:
        print(f"others are at work here (load {busy:.1f}): two workers cannot show what they bring")
    print("reference tables, space ba, whole battery; seconds per 1000 rows (rows per second)")
    print(
        f"{'nodes':>6}{'1 worker':>18}{'2 workers':>18}{'speed-up':>10}{'kernels':>9}"
        f"{'overhead':>10}{'nx/networkit':>14}{'ratio':>7}"
    )
    missed = []
    for n_nodes in ROWS:
        runs = {1: [], 2: []}
        for _ in range(2):
            for workers, found in runs.items():
                found.append(rows_per_second(n_nodes, workers))
        one, two = max(runs[1]), max(runs[2])
        speed_up, overhead = two[0] / one[0], 1 / (one[0] * one[1]) - 1
        peer = peers_seconds(n_nodes)
        shown = "".join(f"{f'{1e3 / rate:.2f} ({rate:.0f})':>18}" for rate, _ in (one, two))
        print(
            f"{n_nodes:6}{shown}{speed_up:9.2f}×{1e3 * one[1]:9.2f}{overhead:10.1%}"
            f"{1e3 * peer:14.1f}{peer * one[0]:6.0f}×",
            flush=True,
        )
        if speed_up < SPEED_UP.get(n_nodes, 0):
            missed.append(f"speed-up {speed_up:.2f} at n = {n_nodes} (wanted {SPEED_UP[n_nodes]})")
        if overhead > OVERHEAD.get(n_nodes, np.inf):
            missed.append(f"overhead {overhead:.1%} at n = {n_nodes} ({OVERHEAD[n_nodes]:.0%})")
    bars = (
        f"{', '.join(f'{bar}× at {n}' for n, bar in SPEED_UP.items())}; overhead under "
        f"{', '.join(f'{bar:.0%} at {n}' for n, bar in OVERHEAD.items())}"
    )
    print(f"\nbars: speed-up {bars}; ratio: one worker by the clock against the peer's CPU time")
    if missed:
        sys.exit(f"missed: {'; '.join(missed)}")


if __name__ == "__main__":
    main()
