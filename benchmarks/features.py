"""All features against networkx and networkit, and against igraph where it has the feature.

Times are CPU times of one thread on the same networks of 1000 nodes: two for each m of preferential
attachment, and eight duplication networks from the prior. Each peer computes a shared quantity once,
with its fastest documented call, on a graph in its own format; the conversion is not timed. Values are
compared, so that only equal work is timed. For all features together, a ratio of 60 was wanted.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import igraph  # noqa: E402
import networkit as nk  # noqa: E402
import networkx as nx  # noqa: E402
import numpy as np  # noqa: E402
import report  # noqa: E402
from networkx.algorithms import approximation  # noqa: E402

import netchoice  # noqa: E402

GROUPS: dict[str, tuple[list[str], Callable, Callable | None]] = {}


def group(*features: str, igraph_call: Callable | None = None):
    """Register the peers' functions for a group of features; a decorator."""

    def register(function: Callable) -> Callable:
        GROUPS[function.__name__] = (list(features), function, igraph_call)
        return function

    return register


def _histogram(distances: np.ndarray) -> np.ndarray:
    finite = distances[(distances > 0) & (distances < len(distances) + 1)].astype(int)
    return np.bincount(finite, minlength=7) // 2


def _lcc(graph):
    """Return a copy of the largest component; networkx is many times slower on a view."""
    return graph.subgraph(max(nx.connected_components(graph), key=len)).copy()


@group(
    "n_components", "lcc_nodes", "lcc_edges",
    igraph_call=lambda g: (c := g.connected_components(), c.giant().ecount()),
)  # fmt: skip
def components(graph, peer):
    """Use networkx."""
    parts = list(nx.connected_components(graph))
    lcc = graph.subgraph(max(parts, key=len))
    return {"n_components": len(parts), "lcc_nodes": len(lcc), "lcc_edges": lcc.number_of_edges()}


@group(
    "lcc_diameter", "lcc_mean_distance", "global_efficiency",
    *(f"n_pairs_distance_{k}" for k in range(3, 7)),
    igraph_call=lambda g: g.path_length_hist(directed=False),
)  # fmt: skip
def distances(graph, peer):
    """Use networkit, all pairs."""
    matrix = np.asarray(nk.distance.APSP(peer).run().getDistances(asarray=True))
    pairs = _histogram(matrix)
    lcc = sorted(max(nx.connected_components(graph), key=len))
    inside = _histogram(matrix[np.ix_(lcc, lcc)])
    n = len(matrix)
    steps = np.arange(len(inside))
    return {
        "lcc_diameter": int(np.flatnonzero(inside).max(initial=0)),
        "lcc_mean_distance": (inside * steps).sum() / max(inside.sum(), 1),
        "global_efficiency": (pairs[1:] / np.arange(1, len(pairs))).sum() / (n * (n - 1) / 2),
        **{f"n_pairs_distance_{k}": int(pairs[k]) for k in range(3, 7)},
    }


@group("lcc_local_efficiency")
def local_efficiency(graph, peer):
    """Use networkx on copies of the neighbourhoods; networkx.local_efficiency uses slow views."""
    lcc = _lcc(graph)
    each = [nx.global_efficiency(lcc.subgraph(lcc[node]).copy()) for node in lcc]
    return {"lcc_local_efficiency": np.mean(each)}


@group("degree_connectivity", "lcc_degree_connectivity", igraph_call=lambda g: g.simplify().knn())
def degree_connectivity(graph, peer):
    """Use networkx."""
    everywhere = nx.average_degree_connectivity(graph)
    inside = nx.average_degree_connectivity(_lcc(graph))
    return {
        "degree_connectivity": np.mean(list(everywhere.values())),
        "lcc_degree_connectivity": np.mean(list(inside.values())),
    }


@group("estrada_index")
def estrada(graph, peer):
    """Use dense eigenvalues; networkx.estrada_index is slower because it computes eigenvectors."""
    spectrum = np.linalg.eigvalsh(nx.to_numpy_array(graph))
    return {"estrada_index": np.exp(spectrum).sum()}


