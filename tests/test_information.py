"""Mutual information: closed forms, scikit-learn, reference implementations, and invariances."""

import inspect

import naive_information as naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import digamma
from scipy.stats import norm
from sklearn.feature_selection._mutual_info import _compute_mi_cc, _compute_mi_cd
from sklearn.metrics import adjusted_mutual_info_score, mutual_info_score
from sklearn.preprocessing import scale

from netchoice import information
from netchoice._kernels.mutual_information import (
    expected_information,
    joint_count_logs,
    of_values,
    of_values_and_labels,
)
from netchoice.errors import UsageError
from netchoice.information import (
    ESTIMATORS,
    conditional_redundancy,
    mutual_information,
    redundancy,
    relevance,
)
from netchoice.information.estimators import jittered

exact = {"rtol": 0, "atol": 1e-9}


def entropy(labels):
    return naive.entropy(np.asarray(labels).tolist())


@pytest.fixture(scope="module")
def mixed():
    """400 rows with columns of many kinds: continuous, tied, heavy-tailed, counts; three classes."""
    rng = np.random.default_rng(7)
    n = 400
    y = rng.integers(0, 3, n)
    normal = rng.normal(size=n) + y
    columns = {
        "normal": normal,
        "near": normal + 0.05 * rng.normal(size=n),
        "uniform": rng.random(n),
        "heavy": np.exp(12 * rng.normal(size=n)),
        "halves": np.round(2 * normal) / 2,
        "atom": np.where(y == 0, 0.0, rng.random(n)),
        "counts": rng.poisson(300 + 40 * y),
        "few": rng.binomial(4, 0.2 + 0.3 * (y == 2)),
        "dice": rng.integers(1, 7, n),
        "class": 10 * (y == 1) + 3,
    }
    X = np.column_stack(list(columns.values())).astype(float)
    discrete = np.array([name in ("counts", "few", "dice", "class") for name in columns])
    return X, np.array(["b", "a", "c"])[y], discrete


def all_three(X, y, **options):
    return (
        relevance(X, y, **options), redundancy(X, **options), conditional_redundancy(X, y, **options)
    )  # fmt: skip


def same_bits(one, other):
    return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


# Closed forms


@pytest.mark.parametrize("estimator", ["calibrated", "published"])
@pytest.mark.parametrize("correlation", [0, 0.3, 0.6, 0.9, 0.99, 0.999])
def test_bivariate_normal_has_the_closed_form(estimator, correlation):
    rng = np.random.default_rng(1)
    true = -0.5 * np.log(1 - correlation**2)
    for n, allowed in ((500, 0.12 if correlation < 0.99 else 0.25), (5000, 0.05)):
        x, z = rng.normal(size=(2, n))
        y = correlation * x + np.sqrt(1 - correlation**2) * z
        assert mutual_information(x, y, estimator=estimator) == pytest.approx(true, abs=allowed)


def test_noise_on_a_circle_has_the_closed_form():
    """The mutual information of (x, x + noise) on a circle is log(1 / width of the noise)."""
    rng = np.random.default_rng(1)
    x, noise = rng.random((2, 5000))
    for width in (1, 0.5, 0.1):
        estimate = mutual_information(x, (x + width * noise) % 1)
        assert estimate == pytest.approx(-np.log(width), abs=0.06)


@pytest.mark.parametrize("n_values", [2, 5, 20, 60, 300])
@pytest.mark.parametrize("share", [0, 0.5, 0.9])
def test_known_contingency_table_has_the_closed_form(n_values, share):
    """b equals a with some probability and is independent otherwise, for few and many values."""
    rng = np.random.default_rng(n_values)
    a, independent = rng.integers(0, n_values, (2, 5000))
    b = np.where(rng.random(5000) < share, a, independent)
    equal, other = share + (1 - share) / n_values, (1 - share) / n_values
    true = equal * np.log(n_values * equal)
    true += (n_values - 1) * other * np.log(n_values * other) if other else 0
    # 5000 rows are too few for 300² cells
    allowed = {2: 0.02, 5: 0.03, 20: 0.04, 60: 0.1, 300: 0.45}[n_values] if share else 0.03
    assert mutual_information(a, b) == pytest.approx(true, abs=allowed)


@pytest.mark.parametrize(("shift", "shares"), [(1, (0.5, 0.5)), (4, (0.5, 0.5)), (2, (0.95, 0.05))])
def test_mixture_of_normals_has_the_closed_form(shift, shares):
    """Labels, and a normal whose mean depends on the label; integrated numerically."""
    grid = np.linspace(-9, shift + 9, 20001)
    density = shares[0] * norm.pdf(grid) + shares[1] * norm.pdf(grid, shift)
    mixed_entropy = -(density * np.log(density)).sum() * (grid[1] - grid[0])
    true = mixed_entropy - 0.5 * np.log(2 * np.pi * np.e)
    rng = np.random.default_rng(3)
    label = rng.random(5000) < shares[1]
    x = rng.normal(size=5000) + shift * label
    for estimator in ("calibrated", "published"):
        assert relevance(x[:, None], label, estimator=estimator)[0] == pytest.approx(true, abs=0.03)


