"""The Relief family for targets that are numbers, against exact fractions and worked examples."""

import naive_relief as naive
import numpy as np
import pytest
from sklearn.datasets import make_friedman1
from sklearn.neighbors import KDTree

from netchoice.errors import UsageError
from netchoice.selection import SURF, ForestReliefF, MultiSURF, ReliefF
from netchoice.selection.forest_relief import forest_relieff_weights
from netchoice.selection.relief import multisurf_weights, relieff_weights, surf_weights

WEIGHTS = {"relieff": relieff_weights, "surf": surf_weights, "multisurf": multisurf_weights}
ALL_WEIGHTS = {
    **WEIGHTS,
    "forest": lambda X, y, **options: forest_relieff_weights(
        X, y, np.zeros((len(X), 1), dtype=np.int32), **options
    ),
}


def table(kind, n, q, n_targets, rng):
    """Return numbers, targets, and nominal columns."""
    counts = rng.integers(0, rng.integers(1, 6), (n, q)).astype(float)
    X = {
        "continuous": rng.lognormal(sigma=2, size=(n, q)),
        "tied": counts,
        "mixed": np.where(np.arange(q) % 2, counts, rng.normal(size=(n, q))),
    }[kind]
    y = rng.normal(size=(n, n_targets)) + X[:, :1] * np.arange(n_targets)
    if kind == "tied":
        y = np.round(y)
    y[:2] = [[0.0], [1.5]]
    return X, y, set(np.flatnonzero(rng.random(q) < 0.3).tolist())


SHAPES = [(2, 1, 1), (3, 2, 2), (5, 1, 1), (12, 3, 3), (20, 4, 1), (24, 5, 2)]


@pytest.mark.kernels
@pytest.mark.parametrize("kind", ["continuous", "tied", "mixed"])
@pytest.mark.parametrize("shape", SHAPES)
def test_weights_equal_the_reference_implementation(kind, shape):
    X, y, nominal = table(kind, *shape, np.random.default_rng(shape))
    options = {"nominal": sorted(nominal), "target": "numbers"}
    reference = {"nominal": nominal, "weigh": naive.numbers}
    rows, targets = X.tolist(), y.tolist()
    for n_neighbors in (2, 10):
        ref = naive.relieff(rows, targets, n_neighbors, **reference)
        ours = relieff_weights(X, y, n_neighbors=n_neighbors, **options)
        np.testing.assert_allclose(ours, ref, rtol=0, atol=1e-11)
    ref = naive.surf(rows, targets, **reference)
    np.testing.assert_allclose(surf_weights(X, y, **options), ref, rtol=0, atol=1e-11)
    ref = naive.multisurf(rows, targets, **reference)
    np.testing.assert_allclose(multisurf_weights(X, y, **options), ref, rtol=0, atol=1e-11)


@pytest.mark.kernels
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("n_trees", [1, 6])
def test_forest_weights_equal_the_reference_implementation(shape, n_trees):
    """Continuous columns, so that no draw is needed, and leaves with many ties."""
    rng = np.random.default_rng([n_trees, *shape])
    X, y, _ = table("continuous", *shape, rng)
    leaves = rng.integers(0, 3, (len(X), n_trees))
    for n_neighbors in (1, 3, 10):
        ref = naive.forest_relieff(
            X.tolist(), y.tolist(), leaves.tolist(), n_neighbors, weigh=naive.numbers
        )
        ours = forest_relieff_weights(X, y, leaves, target="numbers", n_neighbors=n_neighbors)
        np.testing.assert_allclose(ours, ref, rtol=0, atol=1e-11)


@pytest.mark.kernels
def test_equally_similar_and_equally_near_rows_are_drawn():
    """The ratios of sums are about linear, so that the mean over draws is about that of all rows."""
    rng = np.random.default_rng(3)
    X, y, _ = table("tied", 40, 3, 1, rng)
    leaves = rng.integers(0, 2, (40, 3))
    draws = np.array(
        [forest_relieff_weights(X, y, leaves, n_neighbors=2, seed=s, target="numbers") for s in range(300)]
    )  # fmt: skip
    again = forest_relieff_weights(X, y, leaves, n_neighbors=2, seed=7, target="numbers")
    assert (draws[7] == again).all()
    assert (draws.std(axis=0) > 0).all()
    mean = naive.forest_relieff(X.tolist(), y.tolist(), leaves.tolist(), 2, weigh=naive.numbers)
    assert (np.abs(draws.mean(axis=0) - mean) < 0.25 * draws.std(axis=0)).all()


