"""The shared step that converts a network to a networkx graph, for users' features."""

from netchoice.features.registry import step


@step(growth="n + m")
def networkx_graph(graph):
    """The network as a frozen networkx graph, with nodes in order."""
    import networkx as nx

    return nx.freeze(graph.to_networkx())
