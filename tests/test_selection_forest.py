"""The forest against the reference implementation, and against scikit-learn's statistically."""

import itertools

import naive_forest
import numpy as np
import pytest
from kernel_probes import draw_columns, uniforms
from scipy import stats
from sklearn import datasets
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

from netchoice._kernels.classification_trees import (
    CHILD,
    CUT,
    LABEL,
    LEAF,
    SPLIT,
    grow_classification_trees,
)
from netchoice.errors import UsageError
from netchoice.forests import bin_columns, grow_forest

# a λ and a range of costs for which the published implementation fails
EXTREME = -204.8 * np.log(np.geomspace(1e-9, 1, 12))


def seeds(n, key=0):
    return np.random.SeedSequence([11, key]).generate_state(3 * n, np.uint64).reshape(n, 3)


def small_table(rng, n, q, n_classes):
    """Return integers with few and many values, a constant, a duplicate, and dependent labels."""
    X = np.stack([rng.integers(0, rng.choice([2, 3, 20, 200]), n) for _ in range(q)], axis=1)
    X[:, -1] = 3
    if q > 3:
        X[:, 2] = X[:, 0]
    y = (X[:, 0] * 7 // (X[:, 0].max() + 1) + rng.integers(0, 3, n)) % n_classes
    return X, y


CASES = list(
    itertools.product(
        [(1, 1, 2), (2, 1, 2), (3, 2, 3), (40, 5, 2), (60, 7, 4)], [1, 6], [None, "mild", "equal"]
    )
)


@pytest.mark.kernels
@pytest.mark.parametrize(("shape", "min_leaf", "weighting"), CASES)
def test_trees_equal_the_reference_implementation(shape, min_leaf, weighting):
    n, q, n_classes = shape
    X, y = small_table(np.random.default_rng(n + q), n, q, n_classes)
    # the reference implementation uses the ranks of values, which are the bins
    codes = np.stack([np.unique(column, return_inverse=True)[1] for column in X.T])
    rows = codes.T.tolist()
    weights, order, log_weights = None, np.arange(q, dtype=np.int32), np.empty(0)
    if weighting is not None:
        weights = np.geomspace(1, 50 if weighting == "mild" else 1, q)
        order = np.argsort(-weights, kind="stable").astype(np.int32)
        log_weights = np.log(weights[order])
    n_candidates, tree_seeds = max(1, int(q**0.5)), seeds(4, n)
    begins, nodes, decrease, lost, votes = grow_classification_trees(
        codes.astype(np.uint16), y.astype(np.int32), n_classes, order, log_weights, n_candidates,
        min_leaf, tree_seeds, True, True,
    )  # fmt: skip
    expected_votes = np.zeros((n, n_classes), dtype=int)
    for t in range(4):
        stream = iter(uniforms(tree_seeds[t], 20_000).tolist())
        times = naive_forest.bootstrap(n, stream)
        problem = naive_forest.Classes(y.tolist(), times)
        tree, expected = naive_forest.grow(
            rows, problem, stream, n_candidates=n_candidates, min_leaf=min_leaf, weights=weights
        )
        ours = nodes[begins[t] : begins[t + 1]]
        assert [
            (node[SPLIT], node[CUT], node[CHILD], node[CHILD] + 1)
            if node[SPLIT] != LEAF
            else node[LABEL]
            for node in ours
        ] == tree
        np.testing.assert_allclose(decrease[t], expected, atol=1e-9)
        naive_lost = naive_forest.error_added(tree, rows, problem, stream)
        np.testing.assert_allclose(lost[t], naive_lost, atol=1e-12)
        for i in np.flatnonzero(np.array(times) == 0):
            expected_votes[i, tree[naive_forest.leaf_of(tree, rows[i])]] += 1
    np.testing.assert_array_equal(votes, expected_votes)


def test_one_tree_equals_scikit_learns():
    """With all rows and all columns, leaves and importances are equal if the best cuts are unique."""
    n_compared = 0
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(250, 6))
        y = (X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=250) > 0).astype(int)
        theirs = [
            DecisionTreeClassifier(min_samples_leaf=40, random_state=s).fit(X, y) for s in range(8)
        ]
        if np.ptp([tree.feature_importances_ for tree in theirs], axis=0).max() > 1e-12:
            continue  # equally good cuts: the trees of scikit-learn differ
        ours = grow_forest(X, y, n_trees=1, min_leaf=40, max_features=6, bootstrap=False)
        np.testing.assert_allclose(ours.mdi, theirs[0].feature_importances_, atol=1e-12)
        pairs = set(zip(ours.leaves[:, 0].tolist(), theirs[0].apply(X).tolist(), strict=True))
        assert len(pairs) == ours.leaves.max() + 1 == theirs[0].get_n_leaves()
        assert np.isnan(ours.oob_score)
        n_compared += 1
    assert n_compared >= 5


