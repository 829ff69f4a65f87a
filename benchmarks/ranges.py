"""Choosers for a range of sizes: false alarms, power, accuracy and coverage, next to the exact size.

One chooser is prepared for 240 to 375 nodes, and one for 300 nodes, of the space ``duplication``. Networks
with 250, 300 and 360 nodes have parameters from the prior. Each row gives, for the model that made them,
the share of p-values up to 0.01 and 0.05 on the prepared simulations, the share of networks that are
rejected (verdict none-fits, with the simulations near the network), the accuracy, the mean of −log of the
true model's probability, and the coverage of the 95% intervals of the parameters. The last rows give the
share of altered networks that are rejected (see ``benchmarks/fit.py``).
"""

from __future__ import annotations

import argparse

import fit as fit_benchmark
import numpy as np
import pandas as pd

import netchoice
from netchoice.workflows.comparison import Comparison

RANGE, EXACT = "240..375", 300
SIZES = (250, 300, 360)
KINDS = ("Erdős–Rényi", "same degrees", "half swapped")


def tested(chooser: netchoice.Chooser, n_nodes: int, n: int, seed: int) -> dict[str, float]:
    """Return the rates for networks of the models."""
    rng, rows = np.random.default_rng(seed), []
    for i in range(n):
        model = chooser.space.models[i % len(chooser.space)]
        parameters = model.sample(rng)
        graph = model.grow(n_nodes, parameters, rng)
        found = Comparison.of(chooser.prepared_for(graph), graph)
        posterior = found.posterior(model.name)
        p = found.prior_fit.p_values[model.name]
        row = {
            "p ≤ .01": p <= 0.01,
            "p ≤ .05": p <= 0.05,
            "rejected": found.verdict.kind == "none-fits",
            "accuracy": found.probabilities.model == model.name,
            "log score": -np.log(found.probabilities.probabilities[model.name]),
        }
        if posterior is not None:
            inside = [
                low <= parameters[name] <= high
                for name, (low, high) in posterior.posterior.intervals.items()
            ]
            row["coverage"] = np.mean(inside)
        rows.append(row)
    return dict(pd.DataFrame(rows).astype(float).mean())


def power(chooser: netchoice.Chooser, kind: str, n: int, seed: int) -> float:
    """Return the share of networks of another kind that are rejected."""
    rng, rejected = np.random.default_rng(seed), 0
    for _ in range(n):
        graph = fit_benchmark.other_network(kind, EXACT, rng)
        found = Comparison.of(chooser.prepared_for(graph), graph)
        rejected += found.verdict.kind == "none-fits"
    return rejected / n


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--networks", type=int, default=200, help="networks of the models per size")
    parser.add_argument("--others", type=int, default=40, help="networks of each other kind")
    parser.add_argument("--samples", type=int, help="simulations for inference")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    for name, nodes in {"240 to 375": RANGE, "300": EXACT}.items():
        made = netchoice.Chooser(n_nodes=nodes, isolated="keep", samples=arguments.samples).fit()
        for size in SIZES if isinstance(nodes, str) else (EXACT,):
            rates = tested(made, size, arguments.networks, arguments.seed + 100)
            text = ", ".join(f"{key} {value:.3f}" for key, value in rates.items())
            print(f"chooser for {name} nodes, networks with {size}: {text}", flush=True)
        for kind in KINDS:
            share = power(made, kind, arguments.others, arguments.seed + 200)
            print(f"chooser for {name} nodes, {kind}: {share:.3f} rejected", flush=True)
