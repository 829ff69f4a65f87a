"""What the workflows share: selectors, costs, tables and settings; and evaluate_features."""

import dataclasses
import json
import pkgutil
from importlib import import_module

import numpy as np
import pandas as pd
import pytest
from netchoice.workflows import SimulationPlan, find_costs, load_table, selectors_for
from netchoice.workflows.feature_selection import (
    FeatureSelection,
    SelectionOptions,
    select_features,
)

import netchoice
from netchoice import CostModel, ReferenceTable, workflows
from netchoice.errors import UsageError
from netchoice.selection import METHODS, ReliefF, get_selector
from netchoice.storage.table import TableError

#: The costs include a feature that the table does not have.
COSTS = CostModel(
    {"real": 1.0, "count": 2.0, "constant": 4.0, "elsewhere": 8.0},
    {"real": ["step"], "count": ["step"], "elsewhere": ["other step"]},
    {"step": 16.0, "other step": 32.0},
)


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    y = np.arange(200) % 2
    frame = pd.DataFrame(
        {
            "label": np.where(y, "x", "y"),
            "real": y + 0.1 * rng.normal(size=200),
            "count": rng.integers(0, 5, 200),
            "constant": 1.0,
        }
    )
    return ReferenceTable.from_frame(frame, costs=COSTS)


# Selectors


class CapturedError(Exception):
    """Raised instead of ranking."""


@pytest.fixture
def selectors_of(table, monkeypatch):
    """Return the selectors that choose and evaluate would fit, by workflow."""
    captured = {}

    def rank_path(selectors, X, y, *_, **__):
        assert list(X.columns) == ["real", "count"]
        captured["selectors"] = selectors
        raise CapturedError

    for module in ("feature_selection", "evaluate"):
        monkeypatch.setattr(import_module(f"netchoice.workflows.{module}"), "rank_path", rank_path)

    def choose(methods):
        options = SelectionOptions(methods[:1], methods[1:], seed=7, n_jobs=1)
        select_features(FeatureSelection((), COSTS, table), SimulationPlan(), options)

    def evaluate(methods):
        netchoice.evaluate_features(table, table, methods=methods, costs=COSTS, seed=7, workers=1)

    def selectors(workflow):
        with pytest.raises(CapturedError):
            {"choose": choose, "evaluate": evaluate}[workflow](tuple(METHODS))
        return captured["selectors"]

    return selectors


@pytest.mark.parametrize("workflow", ["choose", "evaluate"])
def test_every_workflow_ranks_with_the_same_parameters(workflow, selectors_of):
    selectors = selectors_of(workflow)
    assert list(selectors) == list(METHODS)
    for name, selector in selectors.items():
        reference = get_selector(name)
        shared = workflow == "choose" and reference.supports_shared_costs
        expected = reference.get_params() | {
            "costs": COSTS.only(["real", "count"]),
            "random_state": 7,
            "n_jobs": 1,
            "charge": "shared" if shared else "alone",
            "cost_scale": "share",
        }
        if "discrete_features" in expected:
            expected["discrete_features"] = [False, True]
        assert selector.get_params() == expected, name
        assert set(selector.costs.own) == {"real", "count"}
        assert set(selector.costs.steps) == {"step"}


def test_some_methods_support_no_shared_costs_and_some_no_discrete_features():
    """Otherwise the test above would not notice a wrong rule."""
    selectors = [get_selector(name) for name in METHODS]
    assert {selector.supports_shared_costs for selector in selectors} == {True, False}
    assert {"discrete_features" in selector.get_params() for selector in selectors} == {True, False}


def test_given_selectors_are_cloned_and_keep_their_parameters(table):
    varying = table.drop_constant()
    given = ReliefF(n_neighbors=3, charge="shared", cost_scale="raw")
    ready = selectors_for(varying, {"mine": given}, costs=COSTS, seed=5)["mine"]
    assert ready is not given
    assert given.costs is None
    assert (ready.n_neighbors, ready.charge, ready.cost_scale) == (3, "shared", "raw")
    assert (ready.costs, ready.random_state) == (COSTS.only(["real", "count"]), 5)
    assert not hasattr(ready, "ranking_")


