"""How far the probabilities can be trusted: held-out simulations, whose models are known."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from netchoice.errors import UsageError
from netchoice.inference.checked_inputs import (
    Codes,
    Floats,
    checked_count,
    checked_labels,
    checked_table,
)
from netchoice.inference.classifier import COVERAGE, DEFAULT_METHOD, Method
from netchoice.inference.scaling import DEFAULT_SCALING

if TYPE_CHECKING:
    import pandas as pd

N_BINS = 10


@dataclass(frozen=True)
class HeldOut:
    """What :func:`held_out` found.

    Attributes
    ----------
    probabilities : DataFrame (m, C)
        Of every model for each simulation judged, told by a table that did not hold it; the index
        is that of the table.
    truth : Series (m,)
        The model that made it.
    confusion : DataFrame (C, C)
        How many of each true model (rows) were told to be of each (columns).
    accuracy : float
    log_score : float
        Mean of −log of the probability of the true model; lower is better, 0 is perfect.
    brier : float
        Mean squared distance between probabilities and truth, summed over models; from 0 to 2.
    calibration_error : float
        Mean distance between told and true shares in ``reliability``, weighted by ``n``.
    reliability : DataFrame
        In ten classes of told probability, all models together: ``low`` and ``high`` of the class,
        ``n`` probabilities in it, their mean ``told``, and the share ``true`` that was so.
    method, scaling : str
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
    """Tell the model of simulations that were left out, fold by fold, and see how well that went.

    Parameters
    ----------
    X, y
        As in :func:`~netchoice.inference.probabilities.model_probabilities`.
    method, scaling, n_neighbors, n_trees, n_jobs
        Likewise. Scales are learnt without the rows left out.
    folds : int
        Parts, with equal shares of the models, that are left out one after the other.
    limit : int, optional
        Judge at most so many simulations, drawn at random; all serve to learn from.
    seed : int
        Of the folds, of the draw and of the forests.

    Returns
    -------
    HeldOut

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> rng = np.random.default_rng(1)
    >>> y = np.repeat(["low", "high"], 200)
    >>> X = pd.DataFrame({"height": rng.normal(np.where(y == "low", -2, 2))})
    >>> judged = held_out(X, y, method="neighbours")
    >>> judged.accuracy > 0.95, judged.confusion.to_numpy().sum()
    (True, np.int64(400))
    """
    import pandas as pd
    from sklearn.model_selection import StratifiedKFold

    _, numbers = checked_table(X)
    models, codes = checked_labels(y, len(numbers))
    fewest = int(np.bincount(codes).min())
    if not 2 <= folds <= fewest:
        raise UsageError(
            f"folds={folds}, but the rarest model has {fewest} simulations; "
            f"expected 2 to {fewest} folds"
        )
    how = Method(method, scaling, n_neighbors, n_trees, seed, n_jobs)
    chosen = _drawn(len(codes), limit, seed)
    chances = np.full((len(codes), len(models)), np.nan)
    splitter = StratifiedKFold(folds, shuffle=True, random_state=seed)
    for fold, (train, test) in enumerate(splitter.split(numbers, codes)):
        test = test[chosen[test]]
        if len(test):
            forests = replace(how, seed=int(_seed_of_fold(seed, fold)))
            told = forests.tell(numbers[train], codes[train], len(models), numbers[test], COVERAGE)
            chances[test] = told.probabilities
    index = getattr(X, "index", np.arange(len(codes)))[chosen]
    return _judged(
        pd.DataFrame(chances[chosen], index=index, columns=models), codes[chosen], method, scaling
    )


def _drawn(n: int, limit: int | None, seed: int) -> Any:
    chosen = np.ones(n, dtype=bool)
    if limit is not None and checked_count("limit", limit, np.iinfo(np.int64).max) < n:
        chosen[:] = False
        chosen[np.random.default_rng(seed).choice(n, limit, replace=False)] = True
    return chosen


def _seed_of_fold(seed: int, fold: int) -> int:
    return int(np.random.SeedSequence(seed, spawn_key=(fold,)).generate_state(1)[0])


def _judged(frame: pd.DataFrame, codes: Codes, method: str, scaling: str) -> HeldOut:
    import pandas as pd

    chances = frame.to_numpy()
    models = list(frame.columns)
    told = chances.argmax(axis=1)
    is_of = np.eye(len(models))[codes]
    counts = np.zeros((len(models), len(models)), dtype=np.int64)
    np.add.at(counts, (codes, told), 1)
    table = reliability(chances, is_of)
    gaps = (table["predicted"] - table["observed"]).abs() * table["n"]
    return HeldOut(
        probabilities=frame,
        truth=pd.Series(np.array(models)[codes], index=frame.index),
        confusion=pd.DataFrame(counts, index=models, columns=models),
        accuracy=float((told == codes).mean()),
        log_score=float(-np.log(chances[np.arange(len(codes)), codes]).mean()),
        brier=float(((chances - is_of) ** 2).sum(axis=1).mean()),
        calibration_error=float(gaps.sum() / table["n"].sum()),
        reliability=table,
        method=method,
        scaling=scaling,
    )


def reliability(chances: Floats, is_of: Floats, n_bins: int = N_BINS) -> pd.DataFrame:
    """Told and true shares in classes of told probability; classes without any are left out.

    >>> reliability(np.array([[0.9, 0.1], [0.8, 0.2]]), np.array([[1, 0], [0, 1]]), 2)
       low  high  n  predicted  observed
    0  0.0   0.5  2       0.15       0.5
    1  0.5   1.0  2       0.85       0.5
    """
    import pandas as pd

    told, true = chances.ravel(), np.asarray(is_of, dtype=float).ravel()
    at = np.minimum((told * n_bins).astype(np.int64), n_bins - 1)
    n = np.bincount(at, minlength=n_bins)
    held = np.flatnonzero(n)
    return pd.DataFrame(
        {
            "low": held / n_bins,
            "high": (held + 1) / n_bins,
            "n": n[held],
            "predicted": np.bincount(at, told, n_bins)[held] / n[held],
            "observed": np.bincount(at, true, n_bins)[held] / n[held],
        }
    )
