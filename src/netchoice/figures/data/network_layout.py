"""Places of nodes in the plane, so that a network can be drawn."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from netchoice.graph import Graph

#: Larger networks are not drawn: the drawing would be a blot, and the file large.
MOST_NODES, MOST_EDGES = 3000, 15_000
_STEPS, _SAMPLE = 150, 150  # moves of all nodes; nodes that repel all others in one move
_GRAVITY = 0.4  # keeps components together

Floats = NDArray[np.float64]


def is_drawable(graph: Graph) -> bool:
    """Return whether a network is small enough to be drawn."""
    return 0 < graph.n_nodes <= MOST_NODES and graph.n_edges <= MOST_EDGES


def network_layout(graph: Graph) -> Floats:
    """Return a place in the unit square for each node, the same for the same network.

    Edges attract and nodes repel each other (Fruchterman & Reingold, 1991, doi:10.1002/spe.4380211102),
    and all nodes are attracted by the centre. In a large network, a random sample of the nodes repels
    the others in each step.

    >>> places = network_layout(Graph.from_edges([(0, 1), (1, 2), (2, 3)]))
    >>> places.shape, bool((0 <= places).all() and (places <= 1).all())
    ((4, 2), True)
    """
    rng, n = np.random.default_rng(0), graph.n_nodes
    places = rng.normal(size=(n, 2))
    for step in range(_STEPS):
        forces = _forces(places, graph, rng)
        lengths = np.maximum(np.hypot(*forces.T), 1e-9)[:, None]
        longest = 0.1 * np.sqrt(n) * (1 - step / _STEPS) + 0.01
        places = places + forces / lengths * np.minimum(lengths, longest)
    low, span = places.min(axis=0), np.ptp(places, axis=0)
    centred: Floats = (places - low - span / 2) / max(float(span.max()), 1e-9)
    return centred + 0.5


def _forces(places: Floats, graph: Graph, rng: np.random.Generator) -> Floats:
    """Return the force on each node; a single edge is at rest at length 1."""
    n = len(places)
    others = np.arange(n) if n <= _SAMPLE else rng.choice(n, _SAMPLE, replace=False)
    near = places[others]
    norms = (places**2).sum(axis=1)
    squared = norms[:, None] + norms[others] - 2 * places @ near.T
    weights = n / len(others) / np.maximum(squared, 0.01)
    forces: Floats = places * weights.sum(axis=1)[:, None] - weights @ near
    first, second = graph.edges().T
    along = places[second] - places[first]
    pulls = along * np.hypot(*along.T)[:, None]
    for axis in (0, 1):
        forces[:, axis] += np.bincount(first, pulls[:, axis], n)
        forces[:, axis] -= np.bincount(second, pulls[:, axis], n)
    forces -= _GRAVITY * np.sqrt(n) * places
    return forces