def test_columns_with_an_atom_have_the_closed_form():
    """Both columns are 0 in the same half of the rows, otherwise independent: log 2."""
    rng = np.random.default_rng(2)
    x, y = np.where(rng.random(5000) < 0.5, 0.0, 1 + rng.random((2, 5000)))
    assert mutual_information(x, y) == pytest.approx(np.log(2), abs=0.03)


# scikit-learn


def sklearn_pair(a, b, discrete):
    if all(discrete):
        return adjusted_mutual_info_score(a, b)
    if not any(discrete):
        return _compute_mi_cc(jittered(a, seed=5), jittered(b, seed=5), 3)
    number, labels = (b, a) if discrete[0] else (a, b)
    return _compute_mi_cd(jittered(number, seed=5), labels, 3)


def test_columns_are_jittered_as_in_scikit_learn(mixed):
    X = np.column_stack([mixed[0], 1e-9 * mixed[0][:, 0], 1e-17 * mixed[0][:, 0]])
    ref = scale(X, with_mean=False)
    for x, scaled in zip(X.T, ref.T, strict=True):
        noise = jittered(x, seed=1) - scaled
        width = 1e-10 * max(1, abs(scaled).mean())
        assert 0.8 * width < noise.std() < 1.2 * width
        assert abs(noise.mean()) < 0.3 * width
        assert np.array_equal(jittered(x, seed=1), jittered(x.copy(), seed=1))
        assert not np.array_equal(jittered(x, seed=1), jittered(x, seed=2))


def test_huge_and_tiny_numbers_give_finite_estimates():
    """The squares of these numbers would overflow or underflow."""
    rng = np.random.default_rng(0)
    label = rng.integers(0, 2, 400)
    x = rng.normal(size=400) + 9 * label
    X = np.column_stack([1e300 * x, 1e-300 * x, np.where(x > 5, 1e308, -1e308)])
    assert relevance(X, label) == pytest.approx([np.log(2)] * 3, abs=0.02)
    assert np.isfinite(all_three(X, label, estimator="published")[1]).all()


@pytest.mark.kernels
def test_published_equals_scikit_learn(mixed):
    X, y, discrete = mixed
    rows = y != "c"
    X = X.copy()
    # Labels with fewer than eight rows have a test of their own.
    X[:, 6] = np.clip(np.round(X[:, 6] / 60), 5, 6)
    X[:, 7] = np.minimum(X[:, 7], 2)
    options = {"discrete": discrete, "estimator": "published", "seed": 5}
    for table, ours in ((X, redundancy(X, **options)), (X[rows], redundancy(X[rows], **options))):
        for j in range(X.shape[1]):
            for k in range(j):
                flags = discrete[j], discrete[k]
                if np.ptp(table[:, j]) == 0 or np.ptp(table[:, k]) == 0:
                    assert ours[j, k] == 0
                    continue
                ref = sklearn_pair(table[:, j], table[:, k], flags)
                np.testing.assert_allclose(ours[j, k], ref, **exact, err_msg=f"{j}, {k}")
    ours = relevance(X, y, **options)
    for j in range(X.shape[1]):
        ref = sklearn_pair(X[:, j], y, (discrete[j], True))
        np.testing.assert_allclose(ours[j], ref, **exact)


def test_labels_with_few_rows_equal_the_reference_implementation():
    """scikit-learn builds no k-d tree for these labels and loses digits; naive.ross does not."""
    rng = np.random.default_rng(0)
    x, labels = np.round(rng.normal(size=120), 1), rng.integers(0, 25, 120)
    options = {"discrete": (False, True), "estimator": "published"}
    ref = naive.ross(jittered(x, seed=0).tolist(), labels.tolist(), 3)
    assert mutual_information(x, labels, **options) == pytest.approx(max(0, ref), abs=1e-9)
    ref = naive.ross(jittered(x, seed=0).tolist(), (x > 1.3).tolist(), 3)
    assert ref > 0
    assert mutual_information(x, x > 1.3, **options) == pytest.approx(ref, abs=1e-9)


@pytest.mark.parametrize("n_values", [2, 30, 400, 1500])
def test_adjusted_estimate_with_many_values_equals_scikit_learn(n_values):
    a, b = np.random.default_rng(n_values).integers(0, n_values, (2, 2000))
    ours = mutual_information(a, b, discrete=(True, True), estimator="published")
    np.testing.assert_allclose(ours, adjusted_mutual_info_score(a, b), **exact)
    assert ours == mutual_information(b, a, discrete=(True, True), estimator="published")


