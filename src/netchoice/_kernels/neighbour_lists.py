"""Lists of neighbours for networks whose links appear and disappear.

``neighbours`` has a row for each node, and ``degree`` gives the number of its entries that count. A row
is short, so that a search in it is faster than a hash table.
"""

import numpy as np

from netchoice._kernels.compiler import helper
from netchoice._kernels.csr import adjacency


@helper
def place_of(neighbours, degree, u, v):
    """Return the place of v in the list of u, or -1 if they are not linked."""
    for place in range(degree[u]):
        if neighbours[u, place] == v:
            return place
    return -1


@helper
def wider(rows, n_nodes):
    """Return the same rows with twice the room, but not more than one entry for each node, plus 2."""
    doubled = np.empty((len(rows), min(2 * rows.shape[1], n_nodes + 2)), rows.dtype)
    doubled[:, : rows.shape[1]] = rows
    return doubled


@helper
def adjacency_of(neighbours, degree):
    """Return the sorted adjacency of the network."""
    ends, n_edges = np.empty(degree.sum(), np.int32), 0
    for u in range(len(degree)):
        for place in range(degree[u]):
            v = neighbours[u, place]
            if u < v:
                ends[2 * n_edges] = u
                ends[2 * n_edges + 1] = v
                n_edges += 1
    return adjacency(ends, n_edges, len(degree))
