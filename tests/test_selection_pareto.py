"""ParetoSearch: nearest neighbours against scikit-learn, fronts against brute force, XOR pairs."""

import sys
from functools import cache
from itertools import combinations, pairwise

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.feature_selection import mutual_info_classif
from sklearn.model_selection import PredefinedSplit, cross_val_score
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils.estimator_checks import check_estimator

from netchoice.costs import CostModel
from netchoice.errors import UsageError
from netchoice.selection.column_costs import ColumnCosts
from netchoice.selection.knn import ClassNeighbours, NumberNeighbours
from netchoice.selection.methods import METHODS, get_selector
from netchoice.selection.pareto import ParetoSearch, assign_folds
from netchoice.selection.path import rank_path
from netchoice.selection.subsets import Archive, group_size, random_groups, search_subsets
from netchoice.targets import as_target

TEN_NEAREST = make_pipeline(StandardScaler(), KNeighborsClassifier(10))


def class_neighbours(X, y, train, test, n_neighbors=10):
    """Return the nearest neighbours for class labels 0, 1, …"""
    return ClassNeighbours(X, as_target(y, "classes"), train, test, n_neighbors)


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
    ours = class_neighbours(X, y, train, test, n_neighbors).votes(order)
    for k in range(1, len(order) + 1):
        if order[:k] == [3]:
            continue
        reference = make_pipeline(StandardScaler(), KNeighborsClassifier(n_neighbors))
        reference.fit(X[np.ix_(train, order[:k])], y[train])
        share = reference.predict_proba(X[np.ix_(test, order[:k])])
        np.testing.assert_array_equal(ours[k - 1], np.rint(share * n_neighbors))
        predicted = reference.predict(X[np.ix_(test, order[:k])])
        accuracy = class_neighbours(X, y, train, test, n_neighbors).score(order[:k])
        assert accuracy == np.mean(predicted == y[test])


@pytest.mark.kernels
@pytest.mark.parametrize("n_train", [1, 7, 16, 17, 40])
def test_ties_of_distance_go_to_the_earlier_row(n_train):
    rng = np.random.default_rng(n_train)
    X = rng.choice([-2.0, 0.0, 2.0], size=(n_train + 9, 4))  # ties everywhere
    X[:, 2] = 5.0
    y = rng.integers(0, 3, n_train + 9)
    train, test = np.arange(n_train), np.arange(n_train, n_train + 9)
    order = [2, 0, 3, 1]
    ours = class_neighbours(X, y, train, test, 5).votes(order)
    np.testing.assert_array_equal(ours, naive_votes(X, y, train, test, order, 5))
    assert (ours.sum(axis=2) == min(5, n_train)).all()


@pytest.mark.kernels
def test_votes_are_counted_only_at_the_requested_places():
    X, y = mixed_table(120, 0)
    neighbours = class_neighbours(X, y, np.arange(80), np.arange(80, 120))
    everywhere = neighbours.votes([1, 2, 4, 5])
    np.testing.assert_array_equal(
        neighbours.votes([1, 2, 4, 5], [False, True, False, True]), everywhere[[1, 3]]
    )
    assert neighbours.votes([]).shape == (0, 40, 3)
    assert class_neighbours(X, y, np.arange(80), np.arange(0)).votes([1]).shape == (1, 0, 3)


@pytest.mark.kernels
def test_means_of_neighbours_equal_those_of_scikit_learn():
    X, _ = mixed_table(300, 4)
    y = np.random.default_rng(0).normal(size=(300, 2)) + X[:, [0, 4]] / X[:, [0, 4]].std(axis=0)
    train, test, order = np.arange(217), np.arange(217, 300), [4, 1, 0]
    ours = NumberNeighbours(X, as_target(y), train, test).scores(order)
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
        NumberNeighbours(X[:n], as_target(y[:n, [j]]), train[train < n], test[test < n]).score(
            [0, 4]
        )
        for j, n in ((0, 300), (1, 150))
    ]
    both = NumberNeighbours(X, as_target(known), train, test).score([0, 4])
    assert both == pytest.approx(np.mean(parts))


