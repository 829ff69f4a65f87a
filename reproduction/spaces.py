"""The first two experiments of the paper: rank features on one table, test them on another."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from netchoice.choice.rank import selectors_for
from netchoice.costs import CostModel
from netchoice.evaluation import evaluate_rankings
from netchoice.models.space import ModelSpace
from netchoice.selection import CostAwareSelector, rank_path
from netchoice.selection.methods import WEIGHTED_METHODS
from netchoice.selection.path import MAX_INFORMATION
from netchoice.simulate import simulate_table
from netchoice.storage.table import ReferenceTable
from reproduction.records import StageClock, kept_frame
from reproduction.settings import (
    AS_PUBLISHED,
    FOREST_METHODS,
    METHODS,
    Scale,
    Setting,
    in_paper_seconds,
    paper_cost_model,
    paper_selectors,
    table_seed,
)

if TYPE_CHECKING:
    import pandas as pd

#: Features per set in the study of the transition, and in the paper's analysis of yeast.
SET_SIZE = 5
#: Called with the name of a stage, and the items done, in total, and failed.
Progress = Callable[[str, int, int, int], None]


@dataclass(frozen=True)
class Simulations:
    """Tables of one model space, of networks of several sizes; those in the folder are resumed.

    The tables of all sizes use the same seeds, so they hold the same draws of models and parameters.
    """

    space: str | ModelSpace
    seed: int
    features: Sequence[str] | None = None  # all by default
    engine: str | Executor = "processes"
    workers: int | None = None
    folder: Path | None = None
    on_progress: Progress | None = None

    def table(
        self, stream: str, n_nodes: int, n_samples: int, features: Sequence[str] | None = None
    ) -> ReferenceTable:
        """Return a table of networks of one size."""
        return simulate_table(
            self.space, n_nodes=n_nodes, n_samples=n_samples, seed=self.seed, stream=stream,
            features=features or self.features, engine=self.engine, workers=self.workers,
            out=self.folder and self.folder / "tables" / f"{stream}-{n_nodes}",
            on_progress=lambda *counts: self.report(f"{stream} with {n_nodes} nodes", *counts),
        )  # fmt: skip

    def report(self, stage: str, done: int, total: int, failed: int = 0) -> None:
        """Pass progress on, if anybody wants to know."""
        if self.on_progress is not None:
            self.on_progress(stage, done, total, failed)


def support_vector_machine() -> Any:
    """Return the classifier that the paper compares with nearest neighbours."""
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC

    return make_pipeline(StandardScaler(), SVC())


@dataclass
class SpaceRun:
    """A pair of tables of one model space, rankings and evaluations, computed on first use and kept."""

    family: str
    scale: Scale
    folder: Path
    number: int = 1  # of the table
    workers: int | None = None
    on_progress: Progress | None = None
    clock: StageClock | None = None

    @property
    def seed(self) -> int:
        """Seed of the networks and of the methods."""
        return table_seed(self.number)

    @property
    def facts(self) -> dict[str, Any]:
        """What the results of this run depend on; kept with each of them."""
        return {**self.scale.facts, "family": self.family, "seed": self.seed}

    @property
    def engine(self) -> str:
        """Engine that simulates the tables: "serial" for one worker, else "processes"."""
        return "serial" if self.workers == 1 else "processes"

    @cached_property
    def train(self) -> ReferenceTable:
        """Table that features are ranked on, without constant features."""
        return self._table("train").drop_constant()

    @cached_property
    def test(self) -> ReferenceTable:
        """Table that rankings are tested on."""
        return self._table("target")

    def _table(self, stream: str) -> ReferenceTable:
        """Return a table in the folder of the pilot study, which uses the same test table."""
        simulations = Simulations(
            self.family, self.seed, None, self.engine, self.workers, self.folder, self.report_progress
        )  # fmt: skip
        with self.stage("simulation"):
            return simulations.table(stream, self.scale.nodes, self.scale.rows)

    def costs(self, setting: Setting) -> CostModel:
        """Return the costs of the features that vary, in seconds of the paper's code."""
        if setting.costs == "paper":
            return paper_cost_model(self.family).only(self.train.features)
        ours = self.train.costs.only(self.train.features)
        return in_paper_seconds(ours, self.family, self.train.features)

    def cost_of_all_features(self, setting: Setting) -> float:
        """Return the cost of all features that vary: λ per share divided by λ per second."""
        return sum(self.costs(setting).alone().values())

    def penalties(self, setting: Setting) -> list[float]:
        """Return the paper's penalties; for our costs, extended until cost alone decides."""
        grid = list(self.scale.penalties)
        if setting.costs == "ours":
            cheapest = min(cost for cost in self.costs(setting).alone().values() if cost > 0)
            while grid[-1] < MAX_INFORMATION / cheapest:
                grid.append(4 * grid[-1])
        return grid

    def fine_penalties(self, setting: Setting) -> list[float]:
        """Return closely spaced penalties, so that several lie within any transition."""
        last, grid = self.penalties(setting)[-1], [0.0, self.scale.penalties[1]]
        while grid[-1] < last:
            grid.append(grid[-1] * self.scale.fine_ratio)
        return grid

    def selectors(
        self, methods: Iterable[str], setting: Setting, seed: int | None = None
    ) -> dict[str, CostAwareSelector]:
        """Return the selectors by method, for the training table and these costs."""
        return selectors_for(
            self.train, paper_selectors(methods, setting), costs=self.costs(setting),
            seed=self.seed if seed is None else seed, n_jobs=self.workers or -1,
        )  # fmt: skip

    def rankings(self, setting: Setting) -> pd.DataFrame:
        """Return the rankings of the nine methods for every penalty."""
        return self._rank(f"rankings-{setting.name}", METHODS, setting, self.penalties)

    def evaluation(self, setting: Setting) -> pd.DataFrame:
        """Return accuracy and cost of the first k features of every ranking."""
        return self._cached(
            f"evaluation-{setting.name}",
            lambda: self._evaluate(self.rankings(setting), setting, self.scale.ks),
        )

    def transition(self, setting: Setting) -> pd.DataFrame:
        """Return the accuracy with few features over many penalties, without weighted forests."""
        fast = [method for method in METHODS if method not in WEIGHTED_METHODS]

        def compute() -> pd.DataFrame:
            fine = self._rank(f"fine-{setting.name}", fast, setting, self.fine_penalties)
            return self._evaluate(fine, setting, [SET_SIZE])

        return self._cached(f"transition-{setting.name}", compute)

    def forest_runs(self) -> pd.DataFrame:
        """Return evaluations of the forest methods with several seeds; ``run`` numbers them."""
        import pandas as pd

        def one(run: int) -> pd.DataFrame:
            name, seed = f"forest-run-{run}", self.seed + 1000 * run
            rankings = self._rank(name, FOREST_METHODS, AS_PUBLISHED, lambda _: [0.0], seed)
            return self._evaluate(rankings, AS_PUBLISHED, self.scale.ks).assign(run=run)

        runs = range(self.scale.forest_runs)
        return self._cached("forest-runs", lambda: pd.concat([one(run) for run in runs]))

    def all_features(self) -> pd.DataFrame:
        """Return the accuracy with all features, in one row."""

        def compute() -> pd.DataFrame:
            first = self.rankings(AS_PUBLISHED).query("method == 'jmi' and penalty == 0")
            return self._evaluate(first, AS_PUBLISHED, [len(self.train.features)])

        return self._cached("all-features", compute)

    def svm_comparison(self) -> pd.DataFrame:
        """Return the accuracy of a support vector machine, and of nearest neighbours (``knn``)."""

        def compute() -> pd.DataFrame:
            rankings = self.rankings(AS_PUBLISHED)
            compared = rankings[rankings["penalty"].isin(self.scale.svm_penalties)]
            svm = self._evaluate(compared, AS_PUBLISHED, self.scale.svm_ks, "svm")
            keys = ["method", "penalty", "k"]
            knn = self.evaluation(AS_PUBLISHED).set_index(keys)["accuracy"].rename("knn")
            return svm.join(knn, on=keys)

        return self._cached("svm", compute)

    def report_progress(self, stage: str, done: int, total: int, failed: int = 0) -> None:
        """Pass progress on, with the table and the model space."""
        if self.on_progress is not None:
            self.on_progress(f"table {self.number}, {self.family}: {stage}", done, total, failed)

    def _rank(
        self, name: str, methods: Iterable[str], setting: Setting,
        grid: Callable[[Setting], list[float]], seed: int | None = None,
    ) -> pd.DataFrame:  # fmt: skip
        def compute() -> pd.DataFrame:
            selectors, penalties = self.selectors(methods, setting, seed), grid(setting)
            with self.stage("ranking"):
                return rank_path(
                    selectors, self.train.X, self.train.y, penalties,
                    on_progress=lambda *counts: self.report_progress(f"ranking ({name})", *counts),
                )  # fmt: skip

        return self._cached(name, compute)

    def _evaluate(
        self, rankings: pd.DataFrame, setting: Setting, ks: Iterable[int], name: str = "knn"
    ) -> pd.DataFrame:
        test, costs, stage = self.test, self.costs(setting), f"testing, {name}"
        classifier = support_vector_machine() if name == "svm" else name
        with self.stage(stage):
            return evaluate_rankings(
                rankings, test, ks=ks, classifier=classifier, folds=self.scale.folds, costs=costs,
                n_jobs=self.workers or -1, path=self.folder / f"scores-{name}.jsonl",
                on_progress=lambda *n: self.report_progress(f"{stage} ({setting.name})", *n),
            )  # fmt: skip

    def _cached(self, name: str, compute: Callable[[], pd.DataFrame]) -> pd.DataFrame:
        return kept_frame(self.folder / f"{name}.parquet", self.facts, compute)

    def stage(self, name: str) -> AbstractContextManager[None]:
        """Measure the time of a stage, if there is a clock."""
        return nullcontext() if self.clock is None else self.clock.stage(f"{self.family}: {name}")
