"""Budgets of steps: what a feature may take on one network.

A budget counts steps that depend on the network only, so that a table is the same on every machine. A
clock would not be. A feature over its budget has no value on that network; the other features do.
"""

from __future__ import annotations

from netchoice.errors import NotComputedError
from netchoice.graph import Graph

#: Steps of a search for cliques, operations on 64 bits: some seconds.
CLIQUE_STEPS = 10**9
#: Steps of a computation that visits all edges from every node: n · (n + 2m), a quarter of an hour or more.
QUADRATIC_STEPS = 2 * 10**11


def over_budget(what: str, budget: int) -> NotComputedError:
    """Return the error of a computation that was stopped.

    >>> over_budget("the largest clique", 10**9)
    NotComputedError('the largest clique takes more than 1e+09 steps, the budget of one network')
    """
    return NotComputedError(f"{what} takes more than {budget:.0e} steps, the budget of one network")


def check_quadratic(graph: Graph, what: str, budget: int = QUADRATIC_STEPS) -> None:
    """Raise an error if a visit of all edges from every node takes more steps than the budget.

    >>> check_quadratic(Graph.from_edges([(0, 1), (1, 2)]), "betweenness")
    >>> check_quadratic(Graph.from_edges([(0, 1), (1, 2)]), "betweenness", budget=10)
    Traceback (most recent call last):
    netchoice.errors.NotComputedError: betweenness takes more than 1e+01 steps, the budget of one network
    """
    if graph.n_nodes * (graph.n_nodes + 2 * graph.n_edges) > budget:
        raise over_budget(what, budget)
