"""Number of nodes at each distance: from all nodes, or from some source nodes.

From all nodes, by breadth-first search from 512 sources at a time. Every node has a row of 512 bits, one per
source, set if the node has been reached from that source. One level of all 512 searches is one pass over
edges that combines rows. A pass either reads the rows of the neighbours of all nodes not yet reached from
every source (pull), or passes the rows of the nodes reached last to their neighbours (push), whichever is
estimated to be cheaper.
"""

from __future__ import annotations

import numpy as np

from netchoice._kernels.compiler import CONST_INTS, INTS, helper, kernel
from netchoice._kernels.csr import breadth_first, renumbered
from netchoice._kernels.lanes import (
    N_WORDS,
    count_all_bits,
    fill,
    load,
    nonzero,
    store,
    zero_rows,
)

N_SOURCES = 64 * N_WORDS
# Cost of passing a row to a neighbour, as a multiple of the cost of reading the neighbour's row.
PUSH_COST = 3


@helper
def _start(block, first, last, seen, fresh, active, pending):
    """Reset the arrays and mark the sources of this block."""
    nothing = fill(np.uint64(0))
    for v in range(first, last):
        store(seen, v, nothing)
        pending[v - first] = v
    for i in range(min(N_SOURCES, last - block)):
        bit = np.uint64(1) << np.uint64(i % 64)
        seen[block + i, i // 64] = bit
        fresh[block + i, i // 64] = bit
        active[i] = block + i


@helper
def _push(indptr, indices, seen, fresh, now, then, active, n_before):
    """Pass the rows of active nodes to neighbours; return the next active and reached counts."""
    nothing = fill(np.uint64(0))
    end = n_before
    for i in range(n_before):
        u = active[i]
        passed = load(fresh, now + u)
        store(fresh, now + u, nothing)
        for h in range(indptr[u], indptr[u + 1]):
            v = indices[h]
            row = load(seen, v)
            new = (passed | row) ^ row
            if nonzero(new):
                already = load(fresh, then + v)
                if not nonzero(already):
                    active[end] = v
                    end += 1
                store(fresh, then + v, already | new)
    reached = 0
    for i in range(n_before, end):
        v = active[i]
        new = load(fresh, then + v)
        store(seen, v, load(seen, v) | new)
        reached += count_all_bits(new)
        active[i - n_before] = v
    return end - n_before, reached


@helper
def _pull(
    indptr, indices, complete_row, seen, fresh, now, then, active, n_before, pending, n_pulled
):
    """Gather rows at the pending nodes; return how many are active, reached, and pending next."""
    nothing = fill(np.uint64(0))
    complete = load(complete_row, 0)
    end, n_pending, reached = n_before, 0, 0
    for i in range(n_pulled):
        v = pending[i]
        row = load(seen, v)
        total = row
        for h in range(indptr[v], indptr[v + 1]):
            total = total | load(fresh, now + indices[h])
        new = total ^ row
        if nonzero(new):
            store(seen, v, total)
            store(fresh, then + v, new)
            reached += count_all_bits(new)
            active[end] = v
            end += 1
        if nonzero(total ^ complete):
            pending[n_pending] = v
            n_pending += 1
    for i in range(n_before):
        store(fresh, now + active[i], nothing)
    for i in range(n_before, end):
        active[i - n_before] = active[i]
    return end - n_before, reached, n_pending


@helper
def _sum_degrees(degree, nodes, n):
    total = 0
    for i in range(n):
        total += degree[nodes[i]]
    return total


@helper
def _search(
    indptr, indices, degree, block, first, last, seen, fresh, active, pending, complete, counts
):
    """Add the distances from one block of sources to all nodes of their component.

    Rows of ``fresh`` hold the sources from which a node was reached in the last level; the level
    being computed uses the other half of the array. Rows of inactive nodes are zero. Returns the
    number of the last level.
    """
    _start(block, first, last, seen, fresh, active, pending)
    n_active = min(N_SOURCES, last - block)
    n_pending = last - first
    for i in range(N_WORDS):
        complete[0, i] = 0
    for i in range(n_active):
        complete[0, i // 64] |= seen[block + i, i // 64]
    pending_edges = _sum_degrees(degree, pending, n_pending)
    missing = (last - first - 1) * n_active
    level, now, then = 0, 0, len(degree)
    while missing > 0:
        level += 1
        if PUSH_COST * _sum_degrees(degree, active, n_active) < pending_edges:
            n_active, reached = _push(indptr, indices, seen, fresh, now, then, active, n_active)
        else:
            n_active, reached, n_pending = _pull(
                indptr, indices, complete, seen, fresh, now, then,
                active, n_active, pending, n_pending,
            )  # fmt: skip
            pending_edges = _sum_degrees(degree, pending, n_pending)
        counts[level] += reached
        missing -= reached
        now, then = then, now
    nothing = fill(np.uint64(0))
    for i in range(n_active):
        store(fresh, now + active[i], nothing)
    return level


@kernel(CONST_INTS, CONST_INTS)
def distance_histograms(indptr, indices):
    """Count unordered pairs of nodes at each distance, in the graph and in its largest component.

    Returns two arrays of int64 indexed by distance, from 0 (no pairs) to the largest distance.
    Pairs without a path are not counted. Of several equally large components, the largest one is
    that with the smallest node id.
    """
    n_nodes = len(indptr) - 1
    order, starts, place = breadth_first(indptr, indices, np.zeros(n_nodes, np.bool_))
    near_indptr, near_indices, degree = renumbered(indptr, indices, order, place)
    seen = zero_rows(n_nodes, N_WORDS, np.uint64)
    fresh = zero_rows(2 * n_nodes, N_WORDS, np.uint64)
    complete = zero_rows(1, N_WORDS, np.uint64)
    active = np.empty(2 * n_nodes, np.uint32)
    pending = np.empty(n_nodes, np.uint32)
    counts = np.zeros(n_nodes + 1, np.int64)
    everywhere = np.zeros(n_nodes + 1, np.int64)
    largest = np.zeros(1, np.int64)
    largest_size, largest_diameter = 0, 0
    for c in range(len(starts) - 1):
        first, last = starts[c], starts[c + 1]
        diameter = 0
        for block in range(first, last, N_SOURCES):
            levels = _search(
                near_indptr, near_indices, degree, block, first, last,
                seen, fresh, active, pending, complete, counts,
            )  # fmt: skip
            diameter = max(diameter, levels)
        for d in range(diameter + 1):
            counts[d] //= 2  # each pair was found from both ends
            everywhere[d] += counts[d]
        largest_diameter = max(largest_diameter, diameter)
        if last - first > largest_size:
            largest_size = last - first
            largest = counts[: diameter + 1].copy()
        counts[: diameter + 1] = 0
    return everywhere[: largest_diameter + 1].copy(), largest


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
