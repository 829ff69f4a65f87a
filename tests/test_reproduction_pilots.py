"""Studies of pilots and recommended pilot sizes: what small networks show about large ones."""

import numpy as np
import pandas as pd
import pytest

import netchoice
from netchoice import ModelSpace, ReferenceTable, figures, simulate_table
from netchoice.errors import UsageError
from netchoice.evaluation import evaluate_rankings
from netchoice.evaluation.scorers import NeighboursScorer
from netchoice.row_simulator import RowSimulator
from netchoice.selection import get_selector
from reproduction import pilots
from reproduction.cost_growth import CostGrowth
from reproduction.pilot_figures import cost_growth, draw_study, pilot_accuracy, power_fit
from reproduction.pilot_size import confused_pairs, paired_gain, recommend_pilot_size
from reproduction.pilots import PilotStudy, fit_power, study_pilots

FEW = ["degree_mean", "transitivity", "n_triangles", "lcc_mean_distance", "noise_normal"]


# Studies


@pytest.fixture(scope="module")
def options(tmp_path_factory):
    return {
        "sizes": [20, 40], "target": 60, "samples": 60, "target_samples": 80,
        "methods": ["jmi", "relieff"], "penalties": [0, 2], "ks": range(1, 4), "features": FEW,
        "engine": "serial", "path": tmp_path_factory.mktemp("pilots") / "study",
    }  # fmt: skip


@pytest.fixture(scope="module")
def study(options):
    return study_pilots("duplication", **options)


def pilot_tables(options, sizes=(20, 40)):
    return [ReferenceTable.load(options["path"] / "tables" / f"pilot-{n}") for n in sizes]


def test_study_holds_every_pilot(study):
    assert isinstance(study, PilotStudy)
    keys = study.accuracy[["n", "method", "penalty", "k"]]
    assert len(keys.drop_duplicates()) == len(keys) == 2 * 2 * 2 * 3
    assert study.accuracy["accuracy"].between(0, 1).all()
    best = study.accuracy.query("n == 40 and k == 3 and method == 'jmi' and penalty == 0")
    assert best["accuracy"].mean() > 0.8
    costs = study.accuracy.set_index(["penalty", "n"])["costs"].sort_index()
    assert set(costs[0.0]) == {"none"}
    assert set(costs[2.0, 20]) == {"of the pilot"}
    assert set(costs[2.0, 40]) == {"extrapolated"}


def test_accuracy_is_that_of_the_target_table(study):
    target = simulate_table(
        "duplication", n_nodes=60, n_samples=80, seed=1, stream="target", features=FEW,
        engine="serial",
    )  # fmt: skip
    row = study.accuracy.iloc[-1]
    k = len(row["features"])
    rankings = pd.DataFrame(
        {"method": "m", "penalty": 0.0, "position": range(1, k + 1), "feature": row["features"]}
    )
    ref = evaluate_rankings(rankings, target, ks=[k])
    assert row["accuracy"] == pytest.approx(ref["accuracy"].iloc[0])


def test_rankings_at_a_penalty_use_the_costs_of_the_target(study, options):
    tables = pilot_tables(options)
    largest = tables[-1].drop_constant()
    costs = CostGrowth.fit(tables).predict(60).only(largest.features)
    discrete = [largest.discrete[name] for name in largest.features]
    selector = get_selector(
        "jmi", costs=costs, penalty=2.0, random_state=1, discrete_features=discrete
    )
    ref = list(selector.fit(largest.X, largest.y).ranking_names_)
    ours = study.rankings.query("n == 40 and method == 'jmi' and penalty == 2")
    assert list(ours.sort_values("position")["feature"]) == ref


def test_pilots_of_all_sizes_hold_the_same_draws(options, study):
    small, large = pilot_tables(options)
    pd.testing.assert_frame_equal(small.parameters, large.parameters)


