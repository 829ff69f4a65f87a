"""The Relief family against exact fractions, a k-d tree, and worked examples."""

import naive_relief as naive
import numpy as np
import pandas as pd
import pytest
from sklearn.neighbors import KDTree

from netchoice.errors import UsageError
from netchoice.selection.relief import (
    ForestReliefF,
    IntegerTable,
    ReliefF,
    forest_relieff_weights,
    relieff_weights,
)

WEIGHTS = {
    "relieff": relieff_weights,
    "forest": lambda X, y, **options: forest_relieff_weights(X, y, same_leaves(X), **options),
}
SELECTORS = [ReliefF(), ForestReliefF(n_trees=20)]


def same_leaves(X):
    """Return the leaves of one tree that does not split: all rows are equally similar."""
    return np.zeros((len(X), 1), dtype=np.int32)


def table(kind, n, q, n_classes, rng):
    """Return numbers, labels of classes of unequal size, and nominal columns."""
    counts = rng.integers(0, rng.integers(1, 6), (n, q)).astype(float)
    X = {
        "continuous": rng.lognormal(sigma=2, size=(n, q)),
        "tied": counts,
        "mixed": np.where(np.arange(q) % 2, counts, rng.normal(size=(n, q))),
    }[kind]
    y = rng.choice(n_classes, n, p=rng.dirichlet(np.ones(n_classes)))
    y[:2] = 0, 1
    return X, y, set(np.flatnonzero(rng.random(q) < 0.3).tolist())


SHAPES = [(2, 1, 2), (3, 2, 2), (5, 1, 3), (12, 3, 4), (24, 4, 2), (30, 5, 5)]


@pytest.mark.kernels
@pytest.mark.parametrize("kind", ["continuous", "tied", "mixed"])
@pytest.mark.parametrize("shape", SHAPES)
def test_weights_equal_the_reference_implementation(kind, shape):
    for seed in range(2):
        rng = np.random.default_rng([seed, *shape])
        X, y, nominal = table(kind, *shape, rng)
        rows, labels, positions = X.tolist(), y.tolist(), sorted(nominal)
        for n_neighbors in (2, 10):
            ref = naive.relieff(rows, labels, n_neighbors, nominal)
            ours = relieff_weights(X, y, n_neighbors=n_neighbors, nominal=positions)
            np.testing.assert_allclose(ours, ref, rtol=0, atol=1e-11)


@pytest.mark.kernels
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("n_trees", [1, 6, 9])
def test_forest_weights_equal_the_reference_implementation(shape, n_trees):
    """Continuous columns, so that no draw is needed, and leaves with many ties."""
    rng = np.random.default_rng([n_trees, *shape])
    X, y, _ = table("continuous", *shape, rng)
    leaves = rng.integers(0, 3, (len(X), n_trees))
    for n_neighbors in (1, 3, 10):
        ref = naive.forest_relieff(X.tolist(), y.tolist(), leaves.tolist(), n_neighbors)
        for numbers in (leaves, -leaves, leaves * 10**6):
            ours = forest_relieff_weights(X, y, numbers, n_neighbors=n_neighbors)
            np.testing.assert_allclose(ours, ref, rtol=0, atol=1e-11)


@pytest.mark.kernels
def test_equally_similar_and_equally_near_rows_are_drawn():
    rng = np.random.default_rng(3)
    X, y, _ = table("tied", 40, 3, 3, rng)
    leaves = rng.integers(0, 2, (40, 3))
    draws = np.array(
        [forest_relieff_weights(X, y, leaves, n_neighbors=2, seed=s) for s in range(400)]
    )
    again = forest_relieff_weights(X, y, leaves, n_neighbors=2, seed=7)
    assert (draws[7] == again).all()
    assert (draws.std(axis=0) > 0).all()
    mean = naive.forest_relieff(X.tolist(), y.tolist(), leaves.tolist(), 2)
    error = draws.std(axis=0) / np.sqrt(len(draws))
    assert (np.abs(draws.mean(axis=0) - mean) < 4 * error).all()


def relieff_by_trees(X, y, n_neighbors):
    """Compute ReliefF weights with a k-d tree for each class; valid if no two rows are equal."""
    Z = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    weights = np.zeros(X.shape[1])
    for own in np.unique(y):
        rows = Z[y == own]
        for other in np.unique(y):
            others = Z[y == other]
            hit = int(own == other)
            n_nearest = min(n_neighbors, len(others) - hit)
            search = KDTree(others, metric="manhattan").query(rows, n_nearest + hit)[1][:, hit:]
            factor = -1 if hit else np.mean(y == other) / np.mean(y != own)
            weights += factor * np.abs(others[search] - rows[:, None]).mean(axis=1).sum(axis=0)
    return weights / len(X)


