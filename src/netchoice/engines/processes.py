"""The engine that simulates in processes of this machine."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import ContextVar
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from netchoice.engines.engine import FutureEngine, Items, LostError, Results, StartError, Work
from netchoice.errors import NetchoiceError
from netchoice.search_path import with_current_folder_last

_THREAD_VARIABLES = (
    "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS",
)  # fmt: skip
_SAFE_PATH = "PYTHONSAFEPATH"
_CONTEXT = multiprocessing.get_context("spawn")
#: Starting a process changes the environment of this one for a moment: one thread at a time may do it.
_starting = threading.Lock()
#: Seconds after which the clock of time limits is read again.
_TICK = 0.5
#: Times that a process is started for a batch, if it ends before it has loaded the work.
_MOST_STARTS = 4
#: Processes without work that wait for more; None outside :func:`keep_workers`.
_idle: ContextVar[list[_Child] | None] = ContextVar("idle worker processes", default=None)


@contextlib.contextmanager
def keep_workers() -> Iterator[None]:
    """Keep worker processes for the next engine that runs inside; starting one takes seconds.

    They end with the context: outside it, modules may change that a process would not load again.
    """
    if _idle.get() is not None:
        yield
        return
    token = _idle.set([])
    try:
        yield
    finally:
        _end(_idle.get() or [])
        _idle.reset(token)


def start_workers(n: int) -> None:
    """Start processes inside :func:`keep_workers`, to import what rows need before there is work."""
    idle = _idle.get()
    while idle is not None and len(idle) < n:
        idle.append(_Child())


class AwakeClock:
    """A clock that stops while this process is suspended, so that its rows are not blamed for it.

    It must be read every ``_TICK`` seconds: of a longer pause, it counts twice as much at most.
    """

    def __init__(self) -> None:
        self._seconds, self._read = 0.0, time.monotonic()

    def now(self) -> float:
        """Return the seconds since the start, without those of suspensions."""
        before, self._read = self._read, time.monotonic()
        self._seconds += min(self._read - before, 2 * _TICK)
        return self._seconds


@dataclass
class ProcessEngine(FutureEngine):
    """Runs batches in local processes and replaces processes that die or exceed the time limit.

    A thread waits for each process. Each process has its own pipe and shares no lock or queue with the
    others, so that any process can be killed at any moment without affecting the others. No shared memory
    is needed.
    """

    workers: int
    row_timeout: float | None = None
    _crew: _Crew = field(init=False, repr=False)

    def run(self, work: Work, batches: Iterable[Items], until: float | None = None) -> Results:
        """Yield the results of batches as they finish; rerun the batch of a dead process row by row."""
        kept = _idle.get()
        idle = [] if kept is None else kept
        try:
            with ThreadPoolExecutor(self.workers) as threads:
                self._crew = _Crew(threads, self.row_timeout, idle)
                try:
                    yield from super().run(work, batches, until)
                finally:
                    self._crew.stop()
        finally:
            if kept is None:
                _end(idle)

    def submit(self, pickled: bytes, rows: Items) -> Future[Any]:
        """Submit one batch to a thread; start a process for it, unless there are enough."""
        self._crew.add_process(self.workers)
        return self._crew.threads.submit(self._crew.call, pickled, rows)


@dataclass
class _Crew:
    """The processes of one run: those that work, and those that wait for work."""

    threads: ThreadPoolExecutor
    row_timeout: float | None
    idle: list[_Child]
    busy: set[_Child] = field(default_factory=set)
    is_stopped: bool = False
    lock: Any = field(default_factory=threading.Lock)

    def add_process(self, most: int) -> None:
        """Start a process in this thread: it changes the environment for a moment."""
        with self.lock:
            if len(self.idle) + len(self.busy) < most:
                self.idle.append(_Child())

    def call(self, pickled: bytes, rows: Items) -> Any:
        """Run a batch in a process; try a single row twice, for the process may be killed from outside."""
        for is_last in (len(rows) > 1, True):
            child = self._take(pickled)
            try:
                return child.ask(rows, self.row_timeout)
            except LostError:
                if is_last or child.timed_out:
                    raise
            finally:
                self._put_back(child)
        return None

    def _take(self, pickled: bytes) -> _Child:
        """Return a process that has loaded the work: one that waits, or a new one."""
        for _ in range(_MOST_STARTS):
            with self.lock:
                if self.is_stopped:
                    raise LostError("stopped")
                child = _waiting(self.idle) or _Child()
                self.busy.add(child)
            try:
                child.load(pickled)
                return child
            except LostError as error:
                self._put_back(child)
                reason = error
        raise StartError(
            f"worker processes end before they start to work: {reason}; use fewer workers if memory is "
            "short, or engine='serial' to see the error"
        )

    def _put_back(self, child: _Child) -> None:
        with self.lock:
            self.busy.discard(child)
            if not child.is_ended:
                self.idle.append(child)

    def stop(self) -> None:
        """Kill the processes that work; their threads notice it."""
        with self.lock:
            self.is_stopped = True
            for child in self.busy:
                child.process.kill()


def _waiting(idle: list[_Child]) -> _Child | None:
    """Return a process that waits for work and lives, if there is one."""
    while idle:
        child = idle.pop()
        if child.process.is_alive():
            return child
        _end([child])
    return None


def _end(children: list[_Child]) -> None:
    for child in children:
        child.process.kill()
    for child in children:
        child.connection.close()
        child.process.join()


class _Child:
    """A worker process, and the work that it has loaded."""

    def __init__(self) -> None:
        self.connection, child_end = _CONTEXT.Pipe()
        self.process = _CONTEXT.Process(
            target=_serve,
            args=(child_end, os.environ.get(_SAFE_PATH)),
            name="netchoice worker",
            daemon=True,
        )
        try:
            with _starting, _child_environment():
                self.process.start()
        except OSError as error:
            raise StartError(
                f"cannot start a worker process ({error.strerror}); use fewer workers, or engine='serial'"
            ) from error
        child_end.close()  # so that reading raises EOFError when the child ends
        self.loaded: bytes | None = None
        self.is_ended, self.timed_out = False, False

    def load(self, pickled: bytes) -> None:
        """Send work, unless the process has loaded it; loading does not count for the time limit."""
        if self.loaded is not pickled:
            self.ask(pickled)
            self.loaded = pickled

    def ask(self, message: Any, timeout: float | None = None) -> Any:
        """Send a message and return the answer; if the process ends or takes too long, say so."""
        clock = AwakeClock()
        try:
            self.connection.send(message)
            while not self.connection.poll(None if timeout is None else min(_TICK, timeout)):
                if timeout is not None and clock.now() > timeout:
                    self.timed_out = True
                    self.process.kill()
            return self.connection.recv()
        except (EOFError, OSError):
            self.is_ended = True
            self.process.join()
            self.connection.close()
        if self.timed_out:
            raise LostError(f"took longer than {timeout:g} s")
        raise LostError(_exit_reason(self.process.exitcode))


def _exit_reason(code: int | None) -> str:
    if code is not None and code < 0:
        try:
            return f"the process was ended by {signal.Signals(-code).name}"
        except ValueError:
            return f"the process was ended by signal {-code}"
    return f"the process ended with code {code}"


def _serve(connection: Any, safe_path: str | None) -> None:
    """Run batches in a child process until the parent closes the connection.

    A message is pickled work, or a batch for the last work that was sent. ``safe_path`` is the variable
    of the parent, for programs that a user's function starts.
    """
    import cloudpickle

    if safe_path is None:
        os.environ.pop(_SAFE_PATH, None)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C
    threading.Thread(target=_end_with_parent, daemon=True).start()
    sys.stdout = sys.stderr  # what a user's module prints must not become part of a result
    # What nearly all work needs is imported while the parent prepares the work.
    import_module("netchoice.row_simulator")
    try:
        while True:
            try:
                message = connection.recv()
            except OSError:  # the parent ended while it sent the message
                return
            if isinstance(message, bytes):
                work = cloudpickle.loads(message)
                getattr(work, "warm_up", lambda: None)()
                connection.send(None)
            else:
                connection.send(work(message))
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return


def _end_with_parent() -> None:
    """End this process when its parent was killed, also in the middle of a batch."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


@contextlib.contextmanager
def _child_environment() -> Iterator[None]:
    """Start child processes with one thread each, and without importing what the user did not mean.

    With several threads, measured CPU times would not be comparable. A spawned process usually
    imports the script that started it: without an ``if __name__ == "__main__"`` guard, the simulation
    would start again. The work is pickled completely, so the script is not needed. A spawned process
    also imports from the current folder first, where a file may have the name of a package.
    """
    if sys.flags.ignore_environment and not sys.flags.safe_path:
        raise NetchoiceError(
            "Python was started with -E: worker processes would import from the current folder first; "
            "start Python with -E -P or with -I, or use engine='serial'"
        )
    before = {name: os.environ.get(name) for name in (*_THREAD_VARIABLES, _SAFE_PATH)}
    os.environ.update(dict.fromkeys(before, "1"))
    folders, sys.path = sys.path, with_current_folder_last(sys.path)
    main: Any = sys.modules["__main__"]
    hidden = {name: vars(main).pop(name) for name in ("__file__", "__spec__") if name in vars(main)}
    main.__spec__ = None
    try:
        yield
    finally:
        sys.path = folders
        vars(main).update(hidden)
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
