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
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, wait
from dataclasses import dataclass
from functools import lru_cache
from itertools import starmap
from typing import Any, NamedTuple

from netchoice.errors import NetchoiceError, UsageError, describe_error

#: A function, and a batch: the arguments of several calls of it.
Work = Callable[..., Any]
Items = list[tuple[Any, ...]]
Results = Generator[Any, None, None]


class Lost(NamedTuple):
    """Arguments without a result, because their process died or took too long."""

    item: tuple[Any, ...]
    reason: str


class LostError(Exception):
    """The process of a batch died; the message says why."""


class TimedOutError(LostError):
    """A batch took longer than the time limit, and would again."""


class EngineError(NetchoiceError):
    """The engine can run nothing any more."""


def load(pickled: bytes) -> Work:
    """Return a function that is ready to be called."""
    import cloudpickle

    work: Work = cloudpickle.loads(pickled)
    getattr(work, "warm_up", lambda: None)()
    return work


_load_once = lru_cache(maxsize=1)(load)


def _call_pickled(pickled: bytes, batch: bytes) -> list[Any]:
    """Run a batch in a worker of an executor, which loads the function once."""
    import cloudpickle

    return list(starmap(_load_once(pickled), cloudpickle.loads(batch)))


class SerialEngine:
    """Runs one batch after the other in this process; no row can be lost."""

    workers: int = 1
    row_timeout: float | None = None

    def run(self, work: Work, batches: Iterable[Items], until: float | None = None) -> Results:
        """Yield the results of each batch, in order; a batch that has begun is finished."""
        for number, batch in enumerate(batches):
            if not number:
                getattr(work, "warm_up", lambda: None)()
            yield list(starmap(work, batch))


#: Seconds without a first batch until a line says why.
PATIENCE = 5.0
_PATIENCE = (
    "netchoice: waiting for the first rows; workers that run netchoice for the first time compile its "
    "kernels, which can take a few minutes\n"
)
#: Seconds after which a waiting thread looks for an interrupt, where the system does not wake it.
LOOK = 0.5


class FutureEngine:
    """Submits batches somewhere, and waits for their futures.

    If a batch is lost, because a process died or a time limit passed, its items are run one by one. An item
    that is lost by itself is reported as :class:`Lost`.
    """

    workers: int
    #: The time limit of a row in seconds, if the engine can stop rows.
    row_timeout: float | None = None
    #: Batches submitted at a time, for each worker; the limit bounds memory.
    batches_per_worker = 3
    #: Whether the workers are not of this machine, and may have to compile all kernels first.
    are_elsewhere = True

    def run(self, work: Work, batches: Iterable[Items], until: float | None = None) -> Results:
        """Yield the results of batches as they finish.

        ``until`` is a time on the clock ``time.monotonic``. Batches that are not finished by then are given
        up, as far as the engine can stop them.
        """
        import cloudpickle

        pickled = cloudpickle.dumps(work)  # pickle cannot serialize the lambdas in priors
        running: dict[Any, tuple[Items, bool]] = {}
        # Batches, and whether an item that is lost by itself is run again.
        new = ((batch, True) for batch in batches)
        retries: list[tuple[Items, bool]] = []
        results: list[list[Any] | Lost] = []
        patience = PATIENCE if self.are_elsewhere else math.inf
        try:
            while True:
                while len(running) < self.workers * self.batches_per_worker:
                    batch = retries.pop() if retries else next(new, None)
                    if batch is None:
                        break
                    running[self.submit(pickled, batch[0])] = batch
                yield from results  # the workers are busy meanwhile
                results = []
                left = math.inf if until is None else until - time.monotonic()
                if not running or left <= 0:
                    return
                seconds = min(left, LOOK, patience)
                finished = self.wait(running, seconds)
                patience = math.inf if finished else patience - seconds
                if patience <= 0:
                    sys.stderr.write(_PATIENCE)
                    patience = math.inf
                for future in finished:
                    items, again = running.pop(future)
                    try:
                        results.append(self.result(future))
                    except EngineError:
                        yield from results
                        raise
                    except Exception as error:  # a remote machine may raise anything
                        is_lost = isinstance(error, LostError)
                        # A process that ran one item may have been killed from outside.
                        again = again and is_lost and not isinstance(error, TimedOutError)
                        if len(items) > 1 or again:
                            retries += [([item], len(items) > 1) for item in items]
                            continue
                        reason = str(error) if is_lost else describe_error(error)
                        results.append(Lost(items[0], reason))
        finally:
            for future in running:
                future.cancel()

    def submit(self, pickled: bytes, items: Items) -> Any:
        """Submit one batch, and return its future."""
        raise NotImplementedError

    def wait(self, running: Iterable[Any], seconds: float) -> set[Any]:
        """Wait until a batch has finished, at most so many seconds; return the finished ones."""
        return wait(running, seconds, return_when=FIRST_COMPLETED).done

    def result(self, future: Any) -> list[Any]:
        """Return the results of a batch; any error but :class:`EngineError` belongs to the batch."""
        try:
            return future.result()  # type: ignore[no-any-return]
        except (BrokenExecutor, CancelledError) as error:
            raise _broken(error) from error


