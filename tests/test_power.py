"""The share of altered networks that a test notices, against closed forms."""

import numpy as np
import pytest
from scipy.stats import norm

from netchoice.errors import UsageError
from netchoice.inference.power import noticed
from netchoice.inference.wilson_interval import wilson


def test_power_of_shifted_normal_scores():
    rng = np.random.default_rng(1)
    calibrating = rng.normal(size=20_000)
    altered = {str(shift): rng.normal(shift, size=20_000) for shift in (0, 1, 3)}
    for shift, found in noticed(calibrating, altered).items():
        assert found.share == pytest.approx(norm.sf(norm.isf(0.01) - float(shift)), abs=0.025)
        assert found.interval == wilson(found.share, 20_000)


def test_ties_count_against_a_rejection():
    calibrating = np.repeat([0.0, 1.0], [985, 15])
    found = noticed(calibrating, {"same": [1.0], "beyond": [1.5]})
    assert (found["same"].share, found["beyond"].share) == (0.0, 1.0)


def test_smallest_number_of_calibrating_scores():
    assert noticed(np.zeros(99), {"any": [1.0]})["any"].share == 1
    with pytest.raises(UsageError, match="98 calibrating scores; expected at least 99"):
        noticed(np.zeros(98), {"any": [1.0]})


def test_no_scores():
    with pytest.raises(UsageError, match="no scores of networks with any"):
        noticed(np.zeros(200), {"any": []})
