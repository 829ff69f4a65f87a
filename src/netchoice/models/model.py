"""Models: a name, a function that grows a network, and a prior for each parameter."""

from __future__ import annotations

import hashlib
import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from os import PathLike
from typing import Any

import numpy as np

from netchoice.errors import (
    EdgeLimitError,
    GrowthLimitError,
    ModelError,
    NetchoiceError,
    NetworkFormatError,
    UsageError,
    describe_error,
)
from netchoice.graph import Graph
from netchoice.models.priors import Prior, as_prior
from netchoice.user_code import is_ours, prints_to_stderr
from netchoice.validation import check_choice, check_generator, check_integer, unknown

ISOLATED = ("keep", "drop")
#: Keywords of a model's function that are not parameters of the model.
CONTROLS = ("isolated", "max_edges")
#: With ``isolated="drop"``, growth fails beyond this multiple of the wanted number of nodes.
MAX_GROWTH = 100
_MAX_TRIES = 5000

Parameters = dict[str, float]


@dataclass(frozen=True)
class Parameter:
    """One parameter of a model: its prior, its allowed range, and its meaning.

    ``adapts`` marks a parameter that sets the density: larger values give more edges per node. In a
    density-matched space its prior is replaced by a uniform one over the range that can match.
    ``search_at`` holds names and values of other parameters with which this range is found.
    """

    prior: Prior
    low: float = -math.inf
    high: float = math.inf
    meaning: str = ""
    adapts: bool = False
    search_at: tuple[tuple[str, float], ...] = ()

    def __post_init__(self) -> None:
        if self.adapts and not 0 < self.low < self.high < math.inf:
            raise UsageError(
                "a parameter that adapts to the density must have finite bounds above 0; "
                f"got [{self.low:g}, {self.high:g}]"
            )

    def check(self, model: str, name: str, value: float) -> None:
        """Raise an error if the value is not a number in the allowed range."""
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not (is_number and self.low <= value <= self.high):
            raise UsageError(
                f"`{name}` of `{model}` must be a number in [{self.low:g}, {self.high:g}]; got {value!r}"
            )


@dataclass(frozen=True)
class Draws:
    """Joint draws of a model's parameters; for example from a posterior.

    >>> Draws(("p",), ((0.25,), (0.75,))).sample(np.random.default_rng(1))
    {'p': 0.25}
    """

    names: tuple[str, ...]
    rows: tuple[tuple[float, ...], ...]

    def sample(self, rng: np.random.Generator) -> Parameters:
        """Return one of the draws, all with the same probability."""
        return dict(zip(self.names, self.rows[rng.integers(len(self.rows))], strict=True))

    @property
    def digest(self) -> str:
        """A short text that differs between different draws."""
        return hashlib.blake2b(repr(self.rows).encode(), digest_size=8).hexdigest()