def test_predictions_equal_scikit_learns_when_nothing_is_random():
    """For new rows with values that the training rows have."""
    rng = np.random.default_rng(3)
    X = rng.integers(0, 12, size=(400, 4)).astype(float)
    y = (X[:, 0] > 5) * 2 + (X[:, 1] + rng.normal(size=400) > 6)
    theirs = DecisionTreeClassifier(min_samples_leaf=25, random_state=0).fit(X, y)
    ours = grow_forest(X, y, n_trees=3, min_leaf=25, max_features=4, bootstrap=False)
    new = rng.integers(0, 12, size=(300, 4)).astype(float)
    share = ours.predict_proba(new)
    np.testing.assert_array_equal(ours.classes[share.argmax(axis=1)], theirs.predict(new))
    assert set(np.unique(share)) == {0.0, 1.0}  # all three agree


DATASETS = {
    "iris": datasets.load_iris,
    "wine": datasets.load_wine,
    "breast_cancer": datasets.load_breast_cancer,
    "digits": datasets.load_digits,
}


@pytest.mark.parametrize("name", DATASETS)
@pytest.mark.slow
def test_forests_agree_with_scikit_learns_statistically(name):
    """MDI and OOB accuracy over five seeds differ no more than samples of one distribution.

    Without a difference, the root mean square of the differences, in standard errors, is about 1.15
    (that of Student's t with 8 degrees of freedom).
    """
    X, y = DATASETS[name](return_X_y=True)
    theirs = [
        RandomForestClassifier(100, oob_score=True, random_state=s).fit(X, y) for s in range(5)
    ]
    ours = [grow_forest(X, y, n_trees=100, seed=s) for s in range(5)]
    a = np.array([forest.feature_importances_ for forest in theirs])
    b = np.array([forest.mdi for forest in ours])
    np.testing.assert_allclose(b.sum(axis=1), 1)
    standard_error = np.sqrt((a.var(axis=0, ddof=1) + b.var(axis=0, ddof=1)) / 5)
    used = standard_error > 0
    difference = a.mean(axis=0) - b.mean(axis=0)
    assert (difference[~used] == 0).all()
    assert np.sqrt(np.mean((difference[used] / standard_error[used]) ** 2)) < 2
    assert np.abs(difference).max() < 0.04
    assert np.corrcoef(a.mean(axis=0), b.mean(axis=0))[0, 1] > 0.97
    p = np.mean([forest.oob_score_ for forest in theirs])
    binomial_error = np.sqrt(p * (1 - p) / len(y))
    assert abs(np.mean([forest.oob_score for forest in ours]) - p) < 2 * binomial_error


@pytest.mark.kernels
@pytest.mark.parametrize("n_candidates", [1, 2, 4])
def test_columns_are_drawn_in_proportion_to_weights(n_candidates):
    """Ordered pairs: P(i, then j) = w_i · w_j / (1 − w_i). Chi-square tests with alpha = 1e-4."""
    weights = np.array([0.1, 0.5, 0.05, 0.35])
    order = np.argsort(-weights).astype(np.int32)
    n = 20_000
    drawn = draw_columns(order, np.log(weights[order]), n_candidates, n, seeds(1, n_candidates)[0])
    assert (np.sort(drawn, axis=1) == np.arange(4)).all()  # without replacement
    for first, second in [(0, 1), (1, 2)]:
        pairs = list(itertools.permutations(range(4), 2))
        observed = [((drawn[:, first] == i) & (drawn[:, second] == j)).sum() for i, j in pairs]
        expected = [n * probability(weights, i, j, first) for i, j in pairs]
        assert stats.chisquare(observed, expected).pvalue > 1e-4


