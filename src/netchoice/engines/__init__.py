"""Engines run simulations: in this process, in local processes, on Dask, or on any executor."""

from __future__ import annotations

import os
from concurrent.futures import Executor

from netchoice.engines.engine import Engine, ExecutorEngine, SerialEngine, connect_to_dask
from netchoice.engines.processes import ProcessEngine
from netchoice.errors import UsageError
from netchoice.validation import unknown


def get_engine(
    engine: str | Executor, workers: int | None = None, row_timeout: float | None = None
) -> Engine:
    """Return the engine of this name, or an engine that uses this executor.

    >>> get_engine("serial").workers
    1
    """
    if isinstance(engine, Executor):
        _refuse_fork(engine)
        return ExecutorEngine(engine, workers or getattr(engine, "_max_workers", None) or 2)
    match str(engine).partition("://"):
        case "serial", "", _:
            return SerialEngine()
        case "processes", "", _:
            return ProcessEngine(workers or os.cpu_count() or 1, row_timeout)
        case "dask", "://", address:
            return connect_to_dask(address)
    raise unknown("engine", str(engine), ("dask://HOST:PORT", "processes", "serial"))


def _refuse_fork(executor: Executor) -> None:
    """Refuse an executor that forks: a copy of a process with threads may wait for a lock forever."""
    context = getattr(executor, "_mp_context", None)
    if context is not None and context.get_start_method() == "fork":
        raise UsageError(
            f"the {type(executor).__name__} forks this process, which has threads and could deadlock; "
            "pass mp_context=multiprocessing.get_context('spawn') to it"
        )
