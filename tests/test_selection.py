"""Behaviour that all selectors share, over the registry, and rank_path."""

import itertools
import pickle
import warnings

import naive_selection as naive
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from netchoice import CostModel, information, selection
from netchoice.costs import CostError
from netchoice.errors import UsageError
from netchoice.selection import (
    JMI,
    JMIM,
    METHODS,
    MRMR,
    ReliefF,
    WeightedForest,
    get_selector,
    methods,
)
from netchoice.selection.greedy import Terms
from netchoice.selection.path import _hashable

SEQUENTIAL = ["mrmr", "jmi", "jmim"]
WEIGHTED = ["weighted-mdi", "weighted-mda"]
OTHERS = ["forward-regression"]
FORESTS = ["forest-relieff", "penalized-mdi", "penalized-mda", *WEIGHTED]
DETERMINISTIC = [*SEQUENTIAL, "relieff"]
#: Number of checks in the pinned version of scikit-learn.
N_CHECKS = 47


def small(method, **parameters):
    """Return a selector, with few trees if it has any."""
    if method in FORESTS:
        parameters.setdefault("n_trees", 20)
    return get_selector(method, **parameters)


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True, as_frame=True)
    return X, y


@pytest.fixture(scope="module")
def costs(wine):
    return dict(zip(wine[0].columns, np.random.default_rng(5).permutation(13) + 1.0, strict=True))


def test_methods_by_name():
    assert selection.PAPER_METHODS == (
        "mrmr", "jmi", "jmim", "relieff", "forest-relieff", "penalized-mdi", "penalized-mda",
        "weighted-mdi", "weighted-mda",
    )  # fmt: skip
    assert list(METHODS) == [*selection.PAPER_METHODS, methods.BASELINE, *OTHERS]
    assert list(methods.WEIGHTED_METHODS) == WEIGHTED
    for name in METHODS:
        assert get_selector(name).supports_shared_costs == (name not in WEIGHTED)
        assert get_selector(name).statistics_depend_on_penalty == (name in WEIGHTED)
    assert {name: get_selector(name).method for name in METHODS} == {name: name for name in METHODS}
    with pytest.raises(UsageError, match="did you mean 'relieff'"):
        get_selector("relief")


@pytest.mark.parametrize("method", METHODS)
def test_scikit_learn_checks(method):
    results = check_estimator(small(method), on_skip=None)
    n_checks = N_CHECKS - get_selector(method).supports_missing  # the one that refuses NaN
    assert sum(result["status"] == "passed" for result in results) == n_checks
    skipped = [result["check_name"] for result in results if result["status"] != "passed"]
    # It wants SCIPY_ARRAY_API, for arrays on accelerators. Older releases do not list it.
    assert {*skipped} <= {"check_array_api_input"}


@pytest.mark.parametrize("method", METHODS)
def test_fitted_attributes_are_consistent(method, wine, costs):
    X, y = wine
    selector = small(method, costs=costs, penalty=0.5, n_features_to_select=4).fit(X, y)
    assert sorted(selector.ranking_) == list(range(13))
    assert list(selector.ranking_names_) == list(X.columns[selector.ranking_])
    np.testing.assert_allclose(selector.costs_, np.array(list(costs.values())) / 91)
    assert selector.support_.sum() == 4
    assert set(np.flatnonzero(selector.support_)) == set(selector.ranking_[:4])
    assert list(selector.steps_["feature"]) == list(selector.ranking_names_)
    np.testing.assert_array_equal(selector.steps_["score"], selector.scores_[selector.ranking_])
    np.testing.assert_allclose(selector.steps_["cost"], selector.costs_[selector.ranking_])
    assert selector.relevance_.shape == selector.scores_.shape == (13,)
    if method not in [*SEQUENTIAL, "forward-regression", "random", *WEIGHTED]:
        np.testing.assert_allclose(
            selector.scores_, selector.relevance_ - 0.5 * selector.costs_, atol=1e-12
        )


