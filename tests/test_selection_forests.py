"""Selectors that use forest importances and costs."""

import numpy as np
import pytest

from netchoice.errors import UsageError
from netchoice.forests import grow_forest
from netchoice.selection.forest_importance import PenalizedForest, WeightedForest


def noisy(rng, n=300, q=12):
    X = rng.normal(size=(n, q))
    return X, (X[:, 3] + X[:, 8] + 0.5 * rng.normal(size=n) > 0).astype(int)


def test_penalized_forest_is_scaled_importance_minus_cost():
    X, y = noisy(np.random.default_rng(13))
    costs = np.arange(12.0)
    for importance in ("mdi", "mda"):
        selector = PenalizedForest(
            importance=importance, n_trees=30, costs=costs, penalty=2, random_state=4
        ).fit(X, y)
        seed = selector._check_data(X, y).seed
        forest = grow_forest(X, y, n_trees=30, importance=("mda",), seed=seed)
        raw = getattr(forest, importance)
        scaled = (raw - raw.min()) / (raw.max() - raw.min())
        np.testing.assert_allclose(selector.relevance_, scaled, atol=1e-12)
        np.testing.assert_allclose(selector.scores_, scaled - 2 * costs / 66, atol=1e-12)
        assert selector.method == f"penalized-{importance}"


def test_equal_importances_count_as_zero():
    X = np.ones((20, 3))
    selector = PenalizedForest(n_trees=5, costs=[3, 1, 2], penalty=1).fit(X, np.arange(20) % 2)
    assert selector.relevance_.tolist() == [0, 0, 0]
    assert selector.ranking_.tolist() == [1, 2, 0]


@pytest.mark.parametrize("importance", ["mdi", "mda"])
def test_weighted_forest_is_importance_in_a_forest_with_weights(importance):
    X, y = noisy(np.random.default_rng(14))
    costs = np.array([0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10], dtype=float)
    selector = WeightedForest(
        importance=importance, n_trees=30, costs=costs, penalty=1.5, cost_scale="raw"
    ).fit(X, y)
    log_weights = -1.5 * np.log(
        np.maximum(costs, 1)
    )  # free columns count as the cheapest of the others
    forest = grow_forest(
        X, y, n_trees=30, log_weights=log_weights, importance=("mda",),
        seed=selector._check_data(X, y).seed,
    )  # fmt: skip
    np.testing.assert_array_equal(selector.scores_, getattr(forest, importance))
    np.testing.assert_array_equal(selector.relevance_, selector.scores_)
    assert (np.diff(selector.scores_[selector.ranking_]) <= 0).all()


@pytest.mark.parametrize("costs", [np.zeros(12), np.full(12, 3.0)])
def test_equal_costs_give_the_unweighted_forest(costs):
    X, y = noisy(np.random.default_rng(15))
    plain = WeightedForest(n_trees=10).fit(X, y)
    with_costs = WeightedForest(n_trees=10, costs=costs, penalty=7).fit(X, y)
    np.testing.assert_array_equal(plain.scores_, with_costs.scores_)
    np.testing.assert_array_equal(plain.ranking_, PenalizedForest(n_trees=10).fit(X, y).ranking_)


@pytest.mark.parametrize("penalty", [204.8, 1e9, 1e308])
def test_weighted_forest_with_huge_penalty_uses_the_cheapest_columns(penalty):
    X, y = noisy(np.random.default_rng(16))
    costs = np.geomspace(1e-9, 1, 12)
    fitted = WeightedForest(n_trees=20, costs=costs, penalty=penalty).fit(X, y)
    assert set(fitted.ranking_[:3]) == {0, 1, 2}
    assert (fitted.scores_[3:] == 0).all()
    assert fitted.ranking_[3:].tolist() == list(
        range(3, 12)
    )  # equal scores: the cheaper column first


@pytest.mark.parametrize("selector", [PenalizedForest, WeightedForest])
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"importance": "gain"}, "`importance` must be 'mdi' or 'mda'; got 'gain'"),
        ({"n_trees": 0}, "`n_trees` must be an integer from 1 to .* got 0"),
        ({"min_leaf": 0}, "`min_leaf` must be an integer from 1 to .* got 0"),
        ({"max_features": 13}, "`max_features` must be an integer from 1 to 12; got 13"),
    ],
)
def test_invalid_parameters_are_refused(selector, parameters, message):
    with pytest.raises(UsageError, match=message):
        selector(**parameters).fit(*noisy(np.random.default_rng(17)))


def test_weighted_forest_says_why_it_refuses_shared_costs():
    with pytest.raises(
        UsageError, match="A node of a tree draws columns before any column is selected"
    ):
        WeightedForest(charge="shared").fit(*noisy(np.random.default_rng(18)))
