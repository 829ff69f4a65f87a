"""Engines run simulations: in this process, in local processes, on Dask, or on any executor.

Each engine is a module of this package that registers itself; see ``serial.py`` for the shortest.
"""

from __future__ import annotations

import pkgutil
from concurrent.futures import Executor
from importlib import import_module

from netchoice.engines.engine import ENGINES, Engine
from netchoice.engines.executor import ExecutorEngine
from netchoice.names import unknown

for _module in pkgutil.iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")


def get_engine(
    engine: str | Executor, workers: int | None = None, row_timeout: float | None = None
) -> Engine:
    """Return the engine of this name, or an engine that uses this executor.

    >>> get_engine("serial").workers
    1
    """
    if isinstance(engine, Executor):
        return ExecutorEngine(engine, workers or getattr(engine, "_max_workers", None) or 2)
    scheme, separator, address = str(engine).partition("://")
    factory = ENGINES.get(scheme + separator)
    if factory is None:
        names = [f"{name}HOST:PORT" if name.endswith("://") else name for name in ENGINES]
        raise unknown("engine", str(engine), names)
    return factory(address, workers, row_timeout)
