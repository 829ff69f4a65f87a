"""Pages that are run: their commands and their Python give the output that stands there.

In a page that is checked, a ``console`` block holds commands after ``$`` and what they print; a
``text`` block right after a ``python`` block is what that prints. Blocks run in order, in one
folder with a copy of ``examples``. Commands of other programs than those in RUN are not run. A
Python block that begins with ``# name.py`` is kept as that file too.

``python tests/pages.py README.md docs/tutorial.md`` writes the output again.
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
RUN = ("netchoice", "python", "head", "cat")
BLOCK = re.compile(r"^```(console|python)\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", re.M | re.S)
COMMAND = re.compile(r"^\$ ([^\n]*(?:\\\n[^\n]*)*)\n(.*?)(?=^\$ |\Z)", re.M | re.S)

#: Costs are measured, so these are different on every machine.
TIME = re.compile(r"\b\d[\d.]*(?:e[+-]?\d+)? (?:µs|ms|s|min|h)\b")
#: Features are chosen by cost, and what follows from the chosen ones differs with them.
FIGURE = re.compile(r"[<>]?\b\d[\d.]*(?:e[+-]?\d+)?%?")
FOLLOWS = re.compile(
    r"(?:  )?\S+ +\S+ \(between |\S+ \S+: \S+ \(95% interval |held-out simulations "
)
CHOSEN = re.compile(r"(it rests on) .*")
AT_BOUNDARY = re.compile(r"note: the posterior of .* is at the prior's boundary ")


class Run(NamedTuple):
    """A command or a piece of Python, what the page says that it prints, and what it printed."""

    what: str
    told: str
    printed: str


def read(page):
    return (ROOT / page).read_text(encoding="utf-8")


def runs(text, folder, skip=lambda command: False):
    """Run the blocks of a page in order; told is None where the page says nothing of the output."""
    shutil.copytree(ROOT / "examples", folder / "examples", dirs_exist_ok=True)
    namespace = {}
    for language, body, output in BLOCK.findall(text):
        if language == "console":
            for command, told in COMMAND.findall(body):
                if command.startswith(RUN) and not skip(command):
                    yield Run(command, told.rstrip("\n"), shell(command, folder).rstrip("\n"))
        else:
            printed = python(body, namespace, folder).rstrip("\n")
            yield Run(body, output.rstrip("\n") if output else None, printed)


def shell(command, folder):
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        command, shell=True, cwd=folder, env={**os.environ, "PATH": path}, capture_output=True,
        text=True,
    )  # fmt: skip
    assert done.returncode == 0, f"{command}\n{done.stderr}"
    return done.stdout


def python(code, namespace, folder):
    named = re.match(r"# (\w+\.py)\n", code)
    if named:
        (folder / named.group(1)).write_text(code, encoding="utf-8")
    printed = io.StringIO()
    with contextlib.chdir(folder), contextlib.redirect_stdout(printed):
        exec(compile(code, "page", "exec"), namespace)
    return printed.getvalue()


def alike(text):
    """The text without what differs from machine to machine."""
    lines = []
    for line in text.splitlines():
        if AT_BOUNDARY.match(line):
            continue
        line = TIME.sub("TIME", CHOSEN.sub(r"\1", line))
        line = FIGURE.sub("NUMBER", line) if FOLLOWS.match(line) else line
        lines.append(re.sub(r" {2,}", "  ", line.rstrip()))
    return lines


def renewed(text, folder):
    """The page with the output that its blocks give now."""
    for run in runs(text, folder):
        if run.told is None:
            continue
        if run.what.endswith("\n"):  # Python
            old = f"{run.what}```\n\n```text\n{run.told}\n```"
            new = f"{run.what}```\n\n```text\n{run.printed}\n```"
        else:
            old, new = (f"$ {run.what}\n{out}\n" for out in (run.told, run.printed))
            old, new = (out.replace("\n\n", "\n") for out in (old, new))
        assert old in text, old
        text = text.replace(old, new, 1)
    return text


if __name__ == "__main__":
    for name in sys.argv[1:]:
        with tempfile.TemporaryDirectory() as scratch:
            made = renewed(read(name), Path(scratch))
            (ROOT / name).write_text(made, encoding="utf-8")
