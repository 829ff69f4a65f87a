"""Goodness of fit: false alarms on networks of the models, and power on other networks.

A chooser is prepared for the space ``duplication``, as in ``netchoice choose``: 2000 simulations with all
cheap features serve for the selection and for the fit, and 3000 others for the probabilities. Every
network is compared with it. A network is rejected if all p-values are at most 0.01:

- "prior": p-values on the simulations from the priors, the first stage of ``netchoice choose``;
- "both": as ``netchoice choose`` decides. If the first stage rejects the most probable model, this model is
  simulated 300 times with parameters from its posterior, and it is rejected if it does not fit there either;
- "five features": the first stage, with the five features that distinguish the two models best (JMI at
  penalty 1).

Networks of the models have parameters drawn from the prior, or at the corners of the prior. For them only
the p-value of the model that made them counts: if it is above 0.01, the network is not rejected. The lines
below say how often no model fits, and give the coverage of the 95% intervals of the parameters.

Other networks: density-matched Erdős–Rényi, geometric, block and preferential attachment graphs; small
worlds and random regular graphs with 4 neighbours. Harder cases are simulated networks in which edges
exchange ends, five times for each edge ("same degrees") or once for every four ("half swapped"), which
keeps the degree of every node, or in which half or a twentieth of the edges are moved.

The rates of a kind are printed as soon as all its networks are tested.
"""

from __future__ import annotations

import argparse
import itertools
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from multiprocessing import get_context

import cloudpickle
import networkx as nx
import numpy as np
import pandas as pd
from scipy import stats

import netchoice
from netchoice import Graph
from netchoice.inference import FitTest
from netchoice.inference.goodness_of_fit import ALPHA
from netchoice.selection import JMI
from netchoice.workflows.comparison import Comparison
from netchoice.workflows.preparation import ChoiceSettings, make_preparation
from netchoice.workflows.prepared import Prepared
from netchoice.workflows.table_maker import TableMaker

N_SIMULATIONS = 3000
SPACE = netchoice.get_space("duplication")
COLUMNS = ["prior", "both", "five features"]


def simulated(n_nodes: int, rng: np.random.Generator) -> Graph:
    """Return a network of one of the models."""
    label, parameters = SPACE.sample(rng)
    return SPACE[label].grow(n_nodes, parameters, rng)


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


def other_network(kind: str, n: int, rng: np.random.Generator) -> Graph:
    """Return a network that none of the models makes, with the same number of nodes."""
    like = simulated(n, rng)
    if kind == "same degrees":
        return swapped(like, 5, rng)
    if kind == "half swapped":
        return swapped(like, 0.25, rng)
    if kind in ("half moved", "1 in 20 moved"):
        return moved(like, 0.5 if kind == "half moved" else 0.05, rng)
    return Graph.of(random_graph(kind, n, like.n_edges, rng))


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
    """A network, and the model that made it, if one did."""

    def __init__(self, kind: str, graph: Graph, model: str = "", parameters: dict | None = None):
        self.kind, self.graph, self.model, self.parameters = kind, graph, model, parameters

    def p_value(self, fit: netchoice.inference.Fit) -> float:
        """Return the p-value of the model that made the network, or the largest one."""
        return fit.p_values[self.model] if self.model else fit.overall


def own_cases(n: int, n_own: int, seed: int) -> list[Case]:
    """Return networks of the models, at draws from the prior, then at its corners."""
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
                made.append(Case(kind, model.grow(n, parameters, rng), model.name, parameters))
    return sorted(made, key=lambda case: case.kind, reverse=True)


def other_cases(kind: str, n: int, n_others: int, seed: int) -> list[Case]:
    """Return networks of another kind; they do not depend on which other kinds are tested."""
    rng = np.random.default_rng([seed, KINDS.index(kind)])
    return [Case(kind, other_network(kind, n, rng)) for _ in range(n_others)]


