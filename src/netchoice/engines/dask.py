"""The engine that runs on the workers of a Dask scheduler."""

from __future__ import annotations

import contextlib
import logging
import socket
import time
import warnings
from collections.abc import Iterable, Iterator
from concurrent.futures import CancelledError
from dataclasses import dataclass
from typing import Any

from netchoice.engines.engine import (
    ExecutorEngine,
    Items,
    Results,
    Work,
    call_pickled,
    describe_error,
)
from netchoice.errors import NetchoiceError, UsageError

#: Workers are counted again after this many seconds, because they may join or leave.
_COUNT_INTERVAL = 5.0


@dataclass
class DaskEngine(ExecutorEngine):
    """Submits batches to a Dask client and closes it at the end."""

    counted: float = 0.0
    #: The work as a Dask future: each worker fetches it once, and a lost copy is made again.
    work: Any = None

    def count_workers(self) -> None:
        """Update the number of workers."""
        self.workers = max(1, sum(self.executor.nthreads().values()))
        self.counted = time.monotonic()

    def submit(self, pickled: bytes, rows: Items) -> Any:
        """Submit one batch, and before the first batch the work."""
        import cloudpickle

        if self.work is None:
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", "Sending large graph")  # it is sent only once
                self.work = self.executor.submit(bytes, pickled, pure=False)
        # The scheduler unpickles arguments, and may lack the modules of what a batch carries.
        batch = cloudpickle.dumps(rows)
        return self.executor.submit(_call_pickled_batch, self.work, batch, pure=False, retries=0)

    def is_of_work(self, failed: Any) -> bool:
        """Return whether a batch failed by itself, and not because the scheduler is gone."""
        return bool(failed.status == "error") and self._is_connected

    def wait(self, running: Iterable[Any], seconds: float | None) -> set[Any]:
        """Wait until a batch has finished, at most so many seconds; return the finished ones."""
        from distributed import wait

        if time.monotonic() - self.counted > _COUNT_INTERVAL:
            self.count_workers()
        with self.executor.as_current():
            try:
                done = wait(list(running), seconds, return_when="FIRST_COMPLETED").done
            except TimeoutError:
                return set()
        return set(done)

    def run(self, work: Work, batches: Iterable[Items], until: float | None = None) -> Results:
        """Yield the results of batches as they finish, then close the client."""
        from distributed.client import FuturesCancelledError

        with _quiet():
            try:
                yield from super().run(work, batches, until)
            except (OSError, FuturesCancelledError, CancelledError, TimeoutError) as error:
                if not isinstance(error, FuturesCancelledError) and self._is_connected:
                    raise  # the disk is full, or something else that is not about the scheduler
                raise _lost(self.executor) from error
            except NetchoiceError as error:
                if self._is_connected:
                    raise
                raise _lost(self.executor) from error
            finally:
                with contextlib.suppress(Exception):  # the scheduler may be gone
                    self.executor.close(timeout=5)

    @property
    def _is_connected(self) -> bool:
        return bool(self.executor.status == "running")


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keep the messages of Dask about lost connections out of the output: one line says it at the end."""
    names = [name for name in logging.root.manager.loggerDict if name.startswith("distributed")]
    before = {logger: logger.level for logger in map(logging.getLogger, names)}
    for logger in before:
        logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for logger, level in before.items():
            logger.setLevel(level)


def _lost(client: Any) -> NetchoiceError:
    address = getattr(client.scheduler, "address", "its address")
    return NetchoiceError(
        f"the connection to the Dask scheduler at {address} was lost; finished rows are kept: start a "
        "scheduler and run the same command again"
    )


def _call_pickled_batch(pickled: bytes, batch: bytes) -> Any:
    import cloudpickle

    return call_pickled(pickled, cloudpickle.loads(batch))


def _check_address(address: str) -> None:
    """Refuse an address at which nothing answers: a client that cannot connect prints errors at its end."""
    host, _, port = address.rpartition(":")
    if not host or not port.isascii() or not port.isdecimal() or int(port[:6]) >= 1 << 16:
        raise UsageError(
            f"the address of the Dask scheduler is {address[:80]!r}; expected HOST:PORT, for example "
            "dask://127.0.0.1:8786"
        )
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=5).close()
    except (OSError, ValueError) as error:
        raise UsageError(
            f"no Dask scheduler at {address} ({describe_error(error)}); start one with: dask scheduler"
        ) from error


def connect(address: str) -> DaskEngine:
    """Return the engine of the Dask scheduler at an address."""
    try:
        from distributed import Client
    except ImportError:
        message = "the Dask engine needs the package distributed; install netchoice[dask]"
        raise UsageError(message) from None
    _check_address(address)
    try:
        client = Client(f"tcp://{address}", timeout="5s", set_as_default=False)
    except (OSError, ValueError) as error:
        raise UsageError(
            f"no Dask scheduler at {address} ({describe_error(error)}); start one with: dask scheduler"
        ) from error
    engine = DaskEngine(client, 1)
    engine.count_workers()
    return engine
