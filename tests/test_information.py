"""Mutual information: closed forms, scikit-learn's numbers, slow twins, and what must not matter."""

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
from netchoice._kernels.contingency import expected_information, joint_count_logs
from netchoice._kernels.mutual_information import of_values, of_values_and_labels
from netchoice.errors import UsageError
from netchoice.information import (
    ESTIMATORS,
    conditional_redundancy,
    jittered,
    mutual_information,
    redundancy,
    relevance,
)

exact = {"rtol": 0, "atol": 1e-9}


def entropy(labels):
    return naive.entropy(np.asarray(labels).tolist())


@pytest.fixture(scope="module")
def mixed():
    """400 rows of everything: numbers, ties, heavy tails, counts, few values; three classes."""
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


def all_three(X, y, **how):
    return (
        relevance(X, y, **how), redundancy(X, **how), conditional_redundancy(X, y, **how)
    )  # fmt: skip


def same_bits(one, other):
    return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


# Closed forms


@pytest.mark.parametrize("estimator", ["calibrated", "published"])
@pytest.mark.parametrize("correlation", [0, 0.3, 0.6, 0.9, 0.99, 0.999])
def test_bivariate_normal(estimator, correlation):
    rng = np.random.default_rng(1)
    true = -0.5 * np.log(1 - correlation**2)
    for n, allowed in ((500, 0.12 if correlation < 0.99 else 0.25), (5000, 0.05)):
        x, z = rng.normal(size=(2, n))
        y = correlation * x + np.sqrt(1 - correlation**2) * z
        assert mutual_information(x, y, estimator=estimator) == pytest.approx(true, abs=allowed)


def test_numbers_with_sharp_edges():
    """(x, x + noise) on a circle: log(1 / width of the noise)."""
    rng = np.random.default_rng(1)
    x, noise = rng.random((2, 5000))
    for width in (1, 0.5, 0.1):
        found = mutual_information(x, (x + width * noise) % 1)
        assert found == pytest.approx(-np.log(width), abs=0.06)


@pytest.mark.parametrize("n_values", [2, 5, 20, 60, 300])
@pytest.mark.parametrize("share", [0, 0.5, 0.9])
def test_known_table(n_values, share):
    """b equals a with some probability and is drawn again otherwise, for few values and for many."""
    rng = np.random.default_rng(n_values)
    a, fresh = rng.integers(0, n_values, (2, 5000))
    b = np.where(rng.random(5000) < share, a, fresh)
    equal, other = share + (1 - share) / n_values, (1 - share) / n_values
    true = equal * np.log(n_values * equal)
    true += (n_values - 1) * other * np.log(n_values * other) if other else 0
    # 300² cells with 5000 rows: what is asked of is more than the rows can tell
    allowed = {2: 0.02, 5: 0.03, 20: 0.04, 60: 0.1, 300: 0.45}[n_values] if share else 0.03
    assert mutual_information(a, b) == pytest.approx(true, abs=allowed)


@pytest.mark.parametrize(("shift", "shares"), [(1, (0.5, 0.5)), (4, (0.5, 0.5)), (2, (0.95, 0.05))])
def test_mixture_of_normals(shift, shares):
    """Labels and a normal around the mean of the label, integrated numerically."""
    at = np.linspace(-9, shift + 9, 20001)
    density = shares[0] * norm.pdf(at) + shares[1] * norm.pdf(at, shift)
    mixed_entropy = -(density * np.log(density)).sum() * (at[1] - at[0])
    true = mixed_entropy - 0.5 * np.log(2 * np.pi * np.e)
    rng = np.random.default_rng(3)
    label = rng.random(5000) < shares[1]
    x = rng.normal(size=5000) + shift * label
    for estimator in ("calibrated", "published"):
        assert relevance(x[:, None], label, estimator=estimator)[0] == pytest.approx(true, abs=0.03)


def test_atom_and_continuum():
    """Both columns are 0 together half of the time, otherwise independent: log 2."""
    rng = np.random.default_rng(2)
    x, y = np.where(rng.random(5000) < 0.5, 0.0, 1 + rng.random((2, 5000)))
    assert mutual_information(x, y) == pytest.approx(np.log(2), abs=0.03)


# scikit-learn's numbers


