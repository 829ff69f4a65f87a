"""Base classes of the selectors: their parameters, the checks of the input, and the results."""

from __future__ import annotations

import numbers
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import check_consistent_length, check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from netchoice.columns import code_frame
from netchoice.errors import UsageError
from netchoice.selection.column_costs import ColumnCosts, check_budget
from netchoice.selection.greedy import Floats, Step, Terms, rank_greedily
from netchoice.targets import Classes, Numbers, Target, as_target, check_varies
from netchoice.threads import count_threads
from netchoice.validation import check_non_negative


@dataclass(frozen=True)
class Table:
    """A table that passed the checks."""

    X: Floats
    target: Target
    names: list[str]  # of the columns; x0, x1, … if the caller's table has none
    labels: list[Any] | None  # of the columns of the caller's DataFrame; None for an array
    nominal: NDArray[np.bool_]  # the columns that hold codes of categories


@dataclass(frozen=True)
class TrainingData(Table):
    """A table with the costs of its columns and a seed: what a method learns from."""

    costs: ColumnCosts
    seed: int

    def parts(self) -> Iterator[tuple[TrainingData, float]]:
        """Yield the rows and columns of the target in which all values are known, and their weight."""
        for rows, target, weight in self.target.parts():
            yield replace(self, X=self.X[rows], target=target), weight

    def mean(self, statistic: Callable[[TrainingData], Floats]) -> Floats:
        """Return the weighted mean of a statistic over the parts."""
        return np.asarray(sum(weight * statistic(part) for part, weight in self.parts()))


# The selectors


