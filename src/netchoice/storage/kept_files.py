"""Files that netchoice reads again: each carries a checksum of its bytes and the fingerprint of its run."""

from __future__ import annotations

import contextlib
import hashlib
import json
import mmap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from netchoice.atomic import write_atomically
from netchoice.errors import TableError, describe_error
from netchoice.stores import store_errors

if TYPE_CHECKING:
    import pyarrow as pa

#: The key of a JSON object, and of the metadata of a Parquet file, that holds what is said about the file.
ABOUT = "netchoice"
#: Stands before the checksum. The digits are 0 while the checksum is computed.
_MARK, _LENGTH = b"checksum-of-this-file:", 32
_BLANK = b"0" * _LENGTH


class KeptFileError(TableError):
    """A file that netchoice wrote cannot be used again."""


class UnreadableFileError(KeptFileError):
    """A file cannot be opened or read: its permissions or the disk are at fault, not its content."""


class DamagedFileError(KeptFileError):
    """The content of a file is not what netchoice wrote."""


class OtherRunError(KeptFileError):
    """A file belongs to another run."""


def fingerprint_of(facts: Any) -> str:
    """Return the fingerprint of what the content of a file depends on."""
    text = json.dumps(facts, sort_keys=True, default=str)
    return hashlib.blake2b(text.encode(), digest_size=_LENGTH // 2).hexdigest()


# JSON


def write_json(path: Path, record: Mapping[str, Any], run: str) -> None:
    """Write a JSON object atomically, with a checksum and its run under the key ``netchoice``."""
    text = json.dumps({**record, ABOUT: _about(path, run)}, indent=1, ensure_ascii=False)
    content = (text + "\n").encode("utf-8", errors="surrogatepass")
    _write_with_checksum(path, lambda temporary: temporary.write_bytes(content))


def read_json(path: Path, run: str | None = None, *, advice: str) -> dict[str, Any]:
    """Return a JSON object that :func:`write_json` wrote.

    Parameters
    ----------
    path : Path
    run : str, optional
        The fingerprint that is expected. By default any is accepted.
    advice : str
        What to do about a damaged file; the end of the message.
    """
    content = _read_checked(path, advice)
    with parsing(path, advice):
        record: dict[str, Any] = json.loads(content.decode("utf-8", errors="surrogatepass"))
        about = record.pop(ABOUT)
        _check_about(about, run, path, advice)
    return record


# Parquet


def write_parquet(path: Path, tables: Iterable[pa.Table], schema: pa.Schema, run: str) -> None:
    """Write tables to one Parquet file, atomically, a row group for each, with checksum and run."""
    import pyarrow.parquet as pq

    about = json.dumps(_about(path, run)).encode()
    kept = schema.with_metadata({**(schema.metadata or {}), ABOUT.encode(): about})

    def write(temporary: Path) -> None:
        options = {"compression": "zstd", "write_page_checksum": True}
        # Arrow would take the name of a file with a colon for an address.
        with temporary.open("wb") as file, pq.ParquetWriter(file, kept, **options) as writer:
            for table in tables:
                writer.write_table(table)

    _write_with_checksum(path, write)


def read_parquet(
    path: Path,
    run: str | None = None,
    columns: Sequence[str] | None = None,
    *,
    advice: str,
) -> pa.Table:
    """Return a table, or some of its columns, that :func:`write_parquet` wrote; see :func:`read_json`."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    content = _read_checked(path, advice)
    with parsing(path, advice), pq.ParquetFile(pa.BufferReader(content)) as file:
        metadata = dict(file.metadata.metadata or {})
        about = json.loads(metadata[ABOUT.encode()])
        _check_about(about, run, path, advice)
        table = file.read(columns, use_threads=False)  # for a small file, threads take longer
        own = {k: v for k, v in (table.schema.metadata or {}).items() if k != ABOUT.encode()}
        return table.replace_schema_metadata(own)


# The checksum inside a file


def _about(path: Path, run: str) -> dict[str, Any]:
    return {
        "file": path.name,
        "version": version("netchoice"),
        "fingerprint": run,
        "checksum": (_MARK + _BLANK).decode(),
    }


def _write_with_checksum(path: Path, write: Callable[[Path], Any]) -> None:
    """Write a file atomically, and the checksum of its bytes to the place that is reserved for it."""

    def write_both(temporary: Path) -> None:
        write(temporary)
        with open(temporary, "r+b") as file:
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
                start = content.rfind(_MARK) + len(_MARK)
                found = hashlib.blake2b(content, digest_size=_LENGTH // 2)
            file.seek(start)
            file.write(found.hexdigest().encode())

    write_atomically(path, write_both)


def _read_checked(path: Path, advice: str) -> bytes:
    """Return the bytes of a file; refuse one without a checksum, or with that of other content."""
    try:
        with store_errors():
            content = path.read_bytes()
    except OSError as error:
        raise UnreadableFileError(
            f"cannot read {path}: {error.strerror or error}; check its permissions and the disk"
        ) from error
    start = content.rfind(_MARK) + len(_MARK)
    if start < len(_MARK):
        raise DamagedFileError(
            f"{path} is damaged: it has no checksum, or an earlier version of netchoice wrote it; {advice}"
        )
    digest = hashlib.blake2b(content[:start], digest_size=_LENGTH // 2)
    digest.update(_BLANK)
    digest.update(memoryview(content)[start + _LENGTH :])
    if content[start : start + _LENGTH] != digest.hexdigest().encode():
        raise DamagedFileError(f"{path} is damaged: its checksum differs; {advice}")
    return content


def _check_about(about: Mapping[str, str], run: str | None, path: Path, advice: str) -> None:
    """Refuse a file that was written under another name, or by another run."""
    if about["file"] != path.name:
        raise DamagedFileError(f"{path} is damaged: it was written as {about['file']}; {advice}")
    if run is not None and about["fingerprint"] != run:
        raise OtherRunError(
            f"{path} belongs to another run (fingerprint {about['fingerprint']}, expected {run}); {advice}"
        )


@contextlib.contextmanager
def parsing(path: Path, advice: str) -> Iterator[None]:
    """Report content that cannot be parsed: another version of netchoice or of a library wrote it."""
    try:
        yield
    except KeptFileError:
        raise
    except Exception as error:  # parsers of damaged bytes may raise anything
        raise DamagedFileError(
            f"{path} is damaged, or another version of netchoice wrote it: {describe_error(error)}; {advice}"
        ) from error
