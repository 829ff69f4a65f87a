"""Goodness of fit: p-values of networks that a model made, and of networks that no model made."""

import naive_inference as naive
import numpy as np
import pandas as pd
import pytest
from fit_parts import N_NODES, describe, simulate
from scipy import stats

from netchoice.errors import UsageError
from netchoice.inference.goodness_of_fit import goodness_of_fit
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
    return [goodness_of_fit(table.X, table.y, dict(row)) for _, row in inside.X.iterrows()]


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

        With scales fitted without the observation they are twice as frequent here.
        """
        rng = np.random.default_rng(8)
        n, repeats, alpha = 39, 300, 0.1
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
        rng = np.random.default_rng(5)
        ranks = rng.permuted(np.tile(np.arange(41.0), (3, 1)), axis=1).T  # no ties
        names = ["a", "b", "c"]
        for i in (0, 7, int(ranks[:, 0].argmax())):
            rows = np.delete(np.arange(41), i)
            pool = ranks[[*rows, i]]
            scaled = Scaling.fit(np.sort(pool, axis=0)[1:-1], "rank").transform(pool)
            fit = goodness_of_fit(
                pd.DataFrame(ranks[rows], columns=names), ["m"] * 40, dict(zip(names, ranks[i], strict=True)),
                n_neighbors=4, alpha=0.05,
            )  # fmt: skip
            assert fit.p_values["m"] == pytest.approx(naive.p_value(scaled[:-1], scaled[-1], 4))

    def test_monotone_transformations_change_p_values_little(self, table, inside):
        """Only values outside the simulated range depend on units."""
        for _, row in inside.X.head(5).iterrows():
            plain = goodness_of_fit(table.X, table.y, dict(row))
            cubed = goodness_of_fit(table.X**3, table.y, dict(row**3))
            for model, p in plain.p_values.items():
                assert cubed.p_values[model] == pytest.approx(p, abs=0.1)

    def test_quantiles_count_ties_by_half(self):
        X = pd.DataFrame({"f": np.arange(200) % 100})
        fit = goodness_of_fit(X, np.repeat(["a", "b"], 100), {"f": 30.0})
        assert fit.quantiles.loc["f"].tolist() == [0.305, 0.305]

    def test_floor_and_summary(self):
        X, y = normal(150)
        fit = goodness_of_fit(X, y, dict.fromkeys(X.columns, 0.0))
        assert fit.floor == fit.p_values["b"] == 1 / 151
        assert fit.n_simulations == {"a": 150, "b": 150}
        assert "b does not (p = 0.00662)" in fit.summary
        assert "no p-value can be below 0.00662" in fit.summary

    def test_features_with_missing_values_are_left_out_and_infinite_ones_are_used(self):
        X, y = normal(150)
        X["sometimes"] = np.where(np.arange(300) == 7, np.nan, 1.0)
        X["overflows"] = np.where(np.arange(300) % 2, np.inf, 1.0)
        ordinary = dict.fromkeys(X.columns, 0.0) | {"f0": np.nan, "overflows": np.inf}
        fit = goodness_of_fit(X, y, ordinary)
        assert fit.left_out == ("f0", "sometimes")
        assert fit.fits

    def test_max_simulations_and_threads(self):
        X, y = normal(400)
        observed = dict.fromkeys(X.columns, 0.5)
        one = goodness_of_fit(X, y, observed, max_simulations=200, seed=4)
        assert one.n_simulations == {"a": 200, "b": 200}
        two = goodness_of_fit(X, y, observed, max_simulations=200, seed=4, n_jobs=2)
        other = goodness_of_fit(X, y, observed, max_simulations=200, seed=5)
        assert one.p_values == two.p_values != other.p_values

    def test_copies_of_one_network_fit_only_that_network(self):
        """For a model that always makes the same network, that network fits and no other."""
        X = pd.DataFrame({"f": np.ones(150), "g": np.zeros(150)})
        assert goodness_of_fit(X, ["m"] * 150, {"f": 1, "g": 0}).overall == 1.0
        assert goodness_of_fit(X, ["m"] * 150, {"f": 1, "g": 1e-3}).overall == 1 / 151


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"observed": {"f0": 1.0}}, "no value for f1, f2, f3"),
        ({"alpha": 0.001}, "150 simulations of one model.*at least 999 of each"),
        ({"alpha": 0}, "`alpha` must be a number between 0 and 1; got 0"),
        ({"n_neighbors": 150}, "`n_neighbors` must be an integer from 1 to 149; got 150"),
        ({"y": ["a"]}, r"300 simulations and labels of shape \(1,\)"),
        ({"observed": dict.fromkeys(["f0", "f1", "f2", "f3"], np.nan)}, "no feature has a value"),
    ],
)
def test_bad_input_is_refused(change, message):
    X, y = normal(150)
    given = {"X": X, "y": y, "observed": dict.fromkeys(X.columns, 0.0)} | change
    with pytest.raises(UsageError, match=message):
        goodness_of_fit(**given)
