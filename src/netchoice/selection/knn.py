"""Nearest neighbours after standardising, for many sets of columns over the same folds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netchoice.errors import UsageError
from netchoice.selection.greedy import Floats

Votes = NDArray[np.int32]
Positions = Sequence[int] | NDArray[np.integer[Any]]


class Neighbours:
    """Known rows with labels and rows to be classified, standardised once for all columns.

    Columns are centred and scaled by mean and standard deviation of the known rows; a column that
    is constant there is only centred. Neighbours are nearest by Euclidean distance; among rows at
    the same distance the one that comes first in ``train`` is nearer. Where there are fewer known
    rows than neighbours, all of them vote.

    Parameters
    ----------
    X : array (n, q)
    y_codes : array (n,) of int
        Classes, as integers from 0.
    train, test : arrays of int
        Positions of the known rows, and of those to be classified.
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

        if n_neighbors < 1 or not len(train):
            raise UsageError(
                f"{n_neighbors} neighbours among {len(train)} rows; expected at least one of each"
            )
        scaler = StandardScaler().fit(X[train])
        self._known = np.ascontiguousarray(scaler.transform(X[train]).T)
        self._asked = np.ascontiguousarray(scaler.transform(X[test]).T if len(test) else X[test].T)
        self._label = np.ascontiguousarray(y_codes[train], dtype=np.int32)
        self._truth = np.asarray(y_codes)[test]
        self._n_classes = int(y_codes.max()) + 1
        self._n_neighbors = n_neighbors

    def votes(self, order: Positions, counted: Sequence[bool] | None = None) -> Votes:
        """Votes for each class after each column of a sequence.

        Parameters
        ----------
        order : sequence of int
            Positions of columns. Squared distances add up column by column, so that a prefix
            costs nothing once a longer sequence is computed.
        counted : sequence of bool, optional
            The places of the sequence after which votes are counted; all of them by default.

        Returns
        -------
        array (places counted, test rows, classes) of int
        """
        from netchoice._kernels.neighbour_votes import neighbour_votes

        columns = np.ascontiguousarray(order, dtype=np.int32)
        if len(columns) and not 0 <= columns.min() <= columns.max() < len(self._known):
            raise UsageError(
                f"columns {columns.min()} to {columns.max()} of {len(self._known)}; "
                f"expected positions from 0 to {len(self._known) - 1}"
            )
        everywhere = np.ones(len(columns), dtype=bool)
        return np.asarray(
            neighbour_votes(
                self._known,
                self._label,
                self._asked,
                columns,
                everywhere if counted is None else np.ascontiguousarray(counted, dtype=bool),
                self._n_neighbors,
                self._n_classes,
            )
        )

    def accuracy(self, columns: Positions) -> float:
        """Share of the test rows whose class most neighbours have; ties go to the first class."""
        last = np.arange(len(columns)) == len(columns) - 1
        return float(np.mean(self.votes(columns, last)[0].argmax(axis=1) == self._truth))


def knn_votes(
    X: Floats,
    y_codes: NDArray[np.integer[Any]],
    train: Positions,
    test: Positions,
    order: Positions,
    n_neighbors: int = 10,
) -> Votes:
    """Votes of the nearest neighbours for each class, after each column of a sequence.

    What ``predict_proba`` of scikit-learn's ``KNeighborsClassifier`` after ``StandardScaler`` says
    for the first column, the first two, and so on, times the number of neighbours; rows at equal
    distance aside, which scikit-learn takes in the order in which its search meets them. See
    :class:`Neighbours` for the parameters and how ties are settled.

    Returns
    -------
    array (len(order), len(test), classes) of int

    Examples
    --------
    >>> X, y = np.array([[0.0, 5], [1, 0], [2, 5], [3, 0]]), np.array([0, 1, 0, 1])
    >>> knn_votes(X, y, train=[0, 1, 2], test=[3], order=[0, 1], n_neighbors=1).tolist()
    [[[1, 0]], [[0, 1]]]
    """
    return Neighbours(X, y_codes, train, test, n_neighbors).votes(order)