def test_adjusted_estimate_can_be_negative():
    a, b = np.repeat([0, 1], 4), np.tile([0, 1], 4)
    ours = mutual_information(a, b, discrete=(True, True), estimator="published")
    assert ours == pytest.approx(adjusted_mutual_info_score(a, b), abs=1e-12)
    assert ours < 0


def test_plugin_equals_scikit_learn(mixed):
    X, y, _ = mixed
    ours = relevance(X, y, estimator="plugin")
    codes = [np.unique(x, return_inverse=True)[1] for x in X.T]
    np.testing.assert_allclose(ours, [mutual_info_score(c, y) for c in codes], **exact)


@pytest.mark.parametrize("seed", range(5))
def test_plugin_obeys_the_chain_rule(seed):
    """I(a;y) + I(b;y|a) = I(b;y) + I(a;y|b) = I((a,b);y)."""
    rng = np.random.default_rng(seed)
    a, b, y = rng.integers(0, [[3], [4], [2]], (3, 60))
    options = {"estimator": "plugin"}
    both = mutual_information(4 * a + b, y, **options)
    assert both == pytest.approx(
        mutual_information(a, y, **options) + mutual_information(b, y, given=a, **options),
        abs=1e-12,
    )
    assert both == pytest.approx(
        mutual_information(b, y, **options) + mutual_information(a, y, given=b, **options),
        abs=1e-12,
    )


# Reference implementations


def digammas(n):
    return digamma(np.maximum(np.arange(n + 1), 1))


def logs(n):
    return np.log(np.maximum(np.arange(n + 1), 1))


columns = st.lists(
    st.tuples(st.integers(-30, 30), st.integers(-3, 3)), min_size=2, max_size=40
).map(np.array)


@pytest.mark.kernels
@settings(max_examples=60, deadline=None)
@given(columns, st.integers(1, 6), st.integers(0, 3))
def test_kraskov_kernel_equals_the_reference_implementation(pairs, k, power):
    """The columns have ties, atoms and very different ranges."""
    n = len(pairs)
    k = min(k, n - 1)
    x, y = pairs[:, 0] * 10.0**power, pairs[:, 1] / 7
    x_order, y_order = np.argsort(x, kind="stable"), np.argsort(y, kind="stable")
    partner = np.argsort(y_order)[x_order].astype(np.int32)
    ours = of_values(x[x_order], y[y_order], partner, k, digammas(n))
    if radii_are_positive := len(np.unique(pairs, axis=0)) == n:
        assert ours == pytest.approx(naive.kraskov(x.tolist(), y.tolist(), k), abs=1e-9)
    assert np.isfinite(ours) or not radii_are_positive


@pytest.mark.kernels
@pytest.mark.parametrize("n", [4, 65, 700])
@pytest.mark.parametrize("k", [1, 3, 7])
@pytest.mark.parametrize("kind", ["independent", "narrow", "heavy", "atom"])
def test_kraskov_kernel_with_many_rows_equals_the_definition(n, k, kind):
    """These rows use every search: on a grid, on a finer grid, and along one column."""
    rng = np.random.default_rng(n)
    x, y = rng.normal(size=(2, n))
    if kind == "narrow":
        y = x + 1e-3 * y
    elif kind == "heavy":
        x = np.exp(20 * x)
    elif kind == "atom":
        x = np.where(rng.random(n) < 0.6, 1e-10 * x, x)
    k = min(k, n - 1)
    x_order, y_order = np.argsort(x), np.argsort(y)
    partner = np.argsort(y_order)[x_order].astype(np.int32)
    ours = of_values(x[x_order], y[y_order], partner, k, digammas(n))
    distance = np.maximum(abs(x[:, None] - x), abs(y[:, None] - y))
    radius = np.sort(distance, axis=1)[:, k, None]
    inside = [(abs(c[:, None] - c) < radius).sum(axis=1) for c in (x, y)]
    means = sum(digamma(count).mean() for count in inside)
    assert ours == pytest.approx(digamma(n) + digamma(k) - means, abs=1e-9)


@pytest.mark.kernels
@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.floats(-5, 5), st.integers(0, 4)), min_size=2, max_size=40),
    st.integers(1, 5),
)
def test_ross_kernel_equals_the_reference_implementation(rows, k):
    x = np.array([row[0] for row in rows]) + 1e-3 * np.arange(len(rows))
    labels = np.array([row[1] for row in rows], np.int32)
    order = np.argsort(x, kind="stable")
    ours = of_values_and_labels(x[order], labels[order], 5, k, digammas(len(rows)))
    if len(np.unique(labels)) == len(labels):
        assert ours == 0
    elif len(np.unique(x)) == len(x):
        assert ours == pytest.approx(naive.ross(x.tolist(), labels.tolist(), k), abs=1e-9)


