"""A folder that netchoice writes to: one process at a time, a record of its run, and a list of its files."""

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
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from netchoice.atomic import before_each_write
from netchoice.errors import TableError, UsageError, one_line
from netchoice.storage.kept_files import (
    KeptFileError,
    fingerprint_of,
    parsing,
    read_json,
    write_json,
)
from netchoice.storage.records import from_record, plain, to_record
from netchoice.stores import is_store, store_errors

#: What is in the folder of a run for people.
ANSWER, REPORT, FIGURES, TABLES = "answer.json", "report.html", "figures", "tables"
#: The subfolder of everything else, and the record of the run in it.
KEPT = "run"
RECORD = f"{KEPT}/run.json"
#: Scores of sets of features.
SCORES = f"{KEPT}/scores.json"
#: Programs that read a folder of Parquet files ignore names that begin with _.
LOCK = "_lock"
PACKAGES = ("numpy", "scipy", "scikit-learn", "pandas", "numba", "networkx")


@contextlib.contextmanager
def disk_errors(path: Path) -> Iterator[None]:
    """Report errors of the disk or store in one line that names the folder and what to do."""
    try:
        with store_errors() if is_store(path) else contextlib.nullcontext():
            yield
    except OSError as error:
        is_read_only = error.errno in (errno.EROFS, errno.EACCES, errno.EPERM)
        advice = (
            "choose another folder with --out (in Python out=)"
            if is_read_only
            else "rows written before are kept: free some space or choose another folder, and run the "
            "same command again"
        )
        raise TableError(f"cannot write to {path}: {error.strerror or error}; {advice}") from error


def versions() -> dict[str, Any]:
    """Return the versions of Python and of the packages that results depend on."""
    return {
        "versions": {name: _version(name) for name in ("netchoice", *PACKAGES)},
        "python": platform.python_version(),
    }


_version = cache(version)


# The lock

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]

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
def lock_folder(folder: Path, name: str = LOCK) -> Iterator[None]:
    """Make a folder if necessary, and hold its lock; refuse if another process holds it.

    The kernel releases the lock when its owner ends, also after a kill. The file stays. Subfolders belong to
    the lock. A store has no such locks: there, files with the fingerprint of another run are refused when
    they are read.
    """
    with disk_errors(folder):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
    path = folder.resolve()
    is_inside = any(each in path.parents for each in _locked.get())
    # Without write permission, nothing can be mixed.
    if fcntl is None or is_store(folder) or is_inside or not os.access(folder, os.W_OK):
        yield
        return
    with disk_errors(folder):
        file = _open_lock(folder / name)
    _held.add(file)
    token = _locked.set((*_locked.get(), path))
    try:
        with disk_errors(folder):
            _take(file, folder)
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
    # A lock is empty, or holds the name of a process; anything else is a file of somebody else.
    content = os.pread(file, 1000, 0) if stat.S_ISREG(os.fstat(file).st_mode) else b"no file"
    if content.strip() and not content.startswith(b'{"host": '):
        os.close(file)
        raise UsageError(f"{path} is not a lock of netchoice; move it, or give another folder")
    return file


