"""The pilot experiment of the paper: rank on small networks, test on large ones, no penalty."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from netchoice.reproduction.cache import cached_frame, cached_record
from netchoice.reproduction.cost_settings import AS_PUBLISHED
from netchoice.reproduction.paper_methods import METHODS, paper_selectors
from netchoice.reproduction.scales import SEED
from netchoice.reproduction.space_run import SpaceRun
from netchoice.workflows import pilot

if TYPE_CHECKING:
    import pandas as pd


class PilotRun(NamedTuple):
    """Results of the pilot study of one model space.

    accuracy: for each size n, repeat, method and k, on the large networks; costs: mean seconds
    per network by size, with standard errors; growth: the fitted power of n, with its interval.
    """

    accuracy: pd.DataFrame
    costs: pd.DataFrame
    growth: dict[str, Any]


def run_pilots(run: SpaceRun, repeats: int) -> PilotRun:
    """Return the pilot study of a model space; it is stored in the folder of the space."""
    folder = run.folder / run.family
    scale = run.scale

    @cache
    def study() -> Any:
        return pilot(
            run.family, sizes=scale.pilot_sizes, target=scale.nodes, samples=scale.pilot_rows,
            target_samples=scale.rows, repeats=repeats,
            methods=paper_selectors(METHODS, AS_PUBLISHED), penalties=[0.0], ks=scale.ks,
            seed=SEED, folds=scale.folds, engine=run.engine, workers=run.workers, path=folder,
            on_progress=run.report_progress,
        )  # fmt: skip

    def costs() -> pd.DataFrame:
        frame = study().costs
        return frame[frame["kind"] == "total"].drop(columns="predicted", errors="ignore")

    name = f"pilots-{repeats}"
    accuracy = cached_frame(folder / f"{name}-accuracy.parquet", lambda: study().accuracy)
    totals = cached_frame(folder / f"{name}-costs.parquet", costs)
    growth = cached_record(folder / f"{name}-growth.json", lambda: fit_power(totals))
    return PilotRun(accuracy, totals, growth)


def fit_power(costs: pd.DataFrame) -> dict[str, Any]:
    """Return factor and exponent of the power of n through the costs.

    ``low`` and ``high`` bound the exponent with 95 % confidence; both are None for fewer than
    three sizes.
    """
    from scipy.stats import linregress, t

    rows = costs.sort_values("n")
    x, y = np.log(rows["n"].to_numpy(float)), np.log(rows["seconds"].to_numpy(float))
    line = linregress(x, y)
    low = high = None
    if len(x) > 2:
        half = float(t.ppf(0.975, len(x) - 2) * line.stderr)
        low, high = float(line.slope) - half, float(line.slope) + half
    return {
        "exponent": float(line.slope), "low": low, "high": high,
        "factor": float(np.exp(line.intercept)),
    }  # fmt: skip
