"""Model probabilities from the nearest simulations; the paper's way, made honest."""

from __future__ import annotations

import numpy as np

from netchoice.inference.nearest import (
    Codes,
    Floats,
    Told,
    distances,
    shares_of_nearest,
    told_in_parts,
)

PSEUDOCOUNT = 0.5  # of each model, Jeffreys


class ByNeighbours:
    """Votes of the k nearest simulations, with half a vote for every model beforehand.

    Given the votes v, the probabilities have the distribution Dirichlet(v + ½): told are its mean
    and, for each model, the central interval of its beta distribution.
    """

    def __init__(self, X: Floats, y: Codes, n_models: int, *, n_neighbors: int) -> None:
        self._known, self._k = X, min(n_neighbors, len(X))
        self._is_of = np.eye(n_models)[y]

    def tell(self, asked: Floats, coverage: float) -> Told:
        """Probabilities of the models at these points (m, q)."""
        return told_in_parts(
            [
                told_from_votes(shares_of_nearest(distance, self._k) @ self._is_of, coverage)
                for _, distance in distances(self._known, asked)
            ]
        )


def told_from_votes(votes: Floats, coverage: float) -> Told:
    """Mean and intervals of Dirichlet(votes + ½)."""
    from scipy.special import betaincinv

    a = votes + PSEUDOCOUNT
    b = a.sum(axis=1, keepdims=True) - a
    outside = (1 - coverage) / 2
    low, high = betaincinv(a, b, outside), betaincinv(a, b, 1 - outside)
    return Told(a / (a + b), low, high, {"votes": votes})
