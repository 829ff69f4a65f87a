"""Growth by copying nodes: duplication with complementation (DMC) or random mutation (DMR).

Edge e is a pair of half-edges 2e and 2e+1, one in the list of each of its ends. ``owner[h]`` is the
node whose list contains h, so the node at the other end is ``owner[h ^ 1]``. When an edge moves
from one node to another, the entry of its other end does not change.

Each model is a loop over steps that never allocates and passes no arrays to functions, and a driver
that enlarges the arrays when the loop runs out of room. Replacing or passing arrays inside the loop
updates their reference counts there, which made it eight times slower.
"""

import numpy as np

from netchoice._kernels.attachment_growth import DONE, doubled, limit, with_room
from netchoice._kernels.compiler import BOOL, FLOAT, INT, helper, kernel
from netchoice._kernels.csr import adjacency
from netchoice._kernels.random_stream import SEED, start, uniform

MORE_ROOM = -1
# Positions in the array ``state``, which keeps the counts between calls of a loop.
NODES, EDGES, COUNTED = 0, 1, 2


@helper
def _dmc_steps(
    state, stream, n_nodes, max_nodes, max_edges, drop, p_delete, p_connect,
    first, owner, following, previous,
):  # fmt: skip
    """Grow until done or out of room. Lists are doubly linked because edges move between nodes."""
    t, n_edges, counted = state[NODES], state[EDGES], state[COUNTED]
    a, b, c, d = stream[0], stream[1], stream[2], stream[3]
    status = DONE
    while counted != n_nodes:
        status = limit(t, n_edges, counted, n_nodes, max_nodes, max_edges)
        if status != DONE:
            break
        if t == len(first) or 2 * (n_edges + t) > len(owner):  # a copy has at most t edges
            status = MORE_ROOM
            break
        draw, a, b, c, d = uniform(a, b, c, d)
        u, v = int(draw * t), t
        isolated = first[u] < 0
        first_new = -1  # the list of v
        h = first[u]
        while h >= 0:
            after = following[h]
            draw, a, b, c, d = uniform(a, b, c, d)
            joins = h
            if draw < 0.5 * p_delete:  # u–w goes, v–w stays: the edge moves from u to v
                before = previous[h]
                if before >= 0:
                    following[before] = after
                else:
                    first[u] = after
                if after >= 0:
                    previous[after] = before
            elif draw >= p_delete:  # neither goes: v–w is a new edge
                w = owner[h ^ 1]
                joins = 2 * n_edges
                old = first[w]
                owner[joins + 1] = w
                previous[joins + 1] = -1
                following[joins + 1] = old
                if old >= 0:
                    previous[old] = joins + 1
                first[w] = joins + 1
                n_edges += 1
            else:
                h = after
                continue
            owner[joins] = v
            previous[joins] = -1
            following[joins] = first_new
            if first_new >= 0:
                previous[first_new] = joins
            first_new = joins
            h = after
        first[v] = first_new
        draw, a, b, c, d = uniform(a, b, c, d)
        connect = draw < p_connect
        if connect:
            for node in (u, v):
                h = 2 * n_edges + (node == v)
                old = first[node]
                owner[h] = node
                previous[h] = -1
                following[h] = old
                if old >= 0:
                    previous[old] = h
                first[node] = h
            n_edges += 1
        t += 1
        if not drop:
            counted += 1
        elif isolated:
            counted += 2 if connect else 0
        elif first[u] >= 0 and first[v] >= 0:
            counted += 1
    state[NODES], state[EDGES], state[COUNTED] = t, n_edges, counted
    stream[0], stream[1], stream[2], stream[3] = a, b, c, d
    return status


@helper
def _seed_edge(n_nodes):
    """Return counts and lists for two linked nodes, with room to grow."""
    first = np.full(n_nodes, -1, np.int32)  # of each node's linked list of half-edges
    owner, following = np.empty(8 * n_nodes, np.int32), np.empty(8 * n_nodes, np.int32)
    owner[0], owner[1] = 0, 1
    following[0], following[1] = -1, -1
    first[0], first[1] = 0, 1
    return np.array([2, 1, 2]), first, owner, following


@helper
def _more_nodes(first):
    larger = doubled(first)
    larger[len(first) :] = -1
    return larger


