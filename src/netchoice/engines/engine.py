"""What engines have in common, and those of this process, of any executor, and of Dask."""

from __future__ import annotations

import contextlib
import logging
import math
import socket
import sys
import time
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Future, wait
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple, Protocol

from netchoice.errors import NetchoiceError, UsageError, describe_error

#: A batch; the engine does not look into its items.
Items = list[Any]
#: A picklable function of a batch.
Work = Callable[[Items], Any]
Results = Generator[Any, None, None]


class Lost(NamedTuple):
    """An item that has no result because its process died or took too long."""

    item: Any
    reason: str


class LostError(Exception):
    """The process of a batch died or took too long; the message says why."""


class StartError(NetchoiceError):
    """No process can start to work."""


class Engine(Protocol):
    """Runs batches of rows somewhere and yields the results in any order.

    If a batch is lost, because a process died or a time limit passed, the engine runs its rows one by
    one. A row that is lost by itself is reported as :class:`Lost`.
    """

    workers: int

    @property
    def row_timeout(self) -> float | None:
        """The time limit of a row in seconds, if the engine can stop rows."""

    def run(self, work: Work, batches: Iterable[Items], until: float | None = None) -> Results:
        """Yield ``work(batch)`` for each batch, or :class:`Lost` for a single row.

        ``until`` is a time on the clock ``time.monotonic``. Batches that are not finished by then are given
        up, as far as the engine can stop them.
        """


class SerialEngine:
    """Runs one batch after the other in this process; no row can be lost."""

    workers: int = 1
    row_timeout: float | None = None

    def run(self, work: Work, batches: Iterable[Items], until: float | None = None) -> Results:
        """Yield the result of each batch, in order; a batch that has begun is finished."""
        for number, batch in enumerate(batches):
            if until is not None and time.monotonic() > until:
                return
            if not number:
                getattr(work, "warm_up", lambda: None)()
            yield work(batch)


#: Batches submitted at a time, for each worker; the limit bounds memory.
_BATCHES_PER_WORKER = 3
#: Seconds without a first batch until a line says why.
PATIENCE = 5.0
_PATIENCE = (
    "netchoice: waiting for the first rows; workers that run netchoice for the first time compile its "
    "kernels, which can take a few minutes\n"
)
#: Seconds after which a waiting thread looks for an interrupt, where the system does not wake it.
_LOOK = 0.5


class FutureEngine:
    """Submits batches somewhere, and waits for their futures."""

    workers: int
    row_timeout: float | None = None
    #: Whether the workers are not of this machine, and may have to compile all kernels first.
    _are_elsewhere = False

    def run(self, work: Work, batches: Iterable[Items], until: float | None = None) -> Results:
        """Yield the results of batches as they finish; rerun failed batches row by row."""
        import cloudpickle

        pickled = cloudpickle.dumps(work)  # pickle cannot serialize the lambdas in priors
        running: dict[Future[Any], Items] = {}
        new = iter(batches)
        retries: list[Items] = []
        patience = PATIENCE if self._are_elsewhere else math.inf
        try:
            while True:
                while len(running) < self.workers * _BATCHES_PER_WORKER:
                    rows = retries.pop() if retries else next(new, None)
                    if rows is None:
                        break
                    running[self.submit(pickled, rows)] = rows
                left = math.inf if until is None else until - time.monotonic()
                if not running or left <= 0:
                    return
                seconds = min(left, _LOOK, patience)
                finished = self.wait(running, seconds)
                patience = math.inf if finished else patience - seconds
                if patience <= 0:
                    sys.stderr.write(_PATIENCE)
                    patience = math.inf
                for done in finished:
                    rows = running.pop(done)
                    try:
                        result = done.result()
                    except StartError:
                        raise
                    except (BrokenExecutor, CancelledError) as error:
                        raise _broken(error) from error
                    except Exception as error:  # a remote machine may raise anything
                        if not self.is_of_work(done):
                            raise _broken(error) from error
                        if len(rows) > 1:
                            retries += [[row] for row in rows]
                            continue
                        is_known = isinstance(error, LostError)
                        result = Lost(rows[0], str(error) if is_known else describe_error(error))
                    yield result
        finally:
            for future in running:
                future.cancel()

    def submit(self, pickled: bytes, rows: Items) -> Future[Any]:
        """Submit one batch."""
        raise NotImplementedError

    def wait(self, running: Iterable[Any], seconds: float) -> set[Any]:
        """Wait until a batch has finished, at most so many seconds; return the finished ones."""
        return wait(running, seconds, return_when=FIRST_COMPLETED).done

    def is_of_work(self, failed: Any) -> bool:
        """Return whether a batch failed by itself, and not because the executor is gone."""
        return True


