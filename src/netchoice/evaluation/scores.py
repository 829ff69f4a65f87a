"""Cross-validated scores of sets of features; each set is scored once in each fold."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib.metadata import version
from os import PathLike
from typing import NamedTuple

import numpy as np

from netchoice.atomic import write_text
from netchoice.errors import UsageError
from netchoice.evaluation.scorers import Floats, Fold, FoldScore, Scorer
from netchoice.storage.kept_files import checksum, fingerprint_of, read_content
from netchoice.storage.run_folder import disk_errors
from netchoice.stores import place
from netchoice.targets import Classes, Target
from netchoice.threads import Run, one_blas_thread, one_openmp_thread, threads

Set = frozenset[str]


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
        with one_blas_thread(), one_openmp_thread(), threads(n_jobs) as run:
            for done, by_fold in enumerate(sequences, start=1):
                self._score(by_fold, ks, run)
                if on_progress is not None:
                    on_progress(done, len(sequences))

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
        if new:
            self._append(new)

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


def fingerprint(X: Floats, target: Target, n_folds: int, seed: int, repeats: int = 1) -> str:
    """Return a short text that identifies the rows and the folds."""
    digest = hashlib.blake2b(np.ascontiguousarray(X).tobytes(), digest_size=16)
    digest.update((target.codes if isinstance(target, Classes) else target.values).tobytes())
    again = f", {repeats} repeats" if repeats > 1 else ""
    return f"{digest.hexdigest()}, {n_folds} folds, seed {seed}{again}"
