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
Positions = Sequence[int] | NDArray[np.integer[Any]]


class Neighbours:
    """Nearest-neighbour classifier with a fixed training and test set.

    All columns are standardised once, by the mean and standard deviation of the training rows; a
    column that is constant there is only centred. Neighbours are nearest by Euclidean distance.
    Among training rows at the same distance, the earlier one in ``train`` is nearer. With fewer
    training rows than neighbours, all of them vote. Apart from ties, the votes are those of
    scikit-learn's ``KNeighborsClassifier`` after ``StandardScaler``.

    Parameters
    ----------
    X : array (n, q)
    y_codes : array (n,) of int
        Classes, as integers from 0.
    train, test : arrays of int
        Positions of the training rows and of the test rows.
    n_neighbors : int

    Examples
    --------
    >>> X, y = np.array([[0.0, 1], [1, 1], [9, 1], [8, 1], [2, 1]]), np.array([0, 0, 1, 1, 0])
    >>> Neighbours(X, y, [0, 1, 2, 3], [4], n_neighbors=3).votes([0, 1])
    array([[[2, 1]],
    <BLANKLINE>
           [[2, 1]]], dtype=int32)
    """

    def __init__(
        self,
        X: Floats,
        y_codes: NDArray[np.integer[Any]],
        train: Positions,
        test: Positions,
        n_neighbors: int = 10,
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
        """Return the votes for each class after each column of a sequence.

        Parameters
        ----------
        order : sequence of int
            Positions of columns. Squared distances add up column by column, so that the votes of
            all prefixes take about as long as those of the whole sequence.
        counted : sequence of bool, optional
            The places of the sequence after which votes are counted; by default all.

        Returns
        -------
        array (places counted, test rows, classes) of int
        """
        from netchoice._kernels.neighbour_votes import neighbour_votes

        columns = np.ascontiguousarray(order, dtype=np.int32)
        last = len(self._train) - 1
        if len(columns) and not 0 <= columns.min() <= columns.max() <= last:
            raise UsageError(
                f"`order` must hold column positions from 0 to {last}; got {columns.min()} to "
                f"{columns.max()}"
            )
        everywhere = np.ones(len(columns), dtype=bool)
        return np.asarray(
            neighbour_votes(
                self._train,
                self._train_classes,
                self._queries,
                columns,
                everywhere if counted is None else np.ascontiguousarray(counted, dtype=bool),
                self._n_neighbors,
                self._n_classes,
            )
        )

    def accuracy(self, columns: Positions) -> float:
        """Return the accuracy on the test rows; ties of votes go to the first class."""
        last = np.arange(len(columns)) == len(columns) - 1
        predicted = self.votes(columns, last)[0].argmax(axis=1)
        return float(np.mean(predicted == self._test_classes))
