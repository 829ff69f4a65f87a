"""Computation of features on one network, with the CPU time of every step and feature."""

from __future__ import annotations

import contextlib
import math
import numbers
import time
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netchoice.errors import NotComputedError, UsageError, describe_error
from netchoice.features.registry import FEATURES, Computation, Feature, Plan, find, plan
from netchoice.features.summaries import entries, overhead, places, summarise
from netchoice.graph import Graph
from netchoice.interruption import cpu_seconds
from netchoice.validation import check_generator

#: Computations shorter than this many seconds are repeated when costs are calibrated …
SHORT = 1e-3
#: … for about this many seconds.
_REPEAT_SECONDS = 5e-4

#: The smallest cost of a feature: less than the clock can show, and more than nothing.
LEAST_SECONDS = 1e-8

#: The step that converts another library's object to a Graph; every feature is charged for it.
CONVERSION = "conversion"

#: Why a feature whose computation would start after the deadline has no value.
LATE = "not computed, to stay within the time limit"

_ready: set[tuple[str, Any]] = set()


@dataclass
class FeatureResult:
    """Values and CPU times of features on one network, as dictionaries by name.

    ``values`` are integers for discrete features, and NaN if a feature failed; ``failures`` has the
    reasons. ``not_computed`` holds those of the failed features that would take more steps than their
    budget (:mod:`netchoice.features.budget`) or more time than there is; the others met an error.
    ``own_seconds`` are the CPU seconds of each feature without
    its shared steps and other inputs, and ``step_seconds`` those of each shared step.
    """

    plan: Plan = field(repr=False)
    values: dict[str, float] = field(default_factory=dict)
    own_seconds: dict[str, float] = field(default_factory=dict)
    step_seconds: dict[str, float] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)
    not_computed: set[str] = field(default_factory=set)

    @property
    def seconds(self) -> dict[str, float]:
        """CPU seconds to compute each feature alone: its own time and that of all its inputs."""
        spent = self.own_seconds | self.step_seconds
        conversion = self.step_seconds.get(CONVERSION, 0.0)
        parts = {name: self.plan.lineage[name] for name in self.values}
        return {name: conversion + sum(spent[p] for p in parts[name]) for name in parts}

    @property
    def total_seconds(self) -> float:
        """CPU seconds to compute all features together, with each shared step once."""
        return sum(self.step_seconds.values()) + sum(self.own_seconds.values())

    def as_dict(self) -> dict[str, Any]:
        """Return values (None if failed), seconds and failures as a dictionary for JSON."""
        values = {name: None if name in self.failures else v for name, v in self.values.items()}
        return {
            "values": values,
            "seconds": self.seconds,
            "own_seconds": self.own_seconds,
            "step_seconds": self.step_seconds,
            "failures": self.failures,
        }


def feature_names(*, noise: bool = True) -> list[str]:
    """Return the names of all features, with or without noise features, in the order of tables.

    >>> feature_names(noise=False)[:3]
    ['n_components', 'lcc_nodes', 'lcc_edges']
    """
    return [name for name, item in FEATURES.items() if noise or not item.is_random]


def comparable_features() -> list[str]:
    """Return the names of all features that depend on a network alone, in the order of tables.

    Noise is left out, and so are features that depend on the order of the nodes.

    >>> "edge_dominating_set_size" in comparable_features()
    False
    """
    return [name for name, item in FEATURES.items() if item.is_comparable]


