"""Pilots: how costs grow, what small networks teach, and when they teach nothing."""

import json

import numpy as np
import pandas as pd
import pytest
from netchoice.workflows.pilot_accuracy import confused_pairs, paired_gain

import netchoice
from netchoice import CostModel, ModelSpace, ReferenceTable, simulate_table
from netchoice.cost_growth import CostGrowth, fit_power, fit_slope
from netchoice.errors import UsageError
from netchoice.features import min_powers
from netchoice.workflows import PilotStudy, pilot, recommend_pilot_size

FEW = ["degree_mean", "transitivity", "n_triangles", "lcc_mean_distance", "noise_normal"]
SIZES = (50, 100, 200, 400, 800)

#: Seconds of a made-up battery: overhead, factor, exponent.
TRUTH = {
    ("step", "walk"): (2e-5, 3e-9, 2.2),
    ("own", "far"): (5e-6, 1e-8, 1.0),
    ("own", "near"): (3e-6, 0.0, 0.0),
    ("own", "alone"): (0.0, 4e-8, 1.5),
}
NEEDS = {"far": ["walk"], "near": ["walk"]}


def made_up(n_nodes, noise=0.0, seed=0, rows=20):
    """A table whose times follow the truth, each with relative noise."""
    rng = np.random.default_rng([seed, n_nodes])
    frame = pd.DataFrame({"row": np.arange(rows), "label": "x", "failure": None})
    for (kind, name), (a, b, c) in TRUTH.items():
        seconds = (a + b * n_nodes**c) * np.exp(noise * rng.normal(size=rows))
        frame[f"seconds_{kind}_{name}"] = seconds
        if kind == "own":
            frame[name] = rng.normal(size=rows)
    features = [{"name": n, "version": "", "discrete": False} for n in ("far", "near", "alone")]
    frame["calibrated"] = True
    return ReferenceTable(frame, {"n_nodes": n_nodes, "features": features, "uses": NEEDS})


# Growth of costs


def test_growth_without_noise_is_found_exactly():
    growth = CostGrowth.fit([made_up(n) for n in SIZES])
    costs = growth.predict(5000)
    for (_, name), (a, b, c) in TRUTH.items():
        expected = a + b * 5000**c
        found = costs.own[name] if name in costs.own else costs.steps[name]
        # The exponent is a mean over those that fit, which a prior pulls to 1.5.
        assert found == pytest.approx(expected, rel=0.35), name
    assert costs.cost("far") == pytest.approx(costs.own["far"] + costs.steps["walk"])
    assert costs.uses["near"] == ("walk",)
    steps = costs.steps["walk"]
    assert growth.total(5000) == pytest.approx(sum(costs.own.values()) + steps)
    assert growth.total(5000, "alone") == pytest.approx(sum(costs.own.values()) + 2 * steps)


def test_interval_of_the_exponent_covers_the_truth_as_often_as_it_says():
    covered = 0
    x = np.log(np.array(SIZES, dtype=float))
    rng = np.random.default_rng(1)
    for _ in range(400):
        y = 1.7 * x + 0.1 * rng.normal(size=len(x))
        slope, low, high = fit_slope(x, y, 0.9)
        assert low < slope < high
        covered += low < 1.7 < high
    assert 0.85 < covered / 400 < 0.95


def test_straight_line_is_least_squares():
    from scipy.stats import linregress

    rng = np.random.default_rng(2)
    x, y = np.sort(rng.normal(size=7)), rng.normal(size=7)
    ref = linregress(x, y)
    slope, low, high = fit_slope(x, y)
    assert slope == pytest.approx(ref.slope)
    from scipy.stats import t

    assert high - slope == pytest.approx(t.ppf(0.975, 5) * ref.stderr)
    assert slope - low == pytest.approx(high - slope)
    assert np.isnan(fit_slope(x[:2], y[:2])[1])


