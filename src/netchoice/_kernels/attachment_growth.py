"""Growth by attaching new nodes to earlier ones; edges are never removed.

Every growth kernel returns ``status, number of nodes, indptr, indices``. With ``drop`` only
non-isolated nodes count towards ``n_nodes``. One step can add two of them and so pass ``n_nodes``;
the caller then starts over.
"""

import numpy as np

from netchoice._kernels.compiler import BOOL, FLOAT, INT, helper, kernel
from netchoice._kernels.csr import adjacency
from netchoice._kernels.random_stream import SEED, random_integer, start, uniform

DONE, TOO_MANY_NODES, TOO_MANY_EDGES, PASSED = 0, 1, 2, 3


@helper
def doubled(array, at_least=0):
    """Copy an array into one of at least twice the length."""
    larger = np.empty(max(2 * len(array), at_least, 16), array.dtype)
    larger[: len(array)] = array
    return larger


@helper
def limit(t, n_edges, counted, n_nodes, max_nodes, max_edges):
    """Return the status that stops growth here, or DONE if growth may continue."""
    if counted > n_nodes:
        return PASSED
    if t >= max_nodes:
        return TOO_MANY_NODES
    return TOO_MANY_EDGES if n_edges > max_edges else DONE


@helper
def with_room(array, length):
    """Return the array, or a longer copy padded with 0 if it is shorter than ``length``."""
    if len(array) >= length:
        return array
    larger = doubled(array, length)
    larger[len(array) :] = 0
    return larger


@helper
def add_edges(ends, degree, n_edges, sources, targets, n_new):
    """Append edges to the flat list of ends; return how many nodes had no edge before."""
    newly_linked = 0
    for i in range(n_new):
        for side, node in enumerate((sources[i], targets[i])):
            ends[2 * (n_edges + i) + side] = node
            if degree[node] == 0:
                newly_linked += 1
            degree[node] += 1
    return newly_linked


@kernel(INT, INT, SEED)
def grow_ba(n_nodes, m, seed):
    """Grow as Barabási and Albert: each new node links to m distinct nodes chosen by degree."""
    n_edges = m + (n_nodes - m - 1) * m
    ends = np.empty(2 * n_edges, np.int32)
    for leaf in range(m):  # the seed: a star around node 0
        ends[2 * leaf] = 0
        ends[2 * leaf + 1] = leaf + 1
    size = 2 * m
    a, b, c, d = start(seed)
    for v in range(m + 1, n_nodes):
        # Repeated choices are drawn again; the links just written are the list of choices.
        for i in range(m):
            repeated = True
            w = 0
            while repeated:
                draw, a, b, c, d = uniform(a, b, c, d)
                w = ends[int(draw * size)]
                repeated = False
                for j in range(i):
                    if ends[size + 2 * j + 1] == w:
                        repeated = True
                        break
            ends[size + 2 * i] = v
            ends[size + 2 * i + 1] = w
        size += 2 * m
    indptr, indices = adjacency(ends, n_edges, n_nodes)
    return DONE, n_nodes, indptr, indices


@kernel(INT, INT, INT, BOOL, FLOAT, FLOAT, SEED)
def grow_lpa(n_nodes, max_nodes, max_edges, drop, mean_links, attractiveness, seed):
    """Grow by linking each new node to distinct nodes with weights degree + attractiveness."""
    ends = np.empty(4 * n_nodes, np.int32)
    degree = np.zeros(n_nodes, np.int32)
    stamp = np.zeros(n_nodes, np.int64)  # the last new node that chose this one
    sources = np.empty(int(mean_links) + 1, np.int32)
    targets = np.empty(int(mean_links) + 1, np.int32)
    ends[0], ends[1] = 0, 1
    degree[0], degree[1] = 1, 1
    n_edges, t, counted = 1, 2, 2
    a, b, c, d = start(seed)
    status = DONE
    while counted != n_nodes:
        status = limit(t, n_edges, counted, n_nodes, max_nodes, max_edges)
        if status != DONE:
            break
        degree, stamp = with_room(degree, t + 1), with_room(stamp, t + 1)
        n_links, a, b, c, d = random_integer(mean_links, a, b, c, d)
        n_links = min(t, n_links)
        i = 0
        while i < n_links:
            draw, a, b, c, d = uniform(a, b, c, d)
            at = draw * (2 * n_edges + attractiveness * t)
            w = (
                ends[int(at)]
                if at < 2 * n_edges
                else min(int((at - 2 * n_edges) / attractiveness), t - 1)
            )
            if stamp[w] != t:
                stamp[w] = t
                sources[i] = t
                targets[i] = w
                i += 1
        ends = with_room(ends, 2 * (n_edges + n_links))
        newly_linked = add_edges(ends, degree, n_edges, sources, targets, n_links)
        n_edges += n_links
        counted += newly_linked if drop else 1
        t += 1
    indptr, indices = adjacency(ends, n_edges, t)
    return status, t, indptr, indices


@kernel(INT, INT, INT, BOOL, FLOAT, FLOAT, SEED)
def grow_agv(n_nodes, max_nodes, max_edges, drop, mean_links, attractiveness, seed):
    """Grow by linking new nodes to active ones, which retire with weights 1/(degree + a)."""
    n_active_max = max(1, int(np.ceil(mean_links)))
    ends = np.empty(4 * n_nodes, np.int32)
    degree = np.zeros(n_nodes, np.int32)
    active = np.empty(n_active_max + 1, np.int32)
    sources = np.empty(n_active_max, np.int32)
    targets = np.empty(n_active_max, np.int32)
    ends[0], ends[1] = 0, 1
    degree[0], degree[1] = 1, 1
    n_active = min(2, n_active_max)
    active[0] = 1
    if n_active == 2:
        active[1] = 0
    n_edges, t, counted = 1, 2, 2
    a, b, c, d = start(seed)
    status = DONE
    while counted != n_nodes:
        status = limit(t, n_edges, counted, n_nodes, max_nodes, max_edges)
        if status != DONE:
            break
        degree = with_room(degree, t + 1)
        n_links, a, b, c, d = random_integer(mean_links, a, b, c, d)
        n_links = min(n_active, n_links)
        for i in range(n_links):  # the first n_links of a partial shuffle
            draw, a, b, c, d = uniform(a, b, c, d)
            j = i + int(draw * (n_active - i))
            active[i], active[j] = active[j], active[i]
            sources[i] = t
            targets[i] = active[i]
        ends = with_room(ends, 2 * (n_edges + n_links))
        newly_linked = add_edges(ends, degree, n_edges, sources, targets, n_links)
        n_edges += n_links
        counted += newly_linked if drop else 1
        active[n_active] = t
        n_active += 1
        t += 1
        if n_active > n_active_max:
            total = 0.0
            for i in range(n_active):
                total += 1.0 / (degree[active[i]] + attractiveness)
            draw, a, b, c, d = uniform(a, b, c, d)
            at = draw * total
            retired = 0
            while retired < n_active - 1:
                at -= 1.0 / (degree[active[retired]] + attractiveness)
                if at < 0.0:
                    break
                retired += 1
            n_active -= 1
            active[retired] = active[n_active]
    indptr, indices = adjacency(ends, n_edges, t)
    return status, t, indptr, indices
