"""Kills at every file operation of a run, and two runs in one folder."""

from __future__ import annotations

import os
import sys
import time
import warnings
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from attack.kept_files import made, outcome
from attack.specimens import SPECIMENS, _simulate, _table_text
from netchoice.errors import NetchoiceError

#: Operations of Python on files that are reported to audit hooks. A kill comes before the operation.
_OPERATIONS = ("open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.truncate")
_KILLED = 9


def run_in_child(work: Callable[[], Any], folder: Path, kill_at: int | None = None) -> int:
    """Start work in a forked process, which ends at an operation on a file of the folder; return its id."""
    child = os.fork()
    if child:
        return child
    code = 3
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        warnings.simplefilter("ignore")
        count = 0

        def watch(event: str, arguments: tuple[Any, ...]) -> None:
            nonlocal count
            if event in _OPERATIONS and str(folder) in str(arguments[0]):
                if count == kill_at:
                    os._exit(_KILLED)
                count += 1

        sys.addaudithook(watch)
        work()
        code = 0
    except NetchoiceError as error:
        code = 1 if "\n" not in str(error) else 2
    finally:
        os._exit(code)


def exit_code(child: int) -> int:
    """Wait for a child, and return its exit code."""
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@cache
def n_operations(name: str) -> int:
    """Return the number of operations of a run on its files, at least."""
    import tempfile

    count = 1
    while True:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder)
            killed = exit_code(run_in_child(partial(SPECIMENS[name].make, path), path, 2 * count))
        if killed != _KILLED:
            return 2 * count
        count *= 2


def kill(name: str, rng: np.random.Generator, folder: Path) -> str:
    """Kill a run once or twice at an operation on a file; the run must resume to the same answer."""
    make = SPECIMENS[name].make
    _, expected = made(name)
    for _ in range(rng.integers(1, 3)):
        at = int(rng.integers(n_operations(name)))
        print("kill at operation", at)
        if exit_code(run_in_child(lambda: make(folder), folder, at)) not in (0, _KILLED):
            return "NOT RESUMED"

    def resumed() -> str:
        make(folder)
        return SPECIMENS[name].answer(folder)

    found = outcome(resumed, expected)
    return {"same answer": "resumed", "one line": "NOT RESUMED"}.get(found, found)


@cache
def _tables() -> dict[str, int]:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        return {_table_text(_simulate(Path(folder) / str(s), s)): s for s in (1, 2)}


def two_writers(rng: np.random.Generator, folder: Path) -> str:
    """Start two simulations with different seeds in one folder; the table must be that of one of them."""
    _tables()
    children = []
    for seed in (1, 2):
        children.append(run_in_child(partial(_simulate, folder, seed), folder))
        time.sleep(float(rng.exponential(0.01)))
    codes = sorted(map(exit_code, children))
    if codes not in ([0, 1], [0, 0]):
        print("exit codes", codes)
        return "BOTH REFUSED" if codes == [1, 1] else "TRACEBACK"
    known = SPECIMENS["table, loaded"].answer(folder) in _tables()
    return "one table" if known else "MIXED"


_KILLED_RUNS = (
    "table, loaded", "scores.json", "record of a run",
    "cohort, read", "folder of evaluate", "choose, resumed",
    "prepare, repeated", "cohort, repeated", "pilot, repeated",
)  # fmt: skip
KINDS = {f"kill: {name}": partial(kill, name) for name in _KILLED_RUNS} | {
    "two writers": two_writers
}
SHARES = dict.fromkeys(KINDS, 0.1) | {
    "kill: choose, resumed": 0.01, "kill: prepare, repeated": 0.01, "kill: pilot, repeated": 0.03,
    "kill: cohort, repeated": 0.03,
}  # fmt: skip
