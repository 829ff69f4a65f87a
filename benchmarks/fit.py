"""Goodness of fit: false alarms on networks of the models, and power on other networks.

The table has 1000 simulations of the space ``duplication`` with all features except noise, at 300 nodes,
and at the 790 nodes of Ito's network with simulations grown until 790 nodes are not isolated. A network
is rejected if all p-values are at most 0.01.

Networks of the models are simulated separately from the table. Their p-values for the model that made
them should be uniform (Kolmogorov–Smirnov), and at most 1 % of them should be at most 0.01.

Other networks: density-matched Erdős–Rényi and geometric graphs; a square grid, small worlds and random
regular graphs with 4 neighbours. Harder cases are simulated networks in which edges exchange ends, five
times for each edge ("same degrees") or once for every four ("half swapped"), which keeps the degree of
every node, or in which half of the edges are moved.

The default is compared with three variants: five features that distinguish the two models (the five best
of JMI at penalty 1) instead of all; the distance to the nearest neighbours without dividing by that of
the neighbours; and decorrelated features (Mahalanobis distance, covariance shrunk by a tenth).
"""

from __future__ import annotations

import argparse

import networkx as nx
import numpy as np
import pandas as pd
from scipy import optimize, stats
from scipy.spatial import distance

import netchoice
from netchoice import Graph
from netchoice.inference.goodness_of_fit import ALPHA, N_NEIGHBORS, _remoteness, _scaled
from netchoice.inference.neighbour_weights import TIE_TOLERANCE
from netchoice.selection import JMI

N_SIMULATIONS, N_FROM_MODELS, N_OTHERS = 1000, 500, 40
SPACE = netchoice.get_space("duplication")
NAMES = netchoice.feature_names(noise=False)


def simulated(n_nodes: int, isolated: str, rng: np.random.Generator) -> Graph:
    """Return a network of one of the models."""
    label, parameters = SPACE.sample(rng)
    return SPACE[label].grow(n_nodes, parameters, rng, isolated=isolated)


def swapped(graph: Graph, times: float, rng: np.random.Generator) -> Graph:
    """Exchange ends of edges, ``times`` the number of edges; degrees are kept."""
    swaps = max(1, round(times * graph.n_edges))
    made = graph.to_networkx()
    try:
        nx.double_edge_swap(made, swaps, max_tries=300 * swaps, seed=int(rng.integers(2**31)))
    except nx.NetworkXException:  # too few edges, or too few that can be swapped
        return graph
    return Graph.from_networkx(made)


def moved(graph: Graph, share: float, rng: np.random.Generator) -> Graph:
    """Move a share of the edges to random places."""
    edges = graph.edges().copy()
    which = rng.random(len(edges)) < share
    edges[which] = rng.integers(graph.n_nodes, size=(which.sum(), 2))
    return Graph.from_edges(edges, n_nodes=graph.n_nodes)


def other_network(kind: str, n: int, isolated: str, rng: np.random.Generator) -> Graph:
    """Return a network that none of the models makes, with the same number of nodes."""
    like = simulated(n, isolated, rng)
    edges = like.n_edges if isolated == "keep" else round(n * 761 / 790)
    if kind == "same degrees":
        return swapped(like, 5, rng)
    if kind == "half swapped":
        return swapped(like, 0.25, rng)
    if kind == "half moved":
        made = moved(like, 0.5, rng)
        return made.without_isolated() if isolated == "drop" else made
    if isolated == "keep":
        return Graph.of(random_graph(kind, n, edges, rng))
    # Degrees are about Poisson: on average n of these nodes are not isolated; repeat until exactly n.
    more = optimize.brentq(lambda size: size * (1 - np.exp(-2 * edges / size)) - n, n, 10 * n)
    while True:
        sized = more if kind in ("Erdős–Rényi", "geometric") else n
        made = Graph.of(random_graph(kind, round(sized), edges, rng)).without_isolated()
        if made.n_nodes == n or kind == "grid":
            return made


