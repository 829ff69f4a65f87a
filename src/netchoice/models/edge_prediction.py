"""A prediction of the number of edges, so that networks that cannot match a density are not grown."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations_with_replacement
from operator import mul

import numpy as np
from numpy.typing import NDArray

from netchoice.errors import EdgeLimitError, GrowthLimitError
from netchoice.models.model import Parameters

Floats = NDArray[np.float64]

#: Networks that show whether a prediction is worth its time, and all networks that it is fitted to.
N_FIRST, N_ALL = 15, 60
#: No prediction is made if a larger share of the first networks matches, or if it leaves out a smaller share.
ENOUGH, WORTH = 0.4, 0.2
#: Standard errors from a prediction to the nearest number of edges that matches, beyond which none is grown.
MARGIN = 3.0
#: Networks with more than so many times the largest number of edges are not grown to their end.
CUT = 3


@dataclass(frozen=True)
class EdgePrediction:
    """The logarithm of the number of edges as a quadratic function of the parameters.

    Tuples are faster than arrays for one network at a time. ``error`` is the standard error for a network
    that was not used in the fit.
    """

    names: tuple[str, ...]
    centre: tuple[float, ...]
    scale: tuple[float, ...]
    coefficients: tuple[float, ...]
    error: float

    def is_far(self, parameters: Parameters, low: int, high: int) -> bool:
        """Return whether the number of edges will hardly be from low to high."""
        z = [
            (parameters[name] - centre) / scale
            for name, centre, scale in zip(self.names, self.centre, self.scale, strict=True)
        ]
        terms = (1.0, *z, *(one * other for one, other in combinations_with_replacement(z, 2)))
        found = sum(map(mul, self.coefficients, terms))
        margin = MARGIN * self.error
        return not math.log(max(low, 1)) - margin <= found <= math.log(max(high, 1)) + margin


def predict_edges(
    draw: Callable[[], Parameters], count: Callable[[Parameters, int], int], low: int, high: int
) -> EdgePrediction | None:
    """Return a prediction if it saves many networks, else None.

    Parameters
    ----------
    draw : draws parameters
    count : returns the number of edges of a network with these parameters, which may be at most the integer
    low, high : the smallest and the largest number of edges that match
    """
    drawn: list[Parameters] = []
    edges: list[int] = []
    for i in range(N_ALL):
        parameters = draw()
        try:
            n_edges = count(parameters, CUT * high)
        except EdgeLimitError:
            n_edges = CUT * high
        except GrowthLimitError:
            continue
        drawn.append(parameters)
        edges.append(n_edges)
        n_matches = sum(low <= each <= high for each in edges)
        if i + 1 == N_FIRST and n_matches >= ENOUGH * N_FIRST:
            return None
    if len(drawn) < N_ALL / 2:
        return None
    found = _fit(drawn, np.array(edges, dtype=np.float64))
    if found is None:
        return None
    n_far = sum(found.is_far(each, low, high) for each in drawn)
    # If all are far, nothing is known about parameters that match.
    return found if WORTH * len(drawn) <= n_far < len(drawn) else None


def _fit(drawn: list[Parameters], edges: Floats) -> EdgePrediction | None:
    """Fit by least squares; return None if there are too few networks for the number of parameters."""
    names = tuple(name for name in drawn[0] if len({each[name] for each in drawn}) > 1)
    values = np.array([[each[name] for name in names] for each in drawn], dtype=np.float64)
    centre, scale = values.mean(axis=0), values.std(axis=0)
    terms = _terms((values - centre) / scale)
    if len(terms) < 2 * terms.shape[1]:
        return None
    logs = np.log(np.maximum(edges, 1.0))
    inverse = np.linalg.pinv(terms)
    coefficients = inverse @ logs
    leverage = np.einsum("ij,ji->i", terms, inverse)
    left_out = (logs - terms @ coefficients) / np.maximum(1 - leverage, 1e-9)
    error = float(np.sqrt(np.mean(left_out**2)))
    fitted = [tuple(each.tolist()) for each in (centre, scale, coefficients)]
    return EdgePrediction(names, fitted[0], fitted[1], fitted[2], error)


def _terms(z: Floats) -> Floats:
    """Return 1, the columns, and the products of two columns, as :meth:`EdgePrediction.is_far` has them."""
    first, second = np.triu_indices(z.shape[1])
    return np.column_stack([np.ones(len(z)), z, z[:, first] * z[:, second]])
