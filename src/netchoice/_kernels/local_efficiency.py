"""Local efficiency: how close a node's neighbours are to each other without the node.

Vito Latora and Massimo Marchiori, Efficient behavior of small-world networks, Physical Review
Letters 87 (2001) 198701, doi:10.1103/PhysRevLett.87.198701.

The subgraph of a node's neighbours is searched breadth first from each of them, with the set of
nodes reached so far as bits: one machine word for up to 64 neighbours, rows of words for more,
and lists where rows would take more memory. Neighbours are numbered by decreasing degree, so hubs
come first in a set. A search stops when all nodes have been reached.
"""

import numpy as np

from netchoice._kernels.bits import (
    EVERYTHING,
    NOTHING,
    WORD,
    lowest_of,
    only,
    size_of,
    without_lowest,
    words_for,
)
from netchoice._kernels.compiler import CONST_INTS, helper, kernel
from netchoice._kernels.subgraphs import by_degree, ranked_adjacency


@helper
def _closeness_in_words(rows, left):
    """Return the sum of 1/distance over the connected pairs of up to 64 nodes.

    ``rows`` holds one word per node, and ``left`` initially all nodes that have neighbours.
    """
    total = 0.0
    while left != NOTHING:
        component = NOTHING
        added = only(lowest_of(left))
        while added != NOTHING:
            component |= added
            linked = NOTHING
            while added != NOTHING:
                linked |= rows[lowest_of(added)]
                added = without_lowest(added)
            added = linked & ~component
        left &= ~component

        wanted = component  # each pair is counted only from the end with the larger degree
        while wanted != NOTHING:
            source = lowest_of(wanted)
            wanted = without_lowest(wanted)
            added = rows[source]
            reached = added | only(source)
            distance = 1
            total += size_of(added & wanted)
            missing = wanted & ~reached
            while missing != NOTHING:
                linked = NOTHING
                while added != NOTHING and missing & ~linked != NOTHING:
                    linked |= rows[lowest_of(added)]
                    added = without_lowest(added)
                added = linked & ~reached
                reached |= added
                distance += 1
                total += size_of(added & missing) / distance
                missing &= ~added
    return total


@helper
def _fill_narrow(start, split, ranked, efficiency):
    """Compute the efficiency of the nodes with 2 to 64 neighbours."""
    rows = np.zeros(WORD, np.uint64)
    bit_of = np.zeros(len(split), np.uint64)
    for v in range(len(split)):
        begin = start[v]
        degree = start[v + 1] - begin
        if degree < 2 or degree > WORD:
            continue
        for i in range(degree):
            bit_of[ranked[begin + i]] = only(i)
            rows[i] = NOTHING
        with_links = NOTHING
        for i in range(degree):
            u = ranked[begin + i]
            linked = NOTHING
            for h in range(start[u], split[u]):
                linked |= bit_of[ranked[h]]
            if linked != NOTHING:
                rows[i] = linked
                with_links |= linked | only(i)
                while linked != NOTHING:
                    rows[lowest_of(linked)] |= only(i)
                    linked = without_lowest(linked)
        for i in range(degree):
            bit_of[ranked[begin + i]] = NOTHING

        total = _closeness_in_words(rows, with_links)
        efficiency[v] = 2 * total / (degree * (degree - 1))


@helper
def _links_between(start, split, ranked, v, place, number, firsts, seconds):
    """Gather the edges between v's neighbours, and number the neighbours that have any.

    Returns the number of such neighbours and of edges.
    """
    begin, degree = start[v], start[v + 1] - start[v]
    for i in range(degree):
        place[ranked[begin + i]] = i
        number[i] = -1
    n_edges = 0
    for i in range(degree):
        u = ranked[begin + i]
        for h in range(start[u], split[u]):
            j = place[ranked[h]]
            if j >= 0:
                firsts[n_edges] = i
                seconds[n_edges] = j
                n_edges += 1
                number[i] = 0
                number[j] = 0
    n_linked = 0
    for i in range(degree):
        place[ranked[begin + i]] = -1
        if number[i] == 0:
            number[i] = n_linked
            n_linked += 1
    for e in range(n_edges):
        firsts[e] = number[firsts[e]]
        seconds[e] = number[seconds[e]]
    return n_linked, n_edges


