"""Accuracy at equal cost: netchoice's selectors, LightGBM, bcselector and scikit-learn.

Three pairs of tables: `ba` and `duplication` with 1000 nodes, as in the paper, and `mechanisms` with 200
nodes, where classes overlap. Every method proposes sets of features, learnt on the training table. Within
a budget, the set with the best cross-validated accuracy on the training table is chosen, and its accuracy
on the test table is reported. The test table has no part in the choice. Sets are scored by 10 nearest
neighbours after standardisation, in 10 folds; LightGBM's models are also scored by themselves. The sets
that neighbours choose from all methods of netchoice are also classified by LightGBM and by netchoice's
regression.

Without folders, the tables are simulated, as by `netchoice simulate ba --nodes 1000 --samples 5000 --seed 1
--stream train`. Two pairs of tables run at a time, with one thread each. Times are CPU seconds.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import report

import netchoice
from netchoice.costs import CostModel
from netchoice.evaluation import penalty_grid
from netchoice.evaluation.scorers import NeighboursScorer
from netchoice.evaluation.scores import Scores, make_folds
from netchoice.features import paper_costs
from netchoice.inference import SmoothRegression
from netchoice.inference.reliability import reliability
from netchoice.inference.wilson_interval import wilson
from netchoice.selection import METHODS, get_selector, rank_path
from netchoice.selection.methods import WEIGHTED_METHODS

HARDER = ("mechanisms", 200)
KS = range(1, 16)
N_BUDGETS = 9
FOLDS = 10
ALL_OURS = "netchoice, all methods"
THEN_TREES = "netchoice, then LightGBM"
THEN_REGRESSION = "netchoice, then regression"
SFS_ROWS, SFS_SIZES = 1000, (1, 2, 3, 4, 6, 8)
#: Factors between the cost of a feature, as a share of the total, and the gain of a split.
TRADEOFFS = (0.0, *np.geomspace(1e-1, 1e8, 37))
SPLIT_COSTS = (0.0, 0.02)  # per row in the leaf; a perfect split gains about 1
LIGHTGBM_FOLDS = 3  # few, because each fold is a complete fit
DIFFERENCES = (0.0, 0.01, 0.1, 1.0, 10.0, 100.0)
FRACTIONS = (0.1, 0.25, 0.5, 1.0, 2.0)
#: Bins of about equal size per column, for bcselector.
N_BINS = 10
LIGHTGBM_TREES, LIGHTGBM_NEIGHBOURS = "LightGBM, its trees", "LightGBM, neighbours"
SEQUENTIAL = "sequential (scikit-learn)"


class Pair(NamedTuple):
    """A table to learn from and a table to test on."""

    name: str
    train: netchoice.ReferenceTable
    test: netchoice.ReferenceTable
    paper_family: str | None  # family of the paper's printed costs, if there are any


class Proposal(NamedTuple):
    """A set of features that a method proposes; with accuracies if the method also classifies."""

    method: str
    features: tuple[str, ...]
    cost_list: str  # costs that the set was found with
    accuracies: tuple[float, float] | None = None  # cross-validated on train; on test


class CostSetting(NamedTuple):
    """A list of costs, and the charge for a set."""

    cost_list: str
    costs: CostModel
    charge: str

    def cost(self, features) -> float:
        """Return the cost of a set."""
        return self.costs.cost_of_set(features, self.charge)


def cost_settings(pair: Pair) -> dict[str, CostSetting]:
    """Return the cost settings for a pair of tables, by name."""
    measured = pair.train.costs
    settings = {
        "measured, shared": CostSetting("measured", measured, "shared"),
        "measured, alone": CostSetting("measured", measured, "alone"),
    }
    if pair.paper_family:
        published = CostModel.of(paper_costs(pair.paper_family))
        settings["paper, alone"] = CostSetting("paper", published, "alone")
    return settings


# Proposals


def by_netchoice(pair: Pair, method: str, settings: dict[str, CostSetting]) -> Iterator[Proposal]:
    """Propose the first features of all rankings along the penalties, for every cost setting."""
    weighted = method in WEIGHTED_METHODS
    selectors = {
        name: get_selector(method, costs=setting.costs, charge=setting.charge)
        for name, setting in settings.items()
        if not (weighted and setting.charge == "shared")
    }
    grids = [penalty_grid(setting.costs, pair.train.features) for setting in settings.values()]
    penalties = max(grids, key=max)[:: 2 if weighted else 1]
    path = rank_path(selectors, pair.train.X, pair.train.y, penalties)
    for (name, _), ranking in path.groupby(["method", "penalty"], sort=False):
        label = settings[name].cost_list if weighted else name
        order = ranking.sort_values("position")["feature"].tolist()
        for k in KS:
            yield Proposal(method, tuple(order[:k]), label)


def by_lightgbm(pair: Pair, cost_list: str, costs: CostModel) -> Iterator[Proposal]:
    """Propose the features that boosted trees use when each costs a penalty, with the trees."""
    from sklearn.model_selection import StratifiedKFold

    X, y = pair.train.X, pair.train.y
    by_name = costs.alone(pair.train.features, "share")
    shares = list(by_name.values())
    folds = list(StratifiedKFold(LIGHTGBM_FOLDS, shuffle=True, random_state=0).split(X, y))
    seen = set()
    for tradeoff in TRADEOFFS:
        for split in SPLIT_COSTS if tradeoff else (0.0,):
            model = _boosted(tradeoff, split, shares).fit(X, y)
            used = tuple(X.columns[model.feature_importances_ > 0])
            predicted = tuple(model.predict(pair.test.X[pair.train.features]))
            if not used or (used, predicted) in seen:
                continue
            seen.add((used, predicted))
            # The folds use only the features of the set that is charged. Gains grow with the number
            # of rows, so the penalties are lowered in proportion.
            n_correct = 0
            for train, test in folds:
                part = _boosted(tradeoff * len(train) / len(y), split, [by_name[n] for n in used])
                part.fit(X[list(used)].iloc[train], y.iloc[train])
                n_correct += (part.predict(X[list(used)].iloc[test]) == y.iloc[test]).sum()
            on_test = float(np.mean(pair.test.y == np.array(predicted)))
            yield Proposal("LightGBM", used, cost_list, (n_correct / len(y), on_test))


def _boosted(tradeoff: float, split: float, shares: list[float]):
    from lightgbm import LGBMClassifier

    return LGBMClassifier(
        n_estimators=50, verbose=-1, n_jobs=1, deterministic=True, force_row_wise=True,
        cegb_tradeoff=tradeoff or 1.0, cegb_penalty_split=split / tradeoff if tradeoff else 0.0,
        cegb_penalty_feature_coupled=shares if tradeoff else [0.0] * len(shares),
    )  # fmt: skip


def by_bcselector(pair: Pair, cost_list: str, costs: CostModel, kind: str) -> Iterator[Proposal]:
    """Propose the first features of JMI rankings on binned columns; the largest cost is 1."""
    from bcselector.variable_selection import DiffVariableSelector, FractionVariableSelector

    names = pair.train.features
    binned = pair.train.X.rank(pct=True, method="max").mul(N_BINS - 0.001).astype(int)
    codes = np.unique(pair.train.y, return_inverse=True)[1]
    alone = np.array([costs.cost(name) for name in names])
    for weight in DIFFERENCES if kind == "difference" else FRACTIONS:
        parameter = {"lamb": weight} if kind == "difference" else {"r": weight}
        peer = DiffVariableSelector() if kind == "difference" else FractionVariableSelector()
        peer.fit(
            binned.to_numpy(), codes, list(alone / alone.max()), j_criterion_func="jmi",
            number_of_features=max(KS), test_size=1, **parameter,
        )  # fmt: skip
        order = [names[i] for i in peer.variables_selected_order]
        for k in KS:
            yield Proposal(f"bcselector, {kind}", tuple(order[:k]), cost_list)


def by_scikit_learn(pair: Pair) -> Iterator[Proposal]:
    """Propose sets by forward selection, which ignores costs, on the first rows."""
    from sklearn.feature_selection import SequentialFeatureSelector
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    X, y = pair.train.X[:SFS_ROWS], pair.train.y[:SFS_ROWS]
    X = X.loc[:, X.nunique() > 1]
    for size in SFS_SIZES:
        classifier = make_pipeline(StandardScaler(), KNeighborsClassifier(10))
        selector = SequentialFeatureSelector(classifier, n_features_to_select=size, cv=5).fit(X, y)
        yield Proposal(SEQUENTIAL, tuple(X.columns[selector.get_support()]), "none")


def proposals(
    pair: Pair, settings: dict[str, CostSetting]
) -> tuple[list[Proposal], dict[str, float]]:
    """Return the proposals of all methods, and the CPU seconds of each method."""
    lists = {setting.cost_list: setting.costs for setting in settings.values()}
    work: list[tuple[str, Callable[[], Iterator[Proposal]]]] = [
        (method, lambda method=method: by_netchoice(pair, method, settings)) for method in METHODS
    ]
    for name, costs in lists.items():
        work.append(("LightGBM", lambda n=name, c=costs: by_lightgbm(pair, n, c)))
        for kind in ("difference", "fraction"):
            label = f"bcselector, {kind}"
            work.append((label, lambda n=name, c=costs, k=kind: by_bcselector(pair, n, c, k)))
    work.append((SEQUENTIAL, lambda: by_scikit_learn(pair)))
    proposed, seconds = [], {}
    for method, propose in work:
        start = time.process_time()
        try:
            proposed += propose()
        except ImportError as error:
            print(f"{method} is not installed ({error}); make results installs it", flush=True)
            continue
        seconds[method] = seconds.get(method, 0.0) + time.process_time() - start
    return proposed, seconds


# Evaluation


class NeighbourAccuracy:
    """Accuracy of sets of features by 10 nearest neighbours, in 10 folds of one table."""

    def __init__(self, table: netchoice.ReferenceTable, names: list[str]) -> None:
        target = table.target
        folds = make_folds(target, FOLDS, 0)
        scorer = NeighboursScorer(table.X[names].to_numpy(dtype=float), target, folds)
        self._scores = Scores(names, scorer, FOLDS, "")
        self._n = len(target)

    def __call__(self, sets: list[tuple[str, ...]]) -> dict[frozenset[str], float]:
        """Return the accuracy of each set; prefixes of longer sequences are scored with them."""
        wanted = set(sets)
        prefixes = {order[:k] for order in wanted for k in range(1, len(order))}
        for order in wanted - prefixes:
            ks = [k for k in range(1, len(order) + 1) if order[:k] in wanted]
            self._scores.compute([[order] * FOLDS], ks)
        scores = {order: self._scores.of([order] * FOLDS) for order in wanted}
        return {frozenset(order): sum(score.correct) / self._n for order, score in scores.items()}


def evaluate_pair(pair: Pair) -> tuple[pd.DataFrame, dict[str, float]]:
    """Return the chosen set of each method by cost setting and budget, with its test accuracy."""
    settings = cost_settings(pair)
    proposed, seconds = proposals(pair, settings)
    start = time.process_time()
    names = pair.train.features
    on_train = NeighbourAccuracy(pair.train, names)([proposal.features for proposal in proposed])
    chosen = [
        row
        for name, setting in settings.items()
        for row in choices(pair, name, setting, proposed, on_train)
    ]
    on_test = NeighbourAccuracy(pair.test, names)([row["features"] for row in chosen])
    for row in chosen:
        own = row.pop("own_test")
        row["accuracy"] = on_test[frozenset(row["features"])] if pd.isna(own) else own
    seconds["scoring all sets"] = time.process_time() - start
    chosen += [*with_trees(pair, chosen), *with_regression(pair, chosen, seconds)]
    for row in chosen:
        row["low"], row["high"] = wilson(row["accuracy"], len(pair.test))
        row["features"] = " ".join(row["features"])
    return pd.DataFrame(chosen), seconds


def with_trees(pair: Pair, chosen: list[dict]) -> list[dict]:
    """Return netchoice's sets classified by LightGBM, to separate features from classifier."""
    if LIGHTGBM_TREES not in {row["method"] for row in chosen}:
        return []
    accuracies, rows = {}, [row for row in chosen if row["method"] == ALL_OURS]
    for names in {row["features"]: None for row in rows}:
        model = _boosted(0.0, 0.0, [0.0] * len(names))
        model.fit(pair.train.X[list(names)], pair.train.y)
        accuracies[names] = float(np.mean(model.predict(pair.test.X[list(names)]) == pair.test.y))
    return [{**row, "method": THEN_TREES, "accuracy": accuracies[row["features"]]} for row in rows]


