"""The registry of features and shared steps, and the plan in which they are computed.

A feature is a function that returns one number for a network. A shared step is a computation that
several features use, such as the degrees of all nodes; it is computed once per network. The names of
a function's parameters are its inputs: ``graph`` (the network), ``rng`` (a random generator of its
own), a step, or another feature.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from netchoice.errors import UsageError
from netchoice.names import load_attribute, unknown

#: Inputs that are given, not computed.
GIVEN = ("graph", "rng")


@dataclass(frozen=True)
class Step:
    """A shared step: a computation that several features use.

    Attributes
    ----------
    name : str
    function : callable
        Takes the inputs in order; returns what the features need, for example an array.
    inputs : tuple of str
        Names of the function's parameters: ``graph``, ``rng``, or other steps.
    definition : str
        One sentence for people.
    growth : str
        How its time grows with n nodes and m edges, for people.
    min_power : float or None
        The time grows at least with this power of the number of nodes, if that is known.
    """

    name: str
    function: Callable[..., Any]
    inputs: tuple[str, ...]
    definition: str
    growth: str
    min_power: float | None = None


@dataclass(frozen=True)
class Feature:
    """A feature: one number computed from a network.

    Attributes
    ----------
    name : str
    function : callable
        Takes the inputs in order; returns one finite number.
    inputs : tuple of str
        Names of the function's parameters: ``graph``, ``rng``, shared steps, or other features.
    definition : str
        One sentence for people.
    discrete : bool
        Whether all values are integers.
    growth : str
        How its own time (without its inputs) grows with n nodes and m edges, for people.
    version : str
        Changes with the definition.
    min_power : float or None
        Its own time grows at least with this power of the number of nodes, if that is known.
    """

    name: str
    function: Callable[..., Any]
    inputs: tuple[str, ...]
    definition: str
    discrete: bool
    growth: str
    version: str
    min_power: float | None = None

    @property
    def is_random(self) -> bool:
        """True for a feature that draws random numbers."""
        return "rng" in self.inputs


Computation = Step | Feature
Function = TypeVar("Function", bound=Callable[..., Any])

STEPS: dict[str, Step] = {}
FEATURES: dict[str, Feature] = {}


def _inputs(function: Callable[..., Any]) -> tuple[str, ...]:
    return tuple(inspect.signature(function).parameters)


def _definition(function: Callable[..., Any]) -> str:
    return (inspect.getdoc(function) or "").partition("\n\n")[0].replace("\n", " ").rstrip(".")


def step(*, growth: str, min_power: float | None = None) -> Callable[[Function], Function]:
    """Register a function as a shared step; a decorator.

    Parameters
    ----------
    growth : str
        How its time grows with n nodes and m edges, for people.
    min_power : float, optional
        The time grows at least with this power of the number of nodes. Extrapolated costs respect
        this bound.
    """

    def register(function: Function) -> Function:
        name = function.__name__
        STEPS[name] = Step(
            name, function, _inputs(function), _definition(function), growth, min_power
        )
        return function

    return register


def feature(
    function: Callable[..., Any] | None = None,
    *,
    discrete: bool = False,
    growth: str = "",
    version: str = "1",
    name: str | None = None,
    min_power: float | None = None,
) -> Any:
    """Turn a function into a feature; a decorator, with or without parentheses.

    The names of the function's parameters are its inputs (see :class:`Feature`).

    Parameters
    ----------
    discrete : bool
        True for counts and other integers.
    growth : str
        How its own time grows with n nodes and m edges, for people.
    version : str
        Change it whenever you change the definition. Tables with different versions are never mixed.
    name : str, optional
        The default is the name of the function.
    min_power : float, optional
        Its own time grows at least with this power of the number of nodes. Extrapolated costs
        respect this bound.

    Examples
    --------
    >>> import netchoice
    >>> @netchoice.feature(discrete=True, growth="n")
    ... def n_leaves(degrees):
    ...     '''Nodes with one neighbour.'''
    ...     return (degrees == 1).sum()
    >>> graph = netchoice.Graph.from_edges([(0, 1), (1, 2)])
    >>> netchoice.compute_features(graph, [n_leaves]).values
    {'n_leaves': 2}
    """

    def make(function: Callable[..., Any]) -> Feature:
        return Feature(
            name=name or function.__name__,
            function=function,
            inputs=_inputs(function),
            definition=_definition(function),
            discrete=discrete,
            growth=growth,
            version=version,
            min_power=min_power,
        )

    return make if function is None else make(function)


def builtin(
    *,
    discrete: bool = False,
    growth: str = "1",
    name: str | None = None,
    definition: str | None = None,
    min_power: float | None = None,
) -> Callable[[Function], Function]:
    """Register a feature that comes with the package; a decorator."""

    def register(function: Function) -> Function:
        made = feature(discrete=discrete, growth=growth, name=name, min_power=min_power)(function)
        made = replace(made, definition=definition or made.definition)
        FEATURES[made.name] = made
        return function

    return register


def find(name: str | Feature) -> Feature:
    """Return a feature by its name or by ``module:attribute``; a feature is returned unchanged."""
    if isinstance(name, Feature):
        return name
    if not isinstance(name, str):
        raise UsageError(
            f"{name!r} is not a feature; decorate a function with @netchoice.feature()"
        )
    if ":" in name:
        loaded = load_attribute(name)
        if not isinstance(loaded, Feature):
            raise UsageError(
                f"{name} is a {type(loaded).__name__}; expected a feature: a function decorated with "
                "@netchoice.feature()"
            )
        return loaded
    if name not in FEATURES:
        raise unknown("feature", name, FEATURES)
    return FEATURES[name]


@dataclass(frozen=True)
class Plan:
    """The computations for some features, in an order in which inputs come first.

    ``lineage`` has, by name, the computation itself and all computations that it depends on.
    """

    features: tuple[Feature, ...]
    computations: tuple[Computation, ...]
    lineage: dict[str, tuple[str, ...]]


@functools.lru_cache(maxsize=1024)
def plan(features: tuple[Feature, ...]) -> Plan:
    """Return the plan to compute these features, with each shared step once."""
    wanted: dict[str, Feature] = {}
    for item in features:
        if wanted.setdefault(item.name, item) is not item:
            raise UsageError(f"two different features are called {item.name!r}; rename one")
        if item.name in STEPS or item.name in GIVEN:
            raise UsageError(
                f"a feature cannot be called {item.name!r}: that is the name of an input"
            )
    computations: dict[str, Computation] = {}
    lineage: dict[str, tuple[str, ...]] = {}
    path: list[str] = []

    def visit(item: Computation) -> None:
        if item.name in computations:
            return
        if item.name in path:
            cycle = " → ".join([*path[path.index(item.name) :], item.name])
            raise UsageError(f"features depend on each other in a cycle: {cycle}; remove one input")
        path.append(item.name)
        sources: dict[str, None] = {}
        for name in item.inputs:
            if name not in GIVEN:
                visit(_computation_of(name, wanted, item))
                sources.update(dict.fromkeys(lineage[name]))
        path.pop()
        computations[item.name] = item
        lineage[item.name] = (*sources, item.name)

    for item in wanted.values():
        visit(item)
    return Plan(tuple(wanted.values()), tuple(computations.values()), lineage)


def _computation_of(name: str, wanted: dict[str, Feature], user: Computation) -> Computation:
    """Return the step or feature with this name, which may be in the module of its user."""
    for source in (wanted, STEPS, FEATURES):
        if name in source:
            return source[name]
    in_module = getattr(user.function, "__globals__", {}).get(name)
    if isinstance(in_module, Feature):
        return in_module
    known = [*GIVEN, *STEPS, *FEATURES]
    raise UsageError(
        f"feature {user.name!r}: its parameters must be names of inputs; "
        f"{unknown('step or feature', name, known)}"
    )


def steps_of(item: Feature) -> tuple[str, ...]:
    """Return the names of all shared steps that a feature depends on, inputs first.

    >>> from netchoice.features import FEATURES, steps_of
    >>> steps_of(FEATURES["transitivity"])
    ('triangles', 'degrees')
    """
    return tuple(name for name in plan((item,)).lineage[item.name] if name in STEPS)


def min_powers() -> dict[str, float]:
    """Return, by name, the known lower bounds on the power with which costs grow with the nodes.

    Steps and features without a known bound are left out.

    >>> min_powers()["betweenness"]
    2.0
    """
    known: list[Computation] = [*STEPS.values(), *FEATURES.values()]
    return {item.name: item.min_power for item in known if item.min_power is not None}
