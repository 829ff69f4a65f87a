"""The protocol of an engine, and the engines in this process and around any executor."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Future, wait
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple, Protocol

from netchoice.errors import NetchoiceError

#: A batch; the engine does not look into its items.
Items = list[Any]
#: A picklable function of a batch.
Work = Callable[[Items], Any]
Results = Generator[Any, None, None]


class Lost(NamedTuple):
    """An item that has no result because its process died or took too long."""

    item: Any
    reason: str


class Engine(Protocol):
    """Runs batches of rows somewhere and yields the results in any order.

    If a batch is lost, because a process died or a time limit passed, the engine runs its rows one by
    one. A row that is lost by itself is reported as :class:`Lost`.
    """

    workers: int

    def run(self, work: Work, batches: Iterable[Items], until: float | None = None) -> Results:
        """Yield ``work(batch)`` for each batch, or :class:`Lost` for a single row.

        ``until`` is a time on the clock ``time.monotonic``. Batches that are not finished by then are given
        up, as far as the engine can stop them.
        """


class SerialEngine:
    """Runs one batch after the other in this process; no row can be lost."""

    workers = 1

    def run(self, work: Work, batches: Iterable[Items], until: float | None = None) -> Results:
        """Yield the result of each batch, in order; a batch that has begun is finished."""
        getattr(work, "warm_up", lambda: None)()
        for batch in batches:
            if until is not None and time.monotonic() > until:
                return
            yield work(batch)


def describe_error(error: BaseException) -> str:
    """Return the type and message of an error in one line."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}"[:300] if text else type(error).__name__


#: Batches submitted at a time, for each worker; the limit bounds memory.
_BATCHES_PER_WORKER = 3
#: Seconds without a first batch until a line says why.
PATIENCE = 5.0


@dataclass
class ExecutorEngine:
    """Submits batches to an executor: of the standard library, of MPI, or a Dask client."""

    executor: Any
    workers: int

    def run(self, work: Work, batches: Iterable[Items], until: float | None = None) -> Results:
        """Yield the results of batches as they finish; rerun failed batches row by row."""
        import cloudpickle

        pickled = cloudpickle.dumps(work)  # pickle cannot serialize the lambdas in priors
        running: dict[Future[Any], Items] = {}
        new = iter(batches)
        retries: list[Items] = []
        waiting = True  # for the first batch
        try:
            while True:
                while len(running) < self.workers * _BATCHES_PER_WORKER:
                    rows = retries.pop() if retries else next(new, None)
                    if rows is None:
                        break
                    running[self.submit(pickled, rows)] = rows
                if not running:
                    return
                left = math.inf if until is None else until - time.monotonic()
                if left <= 0:
                    return
                seconds = min(left, PATIENCE if waiting else math.inf)
                finished = self.wait(running, None if math.isinf(seconds) else seconds)
                if not finished and seconds == PATIENCE:
                    _say_workers_compile()
                waiting = False
                for done in finished:
                    rows = running.pop(done)
                    try:
                        result = done.result()
                    except (BrokenExecutor, CancelledError) as error:
                        raise _broken(error) from error
                    except Exception as error:  # a remote machine may raise anything
                        if not self.is_of_work(done):
                            raise _broken(error) from error
                        if len(rows) > 1:
                            retries += [[row] for row in rows]
                            continue
                        result = Lost(rows[0], describe_error(error))
                    yield result
        finally:
            for future in running:
                future.cancel()

    def submit(self, pickled: bytes, rows: Items) -> Future[Any]:
        """Submit one batch."""
        try:
            return self.executor.submit(call_pickled, pickled, rows)  # type: ignore[no-any-return]
        except RuntimeError as error:  # the executor is broken or shut down
            raise _broken(error) from error

    def is_of_work(self, failed: Any) -> bool:
        """Return whether a batch failed by itself, and not because the executor is gone."""
        return True

    def wait(self, running: Iterable[Future[Any]], seconds: float | None) -> set[Future[Any]]:
        """Wait until a batch has finished, at most so many seconds; return the finished ones."""
        return wait(list(running), seconds, return_when=FIRST_COMPLETED).done


@lru_cache(maxsize=1)
def _unpickle(pickled: bytes) -> Any:
    import cloudpickle

    return cloudpickle.loads(pickled)


def call_pickled(pickled: bytes, rows: Items) -> Any:
    """Run a batch in a worker; the work of a run is unpickled only once in each worker."""
    return _unpickle(pickled)(rows)


def _say_workers_compile() -> None:
    sys.stderr.write(
        "netchoice: waiting for the first rows; workers that run netchoice for the first time compile its "
        "kernels, which can take a few minutes\n"
    )


def _broken(error: BaseException) -> NetchoiceError:
    return NetchoiceError(
        f"the executor accepts no more work ({describe_error(error)}); finished rows are kept: run "
        "the same command again with a new executor, or with engine='processes', which replaces "
        "processes that die"
    )
