"""Reference implementation of the Relief family, in exact fractions. Imports nothing from netchoice.

A table is a list of rows of numbers; ``nominal`` is a set of positions. Distances are exact, so
equal distances are recognised as equal.
"""

from collections import Counter
from fractions import Fraction


def differences(table, nominal=()):
    """Return ``diff[i][j][k]``, the difference of rows i and j in column k, from 0 to 1."""
    columns = list(zip(*[[Fraction(float(v)) for v in row] for row in table], strict=True))
    spans = [max(column) - min(column) for column in columns]

    def differ(k, i, j):
        a, b = columns[k][i], columns[k][j]
        if k in nominal:
            return Fraction(int(a != b))
        return abs(a - b) / spans[k] if spans[k] else Fraction(0)

    rows = range(len(table))
    return [[[differ(k, i, j) for k in range(len(columns))] for j in rows] for i in rows]


def weights(table, labels, nominal, neighbours):
    """Return the mean difference to misses minus that to hits, for each column.

    ``neighbours(i, others, distance)`` returns the weights of the other rows of one class; they are
    divided by their sum.
    """
    diff = differences(table, nominal)
    n, q = len(table), len(table[0])
    size = Counter(labels)
    total = [Fraction(0)] * q
    for i in range(n):
        distance = [sum(diff[i][j]) for j in range(n)]
        for label in size:
            others = [j for j in range(n) if labels[j] == label and j != i]
            weight = neighbours(i, others, distance)
            if not sum(weight.values()):
                continue
            factor = (
                Fraction(-1) if label == labels[i] else Fraction(size[label], n - size[labels[i]])
            )
            for k in range(q):
                mean = sum(w * diff[i][j][k] for j, w in weight.items()) / sum(weight.values())
                total[k] += factor * mean
    return [float(t / n) for t in total]


def relieff(table, labels, n_neighbors=10, nominal=()):
    """ReliefF: the nearest rows (of each class); rows that tie share the last places."""

    def neighbours(i, others, distance):
        n_nearest = min(n_neighbors, len(others))
        if not n_nearest:
            return {}
        last = sorted(distance[j] for j in others)[n_nearest - 1]
        closer = [j for j in others if distance[j] < last]
        tied = [j for j in others if distance[j] == last]
        share = Fraction(n_nearest - len(closer), len(tied))
        return dict.fromkeys(closer, Fraction(1)) | dict.fromkeys(tied, share)

    return weights(table, labels, nominal, neighbours)


def forest_relieff(table, labels, leaves, n_neighbors=10, nominal=()):
    """ForestReliefF: rows that share most leaves, then the nearest; the mean over all draws."""

    def neighbours(i, others, distance):
        n_nearest = min(n_neighbors, len(others))
        if not n_nearest:
            return {}
        key = {
            j: (-sum(a == b for a, b in zip(leaves[i], leaves[j], strict=True)), distance[j])
            for j in others
        }
        last = sorted(key.values())[n_nearest - 1]
        closer = [j for j in others if key[j] < last]
        tied = [j for j in others if key[j] == last]
        share = Fraction(n_nearest - len(closer), len(tied))
        return dict.fromkeys(closer, Fraction(1)) | dict.fromkeys(tied, share)

    return weights(table, labels, nominal, neighbours)