def sklearn_pair(a, b, discrete):
    if all(discrete):
        return adjusted_mutual_info_score(a, b)
    if not any(discrete):
        return _compute_mi_cc(jittered(a, seed=5), jittered(b, seed=5), 3)
    number, labels = (b, a) if discrete[0] else (a, b)
    return _compute_mi_cd(jittered(number, seed=5), labels, 3)


def test_columns_are_prepared_as_there(mixed):
    X = np.column_stack([mixed[0], 1e-9 * mixed[0][:, 0], 1e-17 * mixed[0][:, 0]])
    ref = scale(X, with_mean=False)
    for x, scaled in zip(X.T, ref.T, strict=True):
        noise = jittered(x, seed=1) - scaled
        width = 1e-10 * max(1, abs(scaled).mean())
        assert 0.8 * width < noise.std() < 1.2 * width
        assert abs(noise.mean()) < 0.3 * width
        assert np.array_equal(jittered(x, seed=1), jittered(x.copy(), seed=1))
        assert not np.array_equal(jittered(x, seed=1), jittered(x, seed=2))


def test_numbers_beyond_all_bounds():
    """Squares would overflow, or vanish."""
    rng = np.random.default_rng(0)
    label = rng.integers(0, 2, 400)
    x = rng.normal(size=400) + 9 * label
    X = np.column_stack([1e300 * x, 1e-300 * x, np.where(x > 5, 1e308, -1e308)])
    assert relevance(X, label) == pytest.approx([np.log(2)] * 3, abs=0.02)
    assert np.isfinite(all_three(X, label, estimator="published")[1]).all()


@pytest.mark.kernels
def test_published_is_scikit_learns(mixed):
    X, y, discrete = mixed
    rows = y != "c"
    X = X.copy()
    # No label with fewer than eight rows, see below.
    X[:, 6] = np.clip(np.round(X[:, 6] / 60), 5, 6)
    X[:, 7] = np.minimum(X[:, 7], 2)
    how = {"discrete": discrete, "estimator": "published", "seed": 5}
    for table, ours in ((X, redundancy(X, **how)), (X[rows], redundancy(X[rows], **how))):
        for j in range(X.shape[1]):
            for k in range(j):
                flags = discrete[j], discrete[k]
                if np.ptp(table[:, j]) == 0 or np.ptp(table[:, k]) == 0:
                    assert ours[j, k] == 0
                    continue
                ref = sklearn_pair(table[:, j], table[:, k], flags)
                np.testing.assert_allclose(ours[j, k], ref, **exact, err_msg=f"{j}, {k}")
    ours = relevance(X, y, **how)
    for j in range(X.shape[1]):
        ref = sklearn_pair(X[:, j], y, (discrete[j], True))
        np.testing.assert_allclose(ours[j], ref, **exact)


def test_labels_with_few_rows():
    """scikit-learn builds no k-d tree for those, and loses digits; the slow twin does not."""
    rng = np.random.default_rng(0)
    x, labels = np.round(rng.normal(size=120), 1), rng.integers(0, 25, 120)
    how = {"discrete": (False, True), "estimator": "published"}
    ref = naive.ross(jittered(x, seed=0).tolist(), labels.tolist(), 3)
    assert mutual_information(x, labels, **how) == pytest.approx(max(0, ref), abs=1e-9)
    ref = naive.ross(jittered(x, seed=0).tolist(), (x > 1.3).tolist(), 3)
    assert ref > 0
    assert mutual_information(x, x > 1.3, **how) == pytest.approx(ref, abs=1e-9)


@pytest.mark.parametrize("n_values", [2, 30, 400, 1500])
def test_adjusted_with_many_values(n_values):
    a, b = np.random.default_rng(n_values).integers(0, n_values, (2, 2000))
    ours = mutual_information(a, b, discrete=(True, True), estimator="published")
    np.testing.assert_allclose(ours, adjusted_mutual_info_score(a, b), **exact)
    assert ours == mutual_information(b, a, discrete=(True, True), estimator="published")


def test_adjusted_keeps_its_sign():
    a, b = np.repeat([0, 1], 4), np.tile([0, 1], 4)
    ours = mutual_information(a, b, discrete=(True, True), estimator="published")
    assert ours == pytest.approx(adjusted_mutual_info_score(a, b), abs=1e-12)
    assert ours < 0


