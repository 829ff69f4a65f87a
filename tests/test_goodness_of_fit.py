"""Goodness of fit: p-values of networks that a model made, and of networks that no model made."""

import naive_inference as naive
import numpy as np
import pandas as pd
import pytest
from fit_parts import N_NODES, describe, simulate
from scipy import stats

from netchoice.errors import UsageError
from netchoice.inference.goodness_of_fit import (
    FitTest,
    Reference,
    fit_p_values,
    goodness_of_fit,
    min_simulations,
)
from netchoice.inference.scaling import Scaling


@pytest.fixture(scope="module")
def table():
    return simulate(400, "train")


@pytest.fixture(scope="module")
def inside():
    return simulate(150, "inside")


@pytest.fixture(scope="module")
def fits(table, inside):
    """The fit of networks that the models made."""
    test = FitTest.fit(table.X, table.y)
    return [test.test(dict(row)) for _, row in inside.X.iterrows()]


def normal(n, q=4, seed=0, models=("a", "b")):
    rng = np.random.default_rng(seed)
    y = np.repeat(models, n)
    X = rng.normal(size=(len(y), q)) + 50.0 * (y == models[-1])[:, None]
    return pd.DataFrame(X, columns=[f"f{i}" for i in range(q)]), y


class TestNetworksOfTheModels:
    def test_p_values_are_uniform(self, fits, inside):
        own = [fit.p_values[model] for fit, model in zip(fits, inside.y, strict=True)]
        assert stats.kstest(own, "uniform").pvalue > 0.01

    def test_false_alarms_at_the_stated_rate(self, fits):
        alpha = fits[0].alpha
        alarms = sum(not fit.fits for fit in fits)
        assert alarms <= stats.binom.ppf(0.999, len(fits), alpha)

    def test_false_alarm_rate_holds_for_any_distribution(self):
        """False alarms occur at the rate alpha with heavy tails, ties, near-constant columns, few rows.

        With scales fitted to the rows that the observation is compared with, they are twice as frequent.
        """
        rng = np.random.default_rng(8)
        n, repeats, alpha = 49, 300, 0.1  # 10 rows for the scaling, and 39 to compare with
        alarms = 0
        for _ in range(repeats):
            tails = rng.standard_cauchy((n + 1, 12)) ** 5
            frame = pd.DataFrame(
                np.column_stack([tails, rng.integers(0, 3, n + 1), rng.random(n + 1) < 0.03])
            ).rename(columns=str)
            fit = goodness_of_fit(
                frame[:n], ["m"] * n, dict(frame.iloc[n]), n_neighbors=3, alpha=alpha
            )
            alarms += not fit.fits
        assert stats.binom.ppf(0.001, repeats, alpha) <= alarms
        assert alarms <= stats.binom.ppf(0.999, repeats, alpha)

    def test_overall_is_the_largest_p_value(self, fits):
        for fit in fits:
            assert fit.overall == max(fit.p_values.values())
            assert fit.fits == (fit.overall > fit.alpha)


class TestOtherNetworks:
    @pytest.mark.parametrize("kind", ["random", "grid", "small world", "regular"])
    def test_networks_of_other_kinds_do_not_fit(self, table, kind):
        import networkx as nx

        made = {
            "random": lambda: nx.gnm_random_graph(N_NODES, 180, seed=1),
            "grid": lambda: nx.grid_2d_graph(6, 10),
            "small world": lambda: nx.watts_strogatz_graph(N_NODES, 6, 0.05, seed=1),
            "regular": lambda: nx.random_regular_graph(4, N_NODES, seed=1),
        }[kind]()
        fit = goodness_of_fit(table.X, table.y, describe(made))
        assert not fit.fits
        assert fit.summary.startswith("none of these models fits")

    def test_a_few_features_cannot_test_the_fit(self, table):
        """A grid fits on two features, but not on all."""
        import networkx as nx

        values = describe(nx.grid_2d_graph(6, 10))
        few = ["degree_mean", "transitivity"]
        assert goodness_of_fit(table.X[few], table.y, values).fits
        assert not goodness_of_fit(table.X, table.y, values).fits

    def test_one_value_far_outside_the_simulated_range(self):
        X, y = normal(150, q=10)
        ordinary = dict.fromkeys(X.columns, 0.2)
        assert goodness_of_fit(X, y, ordinary).fits
        fit = goodness_of_fit(X, y, ordinary | {"f3": 1e6})
        assert not fit.fits
        assert fit.outside("a") == ["f3"]

    def test_features_that_are_constant_in_all_simulations_are_used(self):
        X, y = normal(150, q=10)
        X["never"] = 0.0
        ordinary = dict.fromkeys(X.columns, 0.2)
        assert goodness_of_fit(X, y, ordinary | {"never": 0.0}).fits
        fit = goodness_of_fit(X, y, ordinary | {"never": 1.0})
        assert fit.overall == fit.floor
        assert fit.quantiles.loc["never"].tolist() == [1.0, 1.0]

    def test_an_observation_between_two_models_fits_neither(self):
        """The observation is compared with each model separately."""
        X, y = normal(150)
        assert not goodness_of_fit(X, y, dict.fromkeys(X.columns, 25.0)).fits


