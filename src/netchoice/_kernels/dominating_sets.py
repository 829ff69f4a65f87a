"""Sizes of the greedy dominating sets of networkx, with the same rule for ties."""

import numpy as np

from netchoice._kernels.bits import NOTHING, WORD, lowest_of, only, without_lowest, words_for
from netchoice._kernels.compiler import CONST_INTS, helper, kernel


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