def test_plugin_is_scikit_learns(mixed):
    X, y, _ = mixed
    ours = relevance(X, y, estimator="plugin")
    codes = [np.unique(x, return_inverse=True)[1] for x in X.T]
    np.testing.assert_allclose(ours, [mutual_info_score(c, y) for c in codes], **exact)


@pytest.mark.parametrize("seed", range(5))
def test_chain_rule(seed):
    """I(a;y) + I(b;y|a) = I(b;y) + I(a;y|b) = I((a,b);y)."""
    rng = np.random.default_rng(seed)
    a, b, y = rng.integers(0, [[3], [4], [2]], (3, 60))
    how = {"estimator": "plugin"}
    both = mutual_information(4 * a + b, y, **how)
    assert both == pytest.approx(
        mutual_information(a, y, **how) + mutual_information(b, y, given=a, **how), abs=1e-12
    )
    assert both == pytest.approx(
        mutual_information(b, y, **how) + mutual_information(a, y, given=b, **how), abs=1e-12
    )


# Slow twins


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
def test_neighbours_of_numbers(pairs, k, power):
    """Ties, atoms and columns of very different widths included."""
    n = len(pairs)
    k = min(k, n - 1)
    x, y = pairs[:, 0] * 10.0**power, pairs[:, 1] / 7
    in_x, in_y = np.argsort(x, kind="stable"), np.argsort(y, kind="stable")
    partner = np.argsort(in_y)[in_x].astype(np.int32)
    ours = of_values(x[in_x], y[in_y], partner, k, digammas(n))
    if radii_are_positive := len(np.unique(pairs, axis=0)) == n:
        assert ours == pytest.approx(naive.kraskov(x.tolist(), y.tolist(), k), abs=1e-9)
    assert np.isfinite(ours) or not radii_are_positive


@pytest.mark.kernels
@pytest.mark.parametrize("n", [4, 65, 700])
@pytest.mark.parametrize("k", [1, 3, 7])
@pytest.mark.parametrize("kind", ["independent", "narrow", "heavy", "atom"])
def test_neighbours_of_many_numbers(n, k, kind):
    """Enough rows for every way to search: grid, finer grid, along one column."""
    rng = np.random.default_rng(n)
    x, y = rng.normal(size=(2, n))
    if kind == "narrow":
        y = x + 1e-3 * y
    elif kind == "heavy":
        x = np.exp(20 * x)
    elif kind == "atom":
        x = np.where(rng.random(n) < 0.6, 1e-10 * x, x)
    k = min(k, n - 1)
    in_x, in_y = np.argsort(x), np.argsort(y)
    partner = np.argsort(in_y)[in_x].astype(np.int32)
    ours = of_values(x[in_x], y[in_y], partner, k, digammas(n))
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
def test_neighbours_of_numbers_and_labels(rows, k):
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
def test_tables(rows):
    a, b = np.array(rows, np.int32).T.copy()
    n = len(a)
    margins = [np.unique(np.unique(c, return_counts=True)[1], return_counts=True) for c in (a, b)]
    chance = expected_information(*margins[0], *margins[1], n, logs(n))
    assert chance == pytest.approx(naive.chance_information(a.tolist(), b.tolist()), abs=1e-12)
    joint = np.unique(7 * a + b, return_counts=True)[1]
    for stretch in (1, 500):  # a dense table, and one with far more cells than rows
        found = joint_count_logs(a * stretch, b * stretch, 4 * stretch, 7 * stretch, logs(n))
        assert found == pytest.approx((joint * np.log(joint)).sum(), abs=1e-12)


def test_expected_information_of_large_counts():
    """Far in the tails nothing may underflow or be lost."""
    n = 1200
    a, b = np.arange(n) < 700, np.arange(n) % 5 < 2
    margins = [np.unique(np.bincount(c), return_counts=True) for c in (a, b)]
    found = expected_information(*margins[0], *margins[1], n, logs(n))
    assert found == pytest.approx(naive.chance_information(a.tolist(), b.tolist()), rel=1e-9)


def test_calibrated_tables_are_rescaled():
    rng = np.random.default_rng(0)
    a = rng.integers(0, 4, 300)
    b = np.where(rng.random(300) < 0.5, a, rng.integers(0, 4, 300))
    ref = naive.rescaled_information(a.tolist(), b.tolist())
    assert mutual_information(a, b) == pytest.approx(ref, abs=1e-12)


