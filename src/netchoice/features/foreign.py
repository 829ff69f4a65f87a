"""The network as other libraries hold it, for users' features; the conversion has its cost."""

from netchoice.features.registry import step


@step(growth="n + m")
def networkx_graph(graph):
    """The network as a networkx graph, nodes in order, frozen."""
    import networkx as nx

    return nx.freeze(graph.to_networkx())
