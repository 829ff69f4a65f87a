"""Build the packages of a release, check them, and use the wheel in an empty environment.

``python tools/check_release.py`` builds sdist and wheel into build/release/dist, runs ``twine check``,
installs the wheel in an empty environment and chooses a model: from another folder, with a home
folder that cannot be written. As root it does so as the user 65534 (nobody), because root may write
everywhere; that user must be able to run the Python that runs this script. ``--tag v0.2.0`` also
checks that the version and the changelog are those of the tag.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
NOBODY = 65534


def main() -> None:
    """Run the checks; an error ends the program."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--tag", help="the tag of the release, such as v0.2.0")
    parser.add_argument("--no-build", action="store_true", help="check the tag only")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "release")
    arguments = parser.parse_args()
    if arguments.tag:
        check_tag(arguments.tag)
    if not arguments.no_build:
        user = other_user()
        use_wheel(build(arguments.folder), user)


def check_tag(tag: str) -> None:
    """Check that the package, the citation and the changelog have the version of the tag."""
    version = tag.removeprefix("v")
    for name, pattern in (
        ("src/netchoice/__init__.py", rf'^__version__ = "{re.escape(version)}"$'),
        ("CITATION.cff", rf"^version: {re.escape(version)}$"),
        ("CHANGELOG.md", rf"^## {re.escape(version)}, \d{{4}}-\d\d-\d\d$"),
    ):
        if not re.search(pattern, (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE):
            raise SystemExit(f"{name} does not have version {version}; expected a line {pattern}")


def build(folder: Path) -> Path:
    """Build sdist and wheel, check their descriptions, and return the wheel."""
    dist, tools = folder / "dist", folder / "tools"
    shutil.rmtree(dist, ignore_errors=True)
    python = environment(tools)
    call(python, "-m", "pip", "install", "--quiet", "build", "twine")
    call(python, "-m", "build", "--outdir", dist, ROOT)
    call(python, "-m", "twine", "check", "--strict", *sorted(dist.iterdir()))
    return next(dist.glob("*.whl"))


def other_user() -> dict[str, Any]:
    """Return options that run a command as a user who may not write everywhere, if this one may."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        return {}
    user: dict[str, Any] = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
    try:
        call(sys.executable, "-c", "", **user)
    except PermissionError:
        raise SystemExit(
            f"the user {NOBODY} (nobody) cannot run {sys.executable}; use a Python that every user can run, "
            "for example: make release-check VENV=build/release/python PYTHON=/usr/bin/python3"
        ) from None
    return user


def use_wheel(wheel: Path, user: dict[str, Any]) -> None:
    """Choose a model with the installed wheel, in a new folder and with a read-only home folder."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        python = environment(folder / "environment")
        call(python, "-m", "pip", "install", "--quiet", wheel)
        home, work = folder / "home", folder / "work"
        for each in (home, work):
            each.mkdir()
        folder.chmod(0o755)
        if user:
            os.chown(work, NOBODY, NOBODY)
        home.chmod(0o555)
        variables = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        options: dict[str, Any] = {"cwd": work, "env": variables | {"HOME": str(home)}, **user}
        netchoice = python.with_name("netchoice")
        call(netchoice, "--version", **options)
        grow = ("grow", "dmr", "--nodes", "100", "--prior", "p_delete=0.5", "--prior", "p_new=0.4")
        call(netchoice, *grow, "--seed", "1", "-o", "net.tsv", **options)
        small = ("--space", "duplication", "--workers", "2")
        call(netchoice, "choose", "net.tsv", *small, "--out", "answer", **options)
        for file in ("answer.json", "report.html"):
            if not (work / "answer" / file).is_file():
                raise SystemExit(f"netchoice choose did not write {file}")
        if any(home.iterdir()):
            raise SystemExit(f"netchoice wrote {[*home.iterdir()]} into the home folder")


def environment(folder: Path) -> Path:
    """Make an environment unless it exists; return its Python."""
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    if not shutil.which(python):
        call(sys.executable, "-m", "venv", folder)
    return python


def call(*command: object, **options: Any) -> None:
    """Run a command; end the program if it fails."""
    words = list(map(str, command))
    code = subprocess.run(words, check=False, **options).returncode
    if code:
        raise SystemExit(f"{' '.join(words)} ended with code {code}")


if __name__ == "__main__":
    main()
