"""Random forests of classification trees, with weights for the columns tried at each node."""

from collections import namedtuple

import numpy as np
from numba import types

from netchoice._kernels.bits import WORD, words_for
from netchoice._kernels.compiler import BOOL, INT, INTS, helper, kernel
from netchoice._kernels.random_stream import start, uniform
from netchoice._kernels.tree_splits import (
    best_cut,
    best_cut_of_two,
    bootstrap,
    draw_more,
    new_draws,
    partition,
)

CODES = types.Array(types.uint16, 2, "C")
FLOATS = types.Array(types.float64, 1, "C")
SEEDS = types.Array(types.uint64, 2, "C")
NODES = types.Array(types.int32, 2, "C")
OFFSETS = types.Array(types.int64, 1, "C")

#: Columns of the array of nodes: the column that the node splits (or LEAF), the last code that goes
#: left, the left child (the right one follows it; for a leaf, its number among the leaves), and the
#: majority class.
SPLIT, CUT, CHILD, LABEL = 0, 1, 2, 3
LEAF = -1

ZERO = np.int64(0)  # the literal 0 has another type, and helpers would be compiled twice

#: Working memory: ``aside``, rows of one side; ``tally``, counts by code and class; ``present``, bits of
#: the codes that occur; ``n_words`` of bits per column; ``seen`` and ``sides``, counts by class.
Room = namedtuple("Room", "aside tally present n_words seen sides pending pending_totals")


# Nodes, and the walk of a row to its leaf


@helper
def words_by_column(codes):
    """Return the number of words of bits that hold the codes of each column."""
    n_words = np.empty(len(codes), np.int64)
    for k in range(len(codes)):
        column = codes[k]
        last = 0
        for i in range(len(column)):
            last = max(last, np.int64(column[i]))
        n_words[k] = words_for(last + 1)
    return n_words


@helper
def leaf_of(codes, row, nodes):
    """Return the node in which a row ends."""
    node = 0
    while nodes[node, SPLIT] != LEAF:
        node = nodes[node, CHILD] + np.int64(codes[nodes[node, SPLIT], row] > nodes[node, CUT])
    return node


@helper
def shuffle_rows(oob, n_oob, nodes, n_nodes, shuffled, state):
    """Shuffle the out-of-bag rows once for every column that the tree splits."""
    used = np.zeros(len(shuffled), np.bool_)
    for node in range(n_nodes):
        if nodes[node, SPLIT] != LEAF:
            used[nodes[node, SPLIT]] = True
    a, b, c, d = state[0], state[1], state[2], state[3]
    for k in range(len(used)):
        order = shuffled[k]
        for i in range(n_oob if used[k] else 0):
            draw, a, b, c, d = uniform(a, b, c, d)
            j = int(draw * (i + 1))
            order[i] = order[j]
            order[j] = oob[i]
    state[0], state[1], state[2], state[3] = a, b, c, d


@helper
def number_leaves(nodes, n_nodes):
    """Number the leaves of a tree from 0."""
    n_leaves = 0
    for node in range(n_nodes):
        if nodes[node, SPLIT] == LEAF:
            nodes[node, CHILD] = n_leaves
            n_leaves += 1


@helper
def with_capacity(nodes, n_used, length):
    """Return the array, or a copy of its used rows in a longer one."""
    if len(nodes) >= length:
        return nodes
    larger = np.empty((2 * length, nodes.shape[1]), nodes.dtype)
    for i in range(n_used):
        for j in range(nodes.shape[1]):
            larger[i, j] = nodes[i, j]
    return larger


@kernel(CODES, OFFSETS, NODES)
def leaves_of_rows(codes, begins, nodes):
    """Return the node of each tree in which each row ends, numbered within the tree."""
    n, n_trees = codes.shape[1], len(begins) - 1
    leaves = np.empty((n, n_trees), np.int32)
    for t in range(n_trees):
        tree = nodes[begins[t] :]
        for row in range(n):
            leaves[row, t] = leaf_of(codes, row, tree)
    return leaves


# Growth


