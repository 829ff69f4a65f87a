"""The folder of one run: a record of its settings, and the files that the run writes."""

from __future__ import annotations

import contextlib
import json
import platform
import textwrap
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatch
from importlib.metadata import version
from pathlib import Path
from typing import Any

from netchoice.errors import NetchoiceError, UsageError
from netchoice.storage.kept_files import (
    KeptFileError,
    fingerprint_of,
    read_json,
    write_json,
)
from netchoice.storage.written_folder import (
    LOCK,
    check_unclaimed,
    claimed_files,
    disk_errors,
    listed_writes,
    lock_folder,
    release_files,
)

RUN = "run.json"
#: Scores of sets of features, a line for each.
SCORES = "scores.jsonl"
PACKAGES = ("numpy", "scipy", "scikit-learn", "pandas", "numba", "networkx")


@dataclass(frozen=True)
class RunFiles:
    """What runs of one kind write.

    Attributes
    ----------
    record : str
        Name of the JSON file with the settings of a run.
    made_by : str
        What makes such runs, for messages.
    written : tuple of str
        Patterns of all files that a run writes. A file of such a name that the run has not listed is
        somebody else's, and the folder is refused.
    before : tuple of str
        What may be in the folder before the record is.
    """

    record: str
    made_by: str
    written: tuple[str, ...]
    before: tuple[str, ...] = ()


#: What is in the folder of an answer for people, and the subfolder of everything else.
ANSWER, REPORT, FIGURES, TABLES, KEPT = "answer.json", "report.html", "figures", "tables", "run"
EVIDENCE, NETWORK, NODES = f"{KEPT}/evidence.json", f"{KEPT}/network.tsv", f"{KEPT}/nodes.json"
#: The simulations of an answer, a folder for each stream.
SIMULATIONS = f"{KEPT}/simulations"
_FIGURES = (
    "probabilities",
    "fit-*",
    "map",
    "features",
    "parameters*",
    "ranks*",
    "reliability",
    "confusion",
)
_TABLES = ("models", "parameters", "features", "discrepancies", "posterior")
CHOICE_FILES = RunFiles(f"{KEPT}/{RUN}", "netchoice choose", (
    ANSWER, REPORT, EVIDENCE, NETWORK, NODES,
    *(f"{FIGURES}/{name}.{suffix}" for name in _FIGURES for suffix in ("png", "svg", "pdf")),
    *(f"{TABLES}/{name}.csv" for name in _TABLES),
    f"{SIMULATIONS}/selection/{SCORES}",
    *(f"{SIMULATIONS}/{depth}{name}" for depth in ("*/", "*/*/*/")
      for name in ("_manifest.json", "rows-*.parquet")),
), (KEPT,))  # fmt: skip


@contextlib.contextmanager
def run_folder(
    folder: Path | None, settings: Mapping[str, Any], fresh: bool, files: RunFiles = CHOICE_FILES
) -> Iterator[None]:
    """Open the folder of a run, and be the only process that writes to it; without a folder, do nothing.

    The files that are written are listed.
    """
    if folder is None:
        yield
        return
    with locked_run_folder(folder, settings, fresh, files), listed_writes(folder):
        yield


@contextlib.contextmanager
def locked_run_folder(
    folder: Path, settings: Mapping[str, Any], fresh: bool, files: RunFiles = CHOICE_FILES
) -> Iterator[None]:
    """Open the folder of a run, and be the only process that writes to it."""
    with contextlib.ExitStack() as stack:
        with disk_errors(folder):
            find_run(folder, files)  # a folder of somebody else gets no lock
            folder.mkdir(parents=True, exist_ok=True)
            stack.enter_context(lock_folder(folder))
        open_run_folder(folder, settings, fresh, files)
        yield


