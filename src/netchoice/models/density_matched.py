"""Density-matched model spaces, in which density alone does not distinguish models."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from netchoice.errors import EdgeLimitError, GrowthLimitError, UsageError
from netchoice.graph import Graph
from netchoice.models.model import Model, Parameters
from netchoice.models.priors import uniform
from netchoice.models.space import ModelSpace
from netchoice.validation import check_fraction

MAX_PROPOSALS = 100_000
MAX_DRAWS, MAX_TRIES = 50, 500  # joint draws, and networks for each of them
_SEARCH_NODES, _SEARCH_DRAWS, _SEARCH_STEPS = 400, 24, 12


@dataclass(frozen=True)
class MatchedModel(Model):
    """A model conditioned on the number of edges, which must be within the tolerance: a match.

    :meth:`sample` draws parameters until a network grown with them matches, and :meth:`grow` grows
    networks with given parameters until one matches. Together they draw from the joint distribution
    of parameters and network given the match.
    """

    n_nodes: int = 0
    edges_per_node: float = 0.0
    tolerance: float = 0.1
    isolated: str = "keep"

    def as_dict(self) -> dict[str, Any]:
        """Return the name, the priors and the match as a dictionary for JSON."""
        match = {"edges_per_node": self.edges_per_node, "tolerance": self.tolerance}
        return {**super().as_dict(), "match": match}

    def bounds(self, n_nodes: int) -> tuple[int, int]:
        """Return the smallest and largest number of edges that match, for a network of this size."""
        wanted = self.edges_per_node * n_nodes
        low, high = wanted * (1 - self.tolerance), wanted * (1 + self.tolerance)
        return math.ceil(low - 1e-9), math.floor(high + 1e-9)

    def propose(
        self, n_nodes: int, parameters: Parameters, rng: np.random.Generator
    ) -> Graph | None:
        """Grow one network; return None if it does not match."""
        low, high = self.bounds(n_nodes)
        try:
            graph = super().grow(n_nodes, parameters, rng, isolated=self.isolated, max_edges=high)
        except GrowthLimitError:
            return None
        return graph if graph.n_edges >= low else None

    def can_match(self, tries: int, rng: np.random.Generator) -> bool:
        """Return whether one of so many networks with parameters from the prior matches."""
        drawn = (super(MatchedModel, self).sample(rng) for _ in range(tries))
        return any(self.propose(self.n_nodes, each, rng) is not None for each in drawn)

    def sample(self, rng: np.random.Generator) -> Parameters:
        """Draw parameters from the prior, conditioned on a match.

        Joint draws, for example from a posterior, come from networks that match. They are not conditioned
        again; only draws with which hardly any network matches are left out.
        """
        if self.draws is not None:
            for _ in range(MAX_DRAWS):
                parameters = self.draws.sample(rng)
                proposals = (self.propose(self.n_nodes, parameters, rng) for _ in range(MAX_TRIES))
                if any(graph is not None for graph in proposals):
                    return parameters
            raise self._no_match("with the given draws", self.n_nodes, MAX_DRAWS * MAX_TRIES)
        varies = any(not spec.prior.is_constant for spec in self.parameters.values())
        tries = MAX_PROPOSALS if varies else min(MAX_PROPOSALS, 1000)
        for _ in range(tries):
            parameters = super().sample(rng)
            if self.propose(self.n_nodes, parameters, rng) is not None:
                return parameters
        raise self._no_match("with parameters from the prior", self.n_nodes, tries)

    def grow(
        self,
        n_nodes: int,
        parameters: Mapping[str, float] | None = None,
        rng: np.random.Generator | None = None,
        *,
        isolated: str | None = None,
        max_edges: int | None = None,
    ) -> Graph:
        """Grow networks with these parameters until one matches."""
        if isolated not in (None, self.isolated):
            raise UsageError(
                f"isolated={isolated!r}, but the space was matched with isolated={self.isolated!r}; "
                "call matched_to with the other value"
            )
        if rng is None:
            return super().grow(n_nodes, parameters, rng)
        n_nodes = self.check_size(n_nodes, self.isolated)
        values = self._check_parameters(parameters or {})
        for _ in range(MAX_PROPOSALS):
            graph = self.propose(n_nodes, values, rng)
            if graph is not None:
                return graph
        text = ", ".join(f"{name}={value:g}" for name, value in values.items())
        raise self._no_match(f"with {text}", n_nodes, MAX_PROPOSALS)

    def _no_match(self, condition: str, n_nodes: int, tries: int) -> GrowthLimitError:
        low, high = self.bounds(n_nodes)
        return GrowthLimitError(
            f"{self.name} {condition}: none of {tries} networks with {n_nodes} nodes had between "
            f"{low} and {high} edges; widen the prior or the tolerance, or leave the model out"
        )


class MatchedSpace(ModelSpace):
    """A density-matched model space, made by :meth:`ModelSpace.matched_to`.

    The number of edges per node of every network is within ``tolerance`` of that of the observed
    network. Models keep their prior weights. A parameter that sets the density (``adapts``) gets a
    uniform prior over the range that can match, unless its prior was changed. All other parameters
    keep their priors, and are conditioned on the match by rejection.

    >>> import numpy as np, netchoice
    >>> observed = netchoice.Graph.from_edges([(i, i + 1) for i in range(0, 99)] + [(0, 50)])
    >>> space = netchoice.get_space("mechanisms").matched_to(observed)
    >>> rng = np.random.default_rng(1)
    >>> label, parameters = space.sample(rng)
    >>> 90 <= space[label].grow(100, parameters, rng).n_edges <= 110
    True
    """

    def __init__(
        self,
        base: ModelSpace,
        n_nodes: int,
        n_edges: int,
        tolerance: float,
        isolated: str,
        *,
        matched: Mapping[str, Model] | None = None,
    ) -> None:
        if n_nodes < 2 or n_edges < 1:
            raise UsageError(
                f"cannot match the density of a network with {n_nodes} nodes and {n_edges} edges; "
                "expected at least one edge"
            )
        if isolated == "drop" and 2 * n_edges < n_nodes:
            raise UsageError(
                f"{n_nodes} nodes with {n_edges} edges cannot all have neighbours; use isolated='keep'"
            )
        self.base = base
        self.n_nodes = n_nodes
        self.n_edges = n_edges
        self.tolerance = check_fraction("tolerance", tolerance)
        self.isolated = isolated
        known = matched or {}  # models that were matched before, by name
        models = [known[each.name] if each.name in known else self._match(each) for each in base]
        super().__init__(base.name, models, base.weights)

    @property
    def bounds(self) -> tuple[int, int]:
        """The smallest and largest number of edges that match."""
        first: Any = self.models[0]
        low, high = first.bounds(self.n_nodes)
        return int(low), int(high)

    def _match(self, model: Model) -> MatchedModel:
        values = {field.name: getattr(model, field.name) for field in fields(Model)}
        values |= {name: getattr(self, name) for name in ("n_nodes", "tolerance", "isolated")}
        matched = MatchedModel(**values, edges_per_node=self.n_edges / self.n_nodes)
        adapted = {
            name: replace(spec, prior=uniform(*_density_range(model, matched, name)))
            for name, spec in model.parameters.items()
            if spec.adapts
        }
        return replace(matched, parameters={**model.parameters, **adapted})

    def with_mixtures(self, names: Iterable[str]) -> MatchedSpace:
        """Return the space with mixtures; see :meth:`ModelSpace.with_mixtures`."""
        return self._with_base(self.base.with_mixtures(names))

    def thinned(self, kind: str) -> MatchedSpace:
        """Return the space with every model thinned; see :meth:`ModelSpace.thinned`."""
        return self._with_base(self.base.thinned(kind))

    def _with_base(
        self, base: ModelSpace, matched: Mapping[str, Model] | None = None
    ) -> MatchedSpace:
        settings = (self.n_nodes, self.n_edges, self.tolerance, self.isolated)
        return MatchedSpace(base, *settings, matched=matched)

    def only(self, labels: Iterable[str]) -> MatchedSpace:
        """Return the density-matched space of some of the models."""
        return self._with_base(self.base.only(labels), {model.name: model for model in self})

    def as_dict(self) -> dict[str, Any]:
        """Return the models, weights, priors and the match as a dictionary for JSON."""
        names = ("n_nodes", "n_edges", "tolerance", "isolated")
        match = {name: getattr(self, name) for name in names}
        return {**super().as_dict(), "match": {**match, "base": self.base.as_dict()}}

    def acceptance_rates(self, n_proposals: int = 200, seed: int = 0) -> dict[str, float]:
        """Return the fraction of proposed networks that match, by model."""
        rates = {}
        children = np.random.SeedSequence(seed).spawn(len(self))
        for model, child in zip(self.models, children, strict=True):
            rng = np.random.default_rng(child)
            proposals = (
                model.propose(self.n_nodes, Model.sample(model, rng), rng)  # type: ignore[attr-defined]
                for _ in range(n_proposals)
            )
            rates[model.name] = sum(graph is not None for graph in proposals) / n_proposals
        return rates


def _density_range(model: Model, matched: MatchedModel, name: str) -> tuple[float, float]:
    """Return the range of the density parameter that can match, by bisection on small networks.

    The other parameters are drawn several times, and the range is widened by 5% at both ends. In a mixture
    the range is that of the pure model: with few nodes of its kind, any value could match.
    """
    spec = model.parameters[name]
    n_nodes = max(min(matched.n_nodes, _SEARCH_NODES), model.min_nodes)
    rng = np.random.default_rng(0)
    fewest, most = matched.bounds(n_nodes)
    ends = []
    for wanted in (most, fewest) * (_SEARCH_DRAWS // 2):
        parameters = Model.sample(model, rng) | dict(spec.search_at)
        low, high = spec.low, spec.high
        for _ in range(_SEARCH_STEPS):
            parameters[name] = middle = math.sqrt(low * high)
            options: dict[str, Any] = {"isolated": matched.isolated, "max_edges": 2 * wanted + 2}
            try:
                dense = model.grow(n_nodes, parameters, rng, **options).n_edges > wanted
            except (EdgeLimitError, UsageError):
                dense = True
            except GrowthLimitError:
                dense = False
            low, high = (low, middle) if dense else (middle, high)
        ends.append(math.sqrt(low * high))
    return max(spec.low, 0.95 * min(ends)), min(spec.high, 1.05 * max(ends))
