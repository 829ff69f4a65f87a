"""What studies and recommendations share: tables of small networks, rankings, costs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from netchoice.cost_growth import CostGrowth
from netchoice.costs import CostModel
from netchoice.errors import UsageError
from netchoice.features import min_powers
from netchoice.models.space import ModelSpace
from netchoice.selection import CostAwareSelector, get_selector, rank_path
from netchoice.simulate import simulate_table
from netchoice.storage.columns import OWN_PREFIX, STEP_PREFIX
from netchoice.storage.table import ReferenceTable

if TYPE_CHECKING:
    import pandas as pd

#: Below this, a network is hardly more than the seed graph that it grew from.
LEAST_SIZE = 7

Progress = Callable[[str, int, int], None]
#: Names, or selectors by name.
Methods = Sequence[str] | Mapping[str, CostAwareSelector]


def fit_growth(tables: Iterable[ReferenceTable]) -> CostGrowth:
    """The growth of costs, with what is declared about the built-in features."""
    return CostGrowth.fit(tables, powers=min_powers())


@dataclass
class Maker:
    """Makes the tables of a study: the same seeds at every size, so the same draws."""

    space: ModelSpace
    seed: int
    features: Sequence[Any] | None = None
    engine: str | Executor = "processes"
    workers: int | None = None
    path: Path | None = None
    on_progress: Progress | None = None

    def table(
        self,
        n_nodes: int,
        n_samples: int,
        *,
        stream: str,
        repeat: int = 0,
        features: Sequence[Any] | None = None,
        part: str = "",
    ) -> ReferenceTable:
        """A table, taken from disk as far as it is there."""
        what = f"{stream} with {n_nodes} nodes" + (f", repeat {repeat + 1}" if repeat else "")
        name = f"{stream}-{n_nodes}-{repeat}" + (f"-{part}" if part else "")
        tell = self.on_progress
        return simulate_table(
            self.space,
            n_nodes=n_nodes,
            n_samples=n_samples,
            seed=self.seed + repeat,
            stream=stream,
            features=self.features if features is None else features,
            engine=self.engine,
            workers=self.workers,
            path=None if self.path is None else self.path / "tables" / name,
            on_progress=None if tell is None else lambda done, total, _: tell(what, done, total),
        )


def rank(
    table: ReferenceTable,
    methods: Methods,
    penalties: Sequence[float],
    costs: CostModel | None,
    *,
    seed: int,
    workers: int | None = None,
    on_progress: Callable[[int, int], None] | None = None,
) -> pd.DataFrame:
    """Rankings of the features that vary; empty if none does."""
    import pandas as pd
    from sklearn.base import clone

    varying = table.drop_constant()
    if not varying.features:
        return pd.DataFrame(columns=["method", "penalty", "position", "feature", "score"])
    costs = None if costs is None else costs.only(varying.features)
    selectors = {}
    for method in methods:
        selector = clone(methods[method]) if isinstance(methods, Mapping) else get_selector(method)
        selector.set_params(costs=costs, random_state=seed, n_jobs=workers)
        if "discrete_features" in selector.get_params():
            discrete = [varying.discrete[name] for name in varying.features]
            selector.set_params(discrete_features=discrete)
        selectors[method] = selector
    return rank_path(selectors, varying.X, varying.y, penalties, on_progress=on_progress)


def seconds_spent(table: ReferenceTable) -> float:
    """CPU seconds of the networks of a table: growing them, and all that was computed."""
    timed = [
        name
        for name in table.frame.columns
        if name == "seconds_growth" or name.startswith((OWN_PREFIX, STEP_PREFIX))
    ]
    return float(table.frame[timed].sum().sum())


def checked_sizes(sizes: Iterable[int], target: int) -> list[int]:
    """Sizes in order, if pilots of them can teach anything."""
    chosen = sorted(set(sizes))
    if not chosen:
        raise UsageError("no pilot sizes; give at least one, for example 100")
    for size in (*chosen, target):
        if isinstance(size, bool) or size != int(size):
            raise UsageError(f"a size of {size!r}; expected an integer of nodes")
    if chosen[0] < LEAST_SIZE:
        raise UsageError(
            f"pilots of {chosen[0]} nodes: a network of {LEAST_SIZE - 1} nodes or fewer is hardly more "
            "than the seed graph that every model starts from, so no selection can work there; "
            f"start at {LEAST_SIZE} or, better, 10 or more"
        )
    if chosen[-1] > target:
        raise UsageError(
            f"a pilot of {chosen[-1]} nodes for a target of {target}; pilots are not larger than the "
            "target"
        )
    return [int(size) for size in chosen]


def whole(name: str, value: Any, least: int = 1) -> int:
    """An integer that is large enough."""
    if isinstance(value, bool) or value != int(value) or value < least:
        raise UsageError(f"{name}={value!r}; expected an integer of at least {least}")
    return int(value)


def digest(told: Any) -> str:
    """A short name for what something depends on."""
    return hashlib.blake2b(json.dumps(told).encode(), digest_size=6).hexdigest()


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Rows for JSON: None where there is no number."""
    rows: list[dict[str, Any]] = frame.astype(object).where(frame.notna(), None).to_dict("records")
    return rows
