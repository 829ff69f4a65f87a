"""The verdict on models, from their states and probabilities."""

import networkx as nx
import numpy as np
import pytest

import netchoice
from netchoice.choice.assess import ModelState, State
from netchoice.choice.settings import Settings
from netchoice.errors import NetchoiceError
from netchoice.inference.verdict import eligible, verdict_of

FAMILIES = {"a": "one", "b": "one", "c": "two"}


def verdict(states, chances):
    intervals = {name: (0.9 * chance, chance) for name, chance in chances.items()}
    return verdict_of(states, dict.fromkeys(states, 0.02), chances, intervals, FAMILIES)


def test_borderline_model_has_no_part_in_what_is_named():
    states = {"a": "fits", "b": "borderline", "c": "does not fit"}
    assert eligible(states) == ("a",)
    found = verdict(states, {"a": 1.0})
    assert (found.kind, found.model, found.candidates) == ("one-fits", "a", ("a", "b"))
    assert found.families == {"one": 1.0}
    assert found.sentence == "1 of 3 models fits (1 borderline): a"


def test_verdict_is_the_same_if_a_borderline_model_is_rejected():
    chances = {"a": 0.6, "c": 0.4}
    found = [
        verdict({"a": "fits", "b": state, "c": "fits"}, chances)
        for state in ("borderline", "does not fit")
    ]
    assert found[0].probable == found[1].probable
    assert found[0].families == found[1].families
    assert {each.kind for each in found} == {"several-fit"}


def test_borderline_models_are_compared_if_no_model_fits():
    states = {"a": "borderline", "b": "borderline", "c": "does not fit"}
    found = verdict(states, {"a": 0.99, "b": 0.01})
    assert (found.kind, found.model) == ("borderline", None)
    assert found.families == {"one": 1.0}


def test_open_models_are_compared_with_those_that_fit():
    states = {"a": "fits", "b": "open", "c": "borderline"}
    assert eligible(states) == ("a", "b")
    found = verdict(states, {"a": 0.97, "b": 0.03})
    assert (
        found.sentence
        == "1 of 3 models fits (1 borderline, 1 not decided), and a is by far the most probable: 0.97"
    )


def test_only_undecided_and_eligible_models_get_more_simulations():
    models = {
        name: ModelState(state)
        for name, state in {"a": "fits", "b": "borderline", "c": "does not fit"}.items()
    }
    assert State(models, compared=("a", "b")).open_models == ("a",)


@pytest.mark.parametrize("workers", [0, -3, "two"])
def test_wrong_number_of_workers_is_refused(workers):
    with pytest.raises(NetchoiceError, match="number of workers"):
        netchoice.choose_model(nx.path_graph(30), workers=workers)


def test_time_limit_may_have_a_unit():
    answer = netchoice.choose_model(
        nx.path_graph(30), "ba", time_limit="90s", engine="serial", effort=netchoice.Effort.small()
    )
    assert answer.settings["time_limit"] == 90
    with pytest.raises(NetchoiceError, match="time_limit"):
        netchoice.choose_model(nx.path_graph(30), "ba", time_limit="soon")


def test_one_feature_may_be_a_text():
    assert Settings.of("ba", features="degree_mean").names == ("degree_mean",)


def test_probabilities_do_not_depend_on_the_seed():
    network = netchoice.get_model("ba2").grow(30, rng=np.random.default_rng(1))
    effort = netchoice.Effort.small()
    answers = [
        netchoice.choose_model(
            network, "ba2,lpa,copying", match=True, seed=seed, effort=effort, engine="serial"
        )
        for seed in (1, 2)
    ]
    states, chances = (
        [[getattr(each, key) for each in answer.models] for answer in answers]
        for key in ("state", "probability")
    )
    assert states[0] == states[1]
    assert chances[0] == chances[1]
    assert sum(chance is not None for chance in chances[0]) > 1
    assert [each.p_value for each in answers[0].models] != [
        each.p_value for each in answers[1].models
    ]
