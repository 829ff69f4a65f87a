"""Regression forests against the reference implementation, and against scikit-learn's."""

import itertools

import naive_forest
import numpy as np
import pytest
from kernel_probes import uniforms
from sklearn.datasets import load_diabetes, make_friedman1
from sklearn.ensemble import RandomForestRegressor
from sklearn.metrics import r2_score
from sklearn.tree import DecisionTreeRegressor

from netchoice._kernels.regression_trees import grow_regression_trees
from netchoice._kernels.tree_nodes import CHILD, CUT, LEAF, SPLIT
from netchoice.errors import UsageError
from netchoice.forests import ClassificationForest, RegressionForest, grow_forest

BOTH = ("mdi", "mda")


def seeds(n, key=0):
    return np.random.SeedSequence([12, key]).generate_state(3 * n, np.uint64).reshape(n, 3)


def small_table(rng, n, q, n_targets, kind):
    """Return ranks with few and many values, a constant, a duplicate, and dependent targets."""
    X = np.stack([rng.integers(0, rng.choice([2, 3, 20, 200]), n) for _ in range(q)], axis=1)
    X[:, -1] = 3
    if q > 3:
        X[:, 2] = X[:, 0]
    y = X[:, [0]] / (X[:, 0].max() + 1) + rng.normal(size=(n, n_targets))
    codes = np.stack([np.unique(column, return_inverse=True)[1] for column in X.T])
    return codes, np.round(2 * y) if kind == "tied" else y


CASES = list(
    itertools.product(
        [(1, 1, 1), (2, 1, 2), (3, 2, 1), (40, 5, 1), (60, 7, 3)],
        [1, 6],
        ["continuous", "tied"],
        [False, True],
    )
)


