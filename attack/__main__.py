"""Run attacks and print a table of their outcomes.

A module of this package has a dictionary ``KINDS``: names of kinds of trials, with functions that take a
``numpy.random.Generator`` and an empty folder, attack something, and return an outcome. Outcomes in capital
letters are failures of netchoice. ``SHARES`` gives the share of the trials that a slow kind runs.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import shutil
import sys
import tempfile
import time
import traceback
import warnings
import zlib
from collections import Counter
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import numpy as np

Trial = Callable[[np.random.Generator, Path], str]
MODULES = (
    "kept_files", "foreign_files", "kills", "dask_deaths", "readers", "hostile_text", "choices",
    "current_folder",
)  # fmt: skip


def kinds_of_trials() -> dict[str, tuple[Trial, float]]:
    """Return the functions of all kinds of trials by name, with the share of trials that they run."""
    found = {}
    for name in MODULES:
        if find_spec(f"attack.{name}"):
            module = import_module(f"attack.{name}")
            shares = getattr(module, "SHARES", {})
            found |= {kind: (run, shares.get(kind, 1.0)) for kind, run in module.KINDS.items()}
    return found


def attack(
    trials: int, seed: int, only: str = "", keep: Path | None = None
) -> dict[str, Counter[str]]:
    """Return the outcomes of trials by kind, print each failure, and keep its files in a folder."""
    outcomes: dict[str, Counter[str]] = {}
    for kind, (run, share) in kinds_of_trials().items():
        if only not in kind:
            continue
        counts: Counter[str] = Counter()
        start = time.process_time()
        for trial in range(max(1, round(trials * share))):
            entropy = [seed, zlib.crc32(kind.encode()), trial]
            kept = None if keep is None else keep / f"{kind}-{seed}-{trial}"
            outcome, details = run_trial(run, np.random.default_rng(entropy), kept)
            counts[outcome] += 1
            if outcome.isupper():
                sys.stderr.write(f"{kind}, seed {seed}, trial {trial}: {outcome}\n{details}\n")
        outcomes[kind] = counts
        seconds = time.process_time() - start
        print(row(kind, counts, f"{seconds:.0f} s of CPU time"), flush=True)
    return outcomes


def run_trial(run: Trial, rng: np.random.Generator, kept: Path | None = None) -> tuple[str, str]:
    """Return the outcome of one trial, and what it printed; keep its files if it failed."""
    printed = io.StringIO()
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with contextlib.redirect_stdout(printed):
            try:
                outcome = run(rng, Path(folder))
            except Exception:  # the trial itself does not expect it
                outcome = "TRACEBACK"
                print(traceback.format_exc())
        if kept is not None and outcome.isupper():
            shutil.copytree(folder, kept)
    return outcome, printed.getvalue()


def row(kind: str, counts: Counter[str], note: str = "") -> str:
    """Return a line of the table."""
    texts = [f"{outcome} {count}" for outcome, count in sorted(counts.items())]
    return f"{kind:<34} {counts.total():>7}  {', '.join(texts)}" + (f"  ({note})" if note else "")


def main() -> int:
    """Run the attacks that the command line names; return 1 if netchoice failed one."""
    parser = argparse.ArgumentParser("attack", description="Attack netchoice, and print a table.")
    parser.add_argument("--trials", type=int, default=1000, help="trials of each kind; 1000")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="only kinds whose names contain this text")
    parser.add_argument("--keep", type=Path, help="folder for the files of failed trials")
    options = parser.parse_args()
    print(f"seed {options.seed}, {options.trials} trials of each kind; slow kinds have fewer")
    outcomes = attack(options.trials, options.seed, options.only, options.keep)
    total = sum(outcomes.values(), Counter())
    print(row("all", total))
    return int(any(outcome.isupper() for outcome in total))


if __name__ == "__main__":
    sys.exit(main())
