"""A classifier that acquires the columns of a row one by one, and stops as soon as the class is clear."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc
from scipy.stats import rankdata
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from netchoice.errors import UsageError
from netchoice.inference.local_regression import default_neighbors, predict_locally
from netchoice.inference.scaling import Scaling
from netchoice.selection.base import check_table
from netchoice.selection.column_costs import ColumnCosts, check_budget
from netchoice.selection.greedy import Floats
from netchoice.targets import Classes
from netchoice.validation import check_fraction

#: A row as numbers in the order of the columns, as numbers by name, or as a function from name to number.
Row = Any
#: Why an acquisition stopped.
CONFIDENT, BUDGET, UNINFORMATIVE = "confident", "budget", "uninformative"
#: Of the mutual information in few rows: the largest number of bins, and the level of the test of it.
MAX_BINS, ALPHA = 8, 0.05


@dataclass(frozen=True)
class AcquiredColumn:
    """One step of an acquisition.

    Attributes
    ----------
    name : str, the column
    value : float, its value; NaN if it has none, so that it was paid for in vain
    information : float, expected information on the class before the value was known, in nats
    cost : float, what the column cost in addition to the columns before it
    probabilities : dict, the probability of each class after the step
    """

    name: str
    value: float
    information: float
    cost: float
    probabilities: dict[Any, float]


@dataclass(frozen=True)
class Acquisition:
    """The columns that were acquired for one row, in order; returned by :meth:`AcquiringClassifier.acquire`.

    Attributes
    ----------
    prior : dict, the probability of each class before the first step
    stopped : str
        "confident": other columns would hardly change the predicted class. "budget": no informative
        column is within the budget. "uninformative": no other column is informative.
    """

    prior: dict[Any, float]
    steps: tuple[AcquiredColumn, ...] = field(repr=False)
    stopped: str

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the acquired columns."""
        return tuple(step.name for step in self.steps)

    @property
    def probabilities(self) -> dict[Any, float]:
        """The probability of each class after the last step."""
        return self.steps[-1].probabilities if self.steps else self.prior

    @property
    def predicted(self) -> Any:
        """The most probable class; the first one if several tie."""
        return max(self.probabilities, key=self.probabilities.__getitem__)

    @property
    def cost(self) -> float:
        """Cost of all acquired columns."""
        return math.fsum(step.cost for step in self.steps)

    def as_dict(self) -> dict[str, Any]:
        """Return the prediction and the steps for JSON; a missing value becomes None."""
        steps = [asdict(step) for step in self.steps]
        for step in steps:
            step["value"] = step["value"] if math.isfinite(step["value"]) else None
        return {
            "predicted": self.predicted,
            "probabilities": self.probabilities,
            "cost": self.cost,
            "stopped": self.stopped,
            "prior": self.prior,
            "steps": steps,
        }


