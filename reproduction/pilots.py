"""Pilots: features selected on small networks and tested on large ones, and how costs grow."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import cache, partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from netchoice.choice.rank import Methods, selectors_for
from netchoice.costs import CostModel
from netchoice.engines.processes import keep_workers
from netchoice.errors import UsageError
from netchoice.evaluation import evaluate_rankings
from netchoice.models.space import ModelSpace
from netchoice.selection import rank_path
from netchoice.storage.shards import fingerprint
from netchoice.storage.table import ReferenceTable
from netchoice.storage.table_columns import CALIBRATION_ROWS
from netchoice.validation import check_integer, check_non_negative
from reproduction.cost_growth import CostGrowth, Curve, known, timings
from reproduction.records import kept_frame, kept_record
from reproduction.settings import AS_PUBLISHED, METHODS, paper_selectors
from reproduction.spaces import Progress, Simulations, SpaceRun

if TYPE_CHECKING:
    import pandas as pd

#: A smaller network is hardly more than the seed graph that it grew from.
MIN_PILOT_NODES = 7
#: Name of the cost of all features, shared steps paid once.
ALL_FEATURES = "all"
#: Most rounds, and fewest rows of a table in a round.
MAX_ROUNDS, ROUND_ROWS = 10, 100
#: Tables by number of nodes.
Tables = dict[int, ReferenceTable]


@dataclass(frozen=True)
class PilotStudy:
    """Results of a study of pilots; returned by :func:`study_pilots`.

    Attributes
    ----------
    target : int
        Number of nodes of the networks that features are tested on.
    accuracy : DataFrame
        For each pilot size n, method, penalty and k: the features, and their accuracy and cost at the
        target size, as :func:`netchoice.evaluation.evaluate_rankings` returns them.
    costs : DataFrame
        Mean CPU seconds per network for each n, of all features ("all", shared steps paid once) and of
        each feature alone, with the standard error and, with several sizes, the prediction from the
        pilots.
    rankings : DataFrame
    """

    target: int
    accuracy: pd.DataFrame = field(repr=False)
    costs: pd.DataFrame = field(repr=False)
    rankings: pd.DataFrame = field(repr=False)

    def growth(self, name: str = ALL_FEATURES) -> tuple[dict[str, Any], Curve]:
        """Return how a cost grows: a power of n (see :func:`fit_power`), and a + b·n^c."""
        is_pilot = self.costs["n"].isin(self.accuracy["n"])
        rows = self.costs[is_pilot & (self.costs["name"] == name)].sort_values("n")
        n, seconds = rows[["n", "seconds"]].to_numpy(float).T
        return fit_power(rows), Curve.fit(n, seconds)


def study_pilots(
    space: str | ModelSpace,
    *,
    sizes: Iterable[int],
    target: int,
    samples: int = 1000,
    target_samples: int | None = None,
    methods: Methods = ("mrmr", "jmi", "jmim", "relieff"),
    penalties: Iterable[float] = (0.0, 1.0),
    ks: Iterable[int] = range(1, 16),
    features: Sequence[str] | None = None,
    seed: int = 1,
    folds: int = 10,
    engine: str | Executor = "processes",
    workers: int | None = None,
    path: str | PathLike[str] | None = None,
    on_progress: Progress | None = None,
) -> PilotStudy:
    r"""Select features on networks of several sizes, and measure their accuracy at the target size.

    Parameters
    ----------
    sizes : iterable of int
        Numbers of nodes of the pilot networks, at least 7.
    target : int
        Number of nodes of the networks that features are tested on.
    samples, target_samples : int
        Rows of each pilot table, and of the table at the target size (by default the same).
    methods : iterable of str, or mapping
        Names of methods, or selectors by name. Their costs and seeds are set here.
    penalties : iterable of float
        Values of λ. A positive penalty uses the costs at the target size, extrapolated from the pilots
        of the same size and smaller. The smallest pilot cannot be extrapolated; its own costs are used
        (column ``costs`` of the accuracies).
    folds : int
        Cross-validation folds at the target size; fewer if a label is rare.
    path : path, optional
        Folder that keeps tables, rankings and scores. An interrupted study is resumed there.

    Examples
    --------
    >>> study = study_pilots("ba", sizes=[20, 40], target=60, samples=60, methods=["jmi"], ks=[1, 2],
    ...                      features=["degree_mean", "transitivity", "noise_normal"], engine="serial")
    >>> study.accuracy.query("k == 2 and penalty == 0")[["n", "accuracy"]].to_string(index=False)
    ' n  accuracy\n20       1.0\n40       1.0'
    """
    ordered = check_sizes(sizes, target)
    samples = check_integer("samples", samples)
    chosen = sorted({check_non_negative("penalties", penalty) for penalty in penalties})
    folder = None if path is None else Path(path)
    simulations = Simulations(space, seed, features, engine, workers, folder, on_progress)
    with keep_workers():
        tables = _pilot_tables(simulations, ordered, samples)
        timed = list(tables.values())
        if target not in tables:
            rows = min(samples, CALIBRATION_ROWS)
            timed.append(simulations.table("pilot", target, rows))
        test = simulations.table("target", target, target_samples or samples)
        rankings = _rankings(simulations, tables, methods, chosen, target)
        accuracy = _accuracy(simulations, rankings, test, ks, folds)
    smallest = ordered[0]
    accuracy["costs"] = [
        "none" if penalty == 0 else "extrapolated" if n > smallest else "of the pilot"
        for penalty, n in zip(accuracy["penalty"], accuracy["n"], strict=True)
    ]
    growth = CostGrowth.fit(tables.values()) if len(tables) > 1 else None
    return PilotStudy(target, accuracy, _costs(timed, growth), rankings)


def check_sizes(sizes: Iterable[int], target: int) -> list[int]:
    """Return the pilot sizes in increasing order; refuse those that cannot be pilots."""
    chosen = sorted({check_integer("sizes", size, 0) for size in sizes})
    target = check_integer("target", target, MIN_PILOT_NODES)
    if not chosen:
        raise UsageError("no pilot sizes; give at least one, for example 100")
    if chosen[0] < MIN_PILOT_NODES:
        raise UsageError(
            f"a pilot of {chosen[0]} nodes is hardly more than the seed graph that every model starts "
            f"from, so no selection can work there; give sizes of at least {MIN_PILOT_NODES}, better 10 "
            "or more"
        )
    if chosen[-1] > target:
        raise UsageError(
            f"a pilot of {chosen[-1]} nodes for a target of {target}; pilots must not be larger than "
            "the target"
        )
    return chosen


def _pilot_tables(simulations: Simulations, sizes: Sequence[int], samples: int) -> Tables:
    """Return the pilot tables.

    Tables in a folder are simulated in rounds: each round adds rows to the tables of all sizes, and
    every second round begins with the largest, so that drift of the machine affects all sizes alike.
    """
    rounds = 1 if simulations.folder is None else max(1, min(MAX_ROUNDS, samples // ROUND_ROWS))
    tables: Tables = {}
    for i in range(rounds):
        rows = samples * (i + 1) // rounds
        for n in sizes[:: -1 if i % 2 else 1]:
            tables[n] = simulations.table("pilot", n, rows)
    return {n: tables[n] for n in sizes}


def _rankings(
    simulations: Simulations, tables: Tables, methods: Methods, penalties: list[float], target: int
) -> pd.DataFrame:
    """Return the rankings of all pilots; each is kept in a file once it is made."""
    import pandas as pd

    frames = []
    for done, (n, table) in enumerate(tables.items()):
        simulations.report("ranking", done, len(tables))
        known_tables = [each for size, each in tables.items() if size <= n]
        compute = partial(
            rank_pilot, table, methods, penalties, seed=simulations.seed, n_jobs=simulations.workers,
            costs=costs_at(known_tables, target) if any(penalties) else None,
        )  # fmt: skip
        if simulations.folder is None:
            frame = compute()
        else:
            named = list(methods.items()) if isinstance(methods, Mapping) else list(methods)
            run = {
                "table": fingerprint(table.manifest), "methods": repr(named), "rows": len(table),
                "penalties": penalties, "features": table.features,
                "costs": [target, len(known_tables)] if any(penalties) else None,
            }  # fmt: skip
            frame = kept_frame(simulations.folder / "rankings" / f"{n}.parquet", run, compute)
        frames.append(frame.assign(n=n))
    rankings = pd.concat(frames, ignore_index=True)
    if not len(rankings):
        raise UsageError("no feature varies in any pilot; use larger networks or other features")
    return rankings


def costs_at(pilots: Sequence[ReferenceTable], target: int) -> CostModel:
    """Return the costs at the target size, extrapolated from pilots; with one pilot, its own costs."""
    return CostGrowth.fit(pilots).predict(target) if len(pilots) > 1 else pilots[0].costs


def rank_pilot(
    table: ReferenceTable,
    methods: Methods,
    penalties: Iterable[float],
    costs: CostModel | None,
    *,
    seed: int,
    n_jobs: int | None = None,
) -> pd.DataFrame:
    """Return rankings of the features that vary; an empty frame if none does."""
    import pandas as pd

    varying = table.drop_constant()
    if not varying.features:
        return pd.DataFrame(columns=["method", "penalty", "position", "feature", "score"])
    selectors = selectors_for(varying, methods, costs=costs, seed=seed, n_jobs=n_jobs)
    return rank_path(selectors, varying.X, varying.y, penalties)


def _accuracy(
    simulations: Simulations,
    rankings: pd.DataFrame,
    test: ReferenceTable,
    ks: Iterable[int],
    folds: int,
) -> pd.DataFrame:
    """Evaluate all rankings together, so that no set is scored twice."""
    accuracy = evaluate_rankings(
        rankings.assign(method=rankings["n"].astype(str) + "/" + rankings["method"]),
        test,
        ks=ks,
        folds=max(2, min(folds, int(test.y.value_counts().min()))),
        n_jobs=simulations.workers,
        path=simulations.folder and simulations.folder / "scores-pilots.jsonl",
        on_progress=partial(simulations.report, "testing"),
    )
    parts = accuracy["method"].str.split("/", n=1)
    accuracy["method"] = parts.str[1]
    accuracy.insert(0, "n", parts.str[0].astype(int))
    return accuracy


def measured_costs(tables: Iterable[ReferenceTable]) -> pd.DataFrame:
    """Return mean seconds, with standard errors, of each feature alone and of all features, by size."""
    import pandas as pd

    tables = list(tables)
    uses = tables[0].costs.uses
    rows = []
    for n, times in timings(tables).items():
        found = {}
        for kind, name in times:
            if kind == "own":
                keys = [("step", used) for used in uses.get(name, ())]
                used = [times[key if key in times else ("own", key[1])] for key in keys]
                found[name] = sum(used, start=times["own", name])
        found[ALL_FEATURES] = np.sum(list(times.values()), axis=0)
        for name, all_seconds in found.items():
            seconds = known(all_seconds)
            several = len(seconds) > 1
            error = seconds.std(ddof=1) / np.sqrt(len(seconds)) if several else np.nan
            rows.append((name, n, float(seconds.mean()), float(error)))
    return pd.DataFrame(rows, columns=["name", "n", "seconds", "seconds_se"])


def _costs(tables: Sequence[ReferenceTable], growth: CostGrowth | None) -> pd.DataFrame:
    """Return the measured costs and, if there are several sizes, those that the pilots predict."""
    frame = measured_costs(tables)
    if growth is not None:
        predicted = {n: growth.predict(n) for n in set(frame["n"])}
        frame["predicted"] = [
            predicted[n].cost_of_set(
                tables[0].features if name == ALL_FEATURES else [name], "shared"
            )
            for name, n in frame[["name", "n"]].itertuples(index=False)
        ]
    return frame


class PilotRun(NamedTuple):
    """Results of the pilot study of one model space in the reproduction."""

    accuracy: pd.DataFrame  # on the large networks, for each size n, method and k
    costs: pd.DataFrame  # mean seconds per network by size, with standard errors
    growth: dict[str, Any]  # the fitted power of n, with its interval


def run_pilots(run: SpaceRun) -> PilotRun:
    """Return the pilot study of a model space, tested on its table; it is kept in the same folder."""
    scale = run.scale

    @cache
    def study() -> PilotStudy:
        _ = run.test  # simulated before, as a stage of its own
        with run.stage("pilots"):
            return study_pilots(
                run.family, sizes=scale.pilot_sizes, target=scale.nodes, samples=scale.pilot_rows,
                target_samples=scale.rows, methods=paper_selectors(METHODS, AS_PUBLISHED),
                penalties=[0.0], ks=scale.ks, seed=run.seed, folds=scale.folds, engine=run.engine,
                workers=run.workers, path=run.folder, on_progress=run.report_progress,
            )  # fmt: skip

    def costs() -> pd.DataFrame:
        frame = study().costs
        return frame[frame["name"] == ALL_FEATURES].drop(columns="predicted", errors="ignore")

    def keep(name: str) -> tuple[Path, dict[str, Any]]:
        return run.folder / f"pilots-{name}", run.facts

    accuracy = kept_frame(*keep("accuracy.parquet"), lambda: study().accuracy)
    totals = kept_frame(*keep("costs.parquet"), costs)
    growth = kept_record(*keep("growth.json"), lambda: fit_power(totals))
    return PilotRun(accuracy, totals, growth)


def fit_power(costs: pd.DataFrame) -> dict[str, Any]:
    """Return factor and exponent of the power of n through the costs, with a 95 % interval.

    ``low`` and ``high`` bound the exponent; both are None for fewer than three sizes.
    """
    from scipy.stats import linregress, t

    x, y = np.log(costs.sort_values("n")[["n", "seconds"]].to_numpy(float)).T
    line = linregress(x, y)
    exponent, low, high = float(line.slope), None, None
    if len(x) > 2:
        half = float(t.ppf(0.975, len(x) - 2) * line.stderr)
        low, high = exponent - half, exponent + half
    factor = float(np.exp(line.intercept))
    return {"exponent": exponent, "low": low, "high": high, "factor": factor}
