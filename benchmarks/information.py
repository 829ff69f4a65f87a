"""Speed of mutual information of all pairs, and within classes, against a loop over scikit-learn.

With ``--numbers``, the target is the two parameters of 5000 networks of the model dmr instead of classes:
relevance for both, all pairs, and pairs in slices of similar numbers.

One thread, CPU time, one run, on the table that the selection benchmarks share. scikit-learn gets
columns that are already scaled and jittered; that time does not count. It is timed on a random sample
of pairs of each kind, and the time is scaled up to all pairs. Ours computes all pairs, and its time
includes the preparation of columns. The benchmark checks that the published estimates equal
scikit-learn's. No other package has the calibrated estimate; it is compared with the same loops. Wanted: a
ratio of 20 for both estimates.
"""

from __future__ import annotations

import argparse
import sys
import time
from itertools import combinations

import numpy as np
import report
from mixed_table import mixed_table  # sets one thread, so it comes before the libraries
from sklearn.feature_selection import mutual_info_regression
from sklearn.feature_selection._mutual_info import _compute_mi_cc, _compute_mi_cd
from sklearn.metrics import adjusted_mutual_info_score

import netchoice
from netchoice import information
from netchoice.information import make_estimator
from netchoice.information.estimators import jittered

KINDS = {(False, False): "numbers", (False, True): "mixed", (True, True): "discrete"}


def peer(columns, kinds, j: int, k: int) -> float:
    """Return scikit-learn's estimate for a pair."""
    (a, b), pair = (columns[j], columns[k]), (kinds[j], kinds[k])
    if all(pair):
        return float(adjusted_mutual_info_score(a, b))
    if not any(pair):
        return float(_compute_mi_cc(a, b, 3))
    return float(_compute_mi_cd(*((b, a) if pair[0] else (a, b)), 3))


def has_small_labels(labels) -> bool:
    """Return whether a label has too few rows for scikit-learn to build a k-d tree."""
    counts = np.unique(labels, return_counts=True)[1]
    return bool(((counts > 1) & (counts < 8)).any())


def peer_seconds(X, kinds, ours, n_sampled: int, rng) -> dict[str, float]:
    """Return scikit-learn's CPU seconds for all pairs of each kind, after a check of its values."""
    columns = [
        x if discrete else jittered(x, seed=0) for x, discrete in zip(X.T, kinds, strict=True)
    ]
    useful = [
        j for j, x in enumerate(X.T) if 1 < len(np.unique(x)) < (len(x) if kinds[j] else np.inf)
    ]
    seconds = {}
    for kind, name in KINDS.items():
        pairs = [p for p in combinations(useful, 2) if tuple(sorted(kinds[list(p)])) == kind]
        chosen = [pairs[i] for i in rng.permutation(len(pairs))[:n_sampled]]
        start = time.process_time()
        theirs = [peer(columns, kinds, j, k) for j, k in chosen]
        spent = time.process_time() - start
        for (j, k), value in zip(chosen, theirs, strict=True):
            if kind == (False, True) and has_small_labels(X[:, j if kinds[j] else k]):
                continue  # scikit-learn's distances lose digits for these
            if not np.isclose(ours[j, k], value, rtol=0, atol=1e-8):
                sys.exit(f"{name} pair {j}, {k}: {ours[j, k]} here and {value} there")
        seconds[name] = spent / max(len(chosen), 1) * len(pairs)
    return seconds


def ratios_by_kind(X, kinds, n_sampled: int, rng) -> None:
    """Print the ratio of scikit-learn's time to ours for pairs of each kind."""
    columns = [x if d else jittered(x, seed=0) for x, d in zip(X.T, kinds, strict=True)]
    prepared = {}
    for name in ("published", "calibrated"):
        method = make_estimator(name, seed=0, n_neighbors=3)
        prepared[name] = (
            method,
            [method.prepare(x, bool(d)) for x, d in zip(X.T, kinds, strict=True)],
        )
    for kind, name in KINDS.items():
        pairs = [
            p for p in combinations(range(len(kinds)), 2) if tuple(sorted(kinds[list(p)])) == kind
        ]
        chosen = [pairs[i] for i in rng.permutation(len(pairs))[:n_sampled]]
        theirs = timed(lambda chosen=chosen: [peer(columns, kinds, j, k) for j, k in chosen])[1]
        shown = []
        for estimator, (method, own) in prepared.items():
            seconds = timed(
                lambda chosen=chosen, method=method, own=own: [
                    method.estimate(own[j], own[k]) for j, k in chosen
                ]
            )[1]
            shown.append(f"{estimator} {theirs / seconds:.0f}×")
        print(f"  pairs of {name} columns, all rows: {', '.join(shown)}")


def numbers_table() -> tuple[np.ndarray, np.ndarray]:
    """Return 47 features of 5000 networks of dmr, and their two parameters."""
    one = netchoice.ModelSpace("one", [netchoice.get_space("duplication")["dmr"]])
    table = netchoice.simulate_table(one, n_nodes=200, n_samples=5000, seed=1).drop_constant()
    names = table.features[-47:]
    return table.X[names].to_numpy(dtype=float), table.parameters.to_numpy(dtype=float)


