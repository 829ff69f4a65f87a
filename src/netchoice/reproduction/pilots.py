"""The paper's pilots: rank on small networks, test on large ones, without a penalty."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from netchoice.cost_growth import fit_slope
from netchoice.reproduction.costs import AS_PUBLISHED
from netchoice.reproduction.frames import kept_frame, kept_record
from netchoice.reproduction.scales import NINE, SEED
from netchoice.reproduction.spaces import SpaceRun, configured
from netchoice.selection import get_selector
from netchoice.workflows import pilot

if TYPE_CHECKING:
    import pandas as pd


class PilotRun(NamedTuple):
    """One model space's pilots.

    accuracy: for each size n, repeat, method and k, on the large networks; costs: mean seconds of
    a network by size, with their error; growth: the power of n, with its interval.
    """

    accuracy: pd.DataFrame
    costs: pd.DataFrame
    growth: dict[str, Any]


def run_pilots(run: SpaceRun, repeats: int) -> PilotRun:
    """Pilots of all sizes, kept in the folder of the space."""
    folder = run.folder / run.family
    name = f"pilots-{repeats}"
    made: list[Any] = []

    def study() -> Any:
        if not made:
            scale = run.scale
            methods = {each: configured(get_selector(each), AS_PUBLISHED) for each in NINE}
            made.append(
                pilot(
                    run.family, sizes=scale.pilot_sizes, target=scale.nodes,
                    samples=scale.pilot_rows, target_samples=scale.rows, repeats=repeats,
                    methods=methods, penalties=[0.0], ks=scale.ks, seed=SEED, folds=scale.folds,
                    engine=run.engine, workers=run.workers, path=folder, on_progress=run._tell,
                )
            )  # fmt: skip
        return made[0]

    def costs() -> pd.DataFrame:
        frame = study().costs
        return frame[(frame["kind"] == "total")].drop(columns="predicted", errors="ignore")

    accuracy = kept_frame(folder / f"{name}-accuracy.parquet", lambda: study().accuracy)
    totals = kept_frame(folder / f"{name}-costs.parquet", costs)
    growth = kept_record(folder / f"{name}-growth.json", lambda: power_of(totals))
    return PilotRun(accuracy, totals, growth)


def power_of(costs: pd.DataFrame) -> dict[str, Any]:
    """The monomial through costs by size: exponent with its interval, and factor."""
    rows = costs.sort_values("n")
    x, y = np.log(rows["n"].to_numpy(float)), np.log(rows["seconds"].to_numpy(float))
    exponent, low, high = fit_slope(x, y)
    told = [float(value) if np.isfinite(value) else None for value in (exponent, low, high)]
    factor = float(np.exp((y - exponent * x).mean()))
    return dict(zip(("exponent", "low", "high"), told, strict=True)) | {"factor": factor}