@pytest.mark.parametrize("method", SEQUENTIAL)
def test_terms_of_each_step_add_up_to_the_score(method, wine, costs):
    steps = small(method, costs=costs, penalty=2).fit(*wine).steps_
    interaction = steps["interaction"] if method != "mrmr" else 0
    partner = steps["partner"] if method == "jmim" else 0
    total = steps["relevance"] - steps["redundancy"] + interaction + partner - 2 * steps["cost"]
    np.testing.assert_allclose(steps["score"], total, atol=1e-12)
    assert ("interaction" in steps) == (method != "mrmr")


@pytest.mark.parametrize("method", METHODS)
def test_works_with_pandas_pipelines_pickle_and_clone(method, wine, costs):
    X, y = wine
    selector = small(method, costs=costs, penalty=0.1, n_features_to_select=3)
    out = clone(selector).set_output(transform="pandas").fit(X, y).transform(X)
    fitted = selector.fit(X, y)
    assert list(out.columns) == list(fitted.get_feature_names_out())
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.ranking_, fitted.ranking_)
    pipe = make_pipeline(clone(selector), StandardScaler(), KNeighborsClassifier())
    assert pipe.fit(X, y).score(X, y) > 0.4


def test_penalty_works_in_grid_search(wine):
    X, y = wine
    costs = pd.Series(np.arange(13.0), index=X.columns)
    pipe = make_pipeline(MRMR(costs=costs, n_features_to_select=2), KNeighborsClassifier())
    search = GridSearchCV(pipe, {"mrmr__penalty": [0, 1000]}, cv=3).fit(X, y)
    cheapest = list(X.columns[:2])
    scores = search.cv_results_["mean_test_score"]
    assert scores[0] > scores[1]
    assert sorted(pipe.set_params(mrmr__penalty=1000).fit(X, y)[0].get_feature_names_out()) == (
        sorted(cheapest)
    )


# Costs


@pytest.mark.parametrize("method", [m for m in METHODS if m not in WEIGHTED])
@pytest.mark.parametrize("charge", ["alone", "shared"])
def test_huge_penalty_ranks_by_cost(method, charge, wine, costs):
    selector = small(method, costs=costs, penalty=1e9, charge=charge).fit(*wine)
    assert list(selector.ranking_names_) == sorted(costs, key=costs.get)


@pytest.mark.parametrize("method", METHODS)
def test_all_forms_of_costs_give_the_same_ranking(method, wine, costs):
    X, y = wine
    forms = [
        list(costs.values()),
        np.array(list(costs.values())),
        costs,
        pd.Series(costs),
        CostModel(costs),
        CostModel({**costs, "another column": 3.0}),
    ]
    rankings = [list(small(method, costs=c, penalty=1).fit(X, y).ranking_) for c in forms]
    assert all(ranking == rankings[0] for ranking in rankings)
    by_position = pd.Series(list(costs.values()))
    selector = small(method, costs=by_position, penalty=1).fit(X.to_numpy(), y)
    assert list(selector.ranking_) == rankings[0]


@pytest.mark.parametrize(
    ("costs", "message"),
    [
        ([1.0] * 12, "one cost for each of 13 columns; got 12"),
        ([np.nan] + [1.0] * 12, "is nan; expected a finite number"),
        ([np.inf] + [1.0] * 12, "is inf; expected a finite number"),
        ([-1.0] + [1.0] * 12, "is -1.0; expected a finite number, 0 or more"),
        (["expensive"] + [1.0] * 12, "is 'expensive'; expected a number"),
        ({"alcohol": 1.0}, "got none for 'malic_acid' .12 of 13 columns have none"),
        (CostModel({"alcohol": 1.0}), "got none for 'malic_acid'"),
    ],
)
@pytest.mark.parametrize("method", METHODS)
def test_invalid_costs_are_refused(method, costs, message, wine):
    with pytest.raises(CostError, match=message):
        small(method, costs=costs).fit(*wine)


def test_costs_by_name_need_column_names(wine):
    X, y = wine
    with pytest.raises(
        CostError, match=r"need a table with column names; got an array. Pass a pandas"
    ):
        JMI(costs=CostModel(dict.fromkeys(X.columns, 1.0))).fit(X.to_numpy(), y)


