"""Cost at equal accuracy: columns acquired one by one, or a fixed set of columns for every row.

Run: python benchmarks/acquisition.py OUT [--rows 500]. It takes about 19 CPU minutes.

The tables are divided into training, validation and test rows:

- `mechanisms` with 200 nodes and `duplication` with 300 nodes, with measured costs, without noise features;
- the invented patients of examples/patients.csv, with invented costs in euro and shared samples.

The methods are:

- **fixed set**: the operating point (rule "cheapest") of `mrmr`, `jmi` and `jmim` over a grid of penalties,
  sets of up to 12 columns, evaluated on the training rows. Its classifier is the one with the best validation
  accuracy among 10 nearest neighbours, a random forest and the local regression.
- **cheapest fixed set**: of all sets that no other set beats in cost and accuracy on the training rows, the
  cheapest with at least that validation accuracy, with its own best classifier.
- **AcquiringClassifier**: `confidence` from a grid, `budget` 0.5, 1 or 2 times the cost of the fixed set.
- **fixed order**: the columns of the fixed set, and then those of its ranking, with the same stop rule.
- **AACO** (Valancius et al., arXiv 2302.13960) and **greedy CMI** (as EDDI, Ma et al. 2019, and DIME, Gadgil
  et al. 2024): plain implementations without neural networks. The classifier of any subset is boosted trees
  trained with random masks. These are not the authors' programs, which need PyTorch.

The criteria were fixed before the first run:

1. The setting of each method is the cheapest one, by validation rows, with at least the validation accuracy
   of the fixed set; the most accurate one if there is none. Test rows are used once, to report.
2. The aim is reached on a table if the fixed set costs at least 2 times as much as the average test row of
   `AcquiringClassifier`, and its test accuracy is not significantly higher (two standard errors of the paired
   difference).
3. The ratio to the cheapest fixed set is reported too, and where the aim is missed.

Added after the first run, without a criterion: at equal cost, the setting of each method with the best
validation accuracy among those that cost at most as much as `AcquiringClassifier` at equal accuracy.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import report
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import netchoice
from netchoice.evaluation import evaluate_rankings, pareto_front, penalty_grid, recommended_set
from netchoice.features import FEATURES
from netchoice.forests import grow_forest
from netchoice.inference.local_regression import default_neighbors, predict_locally
from netchoice.inference.scaling import Scaling
from netchoice.selection import AcquiringClassifier, get_selector, rank_path
from netchoice.selection.column_costs import ColumnCosts

CONFIDENCES = (0.4, 0.6, 0.7, 0.8, 0.85, 0.9, 0.93, 0.95, 0.97, 0.98, 0.99)
BUDGETS = (0.5, 1.0, 2.0)  # times the cost of the fixed set
PENALTIES = (0.3, 2.0, 10.0, 40.0)  # of the peers: nats per share of the cost of all columns
PEER_ROWS = 300  # validation and test rows of the peers that predict many subsets
SETS, NEIGHBOURS = 60, 8  # candidate subsets of AACO, and its neighbours


@dataclass
class Data:
    """Training, validation and test rows of one table."""

    name: str
    costs: netchoice.CostModel
    train: tuple[pd.DataFrame, np.ndarray]
    parts: dict[str, tuple[pd.DataFrame, np.ndarray]]


def invent_patients(n: int, seed: int) -> pd.DataFrame:
    """Return a table of n invented patients. `examples/patients.csv` contains 600 of them."""
    rng = np.random.default_rng(seed)
    illness = rng.choice(3, n, p=[0.5, 0.25, 0.25])

    def measured(healthy: float, anaemia: float, diabetes: float, noise: float) -> np.ndarray:
        return np.array([healthy, anaemia, diabetes])[illness] + noise * rng.normal(size=n)

    return pd.DataFrame(
        {
            "diagnosis": np.array(["healthy", "anaemia", "diabetes"])[illness],
            "age": rng.integers(20, 85, n),
            "shoe_size": rng.integers(36, 47, n),
            "questionnaire": np.clip(measured(6, 11, 9, 3), 0, 20).round().astype(int),
            "haemoglobin": measured(14.5, 11.0, 14.3, 1.0).round(1),
            "ferritin": np.exp(measured(4.4, 2.6, 4.5, 0.7)).round(0),
            "glucose": measured(5.2, 5.2, 8.2, 1.1).round(1),
            "hba1c": measured(36, 35, 54, 6).round(0),
            "urine_glucose": np.maximum(measured(0.3, 0.3, 2.4, 1.3), 0).round(1),
            "ultrasound": measured(0, 0.5, 1.0, 1.5).round(2),
            "scan": measured(0, 4, 8, 1.1).round(2),
        }
    )


def load(name: str, n_train: int, n_rows: int) -> Data:
    """Simulate or invent a table, and divide its rows."""
    total = n_train + 2 * n_rows
    if name == "clinic":
        costs = Path(__file__).parents[1] / "examples" / "costs.csv"
        table = netchoice.ReferenceTable.from_frame(
            invent_patients(total, seed=11),
            label="diagnosis",
            costs=netchoice.CostModel.from_file(costs),
        )
    else:
        space, n_nodes = name.split("-")
        features = [f for f in FEATURES if not FEATURES[f].is_random]
        table = netchoice.simulate_table(
            space,
            n_nodes=int(n_nodes),
            n_samples=total,
            seed=11,
            engine="serial",
            features=features,
        ).drop_constant()
    X, y = table.X, table.y.to_numpy()

    def rows(start: int, n: int) -> tuple[pd.DataFrame, np.ndarray]:
        return X[start : start + n].reset_index(drop=True), y[start : start + n]

    parts = {"validation": rows(n_train, n_rows), "test": rows(n_train + n_rows, n_rows)}
    return Data(name, table.costs, rows(0, n_train), parts)


@dataclass
class Outcome:
    """What a method predicts for the rows of a part, and what each row costs."""

    correct: np.ndarray
    cost: np.ndarray

    @property
    def accuracy(self) -> float:
        """Share of correct predictions."""
        return float(self.correct.mean())

    @property
    def mean_cost(self) -> float:
        """Mean cost of a row."""
        return float(self.cost.mean())


# Fixed sets


def fixed_predictions(data: Data, names: list[str], classifier: str, part: str) -> Outcome:
    """Return the predictions of one classifier from one set of columns."""
    (X, y), (queries, truth) = data.train, data.parts[part]
    known, queried = X[names].to_numpy(float), queries[names].to_numpy(float)
    if classifier == "neighbours":
        model = make_pipeline(StandardScaler(), KNeighborsClassifier(10)).fit(known, y)
        predicted = model.predict(queried)
    elif classifier == "forest":
        forest = grow_forest(known, y, target="classes", n_trees=200)
        predicted = forest.classes[forest.predict_proba(queried).argmax(axis=1)]
    else:
        predicted = np.unique(y)[local_probabilities(known, y, queried).argmax(axis=1)]
    cost = data.costs.cost_of_set(names, "shared")
    return Outcome(predicted == truth, np.full(len(truth), cost))


def local_probabilities(X: np.ndarray, y: np.ndarray, queries: np.ndarray) -> np.ndarray:
    """Return the probabilities of the classes of each query, by the local regression."""
    scaling, (classes, codes) = Scaling.fit(X, "rank"), np.unique(y, return_inverse=True)
    rows, n_near = scaling.transform(X), default_neighbors(len(X))
    return np.array(
        [
            predict_locally(rows, codes, query, n_near, len(classes))
            for query in scaling.transform(queries)
        ]
    )


def best_classifier(data: Data, names: list[str]) -> tuple[str, Outcome]:
    """Return the classifier of a set with the best validation accuracy."""
    found = {
        c: fixed_predictions(data, names, c, "validation")
        for c in ("neighbours", "forest", "regression")
    }
    best = max(found, key=lambda c: found[c].accuracy)
    return best, found[best]


def fixed_sets(data: Data) -> tuple[pd.DataFrame, list[str], int]:
    """Return all sets, a ranking that begins with the recommended set, and the size of that set."""
    X, y = data.train
    frame = X.assign(label=y)
    table = netchoice.ReferenceTable.from_frame(frame, costs=data.costs)
    first, second = table.split(seed=0)
    selectors = [get_selector(m, costs=data.costs) for m in ("mrmr", "jmi", "jmim")]
    penalties = penalty_grid(data.costs, X.columns)
    rankings = rank_path(selectors, first.X, first.y, penalties)
    evaluated = evaluate_rankings(rankings, second, ks=range(1, 13), costs=data.costs)
    point = recommended_set(evaluated)
    same = (rankings["method"] == point.method) & (rankings["penalty"] == point.penalty)
    ranking = rankings[same].sort_values("position")["feature"].tolist()
    return (
        evaluated,
        [*point.features, *(n for n in ranking if n not in point.features)],
        len(point.features),
    )


def sets_of_front(data: Data, evaluated: pd.DataFrame) -> Iterator[tuple[str, dict[str, Outcome]]]:
    """Yield the outcomes of the sets that no other set beats in cost and accuracy."""
    for names in pareto_front(evaluated)["features"]:
        classifier, validation = best_classifier(data, list(names))
        test = fixed_predictions(data, list(names), classifier, "test")
        yield f"{len(names)} columns, {classifier}", {"validation": validation, "test": test}


# Acquisition


def truncated(paths: list, truth: np.ndarray, confidence: float) -> Outcome:
    """Return what acquisitions give if they stop at another confidence."""
    correct, costs = [], []
    for path, label in zip(paths, truth, strict=True):
        shares, cost = path.prior, 0.0
        for step in path.steps:
            if 2 * (1 - max(shares.values())) <= 1 - confidence:
                break
            shares, cost = step.probabilities, cost + step.cost
        correct.append(max(shares, key=shares.get) == label)
        costs.append(cost)
    return Outcome(np.array(correct), np.array(costs))


def acquiring(data: Data, fixed_cost: float) -> Iterator[tuple[str, dict[str, Outcome]]]:
    """Yield the outcomes of all settings of the classifier."""
    for share in BUDGETS:
        classifier = AcquiringClassifier(
            costs=data.costs, budget=share * fixed_cost, confidence=max(CONFIDENCES)
        ).fit(*data.train)
        paths = {
            part: [classifier.acquire(row) for row in X.to_numpy(float)]
            for part, (X, _) in data.parts.items()
        }
        for c in CONFIDENCES:
            yield (
                f"confidence {c}, budget {share}",
                {part: truncated(paths[part], data.parts[part][1], c) for part in paths},
            )


def in_fixed_order(data: Data, order: list[str]) -> Iterator[tuple[str, dict[str, Outcome]]]:
    """Yield the outcomes of columns in one order for all rows, with the stop rule of the classifier."""
    (X, y), outcomes = data.train, {}
    for part, (queries, _) in data.parts.items():
        shares = []
        for k in range(1, len(order) + 1):
            known, queried = (rows[order[:k]].to_numpy(float) for rows in (X, queries))
            shares.append(local_probabilities(known, y, queried))
        outcomes[part] = np.stack(shares)  # columns, rows, classes
    costs = np.array(
        [data.costs.cost_of_set(order[:k], "shared") for k in range(1, len(order) + 1)]
    )
    for c in CONFIDENCES:
        found = {}
        for part, shares in outcomes.items():
            clear = 2 * (1 - shares.max(axis=2)) <= 1 - c
            clear[-1] = True
            stop = clear.argmax(axis=0)
            rows = np.arange(len(stop))
            predicted = np.unique(y)[shares[stop, rows].argmax(axis=1)]
            found[part] = Outcome(predicted == data.parts[part][1], costs[stop])
        yield f"confidence {c}", found


class MaskedTrees:
    """Boosted trees that predict the class from any subset of columns; absent values are NaN."""

    def __init__(self, data: Data) -> None:
        X, y = data.train
        rng = np.random.default_rng(0)
        values = np.tile(X.to_numpy(float), (3, 1))
        share = rng.uniform(size=(len(values), 1))
        values[rng.uniform(size=values.shape) < share] = np.nan
        self.model = HistGradientBoostingClassifier(max_iter=30, random_state=0)
        self.model.fit(values, np.tile(y, 3))
        self.Z = StandardScaler().fit(X.to_numpy(float))
        self.X, self.codes = X.to_numpy(float), np.searchsorted(self.model.classes_, y)
        self.scaled = self.Z.transform(self.X)

    def near(self, row: np.ndarray, known: list[int]) -> np.ndarray:
        """Return the training rows nearest to a row in the known columns."""
        if not known:
            return np.arange(NEIGHBOURS)
        query = (row - self.Z.mean_) / self.Z.scale_
        distance = ((self.scaled[:, known] - query[known]) ** 2).sum(axis=1)
        return np.argsort(distance, kind="stable")[:NEIGHBOURS]

    def shares(self, rows: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """Return probabilities of the classes, of rows whose masked columns are known."""
        return self.model.predict_proba(np.where(masks, rows, np.nan))


Policy = Callable[
    [MaskedTrees, np.ndarray, list[int], ColumnCosts, float, np.random.Generator], int | None
]


def aaco(trees, row, known, costs, penalty, rng) -> int | None:
    """Return the first column of the subset with the least loss plus cost on the neighbours, or None."""
    q = len(row)
    near, others = trees.near(row, known), np.setdiff1d(np.arange(q), known)
    if not len(others):
        return None
    subsets = [[]] + [[j] for j in others]
    subsets += [
        list(rng.choice(others, rng.integers(1, min(6, len(others)) + 1), False))
        for _ in range(SETS)
    ]
    masks = np.zeros((len(subsets), q), dtype=bool)
    masks[:, known] = True
    for i, subset in enumerate(subsets):
        masks[i, subset] = True
    rows = np.tile(trees.X[near], (len(subsets), 1))
    shares = trees.shares(rows, np.repeat(masks, len(near), axis=0))
    truth = np.tile(trees.codes[near], len(subsets))
    losses = -np.log(shares[np.arange(len(truth)), truth].clip(1e-6)).reshape(len(subsets), -1)
    paid = costs.cost_of_set(known)
    added = np.array([costs.cost_of_set([*known, *s]) - paid for s in subsets])
    best = subsets[int((losses.mean(axis=1) + penalty * added).argmin())]
    if not best:
        return None
    alone = losses[1 : len(others) + 1].mean(axis=1)
    return int(min(best, key=lambda j: alone[np.flatnonzero(others == j)[0]]))


def greedy_cmi(trees, row, known, costs, penalty, rng) -> int | None:
    """Return the column with the most expected information per cost, or None if it does not pay."""
    q = len(row)
    near, others = trees.near(row, known), np.setdiff1d(np.arange(q), known)
    if not len(others):
        return None
    mask = np.zeros(q, dtype=bool)
    mask[known] = True
    rows, masks = (
        np.tile(row, (len(others) * len(near) + 1, 1)),
        np.tile(mask, (len(others) * len(near) + 1, 1)),
    )
    for i, j in enumerate(others):
        block = slice(1 + i * len(near), 1 + (i + 1) * len(near))
        rows[block, j], masks[block, j] = trees.X[near, j], True
    shares = trees.shares(rows, masks).clip(1e-9)
    entropy = -(shares * np.log(shares)).sum(axis=1)
    gain = entropy[0] - entropy[1:].reshape(len(others), -1).mean(axis=1)
    added = costs.marginal_costs(known)[others]
    per_cost = np.where(
        added > 0, gain / np.maximum(added, 1e-300), np.where(gain > 0, np.inf, -np.inf)
    )
    best = int(per_cost.argmax())
    return int(others[best]) if gain[best] > penalty * added[best] else None


def peers(
    data: Data, policy: Policy, trees: MaskedTrees
) -> Iterator[tuple[str, dict[str, Outcome]]]:
    """Yield the outcomes of a policy for all penalties, on the first rows of each part."""
    names = list(data.train[0].columns)
    costs = ColumnCosts(data.costs, names, labels=names, scale="raw", charge="shared")
    unit = costs.cost_of_set(range(len(names)))
    for penalty in PENALTIES:
        found = {}
        for part, (X, y) in data.parts.items():
            rng, correct, spent = np.random.default_rng(0), [], []
            for row, label in zip(X.to_numpy(float)[:PEER_ROWS], y[:PEER_ROWS], strict=True):
                known: list[int] = []
                while (column := policy(trees, row, known, costs, penalty / unit, rng)) is not None:
                    known.append(column)
                mask = np.isin(np.arange(len(names)), known)
                share = trees.shares(row[None], mask[None])[0]
                correct.append(trees.model.classes_[share.argmax()] == label)
                spent.append(costs.cost_of_set(known))
            found[part] = Outcome(np.array(correct), np.array(spent))
        yield f"penalty {penalty}", found


# Comparison


def chosen(
    settings: list[tuple[str, dict[str, Outcome]]], accuracy: float
) -> tuple[str, dict[str, Outcome]]:
    """Return the cheapest setting with this validation accuracy; the most accurate one if there is none."""
    enough = [s for s in settings if s[1]["validation"].accuracy >= accuracy]
    if enough:
        return min(enough, key=lambda s: s[1]["validation"].mean_cost)
    return max(settings, key=lambda s: s[1]["validation"].accuracy)


def most_accurate(
    settings: list[tuple[str, dict[str, Outcome]]], cost: float
) -> tuple[str, dict[str, Outcome]]:
    """Return the setting with the best validation accuracy within a cost; else the cheapest one."""
    within = [s for s in settings if s[1]["validation"].mean_cost <= cost]
    if within:
        return max(within, key=lambda s: s[1]["validation"].accuracy)
    return min(settings, key=lambda s: s[1]["validation"].mean_cost)


def compare(data: Data) -> list[dict]:
    """Return the records of each method: at equal accuracy, and at equal cost."""
    evaluated, order, size = fixed_sets(data)
    names = order[:size]
    classifier, validation = best_classifier(data, names)
    test = fixed_predictions(data, names, classifier, "test")
    print(f"{data.name}: fixed set {names}, {classifier}", flush=True)
    records = [
        _record(data, "fixed set", classifier, {"validation": validation, "test": test}, test)
    ]
    trees = MaskedTrees(data)
    methods = {
        "AcquiringClassifier": lambda: acquiring(data, test.mean_cost),
        "cheapest fixed set": lambda: sets_of_front(data, evaluated),
        "fixed order": lambda: in_fixed_order(data, order[:20]),
        "AACO": lambda: peers(data, aaco, trees),
        "greedy CMI": lambda: peers(data, greedy_cmi, trees),
    }
    acquired_cost = 0.0
    for method, settings in methods.items():
        start = time.process_time()
        listed = list(settings())
        for setting, parts in listed:
            shown = (f"{p} {o.accuracy:.4f} at {o.mean_cost:.4g}" for p, o in parts.items())
            print(f"  {method}, {setting}: {'; '.join(shown)}", flush=True)
        setting, parts = chosen(listed, validation.accuracy)
        records.append(_record(data, method, setting, parts, test))
        acquired_cost = acquired_cost or parts["validation"].mean_cost  # of the first method
        setting, parts = most_accurate(listed, acquired_cost)
        records.append(_record(data, f"{method}, equal cost", setting, parts, test))
        print(f"  {method}: {time.process_time() - start:.0f} CPU seconds", flush=True)
    return records


def _record(
    data: Data, method: str, setting: str, parts: dict[str, Outcome], fixed: Outcome
) -> dict:
    test = parts["test"]
    n = len(test.correct)
    difference = test.correct.astype(float) - fixed.correct[:n]
    return {
        "table": data.name, "method": method, "setting": setting, "rows": n,
        "validation accuracy": parts["validation"].accuracy, "accuracy": test.accuracy,
        "cost": test.mean_cost,
        "difference": difference.mean(), "error": difference.std() / np.sqrt(n),
        "times cheaper": fixed.mean_cost / test.mean_cost if test.mean_cost else np.inf,
    }  # fmt: skip


def main() -> None:
    """Compare the methods on all tables."""
    parser = argparse.ArgumentParser(description="Cost of acquired columns and of fixed sets.")
    parser.add_argument("out", type=Path)
    parser.add_argument("--rows", type=int, default=500)
    report.add_json(parser)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    records = []
    for name, n_train in (("duplication-300", 4000), ("clinic", 2000), ("mechanisms-200", 4000)):
        records += compare(load(name, n_train, options.rows))
        frame = pd.DataFrame(records)
        frame.to_csv(options.out / "acquisition.csv", index=False)
        print(
            frame[frame["table"] == name].to_string(index=False, float_format="{:.4g}".format),
            flush=True,
        )
    print(f"{time.process_time():.0f} CPU seconds in total")
    report.write(
        options,
        {
            f"{row['table']} {row['method']} {column}": row[column]
            for row in records
            for column in ("accuracy", "difference", "error", "times cheaper")
        },
    )


if __name__ == "__main__":
    main()
