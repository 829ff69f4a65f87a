"""Cross-validated scores of sets of features; each set is scored once."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib.metadata import version
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from netchoice.atomic import write_text
from netchoice.errors import UsageError
from netchoice.inference.scaling import Scaling
from netchoice.selection.knn import NumberNeighbours, neighbours_of
from netchoice.selection.regression import KnownPart, known_parts, regressor_score
from netchoice.storage.kept_files import checksum, fingerprint_of, read_content
from netchoice.storage.shards import disk_errors
from netchoice.stores import place
from netchoice.targets import Classes, Numbers, Target
from netchoice.threads import Run, threads

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
Set = frozenset[str]
Fold = tuple[Codes, Codes]
#: Rank scores beyond this are outside the simulated range, where a regression extrapolates.
MAX_SCORE = 4.0
#: Added to the variances of terms, so that the regression exists if terms depend on each other.
RIDGE = 1e-6
#: Relative squared errors below this count as this.
SMALLEST_ERROR = 1e-9
#: The loss of predictions without probabilities.
NO_LOSS = float("nan")
FoldScore = tuple[float, float]


class Score(NamedTuple):
    """Correct predictions and summed logarithmic loss of one set, by fold.

    For numbers, the number of rows times R² takes the place of the correct predictions, and there is no
    loss.
    """

    correct: tuple[float, ...]
    losses: tuple[float, ...]


class NeighboursScorer:
    """Scores sets with 10 nearest neighbours on standardised features; the default, compiled."""

    name = "knn"

    def __init__(self, X: Floats, target: Target, folds: Sequence[Fold]) -> None:
        self._sizes = [len(test) for _, test in folds]
        self._neighbours = [neighbours_of(X, target, *fold) for fold in folds]

    def __call__(self, fold: int, order: list[int], counted: list[bool]) -> list[FoldScore]:
        """Return correct predictions and summed loss for each counted prefix of the order."""
        neighbours = self._neighbours[fold]
        if isinstance(neighbours, NumberNeighbours):
            scores = neighbours.scores(order, counted)
            return [(self._sizes[fold] * float(score), NO_LOSS) for score in scores]
        rows = np.arange(self._sizes[fold])
        found: list[FoldScore] = []
        for votes in neighbours.votes(order, counted):
            smoothed = (votes + 0.5) / (votes.sum(axis=1, keepdims=True) + 0.5 * votes.shape[1])
            loss = -np.log(smoothed[rows, neighbours.truth]).sum()
            found.append((int((votes.argmax(axis=1) == neighbours.truth).sum()), float(loss)))
        return found


class ClassifierScorer:
    """Scores sets with any scikit-learn classifier or regressor, fitted for each set and fold."""

    def __init__(self, classifier: Any, X: Floats, target: Target, folds: Sequence[Fold]) -> None:
        self.name = " ".join(repr(classifier).split())
        self._classifier, self._X, self._target, self._folds = classifier, X, target, folds

    def __call__(self, fold: int, order: list[int], counted: list[bool]) -> list[FoldScore]:
        """Return correct predictions and summed loss for each counted prefix of the order."""
        return [self._one(fold, order[: i + 1]) for i, wanted in enumerate(counted) if wanted]

    def _one(self, fold: int, columns: list[int]) -> FoldScore:
        from sklearn.base import clone

        train, test = self._folds[fold]
        X, target = self._X[:, columns], self._target
        if isinstance(target, Numbers):
            score = regressor_score(self._classifier, X, target, train, test)
            return len(test) * score, NO_LOSS
        y = target.codes
        fitted = clone(self._classifier).fit(X[train], y[train])
        correct = int((fitted.predict(X[test]) == y[test]).sum())
        if not hasattr(fitted, "predict_proba"):
            return correct, NO_LOSS
        chances = fitted.predict_proba(X[test])
        where = np.searchsorted(fitted.classes_, y[test]).clip(max=chances.shape[1] - 1)
        known = fitted.classes_[where] == y[test]
        of_truth = np.where(known, chances[np.arange(len(test)), where], 0.0)
        return correct, float(-np.log(of_truth.clip(min=np.finfo(float).eps)).sum())


class RegressionScorer:
    """Scores sets with a linear regression of numbers on the rank scores of features and their squares.

    The posterior of parameters uses such a regression (:func:`netchoice.inference.posterior`). With several
    columns of numbers, the score is 1 − the geometric mean of their relative squared errors, so that the
    same relative change of any of them counts equally.
    """

    name = "regression"

    def __init__(self, X: Floats, target: Numbers, folds: Sequence[Fold]) -> None:
        self._sizes = [len(test) for _, test in folds]
        self._parts = [
            [_RegressionPart(X[part.rows], part) for part in known_parts(target, *fold)]
            for fold in folds
        ]

    def __call__(self, fold: int, order: list[int], counted: list[bool]) -> list[FoldScore]:
        """Return the number of rows times R² for each counted prefix of the order."""
        sizes = [k + 1 for k, is_counted in enumerate(counted) if is_counted]
        logs = [sum(part.log_error(order[:k]) for part in self._parts[fold]) for k in sizes]
        return [(self._sizes[fold] * (1 - math.exp(log)), NO_LOSS) for log in logs]


class _RegressionPart:
    """Sums of products of all terms in the training and the test rows of one fold.

    The regression of every set, and its errors, follow from these sums.
    """

    def __init__(self, X: Floats, part: KnownPart) -> None:
        self._q, self._weight = X.shape[1], part.weight
        scores = Scaling.fit(X[part.train], "rank").transform(X).clip(-MAX_SCORE, MAX_SCORE)
        values = part.target.values - part.train_values.mean(axis=0)
        terms = np.column_stack([np.ones(len(X)), scores, scores**2])
        self._train, self._test = (
            (terms[rows].T @ terms[rows], terms[rows].T @ values[rows])
            for rows in (part.train, part.test)
        )
        self._squares = (values[part.test] ** 2).sum(axis=0)
        self._scale = len(part.test) * part.target.values.var(axis=0)

    def log_error(self, columns: list[int]) -> float:
        """Return the mean log of the relative squared errors, times the weight of the part."""
        used = np.array([0, *(1 + c for c in columns), *(1 + self._q + c for c in columns)])
        of_terms, with_values = self._train[0][np.ix_(used, used)], self._train[1][used]
        slopes = np.linalg.solve(of_terms + RIDGE * of_terms[0, 0] * np.eye(len(used)), with_values)
        of_terms, with_values = self._test[0][np.ix_(used, used)], self._test[1][used]
        explained = (slopes * (2 * with_values - of_terms @ slopes)).sum(axis=0)
        errors = (self._squares - explained) / self._scale
        return self._weight * float(np.log(errors.clip(min=SMALLEST_ERROR)).mean())


Scorer = NeighboursScorer | RegressionScorer | ClassifierScorer


def make_scorer(classifier: Any, X: Floats, target: Target, folds: Sequence[Fold]) -> Scorer:
    """Return the scorer for "knn" or a scikit-learn classifier or regressor."""
    if classifier is None or (isinstance(classifier, str) and classifier == "knn"):
        return NeighboursScorer(X, target, folds)
    if isinstance(target, Numbers) and isinstance(classifier, str) and classifier == "regression":
        return RegressionScorer(X, target, folds)
    if not hasattr(classifier, "fit") or not hasattr(classifier, "predict"):
        raise UsageError(
            f"classifier={classifier!r}; expected 'knn' or a scikit-learn classifier; if the target is "
            "numbers, also 'regression' or a scikit-learn regressor"
        )
    return ClassifierScorer(classifier, X, target, folds)


def make_folds(target: Target, n_folds: int, seed: int) -> list[Fold]:
    """Return folds as positions of training and test rows, with all classes in proportion."""
    from sklearn.model_selection import StratifiedKFold

    strata = target.strata
    fewest = int(np.bincount(strata).min())
    if not 2 <= n_folds <= fewest:
        rows = "the rarest label has" if isinstance(target, Classes) else "there are"
        raise UsageError(f"{n_folds} folds, but {rows} {fewest} rows; expected 2 to {fewest} folds")
    splitter = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
    return list(splitter.split(strata, strata))


class Scores:
    """Scores of sets of features; the names are those of the scorer's columns.

    If a path is given, the scores are kept there, in JSON lines, one for each set. Sets in the file
    are not scored again, and a file with another fingerprint or classifier is refused.
    """

    def __init__(
        self,
        names: Sequence[str],
        scorer: Scorer,
        n_folds: int,
        fingerprint: str,
        path: str | PathLike[str] | None = None,
    ) -> None:
        self._position = {name: i for i, name in enumerate(names)}
        self._scorer, self._n_folds = scorer, n_folds
        self._path = None if path is None else place(path)
        self._header = {
            "scores of": fingerprint, "classifier": scorer.name, "features": fingerprint_of(list(names)),
            "netchoice": version("netchoice"),
        }  # fmt: skip
        self._scores = dict(self._read())

    def __getitem__(self, features: Iterable[str]) -> Score:
        return self._scores[frozenset(features)]

    def compute(
        self,
        sequences: Sequence[Sequence[str]],
        ks: Sequence[int],
        n_jobs: int | None = None,
        on_progress: Callable[[int, int], None] | None = None,
    ) -> None:
        """Score the first k features of every sequence, for all k; skip sets that have a score."""
        with threads(n_jobs) as run:
            for done, sequence in enumerate(sequences, start=1):
                prefixes = [sequence[:k] for k in range(1, len(sequence) + 1) if k in ks]
                wanted = [names for names in prefixes if frozenset(names) not in self._scores]
                if wanted:
                    self._score(wanted, run)
                if on_progress is not None:
                    on_progress(done, len(sequences))

    def _score(self, prefixes: list[Sequence[str]], run: Run) -> None:
        """Score prefixes of one sequence, shortest first."""
        order = [self._position[name] for name in prefixes[-1]]
        lengths = set(map(len, prefixes))
        counted = [i + 1 in lengths for i in range(len(order))]
        by_fold = run(lambda fold: self._scorer(fold, order, counted), range(self._n_folds))
        new = {
            frozenset(names): Score(*zip(*scores, strict=True))
            for names, *scores in zip(prefixes, *by_fold, strict=True)
        }
        self._scores.update(new)
        self._append(new)

    def _read(self) -> Iterator[tuple[Set, Score]]:
        if self._path is None or not self._path.exists():
            return
        text = read_content(self._path).decode("utf-8", errors="replace")
        header, *lines = text.splitlines() or [""]
        if header != json.dumps(self._header):
            raise UsageError(
                f"{self._path} is damaged, or holds scores of another table, other folds, another classifier "
                "or another version of netchoice; use another folder, or delete the file"
            )
        if not text.endswith("\n"):  # the last line is incomplete; start a new one
            with disk_errors(self._path.parent), self._path.open("a") as file:
                file.write("\n")
        for line in lines:
            found, _, record = line.partition(" ")
            if found == self._checksum(record):  # an incomplete or damaged line is scored again
                values = json.loads(record)
                score = Score(tuple(values["correct"]), tuple(values["losses"]))
                yield frozenset(values["features"]), score

    def _append(self, new: dict[Set, Score]) -> None:
        if self._path is None:
            return
        records = [
            json.dumps({"features": sorted(names), **score._asdict()})
            for names, score in new.items()
        ]
        with disk_errors(self._path.parent):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            if not self._path.exists():
                write_text(self._path, json.dumps(self._header) + "\n")
            with self._path.open("a") as file:
                file.writelines(f"{self._checksum(record)} {record}\n" for record in records)

    def _checksum(self, record: str) -> str:
        """Return the checksum of a line, which holds for the scores of this table only."""
        return checksum(f"{self._header} {record}")


def fingerprint(X: Floats, target: Target, n_folds: int, seed: int) -> str:
    """Return a short text that identifies the rows and the folds."""
    digest = hashlib.blake2b(np.ascontiguousarray(X).tobytes(), digest_size=16)
    digest.update((target.codes if isinstance(target, Classes) else target.values).tobytes())
    return f"{digest.hexdigest()}, {n_folds} folds, seed {seed}"
