"""Goodness of fit: false alarms on networks of the models, and power on other networks.

The table has 3000 simulations of the space ``duplication`` with all features except noise. For every
network, each model is simulated 500 times with parameters from its posterior, as in ``netchoice choose``,
and the network is compared with these simulations (column "local") and with those of the table (column
"prior"). A network is rejected if all p-values are at most 0.01. The column "five features" repeats "prior"
with the five features that distinguish the two models best (JMI at penalty 1).

Networks of the models have parameters drawn from the prior, or at the corners of the prior. For them only
the p-value of the model that made them is computed: if it is above 0.01, the network is not rejected.

Other networks: density-matched Erdős–Rényi, geometric, block and preferential attachment graphs; small
worlds and random regular graphs with 4 neighbours. Harder cases are simulated networks in which edges
exchange ends, five times for each edge ("same degrees") or once for every four ("half swapped"), which
keeps the degree of every node, or in which half or a twentieth of the edges are moved.

The last table is the coverage of the 95% intervals of the parameters of the same networks.
"""

from __future__ import annotations

import argparse
import itertools
from concurrent.futures import ProcessPoolExecutor

import networkx as nx
import numpy as np
import pandas as pd
from scipy import optimize, stats

import netchoice
from netchoice import Graph
from netchoice.inference.goodness_of_fit import ALPHA, fit_p_values
from netchoice.selection import JMI
from netchoice.workflows.local_simulations import model_posteriors, posterior_space

N_SIMULATIONS, N_LOCAL, MAX_PRIOR = 3000, 500, 1000
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
    if kind in ("half moved", "1 in 20 moved"):
        made = moved(like, 0.5 if kind == "half moved" else 0.05, rng)
        return made.without_isolated() if isolated == "drop" else made
    if isolated == "keep":
        return Graph.of(random_graph(kind, n, edges, rng))
    # Degrees are about Poisson: on average n of these nodes are not isolated; repeat until exactly n.
    more = optimize.brentq(lambda size: size * (1 - np.exp(-2 * edges / size)) - n, n, 10 * n)
    while True:
        sized = more if kind in ("Erdős–Rényi", "geometric", "blocks") else n
        made = Graph.of(random_graph(kind, round(sized), edges, rng)).without_isolated()
        if made.n_nodes == n:
            return made