def probability(weights, i, j, place):
    """Return the probability that column i is at this place and column j at the next."""
    total = 0.0
    for before in itertools.permutations(sorted({0, 1, 2, 3} - {i, j}), place):
        remaining, product = 1.0, 1.0
        for k in (*before, i, j):
            product *= weights[k] / remaining
            remaining -= weights[k]
        total += product
    return total


@pytest.mark.kernels
def test_columns_are_drawn_uniformly_without_weights():
    n = 20_000
    drawn = draw_columns(np.arange(5, dtype=np.int32), np.empty(0), 2, n, seeds(1)[0])
    assert (np.sort(drawn, axis=1) == np.arange(5)).all()
    for place in range(5):
        assert stats.chisquare(np.bincount(drawn[:, place], minlength=5)).pvalue > 1e-4


@pytest.mark.kernels
def test_extreme_weights_draw_columns_in_the_order_of_weight():
    order = np.arange(12, dtype=np.int32)
    drawn = draw_columns(order, EXTREME, 3, 500, seeds(1)[0])
    assert (drawn == order).all()


@pytest.mark.kernels
def test_equal_weights_among_extreme_ones_are_drawn_uniformly():
    """Two columns that are always drawn first, and four whose weight is e^-4000 of theirs."""
    log_weights = np.array([0.0, 0.0, -4000.0, -4000.0, -4000.0, -4000.0])
    drawn = draw_columns(np.arange(6, dtype=np.int32), log_weights, 3, 8000, seeds(1)[0])
    assert (drawn[:, :2] < 2).all()
    for place in range(2, 6):
        counts = np.bincount(drawn[:, place] - 2, minlength=4)
        assert stats.chisquare(counts).pvalue > 1e-4


def noisy(rng, n=300, q=12):
    X = rng.normal(size=(n, q))
    return X, (X[:, 3] + X[:, 8] + 0.5 * rng.normal(size=n) > 0).astype(int)


def test_extreme_weights_use_the_cheap_columns_only():
    X, y = noisy(np.random.default_rng(0))
    forest = grow_forest(X, y, n_trees=50, log_weights=EXTREME, importance=("mdi", "mda"))
    assert (forest.mdi[:3] > 0.1).all()
    # the other columns are never among the three candidates, so their importance is exactly 0
    assert (forest.mdi[3:] == 0).all()
    assert (forest.mda[3:] == 0).all()
    free = grow_forest(X, y, n_trees=50)
    assert free.mdi.argsort()[-2:].tolist() in ([3, 8], [8, 3])
    assert free.oob_score > 0.8 > 0.65 > forest.oob_score


def test_cheap_constant_columns_do_not_end_a_tree():
    X, _ = noisy(np.random.default_rng(1))
    X[:, :3] = 1
    y = X[:, 3] > 0  # the next column in the order of weight
    forest = grow_forest(X, y, n_trees=50, log_weights=EXTREME)
    assert forest.mdi.tolist() == [0, 0, 0, 1] + [0] * 8
    assert forest.oob_score > 0.95


def test_equal_weights_have_no_effect():
    X, y = noisy(np.random.default_rng(2))
    same = grow_forest(X, y, n_trees=5, log_weights=np.full(12, -7.0))
    np.testing.assert_array_equal(same.mdi, grow_forest(X, y, n_trees=5).mdi)


@pytest.mark.parametrize("weights", [None, np.linspace(0, 3, 12)])
def test_results_do_not_depend_on_threads(weights):
    X, y = noisy(np.random.default_rng(3))
    one, three, other = (
        grow_forest(
            X, y, n_trees=20, log_weights=weights, importance=("mdi", "mda"), seed=s, n_jobs=n_jobs
        )
        for s, n_jobs in ((5, 1), (5, 3), (6, 1))
    )
    for name in ("mdi", "mda", "oob_votes", "leaves"):
        np.testing.assert_array_equal(getattr(one, name), getattr(three, name))
        assert not np.array_equal(getattr(one, name), getattr(other, name))
    more = grow_forest(X, y, n_trees=30, log_weights=weights, seed=5)
    np.testing.assert_array_equal(more.leaves[:, :20], one.leaves)


def test_measuring_mda_does_not_change_the_trees():
    X, y = noisy(np.random.default_rng(4))
    both = grow_forest(X, y, n_trees=10, importance=("mdi", "mda"))
    alone = grow_forest(X, y, n_trees=10)
    assert alone.mda is None
    np.testing.assert_array_equal(both.leaves, alone.leaves)
    np.testing.assert_array_equal(both.mdi, alone.mdi)


