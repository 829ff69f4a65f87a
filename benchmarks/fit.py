"""Goodness of fit: false alarms on networks from inside a space, and power on those from outside.

Space ``duplication``, 1000 simulations with the whole battery but noise, at 300 nodes, and at the 790
of Ito's network with simulations grown until so many nodes are not isolated. A network is called out
if no model's p-value is above 0.01.

Inside: networks of the space that are not in the table. Their p-values for the model that made them
should be uniform (Kolmogorov–Smirnov), and at most 1 % of them at most 0.01.

Outside: Erdős–Rényi and geometric graphs, as dense as simulated ones, or as Ito's network at its size; a
square grid, small worlds and random regular graphs with 4 neighbours. Harder: a simulated
network in which edges exchange ends, five times for each edge ("same degrees") or once for every four
("half swapped"), so that the degree of every node stays; or of which half the edges are put elsewhere.

Next to the default stand other ways to do it: five features that tell the two models apart (the five best
of JMI at penalty 1) in place of all; the distance to the nearest as it is, not relative to that of these;
features made uncorrelated (Mahalanobis, covariance shrunk by a tenth).
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
from netchoice.inference import goodness_of_fit as fitting
from netchoice.selection import JMI

SIMULATIONS, INSIDE, OUTSIDE = 1000, 500, 40
LEVEL = 0.01
SPACE = netchoice.get_space("duplication")
NAMES = netchoice.feature_names(noise=False)


def simulated(n_nodes: int, isolated: str, rng: np.random.Generator) -> Graph:
    """A network of the space."""
    label, parameters = SPACE.sample(rng)
    return SPACE[label].grow(n_nodes, parameters, rng, isolated=isolated)


def swapped(graph: Graph, times: float, rng: np.random.Generator) -> Graph:
    """Ends of edges exchanged, so many times the number of edges; degrees stay."""
    swaps = max(1, round(times * graph.n_edges))
    made = graph.to_networkx()
    try:
        nx.double_edge_swap(made, swaps, max_tries=300 * swaps, seed=int(rng.integers(2**31)))
    except nx.NetworkXException:  # too few edges, or hardly any that can be swapped
        return graph
    return Graph.from_networkx(made)


def moved(graph: Graph, share: float, rng: np.random.Generator) -> Graph:
    """Some edges put anywhere else."""
    edges = graph.edges().copy()
    which = rng.random(len(edges)) < share
    edges[which] = rng.integers(graph.n_nodes, size=(which.sum(), 2))
    return Graph.from_edges(edges, n_nodes=graph.n_nodes)


def outside(kind: str, n: int, isolated: str, rng: np.random.Generator) -> Graph:
    """A network that no model of the space makes, as large as those that they make."""
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
    # Degrees are about Poisson: so many nodes leave n that are not isolated, sooner or later just n.
    more = optimize.brentq(lambda size: size * (1 - np.exp(-2 * edges / size)) - n, n, 10 * n)
    while True:
        sized = more if kind in ("Erdős–Rényi", "geometric") else n
        made = Graph.of(random_graph(kind, round(sized), edges, rng)).without_isolated()
        if made.n_nodes == n or kind == "grid":
            return made


def random_graph(kind: str, n: int, edges: int, rng: np.random.Generator) -> nx.Graph:
    """Of networkx; only the first two are as dense as asked for."""
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


def five(table: netchoice.ReferenceTable) -> list[str]:
    """What a selector would take to tell the models apart."""
    table = table.drop_constant()
    selector = JMI(penalty=1, n_features_to_select=5, costs=table.costs).fit(table.X, table.y)
    return [str(name) for name in selector.ranking_names_[:5]]


def whitened(points: np.ndarray) -> np.ndarray:
    """Uncorrelated, nearly."""
    covariance = np.cov(points.T)
    shrunk = covariance + 0.1 * np.trace(covariance) / len(covariance) * np.eye(len(covariance))
    values, vectors = np.linalg.eigh(shrunk)
    return points @ vectors / np.sqrt(values)


def nearest(points: np.ndarray, k: int) -> np.ndarray:
    """Mean distance to the nearest, as it is."""
    between = distance.cdist(points, points)
    np.fill_diagonal(between, np.inf)
    return np.partition(between, k - 1, axis=1)[:, :k].mean(axis=1)


def variants(chosen: list[str]) -> dict[str, tuple]:
    """By name: which features, what is done to them once scaled, and the score."""
    ours = fitting._remoteness
    return {
        "default": (NAMES, np.asarray, ours),
        "five features": (chosen, np.asarray, ours),
        "plain distance": (NAMES, np.asarray, nearest),
        "uncorrelated": (NAMES, whitened, ours),
    }


def p_values(table: netchoice.ReferenceTable, rows: pd.DataFrame, variant: tuple) -> pd.DataFrame:
    """Of each network (row) under each model (column)."""
    names, change, score = variant
    found = {}
    for model in SPACE.labels:
        cloud = table.X[names][table.y == model].to_numpy(dtype=float)
        column = []
        for values in rows[names].to_numpy(dtype=float):
            scores = score(change(fitting._scaled(np.vstack([cloud, values]))), fitting.NEIGHBOURS)
            column.append(np.mean(scores >= scores[-1] * (1 - 1e-9)))
        found[model] = column
    return pd.DataFrame(found)


def measure(n_nodes: int, isolated: str, n_outside: int) -> None:
    """One size."""
    how = {"n_nodes": n_nodes, "isolated": isolated, "features": NAMES, "seed": 1}
    table = netchoice.simulate_table(SPACE, n_samples=SIMULATIONS, **how)
    inside = netchoice.simulate_table(SPACE, n_samples=INSIDE, stream="inside", **how)
    rng = np.random.default_rng(2)
    foreign = pd.concat(
        {kind: _described(kind, n_nodes, isolated, n_outside, rng) for kind in KINDS}
    )
    chosen = five(table)
    print(f"\n{n_nodes} nodes, isolated nodes {isolated}; five features: {', '.join(chosen)}")
    results = {name: _rates(table, inside, foreign, v) for name, v in variants(chosen).items()}
    print(pd.DataFrame(results).map(lambda rate: f"{rate:.3f}").to_string())


def _described(
    kind: str, n: int, isolated: str, number: int, rng: np.random.Generator
) -> pd.DataFrame:
    number = 1 if kind == "grid" else number
    graphs = [outside(kind, n, isolated, rng) for _ in range(number)]
    return pd.DataFrame([netchoice.compute_features(graph, NAMES).values for graph in graphs])


def _rates(
    table: netchoice.ReferenceTable,
    inside: netchoice.ReferenceTable,
    foreign: pd.DataFrame,
    variant: tuple,
) -> dict[str, float]:
    within = p_values(table, inside.X, variant)
    own = np.array([within.at[i, model] for i, model in enumerate(inside.y)])
    rates = {
        "inside: p uniform? (KS p)": stats.kstest(own, "uniform").pvalue,
        "inside: own p ≤ 0.05": np.mean(own <= 0.05),
        "inside: own p ≤ 0.01": np.mean(own <= LEVEL),
        "inside: called out": np.mean(within.max(axis=1) <= LEVEL),
        "inside: other model's p ≤ 0.01": np.mean(
            [within.drop(columns=model).at[i, other] <= LEVEL
             for i, model in enumerate(inside.y) for other in SPACE.labels if other != model]
        ),
    }  # fmt: skip
    without = p_values(table, foreign, variant).max(axis=1).to_numpy()
    for kind in KINDS:
        these = without[foreign.index.get_level_values(0) == kind]
        rates[f"called out: {kind}"] = float(np.mean(these <= LEVEL))
    return rates


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--outside", type=int, default=OUTSIDE, help="networks of each kind")
    parser.add_argument("--small", action="store_true", help="300 nodes only")
    arguments = parser.parse_args()
    measure(300, "keep", arguments.outside)
    if not arguments.small:
        measure(790, "drop", arguments.outside)
