"""Damage to every kind of file that netchoice reads again: flipped bits, cuts, deletions, other content."""

from __future__ import annotations

import re
import shutil
import tempfile
import traceback
import warnings
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

import numpy as np

from attack.specimens import SPECIMENS
from netchoice.errors import NetchoiceError


@cache
def made(name: str) -> tuple[tempfile.TemporaryDirectory[str], str]:
    """Return a folder that holds the run of a specimen, and its answer."""
    folder = tempfile.TemporaryDirectory()
    SPECIMENS[name].make(Path(folder.name))
    return folder, SPECIMENS[name].answer(Path(folder.name))


@cache
def made_with_another_seed(name: str) -> tempfile.TemporaryDirectory[str]:
    """Return a folder that holds the same run with another seed."""
    folder, make = tempfile.TemporaryDirectory(), SPECIMENS[name].other
    assert make is not None
    make(Path(folder.name))
    return folder


def damage(rng: np.random.Generator, path: Path, others: list[Path]) -> str:
    """Damage a file in one of several ways; return what was done."""
    content = bytearray(path.read_bytes())
    way = rng.choice(["bit", "bit", "bit", "bits", "cut", "block", "append", "delete", "other"])
    place = int(rng.integers(max(1, len(content))))
    if way == "delete":
        path.unlink()
        return "delete"
    if way == "other":
        path.write_bytes(others[rng.integers(len(others))].read_bytes())
        return "other"
    if way in ("bit", "bits"):
        for i in rng.integers(len(content), size=1 if way == "bit" else 8) if content else ():
            content[i] ^= 1 << int(rng.integers(8))
    elif way == "cut":
        del content[place:]
    elif way == "block":
        content[place : place + 64] = bytes(len(content[place : place + 64]))
    else:
        content += rng.bytes(int(rng.integers(1, 40)))
    path.write_bytes(content)
    return str(way)


def trial(name: str, rng: np.random.Generator, folder: Path) -> str:
    """Damage one file of a run; return whether the answer is the same, refused in one line, or changed."""
    source, expected = made(name)
    target = folder / "copy"
    shutil.copytree(source.name, target)
    files = sorted(path for path in target.rglob("*") if path.is_file())
    damaged = files[rng.integers(len(files))]
    before = damaged.read_bytes()
    print(damaged.relative_to(target), damage(rng, damaged, files))
    if damaged.exists() and damaged.read_bytes() == before:
        return "same answer"
    specimen = SPECIMENS[name]
    return outcome(lambda: specimen.answer(target), expected, specimen.warns)


def exchange(name: str, rng: np.random.Generator, folder: Path) -> str:
    """Put a file or folder of a run with another seed in the place of ours, or beside ours."""
    (source, expected), other = made(name), made_with_another_seed(name)
    target, theirs = folder / "copy", Path(other.name)
    shutil.copytree(source.name, target)
    inside = sorted(path.relative_to(theirs) for path in theirs.glob("*/**/*"))
    taken = inside[rng.integers(len(inside))]
    if (theirs / taken).is_dir():
        replaces = bool(rng.integers(2))
        if replaces:
            shutil.rmtree(target / taken, ignore_errors=True)
        shutil.copytree(theirs / taken, target / taken, dirs_exist_ok=True)
    else:
        (target / taken).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(theirs / taken, target / taken)
    print(taken)
    specimen = SPECIMENS[name]
    return outcome(lambda: specimen.answer(target), expected, specimen.warns)


def outcome(answer: Callable[[], str], expected: str, warns: bool = False) -> str:
    """Return what became of an answer; with ``warns``, it may be another one after a warning."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            found = answer()
        except NetchoiceError as error:
            return "one line" if "\n" not in str(error) else "SEVERAL LINES"
        except Exception:
            traceback.print_exc(file=_Printed())
            return "TRACEBACK"
    if found == expected:
        return "same answer"
    lacking = [each for each in warned if re.search("has .* of .* rows", str(each.message))]
    if warns and lacking:
        return "one line"
    print(f"expected:\n{expected}\nfound:\n{found}\n{[str(each.message) for each in warned]}")
    return "CHANGE AFTER A WARNING" if warned else "SILENT CHANGE"


class _Printed:
    """Standard output as it is now."""

    def write(self, text: str) -> None:
        print(text, end="")


KINDS = {f"damage: {name}": partial(trial, name) for name in SPECIMENS} | {
    f"exchange: {name}": partial(exchange, name)
    for name, specimen in SPECIMENS.items()
    if specimen.other is not None
}
SHARES = {
    "damage: folder of choose": 0.1, "damage: choose, resumed": 0.03,
    "damage: prepared, loaded": 0.1, "damage: prepare, repeated": 0.1,
    "damage: cohort, repeated": 0.2, "damage: pilot, repeated": 0.2,
    **dict.fromkeys((kind for kind in KINDS if kind.startswith("exchange")), 0.05),
    "exchange: table, loaded": 1.0, "exchange: table, resumed": 1.0,
}  # fmt: skip