@pytest.mark.kernels
@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 6)), min_size=2, max_size=40))
def test_contingency_kernels_equal_the_reference_implementation(rows):
    a, b = np.array(rows, np.int32).T.copy()
    n = len(a)
    margins = [np.unique(np.unique(c, return_counts=True)[1], return_counts=True) for c in (a, b)]
    expected = expected_information(*margins[0], *margins[1], n, logs(n))
    ref = naive.expected_information(a.tolist(), b.tolist())
    assert expected == pytest.approx(ref, abs=1e-12)
    joint = np.unique(7 * a + b, return_counts=True)[1]
    for stretch in (1, 500):  # a dense table, and a table with far more cells than rows
        result = joint_count_logs(a * stretch, b * stretch, 4 * stretch, 7 * stretch, logs(n))
        assert result == pytest.approx((joint * np.log(joint)).sum(), abs=1e-12)


def test_expected_information_of_large_counts_is_accurate():
    """Probabilities in the tails must not underflow."""
    n = 1200
    a, b = np.arange(n) < 700, np.arange(n) % 5 < 2
    margins = [np.unique(np.bincount(c), return_counts=True) for c in (a, b)]
    result = expected_information(*margins[0], *margins[1], n, logs(n))
    assert result == pytest.approx(naive.expected_information(a.tolist(), b.tolist()), rel=1e-9)


def test_calibrated_estimate_from_a_table_is_rescaled():
    rng = np.random.default_rng(0)
    a = rng.integers(0, 4, 300)
    b = np.where(rng.random(300) < 0.5, a, rng.integers(0, 4, 300))
    ref = naive.rescaled_information(a.tolist(), b.tolist())
    assert mutual_information(a, b) == pytest.approx(ref, abs=1e-12)


# Invariances


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_symmetric_and_independent_of_column_order(mixed, estimator):
    X, y, discrete = mixed
    options = {"estimator": estimator, "seed": 3}
    one, pairs, within = all_three(X, y, discrete=discrete, **options)
    for matrix in (pairs, within):
        assert np.array_equal(matrix, matrix.T)
        assert not matrix.diagonal().any()
    order = np.random.default_rng(0).permutation(X.shape[1])
    moved = all_three(X[:, order], y, discrete=discrete[order], **options)
    assert same_bits(moved, (one[order], pairs[np.ix_(order, order)], within[np.ix_(order, order)]))


def test_symmetric_if_either_column_can_serve_as_labels():
    """Both columns have the same number of values, and too many cells for a table."""
    rng = np.random.default_rng(0)
    for _ in range(4):
        a, noise = rng.integers(0, 40, (2, 1500))
        b = np.where(rng.random(1500) < 0.5, a, noise)
        assert len(np.unique(a)) == len(np.unique(b)) == 40
        assert mutual_information(a, b) == mutual_information(b, a) > 0


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_threads_and_memory_layout_do_not_matter(mixed, estimator):
    X, y, discrete = mixed
    options = {"discrete": discrete, "estimator": estimator}
    ref = all_three(X, y, **options)
    assert same_bits(all_three(X, y, **options, n_jobs=3), ref)
    assert same_bits(all_three(X, y, **options, n_jobs=-1), ref)
    wide = np.asfortranarray(np.repeat(X, 2, axis=1))[:, ::2]
    assert same_bits(all_three(wide, np.repeat(y, 2)[::2], **options), ref)
    assert same_bits(all_three(X, y.astype(object), **options), ref)


def test_matrices_equal_single_pairs(mixed):
    X, y, discrete = mixed
    for estimator in ESTIMATORS:
        options = {"estimator": estimator, "seed": 2}
        pairs = redundancy(X, discrete=discrete, **options)
        within = conditional_redundancy(X, y, discrete=discrete, **options)
        for j, k in ((0, 1), (5, 2), (6, 7), (8, 3), (9, 4)):
            flags = bool(discrete[j]), bool(discrete[k])
            pair = {"discrete": flags, **options}
            assert mutual_information(X[:, j], X[:, k], **pair) == pairs[j, k]
            assert (
                mutual_information(X[:, k], X[:, j], **pair | {"discrete": flags[::-1]})
                == pairs[j, k]
            )
            by_class = sum(
                (y == c).mean() * mutual_information(X[y == c, j], X[y == c, k], **pair)
                for c in "abc"
            )
            if estimator == "calibrated":  # negative values are set to 0 in the mean only
                assert 0 <= within[j, k] <= by_class + 1e-12
            else:
                assert within[j, k] == pytest.approx(by_class, abs=1e-12)
            assert mutual_information(X[:, j], X[:, k], given=y, **pair) == within[j, k]


def test_conditional_redundancy_of_independent_columns_is_unbiased():
    """For independent columns, the mean within classes is not larger than over all rows."""
    gains = []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(500, 5)), rng.integers(0, 4, 500)
        above = np.triu_indices(5, 1)
        gains.append((conditional_redundancy(X, y) - redundancy(X))[above].mean())
    error = np.std(gains, ddof=1) / np.sqrt(len(gains))
    assert abs(np.mean(gains)) < 3 * error + 0.003