def with_regression(pair: Pair, chosen: list[dict], seconds: dict[str, float]) -> list[dict]:
    """Return netchoice's sets classified by its regression, with the expected calibration error."""
    start = time.process_time()
    found, rows = {}, [row for row in chosen if row["method"] == ALL_OURS]
    for names in {row["features"]: None for row in rows}:
        fitted = SmoothRegression.fit(pair.train.X[list(names)].to_numpy(float), pair.train.y)
        probabilities = fitted.predict_proba(pair.test.X[list(names)].to_numpy(float))
        correct = np.array(fitted.models)[probabilities.argmax(axis=1)] == pair.test.y.to_numpy()
        table = reliability(probabilities.max(axis=1), correct)
        gaps = (table["predicted"] - table["observed"]).abs() * table["n"]
        found[names] = {"accuracy": float(correct.mean()), "ece": gaps.sum() / len(correct)}
    seconds[THEN_REGRESSION] = time.process_time() - start
    return [{**row, "method": THEN_REGRESSION, **found[row["features"]]} for row in rows]


def choices(
    pair: Pair,
    name: str,
    setting: CostSetting,
    proposed: list[Proposal],
    on_train: dict[frozenset[str], float],
) -> Iterator[dict]:
    """Yield the best set of each method within each budget, by cross-validation on train."""
    rows = []
    for proposal in proposed:
        if proposal.cost_list not in (name, setting.cost_list, "none"):
            continue
        common = {"features": proposal.features, "cost": setting.cost(proposal.features)}
        scored = {**common, "chosen_by": on_train[frozenset(proposal.features)], "own_test": None}
        if proposal.accuracies:
            rows.append({"method": LIGHTGBM_NEIGHBOURS, **scored})
            own = dict(zip(("chosen_by", "own_test"), proposal.accuracies, strict=True))
            rows.append({"method": LIGHTGBM_TREES, **common, **own})
        else:
            rows.append({"method": proposal.method, **scored})
            if proposal.method in METHODS:
                rows.append({"method": ALL_OURS, **scored})
    frame = pd.DataFrame(rows).sort_values(["chosen_by", "cost"], ascending=[False, True])
    for budget in budgets(pair, setting):
        for method, sets in frame[frame["cost"] <= budget].groupby("method", sort=False):
            yield {
                "table": pair.name, "setting": name, "budget": budget, "method": method,
                "n_sets": len(sets), **sets.iloc[0].drop("method").to_dict(),
            }  # fmt: skip


