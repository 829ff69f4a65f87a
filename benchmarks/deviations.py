"""The effect of each deviation between the paper's text, its code and netchoice; see docs/paper.md.

Rankings are made on the training tables of `ba` and `duplication` (1000 nodes) and evaluated on the test
tables, with the costs that the paper prints, in seconds, and its 26 penalties, unless stated otherwise.
The results for every deviation are the number of common features among the first five and ten, Kendall's
tau over all features (mean over penalties, minimum in brackets), and the change of the accuracy of 10
nearest neighbours over penalties and 1, 2, 3, 5, 10 and 15 features (mean, largest).

The yeast part needs the three networks (NETCHOICE_DATA, see docs/yeast.md) and is left out without them.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
from peers_of_selection import first_rows, load_or_simulate
from ranking_changes import Bench, Paths
from scipy.spatial.distance import cdist

import netchoice
from netchoice.costs import CostModel
from netchoice.evaluation import PAPER_PENALTIES, penalty_grid
from netchoice.forests import grow_forest
from netchoice.information.estimators import Published, expected_mutual_information
from netchoice.selection import get_selector
from netchoice.selection.relief import relieff_weights

NEIGHBOURS = 10
EIGENVECTOR = ("eigenvector_mean", "eigenvector_max")
YEAST = {"uetz2000": (437, 789), "ito2001": (813, 790), "yu2008": (1278, 1233)}
FIVE = ("transitivity", "core_3_size", "clustering_mean", "lcc_local_efficiency", "core_4_size")


def units(b: Bench) -> None:
    """Measure deviation 1: the penalty multiplies seconds, or shares of the total cost."""
    total = b.paper.cost_of_set(b.names)
    for method, learnt in learnt_by(b, ("jmi", "relieff", "penalized-mdi")):
        raw, share = (b.path(method, learnt, cost_scale=scale) for scale in ("raw", "share"))
        value = f"total {total:.2f} s; drop at λ = {drop(b, raw)} in seconds, {drop(b, share)} in shares"
        b.note(1, "λ in shares", method, value, raw, share)


def drop(b: Bench, path: Paths, k: int = 5) -> str:
    """Return the first penalty where the accuracy of five features is 1% below the best."""
    accuracies = {penalty: b.accuracy(names[:k]) for penalty, names in path.items()}
    best = max(accuracies.values())
    lower = [penalty for penalty, value in accuracies.items() if value < best - 0.01]
    return f"{lower[0]:g}" if lower else "none"


def learnt_by(b: Bench, methods):
    """Yield each method with what it learns from the training table."""
    for method in methods:
        if method in ("mrmr", "jmi", "jmim"):
            yield method, b.information()
        elif method == "relieff":
            yield method, relieff_weights(b.X, b.y)
        else:
            yield method, b.forest()


def sums(b: Bench) -> None:
    """Measure deviation 2: the sum of the redundancies instead of their mean."""
    for method in ("mrmr", "jmi"):
        mean = b.path(method, b.information())
        total = b.path(method, b.information(), redundancy="sum")
        first = [rank_of_noise(path[0.0]) for path in (mean, total)]
        value = f"first noise at λ = 0: rank {first[0]} with the mean, {first[1]} with the sum"
        b.note(2, "sum of redundancies", method, value, mean, total)


def rank_of_noise(names: list[str]) -> int:
    """Return the rank of the first noise feature."""
    return next(i for i, name in enumerate(names, 1) if name.startswith("noise"))


def estimates(b: Bench) -> None:
    """Measure deviation 3: the estimator of mutual information, and the seed of its noise."""
    ours, published = b.information(), b.information("published")
    for method in ("mrmr", "jmi", "jmim"):
        far = np.abs(ours.relevance - published.relevance)
        value = f"relevance differs by up to {far.max():.2f} nats ({b.names[far.argmax()]})"
        paths = (b.path(method, learnt) for learnt in (ours, published))
        b.note(3, "published estimate", method, value, *paths)
    for estimator, n_seeds in (("published", 5), ("calibrated", 3)):
        runs = [b.information(estimator, seed) for seed in range(n_seeds)]
        ranges = {
            kind: np.ptp([getattr(run, kind) for run in runs], axis=0).max()
            for kind in ("relevance", "redundancy", "conditional_redundancy")
        }
        value = "changes by up to " + ", ".join(f"{v:.3f} ({k})" for k, v in ranges.items())
        first, *others = (b.path("jmi", run) for run in runs)
        furthest = min(others, key=lambda path: len(common(first, path)))
        b.note(3, f"{n_seeds} seeds, {estimator}, furthest", "jmi", value, first, furthest)
    base, coded = b.path("jmi", published), b.path("jmi", b.information("published", 1, 123))
    b.note(3, "seeds 1 and 123 instead of 0, published", "jmi", "", base, coded)
    nats = in_nats(b, published)
    change = np.abs(nats.redundancy - published.redundancy).max()
    value = f"discrete pairs in nats, others as they are; redundancy changes by up to {change:.2f}"
    b.note(3, "adjusted units against nats, published", "jmi", value, base, b.path("jmi", nats))


def common(one: Paths, other: Paths) -> list[str]:
    """Return the features among the first five of both, over all penalties."""
    return [name for penalty in one for name in one[penalty][:5] if name in other[penalty][:5]]


def in_nats(b: Bench, published):
    """Return the published estimates, with those of discrete pairs converted to nats."""
    estimator, X, y = Published(0, 3), b.X.to_numpy(), b.y.to_numpy()
    estimates = {name: np.array(value) for name, value in vars(published).items()}
    estimates["conditional_redundancy"][np.ix_(b.discrete, b.discrete)] = 0.0
    columns = np.flatnonzero(b.discrete)
    labels = estimator.prepare_labels(np.unique(y, return_inverse=True)[1])
    everywhere = {j: estimator.prepare(X[:, j], True) for j in columns}
    for j in columns:
        estimates["relevance"][j] = _nats(estimator, everywhere[j], labels)
    for rows, share, kind in [(np.arange(len(y)), 1.0, "redundancy")] + [
        (np.flatnonzero(y == c), np.mean(y == c), "conditional_redundancy") for c in np.unique(y)
    ]:
        within = {j: estimator.prepare(np.ascontiguousarray(X[rows, j]), True) for j in columns}
        for j in columns:
            for k in columns[columns > j]:
                value = share * _nats(estimator, within[j], within[k])
                added = value if kind == "redundancy" else estimates[kind][j, k] + value
                estimates[kind][j, k] = estimates[kind][k, j] = added
    return SimpleNamespace(**estimates)


def _nats(estimator: Published, one, other) -> float:
    if one is None or other is None:
        return 0.0
    unit = 0.5 * (one.entropy + other.entropy) - expected_mutual_information(one, other)
    return estimator.estimate(one, other) * unit


@netchoice.feature()
def degree_sequence_entropy(degrees):
    """Entropy of the degrees divided by their sum, as in the paper's code."""
    shares = degrees[degrees > 0] / max(1, degrees.sum())
    return float(-(shares * np.log(shares)).sum())


