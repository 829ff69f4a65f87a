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
from netchoice.graph import Graph


class Size(NamedTuple):
    """What a summary knows of the network itself: the argument ``graph``."""

    n_nodes: int
    n_edges: int


def summaries() -> list[Feature]:
    """Return the features that are compiled together, in the order of the vector."""
    return [item for item in FEATURES.values() if item.is_summary]


@functools.cache
def places() -> dict[str, int]:
    """Return the place of each of these features in the vector, by name."""
    return {item.name: i for i, item in enumerate(summaries())}


@functools.cache
def entries(wanted: tuple[int, ...]) -> NDArray[np.bool_]:
    """Return which places of the vector are wanted."""
    return np.isin(np.arange(len(places())), wanted)


def summarise(wanted: NDArray[np.bool_], computed: Mapping[str, Any]) -> list[float]:
    """Return the vector of summaries of steps; those that are not wanted are 0."""
    function, examples = compiled()
    size = Size(computed["graph"].n_nodes, computed["graph"].n_edges)
    values = np.zeros(len(wanted))
    function(wanted, values, size, *[computed.get(name, examples[name]) for name in examples])
    numbers: list[float] = values.tolist()
    return numbers


@functools.cache
def overhead() -> float:
    """Return the seconds of a call without wanted entries, which are not part of a cost."""
    nothing, computed = entries(()), {"graph": Graph.from_edges([(0, 1)])}
    seconds = []
    for _ in range(50):
        start = time.perf_counter()
        summarise(nothing, computed)
        seconds.append(time.perf_counter() - start)
    return float(np.median(seconds))


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
