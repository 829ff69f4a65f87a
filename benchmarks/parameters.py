"""Compare methods for the posterior of the parameters, and sets of features for it.

Every space is simulated 1500 times for each model with all features except noise, as for the fit of
``netchoice choose``. The methods are trained on the simulations of one model, and predict the parameters
of the same test networks:

- posterior: ``netchoice.inference.posterior``, from all features, or from a cheap set;
- adjustment: rejection of all but the 4√n nearest simulations, then local linear adjustment (Beaumont et
  al. 2002);
- forest, net, products: ``posterior`` from learnt summaries, the predictions of the parameters by a
  random forest (out-of-bag for the training rows), by a neural net, or by ridge regression on the rank
  scores with all their products (both cross-fitted);
- pyabcranger: the weights of its regression forest, 500 trees for each parameter.

A cheap set costs at most 6 % of all features, with shared steps paid once; it is the one that ``netchoice
choose --for parameters`` selects within this budget. It is simulated again, 10,000 times for each model.

Ratios compare a method with the first one on the same networks, with standard errors. The test networks of
"foreign" were grown by the reference implementations in tests/naive.py. Methods were tuned with seed 1, and
compared with seeds 2 and 3.
"""

from __future__ import annotations

import argparse
import sys
import time
import zlib
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd
from parameter_methods import (
    Answer,
    Method,
    Task,
    adjustment,
    learn_forest,
    learn_net,
    learn_products,
    of_summaries,
    ours,
    peer,
)  # fmt: skip
from scipy import stats

import netchoice
from netchoice import ModelSpace
from netchoice.workflows import SimulationPlan
from netchoice.workflows.feature_selection import (
    FeatureSelection,
    SelectionOptions,
    select_features,
)

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
import naive

NAMES = netchoice.feature_names(noise=False)
N_TRAIN, N_LARGE = 1500, 10_000  # simulations of each model, with all features and with a cheap set
MAX_COST_SHARE = 0.06  # of a cheap set
TAILS = (0.025, 0.975)
WIDE = netchoice.get_space("mechanisms")
SPACES = {
    "duplication, 300 nodes": (netchoice.get_space("duplication"), 300),
    "foreign, 300 nodes": (netchoice.get_space("duplication"), 300),
    "duplication, 100 nodes": (netchoice.get_space("duplication"), 100),
    "wide duplication, 100 nodes": (ModelSpace("wide", [WIDE["dmc"], WIDE["dmr"]]), 100),
    "attachment, 300 nodes": (ModelSpace("attachment", [WIDE["lpa"], WIDE["agv"]]), 300),
    "random graphs, 100 nodes": (
        ModelSpace("random", [WIDE["rds"], WIDE["rdg"], WIDE["smw"]]),
        100,
    ),
}


def scores(answer: Answer, truth: np.ndarray) -> np.ndarray:
    """Return error of the mean, CRPS, rank of the truth, coverage and width, for each parameter."""
    rows = []
    for j, true in enumerate(truth):
        order = np.argsort(answer.values[:, j])
        values, weights = answer.values[order, j], answer.weights[order, j]
        weights = weights / weights.sum()
        total = np.cumsum(weights)
        if answer.intervals is None:
            low, high = values[np.searchsorted(total, TAILS)]
        else:
            low, high = answer.intervals[j]
        spread = 2 * (weights * values) @ (2 * total - weights - 1)  # mean difference of two draws
        crps = weights @ np.abs(values - true) - spread / 2
        rank = weights @ ((values < true) + 0.5 * (values == true))
        rows.append([weights @ values - true, crps, rank, low <= true <= high, high - low])
    return np.array(rows)


def measured(method: Method, task: Task) -> tuple[np.ndarray, float]:
    """Return the scores (m, p, 5) of all test networks, and CPU seconds for each network."""
    start = time.process_time()
    answers = list(method(task))
    seconds = (time.process_time() - start) / len(answers)
    truth = task.truth.to_numpy()
    return np.array([scores(a, t) for a, t in zip(answers, truth, strict=True)]), seconds


def ratio(losses: np.ndarray, base: np.ndarray) -> tuple[float, float]:
    """Return the ratio of mean losses (m, p), averaged over parameters, and its standard error."""
    means = base.mean(axis=0)
    own, reference = (losses / means).mean(axis=1), (base / means).mean(axis=1)
    mean = own.mean()
    return mean, float(np.std(own - mean * reference, ddof=1) / np.sqrt(len(own)))


