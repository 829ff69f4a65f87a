"""Density-matched model spaces, in which density alone does not distinguish models."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np

from netchoice.errors import EdgeLimitError, GrowthLimitError, TooDenseError, UsageError
from netchoice.graph import Graph
from netchoice.models.edge_prediction import EdgePrediction, predict_edges
from netchoice.models.model import Model, Parameters
from netchoice.models.priors import as_prior, uniform
from netchoice.models.space import ModelSpace
from netchoice.threads import threads
from netchoice.user_code import is_ours
from netchoice.validation import check_fraction

MAX_PROPOSALS = 100_000
MAX_DRAWS, MAX_TRIES = 200, 10  # joint draws, and networks for each of them
_MAX_TOO_DENSE = 1000  # draws, if none allows a network at all
_TRIES_AT_BOUND = 50
_MAX_PREDICTED = 5000  # nodes; growing networks for a prediction would take long
_SEARCH_NODES, _SEARCH_DRAWS, _SEARCH_STEPS = 400, 12, 12


@dataclass(frozen=True)
class MatchedModel(Model):
    """A model conditioned on the number of edges, which must be within the tolerance: a match.

    :meth:`draw` draws parameters and grows a network with them until one matches, that is, from the joint
    distribution of parameters and network given the match. :meth:`grow` grows networks with given
    parameters until one matches.
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
        """Grow one network; return None if it does not match.

        Raise :class:`~netchoice.errors.TooDenseError` if no network can have these parameters.
        """
        low, high = self.bounds(n_nodes)
        if self.draws is not None:
            parameters = self._check_parameters(parameters)  # constants may be left out of draws
        try:
            graph = self._grow(n_nodes, parameters, rng, self.isolated, high)
        except TooDenseError:
            raise
        except GrowthLimitError:
            return None
        return graph if graph.n_edges >= low else None

    def can_match(
        self, tries: int, rng: np.random.Generator, deadline: float | None = None
    ) -> bool:
        """Return whether one of so many networks with parameters from the prior matches.

        It may if not all were tried by the deadline, a time on the clock ``time.monotonic``. A match does not
        count if :attr:`prediction` says that hardly any network with its parameters matches:
        :meth:`draw` would never grow it.

        There are at most 50 if the search for the density ended at a bound of its parameter: beyond the
        bound there is no value, and matches are rare or impossible.
        """
        adapted = [spec for spec in self.parameters.values() if spec.adapts]
        if any(s.prior.high <= 1.1 * s.low or s.prior.low >= 0.9 * s.high for s in adapted):
            tries = min(tries, _TRIES_AT_BOUND)
        for _ in range(tries):
            if deadline is not None and time.monotonic() > deadline:
                return True
            if self.matches(rng):
                return True
        return False

    def matches(self, rng: np.random.Generator) -> bool:
        """Grow one network with parameters from the prior, or from joint draws; return whether it matches."""
        parameters = super().sample(rng)
        try:
            graph = self.propose(self.n_nodes, parameters, rng)
        except TooDenseError:
            return False
        return graph is not None and not self._is_far(parameters, self.n_nodes)

    def _is_far(self, parameters: Parameters, n_nodes: int) -> bool:
        """Return whether the predicted number of edges is far from a match."""
        found = self.prediction if n_nodes == self.n_nodes else None
        return found is not None and found.is_far(parameters, *self.bounds(n_nodes))

    @property
    def _varies(self) -> bool:
        return any(not spec.prior.is_constant for spec in self.parameters.values())

    @cached_property
    def prediction(self) -> EdgePrediction | None:
        """A prediction of the number of edges, if it saves many networks.

        It is fitted to networks with parameters from the prior, the same ones in every process.
        """
        is_possible = self.draws is None and self._varies and self.n_nodes <= _MAX_PREDICTED
        if not is_possible or not is_ours(self.function):  # users' functions can be slow, or fail
            return None
        rng = np.random.default_rng(0)

        def count(parameters: Parameters, most: int) -> int:
            options: dict[str, Any] = {"isolated": self.isolated, "max_edges": most}
            return Model.grow(self, self.n_nodes, parameters, rng, **options).n_edges

        return predict_edges(lambda: Model.sample(self, rng), count, *self.bounds(self.n_nodes))

    def sample(self, rng: np.random.Generator) -> Parameters:
        """Draw parameters from the prior, conditioned on a match."""
        return self.draw(self.n_nodes, rng, self.isolated)[0]

    def draw(
        self, n_nodes: int, rng: np.random.Generator, isolated: str = "keep"
    ) -> tuple[Parameters, Graph]:
        """Draw parameters, and grow a network with them, until one matches; return both.

        No network is grown with parameters from the prior if the predicted number of edges is far from a
        match (:attr:`prediction`): hardly any would match.

        Joint draws, for example from a posterior, come from networks that match. They are not conditioned
        again; only draws with which hardly any network matches are left out, mostly those with which fewer
        than one in 10 networks does.
        """
        self._check_isolated(isolated)
        if self.draws is not None:
            given, n_draws, tries = "with the given draws", MAX_DRAWS, MAX_TRIES
        else:
            given, tries = "with parameters from the prior", 1
            n_draws = MAX_PROPOSALS if self._varies else min(MAX_PROPOSALS, 1000)
        n_possible = 0
        for i in range(n_draws):
            parameters = super().sample(rng)
            if self._is_far(parameters, n_nodes):
                continue
            try:
                for _ in range(tries):
                    graph = self.propose(n_nodes, parameters, rng)
                    n_possible += 1
                    if graph is not None:
                        return parameters, graph
            except TooDenseError:
                if not n_possible and i + 1 >= min(n_draws, _MAX_TOO_DENSE):
                    raise
        raise self._no_match(given, n_nodes, n_draws * tries)

    def _check_isolated(self, isolated: str) -> None:
        if isolated != self.isolated:
            raise UsageError(
                f"isolated={isolated!r}, but the space was matched with isolated={self.isolated!r}; "
                "call matched_to with the other value"
            )

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
        self._check_isolated(self.isolated if isolated is None else isolated)
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
    keep their priors, and are conditioned on the match by rejection. The search for a range ends at the
    ``deadline``, a time on the clock ``time.monotonic``; such a range is wider, and no simulation is in time.

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
        priors: Mapping[str, Mapping[str, Any]] | None = None,
        n_jobs: int | None = None,
        deadline: float | None = None,
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
        known = priors or {}  # by model and parameter, from an earlier match
        with threads(n_jobs) as run:
            models = run(
                lambda model: self._match(model, known.get(model.name, {}), deadline), base
            )
        super().__init__(base.name, models, base.weights)

    @property
    def bounds(self) -> tuple[int, int]:
        """The smallest and largest number of edges that match."""
        first: Any = self.models[0]
        low, high = first.bounds(self.n_nodes)
        return int(low), int(high)

    def _match(
        self, model: Model, priors: Mapping[str, Any], deadline: float | None
    ) -> MatchedModel:
        values = {field.name: getattr(model, field.name) for field in fields(Model)}
        values |= {name: getattr(self, name) for name in ("n_nodes", "tolerance", "isolated")}
        matched = MatchedModel(**values, edges_per_node=self.n_edges / self.n_nodes)
        adapted = {}
        for name, spec in model.parameters.items():
            if spec.adapts:
                known = priors.get(name)
                prior = (known and as_prior(known)) or uniform(
                    *_density_range(model, matched, name, deadline)
                )
                adapted[name] = replace(spec, prior=prior)
        return replace(matched, parameters={**model.parameters, **adapted})

    def with_mixtures(self, names: Iterable[str]) -> MatchedSpace:
        """Return the space with mixtures; see :meth:`ModelSpace.with_mixtures`."""
        return self._with_base(self.base.with_mixtures(names))

    def thinned(self, kind: str) -> MatchedSpace:
        """Return the space with every model thinned; see :meth:`ModelSpace.thinned`."""
        return self._with_base(self.base.thinned(kind))

    def only(self, labels: Iterable[str]) -> MatchedSpace:
        """Return the density-matched space of some of the models."""
        return self._with_base(self.base.only(labels))

    def _with_base(self, base: ModelSpace) -> MatchedSpace:
        """Return the space with other models; the priors of models that it has already are kept."""
        priors = {
            model.name: {name: spec.prior for name, spec in model.parameters.items()}
            for model in self
        }
        settings = (self.n_nodes, self.n_edges, self.tolerance, self.isolated)
        return MatchedSpace(base, *settings, priors=priors)

    def as_dict(self) -> dict[str, Any]:
        """Return the models, weights, priors and the match as a dictionary for JSON."""
        names = ("n_nodes", "n_edges", "tolerance", "isolated")
        match = {name: getattr(self, name) for name in names}
        return {**super().as_dict(), "match": {**match, "base": self.base.as_dict()}}


