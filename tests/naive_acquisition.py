"""Reference implementation of the expected information of columns. Imports nothing from netchoice."""

import math

import numpy as np
from scipy.stats import chi2


def information(values, labels, n_columns):
    """Return the information of one column on the labels, 0 if it is not significant; by counting."""
    n = len(values)
    n_bins = min(max(round(n ** (1 / 3)), 2), 8)
    bins = []
    for value in values:
        below = sum(other < value for other in values)
        equal = sum(other == value for other in values)
        bins.append(int((below + equal / 2) * n_bins / n))  # the middle of equal values
    total = 0.0
    for b in set(bins):
        for label in set(labels):
            both = sum(x == b and y == label for x, y in zip(bins, labels, strict=True)) / n
            if both:
                shares = bins.count(b) / n * (list(labels).count(label) / n)
                total += both * math.log(both / shares)
    freedom = (len(set(bins)) - 1) * (len(set(labels)) - 1)
    if not freedom or chi2.sf(2 * n * total, freedom) * n_columns > 0.05:
        return 0.0
    return max(0.0, total - freedom / (2 * n))


def near_rows(scaled, query, known):
    """Return the nearest 4√n rows in the known columns, with all rows as near as the last of them."""
    distance = [sum((row[j] - query[j]) ** 2 for j in known) for row in scaled]
    k = min(len(scaled), round(4 * math.sqrt(len(scaled))))
    farthest = sorted(distance)[k - 1]
    return [i for i, d in enumerate(distance) if d <= farthest]


def next_column(scaled, labels, query, known, cost):
    """Return the column with the most information per cost(column), or None."""
    q = len(scaled[0])
    rows = near_rows(scaled, query, known)
    best, best_key = None, None
    for j in range(q):
        if j in known:
            continue
        found = information(np.array(scaled)[rows, j].tolist(), [labels[i] for i in rows], q)
        if found > 0:
            key = (found / cost(j) if cost(j) else math.inf, found)
            if best_key is None or key > best_key:
                best, best_key = j, key
    return best