def simulated(name: str, folder: Path, seed: int, stream: str, n: int, features: list[str]):
    """Return a table with n simulations of each model, kept in the folder."""
    space, n_nodes = SPACES[name]
    key = f"{space.name}-{n_nodes}-{seed}-{stream}-{n}-{zlib.crc32(' '.join(features).encode())}"
    return netchoice.simulate_table(
        space, n_nodes=n_nodes, n_samples=n * len(space), seed=seed, stream=stream,
        features=features, workers=1, path=folder / key,
    )  # fmt: skip


def grown_elsewhere(name: str, n_test: int, seed: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return labels with parameters, and features, of networks of the reference implementations."""
    (space, n_nodes), rng = SPACES[name], np.random.default_rng(1000 + seed)
    rows, features = [], []
    for model in space:
        for _ in range(n_test):
            parameters = model.sample(rng)
            graph = netchoice.Graph.of(getattr(naive, model.name)(n_nodes, rng, **parameters))
            rows.append({"label": model.name, **parameters})
            features.append(netchoice.compute_features(graph, NAMES).values)
    return pd.DataFrame(rows), pd.DataFrame(features)


def tasks_of(name: str, table, test: tuple[pd.DataFrame, pd.DataFrame], features: list[str]):
    """Return the task of every model of a space."""
    truth, queries = test
    tasks = {}
    for model in SPACES[name][0]:
        rows, tested = (table.y == model.name).to_numpy(), (truth["label"] == model.name).to_numpy()
        X = table.X.loc[rows, features].reset_index(drop=True)
        usable = [x for x in features if X[x].nunique() > 1 and X[x].notna().all()]
        usable = [x for x in usable if queries.loc[tested, x].notna().all()]
        parameters = list(model.parameters)
        priors = {x: model.parameters[x].prior for x in parameters}
        tasks[model.name] = Task(
            X[usable],
            table.parameters.loc[rows, parameters].reset_index(drop=True),
            queries.loc[tested, usable].reset_index(drop=True),
            truth.loc[tested, parameters].reset_index(drop=True),
            {x: (float(prior.low), float(prior.high)) for x, prior in priors.items()},
        )
    return tasks


METHODS: dict[str, tuple[str, Method]] = {
    "posterior": ("all", ours),
    "adjustment": ("all", adjustment),
    "posterior, cheap set": ("cheap", ours),
    "posterior, cheap set, 10,000": ("large", ours),
    "forest": ("all", of_summaries(learn_forest)),
    "net": ("all", of_summaries(learn_net)),
    "products": ("all", of_summaries(learn_products)),
    "pyabcranger": ("all", peer),
}


def compare(name: str, options: argparse.Namespace) -> list[dict]:
    """Print the scores of every method, model and parameter of a space; return their ratios."""
    table = simulated(name, options.tables, options.seed, "train", N_TRAIN, NAMES)
    if name.startswith("foreign"):
        test = grown_elsewhere(name, options.foreign, options.seed)
    else:
        networks = simulated(name, options.tables, options.seed, "test", options.test, NAMES)
        test = networks.parameters.assign(label=networks.y), networks.X
    tasks = {"all": tasks_of(name, table, test, NAMES)}
    cheap = selected_set(table, MAX_COST_SHARE)
    print(f"\n{name}; {table.costs.cost_of_set(NAMES, 'shared') * 1e6:.0f} µs for all features")
    print(f"cheap set, {cost_share(table, cheap):.3f} of this cost: {', '.join(cheap)}")
    large = simulated(name, options.tables, options.seed, "large", N_LARGE, cheap)
    tasks["cheap"] = {model: task.only(cheap) for model, task in tasks["all"].items()}
    tasks["large"] = tasks_of(name, large, test, cheap)
    line(["model, parameter, method", "RMSE", "CRPS", "95 %", "width", "KS p", "CPU ms"])
    rows, base = [], {}
    for method in options.methods:
        source, answers = METHODS[method]
        for model, task in tasks[source].items():
            found, seconds = measured(answers, task)
            print_scores(f"{model}, {method}", list(task.parameters), found, seconds)
            base.setdefault(model, found)
            rows.append([name, method, *compared(found, base[model]), seconds])
    return rows


def print_scores(title: str, parameters: list[str], found: np.ndarray, seconds: float) -> None:
    """Print one line for each parameter."""
    for j, parameter in enumerate(parameters):
        error, crps, rank, covered, width = found[:, j].T
        uniform = stats.kstest(rank, "uniform").pvalue
        rmse = np.sqrt(np.mean(error**2))
        values = [rmse, crps.mean(), covered.mean(), width.mean(), uniform]
        line([f"{title}, {parameter}", *values, f"{1000 * seconds:.0f}"])


def compared(found: np.ndarray, base: np.ndarray) -> list[float]:
    """Return ratio and variance of RMSE and CRPS, coverage, ratio of widths, and smallest KS p."""
    square, error = ratio(found[:, :, 0] ** 2, base[:, :, 0] ** 2)
    crps, crps_error = ratio(found[:, :, 1], base[:, :, 1])
    width = np.mean(found[:, :, 4].mean(axis=0) / base[:, :, 4].mean(axis=0))
    uniform = min(stats.kstest(ranks, "uniform").pvalue for ranks in found[:, :, 2].T)
    rmse = np.sqrt(square)
    return [
        rmse, (error / 2 / rmse) ** 2, crps, crps_error**2, found[:, :, 3].mean(), width, uniform
    ]  # fmt: skip


def summarise(title: str, rows: list[list]) -> None:
    """Print the mean over models for every method."""
    columns = ["space", "method", "rmse", "rmse ±", "crps", "crps ±", "covered", "width", "ks", "s"]
    frame = pd.DataFrame(rows, columns=columns)
    print(f"\n{title}: ratios to the first method, mean of the models")
    line(["method", "RMSE", "±", "CRPS", "±", "width", "95 %", "least KS p", "CPU ms"])
    for method, group in frame.groupby("method", sort=False):
        spread = np.sqrt(group[["rmse ±", "crps ±"]].sum()) / len(group)
        mean = group.drop(columns=["space", "method"]).mean()
        line(
            [
                method,
                mean["rmse"],
                spread["rmse ±"],
                mean["crps"],
                spread["crps ±"],
                mean["width"],
                mean["covered"],
                group["ks"].min(),
                f"{1000 * mean['s']:.0f}",
            ]
        )


def line(cells: Iterable) -> None:
    """Print one row of a table."""
    first, *rest = (f"{c:.4f}" if isinstance(c, float) else str(c) for c in cells)
    print(f"{first:54}" + "".join(f"{c:>11}" for c in rest), flush=True)


def selected_set(table: netchoice.ReferenceTable, share: float | None) -> list[str]:
    """Return the features that ``choose`` selects for the parameters, within a share of all costs."""
    budget = None if share is None else share * table.costs.cost_of_set(NAMES, "shared")
    options = SelectionOptions(("jmi",), budget=budget, n_jobs=1)
    offered = FeatureSelection((), table.costs, table)
    return list(select_features(offered, SimulationPlan(), options, purpose="parameters").features)


def cost_share(table: netchoice.ReferenceTable, features: list[str]) -> float:
    """Return the cost of a set relative to all features, with shared steps paid once."""
    return table.costs.cost_of_set(features, "shared") / table.costs.cost_of_set(NAMES, "shared")


def compare_sets(options: argparse.Namespace) -> None:
    """Print the RMSE of the posterior relative to all features, for sets at several costs."""
    name = "duplication, 300 nodes"
    table = simulated(name, options.tables, options.seed, "train", N_TRAIN, NAMES)
    networks = simulated(name, options.tables, options.seed, "test", options.test, NAMES)
    tasks = tasks_of(name, table, (networks.parameters.assign(label=networks.y), networks.X), NAMES)
    base = {model: measured(ours, task)[0] for model, task in tasks.items()}
    print(f"\n{name}: sets for the parameters, and RMSE relative to all features, by parameter")
    for limit in (0.04, 0.06, 0.08, 0.12, None):
        chosen = selected_set(table, limit)
        ratios = []
        for model, task in tasks.items():
            found = measured(ours, task.only(chosen))[0]
            squares = [(each[:, :, 0] ** 2).mean(axis=0) for each in (found, base[model])]
            ratios += list(np.sqrt(squares[0] / squares[1]))
        title = "no limit" if limit is None else f"limit {limit:.0%}"
        shown = " ".join(f"{ratio:.2f}" for ratio in ratios)
        print(f"{title}, {cost_share(table, chosen):.3f} of the cost: {shown}; {', '.join(chosen)}")


def main() -> None:
    """Run all parts, or those named."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--parts", nargs="*", default=["methods", "sets"])
    parser.add_argument("--spaces", nargs="*", default=list(SPACES))
    parser.add_argument("--methods", nargs="*", default=list(METHODS), help="the first is the base")
    parser.add_argument("--test", type=int, default=100, help="test networks of each model")
    parser.add_argument("--foreign", type=int, default=300, help="foreign networks of each model")
    parser.add_argument("--seed", type=int, default=2, help="1 was used for tuning")
    parser.add_argument("--tables", type=Path, default=Path("build/parameters"))
    options = parser.parse_args()
    if "methods" in options.parts:
        rows = []
        for name in options.spaces:
            rows += compare(name, options)
            summarise(name, [row for row in rows if row[0] == name])
        summarise("all spaces", rows)
    if "sets" in options.parts:
        compare_sets(options)


if __name__ == "__main__":
    main()