def open_run_folder(
    folder: Path, settings: Mapping[str, Any], fresh: bool, files: RunFiles = CHOICE_FILES
) -> None:
    """Create the folder, or check that it holds a run with the same settings.

    Parameters
    ----------
    folder : Path
    settings : mapping
        What the run depends on; kept in the record of the run.
    fresh : bool
        Delete the files that an earlier run listed. Other files in the folder are kept.
    files : RunFiles
        The kind of run.
    """
    settings = json.loads(json.dumps(settings, default=str))
    try:
        earlier = find_run(folder, files)
        own = [] if earlier is None else _own_files(folder, files)
        _remove_incomplete(folder, [*own, files.record])
        if earlier is not None:
            if not fresh:
                _check_same(earlier, settings, folder)
                return
            _delete(folder, own)
            release_files(folder)
        (folder / files.record).parent.mkdir(parents=True, exist_ok=True)
        record = {"settings": settings, **versions()}
        write_json(folder / files.record, record, fingerprint_of(settings))
    except OSError as error:
        raise NetchoiceError(f"cannot write to {folder}: {error.strerror}") from error


def find_run(folder: Path, files: RunFiles) -> dict[str, Any] | None:
    """Return the settings of the run in a folder, or None if the folder is empty or missing.

    A folder with other files but no run is refused.
    """
    home = folder.resolve()
    for inside in ((folder / files.record).parent, folder / SIMULATIONS):
        if home not in (inside.resolve(), *inside.resolve().parents):
            raise UsageError(
                f"{inside} is a link that leads out of {folder}; remove it, or give another folder"
            )
    if (folder / files.record).exists():
        return _read_record(folder / files.record, files)
    # A run that was killed before it wrote its record may have left these.
    own = (LOCK, f".{files.record}.*.partial", *files.before)
    if folder.exists() and not all(
        any(fnmatch(path.name, name) for name in own) for path in folder.iterdir()
    ):
        raise UsageError(
            f"{folder} is not empty and holds no run of {files.made_by}; give another folder"
        )
    return None


def versions() -> dict[str, Any]:
    """Return the versions of Python and of the packages that results depend on."""
    return {
        "versions": {name: version(name) for name in ("netchoice", *PACKAGES)},
        "python": platform.python_version(),
    }


def _read_record(path: Path, files: RunFiles) -> dict[str, Any]:
    """Return the settings in the record of a run; refuse a foreign file."""
    try:
        record = read_json(path, advice="nothing was changed: give another folder")
        return dict(record["settings"])
    except KeptFileError as error:
        raise UsageError(f"{error} (expected a record of {files.made_by})") from error
    except (KeyError, TypeError, ValueError):
        raise UsageError(
            f"{path} was not written by {files.made_by}; nothing was changed: give another folder"
        ) from None


def _own_files(folder: Path, files: RunFiles) -> list[str]:
    """Return the files that a run listed; refuse a folder with others that have the name of a result."""
    own = claimed_files(folder)
    found = (path for pattern in files.written for path in folder.glob(pattern))
    check_unclaimed(folder, {path.relative_to(folder).as_posix() for path in found} - {*own})
    return [*own]


def _remove_incomplete(folder: Path, names: Iterable[str]) -> None:
    """Remove what is left of files whose writing was killed."""
    by_folder: defaultdict[Path, set[str]] = defaultdict(set)
    for name in names:
        by_folder[(folder / name).parent].add((folder / name).name)
    for parent, known in by_folder.items():
        for path in parent.glob(".*.partial"):
            if path.name[1:].rsplit(".", 2)[0] in known:
                path.unlink()


def _delete(folder: Path, names: Iterable[str]) -> None:
    """Delete files of a run, also damaged ones, and their empty folders.

    The record and the list of files stay, so that an interruption is harmless.
    """
    paths = [folder / name for name in names]
    for path in paths:
        path.unlink(missing_ok=True)
        path.with_name(f"_{path.name}.damaged").unlink(missing_ok=True)
    subfolders = {parent for path in paths for parent in path.parents if folder in parent.parents}
    for subfolder in sorted(subfolders, key=lambda path: len(path.parts), reverse=True):
        (subfolder / LOCK).unlink(missing_ok=True)
        with contextlib.suppress(OSError):  # it holds files of the user
            subfolder.rmdir()


def _check_same(earlier: Mapping[str, Any], settings: Mapping[str, Any], folder: Path) -> None:
    for name, value in settings.items():
        if earlier.get(name) != value:
            raise UsageError(
                f"{folder} holds a run with another {name}; give another folder, or start over with "
                f"--fresh (in Python fresh=True). The run has {_shown(earlier.get(name))}; got "
                f"{_shown(value)}"
            )


def _shown(value: Any) -> str:
    """Return a setting in words, at most a line."""
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return textwrap.shorten(text, 200, placeholder=" …")
