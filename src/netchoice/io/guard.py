"""Files of others, on disk or in zip files: limits of memory, decompression, and errors in one line."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import re
import warnings
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from netchoice.errors import NetchoiceError, NetworkFormatError, UsageError, one_line
from netchoice.stores import store_errors

Result = TypeVar("Result")
#: What to do with a file in a format that is not read.
CONVERT = (
    "convert it with a reader of another library, for example in Python: "
    'networkx.write_graphml(networkx.nx_pydot.read_dot("net.dot"), "net.graphml")'
)


def guarded(parse: Callable[[], Result], path: str, format: str) -> Result:
    """Run a parser of foreign content, and turn any exception into a NetworkFormatError.

    Foreign content can make a parser raise anything, from KeyError to RecursionError.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return parse()
    except NetchoiceError as error:
        text = str(error)
        if isinstance(error, NetworkFormatError) and path not in text:
            text = f"{path}: {text}"
        if one_line(text) == str(error):
            raise
        raise type(error)(one_line(text)) from error
    except MemoryError as error:
        raise NetworkFormatError(
            f"{path}: not enough memory to read it as {format}; check that the file is complete, or use a "
            "machine with more memory"
        ) from error
    except Exception as error:
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        if isinstance(error, RecursionError):
            reason = "nested too deeply"
        position = getattr(error, "position", None)
        where = f" (line {position[0]})" if position and "line" not in str(error) else ""
        raise not_readable(path, format, reason + where) from error


def not_readable(place: str, format: str, reason: str) -> NetworkFormatError:
    """Return the error of a file that is damaged, or has another format."""
    return NetworkFormatError(
        f"{place}: not readable as {format}: {reason}; "
        "check that the file is complete, or pass its actual format"
    )


# Memory

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


# Decompression

#: Suffixes of compressed files.
COMPRESSED = (".gz", ".bz2", ".xz", ".zst")
#: Their first bytes.
_MARKS = {
    "gzip": re.compile(rb"\x1f\x8b"), "bzip2": re.compile(rb"BZh(?s:.)1AY&SY"),
    "xz": re.compile(rb"\xfd7zXZ\0"), "Zstandard": re.compile(rb"\x28\xb5\x2f\xfd"),
}  # fmt: skip


def decompress(content: bytes, limit: MemoryLimit) -> bytes:
    """Return the content of a compressed file within its limit; other content is returned as it is.

    The first bytes decide, not the name of the file.
    """
    name = next((name for name, marks in _MARKS.items() if marks.match(content)), None)
    if name is None:
        return content
    try:
        if name == "xz":
            content = _xz(content, limit)
        else:
            with _opened(name, content) as file:
                content = bytes(file.read(limit.content + 1))
    except (EOFError, OSError, ValueError, lzma.LZMAError, zlib.error) as error:
        raise NetworkFormatError(
            f"{limit.path}: damaged or truncated {name} file ({error}); download or compress it again"
        ) from error
    limit.check(COPIES * len(content), "its decompressed bytes")
    return content


def _opened(name: str, content: bytes) -> Any:
    if name == "gzip":
        return gzip.GzipFile(fileobj=io.BytesIO(content))
    if name == "bzip2":
        return bz2.BZ2File(io.BytesIO(content))
    import pyarrow as pa

    return pa.CompressedInputStream(pa.BufferReader(content), "zstd")


def _xz(content: bytes, limit: MemoryLimit) -> bytes:
    """Decompress all streams; the dictionary that a stream declares counts as memory."""
    found = b""
    while content.strip(b"\0"):
        stream = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=limit.limit)
        while not stream.eof:
            piece = stream.decompress(content, limit.content + 1 - len(found))
            found, content = found + piece, b""
            if len(found) > limit.content:
                return found
            if not piece and stream.needs_input:
                raise EOFError("it ends before the end of the stream")
        content = stream.unused_data
    return found


# Files

#: How many bytes of a file are read to find its header.
START = 1 << 16


