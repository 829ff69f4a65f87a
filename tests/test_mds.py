"""Multidimensional scaling and the distance correlation."""

import naive_inference as naive
import numpy as np
import pandas as pd
import pytest
from fit_parts import FEATURES, N_NODES, describe, simulate
from scipy.spatial.distance import cdist, pdist

from netchoice.errors import UsageError
from netchoice.inference.mds import _majorise, distance_correlation, embed
from netchoice.inference.scaling import Scaling


@pytest.fixture(scope="module")
def table():
    """Features and labels of simulated networks."""
    simulated = simulate(400, "train")
    return simulated.X, simulated.y


class TestDistanceCorrelation:
    def test_equals_the_reference_implementation(self):
        rng = np.random.default_rng(1)
        a, b = rng.normal(size=(25, 3)), rng.normal(size=(25, 2))
        b[:, 0] += a[:, 1] ** 2
        assert distance_correlation(a, b) == pytest.approx(naive.distance_correlation(a, b))
        assert distance_correlation(b, a) == pytest.approx(distance_correlation(a, b))

    def test_closed_form_of_two_values(self):
        """For binary samples it equals the absolute correlation coefficient."""
        rng = np.random.default_rng(2)
        a = (rng.random(300) < 0.4).astype(float)
        b = np.where(rng.random(300) < 0.3, 1 - a, a)
        expected = abs(np.corrcoef(a, b)[0, 1])
        assert distance_correlation(a[:, None], b[:, None]) == pytest.approx(expected)

    def test_is_one_after_rotation_and_zero_for_a_constant(self):
        rng = np.random.default_rng(3)
        a = rng.normal(size=(40, 2))
        rotated = 3 * a @ np.array([[0.6, -0.8], [0.8, 0.6]]) - 5
        assert distance_correlation(a, rotated) == pytest.approx(1.0)
        assert distance_correlation(a, np.ones((40, 1))) == 0.0


