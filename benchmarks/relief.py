"""Speed of ReliefF against other implementations: one run, one thread, CPU time.

The tables are features of 5000 duplication networks, 47 columns of mixed types, and the same table
with four classes that many columns separate. The peers are a straightforward implementation (a k-d
tree for each class, searched for all rows at once, and NumPy for the rest), scikit-rebate and
fast-select. The last column is the largest difference between their weights and ours. Definitions
differ for more than two classes, because the packages pool misses; fast-select computes in 32 bits.
Packages that are not installed are skipped. Wanted: a ratio of 8 to k-d trees, and of 1 to the packages.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
import report
from mixed_table import mixed_table
from sklearn.neighbors import KDTree

from netchoice.forests import grow_forest
from netchoice.selection.relief import forest_relieff_weights, relieff_weights

N_NEIGHBORS = 10


def with_trees(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Compute ReliefF weights with one k-d tree for each class."""
    Z = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    members = [Z[y == c] for c in np.unique(y)]
    trees = [KDTree(rows, metric="manhattan") for rows in members]
    weights = np.zeros(X.shape[1])
    for own, rows in enumerate(members):
        for other, others in enumerate(members):
            hit = int(own == other)
            nearest = trees[other].query(rows, N_NEIGHBORS + hit, return_distance=False)[:, hit:]
            factor = -1.0 if hit else len(others) / (len(Z) - len(rows))
            for neighbour in nearest.T:  # one neighbour at a time is faster than all at once
                weights += factor * np.abs(rows - others[neighbour]).sum(axis=0)
    return weights / (N_NEIGHBORS * len(Z))


def with_package(module: str, **options: Any) -> Callable[..., Any] | None:
    """Return a function for a package's weights, all columns numeric; None if not installed."""
    try:
        cls = import_module(module).ReliefF
    except ImportError:
        return None
    options["n_neighbors"] = N_NEIGHBORS

    def fit(X: np.ndarray, y: np.ndarray) -> np.ndarray:
        return cls(n_features_to_select=5, n_jobs=1, **options).fit(X, y).feature_importances_

    return fit


def peers() -> dict[str, Callable[..., Any] | None]:
    """Return the other implementations."""
    fast = with_package("fast_select", backend="cpu", discrete_limit=1)
    slow = with_package("skrebate", categorical_features=[])
    return {"k-d trees": with_trees, "fast-select": fast, "skrebate": slow}


def seconds(function: Callable[..., Any], *arguments: Any) -> tuple[float, Any]:
    """Return the CPU seconds of one call, and its result."""
    start = time.process_time()
    result = function(*arguments)
    return time.process_time() - start, result


def compare(problem: str, X: np.ndarray, y: np.ndarray) -> dict[str, float]:
    """Print a line for each peer, and return the CPU time of each divided by ours."""
    ratios = {}
    relieff_weights(X, y)  # load the compiled kernel before timing
    for name, peer in peers().items():
        what = f"ReliefF {problem}, {name}"
        if peer is None:
            print(f"{what:44} not installed")
            continue
        if name != "skrebate":
            peer(X[:200], y[:200])
        repeats = 1 if name == "skrebate" else 3
        pairs = [(seconds(peer, X, y), seconds(relieff_weights, X, y)) for _ in range(repeats)]
        theirs, ours = (np.mean([pair[side][0] for pair in pairs]) for side in (0, 1))
        difference = np.abs(pairs[0][0][1] - pairs[0][1][1]).max()
        print(f"{what:44}{theirs:9.2f}{ours:11.3f}{theirs / ours:8.1f}{difference:11.0e}")
        ratios[f"{problem} {name}"] = theirs / ours
    return ratios


def main() -> None:
    """Print the table, and write the ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    report.add_json(parser)
    options = parser.parse_args()
    warnings.simplefilter("ignore")  # from the peers
    frame, labels, _ = mixed_table()
    X, y = np.asarray(frame, dtype=float), np.unique(np.asarray(labels), return_inverse=True)[1]
    rng = np.random.default_rng(0)
    four = rng.integers(0, 4, len(X))
    spread = X[rng.permutation(len(X))] + four[:, None] * X.std(axis=0) * rng.random(X.shape[1])
    print(f"{X.shape[0]} rows, {X.shape[1]} columns, one thread, CPU seconds")
    print(f"{'':44}{'peer':>9}{'netchoice':>11}{'ratio':>8}{'difference':>11}")
    ratios = {}
    for problem, table, classes in (("2 classes", X, y), ("4 classes", spread, four)):
        ratios |= compare(problem, table, classes)
        forest = seconds(lambda t, c: grow_forest(t, c, min_leaf=100), table, classes)
        leaves = forest[1].leaves
        ours, _ = seconds(forest_relieff_weights, table, classes, leaves)
        print(f"{'ForestReliefF ' + problem:53}{ours:11.3f}   and its forest {forest[0]:.2f}")
    report.write(options, ratios)


if __name__ == "__main__":
    main()