def test_search_finds_numbers_that_depend_on_two_columns_jointly():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(900, 5))
    y = X[:, 1] * X[:, 3] + 0.1 * rng.normal(size=900)
    search = ParetoSearch(costs=[1, 2, 3, 4, 5], cost_scale="raw").fit(X, y)
    assert search.target_ == "numbers"
    np.testing.assert_array_equal(search.get_support(indices=True), [1, 3])
    chosen = search.front_.loc[search.chosen_]
    assert chosen["accuracy_holdout"] > 0.8  # R²
    forest = ParetoSearch(classifier=DecisionTreeRegressor(max_depth=6), max_features=2).fit(X, y)
    np.testing.assert_array_equal(forest.get_support(indices=True), [1, 3])


def test_neighbours_refuse_invalid_parameters():
    X, y = mixed_table(20, 0)
    with pytest.raises(
        UsageError, match="`order` must hold column positions from 0 to 5; got 2 to 6"
    ):
        class_neighbours(X, y, np.arange(10), np.arange(10, 20)).votes([2, 6])
    with pytest.raises(UsageError, match="`train` must have at least one row; got none"):
        class_neighbours(X, y, np.arange(0), np.arange(10, 20))
    with pytest.raises(UsageError, match="`n_neighbors` must be an integer of at least 1; got 0"):
        class_neighbours(X, y, np.arange(10), np.arange(10, 20), n_neighbors=0)


def test_folds_are_stratified():
    codes = np.repeat([0, 1, 2], [600, 300, 100])
    fold = assign_folds(codes, folds=5, holdout=0.25, max_rows=500, seed=3)
    searched = fold >= 0
    assert searched.sum() == 500
    np.testing.assert_array_equal(np.bincount(codes[searched]), [300, 150, 50])
    for f in range(5):
        np.testing.assert_array_equal(np.bincount(codes[fold == f]), [60, 30, 10])
    np.testing.assert_array_equal(
        np.bincount(codes[assign_folds(codes, 5, 0.25, None, 3) < 0]), [150, 75, 25]
    )
    assert (assign_folds(codes, 5, 0, None, 3) >= 0).all()
    assert not np.array_equal(fold, assign_folds(codes, 5, 0.25, 500, seed=4))


def dominated(frame):
    """Return the rows of a front that another row dominates."""
    points = frame[["cost", "accuracy"]].to_numpy()
    return [
        i
        for i, (cost, accuracy) in enumerate(points)
        if any(
            other <= cost and better >= accuracy and (other, better) != (cost, accuracy)
            for other, better in points
        )
    ]


def recomputed(search, X, y, features, classifier=TEN_NEAREST):
    """Return the accuracy in the folds and on the held-out rows, computed with scikit-learn only."""
    rows = search.fold_ >= 0
    X = np.asarray(X[list(features)])
    split = PredefinedSplit(search.fold_[rows])
    scores = cross_val_score(classifier, X[rows], y[rows], cv=split)
    fitted = clone(classifier).fit(X[rows], y[rows])
    return scores, fitted.score(X[~rows], y[~rows])


def small_table(n=240, seed=5):
    rng = np.random.default_rng(seed)
    y = rng.choice(["a", "b", "c"], n)
    codes = (y == "b") + 2.0 * (y == "c")
    X = rng.normal(size=(n, 5)) + codes[:, None] * [0.0, 0.4, 0.8, 1.2, 0.2]
    return pd.DataFrame(X, columns=list("vwxyz")), y


@pytest.mark.kernels
def test_small_tables_are_searched_exhaustively():
    X, y = small_table()
    costs = {"v": 1.0, "w": 2.0, "x": 4.0, "y": 8.0, "z": 16.0}
    search = ParetoSearch(costs=costs).fit(X, y)
    front = search.front_
    assert search.n_evaluations_ == 31
    every = {}
    for k in range(1, 6):
        for features in combinations(X, k):
            scores, _ = recomputed(search, X, y, features)
            every[features] = (sum(costs[f] for f in features), scores.mean())
    undominated = [
        features
        for features, (cost, accuracy) in sorted(every.items(), key=lambda item: item[1])
        if not any(p <= cost and a >= accuracy and (p, a) != (cost, accuracy)
                   for p, a in every.values())
    ]  # fmt: skip
    assert front["features"].tolist() == undominated
    for row in front.itertuples():
        scores, held_out = recomputed(search, X, y, row.features)
        assert row.accuracy == pytest.approx(scores.mean(), abs=1e-12)
        assert row.standard_error == pytest.approx(scores.std(ddof=1) / 5**0.5, abs=1e-12)
        assert row.accuracy_holdout == pytest.approx(held_out, abs=1e-12)
        assert row.k == len(row.features)
        assert row.cost == every[row.features][0]
        assert row.share == pytest.approx(row.cost / 31)


