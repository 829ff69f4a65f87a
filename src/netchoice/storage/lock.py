"""A lock that lets one process at a time write to a folder."""

from __future__ import annotations

import contextlib
import json
import os
import platform
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

from netchoice.storage.manifest import TableError
from netchoice.stores import is_store

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]

#: Programs that read a folder of Parquet files ignore names that begin with _.
LOCK = "_lock"
_held: set[int] = set()


def _close_inherited() -> None:
    """Close the locks of the parent in a forked process, which would otherwise outlive the parent."""
    while _held:
        os.close(_held.pop())


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_close_inherited)


@contextlib.contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder; refuse if another process holds it, and name that process.

    The kernel releases the lock when its owner ends, also after a kill. The file stays. A store has no such
    locks: there, files with the fingerprint of another run are refused when they are read.
    """
    if fcntl is None or is_store(folder) or not os.access(folder, os.W_OK):
        yield  # without write permission, nothing can be mixed
        return
    file = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o666)
    _held.add(file)
    try:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise TableError(
                f"{_owner(file)} is writing to {folder}; wait until it ends, or use another folder"
            ) from None
        except OSError as error:
            warnings.warn(
                f"cannot lock {folder} ({error.strerror}); let only one process write to it",
                stacklevel=4,
            )
        owner = {"host": platform.node(), "pid": os.getpid(), "start": time.strftime("%F %T%z")}
        os.ftruncate(file, 0)
        os.pwrite(file, json.dumps(owner).encode(), 0)
        yield
    finally:
        with contextlib.suppress(OSError):
            fcntl.flock(file, fcntl.LOCK_UN)
        _held.discard(file)
        os.close(file)


def _owner(file: int) -> str:
    """Return the name of the process that holds a lock."""
    try:
        owner = json.loads(os.pread(file, 1000, 0))
        return f"process {owner['pid']} on {owner['host']} (started {owner['start']})"
    except (ValueError, KeyError, TypeError):  # the owner has not written its name yet
        return "another process"