def test_mda_agrees_with_scikit_learns_trees():
    """MDA agrees with the decrease of accuracy of scikit-learn's trees on their out-of-bag rows."""
    X, y = noisy(np.random.default_rng(5), n=500)
    ours = grow_forest(X, y, n_trees=200, importance=("mda",)).mda
    forest = RandomForestClassifier(200, random_state=1).fit(X, y)
    rng = np.random.default_rng(0)
    lost = np.zeros((200, 12))
    for tree, drawn, row in zip(forest.estimators_, forest.estimators_samples_, lost, strict=True):
        out_of_bag = np.setdiff1d(np.arange(500), drawn)
        correct = (tree.predict(X[out_of_bag]) == y[out_of_bag]).mean()
        for k in range(12):
            permuted = X[out_of_bag].copy()
            permuted[:, k] = rng.permutation(permuted[:, k])
            row[k] = correct - (tree.predict(permuted) == y[out_of_bag]).mean()
    error = np.sqrt(2 / 200) * lost.std(axis=0)
    assert (np.abs(ours - lost.mean(axis=0)) < 4 * error).all()
    assert (np.sort(ours)[-2:] > 0.1).all()


@pytest.mark.parametrize("min_leaf", [1, 7, 60, 10_000])
def test_leaves_have_at_least_min_leaf_rows(min_leaf):
    X, y = noisy(np.random.default_rng(6))
    forest = grow_forest(X, y, n_trees=10, min_leaf=min_leaf, bootstrap=False)
    for leaves in forest.leaves.T:
        sizes = np.bincount(leaves)
        assert sizes.min() >= min(min_leaf, 300)
        if min_leaf == 1:
            assert all(len(set(y[leaves == leaf])) == 1 for leaf in range(len(sizes)))
    assert (forest.leaves.max() > 0) == (min_leaf <= 150)


def test_only_the_order_of_values_matters():
    rng = np.random.default_rng(7)
    X = rng.integers(0, 250, size=(400, 5)).astype(float)
    y = (X[:, 0] + X[:, 1] + 80 * rng.normal(size=400) > 250).astype(int)
    X[:, 3:] = rng.normal(size=(400, 2))
    transformed = np.exp(X / 20)
    transformed[:, 1] = -1 / (1 + X[:, 1])
    a, b = (
        grow_forest(each, y, n_trees=10, importance=("mdi", "mda")) for each in (X, transformed)
    )
    np.testing.assert_array_equal(a.mdi, b.mdi)
    np.testing.assert_array_equal(a.mda, b.mda)
    np.testing.assert_array_equal(a.leaves, b.leaves)
    np.testing.assert_array_equal(a.apply(X), a.leaves)
    np.testing.assert_array_equal(b.apply(transformed), a.leaves)
    np.testing.assert_array_equal(a.predict_proba(X), b.predict_proba(transformed))


@pytest.mark.parametrize("heavy", [0, 0.5, 0.99])
def test_columns_with_many_values_have_bins_of_equal_size(heavy):
    """A frequent value has its own bin; the bins keep the order of values."""
    rng = np.random.default_rng(8)
    x = rng.normal(size=150_000)
    x[: int(heavy * len(x))] = 0.25
    bins, codes = bin_columns(x[:, None])
    bins, codes = bins[0], codes[0].astype(int)
    np.testing.assert_array_equal(codes, np.searchsorted(bins, x, side="right") - 1)
    sizes = np.bincount(codes)
    if heavy:
        assert set(x[codes == sizes.argmax()]) == {0.25}
        sizes = np.delete(sizes, sizes.argmax())
    else:
        assert len(sizes) == 65536
    assert sizes.max() <= 150_000 / 65536 + 1


def test_a_column_that_separates_exactly_is_recognised():
    """Coarse bins would mix the classes at their boundary, and prefer the column with a gap."""
    rng = np.random.default_rng(9)
    x = np.sort(rng.normal(size=3000))
    y = np.arange(3000) >= 1234
    forest = grow_forest(np.column_stack([x, y]), y, n_trees=200, max_features=2)
    assert abs(forest.mdi[0] - 0.5) < 0.15  # four standard errors of a fair choice


