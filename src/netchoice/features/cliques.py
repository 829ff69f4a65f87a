"""Cliques: complete subgraphs."""

from netchoice.features.registry import builtin, step


@step(growth="m · degeneracy³")
def clique_counts(graph):
    """Number of complete subgraphs with 4 and with 5 nodes."""
    from netchoice._kernels.clique_search import count_cliques

    return count_cliques(graph.indptr, graph.indices)


@builtin(discrete=True)
def n_4_cliques(clique_counts):
    """Number of complete subgraphs with 4 nodes, maximal or not."""
    return clique_counts[0]


@builtin(discrete=True)
def n_5_cliques(clique_counts):
    """Number of complete subgraphs with 5 nodes, maximal or not."""
    return clique_counts[1]


@builtin(discrete=True, growth="exponential in the worst case, m in practice")
def max_clique_size(graph):
    """Number of nodes of the largest complete subgraph."""
    from netchoice._kernels.clique_search import clique_number

    return clique_number(graph.indptr, graph.indices)