@helper
def _new_workspace(codes, n_classes):
    n, n_words = codes.shape[1], words_by_column(codes)
    per_code = 1 if n_classes == 2 else n_classes  # the counts of two classes share one number
    tally = np.zeros(WORD * n_words.max() * per_code, np.int64)
    present = np.zeros(n_words.max(), np.uint64)
    seen, sides = np.empty(n_classes, np.int64), np.empty((2, n_classes), np.int64)
    pending, pending_totals = np.empty((n + 1, 3), np.int64), np.empty((n + 1, n_classes), np.int64)
    aside = np.empty(n, np.int64)
    return Room(aside, tally, present, n_words, seen, sides, pending, pending_totals)


@helper
def _best_split(codes, rows, first, last, totals, n_total, min_leaf, node, draws, state, work):
    """Return score, column and cut of the best split of a node; score −1 if there is none.

    Columns are drawn until enough were tried and at least one of them was not constant, so cheap
    constant columns do not stop the growth of a tree.
    """
    enough = len(draws.winners)
    n_drawn, n_tried, n_useful = ZERO, 0, 0
    best_score, best_column, cut_of_best = -1.0, 0, 0
    while n_tried < len(codes) and (n_tried < enough or n_useful == 0):
        if n_tried == n_drawn:
            n_drawn = draw_more(draws, node, n_drawn, state)
        column = draws.drawn[n_tried]
        n_tried += 1
        if len(totals) == 2:
            n_distinct, score, cut = best_cut_of_two(
                codes[column], rows, first, last, totals, n_total, min_leaf,
                work.tally, work.present, work.n_words[column],
            )  # fmt: skip
        else:
            n_distinct, score, cut = best_cut(
                codes[column], rows, first, last, totals, n_total, min_leaf,
                work.tally, work.present, work.n_words[column], work.seen,
            )  # fmt: skip
        n_useful += n_distinct > 1
        if score > best_score:
            best_score, best_column, cut_of_best = score, column, cut
    return best_score, best_column, cut_of_best


@helper
def _add_leaf(nodes, at, totals, min_leaf):
    """Add a node with these class counts; return whether it may be split."""
    majority, n_total = 0, 0
    for k in range(len(totals)):
        n_total += totals[k]
        if totals[k] > totals[majority]:
            majority = k
    nodes[at, SPLIT], nodes[at, CUT], nodes[at, CHILD], nodes[at, LABEL] = LEAF, 0, 0, majority
    return totals[majority] < n_total and n_total >= 2 * min_leaf


@helper
def _grow(codes, rows, n_rows, totals, min_leaf, draws, state, work, nodes, decrease):
    """Grow one tree from its root; return its number of nodes."""
    pending, pending_totals, sides = work.pending, work.pending_totals, work.sides
    n_nodes, n_pending = 1, 0
    if _add_leaf(nodes, ZERO, totals, min_leaf):
        n_pending = 1
        pending[0, 0], pending[0, 1], pending[0, 2] = 0, 0, n_rows
        for k in range(len(totals)):
            pending_totals[0, k] = totals[k]
    while n_pending > 0:
        n_pending -= 1
        node, first, last = pending[n_pending, 0], pending[n_pending, 1], pending[n_pending, 2]
        n_total, squares = ZERO, 0.0
        for k in range(len(totals)):
            totals[k] = pending_totals[n_pending, k]
            n_total += totals[k]
            squares += float(totals[k]) * totals[k]
        score, column, cut = _best_split(
            codes, rows, first, last, totals, n_total, min_leaf, node, draws, state, work
        )
        if score < 0:
            continue
        decrease[column] += score - squares / n_total
        middle = partition(codes[column], cut, rows, first, last, work.aside, totals, sides)
        nodes[node, SPLIT], nodes[node, CUT], nodes[node, CHILD] = column, cut, n_nodes
        for side in range(2):
            if _add_leaf(nodes, n_nodes + side, sides[side], min_leaf):
                pending[n_pending, 0] = n_nodes + side
                pending[n_pending, 1] = middle if side else first
                pending[n_pending, 2] = last if side else middle
                for k in range(len(totals)):
                    pending_totals[n_pending, k] = sides[side, k]
                n_pending += 1
        n_nodes += 2
    return n_nodes


