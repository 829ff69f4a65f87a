"""A model with parameters at the bounds of its priors, where networks are rarest among simulations."""

from __future__ import annotations

import numpy as np

from netchoice.errors import NetchoiceError
from netchoice.models.density_matched import MatchedModel
from netchoice.models.model import Model
from netchoice.models.priors import Prior

#: Shares of the prior's mass at its bounds that are tried, in this order.
SHARES = (1.0, 2 / 3)
#: Networks that are tried to see whether such parameters give networks at all, and the largest networks
#: that are tried: growing more of them would take long.
TRIES, TRIES_TO_MATCH, MAX_NODES = 10, 200, 5000


def at_bounds(
    model: Model, n_nodes: int, isolated: str, deadline: float | None = None
) -> Model | None:
    """Return the model with its bounded parameters at their bounds, or None if it has no such networks.

    Each bound of a parameter is equally likely. If no network is like this, only two thirds of the
    parameters are at bounds. A parameter that sets the density keeps its prior, and so do parameters
    without finite bounds. Networks are tried until the ``deadline``, a time on ``time.monotonic``.

    >>> import netchoice
    >>> model = at_bounds(netchoice.get_model("dmr"), 50, "keep")
    >>> sorted({model.sample(np.random.default_rng(seed))["p_new"] for seed in range(9)})
    [0.25, 0.75]
    """
    bounded = {
        name: spec.prior
        for name, spec in model.parameters.items()
        if not (spec.adapts or spec.prior.is_constant)
        and np.isfinite([spec.prior.low, spec.prior.high]).all()
    }
    if not bounded or n_nodes > MAX_NODES or model.draws is not None:
        return None
    for share in SHARES:
        changed = model.with_priors(
            {name: _with_bounds(prior, share) for name, prior in bounded.items()}
        )
        if _can_grow(changed, n_nodes, isolated, deadline):
            return changed
    return None


def _with_bounds(prior: Prior, share: float) -> Prior:
    """Return the prior with this share of its mass at its bounds."""
    bounds = (prior.low, prior.high)

    def draw(rng: np.random.Generator) -> float:
        return bounds[int(rng.integers(2))] if rng.random() < share else prior.draw(rng)

    return Prior(f"{share:.2g} at bounds of {prior.text}", *bounds, draw)


def _can_grow(model: Model, n_nodes: int, isolated: str, deadline: float | None) -> bool:
    """Return whether networks of a model can be grown: a density-matched one needs one match only."""
    rng = np.random.default_rng(0)
    if isinstance(model, MatchedModel):
        return model.can_match(TRIES_TO_MATCH, rng, deadline)
    try:
        for _ in range(TRIES):
            model.grow(n_nodes, model.sample(rng), rng, isolated=isolated)
    except NetchoiceError:
        return False
    return True
