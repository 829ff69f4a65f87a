"""Centrality: betweenness, the leading eigenvector, and the Estrada index."""

import math

import numpy as np

from netchoice.features.budget import check_quadratic
from netchoice.features.registry import builtin, run_kernel, step


@step(growth="n·m", min_power=2.0)
def betweenness(graph):
    """Shortest-path betweenness of each node, normalised by (n−1)(n−2)/2."""
    check_quadratic(graph, "betweenness")
    return run_kernel("betweenness.betweenness", graph) / _pairs_of_others(graph.n_nodes)


@step(growth="m · iterations")
def leading_eigenvector(graph, components):
    """Leading eigenvector of the adjacency matrix, of Euclidean norm 1, non-negative."""
    n_components = len(components.sizes)
    return run_kernel("spectrum.leading_eigenvector", graph, components.labels, n_components)[1]


def _pairs_of_others(n_nodes):
    return max((n_nodes - 1) * (n_nodes - 2) // 2, 1)


@builtin(label="mean betweenness", topic="distances")
def betweenness_mean(graph, distance_histograms):
    """Mean betweenness."""
    # The sum of betweenness is the number of inner nodes: d − 1 on a path of length d.
    pairs = distance_histograms[0]
    inner = int(pairs @ np.maximum(np.arange(len(pairs)) - 1, 0))
    return inner / (max(graph.n_nodes, 1) * _pairs_of_others(graph.n_nodes))


@builtin(growth="n", label="maximum betweenness", topic="hubs")
def betweenness_max(betweenness):
    """Largest betweenness."""
    return betweenness.max(initial=0.0)


@builtin(growth="n", topic="hubs")
def central_point_dominance(betweenness):
    """Σ(largest betweenness − betweenness of i)/(n − 1)."""
    differences = betweenness.max(initial=0.0) - betweenness
    return float(differences.sum()) / max(len(betweenness) - 1, 1)


@builtin(growth="n", label="mean entry of the leading eigenvector")
def eigenvector_mean(leading_eigenvector):
    """Mean entry of the leading eigenvector."""
    return float(leading_eigenvector.mean()) if len(leading_eigenvector) else 0.0


@builtin(growth="n", label="maximum entry of the leading eigenvector")
def eigenvector_max(leading_eigenvector):
    """Largest entry of the leading eigenvector."""
    return leading_eigenvector.max(initial=0.0)


#: The largest logarithm up to which the Estrada index is stored as it is.
LARGEST_LOG = 700.0


@builtin(growth="n·m", min_power=2.0, label="Estrada index", version="2")
def estrada_index(graph, components):
    """Sum of exp(eigenvalue) of the adjacency matrix; beyond e^700, e^700 · (its logarithm − 699)."""
    check_quadratic(graph, "the Estrada index")
    index = run_kernel("spectrum.estrada_index", graph, components.labels, len(components.sizes))
    if index <= math.exp(LARGEST_LOG):
        return index
    # The tangent of exp: the order of networks is kept, and every network has a finite value.
    logarithm = math.log(index) if math.isfinite(index) else _log_estrada(graph, components)
    return math.exp(LARGEST_LOG) * (1.0 + logarithm - LARGEST_LOG)


def _log_estrada(graph, components):
    """Return the logarithm of an Estrada index that no floating-point number can hold.

    Only eigenvalues near the largest one matter: one that is 60 smaller adds less than 1e-26 of the sum.
    """
    from scipy.sparse import csr_array

    n = graph.n_nodes
    matrix = csr_array((np.ones(len(graph.indices)), graph.indices, graph.indptr), shape=(n, n))
    found = []
    for label in np.flatnonzero(components.sizes > LARGEST_LOG / 2):  # smaller ones do not matter
        nodes = np.flatnonzero(components.labels == label)
        found.append(_largest_eigenvalues(matrix[nodes][:, nodes]))
    values = np.concatenate(found)
    return float(values.max() + np.log(np.exp(values - values.max()).sum()))


def _largest_eigenvalues(matrix, span=60.0):
    """Return all eigenvalues of a connected network that are at most ``span`` below the largest one."""
    from scipy.sparse.linalg import eigsh

    n, k = matrix.shape[0], 4
    while k < n // 2:
        values = eigsh(matrix, k, which="LA", v0=np.ones(n), return_eigenvectors=False)
        if values.min() < values.max() - span:
            return values
        k *= 4
    return np.linalg.eigvalsh(matrix.toarray())