def test_costs_are_means_of_calibrated_rows(study, options):
    measured = study.costs.set_index(["name", "n"])["seconds"]
    for n, table in zip((20, 40, 60), pilot_tables(options, (20, 40, 60)), strict=True):
        timed = table.frame[table.frame["calibrated"]]
        total = timed.filter(regex="seconds_(own|step)_").sum(axis=1).mean()
        assert measured["all", n] == pytest.approx(total, rel=1e-5)
        alone = timed["seconds_own_transitivity"].copy()
        for step in table.costs.uses["transitivity"]:
            alone += timed[f"seconds_step_{step}"]
        assert measured["transitivity", n] == pytest.approx(alone.mean())
    assert (study.costs["predicted"] > 0).all()
    assert (study.costs["seconds_se"] >= 0).all()  # 0 if the clock cannot show the cost on any row


def test_growth_is_fitted_to_the_pilots(study):
    rows = study.costs.query("name == 'all' and n < 60")
    power, curve = study.growth()
    assert power == fit_power(rows)
    assert power["low"] is None  # two sizes have no interval
    assert curve(40) == pytest.approx(rows.query("n == 40")["seconds"].iloc[0], rel=0.05)


def test_power_is_that_of_least_squares():
    n = np.array([100, 200, 400, 800])
    costs = pd.DataFrame({"n": n, "seconds": 1e-6 * n**1.5 * [1.1, 0.9, 1.0, 1.05]})
    power = fit_power(costs.sample(frac=1, random_state=0))
    slope, intercept = np.polyfit(np.log(n), np.log(costs["seconds"]), 1)
    assert power["exponent"] == pytest.approx(slope)
    assert power["factor"] == pytest.approx(np.exp(intercept))
    assert power["low"] < 1.5 < power["high"]


def test_resumed_study_simulates_ranks_and_scores_nothing_again(study, options, monkeypatch):
    def done_before(*_, **__):
        raise AssertionError("this was done before")

    monkeypatch.setattr(pilots, "rank_path", done_before)
    monkeypatch.setattr(RowSimulator, "__call__", done_before)
    monkeypatch.setattr(NeighboursScorer, "__call__", done_before)
    progress = []
    again = study_pilots("duplication", **options, on_progress=lambda *step: progress.append(step))
    pd.testing.assert_frame_equal(again.accuracy, study.accuracy)
    assert {"ranking", "testing"} <= {stage for stage, _, _, _ in progress}


def test_tables_of_all_sizes_grow_in_alternating_rounds(tmp_path):
    reports = []
    options = {
        "sizes": [20, 30], "target": 30, "samples": 300, "methods": ["jmi"], "ks": [1],
        "penalties": [0], "features": ["degree_mean", "transitivity"], "engine": "serial",
    }  # fmt: skip
    grown = study_pilots("ba", **options, path=tmp_path, on_progress=lambda *n: reports.append(n))
    finished = [(stage, done) for stage, done, total, _ in reports if done == total]
    rounds = [(int(stage.split()[2]), n) for stage, n in finished if stage.startswith("pilot")]
    assert rounds == [(20, 100), (30, 100), (30, 200), (20, 200), (20, 300), (30, 300)]
    at_once = study_pilots("ba", **options)
    assert grown.rankings.equals(at_once.rankings)
    assert list(grown.accuracy["accuracy"]) == list(at_once.accuracy["accuracy"])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"sizes": [5, 50]}, "a pilot of 5 nodes.*seed graph.*no selection can work"),
        ({"sizes": []}, "no pilot sizes"),
        ({"sizes": [20, 100]}, "pilot of 100 nodes for a target of 60"),
        ({"sizes": [20.5]}, "`sizes` must be an integer of at least 0; got 20.5"),
        ({"methods": ["jmj"]}, "unknown method 'jmj'; did you mean 'jmi'"),
        ({"methods": []}, "no methods"),
        ({"penalties": [-1]}, "`penalties` must be a non-negative number; got -1"),
        ({"features": ["transitivty"]}, "did you mean 'transitivity'"),
    ],
)
def test_wrong_option_of_a_study_is_refused(options, wrong, message):
    with pytest.raises(UsageError, match=message):
        study_pilots("duplication", **{**options, "path": None, "samples": 20, **wrong})