def test_overhead_hides_the_exponent_from_a_straight_line_but_not_from_the_curve():
    n = np.array(SIZES, dtype=float)
    seconds = 1e-3 + 1e-9 * n**2
    assert fit_slope(np.log(n), np.log(seconds))[0] < 0.3
    assert fit_power(n, seconds) == pytest.approx(2.0, abs=0.25)
    growth = CostGrowth.fit([made_up(n, noise=0.1, seed=3) for n in SIZES])
    told = growth.exponents.set_index(["kind", "name"])
    walk = told.loc[("step", "walk")]
    assert walk["exponent"] < walk["c"]
    assert walk["c"] == pytest.approx(2.2, abs=0.3)
    assert 0 <= walk["a"] < 1e-4
    assert told.loc[("own", "alone"), "low"] < 1.5 < told.loc[("own", "alone"), "high"]
    assert growth.predict(8000).cost("far") == pytest.approx(2e-5 + 3e-9 * 8000**2.2, rel=1.0)


def test_a_known_power_is_reached_however_it_begins():
    """a + linear + square, mostly linear at the sizes measured."""
    n = np.array(SIZES, dtype=float)
    seconds = 1e-5 + 2e-7 * n + 1e-10 * n**2
    truth = 1e-5 + 2e-7 * 20_000 + 1e-10 * 20_000**2

    def told(**known):
        frames = []
        for size, cost in zip(SIZES, seconds, strict=True):
            table = made_up(size)
            table.frame["seconds_step_walk"] = cost
            frames.append(table)
        return CostGrowth.fit(frames, **known).predict(20_000).steps["walk"]

    assert told(powers={"walk": 2.0}) == pytest.approx(truth, rel=0.5)
    assert told() < 0.5 * truth
    assert set(min_powers()) >= {"betweenness", "distance_histograms", "estrada_index"}
    assert "lcc_local_efficiency" not in min_powers()


def test_growth_survives_json():
    growth = CostGrowth.fit([made_up(n, noise=0.1) for n in SIZES[:2]])
    again = CostGrowth.from_dict(json.loads(json.dumps(growth.as_dict(), allow_nan=False)))
    assert again.predict(777) == growth.predict(777)
    pd.testing.assert_frame_equal(again.exponents, growth.exponents)
    assert "50, 100" in repr(again)


def test_growth_takes_several_tables_of_a_size_and_only_calibrated_rows():
    one, other = made_up(50, noise=0.5, seed=1), made_up(50, noise=0.5, seed=2)
    slow = made_up(100)
    slow.frame["calibrated"] = slow.frame["row"] < 5
    slow.frame.loc[5:, "seconds_step_walk"] = 1.0
    growth = CostGrowth.fit([one, other, slow])
    seconds = growth.measured.set_index(["kind", "name", "n"])["seconds"]
    both = [*one.frame["seconds_own_far"], *other.frame["seconds_own_far"]]
    assert seconds["own", "far", 50] == pytest.approx(np.mean(both))
    assert seconds["step", "walk", 100] == pytest.approx(2e-5 + 3e-9 * 100**2.2)
    total = one.frame.filter(like="seconds_").sum(axis=1).mean()
    total = (total + other.frame.filter(like="seconds_").sum(axis=1).mean()) / 2
    assert seconds["total", "all", 50] == pytest.approx(total)


def test_costs_alone_will_do():
    def costed(n):
        frame = pd.DataFrame({"label": ["a", "b"], "far": [0.1, 0.2]})
        table = ReferenceTable.from_frame(frame, costs=CostModel({"far": 1e-8 * n**2}))
        table.manifest["n_nodes"] = n
        return table

    growth = CostGrowth.fit([costed(n) for n in SIZES])
    assert growth.predict(3000).cost("far") == pytest.approx(1e-8 * 3000**2, rel=0.1)


