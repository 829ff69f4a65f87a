"""Whether a mixture can be identified: each of the three reasons why not, and their order."""

from types import SimpleNamespace

import numpy as np
import pytest

import netchoice
from netchoice.choice.notes import (
    is_like_prior,
    mixture_notes,
    mixture_sentence,
    thinning_notes,
)

PRIOR = (0.025, 0.975)
PURE = ("dmr", "lpa")


def check(interval, fitting=None, probability=0.6):
    return mixture_sentence("dmr+lpa", PURE, interval, PRIOR, probability, fitting or {})


def test_narrow_interval_away_from_the_ends_is_identified():
    assert check((0.3, 0.6)) == (
        "if dmr+lpa made the network, the mixture can be identified: q is 0.3 to 0.6"
    )


@pytest.mark.parametrize(("high", "like"), [(0.855, False), (0.865, True)])
def test_posterior_like_the_prior(high, like):
    """The interval of the prior is 0.95 wide, and 0.8 · 0.95 = 0.76."""
    assert is_like_prior((0.1, high), PRIOR) is like
    found = check((0.1, high))
    assert ("can be identified" in found) is not like
    assert ("the posterior of q is like its prior" in found) is like


@pytest.mark.parametrize(("share", "identified"), [(0.19, True), (0.2, False)])
def test_pure_model_that_fits_and_is_a_third_as_probable(share, identified):
    found = check((0.3, 0.6), {"dmr": share, "lpa": 0.01})
    assert ("can be identified" in found) is identified
    reason = "cannot be identified: dmr alone fits, too, and is at least a third as probable"
    assert (reason in found) is not identified


@pytest.mark.parametrize(
    ("interval", "alone"),
    [((0.0, 0.3), "lpa"), ((0.02, 0.3), "lpa"), ((0.5, 0.98), "dmr"), ((0.5, 1.0), "dmr")],
)
def test_interval_that_reaches_an_end_does_not_exclude_a_pure_model(interval, alone):
    found = check(interval)
    assert "cannot be identified" in found
    assert found.endswith(f"does not exclude {alone} alone")


def test_interval_just_inside_the_ends_is_identified():
    assert "can be identified" in check((0.021, 0.3))
    assert "can be identified" in check((0.5, 0.979))


def test_mixture_without_a_posterior_is_not_identified():
    assert "cannot be identified: q was not estimated" in check(None)


def posterior(**intervals):
    """Return a posterior with these intervals, and priors that are uniform between 0 and 1."""
    names = list(intervals)
    drawn = np.tile(np.linspace(0, 1, 1001)[:, None], len(names))
    estimator = SimpleNamespace(names=names, parameters=drawn)
    return SimpleNamespace(
        posterior=SimpleNamespace(intervals=intervals, coverage=0.95),
        source=SimpleNamespace(estimator=estimator),
    )


def test_only_mixtures_among_the_models_are_checked():
    space = netchoice.get_space("mechanisms,dmr+lpa,dmc+rdg")
    posteriors = {"dmr": posterior(p_new=(0, 1)), "dmr+lpa": posterior(q=(0.3, 0.6))}
    (found,) = mixture_notes(space, posteriors, {"dmr+lpa": 0.6, "lpa": 0.05})
    assert "can be identified" in found
    (found,) = mixture_notes(space, posteriors, {"dmr+lpa": 0.6, "dmr": 0.3, "lpa": 0.05})
    assert "cannot be identified: dmr alone fits" in found
    assert list(mixture_notes(space, posteriors, {"dmr": 0.6, "lpa": 0.4})) == []


def test_note_on_thinning_if_the_posterior_is_like_the_prior():
    posteriors = {
        "dmr~edges": posterior(p_observed=(0.05, 0.95)),
        "lpa~edges": posterior(p_observed=(0.3, 0.5)),
        "rdg": posterior(mean_links=(0, 1)),
    }
    assert list(thinning_notes(posteriors)) == [
        "the network does not show how much of dmr~edges was observed: the posterior of p_observed "
        "(0.05 to 0.95) is like its prior"
    ]
