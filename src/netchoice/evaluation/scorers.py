"""How well sets of features predict a target: by nearest neighbours, or with any classifier or regressor."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netchoice.columns import Columns
from netchoice.errors import UsageError
from netchoice.targets import Classes, Numbers, Target
from netchoice.units import parse_budget
from netchoice.user_code import load_attribute
from netchoice.validation import check_integer, unknown

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
Integers = NDArray[np.integer[Any]]
Positions = Sequence[int] | Integers
Fold = tuple[Codes, Codes]
#: Squares of larger values overflow.
_SQUARE_OVERFLOWS = 1e150
#: The loss of predictions without probabilities.
NO_LOSS = float("nan")
FoldScore = tuple[float, float]


# Nearest neighbours in standardised columns, for many sets of columns


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


# Parts of a target: each column of numbers uses the rows that have a value


@dataclass(frozen=True)
class Part:
    """Columns of a target, the rows in which they have a value, and those that train and test.

    ``train`` and ``test`` are positions in ``rows``; ``weight`` is the share of the columns. Classes have one
    part.
    """

    target: Target
    rows: Integers
    train: Integers
    test: Integers
    weight: float

    def r_squared(self, predicted: Floats) -> Floats:
        """Return 1 − mean squared error / variance, averaged over the columns.

        ``predicted`` has the shape (…, test rows, columns). The variance is that of all rows, so that
        the mean over folds of equal size is R² of the whole table.
        """
        assert isinstance(self.target, Numbers)
        values = self.target.values
        squares = ((predicted - values[self.test]) ** 2).mean(axis=-2)
        return np.asarray((1 - squares / values.var(axis=0)).mean(axis=-1))


def known_parts(target: Target, train: Positions, test: Positions) -> list[Part]:
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
            parts.append(Part(known, rows, train_here, test_here, weight))
    total = sum(part.weight for part in parts)
    return [replace(part, weight=part.weight / total) for part in parts]


# Scores by name


def make_scoring(scoring: Any, target: Target) -> tuple[str, Callable[..., float] | None]:
    """Return the name of what is measured, and a function of a fitted estimator, X and y; more is better.

    ``scoring`` is the name of a scorer of scikit-learn ("balanced_accuracy", "neg_log_loss", "roc_auc"),
    "sensitivity@95%" (the share of the rarer of two classes that is found if 95% of the other are not
    called so), a CSV file with costs of errors (true class, predicted class, cost; the score is minus the
    mean cost of the predictions with the least expected cost), ``module:attribute``, or a function. None:
    accuracy, or R² for numbers; the function is then None. Classes are integers in the order of their labels.

    >>> make_scoring("balanced_accuracy", Classes(np.array([0, 1]), np.array(["a", "b"])))[0]
    'balanced_accuracy'
    """
    if scoring is None:
        return ("accuracy" if isinstance(target, Classes) else "R²"), None
    if callable(scoring):
        return getattr(scoring, "__name__", "score"), scoring
    text = str(scoring)
    if text.startswith("sensitivity@") and isinstance(target, Classes):
        counts = np.bincount(target.codes, minlength=2)
        rarer = 0 if counts[0] < counts[1] else 1
        specificity = _specificity(text, target)
        return text, partial(_sensitivity, specificity=specificity, wanted=rarer)
    if text.endswith(".csv") and isinstance(target, Classes):
        return "minus the mean cost of errors", partial(
            _error_costs, costs=_read_errors(text, target)
        )
    if ":" in text:
        return text, load_attribute(text)
    from sklearn.metrics import get_scorer, get_scorer_names

    if text not in get_scorer_names():
        raise unknown("score", text, ["sensitivity@95%", *get_scorer_names()])
    return text, get_scorer(text)


def _specificity(text: str, target: Classes) -> float:
    share, is_share = parse_budget(text.partition("@")[2])
    if not is_share or share >= 1 or len(target.labels) != 2:
        raise UsageError(f"{text} needs two classes and a specificity such as sensitivity@95%")
    return share


def _sensitivity(fitted: Any, X: Floats, y: Codes, specificity: float, wanted: int) -> float:
    from sklearn.metrics import roc_curve

    called_in_error, found, _ = roc_curve(y == wanted, fitted.predict_proba(X)[:, wanted])
    return float(found[called_in_error <= 1 - specificity + 1e-12].max())


def _read_errors(path: str, target: Classes) -> Floats:
    """Return the cost of each error: rows are true classes, columns predicted ones."""
    labels = [str(label) for label in target.labels]
    costs = np.full((len(labels), len(labels)), np.nan)
    np.fill_diagonal(costs, 0.0)
    try:
        lines = Path(path).read_text("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read as costs of errors: {error}") from error
    for number, cells in enumerate(csv.reader(lines), start=1):
        try:
            true, predicted, cost = (cell.strip() for cell in cells)
            costs[labels.index(true), labels.index(predicted)] = float(cost)
        except ValueError:
            if number > 1:  # the first line may be a header
                raise UsageError(
                    f"{path}, line {number}: expected a true class, a predicted class and a cost; the "
                    f"classes are {', '.join(labels)}"
                ) from None
    if np.isnan(costs).any():
        i, j = np.argwhere(np.isnan(costs))[0]
        raise UsageError(f"{path} has no cost for {labels[i]!r} that is predicted as {labels[j]!r}")
    return costs


def _error_costs(fitted: Any, X: Floats, y: Codes, costs: Floats) -> float:
    expected = fitted.predict_proba(X) @ costs[fitted.classes_]
    return -float(costs[y, expected.argmin(axis=1)].mean())


# Scorers


class NeighboursScorer:
    """Scores sets with 10 nearest neighbours on standardised features; compiled.

    Apart from ties, the predictions are those of scikit-learn's ``KNeighborsClassifier`` or
    ``KNeighborsRegressor`` after ``StandardScaler``.
    """

    name = "knn"

    def __init__(
        self, X: Floats, target: Target, folds: Sequence[Fold], nominal: Sequence[bool] = ()
    ) -> None:
        self._sizes = [len(test) for _, test in folds]
        self._columns = Columns.of(X, nominal)
        values = self._columns.values
        self._parts = [
            [(Neighbours(values[p.rows], p.train, p.test), p) for p in known_parts(target, *fold)]
            for fold in folds
        ]
        self.measure = make_scoring(None, target)[0]

    def __call__(self, fold: int, features: list[int], counted: list[bool]) -> list[FoldScore]:
        """Return correct predictions and summed loss for each counted prefix of the features."""
        order, ends = self._columns.order(features, counted)
        total: Any = 0.0
        for neighbours, part in self._parts[fold]:
            target, nearest = part.target, neighbours.nearest(order, ends)
            if isinstance(target, Classes):
                labels, truth = target.codes[part.train][nearest], target.codes[part.test]
                return _class_scores(labels, truth, len(target.labels))
            total += part.weight * part.r_squared(target.values[part.train][nearest].mean(axis=2))
        return [(self._sizes[fold] * float(score), NO_LOSS) for score in total]


def _class_scores(labels: Codes, truth: Codes, n_classes: int) -> list[FoldScore]:
    """Return correct predictions and summed loss from the labels (places, rows, k) of neighbours."""
    votes = np.stack([np.count_nonzero(labels == c, axis=2) for c in range(n_classes)], axis=2)
    found: list[FoldScore] = []
    for counts in votes:
        smoothed = (counts + 0.5) / (counts.sum(axis=1, keepdims=True) + 0.5 * n_classes)
        loss = -np.log(smoothed[np.arange(len(truth)), truth]).sum()
        found.append((int((counts.argmax(axis=1) == truth).sum()), float(loss)))
    return found


class ClassifierScorer:
    """Scores sets with any scikit-learn classifier or regressor, fitted for each set and fold."""

    def __init__(
        self,
        classifier: Any,
        X: Floats,
        target: Target,
        folds: Sequence[Fold],
        scoring: Any = None,
        nominal: Sequence[bool] = (),
    ) -> None:
        self.measure, self._scoring = make_scoring(scoring, target)
        self.name = " ".join(repr(classifier).split())
        if self._scoring is not None:
            self.name += f", {self.measure}"
        self._classifier, self._target, self._folds = classifier, target, folds
        self._columns = Columns.of(X, nominal)

    def __call__(self, fold: int, features: list[int], counted: list[bool]) -> list[FoldScore]:
        """Return correct predictions and summed loss for each counted prefix of the features."""
        order, ends = self._columns.order(features, counted)
        return [self._one(fold, order[: i + 1]) for i, wanted in enumerate(ends) if wanted]

    def _one(self, fold: int, columns: list[int]) -> FoldScore:
        from sklearn.base import clone

        train, test = self._folds[fold]
        X, target = self._columns.values[:, columns], self._target
        if isinstance(target, Numbers) and self._scoring is None:
            parts = known_parts(target, train, test)
            return len(test) * sum(self._r_squared(part, X[part.rows]) for part in parts), NO_LOSS
        y = target.codes if isinstance(target, Classes) else _one_number(target)
        fitted = clone(self._classifier).fit(X[train], y[train])
        if self._scoring is not None:
            return len(test) * float(self._scoring(fitted, X[test], y[test])), NO_LOSS
        correct = int((fitted.predict(X[test]) == y[test]).sum())
        if not hasattr(fitted, "predict_proba"):
            return correct, NO_LOSS
        chances = fitted.predict_proba(X[test])
        where = np.searchsorted(fitted.classes_, y[test]).clip(max=chances.shape[1] - 1)
        known = fitted.classes_[where] == y[test]
        of_truth = np.where(known, chances[np.arange(len(test)), where], 0.0)
        return correct, float(-np.log(of_truth.clip(min=np.finfo(float).eps)).sum())

    def _r_squared(self, part: Part, X: Floats) -> float:
        """Return the weighted R² of a regressor on the test rows of a part."""
        from sklearn.base import clone

        assert isinstance(part.target, Numbers)
        values = part.target.values[part.train]
        fitted = clone(self._classifier).fit(
            X[part.train], values[:, 0] if values.shape[1] == 1 else values
        )
        predicted = np.reshape(fitted.predict(X[part.test]), (len(part.test), -1))
        return part.weight * float(part.r_squared(predicted))


def _one_number(target: Numbers) -> Floats:
    if target.values.shape[1] > 1:
        raise UsageError(
            "scores by name need one number for each row; leave out `scoring` for several"
        )
    return np.asarray(target.values[:, 0])


Scorer = NeighboursScorer | ClassifierScorer


def find_classifier(classifier: Any, target: Target) -> Any:
    """Return the scikit-learn estimator of a name, ``module:attribute``, or the estimator itself.

    >>> find_classifier("linear", Numbers(np.ones((2, 1)), ("y",)))
    Pipeline(steps=[('standardscaler', StandardScaler()), ('ridge', Ridge())])
    """
    if classifier in ("knn", "linear"):
        from sklearn.linear_model import LogisticRegression, Ridge
        from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        is_classes = isinstance(target, Classes)
        if classifier == "linear":
            logistic = LogisticRegression(solver="newton-cholesky")
            return make_pipeline(StandardScaler(), logistic if is_classes else Ridge())
        return make_pipeline(
            StandardScaler(), (KNeighborsClassifier if is_classes else KNeighborsRegressor)(10)
        )
    if isinstance(classifier, str) and ":" in classifier:
        loaded = load_attribute(classifier)
        classifier = loaded() if isinstance(loaded, type) else loaded
    if not hasattr(classifier, "fit") or not hasattr(classifier, "predict"):
        raise UsageError(
            f"classifier={classifier!r}; expected 'knn', 'linear', module:attribute, or a scikit-learn "
            "classifier (a regressor if the target is numbers)"
        )
    return classifier


def make_scorer(
    classifier: Any,
    X: Floats,
    target: Target,
    folds: Sequence[Fold],
    scoring: Any = None,
    nominal: Sequence[bool] = (),
) -> Scorer:
    """Return the scorer for "knn", "linear", or a scikit-learn classifier or regressor."""
    if isinstance(classifier, str) and classifier == "knn" and scoring is None:
        return NeighboursScorer(X, target, folds, nominal)
    found = find_classifier(classifier, target)
    return ClassifierScorer(found, X, target, folds, scoring, nominal)