def test_growth_refuses_what_it_cannot_use():
    with pytest.raises(UsageError, match=r"one size \(50 nodes\); a fit needs at least two"):
        CostGrowth.fit([made_up(50)])
    with pytest.raises(UsageError, match="no tables"):
        CostGrowth.fit([])
    with pytest.raises(UsageError, match="does not say its number of nodes"):
        CostGrowth.fit([ReferenceTable.from_frame(pd.DataFrame({"label": ["a"], "x": [1.0]}))])
    other = made_up(100)
    other.manifest["features"] = other.manifest["features"][:1]
    with pytest.raises(UsageError, match="50 and 100 nodes have different features"):
        CostGrowth.fit([made_up(50), other])
    with pytest.raises(UsageError, match="at least 1"):
        CostGrowth.fit([made_up(50), made_up(100)]).predict(0)


@pytest.mark.kernels
def test_measured_costs_are_foretold():
    """Real networks, four times as large as the largest pilot; generous, for the machine is busy."""
    tables = [
        simulate_table(
            "ba", n_nodes=n, n_samples=16, seed=1, features=["betweenness_max"], engine="serial"
        )
        for n in (60, 120, 240, 960)
    ]
    growth = CostGrowth.fit(tables[:3], powers=min_powers())
    foretold, measured = growth.predict(960), tables[-1].costs
    ratio = foretold.cost("betweenness_max") / measured.cost("betweenness_max")
    assert 0.25 < ratio < 4


# Studies


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("pilots")


@pytest.fixture(scope="module")
def options(folder):
    return {
        "sizes": [20, 40], "target": 60, "samples": 60, "target_samples": 80, "repeats": 2,
        "methods": ["jmi", "relieff"], "penalties": [0, 2], "ks": range(1, 4), "features": FEW,
        "engine": "serial", "path": folder / "study",
    }  # fmt: skip


@pytest.fixture(scope="module")
def study(options):
    return pilot("duplication", **options)


def test_study_holds_every_pilot(study):
    assert isinstance(study, PilotStudy)
    keys = study.accuracy[["n", "repeat", "method", "penalty", "k"]]
    assert len(keys.drop_duplicates()) == len(keys) == 2 * 2 * 2 * 2 * 3
    assert study.accuracy["accuracy"].between(0, 1).all()
    best = study.accuracy.query("n == 40 and k == 3 and method == 'jmi' and penalty == 0")
    assert best["accuracy"].mean() > 0.8
    used = study.accuracy.set_index(["penalty", "n"])["costs"]
    assert set(used[0.0]) == {"none"}
    assert set(used[2.0, 20]) == {"of the pilot"}
    assert set(used[2.0, 40]) == {"extrapolated"}
    assert set(study.mean_accuracy()["repeats"]) == {2}


def test_accuracy_is_that_of_the_target_table(study, options):
    target = simulate_table(
        "duplication", n_nodes=60, n_samples=80, seed=1, stream="target", features=FEW,
        engine="serial",
    )  # fmt: skip
    row = study.accuracy.iloc[-1]
    rankings = pd.DataFrame(
        {
            "method": "m",
            "penalty": 0.0,
            "position": range(1, len(row["features"]) + 1),
            "feature": row["features"],
        }
    )
    ref = netchoice.evaluation.evaluate(rankings, target, ks=[len(row["features"])])
    assert row["accuracy"] == pytest.approx(ref["accuracy"].iloc[0])


def test_rankings_at_a_penalty_use_costs_of_the_target(study, options):
    from netchoice.workflows.pilot_tables import fit_growth

    from netchoice.selection import get_selector

    tables = [
        ReferenceTable.load(options["path"] / "tables" / f"pilot-{n}-{repeat}")
        for n in (20, 40)
        for repeat in (0, 1)
    ]
    pilot_table = tables[2].drop_constant()
    costs = fit_growth(tables).predict(60).only(pilot_table.features)
    discrete = [pilot_table.discrete[name] for name in pilot_table.features]
    selector = get_selector(
        "jmi", costs=costs, penalty=2.0, random_state=1, discrete_features=discrete
    )
    ref = list(selector.fit(pilot_table.X, pilot_table.y).ranking_names_)
    ours = study.rankings.query("n == 40 and repeat == 0 and method == 'jmi' and penalty == 2")
    assert list(ours.sort_values("position")["feature"]) == ref