@pytest.mark.parametrize("method", METHODS)
def test_penalty_without_costs_warns_and_has_no_effect(method, wine):
    with pytest.warns(UserWarning, match="no effect without `costs`; got penalty=3"):
        warned = small(method, penalty=3).fit(*wine)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        classic = small(method).fit(*wine)
        free = small(method, costs=np.zeros(13), penalty=3).fit(*wine)
    assert list(warned.ranking_) == list(classic.ranking_) == list(free.ranking_)
    assert not classic.costs_.any()


@pytest.mark.parametrize("method", METHODS)
def test_cost_scale(method, wine, costs):
    """Shares do not depend on the unit of the costs; raw costs are not scaled."""
    expensive = {name: 1e6 * cost for name, cost in costs.items()}
    one, other = (small(method, costs=c, penalty=0.5).fit(*wine) for c in (costs, expensive))
    np.testing.assert_array_equal(one.ranking_, other.ranking_)
    raw = small(method, costs=costs, penalty=0.5 / 91, cost_scale="raw").fit(*wine)
    np.testing.assert_array_equal(raw.costs_, list(costs.values()))
    if method not in [*WEIGHTED, "random"]:
        np.testing.assert_array_equal(raw.ranking_, one.ranking_)


def test_ties_go_to_the_cheaper_then_the_earlier_column():
    rng = np.random.default_rng(0)
    column = rng.normal(size=200)
    X = np.column_stack([column] * 4)
    y = column > 0
    chosen = ReliefF(costs=[2, 1, 1, 3]).fit(X, y)
    assert list(chosen.ranking_) == [1, 2, 0, 3]


# Shared steps


LAB = CostModel(
    {"glucose": 1.0, "sodium": 1.0, "urea": 1.0, "scan": 9.0, "age": 0.0},
    {"glucose": ["blood"], "sodium": ["blood"], "urea": ["blood"]},
    {"blood": 10.0},
)


