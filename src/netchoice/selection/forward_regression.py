"""Forward selection: each column is scored by what it adds to a regression on the selected columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netchoice.information.estimators import encode_column, middle_scores
from netchoice.selection.base import CostAwareSelector, TrainingData
from netchoice.selection.greedy import Floats, Terms
from netchoice.targets import Classes, Target

#: A term whose variance, given the selected columns, is below this share of its own adds nothing.
TOLERANCE = 1e-6


class ForwardRegression(CostAwareSelector):
    """What column k adds to a linear regression on the selected columns, in nats − λC.

    The regression uses the normal scores of the ranks of each column, and their squares. Its information
    is −½ log(1 − R²), the mutual information of normal variables, averaged over the columns of the target.
    Forward selection is fast and suits targets that the columns predict smoothly. It does not find columns
    that are informative only jointly. For classes, the regression predicts the indicators of the classes.
    Categories and missing values have indicators. The parameters and attributes are those of
    :class:`MRMR`, except those of mutual information;
    ``relevance_`` is the information of a column alone, and ``random_state`` has no effect.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> ForwardRegression(n_features_to_select=3).fit(X, y).get_feature_names_out()
    array(['bmi', 'bp', 's5'], dtype=object)
    """

    method = "forward-regression"
    supports_missing = True

    def _compute_statistics(self, data: TrainingData, group: Sequence[CostAwareSelector]) -> Any:
        return [
            (_Regression(part.X, part.target, part.nominal), weight)
            for part, weight in data.parts()
        ]

    def _information(
        self, statistics: list[tuple[_Regression, float]], selected: list[int]
    ) -> Terms:
        alone = sum(weight * regression.alone for regression, weight in statistics)
        gains = sum(weight * regression.gains(selected) for regression, weight in statistics)
        return Terms(np.asarray(alone), np.asarray(alone - gains))


class _Regression:
    """Covariances of the terms of all columns with one another and with the target.

    The matrix is swept by the selected columns, one after the other: it then has the covariances of the
    residuals of a regression on these columns.
    """

    def __init__(self, X: Floats, target: Target, nominal: NDArray[np.bool_]) -> None:
        n, self._q = X.shape
        columns = [_terms(values, bool(each)) for values, each in zip(X.T, nominal, strict=True)]
        first, second, *_ = zip(*(terms[:2] for terms in columns), strict=True)
        others = [term for terms in columns for term in terms[2:]]
        ends = 2 * self._q + np.cumsum([0, *(len(terms) - 2 for terms in columns)])
        #: The places of all terms of each column.
        self._terms_of = [[k, k + self._q, *range(ends[k], ends[k + 1])] for k in range(self._q)]
        self._n_terms = int(ends[-1])
        outcome = _indicators(target) if isinstance(target, Classes) else target.values
        outcome = (outcome - outcome.mean(axis=0)) / outcome.std(axis=0)
        terms = np.column_stack([*first, *second, *others])
        deviation = terms.std(axis=0)
        terms = (terms - terms.mean(axis=0)) / np.where(deviation > 0, deviation, 1.0)
        both = np.column_stack([terms, outcome])
        self._covariances = both.T @ both / n
        self._selected: list[int] = []
        self._swept = self._covariances.copy()
        #: The information of each column alone.
        self.alone = self.gains([])

    def gains(self, selected: Sequence[int]) -> Floats:
        """Return the information that each column adds to the selected columns."""
        self._sweep_to(list(selected))
        q, swept = self._q, self._swept
        first, second = np.arange(q), np.arange(q, 2 * q)
        variance, cross = swept[first, first], swept[first, second]
        is_used = variance > TOLERANCE
        slope = np.divide(cross, variance, out=np.zeros(q), where=is_used)
        on_first, on_second = swept[:q, self._n_terms :], swept[q : 2 * q, self._n_terms :]
        rest = swept[second, second] - slope * cross
        remaining = on_second - slope[:, None] * on_first
        explained = _squares_over(on_first, variance) + _squares_over(remaining, rest)
        for k, terms in enumerate(self._terms_of):
            if len(terms) > 2:
                explained[k] = _explained(
                    swept[np.ix_(terms, terms)], swept[terms, self._n_terms :]
                )
        left = np.diag(swept)[self._n_terms :].clip(min=TOLERANCE)
        return np.asarray(-0.5 * np.log1p(-(explained / left).clip(max=1 - TOLERANCE)).mean(axis=1))

    def _sweep_to(self, selected: list[int]) -> None:
        if self._selected != selected[: len(self._selected)]:
            self._selected, self._swept = [], self._covariances.copy()
        for column in selected[len(self._selected) :]:
            for term in self._terms_of[column]:
                pivot = self._swept[term, term]
                if pivot > TOLERANCE:
                    self._swept -= np.outer(self._swept[:, term], self._swept[term]) / pivot
            self._selected.append(column)


def _terms(values: Floats, is_nominal: bool) -> list[Floats]:
    """Return the terms of a column, two or more: normal scores and their squares, or indicators."""
    missing = np.isnan(values)
    if is_nominal:
        terms = [(values == each).astype(float) for each in np.unique(values[~missing])]
    else:
        scores = np.zeros(len(values))
        scores[~missing] = middle_scores(encode_column(values[~missing]))[0]
        terms = [scores, scores**2]
    if missing.any():
        terms.append(missing.astype(float))
    return [*terms, *(np.zeros(len(values)) for _ in range(2 - len(terms)))]


def _explained(covariances: Floats, with_outcome: Floats) -> Floats:
    """Return the variance of each outcome that several terms explain together."""
    solved = np.linalg.pinv(covariances, rcond=TOLERANCE, hermitian=True) @ with_outcome
    return np.asarray((with_outcome * solved).sum(axis=0))


def _squares_over(covariances: Floats, variance: Floats) -> Floats:
    """Return covariance² / variance for each outcome; 0 if there is no variance left."""
    is_used = variance > TOLERANCE
    weights = np.divide(1.0, variance, out=np.zeros(len(variance)), where=is_used)
    return np.asarray(covariances**2 * weights[:, None])


def _indicators(target: Classes) -> Floats:
    return np.equal.outer(target.codes, np.arange(len(target.labels))).astype(np.float64)
