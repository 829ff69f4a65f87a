"""Tests of accuracy: above chance, better than another classifier, able to separate two labels."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from netchoice.errors import UsageError
from netchoice.inference.wilson_interval import wilson
from netchoice.storage.table import ReferenceTable

Labels = NDArray[np.str_]
Flags = NDArray[np.bool_]


def paired_gain(correct: Flags, before: Flags, coverage: float = 0.95) -> tuple[float, float]:
    """Return how much more often the first prediction is correct, and the upper end of its interval.

    Both are predictions for the same rows. The interval is that of Agresti & Min (2005),
    doi:10.1002/sim.1781, which adds half a row to each cell.

    >>> gain, upper = paired_gain(np.array([True] * 100), np.array([True] * 99 + [False]))
    >>> gain, round(upper, 3)
    (0.01, 0.037)
    """
    n = len(correct)
    won, lost = float((correct & ~before).sum()), float((before & ~correct).sum())
    gain = (won - lost) / n
    won, lost, n = won + 0.5, lost + 0.5, n + 2
    middle = (won - lost) / n
    error = math.sqrt((won + lost) / n - middle**2) / math.sqrt(n)
    return gain, middle + float(ndtri((1 + coverage) / 2)) * error


def cross_validated_labels(table: ReferenceTable) -> tuple[Labels, Labels]:
    """Return the true labels, and those predicted by 10 nearest neighbours in cross-validation."""
    from sklearn.model_selection import StratifiedKFold, cross_val_predict
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    truth = table.y.to_numpy(dtype=str)
    fewest = int(np.unique(truth, return_counts=True)[1].min())
    if fewest < 2 or len(set(truth)) < 2:
        raise UsageError(
            f"the rarest model has {fewest} of {len(truth)} rows; more check_samples are needed"
        )
    folds = StratifiedKFold(min(10, fewest), shuffle=True, random_state=0)
    neighbours = KNeighborsClassifier(min(10, len(truth) // 4))
    classifier = make_pipeline(StandardScaler(), neighbours)
    predicted = cross_val_predict(classifier, table.X.to_numpy(dtype=float), truth, cv=folds)
    return truth, np.asarray(predicted, dtype=str)


def chance(truth: Labels) -> float:
    """Return the accuracy of always predicting the most frequent label."""
    return float(np.unique(truth, return_counts=True)[1].max() / len(truth))


def above_chance(correct: Flags, by_chance: float, coverage: float, n_tests: int) -> bool:
    """Return whether the accuracy is above chance, corrected for the number of such tests."""
    strict = 1 - (1 - coverage) / max(1, n_tests)
    return wilson(float(correct.mean()), len(correct), strict)[0] > by_chance


def confused_pairs(truth: Labels, predicted: Labels, coverage: float) -> list[tuple[str, str]]:
    """Return the pairs of labels that are not distinguished better than by chance."""
    pairs = list(combinations(sorted(set(truth)), 2))
    confused = []
    for pair in pairs:
        both = np.isin(truth, pair) & np.isin(predicted, pair)
        true, correct = truth[both], (truth == predicted)[both]
        if both.any() and not above_chance(correct, chance(true), coverage, len(pairs)):
            confused.append(pair)
    return confused
