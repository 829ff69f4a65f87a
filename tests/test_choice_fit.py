"""Goodness of fit and the plane: p-values that mean what they say, distances that are kept."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.spatial.distance import cdist, pdist

import netchoice
from netchoice import figures
from netchoice.errors import UsageError
from netchoice.inference.goodness_of_fit import goodness_of_fit
from netchoice.inference.mds import _settle, distance_correlation, embed
from netchoice.inference.scaling import Scaling

FEATURES = [
    "degree_mean", "degree_max", "degree_std", "transitivity", "n_triangles", "clustering_mean",
    "core_2_size", "core_3_size", "shell_4_size", "n_4_cliques", "max_clique_size", "lcc_nodes",
    "n_components", "lcc_mean_distance", "lcc_diameter", "n_pairs_distance_3", "square_clustering_mean",
    "degree_entropy", "lcc_degree_connectivity", "edge_dominating_set_size", "estrada_index", "core_6_size",
]  # fmt: skip
N_NODES = 60
ONE = pd.DataFrame({"f": [1]})


def naive_p_value(cloud, observed, k):
    """The definition, one network at a time; features are taken as they are."""
    everyone = [*cloud, observed]

    def nearest(i):
        others = sorted(
            (float(np.linalg.norm(a - everyone[i])), j) for j, a in enumerate(everyone) if j != i
        )
        return others[:k]

    mean = [np.mean([d for d, _ in nearest(i)]) for i in range(len(everyone))]
    score = [mean[i] / np.mean([mean[j] for _, j in nearest(i)]) for i in range(len(everyone))]
    return sum(s >= score[-1] for s in score) / len(everyone)


def naive_distance_correlation(a, b):
    """Székely, Rizzo & Bakirov 2007, definition 3, by its sums."""

    def centred(points):
        n = len(points)
        d = [[float(np.linalg.norm(p - q)) for q in points] for p in points]
        rows = [sum(row) / n for row in d]
        grand = sum(rows) / n
        return [[d[i][j] - rows[i] - rows[j] + grand for j in range(n)] for i in range(n)]

    def mean_product(s, t):
        return (
            sum(x * y for u, v in zip(s, t, strict=True) for x, y in zip(u, v, strict=True))
            / len(s) ** 2
        )

    first, second = centred(a), centred(b)
    variances = mean_product(first, first) * mean_product(second, second)
    return (mean_product(first, second) / variances**0.5) ** 0.5


def simulate(space, n_samples, stream, n_nodes=N_NODES, features=FEATURES):
    return netchoice.simulate_table(
        space, n_nodes=n_nodes, n_samples=n_samples, seed=3, stream=stream, features=features, engine="serial"
    )  # fmt: skip


@pytest.fixture(scope="module")
def table():
    return simulate("duplication", 400, "train")


@pytest.fixture(scope="module")
def inside():
    return simulate("duplication", 150, "inside")


@pytest.fixture(scope="module")
def told(table, inside):
    """The fit of each network from inside."""
    return [goodness_of_fit(table.X, table.y, dict(row)) for _, row in inside.X.iterrows()]


def describe(graph):
    return netchoice.compute_features(graph, FEATURES).values


def normal(n, q=4, seed=0, models=("a", "b")):
    rng = np.random.default_rng(seed)
    y = np.repeat(models, n)
    X = rng.normal(size=(len(y), q)) + 50.0 * (y == models[-1])[:, None]
    return pd.DataFrame(X, columns=[f"f{i}" for i in range(q)]), y


class TestInside:
    def test_p_values_are_uniform(self, told, inside):
        own = [fit.p_values[model] for fit, model in zip(told, inside.y, strict=True)]
        assert stats.kstest(own, "uniform").pvalue > 0.01

    def test_false_alarms_at_the_stated_rate(self, told):
        alpha = told[0].alpha
        alarms = sum(not fit.fits for fit in told)
        assert alarms <= stats.binom.ppf(0.999, len(told), alpha)

    def test_the_level_holds_for_any_distribution(self):
        """Heavy tails, ties, constants but for a few, few rows: false alarms at the alpha.

        Scales that are learnt without the network alarm twice as often here.
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

    def test_overall_is_the_best_model(self, told):
        for fit in told:
            assert fit.overall == max(fit.p_values.values())
            assert fit.fits == (fit.overall > fit.alpha)