def rrelieff_by_tree(X, y, n_neighbors):
    """Compute RReliefF weights with a k-d tree; valid if no two distances are equal."""
    Z, target = ((a - a.min(axis=0)) / np.ptp(a, axis=0) for a in (X, y))
    nearest = KDTree(Z, metric="manhattan").query(Z, n_neighbors + 1)[1][:, 1:]
    column = np.abs(Z[nearest] - Z[:, None])
    other = np.abs(target[nearest] - target[:, None])[..., None]
    return (column * other).sum((0, 1)) / other.sum() - (
        (column * (1 - other)).sum((0, 1)) / (1 - other).sum()
    )


@pytest.mark.kernels
@pytest.mark.parametrize("n_neighbors", [1, 10, 45])
@pytest.mark.parametrize("q", [1, 6, 19])
def test_relieff_equals_a_search_in_a_k_d_tree(n_neighbors, q):
    rng = np.random.default_rng(q)
    X = rng.normal(size=(600, q))
    y = X[:, 0] + rng.normal(size=600)
    ours = relieff_weights(X, y, n_neighbors=n_neighbors)
    np.testing.assert_allclose(ours, rrelieff_by_tree(X, y, n_neighbors), rtol=0, atol=1e-11)


@pytest.mark.kernels
def test_three_points_by_hand():
    """Targets 0, 0.5 and 1.5 (in ranges 0, 1/3, 1); the column is 0, 3, 4; one neighbour each.

    Pairs: (0, 1) with differences 1/3 and 3/4; (1, 2) and (2, 1) with 2/3 and 1/4.
    """
    both, other = 1 / 3 * 3 / 4 + 2 * 2 / 3 * 1 / 4, 1 / 3 + 2 * 2 / 3
    column = 3 / 4 + 2 * 1 / 4
    expected = both / other - (column - both) / (3 - other)
    weight = relieff_weights([[0], [3], [4]], [0, 0.5, 1.5], n_neighbors=1)
    assert weight == pytest.approx([expected], abs=1e-12)


@pytest.mark.kernels
@pytest.mark.parametrize("method", ["relieff", "forest"])
def test_a_column_that_equals_a_target_of_two_values(method):
    """Near rows with another target differ in the column by 1, those with the same target by 0."""
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 4, dtype=float)
    weights = ALL_WEIGHTS[method](X, X[:, 0], target="numbers")
    assert weights[0] == pytest.approx(1, abs=1e-12)
    assert weights[1] < 0


@pytest.mark.kernels
def test_pairs_without_similar_or_different_targets():
    """The only neighbour of each row has the opposite target, or the same."""
    X = [[0], [1], [9], [10]]
    opposite = relieff_weights(X, [0, 1, 0, 1], target="numbers", n_neighbors=1)
    assert opposite == pytest.approx([0.1], abs=1e-12)
    same = relieff_weights(X, [0, 0, 1, 1], target="numbers", n_neighbors=1)
    assert same == pytest.approx([-0.1], abs=1e-12)


@pytest.mark.kernels
@pytest.mark.parametrize("method", ALL_WEIGHTS)
def test_several_targets_have_the_mean_of_their_weights(method):
    X, y, _ = table("continuous", 90, 5, 3, np.random.default_rng(1))
    each = [ALL_WEIGHTS[method](X, column) for column in y.T]
    np.testing.assert_allclose(ALL_WEIGHTS[method](X, y), np.mean(each, axis=0), atol=1e-14)


@pytest.mark.kernels
@pytest.mark.parametrize("method", ALL_WEIGHTS)
def test_units_of_targets_do_not_matter(method):
    X, y, _ = table("mixed", 80, 5, 2, np.random.default_rng(2))
    weights = ALL_WEIGHTS[method](X, y)
    for factor, shift in [(1024, 0), (-3, 5), (1e300, 0), (1e-300, 0)]:
        other = ALL_WEIGHTS[method](X, factor * y + shift)
        np.testing.assert_allclose(other, weights, rtol=0, atol=1e-12)


