"""Random forests of regression trees for one or several targets, which have equal weights."""

from collections import namedtuple

import numpy as np
from numba import types

from netchoice._kernels.bits import WORD
from netchoice._kernels.column_draws import draw_more, new_draws
from netchoice._kernels.compiler import BOOL, INT, INTS, helper, kernel
from netchoice._kernels.number_cuts import TOLERANCE, best_cut, best_cut_of_one
from netchoice._kernels.packed_rows import ROW_BITS, TIMES, bootstrap, partition
from netchoice._kernels.random_stream import start
from netchoice._kernels.tree_nodes import (
    CHILD,
    CODES,
    CUT,
    FLOATS,
    LABEL,
    LEAF,
    SEEDS,
    SPLIT,
    ZERO,
    leaf_of,
    number_leaves,
    shuffle_rows,
    with_capacity,
    words_by_column,
)

TARGETS = types.Array(types.float64, 2, "C")

#: Working memory: ``aside``, rows of one side; ``pulls``, see ``best_cut``; ``tally``, sums of pulls by
#: code; ``codes`` that occur, and ``present``, their bits; ``n_words`` of bits per column;
#: ``left``, sums of pulls; ``totals`` and ``sides``, numbers of rows; ``pending``, nodes to split.
Room = namedtuple("Room", "aside pulls tally present n_words codes left totals sides pending")


@helper
def _new_workspace(codes, targets):
    n, n_words, width = codes.shape[1], words_by_column(codes), targets.shape[1] + 1
    pulls, left = np.empty((n, width)), np.empty(width)
    tally, present = np.zeros(WORD * n_words.max() * width), np.zeros(n_words.max(), np.uint64)
    totals, sides = np.empty(1, np.int64), np.empty((2, 1), np.int64)
    aside, pending = np.empty(n, np.int64), np.empty((n + 1, 4), np.int64)
    occurring = np.empty(n, np.int64)
    return Room(aside, pulls, tally, present, n_words, occurring, left, totals, sides, pending)


@helper
def _add_leaf(nodes, means, at, rows, first, last, n_total, targets, min_leaf):
    """Add a node with the mean of its rows; return whether it may be split."""
    nodes[at, SPLIT], nodes[at, CUT], nodes[at, CHILD], nodes[at, LABEL] = LEAF, 0, 0, 0
    varies = False
    for c in range(targets.shape[1]):
        base, total = targets[rows[first] & ROW_BITS, c], 0.0
        for i in range(first, last):
            above = targets[rows[i] & ROW_BITS, c] - base
            varies |= above != 0.0
            total += (rows[i] >> TIMES) * above
        means[at, c] = base + total / n_total
    return varies and n_total >= 2 * min_leaf


@helper
def _set_pulls(rows, first, last, n_total, targets, pulls):
    """Compute the pulls of a node (see ``best_cut``); return the sum of squares of its targets.

    Differences from one of the rows are exact if the targets are close to one another, so that the
    pulls sum to 0 up to the rounding of these differences.
    """
    squares = 0.0
    for c in range(targets.shape[1]):
        base, total = targets[rows[first] & ROW_BITS, c], 0.0
        for i in range(first, last):
            total += (rows[i] >> TIMES) * (targets[rows[i] & ROW_BITS, c] - base)
        mean = total / n_total
        for i in range(first, last):
            times, above = float(rows[i] >> TIMES), targets[rows[i] & ROW_BITS, c] - base - mean
            pulls[i, 0], pulls[i, c + 1] = times, times * above
            squares += times * above * above
    return squares


@helper
def _best_split(codes, rows, first, last, n_total, least, min_leaf, node, draws, state, work):
    """Return score, column and cut of the best split of a node; cut −1 if no score exceeds ``least``.

    Columns are drawn until enough were tried and at least one of them was not constant, as in a
    classification tree.
    """
    enough = len(draws.winners)
    n_drawn, n_tried, n_useful = ZERO, 0, 0
    best, best_column, cut_of_best = least, 0, -1
    while n_tried < len(codes) and (n_tried < enough or n_useful == 0):
        if n_tried == n_drawn:
            n_drawn = draw_more(draws, node, n_drawn, state)
        column = draws.drawn[n_tried]
        n_tried += 1
        if len(work.left) == 2:
            n_distinct, best, cut = best_cut_of_one(
                codes[column], rows, work.pulls, first, last, n_total, min_leaf, best,
                work.tally, work.present, work.n_words[column], work.codes,
            )  # fmt: skip
        else:
            n_distinct, best, cut = best_cut(
                codes[column], rows, work.pulls, first, last, n_total, min_leaf, best,
                work.tally, work.present, work.n_words[column], work.codes, work.left,
            )  # fmt: skip
        n_useful += n_distinct > 1
        if cut >= 0:
            best_column, cut_of_best = column, cut
    return best, best_column, cut_of_best


