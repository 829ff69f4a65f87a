"""Behaviour that all selectors for numbers share, and what the others say of numbers."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_diabetes, make_friedman1
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

from netchoice import CostModel
from netchoice.errors import UsageError
from netchoice.selection import METHODS, get_selector, rank_path
from netchoice.selection.methods import NUMBER_METHODS

INFORMED = [method for method in NUMBER_METHODS if method != "random"]
#: Number of checks in the pinned version of scikit-learn.
N_CHECKS = 47


def friedman(n=400, q=9):
    """Return Friedman's first problem: five informative columns, then noise."""
    return make_friedman1(n, q, noise=0.5, random_state=1)


@pytest.fixture(scope="module")
def diabetes():
    return load_diabetes(return_X_y=True, as_frame=True)


@pytest.fixture(scope="module")
def costs(diabetes):
    return dict(
        zip(diabetes[0].columns, np.random.default_rng(5).permutation(10) + 1.0, strict=True)
    )


@pytest.mark.parametrize("method", NUMBER_METHODS)
def test_scikit_learn_checks(method):
    results = check_estimator(get_selector(method, target="numbers"), on_skip=None)
    n_checks = N_CHECKS - get_selector(method).supports_missing  # the one that refuses NaN
    assert sum(result["status"] == "passed" for result in results) == n_checks
    skipped = [result["check_name"] for result in results if result["status"] != "passed"]
    assert skipped == ["check_array_api_input"]  # wants SCIPY_ARRAY_API; for arrays on accelerators


@pytest.mark.parametrize("method", INFORMED)
def test_informative_columns_rank_before_noise(method):
    fitted = get_selector(method).fit(*friedman())
    assert fitted.target_ == "numbers"
    assert not hasattr(fitted, "classes_")
    assert set(fitted.ranking_[:5]) == {0, 1, 2, 3, 4}


@pytest.mark.parametrize("method", INFORMED)
def test_several_targets_share_a_ranking(method):
    """Columns that are informative about one of the targets rank before noise."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(400, 6))
    y = np.column_stack([X[:, 1], 1e6 * X[:, 4]]) + [0.3, 3e5] * rng.normal(size=(400, 2))
    assert set(get_selector(method).fit(X, y).ranking_[:2]) == {1, 4}
    for i, column in enumerate((1, 4)):
        assert get_selector(method).fit(X, y[:, i]).ranking_[0] == column
        assert get_selector(method).fit(X, y[:, [i]]).ranking_[0] == column


@pytest.mark.parametrize("method", INFORMED)
def test_rows_without_a_value_count_for_the_other_targets(method):
    """Each target has values in half of the rows: the relevance is the mean of two fits."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(400, 5))
    y = X[:, [0, 3]] + 0.3 * rng.normal(size=(400, 2))
    y[:200, 0] = np.nan
    y[200:, 1] = np.nan
    fitted = get_selector(method).fit(X, y)
    assert set(fitted.ranking_[:2]) == {0, 3}
    halves = [
        get_selector(method).fit(X[200:], y[200:, 0]).relevance_,
        get_selector(method).fit(X[:200], y[:200, 1]).relevance_,
    ]
    np.testing.assert_allclose(fitted.relevance_, np.mean(halves, axis=0), atol=1e-12)
    with pytest.raises(UsageError, match="two different values in each column; got fewer in 'y1'"):
        get_selector(method).fit(X[200:], y[200:])


@pytest.mark.parametrize("method", NUMBER_METHODS)
def test_units_of_targets_do_not_matter(method):
    X, y = friedman(150, 6)
    one, other = (get_selector(method).fit(X, values) for values in (y, 1024 * y))
    np.testing.assert_array_equal(one.ranking_, other.ranking_)
    np.testing.assert_allclose(one.relevance_, other.relevance_, atol=1e-9)


