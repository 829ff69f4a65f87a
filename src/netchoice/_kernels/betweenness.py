"""Exact shortest-path betweenness, from sixteen sources at a time.

Trees attached to the rest of the graph are folded into the nodes that carry them; their contribution
has a closed form. On the remaining core, Brandes' two sweeps (J. Math. Sociol. 25, 163, 2001) run
level by level for a block of sources. Every node has a row with one number per source. Nodes are
renumbered so that the sources of a block are close to each other and most nodes have the same
distance from many of them.

One level of a sweep either adds up the rows of the neighbours of all relevant nodes (pull), or adds
the row of each node to those of its neighbours (push), whichever is estimated to be cheaper.
"""

import numpy as np

from netchoice._kernels.bits import size_of
from netchoice._kernels.compiler import CONST_INTS, helper, kernel
from netchoice._kernels.csr import breadth_first, by_degree, renumbered
from netchoice._kernels.lanes import (
    LANE_BITS,
    N_FLOATS,
    fill,
    keep,
    load,
    nonzero,
    store,
    zero_rows,
)

# Cost of adding a row to a neighbour's row, as a multiple of the cost of reading that row.
PUSH_COST = 5


@helper
def _fold_trees(indptr, indices):
    """Remove nodes with one neighbour until there are none, adding their weight to the neighbour.

    Returns each node's weight (1 plus all weights folded into it), the sum of squares of the weights
    folded into it, the removed nodes in order, and the node into which each one was folded (-1 for
    the remaining nodes).
    """
    n_nodes = len(indptr) - 1
    weight = np.ones(n_nodes, np.int64)
    squares = np.zeros(n_nodes, np.int64)
    carrier = np.full(n_nodes, -1, np.int32)
    degree = np.empty(n_nodes, np.int32)
    removed = np.empty(n_nodes, np.int32)
    tail = 0
    for u in range(n_nodes):
        degree[u] = indptr[u + 1] - indptr[u]
        if degree[u] == 1:
            removed[tail] = u
            tail += 1
    head, n_removed = 0, 0
    while head < tail:
        u = removed[head]
        head += 1
        if degree[u] == 0:  # the other end of a tree's last edge was removed before
            continue
        removed[n_removed] = u
        n_removed += 1
        for h in range(indptr[u], indptr[u + 1]):
            v = indices[h]
            if carrier[v] < 0:
                carrier[u] = v
                weight[v] += weight[u]
                squares[v] += weight[u] * weight[u]
                degree[v] -= 1
                if degree[v] == 1:
                    removed[tail] = v
                    tail += 1
                break
    return weight, squares, removed[:n_removed], carrier


@helper
def _tree_part(weight, squares, removed, carrier, order, starts):
    """Return the betweenness due to pairs with at least one end folded into the node in between.

    All paths between different branches folded into a node, and from there to the rest of the
    component, lead through that node.
    """
    n_nodes = len(weight)
    size = np.empty(n_nodes, np.int64)  # of the component
    for c in range(len(starts) - 1):
        total = 0
        for i in range(starts[c], starts[c + 1]):
            total += weight[order[i]]
        for i in range(starts[c], starts[c + 1]):
            size[order[i]] = total
    for i in range(len(removed) - 1, -1, -1):
        size[removed[i]] = size[carrier[removed[i]]]
    between = np.empty(n_nodes, np.float64)
    for u in range(n_nodes):
        folded = weight[u] - 1
        among_folded = (folded * folded - squares[u]) // 2
        between[u] = among_folded + folded * (size[u] - weight[u])
    return between


@helper
def _reset(block, n_sources, first, last, by_rank, paths, seen, pending, entry, entry_lanes):
    """Reset the arrays and mark the sources of this block: one path, from each to itself."""
    nothing = fill(0.0)
    for v in range(first, last):
        store(paths, v, nothing)
        seen[v] = 0
        pending[v - first] = by_rank[v]
    for i in range(n_sources):
        paths[block + i, i] = 1.0
        seen[block + i] = 1 << i
        entry[i] = block + i
        entry_lanes[i] = 1 << i


@helper
def _push_paths(indptr, indices, paths, seen, active, entry, entry_lanes, start, stop):
    """Add the paths to each node of the last level to those of the nodes in the next level.

    Returns where the entries of the new level end, and how many nodes were reached in all lanes.
    """
    end = stop
    for e in range(start, stop):
        u = entry[e]
        lanes = entry_lanes[e]
        passed = load(paths, u)
        for h in range(indptr[u], indptr[u + 1]):
            v = indices[h]
            new = lanes & ~seen[v]
            if new:
                if active[v] == 0:
                    entry[end] = v
                    end += 1
                active[v] |= new
                store(paths, v, load(paths, v) + keep(passed, new))
    reached = 0
    for e in range(stop, end):
        v = entry[e]
        new = active[v]
        active[v] = 0
        entry_lanes[e] = new
        seen[v] |= new
        reached += size_of(np.uint64(new))
    return end, reached