class TestOutside:
    @pytest.mark.parametrize("kind", ["random", "grid", "small world", "regular"])
    def test_called_out(self, table, kind):
        import networkx as nx

        made = {
            "random": lambda: nx.gnm_random_graph(N_NODES, 180, seed=1),
            "grid": lambda: nx.grid_2d_graph(6, 10),
            "small world": lambda: nx.watts_strogatz_graph(N_NODES, 6, 0.05, seed=1),
            "regular": lambda: nx.random_regular_graph(4, N_NODES, seed=1),
        }[kind]()
        fit = goodness_of_fit(table.X, table.y, describe(netchoice.Graph.of(made)))
        assert not fit.fits
        assert fit.summary.startswith("no model in this space explains the network")

    def test_selected_features_cannot_judge(self, table):
        """A grid passes where only two features are looked at."""
        import networkx as nx

        values = describe(netchoice.Graph.of(nx.grid_2d_graph(6, 10)))
        few = ["degree_mean", "transitivity"]
        assert goodness_of_fit(table.X[few], table.y, values).fits
        assert not goodness_of_fit(table.X, table.y, values).fits

    def test_one_value_far_beyond(self):
        X, y = normal(150, q=10)
        ordinary = dict.fromkeys(X.columns, 0.2)
        assert goodness_of_fit(X, y, ordinary).fits
        fit = goodness_of_fit(X, y, ordinary | {"f3": 1e6})
        assert not fit.fits
        assert fit.outside("a") == ["f3"]

    def test_a_feature_that_is_constant_in_all_simulations_counts(self):
        X, y = normal(150, q=10)
        X["never"] = 0.0
        ordinary = dict.fromkeys(X.columns, 0.2)
        assert goodness_of_fit(X, y, ordinary | {"never": 0.0}).fits
        fit = goodness_of_fit(X, y, ordinary | {"never": 1.0})
        assert fit.overall == fit.floor
        assert fit.quantiles.loc["never"].tolist() == [1.0, 1.0]

    def test_between_two_clouds(self):
        """A network is held against each model alone: halfway between two is nowhere."""
        X, y = normal(150)
        assert not goodness_of_fit(X, y, dict.fromkeys(X.columns, 25.0)).fits


class TestFigures:
    def test_against_the_definition(self):
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
            assert fit.p_values["m"] == pytest.approx(naive_p_value(scaled[:-1], scaled[-1], 4))

    def test_a_monotone_change_of_units_changes_little(self, table, inside):
        """Ranks: only what is beyond the table is measured in units."""
        for _, row in inside.X.head(5).iterrows():
            plain = goodness_of_fit(table.X, table.y, dict(row))
            cubed = goodness_of_fit(table.X**3, table.y, dict(row**3))
            for model, p in plain.p_values.items():
                assert cubed.p_values[model] == pytest.approx(p, abs=0.1)

    def test_quantiles(self):
        X = pd.DataFrame({"f": np.arange(200) % 100})
        fit = goodness_of_fit(X, np.repeat(["a", "b"], 100), {"f": 30.0})
        assert fit.quantiles.loc["f"].tolist() == [0.305, 0.305]

    def test_floor_and_words(self):
        X, y = normal(150)
        fit = goodness_of_fit(X, y, dict.fromkeys(X.columns, 0.0))
        assert fit.floor == fit.p_values["b"] == 1 / 151
        assert fit.n_simulations == {"a": 150, "b": 150}
        assert "b does not (p = 0.00662)" in fit.summary
        assert "cannot be below 0.00662" in fit.summary

    def test_missing_and_infinite_values(self):
        X, y = normal(150)
        X["sometimes"] = np.where(np.arange(300) == 7, np.nan, 1.0)
        X["overflows"] = np.where(np.arange(300) % 2, np.inf, 1.0)
        ordinary = dict.fromkeys(X.columns, 0.0) | {"f0": np.nan, "overflows": np.inf}
        fit = goodness_of_fit(X, y, ordinary)
        assert fit.left_out == ("f0", "sometimes")
        assert fit.fits

    def test_drawn_down_and_threads(self):
        X, y = normal(400)
        observed = dict.fromkeys(X.columns, 0.5)
        one = goodness_of_fit(X, y, observed, max_simulations=200, seed=4)
        assert one.n_simulations == {"a": 200, "b": 200}
        two = goodness_of_fit(X, y, observed, max_simulations=200, seed=4, n_jobs=2)
        other = goodness_of_fit(X, y, observed, max_simulations=200, seed=5)
        assert one.p_values == two.p_values != other.p_values

    def test_copies_of_one_network(self):
        """A model that always makes the same: that network fits, and no other."""
        X = pd.DataFrame({"f": np.ones(150), "g": np.zeros(150)})
        assert goodness_of_fit(X, ["m"] * 150, {"f": 1, "g": 0}).overall == 1.0
        assert goodness_of_fit(X, ["m"] * 150, {"f": 1, "g": 1e-3}).overall == 1 / 151


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"observed": {"f0": 1.0}}, "no value for f1, f2, f3"),
        ({"alpha": 0.001}, "150 simulations of one model.*at least 999 of each"),
        ({"alpha": 0}, "between 0 and 1"),
        ({"n_neighbors": 150}, "expected 1 to 149"),
        ({"y": ["a"]}, "300 simulations and 1 labels"),
        ({"observed": dict.fromkeys(["f0", "f1", "f2", "f3"], np.nan)}, "no feature has a value"),
    ],
)
def test_refused(change, words):
    X, y = normal(150)
    given = {"X": X, "y": y, "observed": dict.fromkeys(X.columns, 0.0)} | change
    with pytest.raises(UsageError, match=words):
        goodness_of_fit(**given)