@dataclass(kw_only=True, eq=False, repr=False)
class AcquiringClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Classify each row from as few of its columns as it needs, the cheap and informative ones first.

    For each row, the classifier acquires the column with the most expected information on the class
    per cost, given the values that it knows already. Then it estimates the probabilities of the classes
    again, and decides whether to acquire another column.

    **Probabilities** come from a multinomial regression on the training rows that are nearest in the
    known columns, as in :class:`netchoice.inference.RegressionClassifier`. Columns are scaled by their ranks.

    **Information** is the mutual information of a column and the class among the nearest training rows,
    4√n of them and those at the same distance. Values are divided into up to 8 bins of equal size. A column
    is informative if a test rejects that it is independent of the class among these rows (a G-test at the
    level 0.05, adjusted for the number of columns).

    **The acquisition stops** when the most probable class has a probability p with
    2 (1 − p) ≤ 1 − ``confidence``. If the probabilities are correct, all other columns together then change
    the predicted class with a probability of at most 1 − ``confidence``: the probability of that class
    must fall from p to ½ or less, and its expectation stays p (Markov's inequality). It also stops if
    no column within the budget is informative.

    Parameters
    ----------
    costs : CostModel, mapping, or one number for each column, optional
        Columns without cost are acquired first, if they are informative. None: no column costs anything.
    budget : float or str, optional
        Largest cost of the columns of one row, in the unit of ``costs``, or a share such as "2%" of what all
        columns cost together; it is never exceeded.
    confidence : float
        Probability with which the predicted class must remain the same if all columns were acquired.
    charge : "shared" or "alone"
        "shared": shared steps are paid once for each row. "alone": each column pays for its steps.

    Attributes
    ----------
    classes_ : array of the labels
    information_ : array (q,), information of each column on the class before the first step, in nats
    costs_ : array (q,), cost of each column alone

    Examples
    --------
    The costs of two columns are 1 and 20. The first one shows the class of most rows:

    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> y = np.repeat(["low", "high"], 500)
    >>> X = rng.normal(np.where(y == "low", -1.5, 1.5)[:, None] * [1, 2])
    >>> classifier = AcquiringClassifier(costs=[1, 20]).fit(X, y)
    >>> for row in ([-3.0, -2.5], [0.1, 2.5]):
    ...     found = classifier.acquire(row)
    ...     print(found.columns, found.predicted, found.cost, found.stopped)
    ('x0',) low 1.0 confident
    ('x0', 'x1') high 21.0 confident
    """

    costs: Any = None
    budget: float | str | None = None
    confidence: float = 0.95
    charge: str = "shared"

    def fit(self, X: Any, y: Any) -> Self:
        """Keep the rows of X (n, q) with the labels y (n,), from which probabilities are estimated."""
        check_fraction("confidence", self.confidence)
        table = check_table(self, X, None if y is None else column_or_1d(y, warn=True), "classes")
        check_classification_targets(y)
        assert isinstance(table.target, Classes)
        if table.nominal.any():
            raise UsageError(
                f"`X` must hold numbers; the column {table.names[int(table.nominal.argmax())]!r} holds text. "
                "Encode it as indicators, which share a step with its cost"
            )
        self._costs = ColumnCosts(
            self.costs, table.names, labels=table.labels, scale="raw", charge=self.charge
        )
        self.costs_ = self._costs.alone
        check_budget(self.budget, self.costs, self._costs)
        self._names = [str(name) for name in table.names]
        self._scaling = Scaling.fit(table.X)
        self._table = np.ascontiguousarray(self._scaling.transform(table.X).T)
        self.classes_, self._codes = table.target.labels, table.target.codes
        self.information_ = binned_information(self._table.T, self._codes, len(self.classes_))
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the predicted class of each row of X (m, q); of each row, only acquired values are used."""
        check_is_fitted(self)
        return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])

    def predict_proba(self, X: Any) -> Floats:
        """Return the probabilities (m, C) of the classes of each row of X (m, q)."""
        check_is_fitted(self)
        rows = validate_data(self, X, dtype=np.float64, reset=False)
        return np.array([list(self.acquire(row).probabilities.values()) for row in rows])

    def acquire(self, row: Row) -> Acquisition:
        """Acquire the columns of one row until the class is clear or the budget ends.

        ``row`` has the values in the order of the columns or by name, or is a function that returns the
        value of a column, given its name. The function is called for acquired columns only. A value
        of NaN is paid for, but not used.
        """
        check_is_fitted(self)
        value_of = _reader(row, self._names)
        labels = self.classes_.tolist()
        query = np.full(len(self._names), np.nan)
        distance = np.zeros(self._table.shape[1])
        chosen: list[int] = []
        steps: list[AcquiredColumn] = []
        probabilities = np.bincount(self._codes) / len(self._codes)
        prior = dict(zip(labels, probabilities.tolist(), strict=True))
        while not (stopped := self._is_clear(probabilities)):
            known = [column for column in chosen if np.isfinite(query[column])]
            information = self._information(distance) if known else self.information_
            column, stopped = self._next(information, chosen)
            if column is None:
                break
            value = float(value_of(self._names[column]))
            cost = float(self._costs.marginal_costs(chosen)[column])
            chosen.append(column)
            if math.isfinite(value):
                query[column] = self._scaling.columns[column].rank(np.array([value]))[0]
                distance += (self._table[column] - query[column]) ** 2
                probabilities = self._probabilities(query, [*known, column])
            by_label = dict(zip(labels, probabilities.tolist(), strict=True))
            gained = float(information[column])
            steps.append(AcquiredColumn(self._names[column], value, gained, cost, by_label))
        return Acquisition(prior, tuple(steps), stopped)

    def _is_clear(self, probabilities: Floats) -> str:
        """Return "confident" if other columns would hardly change the predicted class, else ""."""
        return CONFIDENT if 2 * (1 - probabilities.max()) <= 1 - self.confidence else ""

    def _probabilities(self, query: Floats, known: list[int]) -> Floats:
        """Return the probabilities of the classes, given the scaled values of the known columns."""
        table = np.ascontiguousarray(self._table[known].T)
        n_near = default_neighbors(len(table))
        own = np.ascontiguousarray(query[known])
        return predict_locally(table, self._codes, own, n_near, len(self.classes_))

    def _information(self, distance: Floats) -> Floats:
        """Return the information of each column on the class among the rows with the smallest distances."""
        k = min(len(distance), round(4 * math.sqrt(len(distance))))
        near = distance <= np.partition(distance, k - 1)[k - 1]
        return binned_information(self._table[:, near].T, self._codes[near], len(self.classes_))

    def _next(self, information: Floats, chosen: list[int]) -> tuple[int | None, str]:
        """Return the column with the most information per cost, or None and why there is no column."""
        informative = information > 0
        informative[chosen] = False
        pays_for = self._costs.affordable(self.budget)
        affordable = informative if pays_for is None else informative & pays_for(chosen)
        if not affordable.any():
            return None, BUDGET if informative.any() else UNINFORMATIVE
        columns = np.flatnonzero(affordable)
        costs = self._costs.marginal_costs(chosen)[columns]
        per_cost = np.full(len(columns), np.inf)
        np.divide(information[columns], costs, out=per_cost, where=costs > 0)
        return int(columns[np.lexsort((-information[columns], -per_cost))[0]]), ""


