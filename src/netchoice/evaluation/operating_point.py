"""From an evaluation to one set of features: not worse than the best, and as cheap as can be."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from netchoice.costs import CHARGES
from netchoice.errors import UsageError
from netchoice.units import seconds_of

if TYPE_CHECKING:
    import pandas as pd

RULES = ("cheapest", "budget", "knee")


@dataclass(frozen=True)
class OperatingPoint:
    """The set of features to compute.

    Attributes
    ----------
    features : tuple of str
    accuracy : float
        On rows that had no part in choosing the set, with its ``interval`` at ``coverage``.
    cost, share, speedup : float
        Cost of the set as charged; of the sum of all costs alone; and how many times cheaper it is
        than all features, shared steps paid once.
    best_accuracy : float
        Of the most accurate set, on the same rows.
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
    rule: str
    charge: str

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        record = asdict(self)
        record["speedup"] = self.speedup if math.isfinite(self.speedup) else None
        return {key: list(v) if isinstance(v, tuple) else v for key, v in record.items()}


def operating_point(
    evaluation: pd.DataFrame,
    rule: str = "cheapest",
    *,
    budget: float | str | None = None,
    charge: str = "shared",
    coverage: float = 0.95,
) -> OperatingPoint:
    """Choose one set on half of the rows, and report its accuracy on the other half.

    Parameters
    ----------
    evaluation : DataFrame
        As :func:`netchoice.evaluate` makes it.
    rule : "cheapest", "budget" or "knee"
        Cheapest: the cheapest set whose accuracy lies within the binomial interval (Wilson) of the best
        one's. Budget: the most accurate within the budget, the cheaper of equals. Knee: the bend of the
        Pareto front.
    budget : float or str, optional
        A cost, a cost with a unit ("5ms"), or a share of the sum of all costs alone ("2%").
        With rule "cheapest" it limits the sets to choose from.
    charge : "shared" or "alone"
        Which cost counts.
    coverage : float
        Of the intervals.

    Examples
    --------
    >>> import pandas as pd
    >>> evaluation = pd.DataFrame({
    ...     "method": "jmi", "penalty": [0.0, 1.0], "k": 1, "features": [("expensive",), ("cheap",)],
    ...     "accuracy_choosing": [0.95, 0.94], "n_choosing": 500,
    ...     "accuracy_reporting": [0.93, 0.94], "n_reporting": 500,
    ...     "cost_shared": [9.0, 1.0], "share_shared": [0.9, 0.1], "speedup": [1.1, 10.0]})
    >>> point = operating_point(evaluation)
    >>> point.features, point.accuracy, point.speedup
    (('cheap',), 0.94, 10.0)
    """
    if charge not in CHARGES:
        raise UsageError(f"charge={charge!r}; expected {' or '.join(map(repr, CHARGES))}")
    if rule not in RULES:
        raise UsageError(f"rule={rule!r}; expected {', '.join(map(repr, RULES))}")
    if not 0 < coverage < 1:
        raise UsageError(f"coverage={coverage!r}; expected a number between 0 and 1")
    if rule == "budget" and budget is None:
        raise UsageError("the rule 'budget' needs one: budget='5ms' or budget='2%', for example")
    cost = f"cost_{charge}"
    offered = _within(evaluation, budget, charge)
    best = _best(offered, cost)
    if rule == "knee":
        chosen = knee(pareto_front(offered, cost=cost, accuracy="accuracy_choosing"), cost=cost)
    elif rule == "budget":
        chosen = best
    else:
        low, _ = wilson(best["accuracy_choosing"], best["n_choosing"], coverage)
        chosen = _cheapest(offered[offered["accuracy_choosing"] >= low], cost)
    told = chosen["accuracy_reporting"]
    return OperatingPoint(
        method=str(chosen["method"]),
        penalty=float(chosen["penalty"]),
        k=int(chosen["k"]),
        features=tuple(chosen["features"]),
        accuracy=float(told),
        interval=wilson(told, chosen["n_reporting"], coverage),
        coverage=coverage,
        cost=float(chosen[cost]),
        share=float(chosen[f"share_{charge}"]),
        speedup=float(chosen["speedup"]),
        best_accuracy=float(best["accuracy_reporting"]),
        best_features=tuple(best["features"]),
        rule=rule,
        charge=charge,
    )


