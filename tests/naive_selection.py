"""Slow, readable twins of the selectors' criteria. Nothing of the package is imported."""

import itertools

import numpy as np


def greedy(criterion, costs, penalty):
    """Names of columns in the order taken; criterion(k, taken) and costs(k, taken) are functions."""
    left, taken = list(range(costs.n)), []
    while left:

        def key(k):
            cost = costs(k, taken)
            return (-(criterion(k, taken) - penalty * cost), cost, k)

        best = min(left, key=key)
        taken.append(best)
        left.remove(best)
    return taken


class Alone:
    def __init__(self, values):
        self.values, self.n = values, len(values)

    def __call__(self, k, taken):
        return self.values[k]


class Shared:
    """Own costs, and shared steps that are paid once."""

    def __init__(self, own, needs, steps):
        self.own, self.uses, self.steps, self.n = own, needs, steps, len(own)

    def __call__(self, k, taken):
        paid = {i for j in taken for i in self.uses[j]}
        return self.own[k] + sum(self.steps[i] for i in self.uses[k] if i not in paid)


def mrmr(relevance, pairs, k, taken):
    return relevance[k] - (np.mean([pairs[j][k] for j in taken]) if taken else 0)


def jmi(relevance, pairs, given, k, taken, over=np.mean):
    if not taken:
        return relevance[k]
    return relevance[k] - over([pairs[j][k] for j in taken]) + over([given[j][k] for j in taken])


def jmim(relevance, pairs, given, k, taken):
    if not taken:
        return relevance[k]
    return min(relevance[k] + relevance[j] - pairs[j][k] + given[j][k] for j in taken)


def plugin(*columns):
    """Entropy of the columns together, in nats, from relative frequencies."""
    rows = list(zip(*columns, strict=True))
    counts = {}
    for row in rows:
        counts[row] = counts.get(row, 0) + 1
    return -sum(c / len(rows) * np.log(c / len(rows)) for c in counts.values())


def joint_information(a, b, y):
    """I(a,b;y) by relative frequencies."""
    return plugin(a, b) + plugin(y) - plugin(a, b, y)


def nogueira(selections):
    """1 − (observed variance of selecting) / (that of drawing as many at random)."""
    m, d = len(selections), len(selections[0])
    share = [sum(s[f] for s in selections) / m for f in range(d)]
    size = sum(map(sum, selections)) / m
    observed = sum(m / (m - 1) * p * (1 - p) for p in share) / d
    return 1 - observed / (size / d * (1 - size / d))


def pairwise_agreement(selections):
    """The same index for sets of equal size: mean Kuncheva consistency over all pairs."""
    d, k = len(selections[0]), sum(selections[0])
    found = []
    for one, other in itertools.combinations(selections, 2):
        common = sum(a and b for a, b in zip(one, other, strict=True))
        found.append((common - k * k / d) / (k - k * k / d))
    return np.mean(found)
