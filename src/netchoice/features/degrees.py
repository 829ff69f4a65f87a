"""Degrees: the numbers of neighbours, and the relation between the degrees of neighbours."""

import numpy as np

from netchoice.features.registry import builtin, run_kernel, step


@step(growth="n")
def degrees(graph):
    """Degree of each node."""
    return graph.degrees


@step(growth="n")
def degree_counts(degrees):
    """Number of nodes with each degree."""
    return np.bincount(degrees)


@builtin(growth="n + m", label="mean degree of neighbours")
def degree_connectivity(graph):
    """Mean, over the degrees k that occur, of the mean neighbour degree of nodes of degree k."""
    all_nodes = np.ones(graph.n_nodes, np.bool_)
    return run_kernel("degree_connectivity.degree_connectivity", graph, all_nodes)


@builtin(growth="n + m", label="mean degree of neighbours in the largest component")
def lcc_degree_connectivity(graph, lcc):
    """Degree connectivity of the LCC: mean, over its degrees k, of the mean neighbour degree."""
    return run_kernel("degree_connectivity.degree_connectivity", graph, lcc)


@builtin(label="entropy of the degrees")
def degree_entropy(degree_counts):
    """Shannon entropy (nats) of the fractions of nodes with each degree."""
    counts = degree_counts[degree_counts > 0]
    if not len(counts):
        return 0.0
    shares = counts / counts.sum()
    return max(0.0, float(-(shares * np.log(shares)).sum()))


@builtin(discrete=True, label="maximum degree", topic="hubs")
def degree_max(degree_counts):
    """Largest degree."""
    return max(len(degree_counts) - 1, 0)


@builtin(label="mean degree", topic="density")
def degree_mean(graph):
    """Mean degree."""
    return 2 * graph.n_edges / graph.n_nodes if graph.n_nodes else 0.0


@builtin(label="median degree")
def degree_median(degree_counts):
    """Median degree."""
    return quantile(degree_counts, 0.5)


@builtin(label="spread of the degrees", topic="hubs")
def degree_std(degree_counts):
    """Standard deviation (ddof 0) of the degrees."""
    n = degree_counts.sum()
    if not n:
        return 0.0
    values = np.arange(len(degree_counts))
    deviations = values - (degree_counts * values).sum() / n
    return float(np.sqrt((degree_counts * deviations**2).sum() / n))


@builtin(label="25% quantile of the degrees")
def degree_q25(degree_counts):
    """25% quantile of the degrees, linearly interpolated."""
    return quantile(degree_counts, 0.25)


@builtin(label="75% quantile of the degrees")
def degree_q75(degree_counts):
    """75% quantile of the degrees, linearly interpolated."""
    return quantile(degree_counts, 0.75)


def quantile(counts, fraction):
    """Return the linearly interpolated quantile of integers; ``counts[i]`` is how often i occurs."""
    cumulative = np.cumsum(counts)
    if not len(cumulative) or not cumulative[-1]:
        return 0.0
    position = (int(cumulative[-1]) - 1) * fraction
    below = int(position)
    above = min(below + 1, int(cumulative[-1]) - 1)
    low, high = np.searchsorted(cumulative, [below, above], "right")
    return float(low + (high - low) * (position - below))
