"""Reference values of all features, by networkx and NumPy; imports nothing from netchoice.

Networks are networkx graphs with nodes 0…n−1 in order and edges (u < v) in sorted order.
"""

import math
from itertools import combinations

import networkx as nx
import numpy as np
from networkx.algorithms import approximation


def canonical(n_nodes, edges):
    graph = nx.Graph()
    graph.add_nodes_from(range(n_nodes))
    graph.add_edges_from(sorted((min(edge), max(edge)) for edge in edges))
    return graph


def mean(values):
    return sum(values) / len(values) if values else 0.0


def largest_component(graph):
    components = [sorted(nodes) for nodes in nx.connected_components(graph)]
    if not components:
        return graph.subgraph([])
    nodes = min(components, key=lambda nodes: (-len(nodes), nodes[0]))
    return canonical_subgraph(graph, nodes)


def canonical_subgraph(graph, nodes):
    """Return the induced subgraph with its nodes renumbered in order."""
    position = {node: i for i, node in enumerate(sorted(nodes))}
    edges = [
        (position[u], position[v]) for u, v in graph.edges() if u in position and v in position
    ]
    return canonical(len(position), edges)


def degree_connectivity(graph):
    by_degree = nx.average_degree_connectivity(graph)
    return mean([value if degree else 0.0 for degree, value in by_degree.items()])


def leading_eigenvector(graph):
    """Return mean and largest entry, or None if the gap is too small to define the vector."""
    if not graph:
        return 0.0, 0.0
    solved = []
    for nodes in nx.connected_components(graph):
        nodes = sorted(nodes)
        values, vectors = np.linalg.eigh(nx.to_numpy_array(graph.subgraph(nodes), nodelist=nodes))
        gap = values[-1] - values[-2] if len(values) > 1 else math.inf
        solved.append((nodes[0], values[-1], gap, np.abs(vectors[:, -1])))
    top = max(value for _, value, _, _ in solved)
    tied = [item for item in solved if item[1] >= top - 1e-9 * max(1.0, top)]
    _, _, gap, vector = min(tied, key=lambda item: item[0])
    if gap <= 1e-6:
        return None, None
    return vector.sum() / len(graph), vector.max()


def features(graph):
    """Compute all features except noise, by name."""
    n = len(graph)
    lcc = largest_component(graph)
    degrees = np.array([degree for _, degree in graph.degree()], dtype=float)
    lengths = dict(nx.all_pairs_shortest_path_length(graph))
    pairs = [lengths[u][v] for u, v in combinations(graph, 2) if v in lengths[u]]
    lcc_lengths = dict(nx.all_pairs_shortest_path_length(lcc))
    lcc_pairs = [lcc_lengths[u][v] for u, v in combinations(lcc, 2)]
    betweenness = list(nx.betweenness_centrality(graph).values())
    triangles = list(nx.triangles(graph).values())
    squares = np.array(list(nx.square_clustering(graph).values()), dtype=float)
    core_numbers = list(nx.core_number(graph).values())
    cliques = list(nx.enumerate_all_cliques(graph))
    eigenvector_mean, eigenvector_max = leading_eigenvector(graph)
    shares = np.unique(degrees, return_counts=True)[1] / max(n, 1)
    spectrum = np.linalg.eigvalsh(nx.to_numpy_array(graph)) if n else np.array([])
    top = max(betweenness, default=0.0)
    return {
        "n_components": nx.number_connected_components(graph),
        "lcc_nodes": len(lcc),
        "lcc_edges": lcc.number_of_edges(),
        "lcc_diameter": max(lcc_pairs, default=0),
        "lcc_mean_distance": mean(lcc_pairs),
        "global_efficiency": nx.global_efficiency(graph) if n else 0.0,
        "lcc_local_efficiency": nx.local_efficiency(lcc) if len(lcc) else 0.0,
        "degree_connectivity": degree_connectivity(graph),
        "lcc_degree_connectivity": degree_connectivity(lcc),
        "estrada_index": np.exp(spectrum).sum(),
        "degree_entropy": -(shares * np.log(shares)).sum() if n else 0.0,
        "degree_max": int(degrees.max(initial=0)),
        "degree_mean": degrees.mean() if n else 0.0,
        "degree_median": np.median(degrees) if n else 0.0,
        "degree_std": degrees.std() if n else 0.0,
        "degree_q25": np.quantile(degrees, 0.25) if n else 0.0,
        "degree_q75": np.quantile(degrees, 0.75) if n else 0.0,
        "betweenness_mean": mean(betweenness),
        "betweenness_max": top,
        "central_point_dominance": sum(top - b for b in betweenness) / (n - 1) if n > 1 else 0.0,
        "eigenvector_mean": eigenvector_mean,
        "eigenvector_max": eigenvector_max,
        "transitivity": nx.transitivity(graph),
        "n_triangles": sum(triangles) // 3,
        "clustering_mean": nx.average_clustering(graph) if n else 0.0,
        "square_clustering_mean": squares.mean() if n else 0.0,
        "square_clustering_median": np.median(squares) if n else 0.0,
        "square_clustering_std": squares.std() if n else 0.0,
        **{f"core_{k}_size": sum(core >= k for core in core_numbers) for k in range(2, 7)},
        **{f"shell_{k}_size": sum(core == k for core in core_numbers) for k in range(2, 7)},
        "n_4_cliques": sum(len(clique) == 4 for clique in cliques),
        "n_5_cliques": sum(len(clique) == 5 for clique in cliques),
        "max_clique_size": max(map(len, cliques), default=0),
        **{f"n_pairs_distance_{k}": pairs.count(k) for k in range(3, 7)},
        "node_dominating_set_size": len(approximation.min_weighted_dominating_set(graph))
        if n
        else 0,
        "edge_dominating_set_size": len(approximation.min_edge_dominating_set(graph)) if n else 0,
    }
