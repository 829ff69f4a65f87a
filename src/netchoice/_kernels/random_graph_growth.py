"""Growth of random graphs in which any pair may be linked; a hash set holds the linked pairs."""

import numpy as np

from netchoice._kernels.attachment_growth import DONE, add_edges, limit, with_room
from netchoice._kernels.compiler import BOOL, FLOAT, INT, kernel
from netchoice._kernels.csr import adjacency
from netchoice._kernels.linked_pairs import (
    add,
    larger_set,
    new_set,
    pair_key,
    random_pair,
    remove,
    slot_of,
)
from netchoice._kernels.random_stream import SEED, random_integer, start, uniform


@kernel(INT, INT, SEED)
def grow_rds(n_nodes, n_edges, seed):
    """Grow an Erdős–Rényi graph with ``n_edges`` edges; all sets of pairs are equally likely."""
    linked_pairs = new_set(n_edges)
    ends = np.empty(2 * n_edges, np.int32)
    a, b, c, d = start(seed)
    e = 0
    while e < n_edges:
        u, v, a, b, c, d = random_pair(n_nodes, a, b, c, d)
        if add(linked_pairs, pair_key(u, v)):
            ends[2 * e] = u
            ends[2 * e + 1] = v
            e += 1
    indptr, indices = adjacency(ends, n_edges, n_nodes)
    return DONE, n_nodes, indptr, indices


@kernel(INT, INT, INT, BOOL, FLOAT, SEED)
def grow_rdg(n_nodes, max_nodes, max_edges, drop, mean_links, seed):
    """Grow as Callaway et al.: with each new node, links are added between uniformly chosen pairs."""
    most_links = int(mean_links) + 1
    linked_pairs = new_set(int(n_nodes * mean_links) + 1)
    ends = np.empty(4 * n_nodes, np.int32)
    degree = np.zeros(n_nodes, np.int32)
    sources = np.empty(most_links, np.int32)
    targets = np.empty(most_links, np.int32)
    ends[0], ends[1] = 0, 1
    degree[0], degree[1] = 1, 1
    add(linked_pairs, pair_key(0, 1))
    n_edges, n_grown, counted = 1, 2, 2
    a, b, c, d = start(seed)
    status = DONE
    while counted != n_nodes:
        status = limit(n_grown, n_edges, counted, n_nodes, max_nodes, max_edges)
        if status != DONE:
            break
        degree = with_room(degree, n_grown + 1)
        if 2 * (n_edges + most_links) > len(linked_pairs):
            linked_pairs = larger_set(linked_pairs)
        n_links, a, b, c, d = random_integer(mean_links, a, b, c, d)
        n_links = min(n_links, (n_grown + 1) * n_grown // 2 - n_edges)
        i = 0
        while i < n_links:
            u, v, a, b, c, d = random_pair(n_grown + 1, a, b, c, d)
            if add(linked_pairs, pair_key(u, v)):
                sources[i] = u
                targets[i] = v
                i += 1
        ends = with_room(ends, 2 * (n_edges + n_links))
        newly_linked = add_edges(ends, degree, n_edges, sources, targets, n_links)
        n_edges += n_links
        counted += newly_linked if drop else 1
        n_grown += 1
    indptr, indices = adjacency(ends, n_edges, n_grown)
    return status, n_grown, indptr, indices


@kernel(INT, FLOAT, FLOAT, SEED)
def grow_smw(n_nodes, mean_links, p_rewire, seed):
    """Rewire a ring lattice (Watts–Strogatz): each edge moves one end with probability p_rewire."""
    n_rings = int(np.ceil(mean_links))
    linked_pairs = new_set(2 * n_nodes * n_rings)  # room for each edge before and after its move
    ends = np.empty(2 * n_nodes * n_rings, np.int32)
    degree = np.zeros(n_nodes, np.int64)
    a, b, c, d = start(seed)
    n_edges = 0
    for ring in range(1, n_rings + 1):
        p_edge = mean_links - (ring - 1)  # below 1 on the outermost ring only
        for u in range(n_nodes):
            draw, a, b, c, d = uniform(a, b, c, d)
            if draw < p_edge:
                v = (u + ring) % n_nodes
                add(linked_pairs, pair_key(u, v))
                ends[2 * n_edges] = u
                ends[2 * n_edges + 1] = v
                degree[u] += 1
                degree[v] += 1
                n_edges += 1
    for e in range(n_edges):
        u, v = ends[2 * e], ends[2 * e + 1]
        draw, a, b, c, d = uniform(a, b, c, d)
        if draw >= p_rewire or degree[u] >= n_nodes - 1:
            continue
        w = u
        while w == u or linked_pairs[slot_of(linked_pairs, pair_key(u, w))] >= 0:
            draw, a, b, c, d = uniform(a, b, c, d)
            w = int(draw * n_nodes)
        remove(linked_pairs, pair_key(u, v))
        add(linked_pairs, pair_key(u, w))
        degree[v] -= 1
        degree[w] += 1
        ends[2 * e + 1] = w
    indptr, indices = adjacency(ends, n_edges, n_nodes)
    return DONE, n_nodes, indptr, indices