# What must not matter


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_symmetric_and_independent_of_place(mixed, estimator):
    X, y, discrete = mixed
    how = {"estimator": estimator, "seed": 3}
    one, pairs, within = all_three(X, y, discrete=discrete, **how)
    for matrix in (pairs, within):
        assert np.array_equal(matrix, matrix.T)
        assert not matrix.diagonal().any()
    place = np.random.default_rng(0).permutation(X.shape[1])
    moved = all_three(X[:, place], y, discrete=discrete[place], **how)
    assert same_bits(moved, (one[place], pairs[np.ix_(place, place)], within[np.ix_(place, place)]))


def test_symmetric_where_either_could_be_the_labels():
    """As many values in one column as in the other, and too many cells for a table."""
    rng = np.random.default_rng(0)
    for _ in range(4):
        a, noise = rng.integers(0, 40, (2, 1500))
        b = np.where(rng.random(1500) < 0.5, a, noise)
        assert len(np.unique(a)) == len(np.unique(b)) == 40
        assert mutual_information(a, b) == mutual_information(b, a) > 0


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_threads_and_memory_layout_do_not_matter(mixed, estimator):
    X, y, discrete = mixed
    how = {"discrete": discrete, "estimator": estimator}
    ref = all_three(X, y, **how)
    assert same_bits(all_three(X, y, **how, n_jobs=3), ref)
    assert same_bits(all_three(X, y, **how, n_jobs=-1), ref)
    wide = np.asfortranarray(np.repeat(X, 2, axis=1))[:, ::2]
    assert same_bits(all_three(wide, np.repeat(y, 2)[::2], **how), ref)
    assert same_bits(all_three(X, y.astype(object), **how), ref)


def test_pairs_are_what_one_pair_is(mixed):
    X, y, discrete = mixed
    for estimator in ESTIMATORS:
        how = {"estimator": estimator, "seed": 2}
        pairs = redundancy(X, discrete=discrete, **how)
        within = conditional_redundancy(X, y, discrete=discrete, **how)
        for j, k in ((0, 1), (5, 2), (6, 7), (8, 3), (9, 4)):
            flags = bool(discrete[j]), bool(discrete[k])
            pair = {"discrete": flags, **how}
            assert mutual_information(X[:, j], X[:, k], **pair) == pairs[j, k]
            assert (
                mutual_information(X[:, k], X[:, j], **pair | {"discrete": flags[::-1]})
                == pairs[j, k]
            )
            by_class = sum(
                (y == c).mean() * mutual_information(X[y == c, j], X[y == c, k], **pair)
                for c in "abc"
            )
            if estimator == "calibrated":  # cut off at 0 in the mean only
                assert 0 <= within[j, k] <= by_class + 1e-12
            else:
                assert within[j, k] == pytest.approx(by_class, abs=1e-12)
            assert mutual_information(X[:, j], X[:, k], given=y, **pair) == within[j, k]


def test_classes_do_not_make_something_of_nothing():
    """Independent columns: what they share within classes is not above what they share at all."""
    gains = []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(500, 5)), rng.integers(0, 4, 500)
        above = np.triu_indices(5, 1)
        gains.append((conditional_redundancy(X, y) - redundancy(X))[above].mean())
    error = np.std(gains, ddof=1) / np.sqrt(len(gains))
    assert abs(np.mean(gains)) < 3 * error + 0.003


def test_calibrated_ignores_monotone_maps(mixed):
    X, y, _ = mixed
    up = X**3
    up[:, 0], up[:, 3] = np.arctan(X[:, 0]), np.log(X[:, 3])
    flipped = np.where(np.arange(X.shape[1]) % 2, -up, up)
    for mapped in (up, flipped, 7 - 2 * flipped):
        assert all(
            len(np.unique(a)) == len(np.unique(b)) for a, b in zip(X.T, mapped.T, strict=True)
        )
        assert same_bits(all_three(mapped, y), all_three(X, y))


def test_calibrated_ignores_flags(mixed):
    X, y, _ = mixed
    nothing = np.zeros(X.shape[1], bool)
    assert same_bits(all_three(X, y, discrete=nothing), all_three(X, y, discrete=~nothing))


