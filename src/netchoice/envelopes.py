"""Envelopes: the distributions of an observed network over those of simulated networks."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from netchoice.profiles import Distribution, Floats, Profile, common_axis

#: Levels of the quantiles: the ends of the 95 % and the 50 % range, and the median.
QUANTILES = (0.025, 0.25, 0.5, 0.75, 0.975)
#: A bin has quantiles if at least this share of the simulated networks has a value there.
_MIN_SHARE = 0.1
_DIGITS = 4


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

    def as_dict(self) -> dict[str, Any]:
        """Return the envelope as a dictionary for JSON, with None for NaN."""
        rounded = {
            "observed": _rounded(self.observed),
            "quantiles": [_rounded(row) for row in self.quantiles],
        }
        return vars(self) | rounded

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Envelope:
        """Return the envelope of a dictionary that :meth:`as_dict` made."""
        arrays = {name: np.array(record[name], dtype=float) for name in ("observed", "quantiles")}
        return cls(**{**record, **arrays})


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
    >>> from netchoice.profiles import network_profile
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


def _rounded(values: Iterable[float]) -> list[float | None]:
    return [float(f"{v:.{_DIGITS}g}") if math.isfinite(v) else None for v in values]
