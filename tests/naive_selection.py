"""Reference implementations of the selectors' criteria. Imports nothing from netchoice."""

import numpy as np


def greedy(criterion, costs, penalty):
    """Return the ranking; criterion(k, selected) and costs(k, selected) are functions."""
    remaining, selected = list(range(costs.n)), []
    while remaining:

        def key(k):
            cost = costs(k, selected)
            return (-(criterion(k, selected) - penalty * cost), cost, k)

        best = min(remaining, key=key)
        selected.append(best)
        remaining.remove(best)
    return selected


class Alone:
    def __init__(self, values):
        self.values, self.n = values, len(values)

    def __call__(self, k, selected):
        return self.values[k]


class Shared:
    """Own costs, and shared steps that are paid once."""

    def __init__(self, own, uses, steps):
        self.own, self.uses, self.steps, self.n = own, uses, steps, len(own)

    def __call__(self, k, selected):
        paid = {i for j in selected for i in self.uses[j]}
        return self.own[k] + sum(self.steps[i] for i in self.uses[k] if i not in paid)


def mrmr(relevance, pairs, k, selected):
    return relevance[k] - (np.mean([pairs[j][k] for j in selected]) if selected else 0)


def jmi(relevance, pairs, given, k, selected, over=np.mean):
    if not selected:
        return relevance[k]
    return (
        relevance[k] - over([pairs[j][k] for j in selected]) + over([given[j][k] for j in selected])
    )


def jmim(relevance, pairs, given, k, selected):
    if not selected:
        return relevance[k]
    return min(relevance[k] + relevance[j] - pairs[j][k] + given[j][k] for j in selected)


def joint_entropy(*columns):
    """Return the joint entropy of the columns, in nats, from relative frequencies."""
    rows = list(zip(*columns, strict=True))
    counts = {}
    for row in rows:
        counts[row] = counts.get(row, 0) + 1
    return -sum(c / len(rows) * np.log(c / len(rows)) for c in counts.values())


def joint_information(a, b, y):
    """Return I(a,b;y) from relative frequencies."""
    return joint_entropy(a, b) + joint_entropy(y) - joint_entropy(a, b, y)


def greedy_within(criterion, costs, penalty, budget):
    """Return the columns that greedy selection takes while it can pay for one."""
    selected, paid = [], 0.0
    while True:
        affordable = [
            k for k in range(costs.n)
            if k not in selected and paid + costs(k, selected) <= budget + 1e-9
        ]  # fmt: skip
        if not affordable:
            return selected

        def key(k):
            cost = costs(k, selected)
            return (-(criterion(k, selected) - penalty * cost), cost, k)

        best = min(affordable, key=key)
        paid += costs(best, selected)
        selected.append(best)
