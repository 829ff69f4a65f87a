"""Connected components."""

import numpy as np

from netchoice._kernels.compiler import CONST_INTS, kernel


@kernel(CONST_INTS, CONST_INTS)
def component_labels(indptr, indices):
    """Return each node's component, numbered by smallest node id, and the number of components."""
    n_nodes = len(indptr) - 1
    label = np.full(n_nodes, -1, np.int32)
    queue = np.empty(n_nodes, np.int32)
    n_components = 0
    for root in range(n_nodes):
        if label[root] >= 0:
            continue
        label[root] = n_components
        queue[0] = root
        head, tail = 0, 1
        while head < tail:
            u = queue[head]
            head += 1
            for h in range(indptr[u], indptr[u + 1]):
                v = indices[h]
                if label[v] < 0:
                    label[v] = n_components
                    queue[tail] = v
                    tail += 1
        n_components += 1
    return label, n_components