def test_seed_is_for_ties_only():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 500))
    assert mutual_information(x, y, seed=1) == mutual_information(x, y, seed=2)
    tied = np.round(np.column_stack([x, x + y]), 1)
    many = [mutual_information(*tied.T, seed=seed) for seed in range(5)]
    assert 0 < np.ptp(many) < 0.1
    assert many[3] == mutual_information(*tied.T, seed=3)


def test_plugin_ignores_the_seed(mixed):
    X, y, _ = mixed
    one, other = (all_three(X, y, estimator="plugin", seed=seed) for seed in (0, 1))
    assert same_bits(one, other)


# Ends and edges


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_constant_columns_and_single_class(mixed, estimator):
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


def test_constant_within_a_class(mixed):
    """The atom is class b: it has nothing to say there, and the class counts with its share."""
    X, y, discrete = mixed
    for estimator in ESTIMATORS:
        how = {"discrete": discrete, "estimator": estimator}
        assert not redundancy(X[y == "b"], **how)[5].any()
        rest = y != "b"
        inside = conditional_redundancy(X[rest], y[rest], **how)[5]
        ours = conditional_redundancy(X, y, **how)[5]
        np.testing.assert_allclose(ours, rest.mean() * inside, atol=1e-12)


def test_all_distinct_columns():
    """Nothing for the published way if discrete; for the calibrated one a column as any other."""
    n = 600
    number = np.arange(n)
    labels = number >= n // 2
    published = {"discrete": (True, True), "estimator": "published"}
    assert mutual_information(number, labels, **published) == 0
    assert mutual_information(number, number, **published) == 0
    assert relevance(np.c_[number / 7], number, estimator="published")[0] == 0
    assert relevance(np.c_[number], labels)[0] == pytest.approx(np.log(2), abs=0.02)
    assert relevance(np.c_[number], number)[0] == 0  # labels that occur once tell nothing
    assert mutual_information(number, labels, estimator="plugin") == pytest.approx(np.log(2))


def test_duplicate_columns():
    """A column tells all about itself: its entropy, if values repeat."""
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
def test_fewer_rows_than_neighbours(estimator, n):
    rng = np.random.default_rng(n)
    X = np.column_stack([rng.normal(size=(n, 2)), np.arange(n), np.arange(n) % 2])
    y = np.arange(n) % 2
    for values in all_three(X, y, estimator=estimator, n_neighbors=10):
        assert np.isfinite(values).all()
        assert n > 1 or not values.any()


def test_between_zero_and_the_smaller_entropy(mixed):
    X, y, _ = mixed
    one, pairs, within = all_three(X, y)
    own = np.array([entropy(x) for x in X.T])
    assert (one <= np.minimum(own, entropy(y)) + 1e-12).all()
    assert (pairs <= np.minimum(own, own[:, None]) + 1e-12).all()
    assert min(values.min() for values in (one, pairs, within)) == 0
    rng = np.random.default_rng(0)
    label = rng.integers(0, 4, 3000)
    apart = label + 0.2 * rng.random(3000)
    assert relevance(apart[:, None], label)[0] == pytest.approx(entropy(label), abs=2e-3)
    assert relevance(apart[:, None], label)[0] <= entropy(label) + 1e-12
    assert relevance(apart[:, None], label, estimator="published")[0] > entropy(label)


def test_rare_class_is_not_lost():
    """A class with 1% of the rows: little entropy, and all of it is found."""
    rng = np.random.default_rng(0)
    rare = np.arange(5000) < 50
    x = rng.normal(size=5000) + 20 * rare
    assert relevance(x[:, None], rare)[0] == pytest.approx(entropy(rare), rel=0.05)
    for shift in (0, 1, 2):  # all values differ: a table would always find everything, or nothing
        x = rng.normal(size=5000) + shift * rare
        ref = relevance(x[:, None], rare, estimator="published")[0]
        assert relevance(x[:, None], rare)[0] == pytest.approx(ref, abs=0.003)


# Why there is a calibrated estimator