def test_selected_set_is_cheapest_within_one_standard_error_or_best_within_budget():
    X, y = small_table()
    costs = [1, 2, 4, 8, 16]
    search = ParetoSearch(costs=costs).fit(X, y)
    front = search.front_
    best = front.iloc[-1]
    good = front[front["accuracy"] >= best["accuracy"] - best["standard_error"]]
    assert tuple(search.get_feature_names_out()) == good.iloc[0]["features"]
    assert search.chosen_ == good.index[0] < front.index[-1]
    for budget in (1, 3, 13.5, 31):
        raw = ParetoSearch(costs=costs, cost_scale="raw", budget=budget).fit(X, y)
        affordable = front[front["cost"] <= budget]
        assert tuple(raw.get_feature_names_out()) == affordable.iloc[-1]["features"]
        share = ParetoSearch(costs=costs, budget=f"{budget / 31:.15%}").fit(X, y)
        np.testing.assert_array_equal(share.support_, raw.support_)
    with pytest.raises(
        UsageError, match=r"`budget` must be at least 1, the cost of the cheapest column; got 0.5"
    ):
        ParetoSearch(costs=costs, cost_scale="raw", budget=0.5).fit(X, y)


def test_any_classifier_can_be_used():
    X, y = small_table(120)
    tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    search = ParetoSearch(classifier=tree, max_features=2, n_jobs=2).fit(X, y)
    assert search.n_evaluations_ == 15
    for row in search.front_.itertuples():
        scores, held_out = recomputed(search, X, y, row.features, tree)
        assert (row.accuracy, row.accuracy_holdout) == (pytest.approx(scores.mean()), held_out)


def test_without_costs_the_cost_is_the_number_of_columns():
    X, y = small_table()
    search = ParetoSearch(holdout=0).fit(X.to_numpy(), y)
    assert search.front_["cost"].tolist() == search.front_["k"].tolist()
    assert search.front_["features"].iloc[0] == ("x3",)
    assert search.front_["accuracy_holdout"].isna().all()
    assert (search.fold_ >= 0).all()
    free = ParetoSearch(costs=np.zeros(5)).fit(X, y).front_
    assert (len(free), free["cost"][0], free["share"][0]) == (1, 0, 0)


def test_table_with_one_column():
    X, y = small_table()
    search = ParetoSearch(costs=[3.0]).fit(X[["y"]], y)
    assert search.front_[["features", "cost", "share"]].values.tolist() == [[("y",), 3.0, 1.0]]
    assert search.transform(X[["y"]]).shape == (240, 1)


def test_shared_steps_are_paid_once():
    """Two values of one blood sample are better than two columns that are cheaper alone."""
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.normal(size=(400, 4)), columns=["glucose", "sodium", "weight", "height"])
    y = (X.to_numpy() > 0) @ [1, 2, 0, 0]
    X["weight"], X["height"] = X["glucose"], X["sodium"]
    lab = CostModel(
        {"glucose": 1, "sodium": 1, "weight": 8, "height": 8},
        {"glucose": ["blood sample"], "sodium": ["blood sample"]},
        {"blood sample": 10},
    )
    fronts = {}
    for charge in ("alone", "shared"):
        search = ParetoSearch(costs=lab, cost_scale="raw", charge=charge).fit(X, y)
        fronts[charge] = search.front_.set_index("features")["cost"]
        chosen = search.front_.loc[search.chosen_]
        assert chosen["accuracy_holdout"] > 0.75  # one column separates two of four classes
        for features, cost in fronts[charge].items():
            assert cost == lab.cost_of_set(features, charge)
    assert fronts["alone"][("weight", "height")] == 16
    assert fronts["shared"][("glucose", "sodium")] == 12
    assert ("weight", "height") not in fronts["shared"]


XOR = ("first", "second")


