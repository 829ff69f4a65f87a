"""Test netchoice with each Python that is installed, with the lowest and the newest dependencies.

``python tools/test_matrix.py`` builds the wheel and installs it in a new environment for each pair
of a Python (3.11 to 3.14) and a choice of versions:

- ``lowest``: exactly the lower bounds that pyproject.toml declares, of netchoice and of its extras;
- ``newest``: the newest releases that pip finds.

It then runs the tests in ``FILES``, which use every dependency. ``--only 3.12-lowest`` runs one
environment; ``--list`` prints what would be run. ``make test-matrix`` calls this script.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
MINORS = (11, 12, 13, 14)
KINDS = ("lowest", "newest")
#: Some lower bounds have no wheels for these versions of Python; pip would compile sources.
NEWEST_ONLY = (14,)
EXTRAS = ("arviz", "dask")
#: Old releases call deprecated functions of newer packages; only the newest must have no warning.
WARNINGS = {"lowest": ("-W", "ignore::DeprecationWarning"), "newest": ()}
#: What the tests themselves import.
TEST_PACKAGES = ("pytest>=8", "pytest-xdist", "hypothesis>=6.100", "duckdb", "polars")
#: Test files that use every dependency: tables, selection, pilots, figures, the report, the commands.
FILES = (
    "test_cache_folders", "test_choice_figures", "test_cli", "test_cost_growth", "test_costs",
    "test_figures", "test_inference", "test_io", "test_machines",
    "test_parameters", "test_pilots", "test_report", "test_selection", "test_selection_inputs",
    "test_simulate",
)  # fmt: skip


def main() -> int:
    """Run the environments and print a line for each: passed, failed or not run, and why.

    The exit code is 1 if one of them failed, or if one that ``--only`` names was not run.
    """
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--only", action="append", help="an environment, such as 3.12-lowest")
    parser.add_argument("--list", action="store_true", help="print the environments and stop")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "matrix")
    parser.add_argument("--workers", default=str(os.cpu_count() or 2), help="tests at a time")
    arguments = parser.parse_args()
    interpreters = {minor: find_python(minor) for minor in MINORS}
    results = dict.fromkeys(arguments.only or (), "not run: unknown environment")
    wheel: Path | None = None
    for minor, python in interpreters.items():
        for kind in KINDS:
            name = f"3.{minor}-{kind}"
            if arguments.only and name not in arguments.only:
                continue
            if python is None:
                results[name] = f"not run: no python3.{minor} was found"
            elif kind == "lowest" and minor in NEWEST_ONLY:
                results[name] = "not run: some lower bounds have no wheels for this Python"
            elif arguments.list:
                results[name] = python
            else:
                wheel = wheel or build_wheel(arguments.folder)
                results[name] = run(name, python, kind, wheel, arguments)
    for name, result in results.items():
        print(f"{name:12}  {result}")
    wrong = ("failed", "not run") if arguments.only else ("failed",)
    return int(any(result.startswith(wrong) for result in results.values()))


def find_python(minor: int) -> str | None:
    """Return an interpreter of Python 3.minor: from the search path, or from pyenv."""
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    installed = sorted(map(str, root.glob(f"3.{minor}.*/bin/python")))
    candidates = [shutil.which(f"python3.{minor}"), *reversed(installed), sys.executable]
    for candidate in filter(None, candidates):
        command = [candidate, "-c", "import sys; print(sys.version_info[:2])"]
        answer = subprocess.run(command, capture_output=True, text=True, check=False)
        if answer.stdout.strip() == f"(3, {minor})":
            return candidate
    return None


def build_wheel(folder: Path) -> Path:
    """Return the wheel of this source tree, built with the Python that runs this script."""
    dist = folder / "dist"
    shutil.rmtree(dist, ignore_errors=True)
    call(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", dist, ROOT)
    return next(dist.glob("*.whl"))


def run(name: str, python: str, kind: str, wheel: Path, arguments: argparse.Namespace) -> str:
    """Make one environment, run the tests in it, and return what happened."""
    folder = arguments.folder / name
    start = time.monotonic()
    bin = folder / ("Scripts" if os.name == "nt" else "bin")
    if not bin.exists():
        call(python, "-m", "venv", folder)
    constraints = folder / "constraints.txt"
    constraints.write_text("\n".join(lowest_versions() if kind == "lowest" else []) + "\n")
    install = [
        bin / "python",
        "-m",
        "pip",
        "install",
        "--no-compile",
        "--no-color",
        "--progress-bar",
        "off",
    ]
    of_matrix = [
        "--upgrade", "--upgrade-strategy", "eager", "--only-binary", ":all:", "-c", constraints,
        *TEST_PACKAGES, f"netchoice[{','.join(EXTRAS)}] @ {wheel.as_uri()}",
    ]  # fmt: skip
    of_wheel = ["--force-reinstall", "--no-deps", wheel]  # the version may be the same as before
    log = folder / "install.log"
    if any(logged([*install, *options], log) for options in (of_matrix, of_wheel)):
        return f"failed: the packages cannot be installed; see {log}"
    tests = [ROOT / "tests" / f"{file}.py" for file in FILES]
    command = [
        bin / "python", "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", arguments.workers,
        "-m", "not slow", *WARNINGS[kind], "--rootdir", ROOT, "-c", ROOT / "pyproject.toml", *tests,
    ]  # fmt: skip
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    environment |= {"NUMBA_CACHE_DIR": str(folder / "kernels")}
    log = folder / "tests.log"
    code = logged(command, log, cwd=folder, env=environment)
    summary = log.read_text().strip().rpartition("\n")[2].strip("= ")
    minutes = (time.monotonic() - start) / 60
    return f"{'passed' if code == 0 else 'failed'}: {summary}; {minutes:.1f} min; see {log}"


def lowest_versions() -> list[str]:
    """Return ``name==bound`` for each dependency of netchoice and of its extras."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    declared = [*project["dependencies"], *(line for name in EXTRAS for line in extras[name])]
    bounds = []
    for line in declared:
        found = re.fullmatch(r"([\w-]+)>=([\d.]+)", line)
        if found is None:
            raise SystemExit(f"pyproject.toml declares {line!r}; expected a name, >= and a version")
        bounds.append("{}=={}".format(*found.groups()))
    return bounds


def logged(command: Sequence[object], log: Path, **options: Any) -> int:
    """Run a command, write what it prints to a file, and return its exit code."""
    with log.open("w") as file:
        ended = subprocess.run(
            list(map(str, command)), stdout=file, stderr=subprocess.STDOUT, check=False, **options
        )
    return ended.returncode


def call(*command: object) -> None:
    """Run a command; raise an error if it fails."""
    subprocess.run(list(map(str, command)), check=True)


if __name__ == "__main__":
    sys.exit(main())
