"""The features that come with the package, in the order of tables, and their shared steps."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from netchoice.features.budget import CLIQUE_STEPS, QUADRATIC_STEPS, check_quadratic, over_budget
from netchoice.features.registry import builtin, feature, run_kernel, step, summary
from netchoice.graph import Graph

#: Examples of what steps return.
INTEGERS, NUMBERS = np.zeros(0, np.int64), np.zeros(0)

# Connected components, and the largest connected component (LCC).


class Components(NamedTuple):
    """The component of each node, numbered by smallest node id, and the sizes of components."""

    labels: Any
    sizes: Any


@step(growth="n + m", example=Components(np.zeros(0, np.int32), INTEGERS))
def components(graph):
    """Connected component of each node."""
    labels, n_components = run_kernel("linear_passes.component_labels", graph)
    return Components(labels, np.bincount(labels, minlength=n_components))


@step(growth="n", example=np.zeros(0, np.bool_))
def lcc(components):
    """Whether each node is in the largest connected component."""
    # Of equally large components, the LCC is the one with the smallest node id.
    return components.labels == (np.argmax(components.sizes) if len(components.sizes) else -1)


@summary(discrete=True, topic="components")
def n_components(components):
    """Number of connected components."""
    return len(components.sizes)


@summary(discrete=True, label="nodes in the largest component", topic="components")
def lcc_nodes(components):
    """Number of nodes of the largest connected component."""
    return int(largest(components.sizes))


@summary(discrete=True, growth="n", label="edges in the largest component", topic="components")
def lcc_edges(lcc, degrees):
    """Number of edges of the largest connected component."""
    total = 0
    for u in range(len(lcc)):
        if lcc[u]:
            total += degrees[u]
    return total // 2


# Shortest paths: features of the distances between nodes.


@step(growth="n·m/64", min_power=2.0, example=(INTEGERS, INTEGERS))
def distance_histograms(graph):
    """Number of unordered pairs of nodes at each distance, in the network and in the LCC."""
    # 64 sources share a step.
    check_quadratic(graph, "the distances of all pairs", 64 * QUADRATIC_STEPS)
    return run_kernel("distance_histograms.distance_histograms", graph)


@summary(discrete=True, label="diameter", topic="distances")
def lcc_diameter(distance_histograms):
    """Largest distance in the largest connected component."""
    return len(distance_histograms[1]) - 1


@summary(label="mean distance", topic="distances")
def lcc_mean_distance(distance_histograms):
    """Mean distance over pairs of distinct nodes of the largest connected component."""
    pairs = distance_histograms[1]
    total, n_pairs = 0, 0
    for distance in range(len(pairs)):
        total += pairs[distance] * distance
        n_pairs += pairs[distance]
    return total / n_pairs if n_pairs else 0.0


@summary(topic="distances")
def global_efficiency(graph, distance_histograms):
    """Mean of 1/distance over pairs of distinct nodes, 0 for pairs without a path."""
    pairs = distance_histograms[0]
    n_pairs = graph.n_nodes * (graph.n_nodes - 1) // 2
    total = 0.0
    for distance in range(1, len(pairs)):
        total += pairs[distance] / distance
    return total / n_pairs if n_pairs else 0.0


def _register(k):
    definition = f"Number of unordered pairs of nodes at distance {k}"

    @summary(
        discrete=True,
        name=f"n_pairs_distance_{k}",
        definition=definition,
        label=f"pairs at distance {k}",
        topic="distances",
    )
    def n_pairs(distance_histograms):
        pairs = distance_histograms[0]
        return pairs[k] if k < len(pairs) else 0


for _k in (3, 4, 5, 6):
    _register(_k)


# Degrees: the numbers of neighbours, and the relation between the degrees of neighbours.


@step(growth="n", example=np.zeros(0, np.int32))
def degrees(graph):
    """Degree of each node."""
    return graph.degrees


@step(growth="n", example=INTEGERS)
def degree_counts(degrees):
    """Number of nodes with each degree."""
    return np.bincount(degrees)


@builtin(growth="n + m", label="mean degree of neighbours", topic="degrees")
def degree_connectivity(graph):
    """Mean, over the degrees k that occur, of the mean neighbour degree of nodes of degree k."""
    all_nodes = np.ones(graph.n_nodes, np.bool_)
    return run_kernel("linear_passes.degree_connectivity", graph, all_nodes)


@builtin(
    growth="n + m", label="mean degree of neighbours in the largest component", topic="degrees"
)
def lcc_degree_connectivity(graph, lcc):
    """Degree connectivity of the LCC: mean, over its degrees k, of the mean neighbour degree."""
    return run_kernel("linear_passes.degree_connectivity", graph, lcc)


@summary(label="entropy of the degrees", topic="degrees")
def degree_entropy(degree_counts):
    """Shannon entropy (nats) of the fractions of nodes with each degree."""
    n_nodes, total = degree_counts.sum(), 0.0
    for count in degree_counts:
        if count > 0:
            total -= count / n_nodes * math.log(count / n_nodes)
    return max(0.0, total)


@summary(discrete=True, label="maximum degree", topic="hubs")
def degree_max(degree_counts):
    """Largest degree."""
    return max(len(degree_counts) - 1, 0)


@summary(label="mean degree", topic="density")
def degree_mean(graph):
    """Mean degree."""
    return 2 * graph.n_edges / graph.n_nodes if graph.n_nodes else 0.0


@summary(label="median degree", topic="degrees")
def degree_median(degree_counts):
    """Median degree."""
    return quantile(degree_counts, 0.5)


@summary(label="spread of the degrees", topic="hubs")
def degree_std(degree_counts):
    """Standard deviation (ddof 0) of the degrees."""
    n_nodes = degree_counts.sum()
    if not n_nodes:
        return 0.0
    total, squares = 0, 0.0
    for degree in range(len(degree_counts)):
        total += degree_counts[degree] * degree
    for degree in range(len(degree_counts)):
        squares += degree_counts[degree] * (degree - total / n_nodes) ** 2
    return math.sqrt(squares / n_nodes)


@summary(label="25% quantile of the degrees", topic="degrees")
def degree_q25(degree_counts):
    """25% quantile of the degrees, linearly interpolated."""
    return quantile(degree_counts, 0.25)


@summary(label="75% quantile of the degrees", topic="degrees")
def degree_q75(degree_counts):
    """75% quantile of the degrees, linearly interpolated."""
    return quantile(degree_counts, 0.75)


def largest(values):
    """Return the largest of some numbers that are not negative, 0.0 if there are none; NaN if one is NaN."""
    most = 0.0
    for value in values:
        if value > most or value != value:
            most = value
    return most


def quantile(counts, fraction):
    """Return the linearly interpolated quantile of integers; ``counts[i]`` is how often i occurs."""
    n_values = counts.sum()
    if not n_values:
        return 0.0
    position = (n_values - 1) * fraction
    below = int(position)
    above = min(below + 1, n_values - 1)
    low, seen = 0, counts[0]
    while seen <= below:
        low += 1
        seen += counts[low]
    high = low
    while seen <= above:
        high += 1
        seen += counts[high]
    return low + (high - low) * (position - below)


# Centrality: betweenness, the leading eigenvector, and the Estrada index.


@step(growth="n·m", min_power=2.0, example=NUMBERS)
def betweenness(graph):
    """Shortest-path betweenness of each node, normalised by (n−1)(n−2)/2."""
    check_quadratic(graph, "betweenness")
    return run_kernel("betweenness.betweenness", graph) / _pairs_of_others(graph.n_nodes)


@step(growth="m · iterations", example=NUMBERS)
def leading_eigenvector(graph, components):
    """Leading eigenvector of the adjacency matrix, of Euclidean norm 1, non-negative."""
    n_components = len(components.sizes)
    return run_kernel("spectrum.leading_eigenvector", graph, components.labels, n_components)[1]


def _pairs_of_others(n_nodes):
    return max((n_nodes - 1) * (n_nodes - 2) // 2, 1)


@summary(label="mean betweenness", topic="distances")
def betweenness_mean(graph, distance_histograms):
    """Mean betweenness."""
    # The sum of betweenness is the number of inner nodes: d − 1 on a path of length d.
    pairs, inner = distance_histograms[0], 0
    for distance in range(2, len(pairs)):
        inner += pairs[distance] * (distance - 1)
    return inner / (max(graph.n_nodes, 1) * _pairs_of_others(graph.n_nodes))


@summary(growth="n", label="maximum betweenness", topic="hubs")
def betweenness_max(betweenness):
    """Largest betweenness."""
    return largest(betweenness)


@summary(growth="n", topic="hubs")
def central_point_dominance(betweenness):
    """Σ(largest betweenness − betweenness of i)/(n − 1)."""
    most, total = largest(betweenness), 0.0
    for value in betweenness:
        total += most - value
    return total / max(len(betweenness) - 1, 1)


@summary(growth="n", label="mean entry of the leading eigenvector", topic="centrality")
def eigenvector_mean(leading_eigenvector):
    """Mean entry of the leading eigenvector."""
    return leading_eigenvector.sum() / max(len(leading_eigenvector), 1)


@summary(growth="n", label="maximum entry of the leading eigenvector", topic="centrality")
def eigenvector_max(leading_eigenvector):
    """Largest entry of the leading eigenvector."""
    return largest(leading_eigenvector)


#: The largest logarithm up to which the Estrada index is stored as it is.
LARGEST_LOG = 700.0


@builtin(growth="n·m", min_power=2.0, label="Estrada index", version="2", topic="centrality")
def estrada_index(graph, components):
    """Sum of exp(eigenvalue) of the adjacency matrix; beyond e^700, e^700 · (its logarithm − 699)."""
    check_quadratic(graph, "the Estrada index")
    index = run_kernel("spectrum.estrada_index", graph, components.labels, len(components.sizes))
    if index <= math.exp(LARGEST_LOG):
        return index
    # The tangent of exp: the order of networks is kept, and every network has a finite value.
    logarithm = math.log(index) if math.isfinite(index) else _log_estrada(graph, components)
    return math.exp(LARGEST_LOG) * (1.0 + logarithm - LARGEST_LOG)


def _log_estrada(graph, components):
    """Return the logarithm of an Estrada index that no floating-point number can hold.

    Only eigenvalues near the largest one matter: one that is 60 smaller adds less than 1e-26 of the sum.
    """
    from scipy.sparse import csr_array

    n = graph.n_nodes
    matrix = csr_array((np.ones(len(graph.indices)), graph.indices, graph.indptr), shape=(n, n))
    found = []
    for label in np.flatnonzero(components.sizes > LARGEST_LOG / 2):  # smaller ones do not matter
        nodes = np.flatnonzero(components.labels == label)
        found.append(_largest_eigenvalues(matrix[nodes][:, nodes]))
    values = np.concatenate(found)
    return float(values.max() + np.log(np.exp(values - values.max()).sum()))


def _largest_eigenvalues(matrix, span=60.0):
    """Return all eigenvalues of a connected network that are at most ``span`` below the largest one."""
    from scipy.sparse.linalg import eigsh

    n, k = matrix.shape[0], 4
    while k < n // 2:
        values = eigsh(matrix, k, which="LA", v0=np.ones(n), return_eigenvectors=False)
        if values.min() < values.max() - span:
            return values
        k *= 4
    return np.linalg.eigvalsh(matrix.toarray())


# Clustering: triangles, squares, and local efficiency.


@step(growth="m^1.5", example=INTEGERS)
def triangles(graph):
    """Number of triangles through each node."""
    return run_kernel("subgraphs.node_triangles", graph)


@step(growth="m^1.5", example=NUMBERS)
def square_clustering(graph):
    """Square clustering coefficient of each node, as networkx defines it."""
    return run_kernel("subgraphs.square_clustering", graph)


@summary(growth="n", topic="clustering")
def transitivity(triangles, degrees):
    """Transitivity: 3 · triangles / connected triples."""
    closed, triples = 0, 0
    for u in range(len(degrees)):
        closed += triangles[u]
        triples += degrees[u] * (degrees[u] - 1) // 2
    return closed / triples if triples else 0.0


@summary(discrete=True, growth="n", topic="clustering")
def n_triangles(triangles):
    """Number of triangles."""
    return triangles.sum() // 3


@summary(growth="n", label="mean clustering coefficient", topic="clustering")
def clustering_mean(triangles, degrees):
    """Mean local clustering coefficient, 0 for degree below 2."""
    total = 0.0
    for u in range(len(degrees)):
        if degrees[u] > 1:
            total += 2 * triangles[u] / (np.int64(degrees[u]) * (degrees[u] - 1))
    return total / max(len(degrees), 1)


@summary(growth="n", label="mean square clustering", topic="clustering")
def square_clustering_mean(square_clustering):
    """Mean square clustering coefficient."""
    return square_clustering.sum() / max(len(square_clustering), 1)


@builtin(growth="n", label="median square clustering", topic="clustering")
def square_clustering_median(square_clustering):
    """Median square clustering coefficient."""
    n_nodes, ordered = len(square_clustering), np.sort(square_clustering)
    return 0.5 * (ordered[(n_nodes - 1) // 2] + ordered[n_nodes // 2]) if n_nodes else 0.0


@summary(growth="n", label="standard deviation of square clustering", topic="clustering")
def square_clustering_std(square_clustering):
    """Standard deviation (ddof 0) of the square clustering coefficient."""
    n_nodes, squares = max(len(square_clustering), 1), 0.0
    mean = square_clustering.sum() / n_nodes
    for value in square_clustering:
        squares += (value - mean) ** 2
    return math.sqrt(squares / n_nodes)


@builtin(
    growth="m^1.5 to n·m", label="local efficiency of the largest component", topic="clustering"
)
def lcc_local_efficiency(graph, lcc):
    """Mean, over the nodes of the LCC, of the global efficiency of the subgraph of their neighbours."""
    efficiency = run_kernel("local_efficiency.local_efficiency", graph)
    return float(efficiency[lcc].sum()) / max(int(lcc.sum()), 1)


# Cores and shells: numbers of nodes by core number.


CORE_NUMBERS = (2, 3, 4, 5, 6)


@step(growth="n + m", example=INTEGERS)
def core_counts(graph):
    """Number of nodes with each core number."""
    return np.bincount(run_kernel("linear_passes.core_numbers", graph)[0])


def _register_core(k):
    @summary(
        discrete=True,
        name=f"core_{k}_size",
        label=f"nodes in the {k}-core",
        definition=f"Number of nodes with core number ≥ {k}",
        topic="cores",
    )
    def core_size(core_counts):
        return core_counts[k:].sum()


def _register_shell(k):
    @summary(
        discrete=True,
        name=f"shell_{k}_size",
        label=f"nodes with core number {k}",
        definition=f"Number of nodes with core number {k}",
        topic="cores",
    )
    def shell_size(core_counts):
        return core_counts[k] if k < len(core_counts) else 0


for _k in CORE_NUMBERS:
    _register_core(_k)
for _k in CORE_NUMBERS:
    _register_shell(_k)


# Cliques: complete subgraphs.


@step(growth="m · degeneracy³", example=(0, 0))
def clique_counts(graph):
    """Number of complete subgraphs with 4 and with 5 nodes."""
    fours, fives = run_kernel("clique_search.count_cliques", graph, CLIQUE_STEPS)
    if fours < 0:
        raise over_budget("the count of cliques", CLIQUE_STEPS)
    return fours, fives


@summary(discrete=True, label="cliques of 4 nodes", topic="clustering")
def n_4_cliques(clique_counts):
    """Number of complete subgraphs with 4 nodes, maximal or not."""
    return clique_counts[0]


@summary(discrete=True, label="cliques of 5 nodes", topic="clustering")
def n_5_cliques(clique_counts):
    """Number of complete subgraphs with 5 nodes, maximal or not."""
    return clique_counts[1]


@builtin(
    discrete=True,
    growth="exponential in the worst case, m in practice",
    label="nodes in the largest clique",
    topic="clustering",
)
def max_clique_size(graph):
    """Number of nodes of the largest complete subgraph."""
    size = run_kernel("clique_search.clique_number", graph, CLIQUE_STEPS)
    if size < 0:
        raise over_budget("the search for the largest clique", CLIQUE_STEPS)
    return size


# Greedy dominating sets, as networkx builds them with nodes and edges in sorted order.
#
# Other orders give other sets: in one network of ``ba2`` with 1000 nodes, numbered by age, the matching has
# 330 edges, and 354 to 371 in four random orders.


@builtin(
    discrete=True,
    numbered=True,
    growth="n + m",
    label="nodes in a dominating set",
    definition="Number of nodes in the dominating set of networkx's greedy min_weighted_dominating_set; the "
    "smallest set can be far smaller: if a node is isolated, the greedy set holds nearly all nodes",
    topic="dominating",
)
def node_dominating_set_size(graph):
    """Number of nodes in the dominating set of networkx's greedy min_weighted_dominating_set.

    The rule of networkx chooses an isolated node only after the nodes that have unchosen neighbours, so
    a network with an isolated node has nearly all its nodes in the set. The smallest dominating set can
    be far smaller.
    """
    return run_kernel("linear_passes.node_dominating_set_size", graph)


@builtin(
    discrete=True,
    numbered=True,
    growth="n + m",
    label="edges in a maximal matching",
    topic="dominating",
)
def edge_dominating_set_size(graph):
    """Number of edges in the maximal matching of networkx's min_edge_dominating_set."""
    return run_kernel("linear_passes.edge_dominating_set_size", graph)


# Noise features: random numbers that do not depend on the network, to test selectors.


@builtin(topic="noise")
def noise_normal(rng):
    """Noise: standard normal."""
    return rng.normal()


@builtin(topic="noise")
def noise_uniform(rng):
    """Noise: uniform on [0, 50)."""
    return rng.uniform(0, 50)


@builtin(discrete=True, topic="noise")
def noise_bernoulli(rng):
    """Noise: 0 or 1, equally likely."""
    return rng.integers(2)


@builtin(discrete=True, topic="noise")
def noise_integer(rng):
    """Noise: integers 0 to 49, equally likely."""
    return rng.integers(50)


# The shared step that converts a network to a networkx graph, for users' features.


@step(growth="n + m")
def networkx_graph(graph):
    """The network as a frozen networkx graph, with nodes in order."""
    import networkx as nx

    return nx.freeze(graph.to_networkx())


# The number of nodes as a feature, for simulations of networks with different sizes.


#: How worker processes import the feature.
SIZE_FEATURE = "netchoice.features.catalogue:n_nodes"


def _n_nodes(graph: Graph) -> float:
    """Number of nodes."""
    return float(graph.n_nodes)


n_nodes = feature(_n_nodes, name="n_nodes", discrete=True)
