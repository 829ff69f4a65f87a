"""Whether labels are told rightly, more often than by chance, and more often than before."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from netchoice.errors import UsageError
from netchoice.evaluation import wilson
from netchoice.storage.table import ReferenceTable

Labels = NDArray[np.str_]


def paired_gain(
    right: NDArray[np.bool_], before: NDArray[np.bool_], coverage: float = 0.95
) -> tuple[float, float]:
    """How much more often the first is right than the second, on the same rows; and at most.

    Interval of Agresti & Min (2005), doi:10.1002/sim.1781: half a row added to each cell.

    >>> gain, most = paired_gain(np.array([True] * 100), np.array([True] * 99 + [False]))
    >>> gain, round(most, 3)
    (0.01, 0.037)
    """
    from scipy.stats import norm

    n = len(right)
    won, lost = float((right & ~before).sum()), float((before & ~right).sum())
    gain = (won - lost) / n
    won, lost, n = won + 0.5, lost + 0.5, n + 2
    middle = (won - lost) / n
    error = math.sqrt((won + lost) / n - middle**2) / math.sqrt(n)
    return gain, middle + float(norm.ppf((1 + coverage) / 2)) * error


def told_labels(table: ReferenceTable) -> tuple[Labels, Labels]:
    """True labels, and those told by 10 nearest neighbours in cross-validation."""
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
    neighbours = min(10, len(truth) // 4)
    classifier = make_pipeline(StandardScaler(), KNeighborsClassifier(neighbours))
    told = cross_val_predict(classifier, table.X.to_numpy(dtype=float), truth, cv=folds)
    return truth, np.asarray(told, dtype=str)


def chance(truth: Labels) -> float:
    """How often the commonest label is right."""
    return float(np.unique(truth, return_counts=True)[1].max() / len(truth))


def above_chance(right: NDArray[np.bool_], by_chance: float, coverage: float, tests: int) -> bool:
    """Whether more rows are right than chance explains, where so many such tests are made."""
    strict = 1 - (1 - coverage) / max(1, tests)
    return wilson(float(right.mean()), len(right), strict)[0] > by_chance


def confused_pairs(truth: Labels, told: Labels, coverage: float) -> list[tuple[str, str]]:
    """Pairs of labels that are not told apart better than by chance."""
    pairs = list(combinations(sorted(set(truth)), 2))
    found = []
    for pair in pairs:
        both = np.isin(truth, pair) & np.isin(told, pair)
        if both.sum() and not above_chance(
            truth[both] == told[both], chance(truth[both]), coverage, len(pairs)
        ):
            found.append(pair)
    return found
