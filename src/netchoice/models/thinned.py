"""Networks of which a part of the edges or nodes is observed, and models that grow them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netchoice.errors import UsageError
from netchoice.graph import Graph
from netchoice.models.model import MAX_GROWTH, Model, Parameter, growth_limit, next_total
from netchoice.models.priors import uniform
from netchoice.validation import check_choice

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


KINDS = ("edges", "nodes")
OBSERVED = "p_observed"
#: With isolated nodes dropped, a network is observed this many times before the next one is grown.
_OBSERVATIONS, _MAX_NETWORKS = 4, 2000


def thinned(model: Model, kind: str) -> Model:
    """Return a model whose networks are observed in part, called "dmr~edges" or "dmr~nodes".

    - "edges": every edge is observed with probability ``p_observed``.
    - "nodes": a network with round(n/``p_observed``) nodes is grown, and n of its nodes are observed, with
      the edges among them. All sets of n nodes are equally likely.

    The prior of ``p_observed`` is uniform between 0.2 and 1. Large two-hybrid screens find about 20 % of
    the interactions or more (Yu et al., Science 322:104 (2008), doi:10.1126/science.1158684); a complete
    measurement has the value 1.

    >>> import netchoice, numpy as np
    >>> ring = netchoice.Model("ring", lambda n_nodes, rng: [(i, (i + 1) % n_nodes) for i in range(n_nodes)])
    >>> observed = thinned(ring, "edges").grow(1000, {"p_observed": 0.3}, np.random.default_rng(1))
    >>> observed.n_nodes, observed.n_edges
    (1000, 293)
    """
    check_choice("thin", kind, KINDS)
    if OBSERVED in model.parameters:
        raise UsageError(
            f"{model.name} has a parameter {OBSERVED} already; expected a model that is not thinned"
        )
    meaning = f"probability that {'an edge' if kind == 'edges' else 'a node'} is observed"
    name = f"{model.name}~{kind}"
    return Model(
        name,
        Thinned(name, model, kind),
        {**model.parameters, OBSERVED: Parameter(uniform(0.2, 1), 0.01, 1.0, meaning)},
        description=f"{(model.description or model.name).rstrip('.')}; some {kind} are observed",
        reference=model.reference,
        min_nodes=model.min_nodes,
        family=model.family,
    )


@dataclass(frozen=True)
class Thinned:
    """The function of a thinned model: it grows a network and observes a part of it."""

    name: str
    model: Model
    kind: str

    def __call__(
        self,
        n_nodes: int,
        rng: np.random.Generator,
        *,
        p_observed: float,
        isolated: str = "keep",
        max_edges: int | None = None,
        **values: float,
    ) -> Graph:
        """Grow and observe one network.

        With ``isolated="drop"`` the observed network has ``n_nodes`` non-isolated nodes. Edges or nodes
        are observed in random order until the number is right. If the share of them is then more than
        2% off ``p_observed``, a network of another size is grown.
        """
        most = None if max_edges is None else self._most_edges(max_edges, p_observed)
        if isolated == "keep":
            graph = self._grow(n_nodes, rng, "keep", p_observed, most, values)
            seen = self._observe(graph, n_nodes, p_observed, rng)
            return seen.until(seen.wanted)
        total = n_nodes
        for _ in range(_MAX_NETWORKS):
            graph = self._grow(total, rng, "drop", p_observed, most, values)
            for _ in range(_OBSERVATIONS):
                seen = self._observe(graph, total, p_observed, rng)
                observed = seen.with_linked(n_nodes)
                if observed is not None:
                    return observed
            total = next_total(total, n_nodes, seen.n_linked)
            if total > MAX_GROWTH * n_nodes + 1000:
                break
        raise growth_limit(self.name, n_nodes, total)

    def _grow(
        self,
        n_observed: int,
        rng: np.random.Generator,
        isolated: str,
        p_observed: float,
        max_edges: int | None,
        values: Mapping[str, float],
    ) -> Graph:
        """Grow the network that is observed, with more than ``n_observed`` nodes if nodes are missed."""
        n_nodes = round(n_observed / p_observed) if self.kind == "nodes" else n_observed
        n_nodes = max(n_nodes, self.model.min_nodes)
        # A model of fixed size would search for a number of nodes, which need not be exact here.
        isolated = isolated if self.model.can_drop else "keep"
        return self.model.grow(n_nodes, values, rng, isolated=isolated, max_edges=max_edges)

    def _observe(
        self, graph: Graph, n_observed: int, p_observed: float, rng: np.random.Generator
    ) -> Observation:
        """Return the edges of a network in the random order in which they are observed."""
        edges, n_nodes = graph.edges(), graph.n_nodes
        if self.kind == "edges":
            times = rng.permutation(len(edges)) + 1
            return Observation(
                edges, times, np.zeros(n_nodes), rng.binomial(len(edges), p_observed)
            )
        node_times = rng.permutation(n_nodes) + 1
        return Observation(edges, node_times[edges].max(axis=1), node_times, n_observed)

    def _most_edges(self, max_edges: int, p_observed: float) -> int:
        """Return a number of edges from which at most ``max_edges`` are practically never observed.

        Edges: the Chernoff bound gives a probability below exp(-30). Nodes: with 100 times as many edges
        as allowed on average, nearly all nodes with many edges would have to be missed.
        """
        if self.kind == "nodes":
            return math.ceil(100 * (max_edges + 10) / p_observed**2)
        return math.ceil((max_edges + 30 + math.sqrt(900 + 60 * max_edges)) / p_observed)