def test_predictions_of_new_rows_agree_with_scikit_learns():
    X, y = noisy(np.random.default_rng(9), n=600)
    forest = grow_forest(X[:300], y[:300], n_trees=100)
    theirs = RandomForestClassifier(100, random_state=0).fit(X[:300], y[:300])
    ours = (forest.predict_proba(X[300:]).argmax(axis=1) == y[300:]).mean()
    assert abs(ours - theirs.score(X[300:], y[300:])) < 0.05
    training = forest.predict_proba(X[:300]).argmax(axis=1)
    assert (training == y[:300]).all()
    # values far outside the range of the training table
    assert forest.predict_proba(np.full((1, 12), 1e300)).sum() == 1


def test_labels_of_any_type_and_arrays_of_any_layout():
    X, y = noisy(np.random.default_rng(10))
    plain = grow_forest(X, y, n_trees=5)
    named = grow_forest(np.asfortranarray(X), np.array(["no", "yes"], dtype=object)[y], n_trees=5)
    assert named.classes.tolist() == ["no", "yes"]
    np.testing.assert_array_equal(plain.mdi, named.mdi)
    np.testing.assert_array_equal(plain.mdi, grow_forest(X[::1].tolist(), y, n_trees=5).mdi)


def test_forests_without_splits():
    rng = np.random.default_rng(11)
    X = rng.normal(size=(30, 3))
    one_class = grow_forest(X, np.zeros(30), n_trees=5, importance=("mda",))
    assert one_class.mdi.tolist() == one_class.mda.tolist() == [0, 0, 0]
    assert one_class.oob_score == 1
    constant = grow_forest(np.ones((30, 3)), rng.integers(0, 2, 30), n_trees=5)
    assert constant.mdi.tolist() == [0, 0, 0]
    assert (constant.leaves == 0).all()
    single = grow_forest([[1.0]], ["a"], n_trees=3)
    assert single.mdi.tolist() == [0]
    assert np.isnan(single.oob_score)
    column = grow_forest(X[:, :1], X[:, 0] > 0, n_trees=20)
    assert column.mdi.tolist() == [1]


def test_constant_columns_have_no_importance():
    X, y = noisy(np.random.default_rng(12))
    X[:, [0, 5]] = 2
    forest = grow_forest(X, y, n_trees=20, importance=("mda",))
    assert (forest.mdi == 0).nonzero()[0].tolist() == [0, 5]
    assert forest.mda[[0, 5]].tolist() == [0, 0]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"X": np.ones(3)}, "`X` must have at least one row and one column"),
        ({"X": np.ones((0, 3))}, "`X` must have at least one row and one column"),
        ({"X": np.ones((0, 3)), "y": []}, "`y` must have one label or number"),
        ({"y": [0, 1]}, r"`y` a label for each row; got the shape \(4, 2\) and 2 labels"),
        ({"y": [0.5, 1, 0, 1]}, "a forest predicts classes; got numbers as `y`"),
        ({"X": [[1, np.nan]] * 4}, "no missing values; got NaN in column 1"),
        ({"n_trees": 0}, "`n_trees` must be an integer from 1 to .* got 0"),
        ({"min_leaf": 1.5}, "`min_leaf` must be an integer from 1 to .* got 1.5"),
        ({"max_features": 3}, "`max_features` must be an integer from 1 to 2; got 3"),
        (
            {"log_weights": [1.0]},
            "`log_weights` must be 2 finite numbers, one for each column; got",
        ),
        ({"log_weights": [1.0, np.inf]}, "with 1 finite numbers"),
        ({"importance": ("gain",)}, "`importance` must be 'mdi' or 'mda'; got 'gain'"),
    ],
)
def test_invalid_input_is_refused(changes, message):
    arguments = {"X": [[1, 2], [2, 1], [3, 3], [4, 0]], "y": [0, 1, 0, 1], **changes}
    with pytest.raises(UsageError, match=message):
        grow_forest(arguments.pop("X"), arguments.pop("y"), **arguments)


def test_new_rows_need_the_same_columns():
    forest = grow_forest([[1, 2], [2, 1]], [0, 1], n_trees=2)
    for method in (forest.predict_proba, forest.apply):
        with pytest.raises(UsageError, match="the 2 columns of the training table; got"):
            method([[1.0]])