@pytest.mark.parametrize("method", NUMBER_METHODS)
def test_results_do_not_depend_on_threads(method):
    X, y = friedman(300, 6)
    one, two = (get_selector(method, n_jobs=n_jobs).fit(X, y) for n_jobs in (1, 2))
    np.testing.assert_array_equal(one.relevance_, two.relevance_)
    np.testing.assert_array_equal(one.ranking_, two.ranking_)


@pytest.mark.parametrize("method", NUMBER_METHODS)
def test_fitted_attributes_are_consistent(method, diabetes, costs):
    X, y = diabetes
    selector = get_selector(method, costs=costs, penalty=0.5, n_features_to_select=4).fit(X, y)
    assert sorted(selector.ranking_) == list(range(10))
    assert list(selector.ranking_names_) == list(X.columns[selector.ranking_])
    assert set(np.flatnonzero(selector.support_)) == set(selector.ranking_[:4])
    assert list(selector.steps_["feature"]) == list(selector.ranking_names_)
    np.testing.assert_array_equal(selector.steps_["score"], selector.scores_[selector.ranking_])
    np.testing.assert_allclose(selector.steps_["cost"], selector.costs_[selector.ranking_])


@pytest.mark.parametrize("method", NUMBER_METHODS)
def test_works_with_pandas_pipelines_pickle_and_clone(method, diabetes, costs):
    X, y = diabetes
    selector = get_selector(method, costs=costs, penalty=0.1, n_features_to_select=5)
    out = clone(selector).set_output(transform="pandas").fit(X, y).transform(X)
    fitted = selector.fit(X, y)
    assert list(out.columns) == list(fitted.get_feature_names_out())
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.ranking_, fitted.ranking_)
    frame = pd.DataFrame({"progression": y, "bmi": X["bmi"]})
    pipe = make_pipeline(clone(selector), LinearRegression()).fit(X, frame)
    assert pipe.predict(X).shape == (442, 2)


@pytest.mark.parametrize("method", NUMBER_METHODS)
def test_penalty_works_in_grid_search(method):
    """A penalty selects the cheapest columns, which are noise, so that the search rejects it."""
    X, y = friedman(200, 8)
    names = [f"x{i}" for i in range(8)]
    costs = dict(zip(names, [9.0] * 5 + [1.0] * 3, strict=True))
    selector = get_selector(method, costs=costs, n_features_to_select=3)
    pipe = make_pipeline(selector, KNeighborsRegressor())
    step = pipe.steps[0][0]
    search = GridSearchCV(pipe, {f"{step}__penalty": [0, 1000]}, cv=3)
    search.fit(pd.DataFrame(X, columns=names), y)
    assert sorted(search.best_estimator_.set_params(**{f"{step}__penalty": 1000}).fit(
        pd.DataFrame(X, columns=names), y
    )[0].get_feature_names_out()) == ["x5", "x6", "x7"]  # fmt: skip
    if method != "random":
        assert search.best_params_ == {f"{step}__penalty": 0}


@pytest.mark.parametrize("method", NUMBER_METHODS)
@pytest.mark.parametrize("charge", ["alone", "shared"])
def test_huge_penalty_ranks_by_cost(method, charge, diabetes, costs):
    selector = get_selector(method, costs=costs, penalty=1e9, charge=charge).fit(*diabetes)
    assert list(selector.ranking_names_) == sorted(costs, key=costs.get)


@pytest.mark.parametrize("method", NUMBER_METHODS)
def test_penalty_without_costs_warns_and_has_no_effect(method, diabetes):
    with pytest.warns(UserWarning, match="no effect without `costs`; got penalty=3"):
        warned = get_selector(method, penalty=3).fit(*diabetes)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        free = get_selector(method, costs=np.zeros(10), penalty=3).fit(*diabetes)
    assert list(warned.ranking_) == list(free.ranking_)


@pytest.mark.parametrize("method", NUMBER_METHODS)
def test_paths_equal_single_fits(method, diabetes, costs):
    X, y = diabetes
    penalties = [0, 0.5, 5]
    path = rank_path(get_selector(method, costs=costs), X, y, penalties)
    for penalty in penalties:
        fitted = get_selector(method, costs=costs, penalty=penalty).fit(X, y)
        rows = path[path["penalty"] == penalty].sort_values("position")
        assert rows["feature"].tolist() == fitted.ranking_names_.tolist()


