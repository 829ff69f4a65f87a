"""A pilot study: select features on small networks, and evaluate them on large ones."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import asdict, dataclass, field
from functools import partial
from importlib.metadata import version
from itertools import product
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from netchoice.atomic import write_text
from netchoice.cost_growth import CostGrowth
from netchoice.engines.processes import keep_workers
from netchoice.errors import UsageError
from netchoice.evaluation import evaluate_rankings
from netchoice.models.builtin import get_space
from netchoice.models.space import ModelSpace
from netchoice.names import unknown
from netchoice.progress import listener, shows_progress
from netchoice.selection import METHODS, CostAwareSelector
from netchoice.storage.kept_files import fingerprint_of
from netchoice.storage.kept_results import kept_frame
from netchoice.storage.listing import claim_files, output_folder
from netchoice.storage.manifest import fingerprint
from netchoice.storage.shards import disk_errors
from netchoice.storage.table import ReferenceTable
from netchoice.storage.table_columns import CALIBRATION_ROWS
from netchoice.stores import place
from netchoice.validation import check_integer, check_non_negative
from netchoice.workflows.pilot_inputs import (
    STAGE_UNITS,
    check_sizes,
    digest,
    fit_cost_growth,
    pilot_table,
    rank_pilot,
    records,
)
from netchoice.workflows.selectors import Methods
from netchoice.workflows.table_maker import Progress, TableMaker, features_by_name

if TYPE_CHECKING:
    import pandas as pd

DEFAULT_METHODS = ("mrmr", "jmi", "jmim", "relieff")
#: Files that :meth:`PilotStudy.save` writes.
STUDY_FILES = (
    "accuracy.csv", "costs.csv", "growth.csv", "saving.csv", "rankings.csv", "study.json",
)  # fmt: skip
#: The figure of the growth of costs; the others are called after the penalty.
GROWTH_FIGURE = "growth.png"
#: Most rounds of a repeat, and fewest rows of a table in a round.
MAX_ROUNDS, ROUND_ROWS = 10, 100
#: Tables by number of nodes and repeat.
Tables = dict[tuple[int, int], ReferenceTable]


@dataclass(frozen=True)
class PilotSettings:
    """What a pilot study depends on."""

    space: str
    sizes: tuple[int, ...]
    target: int
    samples: int
    target_samples: int
    repeats: int
    methods: tuple[str, ...]
    penalties: tuple[float, ...]
    seed: int


@dataclass(frozen=True)
class PilotStudy:
    """Results of a pilot study; returned by :func:`pilot`.

    Attributes
    ----------
    settings : PilotSettings
    accuracy : DataFrame
        For each pilot size n, repeat, method, penalty and k: the features, and their accuracy and cost
        at the target size, as :func:`netchoice.evaluate_rankings` returns them.
    costs : DataFrame
        Mean CPU seconds per network for each n, of all features ("all", shared steps paid once) and of
        each feature alone, with the standard error and the prediction from the pilots.
    growth : DataFrame
        Curves fitted to the costs: exponents with confidence interval, and a + b·n^c.
    saving : DataFrame
        By pilot size: the cost of a network, and the cost of a target network divided by it.
    rankings : DataFrame
    cost_growth : CostGrowth or None
        None if there is only one size.

    Examples
    --------
    >>> study = pilot("ba", sizes=[20, 40], target=60, samples=60, methods=["jmi"], ks=[1],
    ...               features=["degree_mean", "transitivity"], engine="serial")
    >>> study.saving["n"].tolist(), sorted(study.accuracy["n"].unique().tolist())
    ([20, 40], [20, 40])
    """

    settings: PilotSettings
    accuracy: pd.DataFrame = field(repr=False)
    costs: pd.DataFrame = field(repr=False)
    saving: pd.DataFrame = field(repr=False)
    rankings: pd.DataFrame = field(repr=False)
    cost_growth: CostGrowth | None = field(default=None, repr=False)

    @property
    def growth(self) -> pd.DataFrame:
        """The fitted curves; empty if there is only one size."""
        import pandas as pd

        return pd.DataFrame() if self.cost_growth is None else self.cost_growth.exponents

    def as_dict(self) -> dict[str, Any]:
        """Return settings, means over repeats, and growth of costs for JSON."""
        return {
            **asdict(self.settings),
            "accuracy": records(self.mean_accuracy()),
            "saving": records(self.saving),
            "growth": None if self.cost_growth is None else self.cost_growth.as_dict(),
        }

    def mean_accuracy(self) -> pd.DataFrame:
        """Return the accuracy at the target, mean and minimum over the repeats."""
        keys = ["method", "penalty", "n", "k"]
        return (
            self.accuracy.groupby(keys, sort=False)["accuracy"]
            .agg(accuracy="mean", worst="min", repeats="size")
            .reset_index()
        )

    def save(self, folder: str | PathLike[str]) -> Path:
        """Write the frames as CSV files and a summary as JSON."""
        folder = place(folder)
        claim_files(folder, STUDY_FILES)
        accuracy = self.accuracy.assign(features=self.accuracy["features"].map(" ".join))
        frames = {
            "accuracy": accuracy, "costs": self.costs, "growth": self.growth,
            "saving": self.saving, "rankings": self.rankings,
        }  # fmt: skip
        text = json.dumps(self.as_dict(), indent=1, ensure_ascii=False, allow_nan=False)
        with disk_errors(folder):
            for name, frame in frames.items():
                write_text(folder / f"{name}.csv", frame.to_csv(index=False))
            write_text(folder / "study.json", text + "\n")
        return folder


@shows_progress(units=STAGE_UNITS)
@keep_workers()
def pilot(
    space: str | ModelSpace,
    *,
    sizes: Iterable[int],
    target: int,
    samples: int = 1000,
    target_samples: int | None = None,
    repeats: int = 1,
    methods: Iterable[str] | Mapping[str, CostAwareSelector] = DEFAULT_METHODS,
    penalties: Iterable[float] = (0.0, 1.0),
    ks: Iterable[int] = range(1, 16),
    features: Sequence[Any] | None = None,
    seed: int = 1,
    folds: int = 10,
    engine: str | Executor = "processes",
    workers: int | None = None,
    path: str | PathLike[str] | None = None,
    on_progress: Progress | bool | None = None,
) -> PilotStudy:
    r"""Select features on networks of several sizes, and measure their accuracy at the target size.

    Parameters
    ----------
    space : ModelSpace or str
    sizes : iterable of int
        Numbers of nodes of the pilot networks, at least 7.
    target : int
        Number of nodes of the networks that you want to analyse.
    samples, target_samples : int
        Rows of each pilot table, and of the table at the target size (by default the same).
    repeats : int
        Number of pilot tables of each size, with different seeds.
    methods : iterable of str, or mapping
        Names of methods, or selectors by name. Their costs and seeds are set here.
    penalties : iterable of float
        Values of λ. A positive penalty uses the costs at the target size, extrapolated from the pilots
        of the same size and smaller. The smallest pilot cannot be extrapolated; its own costs are used
        (column ``costs``).
    ks : iterable of int
        Numbers of features.
    features : sequence, optional
        All by default.
    seed : int
    folds : int
        Cross-validation folds at the target size; fewer if a label is rare.
    engine, workers
        As in :func:`netchoice.simulate_table`; ``workers`` is also the number of threads.
    path : path, optional
        Folder that keeps tables, rankings and scores. An interrupted study is resumed there.
    on_progress : callable or bool, optional
        Called with the name of the stage, and the items done, in total, and failed. True shows the
        progress, False shows nothing. By default it is shown in a terminal or a notebook.

    Returns
    -------
    PilotStudy

    Examples
    --------
    >>> from netchoice.workflows import pilot
    >>> study = pilot("ba", sizes=[20, 40], target=60, samples=60, methods=["jmi"], ks=[1, 2],
    ...               features=["degree_mean", "transitivity", "noise_normal"], engine="serial")
    >>> study.accuracy.query("k == 2 and penalty == 0")[["n", "accuracy"]].to_string(index=False)
    ' n  accuracy\n20       1.0\n40       1.0'
    """
    space = get_space(space)
    methods = _check_methods(methods)
    samples = check_integer("samples", samples)
    settings = PilotSettings(
        space=space.name,
        sizes=tuple(check_sizes(sizes, target)),
        target=int(target),
        samples=samples,
        target_samples=check_integer("target_samples", target_samples or samples),
        repeats=check_integer("repeats", repeats),
        methods=tuple(methods),
        penalties=tuple(sorted({check_non_negative("penalties", p) for p in penalties})),
        seed=check_integer("seed", seed, 0),
    )
    maker = TableMaker(
        space,
        settings.seed,
        engine=engine,
        workers=workers,
        folder=None if path is None else place(path),
        on_progress=listener(on_progress),
        given_features=features_by_name(features),
    )

    figures = (f"accuracy-{penalty:g}.png" for penalty in settings.penalties)
    with output_folder(maker.folder, [*STUDY_FILES, *figures, GROWTH_FIGURE]):
        tables, at_target = _pilot_tables(maker, settings)
        test = pilot_table(maker, "target", settings.target, settings.target_samples)
        rankings = _rankings(maker, settings, methods, tables)
        accuracy = _accuracy(maker, settings, rankings, test, ks, folds)
        growth = fit_cost_growth(tables.values()) if len(settings.sizes) > 1 else None
        costs = _costs(tables, at_target, growth)
        return PilotStudy(settings, accuracy, costs, _saving(costs, settings), rankings, growth)


def _check_methods(methods: Iterable[str] | Mapping[str, CostAwareSelector]) -> Methods:
    if isinstance(methods, Mapping) and methods:
        return methods
    chosen = list(dict.fromkeys(methods))
    if not chosen:
        raise UsageError(f"no methods; expected some of {', '.join(METHODS)}")
    for method in chosen:
        if method not in METHODS:
            raise unknown("method", method, METHODS)
    return chosen


def _pilot_tables(
    maker: TableMaker, settings: PilotSettings
) -> tuple[Tables, list[ReferenceTable]]:
    """Return the pilot tables, and for each repeat a table of the target size with the same draws.

    Tables in a folder are simulated in rounds: each round adds rows to the tables of all sizes, and
    every second round begins with the largest, so that drift of the machine affects all sizes alike.
    """
    rounds = 1 if maker.folder is None else max(1, min(MAX_ROUNDS, settings.samples // ROUND_ROWS))
    repeats = range(settings.repeats)
    tables: Tables = {}
    for repeat, i in product(repeats, range(rounds)):
        rows = settings.samples * (i + 1) // rounds
        for n in settings.sizes[:: -1 if (repeat + i) % 2 else 1]:
            tables[n, repeat] = pilot_table(maker, "pilot", n, rows, repeat=repeat)
    tables = {(n, repeat): tables[n, repeat] for repeat in repeats for n in settings.sizes}
    target, rows = settings.target, min(settings.samples, CALIBRATION_ROWS)
    at_target = [
        tables.get((target, repeat)) or pilot_table(maker, "pilot", target, rows, repeat=repeat)
        for repeat in repeats
    ]
    return tables, at_target


def _rankings(
    maker: TableMaker, settings: PilotSettings, methods: Methods, tables: Tables
) -> pd.DataFrame:
    """Return the rankings of all pilots; each is kept in a file once it is made."""
    import pandas as pd

    growths = {}
    if any(settings.penalties):
        for size in settings.sizes[1:]:
            growths[size] = fit_cost_growth(t for (n, _), t in tables.items() if n <= size)
    frames = []
    for done, ((n, repeat), table) in enumerate(tables.items()):
        if maker.on_progress is not None:
            maker.on_progress("ranking", done, len(tables), 0)
        costs = growths[n].predict(settings.target) if n in growths else table.costs
        compute = partial(
            rank_pilot,
            table,
            methods,
            settings.penalties,
            costs if any(settings.penalties) else None,
            seed=settings.seed + repeat,
            n_jobs=maker.workers,
        )
        file = _ranking_file(maker, settings, methods, table, n, repeat)
        kept = fingerprint_of([fingerprint(table.manifest), version("netchoice")])
        frame = compute() if file is None else kept_frame(file, kept, compute)
        frames.append(frame.assign(n=n, repeat=repeat))
    rankings = pd.concat(frames, ignore_index=True)
    if not len(rankings):
        raise UsageError("no feature varies in any pilot; use larger networks or other features")
    return rankings


def _ranking_file(
    maker: TableMaker,
    settings: PilotSettings,
    methods: Methods,
    table: ReferenceTable,
    n: int,
    repeat: int,
) -> Path | None:
    """Return the file of a ranking, named after everything that the ranking depends on."""
    if maker.folder is None:
        return None
    named = list(map(repr, methods.items())) if isinstance(methods, Mapping) else list(methods)
    penalties = list(settings.penalties)
    dependencies = [named, penalties, len(table), table.features, settings.seed]
    if any(penalties):
        dependencies += [settings.target, [size for size in settings.sizes if size <= n]]
    return maker.folder / "rankings" / f"{n}-{repeat}-{digest(dependencies)}.parquet"


def _accuracy(
    maker: TableMaker,
    settings: PilotSettings,
    rankings: pd.DataFrame,
    test: ReferenceTable,
    ks: Iterable[int],
    folds: int,
) -> pd.DataFrame:
    """Evaluate all rankings together, so that no set is scored twice."""
    report = maker.on_progress
    label = rankings[["n", "repeat", "method"]].astype(str).agg("/".join, axis=1)
    folds = max(2, min(folds, int(test.y.value_counts().min())))
    offered = sorted(set(rankings["feature"]))
    file = f"scores-{digest([offered, len(test), folds])}.jsonl"
    accuracy = evaluate_rankings(
        rankings.assign(method=label),
        test,
        ks=ks,
        folds=folds,
        n_jobs=maker.workers,
        path=None if maker.folder is None else maker.folder / file,
        on_progress=report and (lambda done, total: report("testing", done, total, 0)),
    )
    parts = accuracy["method"].str.split("/", n=2)
    accuracy["method"] = parts.str[2]
    accuracy.insert(0, "n", parts.str[0].astype(int))
    accuracy.insert(1, "repeat", parts.str[1].astype(int))
    smallest = settings.sizes[0]
    accuracy["costs"] = [
        "none" if penalty == 0 else "extrapolated" if n > smallest else "of the pilot"
        for penalty, n in zip(accuracy["penalty"], accuracy["n"], strict=True)
    ]
    return accuracy


def _costs(
    tables: Tables, at_target: list[ReferenceTable], growth: CostGrowth | None
) -> pd.DataFrame:
    beyond = [table for table in at_target if all(table is not other for other in tables.values())]
    frame = CostGrowth.measure([*tables.values(), *beyond])
    frame = frame[frame["kind"].isin(["feature", "total"])].copy()
    if growth is not None:
        predicted = {n: growth.predict(n) for n in set(frame["n"])}
        frame["predicted"] = [
            predicted[n].cost(name) if kind == "feature" else growth.total(n)
            for name, kind, n in frame[["name", "kind", "n"]].itertuples(index=False)
        ]
    return frame.reset_index(drop=True)


def _saving(costs: pd.DataFrame, settings: PilotSettings) -> pd.DataFrame:
    import pandas as pd

    total = costs[costs["kind"] == "total"].set_index("n")["seconds"]
    at_target = total[settings.target]
    return pd.DataFrame(
        [
            {"n": n, "seconds": total[n], "target_seconds": at_target,
             "saving": at_target / total[n]}
            for n in settings.sizes
        ]
    )  # fmt: skip