def budgets(pair: Pair, setting: CostSetting) -> np.ndarray:
    """Return budgets in equal ratios, from the cheapest informative feature to all features."""
    nats = netchoice.information.relevance(pair.train.X, pair.train.y)
    names = pair.train.features
    informative = [name for name, value in zip(names, nats, strict=True) if value > 0.05]
    cheapest = min(setting.cost([name]) for name in informative)
    return np.geomspace(cheapest, setting.cost(names), N_BUDGETS) * (1 + 1e-9)


# Results


def as_markdown(frame: pd.DataFrame, setting: str, table: str) -> str:
    """Return error rates in percent, methods by budgets, with the lowest of each budget in bold."""
    rows = frame[(frame["setting"] == setting) & (frame["table"] == table)]
    errors = rows.pivot(index="method", columns="budget", values="accuracy").rsub(1).mul(100)
    first = (ALL_OURS, THEN_REGRESSION, THEN_TREES, *METHODS)
    order = [name for name in first if name in errors.index]
    errors = errors.loc[order + sorted(set(errors.index) - set(order))]
    best = errors.min()
    lines = [
        f"| {table}, {setting} | " + " | ".join(_cost_text(b) for b in errors.columns) + " |",
        "|---" * (1 + len(errors.columns)) + "|",
    ]
    for method, row in errors.iterrows():
        cells = [
            "–" if np.isnan(e) else f"**{e:.2f}**" if e <= best[b] + 1e-9 else f"{e:.2f}"
            for b, e in row.items()
        ]
        lines.append(f"| {method} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def errors_of(frame: pd.DataFrame) -> dict[str, float]:
    """Return the error rate of each method on the last tables, by number of the budget, from the smallest."""
    rows = frame[
        (frame["setting"] == "measured, shared") & (frame["table"] == frame["table"].iloc[-1])
    ]
    errors = rows.pivot(index="method", columns="budget", values="accuracy").rsub(1)
    found = {
        f"{method.replace(',', '')} {number}": float(error)
        for method, row in errors.iterrows()
        for number, error in enumerate(row, start=1)
    }
    return found | {f"cost {i}": _cost_text(b) for i, b in enumerate(errors.columns, start=1)}


def _cost_text(seconds: float) -> str:
    from netchoice.figures.cost_figures import cost_text

    return cost_text(float(f"{seconds:.2g}"))


def draw(frame: pd.DataFrame, path: Path, setting: str = "measured, shared") -> None:
    """Draw error rate against cost, one panel per pair of tables on which methods differ."""
    from matplotlib.figure import Figure

    from netchoice.figures.axes import DPI, save
    from netchoice.figures.cost_figures import cost_axis
    from netchoice.figures.style import series_styles

    shown = [
        ALL_OURS, THEN_REGRESSION, THEN_TREES, LIGHTGBM_TREES, LIGHTGBM_NEIGHBOURS, "bcselector, difference",
        SEQUENTIAL,
    ]  # fmt: skip
    styles = series_styles(shown)
    frame = frame[(frame["setting"] == setting) & frame["method"].isin(shown)]
    tables = [table for table, rows in frame.groupby("table", sort=False) if _differ(rows)]
    if not tables:
        return
    figure = Figure(figsize=(4.2 * len(tables), 4.8), dpi=DPI, layout="constrained")
    for ax, table in zip(np.ravel(figure.subplots(1, len(tables))), tables, strict=True):
        own = frame[frame["table"] == table]
        for i, (method, style) in enumerate(styles.items()):
            rows = own[own["method"] == method].sort_values("budget")
            shift = 1.06 ** (i - len(styles) / 2)  # so that points do not overlap
            ax.errorbar(
                shift * rows["budget"], 1 - rows["accuracy"], color=style.colour, marker=style.marker,
                yerr=[rows["high"] - rows["accuracy"], rows["accuracy"] - rows["low"]],
                linestyle=style.line, markersize=5, linewidth=1.4, elinewidth=0.8, label=method,
            )  # fmt: skip
        ax.set_yscale("symlog", linthresh=1e-3)
        ax.set_ylim(-1e-4, 1)
        ax.set_yticks([0, 1e-3, 1e-2, 1e-1, 1], ["0", "0.1%", "1%", "10%", "100%"])
        cost_axis(ax.xaxis, own["budget"], "s", "largest cost of the set per network")
        ax.set_title(table, fontsize=10)
        ax.grid(alpha=0.3)
    figure.axes[0].set_ylabel("error rate on the test table")
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, fontsize=9, frameon=False)
    save(figure, path)


