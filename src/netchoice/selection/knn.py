"""Nearest-neighbour classification of standardised rows, for many sets of columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netchoice.errors import UsageError
from netchoice.selection.greedy import Floats
from netchoice.validation import check_integer

Votes = NDArray[np.int32]
Integers = NDArray[np.integer[Any]]
Positions = Sequence[int] | Integers


class Neighbours:
    """Nearest-neighbour classifier with a fixed training and test set, given as positions of rows.

    All columns are standardised once, by the mean and standard deviation of the training rows; a
    column that is constant there is only centred. Apart from ties, the votes are those of
    scikit-learn's ``KNeighborsClassifier`` after ``StandardScaler``. Among training rows at the same
    distance, the earlier one in ``train`` is nearer. With fewer training rows than neighbours, all
    of them vote. ``y_codes`` has the classes as integers from 0.

    >>> X, y = np.array([[0.0, 1], [1, 1], [9, 1], [8, 1], [2, 1]]), np.array([0, 0, 1, 1, 0])
    >>> Neighbours(X, y, [0, 1, 2, 3], [4], n_neighbors=3).votes([0, 1])
    array([[[2, 1]],
    <BLANKLINE>
           [[2, 1]]], dtype=int32)
    """

    def __init__(
        self, X: Floats, y_codes: Integers, train: Positions, test: Positions, n_neighbors: int = 10
    ) -> None:
        from sklearn.preprocessing import StandardScaler

        self._n_neighbors = check_integer("n_neighbors", n_neighbors)
        if not len(train):
            raise UsageError("`train` must have at least one row; got none")
        scaler = StandardScaler().fit(X[train])
        queries = scaler.transform(X[test]) if len(test) else X[test]
        self._train = np.ascontiguousarray(scaler.transform(X[train]).T)
        self._queries = np.ascontiguousarray(queries.T)
        self._train_classes = np.ascontiguousarray(y_codes[train], dtype=np.int32)
        self._test_classes = np.asarray(y_codes)[test]
        self._n_classes = int(y_codes.max()) + 1

    def votes(self, order: Positions, counted: Sequence[bool] | None = None) -> Votes:
        """Return the votes (places, test rows, classes) after each column of a sequence.

        ``counted`` has the places of the sequence after which votes are counted; by default all.
        Squared distances add up column by column, so that the votes of all prefixes take about as
        long as those of the whole sequence.
        """
        from netchoice._kernels.neighbour_votes import neighbour_votes

        columns = np.ascontiguousarray(order, dtype=np.int32)
        last = len(self._train) - 1
        if len(columns) and not 0 <= columns.min() <= columns.max() <= last:
            raise UsageError(
                f"`order` must hold column positions from 0 to {last}; got {columns.min()} to "
                f"{columns.max()}"
            )
        places = np.ascontiguousarray(np.ones(len(columns)) if counted is None else counted, bool)
        training = (self._train, self._train_classes, self._queries)
        sizes = (self._n_neighbors, self._n_classes)
        return np.asarray(neighbour_votes(*training, columns, places, *sizes))

    def accuracy(self, columns: Positions) -> float:
        """Return the accuracy on the test rows; ties of votes go to the first class."""
        last = np.arange(len(columns)) == len(columns) - 1
        predicted = self.votes(columns, last)[0].argmax(axis=1)
        return float(np.mean(predicted == self._test_classes))
