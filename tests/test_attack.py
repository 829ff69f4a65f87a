"""A short attack; ``make attack`` runs the long one."""

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module", autouse=True)
def attack():
    sys.path.insert(0, str(ROOT))
    yield importlib.import_module("attack.__main__")
    sys.path.remove(str(ROOT))


def test_damage_is_noticed(attack):
    """Damage of kept files and of files of users."""
    kinds = {kind: run for kind, (run, share) in attack.kinds_of_trials().items() if share == 1}
    for kind, run in kinds.items():
        for trial in range(2):
            outcome, details = attack.run_trial(run, np.random.default_rng(trial))
            assert not outcome.isupper(), (kind, trial, details)


def test_runs_resume_after_a_kill_at_a_file_operation(attack):
    kinds = attack.kinds_of_trials()
    for kind in ("kill: table, loaded", "kill: cohort, read", "two writers"):
        run, _ = kinds[kind]
        for trial in range(4):
            outcome, details = attack.run_trial(run, np.random.default_rng(trial))
            assert outcome in ("resumed", "one table"), (kind, details)


@pytest.mark.slow
@pytest.mark.parametrize("run", ["choose, resumed", "prepare, repeated"])
def test_killed_and_damaged_simulations_of_an_answer_give_the_same_answer(attack, run):
    kinds = attack.kinds_of_trials()
    for kind in (f"kill: {run}", f"damage: {run}", f"exchange: {run}"):
        for trial in range(3):
            outcome, details = attack.run_trial(kinds[kind][0], np.random.default_rng(trial))
            assert outcome in ("resumed", "same answer", "one line"), (kind, trial, details)


@pytest.mark.slow
def test_bombs_tables_and_options_are_handled_in_one_line(attack):
    for kind, share in importlib.import_module("attack.readers").SHARES.items():
        assert share < 1
        run, _ = attack.kinds_of_trials()[kind]
        for trial in range(10):
            outcome, details = attack.run_trial(run, np.random.default_rng(trial))
            assert not outcome.isupper(), (kind, trial, details)


def test_failures_are_counted_and_shown(attack, monkeypatch, capsys):
    def broken(rng, folder):
        if rng.random() < 0.5:
            raise KeyError("x")
        return "same answer"

    monkeypatch.setattr(attack, "kinds_of_trials", lambda: {"broken": (broken, 0.5)})
    counts = attack.attack(trials=20, seed=1)["broken"]
    assert counts.total() == 10
    assert counts["TRACEBACK"] > 0
    printed = capsys.readouterr()
    assert "broken" in printed.out
    assert "KeyError" in printed.err
