"""Where work is done: here, in local processes, on Dask, or on any executor.

An engine is given a picklable function, and lists of rows; it calls ``function(rows)`` somewhere and
yields what comes back, in any order. A list that is lost (a process died, a time limit passed) is
tried again row by row, and a row that is lost alone is reported as such.
"""

from __future__ import annotations

import contextlib
import math
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    wait,
)
from dataclasses import dataclass
from typing import Any, Protocol

from netchoice.errors import NetchoiceError, UsageError
from netchoice.names import unknown

NAMES = ("serial", "processes", "dask://HOST:PORT")
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")

_COUNT_SECONDS = 5.0
_CONTEXT = multiprocessing.get_context("spawn")

Work = Callable[[list[int]], Any]
Results = Generator[Any, None, None]


@dataclass(frozen=True)
class Lost:
    """A row that did not come back."""

    row: int
    reason: str


class Engine(Protocol):
    """Something that runs lists of rows."""

    workers: int

    def run(self, work: Work, batches: Iterable[list[int]]) -> Results:
        """What ``work`` returns for each list, or :class:`Lost` for single rows."""


def get_engine(
    engine: str | Executor, workers: int | None = None, row_timeout: float | None = None
) -> Engine:
    """An engine by name, or around any ``concurrent.futures`` executor."""
    if isinstance(engine, Executor):
        return Submitting(engine, workers or getattr(engine, "_max_workers", None) or 2)
    if engine == "serial":
        return Serial()
    if engine == "processes":
        return Processes(workers or os.cpu_count() or 1, row_timeout)
    if isinstance(engine, str) and engine.startswith("dask://"):
        return _dask(engine.removeprefix("dask://"))
    raise unknown("engine", str(engine), NAMES)


@dataclass
class Serial:
    """One list after the other, in this process."""

    workers: int = 1

    def run(self, work: Work, batches: Iterable[list[int]]) -> Results:
        """Nothing can get lost here."""
        yield from map(work, batches)


@dataclass
class Submitting:
    """Anything with ``submit``: executors of the standard library, of MPI, Dask's client."""

    executor: Any
    workers: int
    per_worker: int = 3

    def run(self, work: Work, batches: Iterable[list[int]]) -> Results:
        """Keep a few lists per worker under way, so that memory does not grow with their number."""
        import cloudpickle

        pickled = cloudpickle.dumps(work)  # plain pickle refuses lambdas, which priors are made of
        waiting: dict[Future[Any], list[int]] = {}
        left = iter(batches)
        again: list[list[int]] = []
        try:
            while True:
                while len(waiting) < self.workers * self.per_worker:
                    rows = again.pop() if again else next(left, None)
                    if rows is None:
                        break
                    waiting[self.submit(pickled, rows)] = rows
                if not waiting:
                    return
                for done in self.wait(waiting):
                    rows = waiting.pop(done)
                    try:
                        result = done.result()
                    except (BrokenExecutor, CancelledError) as error:
                        raise _broken(error) from error
                    except Exception as error:  # whatever a remote machine may raise
                        if len(rows) > 1:
                            again += [[row] for row in rows]
                            continue
                        result = Lost(rows[0], reason_of(error))
                    yield result
        finally:
            for future in waiting:
                future.cancel()

    def submit(self, pickled: bytes, rows: list[int]) -> Future[Any]:
        """Start one list."""
        try:
            return self.executor.submit(_call_pickled, pickled, rows)  # type: ignore[no-any-return]
        except RuntimeError as error:  # broken, or shut down
            raise _broken(error) from error

    def wait(self, waiting: Iterable[Future[Any]]) -> Iterable[Future[Any]]:
        """Those that are finished, once there are any."""
        return wait(list(waiting), return_when=FIRST_COMPLETED).done


_last: tuple[bytes, Work] | None = None


def _call_pickled(pickled: bytes, rows: list[int]) -> Any:
    """In a worker: the work is the same for all lists of a run, and unpacked once."""
    global _last
    last = _last
    if last is None or last[0] != pickled:
        import cloudpickle

        last = _last = (pickled, cloudpickle.loads(pickled))
    return last[1](rows)