LAB = CostModel(
    {"glucose": 1.0, "sodium": 1.0, "urea": 1.0, "scan": 9.0, "age": 0.0},
    {"glucose": ["blood"], "sodium": ["blood"], "urea": ["blood"]},
    {"blood": 10.0},
)


@pytest.mark.parametrize("method", ["mrmr", "jmi", "jmim"])
def test_shared_costs_select_a_cheaper_set(method):
    """A scan is cheaper than a second blood value alone, but not after the sample is paid."""
    rng = np.random.default_rng(8)
    X = pd.DataFrame(rng.uniform(size=(600, 5)), columns=list(LAB.own))
    X["scan"] = X["sodium"]
    y = 5 * X["glucose"] + 4 * X["sodium"] + 0.2 * rng.normal(size=600)
    sets = {}
    for charge in ("alone", "shared"):
        selector = get_selector(
            method, costs=LAB, penalty=0.3, charge=charge, n_features_to_select=2
        )
        sets[charge] = sorted(selector.fit(X, y).get_feature_names_out())
    assert sets == {"alone": ["glucose", "scan"], "shared": ["glucose", "sodium"]}


@pytest.mark.parametrize("method", NUMBER_METHODS)
def test_constant_duplicate_and_distinct_columns_are_ranked(method):
    rng = np.random.default_rng(2)
    informative = rng.normal(size=30)
    X = np.column_stack(
        [np.ones(30), informative, informative, np.arange(30.0), rng.normal(size=30)]
    )
    y = informative + 0.1 * rng.normal(size=30)
    fitted = get_selector(method).fit(X, y)
    assert np.isfinite(fitted.scores_).all()
    assert np.isfinite(fitted.relevance_).all()
    assert get_selector(method).fit(X[:2], y[:2]).ranking_.shape == (5,)
    if method != "random":
        assert fitted.relevance_[0] < fitted.relevance_[1]  # the constant one


@pytest.mark.parametrize("method", NUMBER_METHODS)
def test_integers_are_classes_unless_numbers_are_requested(method):
    X, y = friedman(120, 6)
    counts = np.digitize(y, np.quantile(y, [0.2, 0.4, 0.6, 0.8]))
    auto, classes, numbers = (
        get_selector(method, target=target).fit(X, counts)
        for target in ("auto", "classes", "numbers")
    )
    assert (auto.target_, classes.target_, numbers.target_) == ("classes", "classes", "numbers")
    np.testing.assert_array_equal(auto.scores_, classes.scores_)
    if method != "random":
        assert (auto.scores_ != numbers.scores_).any()


@pytest.mark.parametrize("method", NUMBER_METHODS)
@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([0.5, np.nan, 1.0, 2.0], "`y` must be finite"),
        ([0.5, np.inf, 1.0, 2.0], "`y` must be finite"),
        ([0.5, 0.5, 0.5, 0.5], "two different values in each column; got fewer in 'y'"),
    ],
)
def test_invalid_targets_are_refused(method, y, message):
    with pytest.raises(UsageError, match=message):
        get_selector(method).fit(np.arange(8.0).reshape(4, 2), y)


@pytest.mark.parametrize("method", [method for method in METHODS if method not in NUMBER_METHODS])
def test_methods_for_classes_name_those_that_take_numbers(method):
    X, y = friedman(60, 5)
    expected = (
        f"{method} ranks columns for classes; got numbers, which mrmr, jmi, jmim and forward-regression "
        'take. If the numbers are labels, pass target="classes" (--target classes)'
    )
    for target in (y, np.column_stack([y, y])):
        with pytest.raises(UsageError) as refusal:
            get_selector(method).fit(X, target)
        assert str(refusal.value) == expected
    with pytest.raises(UsageError, match=f"{method} ranks columns for classes"):
        rank_path(get_selector(method), X, y, [0])
