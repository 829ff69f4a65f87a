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
FENCE = re.compile(r"^( *)(`{3,}|~{3,})[^\n]*\n(.*?)^\1\2[ ]*$", re.M | re.S)
BLOCK = re.compile(r"^```(console|python)\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", re.M | re.S)
COMMAND = re.compile(r"^\$ ([^\n]*(?:\\\n[^\n]*)*)\n(.*?)(?=^\$ |\Z)", re.M | re.S)

#: Measured times. They differ between machines, so ``masked`` masks them in every line.
TIME = re.compile(r"\b\d[\d.]*(?:e[+-]?\d+)? (?:µs|ms|s|min|h)\b")
#: Ratios of measured times.
RATIO = re.compile(r"\b\d[\d.]*(?:e[+-]?\d+)? times cheaper\b")


class Run(NamedTuple):
    """A command or a Python block, its output on the page, and its current output."""

    source: str
    documented: str | None  # None if the page shows no output
    printed: str


def read(page):
    return (ROOT / page).read_text(encoding="utf-8")


def blocks(text):
    """Return the content of the code blocks of a page."""
    return [match[3] for match in FENCE.finditer(text)]


def without_code(text):
    """Return a page without code blocks, code in sentences, roles, comments and addresses of links."""
    text = re.sub(r"<!--.*?-->", "", FENCE.sub("", text), flags=re.S)
    text = re.sub(r"(?:\{[\w:]+\})?`[^`]+`", "CODE", text)
    return re.sub(r"(?:https?|doi|arXiv):\S+", "ADDRESS", text)


def runs(text, folder, stop=lambda source: False):
    """Run the blocks of a page in order and yield a `Run` for each command and Python block.

    ``stop`` gets each command and block before it is run, and ends the page if it returns True.
    """
    shutil.copytree(ROOT / "examples", folder / "examples", dirs_exist_ok=True)
    namespace = {}
    for language, body, output in BLOCK.findall(text):
        if language == "console":
            for command, documented in COMMAND.findall(body):
                if stop(command):
                    return
                if command.startswith(PROGRAMS):
                    printed = run_command(command, folder).rstrip("\n")
                    yield Run(command, documented.rstrip("\n"), printed)
        else:
            if stop(body):
                return
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
        line = RATIO.sub("RATIO", TIME.sub("TIME", line))
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
