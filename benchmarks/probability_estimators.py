"""Compare estimators of model probabilities: log score, variation between tables, intervals and time.

The estimators were tuned on seven and eight density-matched mechanisms with 2 edges per node, and on the
spaces ``ba`` and ``duplication``, at 60 and 300 nodes. The tables here have other sizes, densities,
mechanisms and seeds. For each, two independent tables of simulations predict the same held-out networks, with
all comparable features and with random sets of 4, 6 and 8. In ``unequal``, every second model has 300 rows
and the others 1000. A case is open if the largest probability, the median over the estimators, is below .95.

Wanted, before the results were known. An estimator wins if, for all features and for few features separately,

1. its mean log score is within .01 of the lowest of all estimators that meet 2 to 4,
2. its total variation between two tables (median over open cases, mean over tables) is not above that of
   the local regression,
3. the intervals of all models from two tables meet in at least 95 % of cases (mean over tables; the ends are
   rounded to three decimals, as they are printed),
4. fit and one prediction with intervals take at most 2 CPU seconds for 8 models, 1000 rows and 45 features.

If several win, the one with the lowest sum of mean log score and mean total variation does.
"""

import argparse
import time

import networkx as nx
import numpy as np
import report
from sklearn.ensemble import HistGradientBoostingClassifier

import netchoice
from netchoice.features import comparable_features, compute_features
from netchoice.inference import smooth_regression
from netchoice.inference.local_regression import default_neighbors, predict_locally
from netchoice.inference.scaling import Scaling
from netchoice.inference.smooth_regression import SmoothRegression

NAMES = comparable_features()
SEED, N_CASES = 20260101, 400
FIRST = ("fitness", "redirection", "copying", "heterodimer", "vazquez-walk", "toivonen", "geometric",
         "planted-partition")  # fmt: skip
SECOND = ("nonlinear", "agv", "jackson-rogers", "kumpula", "saramaki-kaski", "configuration", "rdg",
          "dmc")  # fmt: skip
THIRD = ("lpa", "copying", "dmr", "holme-kim", "vazquez-walk", "hyperbolic", "smw", "rds")
#: Name, space or models of the matched space, nodes, edges per node, and rows per model.
TABLES = (
    ("duplication", "duplication", 42, None, (300, 3000)),
    ("ba", "ba", 100, None, (300, 1000)),
    ("matched 42", FIRST, 42, 1.5, (300, 1000)),
    ("matched 100", SECOND, 100, 3.0, (300, 1000)),
    ("matched 200", THIRD, 200, 2.5, (1000,)),
)
SIZES = (4, 6, 8)


def rows_of(space, label, n_nodes, n_rows, rng):
    """Return the features of simulations of a model."""
    rows = []
    for _ in range(n_rows):
        parameters, graph = space[label].draw(n_nodes, rng, "drop")
        if graph is None:
            graph = space[label].grow(n_nodes, parameters, rng, isolated="drop")
        values = compute_features(graph, NAMES).values
        rows.append([float(values[name]) for name in NAMES])
    return np.array(rows)


def simulations(which, n_nodes, edges_per_node, n_rows, seed):
    """Return the features of simulations by model."""
    if edges_per_node is None:
        space = netchoice.get_space(which)
        labels = space.labels
    else:
        shape = netchoice.Graph.of(
            nx.gnm_random_graph(n_nodes, round(edges_per_node * n_nodes), seed=1)
        )
        space, labels = netchoice.get_space("all").matched_to(shape, isolated="drop"), which
    return {
        label: rows_of(space, label, n_nodes, n_rows, np.random.default_rng([seed, n_nodes, k]))
        for k, label in enumerate(labels)
    }


def quadratic(products):
    """Return scores and squares, and products of up to ten features, as the columns of a regression."""

    def columns(scaling, X):
        scores = scaling.transform(X).clip(-5.5, 5.5)
        first, second = np.triu_indices(scores.shape[1], 1)
        pairs = scores[:, first] * scores[:, second]
        return np.hstack(
            [scores, scores**2, *([pairs] if products and scores.shape[1] <= 10 else [])]
        )

    return columns


def regression(columns=None, penalty=None):
    """Return an estimator: the smooth regression, or one with other columns."""

    def estimate(X, y, cases):
        kept = smooth_regression._smooth, smooth_regression._PENALTY
        smooth_regression._smooth = columns or kept[0]
        smooth_regression._PENALTY = penalty or kept[1]
        try:
            return SmoothRegression.fit(X, y).predict(cases)
        finally:
            smooth_regression._smooth, smooth_regression._PENALTY = kept

    return estimate


def local(X, y, cases):
    """Return the probabilities by local regression, with equal prior weights, without intervals."""
    _, codes, counts = np.unique(y, return_inverse=True, return_counts=True)
    scaling, n_near = Scaling.fit(X, "rank"), default_neighbors(len(X))
    rows = scaling.transform(X)
    found = [
        predict_locally(rows, codes, case, n_near, len(counts)) for case in scaling.transform(cases)
    ]
    odds = np.array(found) / counts
    return odds / odds.sum(axis=1, keepdims=True), None, None


