"""Tables with features on a part of their rows, of networks of several sizes, and cut by a deadline."""

import json
import math
import time

import numpy as np
import pytest

import netchoice
from netchoice.errors import TableError, UsageError
from netchoice.features.computation import LATE
from netchoice.simulate import make_simulator
from netchoice.storage.table_columns import is_computed

FEATURES = ["n_triangles", "degree_std", "estrada_index", "betweenness_max"]
STAGES = {"estrada_index": 0.3, "betweenness_max": 0.1}
COMMON = {"n_nodes": 30, "seed": 3, "features": FEATURES}


def simulate(n_samples=100, stages=None, **settings):
    given = {"engine": "serial"} | COMMON | settings
    return netchoice.simulate_table("duplication", n_samples=n_samples, stages=stages, **given)


@pytest.fixture(scope="module")
def staged():
    """A table in which two features are computed on a part of the rows."""
    return simulate(stages=STAGES)


def values(table):
    return table.frame[FEATURES]


class TestStages:
    def test_features_have_the_same_values_where_they_are_computed(self, staged):
        complete, found = values(simulate()), values(staged)
        for name in FEATURES:
            rows = [is_computed(row, STAGES.get(name, 1)) for row in range(100)]
            assert abs(sum(rows) - 100 * STAGES.get(name, 1)) <= 1
            assert found[name][rows].equals(complete[name][rows])
            assert found[name][~np.array(rows)].isna().all()

    def test_features_that_are_not_computed_have_not_failed(self, staged):
        assert len(staged.failures) == 0
        assert len(staged) == 100
        assert staged.stages == STAGES

    @pytest.mark.slow
    def test_rows_do_not_depend_on_the_engine_or_on_interruptions(self, staged, tmp_path):
        parallel = simulate(stages=STAGES, engine="processes", workers=2)
        assert values(parallel).equals(values(staged))
        simulate(stages=STAGES, n_samples=37, path=tmp_path / "t")
        resumed = simulate(stages=STAGES, path=tmp_path / "t")
        assert values(resumed).equals(values(staged))
        assert netchoice.ReferenceTable.load(tmp_path / "t").stages == STAGES

    def test_a_table_is_not_resumed_with_other_shares(self, tmp_path):
        simulate(stages=STAGES, n_samples=5, path=tmp_path / "t")
        with pytest.raises(TableError, match="differ in features"):
            simulate(stages=STAGES | {"estrada_index": 0.5}, path=tmp_path / "t")

    def test_values_of_all_features_are_refused(self, staged):
        with pytest.raises(TableError, match="computed on a part of the rows only"):
            _ = staged.X

    def test_complete_rows_have_all_named_features(self, staged):
        assert staged.complete().X.shape == (11, 4)
        assert staged.complete(["estrada_index", "n_triangles"]).X.shape == (31, 2)
        assert staged.complete(["degree_std"]).X.shape == (100, 1)
        for table in (staged.complete(), staged.complete(["estrada_index"])):
            assert table.X.notna().all().all()
            assert table.stages == {}
        plain = simulate()
        assert plain.complete() is plain

    def test_parts_of_a_table_stay_incomplete(self, staged, tmp_path):
        first, second = staged.split(seed=1)
        assert first.stages == second.stages == STAGES
        rows = len(first.complete(["estrada_index"])) + len(second.complete(["estrada_index"]))
        assert rows == 31
        first.save(tmp_path / "half")
        assert netchoice.ReferenceTable.load(tmp_path / "half").stages == STAGES
        exported = staged.export(tmp_path / "table.csv")
        assert exported["estrada_index"].notna().sum() == 31

    def test_failed_rows_stay_failed(self, staged):
        frame = staged.frame.copy()
        frame.loc[1, "failure"] = "estrada_index: too large"
        table = netchoice.ReferenceTable(frame, staged.manifest).complete()
        assert len(table.failures) == 1

    def test_costs_are_those_of_the_computed_values(self, staged):
        own = staged.frame["seconds_own_betweenness_max"]
        assert own.notna().sum() == 11
        assert 0 < staged.costs.cost("betweenness_max") < 0.1
        steps = staged.frame["seconds_step_betweenness"]
        assert steps.notna().sum() == 11

    def test_the_commands_use_the_complete_rows(self, tmp_path, run):
        folder = str(tmp_path / "t")
        common = ["simulate", "duplication", "--nodes", "30", "--samples", "100", "--engine", "serial",
                  "--out", folder]  # fmt: skip
        run(*common, "--features", ",".join(FEATURES), "--stages", "estrada_index=0.3")
        record = json.loads(run("show", folder, "--json")[1])
        assert record["stages"] == {"estrada_index": 0.3}
        assert "computed on 30% of the rows" in run("show", folder)[1]
        assert "31 rows" in run("rank", folder)[1]

    @pytest.mark.parametrize(
        ("stages", "message"),
        [
            ({"estrada": 0.5}, "unknown feature in stages 'estrada'; did you mean 'estrada_index'"),
            ({"estrada_index": 0}, "the share of estrada_index` must be a number between 0 and 1"),
            (dict.fromkeys(FEATURES, 0.5), "all features have a stage"),
        ],
    )
    def test_bad_stages_are_refused(self, stages, message):
        with pytest.raises(UsageError, match=message):
            simulate(stages=stages)

    @pytest.mark.parametrize("text", ["estrada_index", "estrada_index=", "=0.2,x", "a=b"])
    def test_bad_options_are_refused(self, text, tmp_path, run):
        common = ["simulate", "duplication", "--nodes", "30", "--out", str(tmp_path / "t")]
        code, _, errors = run(*common, "--stages", text)
        assert code == 2
        assert len(errors.splitlines()) == 1


