"""Accuracy against cost, and the choice of one set of features."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.dummy import DummyClassifier
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold, cross_val_predict, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from netchoice import CostModel, ReferenceTable
from netchoice.errors import UsageError
from netchoice.evaluation import (
    PAPER_PENALTIES,
    evaluate_rankings,
    penalty_grid,
    recommended_set,
)
from netchoice.evaluation.scorers import NeighboursScorer, find_classifier, make_scoring
from netchoice.inference.wilson_interval import wilson
from netchoice.selection import JMI, get_selector, rank_path
from netchoice.storage.kept_files import OtherRunError
from netchoice.targets import as_target

COSTS = CostModel(
    {"a": 1.0, "b": 1.0, "c": 5.0, "d": 0.5, "noise_e": 0.5, "f": 0.0},
    {"a": ["step"], "b": ["step"]},
    {"step": 8.0},
)


def labelled_table(n=400, seed=0, signal=1.5):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    frame = pd.DataFrame(rng.normal(size=(n, 6)), columns=list(COSTS.own))
    frame["a"] += signal * (y == 0)
    frame["b"] += signal * (y == 1)
    frame["c"] = frame["a"] + 0.3 * rng.normal(size=n)
    frame["f"] *= 1e30
    frame["label"] = np.array(["x", "y", "z"])[y]
    return ReferenceTable.from_frame(frame, costs=COSTS)


@pytest.fixture(scope="module")
def tables():
    return labelled_table(seed=1), labelled_table(seed=2)


@pytest.fixture(scope="module")
def rankings(tables):
    train = tables[0]
    methods = [get_selector(m, costs=train.costs) for m in ("mrmr", "jmi", "relieff", "random")]
    return rank_path(methods, train.X, train.y, [0, 1, 100])


@pytest.fixture(scope="module")
def evaluated(tables, rankings):
    return evaluate_rankings(rankings, tables[1], seed=3)


def test_evaluation_has_one_row_for_each_method_penalty_and_k(evaluated):
    assert len(evaluated) == 4 * 3 * 6  # rankings have six features
    assert list(evaluated.columns) == [
        "method", "penalty", "k", "features", "measure", "accuracy", "accuracy_se", "log_loss",
        "scores", "n_rows", "cost_alone", "cost_shared", "share_alone", "share_shared", "speedup",
        "n_noise",
    ]  # fmt: skip
    assert list(dict.fromkeys(evaluated["method"])) == ["mrmr", "jmi", "relieff", "random"]
    assert (evaluated["features"].map(len) == evaluated["k"]).all()
    for row in evaluated.itertuples():
        assert row.n_noise == ("noise_e" in row.features)


def test_sets_are_billed_alone_and_shared(evaluated):
    all_alone = 9 + 9 + 5 + 0.5 + 0.5 + 0
    for row in evaluated.itertuples():
        assert row.cost_alone == COSTS.cost_of_set(row.features)
        assert row.cost_shared == COSTS.cost_of_set(row.features, "shared")
        assert row.share_alone == pytest.approx(row.cost_alone / all_alone)
        assert row.share_shared == pytest.approx(row.cost_shared / 16)  # the step is paid once
        if row.cost_shared:
            assert row.speedup == pytest.approx(16 / row.cost_shared)
        else:
            assert row.speedup == np.inf
    # The two charges can put two sets in opposite order.
    pair, other = ["a", "b"], ["a", "c"]
    assert COSTS.cost_of_set(pair) > COSTS.cost_of_set(other)
    assert COSTS.cost_of_set(pair, "shared") < COSTS.cost_of_set(other, "shared")


KNN = make_pipeline(StandardScaler(), KNeighborsClassifier(10))


@pytest.mark.slow
def test_accuracy_and_loss_are_those_of_scikit_learn(evaluated, tables):
    """The columns are continuous, so no distances are equal."""
    table = tables[1]
    splitter = StratifiedKFold(10, shuffle=True, random_state=3)
    codes = np.unique(table.y, return_inverse=True)[1]
    rng = np.random.default_rng(0)
    for i in rng.choice(len(evaluated), 12, replace=False):
        row = evaluated.iloc[i]
        X = table.X[sorted(row["features"])]
        scores = cross_val_score(KNN, X, codes, cv=splitter)
        assert row["accuracy"] == pytest.approx(scores.mean(), abs=1e-12)
        assert row["accuracy_se"] == pytest.approx(scores.std(ddof=1) / np.sqrt(10), abs=1e-12)
        chances = cross_val_predict(KNN, X, codes, cv=splitter, method="predict_proba")
        smoothed = (10 * chances + 0.5) / 11.5
        assert row["log_loss"] == pytest.approx(log_loss(codes, smoothed), rel=1e-9)


@pytest.mark.parametrize(
    "classifier",
    [
        make_pipeline(StandardScaler(), SVC()),
        LinearDiscriminantAnalysis(),
    ],
    ids=["without probabilities", "with probabilities"],
)
def test_scores_of_other_classifiers_are_those_of_scikit_learn(classifier, tables, rankings):
    table = tables[1]
    part = rankings[rankings["method"] == "jmi"]
    evaluation = evaluate_rankings(
        part, table, ks=[1, 3], classifier=classifier, folds=4, n_jobs=2, seed=1
    )
    splitter = StratifiedKFold(4, shuffle=True, random_state=1)
    codes = np.unique(table.y, return_inverse=True)[1]
    for row in evaluation.itertuples():
        scores = cross_val_score(classifier, table.X[list(row.features)], codes, cv=splitter)
        assert row.accuracy == pytest.approx(scores.mean(), abs=1e-12)
        if not hasattr(classifier, "predict_proba"):
            assert np.isnan(row.log_loss)
        else:
            losses = cross_val_score(
                classifier, table.X[list(row.features)], codes, cv=splitter, scoring="neg_log_loss"
            )
            assert row.log_loss == pytest.approx(-losses.mean(), rel=1e-3)


@pytest.fixture
def scored(monkeypatch):
    """The sets that are scored, as positions of columns, once for each fold."""
    sets = []
    original = NeighboursScorer.__call__

    def record(self, fold, order, counted):
        sets.extend((fold, frozenset(order[: i + 1])) for i, flag in enumerate(counted) if flag)
        return original(self, fold, order, counted)

    monkeypatch.setattr(NeighboursScorer, "__call__", record)
    return sets


def test_each_set_is_scored_once(tables, rankings, scored):
    evaluation = evaluate_rankings(rankings, tables[1])
    first_fold = [features for fold, features in scored if fold == 0]
    assert len(first_fold) == len(set(first_fold))
    assert len(first_fold) == len({frozenset(names) for names in evaluation["features"]})


def test_number_of_threads_changes_nothing(tables, rankings, evaluated):
    again = evaluate_rankings(rankings, tables[1], seed=3, n_jobs=2)
    pd.testing.assert_frame_equal(again, evaluated)


def test_resumed_evaluation_scores_only_what_is_missing(
    tables, rankings, evaluated, tmp_path, scored
):
    path = tmp_path / "out" / "scores.json"

    def stop(done, total):
        if done == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        evaluate_rankings(rankings, tables[1], seed=3, path=path, on_progress=stop)
    n_kept = len(json.loads(path.read_text())["scores"])
    assert n_kept > 5
    scored.clear()
    again = evaluate_rankings(rankings, tables[1], seed=3, path=path)
    pd.testing.assert_frame_equal(again, evaluated)
    n_sets = len({frozenset(names) for names in evaluated["features"]})
    assert len(scored) == 10 * (n_sets - n_kept)
    scored.clear()
    pd.testing.assert_frame_equal(
        evaluate_rankings(rankings, tables[1], seed=3, path=path), evaluated
    )
    assert not scored
    with pytest.raises(OtherRunError, match=r"another file .* for another table, other folds"):
        evaluate_rankings(rankings, tables[1], seed=4, path=path)
    with pytest.raises(OtherRunError, match="another classifier"):
        evaluate_rankings(rankings, tables[1], seed=3, path=path, classifier=SVC())


def test_constant_feature_is_evaluated_and_missing_one_is_refused(tables, rankings):
    frame = tables[1].X.assign(label=tables[1].y)
    constant = ReferenceTable.from_frame(frame.assign(a=1.0), costs=COSTS)
    evaluation = evaluate_rankings(rankings, constant, ks=[1, 2])
    alone = evaluation[evaluation["features"] == ("a",)]
    assert np.allclose(alone["accuracy"], constant.y.value_counts(normalize=True).max(), atol=0.2)
    missing = ReferenceTable.from_frame(frame.drop(columns="a"), costs=COSTS)
    with pytest.raises(UsageError, match="the table has no feature 'a', which the rankings name"):
        evaluate_rankings(rankings, missing)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ks": []}, "expected numbers of features from 1 to 6"),
        ({"ks": [0]}, "expected numbers of features from 1 to 6"),
        ({"ks": [99]}, "expected numbers of features from 1 to 6"),
        ({"ks": range(10**12)}, "expected numbers of features from 1 to 6"),
        ({"folds": 1}, "1 folds, but the rarest label has"),
        ({"folds": 1000}, "1000 folds, but the rarest label has"),
        (
            {"classifier": "tree"},
            "classifier='tree'; expected 'knn', 'linear', module:attribute, or a",
        ),
    ],
)
def test_wrong_option_of_an_evaluation_is_refused(options, message, tables, rankings):
    with pytest.raises(UsageError, match=message):
        evaluate_rankings(rankings, tables[1], **options)


def test_range_of_numbers_of_features_may_be_very_long(tables, rankings):
    found = evaluate_rankings(rankings, tables[1], ks=range(1, 10**12))
    assert set(found["k"]) == {1, 2, 3, 4, 5, 6}


def test_incomplete_rankings_are_refused(tables, rankings):
    with pytest.raises(UsageError, match="no column 'position'"):
        evaluate_rankings(rankings.drop(columns="position"), tables[1])
    with pytest.raises(UsageError, match="the rankings are empty"):
        evaluate_rankings(rankings[:0], tables[1])


def test_wilson_interval_is_that_of_scipy():
    from scipy.stats import binomtest

    for hits, n in [(0, 10), (5, 10), (10, 10), (970, 1000)]:
        expected = binomtest(hits, n).proportion_ci(0.9, method="wilson")
        assert wilson(hits / n, n, 0.9) == pytest.approx((expected.low, expected.high))


def test_reported_accuracy_is_not_optimistic():
    """On pure noise, the best of many sets beats chance only on the rows that it was chosen on."""
    chosen, reported = [], []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        names = [f"x{i}" for i in range(12)]
        frame = pd.DataFrame(rng.normal(size=(120, 12)), columns=names)
        frame["label"] = np.arange(120) % 2
        table = ReferenceTable.from_frame(frame, costs=dict.fromkeys(names, 1.0))
        rows = [
            {"method": f"random {r}", "penalty": 0.0, "position": p + 1, "feature": names[f]}
            for r in range(8)
            for p, f in enumerate(rng.permutation(12))
        ]
        evaluation = evaluate_rankings(pd.DataFrame(rows), table, ks=range(1, 9))
        best = recommended_set(evaluation, budget=100.0)
        chosen.append(evaluation["accuracy"].max())
        reported.append(best.accuracy)
    assert np.mean(chosen) > 0.6
    assert abs(np.mean(reported) - 0.5) < 3 * 0.5 / np.sqrt(12 * 60) + 0.01


def test_largest_penalty_ranks_by_cost(tables):
    train = tables[0]
    costs = CostModel({"a": 1.0, "b": 2.0, "c": 4.0, "d": 0.5, "noise_e": 3.0, "f": 0.25})
    grid = penalty_grid(costs)
    assert len(grid) == 26
    assert grid[0] == 0
    assert all(np.diff(grid) > 0)
    last = JMI(costs=costs, penalty=grid[-1]).fit(train.X, train.y)
    assert list(last.ranking_names_) == ["f", "d", "a", "b", "noise_e", "c"]
    assert penalty_grid(CostModel({"a": 0.0})) == [0.0]
    with pytest.raises(UsageError, match="`n` must be an integer of at least 3; got 2"):
        penalty_grid(costs, n=2)
    assert len(PAPER_PENALTIES) == 26


@pytest.mark.kernels
def test_neighbours_use_the_kernel_that_warmup_compiles():
    """A call with another signature would compile the kernel again."""
    from netchoice._kernels.compiler import _registry
    from netchoice._kernels.nearest_rows import nearest_rows
    from netchoice.evaluation.scorers import Neighbours

    rng = np.random.default_rng(0)
    Neighbours(rng.normal(size=(40, 2)), np.arange(30), np.arange(30, 40)).nearest([0, 1])
    assert nearest_rows.signatures == [_registry["nearest_rows.nearest_rows"][1]]


# The recommended set


def sets_with(scores, costs, **columns):
    """Return an evaluation of sets with these scores in each fold."""
    frame = pd.DataFrame({"scores": [tuple(each) for each in scores], "cost_shared": costs})
    return frame.assign(
        method="jmi", penalty=0.0, k=1, features=[(f"f{i}",) for i in range(len(costs))],
        accuracy=frame["scores"].map(np.mean), n_rows=500,
        share_shared=frame["cost_shared"] / 10, speedup=1.0, **columns,
    )  # fmt: skip


def test_cheapest_set_within_the_loss_is_recommended():
    frame = sets_with([[0.95] * 5, [0.945] * 5, [0.9] * 5], [9.0, 5.0, 1.0])
    assert recommended_set(frame).features == ("f1",)
    assert recommended_set(frame, loss=0).features == ("f0",)
    point = recommended_set(frame, loss=0.06)
    assert (point.features, point.best_features, point.best_cost) == (("f2",), ("f0",), 9)
    assert (point.accuracy, point.best_accuracy) == pytest.approx((0.9, 0.95))


def test_budget_limits_the_cost_of_the_set():
    frame = sets_with([[0.95] * 5, [0.94] * 5, [0.6] * 5, [0.6] * 5], [10.0, 5.0, 1.0, 0.002])
    assert recommended_set(frame, budget=6).features == ("f1",)
    assert recommended_set(frame, budget="6 s").features == ("f1",)
    # f3 is as accurate as f2, and cheaper.
    assert recommended_set(frame, budget="1500ms").features == ("f3",)
    assert recommended_set(frame, budget="50%").features == ("f1",)
    assert recommended_set(frame, budget="15%").features == ("f3",)
    with pytest.raises(
        UsageError, match=r"no set costs at most 1ms; the cheapest one costs 0\.002"
    ):
        recommended_set(frame, budget="1ms")
    for wrong in ("5 parsecs", "-1", "nan", "ms", 0, "x%", "-2%"):
        with pytest.raises(
            UsageError, match="must be a cost such as 20, a time such as 5ms, or a share"
        ):
            recommended_set(frame, budget=wrong)


def test_charge_decides_which_set_is_cheapest():
    frame = sets_with([[0.9] * 5] * 2, [2.0, 3.0], cost_alone=[5.0, 3.5], share_alone=0.1)
    assert recommended_set(frame).features == ("f0",)
    assert recommended_set(frame, charge="alone").features == ("f1",)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"charge": "twice"}, "`charge` must be 'alone' or 'shared'; got 'twice'"),
        ({"coverage": 95}, "`coverage` must be a number between 0 and 1; got 95"),
        ({"loss": -1}, "`loss` must"),
    ],
)
def test_wrong_option_of_a_recommendation_is_refused(options, message, evaluated):
    with pytest.raises(UsageError, match=message):
        recommended_set(evaluated, **options)
    with pytest.raises(UsageError, match="the evaluation is empty"):
        recommended_set(evaluated[:0])


def test_without_costs_the_smallest_set_is_recommended():
    frame = sets_with([[0.95] * 5, [0.945] * 5], [0.0, 0.0]).assign(k=[2, 1])
    assert recommended_set(frame).features == ("f1",)


def test_reported_score_of_a_fold_is_that_of_the_choice_of_the_other_folds():
    """Each set is perfect in one fold only: the fold that made it look good never reports it."""
    point = recommended_set(sets_with(np.eye(5), [1.0] * 5), loss=0)
    assert point.accuracy == 0


def test_set_that_breaks_its_promise_gives_way_to_a_better_one():
    """The cheap set is within the loss over all folds, but what the folds choose for each other is not."""
    noise = 0.5 + np.random.default_rng(3).normal(0, 0.06, size=(60, 5))
    scores = [[0.56] * 5, [0.555] * 5, *noise]
    for costs in ([9.0, 9.0], [9.0, 8.0]):
        frame = sets_with(scores, [*costs, *np.linspace(1, 2, 60)])
        near = frame[frame["accuracy"] >= frame["accuracy"].max() - 0.01]
        assert near["cost_shared"].min() < 3
        point = recommended_set(frame)
        assert point.best_accuracy - point.accuracy <= 0.01


def test_interval_of_folds_is_that_of_nadeau_and_bengio():
    scores = [0.5, 0.6, 0.4, 0.55, 0.45]
    point = recommended_set(sets_with([scores], [1.0], measure="R²"))
    half = 2.776445 * np.std(scores, ddof=1) * np.sqrt(1 / 5 + 1 / 4)
    assert point.interval == pytest.approx((0.5 - half, 0.5 + half))
    low, high = recommended_set(sets_with([[1.0] * 5], [1.0])).interval
    assert (low, high) == wilson(1.0, 500)


def test_rankings_of_folds_are_scored_in_their_folds(tables):
    """With a ranking for each fold, the set of a fold is that of its own ranking."""
    table = tables[0]
    first, second = (
        pd.DataFrame({"method": "m", "penalty": 0.0, "position": [1, 2], "feature": names})
        for names in (["a", "d"], ["d", "a"])
    )
    options = {"ks": [1], "folds": 4, "seed": 3}
    alone = {
        name: np.array(evaluate_rankings(each, table, **options)["scores"].iloc[0])
        for name, each in (("a", first), ("d", second))
    }
    by_fold = [first, second, second, first]
    mixed = evaluate_rankings(first, table, by_fold=by_fold, **options).iloc[0]
    assert mixed["features"] == ("a",)
    assert mixed["scores"] == tuple(np.where([1, 0, 0, 1], alone["a"], alone["d"]))


# Scores by name, categories and missing values


def test_scores_by_name_are_those_of_scikit_learn(tables, rankings):
    part, table = rankings[rankings["method"] == "jmi"], tables[1]
    codes = np.unique(table.y, return_inverse=True)[1]
    found = evaluate_rankings(
        part, table, ks=[2], classifier="linear", scoring="balanced_accuracy", folds=3
    )
    splitter = StratifiedKFold(3, shuffle=True, random_state=0)
    own = find_classifier("linear", table.target)
    for row in found.itertuples():
        X = table.X[list(row.features)]
        expected = cross_val_score(own, X, codes, cv=splitter, scoring="balanced_accuracy")
        assert row.scores == pytest.approx(expected, abs=1e-9)
        assert row.measure == "balanced_accuracy"


def test_costs_of_errors_decide_what_is_predicted(tmp_path):
    """With probabilities ½ and errors of 1 and 10, the class whose error is expensive is predicted."""
    path = tmp_path / "errors.csv"
    path.write_text("true,predicted,cost\nill,well,10\nwell,ill,1\n")
    target = as_target(["ill", "well", "well", "ill"])
    name, score = make_scoring(str(path), target)
    even = DummyClassifier(strategy="uniform").fit(np.zeros((4, 1)), target.codes)
    assert name == "minus the mean cost of errors"
    assert score(even, np.zeros((4, 1)), target.codes) == -0.5
    path.write_text("ill,well,10\n")
    with pytest.raises(UsageError, match="has no cost for 'well' that is predicted as 'ill'"):
        make_scoring(str(path), target)
    path.write_text("ill,well,10\nwell,sick,1\n")
    with pytest.raises(UsageError, match="line 2: expected a true class, a predicted class and"):
        make_scoring(str(path), target)


@pytest.mark.parametrize("labels", ["aaaabb", "bbbbaa"])
def test_sensitivity_at_a_specificity_is_that_of_the_rarer_class(labels):
    target = as_target(list(labels))
    X = np.array([[0.1], [0.2], [0.3], [0.8], [0.7], [0.9]])
    shares = LinearDiscriminantAnalysis().fit(X, target.codes)
    for text, expected in (("sensitivity@99%", 0.5), ("sensitivity@75%", 1.0)):
        assert make_scoring(text, target)[1](shares, X, target.codes) == expected


def test_unknown_scores_are_refused(tables):
    with pytest.raises(UsageError, match="unknown score 'acuracy'; did you mean 'accuracy'"):
        make_scoring("acuracy", tables[0].target)
    with pytest.raises(UsageError, match="needs two classes and a specificity"):
        make_scoring("sensitivity@95%", tables[0].target)