def by_log_odds(X, y, cases):
    """Return the probabilities by local regression on the log odds of the quadratic regression."""
    kept = smooth_regression._smooth, smooth_regression._PENALTY
    smooth_regression._smooth, smooth_regression._PENALTY = quadratic(False), 2.0
    try:
        fitted = SmoothRegression.fit(X, y)
        predicted = fitted.predict_proba(cases)
    finally:
        smooth_regression._smooth, smooth_regression._PENALTY = kept
    odds = [np.log(p.clip(1e-9)) for p in (fitted.held_out, predicted)]
    axes = [o[:, :-1] - o[:, -1:] for o in odds]
    return local(axes[0], y, axes[1])


def boosted(X, y, cases):
    """Return the probabilities by boosted trees, without intervals."""
    trees = HistGradientBoostingClassifier(
        max_iter=100, max_leaf_nodes=8, l2_regularization=5.0, early_stopping=False, random_state=0
    )
    odds = trees.fit(X, y).predict_proba(cases) / np.unique(y, return_counts=True)[1]
    return odds / odds.sum(axis=1, keepdims=True), None, None


ESTIMATORS = {
    "local regression": local,
    "squares": regression(quadratic(False), 2.0),
    "squares, products": regression(quadratic(True), 2.0),
    "local on log odds": by_log_odds,
    "boosted trees": boosted,
    "smooth": regression(),
}


def compare(rows, columns, counts):
    """Return log score, variation, and share of intervals that meet of each estimator, and CPU seconds."""
    labels = list(rows)
    cases = np.concatenate([rows[m][-(N_CASES // len(labels)) :] for m in labels])[:, columns]
    truth = np.repeat(np.arange(len(labels)), N_CASES // len(labels))
    order = np.argsort(np.argsort(labels))  # the position of each label among the sorted ones
    found, seconds = {}, {}
    for name, estimate in ESTIMATORS.items():
        found[name] = []
        for start in (0, max(counts)):
            X = np.concatenate(
                [rows[m][start : start + c] for m, c in zip(labels, counts, strict=True)]
            )
            y = np.repeat(labels, counts)
            began = time.process_time()
            if start == 0:
                estimate(X[:, columns], y, cases[:1])
                seconds[name] = time.process_time() - began
            found[name].append(estimate(X[:, columns], y, cases))
    found["smooth + trees"] = [
        ((a[0] + b[0]) / 2, None, None)
        for a, b in zip(found["smooth"], found["boosted trees"], strict=True)
    ]
    seconds["smooth + trees"] = seconds["smooth"] + seconds["boosted trees"]
    largest = [np.mean([p[0].max(axis=1) for p in pair], axis=0) for pair in found.values()]
    is_open = np.median(largest, axis=0) < 0.95
    results = {}
    for name, (one, two) in found.items():
        own = [p[0][np.arange(len(cases)), order[truth]] for p in (one, two)]
        score = -np.log(np.clip(own, 1e-12, None)).mean()
        apart = (np.abs(one[0] - two[0]).sum(axis=1) / 2)[is_open]
        meet = np.nan
        if one[1] is not None:
            low, high = (np.round([p[k] for p in (one, two)], 3) for k in (1, 2))
            meet = np.mean(np.all(low.max(axis=0) <= high.min(axis=0), axis=1))
        spread = (np.median(apart), apart.max()) if len(apart) else (np.nan, np.nan)
        results[name] = (score, *spread, meet, seconds[name])
    return results


def show(title, results):
    """Print the results of the estimators."""
    print(f"\n{title}\n{'':20} log score  TV median  worst  meet  CPU s")
    for name, (score, middle, worst, meet, seconds) in results.items():
        print(
            f"{name:20} {score:9.3f} {middle:10.3f} {worst:6.2f} {meet:5.3f} {seconds:6.2f}",
            flush=True,
        )


def main():
    """Print one table for each space, and the means for all and for few features."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    report.add_json(parser)
    options = parser.parse_args()
    values = {}
    groups = {"all features": [], "4 to 8 features": []}
    for number, (title, which, n_nodes, density, numbers) in enumerate(TABLES):
        n_models = len(netchoice.get_space(which).labels) if density is None else len(which)
        n_rows = 2 * max(numbers) + N_CASES // n_models
        rows = simulations(which, n_nodes, density, n_rows, SEED)
        print(f"({title}: simulated after {time.process_time():.0f} CPU s)")
        designs = [(str(n), [n] * n_models) for n in numbers]
        if title == "matched 42":
            designs.append(("unequal", [300 if k % 2 else 1000 for k in range(n_models)]))
        rng = np.random.default_rng([SEED, number])
        chosen = rng.choice(len(NAMES), SIZES[number % 3], replace=False)
        for design, counts in designs:
            for group, columns in zip(groups, (np.arange(len(NAMES)), chosen), strict=True):
                results = compare(rows, columns, counts)
                groups[group].append(results)
                show(f"{title}, {design} rows per model, {len(columns)} features", results)
    for group, found in groups.items():
        means = {
            name: tuple(
                (np.nanmax if k in (2, 4) else np.nanmean)([results[name][k] for results in found])
                for k in range(5)
            )
            for name in found[0]
        }
        for name, (log_score, variation, _, meet, _) in means.items():
            key = f"{group.removesuffix(' features')} {name}"
            values |= {f"{key} log score": log_score, f"{key} variation": variation}
            values[f"{key} meet"] = meet
        show(f"{group}: means over {len(found)} tables; worst case, longest time", means)
    print(f"\n{time.process_time():.0f} CPU s")
    report.write(options, values)


if __name__ == "__main__":
    main()
