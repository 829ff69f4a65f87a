"""The pilot experiment of the paper: rank on small networks, test on large ones, no penalty."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from netchoice.reproduction.cost_settings import AS_PUBLISHED
from netchoice.reproduction.paper_methods import METHODS, paper_selectors
from netchoice.reproduction.space_run import SpaceRun
from netchoice.storage.kept_results import kept_frame, kept_record
from netchoice.workflows import pilot

if TYPE_CHECKING:
    import pandas as pd


class PilotRun(NamedTuple):
    """Results of the pilot study of one model space."""

    accuracy: pd.DataFrame  # on the large networks, for each size n, method and k
    costs: pd.DataFrame  # mean seconds per network by size, with standard errors
    growth: dict[str, Any]  # the fitted power of n, with its interval


def run_pilots(run: SpaceRun) -> PilotRun:
    """Return the pilot study of a model space, tested on its table; it is kept in the same folder."""
    scale = run.scale

    @cache
    def study() -> Any:
        _ = run.test  # simulated before, as a stage of its own
        with run.stage("pilots"):
            return pilot(
                run.family, sizes=scale.pilot_sizes, target=scale.nodes, samples=scale.pilot_rows,
                target_samples=scale.rows, methods=paper_selectors(METHODS, AS_PUBLISHED),
                penalties=[0.0], ks=scale.ks, seed=run.seed, folds=scale.folds, engine=run.engine,
                workers=run.workers, path=run.folder, on_progress=run.report_progress,
            )  # fmt: skip

    def costs() -> pd.DataFrame:
        frame = study().costs
        return frame[frame["kind"] == "total"].drop(columns="predicted", errors="ignore")

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
