"""A deadline ends rows that take long, and what is left is no selection."""

import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import netchoice
from netchoice.choice import matching
from netchoice.choice import reference as reference_module
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
    engine = ExecutorEngine(pool, 2)
    assert list(engine.run(time.sleep, [[(0.0,)], [(3.0,)]], until=started + 0.5)) == [[None]]
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


def serial(function, items):
    return [function(item) for item in items]


def matched(size):
    return size.matched(netchoice.get_space("dmc,dmr,lpa"), 1)


def test_slow_models_are_not_tried_and_come_last(monkeypatch):
    size = Size((60, 60), "keep", 90)
    monkeypatch.setattr(matching, "_seconds", lambda model, *_: 1e6 if model.name == "lpa" else 0.1)
    found = matching.try_models(matched(size), size, serial, time.monotonic() + 1000)
    assert found == ((), frozenset({"lpa"}))
    monkeypatch.setattr(reference_module, "try_models", lambda *_: found)
    made = Reference(Settings.of("dmc,dmr,lpa", match=True), size, engine="serial")
    assert made.by_speed(made.models) == [("dmc", "dmr"), ("lpa",)]


def test_models_without_the_density_do_not_change_the_rows_of_others(monkeypatch):
    """A run under a time limit may find out later than another which models never match."""
    size, settings = Size((40, 40), "keep", 60), Settings.of("dmc,dmr,lpa", match=True)
    made = []
    for unmatched in ((), ("dmr",)):
        found = matching.Matching(unmatched, frozenset())
        monkeypatch.setattr(reference_module, "try_models", lambda *_, found=found: found)
        made.append(Reference(settings, size, engine="serial"))
        made[-1].simulate(CALIBRATION, ["dmc"], 6)
    first, second = (each.X(CALIBRATION, "dmc", each.features) for each in made)
    assert np.array_equal(first, second)
    assert (
        made[0].simulator(CALIBRATION).space.labels == made[1].simulator(CALIBRATION).space.labels
    )
