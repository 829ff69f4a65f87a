"""What can be measured: steps and features, each a small function of what it needs.

A function declares its needs by the names of its parameters: ``graph`` (the network), ``rng`` (a
random stream of its own), a step, or another feature. Steps are shared: each is computed once per
network, however many features need it.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from netchoice.errors import UsageError
from netchoice.names import load_attribute, unknown

INPUTS = ("graph", "rng")


@dataclass(frozen=True)
class Step:
    """A computation that several features share."""

    name: str
    function: Callable[..., Any]
    inputs: tuple[str, ...]
    definition: str
    growth: str
    min_power: float | None = None


@dataclass(frozen=True)
class Feature:
    """One number computed from a network."""

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


Node = Step | Feature

STEPS: dict[str, Step] = {}
FEATURES: dict[str, Feature] = {}


def _inputs(function: Callable[..., Any]) -> tuple[str, ...]:
    return tuple(inspect.signature(function).parameters)


def _definition(function: Callable[..., Any]) -> str:
    return (inspect.getdoc(function) or "").partition("\n\n")[0].replace("\n", " ").rstrip(".")


def step(
    *, growth: str, min_power: float | None = None
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a function as a shared step.

    Parameters
    ----------
    growth : str
        How its time grows with the network, for people.
    min_power : float, optional
        The power of the number of nodes that its time is known to reach at least; extrapolations of
        cost respect it.
    """

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
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
    """Make a feature of a function; a decorator, with or without parentheses.

    Parameters
    ----------
    discrete : bool
        True for counts and other integers.
    growth : str
        How its time grows with the network, for people.
    version : str
        Change it with the definition: tables with different versions are never mixed.
    name : str, optional
        By default the function's.
    min_power : float, optional
        The power of the number of nodes that its own time is known to reach at least; extrapolations
        of cost respect it.

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
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register one of the package's own features."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        made = feature(discrete=discrete, growth=growth, name=name, min_power=min_power)(function)
        made = replace(made, definition=definition or made.definition)
        FEATURES[made.name] = made
        return function

    return register


def find(name: str | Feature) -> Feature:
    """A feature by name, by ``module:attribute``, or as it is."""
    if isinstance(name, Feature):
        return name
    if not isinstance(name, str):
        raise UsageError(f"{name!r} is no feature; decorate a function with @netchoice.feature()")
    if ":" in name:
        found = load_attribute(name)
        if not isinstance(found, Feature):
            raise UsageError(
                f"{name} is a {type(found).__name__}; expected a feature: a function decorated with "
                "@netchoice.feature()"
            )
        return found
    if name not in FEATURES:
        raise unknown("feature", name, FEATURES)
    return FEATURES[name]


@dataclass(frozen=True)
class Plan:
    """What must be computed for some features: all nodes, needs first, and who needs what."""

    features: tuple[Feature, ...]
    nodes: tuple[Node, ...]
    lineage: dict[str, tuple[str, ...]]  # of each node: itself and all that it is computed from


@functools.lru_cache(maxsize=1024)
def plan(features: tuple[Feature, ...]) -> Plan:
    """How to compute these features, each step once."""
    wanted: dict[str, Feature] = {}
    for item in features:
        if wanted.setdefault(item.name, item) is not item:
            raise UsageError(f"two different features are called {item.name!r}; rename one")
        if item.name in STEPS or item.name in INPUTS:
            raise UsageError(f"a feature cannot be called {item.name!r}: that is a step")
    nodes: dict[str, Node] = {}
    lineage: dict[str, tuple[str, ...]] = {}
    path: list[str] = []

    def visit(node: Node) -> None:
        if node.name in nodes:
            return
        if node.name in path:
            circle = " → ".join([*path[path.index(node.name) :], node.name])
            raise UsageError(f"features need each other in a circle: {circle}")
        path.append(node.name)
        line: dict[str, None] = {}
        for need in node.inputs:
            if need not in INPUTS:
                visit(_provider(need, wanted, node))
                line.update(dict.fromkeys(lineage[need]))
        path.pop()
        nodes[node.name] = node
        lineage[node.name] = (*line, node.name)

    for item in wanted.values():
        visit(item)
    return Plan(tuple(wanted.values()), tuple(nodes.values()), lineage)


def _provider(need: str, wanted: dict[str, Feature], node: Node) -> Node:
    for source in (wanted, STEPS, FEATURES):
        if need in source:
            return source[need]
    beside = getattr(node.function, "__globals__", {}).get(need)
    if isinstance(beside, Feature):
        return beside
    known = [*INPUTS, *STEPS, *FEATURES]
    raise UsageError(
        f"feature {node.name!r}: its parameters name what it needs; {unknown('step or feature', need, known)}"
    )


def steps_of(item: Feature) -> tuple[str, ...]:
    """Names of all steps that a feature is computed from, needs first.

    >>> from netchoice.features import FEATURES, steps_of
    >>> steps_of(FEATURES["transitivity"])
    ('triangles', 'degrees')
    """
    return tuple(name for name in plan((item,)).lineage[item.name] if name in STEPS)


def min_powers() -> dict[str, float]:
    """Return the steps and features whose cost is known to grow at least with a power of the nodes.

    >>> min_powers()["betweenness"]
    2.0
    """
    nodes: tuple[Node, ...] = (*STEPS.values(), *FEATURES.values())
    return {node.name: node.min_power for node in nodes if node.min_power is not None}
