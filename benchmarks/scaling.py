"""Growth of the time of each group of features with the number of nodes.

The networks are grown by preferential attachment with m = 4, from 100 to 10,000 nodes. Times are CPU
seconds of one thread, of a shared step and the features that use it. Then follow all features at
10,000 nodes (limits: 15 s and 500 MB), and the nearly linear features on 1,000,000 nodes and
5,000,000 edges.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time

import numpy as np

import netchoice
from netchoice.features import FEATURES
from netchoice.features.registry import steps_of

SIZES = (100, 300, 1000, 3000, 10_000)
GROUPS = {
    "distances": "lcc_mean_distance",
    "betweenness": "betweenness_max",
    "Estrada index": "estrada_index",
    "eigenvector": "eigenvector_max",
    "local efficiency": "lcc_local_efficiency",
    "square clustering": "square_clustering_mean",
    "clique counts": "n_5_cliques",
    "clique number": "max_clique_size",
    "triangles": "transitivity",
    "cores": "core_3_size",
    "components": "lcc_edges",
    "degree connectivity": "degree_connectivity",
    "node dominating set": "node_dominating_set_size",
    "degrees": "degree_entropy",
}
LINEAR_STEPS = {"degrees", "degree_counts", "components", "lcc", "triangles", "core_counts"}
LINEAR = [
    name
    for name, item in FEATURES.items()
    if set(steps_of(item)) <= LINEAR_STEPS
    and not item.is_random
    and name not in ("lcc_local_efficiency", "estrada_index", "max_clique_size")
]


def measure() -> dict[str, list[float]]:
    """Return the seconds of each group at each size, the minimum of three networks for small sizes."""
    rng = np.random.default_rng(1)
    seconds: dict[str, list[float]] = {group: [] for group in GROUPS}
    for n in SIZES:
        runs = []
        for _ in range(1 if n > 5000 else 3):
            graph = netchoice.get_model("ba4").grow(n, {}, rng)
            runs.append(netchoice.compute_features(graph, list(GROUPS.values()), repeat_short=True))
        for group, name in GROUPS.items():
            seconds[group].append(min(run.seconds[name] for run in runs))
    return seconds


def draw(seconds: dict[str, list[float]], path: str) -> None:
    """Plot seconds against nodes, one line per group, both axes logarithmic."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(8, 5.5), layout="constrained")
    order = sorted(seconds, key=lambda group: -seconds[group][-1])
    styles = [(line, marker) for line in ("-", "--", ":") for marker in "os^Dv"]
    colours = plt.get_cmap("viridis")(np.linspace(0, 0.9, len(order)))
    for group, (line, marker), colour in zip(order, styles, colours, strict=False):
        axes.loglog(SIZES, seconds[group], line, marker=marker, ms=4, color=colour, label=group)
    axes.set_xlabel("nodes (preferential attachment, m = 4)")
    axes.set_ylabel("CPU seconds, one thread")
    axes.grid(True, which="major", alpha=0.3)
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False, fontsize=9)
    figure.savefig(path, dpi=110)


def all_features_at_10_000() -> None:
    """Print the time of all features and the peak memory; exit with status 1 above the limits."""
    graph = netchoice.get_model("ba4").grow(10_000, {}, np.random.default_rng(2))
    start = time.thread_time()
    netchoice.compute_features(graph)
    seconds = time.thread_time() - start
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"\n10,000 nodes, all features: {seconds:.2f} s (limit 15), peak {megabytes:.0f} MB (limit 500)"
    )
    if seconds > 15 or megabytes > 500:
        sys.exit("above the limit")


def million_nodes() -> None:
    """Print the times of the nearly linear features on a random network."""
    edges = np.random.default_rng(3).integers(0, 1_000_000, (5_000_000, 2))
    graph = netchoice.Graph.from_edges(edges, 1_000_000)
    netchoice.compute_features(netchoice.Graph.from_edges([(0, 1)]), LINEAR)
    start = time.thread_time()
    result = netchoice.compute_features(graph, LINEAR)
    print(f"\n{graph}: {len(LINEAR)} features in {time.thread_time() - start:.2f} s")
    for name, seconds in sorted(result.seconds.items(), key=lambda item: -item[1]):
        print(f"    {name:28}{seconds:8.3f} s alone")


def main() -> None:
    """Print the table, and draw it if a path is given."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plot", help="output file of the figure")
    path = parser.parse_args().plot
    netchoice.compute_features(netchoice.Graph.from_edges([(0, 1)]))
    all_features_at_10_000()
    seconds = measure()
    print("\nCPU ms by number of nodes, and the exponent between the last two")
    print(f"{'group':22}" + "".join(f"{n:>10}" for n in SIZES) + f"{'n^':>7}")
    for group, row in seconds.items():
        exponent = np.log(row[-1] / row[-2]) / np.log(SIZES[-1] / SIZES[-2])
        print(f"{group:22}" + "".join(f"{1e3 * s:10.3f}" for s in row) + f"{exponent:7.2f}")
    million_nodes()
    if path:
        draw(seconds, path)


if __name__ == "__main__":
    main()