def test_selectors_without_costs_are_free(table):
    selectors = selectors_for(table.drop_constant(), ["jmi"], costs=None)
    assert selectors["jmi"].costs is None


def test_wrong_methods_are_refused(table):
    with pytest.raises(UsageError, match="no methods; expected some of mrmr, jmi"):
        selectors_for(table, [], costs=None)
    with pytest.raises(UsageError, match="unknown method 'jm'; did you mean 'jmi'"):
        selectors_for(table, ["jm"], costs=None)


# Costs and tables


def test_costs_come_from_the_table_the_paper_or_the_user(table):
    measured = find_costs(table)
    assert measured.model == COSTS.only(table.features)
    assert (measured.name, measured.in_seconds) == ("measured", True)
    assert find_costs(table, "measured") == measured
    paper = find_costs(table, "paper:ba")
    assert (paper.name, paper.in_seconds) == ("paper:ba", True)
    assert paper.model.cost("transitivity") == netchoice.paper_costs("ba")["transitivity"]
    given = find_costs(table, {"real": 2.0})
    assert (given.model, given.name, given.in_seconds) == (CostModel({"real": 2.0}), "given", False)
    assert find_costs(table, COSTS).model is COSTS


def test_table_without_costs_is_free(table):
    free = ReferenceTable.from_frame(table.X.assign(label=table.y))
    source = find_costs(free)
    assert (source.model, source.name) == (None, "none")
    assert source.for_features(["real"]).cost("real") == 0
    with pytest.raises(UsageError, match="this table has no measured costs"):
        find_costs(free, "measured")


def test_table_is_loaded_from_a_folder_a_file_or_memory(table, tmp_path):
    table.save(tmp_path / "folder")
    table.X.assign(group=table.y).to_csv(tmp_path / "file.csv", index=False)
    assert load_table(table) is table
    for loaded in (load_table(tmp_path / "folder"), load_table(tmp_path / "file.csv", "group")):
        pd.testing.assert_frame_equal(loaded.X, table.X)
        assert list(loaded.y) == list(table.y)
    with pytest.raises(TableError, match="nowhere does not exist"):
        load_table(tmp_path / "nowhere")


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_table_with_missing_or_infinite_values_is_refused(table, value):
    frame = table.X.assign(label=table.y)
    frame.loc[3, "real"] = value
    broken = ReferenceTable.from_frame(frame)
    with pytest.raises(UsageError, match="1 values of 'real' are missing or infinite"):
        load_table(broken)


# Settings


def dataclasses_of_workflows():
    for info in pkgutil.iter_modules(workflows.__path__, "netchoice.workflows."):
        module = import_module(info.name)
        for thing in vars(module).values():
            is_class = isinstance(thing, type) and thing.__module__ == info.name
            if is_class and dataclasses.is_dataclass(thing):
                yield thing


def test_all_settings_and_results_are_frozen():
    """Only a stopwatch and the answerer of a worker change as they go."""
    classes = {thing.__name__: thing for thing in dataclasses_of_workflows()}
    assert {"ChoiceSettings", "EvaluationSettings", "PilotSelection"} <= set(classes)
    assert {"FeatureSelection", "SimulationPlan", "Choice", "Evidence", "CostSource"} <= set(
        classes
    )
    mutable = {name for name, thing in classes.items() if not thing.__dataclass_params__.frozen}
    assert mutable == {"RowAnswerer", "Stopwatch"}


# Rankings and evaluations