@pytest.mark.kernels
@pytest.mark.parametrize("method", ALL_WEIGHTS)
def test_weights_do_not_depend_on_threads(method):
    X, y, nominal = table("mixed", 700, 6, 2, np.random.default_rng(4))
    one, three = (
        ALL_WEIGHTS[method](X, y, nominal=sorted(nominal), n_jobs=n_jobs) for n_jobs in (1, 3)
    )
    assert (one == three).all()


@pytest.mark.kernels
@pytest.mark.parametrize("method", WEIGHTS)
@pytest.mark.parametrize("kind", ["tied", "mixed"])
def test_order_of_rows_and_columns_does_not_matter(method, kind):
    rng = np.random.default_rng(5)
    X, y, nominal = table(kind, 120, 9, 2, rng)
    mask = np.isin(np.arange(9), list(nominal))
    weights = WEIGHTS[method](X, y, nominal=mask)
    columns, rows = rng.permutation(9), rng.permutation(120)
    assert (WEIGHTS[method](X[:, columns], y, nominal=mask[columns]) == weights[columns]).all()
    shuffled = WEIGHTS[method](X[rows], y[rows], nominal=mask)
    np.testing.assert_allclose(shuffled, weights, rtol=0, atol=1e-13)


@pytest.mark.kernels
@pytest.mark.parametrize("method", ALL_WEIGHTS)
def test_weights_of_constant_duplicate_and_distinct_columns(method):
    rng = np.random.default_rng(6)
    X, y = rng.normal(size=(50, 5)), rng.normal(size=50)
    X[:, 1] = -7.5
    X[:, 3] = X[:, 0]
    X[:, 4] = rng.permutation(50)
    weights = ALL_WEIGHTS[method](X, y, nominal=[4])
    assert weights[1] == 0
    assert weights[3] == weights[0] != 0
    # a unique category differs equally, whatever the target
    assert weights[4] == pytest.approx(0, abs=1e-12)


@pytest.mark.kernels
@pytest.mark.parametrize("method", WEIGHTS)
def test_jointly_informative_pair_is_found(method):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(700, 12))
    y = np.sign(X[:, 4] * X[:, 9]) + 0.1 * rng.normal(size=700)
    weights = WEIGHTS[method](X, y)
    assert set(np.argsort(-weights)[:2]) == {4, 9}
    alone = WEIGHTS[method](X[:, :9], y)  # one column of the pair is uninformative
    assert alone[4] < 0.2 * weights[4]


@pytest.mark.parametrize("method", ALL_WEIGHTS)
def test_invalid_targets_are_refused(method):
    X, y = np.arange(8.0).reshape(4, 2), np.array([0.5, 1, 2, 3])
    with pytest.raises(UsageError, match="two different values in each column; got fewer in 'y1'"):
        ALL_WEIGHTS[method](X, np.column_stack([y, np.ones(4)]))
    with pytest.raises(UsageError, match="`y` must have a value in every row; got NaN"):
        ALL_WEIGHTS[method](X, np.column_stack([y, [1, 2, np.nan, 4]]))
    with pytest.raises(UsageError, match="one label or number for each row; got"):
        ALL_WEIGHTS[method](X, y[:3])


@pytest.mark.parametrize(
    "selector",
    [ReliefF(), SURF(), MultiSURF(), ForestReliefF(n_trees=30)],
    ids=lambda selector: selector.method,
)
def test_selectors_average_targets_with_missing_values(selector):
    """Each column of the target counts on the rows in which it has a value."""
    X, y = make_friedman1(150, 7, noise=1.0, random_state=0)
    y = np.column_stack([y, X[:, 5], X[:, 6]])
    y[:50, 1:] = np.nan
    fitted = selector.fit(X, y)
    first = selector.fit(X, y[:, 0]).relevance_
    rest = selector.fit(X[50:], y[50:, 1:]).relevance_
    np.testing.assert_allclose(fitted.fit(X, y).relevance_, first / 3 + 2 * rest / 3, atol=1e-13)