def compute_features(
    graph: Any,
    names: Iterable[str | Feature] | None = None,
    *,
    rng: np.random.Generator | None = None,
    repeat_short: bool = False,
    deadline: float | None = None,
) -> FeatureResult:
    """Compute features of a network, and measure their cost.

    Parameters
    ----------
    graph : Graph, or anything that :meth:`Graph.of` accepts
    names : iterable, optional
        Features by name, by ``module:attribute``, or as :class:`Feature`. By default all features are
        computed. Only the shared steps that these features use are run.
    rng : numpy.random.Generator, optional
        Required by the noise features, which are left out by default if it is missing. Each feature
        draws from a stream of its own, so its value does not depend on the other features.
    repeat_short : bool
        Run short computations several times, so that the clock can resolve their cost.
    deadline : float, optional
        A time on the clock ``time.monotonic``. Features whose computation would start later have no value,
        except those that are cheap at any size.

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
        return run_plan(graph, chosen, rng, repeat_short=repeat_short, deadline=deadline)
    start = cpu_seconds()
    converted = Graph.of(graph)
    seconds = cpu_seconds() - start
    result = run_plan(converted, chosen, rng, repeat_short=repeat_short, deadline=deadline)
    result.step_seconds[CONVERSION] = seconds
    return result


def run_plan(
    graph: Graph, chosen: Plan, rng: np.random.Generator | None, *, timed: bool = True,
    repeat_short: bool = False, deadline: float | None = None,
) -> FeatureResult:  # fmt: skip
    """Compute the features of a plan; for callers that use one plan on many networks.

    Without ``timed``, the summaries are computed in one pass and not timed one by one.
    """
    if not chosen.is_ready:
        _make_ready(chosen)
    result = FeatureResult(chosen)
    computed: dict[str, Any] = {"graph": graph}
    base = None if rng is None else rng.integers(0, 2**32, size=4, dtype=np.uint64)
    clock = _Clock()
    for item, function in chosen.calls:
        if item.is_summary and not timed and not result.failures and item.name not in computed:
            _add_summaries(chosen, computed)
        if item.name in computed:
            continue
        seconds = 0.0
        started = time.monotonic() if repeat_short else 0.0
        try:
            if deadline is not None and not item.is_cheap and time.monotonic() > deadline:
                raise NotComputedError(LATE)
            value = _call(item, function, computed, base)
            seconds = _without_overhead(item, clock.lap())
            if isinstance(item, Feature):
                value = _as_number(item, value)
            if repeat_short and seconds < SHORT:
                waited = time.monotonic() - started > 10 * SHORT  # for a file, or another process
                if not waited:
                    seconds = _mean_seconds(item, function, computed, base, clock, seconds)
            computed[item.name] = value
        except Exception as error:  # a feature that fails must not stop the others
            _fail(item, error, computed, result)
            seconds = clock.lap()
        known = result.own_seconds if isinstance(item, Feature) else result.step_seconds
        known[item.name] = seconds
    result.values = {item.name: computed.get(item.name, math.nan) for item in chosen.features}
    return result


def _add_summaries(chosen: Plan, computed: dict[str, Any]) -> None:
    """Compute all summaries of a plan at once, and add those that are finite."""
    values = summarise(entries(tuple(chosen.summaries)), computed)
    for i, item in chosen.summaries.items():
        if math.isfinite(values[i]):
            computed[item.name] = int(values[i]) if item.discrete else values[i]


def _fail(
    item: Computation, error: Exception, computed: dict[str, Any], result: FeatureResult
) -> None:
    """Record why a step or feature has no value."""
    reason = describe_error(error)
    missing = [name for name in item.inputs if name not in computed]
    if missing:
        reason = f"needs {missing[0]}, which failed"
    elif isinstance(error, NotComputedError) and str(error) == LATE:
        reason = LATE
    if isinstance(error, NotComputedError) or result.not_computed.intersection(missing):
        result.not_computed.add(item.name)
    name = item.name if isinstance(item, Feature) else f"step {item.name}"
    result.failures[name] = reason


def _chosen(names: Iterable[str | Feature] | None, rng: np.random.Generator | None) -> Plan:
    if names is None:
        return plan(tuple(f for f in FEATURES.values() if rng is not None or not f.is_random))
    if isinstance(names, (str, Feature)):
        raise UsageError(f"`names` must be a list of features; got {names!r}")
    if rng is not None:
        check_generator("rng", rng)
    chosen = plan(tuple(find(name) for name in names))
    for item in chosen.computations:
        if rng is None and "rng" in item.inputs:
            raise UsageError(
                f"{item.name} draws random numbers; pass `rng`, a NumPy generator (on the command line: "
                "--seed)"
            )
    return chosen


class _Clock:
    """The CPU time of this thread since the clock was read last.

    To read the CPU time takes microseconds, as long as many computations on a small network. So it is read
    only if the wall clock says that more than ``BRIEF`` seconds have passed: a thread that was suspended in
    between was suspended for longer.
    """

    BRIEF = 5e-5

    def __init__(self) -> None:
        self._cpu, self._brief, self._wall = cpu_seconds(), 0.0, time.perf_counter()

    def lap(self) -> float:
        """Return the seconds since the clock was read last."""
        seconds = time.perf_counter() - self._wall
        if seconds < self.BRIEF:
            self._brief += seconds
        else:
            cpu = cpu_seconds()
            seconds = max(0.0, cpu - self._cpu - self._brief)
            self._cpu, self._brief = cpu, 0.0
        self._wall = time.perf_counter()
        return seconds


def _call(
    item: Computation, function: Callable[..., Any], computed: dict[str, Any],
    base: NDArray[np.uint64] | None,
) -> Any:  # fmt: skip
    if item.is_summary:
        _ = [computed[name] for name in item.inputs]  # raises an error if one is missing
        return summarise(entries((places()[item.name],)), computed)[places()[item.name]]
    if item.is_random:
        computed["rng"] = _stream(item.name, base)
    return function(*[computed[name] for name in item.inputs])


def _stream(name: str, base: NDArray[np.uint64] | None) -> np.random.Generator:
    """Return the random generator of one feature, seeded by the network's draws and its name."""
    assert base is not None
    return np.random.default_rng([*base.tolist(), zlib.crc32(name.encode())])


