"""Errors of the estimates of mutual information, in nats.

Closed forms first: bivariate normals, and tables of counts with smooth and with sharp dependence.
Then the tables of both model spaces, compared with an estimate from 40 classes of equal frequency. It
is coarse, but it needs no neighbours, no random ties and no noise.
"""

from __future__ import annotations

import argparse
import warnings
from itertools import combinations

import mixed_table  # noqa: F401 - one thread for the libraries below
import numpy as np
import report
from scipy.stats import rankdata

import netchoice
from netchoice import information
from netchoice.information import estimators

calibrated = estimators.Calibrated(seed=0, n_neighbors=3)


def neighbours(a, b, scores=None) -> float:
    """Return Kraskov's estimate on normal scores, or on other scores; the columns have own draws."""
    first = calibrated.prepare(a, False).draws[0]
    second = estimators.Calibrated(seed=1, n_neighbors=3).prepare(b, False).draws[0]
    if scores is not None:
        first, second = first._replace(values=scores), second._replace(values=scores)
    return estimators.kraskov(first, second, 3)


def labelled(a, b) -> float:
    """Return Ross' estimate on normal scores of b, with a as labels."""
    return estimators.ross(calibrated.prepare(b, False).draws[0], estimators.encode_column(a), 3)


def from_table(a, b) -> tuple[float, float, float]:
    """Return the expected information E, I − E, and the rescaled estimate."""
    a, b = estimators.encode_column(a), estimators.encode_column(b)
    expected, entropy = estimators.expected_mutual_information(a, b), min(a.entropy, b.entropy)
    excess = estimators.plugin_information(a, b) - expected
    return expected, excess, excess * entropy / (entropy - expected)


def line(cells, width=15) -> None:
    """Print a row of a table."""
    print("".join(f"{cell:>{width}}" for cell in cells), flush=True)


def spread(estimates, true) -> str:
    """Return the mean error and the standard deviation as text."""
    return f"{np.mean(estimates) - true:+.3f} ±{np.std(estimates):.3f}"


def normals(repeats: int) -> dict[str, float]:
    """Print errors for bivariate normals; return the largest for each estimate."""
    largest: dict[str, float] = {}
    print("\nBivariate normal: error of the mean, and deviation, over samples")
    line(["rows", "correlation", "true", "published", "calibrated", "plain ranks"])
    rng = np.random.default_rng(1)
    for n in (100, 300, 1250, 5000):
        for correlation in (0, 0.3, 0.6, 0.9, 0.99, 0.999):
            true = -0.5 * np.log(1 - correlation**2)
            estimates = []
            for _ in range(repeats):
                x, z = rng.normal(size=(2, n))
                y = correlation * x + np.sqrt(1 - correlation**2) * z
                a, b = (estimators.Published(0, 3).prepare(c, False) for c in (x, y))
                estimates.append(
                    (
                        estimators.kraskov(a, b, 3),
                        neighbours(x, y),
                        neighbours(x, y, np.arange(n) * 1.0),
                    )
                )
            for name, column in zip(
                ("published", "calibrated", "ranks"), zip(*estimates, strict=True), strict=True
            ):
                key = f"normal {name} {n}"
                largest[key] = max(largest.get(key, 0.0), abs(float(np.mean(column)) - true))
            errors = [spread(column, true) for column in zip(*estimates, strict=True)]
            line([n, correlation, f"{abs(true):.3f}", *errors])
    return largest


def counts(repeats: int) -> None:
    """Print errors for two columns of counts, related smoothly or by a function."""
    print("\nTables of counts: error of the mean, and deviation, over samples")
    header = ["rows", "values", "relation", "true", "E", "I − E", "rescaled", "labels"]
    line([*header, "neighbours", "calibrated"], 14)
    rng = np.random.default_rng(1)
    for n in (300, 1250, 5000):
        for shape in (
            (4, 4),
            (4, 50),
            (10, 140),
            (30, 30),
            (50, 50),
            (140, 140),
            (70, 400),
            (140, 3000),
        ):
            i, j = (np.arange(m) / m for m in shape)
            for name, width in (("none", 1e9), ("0.1", 0.1), ("0.03", 0.03), ("function", None)):
                weight = (
                    np.arange(shape[1]) * shape[0] // shape[1] == np.arange(shape[0])[:, None]
                    if width is None
                    else np.exp(-0.5 * ((i[:, None] - j) / width) ** 2)
                )
                share = weight / weight.sum()
                apart = share.sum(axis=1, keepdims=True) * share.sum(axis=0)
                true = float((share[share > 0] * np.log(share[share > 0] / apart[share > 0])).sum())
                estimates = []
                for _ in range(repeats):
                    a, b = np.divmod(rng.choice(share.size, n, p=share.ravel()), shape[1])
                    corrections = from_table(a, b)
                    ours = information.mutual_information(a, b)
                    estimates.append((*corrections, labelled(a, b), neighbours(a, b), ours))
                expected, *rest = zip(*estimates, strict=True)
                cells = [
                    n,
                    f"{shape[0]}×{shape[1]}",
                    name,
                    f"{abs(true):.3f}",
                    f"{np.mean(expected):.3f}",
                ]
                line([*cells, *(spread(column, true) for column in rest)], 14)