def _take(file: int, folder: Path) -> None:
    """Lock an open file, and write the name of this process to it."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        try:
            owner = json.loads(os.pread(file, 1000, 0))
            name = f"process {owner['pid']} on {owner['host']} (started {owner['start']})"
        except (ValueError, KeyError, TypeError):  # the owner has not written its name yet
            name = "another process"
        raise TableError(
            f"{name} is writing to {folder}; wait until it ends, or use another folder"
        ) from None
    except OSError as error:
        warnings.warn(
            f"cannot lock {folder} ({error.strerror}); let only one process write to it",
            stacklevel=6,
        )
    owner = {"host": platform.node(), "pid": os.getpid(), "start": time.strftime("%F %T%z")}
    os.ftruncate(file, 0)
    os.pwrite(file, json.dumps(owner).encode(), 0)


# The record


@dataclass(frozen=True)
class Record:
    """What a folder holds.

    Attributes
    ----------
    made_by : str
        What makes such runs, for messages.
    settings : dict
        What the run depends on.
    files : tuple of str
        The names of all files that netchoice wrote.
    """

    made_by: str = "netchoice"
    settings: dict[str, Any] = field(default_factory=dict)
    files: tuple[str, ...] = ()
    versions: dict[str, str] = field(default_factory=lambda: versions()["versions"])
    python: str = field(default_factory=platform.python_version)


def _read(folder: Path, made_by: str = "netchoice") -> Record | None:
    """Return the record of a folder, or None if there is none; refuse a foreign one, and links."""
    path, root = folder / RECORD, folder.resolve()
    leads_out = "{} is a link that leads out of {}; remove it, or give another folder"
    if root not in path.parent.resolve().parents:
        raise UsageError(leads_out.format(path.parent, folder))
    if not path.exists():
        for each in () if is_store(folder) else path.parent.rglob("*"):
            if each.is_symlink() and each.name != LOCK:  # the lock says so itself
                raise UsageError(leads_out.format(each, folder))
        return None
    advice = "nothing was changed: give another folder"
    try:
        with parsing(path, advice):
            record = from_record(Record, read_json(path, advice=advice))
    except KeptFileError as error:
        raise UsageError(f"{error} (expected a record of {made_by})") from error
    for parent in {(folder / name).parent for name in record.files}:
        if root not in (parent.resolve(), *parent.resolve().parents):
            raise UsageError(f"{_LEAVES.format(parent)}, or {path}")
    return record


def _write(folder: Path, record: Record) -> None:
    with disk_errors(folder):
        (folder / KEPT).mkdir(parents=True, exist_ok=True)
        write_json(folder / RECORD, to_record(record), fingerprint_of(record.settings))


def find_run(folder: Path, made_by: str) -> dict[str, Any] | None:
    """Return the settings of the run in a folder, or None if the folder is empty or missing.

    A folder with other files, or with a run of another kind, is refused.
    """
    record = _read(folder, made_by)
    if record is None:
        if folder.exists() and any(path.name != KEPT for path in folder.iterdir()):
            raise UsageError(
                f"{folder} is not empty and holds no run of {made_by}; give another folder"
            )
        return None
    if record.made_by != made_by:
        raise UsageError(
            f"{folder} holds results of {record.made_by} and no run of {made_by}; give another folder"
        )
    return record.settings


@contextlib.contextmanager
def run_folder(
    folder: Path | None,
    settings: Mapping[str, Any],
    fresh: bool,
    made_by: str = "netchoice choose",
    names: Iterable[str] = (ANSWER, REPORT),
) -> Iterator[None]:
    """Open the folder of a run, and be the only process that writes to it; without a folder, do nothing.

    Parameters
    ----------
    folder : Path or None
    settings : mapping
        What the run depends on. A folder with other settings is refused, unless ``fresh`` is true.
    fresh : bool
        Delete the files that an earlier run listed. Other files in the folder are kept.
    made_by : str
        The kind of run. A folder of another kind is refused.
    names : iterable of str
        Files that the run will write. It is refused if somebody else has written one.
    """
    if folder is None:
        yield
        return
    with disk_errors(folder):
        find_run(folder, made_by)  # a folder of somebody else gets no lock
    with written_folder(folder, names):
        with disk_errors(folder):
            record, kept = _read(folder), plain(settings)
            listed = () if record is None else record.files
            _remove_incomplete(folder, {*listed, RECORD})
            if record is None or fresh:
                _delete(folder, listed)
                _write(folder, Record(made_by, kept))
            else:
                _check_same(record.settings, kept, folder)
        yield


@contextlib.contextmanager
def written_folder(folder: Path | None, names: Iterable[str] = ()) -> Iterator[None]:
    """Be the only process that writes to a folder, and list what is written; without one, do nothing.

    A folder in which somebody else has written a file of one of these names is refused.
    """
    if folder is None:
        yield
        return
    _read(folder)  # a folder of somebody else gets no lock
    with lock_folder(folder, f"{KEPT}/{LOCK}"), listed_writes(folder):
        record = _read(folder)
        for name in names:
            _check_unclaimed(folder, name, record)
        yield


@contextlib.contextmanager
def listed_writes(folder: Path) -> Iterator[None]:
    """List each file before it is written to a folder or its subfolders; refuse to replace an unlisted one.

    So a file is netchoice's own if it is in the list.
    """
    root, given = folder.resolve(), folder.absolute()

    def claim(path: Path) -> None:
        real = path.parent.resolve() / path.name
        if root not in real.parents:
            if given in path.absolute().parents:
                raise UsageError(_LEAVES.format(path.parent))
            return
        if real == root / RECORD:
            return
        record, name = _read(root), real.relative_to(root).as_posix()
        if record is None or name not in record.files:
            _check_unclaimed(root, name, record)
            record = record or Record()
            _write(root, replace(record, files=(*record.files, name)))

    with before_each_write(claim):
        yield


_LEAVES = "{} is outside the folder of the run, or a link that leads there; give another folder, or remove it"


def _check_unclaimed(folder: Path, name: str, record: Record | None) -> None:
    """Refuse if a file exists that netchoice would overwrite, and has not listed."""
    if (record is None or name not in record.files) and (folder / name).exists():
        raise UsageError(
            f"{folder / name} would be overwritten, and netchoice did not write it; give another folder for "
            "the results, or move the file"
        )


def _remove_incomplete(folder: Path, names: set[str]) -> None:
    """Remove what is left of files whose writing was killed."""
    for parent in {(folder / name).parent for name in names}:
        for path in parent.glob(".*.partial"):
            complete = parent / path.name[1:].rsplit(".", 2)[0]
            if complete.relative_to(folder).as_posix() in names:
                path.unlink()


def _delete(folder: Path, names: Iterable[str]) -> None:
    """Delete files of a run, also damaged ones, and their empty folders.

    The record stays, so that an interruption is harmless.
    """
    paths = [folder / name for name in names]
    for path in paths:
        path.unlink(missing_ok=True)
        path.with_name(f"_{path.name}.damaged").unlink(missing_ok=True)
    subfolders = {parent for path in paths for parent in path.parents if folder in parent.parents}
    for subfolder in sorted(subfolders - {folder / KEPT}, key=lambda path: -len(path.parts)):
        (subfolder / LOCK).unlink(missing_ok=True)
        with contextlib.suppress(OSError):  # it holds files of the user
            subfolder.rmdir()


def _check_same(earlier: Mapping[str, Any], settings: Mapping[str, Any], folder: Path) -> None:
    for name, value in settings.items():
        if earlier.get(name) != value:
            has, got = _shown(earlier.get(name)), _shown(value)
            differs = f"The run has {has}; got {got}" if has != got else "Priors or weights differ"
            raise UsageError(
                f"{folder} holds a run with another {name}; give another folder, or start over with "
                f"--fresh (in Python fresh=True). {differs}"
            )


def _shown(value: Any) -> str:
    """Return a setting in words, at most a line."""
    if isinstance(value, dict) and "name" in value:  # a space
        value = value["name"]
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return one_line(text, 200)
