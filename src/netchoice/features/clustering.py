"""Clustering: triangles, squares, and local efficiency."""

import numpy as np

from netchoice.features.registry import builtin, run_kernel, step


@step(growth="m^1.5")
def triangles(graph):
    """Number of triangles through each node."""
    return run_kernel("triangles.node_triangles", graph)


@step(growth="m^1.5")
def square_clustering(graph):
    """Square clustering coefficient of each node, as networkx defines it."""
    return run_kernel("squares.square_clustering", graph)


@builtin(growth="n")
def transitivity(triangles, degrees):
    """Transitivity: 3 · triangles / connected triples."""
    pairs = degrees.astype(np.int64)
    triples = int((pairs * (pairs - 1)).sum()) // 2
    return int(triangles.sum()) / triples if triples else 0.0


@builtin(discrete=True, growth="n")
def n_triangles(triangles):
    """Number of triangles."""
    return int(triangles.sum()) // 3


@builtin(growth="n", label="mean clustering coefficient")
def clustering_mean(triangles, degrees):
    """Mean local clustering coefficient, 0 for degree below 2."""
    pairs = degrees.astype(np.int64)
    pairs *= pairs - 1
    shares = 2 * triangles / np.maximum(pairs, 1)
    return float(shares.mean()) if len(shares) else 0.0


@builtin(growth="n", label="mean square clustering")
def square_clustering_mean(square_clustering):
    """Mean square clustering coefficient."""
    return float(square_clustering.mean()) if len(square_clustering) else 0.0


@builtin(growth="n", label="median square clustering")
def square_clustering_median(square_clustering):
    """Median square clustering coefficient."""
    return float(np.median(square_clustering)) if len(square_clustering) else 0.0


@builtin(growth="n", label="standard deviation of square clustering")
def square_clustering_std(square_clustering):
    """Standard deviation (ddof 0) of the square clustering coefficient."""
    return float(square_clustering.std()) if len(square_clustering) else 0.0


@builtin(growth="m^1.5 to n·m", label="local efficiency of the largest component")
def lcc_local_efficiency(graph, lcc):
    """Mean, over the nodes of the LCC, of the global efficiency of the subgraph of their neighbours."""
    efficiency = run_kernel("local_efficiency.local_efficiency", graph)
    return float(efficiency[lcc].sum()) / max(int(lcc.sum()), 1)
