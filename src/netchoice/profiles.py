"""Distributions of one network, and their envelopes: quantiles over simulated networks.

The distributions are those of degrees, distances, shared partners, cores, clustering and components.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netchoice.features.registry import STEPS, run_kernel
from netchoice.graph import Graph

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

#: Networks with more nodes get the distances from this many nodes, drawn at random.
MOST_NODES, N_SOURCES = 20_000, 100
#: The value of pairs of nodes without a path, in the distribution of distances.
NO_PATH = np.iinfo(np.int64).max
#: Bins of an axis; longer ranges of values get bins of growing width.
MOST_BINS = 24


@dataclass(frozen=True)
class Distribution:
    """Amounts by value, and the totals that they are shares or means of.

    ``totals`` has one number for all values (shares) or a number for each value (means). ``sampled``
    is True for distances from random nodes.
    """

    values: Ints
    amounts: Floats
    totals: Floats
    sampled: bool = False

    def binned(self, starts: Ints) -> Floats:
        """Return the share or mean in each bin, NaN where the total is 0.

        >>> Distribution(np.array([0, 1, 3]), np.array([1.0, 2, 1]), np.array(4.0)).binned(
        ...     np.array([0, 1, 2]))
        array([0.25, 0.5 , 0.25])
        """
        bins = np.searchsorted(starts, self.values, "right") - 1
        amounts, totals = np.bincount(bins, self.amounts, len(starts)), self.totals
        if totals.ndim:
            totals = np.asarray(np.bincount(bins, totals, len(starts)), dtype=np.float64)
        with np.errstate(invalid="ignore"):
            return np.asarray(amounts / totals)


#: A distribution for each panel.
Profile = dict[str, Distribution]


def network_profile(graph: Graph, *, seed: int = 0) -> Profile:
    """Return the distributions of a network by name of the panel.

    ``degree``, ``core``: share of nodes by degree and by core number. ``distance``: share of pairs of
    nodes by distance, with :data:`NO_PATH`. ``partners``: share of edges by the number of common
    neighbours of their ends. ``clustering``: mean local clustering of the nodes of each degree from 2.
    ``component``: share of nodes by the size of their component.

    The seed is for networks of more than :data:`MOST_NODES` nodes, whose distances are those from
    :data:`N_SOURCES` random nodes.

    Examples
    --------
    >>> profile = network_profile(Graph.from_edges([(0, 1), (1, 2), (2, 0), (2, 3)]))
    >>> profile["degree"].values, profile["degree"].binned(np.arange(4))
    (array([1, 2, 3]), array([0.  , 0.25, 0.5 , 0.25]))
    """
    by_degree = _step("degree_counts", graph.degrees)
    sizes = np.bincount(_step("components", graph).sizes)
    return {
        "degree": _shares(by_degree),
        "distance": _distances(graph, seed),
        "partners": _shares(run_kernel("subgraphs.shared_partners", graph)),
        "core": _shares(_step("core_counts", graph)),
        "clustering": _clustering(graph, by_degree),
        "component": _shares(sizes * np.arange(len(sizes))),
    }


def _step(name: str, value: Any) -> Any:
    """Return the result of a shared step of the features."""
    return STEPS[name].function(value)


def _shares(counts: Any) -> Distribution:
    """Return the distribution of integers; ``counts[i]`` is how often i occurs."""
    values = np.flatnonzero(counts)
    return Distribution(values, counts[values].astype(float), np.array(float(counts.sum())))


def _distances(graph: Graph, seed: int) -> Distribution:
    n = graph.n_nodes
    if n <= MOST_NODES:
        counts, n_pairs = _step("distance_histograms", graph)[0], n * (n - 1) // 2
    else:
        sources = np.random.default_rng(seed).choice(n, N_SOURCES, replace=False)
        counts = run_kernel("distance_histograms.source_distances", graph, sources.astype(np.int32))
        counts[0] = 0
        n_pairs = N_SOURCES * (n - 1)
    values = np.flatnonzero(counts)
    amounts = counts[values].astype(float)
    if counts.sum() < n_pairs:
        values, amounts = np.append(values, NO_PATH), np.append(amounts, n_pairs - counts.sum())
    return Distribution(values, amounts, np.array(float(n_pairs)), n > MOST_NODES)


def _clustering(graph: Graph, by_degree: Any) -> Distribution:
    through = np.bincount(graph.degrees, _step("triangles", graph))
    values = np.flatnonzero(by_degree)
    values = values[values >= 2]
    pairs = values * (values - 1) / 2
    return Distribution(values, through[values] / pairs, by_degree[values].astype(float))


def common_axis(distributions: Iterable[Distribution]) -> tuple[Ints, list[str]]:
    """Return the first value and the label of each bin of an axis for all distributions.

    Up to :data:`MOST_BINS` values get a bin each. A longer range has bins whose width grows with
    the values. :data:`NO_PATH`, if it occurs, has a bin of its own.

    >>> shares = np.array([0.5, 0.5]), np.array(1.0)
    >>> common_axis([Distribution(np.array([2, 4]), *shares)])
    (array([2, 3, 4]), ['2', '3', '4'])
    >>> common_axis([Distribution(np.array([1, 900]), *shares)])[1][-2:]
    ['643–835', '836–900']
    """
    values = np.unique(np.concatenate([item.values for item in distributions]))
    known = values[values < NO_PATH].tolist()
    starts = _starts(known[0], known[-1]) if known else []
    ends = [start - 1 for start in starts[1:]] + known[-1:]
    labels = [f"{a}" if a == b else f"{a}–{b}" for a, b in zip(starts, ends, strict=True)]
    if len(known) < len(values):
        starts, labels = [*starts, NO_PATH], [*labels, "no path"]
    return np.array(starts, dtype=np.int64), labels


def _starts(low: int, high: int) -> list[int]:
    """Return the first values of the bins, which grow by the smallest ratio that gives few bins."""
    for ratio in (1.0, 1.1, 1.2, 1.3, 1.5, 2.0, 3.0, 5.0):
        starts, following = [low], low + 1
        while following <= high and len(starts) <= MOST_BINS:
            starts.append(following)
            following = max(following + 1, math.ceil(ratio * following))
        if len(starts) <= MOST_BINS:
            break
    return starts


# Envelopes

#: Levels of the quantiles: the ends of the 95 % and the 50 % range, and the median.
QUANTILES = (0.025, 0.25, 0.5, 0.75, 0.975)
#: A bin has quantiles if at least this share of the simulated networks has a value there.
_MIN_SHARE = 0.1


@dataclass(frozen=True)
class Envelope:
    """One distribution of the observed network, and quantiles over the simulated networks.

    Attributes
    ----------
    labels : list of str
        Values of the bins, for example "3" or "8–10".
    observed : array (n_bins,)
        NaN where the network has no value: no node has that degree.
    quantiles : array (5, n_bins)
        Quantiles at :data:`QUANTILES` over the simulated networks that have a value, NaN where less
        than a tenth of them has one.
    p_value : float
        Share of all networks, simulated and observed, that are at least as far outside the 95 %
        ranges as the observed one, in all bins together.
    n_simulations : int
    sampled : bool
        True for distances from random nodes.
    """

    labels: list[str]
    observed: Floats
    quantiles: Floats
    p_value: float
    n_simulations: int
    sampled: bool = False


def envelopes(
    observed: Profile, simulated: Mapping[str, Sequence[Profile]]
) -> dict[str, dict[str, Envelope]]:
    """Return the envelope of each panel for each model; all models share the axis of a panel.

    Parameters
    ----------
    observed : Profile, from :func:`netchoice.profiles.network_profile`
    simulated : mapping from model to profiles of its simulated networks

    Examples
    --------
    >>> from netchoice.graph import Graph
    >>> star, path = Graph.from_edges([(0, 1), (0, 2), (0, 3)]), Graph.from_edges([(0, 1), (1, 2), (2, 3)])
    >>> panel = envelopes(network_profile(star), {"path": [network_profile(path)] * 9})["path"]["degree"]
    >>> panel.labels, panel.observed, panel.quantiles[2], panel.p_value
    (['1', '2', '3'], array([0.75, 0.  , 0.25]), array([0.5, 0.5, 0. ]), 0.1)
    """
    made: dict[str, dict[str, Envelope]] = {model: {} for model in simulated}
    for panel, network in observed.items():
        groups = {model: [p[panel] for p in profiles] for model, profiles in simulated.items()}
        starts, labels = common_axis([network, *(d for group in groups.values() for d in group)])
        for model, group in groups.items():
            rows = np.array([item.binned(starts) for item in (network, *group)])
            made[model][panel] = _envelope(labels, rows, network)
    return made


def _envelope(labels: list[str], rows: Floats, network: Distribution) -> Envelope:
    """Return the envelope of binned distributions; the first row is the observed one."""
    observed, simulated = rows[0], rows[1:]
    quantiles = np.full((len(QUANTILES), len(labels)), np.nan)
    enough = (~np.isnan(simulated)).mean(axis=0) >= _MIN_SHARE
    quantiles[:, enough] = np.nanquantile(simulated[:, enough], QUANTILES, axis=0)
    p = extremeness(rows)
    return Envelope(labels, observed, quantiles, p, len(simulated), network.sampled)


def extremeness(rows: Floats) -> float:
    """Return the share of rows that are at least as far outside the 95 % ranges as the first one.

    How far a row is outside is summed over the columns, in square roots, because the variance of the
    square root of a count depends little on the count. NaN is not outside. If all rows are equally
    distributed, the share is at most α with probability at most α.

    >>> extremeness(np.array([[0.9, 0.5], [0.1, 0.5], [0.2, 0.4], [0.3, 0.6], [0.4, 0.5]]))
    0.2
    >>> extremeness(np.array([[0.3, 0.5], [0.1, 0.5], [0.2, 0.4], [0.9, 0.6], [0.4, 0.5]]))
    1.0
    """
    heights = np.sqrt(rows[:, ~np.isnan(rows).all(axis=0)])
    low, high = np.nanquantile(heights, (QUANTILES[0], QUANTILES[-1]), axis=0)
    outside = np.nan_to_num(np.maximum(low - heights, heights - high)).clip(0).sum(axis=1).round(9)
    return float((outside >= outside[0]).mean())
