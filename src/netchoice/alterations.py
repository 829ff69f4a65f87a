"""Random alterations of a network, to see what a test notices."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from netchoice.graph import Graph, kernel
from netchoice.models.mechanism import seed_from
from netchoice.validation import check_choice, check_generator, check_non_negative


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


#: Alterations by :func:`change_edges`, in the order of the kernel.
CHANGES = (
    "triangles added", "triangles removed", "degrees concentrated", "degrees equalised",
    "similar degrees linked", "different degrees linked",
)  # fmt: skip


def change_edges(graph: Graph, change: str, share: float, rng: np.random.Generator) -> Graph:
    """Return the network after a share of the edges has been replaced in one way.

    At least one edge is replaced, unless the network has none that can be. The number of edges does not
    change, and no node loses its last neighbour.

    Parameters
    ----------
    graph : Graph
    change : one of ``CHANGES``
        "triangles added": an edge without a triangle is replaced by one that closes a triangle.
        "degrees concentrated": an end of an edge moves to a node drawn by its degree; "degrees
        equalised": to a node with fewer neighbours. "similar degrees linked" and "different degrees
        linked": two edges exchange ends; all degrees are kept.
    share : float
    rng : numpy.random.Generator

    >>> from netchoice import Graph
    >>> graph = Graph.from_edges([(i, (i + k) % 20) for i in range(20) for k in (1, 5)])
    >>> changed = change_edges(graph, "triangles added", 0.3, np.random.default_rng(1))
    >>> changed.n_edges, changed == graph
    (40, False)
    """
    check_generator("rng", rng)
    check_choice("change", change, CHANGES)
    n_changes = max(1, round(check_non_negative("share", share) * graph.n_edges))
    if CHANGES.index(change) >= 4:
        n_changes = max(1, n_changes // 2)  # a change replaces two edges
    alter = kernel("rewiring.alter_edges")
    altered = alter(graph.indptr, graph.indices, CHANGES.index(change), n_changes, seed_from(rng))
    return Graph._trusted(*altered, graph.labels)


#: How a score is trained: kinds of alteration, and the largest share of the edges that each may change.
TRAINED = {
    "edges swapped": 1.0, "edges moved": 0.4, "triangles added": 0.3, "triangles removed": 0.5,
    "degrees concentrated": 0.3, "degrees equalised": 0.3, "similar degrees linked": 0.4,
    "different degrees linked": 0.4,
}  # fmt: skip
#: Attempts per edge of the swaps, each equally likely, and the smallest share of the other kinds.
_SWAPS, _LEAST = (5.0, 1.0, 0.25, 0.1), 0.03


def trained_kind(number: int) -> str:
    """Return the kind of alteration with this number: edges are swapped in every other one.

    Swaps keep only the degrees, so they are the most general alteration. With half of the altered networks,
    a score notices more rewired networks than with an eighth, and about as many of the other kinds.

    >>> [trained_kind(number) for number in (0, 1, 2, 3)]
    ['edges swapped', 'edges moved', 'edges swapped', 'triangles added']
    """
    first, *others = TRAINED
    return first if number % 2 == 0 else others[number // 2 % len(others)]


def altered(graph: Graph, number: int, rng: np.random.Generator) -> Graph:
    """Return the network with a random alteration; the number decides the kind, ``rng`` the strength.

    Small alterations are more likely than large ones: the share of changed edges is 0.03 plus a share of
    the square of a uniform number. Consecutive numbers go through the kinds as :func:`trained_kind` says.

    >>> from netchoice import Graph
    >>> graph = Graph.from_edges([(i, (i + k) % 20) for i in range(20) for k in (1, 5)])
    >>> [altered(graph, number, np.random.default_rng(1)).n_edges for number in range(3)]
    [40, 40, 40]
    """
    kind = trained_kind(number)
    strength = float(rng.random())
    if kind == "edges swapped":
        return swap_edges(graph, _SWAPS[int(strength * len(_SWAPS))], rng)
    share = _LEAST + TRAINED[kind] * strength**2
    if kind == "edges moved":
        return move_edges(graph, share, rng, keep_linked=not graph.n_isolated)
    return change_edges(graph, kind, share, rng)


def _moved(graph: Graph, rng: np.random.Generator) -> Graph:
    share = max(0.05, 1 / max(graph.n_edges, 1))  # at least one edge
    return move_edges(graph, share, rng, keep_linked=not graph.n_isolated)


#: Alterations that the power of a test is stated for. The score of that statement is trained without the
#: kinds ``HELD_BACK``, which these are of.
ALTERATIONS: dict[str, Callable[[Graph, np.random.Generator], Graph]] = {
    "all edges rewired": lambda graph, rng: swap_edges(graph, 5, rng),
    "a third rewired": lambda graph, rng: swap_edges(graph, 0.25, rng),
    "1 in 20 moved": _moved,
}
HELD_BACK = ("edges swapped", "edges moved")
