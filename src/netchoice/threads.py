"""Threads that share work; results never depend on the number of threads."""

from __future__ import annotations

import numbers
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache, lru_cache
from threading import Event
from typing import Any

from threadpoolctl import ThreadpoolController

from netchoice.errors import UsageError

#: Applies a function to each item and returns the results in the order of the items.
Run = Callable[[Callable[[Any], Any], Iterable[Any]], list[Any]]


def count_threads(n_jobs: Any) -> int:
    """Return the number of threads: 1 for None, one per core for -1."""
    if n_jobs is None:
        return 1
    if n_jobs == -1:
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 0
        return cores or os.cpu_count() or 1
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, numbers.Integral) or int(n_jobs) < 1:
        raise UsageError(
            f"the number of workers (`n_jobs`) must be None, -1 or an integer of at least 1; got {n_jobs!r}"
        )
    return int(n_jobs)


@contextmanager
def threads(n_jobs: int | None) -> Iterator[Run]:
    """Provide a function that maps another function over items on several threads.

    >>> with threads(2) as run:
    ...     run(lambda number: number**2, range(5))
    [0, 1, 4, 9, 16]
    """
    n_threads = count_threads(n_jobs)
    if n_threads == 1:
        yield lambda function, items: list(map(function, items))
        return
    pool, stopped = ThreadPoolExecutor(n_threads), Event()

    def run(function: Callable[[Any], Any], items: Iterable[Any]) -> list[Any]:
        all_items = list(items)
        # Neighbouring items often take equally long, so they go to different threads.
        parts = [all_items[i::n_threads] for i in range(n_threads)]
        results: list[Any] = [None] * len(all_items)

        def each(part: list[Any]) -> list[Any]:
            return [function(item) for item in part if not stopped.is_set()]

        for i, done in enumerate(pool.map(each, parts)):
            results[i::n_threads] = done
        return results

    try:
        yield run
    except KeyboardInterrupt:  # the threads end after their items, and nobody waits for them
        stopped.set()
        raise
    finally:
        pool.shutdown(wait=not stopped.is_set())


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Let the libraries of linear algebra use one thread: with more, the last digits can differ."""
    with _controller().limit(limits=1, user_api="blas"):
        yield


@contextmanager
def one_openmp_thread() -> Iterator[None]:
    """Let scikit-learn's loops use one thread: with more, the last digits of sums can differ."""
    with _controller_of(len(sys.modules)).limit(limits=1, user_api="openmp"):
        yield


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()


@lru_cache(maxsize=1)
def _controller_of(n_modules: int) -> ThreadpoolController:
    """Return a controller that knows the libraries of all modules: imports may have loaded further ones.

    Finding them takes milliseconds.
    """
    return ThreadpoolController()
