"""Orders of the nodes that make searches fast: breadth first, and by degree."""

import numpy as np

from netchoice._kernels.compiler import helper


@helper
def breadth_first(indptr, indices, left_out):
    """List the nodes in breadth-first order, component by component, without those left out.

    Neighbours are then close to each other in the order. Components are sorted by smallest node.
    Returns the order, the positions where components start (and where the last one ends), and the
    position of each node (-1 if left out).
    """
    n_nodes = len(indptr) - 1
    order = np.empty(n_nodes, np.int32)
    starts = np.empty(n_nodes + 1, np.int32)
    place = np.full(n_nodes, -1, np.int32)
    n_components, head, tail = 0, 0, 0
    for root in range(n_nodes):
        if left_out[root] or place[root] >= 0:
            continue
        starts[n_components] = tail
        n_components += 1
        place[root] = tail
        order[tail] = root
        tail += 1
        while head < tail:
            u = order[head]
            head += 1
            for h in range(indptr[u], indptr[u + 1]):
                v = indices[h]
                if place[v] < 0 and not left_out[v]:
                    place[v] = tail
                    order[tail] = v
                    tail += 1
    starts[n_components] = tail
    return order[:tail], starts[: n_components + 1], place


@helper
def renumbered(indptr, indices, order, place):
    """Return adjacency and degrees of the nodes in ``order``, numbered by their position in it.

    The adjacency is unsigned, so array look-ups need no test for negative indices. Differences of
    unsigned numbers can wrap around; therefore the degrees are returned as well.
    """
    new_indptr = np.empty(len(order) + 1, np.uint32)
    new_indices = np.empty(len(indices), np.uint32)
    degree = np.empty(len(order), np.int64)
    new_indptr[0] = 0
    end = 0
    for i in range(len(order)):
        start = end
        for h in range(indptr[order[i]], indptr[order[i] + 1]):
            j = place[indices[h]]
            if j >= 0:
                new_indices[end] = j
                end += 1
        new_indptr[i + 1] = end
        degree[i] = end - start
    return new_indptr, new_indices, degree


@helper
def counting_sort(keys, n_keys, nodes):
    """Sort nodes by key, stably; also return the position where each key starts."""
    start = np.zeros(n_keys + 2, np.int64)
    for i in range(len(nodes)):
        start[keys[nodes[i]] + 2] += 1
    for key in range(n_keys):
        start[key + 2] += start[key + 1]
    ordered = np.empty(len(nodes), np.int32)
    for i in range(len(nodes)):
        key = keys[nodes[i]]
        ordered[start[key + 1]] = nodes[i]
        start[key + 1] += 1
    return ordered, start


@helper
def by_degree(degree, starts):
    """Sort the nodes of each component by increasing degree.

    In this order most nodes have as many neighbours as the node before, so the processor predicts
    the end of the loop over neighbours correctly.
    """
    n_nodes = len(degree)
    component = np.empty(n_nodes, np.int64)
    for c in range(len(starts) - 1):
        component[starts[c] : starts[c + 1]] = c
    everywhere, _ = counting_sort(degree, n_nodes, np.arange(n_nodes))
    ordered, _ = counting_sort(component, len(starts) - 1, everywhere)
    return ordered.astype(np.uint32)
