"""Complete subgraphs (cliques): the number with four and five nodes, and the largest size.

Every clique is found from its node that peeling removes first. Its other nodes are then among the
at most d later neighbours of that node, where d is the degeneracy. Sets of later neighbours are bits:
one word if 64 bits suffice, otherwise rows of words.

Both kernels count their steps, operations on one word in the innermost loops, and stop when these are
more than ``max_steps``. The steps depend on the network only, so the result is the same everywhere.
"""

import numpy as np

from netchoice._kernels.bits import (
    NOTHING,
    WORD,
    lowest_of,
    only,
    size_of,
    without_lowest,
    words_for,
)
from netchoice._kernels.compiler import CONST_INTS, INT, helper, kernel
from netchoice._kernels.linear_passes import peel
from netchoice._kernels.subgraphs import ranked_adjacency


@helper
def _most_later_neighbours(start, split):
    most = 0
    for v in range(len(split)):
        most = max(most, start[v + 1] - split[v])
    return most


@helper
def _count_narrow(start, split, ranked):
    """Count 4- and 5-cliques whose first node has at most 64 later neighbours."""
    rows = np.zeros(WORD, np.uint64)  # for each later neighbour, the linked ones after it
    bit_of = np.zeros(len(split), np.uint64)
    fours, fives = 0, 0
    for v in range(len(split)):
        begin, end = split[v], start[v + 1]
        if end - begin < 3 or end - begin > WORD:
            continue
        for h in range(begin, end):
            bit_of[ranked[h]] = only(h - begin)
        for h in range(begin, end):
            u = ranked[h]
            linked = NOTHING
            for g in range(split[u], start[u + 1]):
                linked |= bit_of[ranked[g]]
            rows[h - begin] = linked
        for h in range(begin, end):
            bit_of[ranked[h]] = NOTHING

        for i in range(end - begin - 2):
            linked = rows[i]
            seconds = linked
            while seconds != NOTHING:
                thirds = linked & rows[lowest_of(seconds)]
                seconds = without_lowest(seconds)
                fours += size_of(thirds)
                remaining = thirds
                while remaining != NOTHING:
                    fives += size_of(thirds & rows[lowest_of(remaining)])
                    remaining = without_lowest(remaining)
    return fours, fives


