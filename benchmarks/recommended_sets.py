"""Measure whether the sets that `evaluate_features` recommends keep their promises on other rows.

Criteria, fixed before the first run:

1. Promise: over all splits, the score on held-out rows is at least the lower end of the printed interval in
   90 % of the splits or more. The noise of the held-out rows counts against the set.
2. Loss: on the mean over the splits of each table, the recommended set loses at most one point of accuracy
   (and one standard error of that mean) against all columns, or gains.
3. Peers: at most the cost of the recommended set, scikit-learn's `SelectKBest` (mutual information) and
   `SequentialFeatureSelector`, both by gain per cost, are on the mean over all tables not more accurate than
   the recommended set by more than one standard error.

No table of this benchmark was used to choose a rule, a default or a constant. These were chosen on iris,
wine, breast cancer and `examples/patients.csv`. The tables here are three of digits (real) and five synthetic
ones, with seeds that were drawn once. Costs are log-normal, and groups of four columns share a step. In each
split, half of the rows, but at most 600, are known, and the others are held out.
"""

from __future__ import annotations

import argparse
import json
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import report
from sklearn import datasets
from sklearn.feature_selection import SequentialFeatureSelector, mutual_info_classif
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import netchoice
from netchoice import CostModel
from netchoice.evaluation.scorers import find_classifier

MOST_ROWS, MOST_COLUMNS = 600, 24


