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
    """Return the models with their probabilities and intervals, the most probable first.

    A model without an interval gets an empty one.
    """
    models = check_names("model", None, probabilities, "a probability for at least one")
    rows = []
    for model in sorted(models, key=lambda model: -probabilities[model]):
        low, high = (intervals or {}).get(model, (probabilities[model],) * 2)
        rows.append(ModelProbability(model, probabilities[model], low, high))
    return rows


class ReliabilityBins(NamedTuple):
    """Mean predicted probability, observed frequency and number of predictions of each bin.

    ``low`` and ``high`` are two standard errors below and above the observed frequency.
    """

    predicted: Floats
    observed: Floats
    n: Floats
    low: Floats
    high: Floats


def reliability_bins(table: pd.DataFrame) -> ReliabilityBins:
    """Return the bins of a reliability diagram that hold any prediction."""
    check_columns(table, ("predicted", "observed", "n"), "reliability table")
    rows = table[table["n"] > 0]
    predicted, observed, n = (
        rows[name].to_numpy(dtype=np.float64) for name in ("predicted", "observed", "n")
    )
    # The error of the prediction: that of the observed frequency is 0 where it is 0 or 1.
    error = 2 * np.sqrt(predicted * (1 - predicted) / n)
    low, high = (observed - error).clip(0, 1), (observed + error).clip(0, 1)
    return ReliabilityBins(predicted, observed, n, low, high)
