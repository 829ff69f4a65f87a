"""Shortest paths: features of the distances between nodes."""

import numpy as np

from netchoice.features.budget import QUADRATIC_STEPS, check_quadratic
from netchoice.features.registry import builtin, run_kernel, step


@step(growth="n·m/64", min_power=2.0)
def distance_histograms(graph):
    """Number of unordered pairs of nodes at each distance, in the network and in the LCC."""
    # 64 sources share a step.
    check_quadratic(graph, "the distances of all pairs", 64 * QUADRATIC_STEPS)
    return run_kernel("distance_histograms.distance_histograms", graph)


@builtin(discrete=True, label="diameter", topic="distances")
def lcc_diameter(distance_histograms):
    """Largest distance in the largest connected component."""
    return len(distance_histograms[1]) - 1


@builtin(label="mean distance", topic="distances")
def lcc_mean_distance(distance_histograms):
    """Mean distance over pairs of distinct nodes of the largest connected component."""
    pairs = distance_histograms[1]
    n_pairs = int(pairs.sum())
    return int(pairs @ np.arange(len(pairs))) / n_pairs if n_pairs else 0.0


@builtin(topic="distances")
def global_efficiency(graph, distance_histograms):
    """Mean of 1/distance over pairs of distinct nodes, 0 for pairs without a path."""
    pairs = distance_histograms[0]
    n_pairs = graph.n_nodes * (graph.n_nodes - 1) // 2
    return float((pairs[1:] / np.arange(1, len(pairs))).sum()) / n_pairs if n_pairs else 0.0


def _register(k):
    definition = f"Number of unordered pairs of nodes at distance {k}"

    @builtin(
        discrete=True,
        name=f"n_pairs_distance_{k}",
        definition=definition,
        label=f"pairs at distance {k}",
        topic="distances",
    )
    def n_pairs(distance_histograms):
        pairs = distance_histograms[0]
        return pairs[k] if k < len(pairs) else 0


for _k in (3, 4, 5, 6):
    _register(_k)
