"""Slow and readable twins of the inference; nothing here is imported from netchoice."""

import math
from statistics import NormalDist


def normal_scores(column):
    """Φ⁻¹ of the middle of each value's share of the ranks."""
    n = len(column)
    scores = []
    for value in column:
        below = sum(other < value for other in column)
        equal = sum(other == value for other in column)
        scores.append(NormalDist().inv_cdf((below + equal / 2) / n))
    return scores


def votes(known, labels, asked, k, models):
    """Of the k nearest rows; those equally far share what is left."""
    found = sorted((math.dist(row, asked), label) for row, label in zip(known, labels, strict=True))
    last = found[k - 1][0]
    nearer = [label for distance, label in found if distance < last - 1e-12]
    tied = [label for distance, label in found if abs(distance - last) <= 1e-12]
    left = (k - len(nearer)) / len(tied)
    return [nearer.count(model) + left * tied.count(model) for model in models]


def dirichlet_mean(counts):
    """With half a count of each beforehand."""
    total = sum(counts) + len(counts) / 2
    return [(count + 0.5) / total for count in counts]


def shared_by_votes(shares, error, half_a_vote):
    """1 − error for the one with most votes; the others share the error; it stays the largest."""
    picked = shares.index(max(shares))
    others = [0 if i == picked else share + half_a_vote for i, share in enumerate(shares)]
    others = [share / sum(others) for share in others]
    error = min(error, 1 / (1 + max(others)))
    return [1 - error if i == picked else error * share for i, share in enumerate(others)]


def quantile(values, weights, share):
    """Where the weights below, and half of the own, reach the share; linear between."""
    pairs = sorted(zip(values, weights, strict=True))
    total = sum(weights)
    reached = [
        (sum(w for _, w in pairs[:i]) + weight / 2) / total for i, (_, weight) in enumerate(pairs)
    ]
    if share <= reached[0]:
        return pairs[0][0]
    for i in range(1, len(pairs)):
        if share <= reached[i]:
            part = (share - reached[i - 1]) / (reached[i] - reached[i - 1])
            return pairs[i - 1][0] + part * (pairs[i][0] - pairs[i - 1][0])
    return pairs[-1][0]


def epanechnikov(distances, k):
    """Weights by row: 1 − (d/δ)² for the k nearest, δ the distance of the next."""
    bandwidth = sorted(distances)[k]
    return [max(0.0, 1 - (d / bandwidth) ** 2) for d in distances]


def adjusted(steps, values, weights):
    """One feature, no bounds: weighted least squares, then the fit at 0 plus widened residuals."""
    total = sum(weights)
    x = sum(w * s for w, s in zip(weights, steps, strict=True)) / total
    y = sum(w * v for w, v in zip(weights, values, strict=True)) / total
    above = sum(w * (s - x) * (v - y) for w, s, v in zip(weights, steps, values, strict=True))
    slope = above / sum(w * (s - x) ** 2 for w, s in zip(weights, steps, strict=True))
    k = total**2 / sum(w**2 for w in weights)
    widening = math.sqrt(k / (k - 2))
    return [
        y - slope * x + (v - y - slope * (s - x)) * widening
        for s, v in zip(steps, values, strict=True)
    ]