def prepare(n: int, seed: int, workers: int | None) -> Prepared:
    """Return the simulations that all networks with n nodes are compared with."""
    settings = ChoiceSettings(
        space=SPACE.as_dict(), n_nodes=n, isolated="keep", samples=N_SIMULATIONS, seed=seed
    )
    maker = TableMaker(SPACE, seed, settings.isolated, workers=workers)
    return Prepared.simulate(make_preparation(SPACE, settings, maker))


@cache
def unpickled(pickled: bytes) -> tuple[Prepared, FitTest]:
    """Return the simulations and the test on five features, once for each process."""
    return cloudpickle.loads(pickled)  # pickle cannot serialize the lambdas in priors


def tested_row(pickled: bytes, case: Case) -> dict:
    """Return the p-values of one network, and whether the intervals cover its parameters."""
    prepared, five_test = unpickled(pickled)
    found = Comparison.of(prepared, case.graph)
    fits = (found.prior_fit, found.fit, five_test.test(found.values))
    row = {"kind": case.kind, **dict(zip(COLUMNS, map(case.p_value, fits), strict=True))}
    row["none fits"] = not found.fit.fits
    if case.parameters:
        for name, (low, high) in found.posterior(case.model).posterior.intervals.items():
            row[f"{case.model} {name}"] = float(low <= case.parameters[name] <= high)
    return row


def measure(n: int, given: argparse.Namespace) -> None:
    """Print the rates for one number of nodes."""
    prepared = prepare(n, given.seed, given.workers)
    five = five_best(prepared.fit_table)
    five_test = FitTest.fit(prepared.fit_table.X[five], prepared.fit_table.y, seed=given.seed)
    made = own_cases(n, given.own, given.seed + 1)
    for kind in given.kinds:
        made += other_cases(kind, n, given.others, given.seed + 1)
    print(f"\n{n} nodes; five features: {', '.join(five)}")
    print(f"{'rejected':24}", *(f"{name:>14}" for name in COLUMNS), f"{'n':>5}", flush=True)
    test = partial(tested_row, cloudpickle.dumps((prepared.for_worker(), five_test)))
    with ProcessPoolExecutor(given.workers, mp_context=get_context("spawn")) as pool:
        tested = pool.map(test, made, chunksize=5)
        for kind, rows in itertools.groupby(tested, key=lambda row: row["kind"]):
            print_rates(kind, pd.DataFrame(rows))


def print_rates(kind: str, rows: pd.DataFrame) -> None:
    """Print the rates of one kind; for networks of the models also p-values and coverage."""
    rates = (rows[COLUMNS] <= ALPHA).mean()
    print(f"{kind:24}", *(f"{rate:14.3f}" for rate in rates), f"{len(rows):5}", flush=True)
    if kind in KINDS:
        return
    print(f"    none of the models fits in {rows['none fits'].mean():.3f}")
    for column in ("prior", "both"):
        share, uniform = np.mean(rows[column] <= 0.05), stats.kstest(rows[column], "uniform")
        print(f"    {column}: p ≤ 0.05 in {share:.3f}, uniform? KS p = {uniform.pvalue:.3f}")
    coverage = rows.drop(columns=["kind", "none fits", *COLUMNS]).mean()
    listed = ", ".join(f"{name} {share:.3f}" for name, share in coverage.items())
    print(f"    coverage of 95% intervals: {listed}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--own", type=int, default=160, help="networks of each model and kind")
    parser.add_argument("--others", type=int, default=40, help="networks of each other kind")
    parser.add_argument("--kinds", nargs="*", choices=KINDS, default=KINDS, help="other kinds")
    parser.add_argument("--nodes", type=int, nargs="*", default=[100, 300], help="numbers of nodes")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, help="processes; by default one for each processor")
    arguments = parser.parse_args()
    for n_nodes in arguments.nodes:
        measure(n_nodes, arguments)