def test_pilots_of_all_sizes_hold_the_same_draws(options, study):
    small, large = (
        ReferenceTable.load(options["path"] / "tables" / f"pilot-{n}-0") for n in (20, 40)
    )
    pd.testing.assert_frame_equal(small.parameters, large.parameters)
    other = ReferenceTable.load(options["path"] / "tables" / "pilot-20-1")
    assert not small.parameters.equals(other.parameters)


def test_saving_is_the_ratio_of_measured_costs(study, options):
    totals = {}
    for n in (20, 40, 60):
        tables = [
            ReferenceTable.load(options["path"] / "tables" / f"pilot-{n}-{r}") for r in (0, 1)
        ]
        timed = pd.concat([table.frame[table.frame["calibrated"]] for table in tables])
        own = timed.filter(regex="seconds_(own|step)_").sum(axis=1)
        totals[n] = own.mean()
    saving = study.saving.set_index("n")["saving"]
    for n in (20, 40):
        assert saving[n] == pytest.approx(totals[60] / totals[n], rel=1e-5)
    assert set(study.costs["n"]) == {20, 40, 60}
    assert (study.costs["predicted"] > 0).all()
    assert set(study.growth["kind"]) == {"own", "step", "feature", "total"}


def test_study_is_taken_up_where_it_was(study, options, monkeypatch):
    """Nothing is simulated, ranked or scored twice."""
    from netchoice.row_simulator import RowSimulator
    from netchoice.workflows import pilot as module

    def not_again(*_, **__):
        raise AssertionError("done before")

    monkeypatch.setattr(module, "rank", not_again)
    monkeypatch.setattr(RowSimulator, "simulate", not_again)
    told = []
    again = pilot("duplication", **options, on_progress=lambda *args: told.append(args))
    pd.testing.assert_frame_equal(again.accuracy, study.accuracy)
    assert {"ranking", "testing"} <= {stage for stage, _, _ in told}


def test_study_is_written(study, tmp_path):
    study.save(tmp_path / "out")
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {
        "accuracy.csv", "costs.csv", "growth.csv", "saving.csv", "rankings.csv", "study.json",
    }  # fmt: skip
    record = json.loads((tmp_path / "out" / "study.json").read_text())
    assert record["sizes"] == [20, 40]
    again = CostGrowth.from_dict(record["growth"])
    assert again.predict(1000) == study.cost_growth.predict(1000)
    read = pd.read_csv(tmp_path / "out" / "accuracy.csv")
    assert read["features"].iloc[-1].split() == list(study.accuracy["features"].iloc[-1])


def test_one_size_has_no_growth():
    found = pilot(
        "ba", sizes=[30], target=30, samples=40, methods=["jmi"], ks=[1], engine="serial",
        features=["degree_mean", "noise_normal"],
    )  # fmt: skip
    assert len(found.growth) == 0
    assert found.saving["saving"].tolist() == [1.0]
    assert found.accuracy["accuracy"].min() == 1


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"sizes": [5, 50]}, "pilots of 5 nodes.*seed graph.*no selection can work"),
        ({"sizes": []}, "no pilot sizes"),
        ({"sizes": [20, 100]}, "pilot of 100 nodes for a target of 60"),
        ({"sizes": [20.5]}, "integer of nodes"),
        ({"methods": ["jmj"]}, "unknown method 'jmj'; did you mean 'jmi'"),
        ({"methods": []}, "no methods"),
        ({"repeats": 0}, "repeats=0; expected an integer of at least 1"),
        ({"penalties": [-1]}, "penalties"),
    ],
)
def test_study_refuses(options, wrong, words):
    with pytest.raises(UsageError, match=words):
        pilot("duplication", **{**options, "path": None, "samples": 20, **wrong})


# Recommendations