@group(
    "degree_entropy", "degree_max", "degree_mean", "degree_median", "degree_std", "degree_q25",
    "degree_q75", igraph_call=lambda g: np.quantile(g.degree(), [0.25, 0.5, 0.75]),
)  # fmt: skip
def degrees(graph, peer):
    """Use networkx and NumPy."""
    values = np.array([degree for _, degree in graph.degree()])
    shares = np.unique(values, return_counts=True)[1] / len(values)
    q25, q75 = np.quantile(values, [0.25, 0.75])
    return {
        "degree_entropy": -(shares * np.log(shares)).sum(),
        "degree_max": int(values.max()),
        "degree_mean": values.mean(),
        "degree_median": np.median(values),
        "degree_std": values.std(),
        "degree_q25": q25,
        "degree_q75": q75,
    }


@group(
    "betweenness_mean", "betweenness_max", "central_point_dominance",
    igraph_call=lambda g: g.betweenness(directed=False),
)  # fmt: skip
def betweenness(graph, peer):
    """Use networkit."""
    scores = np.array(nk.centrality.Betweenness(peer, normalized=True).run().scores())
    dominance = (scores.max() - scores).sum() / (len(scores) - 1)
    return {
        "betweenness_mean": scores.mean(),
        "betweenness_max": scores.max(),
        "central_point_dominance": dominance,
    }


@group(
    "eigenvector_mean", "eigenvector_max",
    igraph_call=lambda g: g.eigenvector_centrality(),
)  # fmt: skip
def eigenvector(graph, peer):
    """Use networkx on the largest component; it does not accept disconnected networks."""
    vector = np.abs(list(nx.eigenvector_centrality_numpy(_lcc(graph)).values()))
    return {"eigenvector_mean": vector.sum() / len(graph), "eigenvector_max": vector.max()}


@group(
    "transitivity", "n_triangles", "clustering_mean",
    igraph_call=lambda g: g.transitivity_local_undirected(mode="zero"),
)  # fmt: skip
def triangles(graph, peer):
    """Use networkx for the triangles, and compute the rest from them."""
    through = np.array(list(nx.triangles(graph).values()))
    values = np.array([degree for _, degree in graph.degree()])
    pairs = values * (values - 1) / 2
    return {
        "transitivity": through.sum() / pairs.sum(),
        "n_triangles": int(through.sum()) // 3,
        "clustering_mean": np.mean(through / np.maximum(pairs, 1)),
    }


@group("square_clustering_mean", "square_clustering_median", "square_clustering_std")
def squares(graph, peer):
    """Use networkit."""
    scores = np.array(nk.centrality.LocalSquareClusteringCoefficient(peer).run().scores())
    return {
        "square_clustering_mean": scores.mean(),
        "square_clustering_median": np.median(scores),
        "square_clustering_std": scores.std(),
    }


@group(
    *(f"core_{k}_size" for k in range(2, 7)), *(f"shell_{k}_size" for k in range(2, 7)),
    igraph_call=lambda g: g.coreness(),
)  # fmt: skip
def cores(graph, peer):
    """Use networkx."""
    counts = np.bincount(list(nx.core_number(graph).values()), minlength=7)
    sizes = {f"core_{k}_size": int(counts[k:].sum()) for k in range(2, 7)}
    return sizes | {f"shell_{k}_size": int(counts[k]) for k in range(2, 7)}


@group(
    "n_4_cliques", "n_5_cliques", "max_clique_size",
    igraph_call=lambda g: (g.cliques(4, 5), g.clique_number()),
)  # fmt: skip
def cliques(graph, peer):
    """Use networkx: cliques by size up to five, and maximal cliques for the largest."""
    counts = [0] * 6
    for clique in nx.enumerate_all_cliques(graph):
        if len(clique) > 5:
            break
        counts[len(clique)] += 1
    largest = max(map(len, nx.find_cliques(graph)))
    return {"n_4_cliques": counts[4], "n_5_cliques": counts[5], "max_clique_size": largest}


@group("node_dominating_set_size", "edge_dominating_set_size")
def dominating_sets(graph, peer):
    """Use networkx."""
    return {
        "node_dominating_set_size": len(approximation.min_weighted_dominating_set(graph)),
        "edge_dominating_set_size": len(approximation.min_edge_dominating_set(graph)),
    }