def _differ(rows: pd.DataFrame) -> bool:
    """Return whether accuracies differ at all."""
    return rows["accuracy"].nunique() > 1


# Tables


def pairs(arguments: argparse.Namespace) -> list[Pair]:
    """Return pairs of tables from the given folders, or simulated ones."""
    if arguments.train:
        train, test = (netchoice.ReferenceTable.load(p) for p in (arguments.train, arguments.test))
        name = arguments.family or "given tables"
        return [_pair(name, train, test, arguments.family, arguments.rows)]
    wanted = [("ba", 1000, "ba"), ("duplication", 1000, "duplication"), (*HARDER, None)]
    wanted = wanted[-1:] if arguments.harder else wanted
    return [
        _pair(
            f"{space}, {nodes} nodes",
            *(load_or_simulate(space, nodes, stream, arguments) for stream in ("train", "test")),
            family,
            arguments.rows,
        )
        for space, nodes, family in wanted
    ]


def load_or_simulate(space: str, nodes: int, stream: str, arguments) -> netchoice.ReferenceTable:
    """Return a table from the folder, or simulate it and save it there."""
    folder = Path(arguments.tables, f"{space}_{stream}") if arguments.tables else None
    if folder and folder.exists():
        return netchoice.ReferenceTable.load(folder)
    return netchoice.simulate_table(
        space, n_nodes=nodes, n_samples=arguments.rows or 5000, seed=1, stream=stream, out=folder
    )


