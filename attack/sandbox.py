"""A process that runs tasks in a child with limits of memory and time.

The process imports netchoice once and forks a child, which runs tasks until one of them kills it. The
process has no threads, so this is safe.
"""

from __future__ import annotations

import json
import os
import resource
import select
import signal
import subprocess
import sys
import tempfile
import time
from typing import Any

#: The limits of a task: CPU seconds, seconds, and bytes of resident and of additional virtual memory.
CPU_SECONDS, WALL_SECONDS = 10, 120
MAX_RESIDENT, MAX_VIRTUAL = 1 << 30, 3 << 30
#: A child is replaced after so many tasks, so that its memory does not grow without limit.
TASKS_PER_CHILD = 200
OUTCOMES = ("read", "one line", "TRACEBACK", "CRASH", "HANG", "MEMORY")
#: Outcomes that are no defects.
GOOD = ("read", "one line")


class Sandbox:
    """The process that runs tasks; it starts when the first task is run."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def run(self, task: str, *arguments: Any) -> tuple[str, str]:
        """Run a task; return the outcome, and the error or the end of the output."""
        if self._process is None or self._process.poll() is not None:
            environment = {k: v for k, v in os.environ.items() if not k.startswith("NETCHOICE_")}
            command = [sys.executable, "-m", "attack.sandbox"]
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
            )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps([task, *arguments]) + "\n")
        self._process.stdin.flush()
        outcome, detail = json.loads(self._process.stdout.readline())
        return outcome, detail

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            assert self._process.stdin is not None
            assert self._process.stdout is not None
            self._process.stdin.close()
            self._process.wait()
            self._process.stdout.close()
            self._process = None


def read(path: str, format: str | None) -> tuple[str, str]:
    """Read a network file."""
    import netchoice

    graph, _ = netchoice.read_network(path, format=format)
    return "read", repr(graph)


def find(names: list[str]) -> tuple[str, str]:
    """Find networks, and read the first ones."""
    import netchoice
    from netchoice.io.collection import is_collection

    for name in names:
        is_collection(name)
    found, n_errors = netchoice.io.find_networks(names), 0
    for source in found[:5]:
        try:
            source.read()
        except netchoice.errors.NetchoiceError as error:
            n_errors += 1
            _check_line(error)
    return "read" if not n_errors else "one line", f"{len(found)} networks"


def costs(path: str) -> tuple[str, str]:
    """Read costs, and compute with them."""
    from netchoice.costs import CostModel

    model = CostModel.from_file(path)
    model.scaled().cost_of_set(model.features, "shared")
    return "read", repr(model)


def command(folder: str, arguments: list[str]) -> tuple[str, str]:
    """Run a command in a folder; its errors must be one line, and its JSON must be JSON."""
    from netchoice import cli

    os.chdir(folder)
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        os.dup2(out.fileno(), 1)
        os.dup2(err.fileno(), 2)
        try:
            cli.main(arguments)
        except SystemExit as stopped:
            code = stopped.code
        sys.stdout.flush()
        sys.stderr.flush()
        out.seek(0)
        err.seek(0)
        shown, errors = out.read(), err.read()
    if "unexpected error" in errors or "Traceback" in errors:
        return "TRACEBACK", errors[-2000:]
    if "not enough memory" in errors:
        return "MEMORY", errors[-300:]
    lines = [line for line in errors.splitlines() if line.startswith("netchoice: ")]
    if code in (0, None):
        if "--json" in arguments and "--help" not in arguments and "--version" not in arguments:
            json.loads(shown, parse_constant=_refuse)
        return "read", shown[-200:]
    return ("one line" if lines else "TRACEBACK"), errors[-2000:]


def _refuse(name: str) -> None:
    raise AssertionError(f"{name} is not JSON")


def _check_line(error: Exception) -> None:
    text = str(error)
    assert text.strip(), f"an empty message of {type(error).__name__}"
    assert "\n" not in text, f"several lines: {text[:200]!r}"
    assert len(text) < 1100, f"a message of {len(text)} characters: {text[:200]!r}"


TASKS = {"read": read, "find": find, "costs": costs, "command": command}


def _attempt(task: str, arguments: list[Any]) -> tuple[str, str]:
    """Run a task; return its outcome and the error."""
    import traceback

    from netchoice.costs import CostError
    from netchoice.errors import NetchoiceError

    try:
        return TASKS[task](*arguments)
    except (NetchoiceError, CostError) as error:
        if "not enough memory" in str(error):
            return "MEMORY", str(error)
        try:
            _check_line(error)
        except AssertionError as wrong:
            return "TRACEBACK", str(wrong)
        cause = f" [{type(error.__cause__).__name__}]" if error.__cause__ else ""
        return "one line", f"{error}{cause}"
    except MemoryError:
        return "MEMORY", traceback.format_exc()[-2000:]
    except Exception:
        return "TRACEBACK", traceback.format_exc()[-3000:]


class _Child:
    """A forked process that runs tasks; the limit of time starts over with each task."""

    def __init__(self) -> None:
        self.n_tasks = 0
        tasks, self._to_child = os.pipe()
        self._from_child, answers = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                os.close(self._to_child)
                os.close(self._from_child)
                _serve(tasks, answers)
            finally:
                os._exit(1)
        os.close(tasks)
        os.close(answers)

    def run(self, line: str) -> tuple[str, str] | None:
        """Run a task; return its outcome, None if the child ended."""
        self.n_tasks += 1
        os.write(self._to_child, line.encode())
        content, end = b"", time.monotonic() + WALL_SECONDS
        while not content.endswith(b"\n"):
            ready, _, _ = select.select([self._from_child], [], [], max(0, end - time.monotonic()))
            if not ready:
                os.kill(self.pid, signal.SIGKILL)
                return None
            piece = os.read(self._from_child, 1 << 16)
            if not piece:
                return None
            content += piece
        outcome, detail = json.loads(content)
        return outcome, detail

    def end(self) -> tuple[str, str]:
        """Wait for the end of the child; return what ended it."""
        os.close(self._to_child)
        os.close(self._from_child)
        _, status = os.waitpid(self.pid, 0)
        if not os.WIFSIGNALED(status):
            return "CRASH", f"exit code {os.waitstatus_to_exitcode(status)}"
        number = os.WTERMSIG(status)
        hung = number in (signal.SIGPROF, signal.SIGKILL)
        return ("HANG" if hung else "CRASH"), signal.Signals(number).name


def _serve(tasks: int, answers: int) -> None:
    """Run tasks in this process, and answer each one."""
    with open("/proc/self/statm") as file:
        virtual = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (virtual + MAX_VIRTUAL,) * 2)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for line in os.fdopen(tasks):
        task, *arguments = json.loads(line)
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")  # forget the peak of the memory
        signal.setitimer(signal.ITIMER_PROF, CPU_SECONDS)
        outcome, detail = _attempt(task, arguments)
        signal.setitimer(signal.ITIMER_PROF, 0)
        if (peak := _peak_memory()) > MAX_RESIDENT:
            outcome, detail = "MEMORY", f"{peak >> 20} MB; {detail}"
        os.write(answers, json.dumps([outcome, detail[:20_000]]).encode() + b"\n")


def _peak_memory() -> int:
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) << 10 for line in file if line.startswith("VmHWM"))


def _warm_up() -> None:
    """Import what tasks need, and load compiled code, so that children do not."""
    import warnings

    import matplotlib.figure
    import networkx as nx
    import pandas as pd
    import pyarrow.compute
    import pyarrow.csv
    import pyarrow.parquet
    import sklearn.neighbors

    import netchoice
    import netchoice.choice
    import netchoice.cli
    import netchoice.report

    del matplotlib, pyarrow, sklearn
    warnings.simplefilter("ignore")
    graph = netchoice.Graph.from_edges([("a", "b"), ("b", "c")])
    graph.without_isolated().edges()
    graph.summary()
    nx.parse_graphml("".join(nx.generate_graphml(nx.path_graph(3))))
    frame = pd.DataFrame({"label": list("abab"), "x": [1.0, 2, 3, 4], "y": [1, 2, 2, 1]})
    netchoice.rank_features(netchoice.ReferenceTable.from_frame(frame))


def main() -> None:
    """Read tasks from standard input, and write their outcomes to standard output."""
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    _warm_up()
    child = _Child()
    for line in sys.stdin:
        answer = child.run(line)
        if answer is None or child.n_tasks == TASKS_PER_CHILD:
            ended = child.end()
            answer, child = answer or ended, _Child()
        out.write(json.dumps(answer) + "\n")
        out.flush()
    child.end()


if __name__ == "__main__":
    main()