def networks(family: str) -> list[netchoice.Graph]:
    """Return eight networks of a family."""
    rng = np.random.default_rng(1)
    if family == "ba":
        return [netchoice.get_model(f"ba{m}").grow(1000, {}, rng) for m in (1, 2, 3, 4) * 2]
    space = netchoice.get_space(family)
    draws = [space.sample(rng) for _ in range(8)]
    return [space[label].grow(1000, parameters, rng) for label, parameters in draws]


def timed(function: Callable, *arguments):
    """Return the result and the smaller CPU time of two runs."""
    best, result = np.inf, None
    for _ in range(2):
        start = time.process_time()
        result = function(*arguments)
        best = min(best, time.process_time() - start)
    return result, best


def check(name: str, ours: dict, theirs: dict, connected: bool) -> None:
    """Exit with an error if the two results differ."""
    for feature, value in theirs.items():
        if feature.startswith("eigenvector") and not connected:
            continue  # the leading eigenvector may belong to another component
        tolerance = 1e-6 if feature.startswith("eigenvector") else 1e-9
        if not np.isclose(ours[feature], value, rtol=tolerance, atol=1e-12):
            sys.exit(f"{name}: {feature} is {ours[feature]} by netchoice and {value} by the peer")


def run(family: str) -> dict[str, float]:
    """Print the table of one family; return the CPU time of the peers divided by ours, by group."""
    graphs = networks(family)
    spent = {name: np.zeros(3) for name in GROUPS}
    together = 0.0
    netchoice.compute_features(graphs[0])
    for graph in graphs:
        as_networkx = graph.to_networkx()
        as_networkit = nk.nxadapter.nx2nk(as_networkx)
        as_igraph = igraph.Graph(graph.n_nodes, graph.edges().tolist())
        everything, seconds = timed(netchoice.compute_features, graph)
        together += seconds
        connected = nx.is_connected(as_networkx)
        for name, (features, peer_call, igraph_call) in GROUPS.items():
            theirs, peer_seconds = timed(peer_call, as_networkx, as_networkit)
            _, our_seconds = timed(netchoice.compute_features, graph, features)
            check(name, everything.values, theirs, connected)
            spent[name][:2] += peer_seconds, our_seconds
            spent[name][2] += timed(igraph_call, as_igraph)[1] if igraph_call else np.nan
    print(f"\n{family}: {len(graphs)} networks of 1000 nodes, CPU ms per network, one thread")
    print(
        f"{'group':22}{'nx/networkit':>14}{'igraph':>10}{'netchoice':>11}{'ratio':>8}{'igraph':>9}"
    )
    for name, (peer, ours, other) in spent.items():
        milliseconds = [1e3 * seconds / len(graphs) for seconds in (peer, other, ours)]
        shown = "".join(
            f"{ms:{width}.3f}" if ms == ms else f"{'–':>{width}}"
            for ms, width in zip(milliseconds, (14, 10, 11), strict=True)
        )
        versus = f"{other / ours:8.1f}×" if other == other else f"{'–':>9}"
        print(f"{name:22}{shown}{peer / ours:7.0f}×{versus}")
    ratios = {name: peer / ours for name, (peer, ours, _) in spent.items()}
    ratios |= {f"{name} igraph": other / ours for name, (_, ours, other) in spent.items()}
    peers = sum(peer for peer, _, _ in spent.values())
    alone = sum(ours for _, ours, _ in spent.values())
    for name, ours in (("sum of groups", alone), ("all together", together)):
        per_network = [1e3 * seconds / len(graphs) for seconds in (peers, ours)]
        print(f"{name:22}{per_network[0]:14.2f}{'':10}{per_network[1]:11.3f}{peers / ours:7.0f}×")
    ratios["all"] = peers / together
    return {f"{family} {name}": ratio for name, ratio in ratios.items()}


def main() -> None:
    """Print the ratios of both families, and write them."""
    parser = argparse.ArgumentParser(description=__doc__)
    report.add_json(parser)
    options = parser.parse_args()
    nk.setNumberOfThreads(1)
    report.write(options, run("ba") | run("duplication"))


if __name__ == "__main__":
    main()