def clinic(n=600):
    """Two blood values separate six classes jointly; a scan can replace the second one."""
    rng = np.random.default_rng(8)
    y = rng.integers(0, 6, n)
    frame = pd.DataFrame(rng.normal(size=(n, 5)), columns=list(LAB.own))
    frame["glucose"] += 6 * (y % 3)
    frame["sodium"] += 5 * (y // 3)
    frame["scan"] += 5 * (y // 3)
    return frame, y


@pytest.mark.parametrize("method", ["mrmr", "jmi", "jmim", "relieff", "penalized-mdi"])
def test_shared_costs_select_a_cheaper_set(method):
    """A scan is cheaper than a second blood value alone, but not after the sample is paid."""
    X, y = clinic()
    sets, accuracies = {}, {}
    for charge in ("alone", "shared"):
        selector = small(method, costs=LAB, penalty=0.5, charge=charge, n_features_to_select=2)
        chosen = sorted(selector.fit(X, y).get_feature_names_out())
        sets[charge] = chosen
        accuracies[charge] = cross_val_score(KNeighborsClassifier(10), X[chosen], y, cv=5).mean()
    assert sets == {"alone": ["glucose", "scan"], "shared": ["glucose", "sodium"]}
    assert LAB.cost_of_set(sets["shared"], "shared") == 12
    assert LAB.cost_of_set(sets["alone"], "shared") == 20
    assert accuracies["shared"] > accuracies["alone"] - 0.01
    assert accuracies["alone"] > 0.95


def test_column_costs_equal_those_of_the_cost_model():
    """One of the features is computed from others."""
    from netchoice.selection.column_costs import ColumnCosts

    names = ["glucose", "sodium", "ratio", "scan"]
    lab = CostModel(
        {"glucose": 2, "sodium": 3, "ratio": 0.5, "scan": 40, "unused": 7},
        {
            "glucose": ["blood"],
            "sodium": ["blood"],
            "ratio": ["glucose", "sodium", "blood"],
        },
        {"blood": 10},
    )
    for charge in ("alone", "shared"):
        ours = ColumnCosts(lab, names, labels=names, scale="raw", charge=charge)
        for selected in itertools.chain(*(itertools.permutations(range(4), k) for k in range(4))):
            given = [names[i] for i in selected]
            assert ours.cost_of_set(selected) == lab.cost_of_set(given, charge)
            expected = [lab.marginal_cost(name, given, charge) for name in names]
            remaining = [i for i in range(4) if i not in selected]
            np.testing.assert_allclose(
                ours.marginal_costs(selected)[remaining], np.array(expected)[remaining]
            )


def test_each_step_pays_the_marginal_cost():
    X, y = clinic()
    selector = JMI(costs=LAB, penalty=1, charge="shared", cost_scale="raw").fit(X, y)
    names = list(selector.ranking_names_)
    paid = [LAB.marginal_cost(name, names[:i], "shared") for i, name in enumerate(names)]
    np.testing.assert_allclose(selector.steps_["cost"], paid)
    assert sum(paid) == pytest.approx(LAB.cost_of_set(names, "shared"))


@pytest.mark.parametrize("method", [m for m in METHODS if m not in WEIGHTED])
def test_charge_has_no_effect_without_shared_steps(method, wine, costs):
    alone, shared = (
        small(method, costs=list(costs.values()), penalty=1, charge=charge).fit(*wine)
        for charge in ("alone", "shared")
    )
    np.testing.assert_array_equal(alone.ranking_, shared.ranking_)


def test_weighted_forest_refuses_shared_costs(wine):
    with pytest.raises(UsageError, match="alone"):
        WeightedForest(costs=np.ones(13), charge="shared").fit(*wine)


# The greedy loop against the reference implementation


@pytest.mark.parametrize("charge", ["alone", "shared"])
@pytest.mark.parametrize("penalty", [0, 0.3, 5])
@pytest.mark.parametrize("method", SEQUENTIAL)
def test_sequential_methods_equal_the_reference_implementation(method, penalty, charge):
    X, y = clinic(300)
    selector = get_selector(
        method, costs=LAB, penalty=penalty, charge=charge, estimator="published"
    )
    options = {"estimator": "published", "seed": selector._check_data(X, y).seed}
    relevance = information.relevance(X.to_numpy(), y, **options)
    pairs = information.redundancy(X.to_numpy(), **options)
    given = information.conditional_redundancy(X.to_numpy(), y, **options)
    criterion = {
        "mrmr": lambda k, selected: naive.mrmr(relevance, pairs, k, selected),
        "jmi": lambda k, selected: naive.jmi(relevance, pairs, given, k, selected),
        "jmim": lambda k, selected: naive.jmim(relevance, pairs, given, k, selected),
    }[method]
    total = sum(LAB.alone().values())
    own = [LAB.own[name] / total for name in X.columns]
    uses = [LAB.uses.get(name, ()) for name in X.columns]
    alone = naive.Alone([LAB.cost(name) / total for name in X.columns])
    cost = alone if charge == "alone" else naive.Shared(own, uses, {"blood": 10 / total})
    assert list(selector.fit(X, y).ranking_) == naive.greedy(criterion, cost, penalty)


def test_redundancy_can_be_a_sum(wine):
    X, y = wine
    selector = JMI(redundancy="sum")
    seed = selector._check_data(X, y).seed
    values = X.to_numpy()
    relevance = information.relevance(values, y, seed=seed)
    pairs = information.redundancy(values, seed=seed)
    given = information.conditional_redundancy(values, y, seed=seed)

    def criterion(k, selected):
        return naive.jmi(relevance, pairs, given, k, selected, over=np.sum)

    ours = list(selector.fit(X, y).ranking_)
    assert ours == naive.greedy(criterion, naive.Alone(np.zeros(13)), 0)
    assert ours != list(JMI().fit(X, y).ranking_)
    with pytest.raises(UsageError, match="`redundancy` must be 'mean' or 'sum'; got 'max'"):
        MRMR(redundancy="max").fit(X, y)


def test_the_two_forms_of_jmi_agree():
    """I(k;y) − mean I(j;k) + mean I(j;k|y) = mean I(k,j;y) − mean I(j;y), with relative frequencies."""
    rng = np.random.default_rng(3)
    X = rng.integers(0, 3, (80, 5)).astype(float)
    y = (X[:, 0] + X[:, 1] * X[:, 2] + rng.integers(0, 2, 80)) % 3
    selector = JMI(estimator="plugin").fit(X, y)
    selected = []
    for step in selector.steps_.itertuples():
        k = int(step.feature[1:])
        if selected:
            joint = np.mean([naive.joint_information(X[:, k], X[:, j], y) for j in selected])
            alone = np.mean([selector.relevance_[j] for j in selected])
            assert step.score == pytest.approx(joint - alone, abs=1e-12)
        selected.append(k)


def test_jmim_is_the_smallest_joint_information():
    rng = np.random.default_rng(4)
    X = rng.integers(0, 3, (80, 5)).astype(float)
    y = (X[:, 0] + X[:, 1] * X[:, 2] + rng.integers(0, 2, 80)) % 3
    selector = JMIM(estimator="plugin").fit(X, y)
    selected = [int(selector.steps_["feature"][0][1:])]
    for step in list(selector.steps_.itertuples())[1:]:
        k = int(step.feature[1:])
        least = min(naive.joint_information(X[:, k], X[:, j], y) for j in selected)
        assert step.score == pytest.approx(least, abs=1e-12)
        selected.append(k)


# Tables of any kind


@pytest.mark.parametrize("method", DETERMINISTIC)
def test_order_of_columns_does_not_matter(method, wine, costs):
    X, y = wine
    X = X.drop(columns="magnesium").iloc[:, :8]  # no exact ties
    order, costs = np.random.default_rng(1).permutation(8), CostModel(costs)
    one = get_selector(method, costs=costs, penalty=0.2).fit(X, y)
    other = get_selector(method, costs=costs, penalty=0.2).fit(X.iloc[:, order], y)
    assert list(one.ranking_names_) == list(other.ranking_names_)


@pytest.mark.parametrize("method", METHODS)
def test_constant_duplicate_and_distinct_columns_are_ranked(method):
    """Constant, duplicate and all-distinct columns, few rows, text as labels, strided arrays."""
    rng = np.random.default_rng(2)
    y = np.array(["no", "yes", "maybe"] * 4, dtype=object)
    informative = np.array([0.0, 1.0, 2.0] * 4)
    X = np.column_stack(
        [np.ones(12), informative, informative, np.arange(12.0), rng.normal(size=12)]
    )
    fitted = small(method).fit(X, y)
    assert np.isfinite(fitted.scores_).all()
    assert np.isfinite(fitted.relevance_).all()
    strided = np.repeat(np.repeat(X, 2, axis=1), 3, axis=0)[::3, ::2]
    assert not strided.flags["C_CONTIGUOUS"]
    np.testing.assert_array_equal(small(method).fit(strided, y).ranking_, fitted.ranking_)
    fortran = small(method).fit(np.asfortranarray(X), list(y))
    np.testing.assert_array_equal(fortran.ranking_, fitted.ranking_)
    if method != "random":
        assert fitted.relevance_[0] < fitted.relevance_[1]  # the constant one


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (np.ones((6, 2)), ["a"] * 6, "one class only, 'a', in all 6 rows"),
        ([[1.0, np.inf], [2.0, 3.0]], [0, 1], "infinite"),
        ([[1.0], [2.0], [3.0]], [0.5, 0.5, 0.5], "at least two different values in each column"),
        ([[1.0], [2.0]], np.array([0, "a"], dtype=object), "labels of one type; got int, str"),
        ([["red"], ["blue"]], [0, 1], "`X` must hold numbers; got"),
        ([[1.0], [2.0]], [0, 1, 1], "inconsistent numbers of samples"),
        (pd.DataFrame(index=range(3)), [0, 1, 1], "at least 1 column; got 0 feature"),
    ],
)
def test_invalid_tables_are_refused(method, X, y, message):
    with pytest.raises(ValueError, match=message):
        small(method).fit(X, y)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"penalty": -1}, "`penalty` must be a non-negative number; got -1"),
        ({"penalty": np.inf}, "`penalty` must be .* got inf"),
        ({"penalty": "much"}, "`penalty` must be .* got 'much'"),
        ({"charge": "twice"}, "`charge` must be 'alone' or 'shared'; got 'twice'"),
        ({"cost_scale": "log"}, "`cost_scale` must be 'share' or 'raw'; got 'log'"),
        (
            {"n_features_to_select": 14},
            "`n_features_to_select` must be an integer from 1 to 13, .* got 14",
        ),
        ({"n_features_to_select": 0}, "`n_features_to_select` must be .* got 0"),
        ({"n_features_to_select": 1.5}, "`n_features_to_select` must be .* got 1.5"),
    ],
)
def test_invalid_parameters_are_refused(method, parameters, message, wine):
    with pytest.raises(ValueError, match=message):
        small(method, **parameters).fit(*wine)


