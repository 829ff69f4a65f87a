"""How much memory the reading of a file may take, checked before it is taken."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

from netchoice.errors import NetworkFormatError, UsageError

#: The environment variable that replaces the limit, for example ``NETCHOICE_MAX_MEMORY=8GB``.
VARIABLE = "NETCHOICE_MAX_MEMORY"
#: A file may take this much memory, or this many times its size on disk.
MIN_BYTES, PER_BYTE = 512 << 20, 300
#: Memory per byte of text, for the bytes, the text and its lines; more than needed, to bound the time too.
COPIES = 16
#: Memory per line of an edge list, per cell of other text, per element of XML, per node, and per edge.
LINE, CELL, ELEMENT, NODE, EDGE = 400, 300, 1500, 40, 150
#: Memory per byte of the longest line, which is split into cells.
LONG_LINE = 60
_SIZE = re.compile(r"([0-9]{1,15})\s*(|B|KB|MB|GB|TB)", re.IGNORECASE)
_UNITS = {"": 0, "B": 0, "KB": 10, "MB": 20, "GB": 30, "TB": 40}
_SEPARATORS = b" \t\n,;-[{"


def parse_size(text: str, name: str = VARIABLE) -> int:
    """Return the bytes of a text such as 8GB.

    >>> parse_size("8GB"), parse_size("100")
    (8589934592, 100)
    """
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        raise UsageError(f"`{name}` must be a size such as 500MB or 8GB; got {text[:40]!r}")
    return int(match[1]) << _UNITS[match[2].upper()]


@dataclass(frozen=True, slots=True)
class MemoryLimit:
    """The memory that the reading of one file may take."""

    path: str
    size: int  # bytes on disk

    @property
    def limit(self) -> int:
        """The limit in bytes."""
        given = os.environ.get(VARIABLE)
        return parse_size(given) if given else max(MIN_BYTES, PER_BYTE * self.size)

    @property
    def content(self) -> int:
        """The largest content, after decompression, that can be read within the limit."""
        return self.limit // COPIES

    def check(self, needed: int, what: str) -> None:
        """Raise an error if something needs more memory than the limit."""
        if needed > self.limit:
            raise NetworkFormatError(
                f"{self.path}: {what} need about {max(needed >> 20, 1)} MB of memory; expected at most "
                f"{self.limit >> 20} MB for a file of {self.size} bytes; check the file, or raise the limit: "
                f"{VARIABLE}={max(1, -(-needed >> 30))}GB"
            )

    def check_lines(self, content: bytes) -> None:
        """Raise an error if the lines of a text need more memory than the limit."""
        n_lines = content.count(b"\n") + content.count(b"\r")
        longest = max(map(len, content.splitlines()), default=0)
        needed = COPIES * len(content) + LINE * n_lines + LONG_LINE * longest
        self.check(needed, f"{n_lines} lines")

    def check_cells(self, content: bytes) -> None:
        """Raise an error if the cells or elements of a text need more memory than the limit."""
        n_cells = sum(content.count(mark) for mark in _SEPARATORS)
        n_elements = content.count(b"<")
        needed = COPIES * len(content) + CELL * n_cells + ELEMENT * n_elements
        self.check(needed, f"{n_cells + n_elements} words")
