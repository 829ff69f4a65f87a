"""Screening: how often the true model is discarded, and how many models remain.

Criteria, written before the results:

1. In every setting (size, density), the true model has a p-value of at most 0.005 in no more than 1 % of
   networks: the lower end of the 95 % interval (Wilson) of this share is at most 1 %, and the share of all
   settings together is at most 1 % with the upper end of its interval.
2. No model is discarded significantly more often than in 1 % of its networks: the lower end of its 99.9 %
   interval over all settings is at most 1 %. (The level is stricter because there are many models.)
3. On average at most half of the models remain.

A setting is a number of nodes and a number of edges per node, or "prior": networks as the models make them,
without a match. Each setting is screened once for each seed, as ``netchoice choose --match`` does: about 500
simulations of each model, of which 200 train the forest. Fresh networks of each model are then screened.
They are drawn from the density-matched models, so that the p-values are exact ("match"), or with a number
of edges within ±1 % of the middle ("middle"), where every network is that is screened in practice, because
its simulations are matched to its own density. Models that never have a density are left out of a setting.

``python benchmarks/screening.py --networks 40 --seeds 1 2 3`` prints a table for the documentation.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
import pandas as pd

import netchoice
from netchoice.evaluation import wilson
from netchoice.inference import ConformalTest
from netchoice.models.density_matched import MatchedSpace
from netchoice.models.space import ModelSpace
from netchoice.workflows import SimulationPlan
from netchoice.workflows.screening import (
    ALPHA,
    MIN_MODELS,
    cheap_features,
    equal_weights,
    matching,
    n_screening,
)

PLAN, BAR = SimulationPlan(), 0.01


def simulated(
    space: ModelSpace, nodes: int, rows: int, seed: int, stream: str, workers: int
) -> netchoice.ReferenceTable:
    """Return networks of all models in equal numbers, with the features of the screening."""
    return netchoice.simulate_table(
        equal_weights(space), n_nodes=nodes, n_samples=rows, seed=seed, stream=stream, isolated="drop",
        features=cheap_features(), engine="serial" if workers == 1 else "processes", workers=workers,
    )  # fmt: skip


def matched(space: ModelSpace, nodes: int, density: float | None, tolerance: float) -> ModelSpace:
    """Return the density-matched space without models that never match; the space itself for None."""
    if density is None:
        return space
    return matching(MatchedSpace(space, nodes, round(density * nodes), tolerance, "drop"))


def screened(
    space: ModelSpace, nodes: int, density: float | None, seed: int, networks: int, workers: int
) -> pd.DataFrame:
    """Return for each fresh network its model, whether this was discarded, and how many models remain."""
    models = matched(space, nodes, density, 0.1)
    rows = n_screening(models, PLAN)
    table = simulated(models, nodes, rows, seed, "screening", workers)
    test = ConformalTest.fit(
        table.X, table.y, n_training=PLAN.screening_training, seed=seed, n_jobs=workers
    )
    frames = []
    for kind, tolerance in (("match", 0.1), ("middle", 0.01)):
        if density is None and kind == "middle":
            continue
        fresh = matched(space.only(models.labels), nodes, density, tolerance)
        known = simulated(fresh, nodes, networks * len(fresh), seed, f"fresh {kind}", workers)
        p_values = test.p_values(known.X)
        own = p_values[np.arange(len(known)), [test.models.index(name) for name in known.y]]
        remaining = np.maximum(MIN_MODELS, (p_values > ALPHA).sum(axis=1))
        columns = {"model": known.y, "discarded": own <= ALPHA, "remaining": remaining}
        setting = {"nodes": nodes, "edges per node": "prior" if density is None else f"{density:g}"}
        frames.append(pd.DataFrame(columns).assign(**setting, networks=kind, compared=len(models)))
    return pd.concat(frames)


def summary(part: pd.DataFrame, coverage: float = 0.95) -> dict[str, Any]:
    """Return the share of networks whose true model was discarded, with its interval."""
    share = float(part["discarded"].mean())
    low, high = wilson(share, len(part), coverage)
    remaining = f"{part['remaining'].mean():.1f} of {part['compared'].mean():.3g}"
    return {"n": len(part), "share": share, "low": low, "high": high, "remaining": remaining}


def main() -> None:
    """Screen fresh networks of all models, and compare the errors with the criteria."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--space", default="all")
    parser.add_argument("--nodes", type=int, nargs="+", default=[300, 2000])
    parser.add_argument("--densities", type=float, nargs="*", default=[1.2, 2.5, 5.0])
    parser.add_argument("--networks", type=int, default=40, help="of each model and setting")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1])
    parser.add_argument("--workers", type=int, default=1)
    options = parser.parse_args()
    space = netchoice.get_space(options.space)
    frames = []
    print(
        "| nodes | edges per node | networks | n | discarded | 95 % interval | models remaining |"
    )
    print("|---|---|---|---|---|---|---|")
    for nodes in options.nodes:
        for density in [None, *options.densities]:
            runs = [
                screened(space, nodes, density, seed, options.networks, options.workers)
                for seed in options.seeds
            ]
            frames += runs
            names = ["nodes", "edges per node", "networks"]
            for setting, part in pd.concat(runs).groupby(names, sort=False):
                print_row(*setting, found=summary(part))
    everything = pd.concat(frames)
    print_row("all", "", "", found=summary(everything))
    print_criteria(everything)


def print_row(*setting: object, found: dict[str, Any]) -> None:
    """Print one line of the table."""
    cells = (
        *setting, found["n"], f"{found['share']:.2%}", f"{found['low']:.2%} to {found['high']:.2%}",
        found["remaining"],
    )  # fmt: skip
    print(f"| {' | '.join(map(str, cells))} |", flush=True)


def print_criteria(everything: pd.DataFrame) -> None:
    """Print whether the criteria hold."""
    settings = everything.groupby(["nodes", "edges per node", "networks"])
    worst = max((summary(part) for _, part in settings), key=lambda found: found["low"])
    models = {name: summary(part, 0.999) for name, part in everything.groupby("model")}
    rare = [f"{name} {found['share']:.2%} of {found['n']}" for name, found in models.items()
            if found["low"] > BAR]  # fmt: skip
    kept = float((everything["remaining"] / everything["compared"]).mean())
    overall = summary(everything)
    print(f"\n1. every setting: {worst['low'] <= BAR}; all together: {overall['high'] <= BAR}")
    print(f"2. no model above 1 %: {not rare}; above: {', '.join(rare) or 'none'}")
    print(f"3. at most half of the models remain: {kept <= 0.5} ({kept:.0%})")
    high = max(models, key=lambda name: models[name]["share"])
    print(f"most often discarded: {high}, {models[high]['share']:.2%} of {models[high]['n']}")


if __name__ == "__main__":
    main()