@pytest.mark.kernels
@pytest.mark.parametrize(("shape", "min_leaf", "kind", "weighted"), CASES)
def test_trees_equal_the_reference_implementation(shape, min_leaf, kind, weighted):
    n, q, n_targets = shape
    codes, y = small_table(np.random.default_rng(n + q), n, q, n_targets, kind)
    rows = codes.T.tolist()
    weights, order, log_weights = None, np.arange(q, dtype=np.int32), np.empty(0)
    if weighted:
        weights = np.geomspace(1, 50, q)
        order = np.argsort(-weights, kind="stable").astype(np.int32)
        log_weights = np.log(weights[order])
    n_candidates, tree_seeds = max(1, q // 3), seeds(3, n)
    begins, nodes, decrease, added, means, sums, n_predictions = grow_regression_trees(
        codes.astype(np.uint16), y, order, log_weights, n_candidates, min_leaf, tree_seeds, True, True
    )  # fmt: skip
    expected_sums, expected_n = np.zeros((n, n_targets)), np.zeros(n, dtype=int)
    for t in range(3):
        stream = iter(uniforms(tree_seeds[t], 20_000).tolist())
        problem = naive_forest.Numbers(y.tolist(), naive_forest.bootstrap(n, stream))
        tree, expected = naive_forest.grow(
            rows, problem, stream, n_candidates=n_candidates, min_leaf=min_leaf, weights=weights
        )
        ours, of_leaves = nodes[begins[t] : begins[t + 1]], means[begins[t] : begins[t + 1]]
        assert len(ours) == len(tree)
        for node, mean, ref in zip(ours, of_leaves, tree, strict=True):
            if node[SPLIT] != LEAF:
                assert (node[SPLIT], node[CUT], node[CHILD], node[CHILD] + 1) == ref
            else:
                np.testing.assert_allclose(mean, np.array(ref, dtype=float), atol=1e-12)
        np.testing.assert_allclose(decrease[t], expected, atol=1e-9)
        naive_added = naive_forest.error_added(tree, rows, problem, stream)
        np.testing.assert_allclose(added[t], naive_added, atol=1e-9)
        for i in np.flatnonzero(np.array(problem.times) == 0):
            expected_n[i] += 1
            expected_sums[i] += np.array(tree[naive_forest.leaf_of(tree, rows[i])], dtype=float)
    np.testing.assert_array_equal(n_predictions, expected_n)
    np.testing.assert_allclose(sums, expected_sums, atol=1e-9)


@pytest.mark.kernels
def test_nodes_with_many_codes_equal_the_reference_implementation():
    """Many codes are listed by a set of bits, few are sorted."""
    rng = np.random.default_rng(20)
    codes = np.stack([rng.permutation(90), rng.permutation(90)])
    y = np.sin(codes[:1].T / 9) + 0.1 * rng.normal(size=(90, 1))
    order = np.arange(2, dtype=np.int32)
    _, nodes, *_ = grow_regression_trees(
        codes.astype(np.uint16), y, order, np.empty(0), 2, 8, seeds(1), False, False
    )
    problem = naive_forest.Numbers(y.tolist(), [1] * 90)
    stream = iter(uniforms(seeds(1)[0], 1000).tolist())
    tree, _ = naive_forest.grow(codes.T.tolist(), problem, stream, n_candidates=2, min_leaf=8)
    assert [tuple(node[:3]) for node in nodes if node[SPLIT] != LEAF] == [
        node[:3] for node in tree if isinstance(node, tuple)
    ]
    assert len(tree) > 8


def friedman(n=300, q=10, seed=0):
    return make_friedman1(n, q, noise=1.0, random_state=seed)


def several(seed=0):
    """Return a table and three targets in different units."""
    X, y = friedman(seed=seed)
    rng = np.random.default_rng(seed)
    return X, np.column_stack([y, 1e6 * X[:, 6] + 1e5 * rng.normal(size=len(X)), 1e-3 * X[:, 0]])


@pytest.mark.parametrize("n_targets", [1, 3])
def test_one_tree_equals_scikit_learns(n_targets):
    """With all rows and all columns, leaves, importances and predictions are equal."""
    for seed in range(4):
        X, y = several(seed)
        y = y[:, :n_targets]
        standard = (y - y.mean(axis=0)) / y.std(axis=0)
        theirs = DecisionTreeRegressor(min_samples_leaf=20, random_state=0).fit(X, standard)
        ours = grow_forest(X, y, n_trees=1, min_leaf=20, max_features=10, bootstrap=False)
        np.testing.assert_allclose(ours.mdi, theirs.feature_importances_, atol=1e-9)
        pairs = set(zip(ours.leaves[:, 0].tolist(), theirs.apply(X).tolist(), strict=True))
        assert len(pairs) == ours.leaves.max() + 1 == theirs.get_n_leaves() > 5
        expected = theirs.predict(X).reshape(y.shape) * y.std(axis=0) + y.mean(axis=0)
        predicted = ours.predict(X)
        assert predicted.shape == ((300,) if n_targets == 1 else (300, 3))
        np.testing.assert_allclose(predicted.reshape(y.shape), expected, rtol=1e-9)
        assert np.isnan(ours.oob_score)
        assert np.isnan(ours.oob_prediction).all()


def diabetes():
    return load_diabetes(return_X_y=True)


@pytest.mark.parametrize("problem", [diabetes, friedman, several])
def test_forests_agree_with_scikit_learns_statistically(problem):
    """MDI and out-of-bag R² over six seeds differ no more than samples of one distribution.

    Without a difference, the root mean square of the differences, in standard errors, is about 1.12
    (that of Student's t with 10 degrees of freedom), and one of them exceeds 5 in 1 of 1900 runs.
    """
    X, y = problem()
    q = X.shape[1]
    standard = (y - y.mean(axis=0)) / y.std(axis=0)
    theirs = [
        RandomForestRegressor(100, max_features=q // 3, oob_score=True, random_state=s).fit(X, standard)
        for s in range(6)
    ]  # fmt: skip
    ours = [grow_forest(X, y, n_trees=100, seed=s) for s in range(6)]
    a = np.array([forest.feature_importances_ for forest in theirs])
    b = np.array([forest.mdi for forest in ours])
    np.testing.assert_allclose(b.sum(axis=1), 1)
    error = np.sqrt((a.var(axis=0, ddof=1) + b.var(axis=0, ddof=1)) / 6)
    assert np.sqrt(np.mean(((a - b).mean(axis=0) / error) ** 2)) < 2
    assert np.abs((a - b).mean(axis=0)).max() < 0.02
    score_a = np.array([forest.oob_score_ for forest in theirs])
    score_b = np.array([forest.oob_score for forest in ours])
    error = np.sqrt((score_a.var(ddof=1) + score_b.var(ddof=1)) / 6)
    assert abs(score_a.mean() - score_b.mean()) < 5 * error
    assert error < 0.01


def test_mda_agrees_with_scikit_learns_trees():
    """MDA agrees with the increase of the error of scikit-learn's trees on their out-of-bag rows."""
    X, y = several()
    standard = (y - y.mean(axis=0)) / y.std(axis=0)
    ours = grow_forest(X, y, n_trees=200, importance=("mda",)).mda
    forest = RandomForestRegressor(200, max_features=3, random_state=1).fit(X, standard)
    rng = np.random.default_rng(0)
    added = np.zeros((200, 10))
    for tree, drawn, row in zip(forest.estimators_, forest.estimators_samples_, added, strict=True):
        out_of_bag = np.setdiff1d(np.arange(300), drawn)
        before = ((tree.predict(X[out_of_bag]) - standard[out_of_bag]) ** 2).mean()
        for k in range(10):
            permuted = X[out_of_bag].copy()
            permuted[:, k] = rng.permutation(permuted[:, k])
            row[k] = ((tree.predict(permuted) - standard[out_of_bag]) ** 2).mean() - before
    error = np.sqrt(2 / 200) * added.std(axis=0)
    assert (np.abs(ours - added.mean(axis=0)) < 4 * error).all()
    assert set(np.argsort(-ours)[:2]) == {0, 6}


def test_out_of_bag_score_is_r2_of_the_out_of_bag_predictions():
    X, y = several()
    forest = grow_forest(X, y, n_trees=60)
    assert forest.oob_prediction.shape == (300, 3)
    assert forest.oob_score == pytest.approx(r2_score(y, forest.oob_prediction), abs=1e-12)
    few = grow_forest(X, y, n_trees=2)
    out_of_bag = ~np.isnan(few.oob_prediction[:, 0])
    assert 0 < out_of_bag.sum() < 300
    expected = r2_score(y[out_of_bag], few.oob_prediction[out_of_bag])
    assert few.oob_score == pytest.approx(expected, abs=1e-12)


def test_kind_of_forest_follows_the_target():
    X, y = friedman()
    assert isinstance(grow_forest(X, y, n_trees=2), RegressionForest)
    assert isinstance(grow_forest(X, y > 14, n_trees=2), ClassificationForest)
    counts = np.arange(300) % 7
    assert isinstance(grow_forest(X, counts, n_trees=2), ClassificationForest)
    assert isinstance(grow_forest(X, counts, target="numbers", n_trees=2), RegressionForest)
    many = np.arange(300) % 70
    assert isinstance(grow_forest(X, many, n_trees=2), RegressionForest)
    assert isinstance(grow_forest(X, many, target="classes", n_trees=2), ClassificationForest)


def test_default_number_of_columns_tried_is_a_third():
    X, y = friedman(q=11)
    default, three = (grow_forest(X, y, n_trees=5, max_features=m) for m in (None, 3))
    np.testing.assert_array_equal(default.leaves, three.leaves)
    assert grow_forest(X[:, :2], y, n_trees=2).n_trees == 2


@pytest.mark.parametrize("weights", [None, np.linspace(0, 3, 10)])
def test_results_do_not_depend_on_threads(weights):
    X, y = several()
    one, three, other = (
        grow_forest(
            X, y, n_trees=70, log_weights=weights, importance=BOTH, seed=s, n_jobs=n_jobs
        )
        for s, n_jobs in ((5, 1), (5, 3), (6, 1))
    )  # fmt: skip
    for name in ("mdi", "mda", "oob_prediction", "leaves"):
        np.testing.assert_array_equal(getattr(one, name), getattr(three, name))
        assert not np.array_equal(getattr(one, name), getattr(other, name), equal_nan=True)
    np.testing.assert_array_equal(one.predict(X), three.predict(X))
    more = grow_forest(X, y, n_trees=80, log_weights=weights, seed=5)
    np.testing.assert_array_equal(more.leaves[:, :70], one.leaves)


@pytest.mark.parametrize("n_targets", [1, 3])
def test_units_of_targets_do_not_matter(n_targets):
    X, y = several()
    y = y[:, :n_targets]
    plain = grow_forest(X, y, n_trees=20, importance=BOTH)
    for factor, shift in [(1024.0, 0), (1e-3, 7), (-5.0, 1e6), (1e300, 0), (1e-300, 0)]:
        other = grow_forest(X, factor * y + shift, n_trees=20, importance=BOTH)
        np.testing.assert_array_equal(other.leaves, plain.leaves)
        np.testing.assert_allclose(other.mdi, plain.mdi, atol=1e-9)
        np.testing.assert_allclose(other.mda, plain.mda, atol=1e-9)
        assert other.oob_score == pytest.approx(plain.oob_score, abs=1e-9)
        expected = factor * plain.predict(X) + shift
        np.testing.assert_allclose(other.predict(X), expected, rtol=1e-8)


def test_targets_have_equal_weights():
    """Copies of a target change nothing, and the order of targets does not matter."""
    X, y = several()
    one, copies = (grow_forest(X, values, n_trees=20) for values in (y[:, 0], y[:, [0, 0, 0]]))
    np.testing.assert_array_equal(one.leaves, copies.leaves)
    np.testing.assert_allclose(one.mdi, copies.mdi, atol=1e-9)
    forward, backward = (grow_forest(X, values, n_trees=20) for values in (y, y[:, ::-1]))
    np.testing.assert_array_equal(forward.leaves, backward.leaves)
    np.testing.assert_allclose(forward.predict(X), backward.predict(X)[:, ::-1], rtol=1e-9)


def test_only_the_order_of_values_matters_and_columns_can_be_permuted():
    X, y = friedman()
    one, other = (grow_forest(each, y, n_trees=10, importance=BOTH) for each in (X, np.exp(5 * X)))
    np.testing.assert_array_equal(one.mdi, other.mdi)
    np.testing.assert_array_equal(one.mda, other.mda)
    np.testing.assert_array_equal(one.apply(X), other.leaves)
    everything = {"n_trees": 1, "max_features": 10, "bootstrap": False, "min_leaf": 5}
    order = np.random.default_rng(0).permutation(10)
    straight, permuted = (grow_forest(each, y, **everything) for each in (X, X[:, order]))
    np.testing.assert_allclose(permuted.mdi, straight.mdi[order], atol=1e-12)
    np.testing.assert_allclose(permuted.predict(X[:, order]), straight.predict(X), rtol=1e-12)


def test_a_mirrored_column_gives_the_same_splits():
    """Sums are rounded differently from the other side; the first of equal cuts wins anyway."""
    X, y = friedman()
    both = np.column_stack([X[:, 0], -X[:, 0]])
    trees = {"n_trees": 1, "bootstrap": False, "min_leaf": 2, "max_features": 1}
    sizes = [
        np.sort(np.bincount(grow_forest(column, y, **trees).leaves[:, 0])).tolist()
        for column in (both[:, :1], both[:, 1:])
    ]
    assert sizes[0] == sizes[1]


def test_a_split_must_decrease_the_variance():
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 5, dtype=float)
    balanced = X[:, 0] != X[:, 1]
    for offset in (0, 0.1, 1e9):
        trees = {"target": "numbers", "n_trees": 3, "bootstrap": False}
        forest = grow_forest(X, balanced + offset, **trees)
        assert (forest.leaves == 0).all()
        assert forest.mdi.tolist() == [0, 0]
    assert grow_forest(X, balanced, target="numbers", n_trees=50).leaves.max() == 3


def test_nodes_with_equal_targets_are_leaves():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(100, 3))
    y = np.column_stack([0.1 * (X[:, 1] > 0), 0.3 * (X[:, 1] > 0)])
    forest = grow_forest(X, y, n_trees=20, max_features=3, bootstrap=False)
    assert (forest.leaves == (X[:, 1] > 0)[:, None]).all()
    assert forest.mdi.tolist() == [0, 1, 0]
    np.testing.assert_allclose(forest.predict(X), y, atol=1e-15)