class TestEmbedding:
    def flat(self, n=400, seed=0):
        """Return points of a plane, its axes in five dimensions, and the points as a table."""
        rng = np.random.default_rng(seed)
        plane = rng.normal(size=(n, 2))
        axes = np.linalg.qr(rng.normal(size=(5, 5)))[0][:2]
        labels = np.where(plane[:, 0] > 0, "right", "left")
        return plane, axes, pd.DataFrame(plane @ axes, columns=list("abcde")), labels

    def test_distances_within_a_plane_are_recovered(self, monkeypatch):
        """Without scaling, all distances are kept, also those of the observation."""
        monkeypatch.setattr("netchoice.inference.mds.Scaling", IdentityScaling)
        plane, axes, X, y = self.flat()
        observed = np.array([4.0, -3.0])
        result = embed(X, y, dict(zip("abcde", observed @ axes, strict=True)), n_landmarks=50)
        positions = result.points[["x", "y"]].to_numpy()
        true = np.vstack([plane, observed])
        assert np.allclose(cdist(positions, positions), cdist(true, true), atol=1e-6)
        assert result.pearson == pytest.approx(1)
        assert result.distance_correlation == pytest.approx(1)

    def test_points_are_the_simulations_and_then_the_observation(self, table):
        X, y = table[0].iloc[:, :6], table[1]
        result = embed(X, y, dict(X.iloc[0]))
        assert list(result.points.columns) == ["x", "y", "label", "observed"]
        assert result.points["label"].tolist() == [*y, "observed"]
        assert result.points["observed"].sum() == 1
        assert result.features == tuple(X.columns)
        # A copy of a simulation is placed at it, or near it if the simulation is a landmark.
        positions = result.points[["x", "y"]].to_numpy()
        apart = cdist(positions[[0]], positions[1:])[0]
        assert apart[-1] <= np.quantile(apart, 0.05)

    def test_distances_are_kept_as_well_as_by_projection(self, table):
        X, y = table
        result = embed(X, y)
        scaled = Scaling.fit(X, "rank").transform(X)
        centred = scaled - scaled.mean(axis=0)
        projected = centred @ np.linalg.svd(centred, full_matrices=False)[2][:2].T
        positions = result.points[["x", "y"]].to_numpy()
        true, flat, moved = (pdist(points) for points in (scaled, projected, positions))
        correlation = np.corrcoef(true, moved)[0, 1]
        assert result.pearson == pytest.approx(correlation, abs=0.02)  # some pairs, all pairs
        assert correlation > np.corrcoef(true, flat)[0, 1] - 0.01
        assert ((true - moved) ** 2).sum() < ((true - flat) ** 2).sum()
        reference = naive.distance_correlation(scaled[:60], positions[:60])
        assert result.distance_correlation == pytest.approx(reference, abs=0.05)

    def test_observation_outside_the_simulated_range_is_placed_outside(self, table):
        """Also if it is outside in a direction that the plane does not show."""
        import networkx as nx

        observed = describe(nx.random_regular_graph(4, N_NODES, seed=1))
        positions = embed(*table, observed).points[["x", "y"]].to_numpy()
        nearest = np.sort(cdist(positions, positions), axis=1)[:, 1:11].mean(axis=1)
        assert nearest[-1] > nearest[:-1].max()

    def test_many_observations_are_placed_as_each_of_them_alone(self, table):
        X, y = table[0].iloc[:300, :8], table[1].iloc[:300]
        observed = table[0].iloc[300:320, :8] * 1.1
        without, many = (embed(X, y, rows).points for rows in (None, observed))
        assert many["observed"].tolist() == [False] * 300 + [True] * 20
        pd.testing.assert_frame_equal(many.iloc[:300], without)
        for i in (0, 7, 19):
            one = embed(X, y, observed.iloc[i]).points.iloc[-1]
            assert many.iloc[300 + i][["x", "y"]].tolist() == pytest.approx(
                one[["x", "y"]].tolist()
            )

    def test_feature_that_one_observation_lacks_is_left_out_for_all(self, table):
        X, y = table[0][FEATURES[:3]], table[1]
        observed = X.iloc[:4].reset_index(drop=True)
        observed.loc[2, FEATURES[1]] = np.nan
        result = embed(X, y, observed)
        assert result.features == (FEATURES[0], FEATURES[2])
        assert result.points["observed"].sum() == 4

    def test_features_without_an_observed_value_are_left_out(self, table):
        X, y = table
        one, other, third = FEATURES[:3]
        X = X[[one, other, third]].assign(**{other: np.nan})
        observed = {one: 1.0, other: np.nan, third: 2.0}
        assert embed(X, y, observed).features == (one, third)

    def test_an_array_gives_the_same_points_as_a_frame(self, table):
        X, y = table
        frame, array = (embed(values, y).points for values in (X, X.to_numpy()))
        pd.testing.assert_frame_equal(frame, array)

    def test_same_seed_gives_the_same_points(self, table):
        one, two = (embed(*table, n_landmarks=40, seed=1).points for _ in range(2))
        pd.testing.assert_frame_equal(one, two)

    def test_majorisation_lowers_the_stress(self):
        rng = np.random.default_rng(4)
        true = cdist(*[rng.normal(size=(30, 6))] * 2)
        low = rng.normal(size=(30, 2))
        assert ((cdist(low, low) - true) ** 2).sum() > (
            (cdist(*[_majorise(true, low)] * 2) - true) ** 2
        ).sum()

    def test_copies_of_one_network_share_one_point(self):
        result = embed(np.tile([1.0, 2.0], (10, 1)), ["a"] * 10)
        assert np.allclose(result.points[["x", "y"]], 0)
        assert (result.pearson, result.distance_correlation) == (0.0, 0.0)

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"n_landmarks": 2}, "at least 3; got 2"),
            ({"X": np.ones((2, 1)), "y": ["a", "b"]}, "2 rows; expected at least 3"),
            ({"y": ["a"]}, "400 simulations and labels of shape"),
            ({"observed": {"degree_mean": 1.0}}, "no value for degree_max"),
            ({"observed": dict.fromkeys(FEATURES, np.nan)}, "at least one"),
            ({"observed": pd.DataFrame({"degree_mean": [1.0]})}, "no value for degree_max"),
            ({"X": np.empty((400, 0))}, "at least one"),
            ({"X": np.full((400, 1), np.nan)}, "missing values"),
        ],
    )
    def test_bad_input_is_refused(self, table, change, message):
        with pytest.raises(UsageError, match=message):
            embed(**{"X": table[0], "y": table[1]} | change)


class IdentityScaling:
    """A scaling that changes nothing."""

    @classmethod
    def fit(cls, X, kind):
        return cls()

    def transform(self, X):
        return np.asarray(X, dtype=float)
