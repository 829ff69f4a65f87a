"""Run the commands and the Python code of documentation pages and compare their output.

On a page, a ``console`` block contains commands, each after ``$``, and the output of each command. A
``text`` block directly after a ``python`` block contains the output of that Python code. The blocks
of a page run in order, in one folder that contains a copy of ``examples``. Only commands that start
with a program in ``PROGRAMS`` are run. A Python block whose first line is ``# name.py`` is also saved
as that file.

``python tests/pages.py README.md docs/tutorial.md`` replaces the output on these pages with the
current output.
"""

import contextlib
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
PROGRAMS = ("netchoice", "python", "head", "cat")
BLOCK = re.compile(r"^```(console|python)\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", re.M | re.S)
COMMAND = re.compile(r"^\$ ([^\n]*(?:\\\n[^\n]*)*)\n(.*?)(?=^\$ |\Z)", re.M | re.S)

#: Measured times. They differ between machines, so ``masked`` masks them in every line.
TIME = re.compile(r"\b\d[\d.]*(?:e[+-]?\d+)? (?:µs|ms|s|min|h)\b")
NUMBER = re.compile(r"[<>]?\b\d[\d.]*(?:e[+-]?\d+)?%?")
#: Lines with results of the selected features. netchoice selects features by measured cost, so
#: these results differ between machines, and ``masked`` masks all numbers in these lines.
RESULT_LINES = (
    r"(?:  )?\S+ +\S+ \(interval ",
    r"\S+ \S+: \S+ \(95% interval ",
    r"held-out accuracy: ",
    r"stability of the selection: ",
)
#: Lines that list the selected features. Only the beginning that matches the group is compared.
FEATURE_LINES = (r"^(features used) .*",)
#: Lines that appear only for some selections of features, among them the reasons why a model does not
#: fit: they depend on the posterior. They are not compared.
OPTIONAL_LINES = (
    r"  (?:smaller|larger|more|fewer|the) ",
    r"note: the posterior of .* is at the prior's boundary ",
    r"note: posteriors of .* are not calibrated",
    r"features also used for the parameters ",
)


class Run(NamedTuple):
    """A command or a Python block, its output on the page, and its current output."""

    source: str
    documented: str | None  # None if the page shows no output
    printed: str


def read(page):
    return (ROOT / page).read_text(encoding="utf-8")


def runs(text, folder, skip=lambda command: False):
    """Run the blocks of a page in order and yield a `Run` for each command and Python block."""
    shutil.copytree(ROOT / "examples", folder / "examples", dirs_exist_ok=True)
    namespace = {}
    for language, body, output in BLOCK.findall(text):
        if language == "console":
            for command, documented in COMMAND.findall(body):
                if command.startswith(PROGRAMS) and not skip(command):
                    printed = run_command(command, folder).rstrip("\n")
                    yield Run(command, documented.rstrip("\n"), printed)
        else:
            printed = run_python(body, namespace, folder).rstrip("\n")
            yield Run(body, output.rstrip("\n") if output else None, printed)


def run_command(command, folder):
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    process = subprocess.run(
        command, shell=True, cwd=folder, env={**os.environ, "PATH": path}, capture_output=True,
        text=True,
    )  # fmt: skip
    assert process.returncode == 0, f"{command}\n{process.stderr}"
    return process.stdout


def run_python(code, namespace, folder):
    file_name = re.match(r"# (\w+\.py)\n", code)
    if file_name:
        (folder / file_name.group(1)).write_text(code, encoding="utf-8")
    printed = io.StringIO()
    with contextlib.chdir(folder), contextlib.redirect_stdout(printed):
        exec(compile(code, "page", "exec"), namespace)
    return printed.getvalue()


def masked(text):
    """Return the lines of the text, with everything masked that differs between machines."""
    lines = []
    for line in text.splitlines():
        if any(re.match(pattern, line) for pattern in OPTIONAL_LINES):
            continue
        for pattern in FEATURE_LINES:
            line = re.sub(pattern, r"\1", line)
        line = TIME.sub("TIME", line)
        if any(re.match(pattern, line) for pattern in RESULT_LINES):
            line = NUMBER.sub("NUMBER", line)
        lines.append(re.sub(r" {2,}", "  ", line.rstrip()))
    return lines


def updated(text, folder):
    """Return the page with the current output of its blocks."""
    for run in runs(text, folder):
        if run.documented is None:
            continue
        if run.source.endswith("\n"):  # Python
            old = f"{run.source}```\n\n```text\n{run.documented}\n```"
            new = f"{run.source}```\n\n```text\n{run.printed}\n```"
        else:
            old, new = (f"$ {run.source}\n{out}\n" for out in (run.documented, run.printed))
            old, new = (out.replace("\n\n", "\n") for out in (old, new))
        assert old in text, old
        text = text.replace(old, new, 1)
    return text


if __name__ == "__main__":
    for name in sys.argv[1:]:
        with tempfile.TemporaryDirectory() as scratch:
            page = updated(read(name), Path(scratch))
            (ROOT / name).write_text(page, encoding="utf-8")
