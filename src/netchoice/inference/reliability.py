"""The reliability of predicted probabilities, estimated by cross-validation on the simulations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from netchoice.errors import UsageError
from netchoice.inference.probabilities import DEFAULT_METHOD, make_classifier
from netchoice.inference.scaling import DEFAULT_SCALING, Codes, Floats
from netchoice.inference.table_checks import check_simulations
from netchoice.validation import check_integer


@dataclass(frozen=True)
class HeldOut:
    """Predictions for held-out simulations and their scores; the result of :func:`held_out`.

    Attributes
    ----------
    probabilities : DataFrame (m, C)
        The probability of every model for each held-out simulation, predicted from a table without
        it. The index is that of the table.
    truth : Series (m,), the true model of each simulation
    confusion : DataFrame (C, C), number of simulations by true (rows) and predicted model (columns)
    accuracy : float, share of correct predictions
    log_score : float, mean of −log of the true model's probability; lower is better, 0 is perfect
    brier : float
        Mean squared difference between probabilities and truth, summed over models; from 0 to 2.
    calibration_error : float
        Mean absolute difference of ``predicted`` and ``observed`` in ``reliability``, weighted by ``n``.
    reliability : DataFrame
        Ten bins of predicted probability, over all models: limits ``low`` and ``high``, number ``n``
        of probabilities, their mean ``predicted``, and the ``observed`` frequency.
    method, scaling : str, the settings used
    """

    probabilities: pd.DataFrame
    truth: pd.Series
    confusion: pd.DataFrame
    accuracy: float
    log_score: float
    brier: float
    calibration_error: float
    reliability: pd.DataFrame
    method: str
    scaling: str


def held_out(
    X: Any,
    y: Any,
    *,
    method: str = DEFAULT_METHOD,
    scaling: str = DEFAULT_SCALING,
    folds: int = 5,
    limit: int | None = None,
    n_neighbors: int | None = None,
    n_trees: int = 500,
    seed: int = 0,
    n_jobs: int | None = None,
) -> HeldOut:
    """Predict the model of held-out simulations by cross-validation; return a scored :class:`HeldOut`.

    Parameters
    ----------
    X, y, method, scaling, n_neighbors, n_trees, n_jobs
        As in :func:`~netchoice.inference.probabilities.model_probabilities`. The scaling is fitted
        without the held-out rows.
    folds : int, number of folds, stratified by model
    limit : int, optional
        Predict at most this many simulations, drawn at random. The others still serve for training.
    seed : int, seed of the folds, of the draw and of the forests

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> rng = np.random.default_rng(1)
    >>> y = np.repeat(["low", "high"], 200)
    >>> X = pd.DataFrame({"height": rng.normal(np.where(y == "low", -2, 2))})
    >>> result = held_out(X, y, method="neighbours")
    >>> result.accuracy > 0.95, result.confusion.to_numpy().sum()
    (True, np.int64(400))
    """
    from sklearn.model_selection import StratifiedKFold

    _, values, models, codes = check_simulations(X, y)
    labels = np.array(models)[codes]
    rarest = int(np.bincount(codes).min())
    if not 2 <= folds <= rarest:
        raise UsageError(
            f"folds={folds}, but the rarest model has {rarest} simulations; expected 2 to {rarest} folds"
        )
    settings = {
        "scaling": scaling, "n_neighbors": n_neighbors, "n_trees": n_trees, "n_jobs": n_jobs
    }  # fmt: skip
    chosen = _draw_rows(len(codes), limit, seed)
    probabilities = np.full((len(codes), len(models)), np.nan)
    splitter = StratifiedKFold(folds, shuffle=True, random_state=seed)
    for fold, (train, test) in enumerate(splitter.split(values, codes)):
        test = test[chosen[test]]
        if len(test):
            fold_seed = np.random.SeedSequence(seed, spawn_key=(fold,)).generate_state(1)[0]
            classifier = make_classifier(method, seed=int(fold_seed), **settings)
            classifier.fit(values[train], labels[train])
            probabilities[test] = classifier.predict_proba(values[test])
    index = getattr(X, "index", np.arange(len(codes)))[chosen]
    frame = pd.DataFrame(probabilities[chosen], index=index, columns=models)
    return _scored(frame, codes[chosen], method, scaling)


def _draw_rows(n: int, limit: int | None, seed: int) -> NDArray[np.bool_]:
    """Return a mask of at most ``limit`` of ``n`` rows, drawn without replacement."""
    chosen = np.ones(n, dtype=bool)
    if limit is not None and check_integer("limit", limit) < n:
        chosen[:] = False
        chosen[np.random.default_rng(seed).choice(n, limit, replace=False)] = True
    return chosen


def _scored(frame: pd.DataFrame, codes: Codes, method: str, scaling: str) -> HeldOut:
    """Compare the predicted probabilities with the true models."""
    probabilities = frame.to_numpy()
    models = list(frame.columns)
    predicted = probabilities.argmax(axis=1)
    one_hot = np.eye(len(models))[codes]
    counts = np.zeros((len(models), len(models)), dtype=np.int64)
    np.add.at(counts, (codes, predicted), 1)
    table = reliability(probabilities, one_hot)
    gaps = (table["predicted"] - table["observed"]).abs() * table["n"]
    return HeldOut(
        probabilities=frame,
        truth=pd.Series(np.array(models)[codes], index=frame.index),
        confusion=pd.DataFrame(counts, index=models, columns=models),
        accuracy=float((predicted == codes).mean()),
        log_score=float(-np.log(probabilities[np.arange(len(codes)), codes]).mean()),
        brier=float(((probabilities - one_hot) ** 2).sum(axis=1).mean()),
        calibration_error=float(gaps.sum() / table["n"].sum()),
        reliability=table,
        method=method,
        scaling=scaling,
    )


def scored(models: Sequence[str], probabilities: Floats, labels: Any) -> HeldOut:
    """Return how well the models of simulations (n,) were predicted by probabilities (n, C)."""
    codes = np.array([list(models).index(str(label)) for label in labels], dtype=np.int64)
    return _scored(pd.DataFrame(probabilities, columns=list(models)), codes, "", "")


def reliability(probabilities: Floats, one_hot: Floats, n_bins: int = 10) -> pd.DataFrame:
    """Return mean prediction and observed frequency by bin of probability, without empty bins.

    >>> reliability(np.array([[0.9, 0.1], [0.8, 0.2]]), np.array([[1, 0], [0, 1]]), 2)
       low  high  n  predicted  observed
    0  0.0   0.5  2       0.15       0.5
    1  0.5   1.0  2       0.85       0.5
    """
    predicted, true = probabilities.ravel(), np.asarray(one_hot, dtype=float).ravel()
    bins = np.minimum((predicted * n_bins).astype(np.int64), n_bins - 1)
    n = np.bincount(bins, minlength=n_bins)
    filled = np.flatnonzero(n)
    return pd.DataFrame(
        {
            "low": filled / n_bins,
            "high": (filled + 1) / n_bins,
            "n": n[filled],
            "predicted": np.bincount(bins, predicted, n_bins)[filled] / n[filled],
            "observed": np.bincount(bins, true, n_bins)[filled] / n[filled],
        }
    )
