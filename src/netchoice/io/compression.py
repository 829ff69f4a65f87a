"""Decompression within a limit of memory: gzip, bzip2, xz and Zstandard."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zlib
from collections.abc import Callable

from netchoice.errors import NetworkFormatError
from netchoice.io.memory_limit import COPIES, MemoryLimit

#: Suffixes of compressed files.
COMPRESSED = (".gz", ".bz2", ".xz", ".zst")


def decompress(content: bytes, limit: MemoryLimit) -> bytes:
    """Return the content of a compressed file within its limit; other content is returned as it is.

    The first bytes decide, not the name of the file.
    """
    known = next((each for each in _FORMATS if each[1](content)), None)
    if known is None:
        return content
    name, _, read = known
    try:
        content = read(content, limit)
    except (EOFError, OSError, ValueError, lzma.LZMAError, zlib.error) as error:
        raise NetworkFormatError(
            f"{limit.path}: damaged or truncated {name} file ({error}); download or compress it again"
        ) from error
    limit.check(COPIES * len(content), "its decompressed bytes")
    return content


def _gzip(content: bytes, limit: MemoryLimit) -> bytes:
    with gzip.GzipFile(fileobj=io.BytesIO(content)) as file:
        return file.read(limit.content + 1)


def _bzip2(content: bytes, limit: MemoryLimit) -> bytes:
    with bz2.BZ2File(io.BytesIO(content)) as file:
        return file.read(limit.content + 1)


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


def _zstandard(content: bytes, limit: MemoryLimit) -> bytes:
    import pyarrow as pa

    with pa.CompressedInputStream(pa.BufferReader(content), "zstd") as file:
        return bytes(file.read(limit.content + 1))


_FORMATS: tuple[tuple[str, Callable[[bytes], bool], Callable[[bytes, MemoryLimit], bytes]], ...] = (
    ("gzip", lambda content: content[:2] == b"\x1f\x8b", _gzip),
    ("bzip2", lambda content: content[:3] == b"BZh" and content[4:10] == b"1AY&SY", _bzip2),
    ("xz", lambda content: content[:6] == b"\xfd7zXZ\0", _xz),
    ("Zstandard", lambda content: content[:4] == b"\x28\xb5\x2f\xfd", _zstandard),
)
