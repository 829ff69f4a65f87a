"""Degree connectivity: the relation between the degrees of neighbours."""

import numpy as np

from netchoice.features.registry import builtin


@builtin(growth="n + m")
def degree_connectivity(graph):
    """Mean, over the degrees k that occur, of the mean neighbour degree of nodes of degree k."""
    from netchoice._kernels.degree_connectivity import degree_connectivity as kernel

    return kernel(graph.indptr, graph.indices, np.ones(graph.n_nodes, np.bool_))


@builtin(growth="n + m")
def lcc_degree_connectivity(graph, lcc):
    """Degree connectivity of the LCC: mean, over its degrees k, of the mean neighbour degree."""
    from netchoice._kernels.degree_connectivity import degree_connectivity as kernel

    return kernel(graph.indptr, graph.indices, lcc)
