"""Run what measures a claim, and keep its values with where they came from.

``python tools/results.py fit-power-60`` runs the command of this claim and writes its values to
``results/fit-power-60.json``, with the command, the commit, the date, the machine, versions, CPU seconds and
the files that the values depend on. Pages of the documentation take values from these files.

Without names, it measures the claims that have no result or whose code has changed since. Each result is
kept at once, so the same command resumes after an interruption. ``--list`` prints the claims, ``--stale``
those that would be measured.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "results"
PACKAGES = ("numpy", "scipy", "scikit-learn", "pandas", "numba", "networkx")
#: Files that results depend on.
KERNELS = ("src/netchoice/_kernels/*.py",)
MODELS = ("src/netchoice/models/**/*.py", *KERNELS)
FEATURES = ("src/netchoice/features/*.py", *KERNELS)
SCORES = ("src/netchoice/inference/model_scores.py", "src/netchoice/inference/scaling.py")
#: What decides which models fit, and how probable they are; other files of ``choice`` present an answer.
DECIDING = tuple(
    f"src/netchoice/choice/{name}.py"
    for name in ("assess", "conclude", "matching", "observe", "reference", "settings", "sizes")
)
FORESTS = ("src/netchoice/forests.py", *KERNELS)
INFORMATION = ("src/netchoice/information/*.py", *KERNELS)
SELECTION = ("src/netchoice/selection/*.py", "src/netchoice/forests.py", *INFORMATION)
EVALUATION = ("src/netchoice/evaluation/*.py", *SELECTION, "src/netchoice/features/*.py", *MODELS)
PAPER = ("reproduction/*.py", *EVALUATION)
#: The table of the benchmarks of selection.
TABLE = ("benchmarks/mixed_table.py", "src/netchoice/features/*.py", *MODELS)


@dataclass(frozen=True)
class Claim:
    """What measures a claim: a Python command, the files that its values depend on, and CPU minutes."""

    command: str
    depends_on: tuple[str, ...]
    minutes: float


def _claim(command: str, depends_on: tuple[str, ...], minutes: float) -> Claim:
    """Return a claim of a benchmark, which its values depend on."""
    return Claim(
        f"benchmarks/{command}", (f"benchmarks/{command.split()[0]}", *depends_on), minutes
    )


def _fit_power(options: str, minutes: float) -> Claim:
    files = ("src/netchoice/alterations.py", *SCORES, *MODELS, *FEATURES)
    return _claim(f"fit_scores.py {options} --seed 101", files, minutes)


def _rejection(options: str, minutes: float) -> Claim:
    files = ("benchmarks/fit_scores.py", *SCORES, *MODELS, *FEATURES)
    return _claim(f"racing.py {options} --seed 101", files, minutes)


#: Each command accepts ``--json FILE``, to which it writes its values.
CLAIMS = {
    "features-speed": _claim("features.py", FEATURES, 1),
    "growth-speed": _claim("growth.py", ("tests/naive.py", *MODELS), 1),
    "information-speed": _claim("information.py", (*TABLE, *INFORMATION), 4),
    "information-speed-numbers": _claim("information.py --numbers", (*TABLE, *INFORMATION), 5),
    "information-given-numbers": _claim("conditional_information.py", INFORMATION, 2),
    "forest-speed": _claim("forest.py", FORESTS, 4),
    "information-errors": _claim(
        "calibration.py --nodes 200 --repeats 5", (*TABLE, *INFORMATION), 12
    ),
    "selection-speed": _claim("selection.py", (*TABLE, *SELECTION), 4),
    "relief-speed": _claim("relief.py", (*TABLE, *SELECTION), 5),
    "selection-numbers": _claim("selection_numbers.py", SELECTION, 5),
    "selection-peers": _claim("peers_of_selection.py --harder --rows 2000", EVALUATION, 8),
    "acquisition": _claim(
        "acquisition.py build/acquisition",
        ("src/netchoice/inference/local_regression.py", *SELECTION, *FEATURES, *MODELS),
        19,
    ),
    "paper-small": _claim("paper.py --scale small --tables 2", PAPER, 10),
    "paper-full": _claim("paper.py --scale paper --tables 5", PAPER, 190),
    "recovery": _claim("recovery.py --seed 101", (*DECIDING, *SCORES, *MODELS, *FEATURES), 60),
    "seeds": _claim(
        "seeds.py --part reported",
        (*DECIDING, "src/netchoice/inference/*.py", *FEATURES, *MODELS),
        240,
    ),
    # Counts the answers of benchmarks/atlas.py, which `make atlas` makes first.
    "atlas": _claim(
        "atlas_summary.py --pages",
        (
            "benchmarks/atlas.py",
            "src/netchoice/choice/cohort.py",
            *DECIDING,
            "src/netchoice/inference/*.py",
            *FEATURES,
            *MODELS,
        ),
        500,
    ),
    "parameters": _claim(
        "parameters.py", ("src/netchoice/inference/*.py", "tests/naive.py", *FEATURES, *MODELS), 5
    ),
    "probability-estimators": _claim(
        "probability_estimators.py", ("src/netchoice/inference/*.py", *FEATURES, *MODELS), 60
    ),
    "fit-power-60": _fit_power("--nodes 60", 5),
    "fit-power-120": _fit_power("--nodes 120", 10),
    "fit-power-300": _fit_power("--nodes 300", 30),
    "fit-power-60-twice": _fit_power("--nodes 60 --trainings 2", 8),
    "fit-power-80-other": _fit_power("--models other --density 3 --nodes 80", 15),
    "fit-power-250-other": _fit_power("--models other --density 1.5 --nodes 250", 25),
    "early-rejection-50": _rejection("--nodes 50 --density 3", 10),
    "early-rejection-150": _rejection("--nodes 150 --density 1.5", 20),
    "early-rejection-350": _rejection("--nodes 350 --density 2.5", 60),
    "classifiers": _claim("classifiers.py", ("src/netchoice/choice/evaluate.py", *EVALUATION), 20),
    "recommended-sets": _claim(
        "recommended_sets.py", ("src/netchoice/choice/evaluate.py", *EVALUATION), 20
    ),
}


def main() -> int:
    """Run what the arguments ask for; the exit code is 1 if ``--stale`` finds something."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="a claim; by default all that are missing or stale"
    )
    parser.add_argument("--list", action="store_true", help="print the claims and stop")
    parser.add_argument("--stale", action="store_true", help="print stale results and stop")
    options = parser.parse_args()
    unknown = sorted({*options.names} - {*CLAIMS})
    if unknown:
        parser.error(f"unknown claim: {', '.join(unknown)}; known: {', '.join(CLAIMS)}")
    names = options.names or list(CLAIMS)
    if options.list:
        for name in names:
            print(f"{name:24} about {CLAIMS[name].minutes:g} CPU minutes: {CLAIMS[name].command}")
        return 0
    reasons = {name: reason for name in names if (reason := why_stale(name, CLAIMS[name]))}
    if options.stale:
        for name, reason in reasons.items():
            print(f"{name:24} {reason}")
        return int(bool(reasons))
    for name in options.names or reasons:
        measure(name, CLAIMS[name])
    return 0