@dataclass(kw_only=True, eq=False, repr=False)
class CostAwareSelector(SelectorMixin, BaseEstimator):  # type: ignore[misc]
    """Base of the methods that rank columns by information minus λ times cost.

    A subclass defines ``_compute_statistics``, what it computes from the data independently of the
    costs, and ``_information``, what each column adds to the selected ones. A subclass with
    parameters of its own declares them as fields of a keyword-only dataclass.
    """

    n_features_to_select: Any = None
    budget: float | str | None = None
    target: str = "auto"
    costs: Any = None
    penalty: Any = 0.0
    cost_scale: str = "share"
    charge: str = "shared"
    random_state: Any = 0
    n_jobs: int | None = None

    #: Name on the command line and in tables; by default the name of the class in lower case.
    method: ClassVar[str]
    #: Whether the method accepts ``charge="shared"``.
    supports_shared_costs: ClassVar[bool] = True
    #: Whether the method accepts numbers as ``y``, not only class labels.
    supports_numbers: ClassVar[bool] = True
    #: Whether the method accepts missing values (NaN) in ``X``.
    supports_missing: ClassVar[bool] = False
    #: Called with a stage, and the numbers of pairs done and of all pairs, by methods of pairs.
    _on_progress: ClassVar[Callable[[str, int, int], None] | None] = None
    #: Parameters that ``_compute_statistics`` does not use. Selectors that differ only in these
    #: share their statistics in :func:`rank_path`.
    _ranking_parameters: ClassVar[frozenset[str]] = frozenset(
        {"n_features_to_select", "budget", "costs", "penalty", "cost_scale", "charge", "n_jobs"}
    )

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if not hasattr(cls, "method"):
            cls.method = cls.__name__.lower()

    @property
    def statistics_depend_on_penalty(self) -> bool:
        """Whether every penalty needs its own statistics, so that :func:`rank_path` takes longer."""
        return "penalty" not in self._ranking_parameters

    def _compute_statistics(self, data: TrainingData, group: Sequence[CostAwareSelector]) -> Any:
        """Compute what the ranking needs from the data, for a group of selectors that share it."""
        raise NotImplementedError

    def _information(self, statistics: Any, selected: list[int]) -> Terms:
        """Return the information that each column adds to the selected ones."""
        raise NotImplementedError

    def _check_parameters(self, data: TrainingData) -> None:
        """Check the method's own parameters before anything is computed."""

    def fit(self, X: Any, y: Any) -> Self:
        """Rank the columns of X (n, q) and select the first; y has labels (n,) or numbers (n,) or (n, t)."""
        data = self._check_data(X, y)
        self._set_results(data, self._rank(self._compute_statistics(data, [self]), data.costs))
        return self

    def _check_data(self, X: Any, y: Any) -> TrainingData:
        table = check_table(self, X, y, self.target)
        if isinstance(table.target, Numbers) and not self.supports_numbers:
            raise self._refuses_numbers()
        count_threads(self.n_jobs)
        if check_non_negative("penalty", self.penalty) > 0 and self.costs is None:
            warnings.warn(
                f"`penalty` has no effect without `costs`; got penalty={self.penalty}", stacklevel=3
            )
        costs = ColumnCosts(
            self.costs, table.names, labels=table.labels, scale=self.cost_scale, charge=self.charge
        )
        data = TrainingData(**vars(table), costs=costs, seed=self._draw_seed())
        resolve_n_features(self.n_features_to_select, len(data.names))
        check_budget(self.budget, self.costs, costs)
        self._check_parameters(data)
        return data

    def _refuses_numbers(self) -> UsageError:
        from netchoice.selection.methods import BASELINE, NUMBER_METHODS

        *others, last = [name for name in NUMBER_METHODS if name != BASELINE]
        return UsageError(
            f"{self.method} ranks columns for classes; got numbers, which {', '.join(others)} and {last} "
            'take. If the numbers are labels, pass target="classes" (--target classes)'
        )

    def _rank(self, statistics: Any, costs: ColumnCosts, n_steps: int | None = None) -> list[Step]:
        information = partial(self._information, statistics)
        return rank_greedily(
            len(costs.alone),
            information,
            costs.marginal_costs,
            self.penalty,
            costs.affordable(self.budget),
            n_steps,
        )

    def _n_selected(self, costs: ColumnCosts) -> int:
        """Return how many columns of the ranking to select: the given number, within the budget."""
        q = len(self.ranking_)
        pays_for = costs.affordable(self.budget)
        if pays_for is None:
            return resolve_n_features(self.n_features_to_select, q)
        most = q if self.n_features_to_select is None else self.n_features_to_select
        n = resolve_n_features(most, q)
        beyond = (i for i in range(n) if not pays_for(self.ranking_[:i].tolist())[self.ranking_[i]])
        return next(beyond, n)

    def _set_results(self, data: TrainingData, steps: list[Step]) -> None:
        import pandas as pd

        q = len(data.names)
        self._set_target(data.target)
        self.costs_ = data.costs.alone
        self.ranking_ = np.array([step.column for step in steps])
        self.ranking_names_ = np.array(data.names, dtype=object)[self.ranking_]
        self.scores_, self.relevance_ = np.empty(q), np.empty(q)
        self.scores_[self.ranking_] = scores = [step.score for step in steps]
        self.relevance_[self.ranking_] = [step.terms[0] for step in steps]
        self.support_ = np.zeros(q, dtype=bool)
        self.support_[self.ranking_[: self._n_selected(data.costs)]] = True
        terms = pd.DataFrame([step.terms for step in steps], columns=list(Terms._fields))
        self.steps_ = pd.DataFrame(
            {
                "feature": self.ranking_names_,
                **terms.dropna(axis="columns", how="all").astype(float),
                "cost": [step.cost for step in steps],
                "score": scores,
            }
        )

    def _set_target(self, target: Target) -> None:
        """Set what the fitted selector says of its target."""
        self.target_ = target.kind
        if isinstance(target, Classes):
            self.classes_ = target.labels

    def _draw_seed(self) -> int:
        return int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        return np.asarray(self.support_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.multi_output = self.supports_numbers
        tags.input_tags.allow_nan = self.supports_missing
        return tags


# Checks of the input


def check_table(estimator: Any, X: Any, y: Any, kind: str) -> Table:
    """Return the table that an estimator is fitted to; ``kind`` says what ``y`` holds, as in `as_target`."""
    labels = list(X.columns) if hasattr(X, "columns") else None
    if labels == []:
        raise UsageError(f"`X` must have at least 1 column; got 0 feature(s) (shape={X.shape})")
    if y is None:
        raise UsageError(
            f"{type(estimator).__name__} requires y to be passed, but the target y is None"
        )
    nominal = None
    if hasattr(X, "iloc") and any(dtype.kind not in "biuf" for dtype in X.dtypes):
        X, nominal = code_frame(X)
    check_numbers(X)
    takes_missing = getattr(estimator, "supports_missing", False)
    try:
        X = validate_data(
            estimator, X, dtype=np.float64, ensure_min_samples=2,
            ensure_all_finite="allow-nan" if takes_missing else True,
        )  # fmt: skip
    except ValueError as error:
        if "contains NaN" in str(error) or "infinity" in str(error):
            raise not_finite(X, takes_missing) from error
        raise
    target = as_target(y, kind)
    check_consistent_length(X, target)
    check_varies(target)
    names = getattr(estimator, "feature_names_in_", [f"x{i}" for i in range(X.shape[1])])
    nominal = np.zeros(X.shape[1], dtype=bool) if nominal is None else nominal
    return Table(X, target, list(names), labels, nominal)


def resolve_n_features(n_features_to_select: Any, n_features: int) -> int:
    """Return the number of features to select, given as a number, a fraction, or None for half.

    >>> resolve_n_features(None, 7), resolve_n_features(3, 7), resolve_n_features(0.5, 8)
    (3, 3, 4)
    """
    value = n_features_to_select
    if value is None:
        return max(1, n_features // 2)
    if isinstance(value, numbers.Integral):
        if 1 <= int(value) <= n_features:
            return int(value)
    elif isinstance(value, numbers.Real) and 0 < float(value) <= 1:
        return max(1, int(float(value) * n_features))
    raise UsageError(
        f"`n_features_to_select` must be an integer from 1 to {n_features}, a fraction above 0 and "
        f"up to 1.0, or None for half of the features; got {value!r}"
    )


def check_numbers(X: Any) -> None:
    """Raise an error unless a table is dense and its columns hold numbers; name the column.

    >>> check_numbers([[20, "Ulm"], [30, "Bonn"]])
    Traceback (most recent call last):
    netchoice.errors.UsageError: `X` must hold numbers; got 'Ulm' in the column 1. Pass a DataFrame, in \
which text is a category
    """
    if hasattr(X, "toarray"):
        raise UsageError(
            f"`X` must be dense; got a sparse {type(X).__name__}. Selectors estimate from all values of a "
            "column: pass X.toarray()"
        )
    for name, values in _columns(X):
        if values.dtype.kind in "biufc":  # scikit-learn refuses complex numbers
            continue
        wrong = next((value for value in values if not _is_number(value)), None)
        if wrong is not None:
            shown = str(wrong) if isinstance(wrong, np.generic) else repr(wrong)
            raise UsageError(
                f"`X` must hold numbers; got {shown} in the column {name}. Pass a DataFrame, in which text "
                "is a category"
            )


def not_finite(X: Any, takes_missing: bool = False) -> UsageError:
    """Return the error for a table with infinite values, or with missing ones where they are refused."""
    from netchoice.selection.methods import METHODS

    wrong = np.isinf if takes_missing else (lambda values: ~np.isfinite(values))
    has_wrong = ((name, wrong(values.astype(float)).any()) for name, values in _columns(X))
    where = next((f" in the column {name}" for name, is_wrong in has_wrong if is_wrong), "")
    if takes_missing:
        return UsageError(f"`X` must not be infinite; got infinity (inf){where}. Drop or impute it")
    others = ", ".join(name for name in METHODS if METHODS[name]().supports_missing)
    return UsageError(
        f"`X` must be finite; got missing (NaN) or infinite (inf) values{where}. Drop or impute them; "
        f"{others} take missing values"
    )


def _columns(X: Any) -> Iterator[tuple[str, NDArray[Any]]]:
    """Yield the name and the values of each column of a table; nothing if X is no table."""
    if hasattr(X, "columns"):
        for position, name in enumerate(X.columns):
            column = X.iloc[:, position] if hasattr(X, "iloc") else X[name]
            yield repr(str(name)), np.asarray(column)
    elif isinstance(X, list | np.ndarray):
        values = np.asarray(X, dtype=object) if isinstance(X, list) else X
        for position in range(values.shape[1] if values.ndim == 2 else 0):
            yield str(position), values[:, position]


def _is_number(value: Any) -> bool:
    """Return whether a value of a column converts to a number; text such as "3" does."""
    if isinstance(value, np.datetime64 | np.timedelta64):
        return False
    try:
        float(value)
    except ValueError:
        return False
    except TypeError:  # a missing value is reported as missing, and other objects by scikit-learn
        return True
    return True


def column_mask(parameter: str, columns: Any, names: Sequence[str]) -> NDArray[np.bool_]:
    """Return the mask of columns given as a mask, positions, names, or one bool for all.

    >>> column_mask("nominal_features", ["b"], ["a", "b"])
    array([False,  True])
    """
    mask = np.zeros(len(names), dtype=bool)
    if columns is None or isinstance(columns, (bool, np.bool_)):
        return mask | bool(columns)
    values = [columns] if isinstance(columns, (str, numbers.Integral)) else list(columns)
    if len(values) and all(isinstance(value, (bool, np.bool_)) for value in values):
        if len(values) != len(names):
            raise UsageError(
                f"`{parameter}` must have one bool for each of {len(names)} columns; got {len(values)}"
            )
        return np.array(values, dtype=bool)
    positions = {name: i for i, name in enumerate(names)}
    for value in values:
        position: Any = positions.get(value, value) if isinstance(value, str) else value
        if not isinstance(position, numbers.Integral) or not 0 <= int(position) < len(names):
            raise UsageError(
                f"`{parameter}` must hold column names, positions from 0 to {len(names) - 1}, or a "
                f"mask; got {value!r}"
            )
        mask[int(position)] = True
    return mask
