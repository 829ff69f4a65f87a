"""Accuracy at equal cost: netchoice's selectors next to LightGBM, bcselector and scikit-learn.

Three pairs of tables: `ba` and `duplication` with 1000 nodes, as in the paper, and `mechanisms` with 200
nodes, where classes overlap. Every method offers sets of features, learnt on the training table. Within a
budget the set with the best cross-validation on the training table is taken, and its accuracy on the test
table is reported: nothing is judged by what it was chosen by. Sets are scored by 10 nearest neighbours
after standardising, in 10 folds; LightGBM's models also by themselves.

Without folders the tables are simulated, as by `netchoice simulate ba --nodes 1000 --samples 5000 --seed 1
--stream train` and so on. One thread for each pair of tables, two pairs at a time; CPU seconds.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

import netchoice
from netchoice.costs import CostModel
from netchoice.evaluation import penalty_grid, wilson
from netchoice.evaluation.scores import ByNeighbours, Scores, make_folds
from netchoice.selection import METHODS, WEIGHTED_METHODS, get_selector, rank_path

HARDER = ("mechanisms", 200)
KS = range(1, 16)
N_BUDGETS = 9
FOLDS = 10
ALL_OURS = "netchoice, all methods"
THEN_TREES = "netchoice, then LightGBM"
SFS_ROWS, SFS_SIZES = 1000, (1, 2, 3, 4, 6, 8)
#: Shares of the cost of all features times these, against the gain of a split.
TRADEOFFS = (0.0, *np.geomspace(1e-1, 1e8, 37))
SPLIT_COSTS = (0.0, 0.02)  # per row in the leaf, of a gain of about 1 for a perfect split
CHOOSING_FOLDS = 3  # of LightGBM's own models: each fold is a whole fit
DIFFERENCES = (0.0, 0.01, 0.1, 1.0, 10.0, 100.0)
FRACTIONS = (0.1, 0.25, 0.5, 1.0, 2.0)
#: The classes that bcselector gets of every column, of about equal size.
N_CLASSES = 10


class Pair(NamedTuple):
    """A table to learn from, one to judge by, and what they are."""

    name: str
    train: netchoice.ReferenceTable
    test: netchoice.ReferenceTable
    paper_family: str | None  # whose published costs hold for it


class Offer(NamedTuple):
    """A set that a method proposes; its own accuracies where it is a classifier."""

    method: str
    features: tuple[str, ...]
    list_name: str  # the list it was made for
    own: tuple[float, float] | None = None  # cross-validation on train, test


class Reading(NamedTuple):
    """A list of costs, and how a set is charged."""

    list_name: str
    costs: CostModel
    charge: str

    def of(self, features) -> float:
        """The cost of a set."""
        return self.costs.cost_of_set(features, self.charge)


def readings(pair: Pair) -> dict[str, Reading]:
    """The ways to cost a set on this pair."""
    measured = pair.train.costs
    found = {
        "measured, shared": Reading("measured", measured, "shared"),
        "measured, alone": Reading("measured", measured, "alone"),
    }
    if pair.paper_family:
        published = CostModel.of(netchoice.paper_costs(pair.paper_family))
        found["paper, alone"] = Reading("paper", published, "alone")
    return found


# What the methods propose


def by_netchoice(pair: Pair, method: str, ways: dict[str, Reading]) -> Iterator[Offer]:
    """Prefixes of all rankings along the penalties, for every way to cost."""
    X, y = pair.train.X, pair.train.y
    selectors = {}
    for name, way in ways.items():
        if method in WEIGHTED_METHODS and way.charge == "shared":
            continue  # refused: those of the costs alone are charged in both ways
        selectors[name] = get_selector(method, costs=way.costs, charge=way.charge)
    grids = [penalty_grid(way.costs, pair.train.features) for way in ways.values()]
    penalties = max(grids, key=max)
    if method in WEIGHTED_METHODS:
        penalties = penalties[::2]  # each is another forest
    path = rank_path(selectors, X, y, penalties)
    for (name, _), ranking in path.groupby(["method", "penalty"], sort=False):
        way = ways[name]
        label = way.list_name if method in WEIGHTED_METHODS else name
        order = ranking.sort_values("position")["feature"].tolist()
        for k in KS:
            yield Offer(method, tuple(order[:k]), label)


def by_lightgbm(pair: Pair, list_name: str, costs: CostModel) -> Iterator[Offer]:
    """Features that boosted trees use when each costs its cost once, and the trees themselves."""
    from sklearn.model_selection import StratifiedKFold

    X, y = pair.train.X, pair.train.y
    by_name = costs.alone(pair.train.features, "share")
    shares = list(by_name.values())
    folds = list(StratifiedKFold(CHOOSING_FOLDS, shuffle=True, random_state=0).split(X, y))
    seen = set()
    for tradeoff in TRADEOFFS:
        for split in SPLIT_COSTS if tradeoff else (0.0,):
            model = _boosted(tradeoff, split, shares).fit(X, y)
            used = tuple(X.columns[model.feature_importances_ > 0])
            told = tuple(model.predict(pair.test.X[pair.train.features]))
            if not used or (used, told) in seen:
                continue
            seen.add((used, told))
            # Of the set that has a cost, and gains grow with rows: fewer rows, lower penalties. Free
            # to choose, the folds use other features, and tell of other sets than the one charged.
            right = 0
            for known, asked in folds:
                part = _boosted(tradeoff * len(known) / len(y), split, [by_name[n] for n in used])
                part.fit(X[list(used)].iloc[known], y.iloc[known])
                right += (part.predict(X[list(used)].iloc[asked]) == y.iloc[asked]).sum()
            own = right / len(y), float(np.mean(pair.test.y == np.array(told)))
            yield Offer("LightGBM", used, list_name, own)


def _boosted(tradeoff: float, split: float, shares: list[float]):
    from lightgbm import LGBMClassifier

    return LGBMClassifier(
        n_estimators=50, verbose=-1, n_jobs=1, deterministic=True, force_row_wise=True,
        cegb_tradeoff=tradeoff or 1.0, cegb_penalty_split=split / tradeoff if tradeoff else 0.0,
        cegb_penalty_feature_coupled=shares if tradeoff else [0.0] * len(shares),
    )  # fmt: skip


def by_bcselector(pair: Pair, list_name: str, costs: CostModel, kind: str) -> Iterator[Offer]:
    """Prefixes of its JMI rankings; columns in ten classes, costs divided by the largest."""
    from bcselector.variable_selection import DiffVariableSelector, FractionVariableSelector

    names = pair.train.features
    binned = pair.train.X.rank(pct=True, method="max").mul(N_CLASSES - 0.001).astype(int)
    codes = np.unique(pair.train.y, return_inverse=True)[1]
    alone = np.array([costs.cost(name) for name in names])
    for weight in DIFFERENCES if kind == "difference" else FRACTIONS:
        how = {"lamb": weight} if kind == "difference" else {"r": weight}
        peer = DiffVariableSelector() if kind == "difference" else FractionVariableSelector()
        peer.fit(
            binned.to_numpy(), codes, list(alone / alone.max()), j_criterion_func="jmi",
            number_of_features=max(KS), test_size=1, **how,
        )  # fmt: skip
        order = [names[i] for i in peer.variables_selected_order]
        for k in KS:
            yield Offer(f"bcselector, {kind}", tuple(order[:k]), list_name)


def by_scikit_learn(pair: Pair) -> Iterator[Offer]:
    """Forward selection by the accuracy of nearest neighbours, blind to costs, on some rows."""
    from sklearn.feature_selection import SequentialFeatureSelector
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    X, y = pair.train.X[:SFS_ROWS], pair.train.y[:SFS_ROWS]
    X = X.loc[:, X.nunique() > 1]
    for size in SFS_SIZES:
        classifier = make_pipeline(StandardScaler(), KNeighborsClassifier(10))
        selector = SequentialFeatureSelector(classifier, n_features_to_select=size, cv=5).fit(X, y)
        yield Offer("sequential (scikit-learn)", tuple(X.columns[selector.get_support()]), "none")


def proposals(pair: Pair, ways: dict[str, Reading]) -> tuple[list[Offer], dict[str, float]]:
    """All sets of all methods, and the CPU seconds that each method took to find them."""
    lists = {way.list_name: way.costs for way in ways.values()}
    work: list[tuple[str, Callable[[], Iterator[Offer]]]] = [
        (method, lambda method=method: by_netchoice(pair, method, ways)) for method in METHODS
    ]
    for name, costs in lists.items():
        work.append(("LightGBM", lambda n=name, c=costs: by_lightgbm(pair, n, c)))
        for kind in ("difference", "fraction"):
            label = f"bcselector, {kind}"
            work.append((label, lambda n=name, c=costs, k=kind: by_bcselector(pair, n, c, k)))
    work.append(("sequential (scikit-learn)", lambda: by_scikit_learn(pair)))
    offers, seconds = [], {}
    for method, propose in work:
        start = time.process_time()
        try:
            offers += propose()
        except ImportError as error:
            print(f"{method} is absent ({error}); make bench installs it", flush=True)
            continue
        seconds[method] = seconds.get(method, 0.0) + time.process_time() - start
    return offers, seconds


# Judging them


class Neighbours:
    """Accuracy of sets by 10 nearest neighbours in 10 folds of one table."""

    def __init__(self, table: netchoice.ReferenceTable, names: list[str]) -> None:
        codes, folds = make_folds(table.y.to_numpy(), FOLDS, 0)
        scorer = ByNeighbours(table.X[names].to_numpy(dtype=float), codes, folds)
        self._scores = Scores(names, scorer, FOLDS, "")
        self._n = len(codes)

    def __call__(self, sets: list[tuple[str, ...]]) -> dict[frozenset[str], float]:
        """Of each set; shorter sequences are scored on the way of longer ones."""
        wanted = set(sets)
        longer = {order[:k] for order in wanted for k in range(1, len(order))}
        for order in wanted - longer:
            ks = [k for k in range(1, len(order) + 1) if order[:k] in wanted]
            self._scores.compute([order], ks)
        return {frozenset(order): sum(self._scores[order].correct) / self._n for order in wanted}


def judged(pair: Pair) -> tuple[pd.DataFrame, dict[str, float]]:
    """For every way to cost, budget and method: the set chosen on train, and how it does on test."""
    ways = readings(pair)
    offers, seconds = proposals(pair, ways)
    start = time.process_time()
    names = pair.train.features
    on_train = Neighbours(pair.train, names)([offer.features for offer in offers])
    chosen = [
        row for name, way in ways.items() for row in choices(pair, name, way, offers, on_train)
    ]
    on_test = Neighbours(pair.test, names)([row["features"] for row in chosen])
    for row in chosen:
        own = row.pop("own_test")
        row["accuracy"] = on_test[frozenset(row["features"])] if pd.isna(own) else own
    seconds["scoring all sets"] = time.process_time() - start
    chosen += with_trees(pair, chosen)
    for row in chosen:
        row["low"], row["high"] = wilson(row["accuracy"], len(pair.test))
        row["features"] = " ".join(row["features"])
    return pd.DataFrame(chosen), seconds


def with_trees(pair: Pair, chosen: list[dict]) -> list[dict]:
    """Our sets, chosen by neighbours, told by LightGBM: what is due to features, what to trees."""
    told, rows = {}, [row for row in chosen if row["method"] == ALL_OURS]
    for row in rows if any(row["method"].startswith("LightGBM") for row in chosen) else ():
        names = row["features"]
        if names not in told:
            model = _boosted(0.0, 0.0, [0.0] * len(names))
            model.fit(pair.train.X[list(names)], pair.train.y)
            told[names] = float(np.mean(model.predict(pair.test.X[list(names)]) == pair.test.y))
    return [
        {**row, "method": THEN_TREES, "accuracy": told[row["features"]]} for row in rows if told
    ]


def choices(
    pair: Pair, name: str, way: Reading, offers: list[Offer], on_train: dict[frozenset[str], float]
) -> Iterator[dict]:
    """The best set of each method by cross-validation on train within each budget."""
    rows = []
    for offer in offers:
        if offer.list_name not in (name, way.list_name, "none"):
            continue
        common = {"features": offer.features, "cost": way.of(offer.features)}
        scored = {**common, "chosen_by": on_train[frozenset(offer.features)], "own_test": None}
        if offer.own:
            rows.append({"method": "LightGBM, neighbours", **scored})
            own = {"chosen_by": offer.own[0], "own_test": offer.own[1]}
            rows.append({"method": "LightGBM, its trees", **common, **own})
        else:
            rows.append({"method": offer.method, **scored})
            if offer.method in METHODS:
                rows.append({"method": ALL_OURS, **scored})
    frame = pd.DataFrame(rows).sort_values(["chosen_by", "cost"], ascending=[False, True])
    for budget in budgets(pair, way):
        for method, sets in frame[frame["cost"] <= budget].groupby("method", sort=False):
            yield {
                "table": pair.name, "reading": name, "budget": budget, "method": method,
                "offered": len(sets), **sets.iloc[0].drop("method").to_dict(),
            }  # fmt: skip


def budgets(pair: Pair, way: Reading) -> np.ndarray:
    """Evenly in ratio, from the cheapest informative feature to the cost of all."""
    told = netchoice.information.relevance(pair.train.X, pair.train.y)
    some = [name for name, nats in zip(pair.train.features, told, strict=True) if nats > 0.05]
    cheapest = min(way.of([name]) for name in some)
    return np.geomspace(cheapest, way.of(pair.train.features), N_BUDGETS) * (1 + 1e-9)


# Telling


def as_markdown(frame: pd.DataFrame, reading: str, table: str) -> str:
    """Error rates in percent, methods by budgets; in bold what no other one is below."""
    some = frame[(frame["reading"] == reading) & (frame["table"] == table)]
    errors = some.pivot(index="method", columns="budget", values="accuracy").rsub(1).mul(100)
    order = [name for name in (ALL_OURS, THEN_TREES, *METHODS) if name in errors.index]
    errors = errors.loc[order + sorted(set(errors.index) - set(order))]
    best = errors.min()
    lines = [
        f"| {table}, {reading} | " + " | ".join(_money(b) for b in errors.columns) + " |",
        "|---" * (1 + len(errors.columns)) + "|",
    ]
    for method, row in errors.iterrows():
        cells = [
            "–" if np.isnan(e) else f"**{e:.2f}**" if e <= best[b] + 1e-9 else f"{e:.2f}"
            for b, e in row.items()
        ]
        lines.append(f"| {method} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _money(seconds: float) -> str:
    from netchoice.figures.data.costs import cost_text

    return cost_text(float(f"{seconds:.2g}"))


def picture(frame: pd.DataFrame, path: Path, reading: str = "measured, shared") -> None:
    """Error rate against cost, a panel for each pair of tables on which methods differ."""
    from matplotlib.figure import Figure

    from netchoice.figures.static import axes
    from netchoice.figures.style import series_styles

    shown = [
        ALL_OURS, THEN_TREES, "LightGBM, its trees", "LightGBM, neighbours", "bcselector, difference",
        "sequential (scikit-learn)",
    ]  # fmt: skip
    looks = series_styles(shown)
    frame = frame[(frame["reading"] == reading) & frame["method"].isin(shown)]
    tables = [table for table, rows in frame.groupby("table", sort=False) if _differ(rows)]
    if not tables:
        return
    figure = Figure(figsize=(4.2 * len(tables), 4.8), dpi=axes.DPI, layout="constrained")
    for ax, table in zip(np.ravel(figure.subplots(1, len(tables))), tables, strict=True):
        some = frame[frame["table"] == table]
        for place, (method, look) in enumerate(looks.items()):
            rows = some[some["method"] == method].sort_values("budget")
            aside = 1.06 ** (place - len(looks) / 2)  # so that none hides another
            ax.errorbar(
                aside * rows["budget"], 1 - rows["accuracy"], color=look.colour, marker=look.marker,
                yerr=[rows["high"] - rows["accuracy"], rows["accuracy"] - rows["low"]],
                linestyle=look.line, markersize=5, linewidth=1.4, elinewidth=0.8, label=method,
            )  # fmt: skip
        ax.set_yscale("symlog", linthresh=1e-3)
        ax.set_ylim(-1e-4, 1)
        ax.set_yticks([0, 1e-3, 1e-2, 1e-1, 1], ["0", "0.1%", "1%", "10%", "100%"])
        axes.cost_axis(ax.xaxis, some["budget"], "s", "cost of the set per network, at most")
        ax.set_title(table, fontsize=10)
        ax.grid(alpha=0.3)
    figure.axes[0].set_ylabel("error rate on the test table")
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, fontsize=9, frameon=False)
    axes.save(figure, path)


def _differ(rows: pd.DataFrame) -> bool:
    """Whether there is anything to see."""
    return rows["accuracy"].nunique() > 1


# Tables


def pairs(arguments: argparse.Namespace) -> list[Pair]:
    """The given folders, or simulated tables."""
    if arguments.train:
        train, test = (netchoice.ReferenceTable.load(p) for p in (arguments.train, arguments.test))
        name = arguments.family or "given tables"
        return [_pair(name, train, test, arguments.family, arguments.rows)]
    wanted = [("ba", 1000, "ba"), ("duplication", 1000, "duplication"), (*HARDER, None)]
    found = []
    for space, nodes, family in wanted:
        tables = (table_of(space, nodes, stream, arguments) for stream in ("train", "test"))
        found.append(_pair(f"{space}, {nodes} nodes", *tables, family, arguments.rows))
    return found


def table_of(space: str, nodes: int, stream: str, arguments) -> netchoice.ReferenceTable:
    """A table of the folder, or a simulated one, which is left there."""
    folder = Path(arguments.tables, f"{space}_{stream}") if arguments.tables else None
    if folder and folder.exists():
        return netchoice.ReferenceTable.load(folder)
    return netchoice.simulate_table(
        space, n_nodes=nodes, n_samples=arguments.rows or 5000, seed=1, stream=stream, path=folder
    )


def _pair(name, train, test, family, rows) -> Pair:
    return Pair(name, first_rows(train, rows).drop_constant(), first_rows(test, rows), family)


def first_rows(table: netchoice.ReferenceTable, rows: int | None) -> netchoice.ReferenceTable:
    """The first rows, at the costs of the whole table."""
    if rows is None or rows >= len(table):
        return table
    return netchoice.ReferenceTable(table.frame[:rows], table.manifest, table.costs)


def main() -> int:
    """Compare, print, and write the table and the picture."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--train", help="folder of a table to select on")
    parser.add_argument("--test", help="folder of a table to judge by")
    parser.add_argument("--family", choices=["ba", "duplication"], help="of the published costs")
    parser.add_argument("--tables", help="folder that keeps simulated tables")
    parser.add_argument("--rows", type=int, help="of each table; all by default")
    parser.add_argument("--out", type=Path, help="folder for peers.csv, peers.md and peers.png")
    arguments = parser.parse_args()
    if bool(arguments.train) != bool(arguments.test):
        parser.error("give --train and --test together")
    warnings.simplefilter("ignore")
    with ProcessPoolExecutor(2) as pool:
        compared = pairs(arguments)
        results = list(pool.map(judged, compared))
    frame = pd.concat([frame for frame, _ in results], ignore_index=True)
    told = [
        as_markdown(frame, reading, table)
        for table, reading in frame[["table", "reading"]].drop_duplicates().itertuples(index=False)
    ]
    seconds = pd.DataFrame([s for _, s in results], index=[pair.name for pair in compared]).T
    told.append(seconds.round(1).rename_axis("CPU seconds").to_markdown())
    print("\n\n".join(told))
    if arguments.out:
        arguments.out.mkdir(parents=True, exist_ok=True)
        frame.to_csv(arguments.out / "peers.csv", index=False)
        (arguments.out / "peers.md").write_text("\n\n".join(told) + "\n")
        picture(frame, arguments.out / "peers.png")
    return 0


if __name__ == "__main__":
    sys.exit(main())
