"""A folder that netchoice writes to: one process at a time, and a list of its files with checksums."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import platform
import stat
import time
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextvars import ContextVar
from pathlib import Path

from netchoice.atomic import before_each_write
from netchoice.errors import TableError, UsageError
from netchoice.storage.kept_files import (
    DamagedFileError,
    KeptFileError,
    checksum,
    read_content,
    read_json,
    write_json,
)
from netchoice.stores import is_store, store_errors


@contextlib.contextmanager
def disk_errors(path: Path) -> Iterator[None]:
    """Report errors of the disk or store in one line that names the folder and what to do."""
    try:
        with store_errors() if is_store(path) else contextlib.nullcontext():
            yield
    except OSError as error:
        raise TableError(
            f"cannot write to {path}: {error.strerror or error}; rows written before are kept: "
            "free some space or choose another folder, and run the same command again"
        ) from error


# The lock

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]

#: Programs that read a folder of Parquet files ignore names that begin with _.
LOCK = "_lock"
_held: set[int] = set()
#: The folders that are locked where this code runs; their subfolders need no lock of their own.
_locked: ContextVar[tuple[Path, ...]] = ContextVar("locked folders", default=())


def _close_inherited() -> None:
    """Close the locks of the parent in a forked process, which would otherwise outlive the parent."""
    while _held:
        os.close(_held.pop())


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_close_inherited)


@contextlib.contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder; refuse if another process holds it, and name that process.

    The kernel releases the lock when its owner ends, also after a kill. The file stays. Subfolders belong to
    the lock. A store has no such locks: there, files with the fingerprint of another run are refused when
    they are read.
    """
    if fcntl is None or is_store(folder) or not os.access(folder, os.W_OK):
        yield  # without write permission, nothing can be mixed
        return
    paths = (folder.resolve(), folder.absolute())  # the second one before links are followed
    if any(each in path.parents for each in _locked.get() for path in paths):
        yield
        return
    file = _open_lock(folder / LOCK)
    _held.add(file)
    token = _locked.set((*_locked.get(), *paths))
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
        _locked.reset(token)
        with contextlib.suppress(OSError):
            fcntl.flock(file, fcntl.LOCK_UN)
        _held.discard(file)
        os.close(file)


def _open_lock(path: Path) -> int:
    """Open the file of a lock; refuse a link, which would lead to a file of somebody else."""
    try:
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK, 0o666)
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise
        raise UsageError(f"{path} is a link; remove it, or give another folder") from None
    if not _is_lock(file):
        os.close(file)
        raise UsageError(f"{path} is not a lock of netchoice; move it, or give another folder")
    return file


def _is_lock(file: int) -> bool:
    """Return whether a file is empty, or holds the name of a process: it is no file of somebody else."""
    if not stat.S_ISREG(os.fstat(file).st_mode):
        return False
    content = os.pread(file, 1000, 0)
    return not content.strip() or content.startswith(b'{"host": ')


def _owner(file: int) -> str:
    """Return the name of the process that holds a lock."""
    try:
        owner = json.loads(os.pread(file, 1000, 0))
        return f"process {owner['pid']} on {owner['host']} (started {owner['start']})"
    except (ValueError, KeyError, TypeError):  # the owner has not written its name yet
        return "another process"


# The list of files

LISTING = "_files.json"
_LEAVES = "{} is outside the folder of the run, or a link that leads there; give another folder, or remove it"


@contextlib.contextmanager
def output_folder(folder: Path | None, names: Iterable[str]) -> Iterator[None]:
    """Be the only process that writes to a folder, and claim files in it; see :func:`claim_files`."""
    if folder is None:
        yield
        return
    with contextlib.ExitStack() as stack:
        with disk_errors(folder):
            folder.mkdir(parents=True, exist_ok=True)
            stack.enter_context(lock_folder(folder))
        claim_files(folder, names)
        yield


@contextlib.contextmanager
def listed_writes(folder: Path) -> Iterator[None]:
    """List each file before it is written to a folder or its subfolders; see :func:`claim_files`."""
    root, given = folder.resolve(), folder.absolute()

    def claim(path: Path) -> None:
        real = path.parent.resolve() / path.name
        if root in real.parents and real != root / LISTING:
            claim_files(root, [real.relative_to(root).as_posix()])
        elif root not in real.parents and given in path.absolute().parents:
            raise UsageError(_LEAVES.format(path.parent))

    with before_each_write(claim):
        yield


def claim_files(folder: Path, names: Iterable[str]) -> None:
    """Say that netchoice will write these files; refuse if a file of this name is somebody else's.

    Call it before the work starts. A file is netchoice's own if it is in the list of the folder.
    """
    known = claimed_files(folder)
    new = [name for name in names if name not in known]
    check_unclaimed(folder, new)
    if new:
        _write(folder, dict.fromkeys(new, "") | known)


def check_unclaimed(folder: Path, names: Iterable[str]) -> None:
    """Refuse if one of the files exists: netchoice would overwrite it, and has not listed it."""
    for name in names:
        if (folder / name).exists():
            raise UsageError(
                f"{folder / name} would be overwritten, and netchoice did not write it (earlier versions "
                "kept no list of their files); give another folder for the results, or move the file"
            )


def list_files(folder: Path, names: Iterable[str]) -> None:
    """Keep the checksums of files that were written; :func:`read_listed` checks them."""
    found = {name: checksum(read_content(folder / name)) for name in names}
    _write(folder, claimed_files(folder) | found)


def read_listed(folder: Path, name: str, advice: str) -> bytes:
    """Return the content of a file of a listed folder, if it is what netchoice wrote."""
    known, path = listed_files(folder, advice), folder / name
    content = read_content(path)
    if known.get(name) != checksum(content):
        raise DamagedFileError(f"{path} was changed or is damaged: its checksum differs; {advice}")
    return content


def listed_files(folder: Path, advice: str) -> dict[str, str]:
    """Return the checksums of the files that netchoice wrote to a folder, by name."""
    path = folder / LISTING
    if not path.exists():
        raise DamagedFileError(
            f"{path} is missing, which holds checksums (earlier versions of netchoice wrote none); {advice}"
        )
    return dict(read_json(path, advice=advice)["files"])


def claimed_files(folder: Path) -> dict[str, str]:
    """Return the listed files of a folder by name; the checksum is empty if none was kept."""
    path = folder / LISTING
    if not path.exists():
        return {}
    advice = "it lists the files that netchoice wrote: give another folder for the results"
    try:
        files = dict(read_json(path, advice=advice)["files"])
    except KeptFileError as error:
        raise UsageError(str(error)) from error
    root = folder.resolve()
    for parent in {(folder / name).parent for name in files}:
        if root not in (parent.resolve(), *parent.resolve().parents):
            raise UsageError(f"{_LEAVES.format(parent)}, or {path}")
    return files


def release_files(folder: Path) -> None:
    """Empty the list of the files of a folder."""
    _write(folder, {})


def _write(folder: Path, files: Mapping[str, str]) -> None:
    with disk_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        write_json(folder / LISTING, {"files": dict(files)}, checksum("\n".join(files)))