@helper
def _vote(codes, times, nodes, votes, oob, predicted):
    """Add the tree's votes for its out-of-bag rows; return how many there are."""
    n_oob = 0
    for row in range(len(times)):
        if times[row] == 0:
            label = nodes[leaf_of(codes, row, nodes), LABEL]
            votes[row, label] += 1
            oob[n_oob] = row
            predicted[n_oob] = label
            n_oob += 1
    return n_oob


@helper
def _count_losses(codes, labels, oob, n_oob, predicted, shuffled, nodes, settled, lost):
    """Compute the accuracy lost when one column is shuffled, for every column.

    A row follows its original path until the shuffled value first sends it to the other side. One
    walk therefore serves all columns, with a second walk for each column that changes the path.
    """
    for k in range(len(settled)):
        settled[k] = -1
    for i in range(n_oob):
        row, truth, node = oob[i], labels[oob[i]], 0
        was_correct = np.int64(predicted[i] == truth)
        while nodes[node, SPLIT] != LEAF:
            k = nodes[node, SPLIT]
            side = np.int64(codes[k, row] > nodes[node, CUT])
            if settled[k] != i:
                value = codes[k, shuffled[k, i]]
                if np.int64(value > nodes[node, CUT]) != side:
                    settled[k] = i
                    at = nodes[node, CHILD] + 1 - side
                    while nodes[at, SPLIT] != LEAF:
                        j = nodes[at, SPLIT]
                        code = value if j == k else codes[j, row]
                        at = nodes[at, CHILD] + np.int64(code > nodes[at, CUT])
                    lost[k] += was_correct - np.int64(nodes[at, LABEL] == truth)
            node = nodes[node, CHILD] + side
    for k in range(len(lost)):
        lost[k] /= max(n_oob, 1)


@kernel(CODES, INTS, INT, INTS, FLOATS, INT, INT, SEEDS, BOOL, BOOL)
def grow_classification_trees(
    codes, labels, n_classes, order, log_weights, n_candidates, min_leaf, seeds, resample, with_loss
):
    """Grow trees, each from its own seed.

    Returns where the nodes of each tree begin, the nodes, the decrease of impurity and the loss of
    out-of-bag accuracy by tree and column, and the out-of-bag votes by row and class.
    """
    q, n = codes.shape
    begins = np.zeros(len(seeds) + 1, np.int64)
    nodes = np.empty((2 * n, 4), np.int32)
    decrease, lost = np.zeros((len(seeds), q)), np.zeros((len(seeds), q))
    votes = np.zeros((n, n_classes), np.int32)
    work = _new_workspace(codes, n_classes)
    rows, totals = np.empty(n, np.int64), np.empty(n_classes, np.int64)
    times = np.empty(n, np.int32)
    oob, predicted = np.empty(n, np.int32), np.empty(n, np.int32)
    shuffled = np.empty((q if with_loss else 0, n), np.int32)
    settled, state = np.empty(q, np.int32), np.empty(4, np.uint64)
    draws = new_draws(order, log_weights, n_candidates)
    for t in range(len(seeds)):
        state[0], state[1], state[2], state[3] = start(seeds[t])
        for i in range(q):
            draws.drawn[i] = order[i]
            draws.drawn_at[i] = -1
        nodes = with_capacity(nodes, begins[t], begins[t] + 2 * n)
        tree = nodes[begins[t] :]
        n_rows = bootstrap(labels, resample, rows, totals, times, state)
        n_nodes = _grow(
            codes, rows, n_rows, totals, min_leaf, draws, state, work, tree, decrease[t]
        )
        n_oob = _vote(codes, times, tree, votes, oob, predicted)
        if with_loss:
            shuffle_rows(oob, n_oob, tree, n_nodes, shuffled, state)
            _count_losses(codes, labels, oob, n_oob, predicted, shuffled, tree, settled, lost[t])
        number_leaves(tree, n_nodes)
        begins[t + 1] = begins[t] + n_nodes
    return begins, nodes[: begins[-1]].copy(), decrease, lost, votes
