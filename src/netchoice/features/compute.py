"""Compute features on one network, and time everything on the way."""

from __future__ import annotations

import math
import numbers
import time
import zlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from netchoice.errors import UsageError
from netchoice.features.registry import FEATURES, INPUTS, Feature, Node, Plan, Step, find, plan
from netchoice.graph import Graph
from netchoice.names import is_ours

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: What takes less than this is repeated where costs are calibrated, in seconds.
SHORT = 1e-3
_BUDGET = 2e-3

#: The step that makes a Graph of another library's object; everything is charged for it.
CONVERSION = "conversion"

_ready: set[tuple[str, Any]] = set()
_ready_plans: dict[int, Plan] = {}


@dataclass
class FeatureResult:
    """Values and costs of features on one network.

    Attributes
    ----------
    values : dict
        By feature; integers for discrete ones; NaN for one that failed.
    own_seconds, step_seconds : dict
        CPU seconds: each feature's own time, and each step's.
    failures : dict
        Why a feature has no value, by feature.
    """

    plan: Plan = field(repr=False)
    values: dict[str, float] = field(default_factory=dict)
    own_seconds: dict[str, float] = field(default_factory=dict)
    step_seconds: dict[str, float] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)

    @property
    def seconds(self) -> dict[str, float]:
        """CPU seconds to compute each feature alone: its own time and that of all it needs."""
        spent = self.own_seconds | self.step_seconds
        conversion = self.step_seconds.get(CONVERSION, 0.0)
        lineage = self.plan.lineage
        return {
            name: conversion + sum(spent[part] for part in lineage[name]) for name in self.values
        }


def feature_names(*, noise: bool = True) -> list[str]:
    """Names of all features, in their usual order; without the four noise features on request.

    >>> len(feature_names()), len(feature_names(noise=False))
    (51, 47)
    """
    return [name for name, item in FEATURES.items() if noise or not item.is_random]


def compute_features(
    graph: Any,
    names: Iterable[str | Feature] | None = None,
    *,
    rng: np.random.Generator | None = None,
    repeat_short: bool = False,
) -> FeatureResult:
    """Compute features on a network.

    Parameters
    ----------
    graph : Graph, or anything that :meth:`Graph.of` accepts
    names : iterable, optional
        Features by name, by ``module:attribute``, or as :class:`Feature`; all by default. Only the
        steps that these need are run.
    rng : numpy.random.Generator, optional
        For the noise features, which are left out without it. Each draws from a stream of its own,
        so asking for fewer features does not change the others.
    repeat_short : bool
        Run what is short several times, for costs that a clock can resolve.

    Returns
    -------
    FeatureResult

    Examples
    --------
    >>> import netchoice
    >>> graph = netchoice.Graph.from_edges([(0, 1), (1, 2), (2, 0), (2, 3)])
    >>> result = netchoice.compute_features(graph, ["transitivity", "n_triangles"])
    >>> result.values
    {'transitivity': 0.6, 'n_triangles': 1}
    >>> sorted(result.step_seconds)
    ['degrees', 'triangles']
    """
    chosen = _chosen(names, rng)
    if isinstance(graph, Graph):
        return run_plan(graph, chosen, rng, repeat_short)
    start = time.thread_time()
    converted = Graph.of(graph)
    seconds = time.thread_time() - start
    result = run_plan(converted, chosen, rng, repeat_short)
    result.step_seconds[CONVERSION] = seconds
    return result


def run_plan(
    graph: Graph, chosen: Plan, rng: np.random.Generator | None, repeat_short: bool
) -> FeatureResult:
    """Compute what a plan says, for callers that use it on many networks."""
    _make_ready(chosen)
    result = FeatureResult(chosen)
    found: dict[str, Any] = {"graph": graph}
    base = None if rng is None else rng.integers(0, 2**32, size=4, dtype=np.uint64)
    for node in chosen.nodes:
        seconds = _run(node, found, base, result, repeat_short)
        if isinstance(node, Step):
            result.step_seconds[node.name] = seconds
        else:
            result.own_seconds[node.name] = seconds
    for item in chosen.features:
        result.values[item.name] = found.get(item.name, math.nan)
    return result