# Tests of accuracy


def test_paired_gain_by_hand():
    correct = np.array([True] * 8 + [False] * 2)
    before = np.array([True] * 5 + [False] * 3 + [True] + [False])
    gain, upper = paired_gain(correct, before)
    assert gain == pytest.approx(0.2)  # three won, one lost, of ten
    middle = (3.5 - 1.5) / 12
    assert upper == pytest.approx(middle + 1.959964 * np.sqrt((5 / 12 - middle**2) / 12))
    same = np.ones(1000, dtype=bool)
    gain, upper = paired_gain(same, same)
    assert gain == 0
    assert 0 < upper < 0.003


def test_interval_of_the_paired_gain_has_its_coverage():
    """Two classifiers are equally accurate on different rows; the upper end is seldom below 0."""
    rng = np.random.default_rng(3)
    uppers = [paired_gain(rng.random(200) < 0.8, rng.random(200) < 0.8)[1] for _ in range(500)]
    assert 0.95 < np.mean(np.array(uppers) >= 0) <= 1


def test_confused_pairs_are_those_predicted_by_chance():
    rng = np.random.default_rng(4)
    truth = np.repeat(["a", "b", "c"], 200)
    predicted = truth.copy()
    predicted[200:] = rng.choice(["b", "c"], 400)
    assert confused_pairs(truth, predicted, 0.95) == [("b", "c")]
    assert confused_pairs(truth, truth, 0.95) == []


# Recommended sizes


@pytest.fixture(scope="module")
def ladder_options():
    return {
        "sizes": [10, 20, 40, 80], "k": 2, "samples": 120, "check_samples": 240, "features": FEW,
        "engine": "serial", "tolerance": 0.05,
    }  # fmt: skip


@pytest.mark.slow
def test_small_pilots_of_duplication_are_enough(ladder_options):
    recommendation = recommend_pilot_size("duplication", 80, **ladder_options)
    n_nodes, evidence = recommendation.n_nodes, recommendation.evidence
    assert n_nodes in (10, 20, 40)
    assert recommendation.certain
    row = evidence.set_index("n").loc[n_nodes]
    assert row["gain_high"] <= 0.05
    assert row["check_n"] == 80
    assert row["accuracy_here"] < row["accuracy_check"]  # models may overlap in small pilots
    assert evidence["accuracy_check"].max() - row["accuracy_check"] <= 0.05
    assert f"{n_nodes} nodes are enough" in recommendation.verdict
    assert not recommendation.confused


def space_of_copies(name, *labels):
    """Return a space that holds a model several times."""
    model = netchoice.get_model(name)
    copies = [netchoice.Model(label, model.function, model.parameters) for label in labels]
    return ModelSpace("copies", copies)


@pytest.mark.slow
def test_no_pilot_is_recommended_for_two_equal_models(ladder_options):
    space = space_of_copies("dmc", "one", "other")
    recommendation = recommend_pilot_size(space, 80, **ladder_options)
    assert recommendation.n_nodes is None
    assert not recommendation.certain
    assert "not distinguished better than by chance" in recommendation.verdict
    assert "They are the same" in recommendation.verdict
    assert len(recommendation.evidence) == 4
    assert not recommendation.evidence["learnable"].any()


@pytest.mark.slow
def test_two_equal_models_of_three_are_named(ladder_options):
    models = [*space_of_copies("dmc", "one", "other").models, netchoice.get_model("dmr")]
    options = {**ladder_options, "tolerance": 0.1}
    recommendation = recommend_pilot_size(ModelSpace("three", models), 80, **options)
    assert recommendation.confused == [("one", "other")]
    assert "one and other are not distinguished" in recommendation.verdict


def test_no_pilot_is_recommended_if_no_feature_varies():
    recommendation = recommend_pilot_size(
        "ba", 40, sizes=[10, 20, 40], samples=30, check_samples=40, engine="serial",
        features=["n_components", "lcc_nodes"],
    )  # fmt: skip
    assert recommendation.n_nodes is None
    assert "no feature varies" in recommendation.verdict