def test_paired_gain_by_hand():
    right = np.array([True] * 8 + [False] * 2)
    before = np.array([True] * 5 + [False] * 3 + [True] + [False])
    gain, most = paired_gain(right, before)
    assert gain == pytest.approx(0.2)  # three won, one lost, of ten
    middle = (3.5 - 1.5) / 12
    assert most == pytest.approx(middle + 1.959964 * np.sqrt((5 / 12 - middle**2) / 12))
    same = np.ones(1000, dtype=bool)
    gain, most = paired_gain(same, same)
    assert gain == 0
    assert 0 < most < 0.003


def test_paired_interval_is_seldom_too_small():
    """Two classifiers of equal worth, right on different rows: the gain's upper end covers 0."""
    rng = np.random.default_rng(3)
    highs = [paired_gain(rng.random(200) < 0.8, rng.random(200) < 0.8)[1] for _ in range(500)]
    assert 0.95 < np.mean(np.array(highs) >= 0) <= 1


def test_confused_pairs():
    rng = np.random.default_rng(4)
    truth = np.repeat(["a", "b", "c"], 200)
    told = truth.copy()
    told[200:] = rng.choice(["b", "c"], 400)
    assert confused_pairs(truth, told, 0.95) == [("b", "c")]
    assert confused_pairs(truth, truth, 0.95) == []


@pytest.fixture(scope="module")
def small_steps():
    return {
        "sizes": [10, 20, 40, 80], "k": 2, "samples": 120, "check_samples": 240, "features": FEW,
        "engine": "serial", "tolerance": 0.05,
    }  # fmt: skip


def test_small_pilots_of_duplication_will_do(small_steps, folder):
    found = recommend_pilot_size("duplication", 80, **small_steps, path=folder / "recommend")
    assert found.n_nodes in (10, 20, 40)
    assert found.certain
    row = found.evidence.set_index("n").loc[found.n_nodes]
    assert row["gain_high"] <= 0.05
    assert row["check_n"] == 80
    assert row["accuracy_here"] < row["accuracy_check"]  # separation is not asked for
    best = found.evidence["accuracy_check"].max()
    assert best - row["accuracy_check"] <= 0.05
    assert f"{found.n_nodes} nodes will do" in found.verdict
    assert not found.confused
    assert found.cost["pilots"] > 0 < found.cost["checks"]
    json.dumps(found.as_dict(), allow_nan=False)
    again = recommend_pilot_size("duplication", 80, **small_steps, path=folder / "recommend")
    assert again.verdict == found.verdict


def twice(name, *labels):
    """A space that holds a model several times."""
    models = []
    for label in labels:
        like = netchoice.get_model(name)
        models.append(netchoice.Model(label, like.function, like.parameters))
    return ModelSpace("twice", models)


def test_the_same_model_twice_cannot_be_told_apart(small_steps):
    found = recommend_pilot_size(twice("dmc", "one", "other"), 80, **small_steps)
    assert found.n_nodes is None
    assert not found.certain
    assert "not told apart better than by chance" in found.verdict
    assert "They are the same" in found.verdict
    assert len(found.evidence) == 4
    assert not found.evidence["learnable"].any()


def test_two_of_three_cannot_be_told_apart(small_steps):
    space = ModelSpace("three", [*twice("dmc", "one", "other").models, netchoice.get_model("dmr")])
    found = recommend_pilot_size(space, 80, **{**small_steps, "tolerance": 0.1})
    assert found.confused == [("one", "other")]
    assert "one and other are not told apart" in found.verdict


def test_networks_that_do_not_vary_teach_nothing():
    found = recommend_pilot_size(
        "ba", 40, sizes=[10, 20, 40], samples=30, check_samples=40, engine="serial",
        features=["n_components", "lcc_nodes"],
    )  # fmt: skip
    assert found.n_nodes is None
    assert "no feature varies" in found.verdict