class TestDistanceCorrelation:
    def test_against_the_definition(self):
        rng = np.random.default_rng(1)
        a, b = rng.normal(size=(25, 3)), rng.normal(size=(25, 2))
        b[:, 0] += a[:, 1] ** 2
        assert distance_correlation(a, b) == pytest.approx(naive_distance_correlation(a, b))
        assert distance_correlation(b, a) == pytest.approx(distance_correlation(a, b))

    def test_closed_form_of_two_values(self):
        """For binary samples it is the size of the correlation coefficient."""
        rng = np.random.default_rng(2)
        a = (rng.random(300) < 0.4).astype(float)
        b = np.where(rng.random(300) < 0.3, 1 - a, a)
        expected = abs(np.corrcoef(a, b)[0, 1])
        assert distance_correlation(a[:, None], b[:, None]) == pytest.approx(expected)

    def test_one_for_what_is_turned_and_zero_for_a_constant(self):
        rng = np.random.default_rng(3)
        a = rng.normal(size=(40, 2))
        turned = 3 * a @ np.array([[0.6, -0.8], [0.8, 0.6]]) - 5
        assert distance_correlation(a, turned) == pytest.approx(1.0)
        assert distance_correlation(a, np.ones((40, 1))) == 0.0


class TestEmbedding:
    def flat(self, n=400, seed=0):
        """A table that is a plane turned into five dimensions."""
        rng = np.random.default_rng(seed)
        plane = rng.normal(size=(n, 2))
        axes = np.linalg.qr(rng.normal(size=(5, 5)))[0][:2]
        frame = pd.DataFrame(plane @ axes, columns=list("abcde"))
        frame.insert(0, "label", np.where(plane[:, 0] > 0, "right", "left"))
        return plane, axes, netchoice.ReferenceTable.from_frame(frame)

    def test_a_plane_is_found_again(self, monkeypatch):
        """With features as they are, all distances are kept, those of the network too."""
        monkeypatch.setattr("netchoice.inference.mds.Scaling", AsTheyAre)
        plane, axes, table = self.flat()
        observed = np.array([4.0, -3.0])
        found = embed(table, dict(zip("abcde", observed @ axes, strict=True)), n_landmarks=50)
        places = found.points[["x", "y"]].to_numpy()
        true = np.vstack([plane, observed])
        assert np.allclose(cdist(places, places), cdist(true, true), atol=1e-6)
        assert found.pearson == pytest.approx(1)
        assert found.distance_correlation == pytest.approx(1)

    def test_points(self, table):
        found = embed(table, dict(table.X.iloc[0]), features=FEATURES[:6])
        assert list(found.points.columns) == ["x", "y", "label", "observed"]
        assert found.points["label"].tolist() == [*table.y, "observed"]
        assert found.points["observed"].sum() == 1
        assert found.features == tuple(FEATURES[:6])
        # A copy of a simulated network is placed with it, or nearly so if that is a landmark.
        places = found.points[["x", "y"]].to_numpy()
        apart = cdist(places[[0]], places[1:])[0]
        assert apart[-1] <= np.quantile(apart, 0.05)

    def test_it_keeps_distances_as_projection_does(self, table):
        found = embed(table)
        high = Scaling.fit(table.X, "rank").transform(table.X)
        centred = high - high.mean(axis=0)
        projected = centred @ np.linalg.svd(centred, full_matrices=False)[2][:2].T
        places = found.points[["x", "y"]].to_numpy()
        true, flat, moved = (pdist(points) for points in (high, projected, places))
        correlation = np.corrcoef(true, moved)[0, 1]
        assert found.pearson == pytest.approx(correlation, abs=0.02)  # some pairs, all pairs
        assert correlation > np.corrcoef(true, flat)[0, 1] - 0.01
        assert ((true - moved) ** 2).sum() < ((true - flat) ** 2).sum()
        whole = naive_distance_correlation(high[:60], places[:60])
        assert found.distance_correlation == pytest.approx(whole, abs=0.05)

    def test_what_is_off_the_cloud_is_drawn_off_it(self, table):
        """Also where it is off in a direction that the plane does not show."""
        import networkx as nx

        values = describe(netchoice.Graph.of(nx.random_regular_graph(4, N_NODES, seed=1)))
        places = embed(table, values).points[["x", "y"]].to_numpy()
        nearest = np.sort(cdist(places, places), axis=1)[:, 1:11].mean(axis=1)
        assert nearest[-1] > nearest[:-1].max()

    def test_noise_is_left_out(self):
        table = simulate("ba", 40, "noise", 20, ["degree_mean", "transitivity", "noise_normal"])
        assert embed(table).features == ("degree_mean", "transitivity")
        assert embed(table, features=["noise_normal"]).features == ("noise_normal",)

    def test_same_seed_same_picture(self, table):
        one, two = embed(table, n_landmarks=40, seed=1), embed(table, n_landmarks=40, seed=1)
        pd.testing.assert_frame_equal(one.points, two.points)

    def test_settling_lowers_the_stress(self):
        rng = np.random.default_rng(4)
        true = cdist(*[rng.normal(size=(30, 6))] * 2)
        low = rng.normal(size=(30, 2))
        assert ((cdist(low, low) - true) ** 2).sum() > (
            (cdist(*[_settle(true, low)] * 2) - true) ** 2
        ).sum()

    def test_copies_of_one_network(self):
        frame = pd.DataFrame({"label": ["a"] * 10, "f": 1.0, "g": 2.0})
        found = embed(netchoice.ReferenceTable.from_frame(frame))
        assert np.allclose(found.points[["x", "y"]], 0)
        assert (found.pearson, found.distance_correlation) == (0.0, 0.0)

    @pytest.mark.parametrize(
        ("change", "words"),
        [
            ({"n_landmarks": 2}, "at least 3"),
            ({"features": ["degree_men"]}, "did you mean 'degree_mean'"),
            ({"observed": {"degree_mean": 1.0}}, "no value for degree_max"),
            ({"features": []}, "at least one"),
        ],
    )
    def test_refused(self, table, change, words):
        with pytest.raises(UsageError, match=words):
            embed(table, **change)