def test_calibrated_is_invariant_under_monotone_maps(mixed):
    X, y, _ = mixed
    increasing = X**3
    increasing[:, 0], increasing[:, 3] = np.arctan(X[:, 0]), np.log(X[:, 3])
    flipped = np.where(np.arange(X.shape[1]) % 2, -increasing, increasing)
    for mapped in (increasing, flipped, 7 - 2 * flipped):
        assert all(
            len(np.unique(a)) == len(np.unique(b)) for a, b in zip(X.T, mapped.T, strict=True)
        )
        assert same_bits(all_three(mapped, y), all_three(X, y))


def test_calibrated_ignores_discrete(mixed):
    X, y, _ = mixed
    none = np.zeros(X.shape[1], bool)
    assert same_bits(all_three(X, y, discrete=none), all_three(X, y, discrete=~none))


def test_seed_affects_ties_only():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 500))
    assert mutual_information(x, y, seed=1) == mutual_information(x, y, seed=2)
    tied = np.round(np.column_stack([x, x + y]), 1)
    estimates = [mutual_information(*tied.T, seed=seed) for seed in range(5)]
    assert 0 < np.ptp(estimates) < 0.1
    assert estimates[3] == mutual_information(*tied.T, seed=3)


def test_plugin_ignores_the_seed(mixed):
    X, y, _ = mixed
    one, other = (all_three(X, y, estimator="plugin", seed=seed) for seed in (0, 1))
    assert same_bits(one, other)


# Edge cases


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_constant_columns_and_single_class_have_no_information(mixed, estimator):
    X, y, _ = mixed
    X = np.column_stack([np.full(len(X), 3.5), np.full(len(X), 2.0), X])
    one, pairs, within = all_three(X, y, estimator=estimator)
    assert not one[:2].any()
    assert not pairs[:2].any()
    assert not within[:2].any()
    assert one[2:].any()
    assert not relevance(X, np.zeros(len(X)), estimator=estimator).any()
    alone = conditional_redundancy(X, ["only"] * len(X), estimator=estimator)
    assert np.array_equal(alone, redundancy(X, estimator=estimator))


def test_column_that_is_constant_within_a_class_contributes_zero(mixed):
    """The column is constant in class b, which contributes 0 with the weight of the class."""
    X, y, discrete = mixed
    for estimator in ESTIMATORS:
        options = {"discrete": discrete, "estimator": estimator}
        assert not redundancy(X[y == "b"], **options)[5].any()
        rest = y != "b"
        inside = conditional_redundancy(X[rest], y[rest], **options)[5]
        ours = conditional_redundancy(X, y, **options)[5]
        np.testing.assert_allclose(ours, rest.mean() * inside, atol=1e-12)


def test_columns_of_distinct_values_have_information_only_if_calibrated():
    """The published estimate is 0 for such a discrete column; the calibrated one is not."""
    n = 600
    number = np.arange(n)
    labels = number >= n // 2
    published = {"discrete": (True, True), "estimator": "published"}
    assert mutual_information(number, labels, **published) == 0
    assert mutual_information(number, number, **published) == 0
    assert relevance(np.c_[number / 7], number, target="classes", estimator="published")[0] == 0
    assert relevance(np.c_[number], labels)[0] == pytest.approx(np.log(2), abs=0.02)
    assert (
        relevance(np.c_[number], number, target="classes")[0] == 0
    )  # labels that occur once have no information
    assert mutual_information(number, labels, estimator="plugin") == pytest.approx(np.log(2))


def test_information_of_a_column_with_itself_is_its_entropy():
    """This holds if values repeat; otherwise the estimate is below log n."""
    rng = np.random.default_rng(0)
    for n_values in (2, 10, 100, 400):
        a = rng.integers(0, n_values, 2000)
        assert mutual_information(a, a) == pytest.approx(entropy(a), rel=0.02)
        assert mutual_information(a, -3.0 * a) == mutual_information(a, a)
    x = rng.normal(size=2000)
    assert mutual_information(x, x) > 5
    assert mutual_information(x, x) <= np.log(2000)
    labels = {"discrete": (True, True), "estimator": "published"}
    assert mutual_information(a, a, **labels) == pytest.approx(1)


@pytest.mark.kernels
@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_fewer_rows_than_neighbours_give_finite_estimates(estimator, n):
    rng = np.random.default_rng(n)
    X = np.column_stack([rng.normal(size=(n, 2)), np.arange(n), np.arange(n) % 2])
    y = np.arange(n) % 2
    for values in all_three(X, y, estimator=estimator, n_neighbors=10):
        assert np.isfinite(values).all()
        assert n > 1 or not values.any()


