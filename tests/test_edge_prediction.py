"""The prediction of the number of edges: what it leaves out, and that matches are the same without it."""

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from scipy.stats import ks_2samp

import netchoice
from netchoice.choice.sizes import Size
from netchoice.errors import EdgeLimitError, GrowthLimitError
from netchoice.models.at_bounds import at_bounds
from netchoice.models.edge_prediction import N_ALL, N_FIRST, EdgePrediction, predict_edges
from netchoice.models.model import Draws, Model

LOW, HIGH = 90, 110


def predicted(function, noise=0.02, low=LOW, high=HIGH, seed=1):
    """Return a prediction for two uniform parameters, and the draws that were used."""
    rng, drawn = np.random.default_rng(seed), []

    def draw():
        drawn.append({"a": rng.uniform(0, 1), "b": rng.uniform(0, 1), "fixed": 3.0})
        return drawn[-1]

    def count(parameters, most):
        n_edges = round(function(parameters["a"], parameters["b"]) * np.exp(noise * rng.normal()))
        if n_edges > most:
            raise EdgeLimitError("too many")
        return n_edges

    return predict_edges(draw, count, low, high), drawn


def test_what_is_far_is_left_out_and_the_rest_is_not():
    found, drawn = predicted(lambda a, b: 100 * np.exp(2 * (a - b)))
    assert len(drawn) == N_ALL
    assert found.names == ("a", "b")
    assert 0.01 < found.error < 0.04
    assert found.is_far({"a": 0.9, "b": 0.1}, LOW, HIGH)
    assert found.is_far({"a": 0.1, "b": 0.9}, LOW, HIGH)
    for ratio in (0.92, 1.0, 1.08):
        at = 0.5 + np.log(ratio) / 2
        assert not found.is_far({"a": at, "b": 0.5}, LOW, HIGH)


def test_nothing_is_predicted_if_many_networks_match():
    found, drawn = predicted(lambda a, b: 100)
    assert found is None
    assert len(drawn) == N_FIRST


def test_nothing_is_predicted_if_the_parameters_do_not_tell():
    assert predicted(lambda a, b: 100, noise=2.0)[0] is None


def test_nothing_is_predicted_if_no_parameters_match():
    assert predicted(lambda a, b: 1000 * (1 + a))[0] is None


def test_networks_beyond_the_limit_are_used():
    found, _ = predicted(lambda a, b: 10 * np.exp(7 * a))
    assert found.is_far({"a": 1.0, "b": 0.5}, LOW, HIGH)
    assert not found.is_far({"a": np.log(10) / 7, "b": 0.5}, LOW, HIGH)


def test_models_that_fail_have_no_prediction():
    def count(parameters, most):
        raise GrowthLimitError("never")

    assert predict_edges(lambda: {"a": 1.0}, count, LOW, HIGH) is None


@pytest.fixture(scope="module")
def kumpula():
    observed = nx.circulant_graph(150, range(1, 13))
    return netchoice.get_space("all").only(["kumpula"]).matched_to(observed)["kumpula"]


def without_prediction(model):
    """Return the same model, which grows a network for each draw."""
    made = replace(model)
    made.__dict__["prediction"] = None
    return made


def test_matches_are_not_left_out(kumpula):
    rng = np.random.default_rng(2)
    assert kumpula.prediction is not None
    low, high = kumpula.bounds(kumpula.n_nodes)
    far, matches = [], []
    for _ in range(400):
        parameters = Model.sample(kumpula, rng)
        far.append(kumpula.prediction.is_far(parameters, low, high))
        matches.append(kumpula.propose(kumpula.n_nodes, parameters, rng) is not None)
    far, matches = np.array(far), np.array(matches)
    assert far.mean() > 0.2
    assert (far & matches).sum() == 0
    assert matches.sum() > 40


@pytest.mark.slow
def test_parameters_of_matches_have_the_same_distribution(kumpula):
    plain = without_prediction(kumpula)
    with_it, without = (
        np.array([[*model.sample(np.random.default_rng(seed)).values()] for seed in seeds])
        for model, seeds in ((kumpula, range(250)), (plain, range(1000, 1250)))
    )
    for column in range(with_it.shape[1]):
        assert ks_2samp(with_it[:, column], without[:, column]).pvalue > 0.01


def test_the_prediction_is_always_the_same(kumpula):
    again = replace(kumpula)
    assert "prediction" not in again.__dict__
    np.testing.assert_array_equal(again.prediction.coefficients, kumpula.prediction.coefficients)


def test_a_match_far_from_the_prediction_does_not_count():
    """At the bounds of its priors, one of many networks of dmr has this density, by chance.

    Rows of such a model took 100,000 proposals each, and failed.
    """
    size = Size((150, 150), "drop", 384)
    model = size.matched(netchoice.get_space("duplication"), 1, None)["dmr"]
    extreme = replace(model)
    assert extreme.can_match(200, np.random.default_rng(0))
    extreme.__dict__["prediction"] = EdgePrediction(
        ("p_new",), (0.5,), (1.0,), (9.0, 0.0, 0.0), 0.1
    )
    assert not extreme.can_match(200, np.random.default_rng(0))
    found = at_bounds(model, 150, "drop")
    rng = np.random.default_rng(1)
    for _ in range(20):
        parameters, graph = found.draw(150, rng, "drop")
        assert 346 <= graph.n_edges <= 422
        assert not found.prediction or not found.prediction.is_far(parameters, 346, 422)


def test_given_draws_and_large_networks_have_none(kumpula):
    draws = Draws(("p_close", "reinforcement"), ((0.05, 0.5),))
    assert replace(kumpula, draws=draws).prediction is None
    assert replace(kumpula, n_nodes=10_000).prediction is None
