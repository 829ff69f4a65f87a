"""Cliques: complete subgraphs."""

from netchoice.features.registry import builtin, run_kernel, step


@step(growth="m · degeneracy³")
def clique_counts(graph):
    """Number of complete subgraphs with 4 and with 5 nodes."""
    return run_kernel("clique_search.count_cliques", graph)


@builtin(discrete=True, label="cliques of 4 nodes", topic="clustering")
def n_4_cliques(clique_counts):
    """Number of complete subgraphs with 4 nodes, maximal or not."""
    return clique_counts[0]


@builtin(discrete=True, label="cliques of 5 nodes", topic="clustering")
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
    return run_kernel("clique_search.clique_number", graph)
