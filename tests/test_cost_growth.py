"""How costs grow with the size of the networks."""

import numpy as np
import pandas as pd
import pytest

from netchoice import ReferenceTable, simulate_table
from netchoice.errors import UsageError
from netchoice.features.registry import min_powers
from reproduction.cost_growth import CostGrowth, fit_exponent, timings

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


def test_curve_finds_an_exponent_that_overhead_hides_from_a_straight_line():
    n = np.array(SIZES, dtype=float)
    seconds = 1e-3 + 1e-9 * n**2
    assert np.polyfit(np.log(n), np.log(seconds), 1)[0] < 0.3
    assert fit_exponent(n, seconds) == pytest.approx(2.0, abs=0.25)
    growth = CostGrowth.fit([invented_table(n, noise=0.1, seed=3) for n in SIZES])
    walk = growth.curves["step", "walk"]
    assert walk.c == pytest.approx(2.2, abs=0.3)
    assert 0 <= walk.a < 1e-4
    assert walk.linear == 0
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
    assert predicted() < 0.5 * truth  # the built-in features have no step of this name
    assert set(min_powers()) >= {"betweenness", "distance_histograms", "estrada_index"}
    assert "lcc_local_efficiency" not in min_powers()


def test_tables_of_a_size_are_pooled_and_only_calibrated_rows_are_used():
    one, other = invented_table(50, noise=0.5, seed=1), invented_table(50, noise=0.5, seed=2)
    slow = invented_table(100)
    slow.frame["calibrated"] = slow.frame["row"] < 5
    slow.frame.loc[5:, "seconds_step_walk"] = 1.0
    seconds = timings([slow, other, one])
    assert list(seconds) == [50, 100]
    both = [*other.frame["seconds_own_far"], *one.frame["seconds_own_far"]]
    assert list(seconds[50]["own", "far"]) == both
    assert seconds[100]["step", "walk"] == pytest.approx([2e-5 + 3e-9 * 100**2.2] * 5)


def test_rows_without_a_feature_do_not_count():
    tables = [invented_table(n) for n in SIZES]
    complete = CostGrowth.fit(tables).predict(900)
    for table in tables:
        table.frame.loc[5:, "seconds_own_far"] = np.nan
    assert CostGrowth.fit(tables).predict(900).own["far"] == pytest.approx(complete.own["far"])


def test_tables_of_one_size_are_refused():
    with pytest.raises(UsageError, match=r"one size \(50 nodes\); a fit needs at least two"):
        CostGrowth.fit([invented_table(50)])


@pytest.mark.kernels
def test_measured_costs_are_predicted_from_smaller_networks():
    """The bounds are wide because other processes disturb the timings."""
    tables = [
        simulate_table(
            "ba", n_nodes=n, n_samples=16, seed=1, features=["betweenness_max"], engine="serial"
        )
        for n in (60, 120, 240, 960)
    ]
    growth = CostGrowth.fit(tables[:3])
    predicted, measured = growth.predict(960), tables[-1].costs
    assert 0.25 < predicted.cost("betweenness_max") / measured.cost("betweenness_max") < 4
