"""A deadline ends rows that take long, and what is left is no selection."""

import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import netchoice
from netchoice.choice.reference import CALIBRATION, Reference
from netchoice.choice.settings import Settings
from netchoice.choice.sizes import Size
from netchoice.engines.engine import ExecutorEngine
from netchoice.engines.processes import ProcessEngine, keep_workers
from netchoice.models.density_matched import MatchedModel
from netchoice.rows import Row, run_rows

LONG = 60.0


class Sleeps:
    """Row 3 takes a minute."""

    def __call__(self, number):
        time.sleep(LONG if number == 3 else 0.01)
        return Row(number, {"value": float(number)})

    def known(self, number):
        return {}

    def kind(self, column):
        return "number"

    def warm_up(self):
        pass


def test_rows_that_are_not_finished_at_the_deadline_are_given_up():
    with keep_workers():
        run_rows(Sleeps(), np.arange(4, 8), engine=ProcessEngine(2))  # starts the workers
        started = time.monotonic()
        found = run_rows(Sleeps(), np.arange(4), engine=ProcessEngine(2), deadline=started + 2)
    assert time.monotonic() - started < LONG / 2
    assert {*found.as_arrow()["row"].to_pylist()} <= {0, 1, 2}
    assert found.n_failed == 0


def test_an_executor_is_not_waited_for():
    pool = ThreadPoolExecutor(2)
    started = time.monotonic()
    engine, work = ExecutorEngine(pool, 2), lambda items: time.sleep(items[0])
    assert list(engine.run(work, [[0.0], [3.0]], until=started + 0.5)) == [None]
    assert time.monotonic() - started < 2.5
    pool.shutdown()


def test_rows_after_one_that_was_given_up_are_left_out(monkeypatch):
    """Rows that take long would be missing among them, so they would not be a sample."""
    settings = Settings.of("ba", match=False, effort=netchoice.Effort.small())
    reference = Reference(settings, Size((20, 20), "keep"), engine="serial")
    simulate, n_models = netchoice.choice.reference.simulate_rows, len(reference.models)

    def without_fifth(*arguments, **options):
        frame = simulate(*arguments, **options)
        return frame[frame["row"] != 4 * n_models + 1]

    monkeypatch.setattr("netchoice.choice.reference.simulate_rows", without_fifth)
    reference.simulate(CALIBRATION, reference.models, 8)
    kept = [reference.n_rows(CALIBRATION, model) for model in reference.models]
    assert kept == [8, 4, 8, 8]
    monkeypatch.undo()
    reference.simulate(CALIBRATION, reference.models, 10)
    whole = Reference(settings, Size((20, 20), "keep"), engine="serial")
    whole.simulate(CALIBRATION, whole.models, 10)
    for model in reference.models:
        names = reference.features
        found = reference.X(CALIBRATION, model, names)
        assert np.array_equal(found, whole.X(CALIBRATION, model, names))


@pytest.mark.parametrize(("deadline", "expected"), [(None, False), (0.0, True)])
def test_models_that_were_not_tried_in_time_may_match(deadline, expected, monkeypatch):
    graph = netchoice.get_model("ba2").grow(30, rng=np.random.default_rng(1))
    model = netchoice.get_space("duplication").matched_to(graph)["dmc"]
    monkeypatch.setattr(MatchedModel, "matches", lambda self, rng: False)
    assert model.can_match(5, np.random.default_rng(1), deadline) is expected