@pytest.mark.slow
def test_expensive_features_are_checked_at_a_smaller_size(ladder_options):
    recommendation = recommend_pilot_size("duplication", 320, **{**ladder_options, "budget": 1e-6})
    assert (recommendation.evidence["check_n"] < 320).all()
    assert "cost more than the budget" in recommendation.verdict


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"sizes": [4, 5, 6]}, "a pilot of 4 nodes.*no selection can work there"),
        ({"target": 6}, "`target` must be an integer of at least 7; got 6"),
        ({"method": "nope"}, "unknown method 'nope'"),
        ({"tolerance": 0}, "`tolerance` must be a number between 0 and 1; got 0"),
        ({"k": 0}, "`k` must be an integer of at least 1; got 0"),
        ({"samples": 19}, "`samples` must be an integer of at least 20; got 19"),
        ({"penalty": -1}, "`penalty` must be a non-negative number; got -1"),
        ({"budget": 0}, "`budget` must be a positive number; got 0"),
    ],
)
def test_wrong_option_of_a_recommendation_is_refused(ladder_options, wrong, message):
    options = {"target": 80, **ladder_options, **wrong}
    with pytest.raises(UsageError, match=message):
        recommend_pilot_size("duplication", **options)


# Figures


def test_figure_shows_the_accuracy_of_each_size(study, tmp_path):
    panels = pilot_accuracy(study.accuracy, ks=(1, 2, 9))
    assert [ax.get_title() for ax in panels] == ["1 feature", "2 features"]
    line = panels[1].lines[0]
    shown = study.accuracy.query("method == 'jmi' and penalty == 0 and k == 2").set_index("n")
    assert line.get_ydata() == pytest.approx(shown["accuracy"])
    assert figures.save(panels, tmp_path / "a.png").stat().st_size > 5000
    with pytest.raises(UsageError, match="no accuracy for penalty 7; there is 0, 2"):
        pilot_accuracy(study.accuracy, penalty=7)


def test_growth_figure_has_series_by_cost_and_their_fits():
    n = np.array([100, 200, 500, 1000])
    small = pd.DataFrame({"name": "degree", "n": n, "seconds": 1e-8 * n})
    large = pd.DataFrame({"name": "all", "n": n, "seconds": 1e-7 * n**2})
    frame = pd.concat([small, large]).sample(frac=1, random_state=0).assign(seconds_se=1e-9)
    power = {"exponent": 2.0, "low": 1.95, "high": 2.05, "factor": 1e-7}
    uncertain = {"exponent": 1.0, "low": -0.5, "high": 1.5, "factor": 1e-8}
    ax = cost_growth(frame, [power_fit("degree", uncertain), power_fit("all", power)])
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
        "all", "∝ $n^{2.00}$ (1.95 to 2.05)", "degree", "∝ $n^{1.00}$ (−0.50 to 1.50)",
    ]  # fmt: skip
    assert all(container[2] for container in ax.containers)  # error bars
    fit = next(line for line in ax.lines if line.get_label().startswith("∝ $n^{2.00}"))
    assert fit.get_ydata() == pytest.approx(1e-7 * np.square(fit.get_xdata()))
    assert (min(fit.get_xdata()), max(fit.get_xdata())) == pytest.approx((100, 1000))
    ax.get_figure().draw_without_rendering()
    assert {"100", "1,000"} <= {text.get_text() for text in ax.get_xticklabels()}
    assert {"1 µs", "1 ms", "100 ms"} <= {text.get_text() for text in ax.get_yticklabels()}


def test_study_has_a_figure_for_each_penalty_and_one_of_costs(study, tmp_path):
    paths = draw_study(study, tmp_path)
    assert [path.name for path in paths] == ["accuracy-0.png", "accuracy-2.png", "growth.png"]
    assert all(path.read_bytes()[:4] == b"\x89PNG" for path in paths)