def _pair(name, train, test, family, rows) -> Pair:
    return Pair(name, first_rows(train, rows).drop_constant(), first_rows(test, rows), family)


def first_rows(table: netchoice.ReferenceTable, rows: int | None) -> netchoice.ReferenceTable:
    """Return the first rows, with the costs of the complete table."""
    if rows is None or rows >= len(table):
        return table
    return netchoice.ReferenceTable(table.frame[:rows], table.manifest, table.costs)


def main() -> int:
    """Compare the methods, print the results, and write them with a figure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--train", help="folder of the training table")
    parser.add_argument("--test", help="folder of the test table")
    parser.add_argument(
        "--family", choices=["ba", "duplication"], help="family of the printed costs"
    )
    parser.add_argument("--tables", help="folder for simulated tables")
    parser.add_argument("--harder", action="store_true", help="only the models that overlap")
    parser.add_argument("--rows", type=int, help="rows per table; default: all")
    parser.add_argument("--out", type=Path, help="folder for peers.csv, peers.md and peers.png")
    report.add_json(parser)
    arguments = parser.parse_args()
    if bool(arguments.train) != bool(arguments.test):
        parser.error("give --train and --test together")
    warnings.simplefilter("ignore")
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        compared = pairs(arguments)
        results = list(pool.map(evaluate_pair, compared))
    frame = pd.concat([frame for frame, _ in results], ignore_index=True)
    pages = [
        as_markdown(frame, setting, table)
        for table, setting in frame[["table", "setting"]].drop_duplicates().itertuples(index=False)
    ]
    seconds = pd.DataFrame([s for _, s in results], index=[pair.name for pair in compared]).T
    pages.append(seconds.round(1).rename_axis("CPU seconds").to_markdown())
    print("\n\n".join(pages))
    report.write(arguments, errors_of(frame))
    if arguments.out:
        arguments.out.mkdir(parents=True, exist_ok=True)
        frame.to_csv(arguments.out / "peers.csv", index=False)
        (arguments.out / "peers.md").write_text("\n\n".join(pages) + "\n")
        draw(frame, arguments.out / "peers.png")
    return 0


if __name__ == "__main__":
    sys.exit(main())
