"""Greedy dominating sets, as networkx builds them on the canonical order of nodes and edges."""

from netchoice.features.registry import builtin


@builtin(discrete=True, growth="n + m")
def node_dominating_set_size(graph):
    """Size of the set that networkx's greedy min_weighted_dominating_set builds."""
    from netchoice._kernels.dominating import node_dominating_set_size as kernel

    return kernel(graph.indptr, graph.indices)


@builtin(discrete=True, growth="n + m")
def edge_dominating_set_size(graph):
    """Edges in the maximal matching that networkx's min_edge_dominating_set builds."""
    from netchoice._kernels.dominating import edge_dominating_set_size as kernel

    return kernel(graph.indptr, graph.indices)