@dataclass(frozen=True)
class Model:
    """A model of network growth.

    Parameters
    ----------
    name : str
        The label of the model in tables.
    function : callable
        ``function(n_nodes, rng, **parameters)`` returns a network with ``n_nodes`` nodes: a
        :class:`~netchoice.Graph` or any object that :meth:`~netchoice.Graph.of` accepts. If the
        function has a keyword ``isolated`` or ``max_edges``, it receives the argument of
        :meth:`grow` and must respect it. Otherwise :meth:`grow` takes care of it.
    parameters : mapping
        By name: a :class:`Parameter`, or anything that :func:`as_prior` accepts.
    description, reference : str
        Text for people.
    min_nodes : int
        The smallest allowed number of nodes, the size of the seed graph.
    family : str
        The family of mechanisms that the model belongs to, for example "attachment".
    draws : Draws, optional
        Joint draws of the parameters, which :meth:`sample` uses instead of the priors.

    Examples
    --------
    >>> import networkx as nx, numpy as np
    >>> def gnp(n_nodes, rng, p):
    ...     return nx.fast_gnp_random_graph(n_nodes, p, seed=int(rng.integers(2**31)))
    >>> model = Model("gnp", gnp, {"p": "uniform(0, 0.1)"})
    >>> model.grow(100, {"p": 0.05}, np.random.default_rng(1)).n_nodes
    100
    """

    name: str
    function: Callable[..., Any]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    description: str = ""
    reference: str = ""
    min_nodes: int = 1
    family: str = ""
    draws: Draws | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.strip():
            raise UsageError(f"`name` must be a text that is not empty; got {self.name!r}")
        parameters = {}
        for name, spec in dict(self.parameters).items():
            spec = spec if isinstance(spec, Parameter) else Parameter(as_prior(spec))
            if spec.prior.is_constant:
                spec.check(self.name, name, spec.prior.low)
            elif not spec.low <= spec.prior.low <= spec.prior.high <= spec.high:
                raise UsageError(
                    f"the prior of `{name}` of `{self.name}` must be inside "
                    f"[{spec.low:g}, {spec.high:g}]; got {spec.prior}: choose another one, "
                    f"for example uniform({max(spec.low, 0):g}, {min(spec.high, 10):g})"
                )
            parameters[name] = spec
        object.__setattr__(self, "parameters", parameters)

    def __repr__(self) -> str:
        priors = (f"{name} {spec.prior}" for name, spec in self.parameters.items())
        return f"<Model {self.name}: {', '.join(priors) or 'no parameters'}>"

    def sample(self, rng: np.random.Generator) -> Parameters:
        """Draw the parameters from their priors, or from the joint draws if there are any."""
        if self.draws is not None:
            return self.draws.sample(rng)
        return {name: spec.prior.draw(rng) for name, spec in self.parameters.items()}

    def draw(
        self, n_nodes: int, rng: np.random.Generator, isolated: str = "keep"
    ) -> tuple[Parameters, Graph | None]:
        """Draw parameters; also return the network that was grown with them, if drawing grew one."""
        return self.sample(rng), None

    def grow(
        self,
        n_nodes: int,
        parameters: Mapping[str, float] | None = None,
        rng: np.random.Generator | None = None,
        *,
        isolated: str = "keep",
        max_edges: int | None = None,
    ) -> Graph:
        """Grow one network.

        Parameters
        ----------
        n_nodes : int
        parameters : mapping, optional
            A value for every parameter. Parameters with a constant prior may be left out. By default all
            are drawn, as :meth:`sample` does.
        rng : numpy.random.Generator
            The only source of randomness. The same state gives the same network.
        isolated : "keep" or "drop"
            With "drop", grow until the network has ``n_nodes`` non-isolated nodes, and drop the
            others, for comparison with networks observed as edge lists.
        max_edges : int, optional
            Raise :class:`~netchoice.errors.EdgeLimitError` beyond this many edges.

        Examples
        --------
        >>> import numpy as np, netchoice
        >>> parameters, rng = {"p_delete": 0.4, "p_new": 0.5}, np.random.default_rng(1)
        >>> netchoice.get_model("dmr").grow(50, parameters, rng, isolated="drop").n_isolated
        0
        """
        check_generator("rng", rng)
        assert rng is not None
        n_nodes = self.check_size(n_nodes, isolated)
        values = self._check_parameters(self.sample(rng) if parameters is None else parameters)
        return self._grow(n_nodes, values, rng, isolated, max_edges)

    def _grow(
        self, n_nodes: int, values: Parameters, rng: np.random.Generator, isolated: str,
        max_edges: int | None,
    ) -> Graph:  # fmt: skip
        """Grow one network with arguments that need no check."""
        if isolated == "drop" and not self.can_drop:
            graph = self._grow_dropping(n_nodes, values, rng, max_edges)
        else:
            graph = self._call(n_nodes, values, rng, isolated, max_edges)
        if max_edges is not None and graph.n_edges > max_edges:
            raise edge_limit(self.name, graph.n_edges, max_edges)
        return graph

    @cached_property
    def _controls(self) -> frozenset[str]:
        """The keywords, other than parameters, that the function accepts."""
        return frozenset(CONTROLS) & set(inspect.signature(self.function).parameters)

    @cached_property
    def _is_ours(self) -> bool:
        """Whether the function belongs to netchoice, so that tests have shown its networks to be right."""
        return is_ours(self.function)

    @property
    def can_drop(self) -> bool:
        """Whether the function itself grows to a number of non-isolated nodes."""
        return "isolated" in self._controls

    def as_dict(self) -> dict[str, Any]:
        """Return the name and the priors as a dictionary for JSON."""
        priors = {name: str(spec.prior) for name, spec in self.parameters.items()}
        draws = {} if self.draws is None else {"draws": self.draws.digest}
        return {"name": self.name, "priors": priors, **draws}

    def with_priors(self, priors: Mapping[str, Any]) -> Model:
        """Return the model with other priors for some parameters; see :meth:`ModelSpace.with_priors`."""
        changed = dict(self.parameters)
        for key, prior in priors.items():
            name = key.removeprefix(f"{self.name}.")
            if name not in changed:
                raise unknown(f"parameter of {self.name}", name, changed)
            changed[name] = replace(changed[name], prior=as_prior(prior), adapts=False)
        return replace(self, parameters=changed)

    def check_size(self, n_nodes: int, isolated: str) -> int:
        """Return ``n_nodes`` as an int if the model can grow so many nodes, or raise an error."""
        check_choice("isolated", isolated, ISOLATED)
        return check_integer(f"n_nodes` of `{self.name}", n_nodes, self.min_nodes, 2**31 - 1)

    def _check_parameters(self, given: Mapping[str, float]) -> Parameters:
        """Return a value for every parameter, or raise an error."""
        for name in given:
            if name not in self.parameters:
                raise unknown(f"parameter of {self.name}", name, self.parameters)
        values = {}
        for name, spec in self.parameters.items():
            if name in given:
                value: Any = given[name]
                value = value.item() if getattr(value, "size", 0) == 1 else value
                spec.check(self.name, name, value)
                values[name] = value
            elif spec.prior.is_constant:
                values[name] = spec.prior.low
            else:
                raise UsageError(
                    f"`{name}` of `{self.name}` is missing; pass it, or draw all parameters with "
                    "model.sample(rng)"
                )
        return values

    def _call(
        self,
        n_nodes: int,
        values: Parameters,
        rng: np.random.Generator,
        isolated: str,
        max_edges: int | None,
    ) -> Graph:
        """Run the model's function and check the network that it returns."""
        limits = {"isolated": isolated, "max_edges": max_edges}
        controls: dict[str, Any] = {name: limits[name] for name in self._controls}
        if self._is_ours:
            made: Any = self.function(n_nodes, rng, **values, **controls)
            if isinstance(made, Graph):
                return made
        try:
            with prints_to_stderr():
                grown = self.function(n_nodes, rng, **values, **controls)
        except NetchoiceError:
            raise
        except Exception as error:  # a user's function may raise any exception
            raise ModelError(f"model {self.name!r} raised {describe_error(error)}") from error
        try:
            if isinstance(grown, str | PathLike):  # Graph.of would read the file
                raise NetworkFormatError(f"cannot convert a {type(grown).__name__} to a network")
            graph = Graph.of(grown)
        except NetworkFormatError as error:
            raise ModelError(f"model {self.name!r} did not return a network: {error}") from error
        faults = []
        if graph.n_nodes != n_nodes:
            faults.append(f"{graph.n_nodes} nodes instead of {n_nodes}")
        if graph is not grown:
            loops, repeats = graph.self_loops_dropped, graph.repeats_dropped
            dropped = {"self loops": loops, "repeated edges": repeats}
            faults += [f"{count} {noun}" for noun, count in dropped.items() if count]
            faults += ["directed edges"] * _is_directed(grown, graph.n_edges)
        if isolated == "drop" and self.can_drop and graph.n_isolated:
            faults.append(f"{graph.n_isolated} isolated nodes despite isolated='drop'")
        if faults:
            raise ModelError(
                f"model {self.name!r} returned a network with {', '.join(faults)}; "
                "expected a simple undirected network with n_nodes nodes"
            )
        return graph

    def _grow_dropping(
        self, n_nodes: int, values: Parameters, rng: np.random.Generator, max_edges: int | None
    ) -> Graph:
        """Change the total number of nodes by the shortfall of non-isolated nodes until it is 0."""
        total = n_nodes
        for _ in range(_MAX_TRIES):
            graph = self._call(total, values, rng, "keep", max_edges).without_isolated()
            if graph.n_nodes == n_nodes:
                return graph
            total = next_total(total, n_nodes, graph.n_nodes)
            if total > MAX_GROWTH * n_nodes + 1000:
                break
        raise growth_limit(self.name, n_nodes, total)


