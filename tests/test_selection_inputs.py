"""What selectors refuse, in one line each, and what a budget pays for."""

import naive_selection as naive
import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn.datasets import load_wine

from netchoice import CostModel, information
from netchoice.costs import CostError
from netchoice.errors import UsageError
from netchoice.selection import JMI, METHODS, get_selector

rng = np.random.default_rng(0)
X = pd.DataFrame(rng.normal(size=(60, 3)), columns=["a", "b", "c"])
Y = (X["a"] > 0).astype(int)


def refused(selector, X, y, kind=UsageError):
    with pytest.raises(kind) as refusal:
        selector.fit(X, y)
    assert isinstance(refusal.value, ValueError), "scikit-learn expects a ValueError"
    message = str(refusal.value)
    assert "\n" not in message
    return message


@pytest.mark.parametrize(
    ("column", "found"),
    [
        (pd.Timestamp("2020-02-03"), "holds dates or times: replace it by a number"),
        (["2020-02-03", None] * 30, "holds dates or times"),
        ([1.5, "?"] * 30, "holds numbers and text such as '?': write all values as numbers"),
        ([f"name {i}" for i in range(60)], "holds 60 different texts in 60 rows: drop it"),
        ([{}] * 60, "holds a dict: drop the column"),
    ],
)
def test_columns_that_hold_no_numbers_are_named(column, found):
    message = refused(JMI(), X.assign(b=column), Y)
    assert f"the column 'b' {found}" in message


COLOURS = np.where(Y, "red", rng.choice(["blue", "green"], 60)).astype(object)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", [object, "category"])
def test_text_is_a_category(method, kind):
    """Without missing values all methods take it; a budget of half keeps the text of the columns."""
    table = X.assign(b=pd.Series(COLOURS, dtype=kind))
    fitted = get_selector(method, n_features_to_select=2).fit(table, Y)
    if method != "random":
        assert "b" in fitted.ranking_names_[:2]
    shown = fitted.set_output(transform="pandas").transform(table)
    assert list(shown.columns) == list(fitted.get_feature_names_out())


@pytest.mark.parametrize("method", ["mrmr", "jmi", "jmim", "forward-regression", "random"])
def test_missing_values_are_taken_by_methods_of_information(method):
    """What is missing in column d, and the text of column e, show the class."""
    table = X.assign(d=np.where(Y & (rng.random(60) < 0.9), np.nan, 1.0), e=COLOURS)
    table.loc[::7, "e"] = None
    table.loc[::5, "b"] = np.nan
    table["f"] = np.nan
    fitted = get_selector(method).fit(table, Y)
    if method != "random":
        best = np.argsort(-fitted.relevance_)[:3]
        assert {list(table)[k] for k in best} == {"a", "d", "e"}
        assert fitted.relevance_[list(table).index("f")] == pytest.approx(0, abs=1e-9)
    assert fitted.set_output(transform="pandas").transform(table).isna().any(axis=None)
    numbers = get_selector(method, n_features_to_select=1).fit(table, X["a"])
    assert method == "random" or list(numbers.get_feature_names_out()) == ["a"]


def test_text_in_arrays_and_lists_is_refused():
    assert "got 'x' in the column 1" in refused(JMI(), X.assign(b="x").to_numpy(), Y)
    assert "got 'x' in the column 0" in refused(JMI(), [["x", 1.0]] * 60, Y)


def test_numbers_as_text_are_numbers():
    np.testing.assert_array_equal(JMI().fit(X.astype(str), Y).ranking_, JMI().fit(X, Y).ranking_)


@pytest.mark.parametrize("value", [np.nan, np.inf, None])
def test_missing_and_infinite_values_are_named(value):
    table = X.copy()
    table.loc[7, "c"] = value
    message = refused(get_selector("relieff"), table, Y)
    assert "in the column 'c'. Drop or impute them; mrmr, jmi, jmim, " in message
    if value == np.inf:
        assert "must not be infinite; got infinity (inf) in the column 'c'" in refused(
            JMI(), table, Y
        )


def test_sparse_tables_are_refused():
    for table in (scipy.sparse.csr_matrix(X), scipy.sparse.csc_array(X)):
        assert "pass X.toarray()" in refused(JMI(), table, Y)


@pytest.mark.parametrize(
    "y",
    [
        [None, 1] * 30,
        [None] * 60,
        pd.Series([None, "a", "b"] * 20),
        pd.Series([np.nan, "a", "b"] * 20, dtype=object),
        pd.Series([pd.NA, "a", "b"] * 20, dtype="string"),
    ],
)
def test_missing_labels_are_counted(y):
    n_missing = int(pd.isna(pd.Series(y)).sum())
    assert f"in {n_missing} of 60 rows. Drop those rows" in refused(JMI(), X, y)


def test_ragged_target_is_refused():
    assert "lists of different lengths" in refused(JMI(), X, [[1], [1, 2]] * 30)


