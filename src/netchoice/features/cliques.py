"""Cliques: complete subgraphs."""

from netchoice.features.budget import CLIQUE_STEPS, over_budget
from netchoice.features.registry import builtin, run_kernel, step


@step(growth="m · degeneracy³")
def clique_counts(graph):
    """Number of complete subgraphs with 4 and with 5 nodes."""
    fours, fives = run_kernel("clique_search.count_cliques", graph, CLIQUE_STEPS)
    if fours < 0:
        raise over_budget("the count of cliques", CLIQUE_STEPS)
    return fours, fives


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
    size = run_kernel("clique_search.clique_number", graph, CLIQUE_STEPS)
    if size < 0:
        raise over_budget("the search for the largest clique", CLIQUE_STEPS)
    return size