def test_columns_by_mask_position_and_name(wine):
    X, y = wine
    table = X.assign(colour=np.arange(len(y)) % 3)
    forms = [["colour"], [13], [False] * 13 + [True], "colour"]
    ours = [JMI(discrete_features=form, estimator="published").fit(table, y) for form in forms]
    for selector in ours[1:]:
        np.testing.assert_array_equal(selector.scores_, ours[0].scores_)
    with pytest.raises(
        UsageError, match=r"`discrete_features` must hold column names, .* got 'color'"
    ):
        JMI(discrete_features=["color"]).fit(table, y)
    with pytest.raises(
        UsageError, match=r"`nominal_features` must hold .* positions from 0 to 13, .* got 14"
    ):
        ReliefF(nominal_features=[14]).fit(table, y)
    with pytest.raises(UsageError, match="one bool for each of 14 columns; got 2"):
        JMI(discrete_features=[True, False]).fit(table, y)


@pytest.mark.parametrize("method", METHODS)
def test_results_do_not_depend_on_threads(method, wine):
    one, two = (small(method, n_jobs=n).fit(*wine) for n in (1, 2))
    np.testing.assert_array_equal(one.scores_, two.scores_)


@pytest.mark.parametrize("method", [m for m in METHODS if m not in ("mrmr", "random")])
def test_five_jointly_informative_features_rank_above_noise(method):
    rng = np.random.default_rng(2026)
    n = 5000
    informative = rng.normal(size=(n, 5))
    informative[:, 3] = np.round(2 * informative[:, 3])
    informative[:, 4] = np.exp(informative[:, 4] / 2)
    total = informative[:, :3].sum(axis=1)
    total = total + informative[:, 3] / 2 + 2 * np.log(informative[:, 4])
    y = np.digitize(total + rng.normal(size=n), [-1.5, 1.5])
    noise = np.column_stack([rng.normal(size=(n, 12)), rng.integers(0, 50, (n, 8))])
    X = np.column_stack([noise[:, :10], informative, noise[:, 10:]])
    trees = {"n_trees": 150} if method in FORESTS else {}
    ranking = get_selector(method, n_jobs=2, **trees).fit(X, y).ranking_
    assert set(ranking[:5]) == {10, 11, 12, 13, 14}


