"""The features that summarise shared steps, compiled into one function that fills one vector per network.

Such a feature is a small function of shared steps in the subset of Python that numba compiles. A plan names
the wanted entries of the vector; it is data, so that nothing is compiled for another set of features.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from netchoice.features.registry import FEATURES, STEPS, Feature


class Size(NamedTuple):
    """What a summary knows of the network itself: the argument ``graph``."""

    n_nodes: int
    n_edges: int


def summaries() -> list[Feature]:
    """Return the features that are compiled together, in the order of the vector."""
    return [item for item in FEATURES.values() if item.is_summary]


def summarise(wanted: NDArray[np.bool_], computed: Mapping[str, Any]) -> NDArray[np.float64]:
    """Return the vector of summaries; entries that are not wanted are 0."""
    function, examples = compiled()
    graph = computed["graph"]
    size = Size(len(graph.indptr) - 1, len(graph.indices) // 2)
    values = np.zeros(len(wanted))
    function(wanted, values, size, *[computed.get(name, examples[name]) for name in examples])
    return values


@functools.cache
def entries(names: tuple[str, ...]) -> NDArray[np.bool_]:
    """Return which entries of the vector have these names."""
    return np.array([item.name in names for item in summaries()])


@functools.cache
def overhead() -> float:
    """Return the seconds of a call without wanted entries, which are not part of a cost."""
    nothing, computed = entries(()), {"graph": _NoNetwork}
    seconds = []
    for _ in range(50):
        start = time.perf_counter()
        summarise(nothing, computed)
        seconds.append(time.perf_counter() - start)
    return float(np.median(seconds))


class _NoNetwork:
    indptr, indices = np.zeros(1, np.int32), np.zeros(0, np.int32)


@functools.cache
def compiled() -> tuple[Any, dict[str, Any]]:
    """Return the compiled function, and by name an example of each step that it takes.

    It is cached beside the file of the first feature, and compiled again when that file changes.
    """
    import numba

    from netchoice._kernels.compiler import BOOLS, FLOATS, kernel

    items = summaries()
    names = [name for name in STEPS if any(name in item.inputs for item in items)]
    lines = [f"def summarise(wanted, values, {', '.join(['graph', *names])}):"]
    known: dict[str, Any] = {"__name__": items[0].function.__module__}
    for i, item in enumerate(items):
        known[f"feature_{i}"] = _jitted(item.function)
        lines.append(f"    if wanted[{i}]:")
        lines.append(f"        values[{i}] = feature_{i}({', '.join(item.inputs)})")
    exec(compile("\n".join(lines), items[0].function.__code__.co_filename, "exec"), known)  # noqa: S102  a line for each feature
    examples = {name: STEPS[name].example for name in names}
    types = map(numba.typeof, (Size(0, 0), *examples.values()))
    return kernel(BOOLS, FLOATS, *types)(known["summarise"]), examples


def _jitted(function: Callable[..., Any]) -> Any:
    """Return a function for compiled callers; so are the functions of its own module that it calls."""
    import numba

    known = dict(function.__globals__)
    for name in function.__code__.co_names:
        other = known.get(name)
        if isinstance(other, FunctionType) and other.__module__ == function.__module__:
            known[name] = _jitted(other)
    copied = FunctionType(
        function.__code__, known, function.__name__, function.__defaults__, function.__closure__
    )
    return numba.njit(copied)
