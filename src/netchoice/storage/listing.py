"""The list of the files that netchoice wrote to a folder, with their checksums."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from netchoice.atomic import before_each_write
from netchoice.errors import UsageError
from netchoice.storage.kept_files import (
    DamagedFileError,
    KeptFileError,
    checksum,
    read_content,
    read_json,
    write_json,
)
from netchoice.storage.lock import lock_folder
from netchoice.storage.shards import disk_errors

LISTING = "_files.json"


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
    root = folder.resolve()

    def claim(path: Path) -> None:
        path = path.parent.resolve() / path.name
        if root in path.parents and path != root / LISTING:
            claim_files(root, [path.relative_to(root).as_posix()])

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
    try:
        advice = "it lists the files that netchoice wrote: give another folder for the results"
        return dict(read_json(path, advice=advice)["files"])
    except KeptFileError as error:
        raise UsageError(str(error)) from error


def release_files(folder: Path) -> None:
    """Empty the list of the files of a folder."""
    _write(folder, {})


def _write(folder: Path, files: Mapping[str, str]) -> None:
    with disk_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        write_json(folder / LISTING, {"files": dict(files)}, checksum("\n".join(files)))