def test_weaknesses_of_the_published_way():
    rng = np.random.default_rng(4)
    n = 3000
    label = rng.integers(0, 2, n)
    counts = rng.poisson(20_000_000 * (1 + label))  # separates the classes
    heavy = np.exp(np.where(label, 60, 20) + 5 * rng.normal(size=n))  # nearly so
    tied = np.round(rng.random(n) * 3) / 3
    X, discrete = np.column_stack([counts, heavy, tied]), np.array([True, False, False])
    published, calibrated = (
        relevance(X, label, discrete=discrete, estimator=e) for e in ("published", "calibrated")
    )
    assert published[0] < 0.02
    assert calibrated[0] == pytest.approx(np.log(2), abs=0.01)
    other = np.exp(30 + 15 * rng.normal(size=n))
    twin = other * np.exp(0.5 * rng.normal(size=n))  # −½ log(1 − ρ²) with ρ² = 900 / 901
    assert mutual_information(other, twin, estimator="published") < 1.5
    true = 0.5 * np.log(901)
    assert mutual_information(other, twin) == pytest.approx(true, abs=0.1)
    assert calibrated[1] == pytest.approx(np.log(2), abs=0.01)
    # a column of four values against labels, seed by seed
    moved = {
        e: np.ptp(
            [
                mutual_information(tied, np.round(heavy % 1, 1), estimator=e, seed=s)
                for s in range(6)
            ]
        )
        for e in ("published", "calibrated")
    }
    assert moved["calibrated"] == 0
    assert moved["published"] > 0


def test_noise_is_near_zero_for_every_kind():
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


# Errors


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            {"X": [[1.0, np.nan], [2.0, 1.0]]},
            r"missing or infinite values in column\(s\) 1; impute",
        ),
        ({"X": [[np.inf, 0.0], [2.0, 1.0]]}, r"column\(s\) 0"),
        ({"X": [1.0, 2.0]}, "1 dimension"),
        ({"X": [["x", "y"], ["z", "w"]]}, "not a number; encode"),
        ({"X": np.zeros((0, 2)), "y": []}, "no rows"),
        ({"y": [1]}, r"y has shape \(1,\).*each of 2 rows"),
        ({"y": [1.0, np.nan]}, "y has missing"),
        ({"y": np.array(["a", 1], object)}, "cannot be sorted together: int, str"),
        ({"discrete": [0, 1]}, "one bool for each of 2 columns"),
        ({"discrete": [True]}, r"shape \(1,\)"),
        ({"estimator": "plug-in"}, "unknown estimator 'plug-in'; did you mean 'plugin'"),
        ({"n_neighbors": 0}, "n_neighbors is 0; it must be an integer, at least 1"),
        ({"n_neighbors": 2.5}, "n_neighbors is 2.5"),
        ({"seed": -1}, "seed is -1"),
        ({"n_jobs": 0}, "`n_jobs` must be None, -1 or an integer of at least 1; got 0"),
    ],
)
def test_errors_of_tables(change, words):
    arguments = {"X": [[1.0, 2.0], [3.0, 4.0]], "y": [0, 1], **change}
    with pytest.raises(UsageError, match=words):
        conditional_redundancy(**arguments)
    with pytest.raises(UsageError, match=words):
        relevance(**arguments)


def test_errors_of_pairs():
    with pytest.raises(UsageError, match="2 and 3 rows; they must agree"):
        mutual_information([1, 2], [1, 2, 3])
    with pytest.raises(UsageError, match="a holds something that is not a number; is it discrete"):
        mutual_information(["x", "y"], [1, 2])
    with pytest.raises(UsageError, match="b has missing or infinite"):
        mutual_information([1, 2], [1, np.inf])
    with pytest.raises(UsageError, match=r"a has shape \(0,\)"):
        mutual_information([], [])
    with pytest.raises(UsageError, match=r"given has shape \(3,\)"):
        mutual_information([1, 2], [1, 2], given=[1, 2, 3])
    words = mutual_information(
        list("aabb"), list("xxyy"), discrete=(True, True), estimator="plugin"
    )
    assert words == pytest.approx(np.log(2))


def test_functions_share_their_parameters():
    shared = ["discrete", "estimator", "seed", "n_neighbors", "n_jobs"]
    for function in (relevance, redundancy, conditional_redundancy):
        parameters = inspect.signature(function).parameters
        assert [
            p for p in parameters if parameters[p].kind == inspect.Parameter.KEYWORD_ONLY
        ] == shared
    for name in information.__all__:
        thing = getattr(information, name)
        assert not callable(thing) or ">>>" in thing.__doc__
