"""The best binary split (cut) of a node of a classification tree.

Columns are given as codes, the ranks of their values. A node counts its classes at each code. The
codes that occur are a set of bits, which lists them in order without sorting and lets small nodes
skip all other codes. A row is packed into one number (its position, its class, how often the
bootstrap drew it), so the rows of a node are a slice of an array of numbers.
"""

import numpy as np

from netchoice._kernels.bits import NOTHING, lowest_of, only, without_lowest
from netchoice._kernels.compiler import helper

CLASS, TIMES = 32, 48  # where class and multiplicity begin in a packed row
ROW_BITS, CLASS_BITS = 0xFFFFFFFF, 0xFFFF


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
