"""Cross-validated scores of sets of features; each set is scored once."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from netchoice.atomic import write_text
from netchoice.errors import UsageError
from netchoice.selection.inputs import encode_labels
from netchoice.selection.knn import Neighbours
from netchoice.threads import Run, threads

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
Set = frozenset[str]
Fold = tuple[Codes, Codes]
FoldScore = tuple[int, float]


class Score(NamedTuple):
    """Correct predictions and summed logarithmic loss of one set, by fold."""

    correct: tuple[int, ...]
    losses: tuple[float, ...]


class NeighboursScorer:
    """Scores sets with 10 nearest neighbours on standardised features; the default, compiled."""

    name = "knn"

    def __init__(self, X: Floats, y: Codes, folds: Sequence[Fold]) -> None:
        self._truth = [y[test] for _, test in folds]
        self._neighbours = [Neighbours(X, y, *fold, n_neighbors=10) for fold in folds]

    def __call__(self, fold: int, order: list[int], counted: list[bool]) -> list[FoldScore]:
        """Return correct predictions and summed loss for each counted prefix of the order."""
        truth = self._truth[fold]
        rows = np.arange(len(truth))
        found = []
        for votes in self._neighbours[fold].votes(order, counted):
            smoothed = (votes + 0.5) / (votes.sum(axis=1, keepdims=True) + 0.5 * votes.shape[1])
            loss = -np.log(smoothed[rows, truth]).sum()
            found.append((int((votes.argmax(axis=1) == truth).sum()), float(loss)))
        return found


class ClassifierScorer:
    """Scores sets with any scikit-learn classifier, fitted for each set and fold."""

    def __init__(self, classifier: Any, X: Floats, y: Codes, folds: Sequence[Fold]) -> None:
        self.name = " ".join(repr(classifier).split())
        self._classifier, self._X, self._y, self._folds = classifier, X, y, folds

    def __call__(self, fold: int, order: list[int], counted: list[bool]) -> list[FoldScore]:
        """Return correct predictions and summed loss for each counted prefix of the order."""
        return [self._one(fold, order[: i + 1]) for i, wanted in enumerate(counted) if wanted]

    def _one(self, fold: int, columns: list[int]) -> FoldScore:
        from sklearn.base import clone

        train, test = self._folds[fold]
        X, y = self._X[:, columns], self._y
        fitted = clone(self._classifier).fit(X[train], y[train])
        correct = int((fitted.predict(X[test]) == y[test]).sum())
        if not hasattr(fitted, "predict_proba"):
            return correct, float("nan")
        chances = fitted.predict_proba(X[test])
        where = np.searchsorted(fitted.classes_, y[test]).clip(max=chances.shape[1] - 1)
        known = fitted.classes_[where] == y[test]
        of_truth = np.where(known, chances[np.arange(len(test)), where], 0.0)
        return correct, float(-np.log(of_truth.clip(min=np.finfo(float).eps)).sum())


Scorer = NeighboursScorer | ClassifierScorer


def make_scorer(classifier: Any, X: Floats, y: Codes, folds: Sequence[Fold]) -> Scorer:
    """Return the scorer for "knn", "svm", or a scikit-learn classifier."""
    if classifier is None or (isinstance(classifier, str) and classifier == "knn"):
        return NeighboursScorer(X, y, folds)
    if isinstance(classifier, str) and classifier == "svm":
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler
        from sklearn.svm import SVC

        classifier = make_pipeline(StandardScaler(), SVC())
    if not hasattr(classifier, "fit") or not hasattr(classifier, "predict"):
        raise UsageError(
            f"classifier={classifier!r}; expected 'knn', 'svm', or a scikit-learn classifier"
        )
    return ClassifierScorer(classifier, X, y, folds)


def make_folds(y: Any, n_folds: int, seed: int) -> tuple[Codes, list[Fold]]:
    """Return labels as integers, and stratified folds as positions of training and test rows."""
    from sklearn.model_selection import StratifiedKFold

    codes = encode_labels(y)[1]
    fewest = int(np.bincount(codes).min())
    if not 2 <= n_folds <= fewest:
        raise UsageError(
            f"{n_folds} folds, but the rarest label has {fewest} rows; expected 2 to {fewest} folds"
        )
    splitter = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
    return codes, list(splitter.split(codes, codes))


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
        self._path = None if path is None else Path(path)
        self._header = {"scores of": fingerprint, "classifier": scorer.name}
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
        text = self._path.read_text(encoding="utf-8", errors="replace")
        header, *lines = text.splitlines() or [""]
        if header != json.dumps(self._header):
            raise UsageError(
                f"{self._path} is damaged, or holds scores of another table, other folds or another "
                "classifier; use another folder, or delete the file"
            )
        if not text.endswith("\n"):  # the last line is incomplete; start a new one
            with self._path.open("a") as file:
                file.write("\n")
        for line in lines:
            checksum, _, record = line.partition(" ")
            if checksum == _checksum(record):  # an incomplete or damaged line is scored again
                values = json.loads(record)
                score = Score(tuple(values["correct"]), tuple(values["losses"]))
                yield frozenset(values["features"]), score

    def _append(self, new: dict[Set, Score]) -> None:
        if self._path is None:
            return
        self._path.parent.mkdir(parents=True, exist_ok=True)
        if not self._path.exists():
            write_text(self._path, json.dumps(self._header) + "\n")
        records = [
            json.dumps({"features": sorted(names), **score._asdict()})
            for names, score in new.items()
        ]
        with self._path.open("a") as file:
            file.writelines(f"{_checksum(record)} {record}\n" for record in records)


def _checksum(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def fingerprint(X: Floats, y: Codes, n_folds: int, seed: int) -> str:
    """Return a short text that identifies the rows and the folds."""
    digest = hashlib.blake2b(np.ascontiguousarray(X).tobytes(), digest_size=16)
    digest.update(y.tobytes())
    return f"{digest.hexdigest()}, {n_folds} folds, seed {seed}"
