"""Predictions by nearest neighbours, against scikit-learn and a reference implementation."""

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from netchoice.errors import UsageError
from netchoice.evaluation.scorers import Neighbours, NeighboursScorer
from netchoice.targets import as_target


def votes_of(X, y, train, test, order, counted=None, n_neighbors=10):
    """Return the votes (places, test rows, classes) of the nearest neighbours for labels 0, 1, …"""
    labels = y[train][Neighbours(X, train, test, n_neighbors).nearest(order, counted)]
    return np.stack([(labels == c).sum(axis=2) for c in range(max(y) + 1)], axis=2)


def r_squared(X, y, train, test, order):
    """Return R² after each column of a sequence."""
    scorer = NeighboursScorer(X, as_target(y), [(train, test)])
    return [score / len(test) for score, _ in scorer(0, order, [True] * len(order))]


def naive_votes(X, y, train, test, order, n_neighbors):
    """Return the votes after each column; of rows at the same distance the earlier is nearer."""
    Z = StandardScaler().fit(X[train]).transform(X)
    votes = []
    for k in range(1, len(order) + 1):
        votes.append([])
        for row in test:
            distance = [sum((Z[other, c] - Z[row, c]) ** 2 for c in order[:k]) for other in train]
            nearest = sorted(range(len(train)), key=lambda i: (distance[i], i))[:n_neighbors]
            classes = [int(y[train[i]]) for i in nearest]
            votes[-1].append([classes.count(c) for c in range(max(y) + 1)])
    return np.array(votes)


def mixed_table(n, seed, n_classes=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 6)) * 10.0 ** rng.integers(-6, 7, 6)
    X[:, 3] = 0.1
    return X, rng.integers(0, n_classes, n)


@pytest.mark.kernels
@pytest.mark.parametrize("n_neighbors", [1, 2, 10, 33])
def test_votes_equal_those_of_scikit_learn(n_neighbors):
    X, y = mixed_table(300, n_neighbors)
    rows = np.random.default_rng(n_neighbors).permutation(300)
    train, test = rows[:217], rows[217:]
    order = [4, 3, 1, 0, 5, 2]
    ours = votes_of(X, y, train, test, order, n_neighbors=n_neighbors)
    for k in range(1, len(order) + 1):
        if order[:k] == [3]:
            continue
        reference = make_pipeline(StandardScaler(), KNeighborsClassifier(n_neighbors))
        reference.fit(X[np.ix_(train, order[:k])], y[train])
        share = reference.predict_proba(X[np.ix_(test, order[:k])])
        np.testing.assert_array_equal(ours[k - 1], np.rint(share * n_neighbors))
        predicted = reference.predict(X[np.ix_(test, order[:k])])
        np.testing.assert_array_equal(ours[k - 1].argmax(axis=1), predicted)


@pytest.mark.kernels
@pytest.mark.parametrize("n_train", [1, 7, 16, 17, 40])
def test_ties_of_distance_go_to_the_earlier_row(n_train):
    rng = np.random.default_rng(n_train)
    X = rng.choice([-2.0, 0.0, 2.0], size=(n_train + 9, 4))  # ties everywhere
    X[:, 2] = 5.0
    y = rng.integers(0, 3, n_train + 9)
    train, test = np.arange(n_train), np.arange(n_train, n_train + 9)
    order = [2, 0, 3, 1]
    ours = votes_of(X, y, train, test, order, n_neighbors=5)
    np.testing.assert_array_equal(ours, naive_votes(X, y, train, test, order, 5))
    assert (ours.sum(axis=2) == min(5, n_train)).all()


@pytest.mark.kernels
def test_votes_are_counted_only_at_the_requested_places():
    X, y = mixed_table(120, 0)
    rows = np.arange(80), np.arange(80, 120)
    everywhere = votes_of(X, y, *rows, [1, 2, 4, 5])
    np.testing.assert_array_equal(
        votes_of(X, y, *rows, [1, 2, 4, 5], [False, True, False, True]), everywhere[[1, 3]]
    )
    assert votes_of(X, y, *rows, []).shape == (0, 40, 3)
    assert votes_of(X, y, np.arange(80), np.arange(0), [1]).shape == (1, 0, 3)


@pytest.mark.kernels
def test_means_of_neighbours_equal_those_of_scikit_learn():
    X, _ = mixed_table(300, 4)
    y = np.random.default_rng(0).normal(size=(300, 2)) + X[:, [0, 4]] / X[:, [0, 4]].std(axis=0)
    train, test, order = np.arange(217), np.arange(217, 300), [4, 1, 0]
    ours = r_squared(X, y, train, test, order)
    for k in (1, 2, 3):
        reference = make_pipeline(StandardScaler(), KNeighborsRegressor(10))
        reference.fit(X[np.ix_(train, order[:k])], y[train])
        errors = (reference.predict(X[np.ix_(test, order[:k])]) - y[test]) ** 2
        assert ours[k - 1] == pytest.approx(np.mean(1 - errors.mean(axis=0) / y.var(axis=0)))


def test_each_column_of_numbers_uses_the_rows_that_have_a_value():
    """The second column is known for the first 150 rows only."""
    X, _ = mixed_table(300, 5)
    y = X[:, [0, 4]] / X[:, [0, 4]].std(axis=0)
    known = y.copy()
    known[150:, 1] = np.nan
    train, test = np.arange(0, 300, 2), np.arange(1, 300, 2)
    parts = [
        r_squared(X[:n], y[:n, [j]], train[train < n], test[test < n], [0, 4])
        for j, n in ((0, 300), (1, 150))
    ]
    both = r_squared(X, known, train, test, [0, 4])
    assert both == pytest.approx(np.mean(parts, axis=0))


def test_neighbours_refuse_invalid_parameters():
    X, _ = mixed_table(20, 0)
    with pytest.raises(
        UsageError, match="`order` must hold column positions from 0 to 5; got 2 to 6"
    ):
        Neighbours(X, np.arange(10), np.arange(10, 20)).nearest([2, 6])
    with pytest.raises(UsageError, match="`train` must have at least one row; got none"):
        Neighbours(X, np.arange(0), np.arange(10, 20))
    with pytest.raises(UsageError, match="`n_neighbors` must be an integer of at least 1; got 0"):
        Neighbours(X, np.arange(10), np.arange(10, 20), n_neighbors=0)
