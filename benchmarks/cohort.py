"""Cohorts: the time and memory of many answers from simulations that were prepared once.

By default, 1000 networks with 300 nodes of the space ``duplication`` (isolated nodes kept) are answered
by ``netchoice choose FOLDER --with REFERENCE``. Wall seconds and CPU seconds are those of the
whole command with its workers. Memory is the proportional set size (PSS, from /proc) of the command and
its workers together, every 0.2 s. For comparison, ``choose_model`` answers for ten of the networks one
by one, and its time is multiplied.

``--file N`` answers for N networks with 30 nodes in one edge list, on few simulations of ``ba``. It prints
the memory of the command without its workers after a tenth of the networks and at the end, kills another
run half way, resumes it, and compares its answers with those of the first run, which uses one worker
more.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

import netchoice

SECONDS_BETWEEN_SAMPLES = 0.2
LARGEST_PART = 100  # networks in a file of finished answers


@dataclass
class Usage:
    """What a command took: seconds, and memory (MB) by the number of networks that were finished."""

    wall: float = 0.0
    cpu: float = 0.0
    was_killed: bool = False
    tree: list[float] = field(default_factory=list)
    parent: list[tuple[int, float]] = field(default_factory=list)

    def parent_at(self, n_finished: int) -> float:
        """Return the memory of the command when so many networks were finished."""
        return next((memory for done, memory in self.parent if done >= n_finished), float("nan"))


def processes(root: int) -> Iterator[int]:
    """Yield a process and all processes that it started, directly or not."""
    yield root
    for task in Path(f"/proc/{root}/task").glob("*/children"):
        try:
            children = task.read_text().split()
        except OSError:  # it ended
            continue
        for child in children:
            yield from processes(int(child))


def memory_of(process: int) -> float:
    """Return the proportional set size of a process in MB; 0 if it ended."""
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


def run(command: list[str], finished: Callable[[], int], kill_at: float = float("inf")) -> Usage:
    """Run a command and measure it; kill it as soon as so many networks are finished."""
    usage, start = Usage(), time.perf_counter()
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=errors)
        while True:
            ended, status, used = os.wait4(process.pid, os.WNOHANG)
            if ended:
                break
            memory = memory_of(process.pid)
            tree = memory + sum(map(memory_of, list(processes(process.pid))[1:]))
            usage.tree.append(tree)
            usage.parent.append((finished(), memory))
            if usage.parent[-1][0] >= kill_at and not usage.was_killed:
                process.kill()
                usage.was_killed = True
            time.sleep(SECONDS_BETWEEN_SAMPLES)
        process.returncode = os.waitstatus_to_exitcode(status)
        usage.wall, usage.cpu = time.perf_counter() - start, used.ru_utime + used.ru_stime
        if process.returncode and not usage.was_killed:
            errors.seek(0)
            sys.exit(errors.read().decode(errors="replace"))
    return usage


def answer(
    networks: Path, reference: Path, out: Path, n: int, workers: int, **options: float
) -> Usage:
    """Answer for the networks of a folder or file with the command, and measure it."""
    part = min(LARGEST_PART, max(1, -(-n // 100)))

    def finished() -> int:
        return min(n, part * len(list((out / "answers").glob("part-*.parquet"))))

    command = [sys.executable, "-m", "netchoice", "choose", str(networks), "--with", str(reference)]
    command += ["--out", str(out), "--workers", str(workers)]
    return run(command, finished, **options)


def grown(space: str, n: int, n_nodes: int) -> Iterator[netchoice.Graph]:
    """Yield networks of all models of a space in turn, with parameters from their priors."""
    rng, models = np.random.default_rng(2026), list(netchoice.get_space(space))
    for i in range(n):
        model = models[i % len(models)]
        yield model.grow(n_nodes, model.sample(rng), rng)


def cpu_seconds() -> float:
    """Return the CPU seconds of this process and of the processes that it started and that ended."""
    each = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(used.ru_utime + used.ru_stime for used in each)


def effort_of(given: argparse.Namespace) -> netchoice.Effort:
    """Return the default effort, or that of quick examples."""
    return netchoice.Effort.small() if given.small else netchoice.Effort()


def compare_with_singles(given: argparse.Namespace, folder: Path) -> None:
    """Print the time of a cohort next to that of single answers."""
    settings = {"isolated": "keep", "effort": effort_of(given)}
    reference = given.reference or folder / "reference"
    start = time.perf_counter()
    netchoice.prepare("duplication", given.nodes, path=reference, workers=given.workers, **settings)
    print(f"prepared in {time.perf_counter() - start:.1f} s (a few if this was done before)")
    graphs = list(grown("duplication", given.networks, given.nodes))
    (folder / "networks").mkdir()
    for i, graph in enumerate(graphs):
        netchoice.write_network(graph, folder / "networks" / f"{i}.tsv")
    usage = answer(
        folder / "networks", reference, folder / "answers", given.networks, given.workers
    )
    verdicts = pd.read_parquet(folder / "answers" / "answers.parquet")["verdict"].value_counts()
    print(
        f"{given.networks} networks, {given.nodes} nodes, {given.workers} workers: {verdicts.to_dict()}"
    )
    print(
        f"cohort:  {usage.wall:9.1f} s wall, {usage.cpu:9.1f} s CPU, "
        f"{given.networks / usage.wall:.2f} networks per second, peak {max(usage.tree):.0f} MB PSS"
    )
    if not given.singles:
        return
    singles = graphs[: given.singles]
    start, start_cpu = time.perf_counter(), cpu_seconds()
    for graph in singles:
        netchoice.choose_model(graph, "duplication", workers=given.workers, **settings)
    factor = given.networks / len(singles)
    wall = (time.perf_counter() - start) * factor
    cpu = (cpu_seconds() - start_cpu) * factor
    print(
        f"singles: {wall:9.1f} s wall, {cpu:9.1f} s CPU, extrapolated from {len(singles)}; "
        f"{wall / usage.wall:.1f} and {cpu / usage.cpu:.1f} times as long"
    )


def write_edges(path: Path, n: int) -> None:
    """Write networks with 30 nodes to one edge list."""
    with path.open("w", encoding="utf-8") as file:
        file.write("graph,source,target\n")
        for i, graph in enumerate(grown("ba", n, 30)):
            file.writelines(f"g{i},{a},{b}\n" for a, b in graph.edges())


def compare_after_kill(given: argparse.Namespace, folder: Path) -> None:
    """Print the memory of a long run; exit with status 1 if a resumed run has other answers."""
    n, edges = given.file, folder / "networks.csv"
    reference = given.reference or folder / "reference"
    write_edges(edges, n)
    netchoice.prepare(
        "ba", 30, isolated="drop", features=["degree_mean"], effort=netchoice.Effort.small(),
        path=reference, workers=given.workers,
    )  # fmt: skip
    whole = answer(edges, reference, folder / "whole", n, given.workers + 1)
    print(
        f"{n} networks with 30 nodes in one file, {given.workers + 1} workers: {whole.wall:.1f} s wall, "
        f"{whole.cpu:.1f} s CPU, {n / whole.wall:.1f} networks per second"
    )
    print(
        f"memory of the command without its workers (PSS): {whole.parent_at(n // 10):.0f} MB after a "
        f"tenth, {whole.parent_at(n):.0f} MB at the end, peak "
        f"{max(memory for _, memory in whole.parent):.0f} MB"
    )
    killed = answer(edges, reference, folder / "killed", n, given.workers, kill_at=n / 2)
    if not killed.was_killed:
        sys.exit("the run ended before it could be killed; pass a larger --file")
    resumed = answer(edges, reference, folder / "killed", n, given.workers)
    print(
        f"killed after {killed.parent[-1][0]} networks and {killed.wall:.1f} s; resumed with "
        f"{given.workers} workers in {resumed.wall:.1f} s"
    )
    for name in ("answers.parquet", "features.parquet"):
        one, other = (
            pd.read_parquet(folder / run / name).drop(columns="seconds", errors="ignore")
            for run in ("whole", "killed")
        )
        if not one.equals(other):
            sys.exit(f"{name} differs")
    print("answers (without the column seconds) and features are equal")


def main() -> None:
    """Print what a cohort takes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--networks", type=int, default=1000)
    parser.add_argument("--nodes", type=int, default=300)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--small", action="store_true", help="few simulations, as in examples")
    parser.add_argument("--singles", type=int, default=10, help="networks answered one by one")
    parser.add_argument("--reference", type=Path, help="folder; reused if it exists")
    parser.add_argument(
        "--file", type=int, metavar="N", help="networks in one file; kill and resume"
    )
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        (compare_after_kill if given.file else compare_with_singles)(given, Path(folder))


if __name__ == "__main__":
    main()
