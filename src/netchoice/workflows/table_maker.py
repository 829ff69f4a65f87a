"""One way to simulate the tables of a run, with expensive features on a part of the simulations only."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np

from netchoice.costs import CostModel
from netchoice.features.catalogue import SIZE_FEATURE
from netchoice.features.registry import Feature, find
from netchoice.models.space import ModelSpace
from netchoice.row_simulator import RowSimulator
from netchoice.simulate import make_simulator, simulate_table
from netchoice.storage.table import ReferenceTable
from netchoice.warmup import warm_up_for

#: Below so many seconds for a network, all features are cheap.
CHEAP_SECONDS = 5e-3


class SimulationCosts(NamedTuple):
    """CPU seconds of one simulation: its growth, its cheap features, and its expensive ones."""

    growth: float
    cheap: float
    expensive: float


def expensive_features(costs: CostModel, names: Sequence[str], growth: float) -> list[str]:
    """Return the features that would more than double the cost of a simulation.

    The features are sorted by cost. From the first on that costs more than the network and all cheaper
    features together, they are expensive.

    Parameters
    ----------
    costs : CostModel, of the features, with shared steps
    names : sequence of str, features
    growth : float, seconds to simulate a network without features

    Examples
    --------
    >>> costs = CostModel({"density": 0.001, "distance": 0.003, "betweenness": 0.04})
    >>> expensive_features(costs, ["betweenness", "density", "distance"], growth=0.002)
    ['betweenness']
    """
    ranked = sorted(names, key=costs.cost)
    for k in range(1, len(ranked)):
        before = growth + costs.cost_of_set(ranked[:k], "shared")
        after = growth + costs.cost_of_set(ranked[: k + 1], "shared")
        if after > max(2 * before, CHEAP_SECONDS):
            return ranked[k:]
    return []


#: Called with the name of a stage, items done, items in total, and items failed.
Progress = Callable[[str, int, int, int], None]
#: What the bar of a stage says.
STAGES = "simulating ({})"
#: A built-in feature by name, a user's feature as ``module:attribute``, or a Feature.
GivenFeature = str | Feature


@dataclass(frozen=True)
class TableMaker:
    """Simulates tables of one model space, and resumes those that the folder holds.

    Attributes
    ----------
    folder : Path or None
        Tables are kept in its subfolder ``tables``; None keeps them in memory.
    given_features : mapping
        Features as the user gave them, by name, so that worker processes can import them.
    """

    space: ModelSpace
    seed: int
    isolated: str | None = None
    engine: str | Executor = "processes"
    workers: int | None = None
    folder: Path | None = None
    on_progress: Progress | None = None
    given_features: Mapping[str, GivenFeature] = field(default_factory=dict)

    def warm_up(self) -> None:
        """Compile what is not yet compiled on all cores, if tables are made in processes."""
        if self.engine == "processes":
            warm_up_for(self.space, self.workers)

    def table(
        self,
        name: str,
        n_nodes: int | tuple[int, int],
        n_samples: int,
        features: Sequence[str] | None = None,
        *,
        stream: str,
        repeat: int = 0,
        stage: str | None = None,
        space: ModelSpace | None = None,
        stages: Mapping[str, float] | None = None,
        deadline: float | None = None,
        min_samples: int = 1,
    ) -> ReferenceTable:
        """Return a table of simulated networks.

        Parameters
        ----------
        name : str
            Name of the table's subfolder.
        features : sequence of str, optional
            Names of the features; all by default.
        stream : str
            Tables with different streams share no random numbers.
        repeat : int
            Added to the seed.
        stage : str, optional
            What ``on_progress`` is called with; the name by default.
        space : ModelSpace, optional
            Models with other parameters than those of the run.
        stages : mapping, optional
            By expensive feature: the share of the rows that it is computed on.
        deadline, min_samples
            As in :func:`netchoice.simulate_table`.
        """
        report = self.on_progress
        return simulate_table(
            space or self.space,
            n_nodes=n_nodes,
            n_samples=n_samples,
            seed=self.seed + repeat,
            stream=stream,
            features=None if features is None else self.as_given(features),
            stages=stages,
            isolated=self.isolated,
            engine=self.engine,
            workers=self.workers,
            deadline=deadline,
            min_samples=min_samples,
            path=None if self.folder is None else self.folder / "tables" / name,
            on_progress=False
            if report is None
            else lambda done, total, failed: report(stage or name, done, total, failed),
        )

    def simulator(
        self,
        n_nodes: int | tuple[int, int],
        features: Sequence[str],
        *,
        stream: str,
        space: ModelSpace,
    ) -> RowSimulator:
        """Return the simulator of the rows of such a table, to grow its networks again."""
        given = self.as_given(features)
        return make_simulator(space, n_nodes, self.isolated, given, self.seed, stream)

    def as_given(self, names: Sequence[str]) -> list[GivenFeature]:
        """Return the features in the form in which the user gave them."""
        known = {"n_nodes": SIZE_FEATURE, **self.given_features}
        return [known.get(name, name) for name in names]


def features_by_name(features: Iterable[GivenFeature] | None) -> dict[str, GivenFeature]:
    """Return the given features by name; refuse unknown ones.

    >>> features_by_name(["transitivity"])
    {'transitivity': 'transitivity'}
    """
    return {find(feature).name: feature for feature in features or ()}


def seconds_per_row(table: ReferenceTable) -> float:
    """Return the mean CPU seconds of one simulated network: growth, shared steps and features."""
    seconds = table.frame.filter(like="seconds_").astype(float).sum(axis=1)
    return float(np.nanmean(seconds)) if len(seconds) else 0.0


def growth_seconds(table: ReferenceTable) -> float:
    """Return the mean CPU seconds to grow one network of a table."""
    return float(table.frame["seconds_growth"].mean())
