"""The error of posteriors, and how often their intervals cover: on networks that other programs grew.

For each model of a space, simulations with all comparable features give the posterior of its parameters, as
in an answer. The networks are grown by the plain reference implementations of the tests, with parameters
from the priors. The model is known here.

Wanted for ``duplication`` with 300 nodes: the root of the mean squared error of the posterior mean is at most
.021 and .052 for `dmc` (p_delete, p_connect), and at most .029 and .069 for `dmr` (p_delete, p_new); 95 %
intervals cover 93 to 97 %.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import report
from scipy import stats

import netchoice
from netchoice.features import comparable_features, compute_features
from netchoice.inference.posterior import PosteriorEstimator, posterior_of

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
import naive

NAMES = comparable_features()


def estimator_of(model: netchoice.Model, n_nodes: int, n: int, seed: int) -> PosteriorEstimator:
    """Return what estimates the parameters of a model, from simulations."""
    table = netchoice.simulate_table(
        netchoice.ModelSpace(model.name, [model]), n_nodes=n_nodes, n_samples=n, seed=seed,
        features=list(NAMES), engine="serial", on_progress=False,
    )  # fmt: skip
    names = [name for name in NAMES if table.X[name].nunique() > 1]
    priors = {name: spec.prior for name, spec in model.parameters.items()}
    bounds = {name: (float(prior.low), float(prior.high)) for name, prior in priors.items()}
    return PosteriorEstimator.fit(table.X[names], table.parameters[list(priors)], bounds=bounds)


def measure(model: netchoice.Model, options: argparse.Namespace) -> dict[str, float]:
    """Print the errors and the coverage of the parameters of a model, and return them."""
    estimator = estimator_of(model, options.nodes, options.simulations, options.seed)
    rng = np.random.default_rng([2026, options.seed])
    rows, seconds = [], 0.0
    for _ in range(options.networks):
        true = model.sample(rng)
        grown = naive.MODELS[model.name](options.nodes, rng, **true)
        values = compute_features(netchoice.Graph.of(grown), NAMES).values
        began = time.process_time()
        found = posterior_of(estimator, {name: values[name] for name in estimator.features})
        seconds += time.process_time() - began
        for name, value in true.items():
            low, high = found.intervals[name]
            draws = found.draws[name]
            rows.append(
                (
                    name,
                    draws.mean() - value,
                    low <= value <= high,
                    high - low,
                    (draws < value).mean(),
                )
            )
    frame = pd.DataFrame(rows, columns=["parameter", "error", "covered", "width", "rank"])
    results = {}
    for name, group in frame.groupby("parameter", sort=False):
        rmse = np.sqrt((group["error"] ** 2).mean())
        results[f"{model.name} {name} error"] = float(rmse)
        results[f"{model.name} {name} covered"] = float(group["covered"].mean())
        uniform = stats.kstest(group["rank"], "uniform").pvalue
        print(
            f"{model.name:8} {name:12} RMSE {rmse:.4f}, 95 % intervals cover {group['covered'].mean():.3f}, "
            f"width {group['width'].mean():.3f}, p of uniform ranks {uniform:.2f}, "
            f"{seconds / options.networks * 1000:.0f} CPU ms per network",
            flush=True,
        )
    return results


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--space", default="duplication")
    parser.add_argument("--nodes", type=int, default=300)
    parser.add_argument("--simulations", type=int, default=1500, help="of each model")
    parser.add_argument("--networks", type=int, default=300, help="of each model")
    parser.add_argument("--seed", type=int, default=101)
    report.add_json(parser)
    options = parser.parse_args()
    values: dict[str, float] = {}
    for model in netchoice.get_space(options.space):
        if model.parameters:
            values |= measure(model, options)
    covered = [value for name, value in values.items() if name.endswith("covered")]
    values |= {"least covered": min(covered), "most covered": max(covered)}
    report.write(options, values)


if __name__ == "__main__":
    main()
