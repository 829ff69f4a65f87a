"""Ridge regression with a Gaussian and a linear kernel, and its leave-one-out predictions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.spatial.distance import cdist

from netchoice.inference.scaling import Floats

#: Rows that the regression is fitted to; others are predicted.
MAX_CENTRES = 1500
#: Precision of the Gaussian kernel, divided by the number of columns.
_PRECISION = 0.3
#: Scores beyond this count as this. Far from all rows only the linear kernel is left.
_MAX_SCORE = 4.0
_PENALTIES = 10.0 ** np.arange(-4, 2.5, 0.5)


@dataclass(frozen=True)
class KernelRegression:
    """A regression of several targets on the scaled columns of a table.

    The penalty of each target minimises the leave-one-out error.

    Attributes
    ----------
    centres : array (c, q), rows that the regression is fitted to
    weights : array (c, p), of the kernels around the centres
    mean : array (p,), of the targets
    predictions : array (n, p)
        Predictions for the rows of the table, none of which uses the target of its own row.

    Examples
    --------
    >>> x = np.linspace(-2, 2, 100)[:, None]
    >>> regression = KernelRegression.fit(x, np.sin(x))
    >>> bool(abs(regression.predict(np.array([[1.0]])).item() - np.sin(1)) < 0.01)
    True
    """

    centres: Floats
    weights: Floats
    mean: Floats
    predictions: Floats

    @classmethod
    def fit(cls, X: Floats, targets: Floats) -> Self:
        """Return the regression of the targets (n, p) on the columns of X (n, q)."""
        X = _scores(X)
        n = min(len(X), MAX_CENTRES)
        centres, mean = X[:n], targets.mean(axis=0)
        values, vectors = np.linalg.eigh(_kernel(centres, centres))
        projected, squares = vectors.T @ (targets[:n] - mean), vectors**2
        weights, residuals = np.empty((n, targets.shape[1])), np.empty((n, targets.shape[1]))
        for j, column in enumerate(projected.T):
            fits = []
            for penalty in _PENALTIES:
                shrunk = 1 / (values.clip(0) + penalty)
                found = vectors @ (shrunk * column)
                left_out = found / (squares @ shrunk)
                fits.append((float(left_out @ left_out), found, left_out))
            _, weights[:, j], residuals[:, j] = min(fits, key=lambda fit: fit[0])
        predictions = np.concatenate(
            [targets[:n] - residuals, _kernel(X[n:], centres) @ weights + mean]
        )
        return cls(centres, weights, mean, predictions)

    @classmethod
    def restored(cls, X: Floats, weights: Floats, mean: Floats, predictions: Floats) -> Self:
        """Return the regression on the columns of X (n, q) that was fitted before."""
        return cls(_scores(X)[: len(weights)], weights, mean, predictions)

    def predict(self, X: Floats) -> Floats:
        """Return the predictions (m, p) for new rows (m, q)."""
        return np.asarray(_kernel(_scores(X), self.centres) @ self.weights + self.mean)


def _scores(X: Floats) -> Floats:
    return np.asarray(X.clip(-_MAX_SCORE, _MAX_SCORE))


def _kernel(a: Floats, b: Floats) -> Floats:
    q = a.shape[1]
    return np.asarray(np.exp(-_PRECISION / q * cdist(a, b, "sqeuclidean")) + a @ b.T / q)
