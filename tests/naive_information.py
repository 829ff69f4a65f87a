"""Reference implementations of mutual information. Imports nothing from netchoice."""

import math
from collections import Counter
from fractions import Fraction

from scipy.special import digamma
from scipy.stats import norm


def entropy(labels):
    """Return the entropy of the observed frequencies, in nats."""
    n = len(labels)
    return -sum(count / n * math.log(count / n) for count in Counter(labels).values())


def plugin_information(a, b):
    """Return the mutual information of the observed frequencies."""
    n = len(a)
    count_a, count_b = Counter(a), Counter(b)
    return sum(
        count / n * math.log(count * n / (count_a[i] * count_b[j]))
        for (i, j), count in Counter(zip(a, b, strict=True)).items()
    )


def expected_information(a, b):
    """Return the mean of the plug-in information over all permutations of b, by exact fractions."""
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
    """Return an estimate with mean 0 for independent columns, and 1 for equal ones."""
    expected = expected_information(a, b)
    return (plugin_information(a, b) - expected) / ((entropy(a) + entropy(b)) / 2 - expected)


def rescaled_information(a, b):
    """Return an estimate with mean 0 for independence, and the smaller entropy for full dependence."""
    expected, entropy_limit = expected_information(a, b), min(entropy(a), entropy(b))
    return (plugin_information(a, b) - expected) * entropy_limit / (entropy_limit - expected)


def kraskov(x, y, k):
    """Return the estimate of Kraskov et al. from the k-th nearest neighbours of two columns."""
    n = len(x)
    total = 0.0
    for i in range(n):
        others = [j for j in range(n) if j != i]
        radius = sorted(max(abs(x[j] - x[i]), abs(y[j] - y[i])) for j in others)[k - 1]
        for column in (x, y):
            total += digamma(1 + sum(abs(column[j] - column[i]) < radius for j in others))
    return digamma(n) + digamma(k) - total / n


def ross(x, labels, k):
    """Return the estimate of Ross from the k-th nearest neighbours with the same label."""
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


def without_trend(values, numbers):
    """Return the residuals of a linear regression of the values on the numbers."""
    n = len(values)
    mean, centre = sum(values) / n, sum(numbers) / n
    slope = sum((v - mean) * (z - centre) for v, z in zip(values, numbers, strict=True)) / sum(
        (z - centre) ** 2 for z in numbers
    )
    return [v - mean - slope * (z - centre) for v, z in zip(values, numbers, strict=True)]


def information_given_numbers(a, b, y, k, n_slices):
    """Return the mean over slices of similar y of Kraskov's estimate for residuals of a and b."""
    n, total = len(y), 0.0
    order = sorted(range(n), key=lambda i: y[i])
    scores = {row: norm.ppf((place + 0.5) / n) for place, row in enumerate(order)}
    for s in range(n_slices):
        rows = [row for place, row in enumerate(order) if int((place + 0.5) * n_slices / n) == s]
        numbers = [scores[row] for row in rows]
        parts = []
        for column in (a, b):
            residuals = without_trend([column[row] for row in rows], numbers)
            deviation = math.sqrt(sum(r * r for r in residuals) / len(rows))
            parts.append([r / deviation for r in residuals])
        total += len(rows) / n * max(0.0, kraskov(*parts, k))
    return total