# Random ranking


def test_random_ranking_draws_by_cost():
    """The first two draws follow C^(−λ); chi-square tests with alpha = 1e-4."""
    from dataclasses import replace

    from scipy.stats import chisquare

    costs = [1.0, 2.0, 4.0, 0.0]  # a free column counts as the cheapest
    selector = get_selector("random", costs=costs, penalty=1.5)
    data = selector._check_data(np.zeros((4, 4)), [0, 1, 0, 1])
    first, second = np.zeros(4), np.zeros(4)
    for seed in range(4000):
        drawn = selector._rank(replace(data, seed=seed), data.costs)
        first[drawn[0].column] += 1
        second[drawn[1].column] += drawn[0].column == 0
    weights = np.array([1.0, 2.0, 4.0, 1.0]) ** -1.5
    assert chisquare(first, weights / weights.sum() * first.sum()).pvalue > 1e-4
    rest = weights[1:] / weights[1:].sum()
    assert chisquare(second[1:], rest * second.sum()).pvalue > 1e-4
    assert second[0] == 0


# Paths


PENALTIES = [0, 0.1, 1, 10]


@pytest.mark.parametrize("method", METHODS)
def test_path_equals_single_fits(method, wine, costs):
    X, y = wine
    path = selection.rank_path(small(method, costs=costs), X, y, PENALTIES)
    assert list(path.columns) == ["method", "penalty", "position", "feature", "score"]
    assert len(path) == 13 * len(PENALTIES)
    for penalty in PENALTIES:
        single = small(method, costs=costs, penalty=penalty).fit(X, y)
        part = path[path["penalty"] == penalty]
        assert list(part["feature"]) == list(single.ranking_names_)
        assert list(part["position"]) == list(range(1, 14))
        np.testing.assert_array_equal(part["score"], single.scores_[single.ranking_])
        assert set(part["method"]) == {method}
    short = selection.rank_path(small(method, costs=costs), X, y, PENALTIES, n_positions=4)
    first = path[path["position"] <= 4].reset_index(drop=True)
    pd.testing.assert_frame_equal(short, first)