OF_A_RANGE = {"n_samples": 200, "seed": 3, "engine": "serial", "features": ["degree_mean"]}


class TestRanges:
    def test_rows_of_a_range_have_all_its_sizes_and_small_ones_more_often(self):
        table = netchoice.simulate_table("ba", n_nodes=(20, 30), **OF_A_RANGE)
        space = netchoice.get_space("ba")
        simulator = make_simulator(space, (20, 30), "keep", ["degree_mean"], 3, "train")
        sizes = [simulator.network(row)[1].n_nodes for row in range(len(table))]
        assert set(sizes) == set(range(20, 31))
        assert np.mean(np.log(sizes)) == pytest.approx((np.log(20) + np.log(31)) / 2, abs=0.05)
        assert table.manifest["n_nodes"] == [20, 30]

    def test_table_of_a_range_is_resumed(self, tmp_path):
        whole = netchoice.simulate_table("ba", n_nodes=(20, 30), path=tmp_path / "a", **OF_A_RANGE)
        part = OF_A_RANGE | {"n_samples": 50}
        netchoice.simulate_table("ba", n_nodes=(20, 30), path=tmp_path / "b", **part)
        resumed = netchoice.simulate_table(
            "ba", n_nodes=(20, 30), path=tmp_path / "b", **OF_A_RANGE
        )
        assert resumed.X.equals(whole.X)

    @pytest.mark.parametrize("low", [20, 30])
    def test_empty_range_is_refused(self, low):
        with pytest.raises(UsageError, match=f"from {low} to 20 nodes"):
            netchoice.simulate_table("ba", n_nodes=(low, 20), **OF_A_RANGE)


class TestDeadlines:
    def simulate(self, rows, **options):
        return netchoice.simulate_table(
            "ba", n_nodes=20, n_samples=rows, seed=1, features=["degree_mean"], engine="serial",
            **options,
        )  # fmt: skip

    def test_table_ends_at_its_deadline_with_the_first_rows(self, tmp_path):
        cut = self.simulate(40, deadline=0.0, min_samples=7, path=tmp_path / "t")
        assert 7 <= len(cut) < 40
        assert cut.manifest["n_samples"] == len(cut)
        first = self.simulate(len(cut))
        assert cut.X.equals(first.X)
        assert netchoice.ReferenceTable.load(tmp_path / "t").X.equals(first.X)

    def test_table_that_was_cut_can_be_continued(self, tmp_path):
        self.simulate(40, deadline=0.0, min_samples=7, path=tmp_path / "t")
        assert self.simulate(40, path=tmp_path / "t").X.equals(self.simulate(40).X)

    def test_table_in_memory_ends_at_its_deadline(self):
        assert len(self.simulate(40, deadline=0.0)) < 40

    def test_table_before_its_deadline_is_whole(self):
        assert len(self.simulate(40, deadline=time.monotonic() + 600)) == 40

    def test_features_after_the_deadline_are_not_computed(self):
        graph = netchoice.Graph.from_edges([(0, 1), (1, 2), (2, 0)])
        found = netchoice.compute_features(graph, ["degree_mean", "estrada_index"], deadline=0.0)
        assert found.failures == {"estrada_index": LATE}
        assert math.isnan(found.values["estrada_index"])
        assert found.values["degree_mean"] == 2