@pytest.mark.kernels
@pytest.mark.parametrize("n_neighbors", [1, 10, 45])
@pytest.mark.parametrize("q", [1, 6, 19])
def test_relieff_equals_a_search_in_k_d_trees(n_neighbors, q):
    rng = np.random.default_rng(q)
    y = rng.choice(["a", "b", "c"], 600, p=[0.7, 0.25, 0.05])
    X = rng.normal(size=(600, q)) + (y == "b")[:, None]
    np.testing.assert_allclose(
        relieff_weights(X, y, n_neighbors=n_neighbors),
        relieff_by_trees(X, y, n_neighbors),
        rtol=0,
        atol=1e-11,
    )


@pytest.mark.kernels
@pytest.mark.parametrize("q", [3, 70_000])
def test_relieff_is_exact_if_coarse_distances_do_not_help(q):
    """Almost all rows within a millionth of the range, or sums that exceed 16 bits."""
    rng = np.random.default_rng(1)
    n = 200 if q == 3 else 12
    X, y = 1e-6 * rng.random((n, q)), np.arange(n) % 2
    X[0] = 1
    np.testing.assert_allclose(
        relieff_weights(X, y, n_neighbors=2), relieff_by_trees(X, y, 2), rtol=0, atol=1e-11
    )


def test_nominal_columns_with_more_values_than_16_bits():
    X = np.arange(140_000.0).reshape(-1, 2)
    coarse, unit, _ = IntegerTable.from_arrays(X, np.arange(70_000) % 2, [1]).coarse()
    assert unit == 0
    assert not coarse[0].any()


@pytest.mark.kernels
@pytest.mark.parametrize("rows_per_class", [1, 4])
def test_three_core_beats_mean_degree(rows_per_class):
    """The paper's example: four models, 3-core of 0, 0, n, n nodes, mean degree of 2, 4, 6, 8."""
    X = np.repeat([[0, 2], [0, 4], [1000, 6], [1000, 8]], rows_per_class, axis=0)
    y = np.repeat(["ba1", "ba2", "ba3", "ba4"], rows_per_class)
    assert relieff_weights(X, y, n_neighbors=1) == pytest.approx([2 / 3, 5 / 9], abs=1e-12)
    assert relieff_weights(X, y) == pytest.approx([2 / 3, 5 / 9], abs=1e-12)
    assert ReliefF().fit(X, y).ranking_.tolist() == [0, 1]
    # the mean degree comes first if it is cheaper by enough: 1/9 of the weight, half the cost
    assert ReliefF(costs=[3, 1], penalty=0.21).fit(X, y).ranking_.tolist() == [0, 1]
    assert ReliefF(costs=[3, 1], penalty=0.23).fit(X, y).ranking_.tolist() == [1, 0]


@pytest.mark.kernels
def test_jointly_informative_pair_is_found():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(700, 12))
    y = (X[:, 4] > 0) ^ (X[:, 9] > 0)
    weights = relieff_weights(X, y)
    assert set(np.argsort(-weights)[:2]) == {4, 9}
    alone = relieff_weights(X[:, :9], y)  # one column of the pair is uninformative
    assert alone[4] < 0.2 * weights[4]


@pytest.mark.kernels
@pytest.mark.parametrize("method", ["relieff", "forest"])
@pytest.mark.parametrize("copies", [1, 2])
def test_a_row_is_never_its_own_hit(method, copies):
    """Misses at distance 0; the only other hit is at distance 1, unless the row has a copy."""
    X, y = np.array([[0], [1], [0], [1]] * copies), np.array([0, 0, 1, 1] * copies)
    weight = WEIGHTS[method](X, y, n_neighbors=1)
    assert weight.tolist() == ([-1.0] if copies == 1 else [0.0])


