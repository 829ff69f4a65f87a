"""Measure the scores of probabilities and the quality of posteriors; compare with pyabcranger.

The tables have small networks and few features, so that the models overlap. With 1000 nodes there are
no errors.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np

import netchoice
from netchoice.inference import held_out, model_probabilities, posterior, posterior_quality
from netchoice.inference.probabilities import METHODS
from netchoice.inference.scaling import SCALINGS

#: The ensemble, which is fitted several times for each fold, is measured by ensemble.py.
SINGLE = [method for method in METHODS if method != "ensemble"]
MIN_IN_BIN = 20  # probabilities in a bin that is drawn
SEED = 2  # the constants of the methods were chosen on tables with another seed
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
    """Print one row of a table."""
    first, *rest = (f"{c:.4f}" if isinstance(c, float) else str(c) for c in cells)
    print(f"{first:38}" + "".join(f"{c:>13}" for c in rest), flush=True)


def table_of(name: str, n_samples: int):
    """Return a simulated table."""
    space, n_nodes, features = TABLES[name]
    return netchoice.simulate_table(
        space, n_nodes=n_nodes, n_samples=n_samples, seed=SEED, features=features
    )


def cross_validate(table, limit: int, **settings):
    """Return the result of held_out and its CPU seconds."""
    start = time.process_time()
    result = held_out(table.X, table.y, limit=limit, n_jobs=1, **settings)
    return result, time.process_time() - start


def calibration(tables, limit: int) -> None:
    """Print the scores of every method with every scaling, and of neighbours by their number."""
    for name, table in tables.items():
        print(f"\n{name}: {len(table)} simulations, 5 folds, {limit} held out")
        line(["method, scaling", "accuracy", "log score", "Brier", "calibration", "CPU s"])
        cases = {
            f"{method}, {scaling}": {"method": method, "scaling": scaling}
            for method in SINGLE
            for scaling in SCALINGS
        }
        cases |= {
            f"neighbours, rank, k = {k}": {"method": "neighbours", "n_neighbors": k}
            for k in (10, 20, 50, 100, 200)
        }
        for title, settings in cases.items():
            result, seconds = cross_validate(table, limit, **settings)
            scores = [result.accuracy, result.log_score, result.brier, result.calibration_error]
            line([title, *scores, f"{seconds:.1f}"])


def scores_of(probabilities, truth, floor: float) -> list[float]:
    """Return accuracy, log score of probabilities raised to a floor, and Brier score."""
    rows = np.arange(len(truth))
    accuracy = (probabilities.argmax(axis=1) == truth).mean()
    log_score = -np.log(probabilities[rows, truth].clip(min=floor)).mean()
    brier = ((probabilities - np.eye(probabilities.shape[1])[truth]) ** 2).sum(axis=1).mean()
    return [float(accuracy), float(log_score), float(brier)]


def peer(tables, n_test: int) -> None:
    """Compare with pyabcranger: same training simulations, same test simulations, 500 trees."""
    try:
        import pyabcranger
    except ImportError:
        print("\npyabcranger is not installed: not compared")
        return
    print(f"\nComparison with pyabcranger, 500 trees, one thread, {n_test} test networks")
    print("(its probabilities can be 0: raised to 0.0001 in its log score)")
    line(["table, method", "accuracy", "log score", "Brier", "CPU s"])
    for name, table in tables.items():
        models, codes = np.unique(table.y, return_inverse=True)
        X = table.X.to_numpy(dtype=float)
        train, test = slice(None, len(X) - n_test), slice(len(X) - n_test, None)
        for method in ("forest", "regression"):
            start = time.process_time()
            classifier = METHODS[method](n_jobs=1).fit(X[train], codes[train])
            probabilities = classifier.predict_proba(X[test])
            seconds = time.process_time() - start
            scores = scores_of(probabilities, codes[test], 0)
            line([f"{name}, {method}", *scores, f"{seconds:.1f}"])
        # pyabcranger does not copy the arrays: they must live as long as its table.
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
        result = pyabcranger.modelchoice_multi(
            reference, np.asfortranarray(X[test]), "--ntree 500 --threads 1 --seed 1", True
        )
        seconds = time.process_time() - start
        scores = scores_of(np.asarray(result.post_proba_all), codes[test], 1e-4)
        scores[0] = float((np.asarray(result.predicted_model) == codes[test]).mean())
        line([f"{name}, pyabcranger", *scores, f"{seconds:.1f}"])


def outside(tables) -> None:
    """Print predictions for networks that neither model made."""
    import networkx

    print("\nduplication, 100 nodes: probability of dmr and its interval, for other networks")
    table = tables["duplication, 100 nodes"]
    graphs = {
        "square grid": networkx.grid_2d_graph(10, 10),
        "random tree": networkx.random_labeled_tree(100, seed=1),
        "complete graph": networkx.complete_graph(100),
        "small world": networkx.watts_strogatz_graph(100, 6, 0.05, seed=1),
    }
    for name, graph in graphs.items():
        network = netchoice.Graph.from_networkx(graph)
        values = netchoice.compute_features(network, list(table.X.columns)).values
        for method in SINGLE:
            result = model_probabilities(table.X, table.y, values, method=method)
            line([f"{name}, {method}", result.probabilities["dmr"], *result.intervals["dmr"]])


def coverage(n_samples: int, n_test: int) -> None:
    """Print how often the credible intervals contain the true parameters."""
    print(f"\nIntervals of parameters, duplication, 200 nodes, {n_test} networks of each model")
    line(["model, parameter", "90 %", "95 %", "width, 95 %", "error", "at boundary"])
    table = netchoice.simulate_table(
        "duplication", n_nodes=200, n_samples=n_samples, seed=SEED, features=PARAMETER_FEATURES
    )
    for model in ("dmc", "dmr"):
        rows = (table.y == model).to_numpy()
        X = table.X[rows].reset_index(drop=True)
        drawn = table.parameters[rows].dropna(axis=1).reset_index(drop=True)
        bounds = dict.fromkeys(drawn.columns, (0.25, 0.75))
        results = {
            nominal: [
                posterior(X[n_test:], drawn[n_test:], X.iloc[i], bounds=bounds, coverage=nominal)
                for i in range(n_test)
            ]
            for nominal in (0.9, 0.95)
        }
        for name in drawn:
            truth = drawn[name][:n_test]
            ends = {
                nominal: [one.intervals[name] for one in results[nominal]] for nominal in results
            }
            shares = [
                float(
                    np.mean([low <= x <= high for (low, high), x in zip(found, truth, strict=True)])
                )
                for found in ends.values()
            ]
            width = float(np.mean([high - low for low, high in ends[0.95]]))
            errors = [
                abs(one.median[name] - x) for one, x in zip(results[0.95], truth, strict=True)
            ]
            at_boundary = float(np.mean([name in one.at_boundary for one in results[0.95]]))
            line([f"{model}, {name}", *shares, width, float(np.mean(errors)), at_boundary])


def quality() -> None:
    """Print the quality of posteriors with all features, as ``netchoice choose`` measures it."""
    print("\nQuality of posteriors, duplication, 300 nodes, 3000 simulations, all features")
    columns = ["error", "prior", "shrinkage", "95 %", "p, ranks", "CPU s, 200"]
    line(["model, parameter", *columns])
    table = netchoice.simulate_table("duplication", n_nodes=300, n_samples=3000, seed=SEED)
    for model in ("dmc", "dmr"):
        rows = (table.y == model).to_numpy()
        X = table.X[rows].dropna(axis=1)
        drawn = table.parameters[rows].dropna(axis=1)
        bounds = dict.fromkeys(drawn.columns, (0.25, 0.75))
        started = time.process_time()
        posterior_quality(X, drawn, bounds=bounds)
        seconds = time.process_time() - started
        found = posterior_quality(X, drawn, bounds=bounds, n_held_out=len(X))
        for name, one in found.parameters.items():
            numbers = [one.rmse, one.prior_sd, one.shrinkage, one.interval_coverage]
            line([f"{model}, {name}", *numbers, one.rank_p_value, seconds])


def picture(tables, limit: int, path: Path) -> None:
    """Draw reliability diagrams: one panel for each table, one line for each method."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, len(tables), figsize=(3.1 * len(tables), 3.6), sharey=True)
    colours = dict(zip(SINGLE, ("#4477aa", "#228833", "#cc6677"), strict=True))
    markers = dict(zip(SINGLE, "os^", strict=True))
    for axis, (name, table) in zip(axes, tables.items(), strict=True):
        axis.plot([0, 1], [0, 1], color="0.7", lw=1, zorder=0)
        for shift, method in enumerate(SINGLE):
            result, _ = cross_validate(table, limit, method=method)
            rows = result.reliability[result.reliability["n"] >= MIN_IN_BIN]
            spread = 2 * np.sqrt(rows["predicted"] * (1 - rows["predicted"]) / rows["n"])
            axis.errorbar(
                rows["predicted"] + 0.012 * (shift - 1),
                rows["observed"],
                spread,
                color=colours[method],
                marker=markers[method],
                ms=4,
                lw=1,
                elinewidth=0.8,
                label=f"{method} ({result.log_score:.3f})",
            )
        axis.set(title=name, xlabel="predicted probability", xlim=(-0.03, 1.03), ylim=(-0.03, 1.03))
        axis.title.set_size(10)
        axis.legend(
            fontsize=7, frameon=False, title="log score", title_fontsize=7, loc="lower right"
        )
        axis.spines[["top", "right"]].set_visible(False)
    axes[0].set_ylabel("observed frequency")
    figure.tight_layout()
    figure.savefig(path, dpi=130)


def main() -> None:
    """Run all parts, or those named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=6000, help="simulations of each table")
    parser.add_argument("--held-out", type=int, default=1000, help="of them, for the scores")
    parser.add_argument("--test", type=int, default=500, help="of them, for pyabcranger")
    parser.add_argument("--parts", default="calibration,outside,peer,coverage,quality")
    parser.add_argument(
        "--picture", nargs="?", const="docs/reliability.png", help="draw the diagrams only"
    )
    options = parser.parse_args()
    parts = options.parts.split(",")
    needed = options.picture or {"calibration", "outside", "peer"}.intersection(parts)
    tables = {name: table_of(name, options.samples) for name in TABLES if needed}
    if options.picture:
        picture(tables, 3 * options.held_out, Path(options.picture))
        return
    if "calibration" in parts:
        calibration(tables, options.held_out)
    if "outside" in parts:
        outside(tables)
    if "peer" in parts:
        peer(tables, options.test)
    if "coverage" in parts:
        coverage(options.samples, 400)
    if "quality" in parts:
        quality()


if __name__ == "__main__":
    main()
