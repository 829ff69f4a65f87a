"""Files on disk, and files in zip files."""

from __future__ import annotations

import gzip
import io
import os
import zipfile
import zlib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO

from netchoice.errors import NetworkFormatError
from netchoice.io.guard import COPIES, MemoryLimit, decompress, guarded, load

#: How many bytes of a file are read to find its header.
START = 1 << 16


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
    archive = guarded(lambda: _archive(path, _changed(path), os.getpid()), path, "zip")
    return [
        StoredFile(path, info.filename, number)
        for number, info in enumerate(archive.infolist())
        if not info.is_dir()
    ]


def _load_member(stored: StoredFile) -> tuple[bytes, MemoryLimit]:
    """Return the content of a member of a zip file, which has the declared size and checksum."""
    path, name = stored.path, stored.name
    archive = _archive(path, _changed(path), os.getpid())
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


def _changed(path: str) -> int:
    return os.stat(path).st_mtime_ns


def _is_gzip(file: BinaryIO) -> bool:
    magic = file.read(2)
    file.seek(0)
    return magic == b"\x1f\x8b"
