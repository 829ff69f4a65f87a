"""R² of predicted numbers, where each column of a target uses the rows that have a value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netchoice.selection.greedy import Floats
from netchoice.targets import Numbers

Integers = NDArray[np.integer[Any]]
Positions = Sequence[int] | Integers


@dataclass(frozen=True)
class KnownPart:
    """Columns of a target, the rows in which they have a value, and those that train and test.

    ``train`` and ``test`` are positions in ``rows``; ``weight`` is the share of the columns.
    """

    target: Numbers
    rows: Integers
    train: Integers
    test: Integers
    weight: float

    @property
    def train_values(self) -> Floats:
        """The values of the training rows."""
        return np.asarray(self.target.values[self.train])

    def r_squared(self, predicted: Floats) -> Floats:
        """Return 1 − mean squared error / variance, averaged over the columns.

        ``predicted`` has the shape (…, test rows, columns). The variance is that of all rows, so that
        the mean over folds of equal size is R² of the whole table.
        """
        squares = ((predicted - self.target.values[self.test]) ** 2).mean(axis=-2)
        return np.asarray((1 - squares / self.target.values.var(axis=0)).mean(axis=-1))


def known_parts(target: Numbers, train: Positions, test: Positions) -> list[KnownPart]:
    """Return the parts of a target that have training and test rows; their weights add up to 1.

    >>> target = Numbers(np.array([[0.0, 1.0], [2.0, np.nan], [4.0, 3.0]]), ("a", "b"))
    >>> [(part.rows.tolist(), part.test.tolist()) for part in known_parts(target, [0, 1], [2])]
    [([0, 1, 2], [2]), ([0, 2], [1])]
    """
    parts = []
    for rows, known, weight in target.parts():
        position = np.full(len(target), -1)
        position[rows] = np.arange(len(rows))
        inside = [position[np.asarray(chosen, dtype=np.intp)] for chosen in (train, test)]
        train_here, test_here = (places[places >= 0] for places in inside)
        if len(train_here) and len(test_here):
            parts.append(KnownPart(known, rows, train_here, test_here, weight))
    total = sum(part.weight for part in parts)
    return [
        KnownPart(part.target, part.rows, part.train, part.test, part.weight / total)
        for part in parts
    ]


def regressor_score(
    regressor: Any, X: Floats, target: Numbers, train: Positions, test: Positions
) -> float:
    """Fit a scikit-learn regressor to the training rows, and return its R² on the test rows."""
    from sklearn.base import clone

    score = 0.0
    for part in known_parts(target, train, test):
        known, values = X[part.rows], part.train_values
        y = values[:, 0] if values.shape[1] == 1 else values
        predicted = clone(regressor).fit(known[part.train], y).predict(known[part.test])
        score += part.weight * float(part.r_squared(np.reshape(predicted, (len(part.test), -1))))
    return score
