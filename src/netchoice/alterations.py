"""Random alterations of a network, to see what a test notices."""

from __future__ import annotations

import numpy as np

from netchoice.graph import Graph, kernel
from netchoice.models.mechanism import seed_from
from netchoice.validation import check_generator, check_non_negative


def swap_edges(graph: Graph, times: float, rng: np.random.Generator) -> Graph:
    """Return the network after random pairs of edges have exchanged ends; all degrees are kept.

    ``times`` is the number of attempts per edge. An attempt draws two edges u–v and x–y and replaces
    them by u–y and x–v, unless this makes a self loop or a double edge. Failed attempts count, so with
    many attempts all networks with these degrees become equally likely. 0.25 attempts per edge change
    about a third of the edges.

    >>> from netchoice import Graph
    >>> graph = Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)])
    >>> swap_edges(graph, 5, np.random.default_rng(1)).degrees
    array([1, 2, 2, 2, 2, 1], dtype=int32)
    """
    check_generator("rng", rng)
    attempts = round(check_non_negative("times", times) * graph.n_edges)
    seed = seed_from(rng)
    swapped = kernel("linked_pairs.swap_edges")(graph.indptr, graph.indices, attempts, seed)
    return Graph._trusted(graph.indptr, swapped, graph.labels)


def move_edges(
    graph: Graph, share: float, rng: np.random.Generator, *, keep_linked: bool = False
) -> Graph:
    """Return the network after a share of the edges has moved to random places.

    round(``share`` · edges) edges drawn at random are removed, and as many are added one by one
    between random pairs that are not linked. With ``keep_linked``, edges whose removal would isolate a
    node stay, and fewer edges move if no others are left.

    >>> from netchoice import Graph
    >>> graph = Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)])
    >>> move_edges(graph, 0.2, np.random.default_rng(1)).n_edges
    5
    """
    check_generator("rng", rng)
    moves = round(check_non_negative("share", share) * graph.n_edges)
    move = kernel("linked_pairs.move_edges")
    moved = move(graph.indptr, graph.indices, moves, keep_linked, seed_from(rng))
    return Graph._trusted(*moved, graph.labels)