def test_paths_share_statistics(wine, costs, monkeypatch):
    X, y = wine
    computed = []
    for cls in (selection.MRMR, selection.PenalizedForest, WeightedForest):
        base = next(c for c in cls.__mro__ if "_compute_statistics" in vars(c))
        original = base._compute_statistics

        def counted(self, data, group, original=original):
            computed.append(self.method)
            return original(self, data, group)

        monkeypatch.setattr(base, "_compute_statistics", counted)
    several = [small(m, costs=costs) for m in [*SEQUENTIAL, *FORESTS[1:]]]
    path = selection.rank_path(several, X, y, PENALTIES)
    assert computed.count("mrmr") == 1
    assert not {"jmi", "jmim", "penalized-mda", "weighted-mda"} & set(computed)
    assert computed.count("penalized-mdi") == 1
    assert computed.count("weighted-mdi") == len(PENALTIES)
    single = small("weighted-mda", costs=costs, penalty=1).fit(X, y)
    part = path[(path["method"] == "weighted-mda") & (path["penalty"] == 1)]
    assert list(part["feature"]) == list(single.ranking_names_)


def test_path_of_named_selectors(wine, costs):
    X, y = wine
    named = {e: JMI(costs=costs, estimator=e) for e in ("calibrated", "published")}
    seen = []
    path = selection.rank_path(named, X, y, [0, 1], on_progress=lambda *done: seen.append(done))
    assert list(dict.fromkeys(path["method"])) == ["calibrated", "published"]
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]
    with pytest.raises(UsageError, match="must have different methods; got 'jmi' twice"):
        selection.rank_path(list(named.values()), X, y, [0])
    with pytest.raises(UsageError, match="`penalties` must have at least one value"):
        selection.rank_path(JMI(), X, y, [])
    with pytest.raises(UsageError, match="`penalties` must be a non-negative number; got -1"):
        selection.rank_path(JMI(), X, y, [0, -1])
    with pytest.raises(UsageError, match="`selector` must hold at least one selector; got none"):
        selection.rank_path([], X, y, [0])


# Selectors of users, and special cases


class Power(selection.CostAwareSelector):
    """A user's method with its own parameter and `__init__`."""

    def __init__(self, *, power=1, costs=None, penalty=0.0, random_state=0):
        super().__init__(costs=costs, penalty=penalty, random_state=random_state)
        self.power = power

    def _compute_statistics(self, data, group):
        return data.X.mean(axis=0) ** self.power

    def _information(self, statistics, selected):
        return Terms(statistics)


