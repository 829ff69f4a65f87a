"""Simulations with n nodes for observed networks with n(1 + δ) nodes: how large may δ be?

The networks of all δ have the same models and parameters, drawn from the prior, and different random
numbers. Each approach compares them with simulations that were made once:

- one size: 3000 simulations with n nodes, used as if the network had n nodes;
- translated: the same simulations. Each feature of the network is first multiplied by a power of n/n′,
  where n′ is its number of nodes. The exponent is the slope of the medians of the simulations at n and at
  1.2 n, in logarithms; it is 0 if a median is not positive. The fit and the parameters of a model use the
  exponents of this model, the probabilities those of all models together;
- range: 16 sizes from 0.8 n to 1.25 n with 190 simulations each, and the logarithm of the number of nodes
  as a further feature;
- exact: 3000 simulations with n′ nodes, for comparison. Their fit is calibrated by construction and is not
  measured.

Measured are the fit of the model that made the network (its prior simulations, at most 1000), the
probabilities of the models (regression) on five features (JMI at penalty 1) and on features that do not
grow with the number of nodes, and the parameters (all features). "missed" is the share of 95% intervals
that do not contain the parameter. "RMSE" is relative to one size at δ = 0, with equal weights of all
parameters. Losses of accuracy and log score are also relative to one size at δ = 0. Standard errors are from
1000 bootstrap samples of the networks.

An approach is calibrated at δ if no quantity is above its limit (LIMITS). An answer is undecided ("?") if it
depends on quantities within two standard errors of their limits.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from fit import N_SIMULATIONS, NAMES, five_best
from size_approaches import SECOND_SIZE, Approach, Networks, Simulations

import netchoice
from netchoice import ModelSpace

DISTANCES = [0.01, 0.02, 0.05, 0.1, 0.2]  # |δ|
N_RESAMPLES = 1000
N_SIZES, N_PER_SIZE, RANGE = 16, 190, (0.8, 1.25)
LIMITS = {
    "p ≤ 0.01": 0.03, "p ≤ 0.05": 0.08, "missed": 0.10, "RMSE": 1.1,
    "accuracy lost": 0.01, "log score lost": 0.02,
    "accuracy lost, size-free": 0.01, "log score lost, size-free": 0.02,
}  # fmt: skip
PARTS = {
    "fit": ["p ≤ 0.01", "p ≤ 0.05"],
    "parameters": ["missed", "RMSE"],
    "probabilities": ["accuracy lost", "log score lost"],
    "probabilities, size-free": ["accuracy lost, size-free", "log score lost, size-free"],
}


def grown(space: ModelSpace, size: int, n_own: int, seed: int, stream: int) -> Networks:
    """Grow networks; parameters depend on the seed, and random numbers also on the stream."""
    draws, rng = np.random.default_rng([seed, 0]), np.random.default_rng([seed, 1 + stream])
    drawn = [(model, model.sample(draws)) for model in space for _ in range(n_own)]
    graphs = [model.grow(size, parameters, rng) for model, parameters in drawn]
    X = pd.DataFrame([netchoice.compute_features(graph, NAMES).values for graph in graphs])
    labels = np.array([model.name for model, _ in drawn])
    return Networks(X, labels, [parameters for _, parameters in drawn])


def table(space: ModelSpace, n: int, seed: int, rows: int) -> netchoice.ReferenceTable:
    """Simulate a table in this process."""
    return netchoice.simulate_table(
        space, n_nodes=n, n_samples=rows, seed=seed, features=NAMES, engine="serial",
        isolated="keep",
    )  # fmt: skip


def approaches(space: ModelSpace, n: int, seed: int) -> list[Approach]:
    """Simulate the tables of the approaches that are made once."""
    one = table(space, n, seed, N_SIMULATIONS)
    five, of_n = five_best(one), Simulations.joined([one])
    second = Simulations.joined([table(space, round(SECOND_SIZE * n), seed, N_SIMULATIONS)])
    sizes = np.linspace(RANGE[0] * n, RANGE[1] * n, N_SIZES).round().astype(int).tolist()
    several = [table(space, size, seed * 1000 + size, N_PER_SIZE) for size in sizes]
    ordered = Simulations.joined(several, log_n=True)
    # The fit uses the first rows of a model: in random order, they have all sizes.
    mixed = ordered.rows(np.random.default_rng(seed).permutation(len(ordered.y)))
    print(f"five features: {', '.join(five)}", flush=True)
    return [
        Approach("one size", space, of_n, n, five),
        Approach("translated", space, of_n, n, five, second),
        Approach("range", space, mixed, n, five),
    ]


def measured(
    space: ModelSpace, n: int, deltas: list[float], n_own: int, seed: int
) -> Iterator[pd.DataFrame]:
    """Yield the scores of the networks, for each δ and approach; the first δ must be 0."""
    made = approaches(space, n, seed)
    for stream, delta in enumerate(deltas):
        size = round(n * (1 + delta))
        networks = grown(space, size, n_own, seed + 1, stream)
        # At δ = 0 "translated" and "exact" are the same as "one size".
        used = [made[0], made[2]] if delta == 0 else list(made)
        if delta != 0:
            of_size = Simulations.joined([table(space, size, seed + 2, N_SIMULATIONS)])
            used.append(Approach("exact", space, of_size, size, made[0].five))
        for approach in used:
            found = approach.scores(networks, size, with_fit=approach.name != "exact")
            yield found.assign(approach=approach.name, delta=delta)


def as_columns(scores: pd.DataFrame, mse: pd.DataFrame) -> np.ndarray:
    """Return the quantities of each network whose means make the results."""
    errors = scores.filter(like="error ")
    squares = errors**2 / mse.loc[scores["model"]].to_numpy()
    small = [(scores["p"] <= alpha).where(scores["p"].notna()) for alpha in (0.01, 0.05)]
    columns = [
        *small, 1 - scores.filter(like="covered ").mean(axis=1),
        squares.mean(axis=1), scores["correct"], scores["log score"],
        scores["correct, size-free"], scores["log score, size-free"],
    ]  # fmt: skip
    return np.column_stack([column.to_numpy(dtype=float) for column in columns])


def results(own: np.ndarray, base: np.ndarray) -> np.ndarray:
    """Return the quantities of LIMITS from means (…, 8) of an approach and of the baseline."""
    lost = own[..., 4:] - base[..., 4:]
    lost[..., [0, 2]] *= -1  # accuracies
    rmse = np.sqrt(own[..., 3:4] / base[..., 3:4])
    return np.concatenate([own[..., :3], rmse, lost], axis=-1)


def summary(scores: pd.DataFrame, base: pd.DataFrame) -> pd.DataFrame:
    """Return the value and the standard error of each quantity."""
    mse = (base.filter(like="error ") ** 2).groupby(base["model"]).mean()
    columns = as_columns(scores, mse), as_columns(base, mse)
    m, rng = len(base), np.random.default_rng(0)
    weights = rng.multinomial(m, np.full(m, 1 / m), size=N_RESAMPLES) / m
    value = results(*(each.mean(axis=0) for each in columns))
    error = results(*(weights @ each for each in columns)).std(axis=0)
    return pd.DataFrame({"value": value, "error": error}, index=pd.Index(LIMITS))


def answer(found: pd.DataFrame) -> str:
    """Return whether the quantities are within their limits; "?" if this is undecided."""
    if found["value"].isna().any():
        return "not measured"
    limits, doubt = pd.Series(LIMITS)[found.index], 2 * found["error"]
    within = bool((found["value"] <= limits).all())
    if (found["value"] - doubt > limits).any():
        return "no"
    decided = within and bool((found["value"] + doubt <= limits).all())
    return "yes" if decided else "yes?" if within else "no?"


def report(scores: pd.DataFrame, base: pd.DataFrame) -> None:
    """Print the results of one approach and δ."""
    found = summary(scores, base)
    cells = [f"{found.value[name] + 0:.3f} ± {found.error[name]:.3f}" for name in LIMITS]
    answers = [f"{part}: {answer(found.loc[names])}" for part, names in PARTS.items()]
    first = scores.iloc[0]
    print(f"| {first.approach} | {first.delta:+.2f} | {' | '.join(cells)} |", end=" ")
    print("; ".join(answers), flush=True)


def report_against_exact(every: pd.DataFrame) -> None:
    """Print the losses of each approach against simulations of the exact size, on the same networks."""
    print(f"\nagainst the exact size\n| approach | δ | {' | '.join(list(LIMITS)[3:])} |")
    for (delta, name), scores in every.groupby(["delta", "approach"]):
        exact = every[(every["approach"] == "exact") & (every["delta"] == delta)]
        if name == "exact" or not len(exact):
            continue
        found = summary(scores, exact).iloc[3:]
        cells = [f"{row.value + 0:.3f} ± {row.error:.3f}" for row in found.itertuples()]
        print(f"| {name} | {delta:+.2f} | {' | '.join(cells)} |", flush=True)


def main() -> None:
    """Print the results for each number of nodes."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--space", default="duplication")
    parser.add_argument("--own", type=int, default=150, help="networks of each model and δ")
    parser.add_argument("--nodes", type=int, nargs="*", default=[300, 100], help="numbers of nodes")
    parser.add_argument("--distances", type=float, nargs="*", default=DISTANCES, help="|δ|")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--scores", type=Path, help="folder for the scores of all networks")
    options = parser.parse_args()
    space = netchoice.get_space(options.space)
    deltas = [0.0, *(sign * distance for distance in options.distances for sign in (1, -1))]
    for n in options.nodes:
        print(f"\n{options.space}, {n} nodes\n| approach | δ | {' | '.join(LIMITS)} |", flush=True)
        every: list[pd.DataFrame] = []
        for scores in measured(space, n, deltas, options.own, options.seed):
            every.append(scores)
            report(scores, every[0])
            if options.scores:
                pd.concat(every).to_csv(options.scores / f"{options.space}-{n}.csv")
        report_against_exact(pd.concat(every))
        means = every[0].drop(columns=["model", "approach", "delta"]).mean()
        print("\none size, δ = 0, means\n" + means.to_string(float_format="{:.4f}".format))


if __name__ == "__main__":
    main()