def test_dear_features_are_checked_at_a_smaller_size(small_steps):
    found = recommend_pilot_size("duplication", 320, **{**small_steps, "budget": 1e-6})
    assert (found.evidence["check_n"] < 320).all()
    assert "cost more than the budget" in found.verdict


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"sizes": [4, 5, 6]}, "pilots of 4 nodes.*no selection can work there"),
        ({"target": 6}, "target=6"),
        ({"method": "nope"}, "unknown method"),
        ({"tolerance": 0}, "tolerance=0"),
        ({"k": 0}, "k=0"),
    ],
)
def test_recommendation_refuses(small_steps, wrong, words):
    given = {"target": 80, **small_steps, **wrong}
    with pytest.raises(UsageError, match=words):
        recommend_pilot_size("duplication", **given)


# Pictures and commands


def test_picture_of_accuracy(study, tmp_path):
    from netchoice import plots
    from netchoice.plots.pilots import pilot_accuracy

    panels = pilot_accuracy(study.accuracy, ks=(1, 2, 9))
    assert [ax.get_title() for ax in panels] == ["1 feature", "2 features"]
    line = panels[1].containers[0].lines[0]
    shown = study.accuracy.query("method == 'jmi' and penalty == 0 and k == 2")
    assert line.get_ydata() == pytest.approx(shown.groupby("n")["accuracy"].mean())
    assert plots.save(panels, tmp_path / "a.png").stat().st_size > 5000
    with pytest.raises(UsageError, match="no accuracy for penalty 7; there is 0, 2"):
        pilot_accuracy(study.accuracy, penalty=7)


@pytest.fixture
def run(capsys):
    from netchoice import cli
    from netchoice.cli import pilots  # noqa: F401  registers the command

    def call(*arguments):
        with pytest.raises(SystemExit) as stop:
            cli.main([str(argument) for argument in arguments])
        return stop.value.code, *capsys.readouterr()

    return call


def test_command_studies(run, tmp_path):
    arguments = [
        "pilot", "ba", "--sizes", "20,40", "--target", 60, "--samples", 60, "--methods", "jmi",
        "--max-features", 2, "--features", "degree_mean,transitivity,betweenness_max",
        "--workers", 1, "--out", tmp_path / "p",
    ]  # fmt: skip
    code, out, err = run(*arguments)
    assert code == 0, err
    assert "features selected with 20, 40 nodes, tested with 60 nodes (60 networks)" in out
    assert "times as much" in out
    assert "the cost of all features grows as n^" in out
    assert "pilot with 40 nodes: 60/60 rows" in err
    pictures = sorted(path.name for path in (tmp_path / "p").glob("*.png"))
    assert pictures == ["accuracy-0.png", "accuracy-1.png", "growth.png"]
    code, out, _ = run(*arguments, "--json")
    record = json.loads(out)
    assert code == 0
    assert record["target"] == 60
    assert {row["n"] for row in record["saving"]} == {20, 40}


def test_command_recommends(run, tmp_path):
    code, out, err = run(
        "pilot", "ba", "--recommend", "--sizes", "10,20,40", "--target", 40, "--samples", 60,
        "--target-samples", 200, "--max-features", 1, "--features", "degree_mean,noise_normal",
        "--workers", 1, "--out", tmp_path / "r", "--json",
    )  # fmt: skip
    assert code == 0, err
    record = json.loads(out)
    assert record["n_nodes"] == 10
    assert record["features"] == ["degree_mean"]
    assert "10 nodes will do" in record["verdict"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--target", "60", "--out", "x"], "Give --sizes"),
        (["--sizes", "20", "--out", "x"], "Give --target"),
        (["--sizes", "20", "--target", "60"], "Give --out"),
        (["--sizes", "20,a", "--target", "60", "--out", "x"], "expected integers"),
        (["--sizes", "5", "--target", "60", "--out", "x"], "seed graph"),
        (
            ["--recommend", "--methods", "jmi,mrmr", "--target", "60", "--out", "x"],
            "one of --methods at a time",
        ),
    ],
)
def test_command_refuses(run, arguments, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, _, err = run("pilot", "ba", *arguments)
    assert code == 2
    assert words in err
    assert not (tmp_path / "x").exists()
