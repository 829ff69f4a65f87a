"""The decorators that compile kernels on first use and cache the result on disk."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import pkgutil
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numba
from numba import types
from numba.core import event

import netchoice._kernels
from netchoice._kernels.temporary_folder import temporary_folder

INT = types.int64
FLOAT = types.float64
BOOL = types.boolean
FLOATS = types.Array(types.float64, 1, "C")
BOOLS = types.Array(types.boolean, 1, "C")
INTS = types.Array(types.int32, 1, "C")
CONST_INTS = types.Array(types.int32, 1, "C", readonly=True)

_registry: dict[str, tuple[Any, tuple[Any, ...]]] = {}


def _can_cache() -> bool:
    """Return whether compiled kernels can be kept on disk.

    numba keeps them next to the source or in the user's cache folder. If it can write to neither, they
    are kept among the temporary files. Worker processes inherit this folder as ``NUMBA_CACHE_DIR``.
    """
    try:
        numba.njit(cache=True)(_can_cache)
    except RuntimeError:  # numba found no folder that it can write to
        folder = temporary_folder()
    else:
        return True
    if folder is not None:
        os.environ["NUMBA_CACHE_DIR"] = numba.config.CACHE_DIR = str(folder / "kernels")
    if multiprocessing.parent_process() is None:
        where = f"in {folder}" if folder else "for this process only"
        _say(
            f"compiled kernels are kept {where}, because neither the folder of netchoice nor the user's "
            "cache folder can be written; set NUMBA_CACHE_DIR to keep them in another folder"
        )
    return folder is not None


def _say(line: str) -> None:
    print(f"netchoice: {line}", file=sys.stderr, flush=True)


#: The options of every compiled function.
OPTIONS = {"cache": _can_cache(), "nogil": True}

#: Decorator of a function that only kernels call; it is compiled together with its caller.
helper = numba.njit(**OPTIONS)


def kernel(*argument_types: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compile a function on first use for these argument types, and register it for ``warmup``."""

    def register(function: Callable[..., Any]) -> Any:
        dispatcher = numba.njit(**OPTIONS)(function)
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


def module_of(name: str) -> str:
    """Return the full name of the module of a kernel."""
    return str(_registry[name][0].py_func.__module__)


def is_cached(name: str) -> bool:
    """Return whether a kernel was compiled before, or cannot be kept; the names of cached files tell."""
    dispatcher = _registry[name][0]
    folder, function = dispatcher.stats.cache_path, dispatcher.py_func
    if folder is None:
        return True
    module = function.__module__.rpartition(".")[2]
    start = f"{module}.{function.__qualname__}-{function.__code__.co_firstlineno}."
    with contextlib.suppress(OSError):
        return any(file.startswith(start) and file.endswith(".nbi") for file in os.listdir(folder))
    return False


class _Announcement(event.Listener):
    """Print once why the first call takes seconds when nothing is cached."""

    printed = False

    def on_start(self, event: Any) -> None:
        module = event.data["dispatcher"].py_func.__module__ or ""
        if module.startswith("netchoice."):
            announce()

    def on_end(self, event: Any) -> None:
        pass


_announcement = _Announcement()
event.register("numba:compile", _announcement)


def announce() -> None:
    """Say, once, that kernels are compiled."""
    if not _announcement.printed:
        _announcement.printed = True
        _say(
            "compiling numerical kernels for this machine; this happens once "
            "and can take a minute (run `netchoice warmup` to compile all of them in advance)"
        )


def quiet() -> None:
    """Print nothing when kernels are compiled; for callers that report progress themselves."""
    _announcement.printed = True