class TestValues:
    def test_p_value_equals_the_reference_implementation(self):
        """The first fifth of the rows determines the scale; the observation is compared with the others."""
        rng = np.random.default_rng(5)
        X = pd.DataFrame(rng.normal(size=(50, 3)), columns=["a", "b", "c"])
        scaling = Scaling.fit(X[:10], "rank")
        for values in (X.median(), X.iloc[7] + 0.3, X.iloc[20] + 0.3, X.max() + 0.1):
            fit = goodness_of_fit(X, ["m"] * 50, dict(values), n_neighbors=4, alpha=0.05)
            observed = scaling.transform(values.to_frame().T)[0]
            expected = naive.p_value(scaling.transform(X[10:]), observed, 4)
            assert fit.p_values["m"] == pytest.approx(expected)

    def test_affine_transformations_do_not_change_p_values(self, table, inside):
        test, other = FitTest.fit(table.X, table.y), FitTest.fit(3 * table.X - 7, table.y)
        for _, row in inside.X.head(20).iterrows():
            assert other.test(dict(3 * row - 7)).p_values == test.test(dict(row)).p_values

    def test_monotone_transformations_change_p_values_little(self, table, inside):
        """Only values outside the range of the first fifth of the simulations depend on units."""
        test, cubed = FitTest.fit(table.X, table.y), FitTest.fit(table.X**3, table.y)
        changes = [
            abs(cubed.test(dict(row**3)).p_values[model] - p)
            for _, row in inside.X.iterrows()
            for model, p in test.test(dict(row)).p_values.items()
        ]
        assert np.median(changes) < 0.02
        assert np.quantile(changes, 0.9) < 0.1

    def test_quantiles_count_ties_by_half(self):
        X = pd.DataFrame({"f": np.arange(400) % 100})
        fit = goodness_of_fit(X, np.repeat(["a", "b"], 200), {"f": 30.0})
        assert fit.quantiles.loc["f"].tolist() == [0.305, 0.305]

    def test_floor_and_summary(self):
        X, y = normal(150)
        fit = goodness_of_fit(X, y, dict.fromkeys(X.columns, 0.0))
        assert fit.floor == fit.p_values["b"] == 1 / 121
        assert fit.n_simulations == {"a": 120, "b": 120}
        assert "b does not (p = 0.00826)" in fit.summary
        assert "with 120 simulations no p-value can be below 0.00826" in fit.summary

    def test_features_with_missing_values_are_left_out_and_infinite_ones_are_used(self):
        X, y = normal(150)
        X["sometimes"] = np.where(np.arange(300) == 7, np.nan, 1.0)
        X["overflows"] = np.where(np.arange(300) % 2, np.inf, 1.0)
        ordinary = dict.fromkeys(X.columns, 0.0) | {"f0": np.nan, "overflows": np.inf}
        fit = goodness_of_fit(X, y, ordinary)
        assert fit.left_out == ("sometimes", "f0")
        assert fit.fits

    def test_more_than_the_largest_number_of_simulations_are_drawn_by_the_seed(self):
        X, y = normal(400)
        observed = dict.fromkeys(X.columns, 0.5)
        one = goodness_of_fit(X, y, observed, max_simulations=200, seed=4)
        assert one.n_simulations == {"a": 160, "b": 160}
        two = goodness_of_fit(X, y, observed, max_simulations=200, seed=4)
        other = goodness_of_fit(X, y, observed, max_simulations=200, seed=5)
        assert one.p_values == two.p_values != other.p_values

    def test_copies_of_one_network_fit_only_that_network(self):
        """For a model that always makes the same network, that network fits and no other."""
        X = pd.DataFrame({"f": np.ones(150), "g": np.zeros(150)})
        assert goodness_of_fit(X, ["m"] * 150, {"f": 1, "g": 0}).overall == 1.0
        assert goodness_of_fit(X, ["m"] * 150, {"f": 1, "g": 1e-3}).overall == 1 / 121


