"""Speed of random forests against scikit-learn's: one run, one thread, CPU time.

Both grow 500 trees to purity on the same table of 5000 rows and 47 columns of mixed types, with √q
columns tried at each node; our time includes the binning of columns. There are two problems: noisy
labels, which give deep trees, and four classes that many columns separate, which give shallow trees.
The benchmark also times MDA, against a loop over scikit-learn's trees on their out-of-bag rows, and
column weights up to the largest penalty, against scikit-learn's forest without weights. Trees have
more nodes if the cheap columns have little information.

Wanted: a ratio of 3 for both problems; and with the largest penalty, a node takes at most 1.25 times as long.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import report
from sklearn.ensemble import RandomForestClassifier

from netchoice.forests import Forest, grow_forest

N_ROWS, N_COLUMNS, N_TREES = 5000, 47, 500
N_LOOPED = 25  # trees in the slow loop, whose time is scaled up
PENALTIES = (0.1, 1.0, 10.0, 204.8)


def timed(function: Callable[..., Any], *arguments: Any, **options: Any) -> tuple[float, Any]:
    """Return the CPU seconds of one call, including its threads, and its result."""
    start = time.process_time()
    result = function(*arguments, **options)
    return time.process_time() - start, result


def deep(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return a table with two classes, five informative columns, and 20% wrong labels."""
    X = rng.normal(size=(N_ROWS, N_COLUMNS))
    for k, n_values in enumerate((2, 5, 20, 50, 300, 3000) * 3):
        X[:, k] = rng.integers(0, n_values, N_ROWS)
    X[:, 20:24] = np.exp(5 * X[:, 20:24])
    total = X[:, 30] + X[:, 31] * X[:, 32] + (X[:, 2] > 10) + X[:, 3] / 25 + rng.normal(size=N_ROWS)
    return X, (total > np.median(total)) ^ (rng.random(N_ROWS) < 0.2)


def shallow(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return a table with four classes and forty informative columns, one of them perfect."""
    y = rng.integers(0, 4, N_ROWS)
    X = rng.normal(size=(N_ROWS, N_COLUMNS))
    X[:, :40] += y[:, None] * rng.uniform(0.5, 4, 40)
    X[:, 1:40:2] = np.round(X[:, 1:40:2] * rng.choice([1, 5, 50], 20))
    X[:, 0] = y
    return X, y


def loop_over_trees(
    forest: RandomForestClassifier, X: np.ndarray, y: np.ndarray, n_trees: int
) -> None:
    """Compute MDA on each tree's out-of-bag rows, one column after the other."""
    rng = np.random.default_rng(0)
    codes = np.searchsorted(forest.classes_, y)
    X = X.astype(np.float32)  # what the trees convert to
    for tree, drawn in zip(
        forest.estimators_[:n_trees], forest.estimators_samples_[:n_trees], strict=True
    ):
        out_of_bag = np.setdiff1d(np.arange(len(y)), drawn)
        table, truth = X[out_of_bag], codes[out_of_bag]
        np.mean(tree.tree_.predict(table).argmax(axis=-1) == truth)
        for k in np.unique(tree.tree_.feature[tree.tree_.feature >= 0]):
            values = table[:, k].copy()
            table[:, k] = rng.permutation(values)
            np.mean(tree.tree_.predict(table).argmax(axis=-1) == truth)
            table[:, k] = values


def count_nodes(forest: Forest) -> int:
    """Return the number of nodes: a binary tree with L leaves has 2L − 1."""
    return int((2 * forest.leaves.max(axis=0) + 1).sum())


def main() -> None:
    """Print the table, and write the ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    report.add_json(parser)
    options = parser.parse_args()
    print(f"{N_TREES} trees, {N_ROWS} rows, {N_COLUMNS} columns, one thread, CPU seconds")
    print(f"{'':42}{'scikit-learn':>13}{'netchoice':>11}{'ratio':>8}")
    ratios = {}

    def compare(what: str, theirs: float, ours: float) -> None:
        print(f"{what:42}{theirs:13.2f}{ours:11.2f}{theirs / ours:8.1f}", flush=True)
        ratios[what.partition(",")[0]] = theirs / ours

    for problem in (deep, shallow):
        name = f"{problem.__name__} trees"
        X, y = problem(np.random.default_rng(1))
        grow_forest(X[:50], y[:50], n_trees=1)  # load the compiled kernel before timing
        peer = RandomForestClassifier(N_TREES, n_jobs=1, random_state=0)
        theirs, _ = timed(peer.fit, X, y)
        ours, plain = timed(grow_forest, X, y, n_trees=N_TREES)
        compare(name, theirs, ours)
        looped = N_TREES // N_LOOPED * timed(loop_over_trees, peer, X, y, N_LOOPED)[0]
        both, _ = timed(grow_forest, X, y, n_trees=N_TREES, importance=("mdi", "mda"))
        compare(f"{name} with MDA", theirs + looped, both)
        costs = np.random.default_rng(2).permutation(np.geomspace(1e-9, 1, N_COLUMNS))
        for penalty in PENALTIES:
            weights = -penalty * np.log(costs)
            seconds, forest = timed(grow_forest, X, y, n_trees=N_TREES, log_weights=weights)
            more_nodes = count_nodes(forest) / count_nodes(plain)
            compare(f"{name} at λ = {penalty}, nodes × {more_nodes:.2f}", theirs, seconds)
        ratios[f"{name} per node at largest λ"] = seconds / more_nodes / ours
    report.write(options, ratios)


if __name__ == "__main__":
    main()