def xor_table(n, seed, n_noise=24):
    """Return a table with a pair that is informative only jointly, five cheap lures, and noise.

    The pair predicts 85 of 100 rows correctly. The lures also predict 85 of 100, but other rows.
    They all measure the same quantity, so one lure is as good as all.
    """
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    sign = (1 - 2 * y) * np.where(rng.random(n) < 0.15, -1, 1)
    first = rng.normal(size=n)
    second = np.abs(rng.normal(size=n)) * np.sign(first) * sign
    measured = 2 * y - 1 + rng.normal(size=n)
    columns = {"first": first, "second": second}
    for i in range(5):
        columns[f"lure {i}"] = measured + 0.3 * rng.normal(size=n)
    for i in range(n_noise):
        columns[f"noise {i}"] = rng.normal(size=n)
    return pd.DataFrame(columns), y, {name: 2.0 if name in XOR else 1.0 for name in columns}


def compare_with_filters(methods, penalties):
    """Return accuracies on a new table, at the cost of the set that the search selects.

    Each filter uses the penalty and the number of columns that are best on the new table.
    """
    X, y, costs = xor_table(900, seed=0)
    X_new, y_new, _ = xor_table(4000, seed=1)

    @cache
    def accuracy_of(features):
        features = list(features)
        return clone(TEN_NEAREST).fit(X[features], y).score(X_new[features], y_new)

    def best_prefix(ranking):
        affordable = np.cumsum([costs[name] for name in ranking]) <= chosen["cost"]
        return max(accuracy_of(tuple(ranking[: k + 1])) for k in np.flatnonzero(affordable))

    search = ParetoSearch(costs=costs, cost_scale="raw", max_features=6, generations=17).fit(X, y)
    chosen = search.front_.loc[search.chosen_]
    relevance = mutual_info_classif(X, y, random_state=0)
    filters = {"univariate": best_prefix(X.columns[np.argsort(-relevance)])}
    for name in methods:
        path = rank_path({name: get_selector(name, costs=costs)}, X, y, penalties)
        filters[name] = max(
            best_prefix(ranking["feature"]) for _, ranking in path.groupby("penalty")
        )
    return chosen["features"], accuracy_of(chosen["features"]), filters


QUICK = ["mrmr", "jmi", "jmim", "relieff", "surf", "multisurf"]


@pytest.mark.slow
def test_more_accurate_than_filters_at_equal_cost_on_xor_pair():
    features, ours, filters = compare_with_filters(QUICK, penalties=[0, 0.2])
    assert features[:2] == XOR
    assert features[2].startswith("lure")
    assert ours > max(filters.values()) + 0.03
    assert min(filters.values()) > 0.75  # they find a lure; nothing else is cheap enough


@pytest.mark.slow
def test_more_accurate_than_all_filters_at_equal_cost_on_xor_pair():
    _, ours, filters = compare_with_filters(METHODS, [0, 0.0125, 0.05, 0.2, 0.8, 3.2, 12.8])
    assert ours > max(filters.values()) + 0.03, filters


@pytest.mark.kernels
def test_fronts_increase_and_depend_on_the_seed_but_not_on_threads():
    X, y, costs = xor_table(150, seed=2)
    options = {"costs": costs, "population": 20, "generations": 12, "max_features": 5}
    one = ParetoSearch(**options, random_state=7).fit(X, y)
    two = ParetoSearch(**options, random_state=7, n_jobs=2).fit(X, y)
    other = ParetoSearch(**options, random_state=8).fit(X, y)
    pd.testing.assert_frame_equal(one.front_, two.front_, check_exact=True)
    assert not one.front_.equals(other.front_)
    assert one.n_evaluations_ == two.n_evaluations_ == 240
    for search in (one, other):
        assert not dominated(search.front_)
        for before, after in pairwise(search.front_.itertuples()):
            assert before.cost < after.cost
            assert before.accuracy < after.accuracy
        for row in search.front_.itertuples():
            scores, held_out = recomputed(search, X, y, row.features)
            assert row.accuracy == pytest.approx(scores.mean(), abs=1e-12)
            assert row.accuracy_holdout == pytest.approx(held_out, abs=1e-12)


