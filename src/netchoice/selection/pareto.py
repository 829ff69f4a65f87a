"""A wrapper: sets of columns judged by what a classifier makes of them, against their cost."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from netchoice.errors import UsageError
from netchoice.selection.base import column_mask, labels
from netchoice.selection.column_costs import ColumnCosts
from netchoice.selection.greedy import Floats
from netchoice.selection.knn import Neighbours
from netchoice.selection.subsets import Archive, Subset, Tried, explore

Rows = NDArray[np.int64]


class ParetoSearch(SelectorMixin, BaseEstimator):  # type: ignore[misc]
    """The best sets of columns for every cost, found by trying sets.

    Filters judge columns by information; this one asks a classifier, in cross-validation, how well
    it does with a set, and looks for the sets that no other beats in accuracy or cost without
    losing in the other: the Pareto front. Where all sets are no more than ``population ×
    generations``, all are tried and the front is exact. Otherwise half of the trials go to single
    columns, to the cheapest and to the best of them together, and to pairs, or small groups where
    the pairs are too many: so two columns that tell only together are found, by default always
    among up to 48 columns and mostly among up to 100. The rest go to the evolution of sets by
    NSGA-II (Deb et al. 2002, doi:10.1109/4235.996017), which needs pymoo: ``pip install
    'netchoice[search]'``. Where the cheapest column makes no mistake, nothing more is tried.

    The accuracies of a front are those of the luckiest of many sets on the folds that chose them,
    so they are too high. ``accuracy_holdout`` is not: it comes from rows that the search never saw.

    Parameters
    ----------
    classifier : scikit-learn classifier or None
        None: 10 nearest neighbours after standardising (inside the folds), compiled: about 10 ms
        for a set at 2000 rows.
    folds : int
        Stratified and drawn by ``random_state``; the same for all sets.
    holdout : float
        Share of the rows kept from the search, for ``accuracy_holdout``.
    max_rows : int or None
        The search uses no more rows than this; the rest join the held-out ones. None: no limit.
    costs : array, mapping or Series by name, CostModel, or None
        Costs of the columns; None: all cost the same, so the front is over the number of columns.
    cost_scale : "share" or "raw"
        Unit of ``budget`` and ``costs_``: the sum of all costs alone, or that of ``costs``.
    charge : "alone" or "shared"
        What a set costs: the sum of its columns' costs, or what they need together, paid once
        (CostModel only).
    budget : float or None
        Select the most accurate set that costs no more. None: select the cheapest whose accuracy
        is not below the best by more than one standard error of the best.
    max_features : int or None
        Largest set to try.
    initial : sequence of sets, or None
        Sets to begin with, by names, positions or masks, such as the prefixes of rankings: the
        front is never worse than these.
    population, generations : int
        Size of the evolving population; with it, how many sets are tried: their product, and no
        fewer than ``initial``.
    random_state : int, RandomState or None
        Draws rows, folds and evolution. None draws again in each fit.
    n_jobs : int or None
        Threads; the result does not depend on them.

    Attributes
    ----------
    front_ : DataFrame
        One row for each set of the front, by cost: features (their names), k (how many), cost
        (in the unit of ``costs``), share (of the cost of all columns alone), accuracy and its
        standard error over the folds, and accuracy_holdout (NaN without held-out rows).
    support_ : array (q,) of bool
        The columns of the set selected; ``chosen_`` is its row in the front.
    fold_ : array (n,)
        In which fold each row was tested; −1 for held-out rows.
    costs_ : array (q,)
        Costs alone, scaled.
    n_evaluations_ : int
        Sets tried.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(600, 4))
    >>> y = (X[:, 1] > 0) ^ (X[:, 2] > 0)  # neither tells anything alone
    >>> search = ParetoSearch(costs=[1, 2, 3, 4], cost_scale="raw").fit(X, y)
    >>> search.get_support(indices=True)
    array([1, 2])
    >>> bool(search.front_.loc[search.chosen_, "accuracy_holdout"] > 0.9)
    True
    """

    def __init__(
        self,
        *,
        classifier: Any = None,
        folds: int = 5,
        holdout: float = 0.25,
        max_rows: int | None = 2000,
        costs: Any = None,
        cost_scale: str = "share",
        charge: str = "alone",
        budget: float | None = None,
        max_features: int | None = None,
        initial: Any = None,
        population: int = 60,
        generations: int = 40,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.classifier = classifier
        self.folds = folds
        self.holdout = holdout
        self.max_rows = max_rows
        self.costs = costs
        self.cost_scale = cost_scale
        self.charge = charge
        self.budget = budget
        self.max_features = max_features
        self.initial = initial
        self.population = population
        self.generations = generations
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any) -> Self:
        """Search the sets of columns and select one.

        Parameters
        ----------
        X : array or DataFrame (n, q)
        y : array (n,)
            Labels of any type, at least two different ones.
        """
        columns = list(X.columns) if hasattr(X, "columns") else None
        X, y = validate_data(self, X, y, dtype=np.float64, ensure_min_samples=2)
        classes, codes = labels(y)
        self._check_parameters()
        named = hasattr(self, "feature_names_in_")
        names = list(self.feature_names_in_) if named else [f"x{i}" for i in range(X.shape[1])]
        costs = np.ones(len(names)) if self.costs is None else self.costs
        paid = ColumnCosts(costs, names, columns=columns, scale="raw", charge=self.charge)
        self.costs_ = ColumnCosts(costs, names, columns=columns, scale=self.cost_scale).alone
        self._check_budget()
        largest = min(self.max_features or len(names), len(names))
        given = starting_sets(self.initial, names, largest)
        seed = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))
        self.fold_ = assign_folds(codes, self.folds, self.holdout, self.max_rows, seed)
        in_folds, held_out = judges(self.classifier, X, classes, codes, self.fold_)
        archive = Archive(
            lambda columns: np.array([judge(columns) for judge in in_folds]),
            paid,
            self.n_jobs,
        )
        explore(
            archive,
            given,
            n_columns=len(names),
            max_features=largest,
            n_evaluations=self.population * self.generations,
            population=self.population,
            seed=seed,
        )
        self.classes_ = classes
        self.n_evaluations_ = len(archive)
        self._keep(archive.front(), names, float(paid.alone.sum()), held_out)
        return self

    def _keep(
        self, front: list[Tried], names: list[str], full: float, held_out: Judge | None
    ) -> None:
        import pandas as pd

        self.front_ = pd.DataFrame(
            {
                "features": tuple(names[i] for i in one.columns),
                "k": len(one.columns),
                "cost": one.cost,
                "share": one.cost / full if full else 0.0,
                "accuracy": one.accuracy,
                "standard_error": one.standard_error,
                "accuracy_holdout": held_out(one.columns) if held_out else np.nan,
            }
            for one in front
        )
        self.chosen_ = self._choose()
        self.support_ = np.zeros(len(names), dtype=bool)
        self.support_[list(front[self.chosen_].columns)] = True

    def _choose(self) -> int:
        """The row of the front that the rule selects; accuracy rises with cost along it."""
        front = self.front_
        if self.budget is None:
            best = front.iloc[-1]
            good = front["accuracy"] >= best["accuracy"] - best["standard_error"]
            return int(np.flatnonzero(good)[0])
        cost = front["share" if self.cost_scale == "share" else "cost"].to_numpy()
        return int(np.flatnonzero(cost <= self.budget * (1 + 1e-12))[-1])

    def _check_parameters(self) -> None:
        for name, least, optional in (
            ("folds", 2, False),
            ("max_rows", 2, True),
            ("max_features", 1, True),
            ("population", 2, False),
            ("generations", 1, False),
        ):
            value = getattr(self, name)
            if not (optional and value is None) and not _is(numbers.Integral, value, least):
                raise UsageError(
                    f"{name}={value!r}; expected an integer, {least} or more"
                    + (", or None for no limit" if optional else "")
                )
        if not _is(numbers.Real, self.holdout, 0) or self.holdout >= 1:
            raise UsageError(
                f"holdout={self.holdout!r}; expected a share of the rows, from 0 to below 1"
            )
        if self.budget is not None and not _is(numbers.Real, self.budget, 0):
            raise UsageError(f"budget={self.budget!r}; expected a cost, 0 or more, or None")

    def _check_budget(self) -> None:
        cheapest = self.costs_.min()
        if self.budget is not None and self.budget < cheapest:
            raise UsageError(
                f"budget={self.budget} buys nothing: the cheapest column costs {cheapest:.6g} "
                f"(cost_scale={self.cost_scale!r}); give at least that"
            )

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        return np.asarray(self.support_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


def _is(kind: Any, value: Any, least: int) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool) and bool(value >= least)


def starting_sets(initial: Any, names: Sequence[str], largest: int) -> list[Subset]:
    """The sets that a user gives, as positions.

    >>> starting_sets([["b"], [0, 1]], ["a", "b"], largest=2)
    [(1,), (0, 1)]
    """
    sets = []
    for one in [] if initial is None else initial:
        columns = tuple(int(i) for i in np.flatnonzero(column_mask("initial", one, names)))
        if not 1 <= len(columns) <= largest:
            raise UsageError(
                f"initial has a set of {len(columns)} columns; expected 1 to {largest} in each"
            )
        sets.append(columns)
    return sets


def assign_folds(
    codes: NDArray[np.int64], folds: int, holdout: float, max_rows: int | None, seed: int
) -> Rows:
    """In which fold each row is tested, −1 for rows that are held out; stratified by class.

    >>> folds = assign_folds(np.arange(100) % 2, folds=5, holdout=0.2, max_rows=None, seed=0)
    >>> np.unique(folds, return_counts=True)
    (array([-1,  0,  1,  2,  3,  4]), array([20, 16, 16, 16, 16, 16]))
    """
    n = len(codes)
    shuffled = np.random.default_rng([seed, 0]).permutation(n)
    by_class = shuffled[np.argsort(codes[shuffled], kind="stable")]
    sizes = np.bincount(codes)
    place = np.arange(n) - np.repeat(np.cumsum(sizes) - sizes, sizes)  # of each row in its class
    # Sorted by how far down its class a row is, any first part holds all classes in proportion.
    spread = by_class[np.argsort((place + 0.5) / np.repeat(sizes, sizes), kind="stable")]
    wanted = max(2, n - round(holdout * n))
    searched = spread[: wanted if max_rows is None else min(wanted, max_rows)]
    dealt = searched[np.argsort(codes[searched], kind="stable")]
    fold = np.full(n, -1, dtype=np.int64)
    fold[dealt] = np.arange(len(dealt)) % folds
    return fold


Judge = Callable[[Subset], float]


def judges(
    classifier: Any,
    X: Floats,
    classes: NDArray[Any],
    codes: NDArray[np.int64],
    fold: Rows,
) -> tuple[list[Judge], Judge | None]:
    """For each fold, and for the held-out rows if any: how accurate a set of columns is there."""

    def judge(train: Rows, test: Rows) -> Judge:
        if classifier is None:
            return Neighbours(X, codes, train, test).accuracy
        y = classes[codes]

        def accuracy(columns: Subset) -> float:
            taken = X[:, list(columns)]
            fitted = clone(classifier).fit(taken[train], y[train])
            return float(fitted.score(taken[test], y[test]))

        return accuracy

    searched, held_out = np.flatnonzero(fold >= 0), np.flatnonzero(fold < 0)
    in_folds = [
        judge(searched[fold[searched] != f], searched[fold[searched] == f])
        for f in range(fold.max() + 1)
    ]
    return in_folds, judge(searched, held_out) if len(held_out) else None