def entropy(b: Bench) -> None:
    """Measure deviation 4: entropy of the degree sequence instead of the degree distribution."""
    columns = {}
    for stream, table in (("train", b.train), ("test", b.test)):
        grown = netchoice.simulate_table(
            b.family, n_nodes=1000, n_samples=len(table), seed=1, stream=stream, engine="serial",
            features=["degree_entropy", degree_sequence_entropy],
        )  # fmt: skip
        same = np.allclose(grown.X["degree_entropy"], table.X["degree_entropy"])
        assert same, "the networks differ from those of the table"
        columns[stream] = grown.X["degree_sequence_entropy"]
    b.changed["sequence"] = b.X.assign(degree_entropy=columns["train"])
    scores = b.scores_on(b.test.X.assign(degree_entropy=columns["test"]))
    at = b.names.index("degree_entropy")
    ours, theirs = b.information(), b.information(X="sequence")
    alone = b.accuracy(["degree_entropy"]), b.accuracy(["degree_entropy"], scores)
    for method, one, two in (
        ("jmi", ours, theirs),
        ("relieff", relieff_weights(b.X, b.y), relieff_weights(b.changed["sequence"], b.y)),
    ):
        paths = b.path(method, one), b.path(method, two)
        places = [1 + path[0.0].index("degree_entropy") for path in paths]
        value = (
            f"relevance {ours.relevance[at]:.2f} and {theirs.relevance[at]:.2f} nats; accuracy alone "
            f"{alone[0]:.1%} and {alone[1]:.1%}; rank at λ = 0: {places[0]} and {places[1]}"
        )
        b.note(4, "entropy of the degree sequence", method, value, *paths, scores=scores)


