"""A short version of the attack on readers: a few trials of each kind."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from attack import readers

SLOW = ("read bombs", "evaluate a table", "command line", "rank or import a table")


@pytest.fixture(scope="module", autouse=True)
def sandbox(monkeypatch_module):
    yield
    readers._SANDBOX.close()


@pytest.fixture(scope="module")
def monkeypatch_module():
    with pytest.MonkeyPatch.context() as patch:
        root = Path(__file__).resolve().parents[1]
        patch.setenv("PYTHONPATH", f"{root}:{root / 'src'}")
        yield patch


@pytest.mark.parametrize("name", [name for name in readers.TRIALS if name not in SLOW])
def test_damaged_files_are_read_or_refused_in_one_line(name):
    for number in range(5):
        outcome = readers.run_trial(name, 0, number)
        assert outcome in readers.GOOD, f"trial {number}: {outcome}: {readers.last_detail}"


@pytest.mark.slow
@pytest.mark.parametrize("name", SLOW)
def test_bombs_tables_and_options_are_handled_in_one_line(name):
    for number in range(10):
        outcome = readers.run_trial(name, 0, number)
        assert outcome in readers.GOOD, f"trial {number}: {outcome}: {readers.last_detail}"
