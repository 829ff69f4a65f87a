"""Selectors for numbers against scikit-learn's: R² of the selected sets at equal size, and speed.

The tables are scikit-learn's: diabetes; wine (predict the colour intensity); breast cancer (predict the
worst concavity); Friedman's third function with six columns of noise. Selectors see the training rows of
five folds, repeated twice with other folds. R² is that of 10 nearest neighbours on the test rows, with the
first 2, 4 and 6 columns, averaged. The peers are ``SelectKBest(mutual_info_regression)`` and sequential
forward selection with the same nearest neighbours in 5-fold cross-validation. Ratios are of CPU time, one
thread, for one ranking on all rows (sequential selection: of six columns).

The number of neighbours of the sequential methods was chosen on diabetes and on other columns of wine and
breast cancer.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator

import numpy as np
import report
from sklearn import datasets
from sklearn.feature_selection import SequentialFeatureSelector, mutual_info_regression
from sklearn.model_selection import RepeatedKFold
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from netchoice.selection import get_selector
from netchoice.selection.methods import NUMBER_METHODS

SIZES = (2, 4, 6)
NEIGHBOURS = make_pipeline(StandardScaler(), KNeighborsRegressor(10))
Ranker = Callable[[np.ndarray, np.ndarray], np.ndarray]


def tables() -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Yield name, columns and numbers of each table."""
    yield "diabetes", *datasets.load_diabetes(return_X_y=True)
    for name, loaded, column in (
        ("wine", datasets.load_wine(), "color_intensity"),
        ("breast cancer", datasets.load_breast_cancer(), "worst concavity"),
    ):
        k = list(loaded.feature_names).index(column)
        yield name, np.delete(loaded.data, k, axis=1), loaded.data[:, k]
    X, y = datasets.make_friedman3(500, noise=0.1, random_state=7)
    noise = np.random.default_rng(7).normal(size=(500, 6))
    yield "friedman 3", np.column_stack([noise, X]), y


def by_information(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the ranking of SelectKBest(mutual_info_regression)."""
    return np.argsort(-mutual_info_regression(X, y, random_state=0), kind="stable")


def sequentially(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the first six columns of sequential forward selection, in the order of selection."""
    ranking: list[int] = []
    for k in range(1, max(SIZES) + 1):
        selector = SequentialFeatureSelector(NEIGHBOURS, n_features_to_select=k, cv=5)
        chosen = selector.fit(X, y).get_support(indices=True)
        ranking += [int(c) for c in chosen if c not in ranking]
    return np.array(ranking)


def ours(method: str) -> Ranker:
    """Return a function that ranks with one of our methods."""
    return lambda X, y: get_selector(method, target="numbers").fit(X, y).ranking_


def score(ranker: Ranker, X: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """Return the mean R² over sizes and folds, and its standard error over the folds."""
    folds = RepeatedKFold(n_splits=5, n_repeats=2, random_state=0)
    found = []
    for train, test in folds.split(X):
        ranking = ranker(X[train], y[train])
        errors = []
        for k in SIZES:
            fitted = NEIGHBOURS.fit(X[np.ix_(train, ranking[:k])], y[train])
            predicted = fitted.predict(X[np.ix_(test, ranking[:k])])
            errors.append(np.mean((predicted - y[test]) ** 2) / y.var())
        found.append(1 - np.mean(errors))
    return float(np.mean(found)), float(np.std(found, ddof=1) / np.sqrt(len(found)))


def seconds(ranker: Ranker, X: np.ndarray, y: np.ndarray) -> float:
    """Return the CPU seconds of one ranking, the smaller of two."""
    spent = []
    for _ in range(2):
        start = time.process_time()
        ranker(X, y)
        spent.append(time.process_time() - start)
    return min(spent)


def main() -> None:
    """Print R² and speed of every method on every table, and write R²."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--methods", nargs="*", default=[m for m in NUMBER_METHODS if m != "random"]
    )
    report.add_json(parser)
    options = parser.parse_args()
    methods, found = options.methods, {}
    for name, X, y in tables():
        print(f"\n{name}: {X.shape[0]} rows, {X.shape[1]} columns")
        rankers: dict[str, Ranker] = {"SelectKBest": by_information, "sequential": sequentially}
        rankers |= {method: ours(method) for method in methods}
        times = {title: seconds(ranker, X, y) for title, ranker in rankers.items()}
        print(f"{'':20}{'R²':>8}{'±':>7}{'SelectKBest is':>16}{'sequential is':>15}")
        for title, ranker in rankers.items():
            mean, error = score(ranker, X, y)
            found |= {f"{name} {title}": mean, f"{name} {title} error": error}
            ratios = [times[peer] / times[title] for peer in ("SelectKBest", "sequential")]
            print(
                f"{title:20}{mean:8.3f}{error:7.3f}{ratios[0]:15.2f}×{ratios[1]:14.0f}×", flush=True
            )
    report.write(options, found)


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
