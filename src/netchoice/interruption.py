"""Ctrl-C during a command, also inside long compiled loops.

Python runs the handler of a signal between two instructions of the main thread, so an interrupt waits
until a compiled loop returns, and until threads that were started before have ended. A second thread
therefore watches the command. If the command is still running a moment after the interrupt, this thread
writes what is not yet on disk, and ends the process. Compiled loops run without the lock of the
interpreter, so the thread is never held up.
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

#: When the process started to import the package, on the clock ``time.monotonic``.
STARTED = time.monotonic()
#: The exit code of a command that was stopped.
STOPPED = 130
#: Seconds that a command has to end by itself.
PATIENCE = 1.5

_savers: list[Callable[[], None]] = []


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
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
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
