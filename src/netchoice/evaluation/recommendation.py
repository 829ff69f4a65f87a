"""Choose one set of features from an evaluation: cheap, and as accurate as the best."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import stdtrit

from netchoice.costs import CHARGES
from netchoice.errors import UsageError
from netchoice.inference.wilson_interval import wilson
from netchoice.storage.records import to_record
from netchoice.units import parse_budget
from netchoice.validation import check_choice, check_fraction, check_non_negative

#: Shares of the loss that are allowed, in this order, until the loss on held-out rows is as promised.
ALLOWED = (1.0, 0.5, 0.25, 0.0)


@dataclass(frozen=True)
class RecommendedSet:
    """The recommended set of features; returned by :func:`recommended_set`.

    Attributes
    ----------
    method, penalty, k : the ranking that the set comes from, and its number of features
    measure : "accuracy", "R²" or the name of another score, which then takes the place of the accuracy
    accuracy, interval : accuracy on rows that were not used to choose the set, and its interval
    coverage : float, coverage of the interval
    cost : float, cost of the set, billed as ``charge`` says
    share : float, ``cost`` divided by the cost of all features
    speedup : float, cost of all features divided by the cost of the set, shared steps paid once
    best_accuracy : float, accuracy of the most accurate set (``best_features``) on the same rows
    best_cost : float, cost of that set
    """

    method: str
    penalty: float
    k: int
    features: tuple[str, ...]
    accuracy: float
    interval: tuple[float, float]
    coverage: float
    cost: float
    share: float
    speedup: float
    best_accuracy: float
    best_features: tuple[str, ...]
    best_cost: float
    rule: str
    charge: str
    measure: str = "accuracy"

    def as_dict(self) -> dict[str, Any]:
        """Return the fields as a dictionary for JSON; an infinite speedup becomes None."""
        record: dict[str, Any] = to_record(self)
        return record


def recommended_set(
    evaluation: pd.DataFrame,
    *,
    loss: float = 0.01,
    budget: float | str | None = None,
    charge: str = "shared",
    coverage: float = 0.95,
    repeats: int = 1,
) -> RecommendedSet:
    """Choose the cheapest set that loses at most ``loss`` against the best one; with a budget, the best one.

    A set is chosen by its mean score over all folds. The reported scores are those of the procedure: in each
    fold, the score of the set that the other folds of the same repeat choose. The interval allows for the
    training rows that folds share (Nadeau and Bengio 2003, doi:10.1023/A:1024068626366). As long as the
    reported loss is larger than ``loss``, the table is too small to keep the promise, and a smaller loss is
    allowed when the set is chosen; in the end none, which chooses the best set.

    Parameters
    ----------
    evaluation : DataFrame, as :func:`netchoice.evaluation.evaluate_rankings` returns it
    loss : float, how much less accurate than the best set the chosen set may be
    budget : float or str, optional
        A cost, a cost with a unit of time ("5ms"), or a share of the cost of all features ("2%").
    charge : "shared" or "alone", how the cost of a set is billed
    coverage : float, coverage of the interval
    repeats : int, how often the rows were divided into folds

    Examples
    --------
    >>> import pandas as pd
    >>> evaluation = pd.DataFrame({
    ...     "method": "jmi", "penalty": [0.0, 1.0], "k": 1, "features": [("slow",), ("quick",)],
    ...     "scores": [(0.95, 0.96, 0.94), (0.95, 0.95, 0.94)], "accuracy": [0.95, 0.947],
    ...     "n_rows": 300, "cost_shared": [9.0, 1.0],
    ...     "share_shared": [0.9, 0.1], "speedup": [1.1, 10.0]})
    >>> point = recommended_set(evaluation)
    >>> point.features, round(point.accuracy, 3)
    (('quick',), 0.947)
    """
    check_choice("charge", charge, CHARGES)
    check_fraction("coverage", coverage)
    check_non_negative("loss", loss)
    rule, cost = "cheapest" if budget is None else "budget", f"cost_{charge}"
    # Among equally good sets, the first is the cheapest, and then the smallest.
    candidates = _in_budget(evaluation, budget, charge).sort_values([cost, "k"], kind="stable")
    scores = np.array(candidates["scores"].tolist())
    # Without costs, fewer features are cheaper.
    costs = candidates[cost if candidates[cost].any() else "k"].to_numpy(dtype=float)
    n_folds = scores.shape[1] // repeats
    # If the cheapest set within the loss does not keep the promise, a smaller loss is tried, and then none.
    for share in ALLOWED if budget is None else [0.0]:
        of_chosen, of_best = _held_out(scores, costs, share * loss, n_folds)
        if of_best.mean() - of_chosen.mean() <= loss * (1 + 1e-9):
            break
    chosen, best = _picks(scores.mean(axis=1), costs, share * loss)
    row = candidates.iloc[chosen]
    n_rows = row["n_rows"] / repeats
    interval = _interval_over_folds(of_chosen, n_folds, measure_of(evaluation), n_rows, coverage)
    held_out = of_chosen.mean(), interval, of_best.mean()
    return _point(row, candidates.iloc[best], held_out, rule, charge, coverage)


def _held_out(
    scores: NDArray[np.float64], costs: NDArray[np.float64], allowed: float, n_folds: int
) -> NDArray[np.float64]:
    """Return the scores in each fold of the chosen and the best set of the other folds of its repeat."""
    reported = []
    for fold in range(scores.shape[1]):
        others = np.arange(scores.shape[1]) // n_folds == fold // n_folds
        others[fold] = False
        picks = _picks(scores[:, others].mean(axis=1), costs, allowed)
        reported.append([scores[pick, fold] for pick in picks])
    return np.array(reported).T


def _picks(
    accuracy: NDArray[np.float64], costs: NDArray[np.float64], allowed: float
) -> tuple[int, int]:
    """Return the cheapest set within the allowed loss, the better one of equal costs, and the best set."""
    best = int(accuracy.argmax())
    near = np.flatnonzero(accuracy >= accuracy[best] - allowed - 1e-12)
    cheapest = near[costs[near] == costs[near].min()]
    return int(cheapest[accuracy[cheapest].argmax()]), best


def _interval_over_folds(
    scores: NDArray[np.float64], n_folds: int, measure: str, n_rows: float, coverage: float
) -> tuple[float, float]:
    """Return the interval of a mean score; for accuracies, at least the binomial one."""
    mean, n = float(scores.mean()), len(scores)
    error = float(scores.std(ddof=1)) * math.sqrt(1 / n + 1 / (n_folds - 1))
    half_width = float(stdtrit(n - 1, (1 + coverage) / 2)) * error
    low, high = mean - half_width, mean + half_width
    if measure == "accuracy":
        of_rows = wilson(mean, n_rows, coverage)
        low, high = max(0.0, min(low, of_rows[0])), min(1.0, max(high, of_rows[1]))
    return low, high


def _point(
    chosen: pd.Series,
    best: pd.Series,
    held_out: tuple[float, tuple[float, float], float],
    rule: str,
    charge: str,
    coverage: float,
) -> RecommendedSet:
    """Return the recommended set, and its score, interval and the best score."""
    accuracy, interval, best_accuracy = held_out
    return RecommendedSet(
        method=str(chosen["method"]),
        penalty=float(chosen["penalty"]),
        k=int(chosen["k"]),
        features=tuple(chosen["features"]),
        accuracy=float(accuracy),
        interval=interval,
        coverage=coverage,
        cost=float(chosen[f"cost_{charge}"]),
        share=float(chosen[f"share_{charge}"]),
        speedup=float(chosen["speedup"]),
        best_accuracy=float(best_accuracy),
        best_features=tuple(best["features"]),
        best_cost=float(best[f"cost_{charge}"]),
        rule=rule,
        charge=charge,
        measure=str(chosen.get("measure", "accuracy")),
    )


def pareto_front(
    evaluation: pd.DataFrame, *, cost: str = "cost_shared", accuracy: str = "accuracy"
) -> pd.DataFrame:
    """Return the rows that no other row beats in cost and accuracy, cheapest first.

    >>> import pandas as pd
    >>> pareto_front(pd.DataFrame({"cost_shared": [1, 2, 3], "accuracy": [0.5, 0.9, 0.9]}))
       cost_shared  accuracy
    0            1       0.5
    1            2       0.9
    """
    ordered = evaluation.sort_values([cost, accuracy], ascending=[True, False], kind="stable")
    best_before = ordered[accuracy].cummax().shift(fill_value=-np.inf)
    return ordered[ordered[accuracy] > best_before].reset_index(drop=True)


def measure_of(evaluation: pd.DataFrame) -> str:
    """Return "accuracy", or "R²" if the sets of an evaluation predict numbers.

    >>> import pandas as pd
    >>> measure_of(pd.DataFrame({"measure": ["R²"]}))
    'R²'
    """
    return str(evaluation["measure"].iloc[0]) if "measure" in evaluation else "accuracy"


def format_accuracy(value: float, measure: str = "accuracy", digits: int = 2) -> str:
    """Return an accuracy as a percentage, or another score as a number.

    >>> format_accuracy(0.9512), format_accuracy(0.9512, "R²", 1)
    ('95.12%', '0.951')
    """
    return f"{value:.{digits}%}" if "accuracy" in measure else f"{value:.{digits + 2}f}"


def _in_budget(evaluation: pd.DataFrame, budget: float | str | None, charge: str) -> pd.DataFrame:
    if not len(evaluation):
        raise UsageError("the evaluation is empty; there is nothing to choose from")
    if budget is None:
        return evaluation
    limit, relative = parse_budget(budget)
    column = f"{'share' if relative else 'cost'}_{charge}"
    affordable = evaluation[evaluation[column] <= limit]
    if not len(affordable):
        least = evaluation[column].min()
        cheapest = f"{least:.3%}" if relative else f"{least:.3g}"
        raise UsageError(
            f"no set costs at most {budget}; the cheapest one costs {cheapest}: raise the budget"
        )
    return affordable
