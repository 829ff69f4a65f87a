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
from contextvars import ContextVar
from dataclasses import dataclass, field
from importlib import import_module
from itertools import starmap
from multiprocessing import connection
from typing import Any

from netchoice.engines.engine import (
    LOOK,
    EngineError,
    FutureEngine,
    Items,
    LostError,
    Results,
    TimedOutError,
    Work,
    load,
)
from netchoice.errors import NetchoiceError
from netchoice.search_path import with_current_folder_last

_THREAD_VARIABLES = (
    "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS",
)  # fmt: skip
_SAFE_PATH = "PYTHONSAFEPATH"
_CONTEXT = multiprocessing.get_context("spawn")
#: Starting a process changes the environment of this one for a moment: one thread at a time may do it.
_starting = threading.Lock()
#: Times that a process is started for a batch, if it ends before it has loaded the function.
_MOST_STARTS = 4
#: Processes without work that wait for more; None outside :func:`keep_workers`.
_idle: ContextVar[list[_Child] | None] = ContextVar("idle worker processes", default=None)


@contextlib.contextmanager
def keep_workers() -> Iterator[list[_Child]]:
    """Keep worker processes for the next engine that runs inside; starting one takes seconds.

    They end with the context: outside it, modules may change that a process would not load again.
    """
    kept = _idle.get()
    if kept is not None:
        yield kept
        return
    children: list[_Child] = []
    token = _idle.set(children)
    try:
        yield children
    finally:
        for child in children:
            child.process.kill()
        for child in children:
            child.cancel()
        _idle.reset(token)


def start_workers(n: int) -> None:
    """Start processes inside :func:`keep_workers`, to import what rows need before there is work."""
    idle = _idle.get()
    while idle is not None and len(idle) < n:
        idle.append(_Child())


class AwakeClock:
    """A clock that stops while this process is suspended, so that its rows are not blamed for it.

    It must be read every ``LOOK`` seconds: of a longer pause, it counts twice as much at most.
    """

    def __init__(self) -> None:
        self._seconds, self._read = 0.0, time.monotonic()

    def now(self) -> float:
        """Return the seconds since the start, without those of suspensions."""
        before, self._read = self._read, time.monotonic()
        self._seconds += min(self._read - before, 2 * LOOK)
        return self._seconds


@dataclass
class ProcessEngine(FutureEngine):
    """Runs batches in local processes and replaces processes that die or exceed the time limit.

    A process is the future of the batch that it runs. It has its own pipe and shares no lock or queue with
    the others, so that any process can be killed at any moment without affecting the others. No shared
    memory is needed.
    """

    workers: int
    row_timeout: float | None = None
    batches_per_worker, are_elsewhere = 1, False
    _waiting: list[_Child] = field(default_factory=list, init=False, repr=False)

    def run(self, work: Work, batches: Iterable[Items], until: float | None = None) -> Results:
        """Yield the results of batches as they finish; rerun the batch of a dead process item by item."""
        with keep_workers() as self._waiting:
            yield from super().run(work, batches, until)

    def submit(self, pickled: bytes, items: Items) -> Any:
        """Give one batch to a process that waits, or to a new one."""
        child = self._waiting.pop() if self._waiting else _Child()
        child.begin(pickled, items)
        return child

    def wait(self, running: Iterable[Any], seconds: float) -> set[Any]:
        """Wait until a batch has finished, at most so many seconds; kill processes that take too long."""
        seconds = min(seconds, self.row_timeout or seconds)
        ready = connection.wait([child.connection for child in running], seconds)
        finished = {c for c in running if c.connection in ready and c.has_answered()}
        for child in {*running} - finished:
            child.check_time(self.row_timeout)
        return finished

    def result(self, future: Any) -> list[Any]:
        """Return the results of a batch; the process waits for another one, unless it has ended."""
        if future.error is not None:
            future.cancel()
            raise future.error
        self._waiting.append(future)
        return future.answer  # type: ignore[no-any-return]


class _Child:
    """A worker process, the function that it has loaded, and the batch that it runs."""

    def __init__(self) -> None:
        self.answer: Any = None
        self.error: Exception | None = None
        self.pickled, self.n_ended = b"", 0
        self.items: Items = []
        self._start()

    def _start(self) -> None:
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
            raise EngineError(
                f"cannot start a worker process ({error.strerror}); use fewer workers, or engine='serial'"
            ) from error
        child_end.close()  # so that reading raises EOFError when the child ends
        self.is_ready = False
        self.loaded: bytes | None = None
        self.clock: AwakeClock | None = None

    def begin(self, pickled: bytes, items: Items) -> None:
        """Send a batch, after the function if the process has loaded another one."""
        self.pickled, self.items, self.n_ended = pickled, items, 0
        self.clock = AwakeClock() if self.loaded is pickled else None
        if self.is_ready:  # otherwise a long message would wait for the imports of the process
            self._send(items if self.clock else pickled)

    def _send(self, message: Any) -> None:
        with contextlib.suppress(OSError):  # the process has ended, which the next answer says
            self.connection.send(message)

    def has_answered(self) -> bool:
        """Read an answer; return whether the batch has finished or is lost."""
        try:
            self.answer = self.connection.recv()
        except (EOFError, OSError):
            return self._has_ended()
        if self.clock is not None:
            return True
        if not self.is_ready:
            self.is_ready = True
            self._send(self.pickled)
            return False
        self.loaded = self.pickled
        self.clock = AwakeClock()  # loading does not count for the time limit
        self._send(self.items)
        return False

    def _has_ended(self) -> bool:
        """Say why the process has ended; start another one if it has not begun with the batch."""
        self.cancel()
        reason = _exit_reason(self.process.exitcode)
        if self.clock is not None:
            self.error = self.error or LostError(reason)
            return True
        self.n_ended += 1
        if self.n_ended == _MOST_STARTS:
            self.error = EngineError(
                f"worker processes end before they start to work: {reason}; use fewer workers if memory is "
                "short, or engine='serial' to see the error"
            )
            return True
        self._start()
        return False

    def check_time(self, limit: float | None) -> None:
        """Kill the process if the batch takes longer than the time limit."""
        if limit is not None and self.clock is not None and self.clock.now() > limit:
            self.error = TimedOutError(f"took longer than {limit:g} s")
            self.process.kill()

    def cancel(self) -> None:
        """End the process."""
        self.process.kill()
        self.process.join()
        self.connection.close()


def _exit_reason(code: int | None) -> str:
    if code is not None and code < 0:
        try:
            return f"the process was ended by {signal.Signals(-code).name}"
        except ValueError:
            return f"the process was ended by signal {-code}"
    return f"the process ended with code {code}"


def _serve(pipe: Any, safe_path: str | None) -> None:
    """Run batches in a child process until the parent closes the pipe.

    A message is a pickled function, or a batch for the last function that was sent. ``safe_path`` is the
    variable of the parent, for programs that a user's function starts.
    """
    if safe_path is None:
        os.environ.pop(_SAFE_PATH, None)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C
    threading.Thread(target=_end_with_parent, daemon=True).start()
    sys.stdout = sys.stderr  # what a user's module prints must not become part of a result
    # What nearly all functions need is imported while the parent prepares the function.
    import_module("netchoice.row_simulator")
    try:
        pipe.send(None)  # ready for a function
        while True:
            try:
                message = pipe.recv()
            except OSError:  # the parent ended while it sent the message
                return
            if isinstance(message, bytes):
                function = load(message)
                pipe.send(None)
            else:
                pipe.send(list(starmap(function, message)))
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