def doubled(b: Bench) -> None:
    """Measure deviation 5: the size of the edge dominating set counted twice."""
    name = "edge_dominating_set_size"
    b.changed["twice"] = b.X.assign(**{name: 2 * b.X[name]})
    scores = b.scores_on(b.test.X.assign(**{name: 2 * b.test.X[name]}))
    for method, ours, theirs in (
        ("jmi", b.information(), b.information(X="twice")),
        ("jmi, published", b.information("published"), b.information("published", X="twice")),
        ("relieff", relieff_weights(b.X, b.y), relieff_weights(b.changed["twice"], b.y)),
        ("penalized-mdi", b.forest(), b.forest(X="twice")),
    ):
        paths = (b.path(method.split(",")[0], learnt) for learnt in (ours, theirs))
        b.note(5, "edge dominating set twice", method, "", *paths, scores=scores)


def eigenvector(b: Bench) -> None:
    """Measure deviation 6: eigenvector features with the cost of the eigendecomposition."""
    measured = b.train.costs
    shares = measured.alone(b.names, "share")
    total = b.paper.cost_of_set(b.names)
    charged = {**b.paper.own, **{name: shares[name] * total for name in EIGENVECTOR}}
    for method, learnt in learnt_by(b, ("jmi", "mrmr", "relieff")):
        printed = b.path(method, learnt)
        charged_path = b.path(method, learnt, costs=CostModel(charged))
        at = [PAPER_PENALTIES.index(penalty) for penalty in (0.0, 1.0, 12.8, 204.8)]
        places = [
            "/".join(str(min(1 + list(path.values())[i].index(n) for n in EIGENVECTOR)) for i in at)
            for path in (printed, charged_path)
        ]
        value = (
            f"0.05 ms or {1000 * charged['eigenvector_mean']:.0f} ms; better rank of the two at "
            f"λ = 0/1/12.8/204.8: {places[0]} as printed, {places[1]} charged"
        )
        b.note(6, "eigendecomposition charged", method, value, printed, charged_path)


