"""Reference implementation of the Relief family, in exact fractions. Imports nothing from netchoice.

A table is a list of rows of numbers; ``nominal`` is a set of positions. Distances are exact, so
equal distances are recognised as equal. The target is a list of labels, or with ``weigh=numbers`` a
list of rows of numbers.
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


def classes(table, labels, nominal, neighbours):
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


def numbers(table, targets, nominal, neighbours):
    """Return the RReliefF weights, averaged over the targets, for each column.

    ``neighbours(i, others, distance)`` returns the weights of all other rows; they are divided by
    their sum. Rows without neighbours do not count.
    """
    diff, apart = differences(table, nominal), differences(targets)
    n, q, n_targets = len(table), len(table[0]), len(targets[0])
    total = [Fraction(0)] * q
    pairs = []
    for i in range(n):
        distance = [sum(diff[i][j]) for j in range(n)]
        weight = neighbours(i, [j for j in range(n) if j != i], distance)
        whole = sum(weight.values())
        pairs += [(i, j, Fraction(w) / whole) for j, w in weight.items() if whole]
    for c in range(n_targets):
        m = sum(w for i, j, w in pairs)
        other = sum(w * apart[i][j][c] for i, j, w in pairs)
        for k in range(q):
            column = sum(w * diff[i][j][k] for i, j, w in pairs)
            both = sum(w * diff[i][j][k] * apart[i][j][c] for i, j, w in pairs)
            total[k] += both / other if other else 0
            total[k] -= (column - both) / (m - other) if m != other else 0
    return [float(t / n_targets) for t in total]


def relieff(table, labels, n_neighbors=10, nominal=(), weigh=classes):
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

    return weigh(table, labels, nominal, neighbours)


def surf(table, labels, nominal=(), weigh=classes):
    """SURF: all rows nearer than the mean distance of all pairs."""
    n = len(table)
    distance = [[sum(d) for d in row] for row in differences(table, nominal)]
    mean = sum(map(sum, distance)) / (n * (n - 1))
    return weigh(
        table,
        labels,
        nominal,
        lambda i, others, distance: {j: Fraction(1) for j in others if distance[j] < mean},
    )


def multisurf(table, labels, nominal=(), weigh=classes):
    """MultiSURF: all rows nearer than mean − std/2 of the row's distances to all others."""

    def neighbours(i, others, distance):
        rest = [d for j, d in enumerate(distance) if j != i]
        mean = sum(rest) / len(rest)
        variance = sum((d - mean) ** 2 for d in rest) / len(rest)
        return {
            j: Fraction(1)
            for j in others
            if distance[j] < mean and (mean - distance[j]) ** 2 > variance / 4
        }

    return weigh(table, labels, nominal, neighbours)


def forest_relieff(table, labels, leaves, n_neighbors=10, nominal=(), weigh=classes):
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

    return weigh(table, labels, nominal, neighbours)
