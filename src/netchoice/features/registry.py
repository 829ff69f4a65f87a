"""The registry of features and shared steps.

A feature is a function that returns one number for a network. A shared step is a computation that
several features use, such as the degrees of all nodes; it is computed once per network. The names of
a function's parameters are its inputs: ``graph`` (the network), ``rng`` (a random generator of its
own), a step, or another feature.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from netchoice.errors import UsageError
from netchoice.names import load_attribute, unknown

#: Inputs that are given, not computed.
GIVEN = ("graph", "rng")


@dataclass(frozen=True)
class Computation:
    """A named function of inputs: a shared step or a feature.

    Attributes
    ----------
    name : str
    function : callable
        Takes the inputs in order.
    inputs : tuple of str
        Names of the function's parameters: ``graph``, ``rng``, shared steps, or features.
    definition : str
        One sentence for people.
    growth : str
        How its own time (without its inputs) grows with n nodes and m edges, for people.
    min_power : float or None
        Its own time grows at least with this power of the number of nodes, if that is known.
    """

    name: str
    function: Callable[..., Any]
    inputs: tuple[str, ...]
    definition: str
    growth: str
    min_power: float | None


class Step(Computation):
    """A shared step: a computation that several features use; see :class:`Feature` for fields."""


@dataclass(frozen=True)
class Feature(Computation):
    """A feature: one number computed from a network.

    The fields ``name``, ``function``, ``inputs``, ``definition``, ``growth`` and ``min_power`` are
    those of every computation: the function takes the inputs, which are named by its parameters.
    ``discrete`` says whether all values are integers. ``version`` changes with the definition.
    """

    discrete: bool
    version: str

    @property
    def is_random(self) -> bool:
        """True for a feature that draws random numbers."""
        return "rng" in self.inputs


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


def min_powers() -> dict[str, float]:
    """Return, by name, the known lower bounds on the power with which costs grow with the nodes.

    Steps and features without a known bound are left out.

    >>> min_powers()["betweenness"]
    2.0
    """
    known: list[Computation] = [*STEPS.values(), *FEATURES.values()]
    return {item.name: item.min_power for item in known if item.min_power is not None}