def _broken(error: BaseException) -> NetchoiceError:
    return NetchoiceError(
        f"the executor takes no more work ({reason_of(error)}); what was finished is kept: run the "
        "same again with a new one, or with engine='processes', which outlives processes that die"
    )


def reason_of(error: BaseException) -> str:
    """Why a row got lost, in a line."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}"[:300] if text else type(error).__name__


@dataclass
class Processes:
    """Processes of this machine; one that dies or takes too long costs one row, not the run.

    Each has a pipe of its own and nothing in common with the others, no lock and no queue: so it can
    be killed at any moment, by us or by anybody.
    """

    workers: int
    row_timeout: float | None = None

    def run(self, work: Work, batches: Iterable[list[int]]) -> Results:
        """Replace what died, and try its rows one by one."""
        import cloudpickle

        pickled = cloudpickle.dumps(work)
        left = _Lists(batches)
        children: list[_Child] = []
        stillborn = 0
        try:
            while True:
                # No more processes than there are lists for.
                while len(children) < self.workers and (rows := left.next()) is not None:
                    children.append(_Child(pickled, rows, self.row_timeout))
                for child in children:
                    child.fill(left)
                if not any(child.sent for child in children):
                    return
                for child in _finished(children):
                    for answer in child.answers():
                        stillborn = 0
                        child.fill(left)
                        yield answer
                    if child.end is None:
                        continue
                    children.remove(child)
                    yield from left.take_back(child)
                    stillborn += not child.ready
                    if stillborn > 2 + 2 * self.workers:
                        raise NetchoiceError(
                            f"workers end before they begin: {child.end}; is there memory enough "
                            "for so many? Try fewer, or engine='serial' to see the error"
                        )
        finally:
            for child in children:
                child.kill("stopped")
            for child in children:
                child.process.join()


class _Lists:
    """Lists of rows still to be sent, those that came back before those that are new."""

    def __init__(self, batches: Iterable[list[int]]) -> None:
        self.new = iter(batches)
        self.again: list[list[int]] = []
        self.died_alone: set[int] = set()

    def next(self) -> list[int] | None:
        """The next list, if any."""
        return self.again.pop() if self.again else next(self.new, None)

    def take_back(self, child: _Child) -> Iterator[Lost]:
        """What a child leaves: the list it was at, and those that it had not begun."""
        assert child.end is not None
        self.again += child.sent[1:]
        rows = child.sent[0] if child.sent else []
        if not child.ready or not rows:
            self.again += [rows] if rows else []
        elif len(rows) > 1:
            self.again += [[row] for row in reversed(rows)]
        elif child.killed or rows[0] in self.died_alone:
            yield Lost(rows[0], child.end)
        else:  # perhaps somebody else killed it: one more time
            self.died_alone.add(rows[0])
            self.again.append(rows)


class _Child:
    """A process, the lists sent to it, and when the first of them has taken too long."""

    def __init__(self, pickled: bytes, rows: list[int], row_timeout: float | None) -> None:
        self.row_timeout = row_timeout
        self.connection, theirs = _CONTEXT.Pipe()
        self.process = _CONTEXT.Process(
            target=_serve, args=(theirs,), name="netchoice worker", daemon=True
        )
        with _plain_children():
            self.process.start()
        theirs.close()  # so that reading ends when the child does
        self.sent: list[list[int]] = []
        self.ready, self.killed = False, False
        self.end: str | None = None
        self.deadline = math.inf
        self._send(pickled)
        self.send(rows)

    def fill(self, left: _Lists) -> None:
        """Have one list waiting while another is at work."""
        while self.end is None and len(self.sent) < 2 and (rows := left.next()) is not None:
            self.send(rows)

    def send(self, rows: list[int]) -> None:
        """Hand over a list."""
        self.sent.append(rows)
        if len(self.sent) == 1:
            self._begin()
        self._send(rows)

    def _send(self, thing: Any) -> None:
        # A child that died is noticed where answers are read.
        with contextlib.suppress(OSError):
            self.connection.send(thing)

    def _begin(self) -> None:
        """From now on the first list is at work; getting ready does not count."""
        timed = self.row_timeout is not None and self.ready and self.sent
        self.deadline = time.monotonic() + (self.row_timeout or 0) if timed else math.inf

    def answers(self) -> Iterator[Any]:
        """What came back; sets ``end`` if the child ended, or had to be."""
        try:
            while self.connection.poll():
                answer = self.connection.recv()
                if self.ready:
                    del self.sent[0]
                self.ready, was_ready = True, self.ready
                self._begin()
                if was_ready:
                    yield answer
        except (EOFError, OSError):
            self.process.join()
            self.connection.close()
            self.end = _exit_reason(self.process.exitcode)
            return
        if time.monotonic() > self.deadline:
            self.kill(f"took longer than {self.row_timeout:g} s")
            self.process.join()

    def kill(self, end: str) -> None:
        """End it at once."""
        self.process.kill()
        self.connection.close()
        self.killed, self.end = True, end


def _finished(children: list[_Child]) -> list[_Child]:
    """Those that said something, ended, or took too long; waits until there are any."""
    from multiprocessing.connection import wait as wait_for

    first = min(child.deadline for child in children)
    seconds = None if math.isinf(first) else max(0.0, first - time.monotonic())
    talking = set(wait_for([child.connection for child in children], seconds))
    now = time.monotonic()
    return [c for c in children if c.connection in talking or c.deadline < now]


def _exit_reason(code: int | None) -> str:
    if code is not None and code < 0:
        try:
            return f"the process was ended by {signal.Signals(-code).name}"
        except ValueError:
            return f"the process was ended by signal {-code}"
    return f"the process ended with code {code}"


def _serve(connection: Any) -> None:
    """In a child: take lists, give results, until the other end is closed."""
    import cloudpickle

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides when to stop
    try:
        work = cloudpickle.loads(connection.recv())
        getattr(work, "warm_up", lambda: None)()
        connection.send(None)
        while True:
            connection.send(work(connection.recv()))
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return


@contextlib.contextmanager
def _plain_children() -> Iterator[None]:
    """Children use one thread each, so that costs stay true, and do not run the user's script.

    A child process usually imports the script that started it, which would start everything again
    unless the script takes care. The work comes to the child complete, so it need not.
    """
    before = {name: os.environ.get(name) for name in _THREADS}
    os.environ.update(dict.fromkeys(_THREADS, "1"))
    main: Any = sys.modules["__main__"]
    hidden: dict[str, Any] = {
        name: main.__dict__.pop(name) for name in ("__file__", "__spec__") if name in main.__dict__
    }
    main.__spec__ = None
    try:
        yield
    finally:
        main.__dict__.update(hidden)
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _dask(address: str) -> Engine:
    try:
        from distributed import Client
    except ImportError:
        raise UsageError(
            "the Dask engine needs the package distributed; install netchoice[dask]"
        ) from None
    try:
        client = Client(f"tcp://{address}", timeout="5s", set_as_default=False)
    except (OSError, ValueError) as error:
        raise UsageError(
            f"no Dask scheduler at {address} ({reason_of(error)}); start one with: dask scheduler"
        ) from error
    engine = _Dask(client, 1)
    engine.count_workers()
    return engine


@dataclass
class _Dask(Submitting):
    counted: float = 0.0

    def count_workers(self) -> None:
        """How many there are now; on a cluster they come one after the other."""
        self.workers = max(1, sum(self.executor.nthreads().values()))
        self.counted = time.monotonic()

    def submit(self, pickled: bytes, rows: list[int]) -> Any:
        return self.executor.submit(_call_pickled, pickled, rows, pure=False, retries=0)

    def wait(self, waiting: Iterable[Any]) -> Iterable[Any]:
        from distributed import wait as wait_for

        if time.monotonic() - self.counted > _COUNT_SECONDS:
            self.count_workers()
        with self.executor.as_current():
            done: Iterable[Any] = wait_for(list(waiting), return_when="FIRST_COMPLETED").done
        return done

    def run(self, work: Work, batches: Iterable[list[int]]) -> Results:
        try:
            yield from super().run(work, batches)
        finally:
            self.executor.close()
