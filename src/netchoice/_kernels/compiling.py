"""How loops are compiled: on first use, cached on disk, and never silently."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numba
from numba import types
from numba.core import event

from netchoice._kernels import MODULES

INT = types.int64
FLOAT = types.float64
BOOL = types.boolean
BOOLS = types.Array(types.boolean, 1, "C")
INTS = types.Array(types.int32, 1, "C")
CONST_INTS = types.Array(types.int32, 1, "C", readonly=True)

_registry: dict[str, tuple[Any, tuple[Any, ...]]] = {}

#: A function used inside kernels only; compiled together with whatever calls it.
helper = numba.njit(cache=True, nogil=True)


def kernel(*argument_types: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compile a function on first use for these argument types, and let ``warmup`` know of it."""

    def register(function: Callable[..., Any]) -> Any:
        dispatcher = numba.njit(cache=True, nogil=True)(function)  # threads may share the work
        module = function.__module__.rpartition(".")[2]
        _registry[f"{module}.{function.__name__}"] = (dispatcher, argument_types)
        return dispatcher

    return register


def kernels() -> dict[str, Any]:
    """Every kernel by name, with all kernel modules imported."""
    for module in MODULES:
        import_module(f"netchoice._kernels.{module}")
    return {name: dispatcher for name, (dispatcher, _) in sorted(_registry.items())}


def compile_kernel(name: str) -> bool:
    """Make one kernel ready; True if it had to be compiled, False if the cache had it."""
    kernels()
    dispatcher, argument_types = _registry[name]
    dispatcher.compile(argument_types)
    return bool(dispatcher.stats.cache_misses)


class _SayOnce(event.Listener):
    """Tells the user why the first call of a cold start takes seconds."""

    said = False

    def on_start(self, event: Any) -> None:
        module = event.data["dispatcher"].py_func.__module__ or ""
        if not self.said and module.startswith("netchoice."):
            self.said = True
            print(
                "netchoice: compiling numerical kernels for this machine; this happens once "
                "and takes some seconds (`netchoice warmup` does all of it ahead)",
                file=sys.stderr,
                flush=True,
            )

    def on_end(self, event: Any) -> None:
        pass


_say_once = _SayOnce()
event.register("numba:compile", _say_once)


def quiet() -> None:
    """Compile without a word, for callers that report progress themselves."""
    _say_once.said = True
