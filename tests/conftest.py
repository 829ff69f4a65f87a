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