@helper
def _pull_paths(
    indptr, indices, complete, paths, seen, active, entry, entry_lanes, start, stop,
    pending, n_pulled,
):  # fmt: skip
    """Add up, at each pending node, the paths to its neighbours in the last level.

    Returns where the entries of the new level end, how many nodes were reached in all lanes,
    and how many are still pending.
    """
    nothing = fill(0.0)
    for e in range(start, stop):
        active[entry[e]] = entry_lanes[e]
    end, reached, n_pending = stop, 0, 0
    for i in range(n_pulled):
        v = pending[i]
        arrived = nothing
        for h in range(indptr[v], indptr[v + 1]):
            u = indices[h]
            arrived = arrived + keep(load(paths, u), active[u])
        # Branches would be unpredictable here: always write, and advance the counter if needed.
        new = nonzero(arrived) & ~seen[v]
        store(paths, v, load(paths, v) + keep(arrived, new))
        seen[v] |= new
        reached += size_of(np.uint64(new))
        entry[end] = v
        entry_lanes[end] = new
        end += new != 0
        pending[n_pending] = v
        n_pending += seen[v] != complete
    for e in range(start, stop):
        active[entry[e]] = 0
    return end, reached, n_pending


@helper
def _sum_degrees(degree, nodes, start, stop):
    total = 0
    for i in range(start, stop):
        total += degree[nodes[i]]
    return total


@helper
def _count_paths(
    indptr, indices, degree, by_rank, block, first, last,
    paths, seen, active, pending, entry, entry_lanes, level_start,
):  # fmt: skip
    """Count the shortest paths from each source of the block to each node (first sweep).

    Fills in these numbers and, for each level, its entries: nodes, and the lanes in which they
    have that distance from the source. Returns the number of levels.
    """
    n_sources = min(N_FLOATS, last - block)
    complete = (1 << n_sources) - 1
    _reset(block, n_sources, first, last, by_rank, paths, seen, pending, entry, entry_lanes)
    n_pending = last - first
    pending_edges = _sum_degrees(degree, pending, 0, n_pending)
    missing = (last - first - 1) * n_sources
    level = 1
    level_start[0], level_start[1] = 0, n_sources
    while missing > 0:
        start, stop = level_start[level - 1], level_start[level]
        if PUSH_COST * _sum_degrees(degree, entry, start, stop) < pending_edges:
            end, reached = _push_paths(
                indptr, indices, paths, seen, active, entry, entry_lanes, start, stop
            )
        else:
            end, reached, n_pending = _pull_paths(
                indptr, indices, complete, paths, seen, active, entry, entry_lanes, start, stop,
                pending, n_pending,
            )  # fmt: skip
            pending_edges = _sum_degrees(degree, pending, 0, n_pending)
        missing -= reached
        level += 1
        level_start[level] = end
    return level


@helper
def _push_shares(indptr, indices, share, received, active, entry, entry_lanes, start, middle, end):
    """Pass the shares of the nodes of one level to the level before it."""
    for e in range(start, middle):
        active[entry[e]] = entry_lanes[e]
    for e in range(middle, end):
        v = entry[e]
        lanes = entry_lanes[e]
        passed = load(share, v)
        for h in range(indptr[v], indptr[v + 1]):
            u = indices[h]
            before = active[u] & lanes
            if before:
                store(received, u, load(received, u) + keep(passed, before))
    for e in range(start, middle):
        u = entry[e]
        active[u] = 0
        store(share, u, load(share, u) + keep(load(received, u), entry_lanes[e]))


@helper
def _pull_shares(indptr, indices, share, received, active, entry, entry_lanes, start, middle, end):
    """Add up, at each node of one level, the shares of its neighbours in the next one."""
    nothing = fill(0.0)
    for e in range(middle, end):
        active[entry[e]] = entry_lanes[e]
    for e in range(start, middle):
        u = entry[e]
        arrived = nothing
        for h in range(indptr[u], indptr[u + 1]):
            v = indices[h]
            arrived = arrived + keep(load(share, v), active[v])
        arrived = keep(arrived, entry_lanes[e])
        store(share, u, load(share, u) + arrived)
        store(received, u, load(received, u) + arrived)
    for e in range(middle, end):
        active[entry[e]] = 0


