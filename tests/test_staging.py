"""Stages: expensive features on a part of the simulations, and as many simulations as an answer needs."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from small_plans import small_plan

import netchoice
from netchoice.costs import CostModel
from netchoice.errors import NetchoiceError, TableError, UsageError
from netchoice.storage.table_columns import is_computed
from netchoice.workflows import SimulationPlan
from netchoice.workflows.feature_selection import (
    FeatureSelection,
    SelectionOptions,
    select_features,
)
from netchoice.workflows.preparation import ChoiceSettings, make_preparation
from netchoice.workflows.prepared import Prepared
from netchoice.workflows.table_maker import CHEAP_SECONDS, TableMaker, expensive_features

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


class TestTables:
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
        common = ["simulate", "duplication", "--nodes", "30", "--samples", "100", "--out", folder]
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


class TestExpensiveFeatures:
    def test_rule_equals_its_definition(self):
        rng = np.random.default_rng(1)
        for _ in range(50):
            costs = CostModel({f"f{i}": 10 ** rng.uniform(-6, -1) for i in range(8)})
            growth = 10 ** rng.uniform(-4, -2)
            found = expensive_features(costs, list(costs.own), growth)
            cheap = [name for name in costs.own if name not in found]
            total = growth + sum(costs.own[name] for name in cheap)
            if found:
                cheapest = min(costs.own[name] for name in found)
                assert cheapest >= max(costs.own[name] for name in cheap)
                assert cheapest > total
                assert cheapest + total > CHEAP_SECONDS
            ranked = sorted(costs.own.values())[: len(cheap)]
            for k in range(1, len(ranked)):
                before = growth + sum(ranked[:k])
                assert ranked[k] <= before or before + ranked[k] <= CHEAP_SECONDS

    def test_features_that_share_a_step_are_expensive_together(self):
        costs = CostModel(
            {"a": 0.001, "b": 1e-6, "c": 1e-6}, {"b": ["slow"], "c": ["slow"]}, {"slow": 0.1}
        )
        assert {*expensive_features(costs, ["a", "b", "c"], 0.001)} == {"b", "c"}


def table_with_an_expensive_feature(useful):
    """A table of two classes whose expensive feature, on 40% of the rows, separates them or is noise."""
    rng = np.random.default_rng(2)
    y = np.tile(["a", "b"], 300)
    informative = (y == "a") * 4.0 + rng.normal(size=600)
    frame = pd.DataFrame({
        "label": y, "weak": (y == "a") * 1.0 + rng.normal(size=600),
        "expensive": informative if useful else rng.normal(size=600),
    })  # fmt: skip
    table = netchoice.ReferenceTable.from_frame(frame, costs={"weak": 1, "expensive": 9})
    lacking = ~np.array([is_computed(row, 0.4) for row in range(600)])
    table.frame["seconds_own_expensive"] = np.where(lacking, np.nan, 1.0)
    table.frame.loc[lacking, "expensive"] = np.nan
    table.manifest["features"][1]["share"] = 0.4
    return table


@pytest.mark.parametrize("useful", [True, False])
def test_all_rows_are_used_unless_an_expensive_feature_is_selected(useful):
    table = table_with_an_expensive_feature(useful)
    offered = FeatureSelection((), table.costs, table.complete(), staged=table)
    options = SelectionOptions(("jmi",), n_jobs=1)
    found = select_features(offered, SimulationPlan(), options, purpose="model")
    assert ("expensive" in found.features) == useful
    assert len(found.table) == (240 if useful else 600)
    assert found.simulations is table
    assert found.cheap.features == ["weak"]
    assert len(found.cheap) == 600


PLAN = small_plan(
    selection_samples=400, samples=800, first_samples=200, complete_samples=100, complete_each=40
)  # fmt: skip


def preparation(tmp_path=None, features=None, n_nodes=30, **changes):
    space = netchoice.get_space("duplication")
    settings = ChoiceSettings(
        space=space.as_dict(), n_nodes=n_nodes, isolated="drop", plan=replace(PLAN, **changes),
        features=features,
    )  # fmt: skip
    maker = TableMaker(space, 1, "drop", "serial", 1, tmp_path)
    return make_preparation(space, settings, maker)


class TestRounds:
    GIVEN = ("transitivity", "degree_mean")

    @pytest.fixture(scope="class")
    @classmethod
    def everything(cls):
        return Prepared.simulate(preparation(features=cls.GIVEN))

    @pytest.mark.parametrize(("enough", "rows"), [(1, 200), (201, 400), (401, 800), (900, 800)])
    @pytest.mark.slow
    def test_simulations_are_added_until_the_answer_is_precise(self, enough, rows, everything):
        numbers = []

        def is_precise(prepared):
            numbers.append(len(prepared.table))
            return len(prepared.table) >= enough

        prepared = Prepared.simulate(preparation(features=self.GIVEN), is_precise)
        assert len(prepared.table) == rows
        assert numbers == [n for n in (200, 400) if n <= rows and n < 800]
        assert len(everything.table) == 800
        assert prepared.table.X.equals(everything.table.X[:rows])

    def test_a_given_number_of_simulations_is_kept(self):
        given = preparation(features=self.GIVEN)
        given = replace(given, settings=replace(given.settings, samples=300))
        prepared = Prepared.simulate(given, lambda prepared: True)
        assert len(prepared.table) == 300

    @pytest.mark.parametrize(
        ("samples", "expected"),
        [(100, [100]), (200, [200]), (201, [200, 201]), (1000, [200, 400, 800, 1000])],
    )
    def test_numbers_of_the_rounds(self, samples, expected):
        made = preparation(features=self.GIVEN, samples=samples)
        assert made.rounds(made.select()) == expected

    @pytest.mark.slow
    def test_an_imprecise_answer_uses_more_simulations(self):
        network = netchoice.get_model("dmr").grow(30, rng=np.random.default_rng(5), isolated="drop")
        common = {"features": ["degree_mean"], "engine": "serial", "on_progress": False}
        sizes = [
            netchoice.choose_model(
                network,
                "duplication",
                plan=replace(PLAN, precision=precision, local_samples=0),
                **common,
            ).cost["simulations"]
            for precision in (0.2, 0.001)
        ]
        assert sizes == [200, 800]


class TestStagedChoice:
    @pytest.fixture(autouse=True)
    def _cheap(self, monkeypatch):
        """Small networks have no expensive features; here everything above 200 µs is one."""
        monkeypatch.setattr(
            "netchoice.workflows.preparation.expensive_features",
            lambda costs, names, growth: ["estrada_index", "betweenness_max"],
        )

    def test_expensive_features_are_computed_on_some_simulations_only(self, tmp_path):
        prepared = Prepared.simulate(preparation(tmp_path))
        simulations = prepared.selection.simulations
        assert simulations.stages == {"estrada_index": 0.25, "betweenness_max": 0.25}
        assert len(prepared.fit_table) == len(simulations) == 400
        assert {"estrada_index", "betweenness_max"}.isdisjoint(prepared.fit_table.features)
        decided = json.loads((tmp_path / "rows.json").read_text())
        assert decided["expensive"] == ["estrada_index", "betweenness_max"]

    @pytest.mark.slow
    def test_a_resumed_run_repeats_what_was_decided_by_times(self, tmp_path, monkeypatch):
        first = Prepared.simulate(preparation(tmp_path))
        monkeypatch.setattr(
            "netchoice.workflows.preparation.expensive_features", lambda *_: ["degree_mean"]
        )
        again = Prepared.simulate(preparation(tmp_path))
        assert again.selection.features == first.selection.features
        assert again.fit_table.X.equals(first.fit_table.X)

    def test_damaged_decisions_are_named(self, tmp_path):
        for text in ("[1, 2", "[]", '{"expensive": 3}', '{"expensive": ["eccentricity"]}'):
            (tmp_path / "rows.json").write_text(text)
            with pytest.raises(NetchoiceError, match=r"rows\.json is damaged"):
                preparation(tmp_path).select()

    @pytest.mark.slow
    def test_a_chooser_is_kept_with_its_stages(self, tmp_path):
        common = {"n_nodes": 30, "isolated": "drop", "seed": 1, "plan": PLAN}
        chooser = netchoice.Chooser("duplication", **common)
        chooser.fit(path=tmp_path / "kept", engine="serial", on_progress=False)
        network = netchoice.get_model("dmr").grow(30, rng=np.random.default_rng(5), isolated="drop")
        loaded = netchoice.Chooser.load(tmp_path / "kept")
        one, other = chooser.choose(network), loaded.choose(network)
        assert one.probabilities == other.probabilities
        assert one.fit_p_values == other.fit_p_values
        assert one.cost["all_features"] == other.cost["all_features"]
