"""Cross-validated scores of sets of features; each set is scored once in each fold."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable, Sequence
from importlib.metadata import version
from os import PathLike
from typing import NamedTuple

import numpy as np

from netchoice.errors import UsageError
from netchoice.evaluation.scorers import Floats, Fold, FoldScore, Scorer
from netchoice.storage.kept_files import fingerprint_of, parsing, read_json, write_json
from netchoice.storage.run_folder import disk_errors
from netchoice.stores import place
from netchoice.targets import Classes, Target
from netchoice.threads import Run, one_blas_thread, one_openmp_thread, threads

Set = frozenset[str]
#: Seconds after which scores are written again.
_WRITE_SECONDS = 10.0
_ADVICE = (
    "pass another file (--out, another folder) for another table, other folds, another classifier or another "
    "version of netchoice, or delete this one: its scores are then computed again"
)


class Score(NamedTuple):
    """Correct predictions and summed logarithmic loss of one set, by fold; None in folds without a score.

    For numbers and other scores than the accuracy, the number of rows times the score takes the place of
    the correct predictions, and there is no loss.
    """

    correct: tuple[float | None, ...]
    losses: tuple[float | None, ...]


def make_folds(target: Target, n_folds: int, seed: int, repeats: int = 1) -> list[Fold]:
    """Return folds as positions of training and test rows, with all classes in proportion.

    Several repeats divide the rows several times; the folds of a repeat follow each other.
    """
    from sklearn.model_selection import StratifiedKFold

    strata = target.strata
    fewest = int(np.bincount(strata).min())
    if not 2 <= n_folds <= fewest:
        rows = "the rarest label has" if isinstance(target, Classes) else "there are"
        raise UsageError(f"{n_folds} folds, but {rows} {fewest} rows; expected 2 to {fewest} folds")
    splitters = (
        StratifiedKFold(n_folds, shuffle=True, random_state=seed + r) for r in range(repeats)
    )
    return [fold for splitter in splitters for fold in splitter.split(strata, strata)]


class Scores:
    """Scores of sets of features; the names are those of the scorer's columns.

    If a path is given, the scores are kept in this file. Sets in it are not scored again, and a file with
    another fingerprint or classifier is refused.
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
        self._run = fingerprint_of([fingerprint, scorer.name, list(names), version("netchoice")])
        self._scores = self._read()

    def of(self, by_fold: Sequence[Iterable[str]]) -> Score:
        """Return the score of a set that differs between the folds, given as one set for each fold."""
        scores = [self._scores[frozenset(features)] for features in by_fold]
        return Score(
            tuple(score.correct[fold] for fold, score in enumerate(scores)),
            tuple(score.losses[fold] for fold, score in enumerate(scores)),
        )

    def compute(
        self,
        sequences: Sequence[Sequence[Sequence[str]]],
        ks: Sequence[int],
        n_jobs: int | None = None,
        on_progress: Callable[[int, int], None] | None = None,
    ) -> None:
        """Score the first k features of every sequence, for all k; skip sets that have a score.

        Each item of ``sequences`` has one sequence for each fold.
        """
        n_kept, written = len(self._scores), time.monotonic()
        try:
            with one_blas_thread(), one_openmp_thread(), threads(n_jobs) as run:
                for done, by_fold in enumerate(sequences, start=1):
                    self._score(by_fold, ks, run)
                    if time.monotonic() - written > _WRITE_SECONDS:
                        self._write()
                        n_kept, written = len(self._scores), time.monotonic()
                    if on_progress is not None:
                        on_progress(done, len(sequences))
        finally:
            if len(self._scores) > n_kept:
                self._write()

    def _score(self, by_fold: Sequence[Sequence[str]], ks: Sequence[int], run: Run) -> None:
        """Score the sets of one sequence for each fold that have no score there."""
        found = run(lambda fold: self._in_fold(fold, by_fold[fold], ks), range(self._n_folds))
        new: dict[Set, Score] = {}
        for fold, scores in enumerate(found):
            for names, fold_score in scores:
                old = new.get(names) or self._scores.get(names) or self._no_score
                new[names] = Score(
                    *(
                        (*values[:fold], value, *values[fold + 1 :])
                        for values, value in zip(old, fold_score, strict=True)
                    )
                )
        self._scores.update(new)

    def _in_fold(
        self, fold: int, sequence: Sequence[str], ks: Sequence[int]
    ) -> list[tuple[Set, FoldScore]]:
        prefixes = [frozenset(sequence[:k]) for k in ks if k <= len(sequence)]
        wanted = [
            names
            for names in prefixes
            if self._scores.get(names, self._no_score).correct[fold] is None
        ]
        if not wanted:
            return []
        order = [self._position[name] for name in sequence[: len(wanted[-1])]]
        lengths = set(map(len, wanted))
        counted = [i + 1 in lengths for i in range(len(order))]
        return list(zip(wanted, self._scorer(fold, order, counted), strict=True))

    @property
    def _no_score(self) -> Score:
        return Score((None,) * self._n_folds, (None,) * self._n_folds)

    def _read(self) -> dict[Set, Score]:
        if self._path is None or not self._path.exists():
            return {}
        record = read_json(self._path, self._run, advice=_ADVICE)
        with parsing(self._path, _ADVICE):
            return {
                frozenset(each["features"]): Score(tuple(each["correct"]), tuple(each["losses"]))
                for each in record["scores"]
            }

    def _write(self) -> None:
        if self._path is None:
            return
        scores = [
            {"features": sorted(names), **score._asdict()} for names, score in self._scores.items()
        ]
        with disk_errors(self._path.parent):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            write_json(self._path, {"scores": scores}, self._run)


def fingerprint(X: Floats, target: Target, n_folds: int, seed: int, repeats: int = 1) -> str:
    """Return a short text that identifies the rows and the folds."""
    digest = hashlib.blake2b(np.ascontiguousarray(X).tobytes(), digest_size=16)
    digest.update((target.codes if isinstance(target, Classes) else target.values).tobytes())
    again = f", {repeats} repeats" if repeats > 1 else ""
    return f"{digest.hexdigest()}, {n_folds} folds, seed {seed}{again}"
