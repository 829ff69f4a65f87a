"""How costs grow with the size of the networks."""

import json

import numpy as np
import pandas as pd
import pytest

from netchoice import CostModel, ReferenceTable, simulate_table
from netchoice.cost_growth import CostGrowth, fit_power, fit_slope
from netchoice.errors import UsageError
from netchoice.features import min_powers

SIZES = (50, 100, 200, 400, 800)

#: Seconds of invented features and steps: overhead, factor, exponent.
TRUTH = {
    ("step", "walk"): (2e-5, 3e-9, 2.2),
    ("own", "far"): (5e-6, 1e-8, 1.0),
    ("own", "near"): (3e-6, 0.0, 0.0),
    ("own", "alone"): (0.0, 4e-8, 1.5),
}
USES = {"far": ["walk"], "near": ["walk"]}


def invented_table(n_nodes, noise=0.0, seed=0, rows=20):
    """Return a table whose times follow the truth, with relative noise."""
    rng = np.random.default_rng([seed, n_nodes])
    frame = pd.DataFrame({"row": np.arange(rows), "label": "x", "failure": None})
    for (kind, name), (a, b, c) in TRUTH.items():
        seconds = (a + b * n_nodes**c) * np.exp(noise * rng.normal(size=rows))
        frame[f"seconds_{kind}_{name}"] = seconds
        if kind == "own":
            frame[name] = rng.normal(size=rows)
    features = [{"name": n, "version": "", "discrete": False} for n in ("far", "near", "alone")]
    frame["calibrated"] = True
    return ReferenceTable(frame, {"n_nodes": n_nodes, "features": features, "uses": USES})


def test_growth_without_noise_is_recovered():
    growth = CostGrowth.fit([invented_table(n) for n in SIZES])
    costs = growth.predict(5000)
    for (_, name), (a, b, c) in TRUTH.items():
        predicted = costs.own[name] if name in costs.own else costs.steps[name]
        # The exponent is a mean over the exponents that fit; a prior pulls the mean to 1.5.
        assert predicted == pytest.approx(a + b * 5000**c, rel=0.35), name
    assert costs.cost("far") == pytest.approx(costs.own["far"] + costs.steps["walk"])
    assert costs.uses["near"] == ("walk",)
    step = costs.steps["walk"]
    assert growth.total(5000) == pytest.approx(sum(costs.own.values()) + step)
    assert growth.total(5000, "alone") == pytest.approx(sum(costs.own.values()) + 2 * step)


def test_interval_of_the_exponent_has_its_coverage():
    covered = 0
    x = np.log(np.array(SIZES, dtype=float))
    rng = np.random.default_rng(1)
    for _ in range(400):
        y = 1.7 * x + 0.1 * rng.normal(size=len(x))
        slope, low, high = fit_slope(x, y, 0.9)
        assert low < slope < high
        covered += low < 1.7 < high
    assert 0.85 < covered / 400 < 0.95


def test_slope_is_that_of_least_squares():
    from scipy.stats import linregress, t

    rng = np.random.default_rng(2)
    x, y = np.sort(rng.normal(size=7)), rng.normal(size=7)
    ref = linregress(x, y)
    slope, low, high = fit_slope(x, y)
    assert slope == pytest.approx(ref.slope)
    assert high - slope == pytest.approx(t.ppf(0.975, 5) * ref.stderr)
    assert slope - low == pytest.approx(high - slope)
    assert np.isnan(fit_slope(x[:2], y[:2])[1])


def test_curve_finds_an_exponent_that_overhead_hides_from_a_straight_line():
    n = np.array(SIZES, dtype=float)
    seconds = 1e-3 + 1e-9 * n**2
    assert fit_slope(np.log(n), np.log(seconds))[0] < 0.3
    assert fit_power(n, seconds) == pytest.approx(2.0, abs=0.25)
    growth = CostGrowth.fit([invented_table(n, noise=0.1, seed=3) for n in SIZES])
    curves = growth.exponents.set_index(["kind", "name"])
    walk = curves.loc[("step", "walk")]
    assert walk["exponent"] < walk["c"]
    assert walk["c"] == pytest.approx(2.2, abs=0.3)
    assert 0 <= walk["a"] < 1e-4
    assert curves.loc[("own", "alone"), "low"] < 1.5 < curves.loc[("own", "alone"), "high"]
    assert growth.predict(8000).cost("far") == pytest.approx(2e-5 + 3e-9 * 8000**2.2, rel=1.0)


