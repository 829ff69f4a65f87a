"""Mixtures: is the posterior of q calibrated, and is it said correctly whether a mixture can be identified?

For each pair of models, the mixture and its two pure models are compared as ``netchoice choose --mix A+B
--no-local`` does, at 300 nodes, with 10,000 simulations for inference. Test networks of the mixture have
parameters from its prior, so that q is between 0 and 1. Further test networks come from the pure models.
Settings with "matched" are density-matched to 300 nodes and 450 edges.

Criteria, fixed before the run:

1. The 95% interval of q contains the true value for 93% to 97% of at least 1000 networks. (The first run had
   300 networks, and 92% to 98%.)
2. The ranks of the true q among the draws are uniform: p > 0.01 divided by the number of settings
   (Kolmogorov-Smirnov).
3. The mixture is said to be identified for at most 10% of the networks of pure models.
4. Among networks of the mixture, "cannot be identified" is more frequent for q below 0.1 or above 0.9 than
   for q between 0.3 and 0.7.

A mixture that neither fits nor is the most probable model is not reported; it counts as not identified.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

import netchoice
from netchoice.inference.wilson_interval import wilson
from netchoice.models.builtin import with_mixtures
from netchoice.models.density_matched import MatchedSpace
from netchoice.models.mixture import SHARE
from netchoice.workflows.comparison import Comparison
from netchoice.workflows.preparation import ChoiceSettings, make_preparation
from netchoice.workflows.prepared import Prepared
from netchoice.workflows.simulation_plan import SimulationPlan
from netchoice.workflows.table_maker import TableMaker

N_NODES, N_EDGES = 300, 450
SETTINGS = ("dmr+lpa", "dmc+rdg", "dmr+holme-kim", "dmr+lpa matched", "dmc+rdg matched")
SEED = 20_261


def prepared_for(setting: str, samples: int) -> Prepared:
    """Return the simulations of a mixture and its pure models."""
    name, _, matched = setting.partition(" ")
    space: Any = with_mixtures(None, [name])
    if matched:
        space = MatchedSpace(space, N_NODES, N_EDGES, 0.1, "keep")
    settings = ChoiceSettings(
        space=space.as_dict(), n_nodes=N_NODES, isolated="keep", samples=samples, seed=SEED,
        plan=SimulationPlan(local_samples=0),
    )  # fmt: skip
    maker = TableMaker(space, SEED, "keep", engine="serial")
    return Prepared.simulate(make_preparation(space, settings, maker))


def grown(model: Any, n_networks: int, seed: int) -> Iterator[tuple[dict, netchoice.Graph]]:
    """Yield parameters from the prior, and a network grown with them."""
    rng = np.random.default_rng([SEED, seed])
    for _ in range(n_networks):
        parameters = model.sample(rng)
        yield parameters, model.grow(N_NODES, parameters, rng)


def is_identified(found: Comparison, name: str) -> bool:
    """Return whether the answer says that the mixture can be identified."""
    return any(each.model == name and each.identified for each in found.mixtures)


def measure(setting: str, given: argparse.Namespace) -> dict[str, Any]:
    """Return coverage, ranks and the shares of mixtures that are said to be identified."""
    prepared = prepared_for(setting, given.samples)
    first, second, mixed = prepared.space.models
    rows = []
    for parameters, graph in grown(mixed, given.networks, 1):
        found = Comparison.of(prepared, graph)
        known = found.posterior(mixed.name)
        assert known is not None
        (low, high), q = known.posterior.intervals[SHARE], parameters[SHARE]
        rank = float(np.mean(known.posterior.draws[SHARE] < q))
        rows.append((q, low <= q <= high, rank, high - low, is_identified(found, mixed.name)))
    q, covered, ranks, widths, identified = np.transpose(rows)
    pure = {
        model.name: [
            is_identified(Comparison.of(prepared, graph), mixed.name)
            for _, graph in grown(model, given.pure, 2 + i)
        ]
        for i, model in enumerate((first, second))
    }
    outer, middle = (q < 0.1) | (q > 0.9), (q > 0.3) & (q < 0.7)
    return {
        "setting": setting,
        "networks": len(q),
        "coverage": covered.mean(),
        "coverage_interval": wilson(covered.mean(), len(q)),
        "rank_p_value": stats.kstest(ranks, "uniform").pvalue,
        "mean_width": widths.mean(),
        "not_identified_outer": 1 - identified[outer].mean(),
        "not_identified_middle": 1 - identified[middle].mean(),
        "n_outer_middle": (int(outer.sum()), int(middle.sum())),
        "identified_pure": {name: float(np.mean(found)) for name, found in pure.items()},
    }


def verdicts(result: dict[str, Any], n_settings: int) -> list[bool]:
    """Return which of the four criteria hold."""
    return [
        bool(0.93 <= result["coverage"] <= 0.97),
        bool(result["rank_p_value"] > 0.01 / n_settings),
        max(result["identified_pure"].values()) <= 0.10,
        bool(result["not_identified_outer"] > result["not_identified_middle"]),
    ]


def main() -> int:
    """Print the results of each setting as JSON, and whether the criteria hold."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--settings", nargs="*", default=list(SETTINGS))
    parser.add_argument("--networks", type=int, default=1000, help="of each mixture")
    parser.add_argument("--pure", type=int, default=100, help="networks of each pure model")
    parser.add_argument("--samples", type=int, default=10_000, help="simulations for inference")
    parser.add_argument("--out", type=Path, help="file for the results")
    given = parser.parse_args()
    results = []
    for setting in given.settings:
        result = measure(setting, given)
        results.append(result | {"criteria": verdicts(result, len(given.settings))})
        print(json.dumps(results[-1], default=float), flush=True)
        if given.out is not None:
            given.out.write_text(json.dumps(results, indent=2, default=float))
    return 0 if all(all(result["criteria"]) for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