@dataclass
class ExecutorEngine(FutureEngine):
    """Submits batches to an executor: of the standard library, of MPI, or of Dask."""

    executor: Any
    workers: int

    def submit(self, pickled: bytes, items: Items) -> Any:
        """Submit one batch."""
        import cloudpickle

        # The scheduler of Dask unpickles arguments, and may lack the modules of what a batch carries.
        batch = cloudpickle.dumps(items)
        try:
            return self.executor.submit(_call_pickled, pickled, batch)
        except RuntimeError as error:  # the executor is broken or shut down
            raise _broken(error) from error


def _broken(error: BaseException) -> EngineError:
    return EngineError(
        f"the executor accepts no more work ({describe_error(error)}); finished rows are kept: run "
        "the same command again with a new executor, or with engine='processes', which replaces "
        "processes that die"
    )


#: Calls a function for batches of arguments, and yields the results of each, in any order.
Engine = SerialEngine | FutureEngine


# Dask

#: Workers are counted again after this many seconds, because they may join or leave.
_COUNT_INTERVAL = 5.0


@dataclass
class DaskEngine(ExecutorEngine):
    """Submits batches to a Dask client, and closes it at the end.

    ``Client.get_executor`` does not serve: its futures wait forever if a result is lost with the scheduler.
    """

    counted: float = -math.inf
    #: The function as a Dask future: each worker fetches it once, and a lost copy is made again.
    function: Any = None

    def submit(self, pickled: bytes, items: Items) -> Any:
        """Submit one batch, and before the first batch the function."""
        import cloudpickle

        if time.monotonic() - self.counted > _COUNT_INTERVAL:
            self.workers = max(1, sum(self.executor.nthreads().values()))
            self.counted = time.monotonic()
        if self.function is None:
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", "Sending large graph")  # it is sent only once
                self.function = self.executor.submit(bytes, pickled, pure=False)
        batch = cloudpickle.dumps(items)
        return self.executor.submit(_call_pickled, self.function, batch, pure=False, retries=0)

    def wait(self, running: Iterable[Any], seconds: float) -> set[Any]:
        """Wait until a batch has finished, at most so many seconds; return the finished ones."""
        from distributed import wait

        with self.executor.as_current():
            try:
                return set(wait(list(running), seconds, return_when="FIRST_COMPLETED").done)
            except TimeoutError:
                return set()

    def result(self, future: Any) -> list[Any]:
        """Return the results of a batch, if the scheduler is not gone."""
        try:
            return future.result()  # type: ignore[no-any-return]
        except Exception as error:
            if future.status != "error" or not self._is_connected:
                raise _broken(error) from error
            raise

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


def connect_to_dask(address: str) -> DaskEngine:
    """Return the engine of the Dask scheduler at an address."""
    try:
        from distributed import Client
    except ImportError:
        message = "the Dask engine needs the package distributed; install netchoice[dask]"
        raise UsageError(message) from None
    host, _, port = address.rpartition(":")
    if not host or not port.isascii() or not port.isdecimal() or int(port[:6]) >= 1 << 16:
        raise UsageError(
            f"the address of the Dask scheduler is {address[:80]!r}; expected HOST:PORT, for example "
            "dask://127.0.0.1:8786"
        )
    try:
        # A client that cannot connect prints errors at its end.
        socket.create_connection((host.strip("[]"), int(port)), timeout=5).close()
        client = Client(f"tcp://{address}", timeout="5s", set_as_default=False)
    except (OSError, ValueError) as error:
        raise UsageError(
            f"no Dask scheduler at {address} ({describe_error(error)}); start one with: dask scheduler"
        ) from error
    return DaskEngine(client, max(1, sum(client.nthreads().values())))