@pytest.mark.kernels
def test_rows_that_tie_share_the_last_places():
    # for the first row, the nearest two misses are the one at 1 and half of each at 2
    X, y = np.array([[0, 0], [1, 0], [0, 2], [2, 0]]), [0, 1, 1, 1]
    first = np.array([(0.5 + 0.5 * 1.0) / 2, (0.5 * 1.0) / 2])
    others = [[0.5, 0], [0, 1], [1, 0]]  # the one miss of each
    hits = [[(0.5 + 0.5) / 2, 0.5], [(0.5 + 1) / 2, 1.0], [(0.5 + 1) / 2, 0.5]]
    total = first + np.sum(others, axis=0) - np.sum(hits, axis=0)
    assert relieff_weights(X, y, n_neighbors=2) == pytest.approx(total / 4, abs=1e-12)


@pytest.mark.kernels
@pytest.mark.parametrize("method", WEIGHTS)
def test_weights_do_not_depend_on_threads(method):
    rng = np.random.default_rng(4)
    X, y, nominal = table("mixed", 700, 6, 3, rng)
    one, three = (
        WEIGHTS[method](X, y, nominal=sorted(nominal), n_jobs=n_jobs) for n_jobs in (1, 3)
    )
    assert (one == three).all()


@pytest.mark.kernels
@pytest.mark.parametrize("kind", ["tied", "mixed"])
def test_order_of_rows_and_columns_does_not_matter(kind):
    rng = np.random.default_rng(5)
    X, y, nominal = table(kind, 120, 9, 3, rng)
    mask = np.isin(np.arange(9), list(nominal))
    weights = relieff_weights(X, y, nominal=mask)
    columns, rows = rng.permutation(9), rng.permutation(120)
    assert (relieff_weights(X[:, columns], y, nominal=mask[columns]) == weights[columns]).all()
    shuffled = relieff_weights(X[rows], y[rows], nominal=mask)
    np.testing.assert_allclose(shuffled, weights, rtol=0, atol=1e-14)


@pytest.mark.kernels
@pytest.mark.parametrize("method", WEIGHTS)
def test_weights_of_constant_duplicate_and_distinct_columns(method):
    rng = np.random.default_rng(6)
    X, y = rng.normal(size=(50, 5)), np.repeat([0, 1], 25)
    X[:, 1] = -7.5
    X[:, 3] = X[:, 0]
    X[:, 4] = rng.permutation(50)
    weights = WEIGHTS[method](X, y, nominal=[4])
    assert weights[1] == 0
    assert weights[3] == weights[0] != 0
    assert weights[4] == 0  # a unique category differs equally from hits and misses
    assert (WEIGHTS[method](X[:, [1]], y) == 0).all()


@pytest.mark.kernels
@pytest.mark.parametrize("method", WEIGHTS)
def test_arrays_and_labels_of_any_type(method):
    rng = np.random.default_rng(7)
    X, y, _ = table("continuous", 60, 4, 3, rng)
    weights = WEIGHTS[method](X, y)
    wide = np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)
    names = np.array(["one", "two", "three"], dtype=object)[y]
    for table_, labels in [
        (np.asfortranarray(X), y),
        (wide[::2, ::3], y.astype(np.int8)),
        (pd.DataFrame(X), pd.Series(names)),
        (X.tolist(), names.tolist()),
    ]:
        ours = WEIGHTS[method](table_, labels)
        np.testing.assert_allclose(ours, weights, rtol=0, atol=1e-13)


@pytest.mark.kernels
@pytest.mark.parametrize("method", WEIGHTS)
@pytest.mark.parametrize("scale", [1e308, 1e-308, 5e-324])
def test_huge_and_tiny_numbers(method, scale):
    X = np.array([[-1, 0], [1, 1], [-1, 1], [1, 0], [0, 0], [-1, 1]], dtype=float)
    y = [0, 1, 0, 1, 1, 0]
    expected = WEIGHTS[method](X, y)
    assert WEIGHTS[method](X * scale, y) == pytest.approx(expected, abs=1e-12)


@pytest.mark.kernels
@pytest.mark.parametrize("method", WEIGHTS)
def test_fewer_rows_than_neighbours(method):
    """A class of one row has no hits; a class of two has one."""
    X, y = np.array([[0.0, 3], [1, 1], [4, 0]]), ["a", "b", "b"]
    weights = WEIGHTS[method](X, y)
    assert np.isfinite(weights).all()
    first = np.array([(1 / 4 + 1) / 2, (2 / 3 + 1) / 2])
    rest = np.array([1 / 4 + 1, 2 / 3 + 1]) - 2 * np.array([3 / 4, 1 / 3])
    assert weights == pytest.approx((first + rest) / 3, abs=1e-12)