def _reader(row: Row, names: list[str]) -> Callable[[str], float]:
    """Return a function from the name of a column to its value in a row."""
    if callable(row):
        return row  # type: ignore[no-any-return]
    if isinstance(row, Mapping) or hasattr(row, "items"):
        return partial(_value_by_name, row)
    values = np.asarray(row, dtype=float)
    if values.shape != (len(names),):
        raise UsageError(
            f"`row` must have one value for each of {len(names)} columns; got the shape {values.shape}"
        )
    return dict(zip(names, values.tolist(), strict=True)).__getitem__


def _value_by_name(row: Any, name: str) -> float:
    if name not in row:
        raise UsageError(
            f"the row has no value for the column {name!r}; pass all columns, or a function of the name"
        )
    return float(row[name])


def binned_information(X: Floats, codes: NDArray[np.int64], n_classes: int) -> Floats:
    """Estimate the mutual information (q,) of the columns of X (n, q) and the class codes (n,), in nats.

    The values of a column are divided into ∛n bins (2 to 8) of equal size; equal values share a bin. The
    first-order expectation of the estimate for independent columns, (bins − 1)(classes − 1) / 2n, is
    subtracted. The result is 0 unless a G-test, adjusted for the number of columns (Bonferroni), rejects
    independence at the level 0.05.

    >>> import numpy as np
    >>> codes = np.arange(1000) % 2
    >>> X = np.column_stack([codes, np.arange(1000) // 2])
    >>> binned_information(X, codes, 2).round(3)  # log 2 = 0.693
    array([0.693, 0.   ])
    """
    n, q = X.shape
    n_bins = min(max(round(n ** (1 / 3)), 2), MAX_BINS)
    bins = ((rankdata(X, axis=0) - 0.5) * n_bins / n).astype(np.int64)
    one_hot = np.eye(n_classes)[codes]
    joint = np.stack([one_hot.T @ (bins == b) for b in range(n_bins)]) / n  # bins, classes, columns
    of_bins, of_classes = joint.sum(axis=1), one_hot.mean(axis=0)
    plugin = _entropy(of_bins) + _entropy(of_classes) - _entropy(joint.reshape(-1, q))
    n_free = ((of_bins > 0).sum(axis=0) - 1) * (np.count_nonzero(of_classes) - 1)
    is_significant = chdtrc(np.maximum(n_free, 1), 2 * n * plugin.clip(min=0)) * q <= ALPHA
    return np.where(is_significant & (n_free > 0), (plugin - n_free / (2 * n)).clip(min=0), 0.0)


def _entropy(shares: Floats) -> Any:
    """Return the entropy along the first axis, in nats."""
    return -np.sum(shares * np.log(np.where(shares > 0, shares, 1.0)), axis=0)
