"""Which models have networks of the density that they are matched to, and which take very long."""

from __future__ import annotations

import contextlib
import math
import time
from typing import NamedTuple

import numpy as np

from netchoice.choice.sizes import Size
from netchoice.errors import NetchoiceError, UsageError
from netchoice.models.density_matched import MatchedModel
from netchoice.models.model import Model
from netchoice.models.space import ModelSpace
from netchoice.threads import Run

#: Networks of a model that are tried before it counts as one that never has the density: so many, and fewer
#: if they have more than so many nodes together.
MOST_TRIES, FEWEST_TRIES, MOST_NODES = 5000, 50, 5_000_000
#: Under a time limit, a network of so many nodes is grown to see how long larger ones take. A model is slow
#: if this is so many times as long as for others, or more than this share of the time that is left.
TIMED_NODES, SLOW, SHARE = 2000, 10, 0.1


class Matching(NamedTuple):
    """What trials have shown: models of which no network has the density, and slow ones.

    Slow models are those whose networks take very long, and those that were not tried until the end. They
    are simulated after the others, which they would block.
    """

    unmatched: tuple[str, ...]
    slow: frozenset[str]


def try_models(space: ModelSpace, size: Size, run: Run, deadline: float | None) -> Matching:
    """Try which models have networks of the density; ``run`` applies a function to all of them.

    With a ``deadline``, a time on the clock ``time.monotonic``, at most half of the time left is used.
    """
    if deadline is not None:
        now = time.monotonic()
        deadline = now + (deadline - now) / 2
    seconds = run(lambda model: _seconds(model, size, deadline), space)
    most = SLOW * float(np.median(seconds))
    slow = [each > most for each in seconds]
    found = run(
        lambda item: _can_match(item[0], item[1], deadline), list(zip(space, seconds, strict=True))
    )
    unmatched = tuple(
        model.name for model, possible in zip(space, found, strict=True) if possible is False
    )
    if len(space) - len(unmatched) < 2:
        raise UsageError(
            f"of {len(space)} models, {len(space) - len(unmatched)} can make a network of this density; "
            "expected at least two: leave out the match, or widen the priors"
        )
    late = (
        model.name
        for model, is_slow, possible in zip(space, slow, found, strict=True)
        if is_slow or possible is None
    )
    return Matching(unmatched, frozenset(late))


def _seconds(model: Model, size: Size, deadline: float | None) -> float:
    """Return how long a network takes to grow under a time limit, if this is proportional to its nodes."""
    n_nodes = size.nodes[1]
    if deadline is None or n_nodes <= TIMED_NODES or time.monotonic() > deadline:
        return 0.0
    rng, started = np.random.default_rng(0), time.monotonic()
    with contextlib.suppress(NetchoiceError):
        Model.grow(model, TIMED_NODES, Model.sample(model, rng), rng, isolated=size.isolated)
    return (time.monotonic() - started) * n_nodes / TIMED_NODES


def _can_match(model: Model, seconds: float, deadline: float | None) -> bool | None:
    """Return whether a model has networks of the density; None if the time ended before this was known."""
    if not isinstance(model, MatchedModel):
        return True
    left = math.inf if deadline is None else deadline - time.monotonic()
    if left <= 0 or seconds > SHARE * left:
        return None
    tries = min(MOST_TRIES, max(FEWEST_TRIES, MOST_NODES // model.n_nodes))
    found = model.can_match(tries, np.random.default_rng(0), deadline)
    return None if found and deadline is not None and time.monotonic() > deadline else found