def random_graph(kind: str, n: int, edges: int, rng: np.random.Generator) -> nx.Graph:
    """Return a random graph of networkx; the first three kinds have about the given number of edges."""
    seed, sizes = int(rng.integers(2**31)), [n // 3, n // 3, n - 2 * (n // 3)]
    radius, density = np.sqrt(2 * edges / n**2 / np.pi), 2 * edges / n**2
    between = 0.3 * density
    links = [
        [min(1.0, 3 * density - 2 * between) if i == j else between for j in range(3)]
        for i in range(3)
    ]
    return {
        "Erdős–Rényi": lambda: nx.gnm_random_graph(n, edges, seed=seed),
        "geometric": lambda: nx.random_geometric_graph(n, radius, seed=seed),
        "blocks": lambda: nx.stochastic_block_model(sizes, links, seed=seed),
        "preferential attachment": lambda: nx.barabasi_albert_graph(
            n, max(1, round(edges / n)), seed=seed
        ),
        "small world": lambda: nx.watts_strogatz_graph(n, 4, 0.1, seed=seed),
        "regular": lambda: nx.random_regular_graph(4, n, seed=seed),
    }[kind]()


KINDS = (
    "Erdős–Rényi", "blocks", "geometric", "preferential attachment", "small world", "regular",
    "half moved", "same degrees", "half swapped", "1 in 20 moved",
)  # fmt: skip


def five_best(table: netchoice.ReferenceTable) -> list[str]:
    """Return the five features that a selector ranks first."""
    table = table.drop_constant()
    selector = JMI(penalty=1, n_features_to_select=5, costs=table.costs).fit(table.X, table.y)
    return [str(name) for name in selector.ranking_names_[:5]]


class Case:
    """A network, and the models that its fit is tested for."""

    def __init__(self, kind: str, graph: Graph, model: str = "", parameters: dict | None = None):
        self.kind, self.graph, self.model, self.parameters = kind, graph, model, parameters
        self.models = [model] if model else list(SPACE.labels)


def cases(n: int, isolated: str, n_own: int, n_others: int, seed: int) -> list[Case]:
    """Return networks of the models, at draws from the prior and at its corners, and others."""
    rng = np.random.default_rng(seed)
    made = []
    for model in SPACE:
        corners = itertools.product(
            *[(p.prior.low, p.prior.high) for p in model.parameters.values()]
        )
        at_corners = [dict(zip(model.parameters, corner, strict=True)) for corner in corners]
        for i in range(n_own):
            chosen = {"prior": model.sample(rng), "corner": at_corners[i % len(at_corners)]}
            for kind, parameters in chosen.items():
                graph = model.grow(n, parameters, rng, isolated=isolated)
                made.append(Case(kind, graph, model.name, parameters))
    for kind in KINDS:
        made += [Case(kind, other_network(kind, n, isolated, rng)) for _ in range(n_others)]
    return made


def tested_row(case: Case, table: netchoice.ReferenceTable, five: list[str], seed: int) -> dict:
    """Return the p-values of one network, and whether the intervals cover its parameters."""
    observed = netchoice.compute_features(case.graph, NAMES).values
    space = netchoice.ModelSpace("tested", [SPACE[name] for name in case.models])
    posteriors = model_posteriors(space, table, observed)
    local = netchoice.simulate_table(
        posterior_space(space, posteriors), n_nodes=case.graph.n_nodes,
        n_samples=N_LOCAL * len(space), seed=seed, features=NAMES, engine="serial",
        isolated=table.manifest["isolated"],
    )  # fmt: skip
    row = {"kind": case.kind, "local": 0.0, "prior": 0.0, "five features": 0.0}
    for model in case.models:
        for name, source, names in (
            ("local", local, NAMES), ("prior", table, NAMES), ("five features", table, five)
        ):  # fmt: skip
            sample = source.X[names][source.y == model].to_numpy(dtype=float)[:MAX_PRIOR]
            p = fit_p_values(sample, [[observed[feature] for feature in names]])[0]
            row[name] = max(row[name], p)
    if case.parameters:
        for name, (low, high) in posteriors[case.model].posterior.intervals.items():
            row[f"{case.model} {name}"] = float(low <= case.parameters[name] <= high)
    return row


def measure(n: int, isolated: str, n_own: int, n_others: int, seed: int) -> None:
    """Print the rates for one number of nodes."""
    table = netchoice.simulate_table(
        SPACE, n_nodes=n, n_samples=N_SIMULATIONS, seed=seed, features=NAMES, isolated=isolated
    )
    five, tested = five_best(table), cases(n, isolated, n_own, n_others, seed + 1)
    with ProcessPoolExecutor() as pool:
        futures = [pool.submit(tested_row, case, table, five, i) for i, case in enumerate(tested)]
        rows = pd.DataFrame([future.result() for future in futures])
    columns = ["local", "prior", "five features"]
    print(f"\n{n} nodes, isolated nodes {isolated}; five features: {', '.join(five)}")
    groups = rows.groupby("kind", sort=False)[columns]
    rates = groups.agg(lambda p: np.mean(p <= ALPHA)).assign(n=groups.size())
    print(rates.to_string(float_format="{:.3f}".format))
    for kind in ("prior", "corner"):
        own = rows[rows["kind"] == kind]["local"]
        share = np.mean(own <= 0.05)
        print(
            f"{kind}: p ≤ 0.05 in {share:.3f}, uniform? KS p = {stats.kstest(own, 'uniform').pvalue:.3f}"
        )
    coverage = rows.drop(columns=columns).groupby("kind", sort=False).mean().dropna(how="all")
    print("coverage of 95% intervals\n" + coverage.to_string(float_format="{:.3f}".format))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--own", type=int, default=160, help="networks of each model and kind")
    parser.add_argument("--others", type=int, default=40, help="networks of each other kind")
    parser.add_argument("--nodes", type=int, nargs="*", default=[100, 300], help="numbers of nodes")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    for n_nodes in arguments.nodes:
        measure(n_nodes, "keep", arguments.own, arguments.others, arguments.seed)
