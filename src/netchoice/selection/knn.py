"""Predictions by nearest neighbours in standardised columns, for many sets of columns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from netchoice.errors import UsageError
from netchoice.selection.greedy import Floats
from netchoice.selection.regression import Integers, Positions, known_parts
from netchoice.targets import Classes, Numbers, Target
from netchoice.validation import check_integer

Votes = NDArray[np.int32]
#: Squares of larger values overflow.
_SQUARE_OVERFLOWS = 1e150


class Neighbours:
    """Nearest neighbours of fixed test rows among fixed training rows, given as positions.

    All columns are standardised once, by the mean and standard deviation of the training rows; a
    column that is constant there is only centred. Among training rows at the same distance, the
    earlier one in ``train`` is nearer. With fewer training rows than neighbours, all of them count.
    """

    def __init__(self, X: Floats, train: Positions, test: Positions, n_neighbors: int = 10) -> None:
        from sklearn.preprocessing import StandardScaler

        self._n_neighbors = check_integer("n_neighbors", n_neighbors)
        if not len(train):
            raise UsageError("`train` must have at least one row; got none")
        largest = np.abs(X).max(axis=0, initial=0.0)
        X = X / np.where(largest > _SQUARE_OVERFLOWS, largest, 1.0)
        scaler = StandardScaler().fit(X[train])
        queries = scaler.transform(X[test]) if len(test) else X[test]
        self._train = np.ascontiguousarray(scaler.transform(X[train]).T)
        self._queries = np.ascontiguousarray(queries.T)

    def nearest(self, order: Positions, counted: Sequence[bool] | None = None) -> Integers:
        """Return the neighbours (places, test rows, k), as positions in ``train``, by sequence place.

        ``counted`` has the places of the sequence after which neighbours are searched; by default all.
        Squared distances add up column by column, so that all prefixes of a sequence take about as
        long as the whole sequence.
        """
        from netchoice._kernels.nearest_rows import nearest_rows

        columns = np.ascontiguousarray(order, dtype=np.int32)
        last = len(self._train) - 1
        if len(columns) and not 0 <= columns.min() <= columns.max() <= last:
            raise UsageError(
                f"`order` must hold column positions from 0 to {last}; got {columns.min()} to "
                f"{columns.max()}"
            )
        places = np.ascontiguousarray(np.ones(len(columns)) if counted is None else counted, bool)
        found = nearest_rows(self._train, self._queries, columns, places, self._n_neighbors)
        return np.asarray(found)


class ClassNeighbours(Neighbours):
    """Nearest-neighbour classifier with a fixed training and test set.

    Apart from ties, the votes are those of scikit-learn's ``KNeighborsClassifier`` after
    ``StandardScaler``.

    >>> X, y = np.array([[0.0, 1], [1, 1], [9, 1], [8, 1], [2, 1]]), np.array([0, 0, 1, 1, 0])
    >>> target = Classes(y, np.array(["a", "b"]))
    >>> ClassNeighbours(X, target, [0, 1, 2, 3], [4], n_neighbors=3).votes([0, 1])
    array([[[2, 1]],
    <BLANKLINE>
           [[2, 1]]], dtype=int32)
    """

    def __init__(
        self, X: Floats, target: Classes, train: Positions, test: Positions, n_neighbors: int = 10
    ) -> None:
        super().__init__(X, train, test, n_neighbors)
        self._train_codes, self.truth = target.codes[train], target.codes[test]
        self._n_classes = len(target.labels)

    def votes(self, order: Positions, counted: Sequence[bool] | None = None) -> Votes:
        """Return the votes (places, test rows, classes) after each column of a sequence."""
        labels = self._train_codes[self.nearest(order, counted)]
        by_class = [np.count_nonzero(labels == c, axis=2) for c in range(self._n_classes)]
        return np.stack(by_class, axis=2).astype(np.int32)

    def score(self, columns: Positions) -> float:
        """Return the accuracy on the test rows; ties of votes go to the first class."""
        predicted = self.votes(columns, _last(columns))[0].argmax(axis=1)
        return float(np.mean(predicted == self.truth))


class NumberNeighbours:
    """Nearest-neighbour regression with a fixed training and test set: the mean of the neighbours.

    If some rows have no value in some columns of the target, each column uses the rows that have one.
    """

    def __init__(
        self, X: Floats, target: Numbers, train: Positions, test: Positions, n_neighbors: int = 10
    ) -> None:
        self._parts = [
            (Neighbours(X[part.rows], part.train, part.test, n_neighbors), part)
            for part in known_parts(target, train, test)
        ]

    def scores(self, order: Positions, counted: Sequence[bool] | None = None) -> Floats:
        """Return R² on the test rows after each counted column of a sequence."""
        scores = [
            part.weight
            * part.r_squared(part.train_values[near.nearest(order, counted)].mean(axis=2))
            for near, part in self._parts
        ]
        return np.asarray(sum(scores))

    def score(self, columns: Positions) -> float:
        """Return R² on the test rows."""
        return float(self.scores(columns, _last(columns))[0])


def neighbours_of(
    X: Floats, target: Target, train: Positions, test: Positions
) -> ClassNeighbours | NumberNeighbours:
    """Return a nearest-neighbour classifier or regression, as the target requires."""
    if isinstance(target, Classes):
        return ClassNeighbours(X, target, train, test)
    return NumberNeighbours(X, target, train, test)


def _last(columns: Positions) -> list[bool]:
    return [i == len(columns) - 1 for i in range(len(columns))]
