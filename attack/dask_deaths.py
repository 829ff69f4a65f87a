"""Deaths of a Dask scheduler or worker during a simulation."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

import netchoice

_CALL = {"n_nodes": 60, "n_samples": 400, "seed": 1, "features": ["degree_mean", "n_triangles"]}
_SCRIPT = """
import netchoice, sys
netchoice.rows._SHARD_SECONDS = 0.2
try:
    netchoice.simulate_table("duplication", **{call}, engine="dask://{address}", out={path!r})
except netchoice.errors.NetchoiceError as error:
    sys.exit(f"netchoice: {{error}}")
"""


def start(*command: str) -> subprocess.Popen[str]:
    """Start Python with its output in one pipe."""
    return subprocess.Popen(
        [sys.executable, *command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


def cluster() -> tuple[str, list[subprocess.Popen[str]]]:
    """Start a scheduler and two workers; return its address and the processes."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    host, port = address.split(":")
    made = [
        "-m",
        "distributed.cli.dask_scheduler",
        "--no-dashboard",
        "--host",
        host,
        "--port",
        port,
    ]
    processes = [start(*made)]
    for _ in range(2):
        worker = ["-m", "distributed.cli.dask_worker", f"tcp://{address}", "--no-nanny"]
        processes.append(start(*worker, "--no-dashboard", "--nthreads", "1"))
    return address, processes


def wait_for_rows(run: subprocess.Popen[str], folder: Path) -> None:
    """Wait until a run has written rows, or has ended."""
    for _ in range(600):
        if list(folder.glob("rows-*.parquet")) or run.poll() is not None:
            return
        time.sleep(0.1)


def death(victim: int, rng: np.random.Generator, folder: Path) -> str:
    """Kill the scheduler or a worker during a run; the run must end well, or with one line."""
    address, processes = cluster()
    try:
        code = _SCRIPT.format(call=_CALL, address=address, path=str(folder / "t"))
        run = start("-c", code)
        wait_for_rows(run, folder / "t")
        time.sleep(float(rng.uniform(0, 0.5)))
        processes[victim].kill()
        try:
            printed = run.communicate(timeout=90)[0]
        except subprocess.TimeoutExpired:
            run.kill()
            return "HANG"
    finally:
        for process in processes:
            process.kill()
            process.communicate()
    print(printed)
    lines = [line for line in printed.splitlines() if not re.match("netchoice: waiting", line)]
    if "Traceback" in printed or len(lines) > 1:
        return "TRACEBACK"
    resumed = netchoice.simulate_table("duplication", **_CALL, engine="serial", out=folder / "t")
    whole = netchoice.simulate_table("duplication", **_CALL, engine="serial")
    if not resumed.X.equals(whole.X):
        print(resumed.failures)
        return "CHANGED"
    return "one line, resumed" if lines else "same answer"


def scheduler(rng: np.random.Generator, folder: Path) -> str:
    """Kill the scheduler."""
    return death(0, rng, folder)


def worker(rng: np.random.Generator, folder: Path) -> str:
    """Kill one of two workers."""
    return death(1, rng, folder)


KINDS = {"death of a Dask scheduler": scheduler, "death of a Dask worker": worker}
SHARES = dict.fromkeys(KINDS, 0.005)