@pytest.mark.parametrize("min_leaf", [1, 7, 60, 10_000])
def test_leaves_have_at_least_min_leaf_rows_and_predict_their_mean(min_leaf):
    X, y = friedman()
    forest = grow_forest(X, y, n_trees=10, min_leaf=min_leaf, bootstrap=False)
    expected = np.zeros(300)
    for leaves in forest.leaves.T:
        sizes = np.bincount(leaves)
        assert sizes.min() >= min(min_leaf, 300)
        expected += (np.bincount(leaves, y) / sizes)[leaves] / 10
    np.testing.assert_allclose(forest.predict(X), expected, rtol=1e-12)
    assert (forest.leaves.max() > 0) == (min_leaf <= 150)


def test_forests_without_splits():
    X, y = friedman()
    constant = grow_forest(X, np.full(300, 0.1), n_trees=20, importance=("mda",))
    assert constant.mdi.tolist() == constant.mda.tolist() == [0] * 10
    assert constant.oob_score == 1
    np.testing.assert_allclose(constant.predict(X), 0.1)
    columns = grow_forest(np.ones((300, 3)), y, n_trees=20)
    assert columns.mdi.tolist() == [0, 0, 0]
    assert columns.oob_score == pytest.approx(0, abs=0.02)
    single = grow_forest([[1.0]], [2.5], n_trees=3)
    assert single.predict([[9.0]]).tolist() == [2.5]
    assert np.isnan(single.oob_score)


def test_extreme_weights_use_the_cheap_columns_only():
    X, y = friedman(q=12)
    log_weights = -204.8 * np.log(np.geomspace(1e-9, 1, 12))
    forest = grow_forest(X, y, n_trees=30, log_weights=log_weights, importance=BOTH)
    assert (forest.mdi[:4] > 0.05).all()
    # the other columns are never among the four candidates, so their importance is exactly 0
    assert (forest.mdi[4:] == 0).all()
    assert (forest.mda[4:] == 0).all()


def test_missing_values_of_targets_are_refused():
    X, y = several()
    y[3, 1] = np.nan
    with pytest.raises(UsageError, match="`y` must have a value in every row; got NaN"):
        grow_forest(X, y)
    with pytest.raises(UsageError, match="the 10 columns of the training table; got"):
        grow_forest(X, y[:, 0], n_trees=2).predict([[1.0]])
