"""Simulated networks and their features, for the tests of the fit and of the embedding."""

import netchoice

FEATURES = [
    "degree_mean", "degree_max", "degree_std", "transitivity", "n_triangles", "clustering_mean",
    "core_2_size", "core_3_size", "shell_4_size", "n_4_cliques", "max_clique_size", "lcc_nodes",
    "n_components", "lcc_mean_distance", "lcc_diameter", "n_pairs_distance_3", "square_clustering_mean",
    "degree_entropy", "lcc_degree_connectivity", "edge_dominating_set_size", "estrada_index", "core_6_size",
]  # fmt: skip
N_NODES = 60


def simulate(n_samples, stream):
    """Return a table of small networks of the two duplication models."""
    return netchoice.simulate_table(
        "duplication", n_nodes=N_NODES, n_samples=n_samples, seed=3, stream=stream, features=FEATURES,
        engine="serial",
    )  # fmt: skip


def describe(graph):
    """Return the features of a networkx graph."""
    return netchoice.compute_features(netchoice.Graph.of(graph), FEATURES).values