def _mean_seconds(
    item: Computation, function: Callable[..., Any], computed: dict[str, Any],
    base: NDArray[np.uint64] | None, clock: _Clock, once: float,
) -> float:  # fmt: skip
    """Return the mean CPU seconds of several runs, so many that the clock's own time is negligible."""
    runs = int(min(100, max(3, _REPEAT_SECONDS / max(once, 1e-6))))
    clock.lap()
    for _ in range(runs):
        _call(item, function, computed, base)
    return _without_overhead(item, clock.lap() / runs)


def _without_overhead(item: Computation, seconds: float) -> float:
    """Return the seconds of a summary without those to call the function that computes all of them."""
    return max(LEAST_SECONDS, seconds - overhead()) if item.is_summary else seconds


def _as_number(item: Feature, value: Any) -> float:
    """Convert the value of a feature to int or float, or raise an error if it is not a number."""
    kind = type(value)
    if item.discrete:
        if kind is int or kind is np.int64:
            return int(value)
    elif kind is float or kind is np.float64:
        number = float(value)
        if math.isfinite(number):
            return number
    if isinstance(value, (bool, np.bool_)):
        value = int(value)
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if not isinstance(value, numbers.Real):  # includes NumPy's numbers
        raise TypeError(f"returned {value!r}, a {type(value).__name__}; expected one number")
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(f"returned {number}; expected a finite number for every network")
    if not item.discrete:
        return number
    if isinstance(value, numbers.Integral):
        return int(value)  # exact, unlike a conversion through float
    if not number.is_integer():
        raise ValueError(
            f"returned {value!r}, but the feature is declared discrete; expected an integer"
        )
    return int(number)


def _make_ready(chosen: Plan) -> None:
    """Run every computation once, untimed, so that compiling and loading are not part of a cost."""
    new = {(item.name, item.function) for item, _ in chosen.calls} - _ready
    if new:
        small = Graph.from_edges([(0, 1), (1, 2), (2, 0), (2, 3), (4, 5)], 7)
        computed: dict[str, Any] = {"graph": small}
        for item, function in chosen.calls:
            # An error is reported when the feature is computed on the user's network.
            with contextlib.suppress(Exception):
                computed[item.name] = _call(item, function, computed, np.arange(4, dtype=np.uint64))
        _ready.update(new)
    chosen.is_ready = True