def in_classes(x) -> np.ndarray:
    """Return 40 classes of about equal size; equal values are in the same class."""
    return np.minimum((rankdata(x) - 1) * 40 // len(x), 39)


def real(name: str, n_nodes: int, folder: str | None) -> dict[str, float]:
    """Print distances from the 40-class estimate on a table of networks, and return the largest."""
    values: dict[str, float] = {}
    if folder:
        table = netchoice.ReferenceTable.load(folder)
    else:
        table = netchoice.simulate_table(name, n_nodes=n_nodes, n_samples=5000, seed=1)
    table = table.drop_constant()
    X, y = np.asarray(table.X, float), np.asarray(table.y)
    names = list(table.X.columns)
    options = {"discrete": np.array([table.discrete[feature] for feature in names])}
    classes = [in_classes(x) for x in X.T]
    codes = np.unique(y, return_inverse=True)[1]
    coarse = np.array([from_table(c, codes)[2] if np.ptp(c) else 0.0 for c in classes])
    coarse_pairs = np.array(
        [
            from_table(a, b)[2] if np.ptp(a) and np.ptp(b) else 0.0
            for a, b in combinations(classes, 2)
        ]
    )
    upper = np.triu_indices(len(names), 1)
    noise = [i for i, feature in enumerate(names) if feature.startswith("noise")]
    print(f"\n{name}: {len(X)} networks, {len(names)} features; nats")
    for estimator in ("published", "calibrated"):
        by_seed = [
            (
                information.relevance(X, y, estimator=estimator, seed=seed, **options),
                information.redundancy(X, estimator=estimator, seed=seed, **options),
                information.conditional_redundancy(X, y, estimator=estimator, seed=seed, **options),
            )
            for seed in range(5)
        ]
        one, pairs, within = by_seed[0]
        print(f"  {estimator}")
        worst = int(np.argmax(abs(one - coarse)))
        values[f"{name} {estimator} relevance"] = float(abs(one - coarse).max())
        values[f"{name} {estimator} noise"] = float(pairs[noise].max())
        print(
            f"    relevance against 40 classes: at most {abs(one - coarse).max():.3f} apart "
            f"({names[worst]}: {one[worst]:.3f}, 40 classes {coarse[worst]:.3f})"
        )
        for low, high in ((-1, 0.1), (0.1, 0.5), (0.5, 1)):
            chosen = (coarse_pairs >= low) & (coarse_pairs < high)
            apart = (pairs[upper] - coarse_pairs)[chosen]
            low = max(low, 0)
            if chosen.any():
                print(
                    f"    {chosen.sum()} pairs with {low} to {high} by 40 classes: "
                    f"apart by {apart.min():+.3f} … {apart.max():+.3f}, mean {apart.mean():+.3f}"
                )
        print(
            f"    pairs with noise: at most {pairs[noise].max():.3f}, within classes "
            f"{within[noise].max():.3f}, relevance of noise {one[noise].max():.3f}"
        )
        moved = [np.ptp(each, axis=0).max() for each in zip(*by_seed, strict=True)]
        values[f"{name} {estimator} seeds"] = float(moved[1])
        print(
            "    five seeds move relevance by up to {:.3f}, pairs by {:.3f}, "
            "pairs within classes by {:.3f}".format(*moved)
        )
    for draws in (1, 2, 4, 8):
        estimators.DRAWS = draws
        moved = np.ptp([information.redundancy(X, seed=seed) for seed in range(5)], axis=0).max()
        print(f"  calibrated, ties broken in {draws} way(s): five seeds move pairs by {moved:.3f}")
    estimators.DRAWS = 4
    return values


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--nodes", type=int, default=200, help="number of nodes of the simulated networks"
    )
    parser.add_argument(
        "--repeats", type=int, default=10, help="number of samples of each closed form"
    )
    parser.add_argument("--ba", help="folder of a ba table, instead of a simulated one")
    parser.add_argument(
        "--duplication", help="folder of a duplication table, instead of a simulated one"
    )
    report.add_json(parser)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    values = normals(options.repeats)
    counts(options.repeats)
    values |= real("ba", options.nodes, options.ba)
    values |= real("duplication", options.nodes, options.duplication)
    report.write(options, values)


if __name__ == "__main__":
    main()
