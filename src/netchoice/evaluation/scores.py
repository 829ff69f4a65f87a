"""How well sets of features tell the labels, fold by fold; each set is scored once."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from netchoice.errors import UsageError
from netchoice.selection.inputs import encode_labels
from netchoice.selection.knn import Neighbours
from netchoice.threads import Run, threads

Floats = NDArray[np.float64]
Set = frozenset[str]
Fold = tuple[NDArray[np.int64], NDArray[np.int64]]

NEIGHBOURS = 10


class Score(NamedTuple):
    """Of one set: rows told rightly in each fold, and the sum of their logarithmic losses."""

    correct: tuple[int, ...]
    losses: tuple[float, ...]


class ByNeighbours:
    """The default: 10 nearest neighbours after standardising, compiled; distances add up by prefix.

    Each class counts half a vote beforehand, so that ten equal neighbours do not make a certainty
    and the logarithmic loss is finite. The class told is that with most votes, the first of several.
    """

    name = "knn"

    def __init__(self, X: Floats, y: NDArray[np.int64], folds: Sequence[Fold]) -> None:
        self._truth = [y[test] for _, test in folds]
        self._neighbours = [Neighbours(X, y, *fold, n_neighbors=NEIGHBOURS) for fold in folds]

    def __call__(
        self, fold: int, order: Sequence[int], counted: Sequence[bool]
    ) -> list[tuple[int, float]]:
        """Rows told rightly and summed loss, for the prefixes of the order that are marked."""
        truth = self._truth[fold]
        rows = np.arange(len(truth))
        found = []
        for votes in self._neighbours[fold].votes(order, counted):
            smoothed = (votes + 0.5) / (votes.sum(axis=1, keepdims=True) + 0.5 * votes.shape[1])
            loss = -np.log(smoothed[rows, truth]).sum()
            found.append((int((votes.argmax(axis=1) == truth).sum()), float(loss)))
        return found


class ByClassifier:
    """Any scikit-learn classifier, fitted again for each set and fold."""

    def __init__(
        self, classifier: Any, X: Floats, y: NDArray[np.int64], folds: Sequence[Fold]
    ) -> None:
        self.name = " ".join(repr(classifier).split())
        self._classifier, self._X, self._y, self._folds = classifier, X, y, folds

    def __call__(
        self, fold: int, order: Sequence[int], counted: Sequence[bool]
    ) -> list[tuple[int, float]]:
        """Rows told rightly and summed loss, for the prefixes of the order that are marked."""
        prefixes = [order[: i + 1] for i, wanted in enumerate(counted) if wanted]
        return [self._one(fold, list(prefix)) for prefix in prefixes]

    def _one(self, fold: int, columns: list[int]) -> tuple[int, float]:
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


def make_scorer(
    classifier: Any, X: Floats, y: NDArray[np.int64], folds: Sequence[Fold]
) -> ByNeighbours | ByClassifier:
    """The scorer for a classifier: "knn", "svm", or a scikit-learn estimator."""
    if classifier is None or (isinstance(classifier, str) and classifier == "knn"):
        return ByNeighbours(X, y, folds)
    if isinstance(classifier, str) and classifier == "svm":
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler
        from sklearn.svm import SVC

        return ByClassifier(make_pipeline(StandardScaler(), SVC()), X, y, folds)
    if not hasattr(classifier, "fit") or not hasattr(classifier, "predict"):
        raise UsageError(
            f"classifier={classifier!r}; expected 'knn', 'svm', or a scikit-learn classifier"
        )
    return ByClassifier(classifier, X, y, folds)


def make_folds(y: Any, n_folds: int, seed: int) -> tuple[NDArray[np.int64], list[Fold]]:
    """Labels as numbers, and stratified folds: positions of the rows to learn from and to tell."""
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
    """Scores of sets, each computed once, kept in a file if one is given.

    Parameters
    ----------
    names : sequence of str
        The features, in the order of the columns.
    scorer : ByNeighbours or ByClassifier
    n_folds : int
    identity : str
        What else the scores depend on; a file with another identity is refused.
    path : path, optional
        A file of JSON lines, one for each set; those in it are not computed again.
    """

    def __init__(
        self,
        names: Sequence[str],
        scorer: ByNeighbours | ByClassifier,
        n_folds: int,
        identity: str,
        path: str | PathLike[str] | None = None,
    ) -> None:
        self._position = {name: i for i, name in enumerate(names)}
        self._scorer = scorer
        self._n_folds = n_folds
        self._path = None if path is None else Path(path)
        self._identity = {"scores of": identity, "classifier": scorer.name}
        self._found = dict(self._kept())

    def __getitem__(self, features: Iterable[str]) -> Score:
        return self._found[frozenset(features)]

    def compute(
        self,
        sequences: Sequence[Sequence[str]],
        ks: Sequence[int],
        n_jobs: int | None = None,
        on_progress: Callable[[int, int], None] | None = None,
    ) -> None:
        """Score the first k features of every sequence, for all k, as far as not done before."""
        with threads(n_jobs) as run:
            for done, sequence in enumerate(sequences, start=1):
                wanted = [
                    i + 1 in ks and frozenset(sequence[: i + 1]) not in self._found
                    for i in range(len(sequence))
                ]
                if any(wanted):
                    self._score(sequence, wanted, run)
                if on_progress is not None:
                    on_progress(done, len(sequences))

    def _score(self, sequence: Sequence[str], wanted: Sequence[bool], run: Run) -> None:
        length = max(i for i, flag in enumerate(wanted) if flag) + 1
        order = [self._position[name] for name in sequence[:length]]
        by_fold = run(lambda fold: self._scorer(fold, order, wanted[:length]), range(self._n_folds))
        new: dict[Set, Score] = {}
        places = [i for i, flag in enumerate(wanted) if flag]
        for at, place in enumerate(places):
            correct, losses = zip(*(found[at] for found in by_fold), strict=True)
            new[frozenset(sequence[: place + 1])] = Score(correct, losses)
        self._found.update(new)
        self._keep(new)

    def _kept(self) -> Iterator[tuple[Set, Score]]:
        if self._path is None or not self._path.exists():
            return
        text = self._path.read_text()
        lines = text.splitlines()
        if not lines or json.loads(lines[0]) != self._identity:
            raise UsageError(
                f"{self._path} holds scores of another table, other folds or another classifier; "
                "use another folder, or delete the file"
            )
        if not text.endswith("\n"):  # a line was cut when it was stopped; the next one begins again
            with self._path.open("a") as file:
                file.write("\n")
        for line in lines[1:]:
            try:
                record = json.loads(line)
                yield (
                    frozenset(record["features"]),
                    Score(tuple(record["correct"]), tuple(record["losses"])),
                )
            except (ValueError, KeyError):  # a line that was cut
                continue

    def _keep(self, new: dict[Set, Score]) -> None:
        if self._path is None:
            return
        self._path.parent.mkdir(parents=True, exist_ok=True)
        fresh = not self._path.exists()
        with self._path.open("a") as file:
            if fresh:
                file.write(json.dumps(self._identity) + "\n")
            for features, score in new.items():
                record = {"features": sorted(features), **score._asdict()}
                file.write(json.dumps(record) + "\n")


def identity_of(X: Floats, y: NDArray[np.int64], n_folds: int, seed: int) -> str:
    """A short name for rows and folds, so that scores of others are not taken for theirs."""
    digest = hashlib.blake2b(np.ascontiguousarray(X).tobytes(), digest_size=16)
    digest.update(y.tobytes())
    return f"{digest.hexdigest()}, {n_folds} folds, seed {seed}"