def pareto_front(
    evaluation: pd.DataFrame, *, cost: str = "cost_shared", accuracy: str = "accuracy"
) -> pd.DataFrame:
    """The rows that no other row beats in cost and accuracy, cheapest first.

    >>> import pandas as pd
    >>> pareto_front(pd.DataFrame({"cost_shared": [1, 2, 3], "accuracy": [0.5, 0.9, 0.9]}))
       cost_shared  accuracy
    0             1       0.5
    1             2       0.9
    """
    ordered = evaluation.sort_values([cost, accuracy], ascending=[True, False], kind="stable")
    best_before = ordered[accuracy].cummax().shift(fill_value=-np.inf)
    return ordered[ordered[accuracy] > best_before].reset_index(drop=True)


def knee(front: pd.DataFrame, *, cost: str = "cost_shared") -> pd.Series:
    """The bend of a Pareto front: farthest above the line from its cheapest to its best point.

    Costs are compared by their logarithms. Of a front with fewer than three points: the last one.

    >>> import pandas as pd
    >>> front = pd.DataFrame({"cost_shared": [1, 2, 100], "accuracy": [0.5, 0.9, 0.91]})
    >>> int(knee(front)["cost_shared"])
    2
    """
    accuracy = "accuracy_choosing" if "accuracy_choosing" in front else "accuracy"
    values = front[cost].to_numpy(dtype=float)
    positive = values[values > 0]
    x = np.log(np.maximum(values, positive.min() if len(positive) else 1.0))
    y = front[accuracy].to_numpy(dtype=float)
    if len(front) < 3 or x[-1] == x[0] or y[-1] == y[0]:
        return front.iloc[-1]
    above = (y - y[0]) / (y[-1] - y[0]) - (x - x[0]) / (x[-1] - x[0])
    return front.iloc[int(above.argmax())]


def wilson(share: float, n: float, coverage: float = 0.95) -> tuple[float, float]:
    """Interval for a probability, from the share seen in n trials (Wilson 1927).

    >>> low, high = wilson(1.0, 2500)
    >>> round(low, 4), high
    (0.9985, 1.0)
    """
    from scipy.stats import norm

    z = float(norm.ppf((1 + coverage) / 2))
    share, n = float(share), float(n)
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return max(0.0, centre - half), 1.0 if share == 1 else min(1.0, centre + half)


def as_budget(budget: float | str) -> tuple[float, bool]:
    """The number that a budget says, and whether it is a share.

    >>> as_budget("5ms"), as_budget("2%"), as_budget(0.01)
    ((0.005, False), (0.02, True), (0.01, False))
    """
    text = str(budget).strip()
    try:
        if not text.endswith("%"):
            return seconds_of(text, "budget"), False
        share = float(text[:-1]) / 100
    except (UsageError, ValueError):
        share = math.nan
    if not 0 < share < math.inf:
        raise UsageError(
            f"budget {budget!r}; expected a cost such as 20, a time such as 5ms, or a share such as 2%"
        )
    return share, True


def _within(evaluation: pd.DataFrame, budget: float | str | None, charge: str) -> pd.DataFrame:
    if not len(evaluation):
        raise UsageError("the evaluation is empty; there is nothing to choose from")
    if budget is None:
        return evaluation
    limit, relative = as_budget(budget)
    column = f"{'share' if relative else 'cost'}_{charge}"
    within = evaluation[evaluation[column] <= limit]
    if not len(within):
        least = evaluation[column].min()
        told = f"{least:.3%}" if relative else f"{least:.3g}"
        raise UsageError(
            f"no set costs at most {budget}; the cheapest one costs {told}: raise the budget"
        )
    return within


def _best(evaluation: pd.DataFrame, cost: str) -> pd.Series:
    most = evaluation["accuracy_choosing"].max()
    return _cheapest(evaluation[evaluation["accuracy_choosing"] == most], cost)


def _cheapest(evaluation: pd.DataFrame, cost: str) -> pd.Series:
    """The cheapest row; of equals the more accurate, then that with fewer features."""
    ordered = evaluation.sort_values(
        [cost, "accuracy_choosing", "k"], ascending=[True, False, True], kind="stable"
    )
    return ordered.iloc[0]
