"""What pilot studies and pilot recommendations share."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from netchoice.cost_growth import CostGrowth
from netchoice.costs import CostModel
from netchoice.errors import UsageError
from netchoice.features import min_powers
from netchoice.selection import rank_path
from netchoice.storage.table import ReferenceTable
from netchoice.validation import check_integer
from netchoice.workflows.selectors import Methods, selectors_for
from netchoice.workflows.table_maker import TableMaker

if TYPE_CHECKING:
    import pandas as pd

#: A smaller network is hardly more than the seed graph that it grew from.
MIN_PILOT_NODES = 7
#: What the stages count that do not simulate rows.
STAGE_UNITS = {"ranking": "tables", "testing": "rankings"}


def pilot_table(
    maker: TableMaker,
    stream: str,
    n_nodes: int,
    n_samples: int,
    features: tuple[str, ...] | None = None,
    repeat: int = 0,
) -> ReferenceTable:
    """Return a table of pilot networks.

    All sizes use the same seeds, so they hold the same draws of models and parameters.
    """
    name = f"{stream}-{n_nodes}-{repeat}"
    stage = f"{stream} with {n_nodes} nodes" + (f", repeat {repeat + 1}" if repeat else "")
    if features is None:
        features = tuple(maker.given_features) or None
    else:
        name += f"-{digest(features)}"
    return maker.table(
        name, n_nodes, n_samples, features, stream=stream, repeat=repeat, stage=stage
    )


def fit_cost_growth(tables: Iterable[ReferenceTable]) -> CostGrowth:
    """Return how costs grow, given what is known about the built-in features."""
    return CostGrowth.fit(tables, powers=min_powers())


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


def digest(value: Any) -> str:
    """Return a short text that identifies a value."""
    return hashlib.blake2b(json.dumps(value).encode(), digest_size=6).hexdigest()


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a frame for JSON, None replacing missing numbers."""
    rows: list[dict[str, Any]] = frame.astype(object).where(frame.notna(), None).to_dict("records")
    return rows
