"""Degree connectivity: the relation between the degrees of neighbours."""

import numpy as np

from netchoice.features.registry import builtin, run_kernel


@builtin(growth="n + m")
def degree_connectivity(graph):
    """Mean, over the degrees k that occur, of the mean neighbour degree of nodes of degree k."""
    every = np.ones(graph.n_nodes, np.bool_)
    return run_kernel("degree_connectivity.degree_connectivity", graph, every)


@builtin(growth="n + m")
def lcc_degree_connectivity(graph, lcc):
    """Degree connectivity of the LCC: mean, over its degrees k, of the mean neighbour degree."""
    return run_kernel("degree_connectivity.degree_connectivity", graph, lcc)
