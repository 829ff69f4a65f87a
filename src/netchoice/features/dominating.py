"""Greedy dominating sets, as networkx builds them with nodes and edges in sorted order."""

from netchoice.features.registry import builtin


@builtin(discrete=True, growth="n + m")
def node_dominating_set_size(graph):
    """Number of nodes in the dominating set of networkx's greedy min_weighted_dominating_set."""
    from netchoice._kernels.dominating_sets import node_dominating_set_size as kernel

    return kernel(graph.indptr, graph.indices)


@builtin(discrete=True, growth="n + m")
def edge_dominating_set_size(graph):
    """Number of edges in the maximal matching of networkx's min_edge_dominating_set."""
    from netchoice._kernels.dominating_sets import edge_dominating_set_size as kernel

    return kernel(graph.indptr, graph.indices)