@helper
def _count_wide(start, split, ranked, most_later, max_steps):
    """Count 4- and 5-cliques whose first node has more than 64 later neighbours.

    Returns -1, -1 after more than ``max_steps`` steps.
    """
    fours, fives, steps = 0, 0, 0
    width = words_for(most_later)
    rows = np.zeros(most_later * width, np.uint64)
    thirds = np.zeros(width, np.uint64)
    place = np.full(len(split), -1, np.int32)
    for v in range(len(split)):
        begin, end = split[v], start[v + 1]
        size = end - begin
        if size <= WORD:
            continue
        width = words_for(size)
        rows[: size * width] = NOTHING
        for i in range(size):
            place[ranked[begin + i]] = i
        for i in range(size):
            u = ranked[begin + i]
            for h in range(split[u], start[u + 1]):
                j = place[ranked[h]]
                if j >= 0:
                    rows[i * width + j // WORD] |= only(j % WORD)
        for i in range(size):
            place[ranked[begin + i]] = -1

        for i in range(size):
            if steps > max_steps:
                return -1, -1
            for a in range(i // WORD, width):
                seconds = rows[i * width + a]
                while seconds != NOTHING:
                    j = a * WORD + lowest_of(seconds)
                    seconds = without_lowest(seconds)
                    for b in range(a, width):
                        thirds[b] = rows[i * width + b] & rows[j * width + b]
                        fours += size_of(thirds[b])
                    for b in range(a, width):
                        remaining = thirds[b]
                        steps += size_of(remaining) * (width - b) + 1
                        while remaining != NOTHING:
                            k = b * WORD + lowest_of(remaining)
                            remaining = without_lowest(remaining)
                            for c in range(b, width):
                                fives += size_of(thirds[c] & rows[k * width + c])
    return fours, fives


@kernel(CONST_INTS, CONST_INTS, INT)
def count_cliques(indptr, indices, max_steps):
    """Count the complete subgraphs with four and with five nodes, maximal or not.

    Returns -1, -1 if this takes more than ``max_steps`` steps.
    """
    _, order = peel(indptr, indices)
    start, split, ranked = ranked_adjacency(indptr, indices, order)
    fours, fives = _count_narrow(start, split, ranked)
    most_later = _most_later_neighbours(start, split)
    if most_later > WORD:
        more_fours, more_fives = _count_wide(start, split, ranked, most_later, max_steps)
        if more_fours < 0:
            return -1, -1
        fours += more_fours
        fives += more_fives
    return fours, fives


@helper
def _greedy_clique(start, ranked):
    """Return the size of the clique that adds every node it can, from the last to the first."""
    n_nodes = len(start) - 1
    n_links = np.zeros(n_nodes, np.int32)  # to nodes of the clique
    size = 0
    for v in range(n_nodes - 1, -1, -1):
        if n_links[v] == size:
            size += 1
            for h in range(start[v], start[v + 1]):
                n_links[ranked[h]] += 1
    return size


@helper
def _link_later(start, split, ranked, v, place, rows, width):
    """Fill in the links between v's later neighbours, in both directions, last neighbour first."""
    last, size = start[v + 1] - 1, start[v + 1] - split[v]
    for i in range(size * width):
        rows[i] = NOTHING
    for i in range(size):
        place[ranked[last - i]] = i
    for i in range(size):
        u = ranked[last - i]
        for h in range(split[u], start[u + 1]):
            j = place[ranked[h]]
            if j >= 0:
                rows[i * width + j // WORD] |= only(j % WORD)
                rows[j * width + i // WORD] |= only(i % WORD)
    for i in range(size):
        place[ranked[last - i]] = -1


@helper
def _link_both_ways(size, rows):
    """Store each link in both directions; before, a row (one word) holds links to earlier nodes only."""
    for i in range(size):
        linked = rows[i]
        while linked != NOTHING:
            rows[lowest_of(linked)] |= only(i)
            linked = without_lowest(linked)


@helper
def _keep_candidates(size, width, rows, candidates, wanted):
    """Remove nodes with fewer than ``wanted`` links to kept nodes until no such node is left.

    Returns the number of kept nodes.
    """
    for a in range(width):
        candidates[a] = NOTHING
    for i in range(size):
        candidates[i // WORD] |= only(i % WORD)
    n_kept, n_before = size, size + 1
    while n_kept < n_before and n_kept > wanted:
        n_before = n_kept
        for a in range(width):
            remaining = candidates[a]
            while remaining != NOTHING:
                bit = lowest_of(remaining)
                remaining = without_lowest(remaining)
                i = a * WORD + bit
                n_linked = 0
                for b in range(width):
                    n_linked += size_of(rows[i * width + b] & candidates[b])
                if n_linked < wanted:
                    candidates[a] &= ~only(bit)
                    n_kept -= 1
    return n_kept


@helper
def _grow_clique(
    width, rows, candidates, best, stack, branches, colours, n_left, uncoloured, free, max_steps
):
    """Return the size of the largest clique among the candidates, or ``best`` if none is larger.

    The second number is that of the steps; after more than ``max_steps`` the search stops.
    Branch and bound: the candidates are coloured greedily, so that a clique has at most one node of
    each colour, and a node is branched on only if its colour allows more than ``best``. ``stack``
    holds one set of candidates per depth, ``branches`` and ``colours`` the nodes still to branch on
    there.
    """
    max_branches = len(branches) // len(n_left)  # per depth
    for a in range(width):
        stack[a] = candidates[a]
    depth = 0  # nodes chosen so far
    steps = 0
    entering = True
    while depth >= 0 and steps <= max_steps:
        first_word, first_branch = depth * width, depth * max_branches
        if entering:
            entering = False
            n_branches = 0
            n_uncoloured = 0
            for a in range(width):
                uncoloured[a] = stack[first_word + a]
                n_uncoloured += size_of(uncoloured[a])
            steps += (n_uncoloured + 1) * width
            colour = 0
            while n_uncoloured > 0:
                colour += 1
                for a in range(width):
                    free[a] = uncoloured[a]
                for a in range(width):
                    while free[a] != NOTHING:
                        bit = lowest_of(free[a])
                        i = a * WORD + bit
                        free[a] &= ~only(bit)
                        uncoloured[a] &= ~only(bit)
                        n_uncoloured -= 1
                        for b in range(a, width):
                            free[b] &= ~rows[i * width + b]
                        if depth + colour > best:
                            branches[first_branch + n_branches] = i
                            colours[first_branch + n_branches] = colour
                            n_branches += 1
            n_left[depth] = n_branches

        n_branches = n_left[depth]
        if n_branches == 0 or depth + colours[first_branch + n_branches - 1] <= best:
            depth -= 1
            continue
        i = branches[first_branch + n_branches - 1]
        n_left[depth] = n_branches - 1
        stack[first_word + i // WORD] &= ~only(i % WORD)
        has_candidates = False
        for a in range(width):
            both = stack[first_word + a] & rows[i * width + a]
            stack[first_word + width + a] = both
            has_candidates = has_candidates or both != NOTHING
        if has_candidates:
            depth += 1
            entering = True
        else:
            best = max(best, depth + 1)
    return best, steps


@helper
def _largest_after_first(start, split, ranked, most_later, max_steps):
    """Return the size of the largest clique, without its first node; -2 if this takes too many steps."""
    most_words = words_for(most_later)
    rows = np.empty(most_later * most_words, np.uint64)
    candidates = np.empty(most_words, np.uint64)
    uncoloured = np.empty(most_words, np.uint64)
    free = np.empty(most_words, np.uint64)
    # A depth is the number of nodes chosen; at depth most_later there are no candidates left.
    stack = np.empty((most_later + 1) * most_words, np.uint64)
    branches = np.empty(most_later * most_later, np.int32)
    colours = np.empty(most_later * most_later, np.int32)
    n_left = np.empty(most_later, np.int32)
    place = np.full(len(split), -1, np.int32)
    bit_of = np.zeros(len(split), np.uint64)
    best = _greedy_clique(start, ranked) - 1
    # Late nodes are in the innermost cores. A large clique found there excludes most other nodes.
    for v in range(len(split) - 1, -1, -1):
        size = start[v + 1] - split[v]
        if size <= best:
            continue
        width = words_for(size)
        if size > WORD:
            _link_later(start, split, ranked, v, place, rows, width)
        else:
            last = start[v + 1] - 1
            for i in range(size):
                bit_of[ranked[last - i]] = only(i)
            n_links = 0
            for i in range(size):
                u = ranked[last - i]
                linked = NOTHING
                for h in range(split[u], start[u + 1]):
                    linked |= bit_of[ranked[h]]
                rows[i] = linked
                n_links += size_of(linked)
            for i in range(size):
                bit_of[ranked[last - i]] = NOTHING
            if n_links < best * (best + 1) // 2:
                continue  # fewer than in a clique of best + 1 nodes
            _link_both_ways(size, rows)
        if _keep_candidates(size, width, rows, candidates, best) > best:
            best, steps = _grow_clique(
                width, rows, candidates, best, stack, branches, colours, n_left, uncoloured, free,
                max_steps,
            )  # fmt: skip
            max_steps -= steps
            if max_steps < 0:
                return -2
    return best


@kernel(CONST_INTS, CONST_INTS, INT)
def clique_number(indptr, indices, max_steps):
    """Return the number of nodes of the largest complete subgraph.

    Returns -1 if this takes more than ``max_steps`` steps.
    """
    if len(indices) == 0:
        return min(len(indptr) - 1, 1)
    _, order = peel(indptr, indices)
    start, split, ranked = ranked_adjacency(indptr, indices, order)
    most_later = _most_later_neighbours(start, split)
    return 1 + _largest_after_first(start, split, ranked, most_later, max_steps)
