"""The split of a node of a tree: its rows, the columns that it tries, and the best cut of a column.

The rows that a tree learns from are each packed into one number: the position of the row, its class, and
how often the bootstrap drew it. The rows of a node are a slice of an array of such numbers.

Columns are given as codes, the ranks of their values. A node counts its classes at each code. The
codes that occur are a set of bits, which lists them in order without sorting and lets small nodes
skip all other codes.
"""

from collections import namedtuple

import numpy as np

from netchoice._kernels.bits import NOTHING, lowest_of, only, without_lowest
from netchoice._kernels.compiler import helper
from netchoice._kernels.random_stream import uniform

CLASS, TIMES = 32, 48  # where class and multiplicity begin in a packed row
ROW_BITS, CLASS_BITS = 0xFFFFFFFF, 0xFFFF
_SMALLEST_DRAW = 2.0**-53

#: The state of drawing columns. ``order`` lists columns by decreasing weight; ``log_weights`` (empty if
#: all are equal) and ``time_scale`` have the same order; ``drawn`` lists the columns drawn for a node;
#: ``drawn_at`` is the node for which a column was drawn last; the other fields are working memory.
Draws = namedtuple("Draws", "order log_weights time_scale drawn drawn_at arrival winners")


# Rows


@helper
def bootstrap(labels, resample, rows, totals, times, state):
    """Draw the rows that a tree learns from and pack them; return the number of distinct rows."""
    n = len(labels)
    a, b, c, d = state[0], state[1], state[2], state[3]
    for i in range(n):
        times[i] = 0 if resample else 1
    for _ in range(n if resample else 0):
        draw, a, b, c, d = uniform(a, b, c, d)
        times[int(draw * n)] += 1
    state[0], state[1], state[2], state[3] = a, b, c, d
    for k in range(len(totals)):
        totals[k] = 0
    n_rows = 0
    for i in range(n):
        if times[i] > 0:
            rows[n_rows] = i | (np.int64(labels[i]) << CLASS) | (np.int64(times[i]) << TIMES)
            totals[labels[i]] += times[i]
            n_rows += 1
    return n_rows


@helper
def partition(column, cut, rows, first, last, aside, totals, sides):
    """Move the rows up to the cut to the front, count classes per side, return where the rest starts."""
    left, right = sides[0], sides[1]
    for k in range(len(totals)):
        left[k] = 0
    n_aside, middle = 0, first
    for i in range(first, last):
        packed = rows[i]
        goes_left = np.int64(column[packed & ROW_BITS] <= cut)
        rows[middle] = packed  # written to both arrays, which avoids a branch
        aside[n_aside] = packed
        middle += goes_left
        n_aside += 1 - goes_left
        left[(packed >> CLASS) & CLASS_BITS] += (packed >> TIMES) * goes_left
    for i in range(n_aside):
        rows[middle + i] = aside[i]
    for k in range(len(totals)):
        right[k] = totals[k] - left[k]
    return middle


# Draws of columns: without replacement, with or without weights


@helper
def new_draws(order, log_weights, n_candidates):
    time_scale = np.empty(len(log_weights))
    for i in range(len(log_weights)):
        time_scale[i] = np.exp(log_weights[n_candidates - 1] - log_weights[i])
    drawn_at = np.empty(len(order), np.int64)
    arrival, winners = np.empty(n_candidates), np.empty(n_candidates, np.int64)
    return Draws(order, log_weights, time_scale, order.copy(), drawn_at, arrival, winners)


@helper
def _continue_shuffle(drawn, n_drawn, wanted, state):
    """Draw uniformly without replacement: the next entries of a random shuffle."""
    a, b, c, d = state[0], state[1], state[2], state[3]
    for i in range(n_drawn, n_drawn + wanted):
        draw, a, b, c, d = uniform(a, b, c, d)
        j = i + int(draw * (len(drawn) - i))
        drawn[i], drawn[j] = drawn[j], drawn[i]
    state[0], state[1], state[2], state[3] = a, b, c, d