def measure_numbers(n_sampled: int) -> dict[str, float]:
    """Time relevance, all pairs, and pairs given two columns of numbers; return the ratios."""
    X, Y = numbers_table()
    kinds, rng = (np.floor(X) == X).all(axis=0), np.random.default_rng(1)
    print(f"{len(X)} rows, {X.shape[1]} columns, {Y.shape[1]} numbers; CPU s, one thread")
    start = time.process_time()
    for y in Y.T:
        mutual_info_regression(X, y, discrete_features=kinds, random_state=0)
    peers = {"relevance": time.process_time() - start}
    pairs = information.redundancy(X, discrete=kinds, estimator="published")
    peers["all rows"] = sum(peer_seconds(X, kinds, pairs, n_sampled, rng).values())
    peers["in slices"] = 0.0
    for y in Y.T:
        for rows in np.array_split(np.argsort(y), information.MAX_SLICES):
            here = information.redundancy(X[rows], discrete=kinds, estimator="published")
            peers["in slices"] += sum(peer_seconds(X[rows], kinds, here, n_sampled, rng).values())
    print(f"{'':14}{'scikit-learn':>14}{'published':>11}{'ratio':>8}{'calibrated':>12}{'ratio':>8}")
    totals = np.zeros(3)
    for part, function in (
        ("relevance", lambda **options: information.relevance(X, Y, **options)),
        ("all rows", lambda **options: information.redundancy(X, **options)),
        ("in slices", lambda **options: information.conditional_redundancy(X, Y, **options)),
    ):
        spent = [peers[part]] + [
            timed(function, discrete=kinds, estimator=estimator)[1]
            for estimator in ("published", "calibrated")
        ]
        totals += spent
        show(part, *spent)
    show("all", *totals)
    return {"published": totals[0] / totals[1], "calibrated": totals[0] / totals[2]}


def timed(function, *arguments, **options) -> tuple[np.ndarray, float]:
    """Return the result, and the smaller CPU seconds of two runs."""
    best, result = np.inf, None
    for _ in range(2):
        start = time.process_time()
        result = function(*arguments, **options)
        best = min(best, time.process_time() - start)
    return result, best


def main() -> None:
    """Time one kind of target, and write the ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sample", type=int, default=24, help="pairs of each kind that are timed")
    parser.add_argument("--numbers", action="store_true", help="numbers as the target")
    report.add_json(parser)
    options = parser.parse_args()
    measured = measure_numbers if options.numbers else measure_classes
    report.write(options, measured(options.sample))


def measure_classes(n_sampled: int) -> dict[str, float]:
    """Time all pairs, and all pairs within classes; return the ratios."""
    table, y, _ = mixed_table()
    X = np.ascontiguousarray(table, dtype=float)
    y = np.asarray(y)
    kinds = (np.floor(X) == X).all(axis=0)
    rng = np.random.default_rng(1)
    for estimator in information.ESTIMATORS:  # compile before timing
        information.conditional_redundancy(X[:200], y[:200], discrete=kinds, estimator=estimator)
    print(f"{len(X)} rows, {X.shape[1]} columns, {kinds.sum()} of them discrete; CPU s, one thread")

    ours = {}
    for estimator in ("published", "calibrated"):
        options = {"discrete": kinds, "estimator": estimator}
        ours[estimator, "all rows"] = timed(information.redundancy, X, **options)
        ours[estimator, "in classes"] = timed(information.conditional_redundancy, X, y, **options)
    pairs = peer_seconds(X, kinds, ours["published", "all rows"][0], n_sampled, rng)
    within = dict.fromkeys(pairs, 0.0)
    for label in np.unique(y):
        rows = X[y == label]
        here = information.redundancy(rows, discrete=kinds, estimator="published")
        for name, spent in peer_seconds(rows, kinds, here, n_sampled, rng).items():
            within[name] += spent

    print(f"{'':14}{'scikit-learn':>14}{'published':>11}{'ratio':>8}{'calibrated':>12}{'ratio':>8}")
    totals = np.zeros(3)
    for part, peers in (("all rows", pairs), ("in classes", within)):
        spent = sum(peers.values()), ours["published", part][1], ours["calibrated", part][1]
        totals += spent
        show(part, *spent)
        print("  of which " + ", ".join(f"{name} {s:.1f}" for name, s in peers.items()))
    show("both", *totals)
    ratios_by_kind(X, kinds, n_sampled, rng)
    return {"published": totals[0] / totals[1], "calibrated": totals[0] / totals[2]}


def show(part: str, peers: float, published: float, calibrated: float) -> None:
    """Print one line of the table."""
    ratios = peers / published, peers / calibrated
    print(
        f"{part:14}{peers:14.1f}{published:11.2f}{ratios[0]:7.0f}×{calibrated:12.2f}{ratios[1]:7.0f}×"
    )


if __name__ == "__main__":
    main()
