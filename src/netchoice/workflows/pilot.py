"""A study of pilots: select on small networks, test on large ones."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from netchoice.cost_growth import CostGrowth
from netchoice.errors import UsageError
from netchoice.evaluation import evaluate
from netchoice.models.builtin import get_space
from netchoice.models.space import ModelSpace
from netchoice.names import unknown
from netchoice.selection import METHODS, CostAwareSelector
from netchoice.storage.table import CALIBRATION_ROWS, ReferenceTable
from netchoice.workflows.pilot_tables import (
    Maker,
    Methods,
    Progress,
    checked_sizes,
    digest,
    fit_growth,
    rank,
    records,
    whole,
)

if TYPE_CHECKING:
    import pandas as pd

DEFAULT_METHODS = ("mrmr", "jmi", "jmim", "relieff")
Tables = dict[tuple[int, int], ReferenceTable]


@dataclass
class PilotStudy:
    """What pilots of several sizes are worth at the target size.

    Attributes
    ----------
    accuracy : DataFrame
        For each pilot size n, repeat, method, penalty and k: the features, and their accuracy and
        costs at the target size, as :func:`netchoice.evaluate` tells them.
    costs : DataFrame
        Mean CPU seconds per network for each n, of all features ("all", steps paid once) and of each
        alone, with its standard error, and what the growth fitted to the pilots predicts.
    growth : DataFrame
        Curves fitted to the costs: exponents with confidence interval, and a + b·n^c.
    saving : DataFrame
        By pilot size: cost of a network, and how many times a target network costs as much.
    rankings : DataFrame
    cost_growth : CostGrowth or None
        None if there is one size only.
    """

    settings: dict[str, Any]
    accuracy: pd.DataFrame = field(repr=False)
    costs: pd.DataFrame = field(repr=False)
    saving: pd.DataFrame = field(repr=False)
    rankings: pd.DataFrame = field(repr=False)
    cost_growth: CostGrowth | None = field(default=None, repr=False)

    @property
    def growth(self) -> pd.DataFrame:
        """The fitted curves."""
        import pandas as pd

        return pd.DataFrame() if self.cost_growth is None else self.cost_growth.exponents

    def as_dict(self) -> dict[str, Any]:
        """Settings, means over repeats and growth, for JSON."""
        return {
            **self.settings,
            "accuracy": records(self.mean_accuracy()),
            "saving": records(self.saving),
            "growth": None if self.cost_growth is None else self.cost_growth.as_dict(),
        }

    def mean_accuracy(self) -> pd.DataFrame:
        """Accuracy at the target, mean and least over the repeats."""
        keys = ["method", "penalty", "n", "k"]
        return (
            self.accuracy.groupby(keys, sort=False)["accuracy"]
            .agg(accuracy="mean", worst="min", repeats="size")
            .reset_index()
        )

    def save(self, folder: str | PathLike[str]) -> Path:
        """Write the frames as CSV files and a summary as JSON."""
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        told = self.accuracy.assign(features=self.accuracy["features"].map(" ".join))
        frames = {
            "accuracy": told, "costs": self.costs, "growth": self.growth,
            "saving": self.saving, "rankings": self.rankings,
        }  # fmt: skip
        for name, frame in frames.items():
            frame.to_csv(folder / f"{name}.csv", index=False)
        text = json.dumps(self.as_dict(), indent=1, ensure_ascii=False, allow_nan=False)
        (folder / "study.json").write_text(text + "\n")
        return folder


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
    on_progress: Progress | None = None,
) -> PilotStudy:
    r"""Select features on networks of several sizes, and see what they are worth at the target size.

    Parameters
    ----------
    space : ModelSpace or str
    sizes : iterable of int
        Nodes of the pilot networks, from 7 on.
    target : int
        Nodes of the networks that matter.
    samples, target_samples : int
        Rows of each pilot table, and of the table at the target size (as many by default).
    repeats : int
        Pilots of each size, each with a seed of its own.
    methods : iterable of str, or mapping
        Names of methods, or selectors by name; costs and seeds are set for them.
    penalties : iterable of float
        Values of λ. Above 0, costs are those of the target size, extrapolated from pilots of the
        same size and smaller; from the smallest size alone nothing can be extrapolated, and its
        costs are taken as they are (column ``costs``).
    ks : iterable of int
        Numbers of features.
    features : sequence, optional
        All by default.
    seed : int
    folds : int
        Of the cross-validation at the target size; fewer if a label is rare.
    engine, workers
        As in :func:`netchoice.simulate_table`; ``workers`` are also the threads of evaluation.
    path : path, optional
        Folder that keeps tables, rankings and scores; interrupted, the same call goes on there.
    on_progress : callable, optional
        Called with what is being done, how much is done, and of how much.

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
    space = get_space(space) if isinstance(space, str) else space
    order = checked_sizes(sizes, target)
    chosen = _methods(methods)
    values = sorted({float(value) for value in penalties})
    wanted = sorted({int(k) for k in ks})
    folder = None if path is None else Path(path)
    maker = Maker(space, whole("seed", seed, 0), features, engine, workers, folder, on_progress)
    n_rows, n_repeats = whole("samples", samples), whole("repeats", repeats)
    tables: Tables = {
        (n, repeat): maker.table(n, n_rows, stream="pilot", repeat=repeat)
        for repeat in range(n_repeats)  # sizes inside, so that a busy hour hits all of them
        for n in order
    }
    target_rows = n_rows if target_samples is None else whole("target_samples", target_samples)
    test = maker.table(int(target), target_rows, stream="target")
    expensive = [  # the same draws as in the pilots, for costs that can be compared
        tables.get((int(target), repeat))
        or maker.table(int(target), min(n_rows, CALIBRATION_ROWS), stream="pilot", repeat=repeat)
        for repeat in range(n_repeats)
    ]
    kept = _Rankings(tables, order, int(target), chosen, values, maker)
    rankings = kept.all()
    accuracy = _accuracy(rankings, test, wanted, folds, folder, workers, on_progress)
    accuracy["costs"] = [
        "none" if p == 0 else "extrapolated" if order.index(n) > 0 else "of the pilot"
        for p, n in zip(accuracy["penalty"], accuracy["n"], strict=True)
    ]
    growth = fit_growth(tables.values()) if len(order) > 1 else None
    costs = _costs(tables, expensive, growth)
    settings = {
        "space": space.name, "sizes": order, "target": int(target), "samples": n_rows,
        "target_samples": target_rows, "repeats": n_repeats, "methods": list(chosen),
        "penalties": values, "seed": seed,
    }  # fmt: skip
    return PilotStudy(
        settings, accuracy, costs, _saving(costs, order, int(target)), rankings, growth
    )


