"""Whether a network may have two kinds of nodes, which no model has."""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from netchoice.graph import Graph

#: Of so many independent cycles, all are even by chance in about one of 1000 networks.
MANY_CYCLES = 10


def may_have_two_kinds(network: Graph) -> bool:
    """Return whether a network has at least ten independent cycles and all its cycles are even.

    Such a network can be divided into two kinds of nodes, so that every edge leads from one kind to the
    other. Plants and their pollinators are an example. A tree can always be divided like this, and tells
    nothing.

    Examples
    --------
    >>> lattice = [(5 * i + j, 5 * i + k) for i in range(5) for j, k in ((0, 1), (1, 2), (2, 3), (3, 4))]
    >>> lattice += [(i, i + 5) for i in range(20)]
    >>> may_have_two_kinds(Graph.from_edges(lattice))
    True
    >>> may_have_two_kinds(Graph.from_edges([*lattice, (0, 6)]))
    False
    """
    u, v = network.edges().T.astype(np.int64)
    n_nodes, n_edges = network.n_nodes, network.n_edges
    n_components = _n_components(u, v, n_nodes)
    if n_edges - n_nodes + n_components < MANY_CYCLES:
        return False
    # Each node twice, and each edge from one copy to the other: two parts for each component without an
    # odd cycle, one for each component with an odd cycle.
    ends = np.concatenate([u, v]), np.concatenate([v, u]) + n_nodes
    return _n_components(*ends, 2 * n_nodes) == 2 * n_components


def _n_components(u: np.ndarray, v: np.ndarray, n_nodes: int) -> int:
    links = coo_array((np.ones(len(u), np.int8), (u, v)), shape=(n_nodes, n_nodes))
    return int(connected_components(links, directed=False, return_labels=False))