@dataclass
class ExecutorEngine(FutureEngine):
    """Submits batches to an executor: of the standard library, of MPI, or of Dask."""

    executor: Any
    workers: int

    _are_elsewhere = True

    def submit(self, pickled: bytes, rows: Items) -> Future[Any]:
        """Submit one batch."""
        import cloudpickle

        # The scheduler of Dask unpickles arguments, and may lack the modules of what a batch carries.
        batch = cloudpickle.dumps(rows)
        try:
            return self.executor.submit(_call_pickled, pickled, batch)  # type: ignore[no-any-return]
        except RuntimeError as error:  # the executor is broken or shut down
            raise _broken(error) from error


@lru_cache(maxsize=1)
def _load(pickled: bytes) -> Any:
    """Return work that is ready to be called, once in each worker."""
    import cloudpickle

    work = cloudpickle.loads(pickled)
    getattr(work, "warm_up", lambda: None)()
    return work


def _call_pickled(pickled: bytes, batch: bytes) -> Any:
    """Run a batch in a worker."""
    import cloudpickle

    return _load(pickled)(cloudpickle.loads(batch))


def _broken(error: BaseException) -> NetchoiceError:
    return NetchoiceError(
        f"the executor accepts no more work ({describe_error(error)}); finished rows are kept: run "
        "the same command again with a new executor, or with engine='processes', which replaces "
        "processes that die"
    )


# Dask

#: Workers are counted again after this many seconds, because they may join or leave.
_COUNT_INTERVAL = 5.0


@dataclass
class DaskEngine(ExecutorEngine):
    """Submits batches to a Dask client, and closes it at the end.

    ``Client.get_executor`` does not serve: its futures wait forever if a result is lost with the scheduler.
    """

    counted: float = -math.inf
    #: The work as a Dask future: each worker fetches it once, and a lost copy is made again.
    work: Any = None

    def submit(self, pickled: bytes, rows: Items) -> Any:
        """Submit one batch, and before the first batch the work."""
        import cloudpickle

        if time.monotonic() - self.counted > _COUNT_INTERVAL:
            self.workers = max(1, sum(self.executor.nthreads().values()))
            self.counted = time.monotonic()
        if self.work is None:
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", "Sending large graph")  # it is sent only once
                self.work = self.executor.submit(bytes, pickled, pure=False)
        batch = cloudpickle.dumps(rows)
        return self.executor.submit(_call_pickled, self.work, batch, pure=False, retries=0)

    def wait(self, running: Iterable[Any], seconds: float) -> set[Any]:
        """Wait until a batch has finished, at most so many seconds; return the finished ones."""
        from distributed import wait

        with self.executor.as_current():
            try:
                return set(wait(list(running), seconds, return_when="FIRST_COMPLETED").done)
            except TimeoutError:
                return set()

    def is_of_work(self, failed: Any) -> bool:
        """Return whether a batch failed by itself, and not because the scheduler is gone."""
        return bool(failed.status == "error") and self._is_connected

    def run(self, work: Work, batches: Iterable[Items], until: float | None = None) -> Results:
        """Yield the results of batches as they finish, then close the client."""
        from distributed.client import FuturesCancelledError

        with _quiet():
            try:
                yield from super().run(work, batches, until)
            except (OSError, FuturesCancelledError, CancelledError, NetchoiceError) as error:
                if not isinstance(error, FuturesCancelledError) and self._is_connected:
                    raise  # the disk is full, or something else that is not about the scheduler
                address = getattr(self.executor.scheduler, "address", "its address")
                raise NetchoiceError(
                    f"the connection to the Dask scheduler at {address} was lost; finished rows are kept: "
                    "start a scheduler and run the same command again"
                ) from error
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


def connect_to_dask(address: str) -> DaskEngine:
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
    return DaskEngine(client, max(1, sum(client.nthreads().values())))