def tables() -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Yield name, values and labels of each table."""
    X, y = datasets.load_digits(return_X_y=True)
    rng = np.random.default_rng(20)
    for name, one, other in (
        ("3 or 8", [3], [8]),
        ("1 or 7", [1], [7]),
        ("even or odd", [0, 2, 4], [1, 3, 5]),
    ):
        rows = np.isin(y, [*one, *other])
        part = X[rows]
        columns = rng.permutation(np.flatnonzero(part.std(axis=0) > 1))[:MOST_COLUMNS]
        yield f"digits, {name}", part[:, columns], np.isin(y[rows], one).astype(int)
    for seed, options in enumerate(
        (
            {"n_samples": 1000, "n_features": 20, "n_informative": 4, "n_redundant": 6},
            {
                "n_samples": 1500,
                "n_features": 24,
                "n_informative": 6,
                "n_redundant": 4,
                "n_classes": 3,
            },
            {
                "n_samples": 900,
                "n_features": 15,
                "n_informative": 3,
                "weights": [0.8, 0.2],
                "flip_y": 0.05,
            },
            {
                "n_samples": 600,
                "n_features": 12,
                "n_informative": 6,
                "n_redundant": 0,
                "flip_y": 0.1,
            },
        ),
        start=71,
    ):
        yield f"synthetic {seed}", *datasets.make_classification(random_state=seed, **options)
    X, y = datasets.make_gaussian_quantiles(
        n_samples=1000, n_features=4, n_classes=3, random_state=81
    )
    yield "quantiles", np.column_stack([X, rng.normal(size=(1000, 6))]), y


def costs_of(names: list[str], rng: np.random.Generator) -> CostModel:
    """Return log-normal costs; groups of four columns share a step."""
    own = dict(zip(names, np.exp(rng.normal(1, 1, len(names))).round(2), strict=True))
    uses = {name: [f"step {i // 4}"] for i, name in enumerate(names)}
    steps = {
        f"step {i}": float(np.exp(rng.normal(2, 1)).round(2)) for i in range((len(names) + 3) // 4)
    }
    return CostModel(own, uses, steps)


def held_out(
    columns: list[str],
    X: pd.DataFrame,
    y: np.ndarray,
    known: np.ndarray,
    others: np.ndarray,
    classifier: Any,
) -> float:
    """Return the accuracy of some columns on the held-out rows."""
    fitted = classifier.fit(X.iloc[known][columns], y[known])
    return float(fitted.score(X.iloc[others][columns], y[others]))


def by_gain_per_cost(
    gains: np.ndarray, names: list[str], costs: CostModel, limit: float
) -> list[str]:
    """Return columns in the order of their gain per additional cost, as long as the limit pays for them."""
    chosen: list[str] = []
    while True:
        left = [n for n in names if n not in chosen]
        left = [n for n in left if costs.cost_of_set([*chosen, n], "shared") <= limit * (1 + 1e-9)]
        if not left:
            return chosen
        worth = [
            gains[names.index(n)] / max(costs.marginal_cost(n, chosen, "shared"), 1e-9)
            for n in left
        ]
        chosen.append(left[int(np.argmax(worth))])


def split(
    name: str, X: pd.DataFrame, y: np.ndarray, costs: CostModel, seed: int, with_peers: bool
) -> dict[str, Any]:
    """Return the scores of one split."""
    share = min(0.5, MOST_ROWS / len(y))
    known, others = train_test_split(
        np.arange(len(y)), train_size=share, stratify=y, random_state=seed
    )
    frame = X.iloc[known].assign(label=y[known].astype(str))
    table = netchoice.ReferenceTable.from_frame(frame, costs=costs, discrete=[])
    result = netchoice.evaluate_features(table, seed=seed, on_progress=False)
    point = result.recommended
    classifier = find_classifier(result.settings["classifier"], table.target)
    names = list(X.columns)
    scores = {
        "recommended": held_out(list(point.features), X, y, known, others, classifier),
        "all": held_out(names, X, y, known, others, classifier),
    }
    if with_peers:
        gains = mutual_info_classif(X.iloc[known], y[known], random_state=seed)
        best = by_gain_per_cost(gains, names, costs, point.cost)
        if best:
            scores["SelectKBest"] = held_out(best, X, y, known, others, classifier)
        peer = make_pipeline(StandardScaler(), LogisticRegression(max_iter=200))
        n = min(len(point.features) + 2, len(names) - 1)
        forward = SequentialFeatureSelector(peer, n_features_to_select=n, cv=3).fit(
            X.iloc[known], y[known]
        )
        order = [n for n, is_chosen in zip(names, forward.get_support(), strict=True) if is_chosen]
        best = by_gain_per_cost(np.ones(len(order)), order, costs, point.cost)
        if best:
            scores["SequentialFeatureSelector"] = held_out(best, X, y, known, others, classifier)
    return {
        "table": name, "seed": seed, "low": point.interval[0], "said": point.accuracy, "share": point.share,
        "k": point.k, **scores,
    }  # fmt: skip


def main() -> None:
    """Run all splits and write the values."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    report.add_json(parser)
    parser.add_argument("--splits", type=int, default=13)
    parser.add_argument("--peers", type=int, default=4, help="splits of each table with peers")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    rows = []
    for number, (name, values, y) in enumerate(tables()):
        X = pd.DataFrame(values, columns=[f"c{i}" for i in range(values.shape[1])])
        costs = costs_of(list(X.columns), np.random.default_rng(100 + number))
        for seed in range(options.splits):
            rows.append(split(name, X, y, costs, seed, seed < options.peers))
            print(rows[-1], flush=True)
    frame = pd.DataFrame(rows)
    loss = (frame["all"] - frame["recommended"]).groupby(frame["table"]).agg(["mean", "sem"])
    values = {
        "splits": len(frame),
        "kept": float((frame["recommended"] >= frame["low"]).mean()),
        "share": float(frame["share"].median()),
        "largest loss": float(loss["mean"].max()),
        "loss passes": "yes" if (loss["mean"] <= 0.01 + loss["sem"]).all() else "no",
        "mean loss": float((frame["all"] - frame["recommended"]).mean()),
    }
    for peer in ("SelectKBest", "SequentialFeatureSelector"):
        ahead = (frame["recommended"] - frame[peer]).dropna()
        values[f"ahead of {peer}"] = float(ahead.mean())
        values[f"ahead of {peer} error"] = float(ahead.sem())
    print(loss, json.dumps(values, indent=1), sep="\n")
    report.write(options, values)


if __name__ == "__main__":
    main()