def random_graph(kind: str, n: int, edges: int, rng: np.random.Generator) -> nx.Graph:
    """Return a random graph of networkx; only the first two kinds have the given number of edges."""
    seed, rows = int(rng.integers(2**31)), int(np.sqrt(n))
    radius = np.sqrt(2 * edges / n**2 / np.pi)
    return {
        "Erdős–Rényi": lambda: nx.gnm_random_graph(n, edges, seed=seed),
        "geometric": lambda: nx.random_geometric_graph(n, radius, seed=seed),
        "grid": lambda: nx.grid_2d_graph(rows, n // rows),
        "small world": lambda: nx.watts_strogatz_graph(n, 4, 0.1, seed=seed),
        "regular": lambda: nx.random_regular_graph(4, n, seed=seed),
    }[kind]()


KINDS = (
    "Erdős–Rényi", "grid", "small world", "regular", "geometric", "half moved", "same degrees",
    "half swapped",
)  # fmt: skip


def five_best(table: netchoice.ReferenceTable) -> list[str]:
    """Return the five features that a selector ranks first."""
    table = table.drop_constant()
    selector = JMI(penalty=1, n_features_to_select=5, costs=table.costs).fit(table.X, table.y)
    return [str(name) for name in selector.ranking_names_[:5]]


def decorrelated(points: np.ndarray) -> np.ndarray:
    """Return nearly uncorrelated columns."""
    covariance = np.cov(points.T)
    shrunk = covariance + 0.1 * np.trace(covariance) / len(covariance) * np.eye(len(covariance))
    values, vectors = np.linalg.eigh(shrunk)
    return points @ vectors / np.sqrt(values)


def nearest(points: np.ndarray, k: int) -> np.ndarray:
    """Return the mean distance to the k nearest others."""
    between = distance.cdist(points, points)
    np.fill_diagonal(between, np.inf)
    return np.partition(between, k - 1, axis=1)[:, :k].mean(axis=1)


def variants(chosen: list[str]) -> dict[str, tuple]:
    """Return by name: the features, the transformation of the scaled features, and the score."""
    return {
        "default": (NAMES, np.asarray, _remoteness),
        "five features": (chosen, np.asarray, _remoteness),
        "plain distance": (NAMES, np.asarray, nearest),
        "uncorrelated": (NAMES, decorrelated, _remoteness),
    }


def p_values(table: netchoice.ReferenceTable, rows: pd.DataFrame, variant: tuple) -> pd.DataFrame:
    """Return the p-value of each network (row) for each model (column)."""
    names, transform, score = variant
    columns = {}
    for model in SPACE.labels:
        sample = table.X[names][table.y == model].to_numpy(dtype=float)
        columns[model] = []
        for values in rows[names].to_numpy(dtype=float):
            scores = score(transform(_scaled(np.vstack([sample, values]))), N_NEIGHBORS)
            columns[model].append(np.mean(scores >= scores[-1] * (1 - TIE_TOLERANCE)))
    return pd.DataFrame(columns)


def measure(n_nodes: int, isolated: str, n_others: int) -> None:
    """Print the rates for one number of nodes."""
    settings = {"n_nodes": n_nodes, "isolated": isolated, "features": NAMES, "seed": 1}
    table = netchoice.simulate_table(SPACE, n_samples=N_SIMULATIONS, **settings)
    from_models = netchoice.simulate_table(
        SPACE, n_samples=N_FROM_MODELS, stream="inside", **settings
    )
    rng = np.random.default_rng(2)
    others = pd.concat({kind: _described(kind, n_nodes, isolated, n_others, rng) for kind in KINDS})
    chosen = five_best(table)
    print(f"\n{n_nodes} nodes, isolated nodes {isolated}; five features: {', '.join(chosen)}")
    results = {
        name: _rates(table, from_models, others, variant)
        for name, variant in variants(chosen).items()
    }
    print(pd.DataFrame(results).map(lambda rate: f"{rate:.3f}").to_string())


def _described(
    kind: str, n: int, isolated: str, number: int, rng: np.random.Generator
) -> pd.DataFrame:
    number = 1 if kind == "grid" else number
    graphs = [other_network(kind, n, isolated, rng) for _ in range(number)]
    return pd.DataFrame([netchoice.compute_features(graph, NAMES).values for graph in graphs])


def _rates(
    table: netchoice.ReferenceTable,
    from_models: netchoice.ReferenceTable,
    others: pd.DataFrame,
    variant: tuple,
) -> dict[str, float]:
    found = p_values(table, from_models.X, variant)
    own = np.array([found.at[i, model] for i, model in enumerate(from_models.y)])
    rates = {
        "from the models: p uniform? (KS p)": stats.kstest(own, "uniform").pvalue,
        "from the models: own p ≤ 0.05": np.mean(own <= 0.05),
        "from the models: own p ≤ 0.01": np.mean(own <= ALPHA),
        "from the models: rejected": np.mean(found.max(axis=1) <= ALPHA),
        "from the models: other model's p ≤ 0.01": np.mean(
            [found.drop(columns=model).at[i, other] <= ALPHA
             for i, model in enumerate(from_models.y) for other in SPACE.labels if other != model]
        ),
    }  # fmt: skip
    largest = p_values(table, others, variant).max(axis=1).to_numpy()
    for kind in KINDS:
        these = largest[others.index.get_level_values(0) == kind]
        rates[f"rejected: {kind}"] = float(np.mean(these <= ALPHA))
    return rates


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--others", type=int, default=N_OTHERS, help="networks of each kind")
    parser.add_argument("--small", action="store_true", help="300 nodes only")
    arguments = parser.parse_args()
    measure(300, "keep", arguments.others)
    if not arguments.small:
        measure(790, "drop", arguments.others)
