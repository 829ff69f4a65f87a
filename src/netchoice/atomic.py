"""Files that are written completely or not at all, and that replace no file by accident."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from netchoice.errors import UsageError
from netchoice.stores import is_store, upload

_watchers: list[Callable[[Path], None]] = []


@contextlib.contextmanager
def before_each_write(call: Callable[[Path], None]) -> Iterator[None]:
    """Call a function with the path of each file of this process before it is written."""
    _watchers.append(call)
    try:
        yield
    finally:
        _watchers.remove(call)


def write_atomically(path: Path, write: Callable[[Path], Any]) -> None:
    """Call ``write`` with a temporary path, flush the file to disk, and rename it to ``path``.

    The temporary file is in the same folder and is removed if ``write`` fails. An interrupted write
    leaves the old file, if there was one. A file in a store is written to a temporary folder and uploaded.
    """
    for call in tuple(_watchers):
        call(path)
    if is_store(path):
        with tempfile.TemporaryDirectory() as temporary_folder:
            complete = Path(temporary_folder) / "complete"
            write(complete)
            upload(complete, path)
        return
    temporary = path.with_name(f".{path.name}.{os.getpid()}.partial")
    temporary.unlink(missing_ok=True)  # a link of this name would lead to another file
    try:
        with open(temporary, "xb") as file:
            write(temporary)
            os.fsync(file.fileno())
        os.replace(temporary, path)
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()
    with contextlib.suppress(PermissionError):  # not every system can open a folder
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def write_text(path: Path, text: str) -> None:
    """Write a text file atomically, as UTF-8."""
    write_atomically(path, lambda temporary: temporary.write_text(text, encoding="utf-8"))


def write_output(path: Path, content: bytes, overwrite: bool) -> None:
    """Write a file that the user named; refuse to replace one, unless the user said so.

    A link stays a link, a replaced file keeps its permissions, and pipes and devices are written directly.
    """
    target = path.resolve()
    if target.exists() and not target.is_file():
        target.write_bytes(content)
        return
    if target.exists() and not overwrite:
        raise UsageError(
            f"{path} exists; give another name, or remove the file (in Python, overwrite=True replaces it)"
        )

    def write(temporary: Path) -> None:
        temporary.write_bytes(content)
        if target.exists() and not is_store(target):
            temporary.chmod(target.stat().st_mode)

    write_atomically(target, write)
