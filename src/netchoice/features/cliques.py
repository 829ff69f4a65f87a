"""Complete subgraphs."""

from netchoice.features.registry import builtin, step


@step(growth="m · degeneracy³")
def clique_counts(graph):
    """Complete subgraphs with 4 and with 5 nodes."""
    from netchoice._kernels.cliques import count_cliques

    return count_cliques(graph.indptr, graph.indices)


@builtin(discrete=True)
def n_4_cliques(clique_counts):
    """Complete subgraphs with 4 nodes, not only maximal ones."""
    return clique_counts[0]


@builtin(discrete=True)
def n_5_cliques(clique_counts):
    """Complete subgraphs with 5 nodes, not only maximal ones."""
    return clique_counts[1]


@builtin(discrete=True, growth="exponential at worst, m in practice")
def max_clique_size(graph):
    """Nodes of the largest complete subgraph."""
    from netchoice._kernels.cliques import clique_number

    return clique_number(graph.indptr, graph.indices)