@helper
def _grow(codes, rows, n_rows, targets, min_leaf, draws, state, work, nodes, means, decrease):
    """Grow one tree from its root; return its number of nodes."""
    pending, totals, sides = work.pending, work.totals, work.sides
    n_nodes, n_pending = 1, 0
    if _add_leaf(nodes, means, ZERO, rows, ZERO, n_rows, totals[0], targets, min_leaf):
        n_pending = 1
        pending[0, 0], pending[0, 1], pending[0, 2], pending[0, 3] = 0, 0, n_rows, totals[0]
    while n_pending > 0:
        n_pending -= 1
        node, first, last = pending[n_pending, 0], pending[n_pending, 1], pending[n_pending, 2]
        totals[0] = pending[n_pending, 3]
        squares = _set_pulls(rows, first, last, totals[0], targets, work.pulls)
        least = TOLERANCE * squares / totals[0]
        score, column, cut = _best_split(
            codes, rows, first, last, totals[0], least, min_leaf, node, draws, state, work
        )
        if cut < 0:
            continue
        decrease[column] += score * totals[0]
        middle = partition(codes[column], cut, rows, first, last, work.aside, totals, sides)
        nodes[node, SPLIT], nodes[node, CUT], nodes[node, CHILD] = column, cut, n_nodes
        for side in range(2):
            begin, end = (middle, last) if side else (first, middle)
            at, n_total = n_nodes + side, sides[side, 0]
            if _add_leaf(nodes, means, at, rows, begin, end, n_total, targets, min_leaf):
                pending[n_pending, 0], pending[n_pending, 1] = at, begin
                pending[n_pending, 2], pending[n_pending, 3] = end, n_total
                n_pending += 1
        n_nodes += 2
    return n_nodes


@helper
def _predict(codes, times, nodes, means, sums, n_predictions, oob, reached):
    """Add the tree's predictions for its out-of-bag rows; return how many there are."""
    n_oob = 0
    for row in range(len(times)):
        if times[row] == 0:
            leaf = leaf_of(codes, row, nodes)
            n_predictions[row] += 1
            for c in range(sums.shape[1]):
                sums[row, c] += means[leaf, c]
            oob[n_oob] = row
            reached[n_oob] = leaf
            n_oob += 1
    return n_oob


@helper
def _sum_errors(codes, targets, oob, n_oob, reached, shuffled, nodes, means, settled, added):
    """Compute the mean squared error added when one column is shuffled, for every column.

    The walk is that of a classification tree: a row follows its original path until the shuffled
    value first sends it to the other side.
    """
    n_targets = targets.shape[1]
    for k in range(len(settled)):
        settled[k] = -1
    for i in range(n_oob):
        row, leaf, node = oob[i], reached[i], 0
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
                    for c in range(n_targets):
                        truth = targets[row, c]
                        added[k] += (truth - means[at, c]) ** 2 - (truth - means[leaf, c]) ** 2
            node = nodes[node, CHILD] + side
    for k in range(len(added)):
        added[k] /= max(n_oob, 1) * n_targets


@kernel(CODES, TARGETS, INTS, FLOATS, INT, INT, SEEDS, BOOL, BOOL)
def grow_regression_trees(
    codes, targets, order, log_weights, n_candidates, min_leaf, seeds, resample, with_loss
):
    """Grow trees, each from its own seed.

    Returns where the nodes of each tree begin, the nodes, the decrease of the sum of squares and the
    increase of the out-of-bag error by tree and column, the means of the targets in each node, and
    the sums and the numbers of out-of-bag predictions by row.
    """
    q, n = codes.shape
    begins = np.zeros(len(seeds) + 1, np.int64)
    nodes, means = np.empty((2 * n, 4), np.int32), np.empty((2 * n, targets.shape[1]))
    decrease, added = np.zeros((len(seeds), q)), np.zeros((len(seeds), q))
    sums, n_predictions = np.zeros(targets.shape), np.zeros(n, np.int32)
    work, draws = _new_workspace(codes, targets), new_draws(order, log_weights, n_candidates)
    rows, one_class, times = np.empty(n, np.int64), np.zeros(n, np.int32), np.empty(n, np.int32)
    oob, reached = np.empty(n, np.int32), np.empty(n, np.int32)
    shuffled = np.empty((q if with_loss else 0, n), np.int32)
    settled, state = np.empty(q, np.int32), np.empty(4, np.uint64)
    for t in range(len(seeds)):
        state[0], state[1], state[2], state[3] = start(seeds[t])
        for i in range(q):
            draws.drawn[i] = order[i]
            draws.drawn_at[i] = -1
        nodes = with_capacity(nodes, begins[t], begins[t] + 2 * n)
        means = with_capacity(means, begins[t], begins[t] + 2 * n)
        tree, values = nodes[begins[t] :], means[begins[t] :]
        n_rows = bootstrap(one_class, resample, rows, work.totals, times, state)
        n_nodes = _grow(
            codes, rows, n_rows, targets, min_leaf, draws, state, work, tree, values, decrease[t]
        )
        n_oob = _predict(codes, times, tree, values, sums, n_predictions, oob, reached)
        if with_loss:
            shuffle_rows(oob, n_oob, tree, n_nodes, shuffled, state)
            _sum_errors(
                codes, targets, oob, n_oob, reached, shuffled, tree, values, settled, added[t]
            )
        number_leaves(tree, n_nodes)
        begins[t + 1] = begins[t] + n_nodes
    last = begins[-1]
    return begins, nodes[:last].copy(), decrease, added, means[:last].copy(), sums, n_predictions