def test_known_power_is_used_even_if_small_networks_hide_it():
    """The cost is a + linear + square, mostly linear at the measured sizes."""
    n = np.array(SIZES, dtype=float)
    seconds = 1e-5 + 2e-7 * n + 1e-10 * n**2
    truth = 1e-5 + 2e-7 * 20_000 + 1e-10 * 20_000**2
    tables = [invented_table(size) for size in SIZES]
    for table, cost in zip(tables, seconds, strict=True):
        table.frame["seconds_step_walk"] = cost

    def predicted(**options):
        return CostGrowth.fit(tables, **options).predict(20_000).steps["walk"]

    assert predicted(powers={"walk": 2.0}) == pytest.approx(truth, rel=0.5)
    assert predicted() < 0.5 * truth
    assert set(min_powers()) >= {"betweenness", "distance_histograms", "estrada_index"}
    assert "lcc_local_efficiency" not in min_powers()


def test_growth_is_the_same_after_json():
    growth = CostGrowth.fit([invented_table(n, noise=0.1) for n in SIZES[:2]])
    again = CostGrowth.from_dict(json.loads(json.dumps(growth.as_dict(), allow_nan=False)))
    assert again.predict(777) == growth.predict(777)
    pd.testing.assert_frame_equal(again.exponents, growth.exponents)
    assert "50, 100" in repr(again)


def test_tables_of_a_size_are_pooled_and_only_calibrated_rows_are_used():
    one, other = invented_table(50, noise=0.5, seed=1), invented_table(50, noise=0.5, seed=2)
    slow = invented_table(100)
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


def test_tables_with_given_costs_are_enough():
    def table_with_costs(n):
        frame = pd.DataFrame({"label": ["a", "b"], "far": [0.1, 0.2]})
        table = ReferenceTable.from_frame(frame, costs=CostModel({"far": 1e-8 * n**2}))
        table.manifest["n_nodes"] = n
        return table

    growth = CostGrowth.fit([table_with_costs(n) for n in SIZES])
    assert growth.predict(3000).cost("far") == pytest.approx(1e-8 * 3000**2, rel=0.1)


def test_tables_that_show_no_growth_are_refused():
    with pytest.raises(UsageError, match=r"one size \(50 nodes\); a fit needs at least two"):
        CostGrowth.fit([invented_table(50)])
    with pytest.raises(UsageError, match="no tables"):
        CostGrowth.fit([])
    with pytest.raises(UsageError, match="does not say its number of nodes"):
        CostGrowth.fit([ReferenceTable.from_frame(pd.DataFrame({"label": ["a"], "x": [1.0]}))])
    other = invented_table(100)
    other.manifest["features"] = other.manifest["features"][:1]
    with pytest.raises(UsageError, match="50 and 100 nodes have different features"):
        CostGrowth.fit([invented_table(50), other])
    with pytest.raises(UsageError, match="at least 1"):
        CostGrowth.fit([invented_table(50), invented_table(100)]).predict(0)


@pytest.mark.kernels
def test_measured_costs_are_predicted_from_smaller_networks():
    """The bounds are wide because other processes disturb the timings."""
    tables = [
        simulate_table(
            "ba", n_nodes=n, n_samples=16, seed=1, features=["betweenness_max"], engine="serial"
        )
        for n in (60, 120, 240, 960)
    ]
    growth = CostGrowth.fit(tables[:3], powers=min_powers())
    predicted, measured = growth.predict(960), tables[-1].costs
    assert 0.25 < predicted.cost("betweenness_max") / measured.cost("betweenness_max") < 4