def relief(b: Bench) -> None:
    """Measure deviation 7: ReliefF's sign of misses, discrete columns, and rows among their hits."""
    ours = b.path("relieff", relieff_weights(b.X, b.y))
    X = (b.X - b.X.min()) / (b.X.max() - b.X.min())
    hits, misses, _ = near(X.to_numpy(), b.y.to_numpy(), X.to_numpy(), "cityblock")
    slow = b.path("relieff", misses - hits)
    b.note(7, "none: the reference implementation", "relieff", "", ours, slow)
    printed = b.path("relieff", -(hits + misses))
    value = f"first three at λ = 0: {', '.join(printed[0.0][:3])}"
    b.note(7, "sign of misses as printed", "relieff", value, ours, printed)
    nominal = b.path("relieff", relieff_weights(b.X, b.y, nominal=b.discrete))
    value = f"first at λ = 0: {ours[0.0][0]}; with 0/1: {nominal[0.0][0]}"
    b.note(7, "0/1 distance for discrete columns", "relieff", value, ours, nominal)
    leaf = min(100, len(X) // 10)
    leaves = grow_forest(b.X.to_numpy(), b.y.to_numpy(), min_leaf=leaf, seed=0).leaves
    hits, misses, own = near(X.to_numpy(), b.y.to_numpy(), leaves, "hamming")
    forest = b.path("forest-relieff", misses - hits)
    among = b.path("forest-relieff", misses - own)
    change = np.abs(own - hits).max()
    value = f"weights change by up to {change:.4f} of {np.abs(misses - hits).max():.2f}"
    b.note(7, "one row in eight is its own hit", "forest-relieff", value, forest, among)


def near(X, y, places, metric: str):
    """Return mean differences to hits, to misses, and to hits with one row in eight its own hit."""
    hits, misses, own = (np.zeros(X.shape[1]) for _ in range(3))
    classes, counts = np.unique(y, return_counts=True)
    rows_of = {c: np.flatnonzero(y == c) for c in classes}
    share = dict(zip(classes, counts / len(y), strict=True))
    for first in range(0, len(X), 500):
        block = np.arange(first, min(first + 500, len(X)))
        distances = cdist(places[block], places, metric)
        for i, row in zip(block, distances, strict=True):
            row[i] = np.inf
            for c in classes:
                order = rows_of[c][np.argsort(row[rows_of[c]], kind="stable")[:NEIGHBOURS]]
                differences = np.abs(X[order] - X[i])
                if c != y[i]:
                    misses += share[c] / (1 - share[y[i]]) * differences.mean(axis=0)
                    continue
                hits += differences.mean(axis=0)
                own += (
                    differences[:-1].sum(axis=0) / NEIGHBOURS
                    if i % 8 == 0
                    else differences.mean(axis=0)
                )
    return hits / len(X), misses / len(X), own / len(X)


def scaling(b: Bench) -> None:
    """Measure deviation 8: importances scaled to [0, 1], and then to sum 1."""
    for kind in ("mdi", "mda"):
        values = getattr(b.forest(), kind)
        total = ((values - values.min()) / np.ptp(values)).sum()
        ours = b.path(f"penalized-{kind}", b.forest())
        theirs = b.path(f"penalized-{kind}", b.forest(), costs=b.paper.times(total))
        drops = f"drop at λ = {drop(b, ours)}, in the paper's code {drop(b, theirs)}"
        value = f"a penalty of 1 in the paper's code equals {total:.1f} here; {drops}"
        b.note(8, "importances to sum 1", f"penalized-{kind}", value, ours, theirs)


def weighted(b: Bench) -> None:
    """Measure deviation 9: weighted forests at penalties that the paper's code skips."""
    lines = []
    for penalty in (0.0, 12.8, 51.2, 102.4, 204.8):
        selector = get_selector("weighted-mdi", costs=b.paper, penalty=penalty)
        start = time.process_time()
        order = list(selector.fit(b.X, b.y).ranking_names_)
        seconds = time.process_time() - start
        noise = sum(name.startswith("noise") for name in order[:5])
        accuracy = b.accuracy(order[:1]), b.accuracy(order[:5])
        lines.append(
            f"λ = {penalty:g}: {seconds:.1f} s, {noise} noise in five, "
            f"k = 1: {accuracy[0]:.1%}, k = 5: {accuracy[1]:.1%}"
        )
    b.note(9, "weighted forest above λ = 100", "weighted-mdi", "; ".join(lines))


def charges(b: Bench) -> None:
    """Measure deviation 12: shared steps charged to every feature, or once."""
    costs = b.train.costs
    penalties = penalty_grid(costs, b.names)
    ratio = costs.cost_of_set(b.names) / costs.cost_of_set(b.names, "shared")
    for method, learnt in learnt_by(b, ("jmi", "relieff")):
        options = {"costs": costs, "cost_scale": "share", "penalties": penalties}
        alone, shared = (b.path(method, learnt, charge=c, **options) for c in ("alone", "shared"))
        ratios = [
            costs.cost_of_set(names[:10]) / costs.cost_of_set(names[:10], "shared")
            for names in alone.values()
        ]
        value = (
            f"alone over shared: all {ratio:.2f}, first ten {min(ratios):.2f} to {max(ratios):.2f}"
        )
        b.note(12, "shared steps charged once; measured costs", method, value, alone, shared)


PARTS = (units, sums, estimates, entropy, doubled, eigenvector, relief, scaling, weighted, charges)


def measured(task: tuple) -> list[dict]:
    """Measure all deviations on one pair of tables."""
    warnings.simplefilter("ignore")
    b = Bench(*task)
    for part in PARTS:
        start = time.process_time()
        part(b)
        print(f"{b.family}: {part.__name__} {time.process_time() - start:.0f} s", file=sys.stderr)
    return b.records


def yeast(samples: int) -> list[dict]:
    """Measure deviation 10: node counts of the paper or of the data; isolated nodes kept or dropped."""
    from netchoice.evaluation.scorers import ClassNeighbours
    from netchoice.targets import as_target

    records = []
    for name, sizes in YEAST.items():
        graph, _ = netchoice.read_network(Path(os.environ["NETCHOICE_DATA"]) / f"{name}.txt")
        values = netchoice.compute_features(graph, FIVE).values
        observed = np.array([[values[feature] for feature in FIVE]])
        for nodes, whose in zip(sizes, ("the paper's", "the data's"), strict=True):
            for isolated in ("keep", "drop"):
                table = netchoice.simulate_table(
                    "duplication", n_nodes=nodes, n_samples=samples, seed=1, features=FIVE,
                    isolated=isolated,
                )  # fmt: skip
                X = np.vstack([table.X[list(FIVE)].to_numpy(dtype=float), observed])
                labels = np.append(table.y.to_numpy(dtype=str), table.y.iloc[0])
                target = as_target(labels, "classes")
                codes = target.codes
                known = np.arange(len(table))
                votes = {
                    k: ClassNeighbours(X, target, known, [len(table)], k).votes(range(5))[-1, 0, 1]
                    for k in (10, 100)
                }
                away = cdist(observed / X[known].std(axis=0), X[known] / X[known].std(axis=0))[0]
                nearest = [away[codes[known] == c].min() for c in (1, 0)]
                value = f"{votes[10]} of 10 for dmr, {votes[100]} of 100; " + (
                    "nearest dmr at {:.2f}, dmc at {:.2f} standard deviations".format(*nearest)
                )
                what = f"{nodes} nodes ({whose}), isolated {isolated}"
                records.append({"number": 10, "deviation": what, "table": name, "value": value})
    return records


def as_markdown(records: list[dict]) -> str:
    """Return a table with one line per result."""
    frame = pd.DataFrame(records).sort_values(["number"], kind="stable").fillna("")
    for column in ("mean_change", "largest_change"):
        frame[column] = [v if v == "" else f"{100 * v:+.1f}" for v in frame[column]]
    lines = ["| " + " | ".join(frame.columns) + " |", "|---" * len(frame.columns) + "|"]
    lines += ["| " + " | ".join(map(str, row)) + " |" for row in frame.itertuples(index=False)]
    return "\n".join(lines)


def main() -> int:
    """Measure all deviations, print the table, and write it if a folder is given."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", help="folder for simulated tables")
    parser.add_argument("--rows", type=int, help="rows of each table; the default is 5000")
    parser.add_argument("--samples", type=int, default=2000, help="simulations per yeast network")
    parser.add_argument("--out", type=Path, help="folder for deviations.md and deviations.json")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    tasks = [
        (
            f,
            *(
                first_rows(load_or_simulate(f, 1000, s, arguments), arguments.rows)
                for s in ("train", "test")
            ),
        )
        for f in ("ba", "duplication")
    ]
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        records = [record for part in pool.map(measured, tasks) for record in part]
    if os.environ.get("NETCHOICE_DATA"):
        records += yeast(min(arguments.samples, arguments.rows or arguments.samples))
    text = as_markdown(records)
    print(text)
    if arguments.out:
        arguments.out.mkdir(parents=True, exist_ok=True)
        (arguments.out / "deviations.md").write_text(text + "\n")
        (arguments.out / "deviations.json").write_text(json.dumps(records, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