@helper
def _draw_weighted(draws, node, n_drawn, wanted, state):
    """Draw with weights, without replacement: the columns with the smallest exponential times.

    Times are in units of the ``wanted``-th heaviest column not yet drawn, so that the winners'
    times are finite for all weights. A later round of the same node draws new times for the other
    columns, which gives the same distribution because exponential times are memoryless.
    """
    log_weights, drawn_at, arrival, winners = (
        draws.log_weights, draws.drawn_at, draws.arrival, draws.winners
    )  # fmt: skip
    log_unit, n_waiting, place = 0.0, 0, 0
    while n_drawn > 0 and n_waiting < wanted:
        n_waiting += drawn_at[place] != node
        log_unit = log_weights[place]
        place += 1
    a, b, c, d = state[0], state[1], state[2], state[3]
    n_winners, latest = 0, np.inf
    for i in range(len(log_weights)):
        if n_drawn > 0 and drawn_at[i] == node:
            continue
        scale = draws.time_scale[i] if n_drawn == 0 else np.exp(log_unit - log_weights[i])
        if scale * _SMALLEST_DRAW > latest:
            break  # neither this column nor the following ones, which have larger scales, can win
        draw, a, b, c, d = uniform(a, b, c, d)
        if scale * draw >= latest:
            continue  # −log(1 − draw) ≥ draw, so the time is too late; the logarithm is not needed
        time = -np.log(1.0 - draw) * scale
        if time >= latest:
            continue
        n_winners = min(n_winners + 1, wanted)
        place = n_winners - 1
        while place > 0 and arrival[place - 1] > time:
            arrival[place] = arrival[place - 1]
            winners[place] = winners[place - 1]
            place -= 1
        arrival[place] = time
        winners[place] = i
        if n_winners == wanted:
            latest = arrival[wanted - 1]
    for j in range(wanted):
        drawn_at[winners[j]] = node
        draws.drawn[n_drawn + j] = draws.order[winners[j]]
    state[0], state[1], state[2], state[3] = a, b, c, d


@helper
def draw_more(draws, node, n_drawn, state):
    """Draw further columns for the node; return how many have been drawn."""
    wanted = min(len(draws.winners), len(draws.order) - n_drawn)
    if len(draws.log_weights) > 0:
        _draw_weighted(draws, node, n_drawn, wanted, state)
    else:
        _continue_shuffle(draws.drawn, n_drawn, wanted, state)
    return n_drawn + wanted


# The best cut of a column


@helper
def best_cut(column, rows, first, last, totals, n_total, min_leaf, tally, present, n_words, seen):
    """Return the number of codes, the score of the best cut, and the last code on its left.

    The score is the sum, over both sides, of the squared class counts by the side's size, which
    is largest where the Gini impurity decreases most. It is −1 if no cut leaves enough rows on both
    sides. The cut is halfway between two codes that occur.
    """
    n_classes = len(totals)
    for i in range(first, last):
        packed = rows[i]
        code = np.int64(column[packed & ROW_BITS])
        tally[code * n_classes + ((packed >> CLASS) & CLASS_BITS)] += packed >> TIMES
        present[code >> 6] |= only(code & 63)
    n_distinct, best, cut, previous, n_left = 0, -1.0, 0, 0, 0
    squares_left, squares_right = 0, 0
    for k in range(n_classes):
        seen[k] = 0
        squares_right += totals[k] * totals[k]
    for word in range(n_words):
        bits = present[word]
        present[word] = NOTHING
        while bits != NOTHING:
            code = 64 * word + lowest_of(bits)
            bits = without_lowest(bits)
            n_distinct += 1
            n_right = n_total - n_left
            if n_left >= min_leaf and n_right >= min_leaf:
                weighted = float(squares_left) * n_right + float(squares_right) * n_left
                score = weighted / (float(n_left) * n_right)
                if score > best:
                    best = score
                    cut = (previous + code) >> 1
            for k in range(n_classes):
                here = tally[code * n_classes + k]
                tally[code * n_classes + k] = 0
                squares_left += here * (2 * seen[k] + here)
                squares_right += here * (here - 2 * (totals[k] - seen[k]))
                seen[k] += here
                n_left += here
            previous = code
    return n_distinct, best, cut


@helper
def best_cut_of_two(column, rows, first, last, totals, n_total, min_leaf, tally, present, n_words):
    """Return what ``best_cut`` returns, for two classes, in about three quarters of the time.

    The counts of both classes share one number.
    """
    for i in range(first, last):
        packed = rows[i]
        code = np.int64(column[packed & ROW_BITS])
        times = packed >> TIMES
        tally[code] += times | (-((packed >> CLASS) & 1) & (times << 32))
        present[code >> 6] |= only(code & 63)
    n_distinct, best, cut, previous = 0, -1.0, 0, 0
    n_left, ones_left, ones = 0, 0, totals[1]
    for word in range(n_words):
        bits = present[word]
        present[word] = NOTHING
        while bits != NOTHING:
            code = 64 * word + lowest_of(bits)
            bits = without_lowest(bits)
            n_distinct += 1
            n_right = n_total - n_left
            if n_left >= min_leaf and n_right >= min_leaf:
                zeros_left, ones_right = n_left - ones_left, ones - ones_left
                zeros_right = n_right - ones_right
                left = zeros_left * zeros_left + ones_left * ones_left
                right = zeros_right * zeros_right + ones_right * ones_right
                weighted = float(left) * n_right + float(right) * n_left
                score = weighted / (float(n_left) * n_right)
                if score > best:
                    best = score
                    cut = (previous + code) >> 1
            here = tally[code]
            tally[code] = 0
            n_left += here & ROW_BITS
            ones_left += here >> 32
            previous = code
    return n_distinct, best, cut
