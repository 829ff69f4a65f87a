"""The rows that a tree learns from, each packed into one number.

A packed row has the position of the row, its class (0 in a regression), and how often the bootstrap
drew it. The rows of a node are a slice of an array of such numbers.
"""

import numpy as np

from netchoice._kernels.compiler import helper
from netchoice._kernels.random_stream import uniform

CLASS, TIMES = 32, 48  # where class and multiplicity begin in a packed row
ROW_BITS, CLASS_BITS = 0xFFFFFFFF, 0xFFFF


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
