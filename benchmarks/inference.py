"""How far the probabilities and intervals can be trusted, by method and scaling; and pyabcranger.

Tables of small networks and few features, where the models overlap: on 1000 nodes nothing errs.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np

import netchoice
from netchoice.inference import held_out, model_probabilities, posterior
from netchoice.inference.probabilities import METHODS
from netchoice.inference.scaling import SCALINGS

FEWEST_DRAWN = 20  # probabilities in a class that is shown
SEED = 2  # the methods' constants were chosen on tables of another
TABLES = {
    "ba, 100 nodes": ("ba", 100, ["degree_max", "eigenvector_max", "square_clustering_std"]),
    "duplication, 100 nodes": (
        "duplication",
        100,
        ["transitivity", "estrada_index", "degree_mean", "n_triangles", "square_clustering_std"],
    ),
    "duplication, 200 nodes": (
        "duplication",
        200,
        ["estrada_index", "degree_max", "lcc_mean_distance", "degree_entropy"],
    ),
    "mechanisms, 200 nodes": (
        "mechanisms",
        200,
        ["transitivity", "estrada_index", "degree_max", "lcc_mean_distance", "degree_entropy"],
    ),
    "mechanisms, 12 features": (
        "mechanisms",
        200,
        [
            *("transitivity", "estrada_index", "degree_max", "lcc_mean_distance", "degree_entropy"),
            *("n_components", "clustering_mean", "betweenness_max", "square_clustering_std"),
            *("core_3_size", "eigenvector_max", "n_pairs_distance_4"),
        ],
    ),
}
PARAMETER_FEATURES = [
    "transitivity",
    "clustering_mean",
    "degree_mean",
    "degree_std",
    "estrada_index",
    "n_components",
    "square_clustering_mean",
]


def line(cells) -> None:
    """One row of a table."""
    first, *rest = (f"{c:.4f}" if isinstance(c, float) else str(c) for c in cells)
    print(f"{first:38}" + "".join(f"{c:>13}" for c in rest), flush=True)


def table_of(name: str, n_samples: int):
    """A simulated table; the same for everybody."""
    space, n_nodes, features = TABLES[name]
    return netchoice.simulate_table(
        space, n_nodes=n_nodes, n_samples=n_samples, seed=SEED, features=features
    )


def judge(table, limit: int, **how):
    """Held-out simulations, and CPU seconds."""
    start = time.process_time()
    found = held_out(table.X, table.y, limit=limit, n_jobs=1, **how)
    return found, time.process_time() - start


def calibration(tables, limit: int) -> None:
    """Every method with every scaling, and neighbours by their number."""
    for name, table in tables.items():
        print(f"\n{name}: {len(table)} simulations, 5 folds, {limit} judged")
        line(["method, scaling", "accuracy", "log score", "Brier", "calibration", "CPU s"])
        ways = [
            (f"{method}, {scaling}", {"method": method, "scaling": scaling})
            for method in METHODS
            for scaling in SCALINGS
        ]
        ways += [
            (f"neighbours, rank, k = {k}", {"method": "neighbours", "n_neighbors": k})
            for k in (10, 20, 50, 100, 200)
        ]
        for words, how in ways:
            found, seconds = judge(table, limit, **how)
            scores = [found.accuracy, found.log_score, found.brier, found.calibration_error]
            line([words, *scores, f"{seconds:.1f}"])


def scores_of(chances, truth, floor: float) -> list[float]:
    """Accuracy, log score with a floor below the probabilities, Brier."""
    rows = np.arange(len(truth))
    accuracy = (chances.argmax(axis=1) == truth).mean()
    log_score = -np.log(chances[rows, truth].clip(min=floor)).mean()
    brier = ((chances - np.eye(chances.shape[1])[truth]) ** 2).sum(axis=1).mean()
    return [float(accuracy), float(log_score), float(brier)]


def peer(tables, n_asked: int) -> None:
    """Against pyabcranger: the same simulations to learn from, the same to tell, 500 trees."""
    try:
        import pyabcranger
    except ImportError:
        print("\npyabcranger is not installed: not compared")
        return
    print(f"\nAgainst pyabcranger, 500 trees, one thread, {n_asked} networks told")
    print("(its probabilities may be 0: raised to 0.0001 in its log score)")
    line(["table, which", "accuracy", "log score", "Brier", "CPU s"])
    for name, table in tables.items():
        models, codes = np.unique(table.y, return_inverse=True)
        X = table.X.to_numpy(dtype=float)
        train, asked = slice(None, len(X) - n_asked), slice(len(X) - n_asked, None)
        for method in ("forest", "regression"):
            start = time.process_time()
            classifier = METHODS[method](n_jobs=1).fit(X[train], codes[train])
            probabilities = classifier.predict_proba(X[test])
            seconds = time.process_time() - start
            scores = scores_of(probabilities, codes[test], 0)
            line([f"{name}, {method}", *scores, f"{seconds:.1f}"])
        # It reads the arrays where they are: they must live as long as its table.
        order = np.argsort(codes[train], kind="stable")
        statistics = np.asfortranarray(X[train][order])
        parameters = np.zeros((len(order), 1), order="F")
        labels = (codes[train][order] + 1.0).tolist()
        counts = np.bincount(codes[train]).tolist()
        ones = [1] * len(models)
        reference = pyabcranger.reftable(
            len(order),
            counts,
            ones,
            ["none"],
            list(table.X.columns),
            statistics,
            parameters,
            labels,
        )
        start = time.process_time()
        found = pyabcranger.modelchoice_multi(
            reference, np.asfortranarray(X[asked]), "--ntree 500 --threads 1 --seed 1", True
        )
        seconds = time.process_time() - start
        chances = np.asarray(found.post_proba_all)
        told = scores_of(chances, codes[asked], 1e-4)
        told[0] = float((np.asarray(found.predicted_model) == codes[asked]).mean())
        line([f"{name}, pyabcranger", *told, f"{seconds:.1f}"])


def outside(tables) -> None:
    """What is told of networks that no model made."""
    import networkx

    print("\nduplication, 100 nodes: probability of dmr and its bounds, for foreign networks")
    table = tables["duplication, 100 nodes"]
    foreign = {
        "square grid": networkx.grid_2d_graph(10, 10),
        "random tree": networkx.random_labeled_tree(100, seed=1),
        "complete graph": networkx.complete_graph(100),
        "small world": networkx.watts_strogatz_graph(100, 6, 0.05, seed=1),
    }
    for name, graph in foreign.items():
        network = netchoice.Graph.from_networkx(graph)
        values = netchoice.compute_features(network, list(table.X.columns)).values
        for method in METHODS:
            told = model_probabilities(table.X, table.y, values, method=method)
            low, high = told.intervals["dmr"]
            line([f"{name}, {method}", told.probabilities["dmr"], low, high])


def coverage(n_samples: int, n_asked: int) -> None:
    """How often the intervals of parameters hold the truth."""
    print(f"\nIntervals of parameters, duplication, 200 nodes, {n_asked} networks of each model")
    line(["model, parameter", "90 %", "95 %", "width, 95 %", "error", "leaning"])
    table = netchoice.simulate_table(
        "duplication", n_nodes=200, n_samples=n_samples, seed=SEED, features=PARAMETER_FEATURES
    )
    for model in ("dmc", "dmr"):
        rows = (table.y == model).to_numpy()
        X = table.X[rows].reset_index(drop=True)
        drawn = table.parameters[rows].dropna(axis=1).reset_index(drop=True)
        bounds = dict.fromkeys(drawn.columns, (0.25, 0.75))
        for name in drawn:
            held = {0.9: 0, 0.95: 0}
            width, error, leaning = 0.0, 0.0, 0
            for i in range(n_asked):
                for level in held:
                    found = posterior(
                        X[n_asked:],
                        drawn[[name]][n_asked:],
                        X.iloc[i],
                        bounds={name: bounds[name]},
                        coverage=level,
                    )
                    low, high = found.intervals[name]
                    held[level] += low <= drawn[name][i] <= high
                width += (high - low) / n_asked
                error += abs(found.median[name] - drawn[name][i]) / n_asked
                leaning += bool(found.at_boundary)
            shares = [float(hits / n_asked) for hits in held.values()]
            line([f"{model}, {name}", *shares, float(width), float(error), leaning / n_asked])


def picture(tables, limit: int, path: Path) -> None:
    """Reliability diagrams: one panel for each table, one line for each method."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, len(tables), figsize=(3.1 * len(tables), 3.6), sharey=True)
    colours = dict(zip(METHODS, ("#4477aa", "#228833", "#cc6677"), strict=True))
    marks = dict(zip(METHODS, "os^", strict=True))
    for axis, (name, table) in zip(axes, tables.items(), strict=True):
        axis.plot([0, 1], [0, 1], color="0.7", lw=1, zorder=0)
        for shift, method in enumerate(METHODS):
            judged, _ = judge(table, limit, method=method)
            rows = judged.reliability[judged.reliability["n"] >= FEWEST_DRAWN]
            spread = 2 * np.sqrt(rows["predicted"] * (1 - rows["predicted"]) / rows["n"])
            axis.errorbar(
                rows["predicted"] + 0.012 * (shift - 1),
                rows["observed"],
                spread,
                color=colours[method],
                marker=marks[method],
                ms=4,
                lw=1,
                elinewidth=0.8,
                label=f"{method} ({judged.log_score:.3f})",
            )
        axis.set(title=name, xlabel="told probability", xlim=(-0.03, 1.03), ylim=(-0.03, 1.03))
        axis.title.set_size(10)
        axis.legend(
            fontsize=7, frameon=False, title="log score", title_fontsize=7, loc="lower right"
        )
        axis.spines[["top", "right"]].set_visible(False)
    axes[0].set_ylabel("share that was so")
    figure.tight_layout()
    figure.savefig(path, dpi=130)


def main() -> None:
    """All of it, or the parts named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=6000, help="simulations of each table")
    parser.add_argument("--judged", type=int, default=1000, help="of them, in the calibration")
    parser.add_argument("--asked", type=int, default=500, help="of them, told by both forests")
    parser.add_argument("--parts", default="calibration,outside,peer,coverage")
    parser.add_argument(
        "--picture", nargs="?", const="docs/reliability.png", help="and nothing else"
    )
    options = parser.parse_args()
    tables = {name: table_of(name, options.samples) for name in TABLES}
    parts = options.parts.split(",")
    if options.picture:
        picture(tables, 3 * options.judged, Path(options.picture))
        return
    if "calibration" in parts:
        calibration(tables, options.judged)
    if "outside" in parts:
        outside(tables)
    if "peer" in parts:
        peer(tables, options.asked)
    if "coverage" in parts:
        coverage(options.samples, 400)


if __name__ == "__main__":
    main()