def test_ranking_states_costs_in_their_unit(table):
    ranking = netchoice.rank_features(table, penalty=1, charge="shared")
    assert set(ranking.ranking) == {"real", "count"}
    assert ranking.constant == ["constant"]
    assert ranking.steps["cumulative_cost"].tolist() == ranking.steps["cost"].cumsum().tolist()
    assert ranking.steps["cumulative_cost"].iloc[-1] == 19
    alone = netchoice.rank_features(table, penalty=1)
    assert alone.steps["cumulative_cost"].iloc[-1] == 35
    assert alone.ranking[0] == "real"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"penalty": -1}, "`penalty` must be a non-negative number; got -1"),
        ({"charge": "twice"}, "`charge` must be 'alone' or 'shared'; got 'twice'"),
        ({"cost_scale": "log"}, "`cost_scale` must be 'share' or 'raw'; got 'log'"),
        ({"method": "jm"}, "unknown method 'jm'"),
        ({"method": "relieff", "estimator": "plugin"}, "relieff has no estimator"),
    ],
)
def test_wrong_option_of_a_ranking_is_refused(options, message):
    """The table is not read: the message would say that it does not exist."""
    with pytest.raises(UsageError, match=message):
        netchoice.rank_features("nowhere", **options)


def test_shared_costs_are_refused_for_a_method_that_does_not_support_them(table):
    with pytest.raises(UsageError, match="shared"):
        netchoice.rank_features(table, "weighted-mdi", charge="shared")


def test_ranking_of_constant_features_is_refused(table):
    frame = pd.DataFrame({"label": table.y, "one": 1.0, "two": 2.0})
    with pytest.raises(UsageError, match="all 2 features of the table are constant"):
        netchoice.rank_features(ReferenceTable.from_frame(frame))


def test_evaluation_recommends_a_set_and_writes_it(table, tmp_path):
    options = {"methods": ["jmi", "random"], "penalties": [0, 1], "folds": 4}
    progress = []
    result = netchoice.evaluate_features(
        table, **options, path=tmp_path, on_progress=lambda *step: progress.append(step)
    )
    assert result.recommended.features == ("real",)
    assert result.recommended.rule == "cheapest"
    assert result.settings.rows == {"train": 100, "test": 100}
    assert set(result.costs.own) == {"real", "count"}
    assert {stage for stage, _, _, _ in progress} == {"ranking", "evaluating"}
    record = json.loads((tmp_path / "recommended.json").read_text())
    assert record == json.loads(json.dumps({**result.as_dict(), "out": str(tmp_path)}))
    evaluation = pd.read_csv(tmp_path / "evaluation.csv")
    assert evaluation["features"].tolist() == result.evaluation["features"].map(";".join).tolist()
    assert evaluation["accuracy"].tolist() == result.evaluation["accuracy"].tolist()
    rankings = pd.read_csv(tmp_path / "rankings.csv")
    pd.testing.assert_frame_equal(rankings, result.rankings, check_dtype=False)
    assert CostModel(**json.loads((tmp_path / "costs.json").read_text())) == result.costs
    within = netchoice.evaluate_features(table, **options, path=tmp_path, budget="60%")
    assert within.recommended.rule == "budget"
    assert within.recommended.share <= 0.6


def test_wrong_option_of_an_evaluation_is_refused(table):
    with pytest.raises(UsageError, match="`budget` must be a cost such as 20"):
        netchoice.evaluate_features("nowhere", budget="5eur")
    with pytest.raises(UsageError, match="`rule` must be 'cheapest' or 'budget'; got 'best'"):
        netchoice.evaluate_features("nowhere", rule="best")
    with pytest.raises(UsageError, match="the budget 5ms is a time, but the costs from given are"):
        netchoice.evaluate_features(table, budget="5ms", costs={"real": 1.0, "count": 1.0})
    with pytest.raises(UsageError, match="penalties 'few'; expected auto, paper, or numbers"):
        netchoice.evaluate_features(table, penalties="few")
    with pytest.raises(UsageError, match="`max_features` must be an integer of at least 1; got 0"):
        netchoice.evaluate_features(table, max_features=0)
