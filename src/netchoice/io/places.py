"""Where networks are: the protocol of a place, and files and members of zip files."""

from __future__ import annotations

import gzip
import io
import os
import struct
import zipfile
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO, Protocol, overload

from netchoice.errors import NetworkFormatError
from netchoice.graph import Graph
from netchoice.io.guard import COPIES, MemoryLimit, decompress, guarded, load
from netchoice.io.reading_report import ReadingReport

Covariates = dict[str, str | float]
#: How many bytes of a file are read to find its header.
START = 1 << 16
_LOCAL_HEADER = 30  # bytes before the name of a member


class Place(Protocol):
    """Where one network is; it can be pickled and sent to another process."""

    @property
    def name(self) -> str:
        """The place, for messages."""

    @property
    def path(self) -> str | None:
        """The file with the network, None if it has no file."""

    def read(self) -> tuple[Graph, ReadingReport]:
        """Read the network."""


class PlacesOnDemand(Sequence[Place]):
    """The places of networks in one file, each made when it is used."""

    def __init__(self, n_places: int, make: Callable[[int], Place]) -> None:
        self._n_places, self._make = n_places, make

    def __len__(self) -> int:
        return self._n_places

    @overload
    def __getitem__(self, i: int) -> Place: ...
    @overload
    def __getitem__(self, i: slice) -> list[Place]: ...
    def __getitem__(self, i: int | slice) -> Place | list[Place]:
        positions = range(self._n_places)[i]
        if isinstance(positions, int):
            return self._make(positions)
        return [self._make(k) for k in positions]


@dataclass(frozen=True)
class Part:
    """Some networks of a collection; their places may be made on demand."""

    places: Sequence[Place]
    ids: Sequence[str]
    container: str | None = None  # the file that has all these networks under these ids
    ids_are_given: bool = False  # a manifest lists them, so they are not changed
    groups: Sequence[str | None] = ()
    covariates: Sequence[Covariates] = ()
    files: Sequence[str] = ()  # all files of the container


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file on disk, which may be gzipped."""

    path: str

    @property
    def name(self) -> str:
        """The path, for messages."""
        return self.path

    def load(self) -> tuple[bytes, MemoryLimit]:
        """Return the whole content, and how much memory its reading may take."""
        return load(Path(self.path))

    def open(self) -> BinaryIO:
        """Open the content; that of a gzip file is decompressed once in each process."""
        file = open_file(self.path)
        if not _is_gzip(file):
            return file
        file.close()
        return _open_held(self)

    def start(self) -> bytes:
        """Return the first bytes of the content, or none if they cannot be read.

        Pipes and devices are not read, because their bytes can be read only once.
        """
        if not os.path.isfile(self.path):
            return b""
        try:
            with open(self.path, "rb") as file:
                is_gzip = _is_gzip(file)
                return gzip.GzipFile(fileobj=file).read(START) if is_gzip else file.read(START)
        except (OSError, EOFError, ValueError, zlib.error):
            return b""


@dataclass(frozen=True, slots=True)
class ZipMember:
    """A member of a zip file, which is read without the directory of the zip file."""

    path: str
    member: str
    offset: int
    compressed_size: int
    size: int
    method: int
    checksum: int
    encrypted: bool

    @property
    def name(self) -> str:
        """The path of the zip file and the name of the member, for messages."""
        return f"{self.path}/{self.member}"

    def load(self) -> tuple[bytes, MemoryLimit]:
        """Return the content, decompressed if gzipped, and how much memory its reading may take.

        The content has the declared size and checksum.
        """
        limit = MemoryLimit(self.name, self.compressed_size)
        self._check(limit)
        with open_file(self.path) as file:
            file.seek(self.offset)
            header = file.read(_LOCAL_HEADER)
            if len(header) < _LOCAL_HEADER or not header.startswith(b"PK\x03\x04"):
                raise self._damage("no member at its offset")
            file.seek(sum(struct.unpack("<HH", header[-4:])), os.SEEK_CUR)
            content = file.read(self.compressed_size)
        if self.method == zipfile.ZIP_DEFLATED:
            try:
                content = zlib.decompressobj(-zlib.MAX_WBITS).decompress(content, self.size + 1)
            except zlib.error as error:
                raise self._damage(str(error)) from error
        if len(content) != self.size or zlib.crc32(content) != self.checksum:
            raise self._damage("the size or the checksum differs from the declared one")
        return decompress(content, limit), limit

    def open(self) -> BinaryIO:
        """Open the content, which is decompressed once in each process."""
        return _open_held(self)

    def start(self) -> bytes:
        """Return the first bytes of the content, or none if they cannot be read."""
        try:
            return self.open().read(START)
        except NetworkFormatError:
            return b""

    def _check(self, limit: MemoryLimit) -> None:
        if not 0 <= self.compressed_size <= os.path.getsize(self.path):
            raise self._damage(f"{self.compressed_size} bytes in a smaller file")
        limit.check(COPIES * self.size, f"{self.size >> 20} MB in a zip file")
        if self.encrypted or self.method not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            found = "encrypted" if self.encrypted else f"compressed with method {self.method}"
            raise NetworkFormatError(
                f"{self.name}: {found}; expected members that are stored or deflated; zip the files again"
            )
        if not 0 <= self.offset < 1 << 62:
            raise self._damage(f"offset {self.offset}")

    def _damage(self, found: str) -> NetworkFormatError:
        return NetworkFormatError(
            f"{self.name}: damaged member of a zip file ({found}); download or zip it again"
        )


def zip_members(path: str) -> list[ZipMember]:
    """Return the members of a zip file, without folders."""

    def read() -> list[zipfile.ZipInfo]:
        with zipfile.ZipFile(path) as file:
            return [info for info in file.infolist() if not info.is_dir()]

    return [
        ZipMember(
            path, info.filename, info.header_offset, info.compress_size, info.file_size,
            info.compress_type, info.CRC, bool(info.flag_bits & 1),
        )
        for info in guarded(read, path, "zip")
    ]  # fmt: skip


def open_file(path: str) -> BinaryIO:
    """Open a file, or raise an error with one line."""
    try:
        return open(path, "rb")
    except OSError as error:
        raise NetworkFormatError(
            f"{path}: cannot be read: {error.strerror}; check the path and the permissions"
        ) from error


def _is_gzip(file: BinaryIO) -> bool:
    magic = file.read(2)
    file.seek(0)
    return magic == b"\x1f\x8b"


def _open_held(stored: StoredFile | ZipMember) -> BinaryIO:
    with open_file(stored.path) as file:
        changed = os.fstat(file.fileno()).st_mtime_ns
    return io.BytesIO(_held(stored, changed))


@lru_cache(maxsize=1)
def _held(stored: StoredFile | ZipMember, changed: int) -> bytes:
    """Return the decompressed content; the time of the last change is part of the key."""
    content, limit = stored.load()
    limit.check_lines(content)
    return content
