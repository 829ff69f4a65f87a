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

    Inside the simulated range the sets agree, and the most precise estimate has the most weight. Outside
    the simulated range the sets disagree, and the answer of a single set is arbitrary. Let τ² be the
    variance of the log-odds between all sets. The selected set is one of them: its variance is s² + τ²,
    where s² is its sampling variance. The mean of the m other sets has the variance s̄² + τ²/m; their
    sampling variance s̄² does not decrease with m, because these sets share their simulations. The pooled
    log-odds weight both by their precision. The pooled interval has the variance τ² plus the weighted
    sampling variance.

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
    centres, errors = (
        np.array(part)
        for part in zip(*(_log_odds(each, models, z) for each in (selected, *others)), strict=True)
    )
    between, sampling = centres.var(axis=0, ddof=1), errors[0] ** 2
    sampling_of_others = np.mean(errors[1:] ** 2, axis=0)
    precision = 1 / (sampling + between)
    precision_of_others = 1 / (sampling_of_others + between / len(others))
    share = precision / (precision + precision_of_others)
    variance = between + share * sampling + (1 - share) * sampling_of_others
    pooled = expit(share * centres[0] + (1 - share) * centres[1:].mean(axis=0))
    pooled /= pooled.sum()
    half_width = z * np.sqrt(variance)
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
