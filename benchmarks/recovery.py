"""Recovery: predict the model of networks that the reference implementations grew.

The reference implementations in tests/naive.py grow networks with parameters from the prior. For each
space and size, features are selected on one table, and the model of every network is predicted from a
second table with these features. By default there are 200 networks of each model of ``ba`` and
``duplication`` at 150 nodes, and 20 of each of ``mechanisms`` at 300.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
import pandas as pd

import netchoice
from netchoice.evaluation import wilson
from netchoice.inference import model_probabilities
from netchoice.workflows.feature_selection import (
    SelectionOptions,
    select_features,
    simulate_for_selection,
)
from netchoice.workflows.simulation_plan import SimulationPlan
from netchoice.workflows.table_maker import TableMaker

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
import naive

SETTINGS = {"ba": (150, 200), "duplication": (150, 200), "mechanisms": (300, 20)}


def grown(label: str, n_nodes: int, parameters: dict, rng) -> netchoice.Graph:
    """Return a network grown by the reference implementation of a model."""
    if label.startswith("ba"):
        return netchoice.Graph.of(naive.ba(n_nodes, rng, int(label[2:])))
    return netchoice.Graph.of(getattr(naive, label)(n_nodes, rng, **parameters))


def recover(name: str, n_nodes: int, n_networks: int, samples: int) -> pd.DataFrame:
    """Return the confusion matrix: true model by predicted model."""
    space = netchoice.get_space(name)
    maker, plan = TableMaker(space, seed=1, isolated="keep"), SimulationPlan()
    offered = netchoice.feature_names(noise=False)
    selection = select_features(
        simulate_for_selection(maker, n_nodes, offered, 3000, plan, pilots=False),
        plan, SelectionOptions(("jmi",), seed=1, n_jobs=2), purpose="model",
    )  # fmt: skip
    table = maker.table(
        "inference", n_nodes, samples, selection.features, stream="choose inference"
    )
    rng = np.random.default_rng(2026)
    pairs = []
    for model in space:
        for _ in range(n_networks):
            graph = grown(model.name, n_nodes, model.sample(rng), rng)
            observed = netchoice.compute_features(graph, selection.features).values
            pairs.append((model.name, model_probabilities(table.X, table.y, observed).model))
    print(f"{name}, {n_nodes} nodes, features {', '.join(selection.features)}")
    truth, predicted = zip(*pairs, strict=True)
    return pd.crosstab(pd.Series(truth, name="true"), pd.Series(predicted, name="predicted"))


def main() -> int:
    """Print the confusion matrix of each space, with accuracy and its interval."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--networks", type=int, help="of each model")
    parser.add_argument("--samples", type=int, default=10_000)
    parser.add_argument("--spaces", default="ba,duplication,mechanisms")
    given = parser.parse_args()
    for name in given.spaces.split(","):
        n_nodes, usual = SETTINGS[name]
        matrix = recover(name, n_nodes, given.networks or usual, given.samples)
        right = sum(int(matrix.loc[label].get(label, 0)) for label in matrix.index)
        total = int(matrix.to_numpy().sum())
        low, high = wilson(right / total, total)
        print(matrix.to_string())
        print(f"accuracy: {right} of {total}, {right / total:.1%} ({low:.1%} to {high:.1%})\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
