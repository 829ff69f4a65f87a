"""Slow, readable twins of the mutual information estimates. Imports nothing from netchoice."""

import math
from collections import Counter
from fractions import Fraction

from scipy.special import digamma


def entropy(labels):
    """In nats, of the observed frequencies."""
    n = len(labels)
    return -sum(count / n * math.log(count / n) for count in Counter(labels).values())


def plain_information(a, b):
    """Of the observed frequencies."""
    n = len(a)
    count_a, count_b = Counter(a), Counter(b)
    return sum(
        count / n * math.log(count * n / (count_a[i] * count_b[j]))
        for (i, j), count in Counter(zip(a, b, strict=True)).items()
    )


def chance_information(a, b):
    """The same in the mean over all ways to shuffle b, by exact fractions."""
    n = len(a)
    total = 0.0
    for in_row in Counter(a).values():
        for in_column in Counter(b).values():
            for count in range(max(1, in_row + in_column - n), min(in_row, in_column) + 1):
                ways = math.comb(in_row, count) * math.comb(n - in_row, in_column - count)
                probability = float(Fraction(ways, math.comb(n, in_column)))
                total += probability * count / n * math.log(count * n / (in_row * in_column))
    return total


def adjusted_information(a, b):
    """0 in the mean for shuffled columns, 1 for equal ones."""
    chance = chance_information(a, b)
    return (plain_information(a, b) - chance) / ((entropy(a) + entropy(b)) / 2 - chance)


def rescaled_information(a, b):
    """0 in the mean for shuffled columns, the smaller entropy for full dependence."""
    chance, most = chance_information(a, b), min(entropy(a), entropy(b))
    return (plain_information(a, b) - chance) * most / (most - chance)


def kraskov(x, y, k):
    """How crowded the columns are around each point, within the distance to its k-th neighbour."""
    n = len(x)
    total = 0.0
    for i in range(n):
        others = [j for j in range(n) if j != i]
        radius = sorted(max(abs(x[j] - x[i]), abs(y[j] - y[i])) for j in others)[k - 1]
        for column in (x, y):
            total += digamma(1 + sum(abs(column[j] - column[i]) < radius for j in others))
    return digamma(n) + digamma(k) - total / n


def ross(x, labels, k):
    """How crowded the column is within the distance to the k-th neighbour of the same label."""
    size = Counter(labels)
    rows = [i for i in range(len(x)) if size[labels[i]] > 1]
    total = 0.0
    for i in rows:
        near = min(k, size[labels[i]] - 1)
        same = [j for j in rows if j != i and labels[j] == labels[i]]
        radius = sorted(abs(x[j] - x[i]) for j in same)[near - 1]
        inside = sum(abs(x[j] - x[i]) < radius for j in rows)
        total += digamma(near) - digamma(size[labels[i]]) - digamma(inside)
    return digamma(len(rows)) + total / len(rows)