def next_total(total: int, n_nodes: int, n_linked: int) -> int:
    """Return the number of nodes to try if ``total`` nodes gave ``n_linked`` instead of ``n_nodes``."""
    short = n_nodes - n_linked
    if abs(short) > 0.1 * n_nodes:
        total = math.ceil(total * n_nodes / max(n_linked, 0.5 * n_nodes))
    else:
        total += short
    return max(total, n_nodes)


def growth_limit(name: str, n_nodes: int, total: int) -> GrowthLimitError:
    """Return the error for growth that leaves too many nodes isolated."""
    return GrowthLimitError(
        f"{name}: fewer than {n_nodes} non-isolated nodes in a network of {total} nodes; "
        "with these parameters nearly all nodes stay isolated: change them, or use isolated='keep'"
    )


def edge_limit(name: str, n_edges: int, max_edges: int) -> GrowthLimitError:
    """Return the error for growth that makes more edges than allowed."""
    return EdgeLimitError(f"{name}: {n_edges} edges, above the limit of {max_edges} edges")


def _is_directed(grown: Any, n_edges: int) -> bool:
    if hasattr(grown, "tocoo") or hasattr(grown, "__array__"):
        matrix = grown.toarray() if hasattr(grown, "toarray") else grown
        return int((matrix != 0).sum() - (matrix.diagonal() != 0).sum()) != 2 * n_edges
    flag = getattr(grown, "is_directed", None) or getattr(grown, "isDirected", None)
    return bool(flag()) if callable(flag) else False


