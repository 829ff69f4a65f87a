"""Where the functions of users print: to standard error, so that results stay alone on standard output."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_lock = threading.Lock()
_state: dict[str, Any] = {"running": 0, "stdout": None}


@contextmanager
def prints_to_stderr() -> Iterator[None]:
    """Print to standard error while users' functions run, in one or several threads.

    ``contextlib.redirect_stdout`` does not serve: of two threads, the one that ends last would restore
    what the other had set.

    >>> with prints_to_stderr():
    ...     print("a line that is not part of the result")
    """
    with _lock:
        if _state["running"] == 0:
            _state["stdout"], sys.stdout = sys.stdout, sys.stderr
        _state["running"] += 1
    try:
        yield
    finally:
        with _lock:
            _state["running"] -= 1
            if _state["running"] == 0:
                sys.stdout = _state.pop("stdout")
