"""Threads that share work; what comes out never depends on how many there are."""

from __future__ import annotations

import numbers
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from netchoice.errors import UsageError

#: Applies a function to each item, in order, on one thread or several.
Run = Callable[[Callable[[Any], Any], Iterable[Any]], list[Any]]


def count_threads(n_jobs: Any) -> int:
    """How many threads: one for None, one per core for -1.

    >>> count_threads(None), count_threads(3)
    (1, 3)
    """
    if n_jobs is None:
        return 1
    if n_jobs == -1:
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 0
        return cores or os.cpu_count() or 1
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, numbers.Integral) or int(n_jobs) < 1:
        raise UsageError(f"n_jobs is {n_jobs!r}; it must be None, -1 or at least 1")
    return int(n_jobs)


@contextmanager
def threads(n_jobs: int | None) -> Iterator[Run]:
    """A way to apply a function to many items, results in their order.

    >>> with threads(2) as run:
    ...     run(lambda number: number**2, range(5))
    [0, 1, 4, 9, 16]
    """
    n_threads = count_threads(n_jobs)
    if n_threads == 1:
        yield lambda function, items: [function(item) for item in items]
        return
    with ThreadPoolExecutor(n_threads) as pool:

        def run(function: Callable[[Any], Any], items: Iterable[Any]) -> list[Any]:
            todo = list(items)
            parts = [todo[i::n_threads] for i in range(n_threads)]  # hard ones stand together
            done: list[Any] = [None] * len(todo)
            jobs = pool.map(lambda part: [function(item) for item in part], parts)
            for i, results in enumerate(jobs):
                done[i::n_threads] = results
            return done

        yield run
