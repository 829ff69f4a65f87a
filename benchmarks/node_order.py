"""Node order and the test of fit: how often the true model of a network with shuffled nodes is rejected.

Models number their nodes by age. Two features, the dominating sets, depend on this order; a file has another
one. Networks of the models are tested as they are and with their nodes in random order, with all features and
with those that depend on the network alone. At alpha = 0.01, about 1 % should be rejected.
"""

from __future__ import annotations

import argparse

import numpy as np

import netchoice
from netchoice.features import comparable_features
from netchoice.inference import FitTest
from netchoice.inference.goodness_of_fit import ALPHA


def shuffled(graph: netchoice.Graph, rng: np.random.Generator) -> netchoice.Graph:
    """Return the network with its nodes in random order."""
    edges = [(u, v) for u in range(graph.n_nodes) for v in graph.neighbors(u) if u < v]
    order = rng.permutation(graph.n_nodes)
    return netchoice.Graph.from_edges(order[np.array(edges)], n_nodes=graph.n_nodes)


def measure(name: str, n_nodes: int, networks: int, seed: int) -> None:
    """Print the shares of rejected networks of a space."""
    space = netchoice.get_space(name)
    table = netchoice.simulate_table(
        space, n_nodes=n_nodes, n_samples=600 * len(space), seed=seed, on_progress=False
    )
    every = netchoice.feature_names(noise=False)
    kinds = {"all features": every, "comparable features": comparable_features()}
    tests = {kind: FitTest.fit(table.X[names], table.y) for kind, names in kinds.items()}
    rejected = {(kind, order): 0 for kind in kinds for order in ("by age", "random")}
    rng = np.random.default_rng([seed, 2026])
    for _ in range(networks):
        model = space.draw_model(rng)
        parameters, graph = model.draw(n_nodes, rng, "keep")
        grown = graph or model.grow(n_nodes, parameters, rng)
        for order, network in (("by age", grown), ("random", shuffled(grown, rng))):
            values = netchoice.compute_features(network, every).values
            for kind, names in kinds.items():
                fit = tests[kind].test({each: values[each] for each in names})
                rejected[kind, order] += fit.p_values[model.name] <= ALPHA
    for (kind, order), count in rejected.items():
        print(f"{name}, {kind}, order {order}: {count} of {networks} rejected")


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--spaces", nargs="+", default=["ba", "duplication"])
    parser.add_argument("--nodes", type=int, default=300)
    parser.add_argument("--networks", type=int, default=200)
    parser.add_argument("--seed", type=int, default=3)
    given = parser.parse_args()
    for name in given.spaces:
        measure(name, given.nodes, given.networks, given.seed)


if __name__ == "__main__":
    main()
