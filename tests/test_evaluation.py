"""Accuracy against cost, and the choice of one set."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold, cross_val_predict, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import netchoice
from netchoice import CostModel, ReferenceTable, evaluation
from netchoice.errors import UsageError
from netchoice.evaluation import operating_point, pareto_front, penalty_grid, wilson
from netchoice.selection import JMI, get_selector, rank_path

COSTS = CostModel(
    {"a": 1.0, "b": 1.0, "c": 5.0, "d": 0.5, "noise_e": 0.5, "f": 0.0},
    {"a": ["step"], "b": ["step"]},
    {"step": 8.0},
)


def a_table(n=400, seed=0, signal=1.5):
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
    return a_table(seed=1), a_table(seed=2)


@pytest.fixture(scope="module")
def rankings(tables):
    train = tables[0]
    methods = [get_selector(m, costs=train.costs) for m in ("mrmr", "jmi", "relieff", "random")]
    return rank_path(methods, train.X, train.y, [0, 1, 100])


@pytest.fixture(scope="module")
def evaluated(tables, rankings):
    return netchoice.evaluate(rankings, tables[1], seed=3)


def test_the_frame(evaluated):
    assert len(evaluated) == 4 * 3 * 6  # no more features than there are
    assert list(evaluated.columns) == [
        "method", "penalty", "k", "features", "accuracy", "accuracy_se", "log_loss",
        "accuracy_choosing", "n_choosing", "accuracy_reporting", "n_reporting", "cost_alone",
        "cost_shared", "share_alone", "share_shared", "speedup", "n_noise",
    ]  # fmt: skip
    assert list(dict.fromkeys(evaluated["method"])) == ["mrmr", "jmi", "relieff", "random"]
    assert (evaluated["features"].map(len) == evaluated["k"]).all()
    for row in evaluated.itertuples():
        assert row.n_noise == ("noise_e" in row.features)


def test_costs(evaluated):
    whole = 9 + 9 + 5 + 0.5 + 0.5 + 0
    for row in evaluated.itertuples():
        assert row.cost_alone == COSTS.cost_of_set(row.features)
        assert row.cost_shared == COSTS.cost_of_set(row.features, "shared")
        assert row.share_alone == pytest.approx(row.cost_alone / whole)
        assert row.share_shared == pytest.approx(row.cost_shared / whole)
        if row.cost_shared:
            assert row.speedup == pytest.approx(16 / row.cost_shared)
        else:
            assert row.speedup == np.inf
    # The two readings can put two sets in opposite order.
    pair, other = ["a", "b"], ["a", "c"]
    assert COSTS.cost_of_set(pair) > COSTS.cost_of_set(other)
    assert COSTS.cost_of_set(pair, "shared") < COSTS.cost_of_set(other, "shared")


KNN = make_pipeline(StandardScaler(), KNeighborsClassifier(10))


def test_cells_against_scikit_learn(evaluated, tables):
    """Continuous columns, so no equal distances."""
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
    ("classifier", "plain"),
    [
        ("svm", make_pipeline(StandardScaler(), SVC())),
        (LinearDiscriminantAnalysis(), LinearDiscriminantAnalysis()),
    ],
)
def test_other_classifiers(classifier, plain, tables, rankings):
    table = tables[1]
    part = rankings[rankings["method"] == "jmi"]
    found = netchoice.evaluate(
        part, table, ks=[1, 3], classifier=classifier, folds=4, n_jobs=2, seed=1
    )
    splitter = StratifiedKFold(4, shuffle=True, random_state=1)
    codes = np.unique(table.y, return_inverse=True)[1]
    for row in found.itertuples():
        scores = cross_val_score(plain, table.X[list(row.features)], codes, cv=splitter)
        assert row.accuracy == pytest.approx(scores.mean(), abs=1e-12)
        if classifier == "svm":
            assert np.isnan(row.log_loss)
        else:
            losses = cross_val_score(
                plain, table.X[list(row.features)], codes, cv=splitter, scoring="neg_log_loss"
            )
            assert row.log_loss == pytest.approx(-losses.mean(), rel=1e-3)


def test_halves_make_the_whole(evaluated):
    row = evaluated.iloc[5]
    both = row["n_choosing"] + row["n_reporting"]
    assert both == 400
    right = row["accuracy_choosing"] * row["n_choosing"]
    right += row["accuracy_reporting"] * row["n_reporting"]
    assert right == pytest.approx(row["accuracy"] * 400, abs=1e-6)


def test_each_set_is_scored_once_and_prefixes_are_reused(tables, rankings, monkeypatch):
    from netchoice.evaluation import scoring

    asked = []
    original = scoring.ByNeighbours.__call__

    def counted(self, fold, order, counted):
        asked.extend(
            frozenset(order[: i + 1]) for i, flag in enumerate(counted) if flag and fold == 0
        )
        return original(self, fold, order, counted)

    monkeypatch.setattr(scoring.ByNeighbours, "__call__", counted)
    found = netchoice.evaluate(rankings, tables[1])
    assert len(asked) == len(set(asked)) == len({frozenset(f) for f in found["features"]})


def test_threads_change_nothing(tables, rankings, evaluated):
    again = netchoice.evaluate(rankings, tables[1], seed=3, n_jobs=2)
    pd.testing.assert_frame_equal(again, evaluated)


def test_interrupted_and_resumed(tables, rankings, evaluated, tmp_path, monkeypatch):
    from netchoice.evaluation import scoring

    path = tmp_path / "out" / "scores.jsonl"

    def stop(done, total):
        if done == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        netchoice.evaluate(rankings, tables[1], seed=3, path=path, on_progress=stop)
    kept = path.read_text().splitlines()
    assert len(kept) > 6
    path.write_text("\n".join(kept)[:-20])  # cut in the middle of a line
    original = scoring.ByNeighbours.__call__
    computed = []

    def counted(self, fold, order, wanted):
        computed.append(sum(wanted))
        return original(self, fold, order, wanted)

    monkeypatch.setattr(scoring.ByNeighbours, "__call__", counted)
    again = netchoice.evaluate(rankings, tables[1], seed=3, path=path)
    pd.testing.assert_frame_equal(again, evaluated)
    sets = len({frozenset(f) for f in evaluated["features"]})
    assert sum(computed) == 10 * (sets - (len(kept) - 2))
    computed.clear()
    pd.testing.assert_frame_equal(
        netchoice.evaluate(rankings, tables[1], seed=3, path=path), evaluated
    )
    assert not computed
    with pytest.raises(UsageError, match="holds scores of another table, other folds"):
        netchoice.evaluate(rankings, tables[1], seed=4, path=path)
    with pytest.raises(UsageError, match="another classifier"):
        netchoice.evaluate(rankings, tables[1], seed=3, path=path, classifier="svm")


def test_a_constant_feature_is_no_error_but_a_missing_one_is(tables, rankings):
    frame = tables[1].X.assign(label=tables[1].y)
    constant = ReferenceTable.from_frame(frame.assign(a=1.0), costs=COSTS)
    found = netchoice.evaluate(rankings, constant, ks=[1, 2])
    alone = found[found["features"] == ("a",)]
    assert np.allclose(alone["accuracy"], constant.y.value_counts(normalize=True).max(), atol=0.2)
    missing = ReferenceTable.from_frame(frame.drop(columns="a"), costs=COSTS)
    with pytest.raises(UsageError, match="the table has no feature 'a', which the rankings name"):
        netchoice.evaluate(rankings, missing)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"ks": []}, "expected numbers of features from 1 to 6"),
        ({"ks": [0]}, "expected numbers of features from 1 to 6"),
        ({"ks": [99]}, "expected numbers of features from 1 to 6"),
        ({"folds": 1}, "1 folds, but the rarest label has"),
        ({"folds": 1000}, "1000 folds, but the rarest label has"),
        ({"classifier": "tree"}, "classifier='tree'; expected 'knn', 'svm'"),
    ],
)
def test_nonsense(change, words, tables, rankings):
    with pytest.raises(UsageError, match=words):
        netchoice.evaluate(rankings, tables[1], **change)


def test_rankings_that_are_none(tables, rankings):
    with pytest.raises(UsageError, match="no column 'position'"):
        netchoice.evaluate(rankings.drop(columns="position"), tables[1])
    with pytest.raises(UsageError, match="the rankings are empty"):
        netchoice.evaluate(rankings[:0], tables[1])


# Choosing


def cells(**columns):
    n = len(columns["accuracy_choosing"])
    frame = pd.DataFrame(
        {
            "method": "jmi", "penalty": 0.0, "k": 1, "n_choosing": 1000, "n_reporting": 1000,
            "accuracy_reporting": 0.9, "cost_alone": 1.0, "share_alone": 0.1, "speedup": 2.0,
            "features": [(f"f{i}",) for i in range(n)], **columns,
        }
    )  # fmt: skip
    return frame.assign(share_shared=frame["cost_shared"] / 100)


def test_the_cheapest_that_is_not_distinguishable_from_the_best():
    frame = cells(accuracy_choosing=[0.95, 0.94, 0.90], cost_shared=[10.0, 5.0, 1.0])
    low, _ = wilson(0.95, 1000)
    assert 0.90 < low < 0.94
    point = operating_point(frame)
    assert (point.features, point.cost) == (("f1",), 5)
    assert point.accuracy == 0.9
    assert point.interval == wilson(0.9, 1000)
    assert point.best_features == ("f0",)


def test_perfect_folds_have_an_interval_too():
    """Over the folds the standard error is 0; the binomial interval is not."""
    frame = cells(accuracy_choosing=[1.0, 0.999, 0.98], cost_shared=[10.0, 5.0, 1.0])
    assert operating_point(frame).features == ("f1",)
    assert operating_point(frame, coverage=0.01).features == ("f0",)


def test_within_a_budget():
    frame = cells(accuracy_choosing=[0.95, 0.94, 0.6, 0.6], cost_shared=[10.0, 5.0, 1.0, 0.002])
    assert operating_point(frame, "budget", budget=6).features == ("f1",)
    assert operating_point(frame, "budget", budget="6 s").features == ("f1",)
    assert operating_point(frame, "budget", budget="1500ms").features == ("f3",)  # as accurate
    assert operating_point(frame, "budget", budget="5%").features == ("f1",)
    assert operating_point(frame, "cheapest", budget="1.5%").features == ("f3",)
    with pytest.raises(
        UsageError, match=r"no set costs at most 1ms; the cheapest one costs 0\.002"
    ):
        operating_point(frame, "budget", budget="1ms")
    with pytest.raises(UsageError, match="the rule 'budget' needs one"):
        operating_point(frame, "budget")
    for nonsense in ("5 parsecs", "-1", "nan", "ms", 0, "x%", "-2%"):
        with pytest.raises(
            UsageError, match="expected a cost such as 20, a time such as 5ms, or a share"
        ):
            operating_point(frame, "budget", budget=nonsense)


def test_pareto_front_and_knee():
    frame = cells(
        accuracy_choosing=[0.5, 0.90, 0.91, 0.8, 0.92], cost_shared=[1.0, 2.0, 10.0, 5.0, 100.0]
    )
    front = pareto_front(frame, accuracy="accuracy_choosing")
    assert list(front["cost_shared"]) == [1, 2, 10, 100]
    assert operating_point(frame, "knee").features == ("f1",)
    alone = pareto_front(frame.assign(accuracy=0.5))
    assert len(alone) == 1


def test_alone_and_shared_choose_differently():
    frame = cells(accuracy_choosing=[0.9, 0.9], cost_shared=[2.0, 3.0], cost_alone=[4.0, 3.5])
    assert operating_point(frame).features == ("f0",)
    assert operating_point(frame, charge="alone").features == ("f1",)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"rule": "best"}, "rule='best'; expected"),
        ({"charge": "twice"}, "charge='twice'"),
        ({"coverage": 95}, "coverage=95"),
    ],
)
def test_operating_point_nonsense(arguments, words, evaluated):
    with pytest.raises(UsageError, match=words):
        operating_point(evaluated, **arguments)
    with pytest.raises(UsageError, match="the evaluation is empty"):
        operating_point(evaluated[:0])


def test_wilson_against_scipy():
    from scipy.stats import binomtest

    for hits, n in [(0, 10), (5, 10), (10, 10), (970, 1000)]:
        expected = binomtest(hits, n).proportion_ci(0.9, method="wilson")
        assert wilson(hits / n, n, 0.9) == pytest.approx((expected.low, expected.high))


def test_the_accuracy_reported_is_not_optimistic():
    """On pure noise the best of many sets looks better than chance where it was chosen, only there."""
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
        found = netchoice.evaluate(pd.DataFrame(rows), table, ks=range(1, 9))
        best = operating_point(found, "budget", budget=100.0)
        chosen.append(found["accuracy_choosing"].max())
        reported.append(best.accuracy)
    assert np.mean(chosen) > 0.6
    assert abs(np.mean(reported) - 0.5) < 3 * 0.5 / np.sqrt(12 * 60) + 0.01


def test_penalties_end_where_cost_alone_decides(tables):
    train = tables[0]
    costs = CostModel({"a": 1.0, "b": 2.0, "c": 4.0, "d": 0.5, "noise_e": 3.0, "f": 0.25})
    grid = penalty_grid(costs)
    assert len(grid) == 26
    assert grid[0] == 0
    assert all(np.diff(grid) > 0)
    last = JMI(costs=costs, penalty=grid[-1]).fit(train.X, train.y)
    assert list(last.ranking_names_) == ["f", "d", "a", "b", "noise_e", "c"]
    assert penalty_grid(CostModel({"a": 0.0})) == [0.0]
    with pytest.raises(UsageError, match="expected at least 3"):
        penalty_grid(costs, n=2)
    assert len(evaluation.PAPER_PENALTIES) == 26


def test_the_command(tables, tmp_path, capsys):
    from netchoice import cli

    paths = []
    for name, table in zip(("train", "test"), tables, strict=True):
        table.save(tmp_path / name)
        paths.append(str(tmp_path / name))
    out = tmp_path / "results"
    given = ["--methods", "jmi,relieff", "--penalties", "0,1,10", "--folds", "5", "--out", str(out)]

    def run(*arguments):
        with pytest.raises(SystemExit) as ended:
            cli.main([str(a) for a in arguments])
        captured = capsys.readouterr()
        return ended.value.code, captured.out, captured.err

    code, text, errors = run("evaluate", *paths, *given)
    assert code == 0, errors
    assert text.startswith("recommended (cheapest): ")
    assert "times cheaper than all features" in text
    assert "accuracy on rows that had no part in the choice: 0." in text
    assert "evaluating: 6/6 rankings" in errors
    for name in ("evaluation.csv", "rankings.csv", "heatmaps.png", "pareto.png", "costs.png"):
        assert (out / name).stat().st_size > 500
    assert (out / "ranking-jmi.png").exists()
    record = json.loads(run("evaluate", *paths, *given, "--json")[1])
    assert (
        record["recommended"] == json.loads((out / "recommended.json").read_text())["recommended"]
    )
    assert ", ".join(record["recommended"]["features"]) in text
    within = json.loads(run("evaluate", *paths, *given, "--budget", "60%", "--json")[1])
    assert within["recommended"]["rule"] == "budget"
    assert within["recommended"]["share"] <= 0.6
    one = run("evaluate", paths[0], *given[:-1], tmp_path / "one")
    assert one[0] == 0, one
    for arguments, expected, words in [
        ([*paths, *given[:-2]], 2, "where to? Give --out"),
        ([*paths, "--penalties", "few", "--out", out], 2, "expected auto, paper, or numbers"),
        ([*paths, "--methods", "jm", "--out", out], 2, "unknown method 'jm'"),
        ([*paths, *given, "--seed", "9"], 2, "holds scores of another table"),
    ]:
        code, _, errors = run("evaluate", *arguments)
        assert (code, words in errors) == (expected, True), errors


@pytest.mark.kernels
def test_the_kernel_is_used_as_it_was_warmed_up():
    """Another signature would be compiled a second time, behind the back of `netchoice warmup`."""
    from netchoice._kernels.compiler import _registry
    from netchoice._kernels.neighbour_votes import neighbour_votes
    from netchoice.selection.knn import Neighbours

    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 2)), rng.integers(0, 2, 40)
    Neighbours(X, y, np.arange(30), np.arange(30, 40)).votes([0, 1])
    assert neighbour_votes.signatures == [_registry["neighbours.neighbour_votes"][1]]
