"""Compilation of all kernels ahead of time, on all cores."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, as_completed


def warm_up(
    workers: int | None = None, on_ready: Callable[[str, bool, int, int], None] | None = None
) -> dict[str, bool]:
    """Compile all kernels; return for each, by name, whether it was not yet in the cache.

    There is one process per core by default. ``on_ready`` is called for each kernel with its name,
    whether it was compiled now, and the numbers of ready and of all kernels.
    """
    from netchoice._kernels.compiler import kernels

    names = list(kernels())
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


def _compile(name: str) -> bool:
    from netchoice._kernels.compiler import compile_kernel, quiet

    quiet()
    return compile_kernel(name)
