"""Accuracy and cost of the first k features of every ranking."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from os import PathLike
from typing import Any

import numpy as np
import pandas as pd

from netchoice.columns import code_frame
from netchoice.costs import CHARGES, CostModel
from netchoice.errors import UsageError
from netchoice.evaluation.scorers import make_scorer
from netchoice.evaluation.scores import Score, Scores, fingerprint, make_folds
from netchoice.storage.table import ReferenceTable
from netchoice.targets import check_varies

COLUMNS = ("method", "penalty", "position", "feature")
#: Features that are pure noise; a good selector ranks them last.
NOISE = "noise_"


def evaluate_rankings(
    rankings: pd.DataFrame,
    table: ReferenceTable,
    *,
    ks: Iterable[int] = range(1, 16),
    classifier: Any = "knn",
    scoring: Any = None,
    folds: int = 10,
    repeats: int = 1,
    by_fold: Sequence[pd.DataFrame] | None = None,
    costs: CostModel | None = None,
    features: Iterable[str] | None = None,
    seed: int = 0,
    n_jobs: int | None = None,
    path: str | PathLike[str] | None = None,
    on_progress: Callable[[int, int], None] | None = None,
) -> pd.DataFrame:
    """Measure how accurately the first k features of every ranking predict the target of a table.

    The target is the labels or, for a table of numbers, these numbers.

    Parameters
    ----------
    rankings : DataFrame
        As :func:`netchoice.selection.rank_path` returns it: method, penalty, position, feature.
    table : ReferenceTable that the rankings have not seen, unless there are rankings ``by_fold``; features
        are matched by name
    ks : iterable of int, numbers of features; those beyond the length of a ranking are left out
    classifier : "knn", "linear", or a scikit-learn classifier (a regressor if the target is numbers)
        "knn": 10 nearest neighbours on standardised features. Neighbours at equal distance are taken
        in the order of the rows, and equal votes go to the first label. For the logarithmic loss,
        half a vote is added for each label. "linear": logistic or ridge regression on standardised
        features. For all of them, a category becomes indicator columns, and a column with missing values
        has their mean and an indicator there.
    scoring : optional, what to measure; see :func:`netchoice.evaluation.scorers.make_scoring`
    folds : int, number of stratified cross-validation folds
    repeats : int, how often the rows are divided into folds
    by_fold : sequence of DataFrame, optional
        The same rankings, made from the training rows of each fold. The scores are then those of the first
        k features in each fold, and the sets and their costs those of ``rankings``, made from all rows.
        Rankings with the same set have the mean of their scores.
    costs : CostModel, optional; by default the costs of the table
    features : iterable of str, optional
        All features that were ranked, if the rankings have the first positions only.
    seed : int, seed of the folds
    n_jobs : int, optional, number of threads; -1 uses all cores
    path : path, optional
        File that keeps the scores of sets. An interrupted evaluation is resumed from it.
    on_progress : callable, optional; called with the numbers of rankings done and of all rankings

    Returns
    -------
    DataFrame
        One row for each method, penalty and k.

        - ``features``, ``n_noise``: the set, and how many of its features are pure noise.
        - ``measure``: "accuracy", "R²" if the table predicts numbers, or the name of ``scoring``; this
          measure then takes the place of the accuracy in all columns.
        - ``accuracy``, ``accuracy_se``, ``log_loss``: mean accuracy, its standard error over the
          folds, and mean logarithmic loss (NaN for other measures). ``scores``: the accuracy in each fold.
        - ``cost_alone``, ``cost_shared``, ``share_alone``, ``share_shared``: cost of the set under
          both charges, and the same divided by the cost of all features.
        - ``speedup``: shared cost of all features divided by that of the set.
        - ``n_rows``: number of test rows in all folds.

    Examples
    --------
    >>> import netchoice
    >>> from netchoice.evaluation import evaluate_rankings
    >>> from netchoice.selection import JMI, rank_path
    >>> features = ["degree_mean", "transitivity", "noise_normal"]
    >>> train, test = (
    ...     netchoice.simulate_table("ba", n_nodes=40, n_samples=80, seed=1, stream=stream,
    ...                              features=features, engine="serial")
    ...     for stream in ("train", "test"))
    >>> rankings = rank_path(JMI(costs=train.costs), train.X, train.y, [0])
    >>> evaluate_rankings(rankings, test, ks=[1, 2], folds=5)[["k", "accuracy", "n_noise"]]
       k  accuracy  n_noise
    0  1       1.0        0
    1  2       1.0        0
    """
    sequences = _sequences(rankings)
    ranked = {name for sequence in sequences.values() for name in sequence}
    in_folds = [sequences] if by_fold is None else [_sequences(each) for each in by_fold]
    ranked.update(name for each in in_folds for sequence in each.values() for name in sequence)
    offered = sorted(ranked.union(features or ()))
    _check_features(offered, table)
    model = table.costs if costs is None else costs
    wanted = _checked_ks(ks, max(map(len, sequences.values())))
    X, nominal = code_frame(table.X[offered])
    target = table.target
    check_varies(target)
    splits = make_folds(target, folds, seed, repeats)
    in_folds = in_folds * len(splits) if by_fold is None else in_folds
    scorer = make_scorer(classifier, X.to_numpy(), target, splits, scoring, nominal.tolist())
    found = fingerprint(X.to_numpy(), target, folds, seed, repeats)
    scores = Scores(offered, scorer, len(splits), found, path)
    orders = {key: [each[key] for each in in_folds] for key in sequences}
    scores.compute(list(orders.values()), wanted, n_jobs, on_progress)
    sizes = np.array([len(test) for _, test in splits])
    of_all = [model.cost_of_set(offered, charge) for charge in CHARGES]
    cells = {
        (*key, k): frozenset(sequence[:k])
        for key, sequence in sequences.items()
        for k in wanted
        if k <= len(sequence)
    }
    by_set: dict[frozenset[str], list[Score]] = {}
    for (method, penalty, k), names in cells.items():
        score = scores.of([order[:k] for order in orders[(method, penalty)]])
        by_set.setdefault(names, []).append(score)

    @cache  # rankings of different penalties share most sets
    def measured(features: tuple[str, ...]) -> dict[str, Any]:
        return {
            "features": features,
            "measure": scorer.measure,
            **_accuracies(by_set[frozenset(features)], sizes),
            **_costs(model, features, of_all),
            "n_noise": sum(name.startswith(NOISE) for name in features),
        }

    rows = [
        {
            "method": key[0],
            "penalty": key[1],
            "k": key[2],
            **measured(tuple(sequences[key[:2]][: key[2]])),
        }
        for key in cells
    ]
    return pd.DataFrame(rows)


def _costs(model: CostModel, features: Sequence[str], of_all: list[float]) -> dict[str, float]:
    all_alone, all_shared = of_all
    alone, shared = (model.cost_of_set(features, charge) for charge in CHARGES)
    return {
        "cost_alone": alone,
        "cost_shared": shared,
        "share_alone": alone / all_alone if all_alone else 0.0,
        "share_shared": shared / all_shared if all_shared else 0.0,
        "speedup": all_shared / shared if shared else np.inf if all_alone else 1.0,
    }


def _accuracies(scores: Sequence[Score], sizes: np.ndarray[Any, Any]) -> dict[str, Any]:
    different = list(dict.fromkeys(scores))
    correct = np.array([score.correct for score in different], dtype=float).mean(axis=0)
    losses = np.array([score.losses for score in different], dtype=float).mean(axis=0)
    return {
        "accuracy": float((correct / sizes).mean()),
        "accuracy_se": _standard_error(correct / sizes),
        "log_loss": float(sum(losses) / sizes.sum()),
        "scores": tuple((correct / sizes).tolist()),
        "n_rows": int(sizes.sum()),
    }


def _standard_error(shares: np.ndarray[Any, Any]) -> float:
    """Return the standard error of the mean over folds; 0 for a single fold."""
    return float(shares.std(ddof=1) / np.sqrt(len(shares))) if len(shares) > 1 else 0.0


def _sequences(rankings: pd.DataFrame) -> dict[tuple[str, float], list[str]]:
    missing = [name for name in COLUMNS if name not in rankings.columns]
    if missing:
        raise UsageError(
            f"the rankings have no column {missing[0]!r}; expected a frame as "
            "netchoice.selection.rank_path returns it"
        )
    if not len(rankings):
        raise UsageError("the rankings are empty; rank at least one method for one penalty")
    groups = rankings.groupby(["method", "penalty"], sort=False, dropna=False)
    return {
        (str(method), float(penalty)): list(rows.sort_values("position", kind="stable")["feature"])
        for (method, penalty), rows in groups
    }


def _check_features(offered: list[str], table: ReferenceTable) -> None:
    absent = sorted(set(offered) - set(table.features))
    if absent:
        raise UsageError(
            f"the table has no feature {absent[0]!r}, which the rankings name ({len(absent)} of "
            f"{len(offered)} are missing); simulate the table with the same features"
        )


def _checked_ks(ks: Iterable[int], longest: int) -> list[int]:
    given = ks if isinstance(ks, range) else sorted({int(k) for k in ks})
    wanted = [k for k in range(1, longest + 1) if k in given]  # a range may be very long
    if not wanted or given[0] < 1:
        raise UsageError(f"ks={given}; expected numbers of features from 1 to {longest}")
    return wanted
