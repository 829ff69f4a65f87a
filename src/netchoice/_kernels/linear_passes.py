"""Features from a few passes over nodes and edges: components, cores, degrees, dominating sets.

Core numbers, by repeatedly removing (peeling) the node of smallest degree: Vladimir Batagelj and Matjaž
Zaveršnik, An O(m) algorithm for cores decomposition of networks (2003), arXiv:cs/0310049.
"""

from __future__ import annotations

import numpy as np

from netchoice._kernels.bits import NOTHING, WORD, lowest_of, only, without_lowest, words_for
from netchoice._kernels.compiler import BOOLS, CONST_INTS, helper, kernel


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


@helper
def _sorted_by_degree(degree):
    """Sort the nodes by degree; return the order, each node's position, and where each degree starts.

    The first ``bucket_start[d + 1]`` nodes have degree d or less.
    """
    n_nodes = len(degree)
    largest = 0
    for u in range(n_nodes):
        largest = max(largest, degree[u])
    fill = np.zeros(largest + 2, np.int32)
    for u in range(n_nodes):
        fill[degree[u] + 1] += 1
    for d in range(largest + 1):
        fill[d + 1] += fill[d]
    bucket_start = fill.copy()
    order = np.empty(n_nodes, np.int32)
    position = np.empty(n_nodes, np.int32)
    for u in range(n_nodes):
        at = fill[degree[u]]
        order[at] = u
        position[u] = at
        fill[degree[u]] = at + 1
    return order, position, bucket_start


@helper
def peel(indptr, indices):
    """Return the core number of each node, and the nodes in the order of their removal.

    In that order every node has at most as many later neighbours as its core number.
    """
    n_nodes = len(indptr) - 1
    core = np.empty(n_nodes, np.int32)  # for nodes not yet removed: the remaining degree
    for u in range(n_nodes):
        core[u] = indptr[u + 1] - indptr[u]
    order, position, bucket_start = _sorted_by_degree(core)
    for i in range(n_nodes):
        u = order[i]
        core_u = core[u]
        for h in range(indptr[u], indptr[u + 1]):
            v = indices[h]
            core_v = core[v]
            if core_v > core_u:
                # Swap v with the first node of its bucket, and start the bucket one position later.
                first = bucket_start[core_v]
                at = position[v]
                w = order[first]
                order[at] = w
                position[w] = at
                order[first] = v
                position[v] = first
                bucket_start[core_v] = first + 1
                core[v] = core_v - 1
    return core, order


@kernel(CONST_INTS, CONST_INTS)
def core_numbers(indptr, indices):
    """Return each node's largest k such that it is in the k-core, and a degeneracy order."""
    return peel(indptr, indices)


@kernel(CONST_INTS, CONST_INTS, BOOLS)
def degree_connectivity(indptr, indices, included):
    """Return the mean, over all degrees k, of the mean degree of the neighbours of degree-k nodes.

    Only nodes marked in ``included`` count. It must consist of entire components: all nodes, or
    the largest component. Degrees that do not occur are left out; degree 0 has value 0.
    """
    n_nodes = len(indptr) - 1
    largest = 0
    for u in range(n_nodes):
        largest = max(largest, indptr[u + 1] - indptr[u])
    n_with = np.zeros(largest + 1, np.int64)
    neighbour_degrees = np.zeros(largest + 1, np.int64)
    for u in range(n_nodes):
        if not included[u]:
            continue
        k = indptr[u + 1] - indptr[u]
        n_with[k] += 1
        for h in range(indptr[u], indptr[u + 1]):
            v = indices[h]
            neighbour_degrees[k] += indptr[v + 1] - indptr[v]
    n_degrees = np.int64(n_with[0] > 0)
    total = 0.0
    for k in range(1, largest + 1):
        if n_with[k] > 0:
            n_degrees += 1
            total += neighbour_degrees[k] / (k * n_with[k])
    return total / n_degrees if n_degrees > 0 else 0.0


@helper
def _buckets_by_gain(indptr):
    """Return linked lists of the nodes with each gain, the size of the closed neighbourhood."""
    n_nodes = len(indptr) - 1
    largest = 0
    gain = np.empty(n_nodes, np.int32)
    for u in range(n_nodes):
        gain[u] = indptr[u + 1] - indptr[u] + 1
        largest = max(largest, gain[u])
    first = np.full(largest + 1, -1, np.int32)
    following = np.empty(n_nodes, np.int32)
    for u in range(n_nodes):
        following[u] = first[gain[u]]
        first[gain[u]] = u
    return gain, first, following


@kernel(CONST_INTS, CONST_INTS)
def node_dominating_set_size(indptr, indices):
    """Count the nodes that ``networkx.approximation.min_weighted_dominating_set`` chooses.

    networkx repeatedly chooses the node with the most unchosen nodes in its closed neighbourhood
    (covered nodes count; of equals, the smallest id) until every node is covered. Gains never
    increase, so each bucket is visited once, in the order of the ids. A node whose gain has
    decreased by then moves to the bucket of its current gain.
    """
    n_nodes = len(indptr) - 1
    gain, first, following = _buckets_by_gain(indptr)
    covered = np.zeros(n_nodes, np.bool_)
    in_bucket = np.zeros(words_for(n_nodes), np.uint64)
    n_uncovered = n_nodes
    n_chosen = 0
    level = len(first) - 1
    while n_uncovered > 0:
        low, high = len(in_bucket), -1
        u = first[level]
        while u >= 0:
            word = u // WORD
            in_bucket[word] |= only(u % WORD)
            low, high = min(low, word), max(high, word)
            u = following[u]
        for word in range(low, high + 1):
            left = in_bucket[word]
            in_bucket[word] = NOTHING
            while left != NOTHING and n_uncovered > 0:
                u = word * WORD + lowest_of(left)
                left = without_lowest(left)
                if gain[u] < level:
                    following[u] = first[gain[u]]
                    first[gain[u]] = u
                    continue
                n_chosen += 1
                if not covered[u]:
                    covered[u] = True
                    n_uncovered -= 1
                for h in range(indptr[u], indptr[u + 1]):
                    v = indices[h]
                    gain[v] -= 1
                    if not covered[v]:
                        covered[v] = True
                        n_uncovered -= 1
        level -= 1
    return n_chosen


@kernel(CONST_INTS, CONST_INTS)
def edge_dominating_set_size(indptr, indices):
    """Count the edges of the matching in ``networkx.approximation.min_edge_dominating_set``.

    networkx takes every edge, in sorted order, that shares no end with an edge taken before.
    """
    n_nodes = len(indptr) - 1
    matched = np.zeros(n_nodes, np.bool_)
    n_edges = 0
    for u in range(n_nodes):
        if matched[u]:
            continue
        for h in range(indptr[u], indptr[u + 1]):
            v = indices[h]
            if v > u and not matched[v]:
                matched[v] = True
                n_edges += 1
                break
    return n_edges
