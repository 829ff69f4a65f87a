"""Model probabilities and their reliability, as the figures show them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from netchoice.figures.data.checks import check_columns, check_names

Floats = NDArray[np.float64]


class ModelProbability(NamedTuple):
    """Probability of one model with its interval."""

    model: str
    probability: float
    low: float
    high: float


def rank_probabilities(
    probabilities: Mapping[str, float], intervals: Mapping[str, Sequence[float]] | None = None
) -> list[ModelProbability]:
    """Return the most probable model first; a model without an interval gets an empty one."""
    models = check_names("model", None, probabilities, "a probability for at least one")
    rows = []
    for model in sorted(models, key=lambda model: -probabilities[model]):
        low, high = (intervals or {}).get(model, (probabilities[model],) * 2)
        rows.append(ModelProbability(model, probabilities[model], low, high))
    return rows


class ReliabilityBins(NamedTuple):
    """Means of predictions, observed frequencies, numbers of predictions, and error bars."""

    predicted: Floats
    observed: Floats
    n: Floats
    low: Floats
    high: Floats


def reliability_bins(table: pd.DataFrame) -> ReliabilityBins:
    """Return the bins that hold any prediction; error bars span two standard errors."""
    check_columns(table, ("predicted", "observed", "n"), "reliability table")
    rows = table[table["n"] > 0]
    predicted, observed, n = rows[["predicted", "observed", "n"]].to_numpy(dtype=np.float64).T
    # The error of the prediction: that of the observed frequency is 0 where it is 0 or 1.
    error = 2 * np.sqrt(predicted * (1 - predicted) / n)
    low, high = (observed - error).clip(0, 1), (observed + error).clip(0, 1)
    return ReliabilityBins(predicted, observed, n, low, high)