def _methods(methods: Iterable[str] | Mapping[str, CostAwareSelector]) -> Methods:
    if isinstance(methods, Mapping) and methods:
        return methods
    chosen = list(dict.fromkeys(methods))
    if not chosen:
        raise UsageError(f"no methods; expected some of {', '.join(METHODS)}")
    for method in chosen:
        if method not in METHODS:
            raise unknown("method", method, METHODS)
    return chosen


@dataclass
class _Rankings:
    """Rankings of all pilots; each is kept in a file once it is made."""

    tables: Tables
    sizes: list[int]
    target: int
    methods: Methods
    penalties: list[float]
    maker: Maker

    def all(self) -> pd.DataFrame:
        import pandas as pd

        made = []
        growths = {size: self._growth(size) for size in self.sizes[1:] if any(self.penalties)}
        for done, ((n, repeat), table) in enumerate(self.tables.items()):
            if self.maker.on_progress is not None:
                self.maker.on_progress("ranking", done, len(self.tables))
            growth = growths.get(n)
            costs = table.costs if growth is None else growth.predict(self.target)
            frame = self._one(n, repeat, table, costs)
            made.append(frame.assign(n=n, repeat=repeat))
        rankings = pd.concat(made, ignore_index=True)
        if not len(rankings):
            raise UsageError(
                "no feature varies in any pilot; use larger networks or other features"
            )
        return rankings

    def _growth(self, size: int) -> CostGrowth:
        return fit_growth(table for (n, _), table in self.tables.items() if n <= size)

    def _one(self, n: int, repeat: int, table: ReferenceTable, costs: Any) -> pd.DataFrame:
        import pandas as pd

        path = self.maker.path
        methods = self.methods
        named = (
            list(methods) if not isinstance(methods, Mapping) else list(map(repr, methods.items()))
        )
        told = [named, self.penalties, len(table), table.features, self.maker.seed]
        if any(self.penalties):
            told += [self.target, [size for size in self.sizes if size <= n]]
        file = None if path is None else path / "rankings" / f"{n}-{repeat}-{digest(told)}.csv"
        if file is not None and file.exists():
            return pd.read_csv(file)
        frame = rank(
            table, self.methods, self.penalties, costs if any(self.penalties) else None,
            seed=self.maker.seed + repeat, workers=self.maker.workers,
        )  # fmt: skip
        if file is not None:
            file.parent.mkdir(parents=True, exist_ok=True)
            unfinished = file.with_suffix(".part")
            frame.to_csv(unfinished, index=False)
            unfinished.replace(file)
        return frame


def _accuracy(
    rankings: pd.DataFrame,
    test: ReferenceTable,
    ks: list[int],
    folds: int,
    folder: Path | None,
    workers: int | None,
    on_progress: Progress | None,
) -> pd.DataFrame:
    """All rankings in one evaluation, so that no set is scored twice."""
    label = rankings[["n", "repeat", "method"]].astype(str).agg("/".join, axis=1)
    folds = max(2, min(folds, int(test.y.value_counts().min())))
    offered = sorted(set(rankings["feature"]))
    file = f"scores-{digest([offered, len(test), folds])}.jsonl"
    found = evaluate(
        rankings.assign(method=label),
        test,
        ks=ks,
        folds=folds,
        n_jobs=workers,
        path=None if folder is None else folder / file,
        on_progress=on_progress and (lambda done, total: on_progress("testing", done, total)),
    )
    parts = found["method"].str.split("/", n=2)
    found["method"] = parts.str[2]
    found.insert(0, "n", parts.str[0].astype(int))
    found.insert(1, "repeat", parts.str[1].astype(int))
    return found


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


def _saving(costs: pd.DataFrame, sizes: Sequence[int], target: int) -> pd.DataFrame:
    import pandas as pd

    total: Mapping[int, float] = costs[costs["kind"] == "total"].set_index("n")["seconds"]
    return pd.DataFrame(
        [
            {"n": n, "seconds": total[n], "target_seconds": total[target],
             "saving": total[target] / total[n]}
            for n in sizes
        ]
    )  # fmt: skip
