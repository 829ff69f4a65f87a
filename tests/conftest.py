"""Settings and fixtures of several test modules."""

from pathlib import Path

import pytest
from browser_visits import CHROMIUM, QUIET
from hypothesis import settings

settings.register_profile("netchoice", deadline=None, derandomize=True)
settings.load_profile("netchoice")

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


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
