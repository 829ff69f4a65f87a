"""Tables of networks of several sizes, and features cut by a deadline."""

import math
import time

import numpy as np
import pytest

import netchoice
from netchoice.errors import UsageError
from netchoice.features.computation import LATE
from netchoice.simulate import make_simulator

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
        whole = netchoice.simulate_table("ba", n_nodes=(20, 30), out=tmp_path / "a", **OF_A_RANGE)
        part = OF_A_RANGE | {"n_samples": 50}
        netchoice.simulate_table("ba", n_nodes=(20, 30), out=tmp_path / "b", **part)
        resumed = netchoice.simulate_table("ba", n_nodes=(20, 30), out=tmp_path / "b", **OF_A_RANGE)
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
        cut = self.simulate(40, deadline=0.0, out=tmp_path / "t")
        assert 1 <= len(cut) < 40
        assert cut.manifest["n_samples"] == len(cut)
        first = self.simulate(len(cut))
        assert cut.X.equals(first.X)
        assert netchoice.ReferenceTable.load(tmp_path / "t").X.equals(first.X)

    @pytest.mark.parametrize("slow", [0, 2])
    def test_rows_after_one_that_was_given_up_are_left_out(self, slow, tmp_path, monkeypatch):
        run_rows, whole, calls = netchoice.simulate.run_rows, self.simulate(6), []

        def without_slow(simulator, rows, **options):
            calls.append(rows)
            return run_rows(simulator, rows[rows != slow] if len(calls) == 1 else rows, **options)

        monkeypatch.setattr("netchoice.simulate.run_rows", without_slow)
        cut = self.simulate(6, out=tmp_path / "t")
        assert cut.frame["row"].tolist() == [*range(max(slow, 1))]
        assert cut.X.equals(whole.X[: len(cut)])
        assert netchoice.ReferenceTable.load(tmp_path / "t").X.equals(cut.X)
        assert self.simulate(6, out=tmp_path / "t").X.equals(whole.X)

    def test_table_that_was_cut_can_be_continued(self, tmp_path):
        self.simulate(40, deadline=0.0, out=tmp_path / "t")
        assert self.simulate(40, out=tmp_path / "t").X.equals(self.simulate(40).X)

    def test_table_in_memory_ends_at_its_deadline(self):
        assert len(self.simulate(40, deadline=0.0)) < 40

    def test_table_before_its_deadline_is_whole(self):
        assert len(self.simulate(40, deadline=time.monotonic() + 600)) == 40


def test_features_after_the_deadline_are_not_computed():
    graph = netchoice.Graph.from_edges([(0, 1), (1, 2), (2, 0)])
    found = netchoice.compute_features(graph, ["degree_mean", "estrada_index"], deadline=0.0)
    assert found.failures == {"estrada_index": LATE}
    assert math.isnan(found.values["estrada_index"])
    assert found.values["degree_mean"] == 2