def _density_range(
    model: Model, matched: MatchedModel, name: str, deadline: float | None
) -> tuple[float, float]:
    """Return the range of the density parameter that can match, by search on small networks.

    The other parameters are drawn several times, and the range is widened by 5% at both ends. In a mixture
    the range is that of the pure model: with few nodes of its kind, any value could match. At the deadline it
    is that of the prior.
    """
    spec = model.parameters[name]
    n_nodes = max(min(matched.n_nodes, _SEARCH_NODES), model.min_nodes)
    rng = np.random.default_rng(0)
    ends = []
    for wanted in matched.bounds(n_nodes):
        end = math.sqrt(max(spec.low, spec.prior.low) * min(spec.high, spec.prior.high))
        for _ in range(_SEARCH_DRAWS):
            if deadline is not None and time.monotonic() > deadline:
                return max(spec.low, spec.prior.low), min(spec.high, spec.prior.high)
            parameters = Model.sample(model, rng) | dict(spec.search_at)
            search = _Search(model, n_nodes, parameters, name, rng, matched.isolated, wanted)
            end = search.end(end)
            ends.append(end)
    return max(spec.low, 0.95 * min(ends)), min(spec.high, 1.05 * max(ends))


@dataclass(frozen=True)
class _Search:
    """Search for the value of one parameter with which networks have the wanted number of edges."""

    model: Model
    n_nodes: int
    parameters: Parameters
    name: str
    rng: np.random.Generator
    isolated: str
    wanted: int

    def is_dense(self, value: float) -> bool:
        """Grow a network; return whether it has more edges than wanted."""
        options: dict[str, Any] = {"isolated": self.isolated, "max_edges": 2 * self.wanted + 2}
        values = self.parameters | {self.name: value}
        try:
            return self.model.grow(self.n_nodes, values, self.rng, **options).n_edges > self.wanted
        except EdgeLimitError:
            return True
        except GrowthLimitError:
            return False

    def end(self, start: float) -> float:
        """Return the value within 2%: by growing steps from the start, and then by bisection."""
        spec, step = self.model.parameters[self.name], 1.5
        low = high = min(max(start, spec.low), spec.high)
        if self.is_dense(start):
            low = max(spec.low, high / step)
            while low > spec.low and self.is_dense(low):
                high, step = low, step**2
                low = max(spec.low, high / step)
        else:
            high = min(spec.high, low * step)
            while high < spec.high and not self.is_dense(high):
                low, step = high, step**2
                high = min(spec.high, low * step)
        for _ in range(_SEARCH_STEPS):
            if high <= 1.02 * low:
                break
            middle = math.sqrt(low * high)
            low, high = (low, middle) if self.is_dense(middle) else (middle, high)
        return math.sqrt(low * high)
