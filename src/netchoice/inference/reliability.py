"""The reliability of predicted probabilities, on rows that were held out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from netchoice.inference.scaling import Floats


@dataclass(frozen=True)
class HeldOut:
    """Scores of predicted probabilities; the result of :func:`scored`.

    Attributes
    ----------
    confusion : DataFrame (C, C), number of rows by true (rows) and predicted model (columns)
    accuracy : float, share of correct predictions
    log_score : float, mean of −log of the true model's probability; lower is better, 0 is perfect
    reliability : DataFrame, as :func:`reliability` returns it
    """

    confusion: pd.DataFrame
    accuracy: float
    log_score: float
    reliability: pd.DataFrame


def scored(models: Sequence[str], probabilities: Floats, labels: Any) -> HeldOut:
    """Return how well the models of rows were predicted.

    Parameters
    ----------
    models : sequence of str, the C models
    probabilities : array (n, C), of the models, predicted without the row
    labels : array (n,), the true models

    Examples
    --------
    >>> found = scored(["a", "b"], np.array([[0.9, 0.1], [0.6, 0.4]]), ["a", "b"])
    >>> found.accuracy, round(found.log_score, 3), found.confusion.loc["b", "a"].item()
    (0.5, 0.511, 1)
    """
    names = np.array(models)
    codes = np.array([list(models).index(str(label)) for label in labels], dtype=np.int64)
    predicted = probabilities.argmax(axis=1)
    counts = np.zeros((len(names), len(names)), dtype=np.int64)
    np.add.at(counts, (codes, predicted), 1)
    own = probabilities[np.arange(len(codes)), codes]
    return HeldOut(
        confusion=pd.DataFrame(counts, index=list(models), columns=list(models)),
        accuracy=float((predicted == codes).mean()),
        log_score=float(-np.log(own.clip(1e-300)).mean()),
        reliability=reliability(probabilities, np.eye(len(names))[codes]),
    )


def reliability(probabilities: Floats, one_hot: Floats, n_bins: int = 10) -> pd.DataFrame:
    """Return mean prediction and observed frequency by bin of probability, without empty bins.

    The columns are the limits ``low`` and ``high`` of the bin, the number ``n`` of probabilities, their mean
    ``predicted``, and the ``observed`` frequency.

    >>> reliability(np.array([[0.9, 0.1], [0.8, 0.2]]), np.array([[1, 0], [0, 1]]), 2)
       low  high  n  predicted  observed
    0  0.0   0.5  2       0.15       0.5
    1  0.5   1.0  2       0.85       0.5
    """
    predicted, true = probabilities.ravel(), np.asarray(one_hot, dtype=float).ravel()
    bins = np.minimum((predicted * n_bins).astype(np.int64), n_bins - 1)
    n = np.bincount(bins, minlength=n_bins)
    filled = np.flatnonzero(n)
    return pd.DataFrame(
        {
            "low": filled / n_bins,
            "high": (filled + 1) / n_bins,
            "n": n[filled],
            "predicted": np.bincount(bins, predicted, n_bins)[filled] / n[filled],
            "observed": np.bincount(bins, true, n_bins)[filled] / n[filled],
        }
    )
