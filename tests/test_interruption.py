"""Ctrl-C ends a command soon, also inside a compiled loop, and keeps what was finished."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import netchoice
from netchoice.features import registry
from netchoice.interruption import interruptible
from netchoice.storage.shards import TableFolder
from netchoice.threads import threads


def interrupt(process, used):
    """Send Ctrl-C. Return what the process printed, and the CPU seconds that it took besides ``used``.

    CPU time shows whether it stopped soon. Time on the clock depends on what else the machine does.
    """
    import resource  # not on Windows

    def seconds():
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        return children.ru_utime + children.ru_stime

    before = seconds()
    os.kill(process.pid, signal.SIGINT)
    out, errors = process.communicate(timeout=60)
    return out, errors, seconds() - before - used


#: A command whose main thread is in a compiled loop for hours after it has simulated some rows.
SCRIPT = """
import sys, time
import numba, netchoice
from netchoice import cli

@numba.njit(nogil=True)
def count(n):
    total = 0
    for i in range(n):
        total ^= i * total + 1
    return total

seen = set()

@netchoice.feature
def endless(graph):
    '''A feature that takes hours on the eighth network.'''
    seen.add(graph.fingerprint)
    if len(seen) < 8:
        return count(10)
    print("inside", time.process_time(), file=sys.__stdout__, flush=True)
    return count(10**14)

def run(path):
    netchoice.simulate_table("ba", n_nodes=20, n_samples=50, seed=1, features=[endless],
                             engine="serial", out=path)

cli.app.command("run")(run)
sys.argv[0] = "netchoice"
cli.main()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT")
def test_ctrl_c_ends_a_compiled_loop_and_keeps_finished_rows(tmp_path):
    table = tmp_path / "table"
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, "run", str(table)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        while not (line := process.stdout.readline()).startswith("inside"):
            assert process.poll() is None, process.stderr.read()
        time.sleep(0.5)  # on a busy machine, the loop has not started yet
        _, said, seconds = interrupt(process, float(line.split()[1]))
    finally:
        process.kill()
    assert seconds < 8  # about 3, of which 2 in the loop, which takes hours
    assert process.returncode == 130
    assert "netchoice: stopped; what was finished is kept" in said
    assert "Traceback" not in said
    assert len(TableFolder(table).read()) >= 3


#: A script whose main thread is in a compiled loop of netchoice for many minutes.
PLAIN = """
import time
import netchoice, numpy as np
graph = netchoice.get_model("ba2").grow(100_000, rng=np.random.default_rng(1))
netchoice.compute_features(netchoice.Graph.from_edges([(0, 1)]), ["betweenness_max"])
print("inside", time.process_time(), flush=True)
try:
    netchoice.compute_features(graph, ["betweenness_max"])
except KeyboardInterrupt:
    print("interrupted", flush=True)
    raise
"""


@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT")
def test_ctrl_c_interrupts_a_python_script_inside_a_compiled_loop():
    process = subprocess.Popen(
        [sys.executable, "-c", PLAIN], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        inside, used = process.stdout.readline().split()
        assert inside == "inside"
        time.sleep(1)
        said, errors, seconds = interrupt(process, float(used))
    finally:
        process.kill()
    assert seconds < 8  # about 2, of which 1 in the loop, which takes many minutes
    assert said == "interrupted\n"
    assert process.returncode == -signal.SIGINT
    assert errors.rstrip().endswith("KeyboardInterrupt")


def test_cpu_time_of_a_long_loop_is_counted(monkeypatch):
    names = ["betweenness_max", "n_triangles"]
    graph = netchoice.get_model("ba2").grow(3000, rng=np.random.default_rng(1))
    short = netchoice.compute_features(graph, names)
    monkeypatch.setattr(registry, "LONG_STEPS", 0)
    long = netchoice.compute_features(graph, names)
    assert long.values == short.values
    assert long.total_seconds > 0.3 * short.total_seconds


def test_error_in_a_long_loop_is_raised():
    with pytest.raises(ZeroDivisionError):
        interruptible(lambda: 1 // 0)


def test_threads_are_not_waited_for_after_an_interrupt():
    """Otherwise a notebook would wait for the items of all threads."""
    begun, released, done = threading.Event(), threading.Event(), []

    def work(item):
        if item == 0:
            begun.wait(30)
            raise KeyboardInterrupt
        done.append(item)
        begun.set()
        released.wait(30)

    start = time.monotonic()
    try:
        with pytest.raises(KeyboardInterrupt), threads(2) as run:
            run(work, range(20))
        assert time.monotonic() - start < 20
    finally:
        released.set()
    time.sleep(0.5)
    assert len(done) <= 1  # no further item was started