@helper
def _add_dependencies(
    indptr, indices, degree, weight, source_weight, n_levels, first, last,
    paths, share, received, active, summed, entry, entry_lanes, level_start,
):  # fmt: skip
    """Add the contribution of the block, from the farthest level to the first (second sweep).

    A node's share is its weight divided by its number of paths, plus what it received from the next
    level; all its predecessors receive it. The amount that a node received, times its own number of
    paths, is the weight of the targets beyond it, each counted for the fraction of its paths that
    lead through the node.
    """
    nothing = fill(0.0)
    for v in range(first, last):
        store(share, v, fill(weight[v]) / load(paths, v))
        store(received, v, nothing)
    far_edges = _sum_degrees(degree, entry, level_start[n_levels - 1], level_start[n_levels])
    for level in range(n_levels - 2, 0, -1):
        start, middle, end = level_start[level], level_start[level + 1], level_start[level + 2]
        near_edges = _sum_degrees(degree, entry, start, middle)
        if PUSH_COST * far_edges < near_edges:
            _push_shares(
                indptr, indices, share, received, active, entry, entry_lanes, start, middle, end
            )
        else:
            _pull_shares(
                indptr, indices, share, received, active, entry, entry_lanes, start, middle, end
            )
        far_edges = near_edges
    source_weights = load(source_weight, 0)
    for v in range(first, last):
        store(summed, v, load(summed, v) + source_weights * load(paths, v) * load(received, v))


@helper
def _add_core_part(indptr, indices, degree, weight, order, starts, between):
    """Add the betweenness due to pairs with neither end folded into the node in between."""
    n_nodes = len(order)
    core_weight = np.empty(n_nodes, np.float64)
    for i in range(n_nodes):
        core_weight[i] = weight[order[i]]
    by_rank = by_degree(degree, starts)
    paths = zero_rows(n_nodes, N_FLOATS, np.float64)
    share = zero_rows(n_nodes, N_FLOATS, np.float64)
    received = zero_rows(n_nodes, N_FLOATS, np.float64)
    summed = zero_rows(n_nodes, N_FLOATS, np.float64)
    source_weight = zero_rows(1, N_FLOATS, np.float64)
    seen = np.zeros(n_nodes, LANE_BITS)
    active = np.zeros(n_nodes, LANE_BITS)
    pending = np.empty(n_nodes, np.uint32)
    # One entry per node and lane, and one more because a pull writes before it counts.
    entry = np.empty(n_nodes * N_FLOATS + 1, np.uint32)
    entry_lanes = np.empty(n_nodes * N_FLOATS + 1, LANE_BITS)
    level_start = np.empty(n_nodes + 1, np.int64)
    for c in range(len(starts) - 1):
        first, last = starts[c], starts[c + 1]
        if last - first == 1:  # a tree, completely folded
            continue
        for block in range(first, last, N_FLOATS):
            for i in range(min(N_FLOATS, last - block)):
                source_weight[0, i] = core_weight[block + i]
            n_levels = _count_paths(
                indptr, indices, degree, by_rank, block, first, last,
                paths, seen, active, pending, entry, entry_lanes, level_start,
            )  # fmt: skip
            _add_dependencies(
                indptr, indices, degree, core_weight, source_weight, n_levels, first, last,
                paths, share, received, active, summed, entry, entry_lanes, level_start,
            )  # fmt: skip
    for i in range(n_nodes):
        total = 0.0
        for lane in range(N_FLOATS):
            total += summed[i, lane]
        between[order[i]] += total / 2  # each pair was found from both ends


@kernel(CONST_INTS, CONST_INTS)
def betweenness(indptr, indices):
    """Return the shortest-path betweenness of each node, not normalised.

    Betweenness is the sum, over unordered pairs of other nodes, of the fraction of their shortest
    paths that lead through the node. The graph need not be connected. The result is NaN where more
    than 1e308 shortest paths connect two nodes, the largest number that floats can count.
    """
    weight, squares, removed, carrier = _fold_trees(indptr, indices)
    order, starts, place = breadth_first(indptr, indices, carrier >= 0)
    between = _tree_part(weight, squares, removed, carrier, order, starts)
    if len(starts) - 1 < len(order):
        core_indptr, core_indices, degree = renumbered(indptr, indices, order, place)
        _add_core_part(core_indptr, core_indices, degree, weight, order, starts, between)
    return between
