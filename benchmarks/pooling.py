"""Compare the probabilities of one selected set of features with those pooled over near-optimal sets.

For each space, features are selected on 3000 simulations, as in ``netchoice choose``. The selected set is
evaluated on 10,000 further simulations with its features, up to 16 near-optimal sets on the 3000. Both
predict 1000 held-out simulations (log score, errors) and networks that no model made. For these, the last
column is the share of pairs of seeds whose intervals for the first model overlap.
"""

from __future__ import annotations

import argparse
import itertools

import numpy as np
import pandas as pd
from fit import KINDS, other_network

import netchoice
from netchoice.inference import ModelProbabilities, RegressionClassifier, pool_feature_sets
from netchoice.workflows.feature_selection import (
    FeatureSelection,
    SelectionOptions,
    select_features,
)
from netchoice.workflows.simulation_plan import SimulationPlan

SPACES = [("ba", 100), ("duplication", 100), ("duplication", 200), ("mechanisms", 200)]
NAMES = netchoice.feature_names(noise=False)
PLAN, N_INFERENCE, N_HELD_OUT, N_FOREIGN = SimulationPlan(), 10_000, 1000, 4


def estimates(table: netchoice.ReferenceTable, features: tuple, queries: pd.DataFrame) -> list:
    """Return the probabilities of the models for each query, from one set of features."""
    columns = list(features)
    classifier = RegressionClassifier(n_jobs=-1).fit(table.X[columns], table.y)
    prediction = classifier.predict(queries[columns])
    models = [str(model) for model in classifier.classes_]
    return [
        ModelProbabilities(
            dict(zip(models, p, strict=True)),
            dict(zip(models, zip(low, high, strict=True), strict=True)),
            0.95, models[int(np.argmax(p))], "regression", "rank",
        )
        for p, low, high in zip(
            prediction.probabilities.tolist(), prediction.lower.tolist(), prediction.upper.tolist(),
            strict=True,
        )
    ]  # fmt: skip


def predict(space: str, n: int, seed: int, queries: pd.DataFrame) -> dict[str, list]:
    """Return the predictions for the queries, of the selected set and pooled."""
    settings = {"n_nodes": n, "seed": seed}
    table = netchoice.simulate_table(
        space, n_samples=PLAN.selection_samples, features=NAMES, stream="selection", **settings
    )
    selection = select_features(
        FeatureSelection((), table.costs, table), PLAN,
        SelectionOptions(("jmi",), seed=seed, n_jobs=-1), purpose="model",
    )  # fmt: skip
    inference = netchoice.simulate_table(
        space, n_samples=N_INFERENCE, features=selection.features, stream="inference", **settings
    )
    selected = estimates(inference, selection.features, queries)
    sets = selection.near_optimal
    chosen = np.linspace(0, len(sets) - 1, min(len(sets), PLAN.pooled_sets)).round().astype(int)
    others = zip(*(estimates(table, sets[i], queries) for i in chosen), strict=True)
    pooled = [pool_feature_sets(one, rest) for one, rest in zip(selected, others, strict=True)]
    return {"selected": selected, "pooled": pooled}


def measure(space: str, n: int, seeds: list[int]) -> None:
    """Print the scores for one space."""
    held_out = netchoice.simulate_table(
        space, n_nodes=n, n_samples=N_HELD_OUT, seed=999, features=NAMES, stream="held out"
    )
    rng = np.random.default_rng(999)
    graphs = [other_network(kind, n, "keep", rng) for kind in KINDS for _ in range(N_FOREIGN)]
    foreign = pd.DataFrame([netchoice.compute_features(graph, NAMES).values for graph in graphs])
    queries = pd.concat([held_out.X[NAMES], foreign[NAMES]], ignore_index=True)
    runs = [predict(space, n, seed, queries) for seed in seeds]
    for way in ("selected", "pooled"):
        log_scores, errors = [], []
        for run in runs:
            known = list(zip(run[way][:N_HELD_OUT], held_out.y, strict=True))
            log_scores.append(-np.mean([np.log(each.probabilities[y]) for each, y in known]))
            errors.append(sum(each.model != y for each, y in known))
        overlaps = [
            overlap(a, b)
            for one, other in itertools.combinations(runs, 2)
            for a, b in zip(one[way][N_HELD_OUT:], other[way][N_HELD_OUT:], strict=True)
        ]
        scores = ", ".join(f"{score:.4f}" for score in log_scores)
        share = f"{np.mean(overlaps):.3f}" if overlaps else "-"
        print(f"{space}, {n} nodes | {way} | {scores} | {errors} | {share}", flush=True)


def overlap(a: ModelProbabilities, b: ModelProbabilities) -> bool:
    """Return whether the intervals of the first model overlap."""
    (low, high), (other_low, other_high) = (next(iter(each.intervals.values())) for each in (a, b))
    return bool(low <= other_high and other_low <= high)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", type=int, nargs="*", default=[11, 12, 13])
    parser.add_argument("--spaces", type=int, nargs="*", default=list(range(len(SPACES))))
    arguments = parser.parse_args()
    print("space | probabilities | log score by seed | errors of 1000 | intervals overlap")
    for which in arguments.spaces:
        measure(*SPACES[which], arguments.seeds)