class TestPreparedOnce:
    """``FitTest`` and ``Reference``: all that does not depend on the observation."""

    @pytest.mark.parametrize("k", [1, 5, 39])
    def test_scores_equal_the_remoteness_of_all_rows(self, k):
        """The observation is a row like the others, also as a neighbour of them."""
        rng = np.random.default_rng(2)
        sample = rng.normal(size=(50, 3))
        reference = Reference.fit(sample, k)
        assert reference.points.shape == (40, 3)
        for values in (np.zeros(3), sample[30] + 0.01, np.full(3, 9.0)):
            rows = [*reference.points, reference.scaling.transform(values[None])[0]]
            assert reference.scores(values) == pytest.approx(naive.remoteness(rows, k))

    def test_every_row_could_be_the_observation(self):
        """If a compared row and the observation change places, so do their scores."""
        rng = np.random.default_rng(3)
        rows = rng.normal(size=(51, 3))
        scores = Reference.fit(rows[:50], 4).scores(rows[50])
        for i in (10, 25, 49):
            other = rows.copy()
            other[[i, 50]] = rows[[50, i]]
            changed = Reference.fit(other[:50], 4).scores(other[50])
            expected = scores.copy()
            expected[[i - 10, 40]] = scores[[40, i - 10]]
            assert changed == pytest.approx(expected)

    def test_one_test_serves_many_observations(self, table, inside):
        test = FitTest.fit(table.X, table.y)
        rows = [dict(row) for _, row in inside.X.head(3).iterrows()]
        together = [test.test(row).p_values for row in [*rows, rows[0]]]
        alone = [goodness_of_fit(table.X, table.y, row).p_values for row in rows]
        assert together == [*alone, alone[0]]

    def test_p_values_of_several_observations(self, table, inside):
        model = table.y.iloc[0]
        sample = table.X[table.y == model].to_numpy()
        test = FitTest.fit(table.X, table.y)
        expected = [test.test(dict(row)).p_values[model] for _, row in inside.X.head(5).iterrows()]
        assert fit_p_values(sample, inside.X.head(5)).tolist() == expected

    def test_features_that_the_observation_lacks_are_left_out(self):
        X, y = normal(150)
        X["sometimes"] = np.where(np.arange(300) == 7, np.nan, 1.0)
        test = FitTest.fit(X, y)
        assert (test.names, test.left_out) == (["f0", "f1", "f2", "f3"], ("sometimes",))
        observed = {"f0": 0.5, "f1": np.nan, "f2": 3.5, "f3": np.nan, "sometimes": 1.0}
        fit = test.test(observed)
        fewer = goodness_of_fit(X[["f0", "f2"]], y, {"f0": 0.5, "f2": 3.5})
        assert fit.left_out == ("sometimes", "f1", "f3")
        assert (fit.p_values, fit.remoteness) == (fewer.p_values, fewer.remoteness)
        pd.testing.assert_frame_equal(fit.quantiles, fewer.quantiles)
        assert test.names == ["f0", "f1", "f2", "f3"]  # the test itself is unchanged

    def test_another_p_value_changes_the_verdict(self):
        X, y = normal(150)
        fit = goodness_of_fit(X, y, dict.fromkeys(X.columns, 25.0))
        assert not fit.fits
        changed = fit.with_p_value("b", 0.4, 240)
        assert changed.p_values == {"a": 1 / 121, "b": 0.4}
        assert changed.n_simulations == {"a": 120, "b": 240}
        assert (changed.overall, changed.fits, changed.floor) == (0.4, True, 1 / 121)
        assert changed.summary.startswith("b fits (p = 0.4), a does not")
        assert fit.p_values["b"] == 1 / 121  # the first result is unchanged

    @pytest.mark.parametrize("alpha", [0.003, 0.01, 0.05, 0.1])
    def test_fewest_simulations_with_which_a_model_can_be_rejected(self, alpha):
        fewest = min_simulations(alpha)
        X = pd.DataFrame({"f": np.random.default_rng(1).normal(size=fewest)})
        assert (
            goodness_of_fit(X, ["m"] * fewest, {"f": 1e6}, alpha=alpha, n_neighbors=3).fits is False
        )
        with pytest.raises(UsageError, match=f"expected at least {fewest}, or a higher alpha"):
            FitTest.fit(X[1:], ["m"] * (fewest - 1), alpha=alpha, n_neighbors=3)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"observed": {"f0": 1.0}}, "no value for f1, f2, f3"),
        ({"alpha": 0.001}, "150 simulations of a; .* alpha=0.001: expected at least 1249,"),
        ({"alpha": 0}, "`alpha` must be a number between 0 and 1; got 0"),
        ({"n_neighbors": 150}, "`n_neighbors` must be an integer from 1 to 119; got 150"),
        ({"y": ["a"]}, r"300 simulations and labels of shape \(1,\)"),
        (
            {"observed": dict.fromkeys(["f0", "f1", "f2", "f3"], np.nan)},
            "no feature has a value for the observation",
        ),
        (
            {"X": pd.DataFrame({"f0": [np.nan] * 300})},
            "no feature has a value for every simulation",
        ),
    ],
)
def test_bad_input_is_refused(change, message):
    X, y = normal(150)
    given = {"X": X, "y": y, "observed": dict.fromkeys(X.columns, 0.0)} | change
    with pytest.raises(UsageError, match=message):
        goodness_of_fit(**given)