@helper
def _fill_rows(n_nodes, n_edges, firsts, seconds, width, rows):
    for i in range(n_nodes * width):
        rows[i] = NOTHING
    for e in range(n_edges):
        i, j = firsts[e], seconds[e]
        rows[i * width + j // WORD] |= only(j % WORD)
        rows[j * width + i // WORD] |= only(i % WORD)


@helper
def _component_of(root, width, rows, component, added, linked):
    """Set ``component`` to the nodes that can be reached from root."""
    for a in range(width):
        component[a] = NOTHING
        added[a] = NOTHING
    added[root // WORD] = only(root % WORD)
    growing = True
    while growing:
        for a in range(width):
            component[a] |= added[a]
            linked[a] = NOTHING
        for a in range(width):
            while added[a] != NOTHING:
                row = (a * WORD + lowest_of(added[a])) * width
                added[a] = without_lowest(added[a])
                for b in range(width):
                    linked[b] |= rows[row + b]
        growing = False
        for a in range(width):
            added[a] = linked[a] & ~component[a]
            growing = growing or added[a] != NOTHING


@helper
def _closeness_by_rows(n_nodes, width, rows):
    """Return the sum of 1/distance for any number of nodes, each with a row of words.

    Words are gathered one after the other, each until no unreached node is left in it.
    """
    component = np.empty(width, np.uint64)
    wanted = np.empty(width, np.uint64)
    unreached = np.empty(width, np.uint64)
    added = np.empty(width, np.uint64)
    linked = np.empty(width, np.uint64)
    searched = np.zeros(n_nodes, np.bool_)
    total = 0.0
    for root in range(n_nodes):
        if searched[root]:
            continue
        _component_of(root, width, rows, component, added, linked)
        for a in range(width):
            wanted[a] = component[a]
        for source in range(root, n_nodes):
            if wanted[source // WORD] & only(source % WORD) == NOTHING:
                continue
            searched[source] = True
            wanted[source // WORD] &= ~only(source % WORD)
            n_missing = 0
            for a in range(width):
                added[a] = rows[source * width + a]
                unreached[a] = component[a] & ~added[a]
                n_missing += size_of(wanted[a] & unreached[a])
                total += size_of(wanted[a] & added[a])
            unreached[source // WORD] &= ~only(source % WORD)
            distance = 1
            while n_missing > 0:
                for b in range(width):
                    lacking = unreached[b]
                    a = 0
                    while a < width and lacking != NOTHING:
                        left = added[a]
                        while left != NOTHING and lacking != NOTHING:
                            lacking &= ~rows[(a * WORD + lowest_of(left)) * width + b]
                            left = without_lowest(left)
                        a += 1
                    linked[b] = unreached[b] & ~lacking
                distance += 1
                n_added = 0
                for a in range(width):
                    added[a] = linked[a]
                    unreached[a] &= ~linked[a]
                    n_added += size_of(linked[a] & wanted[a])
                n_missing -= n_added
                total += n_added / distance
    return total


@helper
def _closeness_by_lists(n_nodes, n_edges, firsts, seconds):
    """Return the sum of 1/distance from lists of neighbours, for many nodes with few edges."""
    start = np.zeros(n_nodes + 1, np.int32)
    for e in range(n_edges):
        start[firsts[e] + 1] += 1
        start[seconds[e] + 1] += 1
    for i in range(n_nodes):
        start[i + 1] += start[i]
    fill = start[:-1].copy()
    neighbours = np.empty(2 * n_edges, np.int32)
    for e in range(n_edges):
        i, j = firsts[e], seconds[e]
        neighbours[fill[i]] = j
        fill[i] += 1
        neighbours[fill[j]] = i
        fill[j] += 1

    reached_from = np.full(n_nodes, -1, np.int32)
    queue = np.empty(n_nodes, np.int32)
    total = 0.0
    for source in range(n_nodes):
        reached_from[source] = source
        queue[0] = source
        head, tail = 0, 1
        distance = 0
        while head < tail:
            level_end = tail
            distance += 1
            while head < level_end:
                i = queue[head]
                head += 1
                for h in range(start[i], start[i + 1]):
                    j = neighbours[h]
                    if reached_from[j] != source:
                        reached_from[j] = source
                        queue[tail] = j
                        tail += 1
            total += (tail - level_end) / distance
    return total / 2


@helper
def _fill_wide(start, split, ranked, efficiency):
    """Compute the efficiency of the nodes with more than 64 neighbours."""
    n_nodes = len(split)
    firsts = np.empty(len(ranked) // 2, np.int32)
    seconds = np.empty(len(ranked) // 2, np.int32)
    rows = np.empty(len(ranked), np.uint64)
    place = np.full(n_nodes, -1, np.int32)
    number = np.empty(n_nodes, np.int32)
    for v in range(n_nodes):
        degree = np.int64(start[v + 1] - start[v])
        if degree <= WORD:
            break  # the others have no more neighbours than v
        n_linked, n_edges = _links_between(start, split, ranked, v, place, number, firsts, seconds)
        width = words_for(n_linked)
        if n_linked * width <= 2 * n_edges:
            _fill_rows(n_linked, n_edges, firsts, seconds, width, rows)
            if width == 1:
                total = _closeness_in_words(rows, EVERYTHING >> np.uint64(WORD - n_linked))
            else:
                total = _closeness_by_rows(n_linked, width, rows)
        else:
            total = _closeness_by_lists(n_linked, n_edges, firsts, seconds)
        efficiency[v] = 2 * total / (degree * (degree - 1))


@kernel(CONST_INTS, CONST_INTS)
def local_efficiency(indptr, indices):
    """Return the mean of 1/distance over pairs of each node's neighbours, in their subgraph.

    Pairs without a path count 0. Nodes with fewer than two neighbours have efficiency 0.
    """
    n_nodes = len(indptr) - 1
    order = by_degree(indptr)
    start, split, ranked = ranked_adjacency(indptr, indices, order)
    by_rank = np.zeros(n_nodes, np.float64)
    _fill_narrow(start, split, ranked, by_rank)
    if n_nodes > 0 and start[1] > WORD:
        _fill_wide(start, split, ranked, by_rank)
    efficiency = np.empty(n_nodes, np.float64)
    for r in range(n_nodes):
        efficiency[order[r]] = by_rank[r]
    return efficiency
