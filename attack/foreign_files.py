"""Links, pipes and files of others in the folders of runs and cohorts: none of them is touched."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from pathlib import Path

import numpy as np

import netchoice
from attack.specimens import _choose, _in_shards, _prepare
from netchoice.errors import NetchoiceError
from netchoice.storage.run_folder import RECORD

_RUNS: dict[str, Callable[[Path], object]] = {
    "t": _in_shards,
    "run": _choose,
    "prepared": _prepare,
}
_NAMES = {
    "t": ("_lock", "_manifest.json", "rows-0.parquet", ".{}.partial"),
    "run": (
        "_lock", "answer.json", "report.html", "figures", "tables", "run", "run/run.json",
        "run/evidence.json", "run/network.tsv", "run/simulations", "run/simulations/training",
        "run/simulations/selection", "run/.run.json.{}.partial", "tables/models.csv",
        ".answer.json.{}.partial",
    ),
    "prepared": ("_lock", "run", "run/run.json", "20-keep", "20-keep/prepared.json"),
}  # fmt: skip
_PRECIOUS = b"precious"
_SECONDS = 60


def _contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else b""
        for path in folder.rglob("*")
    }


def planted(rng: np.random.Generator, folder: Path) -> str:
    """Put a link, a pipe, a folder or a file in the place of a file that a run writes."""
    kind = str(rng.choice(list(_RUNS)))
    elsewhere, path = folder / "elsewhere", folder / "o" / kind
    elsewhere.mkdir()
    path.mkdir(parents=True)
    for name in ("file", ".run.json.1.partial", "run.json"):
        (elsewhere / name).write_bytes(_PRECIOUS)
    if rng.random() < 0.5:  # in a folder that holds a run
        _RUNS[kind](path.parent)
    name = str(rng.choice(_NAMES[kind])).format(os.getpid())
    is_known = _is_known(path, name)
    place, way = path / name, str(rng.choice(["link", "folder link", "pipe", "folder", "file"]))
    place.parent.mkdir(parents=True, exist_ok=True)
    if place.is_dir() and not place.is_symlink():
        place.rename(folder / "moved")
    place.unlink(missing_ok=True)
    if way in ("link", "folder link"):
        place.symlink_to(elsewhere if way == "folder link" else elsewhere / "file")
    elif way == "pipe":
        os.mkfifo(place)
    elif way == "folder":
        place.mkdir()
    else:
        place.write_bytes(_PRECIOUS)
    print(kind, name, way)
    before = _contents(elsewhere)

    def stop(*_: object) -> None:
        raise TimeoutError

    signal.signal(signal.SIGALRM, stop)
    signal.alarm(_SECONDS)
    try:
        _RUNS[kind](path.parent)
        outcome = "ran"
    except NetchoiceError as error:
        outcome = "one line" if "\n" not in str(error) else "SEVERAL LINES"
        print(error)
    except TimeoutError:
        outcome = "HANG"
    finally:
        signal.alarm(0)
    if _contents(elsewhere) != before:
        return "FOREIGN FILE TOUCHED"
    if way == "file" and not name.endswith(".partial") and not is_known:
        is_same = place.is_file() and place.read_bytes() == _PRECIOUS
        return outcome if is_same else "FOREIGN FILE TOUCHED"
    return outcome


def _is_known(path: Path, name: str) -> bool:
    """Return whether a run of netchoice had listed a file before, so that it may replace it."""
    record = path / RECORD
    return record.is_file() and name in json.loads(record.read_bytes())["files"]


def pipes_in_a_cohort(rng: np.random.Generator, folder: Path) -> str:
    """Find networks in a folder with pipes, links to devices and links that lead back."""
    for number in range(int(rng.integers(1, 4))):
        (folder / f"n{number}.tsv").write_text("a b\nb c\n")
    expected = len(list(folder.iterdir()))
    special = int(rng.integers(1, 4))
    for number in range(special):
        path = folder / f"x{number}.{rng.choice(['tsv', 'gml', 'csv', 'json'])}"
        way = int(rng.integers(3))
        if way == 0:
            os.mkfifo(path)
        elif way == 1:
            path.symlink_to(str(rng.choice(["/dev/zero", "/dev/urandom", "/dev/stdin"])))
        else:
            path.symlink_to(path)
    try:
        found = netchoice.io.find_networks([folder])
        read = [each.read()[0] for each in found]
    except NetchoiceError as error:
        return "one line" if "\n" not in str(error) else "SEVERAL LINES"
    return "left out" if len(read) == expected else "READ"


KINDS = {"foreign files in a run": planted, "pipes and links in a cohort": pipes_in_a_cohort}
SHARES = {"foreign files in a run": 0.1, "pipes and links in a cohort": 0.5}
