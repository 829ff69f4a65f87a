"""Number of nodes at each distance from some source nodes."""

import numpy as np

from netchoice._kernels.compiler import CONST_INTS, INTS, kernel


@kernel(CONST_INTS, CONST_INTS, INTS)
def source_distances(indptr, indices, sources):
    """Count the nodes at each distance, summed over the sources, from 0 (the sources themselves).

    Nodes without a path are not counted.
    """
    n_nodes = len(indptr) - 1
    counts = np.zeros(n_nodes + 1, np.int64)
    queue = np.empty(n_nodes, np.int32)
    reached_from = np.full(n_nodes, -1, np.int32)
    largest = 0
    for s in range(len(sources)):
        queue[0] = sources[s]
        reached_from[sources[s]] = s
        begin, end, level = 0, 1, 0
        while begin < end:
            counts[level] += end - begin
            largest = max(largest, level)
            tail = end
            for i in range(begin, end):
                u = queue[i]
                for h in range(indptr[u], indptr[u + 1]):
                    v = indices[h]
                    if reached_from[v] != s:
                        reached_from[v] = s
                        queue[tail] = v
                        tail += 1
            begin, end = end, tail
            level += 1
    return counts[: largest + 1].copy()