def load(path: Path) -> tuple[bytes, MemoryLimit]:
    """Return the content of a file, decompressed if it is compressed, and how much memory it may take."""
    try:
        content = _read_bytes(path)
    except (OSError, ValueError) as error:
        if isinstance(error, IsADirectoryError):
            reason = " is a folder; pass the path of a file"
        elif isinstance(error, FileNotFoundError):
            reason = ": no such file; check the path and the current folder"
        elif isinstance(error, PermissionError):
            reason = ": no permission to read it; try chmod +r"
        else:
            found = getattr(error, "strerror", None) or error
            reason = f": cannot be read: {found}; check the disk, or copy the file elsewhere"
        raise NetworkFormatError(f"{path}{reason}") from error
    limit = MemoryLimit(str(path), len(content))
    return decompress(content, limit), limit


def _read_bytes(path: Path) -> bytes:
    """Return the bytes of a file; those of a pipe or device only up to the limit."""
    with store_errors(), path.open("rb") as file:
        if path.is_file():
            return file.read()
        limit = MemoryLimit(str(path), 0)
        content = file.read(limit.content + 1)
        limit.check(COPIES * len(content), "its bytes")
        return content


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file on disk, or a member of a zip file; either may be compressed."""

    path: str
    member: str = ""
    number: int = -1  # the position of the member in the zip file

    @property
    def name(self) -> str:
        """The path and the member, for messages."""
        return f"{self.path}/{self.member}" if self.member else self.path

    def load(self) -> tuple[bytes, MemoryLimit]:
        """Return the whole content, and how much memory its reading may take."""
        if not self.member:
            return load(Path(self.path))
        return guarded(lambda: _load_member(self), self.name, "a member of a zip file")

    def open(self) -> BinaryIO:
        """Open the content; that of a member or of a gzip file is in memory."""
        if not self.member:
            file = open(self.path, "rb")  # noqa: SIM115
            if not _is_gzip(file):
                return file
            file.close()
        content, limit = self.load()
        limit.check_lines(content)
        return io.BytesIO(content)

    def start(self) -> bytes:
        """Return the first bytes of the content, or none if they cannot be read.

        Pipes and devices are not read, because their bytes can be read only once.
        """
        if not os.path.isfile(self.path):
            return b""
        try:
            if self.member:
                return self.load()[0][:START]
            with open(self.path, "rb") as file:
                is_gzip = _is_gzip(file)
                return gzip.GzipFile(fileobj=file).read(START) if is_gzip else file.read(START)
        except (OSError, EOFError, ValueError, zlib.error):  # also a NetworkFormatError
            return b""


def zip_members(path: str) -> list[StoredFile]:
    """Return the members of a zip file, without folders."""
    archive = guarded(lambda: _archive(path, os.stat(path).st_mtime_ns, os.getpid()), path, "zip")
    return [
        StoredFile(path, info.filename, number)
        for number, info in enumerate(archive.infolist())
        if not info.is_dir()
    ]


def _load_member(stored: StoredFile) -> tuple[bytes, MemoryLimit]:
    """Return the content of a member of a zip file, which has the declared size and checksum."""
    path, name = stored.path, stored.name
    archive = _archive(path, os.stat(path).st_mtime_ns, os.getpid())
    info = archive.infolist()[stored.number]
    limit = MemoryLimit(name, min(info.compress_size, os.path.getsize(path)))
    limit.check(COPIES * info.file_size, f"{info.file_size >> 20} MB in a zip file")
    is_encrypted = bool(info.flag_bits & 1)
    if is_encrypted or info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        found = "encrypted" if is_encrypted else f"compressed with method {info.compress_type}"
        raise NetworkFormatError(
            f"{name}: {found}; expected members that are stored or deflated; zip the files again"
        )
    return decompress(archive.read(info), limit), limit


@lru_cache(maxsize=1)
def _archive(path: str, changed: int, process: int) -> zipfile.ZipFile:
    """Open a zip file once in each process; the key of the cache has the time of its last change."""
    return zipfile.ZipFile(path)


def _is_gzip(file: BinaryIO) -> bool:
    magic = file.read(2)
    file.seek(0)
    return magic == b"\x1f\x8b"
