"""Features and shared steps: how they are declared, found by name, and put in the order of a plan.

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

import numpy as np

from netchoice.errors import UsageError
from netchoice.graph import Graph, kernel
from netchoice.interruption import interruptible
from netchoice.user_code import is_ours, load_attribute, prints_to_stderr
from netchoice.validation import unknown

#: Inputs that are given, not computed.
GIVEN = ("graph", "rng")
#: How the time of a computation may grow that is cheap at any size.
CHEAP_GROWTH = {"1", "n", "n + m", "m^1.5"}


@dataclass(frozen=True, kw_only=True)
class Computation:
    """A named function of inputs: a shared step or a feature."""

    name: str
    function: Callable[..., Any]
    inputs: tuple[str, ...]  # the names of the function's parameters, in order
    definition: str  # one sentence for people
    growth: str  # of its own time, without its inputs, for people
    min_power: float | None
    is_summary: bool = False  # compiled with others into one function of shared steps

    @functools.cached_property
    def is_random(self) -> bool:
        """Whether it draws random numbers."""
        return "rng" in self.inputs

    @property
    def is_cheap(self) -> bool:
        """Whether its own time is small at any size: at most m^1.5 steps for m edges."""
        return self.growth in CHEAP_GROWTH


@dataclass(frozen=True, kw_only=True)
class Step(Computation):
    """A shared step: a computation that several features use; see :class:`Feature` for fields."""

    example: Any = None  # what it returns for some network


@dataclass(frozen=True, kw_only=True)
class Feature(Computation):
    """A feature: one number computed from a network.

    The names of the parameters of ``function`` are its ``inputs``: ``graph``, ``rng``, shared steps,
    or features. For the other fields see :func:`feature`.
    """

    discrete: bool
    version: str
    label: str
    topic: str
    numbered: bool = False

    @property
    def is_count(self) -> bool:
        """True for a number of things, such as triangles; False for a largest or mean value."""
        return self.discrete and self.label.partition(" ")[0].endswith("s")

    @property
    def is_comparable(self) -> bool:
        """True if the value depends on the network alone, so that it can be compared with simulations."""
        return not self.is_random and not self.numbered


Function = TypeVar("Function", bound=Callable[..., Any])

STEPS: dict[str, Step] = {}
FEATURES: dict[str, Feature] = {}


#: A visit of all edges from every node takes so many steps, and some seconds, on a large network.
LONG_STEPS = 10**9


def run_kernel(name: str, graph: Graph, *others: Any) -> Any:
    """Call ``module.function`` of ``netchoice._kernels`` on a network; see :mod:`netchoice.interruption`."""
    function = kernel(name)
    if len(graph.indptr) * (len(graph.indptr) + len(graph.indices)) < LONG_STEPS:
        return function(graph.indptr, graph.indices, *others)
    return interruptible(function, graph.indptr, graph.indices, *others)


def _described(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the fields that follow from a function's signature and docstring."""
    definition = (inspect.getdoc(function) or "").partition("\n\n")[0].replace("\n", " ")
    inputs = tuple(inspect.signature(function).parameters)
    return {"function": function, "inputs": inputs, "definition": definition.rstrip(".")}


