"""The power of the test of fit: what it could have noticed in networks of this size."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from netchoice.alterations import move_edges, swap_edges
from netchoice.errors import UsageError
from netchoice.evaluation import wilson
from netchoice.features import Feature, compute_features
from netchoice.graph import Graph


def _moved(graph: Graph, rng: np.random.Generator) -> Graph:
    # A network without isolated nodes is compared with simulations that have none either.
    share = max(0.05, 1 / max(graph.n_edges, 1))  # at least one edge
    return move_edges(graph, share, rng, keep_linked=not graph.n_isolated)


#: The alternatives to a model: its simulations, altered in one of these ways.
ALTERNATIVES: dict[str, Callable[[Graph, np.random.Generator], Graph]] = {
    "all edges rewired with degrees kept": lambda graph, rng: swap_edges(graph, 5, rng),
    "about a third of the edges rewired with degrees kept": lambda graph, rng: swap_edges(
        graph, 0.25, rng
    ),
    "1 in 20 edges moved": _moved,
}


@dataclass(frozen=True)
class Power:
    """The share of n altered networks that a test rejects, with its 95% Wilson interval."""

    alternative: str
    share: float
    interval: tuple[float, float]
    n: int


def fit_power(
    graphs: Sequence[Graph],
    features: Sequence[str | Feature],
    rejects: Callable[[pd.DataFrame], NDArray[Any] | Sequence[bool]],
    rng: np.random.Generator,
) -> list[Power]:
    """Return the power of a test against alternatives to a model: its altered simulations.

    Parameters
    ----------
    graphs : sequence of Graph, simulations of the model
    features : sequence of str or Feature, the features that the test uses
    rejects : callable
        Takes a DataFrame of these features, one row for each altered network, and returns for each
        row whether the test rejects it.
    rng : numpy.random.Generator

    Examples
    --------
    >>> import netchoice
    >>> rng = np.random.default_rng(1)
    >>> rings = [netchoice.get_model("smw").grow(60, {"mean_links": 2, "p_rewire": 0.1}, rng)] * 20
    >>> powers = fit_power(rings, ["n_triangles"], lambda X: X["n_triangles"] < 30, rng)
    >>> powers[0].alternative, powers[0].share
    ('all edges rewired with degrees kept', 1.0)
    """
    if not graphs:
        raise UsageError("no networks; expected at least one simulation of the model")
    powers = []
    for alternative, alter in ALTERNATIVES.items():
        rows = [compute_features(alter(graph, rng), features).values for graph in graphs]
        share = float(np.mean(np.asarray(rejects(pd.DataFrame(rows)), dtype=bool)))
        powers.append(Power(alternative, share, wilson(share, len(graphs)), len(graphs)))
    return powers


def power_sentence(powers: Sequence[Power]) -> str:
    """Return what a test notices at this size, in a sentence.

    >>> power_sentence([Power("1 in 20 edges moved", 0.25, (0.14, 0.40), 40)])
    'at this size the test notices: 1 in 20 edges moved in 25% of 40 simulated cases'
    """
    if not powers:
        return "the power of the test was not measured"
    first, *others = [f"{each.alternative} in {each.share:.0%}" for each in powers]
    cases = [f"{first} of {powers[0].n} simulated cases", *others]
    return f"at this size the test notices: {'; '.join(cases)}"
