"""The paper's first two experiments: rank on one table, test on another, for every penalty."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from netchoice.costs import CostModel
from netchoice.evaluation import evaluate
from netchoice.evaluation.penalties import MUCH
from netchoice.models.builtin import get_space
from netchoice.reproduction.costs import AS_PUBLISHED, Setting, in_paper_seconds, paper_cost_model
from netchoice.reproduction.frames import kept_frame
from netchoice.reproduction.scales import FORESTS, INFORMATION, NINE, SEED, Scale
from netchoice.selection import CostAwareSelector, get_selector, rank_path
from netchoice.storage.table import ReferenceTable
from netchoice.workflows.pilot_tables import Maker, Progress

if TYPE_CHECKING:
    import pandas as pd

#: The number of features at which the transition is looked at, and the paper's for yeast.
FEW = 5
#: Forests that draw columns by cost learn again for every penalty.
_WEIGHTED = ("weighted-mdi", "weighted-mda")


@dataclass
class SpaceRun:
    """One model space: its tables, rankings under every setting, and what they are worth.

    Everything is made when it is first asked for, and kept in the folder.
    """

    family: str
    scale: Scale
    folder: Path
    workers: int | None = None
    on_progress: Progress | None = None

    @property
    def engine(self) -> str:
        """One worker needs no process of its own."""
        return "serial" if self.workers == 1 else "processes"

    @property
    def maker(self) -> Maker:
        """Makes tables; pilots use the same one, and the same table to test on."""
        return Maker(
            get_space(self.family), SEED, engine=self.engine, workers=self.workers,
            path=self.folder / self.family, on_progress=self._tell,
        )  # fmt: skip

    @cached_property
    def train(self) -> ReferenceTable:
        """What features are ranked on."""
        return self.maker.table(self.scale.nodes, self.scale.rows, stream="train").drop_constant()

    @cached_property
    def test(self) -> ReferenceTable:
        """What rankings are tested on."""
        return self.maker.table(self.scale.nodes, self.scale.rows, stream="target")

    def costs(self, setting: Setting) -> CostModel:
        """Costs of the features that vary, in seconds of the paper's machine and code."""
        if setting.costs == "paper":
            return paper_cost_model(self.family).only(self.train.features)
        ours = self.train.costs.only(self.train.features)
        return in_paper_seconds(ours, self.family, self.train.features)

    def penalties(self, setting: Setting) -> list[float]:
        """The paper's grid; for our costs, until cost alone decides."""
        grid = list(self.scale.penalties)
        if setting.costs == "ours":
            cheapest = min(p for p in self.costs(setting).alone().values() if p > 0)
            while grid[-1] < MUCH / cheapest:
                grid.append(4 * grid[-1])
        return grid

    def fine_penalties(self, setting: Setting) -> list[float]:
        """Close to one another, so that several lie on the slope of any transition."""
        last, grid = self.penalties(setting)[-1], [0.0, self.scale.penalties[1]]
        while grid[-1] < last:
            grid.append(grid[-1] * self.scale.finest)
        return grid

    def selectors(
        self, methods: Iterable[str], setting: Setting, seed: int = SEED
    ) -> dict[str, CostAwareSelector]:
        """The methods under these costs."""
        return make_selectors(
            methods, self.train, self.costs(setting), setting, seed=seed, workers=self.workers
        )

    def rankings(self, setting: Setting) -> pd.DataFrame:
        """Of the nine methods, for every penalty."""
        return self._ranked(
            f"rankings-{setting.name}", NINE, setting, lambda: self.penalties(setting)
        )

    def evaluation(self, setting: Setting) -> pd.DataFrame:
        """Accuracy and cost of the first k features of every ranking."""
        return self._kept(
            f"evaluation-{setting.name}",
            lambda: self._evaluated(self.rankings(setting), setting, self.scale.ks),
        )

    def transition(self, setting: Setting) -> pd.DataFrame:
        """Accuracy with a few features over many penalties, for methods that learn but once."""
        quick = [method for method in NINE if method not in _WEIGHTED]

        def make() -> pd.DataFrame:
            fine = self._ranked(
                f"fine-{setting.name}", quick, setting, lambda: self.fine_penalties(setting)
            )
            return self._evaluated(fine, setting, [FEW])

        return self._kept(f"transition-{setting.name}", make)

    def runs(self) -> pd.DataFrame:
        """Accuracy with one feature and more, of the same methods with other seeds: column run."""
        import pandas as pd

        penalties = [p for p in (0.0, 1.0) if p in self.scale.penalties]

        def one(run: int) -> pd.DataFrame:
            methods = (*FORESTS, "forest-relieff")
            rankings = self._ranked(
                f"run-{run}", methods, AS_PUBLISHED, lambda: penalties, SEED + 1000 * run
            )
            return self._evaluated(rankings, AS_PUBLISHED, self.scale.ks).assign(run=run)

        return self._kept("runs", lambda: pd.concat([one(run) for run in range(self.scale.runs)]))

    def whole(self) -> pd.DataFrame:
        """Accuracy with all features."""

        def make() -> pd.DataFrame:
            first = self.rankings(AS_PUBLISHED).query("method == 'jmi' and penalty == 0")
            return self._evaluated(first, AS_PUBLISHED, [len(self.train.features)])

        return self._kept("whole", make)

    def machine(self) -> pd.DataFrame:
        """Accuracy of the support vector machine beside that of the neighbours (knn)."""

        def make() -> pd.DataFrame:
            rankings = self.rankings(AS_PUBLISHED)
            some = rankings[
                rankings["method"].isin([*INFORMATION, "penalized-mda"])
                & rankings["penalty"].isin(self.scale.svm_penalties)
            ]
            by_machine = self._evaluated(some, AS_PUBLISHED, self.scale.svm_ks, "svm")
            keys = ["method", "penalty", "k"]
            knn = self.evaluation(AS_PUBLISHED).set_index(keys)["accuracy"].rename("knn")
            return by_machine.join(knn, on=keys)

        return self._kept("svm", make)

    def _ranked(
        self, name: str, methods: Iterable[str], setting: Setting,
        penalties: Callable[[], list[float]], seed: int = SEED,
    ) -> pd.DataFrame:  # fmt: skip
        def make() -> pd.DataFrame:
            return rank_path(
                self.selectors(methods, setting, seed), self.train.X, self.train.y, penalties(),
                on_progress=lambda done, total: self._tell(f"ranking ({name})", done, total),
            )  # fmt: skip

        return self._kept(name, make)

    def _evaluated(
        self, rankings: pd.DataFrame, setting: Setting, ks: Iterable[int], classifier: str = "knn"
    ) -> pd.DataFrame:
        return evaluate(
            rankings, self.test, ks=ks, classifier=classifier, folds=self.scale.folds,
            costs=self.costs(setting), n_jobs=self.workers or -1,
            path=self.folder / self.family / f"scores-{classifier}.jsonl",
            on_progress=lambda done, total: self._tell(f"testing ({setting.name})", done, total),
        )  # fmt: skip

    def _kept(self, name: str, make: Callable[[], pd.DataFrame]) -> pd.DataFrame:
        return kept_frame(self.folder / self.family / f"{name}.parquet", make)

    def _tell(self, what: str, done: int, total: int) -> None:
        if self.on_progress is not None:
            self.on_progress(f"{self.family}: {what}", done, total)


def make_selectors(
    methods: Iterable[str],
    table: ReferenceTable,
    costs: CostModel | None,
    setting: Setting,
    *,
    seed: int = SEED,
    workers: int | None = None,
) -> dict[str, CostAwareSelector]:
    """The methods as the paper's code has them: λ times raw costs."""
    discrete = [table.discrete[name] for name in table.features]
    return {
        method: configured(
            get_selector(method), setting, costs=costs, random_state=seed, n_jobs=workers or -1,
            discrete_features=discrete,
        )
        for method in methods
    }  # fmt: skip


def configured(
    selector: CostAwareSelector, setting: Setting, **parameters: object
) -> CostAwareSelector:
    """The selector with those of these parameters that it has."""
    wanted: Mapping[str, object] = {
        "cost_scale": "raw", "estimator": setting.estimator, **parameters,
        # Chances to be drawn are of single features, so costs of sets mean nothing to them.
        "charge": "alone" if selector.method.startswith("weighted") else setting.charge,
    }  # fmt: skip
    known = selector.get_params()
    selector.set_params(**{name: v for name, v in wanted.items() if name in known})
    return selector
