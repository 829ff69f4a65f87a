"""Settings and fixtures of several test modules."""

from pathlib import Path

import pytest
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
