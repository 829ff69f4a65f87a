"""The pilot experiment of the paper: rank on small networks, test on large ones, no penalty."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from netchoice.reproduction.cost_settings import AS_PUBLISHED
from netchoice.reproduction.paper_methods import METHODS, paper_selectors
from netchoice.reproduction.scales import SEED
from netchoice.reproduction.space_run import SpaceRun
from netchoice.storage.kept_results import kept_frame, kept_record
from netchoice.workflows import pilot

if TYPE_CHECKING:
    import pandas as pd


class PilotRun(NamedTuple):
    """Results of the pilot study of one model space."""

    accuracy: pd.DataFrame  # on the large networks, for each size n, repeat, method and k
    costs: pd.DataFrame  # mean seconds per network by size, with standard errors
    growth: dict[str, Any]  # the fitted power of n, with its interval


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
    kept = scale.fingerprint
    accuracy = kept_frame(folder / f"{name}-accuracy.parquet", kept, lambda: study().accuracy)
    totals = kept_frame(folder / f"{name}-costs.parquet", kept, costs)
    growth = kept_record(folder / f"{name}-growth.json", kept, lambda: fit_power(totals))
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