def model(**priors: Any) -> Callable[[Callable[..., Any]], Model]:
    """Turn a function into a model, with a prior for each parameter; a decorator.

    >>> import networkx as nx
    >>> @model(p="uniform(0.01, 0.1)")
    ... def gnp(n_nodes, rng, p):
    ...     '''Every pair is linked with probability p.'''
    ...     return nx.fast_gnp_random_graph(n_nodes, p, seed=int(rng.integers(2**31)))
    >>> gnp.name, str(gnp.parameters["p"].prior)
    ('gnp', 'uniform(0.01, 0.1)')
    """
    return lambda function: model_of(function, priors)


def model_of(function: Callable[..., Any], priors: Mapping[str, Any] | None = None) -> Model:
    """Turn a function into a model; a parameter with a default number needs no prior."""
    priors = dict(priors or {})
    name = getattr(function, "__name__", "model")
    arguments = list(inspect.signature(function).parameters.values())
    if [argument.name for argument in arguments[:2]] != ["n_nodes", "rng"]:
        raise UsageError(
            f"model function {name} takes ({', '.join(a.name for a in arguments)}); "
            "expected (n_nodes, rng, …), followed by the parameters of the model"
        )
    parameters = {}
    for argument in arguments[2:]:
        if argument.name in CONTROLS:
            continue
        if argument.name in priors:
            parameters[argument.name] = priors.pop(argument.name)
        elif argument.default is not inspect.Parameter.empty:
            parameters[argument.name] = argument.default
        else:
            raise UsageError(
                f"model function {name}: parameter {argument.name} has no prior; decorate it with "
                f"@netchoice.model({argument.name}='uniform(0, 1)') or give it a default"
            )
    if priors:
        raise unknown(f"parameter of model function {name}", next(iter(priors)), parameters)
    description = (inspect.getdoc(function) or "").partition("\n")[0]
    return Model(name, function, parameters, description=description)
