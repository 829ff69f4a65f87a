"""The decorators that compile kernels on first use and cache the result on disk."""

from __future__ import annotations

import pkgutil
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numba
from numba import types
from numba.core import event

import netchoice._kernels

INT = types.int64
FLOAT = types.float64
BOOL = types.boolean
FLOATS = types.Array(types.float64, 1, "C")
BOOLS = types.Array(types.boolean, 1, "C")
INTS = types.Array(types.int32, 1, "C")
CONST_INTS = types.Array(types.int32, 1, "C", readonly=True)

_registry: dict[str, tuple[Any, tuple[Any, ...]]] = {}

#: Decorator of a function that only kernels call; it is compiled together with its caller.
helper = numba.njit(cache=True, nogil=True)


def kernel(*argument_types: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compile a function on first use for these argument types, and register it for ``warmup``."""

    def register(function: Callable[..., Any]) -> Any:
        dispatcher = numba.njit(cache=True, nogil=True)(function)
        module = function.__module__.rpartition(".")[2]
        _registry[f"{module}.{function.__name__}"] = (dispatcher, argument_types)
        return dispatcher

    return register


def kernels() -> dict[str, Any]:
    """Import all kernel modules and return every kernel by name."""
    for module in pkgutil.iter_modules(netchoice._kernels.__path__):
        import_module(f"netchoice._kernels.{module.name}")
    return {name: dispatcher for name, (dispatcher, _) in sorted(_registry.items())}


def compile_kernel(name: str) -> bool:
    """Load one kernel; return True if it was compiled, False if it came from the cache."""
    kernels()
    dispatcher, argument_types = _registry[name]
    dispatcher.compile(argument_types)
    return bool(dispatcher.stats.cache_misses)


class _Announcement(event.Listener):
    """Print once why the first call takes seconds when nothing is cached."""

    printed = False

    def on_start(self, event: Any) -> None:
        module = event.data["dispatcher"].py_func.__module__ or ""
        if not self.printed and module.startswith("netchoice."):
            self.printed = True
            print(
                "netchoice: compiling numerical kernels for this machine; this happens once "
                "and takes some seconds (run `netchoice warmup` to compile all of them in advance)",
                file=sys.stderr,
                flush=True,
            )

    def on_end(self, event: Any) -> None:
        pass


_announcement = _Announcement()
event.register("numba:compile", _announcement)


def quiet() -> None:
    """Print nothing when kernels are compiled; for callers that report progress themselves."""
    _announcement.printed = True
