"""Probabilities that include the choice of features: several near-optimal sets instead of one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy.special import expit, logit, ndtri

from netchoice.inference.probabilities import ModelProbabilities
from netchoice.inference.scaling import Floats

_SMALLEST = 1e-12  # the log-odds of smaller probabilities are not distinguished


def pool_feature_sets(
    selected: ModelProbabilities, others: Sequence[ModelProbabilities]
) -> ModelProbabilities:
    """Combine the probabilities of the selected set of features with those of sets as good as it.

    Inside the simulated range the sets agree, and the selected set, with its larger number of
    simulations, determines the answer. Outside the simulated range the sets disagree, and the answer of a
    single set is arbitrary. Let s² be the sampling variance of the log-odds of the selected set, and τ²
    the variance of the log-odds between the other sets. The pooled log-odds are a weighted mean of those
    of the selected set, with weight s²/(s² + τ²), and of the mean of the others, with weight
    τ²/(s² + τ²). Their interval has the variance s² + τ², so it covers the disagreement.

    Parameters
    ----------
    selected : ModelProbabilities, of the selected set of features
    others : sequence of ModelProbabilities, of other sets; with fewer than two nothing changes

    Examples
    --------
    >>> def estimate(p, low, high):
    ...     return ModelProbabilities({"a": p, "b": 1 - p}, {"a": (low, high), "b": (1 - high, 1 - low)},
    ...                               0.95, "a", "regression", "rank")
    >>> agreed = pool_feature_sets(estimate(0.9, 0.8, 0.95), [estimate(0.9, 0.7, 0.97)] * 5)
    >>> round(agreed.probabilities["a"], 2)
    0.9
    >>> others = [estimate(p, p / 2, (1 + p) / 2) for p in (0.1, 0.5, 0.9)]
    >>> low, high = pool_feature_sets(estimate(0.9, 0.8, 0.95), others).intervals["a"]
    >>> low < 0.1 < 0.9 < high
    True
    """
    if len(others) < 2:
        return selected
    models, z = list(selected.probabilities), float(ndtri((1 + selected.coverage) / 2))
    centre, error = _log_odds(selected, models, z)
    centres = np.array([_log_odds(other, models, z)[0] for other in others])
    between = centres.var(axis=0, ddof=1)
    share = between / (between + error**2)
    pooled = expit((1 - share) * centre + share * centres.mean(axis=0))
    pooled /= pooled.sum()
    half_width = z * np.sqrt(between + error**2)
    middle = logit(pooled.clip(_SMALLEST, 1 - _SMALLEST))
    bounds = zip(
        expit(middle - half_width).tolist(), expit(middle + half_width).tolist(), strict=True
    )
    return replace(
        selected,
        probabilities=dict(zip(models, pooled.tolist(), strict=True)),
        intervals=dict(zip(models, bounds, strict=True)),
        model=models[int(pooled.argmax())],
        details=selected.details | {"n_sets": 1 + len(others)},
    )


def _log_odds(
    estimate: ModelProbabilities, models: Sequence[str], z: float
) -> tuple[Floats, Floats]:
    """Return the log-odds of each model, and their standard errors from the intervals."""
    p = np.array([estimate.probabilities[model] for model in models])
    ends = np.array([estimate.intervals[model] for model in models])
    low, high = logit(ends.clip(_SMALLEST, 1 - _SMALLEST)).T
    return logit(p.clip(_SMALLEST, 1 - _SMALLEST)), np.maximum((high - low) / (2 * z), 1e-6)
