"""The verdict, from probabilities, p-values and the held-out accuracy."""

import pandas as pd
import pytest

from netchoice.inference import Fit, ModelProbabilities
from netchoice.workflows.choice_text import VERDICTS, decide


def probabilities(p):
    low = 0.6 if p == 0.99 else p / 2
    intervals = {"a": (low, (1 + p) / 2), "b": ((1 - p) / 2, 1 - low)}
    most = "a" if p >= 0.5 else "b"
    return ModelProbabilities({"a": p, "b": 1 - p}, intervals, 0.95, most, "regression", "rank")


def fit(a, b):
    remoteness = {"a": 1 / a, "b": 1 / b}
    sizes = {"a": 499, "b": 499}
    return Fit({"a": a, "b": b}, 0.01, sizes, remoteness, quantiles=pd.DataFrame(), left_out=())


@pytest.mark.parametrize(
    ("p", "p_values", "above_chance", "kind", "model"),
    [
        (0.99, (0.5, 0.002), True, "one-fits", "a"),
        (0.60, (0.5, 0.002), True, "one-fits", "a"),  # the only model that fits
        (0.99, (0.5, 0.300), True, "one-fits", "a"),  # the other fits too, but is improbable
        (0.96, (0.5, 0.300), True, "several-fit", "a"),  # the interval begins below 0.5
        (0.94, (0.5, 0.300), True, "several-fit", "a"),
        (0.20, (0.5, 0.300), True, "several-fit", "b"),
        (0.99, (0.01, 0.300), True, "undetermined", "a"),  # the probable one does not fit
        (0.99, (0.5, 0.300), False, "undetermined", "a"),
        (0.99, (0.002, 0.01), True, "none-fits", "b"),  # the nearest, although improbable
        (0.99, (0.002, 0.002), False, "none-fits", "a"),
    ],
)
def test_verdict_follows_the_stated_rules(p, p_values, above_chance, kind, model):
    verdict = decide(probabilities(p), fit(*p_values), above_chance)
    assert (verdict.kind, verdict.model) == (kind, model)
    assert verdict.sentence.startswith(VERDICTS[kind])
    assert model in verdict.sentence or kind == "undetermined"
