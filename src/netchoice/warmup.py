"""Compilation of all kernels ahead of time, on all cores."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import partial

from netchoice.names import is_ours


def warm_up(
    workers: int | None = None, on_ready: Callable[[str, bool, int, int], None] | None = None
) -> dict[str, bool]:
    """Compile all kernels; return for each, by name, whether it was not yet in the cache.

    There is one process per core by default. ``on_ready`` is called for each kernel with its name,
    whether it was compiled now, and the numbers of ready and of all kernels.
    """
    names = list(_compilers())
    compiled: dict[str, bool] = {}
    context = multiprocessing.get_context("spawn")
    workers = min(workers or os.cpu_count() or 1, len(names))
    with ProcessPoolExecutor(workers, mp_context=context) as pool:
        pending = {pool.submit(_compile, name): name for name in names}
        for done in as_completed(pending):
            name = pending[done]
            compiled[name] = done.result()
            if on_ready is not None:
                on_ready(name, compiled[name], len(compiled), len(names))
    return dict(sorted(compiled.items()))


def _compilers() -> dict[str, Callable[[], bool]]:
    """Return by name the functions that compile a kernel or the step of a mechanism."""
    from netchoice._kernels.compiler import compile_kernel, kernels
    from netchoice.models.mechanism import GrowthStep
    from netchoice.models.mechanisms import all_models

    all_models()  # registers their kernels and steps
    compilers: dict[str, Callable[[], bool]] = {
        name: partial(compile_kernel, name) for name in kernels()
    }
    # Processes that compile do not know the mechanisms of a user.
    return compilers | {
        f"step.{name}": step.compile
        for (_, name), step in GrowthStep.known.items()
        if is_ours(step.function)
    }


def _compile(name: str) -> bool:
    from netchoice._kernels.compiler import quiet

    quiet()
    return _compilers()[name]()
