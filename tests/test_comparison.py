"""One network next to prepared simulations: a rejection of the most probable model needs both stages."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from netchoice.inference import goodness_of_fit
from netchoice.workflows import SimulationPlan
from netchoice.workflows.comparison import Comparison

RNG = np.random.default_rng(0)
PRIOR = pd.DataFrame({"f": RNG.normal(size=600), "g": RNG.normal(size=600)})
MODELS = np.repeat(["a", "b"], 300)


def compared(value, near, local_samples=300, most_probable="a"):
    """Return a comparison of a network with f = g = value; near it, features are near the given value."""
    prepared = SimpleNamespace(
        plan=SimulationPlan(local_samples=local_samples),
        fit_table=SimpleNamespace(features=["f", "g"]),
        space=["a", "b"],
        near_seconds=0.001,
    )
    found = Comparison(prepared, network=None)
    observed = {"f": value, "g": value}
    table = SimpleNamespace(X=PRIOR[:300] + near, y=pd.Series([most_probable] * 300))
    vars(found).update(
        _computed=(observed, {}),
        prior_fit=goodness_of_fit(PRIOR, MODELS, observed),
        probabilities=SimpleNamespace(model=most_probable),
        _near={most_probable: SimpleNamespace(table=table)},
    )
    return found


def test_model_that_fits_the_prior_is_not_simulated_again():
    found = compared(0.0, near=0.0)
    assert found.local_p_value is None
    assert found.fit is found.prior_fit


@pytest.mark.parametrize("model", ["a", "b"])
def test_model_that_fits_near_the_network_is_not_rejected(model):
    """Only the p-value of the most probable model is replaced, with the number of its simulations."""
    found = compared(9.0, near=9.0, most_probable=model)
    other = {"a": "b", "b": "a"}[model]
    assert not found.prior_fit.fits
    assert found.fit.fits
    assert found.fit.p_values == {model: found.local_p_value, other: 1 / 241}
    assert found.local_p_value == pytest.approx(compared(0.0, near=0.0).prior_fit.p_values["a"])
    assert found.fit.n_simulations == {"a": 240, "b": 240}


def test_rejection_needs_both_stages():
    found = compared(9.0, near=4.0)
    assert found.local_p_value == 1 / 241
    assert found.fit is found.prior_fit
    assert not found.fit.fits


def test_without_the_second_stage_the_first_decides():
    found = compared(9.0, near=9.0, local_samples=0)
    assert found.local_p_value is None
    assert not found.fit.fits


def test_features_that_some_simulation_near_the_network_lacks_are_left_out():
    found = compared(9.0, near=9.0)
    found.near("a").table.X.loc[3, "g"] = np.nan
    assert found.local_fit.left_out == ("g",)
    assert found.fit.fits
