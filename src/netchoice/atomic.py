"""Files that are written completely or not at all."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any


def write_atomically(path: Path, write: Callable[[Path], Any]) -> None:
    """Call ``write`` with a temporary path, flush the file to disk, and rename it to ``path``.

    The temporary file is in the same folder and is removed if ``write`` fails. An interrupted write
    leaves the old file, if there was one.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        with open(temporary, "wb") as file:
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


def write_bytes(path: Path, content: bytes) -> None:
    """Write a binary file atomically."""
    write_atomically(path, lambda temporary: temporary.write_bytes(content))