@pytest.mark.parametrize("method", WEIGHTS)
def test_invalid_tables_are_refused(method):
    weights, X, y = WEIGHTS[method], np.arange(8.0).reshape(4, 2), [0, 0, 1, 1]
    with pytest.raises(UsageError, match="one class only"):
        weights(X, [1, 1, 1, 1])
    for value in (np.nan, np.inf):
        with pytest.raises(UsageError, match="NaN or infinite"):
            weights(np.where(X == 3, value, X), y)
    with pytest.raises(UsageError, match="one label for each row"):
        weights(X, y[:3])
    with pytest.raises(UsageError, match=r"`X` must have the shape \(n, q\)"):
        weights(X[:, 0], y)
    with pytest.raises(
        UsageError, match=r"`nominal` must hold column names, positions from 0 to 1, .* got 2"
    ):
        weights(X, y, nominal=[2])


@pytest.mark.parametrize("n_neighbors", [0, -1, 2.5, None])
def test_invalid_numbers_of_neighbours_are_refused(n_neighbors):
    X, y = np.arange(8.0).reshape(4, 2), [0, 0, 1, 1]
    with pytest.raises(UsageError, match="`n_neighbors` must be an integer of at least 1; got"):
        relieff_weights(X, y, n_neighbors=n_neighbors)
    for selector in (ReliefF(), ForestReliefF()):
        with pytest.raises(UsageError, match="`n_neighbors` must be"):
            selector.set_params(n_neighbors=n_neighbors).fit(X, y)


def test_invalid_leaves_are_refused():
    X, y = np.arange(8.0).reshape(4, 2), [0, 0, 1, 1]
    for leaves in (np.zeros(4, int), np.zeros((3, 2), int), np.zeros((4, 2))):
        with pytest.raises(UsageError, match=r"`leaves` must be integers of shape \(4, n_trees\)"):
            forest_relieff_weights(X, y, leaves)
    with pytest.raises(UsageError, match="got 65536 trees"):
        forest_relieff_weights(X, y, np.zeros((4, 65_536), np.int8))
    for min_leaf in (0, 1.5, None):
        with pytest.raises(UsageError, match="`min_leaf` must be an integer of at least 1; got"):
            ForestReliefF(min_leaf=min_leaf).fit(X, y)


@pytest.mark.kernels
@pytest.mark.parametrize("selector", SELECTORS, ids=lambda selector: selector.method)
def test_selectors_find_informative_and_nominal_columns(selector):
    """Column b is informative as a number, column e only as a nominal column."""
    rng = np.random.default_rng(8)
    X = pd.DataFrame(rng.normal(size=(400, 6)), columns=list("abcdef"))
    y = rng.integers(0, 2, 400)
    X["b"] += 2 * y
    X["e"] = rng.choice([0, 4], 400) + np.where(y == 1, 1, rng.choice([0, 2], 400))
    fitted = selector.set_params(nominal_features=["e"], n_features_to_select=2).fit(X, y)
    assert set(fitted.get_feature_names_out()) == {"b", "e"}
    if selector.method != "forest-relieff":
        weights = WEIGHTS[selector.method](X, y, nominal=[4])
        assert (fitted.relevance_ == weights).all()
        assert (fitted.scores_ == weights).all()
    expensive = selector.set_params(costs=[1, 1, 1, 1, 9, 1], penalty=100.0).fit(X, y)
    assert expensive.ranking_names_[-1] == "e"
    with pytest.raises(UsageError, match=r"`nominal_features` must hold .* got 'z'"):
        selector.set_params(nominal_features="z").fit(X, y)


@pytest.mark.kernels
def test_forest_relieff_works_in_small_tables_and_depends_on_the_seed():
    rng = np.random.default_rng(9)
    X = rng.normal(size=(90, 8))
    y = (X[:, 2] + X[:, 6] > 0).astype(int)
    fitted = [
        ForestReliefF(n_trees=n_trees, random_state=seed, n_jobs=n_jobs).fit(X, y)
        for n_trees, seed, n_jobs in [(60, 0, 1), (60, 0, 2), (60, 1, 1)]
    ]
    assert all(set(each.ranking_[:2]) == {2, 6} for each in fitted)
    assert (fitted[0].relevance_ == fitted[1].relevance_).all()
    assert (fitted[0].relevance_ != fitted[2].relevance_).any()
    # with leaves of 100 rows no tree could split, and neighbours would be nearest by distance
    assert (fitted[0].relevance_ != forest_relieff_weights(X, y, same_leaves(X))).all()
