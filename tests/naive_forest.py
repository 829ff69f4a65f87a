"""Reference implementation of the forest's kernels. Imports nothing from netchoice.

A tree is a list of nodes: ``(column, cut, left, right)`` for a split, where rows with at most
``cut`` go left, or for a leaf its prediction, the majority class. All randomness comes from one iterator
over uniform numbers, in the order in which the compiled forest consumes its stream.
"""

import math
from collections import Counter
from itertools import pairwise


def shuffle_next(columns, done, n_wanted, uniforms):
    """Exchange each of the next places with a random place at or after it."""
    for i in range(done, done + n_wanted):
        j = i + int(next(uniforms) * (len(columns) - i))
        columns[i], columns[j] = columns[j], columns[i]


def first_to_arrive(weights, waiting, n_wanted, uniforms):
    """Return the columns with the smallest times, which are exponential with the weights as rates.

    The probability that column k is first is its share of the weight. The column with the largest
    weight uses the first number of the stream.
    """
    by_weight = sorted(waiting, key=lambda k: (-weights[k], k))
    times = {k: -math.log(1 - next(uniforms)) / weights[k] for k in by_weight}
    return sorted(times, key=times.get)[:n_wanted]


def bootstrap(n, uniforms):
    """Return how often each row is drawn."""
    drawn = Counter(int(next(uniforms) * n) for _ in range(n))
    return [drawn[i] for i in range(n)]


class Classes:
    """What a classification tree predicts, and how it compares splits."""

    def __init__(self, labels, times):
        self.labels, self.times = labels, times

    def counts(self, rows):
        """Return the number of rows of each class, with repetitions."""
        total = Counter()
        for i in rows:
            total[self.labels[i]] += self.times[i]
        return total

    def purity(self, rows):
        """Return Σ n_c² / n, which is n minus n times the Gini impurity."""
        total = self.counts(rows)
        return sum(c * c for c in total.values()) / sum(total.values())

    def is_pure(self, rows):
        return len(self.counts(rows)) == 1

    def predict(self, rows):
        """Return the smallest label of the most frequent ones."""
        total = self.counts(rows)
        return min(total, key=lambda label: (-total[label], label))

    def decrease(self, left, right):
        return self.purity(left) + self.purity(right) - self.purity(left + right)

    def threshold(self, rows, best):
        """Return what the decrease of a split must exceed, given the best one so far."""
        return -1 if best is None else best + 1e-9

    def error(self, predicted, i):
        return predicted != self.labels[i]


def best_cut(column, values, rows, problem, min_leaf, best):
    """Return the decrease, column and place of the best cut, or the given best one."""
    for low, high in pairwise(sorted({values[i] for i in rows})):
        left = [i for i in rows if values[i] <= low]
        right = [i for i in rows if values[i] > low]
        if min(sum(problem.times[i] for i in side) for side in (left, right)) < min_leaf:
            continue
        decrease = problem.decrease(left, right)
        if decrease > problem.threshold(rows, best and best[0]):
            best = (decrease, column, (low + high) // 2)
    return best


def grow(X, problem, uniforms, *, n_candidates, min_leaf, weights=None):
    """Return a tree on integers, and the decrease of impurity by column."""
    q, times = len(X[0]), problem.times
    columns = [[row[k] for row in X] for k in range(q)]
    shuffled = list(range(q))
    decrease = [0.0] * q
    nodes = [None]
    pending = [(0, [i for i in range(len(X)) if times[i] > 0])]
    while pending:
        node, rows = pending.pop()
        nodes[node] = problem.predict(rows)
        if problem.is_pure(rows) or sum(times[i] for i in rows) < 2 * min_leaf:
            continue
        tried, best, constant = [], None, True
        while len(tried) < q and (len(tried) < n_candidates or constant):
            n_wanted = min(n_candidates, q - len(tried))
            if weights is None:
                shuffle_next(shuffled, len(tried), n_wanted, uniforms)
                more = shuffled[len(tried) : len(tried) + n_wanted]
            else:
                waiting = [k for k in range(q) if k not in tried]
                more = first_to_arrive(weights, waiting, n_wanted, uniforms)
            for k in more:
                if len(tried) >= n_candidates and not constant:
                    break
                tried.append(k)
                constant = constant and len({columns[k][i] for i in rows}) == 1
                best = best_cut(k, columns[k], rows, problem, min_leaf, best)
        if best is None:
            continue
        gain, k, cut = best
        decrease[k] += float(gain)
        left, right = len(nodes), len(nodes) + 1
        nodes[node] = (k, cut, left, right)
        nodes += [None, None]
        pending.append((left, [i for i in rows if columns[k][i] <= cut]))
        pending.append((right, [i for i in rows if columns[k][i] > cut]))
    return nodes, decrease


def leaf_of(nodes, row):
    """Return the node of the leaf of a row."""
    node = 0
    while isinstance(nodes[node], tuple):
        k, cut, left, right = nodes[node]
        node = left if row[k] <= cut else right
    return node


def permutation(rows, uniforms):
    """Return the rows in random order: each row is exchanged with a random one up to it."""
    order = []
    for i, row in enumerate(rows):
        order.append(row)
        j = int(next(uniforms) * (i + 1))
        order[i], order[j] = order[j], order[i]
    return order


def error_added(nodes, X, problem, uniforms):
    """Return the increase of the mean out-of-bag error when a column is permuted, by column."""
    out_of_bag = [i for i in range(len(X)) if problem.times[i] == 0]
    used = {node[0] for node in nodes if isinstance(node, tuple)}
    added = [0.0] * len(X[0])
    for k in sorted(used):
        for_row = dict(zip(out_of_bag, permutation(out_of_bag, uniforms), strict=True))
        for i in out_of_bag:
            row = list(X[i])
            row[k] = X[for_row[i]][k]
            before, after = (problem.error(nodes[leaf_of(nodes, r)], i) for r in (X[i], row))
            added[k] += float(after - before) / len(out_of_bag)
    return added
