"""Networks of which one edge or node after the other is observed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netchoice.graph import Graph

#: With isolated nodes dropped, the end of a measurement may be off by this share.
TOLERANCE = 0.02


@dataclass(frozen=True)
class Observation:
    """A network whose edges and nodes are observed one after the other, at times 1, 2, ….

    ``edge_times`` and ``node_times`` say when each edge and each node is observed. ``wanted`` is the time
    at which the measurement ends.
    """

    edges: NDArray[np.int32]
    edge_times: NDArray[np.int64]
    node_times: NDArray[Any]
    wanted: int

    def until(self, time: int) -> Graph:
        """Return the network that is observed until a time."""
        is_seen = self.node_times <= time
        number = np.cumsum(is_seen, dtype=np.int32) - 1
        return Graph.from_edges(number[self.edges[self.edge_times <= time]], int(is_seen.sum()))

    @cached_property
    def _link_times(self) -> NDArray[np.int64]:
        """The times at which nodes get their first edge, in order; nodes without edges are left out."""
        never = np.iinfo(np.int64).max
        times = np.full(len(self.node_times), never)
        for ends in self.edges.T:
            np.minimum.at(times, ends, self.edge_times)
        return np.sort(times[times < never])

    @property
    def n_linked(self) -> int:
        """The number of non-isolated nodes at the wanted time."""
        return int(np.searchsorted(self._link_times, self.wanted, side="right"))

    def with_linked(self, n_linked: int) -> Graph | None:
        """Return the network at a time with this number of non-isolated nodes, without the isolated ones.

        It is the time nearest to the wanted one. If that is more than 2% off, return None.
        """
        times = self._link_times
        if len(times) < n_linked:
            return None
        first = times[n_linked - 1]
        last = times[n_linked] - 1 if n_linked < len(times) else np.iinfo(np.int64).max
        time = int(np.clip(self.wanted, first, last))
        if last < first or abs(time - self.wanted) > 1 + TOLERANCE * self.wanted:
            return None
        return self.until(time).without_isolated()