def step(
    *, growth: str, min_power: float | None = None, example: Any = None
) -> Callable[[Function], Function]:
    """Register a function as a shared step; a decorator with parameters as in :func:`feature`.

    ``example`` is what it returns for some network; summaries are compiled for arguments of this type.
    """

    def register(function: Function) -> Function:
        name = function.__name__
        described = _described(function)
        STEPS[name] = Step(
            name=name, growth=growth, min_power=min_power, example=example, **described
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
    label: str | None = None,
    topic: str = "other",
    numbered: bool = False,
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
        Its own time grows at least with this power of n; extrapolated costs respect this bound.
    label : str, optional
        A noun phrase for sentences, such as "mean degree", or "triangles" for a count. By default the
        name with spaces, without a leading ``n_``.
    topic : str
        What the feature describes, such as "clustering". Lists of differences between an observed
        network and simulations show one feature of each topic.
    numbered : bool
        True if the value depends on the order of the nodes. Models number nodes by their age, and files do
        not, so ``choose`` does not use such a feature.

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
        known_as = name or function.__name__
        return Feature(
            name=known_as,
            discrete=discrete,
            growth=growth,
            version=version,
            min_power=min_power,
            label=label or known_as.removeprefix("n_").replace("_", " "),
            topic=topic,
            numbered=numbered,
            **_described(function),
        )

    return make if function is None else make(function)


def builtin(
    *, growth: str = "1", definition: str | None = None, is_summary: bool = False, **options: Any
) -> Callable[[Function], Function]:
    """Register a feature that comes with the package; a decorator with options of `feature`."""

    def register(function: Function) -> Function:
        made = feature(growth=growth, **options)(function)
        definition_of = definition or made.definition
        FEATURES[made.name] = replace(made, definition=definition_of, is_summary=is_summary)
        return function

    return register


#: Register a feature that is compiled together with others; see :mod:`netchoice.features.summaries`.
summary = functools.partial(builtin, is_summary=True)


def find(name: str | Feature) -> Feature:
    """Return a feature by its name or by ``module:attribute``; a feature is returned unchanged."""
    if isinstance(name, Feature):
        return name
    if not isinstance(name, str):
        raise UsageError(
            f"{name!r} is not a feature; decorate a function with @netchoice.feature()"
        )
    if ":" not in name:
        if name not in FEATURES:
            raise unknown("feature", name, FEATURES)
        return FEATURES[name]
    loaded = load_attribute(name)
    if not isinstance(loaded, Feature):
        raise UsageError(
            f"{name} is a {type(loaded).__name__}; expected a feature: a function decorated with "
            "@netchoice.feature()"
        )
    return loaded


def min_powers() -> dict[str, float]:
    """Return, by name, the known lower bounds on the power with which costs grow with the nodes.

    >>> min_powers()["betweenness"]
    2.0
    """
    known: list[Computation] = [*STEPS.values(), *FEATURES.values()]
    return {item.name: item.min_power for item in known if item.min_power is not None}


@dataclass
class Plan:
    """The computations for some features, in an order in which inputs come first."""

    features: tuple[Feature, ...]
    computations: tuple[Computation, ...]
    lineage: dict[str, tuple[str, ...]]  # name of each: all that it depends on, then itself
    is_ready: bool = False  # each ran once, so that its code is compiled and loaded

    @functools.cached_property
    def calls(self) -> list[tuple[Computation, Callable[..., Any]]]:
        """Each computation and the function that computes it: a user's one cannot change its inputs."""
        return [(item, _guarded(item.function)) for item in self.computations]

    @functools.cached_property
    def summaries(self) -> dict[int, Feature]:
        """The features that are compiled together, by their place in the vector."""
        compiled = [item for item in FEATURES.values() if item.is_summary]
        return {i: item for i, item in enumerate(compiled) if item in self.computations}

    @functools.cached_property
    def is_random(self) -> bool:
        """Whether a computation draws random numbers."""
        return any(item.is_random for item in self.computations)


def _guarded(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a user's function such that it prints to standard error and gets read-only arrays."""

    def call(*arguments: Any) -> Any:
        with prints_to_stderr():
            return function(*map(_read_only, arguments))

    return function if is_ours(function) else call


def _read_only(value: Any) -> Any:
    """Return read-only views of arrays, so that a user's feature cannot change a shared step."""
    if isinstance(value, tuple):
        each = map(_read_only, value)
        return type(value)(*each) if hasattr(value, "_fields") else tuple(each)
    if isinstance(value, np.ndarray):
        value = value.view()
        value.flags.writeable = False
    return value


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
    # Summaries follow what they summarise. Functions of users come last: no other one needs their results.
    ordered = sorted(
        computations.values(), key=lambda item: (not is_ours(item.function), item.is_summary)
    )
    return Plan(tuple(wanted.values()), tuple(ordered), lineage)


def _computation_of(name: str, wanted: dict[str, Feature], user: Computation) -> Computation:
    """Return the step or feature with this name, also from the module of the function that uses it."""
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

    >>> from netchoice.features.registry import FEATURES, steps_of
    >>> steps_of(FEATURES["transitivity"])
    ('triangles', 'degrees')
    """
    return tuple(name for name in plan((item,)).lineage[item.name] if name in STEPS)
