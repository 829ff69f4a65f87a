"""Two proposals of the paper's discussion: variants of ReliefF, and a wrapper search, both under costs.

Features are selected on one table and tested on another, with measured costs and shared steps charged
once. For each budget, every method takes its set with the highest cross-validated accuracy on the
training table; the table shows error rates on the test table, in percent, and the CPU seconds of the
method. A ranking proposes its first 1 to 10 features at 12 penalties. The wrapper (NSGA-II) proposes
its Pareto front, with the same classifier, 10 nearest neighbours.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import netchoice
from netchoice.evaluation import evaluate_rankings, penalty_grid
from netchoice.selection import ParetoSearch, get_selector, rank_path
from netchoice.storage.table import ReferenceTable
from netchoice.workflows.selectors import selectors_for

METHODS = ("jmi", "relieff", "surf", "multisurf", "forest-relieff", "random")
KS = range(1, 11)
N_PENALTIES, N_BUDGETS = 12, 6


def tables(space: str, nodes: int, rows: int, seed: int, folder: Path) -> list[ReferenceTable]:
    """Return a training table without constant features, and a test table."""
    made = []
    for stream in ("train", "test"):
        table = netchoice.simulate_table(
            space, n_nodes=nodes, n_samples=rows, seed=seed, stream=stream, engine="serial",
            path=folder / f"{space}-{nodes}-{rows}-{seed}-{stream}",
        )  # fmt: skip
        made.append(table)
    return [made[0].drop_constant(), made[1]]


def ranked_sets(method: str, train: ReferenceTable) -> list[tuple[str, ...]]:
    """Return the sets that the rankings of a method propose."""
    costs = train.costs.only(train.features)
    selector = get_selector(method)
    if selector.supports_shared_costs:
        selector.set_params(charge="shared")
    selectors = selectors_for(train, {method: selector}, costs=costs, seed=0)
    rankings = rank_path(selectors, train.X, train.y, penalty_grid(costs, n=N_PENALTIES))
    groups = rankings.sort_values("position").groupby("penalty")["feature"]
    return [tuple(names[:k]) for names in groups.agg(list) for k in KS]


def searched_sets(train: ReferenceTable) -> list[tuple[str, ...]]:
    """Return the Pareto front of a wrapper search."""
    costs = train.costs.only(train.features)
    search = ParetoSearch(costs=costs, charge="shared").fit(train.X, train.y)
    return [tuple(names) for names in search.front_["features"]]


def scores(sets: list[tuple[str, ...]], table: ReferenceTable) -> dict[tuple[str, ...], float]:
    """Return the cross-validated accuracy of each set on a table."""
    found = {}
    for i, names in enumerate(dict.fromkeys(sets)):
        ranking = pd.DataFrame(
            {
                "method": f"set {i}",
                "penalty": 0.0,
                "position": range(1, len(names) + 1),
                "feature": names,
            }
        )
        found[names] = float(evaluate_rankings(ranking, table, ks=[len(names)])["accuracy"].iloc[0])
    return found


def compare(space: str, nodes: int, rows: int, seed: int, folder: Path) -> list[dict[str, Any]]:
    """Return the error rate of each method at each budget."""
    train, test = tables(space, nodes, rows, seed, folder)
    costs = train.costs.only(train.features)
    cheapest, total = min(costs.alone().values()), costs.cost_of_set(costs.features, "shared")
    budgets = np.geomspace(3 * cheapest, total / 3, N_BUDGETS)
    results = []
    for method in (*METHODS, "wrapper"):
        started = time.process_time()
        sets = searched_sets(train) if method == "wrapper" else ranked_sets(method, train)
        seconds = time.process_time() - started
        on_train, cost = scores(sets, train), {}
        for names in on_train:
            cost[names] = costs.cost_of_set(names, "shared")
        for number, budget in enumerate(budgets, start=1):
            within = [names for names in on_train if cost[names] <= budget]
            if within:
                best = max(within, key=lambda names: (on_train[names], -cost[names]))
                error = 100 * (1 - scores([best], test)[best])
                results.append(
                    {"space": space, "seed": seed, "method": method, "budget": number, "cost": budget,
                     "error": error, "seconds": seconds, "sets": len(on_train)}
                )  # fmt: skip
        print(f"{space}, seed {seed}, {method}: {len(on_train)} sets, {seconds:.1f} s", flush=True)
    return results


def main() -> None:
    """Print error rates by space, method and budget, means over seeds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--spaces", default="duplication:300,mechanisms:200")
    parser.add_argument("--tables", type=Path, default=Path("tables"))
    options = parser.parse_args()
    results = []
    for each in options.spaces.split(","):
        space, nodes = each.split(":")
        for seed in range(1, options.seeds + 1):
            results += compare(space, int(nodes), options.rows, seed, options.tables)
    frame = pd.DataFrame(results)
    for space, rows in frame.groupby("space", sort=False):
        errors = rows.pivot_table(index="method", columns="budget", values="error", sort=False)
        errors.columns = [f"{1e6 * c:.2g} µs" for c in rows.groupby("budget")["cost"].mean()]
        errors["CPU seconds"] = rows.groupby("method")["seconds"].mean()
        errors["sets"] = rows.groupby("method")["sets"].mean()
        print(f"\n{space}, error rate in percent by budget\n{errors.round(2).to_string()}")


if __name__ == "__main__":
    main()