def test_selectors_with_different_parameters_do_not_share_statistics(wine):
    X, y = wine
    path = selection.rank_path({"up": Power(), "down": Power(power=-1)}, X, y, [0])
    up, down = (list(path[path["method"] == m]["feature"]) for m in ("up", "down"))
    assert up == list(Power().fit(X, y).ranking_names_)
    assert down == list(Power(power=-1).fit(X, y).ranking_names_)
    assert up == down[::-1]
    assert Power().method == "power"
    values = np.arange(1.0, 14)
    one, other = pd.Series(values, X.columns), pd.Series(values, X.columns[::-1])
    forests = {"one": small("weighted-mdi", costs=one), "other": small("weighted-mdi", costs=other)}
    path = selection.rank_path(forests, X, y, [5])
    for name, costs in (("one", one), ("other", other)):
        single = small("weighted-mdi", costs=costs, penalty=5).fit(X, y)
        assert list(path[path["method"] == name]["feature"]) == list(single.ranking_names_)
    assert _hashable([True, False]) != _hashable([1, 0])
    assert _hashable(np.array([1, 2])) == _hashable(np.array([1, 2]))


def test_relevance_is_that_of_the_column_alone(wine):
    X, y = wine
    relevance = [get_selector(m).fit(X, y).relevance_ for m in SEQUENTIAL]
    np.testing.assert_array_equal(relevance[0], relevance[1])
    np.testing.assert_array_equal(relevance[0], relevance[2])


def test_costs_of_frames_with_integer_column_labels(wine):
    X, y = wine
    frame = X.iloc[:, :3].set_axis([1, 0, 7], axis=1)
    costs = pd.Series({0: 2.0, 1: 9.0, 7: 1.0})
    fitted = MRMR(costs=costs, cost_scale="raw").fit(frame, y)
    np.testing.assert_array_equal(fitted.costs_, [9, 2, 1])
    with pytest.raises(CostError, match="must name each column once; got a repeated name"):
        MRMR(costs=pd.Series([1.0, 2.0, 3.0], index=["a", "b", "a"])).fit(frame, y)
    with pytest.raises(CostError, match="`costs` by name need a table with column names"):
        MRMR(costs={"a": 1.0}).fit(frame.to_numpy(), y)


def test_equal_costs_of_different_steps_tie_exactly():
    """Different steps with the same costs add up to the same sum, to the last bit."""
    steps = {"s0": 0.3, "s1": 0.7, "s2": 0.2, "s3": 0.3, "s4": 0.7, "s5": 0.2}
    model = CostModel(
        {"a": 0.1, "b": 0.1}, {"a": ["s0", "s1", "s2"], "b": ["s5", "s3", "s4"]}, steps
    )
    from netchoice.selection.column_costs import ColumnCosts

    costs = ColumnCosts(model, ["a", "b"], labels=["a", "b"], charge="shared")
    assert costs.marginal_costs([])[0] == costs.marginal_costs([])[1]


def test_huge_penalties_rank_equal_costs_by_information(wine):
    X, y = wine
    classic = MRMR().fit(X, y)
    for penalty in (1e17, 1e300):
        expensive = MRMR(costs=np.ones(13), penalty=penalty).fit(X, y)
        np.testing.assert_array_equal(expensive.ranking_, classic.ranking_)


def test_nan_as_information_is_an_error(wine):
    class Broken(Power):
        def _compute_statistics(self, data, group):
            return np.full(13, np.nan)

    with pytest.raises(UsageError, match="must return a number for every column; got NaN"):
        Broken().fit(*wine)


def test_terms_add_up():
    one, two = np.array([1.0]), np.array([2.0])
    assert Terms(one, interaction=two).information == 3
    assert Terms(one, two, one, two).information == 2


@pytest.mark.parametrize("method", METHODS)
def test_parameters_may_be_numpy_numbers(method, wine):
    selector = small(method, n_jobs=np.int64(2), n_features_to_select=np.float32(0.5))
    assert selector.fit(*wine).support_.sum() == 6
    with pytest.raises(UsageError, match=r"\(`n_jobs`\) must be None, -1 or"):
        small(method, n_jobs=0).fit(*wine)
    with pytest.raises(UsageError, match=r"`penalty` must be .* got True"):
        small(method, penalty=True).fit(*wine)


def test_path_refuses_what_is_not_a_selector(wine):
    for value, message in [
        ({}, "at least one selector; got none"),
        ("jmi", "must be a selector .* got 'jmi'"),
        ([1], "must be a selector .* got 1"),
    ]:
        with pytest.raises(UsageError, match=message):
            selection.rank_path(value, *wine, [0])