@pytest.mark.kernels
def test_front_is_never_worse_than_the_initial_sets():
    """With almost no search; sets by name, by position and by mask."""
    X, y, costs = xor_table(600, seed=3, n_noise=60)
    options = {"costs": costs, "population": 2, "generations": 1}
    best = (*XOR, "lure 0")
    for given in (["second", "lure 0", "first"], [0, 1, 2], np.arange(67) < 3):
        search = ParetoSearch(**options, initial=[["noise 3"], given]).fit(X, y)
        scores, _ = recomputed(search, X, y, best)
        last = search.front_.iloc[-1]
        assert (last["features"], last["cost"]) == (best, 5)
        assert last["accuracy"] == pytest.approx(scores.mean(), abs=1e-12)
    assert best not in ParetoSearch(**options).fit(X, y).front_["features"].tolist()
    with pytest.raises(
        UsageError, match="`initial` must hold sets of 1 to 1 columns; got a set of 2"
    ):
        ParetoSearch(**options, initial=[[0, 1]], max_features=1).fit(X, y)
    with pytest.raises(
        UsageError, match="`initial` must hold sets of 1 to 67 columns; got a set of 0"
    ):
        ParetoSearch(**options, initial=[[]]).fit(X, y)
    with pytest.raises(UsageError, match=r"`initial` must hold column names, .* got 'third'"):
        ParetoSearch(**options, initial=[["third"]]).fit(X, y)


class HiddenPair:
    """Known accuracies with a hidden pair: a cheap column is more accurate than the pair.

    So the pair alone is on no front, one column of it only lowers the accuracy, and the pair with
    the cheap column is best.
    """

    def __init__(self, pair, lure):
        self.pair, self.lure, self.evaluated = set(pair), lure, []

    def __call__(self, columns):
        self.evaluated.append(columns)
        useful = 0.3 * self.pair.issubset(columns) + 0.35 * (self.lure in columns)
        return np.full(2, 0.3 + useful - 0.02 * len(columns))


@pytest.mark.parametrize(
    ("n_columns", "max_features", "n_evaluations"),
    [(30, 30, 1000), (30, 3, 1000), (60, 60, 1800), (100, 100, 2400)],
)
def test_a_hidden_pair_is_found_among_many_columns(n_columns, max_features, n_evaluations):
    """Always if all pairs are evaluated, mostly with groups; no set is evaluated twice."""
    n_found = 0
    for seed in range(3):
        rng = np.random.default_rng(seed)
        *pair, lure = (int(i) for i in rng.choice(n_columns, 3, replace=False))
        costs = np.ones(n_columns)
        costs[pair] = 3
        accuracies = HiddenPair(pair, lure)
        archive = Archive(accuracies, ColumnCosts(costs, [""] * n_columns, scale="raw"), 1)
        search_subsets(
            archive, [], n_columns=n_columns, max_features=max_features,
            n_evaluations=n_evaluations, population=60, seed=seed,
        )  # fmt: skip
        assert len(accuracies.evaluated) == len(set(accuracies.evaluated)) == n_evaluations
        assert all(1 <= len(columns) <= max_features for columns in accuracies.evaluated)
        best = tuple(sorted([*pair, lure]))
        n_found += [subset.columns for subset in archive.front()] == [(lure,), best]
    assert n_found >= (3 if n_columns == 30 else 2)


def test_search_stops_if_the_cheapest_column_is_perfect():
    archive = Archive(lambda columns: np.full(2, 1.0 if 7 in columns else 0.5),
                      ColumnCosts(np.arange(40)[::-1] + 1.0, [""] * 40), 1)  # fmt: skip
    search_subsets(
        archive, [], n_columns=40, max_features=40, n_evaluations=90, population=5, seed=0
    )
    assert len(archive) == 90  # column 7 is perfect, but others are cheaper
    assert [subset.columns for subset in archive.front()] == [(39,), (7,)]
    archive = Archive(lambda columns: np.full(2, 1.0 if 7 in columns else 0.5),
                      ColumnCosts(np.abs(np.arange(40) - 7.0), [""] * 40), 1)  # fmt: skip
    search_subsets(
        archive, [], n_columns=40, max_features=40, n_evaluations=90, population=5, seed=0
    )
    assert len(archive) == 40
    assert [subset.columns for subset in archive.front()] == [(7,)]


