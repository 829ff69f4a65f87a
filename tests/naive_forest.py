"""Reference implementation of the forest's kernels. Imports nothing from netchoice.

A tree is a list of nodes: ``(column, cut, left, right)`` for a split, where rows with at most
``cut`` go left, or the majority class for a leaf. All randomness comes from one iterator over
uniform numbers, in the order in which the compiled forest consumes its stream.
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


def counts(rows, y, times):
    """Return the number of rows of each class, with repetitions."""
    total = Counter()
    for i in rows:
        total[y[i]] += times[i]
    return total


def purity(total):
    """Return Σ n_c² / n, which is n minus n times the Gini impurity."""
    return sum(c * c for c in total.values()) / sum(total.values())


def best_cut(values, rows, y, times, min_leaf):
    """Return the score and place of the best cut, the first of equal ones; None if there is none."""
    best = None
    present = sorted({values[i] for i in rows})
    for low, high in pairwise(present):
        left = counts([i for i in rows if values[i] <= low], y, times)
        right = counts([i for i in rows if values[i] > low], y, times)
        if min(sum(left.values()), sum(right.values())) < min_leaf:
            continue
        score = purity(left) + purity(right)
        if best is None or score > best[0] + 1e-9:
            best = (score, (low + high) // 2)
    return best


def grow(X, y, times, uniforms, *, n_candidates, min_leaf, weights=None):
    """Return a tree on integers, and the decrease of impurity by column."""
    q = len(X[0])
    columns = [[row[k] for row in X] for k in range(q)]
    shuffled = list(range(q))
    decrease = [0.0] * q
    nodes = [None]
    pending = [(0, [i for i in range(len(X)) if times[i] > 0])]
    while pending:
        node, rows = pending.pop()
        total = counts(rows, y, times)
        # the smallest label of the most frequent ones
        nodes[node] = min(total, key=lambda label: (-total[label], label))
        if len(total) == 1 or sum(total.values()) < 2 * min_leaf:
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
                cut = best_cut(columns[k], rows, y, times, min_leaf)
                if cut is not None and (best is None or cut[0] > best[0] + 1e-9):
                    best = (cut[0], k, cut[1])
        if best is None:
            continue
        score, k, cut = best
        decrease[k] += score - purity(total)
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


def accuracy_lost(nodes, X, y, times, uniforms):
    """Return the decrease of out-of-bag accuracy when a column is permuted, by column."""
    out_of_bag = [i for i in range(len(X)) if times[i] == 0]
    used = {node[0] for node in nodes if isinstance(node, tuple)}
    correct = sum(nodes[leaf_of(nodes, X[i])] == y[i] for i in out_of_bag)
    lost = [0.0] * len(X[0])
    for k in sorted(used):
        for_row = dict(zip(out_of_bag, permutation(out_of_bag, uniforms), strict=True))
        permuted = 0
        for i in out_of_bag:
            row = list(X[i])
            row[k] = X[for_row[i]][k]
            permuted += nodes[leaf_of(nodes, row)] == y[i]
        lost[k] = (correct - permuted) / len(out_of_bag) if out_of_bag else 0.0
    return lost