@kernel(INT, INT, INT, BOOL, FLOAT, FLOAT, SEED)
def grow_dmc(n_nodes, max_nodes, max_edges, drop, p_delete, p_connect, seed):
    """Grow by DMC to ``n_nodes`` nodes (with ``drop``: to that many non-isolated nodes)."""
    stream = np.array(start(seed))
    state, first, owner, following = _seed_edge(n_nodes)
    previous = following.copy()
    while True:
        status = _dmc_steps(
            state, stream, n_nodes, max_nodes, max_edges, drop, p_delete, p_connect,
            first, owner, following, previous,
        )  # fmt: skip
        if status != MORE_ROOM:
            break
        if state[NODES] == len(first):
            first = _more_nodes(first)
        else:
            owner, following, previous = doubled(owner), doubled(following), doubled(previous)
    indptr, indices = adjacency(owner, state[EDGES], state[NODES])
    return status, state[NODES], indptr, indices


@helper
def _dmr_steps(
    state, stream, n_nodes, max_nodes, max_edges, drop, p_delete, p_new,
    first, owner, following, chosen, stamp,
):  # fmt: skip
    """Grow until done or out of room. Lists are singly linked because edges are only added."""
    t, n_edges, counted = state[NODES], state[EDGES], state[COUNTED]
    a, b, c, d = stream[0], stream[1], stream[2], stream[3]
    status = DONE
    while counted != n_nodes:
        status = limit(t, n_edges, counted, n_nodes, max_nodes, max_edges)
        if status != DONE:
            break
        if t == len(first) or 2 * (n_edges + t) > len(owner):  # the new node has at most t edges
            status = MORE_ROOM
            break
        draw, a, b, c, d = uniform(a, b, c, d)
        n_chosen = 0
        h = first[int(draw * t)]
        while h >= 0:
            draw, a, b, c, d = uniform(a, b, c, d)
            if draw >= p_delete:
                chosen[n_chosen] = owner[h ^ 1]
                stamp[chosen[n_chosen]] = t
                n_chosen += 1
            h = following[h]
        if p_new > 0.0:
            # Independent draws for each of the t nodes; geometric steps skip to the next success.
            log_miss = np.log1p(-p_new / t)
            at = -1.0
            while at < t:
                draw, a, b, c, d = uniform(a, b, c, d)
                at += 1.0 + np.floor(np.log1p(-draw) / log_miss)
                if at < t and stamp[int(at)] != t:
                    chosen[n_chosen] = int(at)
                    n_chosen += 1
        newly_linked = 1 if n_chosen else 0
        for i in range(n_chosen):
            w = chosen[i]
            if first[w] < 0:
                newly_linked += 1
            owner[2 * n_edges], following[2 * n_edges] = t, first[t]
            first[t] = 2 * n_edges
            owner[2 * n_edges + 1], following[2 * n_edges + 1] = w, first[w]
            first[w] = 2 * n_edges + 1
            n_edges += 1
        t += 1
        counted += newly_linked if drop else 1
    state[NODES], state[EDGES], state[COUNTED] = t, n_edges, counted
    stream[0], stream[1], stream[2], stream[3] = a, b, c, d
    return status


@kernel(INT, INT, INT, BOOL, FLOAT, FLOAT, SEED)
def grow_dmr(n_nodes, max_nodes, max_edges, drop, p_delete, p_new, seed):
    """Grow by DMR to ``n_nodes`` nodes (with ``drop``: to that many non-isolated nodes)."""
    stream = np.array(start(seed))
    state, first, owner, following = _seed_edge(n_nodes)
    chosen = np.empty(n_nodes, np.int32)  # the nodes that the new node links to
    stamp = np.zeros(n_nodes, np.int32)  # the last new node that chose this one
    while True:
        status = _dmr_steps(
            state, stream, n_nodes, max_nodes, max_edges, drop, p_delete, p_new,
            first, owner, following, chosen, stamp,
        )  # fmt: skip
        if status != MORE_ROOM:
            break
        if state[NODES] == len(first):
            first = _more_nodes(first)
            chosen, stamp = with_room(chosen, len(first)), with_room(stamp, len(first))
        else:
            owner, following = doubled(owner), doubled(following)
    indptr, indices = adjacency(owner, state[EDGES], state[NODES])
    return status, state[NODES], indptr, indices
