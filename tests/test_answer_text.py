"""The text of an answer: what differs, power, and the one next step of each verdict."""

from dataclasses import replace

import pytest
from report_folders import (
    differing,
    made_answer,
    rejected,
    undecided,
    with_many_models,
    with_states,
)

import netchoice
from netchoice.choice.text import (
    MOST_LINES,
    WIDTH,
    answer_lines,
    contradiction,
    next_step,
    power_line,
)


def answered(states, probabilities):
    """Return an answer in which models have these states and probabilities, and nothing differs."""
    answer = with_states(made_answer(), states, probabilities)
    models = (replace(each, discrepancies=(), outside=()) for each in answer.models)
    return replace(answer, models=tuple(models))


ONE = {"dmr": "fits", "dmc": "does not fit"}
BOTH = {"dmr": "fits", "dmc": "fits"}


@pytest.mark.parametrize(
    ("states", "probabilities", "step"),
    [
        (ONE, {"dmr": 1.0}, "compare dmr with all mechanisms: --space all --match"),
        (BOTH, {"dmr": 0.6, "dmc": 0.4},
         "to decide between dmr and dmc, take a larger network of this kind, or a cohort"),
        ({"dmr": "borderline", "dmc": "does not fit"}, {"dmr": 1.0},
         "to decide on dmr, take a larger network of this kind, or a cohort"),
        (dict.fromkeys(("dmr", "dmc", "lpa"), "borderline"), {},
         "to decide on these models, take a larger network of this kind, or a cohort"),
        ({"dmr": "does not fit", "dmc": "open"}, {},
         "give narrower priors to the open models, of which most simulations failed"),
    ],
)  # fmt: skip
def test_each_verdict_has_a_next_step(states, probabilities, step):
    assert next_step(answered(states, probabilities), "shell") == step


def test_model_with_an_uncertain_probability_needs_more_data():
    answer = answered({"dmr": "fits", "dmc": "borderline"}, {"dmr": 1.0})
    dmr = replace(answer["dmr"], probability=0.97, interval=(0.3, 1.0))
    verdict = replace(answer.verdict, kind="several-fit", model=None, probable=("dmr",))
    answer = replace(answer, models=(dmr, *answer.models[1:]), verdict=verdict)
    step = "to be sure of dmr, take a larger network of this kind, or a cohort"
    assert next_step(answer, "shell") == next_step(answer, "python") == step


def test_model_that_was_compared_with_all_mechanisms_is_checked_on_another_network():
    states = dict.fromkeys(netchoice.get_space("all").labels, "does not fit") | {"dmr": "fits"}
    answer = answered(states, {"dmr": 1.0})
    step = "see if dmr also fits another network of the same kind"
    assert next_step(answer, "shell") == step


def test_contradiction_of_the_named_model_comes_first():
    answer = differing(answered(ONE, {"dmr": 1.0}))
    step = "see in the report how the network differs from dmr"
    assert next_step(answer, "shell") == step
    assert next_step(rejected(made_answer()), "python").endswith('space="all", match=True')
    assert next_step(undecided(made_answer()), "shell").startswith("give a longer time limit")


def test_contradiction_says_which_simulations_it_is_about():
    answer = differing(answered(ONE, {"dmr": 1.0}))
    assert contradiction(answer, answer["dmr"]).endswith("outside all simulations of dmr")
    near = replace(answer["dmr"], outside=())  # only those near the network do not reach it
    text = "transitivity = 0.9 is outside the simulations of dmr near the network"
    assert contradiction(answer, near) == text
    (one,) = near.discrepancies
    usual = replace(near, discrepancies=(replace(one, share=0.98),))
    assert contradiction(answer, usual) == ""


def test_first_screen_has_every_contradiction_of_its_models_in_few_short_lines():
    answer = with_many_models(made_answer())
    lines = answer_lines(answer)
    assert len(lines) <= MOST_LINES
    assert max(map(len, lines)) <= WIDTH
    shown = [i for i, line in enumerate(lines) if "  fits, p = " in line]
    assert shown
    assert all(lines[i + 1].startswith("    ⚠ transitivity = ") for i in shown)
    n_others = len(answer.models) - len(shown)
    assert f"  the other models: {n_others} fit" in lines


def test_power_names_its_model_and_is_short_on_the_first_screen():
    answer = made_answer()
    line = power_line(answer)
    assert line.startswith(
        f"power: of 10 networks of {answer.power_of} with all edges rewired, the test"
    )
    assert line.endswith(")")
    assert power_line(answer, 80) == line.partition(" (")[0]
    assert power_line(replace(answer, power={})) == ""