def test_calibrated_lies_between_zero_and_the_smaller_entropy(mixed):
    X, y, _ = mixed
    one, pairs, within = all_three(X, y)
    entropies = np.array([entropy(x) for x in X.T])
    assert (one <= np.minimum(entropies, entropy(y)) + 1e-12).all()
    assert (pairs <= np.minimum(entropies, entropies[:, None]) + 1e-12).all()
    assert min(values.min() for values in (one, pairs, within)) == 0
    rng = np.random.default_rng(0)
    label = rng.integers(0, 4, 3000)
    separated = label + 0.2 * rng.random(3000)
    assert relevance(separated[:, None], label)[0] == pytest.approx(entropy(label), abs=2e-3)
    assert relevance(separated[:, None], label)[0] <= entropy(label) + 1e-12
    assert relevance(separated[:, None], label, estimator="published")[0] > entropy(label)


def test_rare_class_is_found():
    """A column that separates a class with 1% of the rows has the entropy of the labels."""
    rng = np.random.default_rng(0)
    rare = np.arange(5000) < 50
    x = rng.normal(size=5000) + 20 * rare
    assert relevance(x[:, None], rare)[0] == pytest.approx(entropy(rare), rel=0.05)
    for shift in (0, 1, 2):  # all values differ: a contingency table gives the full entropy or 0
        x = rng.normal(size=5000) + shift * rare
        ref = relevance(x[:, None], rare, estimator="published")[0]
        assert relevance(x[:, None], rare)[0] == pytest.approx(ref, abs=0.003)


# Advantages of the calibrated estimator


def test_calibrated_estimates_where_published_ones_fail():
    rng = np.random.default_rng(4)
    n = 3000
    label = rng.integers(0, 2, n)
    counts = rng.poisson(20_000_000 * (1 + label))  # separate the classes
    heavy = np.exp(np.where(label, 60, 20) + 5 * rng.normal(size=n))  # nearly separate the classes
    tied = np.round(rng.random(n) * 3) / 3
    X, discrete = np.column_stack([counts, heavy, tied]), np.array([True, False, False])
    published, calibrated = (
        relevance(X, label, discrete=discrete, estimator=e) for e in ("published", "calibrated")
    )
    assert published[0] < 0.02
    assert calibrated[0] == pytest.approx(np.log(2), abs=0.01)
    other = np.exp(30 + 15 * rng.normal(size=n))
    noisy = other * np.exp(0.5 * rng.normal(size=n))  # −½ log(1 − ρ²) with ρ² = 900 / 901
    assert mutual_information(other, noisy, estimator="published") < 1.5
    true = 0.5 * np.log(901)
    assert mutual_information(other, noisy) == pytest.approx(true, abs=0.1)
    assert calibrated[1] == pytest.approx(np.log(2), abs=0.01)
    # a column of four values against labels, for several seeds
    ranges = {
        e: np.ptp(
            [
                mutual_information(tied, np.round(heavy % 1, 1), estimator=e, seed=s)
                for s in range(6)
            ]
        )
        for e in ("published", "calibrated")
    }
    assert ranges["calibrated"] == 0
    assert ranges["published"] > 0


def test_noise_of_every_kind_is_near_zero():
    rng = np.random.default_rng(0)
    n = 3000
    y = rng.integers(0, 3, n)
    X = np.column_stack(
        [
            rng.normal(size=n), np.exp(20 * rng.normal(size=n)), rng.poisson(5000, n),
            rng.poisson(30, n), rng.integers(0, 50, n), rng.integers(0, 2, n),
            np.where(rng.random(n) < 0.5, 0, rng.random(n)), np.round(rng.random(n), 2),
        ]
    )  # fmt: skip
    for values in all_three(X, y):
        assert values.min() >= 0
        assert values.max() < 0.045


# Numbers as targets


def normal_table(n, seed=0):
    """Return columns j and k, and numbers y: both depend on y, and on each other given y."""
    rng = np.random.default_rng(seed)
    y, e, f = rng.normal(size=(3, n))
    j = 0.8 * y + 0.6 * e
    k = 0.95 * y + np.sqrt(1 - 0.95**2) * (0.7 * e + np.sqrt(1 - 0.7**2) * f)
    return np.c_[j, k], y


@pytest.mark.parametrize("estimator", ["calibrated", "published"])
def test_information_about_numbers_agrees_with_closed_forms(estimator):
    X, y = normal_table(4000)
    found = relevance(X, y, estimator=estimator)
    expected = [-0.5 * np.log(1 - 0.8**2), -0.5 * np.log(1 - 0.95**2)]
    np.testing.assert_allclose(found, expected, atol=0.05)
    given = conditional_redundancy(X, y, estimator=estimator)[0, 1]
    assert given == pytest.approx(-0.5 * np.log(1 - 0.7**2), abs=0.05)


def test_columns_that_depend_on_each_other_through_numbers_only_are_conditionally_independent():
    """Slices alone leave 0.2 nats here, because the numbers vary inside a slice."""
    rng = np.random.default_rng(1)
    y = rng.uniform(-1, 1, 3000)
    X = np.c_[y + 0.05 * rng.normal(size=3000), np.exp(y) + 0.05 * rng.normal(size=3000)]
    assert redundancy(X)[0, 1] > 1.5
    assert conditional_redundancy(X, y)[0, 1] < 0.05


