"""Settings and fixtures of several test modules."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from browser_visits import CHROMIUM, QUIET
from hypothesis import settings
from shared_data import DATA

settings.register_profile("netchoice", deadline=None, derandomize=True)
settings.load_profile("netchoice")


@pytest.fixture(scope="session")
def yeast_folder():
    """Return the folder with the three yeast networks, which are not part of the repository."""
    if not DATA.is_dir():
        pytest.skip(
            f"the yeast networks are not at {DATA.parent.name}/{DATA.name} beside the repository"
        )
    return DATA


@pytest.fixture
def run(capsys):
    """Run a command in this process; return exit code, standard output and standard error."""
    from netchoice import cli

    def run(*arguments):
        with pytest.raises(SystemExit) as stopped:
            cli.main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return stopped.value.code or 0, captured.out, captured.err

    return run


@pytest.fixture
def no_simulation(monkeypatch):
    """Let simulations in this process fail the test."""
    from netchoice.row_simulator import RowSimulator

    def simulate(*_, **__):
        pytest.fail("a network was simulated")

    monkeypatch.setattr(RowSimulator, "__call__", simulate)


@pytest.fixture
def no_figures(monkeypatch):
    """Let commands write no figures of an answer: drawing takes longer than a small answer."""
    monkeypatch.setattr("netchoice.report.build.draw_answer", lambda *given, **options: [])


@pytest.fixture(scope="module")
def dask_address(tmp_path_factory):
    """Return the address of a Dask scheduler on this machine, and its two worker processes."""
    distributed = pytest.importorskip(
        "distributed", reason="the Dask engine needs the package distributed"
    )
    folder = tmp_path_factory.mktemp("dask")
    file = folder / "scheduler.json"
    quiet = {"stderr": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "cwd": folder}
    scheduler = subprocess.Popen(
        [sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0",
         "--no-dashboard", "--scheduler-file", str(file)], **quiet,
    )  # fmt: skip
    for _ in range(300):
        if file.exists() and file.stat().st_size:
            break
        time.sleep(0.1)
    address = json.loads(file.read_text())["address"]
    search_path = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
    environment = os.environ | {"PYTHONPATH": search_path}
    workers = [
        subprocess.Popen(
            [sys.executable, "-m", "distributed.cli.dask_worker", address, "--nthreads", "1",
             "--no-dashboard", "--no-nanny", "--local-directory", str(folder)],
            env=environment, **quiet,
        )
        for _ in range(2)
    ]  # fmt: skip
    with distributed.Client(address, set_as_default=False) as client:
        client.wait_for_workers(2, timeout=60)
    yield address.removeprefix("tcp://"), workers
    for process in (*workers, scheduler):
        process.kill()
        process.wait()


@pytest.fixture(scope="module")
def browser():
    """Start the installed chromium; skip the test if there is none."""
    if CHROMIUM is None:
        pytest.skip("no chromium on this machine: apt-get install chromium")
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with sync_api.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=CHROMIUM, args=list(QUIET))
        yield started
        started.close()
