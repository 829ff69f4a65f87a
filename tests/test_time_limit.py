"""A time limit is kept by all stages, or refused before the work."""

import json
import math
import time

import numpy as np
import pytest

import netchoice
from netchoice.errors import UsageError
from netchoice.features.computation import LATE
from netchoice.models.builtin import rebuilt_space
from netchoice.models.edge_bound import bounded_space
from netchoice.workflows import SimulationPlan, TimeLimit
from netchoice.workflows.preparation import ChoiceSettings, make_preparation
from netchoice.workflows.simulation_plan import Pace, Stopwatch, measured_pace
from netchoice.workflows.table_maker import TableMaker

TABLE = {"n_nodes": 20, "seed": 1, "features": ["degree_mean"], "engine": "serial"}


def simulate(rows, **options):
    return netchoice.simulate_table("ba", n_samples=rows, **TABLE, **options)


def watch(limit, **options):
    """Return a stopwatch of a machine with a steady pace."""
    made = Stopwatch(limit, 1, **options)
    made._paces.append((math.inf, Pace(1.0, 1.0)))
    return made


class TestTables:
    def test_table_ends_at_its_deadline_with_the_first_rows(self, tmp_path):
        cut = simulate(40, deadline=0.0, min_samples=7, path=tmp_path / "t")
        assert 7 <= len(cut) < 40
        assert cut.manifest["n_samples"] == len(cut)
        first = simulate(len(cut))
        assert cut.X.equals(first.X)
        assert netchoice.ReferenceTable.load(tmp_path / "t").X.equals(first.X)

    def test_table_that_was_cut_can_be_continued(self, tmp_path):
        simulate(40, deadline=0.0, min_samples=7, path=tmp_path / "t")
        assert simulate(40, path=tmp_path / "t").X.equals(simulate(40).X)

    def test_table_in_memory_ends_at_its_deadline(self):
        assert len(simulate(40, deadline=0.0)) < 40

    def test_table_before_its_deadline_is_whole(self):
        assert len(simulate(40, deadline=time.monotonic() + 600)) == 40

    def test_number_of_rows_that_was_reached_is_kept(self, tmp_path):
        file = tmp_path / "rows.json"
        table = watch(60, file=file).limited("t", 40, 7, 0.0, simulate)
        assert json.loads(file.read_text())["t of 40"] == len(table)
        again = watch(60, file=file)
        assert again.limited("t", 40, 7, 600.0, simulate).X.equals(table.X)
        note = f"{len(table)} simulations instead of 40 (t), to stay within the time limit"
        assert again.notes == [note]

    def test_without_a_limit_the_table_is_whole(self):
        assert len(Stopwatch(None, 1).limited("t", 40, 7, 0.0, simulate)) == 40


class TestStopwatch:
    def test_work_after_the_run_is_not_left_for_it(self):
        assert watch(60, after=10.0).left == pytest.approx(50, abs=1)

    def test_clock_starts_before_the_run(self):
        assert watch(60, started=time.monotonic() - 20).left == pytest.approx(40, abs=1)

    def test_slow_machine_has_less_time(self):
        slow = Stopwatch(60, 2, after=5.0)
        slow._paces.append((math.inf, Pace(4.0, 2.0)))
        assert slow.left == pytest.approx(40, abs=1)
        assert slow.wall(2.0) == 8.0
        assert slow.simulating(10, 0.5) == 5.0

    def test_refusal_names_the_smallest_limit(self):
        message = (
            "the time limit of 20 s is too short for this network and these models; the smallest limit "
            "that would do now is 44 s"
        )
        assert str(watch(20).refusal(20.0)) == message

    def test_optional_work_is_left_out_with_a_note(self, tmp_path):
        file = tmp_path / "rows.json"
        short = watch(10, file=file)
        assert short.skips("power was not measured", 20.0, 0.5)
        assert short.notes == ["power was not measured, to stay within the time limit"]
        assert watch(1000, file=file).skips("power was not measured", 20.0, 0.5)  # decided once
        assert not Stopwatch(None, 1).skips("power was not measured", 1e9, 0.5)

    def test_networks_are_reduced_to_what_is_left(self):
        assert watch(100).reduced("networks", 40, 10, 1.0) == 24
        assert watch(100).reduced("networks", 40, 10, 5.0) == 0
        assert Stopwatch(None, 1).reduced("networks", 40, 10, 5.0) == 40

    def test_pace_is_measured(self):
        pace = measured_pace()
        assert pace.pace > 0
        assert pace.contention >= 1

    def test_time_limit_from_a_number_starts_now(self):
        assert TimeLimit.of(5.0).started == pytest.approx(time.monotonic(), abs=1)
        assert TimeLimit.of(None) is None
        with pytest.raises(UsageError, match="`time_limit` must be a positive number; got 0"):
            TimeLimit(0)


def preparation(limit, n_nodes=30, **options):
    space = netchoice.get_space("duplication")
    settings = ChoiceSettings(
        space=space.as_dict(), n_nodes=n_nodes, isolated="keep", time_limit=limit, **options
    )
    made = make_preparation(space, settings, TableMaker(space, 1, "keep", "serial"))
    made.stopwatch._paces.append((math.inf, Pace(0.2, 1.0)))
    return made


class TestPlan:
    def test_time_for_fixed_work_is_not_planned_for_simulations(self):
        made = preparation(60.0)
        wanted, n_complete, seconds = made._affordable_selection()
        assert wanted <= 2000
        assert n_complete <= made.n_complete
        assert seconds < 0.6 * 60

    def test_limit_that_simulations_exceed_is_refused(self):
        made = preparation(60.0)
        vars(made)["_probe"] = slow_probe(made)
        with pytest.raises(UsageError, match="smallest limit that would do now is"):
            made._affordable_selection()

    def test_large_network_uses_one_table_for_inference_and_fit(self):
        assert preparation(60.0, n_nodes=5000).is_shared
        assert preparation(60.0, n_nodes=5000).fit_table_name == "inference"
        assert not preparation(None, n_nodes=5000).is_shared
        assert not preparation(60.0).is_shared


def slow_probe(made):
    """Return the probe as if each network took 100 seconds to grow."""
    probe = made._probe
    probe.frame["seconds_growth"] = 100.0
    return probe


def test_features_after_the_deadline_are_not_computed():
    graph = netchoice.Graph.from_edges([(0, 1), (1, 2), (2, 0)])
    found = netchoice.compute_features(graph, ["degree_mean", "estrada_index"], deadline=0.0)
    assert found.failures == {"estrada_index": LATE}
    assert math.isnan(found.values["estrada_index"])
    assert found.values["degree_mean"] == 2


def test_bounded_models_make_no_larger_networks():
    space = bounded_space(netchoice.get_space("duplication"), 90)
    rng = np.random.default_rng(1)
    assert max(space["dmc"].draw(50, rng)[1].n_edges for _ in range(30)) <= 90
    record = json.loads(json.dumps(space.as_dict()))
    assert rebuilt_space(record).as_dict() == space.as_dict()


@pytest.mark.slow
@pytest.mark.parametrize("limit", [60, 120])
def test_choice_ends_within_its_limit_or_is_refused(tmp_path, limit):
    network = netchoice.get_model("dmr").grow(300, rng=np.random.default_rng(1))
    started = time.monotonic()
    try:
        netchoice.report.report_choice(
            network, "duplication", path=tmp_path / "run", time_limit=limit, plan=SimulationPlan()
        )
    except UsageError as error:
        assert "smallest limit" in str(error)
        limit = 0.2 * limit
    assert time.monotonic() - started <= 1.2 * limit