def test_published_relevance_of_numbers_is_that_of_scikit_learn():
    from sklearn.feature_selection import mutual_info_regression

    X, y = normal_table(600)
    X = np.c_[X, np.digitize(X[:, 0], [-1, 0, 1])]
    discrete = np.array([False, False, True])
    ours = relevance(X, y, discrete=discrete, estimator="published")
    theirs = mutual_info_regression(X, y, discrete_features=discrete, random_state=0)
    np.testing.assert_allclose(ours, theirs, atol=1e-6)


def test_information_given_numbers_agrees_with_a_reference_implementation():
    X, y = normal_table(240)
    ours = conditional_redundancy(X, y, estimator="published")[0, 1]
    theirs = naive.information_given_numbers(X[:, 0], X[:, 1], y, k=3, n_slices=2)
    assert ours == pytest.approx(theirs, abs=1e-9)


def test_information_about_numbers_is_invariant_under_monotone_maps():
    X, y = normal_table(500)
    mapped, of_y = np.c_[np.exp(X[:, 0]), -(X[:, 1] ** 3)], -np.arctan(y)
    assert (relevance(mapped, of_y) == relevance(X, y)).all()
    assert (conditional_redundancy(mapped, of_y) == conditional_redundancy(X, y)).all()


def test_several_numbers_give_the_mean_of_each():
    X, y = normal_table(400)
    several = np.c_[y, np.random.default_rng(5).normal(size=400)]
    for function in (relevance, conditional_redundancy):
        single = [function(X, column) for column in several.T]
        np.testing.assert_allclose(function(X, several), np.mean(single, axis=0), atol=1e-12)


def test_information_given_numbers_does_not_depend_on_threads_or_the_order_of_rows():
    X, y = normal_table(400)
    X[:, 1] = np.round(X[:, 1])  # ties, and integers as numbers
    y = np.round(4 * y)
    one = conditional_redundancy(X, y, target="numbers")
    assert (conditional_redundancy(X, y, target="numbers", n_jobs=2) == one).all()
    order = np.random.default_rng(0).permutation(400)
    other = conditional_redundancy(X[order], y[order], target="numbers")
    np.testing.assert_allclose(other, one, atol=0.05)  # ties are broken differently


def test_integers_are_numbers_if_they_have_many_values():
    X, _ = normal_table(300)
    few, many = np.arange(300) % 20, np.arange(300) % 21
    assert (relevance(X, few) == relevance(X, few, target="classes")).all()
    assert (relevance(X, many) == relevance(X, many, target="numbers")).all()


# Missing values and categories


def with_gaps(rng, n=400):
    """Return four columns of small integers, of which the first and the third have missing values."""
    X = rng.integers(0, 3, (n, 4)).astype(float)
    y = (X[:, 0] + X[:, 1] + rng.integers(0, 2, n)) % 3
    X[rng.random(n) < 0.2 + 0.3 * (y == 1), 0] = np.nan
    X[rng.random(n) < 0.3, 2] = np.nan
    return X, y.astype(int)


def test_missing_value_counts_as_one_more_value():
    """The sum over what is known equals the information of a column with one more value."""
    X, y = with_gaps(np.random.default_rng(1))
    complete = np.where(np.isnan(X), 7.0, X)
    for ours, ref in zip(
        all_three(X, y, estimator="plugin"), all_three(complete, y, estimator="plugin"), strict=True
    ):
        np.testing.assert_allclose(ours, ref, atol=1e-12)
    found = mutual_information(X[:, 0], X[:, 2], estimator="plugin")
    assert found == pytest.approx(all_three(X, y, estimator="plugin")[1][0, 2])


def test_information_of_what_is_missing_is_found():
    """A column that is missing in one class only has the entropy of the classes."""
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 1000)
    X = rng.normal(size=(1000, 2))
    X[y == 1, 0] = np.nan
    found = relevance(X, y)
    assert found[0] == pytest.approx(np.log(2), abs=0.01)
    assert found[1] < 0.02
    numbers = relevance(X, y + 0.1 * rng.normal(size=1000))
    assert numbers[0] > 0.6 > 0.1 > numbers[1]


def test_values_missing_at_random_keep_the_share_that_is_known():
    """With ρ = 0.9 and 30% of each column missing, the information is 0.49 · 0.830 nats."""
    rng = np.random.default_rng(3)
    x, z = rng.normal(size=(2, 5000))
    X = np.column_stack([x, 0.9 * x + np.sqrt(1 - 0.81) * z])
    X[rng.random(X.shape) < 0.3] = np.nan
    found = redundancy(X)
    assert found[0, 1] == pytest.approx(0.49 * 0.830, abs=0.05)
    np.testing.assert_array_equal(found, found.T)
    within = conditional_redundancy(X, rng.integers(0, 2, 5000))
    assert within[0, 1] == pytest.approx(0.49 * 0.830, abs=0.05)


