"""Reference costs: measure all features on networks of many sizes, fit curves, and check them.

The CPU time of every shared step, and of every feature without its inputs, is measured on networks of all
built-in mechanisms. A curve is fitted to each:

    seconds = overhead + factor · nodes^node_power · edges^edge_power

The curves are written to ``src/netchoice/features/reference_costs.json``. Then they are compared with times
on networks of another seed. Run it on a machine that does nothing else; it takes some CPU minutes.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Iterator
from datetime import date
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import numpy as np  # noqa: E402
from scipy.optimize import least_squares  # noqa: E402
from scipy.stats import spearmanr  # noqa: E402

import netchoice  # noqa: E402
from netchoice.errors import NetchoiceError  # noqa: E402
from netchoice.features import FEATURES, FeatureResult  # noqa: E402
from netchoice.features.catalogue import SIZE_FEATURE  # noqa: E402
from netchoice.features.reference_costs import Curve, reference_costs  # noqa: E402
from netchoice.features.registry import STEPS, min_powers  # noqa: E402

FILE = Path(netchoice.__file__).parent / "features" / "reference_costs.json"

#: Numbers of networks by their number of nodes, to fit the curves and to check them.
TO_FIT = {20: 75, 50: 75, 100: 75, 200: 75, 500: 75, 1000: 75, 2000: 75, 5000: 50, 10000: 40}
TO_CHECK = {20: 50, 100: 50, 300: 50, 1000: 50, 3000: 30, 10000: 20}
#: No further network is measured after so many CPU seconds.
BUDGET = {"fit": 220.0, "check": 120.0}
#: Models with a parameter ``mean_links`` draw it from a wider range than the prior, uniform in its logarithm.
MEAN_LINKS = (0.5, 16.0)
#: Networks with more edges per node are skipped.
MOST_EDGES_PER_NODE = 50
#: The largest power by growth, so that curves can be extrapolated; 2 for all others.
LARGEST_POWER = {"1": 1.0, "n": 1.0, "n + m": 1.0, "m^1.5": 1.5, "m · degeneracy³": 3.0}
#: A curve that grows must fit better than a constant by this factor.
MIN_GAIN = 1.5
#: Deviations of a logarithm beyond this count less.
ROBUST = 0.3


@netchoice.feature()
def uses_networkx(networkx_graph):
    """Number of nodes, to measure the shared step ``networkx_graph``, which no built-in feature uses."""
    return networkx_graph.number_of_nodes()


def measured(seed: int, numbers: dict[int, int], budget: float) -> Iterator[tuple]:
    """Yield the nodes, the edges and the timed features of each network."""
    space = netchoice.get_space("all")
    names = [*netchoice.features.feature_names(noise=True), SIZE_FEATURE, uses_networkx]
    rng = np.random.default_rng(seed)
    start, n_skipped = time.process_time(), 0
    for n_nodes, n_networks in numbers.items():
        edges = []
        for number in range(n_networks):
            model = space.models[number % len(space)]
            parameters = model.sample(rng)
            if "mean_links" in parameters:
                low, high = np.log(MEAN_LINKS)
                parameters["mean_links"] = min(np.exp(rng.uniform(low, high)), n_nodes / 5)
            try:
                limit = MOST_EDGES_PER_NODE * n_nodes
                graph = model.grow(n_nodes, parameters, rng, max_edges=limit)
            except NetchoiceError:
                n_skipped += 1
                continue
            if time.process_time() - start > budget:
                n_skipped += 1
                continue
            result = netchoice.compute_features(graph, names, rng=rng, repeat_short=True)
            edges.append(graph.n_edges)
            yield n_nodes, graph.n_edges, result
        if edges:
            low, middle, high = np.quantile(edges, [0.05, 0.5, 0.95]) / n_nodes
            print(
                f"{n_nodes:6} nodes: {len(edges):3} networks, {middle:.1f} edges per node "
                f"(90% between {low:.2g} and {high:.3g})"
            )
    print(f"{n_skipped} networks skipped, {time.process_time() - start:.0f} CPU seconds\n")


def fit(
    nodes: np.ndarray,
    edges: np.ndarray,
    seconds: np.ndarray,
    largest_power: float,
    min_power: float,
) -> Curve:
    """Return the curve with the smallest deviations of logarithms; large ones count less.

    Each power is at most ``largest_power``, and their sum is at least ``min_power``.
    """
    logs = np.log(seconds)
    log_n, log_m = np.log(nodes), np.log(edges)
    centre_n, centre_m = log_n.mean(), log_m.mean()

    def deviations(unknowns: np.ndarray) -> np.ndarray:
        overhead, level, b, more = unknowns
        c = max(min_power - b, 0.0) + more
        growing = level + b * (log_n - centre_n) + c * (log_m - centre_m)
        # A weak preference for small powers decides where the times do not.
        return np.append(np.logaddexp(overhead, growing) - logs, (0.1 * b, 0.1 * more))

    low, middle, high = np.quantile(logs, [0.02, 0.5, 0.98])
    bounds = [(low - 15, low - 25, 0, 0), (high + 1, high + 1, largest_power, largest_power)]
    fits = [
        least_squares(
            deviations, (low, middle, b, c), bounds=bounds, loss="soft_l1", f_scale=ROBUST
        )
        for b, c in ((0.1, 0.6), (0.6, 0.1), (0.9, 0.9))
    ]
    best = min(fits, key=lambda each: each.cost)
    constant = least_squares(lambda level: level - logs, middle, loss="soft_l1", f_scale=ROBUST)
    if constant.cost < MIN_GAIN * best.cost:
        return Curve(float(f"{np.exp(constant.x[0]):.3g}"), 0.0, 0.0, 0.0)
    overhead, level, b, more = best.x
    b, c = round(float(b), 3), round(float(max(min_power - b, 0.0) + more), 3)
    factor = np.exp(level - b * centre_n - c * centre_m)
    return Curve(float(f"{np.exp(overhead):.3g}"), float(f"{factor:.3g}"), b, c)


def fitted(rows: list[tuple[int, int, FeatureResult]]) -> dict[str, dict[str, Curve]]:
    """Return the curves of all shared steps and features."""
    curves: dict[str, dict[str, Curve]] = {"steps": {}, "own": {}}
    powers = min_powers()
    growths = {each.name: each.growth for each in (*STEPS.values(), *FEATURES.values())}
    names = {"steps": [*STEPS], "own": [*FEATURES, "n_nodes"]}
    # Networks with fewer edges than nodes fall into small parts, which are far cheaper.
    rows = [row for row in rows if row[1] >= row[0]]
    pairs = [(kind, each) for kind, known in names.items() for each in known]
    for kind, each in pairs:
        points = []
        for n_nodes, n_edges, result in rows:
            seconds = result.step_seconds if kind == "steps" else result.own_seconds
            failed = each in result.failures or f"step {each}" in result.failures
            if seconds[each] > 0 and not failed:
                points.append((n_nodes, n_edges, seconds[each]))
        largest_power = LARGEST_POWER.get(growths.get(each, "1"), 2.0)
        curves[kind][each] = fit(*np.array(points, float).T, largest_power, powers.get(each, 0.0))
    return curves


def write(curves: dict[str, dict[str, Curve]]) -> None:
    """Write the curves to the file of the package, one in each line."""
    head = {
        "netchoice": netchoice.__version__,
        "measured": date.today().isoformat(),
        "formula": "seconds = overhead + factor * nodes^node_power * edges^edge_power",
        "columns": Curve._fields,
    }
    parts = [f" {json.dumps(key)}: {json.dumps(value)}" for key, value in head.items()]
    for kind, by_name in curves.items():
        lines = [f"  {json.dumps(each)}: {json.dumps(curve)}" for each, curve in by_name.items()]
        parts.append(f" {json.dumps(kind)}: {{\n" + ",\n".join(lines) + "\n }")
    FILE.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")


def check(rows: list[tuple[int, int, FeatureResult]]) -> None:
    """Print how the costs alone agree with the times of networks that were not fitted."""
    names = netchoice.features.feature_names(noise=True)
    ratios = np.full((len(rows), len(names)), np.nan)
    for ratio, (n_nodes, n_edges, result) in zip(ratios, rows, strict=True):
        predicted, seconds = reference_costs(names, n_nodes, n_edges), result.seconds
        ratio[:] = [
            np.nan if each in result.failures else predicted.cost(each) / seconds[each]
            for each in names
        ]
    sizes = np.array([n_nodes for n_nodes, _, _ in rows])
    fitted_kind = np.array([n_edges >= n_nodes for n_nodes, n_edges, _ in rows])

    print("cost alone, predicted / measured, on networks of another seed")
    print(
        f"{fitted_kind.sum()} networks have at least as many edges as nodes; quantiles over them:"
    )
    print(f"{'feature':28}{'median':>8}{'10%':>8}{'90%':>8}")
    for each, of_feature in zip(names, ratios[fitted_kind].T, strict=True):
        low, middle, high = np.nanquantile(of_feature, [0.1, 0.5, 0.9])
        print(f"{each:28}{middle:8.2f}{low:8.2f}{high:8.2f}")
    _print_medians("all sizes", names, ratios[fitted_kind])
    for n_nodes in dict.fromkeys(sizes):
        _print_medians(f"{n_nodes} nodes", names, ratios[fitted_kind & (sizes == n_nodes)])
    _print_medians("fewer edges than nodes", names, ratios[~fitted_kind])

    print("\nrank correlation of the costs alone of all features, predicted and measured:")
    for n_nodes in dict.fromkeys(sizes):
        networks = [
            (m, [result.seconds[each] for each in names])
            for n, m, result in rows
            if n == n_nodes and not result.failures
        ]
        middle = round(float(np.median([n_edges for n_edges, _ in networks])))
        of_means = _rank_correlation(n_nodes, middle, np.mean([s for _, s in networks], axis=0))
        single = [_rank_correlation(n_nodes, *network) for network in networks]
        print(
            f"{n_nodes:6} nodes: {of_means:.3f} with means of {len(networks)} networks; "
            f"single networks: median {np.median(single):.3f}, smallest {min(single):.3f}"
        )


def _print_medians(what: str, names: list[str], ratios: np.ndarray) -> None:
    """Print the median ratio of the features, and the features with the smallest and the largest."""
    medians = np.nanmedian(ratios, axis=0)
    print(
        f"median ratios, {what}, {len(ratios)} networks: median {np.median(medians):.2f}, "
        f"from {medians.min():.2f} ({names[medians.argmin()]}) "
        f"to {medians.max():.2f} ({names[medians.argmax()]})"
    )


def _rank_correlation(n_nodes: int, n_edges: int, seconds: list[float] | np.ndarray) -> float:
    names = netchoice.features.feature_names(noise=True)
    predicted = reference_costs(names, n_nodes, n_edges).alone(names)
    return float(spearmanr(list(predicted.values()), seconds).statistic)


def main() -> None:
    """Measure, fit and write the curves, unless they are only checked; then check them."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="check the curves that are there")
    arguments = parser.parse_args()
    if not arguments.check:
        write(fitted(list(measured(1, TO_FIT, BUDGET["fit"]))))
    check(list(measured(2, TO_CHECK, BUDGET["check"])))


if __name__ == "__main__":
    main()
