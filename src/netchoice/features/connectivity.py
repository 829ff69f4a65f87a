"""How the degrees of neighbours go together."""

import numpy as np

from netchoice.features.registry import builtin


@builtin(growth="n + m")
def degree_connectivity(graph):
    """Mean, over the degrees k that occur, of the mean degree of the neighbours of such nodes."""
    from netchoice._kernels.connectivity import degree_connectivity as kernel

    return kernel(graph.indptr, graph.indices, np.ones(graph.n_nodes, np.bool_))


@builtin(growth="n + m")
def lcc_degree_connectivity(graph, lcc):
    """The same on the largest connected component."""
    from netchoice._kernels.connectivity import degree_connectivity as kernel

    return kernel(graph.indptr, graph.indices, lcc)