class AsTheyAre:
    """A scaling that changes nothing."""

    @classmethod
    def fit(cls, X, how):
        return cls()

    def transform(self, X):
        return np.asarray(X, dtype=float)


class TestPictures:
    def test_probabilities(self):
        ax = figures.probabilities({"a": 0.2, "b": 0.8}, {"a": (0.1, 0.3), "b": (0.7, 0.9)})
        widths = [bar.get_width() for bar in ax.patches]
        assert widths == [0.8, 0.2]
        ends = [line.get_xdata().tolist() for line in ax.lines if line.get_gid() == "interval"]
        assert ends == [[0.7, 0.9], [0.1, 0.3]]

    def test_embedding(self, table):
        found = embed(table, dict(table.X.iloc[0]), n_landmarks=30)
        ax = figures.embedding(found)
        drawn = {"dmc": 0, "dmr": 0}
        for dots in ax.collections:
            drawn[dots.get_gid().removeprefix("model ")] += len(dots.get_offsets())
        assert drawn == table.y.value_counts().to_dict()
        star = next(line for line in ax.lines if line.get_gid() == "observed")
        place = found.points.iloc[-1]
        assert (star.get_xdata()[0], star.get_ydata()[0]) == (place["x"], place["y"])
        assert f"{found.distance_correlation:.2f}" in ax.get_xlabel()
        assert {text.get_text() for text in ax.texts} == {"dmc", "dmr"}

    def test_feature_distributions(self):
        rng = np.random.default_rng(0)
        X = pd.DataFrame(
            {
                "even": rng.normal(size=90),
                "wide": 10 ** rng.uniform(0, 40, 90),
                "with zeros": np.where(np.arange(90) % 3, 0, 10 ** rng.uniform(0, 9, 90)),
                "constant": 1.0,
            }
        )
        axes = figures.feature_distributions(
            X,
            np.repeat(["a", "b"], 45),
            {"even": 9.0, "wide": 1e60, "with zeros": 0.0, "constant": 1.0},
        )
        assert [ax.get_xscale() for ax in axes] == ["linear", "log", "symlog", "linear"]
        for ax, value in zip(axes, (9.0, 1e60, 0.0, 1.0), strict=True):
            line = next(line for line in ax.lines if line.get_gid() == "observed")
            assert line.get_xdata() == [value, value]
            shares = [
                p.get_data().values.sum()
                for p in ax.patches
                if p.get_gid() in ("model a", "model b")
            ]
            assert shares == pytest.approx([1, 1])  # no simulation falls out of its histogram

    def test_a_feature_without_a_value_has_no_line(self):
        X = pd.DataFrame({"f": [1.0, 2.0]})
        (ax,) = figures.feature_distributions(X, ["a", "a"], {"f": np.nan})
        assert not ax.lines

    def test_posteriors(self):
        draws = pd.DataFrame({"p": [0.3, 0.3, 0.6], "q": [0.5, 0.5, 0.5]})
        first, second = figures.posteriors(
            draws,
            weights=[0.5, 0.25, 0.25],
            intervals={"p": (0.3, 0.6)},
            priors={"p": (0.25, 0.75)},
        )
        density = next(p for p in first.patches if p.get_gid() == "posterior").get_data()
        areas = density.values * np.diff(density.edges)
        assert areas.sum() == pytest.approx(1)
        assert areas.max() == pytest.approx(0.75)
        assert (first.get_xlabel(), second.get_xlabel()) == ("p", "q")
        bar = next(line for line in first.lines if line.get_gid() == "interval")
        assert list(bar.get_xdata()) == [0.3, 0.6]

    def test_confusion(self):
        matrix = pd.DataFrame([[9, 1], [0, 0]], index=["a", "b"], columns=["a", "b"])
        ax = figures.confusion(matrix)
        assert ax.images[0].get_array().tolist() == [[0.9, 0.1], [0, 0]]
        assert [label.get_text() for label in ax.get_yticklabels()] == ["a", "b"]

    def test_reliability(self):
        table = pd.DataFrame(
            {"predicted": [0.2, 0.5, 0.9], "observed": [0.3, 0.4, 1.0], "n": [10, 0, 40]}
        )
        ax = figures.reliability(table)
        dots = next(dots for dots in ax.collections if dots.get_gid() == "reliability")
        assert dots.get_offsets().tolist() == [[0.2, 0.3], [0.9, 1.0]]
        assert dots.get_sizes()[1] > dots.get_sizes()[0]

    @pytest.mark.parametrize(
        ("draw", "words"),
        [
            (lambda: figures.probabilities({}), "no models"),
            (lambda: figures.embedding(pd.DataFrame({"x": [1]})), "lacks 'y'"),
            (lambda: figures.feature_distributions(ONE, ["a"], {}, ["g"]), "unknown feature"),
            (lambda: figures.feature_distributions(ONE, [], {}), "1 rows and 0 labels"),
            (lambda: figures.posteriors(pd.DataFrame()), "expected rows"),
            (lambda: figures.confusion(pd.DataFrame()), "at least one model"),
            (lambda: figures.reliability(pd.DataFrame({"predicted": []})), "lacks 'observed'"),
        ],
    )  # fmt: skip
    def test_refused(self, draw, words):
        with pytest.raises(UsageError, match=words):
            draw()