def why_stale(name: str, claim: Claim, root: Path = ROOT) -> str:
    """Return why the result of a claim is missing or older than its code; an empty text if it is neither."""
    path = root / "results" / f"{name}.json"
    if not path.exists():
        return "was never measured"
    record = json.loads(path.read_text("utf-8"))
    if record["command"] != f"python {claim.command}":
        return "was measured by another command"
    try:
        differ = git(root, "diff", "--name-only", record["commit"], "HEAD", *files_of(claim))
    except subprocess.CalledProcessError:
        return f"was measured at {record['commit']}, which is not in the history"
    changes = differ.split() + ["changes that are not committed"] * bool(uncommitted(claim, root))
    return f"is older than {', '.join(changes)}" if changes else ""


def measure(name: str, claim: Claim, root: Path = ROOT) -> dict[str, Any]:
    """Run the command of a claim, and write its result; code that is not committed is refused."""
    changed = uncommitted(claim, root)
    if changed:
        raise SystemExit(f"{name} depends on files with changes that are not committed:\n{changed}")
    commit = git(root, "rev-parse", "HEAD").strip()
    print(f"{name}: python {claim.command}", flush=True)
    started = cpu_seconds()
    with tempfile.TemporaryDirectory() as folder:
        values = Path(folder) / "values.json"
        command = [sys.executable, *claim.command.split(), "--json", str(values)]
        if subprocess.run(command, cwd=root, check=False).returncode or not values.exists():
            raise SystemExit(f"{name}: the command ended without values")
        found = json.loads(values.read_text("utf-8"))
    record = {
        "command": f"python {claim.command}",
        "commit": commit,
        "date": datetime.date.today().isoformat(),
        "machine": {"cores": os.cpu_count(), "cpu": cpu_model()},
        "versions": {"python": platform.python_version()}
        | {each: version(each) for each in PACKAGES},
        "cpu_seconds": round(cpu_seconds() - started),
        "depends_on": list(claim.depends_on),
        "values": found,
    }
    (root / "results").mkdir(exist_ok=True)
    path = root / "results" / f"{name}.json"
    path.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return record


def git(root: Path, *arguments: str) -> str:
    """Return what git prints."""
    command = ["git", "-C", str(root), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def files_of(claim: Claim) -> list[str]:
    """Return the arguments by which git finds the files that a claim depends on."""
    return ["--", *(f":(glob){pattern}" for pattern in claim.depends_on)]


def uncommitted(claim: Claim, root: Path) -> str:
    """Return the files with changes that are not committed."""
    return git(root, "status", "--porcelain", *files_of(claim)).rstrip("\n")


def cpu_seconds() -> float:
    """Return the CPU seconds of all processes that ended so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def cpu_model() -> str:
    """Return the name of the processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        return platform.processor()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


if __name__ == "__main__":
    sys.exit(main())