def _chosen(names: Iterable[str | Feature] | None, rng: np.random.Generator | None) -> Plan:
    if names is None:
        return plan(tuple(f for f in FEATURES.values() if rng is not None or not f.is_random))
    if isinstance(names, (str, Feature)):
        raise UsageError(f"names={names!r} is one feature; give a list")
    if rng is not None and not hasattr(rng, "bit_generator"):
        raise UsageError(f"rng={rng!r}; expected a NumPy generator, numpy.random.default_rng(1)")
    chosen = plan(tuple(find(name) for name in names))
    for node in chosen.nodes:
        if rng is None and "rng" in node.inputs:
            raise UsageError(
                f"{node.name} draws random numbers; give rng, a NumPy generator (on the command line: "
                "--seed)"
            )
    return chosen


def _run(
    node: Node,
    found: dict[str, Any],
    base: NDArray[np.uint64] | None,
    result: FeatureResult,
    repeat_short: bool,
) -> float:
    """Compute one step or feature into ``found``; its CPU seconds."""
    missing = [need for need in node.inputs if need not in found and need != "rng"]
    if missing:
        _fail(node, f"needs {missing[0]}, which failed", result)
        return 0.0
    start = time.thread_time()
    try:
        value = _call(node, found, base)
        seconds = time.thread_time() - start
        if isinstance(node, Feature):
            value = _as_number(node, value)
        if repeat_short and seconds < SHORT:
            seconds = _mean_seconds(node, found, base, seconds)
    except Exception as error:  # one feature of many, perhaps a user's: the others go on
        _fail(node, " ".join(f"{type(error).__name__}: {error}".split()).rstrip(":"), result)
        return time.thread_time() - start
    found[node.name] = value
    return seconds


def _call(node: Node, found: dict[str, Any], base: NDArray[np.uint64] | None) -> Any:
    arguments = [_stream(node.name, base) if need == "rng" else found[need] for need in node.inputs]
    if not is_ours(node.function):
        arguments = [_read_only(argument) for argument in arguments]
    return node.function(*arguments)


def _read_only(value: Any) -> Any:
    """What a user's feature gets to see of a step: it must not change it for the others."""
    if isinstance(value, tuple):
        return tuple(map(_read_only, value))
    if isinstance(value, np.ndarray):
        value = value.view()
        value.flags.writeable = False
    return value


def _stream(name: str, base: NDArray[np.uint64] | None) -> np.random.Generator:
    """The random stream of one feature: from the network's numbers and the feature's name."""
    assert base is not None
    return np.random.default_rng([*base.tolist(), zlib.crc32(name.encode())])


def _mean_seconds(
    node: Node, found: dict[str, Any], base: NDArray[np.uint64] | None, once: float
) -> float:
    """Mean over as many runs as fit the budget; the clock's own time is negligible then."""
    runs = int(min(100, max(3, _BUDGET / max(once, 1e-6))))
    start = time.thread_time()
    for _ in range(runs):
        _call(node, found, base)
    return (time.thread_time() - start) / runs


def _as_number(item: Feature, value: Any) -> float:
    """What a feature returned, as int or float, or the reason why it is neither."""
    if type(value) is int and item.discrete:
        return value
    if type(value) is float and not item.discrete and math.isfinite(value):
        return value
    if isinstance(value, (bool, np.bool_)):
        value = int(value)
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if not isinstance(value, numbers.Real):  # NumPy's numbers are registered as such
        raise TypeError(f"returned {value!r}, a {type(value).__name__}; expected one number")
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(f"returned {number}; expected a finite number for every network")
    if not item.discrete:
        return number
    if isinstance(value, numbers.Integral):
        return int(value)  # exact also where a float is not
    if not number.is_integer():
        raise ValueError(f"returned {value!r}, but is declared discrete; expected an integer")
    return int(number)


def _fail(node: Node, reason: str, result: FeatureResult) -> None:
    if isinstance(node, Feature):
        result.failures[node.name] = reason
    else:
        result.failures[f"step {node.name}"] = reason


def _make_ready(chosen: Plan) -> None:
    """Run once, untimed, what has not run in this process: compiling and loading is no cost."""
    if id(chosen) in _ready_plans:
        return
    _ready_plans[id(chosen)] = chosen  # kept, so that its id stays its own
    nodes = chosen.nodes
    new = [node for node in nodes if (node.name, node.function) not in _ready]
    if not new:
        return
    found: dict[str, Any] = {"graph": Graph.from_edges([(0, 1), (1, 2), (2, 0), (2, 3), (4, 5)], 7)}
    base = np.arange(4, dtype=np.uint64)
    for node in nodes:
        if all(need in found or need in INPUTS for need in node.inputs):
            try:
                found[node.name] = _call(node, found, base)
            except Exception:  # noqa: S112  told of where it is asked for, on the user's network
                continue
    _ready.update((node.name, node.function) for node in new)
