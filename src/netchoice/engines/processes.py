"""The engine that simulates in processes of this machine."""

from __future__ import annotations

import contextlib
import math
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from netchoice.engines.engine import Items, Lost, Results, Work
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
class ProcessEngine:
    """Runs batches in local processes and replaces processes that die or exceed the time limit.

    Each process has its own pipe and shares no lock or queue with the others, so that any process
    can be killed at any moment without affecting the others.
    """

    workers: int
    row_timeout: float | None = None

    def run(self, work: Work, batches: Iterable[Items], until: float | None = None) -> Results:
        """Yield the results of batches as they finish; rerun the batch of a dead process row by row."""
        import cloudpickle

        pickled = cloudpickle.dumps(work)
        queue, clock = _BatchQueue(batches), AwakeClock()
        children: list[_Child] = []
        failed_starts = 0
        try:
            while True:
                # Start no more processes than there are batches.
                while len(children) < self.workers and (rows := queue.next()) is not None:
                    child = _Child.get()
                    child.start_work(pickled, rows, self.row_timeout, clock)
                    children.append(child)
                for child in children:
                    child.fill(queue)
                if not any(child.sent for child in children):
                    return
                left = math.inf if until is None else until - time.monotonic()
                if left <= 0:
                    return
                for child in _wait(children, clock, left):
                    for result in child.results():
                        failed_starts = 0
                        child.fill(queue)
                        yield result
                    if child.end is None:
                        continue
                    children.remove(child)
                    yield from queue.take_back(child)
                    failed_starts += not child.ready
                    if failed_starts > 2 + 2 * self.workers:
                        raise NetchoiceError(
                            f"worker processes end before they start to work: {child.end}; use fewer "
                            "workers if memory is short, or engine='serial' to see the error"
                        )
        finally:
            kept = _idle.get()
            if kept is not None:
                kept += [child for child in children if child.is_idle]
                children = [child for child in children if not child.is_idle]
            _end(children)


def _end(children: list[_Child]) -> None:
    for child in children:
        child.kill("stopped")
    for child in children:
        child.process.join()


class _BatchQueue:
    """Batches still to be sent to a process: retries first, then new ones."""

    def __init__(self, batches: Iterable[Items]) -> None:
        self.new = iter(batches)
        self.retries: list[Items] = []
        #: Batches of one item during which a process died.
        self.died_once: list[Items] = []

    def next(self) -> Items | None:
        return self.retries.pop() if self.retries else next(self.new, None)

    def take_back(self, child: _Child) -> Iterator[Lost]:
        """Queue the unfinished batches of a dead process; yield the row that is lost, if any."""
        if not child.sent:
            return
        rows, *waiting = child.sent
        self.retries += waiting
        if not child.ready:
            self.retries.append(rows)
        elif len(rows) > 1:
            self.retries += [[row] for row in reversed(rows)]
        elif child.timed_out or any(rows is known for known in self.died_once):
            yield Lost(rows[0], str(child.end))
        else:  # the process may have been killed from outside: try the row once more
            self.died_once.append(rows)
            self.retries.append(rows)


class _Child:
    """A worker process, the batches sent to it, and the deadline of the first batch."""

    def __init__(self) -> None:
        self.connection, child_end = _CONTEXT.Pipe()
        self.process = _CONTEXT.Process(
            target=_serve,
            args=(child_end, os.environ.get(_SAFE_PATH)),
            name="netchoice worker",
            daemon=True,
        )
        with _starting, _child_environment():
            self.process.start()
        child_end.close()  # so that reading raises EOFError when the child ends
        #: The batch that the process works on, and the batches that wait in its pipe.
        self.sent: list[Items] = []
        self.row_timeout: float | None = None
        self.clock = AwakeClock()
        self.ready, self.timed_out = False, False  # ready: the process has loaded the work
        self.end: str | None = None  # why the process ended
        self.deadline = math.inf

    @classmethod
    def get(cls) -> _Child:
        """Return a process that waits for work, or a new one."""
        waiting = _idle.get()
        while waiting:
            child = waiting.pop()
            if child.process.is_alive():
                return child
            child.kill("ended while it waited")
        return cls()

    @property
    def is_idle(self) -> bool:
        """Whether the process has finished all its batches, so that it can get other work."""
        return self.ready and not self.sent and self.end is None

    def start_work(
        self, pickled: bytes, rows: Items, row_timeout: float | None, clock: AwakeClock
    ) -> None:
        self.row_timeout, self.clock, self.ready = row_timeout, clock, False
        self._write(pickled)
        self.send(rows)

    def fill(self, queue: _BatchQueue) -> None:
        """Send batches until one waits while another runs."""
        while self.end is None and len(self.sent) < 2 and (rows := queue.next()) is not None:
            self.send(rows)

    def send(self, rows: Items) -> None:
        self.sent.append(rows)
        if len(self.sent) == 1:
            self._set_deadline()
        self._write(rows)

    def _write(self, message: Any) -> None:
        with contextlib.suppress(OSError):  # results() notices a child that has died
            self.connection.send(message)

    def _set_deadline(self) -> None:
        """Start the time limit of the first batch; loading the work does not count."""
        timed = self.row_timeout is not None and self.ready and self.sent
        self.deadline = self.clock.now() + (self.row_timeout or 0) if timed else math.inf

    def results(self) -> Iterator[Any]:
        """Yield the results that have arrived; set ``end`` if the child ended or timed out."""
        try:
            while self.connection.poll():
                message = self.connection.recv()
                if self.ready:
                    del self.sent[0]
                self.ready, was_ready = True, self.ready
                self._set_deadline()
                if was_ready:  # the first message only says that the child is ready
                    yield message
        except (EOFError, OSError):
            self.process.join()
            self.connection.close()
            self.end = _exit_reason(self.process.exitcode)
            return
        if self.clock.now() > self.deadline:
            self.timed_out = True
            self.kill(f"took longer than {self.row_timeout:g} s")
            self.process.join()

    def kill(self, reason: str) -> None:
        self.process.kill()
        self.connection.close()
        self.end = reason


def _wait(children: list[_Child], clock: AwakeClock, most: float) -> list[_Child]:
    """Wait until children send a message, end or exceed their time limit; return these children.

    With a time limit, wait for a tick of the clock at most, and never longer than ``most`` seconds.
    """
    from multiprocessing.connection import wait

    deadline = min(child.deadline for child in children)
    seconds = most
    if not math.isinf(deadline):
        seconds = min(most, _TICK, max(0.0, deadline - clock.now()))
    readable = wait(
        [child.connection for child in children], None if math.isinf(seconds) else seconds
    )
    now = clock.now()
    return [c for c in children if c.connection in readable or c.deadline < now]


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
