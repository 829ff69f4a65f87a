"""Ctrl-C inside long compiled loops.

Python runs the handler of a signal between two instructions of the main thread, so an interrupt waits
until a compiled loop returns. A long loop on a network therefore runs in another thread, while the main
thread waits and can be interrupted. The thread cannot be ended: its loop ends by its budget of steps, or
with the process.

During a command, a second thread also watches the first. If the command is still running a moment after
the interrupt, in other compiled code, this thread writes what is not yet on disk, and ends the process. In
Python and in notebooks, the process belongs to the user, and is not ended. Compiled loops run without the
lock of the interpreter, so the thread is never held up.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

#: When the process started to import the package, on the clock ``time.monotonic``.
STARTED = time.monotonic()
#: The exit code of a command that was stopped.
STOPPED = 130
#: Seconds that a command has to end by itself.
PATIENCE = 1.5

#: Seconds after which a waiting thread looks for an interrupt, where the system does not wake it.
_LOOK = 0.2

_savers: list[Callable[[], None]] = []
_elsewhere = threading.local()


def cpu_seconds() -> float:
    """Return the CPU seconds of this thread, with those of :func:`interruptible` calls that it made."""
    return time.thread_time() + getattr(_elsewhere, "seconds", 0.0)


def interruptible(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call compiled code so that Ctrl-C does not wait for its end, if this is the main thread.

    >>> interruptible(max, 1, 2)
    2
    """
    if not _handles_interrupts():
        return function(*arguments)
    results: list[Any] = []
    errors: list[BaseException] = []
    seconds: list[float] = []
    ended = threading.Event()

    def run() -> None:
        try:
            results.append(function(*arguments))
        except BaseException as error:
            errors.append(error)
        seconds.append(time.thread_time())
        ended.set()

    threading.Thread(target=run, daemon=True).start()
    while not ended.wait(_LOOK):
        pass
    _elsewhere.seconds = getattr(_elsewhere, "seconds", 0.0) + seconds[0]
    if errors:
        raise errors[0]
    return results[0]


def _handles_interrupts() -> bool:
    """Return whether this is the main thread, and Ctrl-C raises KeyboardInterrupt."""
    is_main = threading.current_thread() is threading.main_thread()
    return is_main and signal.getsignal(signal.SIGINT) is signal.default_int_handler


@contextlib.contextmanager
def saves_when_stopped(save: Callable[[], None]) -> Iterator[None]:
    """Call ``save`` if the process is ended inside this context; it may run in another thread."""
    _savers.append(save)
    try:
        yield
    finally:
        _savers.remove(save)


@contextlib.contextmanager
def ends_when_interrupted() -> Iterator[None]:
    """End the process soon after Ctrl-C, whatever the main thread computes.

    Does nothing outside the main thread, and where Ctrl-C is ignored.
    """
    if not _handles_interrupts():
        yield
        return
    receiver, sender = socket.socketpair()
    sender.setblocking(False)
    before = signal.set_wakeup_fd(sender.fileno(), warn_on_full_buffer=False)
    ended = threading.Event()
    threading.Thread(target=_watch, args=(receiver, ended), daemon=True).start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        ended.set()
        sender.close()


def _watch(receiver: socket.socket, ended: threading.Event) -> None:
    """Wait for the interrupt; end the process if the command does not end by itself."""
    with receiver:
        while received := receiver.recv(1):
            if received[0] == signal.SIGINT and not ended.wait(PATIENCE):
                _end()


def _end() -> None:
    for save in list(_savers):
        with contextlib.suppress(Exception):  # the other ones must be saved too
            save()
    for child in multiprocessing.active_children():
        child.kill()
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.write("netchoice: stopped; what was finished is kept\n")
        sys.stderr.flush()
    os._exit(STOPPED)