def test_random_groups_cover_all_columns():
    groups = list(random_groups(10, 3, 7, seed=0))
    assert [len(set(group)) for group in groups] == [3] * 7
    assert len(set().union(*groups[:3])) == 9  # no column twice before all were used
    assert group_size(40, 1, 1000) == 0  # no pairs wanted
    assert group_size(40, 6, 780) == 2
    assert group_size(40, 6, 779) == 3
    assert group_size(1000, 2, 500) == 2
    assert group_size(1000, 6, 100) == 0  # too few groups


def test_ties_on_the_front_go_to_the_smaller_then_the_earlier_set():
    accuracy = {(0,): 0.4, (1,): 0.5, (2,): 0.5, (0, 1): 0.5, (3,): 0.6, (0, 3): 0.6}
    costs = ColumnCosts([0.0, 0.1, 0.1, 0.2], list("abcd"), scale="raw")
    archive = Archive(lambda subset: np.full(3, accuracy[subset]), costs, 1)
    archive.evaluate(reversed(accuracy))
    assert [subset.columns for subset in archive.front()] == [(0,), (1,), (3,)]


def test_front_ignores_rounding_errors_of_costs():
    assert 0.1 + 0.2 > 0.3
    accuracy = {(2,): 0.5, (0, 1): 0.6}
    archive = Archive(lambda subset: np.full(3, accuracy[subset]), ColumnCosts(
        [0.1, 0.2, 0.3], list("abc"), scale="raw"), 1)  # fmt: skip
    archive.evaluate(accuracy)
    assert [subset.columns for subset in archive.front()] == [(0, 1)]


def test_held_out_accuracy_of_noise_is_unbiased():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(1400, 9)), rng.integers(0, 2, 1400)
    front = ParetoSearch(max_rows=200).fit(X, y).front_
    best = front.iloc[-1]
    assert best["accuracy"] > 0.57
    assert abs(best["accuracy_holdout"] - 0.5) < 0.045  # three standard errors


def test_missing_pymoo_is_an_error_with_instructions(monkeypatch):
    X, y = small_table()
    monkeypatch.delitem(sys.modules, "netchoice.selection.nsga", raising=False)
    for name in [name for name in sys.modules if name.partition(".")[0] == "pymoo"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pymoo", None)
    with pytest.raises(UsageError, match=r"needs pymoo, .* pip install 'netchoice\[search\]'"):
        ParetoSearch(population=4, generations=4).fit(X, y)
    assert ParetoSearch().fit(X, y).n_evaluations_ == 31  # few sets: no evolution


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"folds": 1}, "`folds` must be an integer of at least 2; got 1"),
        ({"max_rows": 1.5}, "`max_rows` must be an integer of at least 2; got 1.5"),
        ({"max_features": 0}, "`max_features` must be an integer of at least 1; got 0"),
        ({"population": 1}, "`population` must be an integer of at least 2; got 1"),
        ({"generations": None}, "`generations` must be an integer of at least 1; got None"),
        ({"holdout": 1.0}, "`holdout` must be a fraction below 1; got 1.0"),
        ({"holdout": "some"}, "`holdout` must be a non-negative number; got 'some'"),
        ({"budget": -1}, "`budget` must be a cost such as 20.*got -1"),
        ({"budget": float("nan")}, "`budget` must be a cost such as 20.*got nan"),
        ({"costs": [1, 2]}, "one cost for each of 5 columns; got 2"),
        ({"charge": "both"}, "`charge` must be 'alone' or 'shared'; got 'both'"),
        ({"cost_scale": "log"}, "`cost_scale` must be 'share' or 'raw'; got 'log'"),
    ],
)
def test_invalid_parameters_are_refused(parameters, message):
    X, y = small_table()
    with pytest.raises(ValueError, match=message):
        ParetoSearch(**parameters).fit(X, y)


@pytest.mark.kernels
def test_scikit_learn_checks():
    checks = check_estimator(
        ParetoSearch(population=4, generations=3), on_fail="raise", on_skip=None
    )
    status = {check["check_name"]: check["status"] for check in checks}
    assert sum(check["status"] == "passed" for check in checks) == 47
    assert {name for name in status if status[name] != "passed"} <= {"check_array_api_input"}