def test_order_of_the_codes_of_categories_has_no_effect():
    rng = np.random.default_rng(4)
    codes = rng.integers(0, 12, 800)
    other = rng.permutation(12)[codes] // 3
    number = rng.normal(size=800) + rng.normal(size=12)[codes]
    y = rng.integers(0, 2, 800)
    nominal = [True, True, False]
    shuffled = rng.permutation(12)[codes]
    one = all_three(np.column_stack([codes, other, number]), y, nominal=nominal)
    two = all_three(np.column_stack([shuffled, other, number]), y, nominal=nominal)
    for ours, ref in zip(one, two, strict=True):
        np.testing.assert_allclose(ours, ref, atol=1e-12)
    assert one[1][0, 1] == pytest.approx(np.log(4), abs=0.05)
    assert one[1][0, 2] > 0.3


# Errors


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"X": [[1.0, np.inf], [2.0, 1.0]]},
            r"must be finite; got infinite values in column\(s\) 1. Drop",
        ),
        ({"X": [[np.inf, 0.0], [2.0, 1.0]]}, r"column\(s\) 0"),
        ({"nominal": [1, 0]}, "`nominal` must have one bool for each of 2 columns"),
        ({"X": [1.0, 2.0]}, "`X` must have 2 dimensions; got 1"),
        ({"X": [["x", "y"], ["z", "w"]]}, "`X` must hold numbers; got another type. Encode"),
        ({"X": np.zeros((0, 2)), "y": []}, "at least one row; got none"),
        ({"y": [1]}, "`y` must have one label or number for each of 2 rows; got 1"),
        ({"y": [1.0, np.nan]}, "`y` must be finite; got missing"),
        (
            {"y": np.array(["a", 1], object)},
            "labels of one type; got int, str, which cannot be sorted",
        ),
        ({"y": [[1.0, 2.0], [3.0, np.nan]]}, "must have a value in every row; got NaN"),
        ({"y": ["a", "b"], "target": "numbers"}, "`y` must hold numbers; got another type"),
        ({"y": [[1, 2], [3, 4]], "target": "classes"}, "one column of class labels; got 2 columns"),
        ({"target": "class"}, "`target` must be 'auto', 'classes' or 'numbers'; got 'class'"),
        ({"discrete": [0, 1]}, "one bool for each of 2 columns"),
        ({"discrete": [True]}, r"shape \(1,\)"),
        ({"estimator": "plug-in"}, "unknown estimator 'plug-in'; did you mean 'plugin'"),
        ({"n_neighbors": 0}, "`n_neighbors` must be an integer of at least 1; got 0"),
        ({"n_neighbors": 2.5}, "`n_neighbors` must be .* got 2.5"),
        ({"seed": -1}, "`seed` must be an integer of at least 0; got -1"),
        ({"n_jobs": 0}, r"\(`n_jobs`\) must be None, -1 or an integer of at least 1; got 0"),
    ],
)
def test_invalid_tables_are_refused(change, message):
    arguments = {"X": [[1.0, 2.0], [3.0, 4.0]], "y": [0, 1], **change}
    with pytest.raises(UsageError, match=message):
        conditional_redundancy(**arguments)
    with pytest.raises(UsageError, match=message):
        relevance(**arguments)


def test_invalid_pairs_are_refused():
    with pytest.raises(UsageError, match="must have the same number of rows; got 2 and 3"):
        mutual_information([1, 2], [1, 2, 3])
    with pytest.raises(
        UsageError, match=r"`a` must hold numbers; got another type. Pass `discrete`"
    ):
        mutual_information(["x", "y"], [1, 2])
    with pytest.raises(UsageError, match="`b` must be finite; got infinite"):
        mutual_information([1, 2], [1, np.inf])
    with pytest.raises(UsageError, match=r"`a` must be one column with rows; got the shape \(0,\)"):
        mutual_information([], [])
    with pytest.raises(
        UsageError, match=r"`given` must have one label for each of 2 rows; got the shape \(3,\)"
    ):
        mutual_information([1, 2], [1, 2], given=[1, 2, 3])
    of_text = mutual_information(
        list("aabb"), list("xxyy"), discrete=(True, True), estimator="plugin"
    )
    assert of_text == pytest.approx(np.log(2))


def test_functions_have_the_same_parameters():
    shared = ["discrete", "nominal", "estimator", "seed", "n_neighbors", "n_jobs"]
    for function in (relevance, redundancy, conditional_redundancy):
        parameters = inspect.signature(function).parameters
        of_pairs = [] if function is relevance else ["on_progress"]
        assert [p for p in parameters if parameters[p].kind == inspect.Parameter.KEYWORD_ONLY] == (
            [*([] if function is redundancy else ["target"]), *shared, *of_pairs]
        )
    for name in information.__all__:
        thing = getattr(information, name)
        assert not callable(thing) or ">>>" in thing.__doc__