def test_costs_by_name_have_several_forms():
    by_name = {"a": 1.0, "b": 2.0, "c": 3.0}
    series = pd.Series(by_name)
    forms = [by_name, series, series.iloc[::-1], series.to_frame("euro"), CostModel(by_name)]
    for costs in forms:
        np.testing.assert_allclose(JMI(costs=costs).fit(X, Y).costs_, [1 / 6, 2 / 6, 3 / 6])


@pytest.mark.parametrize(
    ("costs", "message"),
    [
        (pd.DataFrame({"name": ["a", "b", "c"], "cost": [1, 2, 3]}), "3 rows and 2 columns"),
        (pd.Series([1.0, 2.0, 3.0]), r"pass costs\.to_numpy\(\)"),
        (5.0, "one number for each feature; got 5.0"),
        ("costs.csv", r"got 'costs\.csv'. CostModel\.from_file reads a file"),
        (
            {"a": 1, "b": 2, "c": 3, "bb": 4},
            "for 'bb', which is not a column of the table; did you mean 'b'",
        ),
        ([1.0, None, 2.0], "is None; expected a number"),
    ],
)
def test_wrong_costs_are_refused(costs, message):
    with pytest.raises(CostError, match=message) as refusal:
        JMI(costs=costs).fit(X, Y)
    assert "\n" not in str(refusal.value)


def test_cost_model_may_describe_more_columns():
    costs = CostModel({"a": 1, "b": 2, "c": 3, "d": 100})
    np.testing.assert_allclose(JMI(costs=costs, cost_scale="raw").fit(X, Y).costs_, [1, 2, 3])


WINE, CULTIVAR = load_wine(return_X_y=True, as_frame=True)
WINE = WINE.iloc[:, :7]
COSTS = dict(zip(WINE.columns, [5.0, 1.0, 2.0, 8.0, 3.0, 4.0, 9.0], strict=True))


@pytest.mark.parametrize("budget", [1.0, 3.0, 6.0, 12.0, 31.0, 32.0, 100.0])
@pytest.mark.parametrize("penalty", [0.0, 0.05])
def test_budget_agrees_with_reference(budget, penalty):
    """Each step takes the best column that the rest of the budget pays for."""
    selector = JMI(costs=COSTS, cost_scale="raw", penalty=penalty, budget=budget)
    values, seed = WINE.to_numpy(), selector._check_data(WINE, CULTIVAR).seed
    relevance = information.relevance(values, CULTIVAR, seed=seed)
    pairs = information.redundancy(values, seed=seed)
    given = information.conditional_redundancy(values, CULTIVAR, seed=seed)

    def criterion(k, selected):
        return naive.jmi(relevance, pairs, given, k, selected)

    expected = naive.greedy_within(criterion, naive.Alone(list(COSTS.values())), penalty, budget)
    selector.fit(WINE, CULTIVAR)
    assert set(np.flatnonzero(selector.support_)) == set(expected)
    assert list(selector.ranking_[: len(expected)]) == expected
    assert sorted(selector.ranking_) == list(range(7))


@pytest.mark.parametrize("method", METHODS)
def test_budget_holds_for_every_method(method):
    trees = {"n_trees": 20} if "forest" in method or "-md" in method else {}
    options = {"costs": COSTS, "cost_scale": "raw", **trees}
    selector = get_selector(method, budget=11.0, **options).fit(WINE, CULTIVAR)
    cost = selector.costs_[selector.support_].sum()
    assert 0 < cost <= 11
    others = selector.costs_[~selector.support_]
    assert (cost + others > 11).all(), "the budget pays for another column"
    fewer = get_selector(method, budget=11.0, n_features_to_select=1, **options).fit(WINE, CULTIVAR)
    assert fewer.support_.sum() == 1


def test_budget_has_the_unit_of_the_costs_or_is_a_share():
    """Costs add up to 32; the scale of the costs does not change what a budget means."""
    chosen = JMI(costs=COSTS, budget="25%").fit(WINE, CULTIVAR)
    for options in ({"cost_scale": "raw"}, {"cost_scale": "share"}):
        same = JMI(costs=COSTS, budget=8.0, **options).fit(WINE, CULTIVAR)
        np.testing.assert_array_equal(chosen.support_, same.support_)
    assert chosen.costs_[chosen.support_].sum() <= 0.25 + 1e-12


def test_budget_pays_shared_steps_once():
    """b and c share a step of 5: after b, c costs its own 1."""
    costs = CostModel({"a": 7, "b": 1, "c": 1}, {"b": ["s"], "c": ["s"]}, {"s": 5})
    options = {"costs": costs, "cost_scale": "raw", "charge": "shared", "penalty": 100}
    assert list(JMI(budget=7, **options).fit(X, Y).support_) == [False, True, True]
    assert list(JMI(budget=6, **options).fit(X, Y).support_) == [False, True, False]
    assert JMI(budget=14, **options).fit(X, Y).support_.all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"budget": 0.5}, "`budget` needs `costs`"),
        ({"budget": -1, "costs": [1, 2, 3]}, "or a share such as 2%; got -1"),
        ({"budget": 0.1, "costs": [1, 2, 3]}, "at least 1, the cost of the cheapest column"),
    ],
)
def test_wrong_budgets_are_refused(options, message):
    assert message in refused(JMI(**options), X, Y)
