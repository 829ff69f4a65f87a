"""Speed of the Relief family against other implementations: one run, one thread, CPU time.

The tables are features of 5000 duplication networks, 47 columns of mixed types, and the same table
with four classes that many columns separate. The peers are a straightforward implementation (a k-d
tree for each class, searched for all rows at once, and NumPy for the rest), scikit-rebate and
fast-select. The last column is the largest difference between their weights and ours. Definitions
differ for more than two classes, because the packages pool misses; fast-select computes in 32 bits.
Packages that are not installed are skipped.

For numbers, the target is a noisy sum of columns, and the peer is one k-d tree with NumPy (RReliefF with
equal weights of the neighbours). SURF and MultiSURF for numbers have no peer with the same definition,
so that only their time is printed.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
from mixed_table import mixed_table
from sklearn.neighbors import KDTree

from netchoice.forests import grow_forest
from netchoice.selection.forest_relief import forest_relieff_weights
from netchoice.selection.relief import multisurf_weights, relieff_weights, surf_weights

N_NEIGHBORS = 10
BARS = {"k-d trees": 8.0, "k-d tree": 8.0, "skrebate": 1.0, "fast-select": 1.0}
OURS = {"ReliefF": relieff_weights, "SURF": surf_weights, "MultiSURF": multisurf_weights}


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


def with_one_tree(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Compute RReliefF weights with one k-d tree."""
    Z, target = ((a - a.min(axis=0)) / np.ptp(a, axis=0) for a in (X, y))
    nearest = KDTree(Z, metric="manhattan").query(Z, N_NEIGHBORS + 1, return_distance=False)[:, 1:]
    different, column, both = 0.0, np.zeros(X.shape[1]), np.zeros(X.shape[1])
    for neighbour in nearest.T:
        apart, other = np.abs(Z - Z[neighbour]), np.abs(target - target[neighbour])
        different += other.sum()
        column += apart.sum(axis=0)
        both += other @ apart
    return both / different - (column - both) / (nearest.size - different)


def with_package(module: str, method: str, **options: Any) -> Callable[..., Any] | None:
    """Return a function for a package's weights, all columns numeric; None if not installed."""
    try:
        cls = getattr(import_module(module), method)
    except ImportError:
        return None
    if method == "ReliefF":
        options["n_neighbors"] = N_NEIGHBORS

    def fit(X: np.ndarray, y: np.ndarray) -> np.ndarray:
        return cls(n_features_to_select=5, n_jobs=1, **options).fit(X, y).feature_importances_

    return fit


def peers(method: str, problem: str) -> dict[str, Callable[..., Any] | None]:
    """Return the peers that compute this method."""
    if problem == "numbers":
        return {"k-d tree": with_one_tree}
    fast = with_package("fast_select", method, backend="cpu", discrete_limit=1)
    if method != "ReliefF":
        return {"fast-select": fast}
    slow = with_package("skrebate", method, categorical_features=[])
    return {"k-d trees": with_trees, "fast-select": fast, "skrebate": slow}


def seconds(function: Callable[..., Any], *arguments: Any) -> tuple[float, Any]:
    """Return the CPU seconds of one call, and its result."""
    start = time.process_time()
    result = function(*arguments)
    return time.process_time() - start, result


def compare(method: str, problem: str, X: np.ndarray, y: np.ndarray) -> list[str]:
    """Print a line for each peer, and return those for which the bar is missed."""
    missed = []
    OURS[method](X, y)  # load the compiled kernel before timing
    for name, peer in peers(method, problem).items():
        what = f"{method} {problem}, {name}"
        if peer is None:
            print(f"{what:44} not installed")
            continue
        if name != "skrebate":
            peer(X[:200], y[:200])
        repeats = 1 if name == "skrebate" else 3
        pairs = [(seconds(peer, X, y), seconds(OURS[method], X, y)) for _ in range(repeats)]
        theirs, ours = (np.mean([pair[side][0] for pair in pairs]) for side in (0, 1))
        difference = np.abs(pairs[0][0][1] - pairs[0][1][1]).max()
        bar = BARS[name]
        print(f"{what:44}{theirs:9.2f}{ours:11.3f}{theirs / ours:8.1f}{bar:6.0f}{difference:11.0e}")
        if theirs < bar * ours:
            missed.append(what)
    return missed


def main() -> None:
    """Print the table; exit 1 if a bar is missed."""
    warnings.simplefilter("ignore")  # from the peers
    frame, labels, _ = mixed_table()
    X, y = np.asarray(frame, dtype=float), np.unique(np.asarray(labels), return_inverse=True)[1]
    rng = np.random.default_rng(0)
    four = rng.integers(0, 4, len(X))
    spread = X[rng.permutation(len(X))] + four[:, None] * X.std(axis=0) * rng.random(X.shape[1])
    print(f"{X.shape[0]} rows, {X.shape[1]} columns, one thread, CPU seconds")
    print(f"{'':44}{'peer':>9}{'netchoice':>11}{'ratio':>8}{'bar':>6}{'difference':>11}")
    missed = []
    for problem, table, classes in (("2 classes", X, y), ("4 classes", spread, four)):
        for method in OURS:
            missed += compare(method, problem, table, classes)
        forest = seconds(lambda t, c: grow_forest(t, c, min_leaf=100), table, classes)
        leaves = forest[1].leaves
        ours, _ = seconds(forest_relieff_weights, table, classes, leaves)
        print(f"{'ForestReliefF ' + problem:53}{ours:11.3f}   and its forest {forest[0]:.2f}")
    columns = rng.permutation(X.shape[1])[:5]
    numbers = (spread[:, columns] / spread[:, columns].std(axis=0)).sum(axis=1)
    numbers += rng.normal(size=len(X))
    missed += compare("ReliefF", "numbers", spread, numbers)
    for method in ("SURF", "MultiSURF"):
        OURS[method](spread[:200], numbers[:200])
        ours, _ = seconds(OURS[method], spread, numbers)
        print(f"{method + ' numbers':53}{ours:11.3f}")
    if missed:
        sys.exit(f"below the bar: {', '.join(missed)}")


if __name__ == "__main__":
    main()
