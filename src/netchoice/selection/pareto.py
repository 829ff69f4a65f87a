"""A wrapper method: search for the sets of columns with the best accuracy at every cost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from netchoice.errors import UsageError
from netchoice.selection.base import Table, TableSelector, check_table
from netchoice.selection.column_costs import ColumnCosts, check_budget
from netchoice.selection.greedy import Floats
from netchoice.selection.inputs import column_mask
from netchoice.selection.knn import neighbours_of
from netchoice.selection.regression import regressor_score
from netchoice.selection.subsets import Archive, Subset, search_subsets
from netchoice.targets import Numbers
from netchoice.validation import check_integer, check_non_negative

Rows = NDArray[np.int64]
#: A function that returns the accuracy of a classifier on a set of columns.
Accuracy = Callable[[Subset], float]


@dataclass(kw_only=True, eq=False, repr=False)
class ParetoSearch(TableSelector):
    """Search for the Pareto front of sets of columns: accuracy of a classifier against cost.

    The Pareto front has the sets for which no other set has a higher cross-validated accuracy at the
    same cost, or a lower cost at the same accuracy. For numbers, R² of a regressor takes the place of
    the accuracy of a classifier.

    If there are at most ``population × generations`` sets, all are evaluated and the front is
    exact. Otherwise half of the evaluations go to single columns, to the cheapest and the best of
    them jointly, and to pairs, or to small groups if there are too many pairs. So the search finds
    two columns that are informative only jointly: with the default settings always among up to 48
    columns, and mostly among up to 100. The other half go to NSGA-II (Deb et al. 2002,
    doi:10.1109/4235.996017), which needs pymoo: ``pip install 'netchoice[search]'``. The search
    stops if the cheapest column makes no error.

    The cross-validated accuracies on the front are too high, because the same folds have selected
    the sets. ``accuracy_holdout`` is unbiased: it is measured on rows that the search has not used.

    Parameters
    ----------
    target : "auto", "classes" or "numbers"
        What ``y`` holds, see :class:`MRMR`.
    classifier : scikit-learn classifier (for numbers, a regressor) or None
        None: 10 nearest neighbours after standardising (inside the folds), compiled: about 10 ms
        for a set at 2000 rows.
    folds : int
        Number of stratified folds, drawn by ``random_state``; the same for all sets.
    holdout : float
        Fraction of the rows that the search does not use, for ``accuracy_holdout``.
    max_rows : int or None
        Maximum number of rows in the search; the others are held out. None: no limit.
    costs : array, mapping or Series by name, CostModel, or None
        Costs of the columns; None: all cost the same, so the cost is the number of columns.
    cost_scale : "share" or "raw"
        Unit of ``costs_``: the sum of all costs alone, or the unit of ``costs``.
    charge : "alone" or "shared"
        Shared: a set pays each shared step once (CostModel only).
    budget : float, str or None
        Select the most accurate set that costs no more: a cost in the unit of ``costs``, or a share such as
        "2%" of the sum of all costs. None: select the cheapest set whose
        accuracy is within one standard error of the best.
    max_features : int or None
        Maximum number of columns in a set.
    initial : sequence of sets, or None
        Initial sets, by names, positions or masks, such as the prefixes of rankings. The front is
        never worse than these.
    population, generations : int
        Their product is the number of sets evaluated, unless there are more initial sets.
    random_state : int, RandomState or None
        Draws rows, folds and mutations. None: another draw in each fit.
    n_jobs : int or None
        Number of threads; it does not affect the result.

    Attributes
    ----------
    front_ : DataFrame
        One row for each set of the front, sorted by cost: features (names), k (number of columns),
        cost (in the unit of ``costs``), share (of the cost of all columns alone), accuracy (R² for
        numbers) and its standard error over the folds, and accuracy_holdout (NaN without held-out
        rows).
    support_, chosen_
        Mask (q,) of the columns of the selected set, and its row in the front.
    fold_ : array (n,)
        The fold in which each row is tested; −1 for held-out rows.
    costs_, n_evaluations_
        Scaled costs alone (q,), and the number of sets evaluated.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(600, 4))
    >>> y = (X[:, 1] > 0) ^ (X[:, 2] > 0)  # neither column is informative alone
    >>> search = ParetoSearch(costs=[1, 2, 3, 4], cost_scale="raw").fit(X, y)
    >>> search.get_support(indices=True)
    array([1, 2])
    >>> bool(search.front_.loc[search.chosen_, "accuracy_holdout"] > 0.9)
    True
    """

    target: str = "auto"
    classifier: Any = None
    folds: int = 5
    holdout: float = 0.25
    max_rows: int | None = 2000
    costs: Any = None
    cost_scale: str = "share"
    charge: str = "alone"
    budget: float | str | None = None
    max_features: int | None = None
    initial: Any = None
    population: int = 60
    generations: int = 40
    random_state: Any = 0
    n_jobs: int | None = None

    def fit(self, X: Any, y: Any) -> Self:
        """Search the sets of columns of X (n, q) for labels or numbers y, and select one."""
        table = check_table(self, X, y, self.target)
        names, labels = table.names, table.labels
        self._check_parameters()
        costs = np.ones(len(names)) if self.costs is None else self.costs
        raw = ColumnCosts(costs, names, labels=labels, scale="raw", charge=self.charge)
        self.costs_ = ColumnCosts(costs, names, labels=labels, scale=self.cost_scale).alone
        check_budget(self.budget, costs, raw)
        max_features = min(int(self.max_features or len(names)), len(names))
        initial = initial_subsets(self.initial, names, max_features)
        seed = self._draw_seed()
        strata = table.target.strata
        self.fold_ = assign_folds(strata, int(self.folds), self.holdout, self.max_rows, seed)
        accuracies, held_out = accuracy_functions(self.classifier, table, self.fold_)
        archive = Archive(accuracies, raw, self.n_jobs)
        search_subsets(
            archive,
            initial,
            n_columns=len(names),
            max_features=max_features,
            n_evaluations=int(self.population * self.generations),
            population=int(self.population),
            seed=seed,
        )
        self._set_target(table.target)
        self.n_evaluations_ = len(archive)
        self._set_results(archive, names, held_out)
        return self

    def _set_results(self, archive: Archive, names: list[str], held_out: Accuracy | None) -> None:
        import pandas as pd

        front, total_cost = archive.front(), float(archive.costs.alone.sum())
        self.front_ = pd.DataFrame(
            {
                "features": tuple(names[i] for i in subset.columns),
                "k": len(subset.columns),
                "cost": subset.cost,
                "share": subset.cost / total_cost if total_cost else 0.0,
                "accuracy": subset.accuracy,
                "standard_error": subset.standard_error,
                "accuracy_holdout": held_out(subset.columns) if held_out else np.nan,
            }
            for subset in front
        )
        limit = None if self.budget is None else archive.costs.limit(self.budget)
        self.chosen_ = self._choose(limit)
        self.support_ = np.zeros(len(names), dtype=bool)
        self.support_[list(front[self.chosen_].columns)] = True

    def _choose(self, limit: float | None) -> int:
        """Return the row of the front to select; accuracy increases with cost along the front."""
        front = self.front_
        if limit is None:
            best = front.iloc[-1]
            good = front["accuracy"] >= best["accuracy"] - best["standard_error"]
            return int(np.flatnonzero(good)[0])
        return int(np.flatnonzero(front["cost"] <= limit)[-1])

    def _check_parameters(self) -> None:
        check_integer("folds", self.folds, 2)
        check_integer("population", self.population, 2)
        check_integer("generations", self.generations)
        if self.max_rows is not None:
            check_integer("max_rows", self.max_rows, 2)
        if self.max_features is not None:
            check_integer("max_features", self.max_features)
        if check_non_negative("holdout", self.holdout) >= 1:
            raise UsageError(f"`holdout` must be a fraction below 1; got {self.holdout!r}")


def initial_subsets(initial: Any, names: Sequence[str], max_features: int) -> list[Subset]:
    """Return the user's initial sets as tuples of positions.

    >>> initial_subsets([["b"], [0, 1]], ["a", "b"], max_features=2)
    [(1,), (0, 1)]
    """
    subsets = []
    for columns in [] if initial is None else initial:
        subset = tuple(int(i) for i in np.flatnonzero(column_mask("initial", columns, names)))
        if not 1 <= len(subset) <= max_features:
            raise UsageError(
                f"`initial` must hold sets of 1 to {max_features} columns; got a set of {len(subset)}"
            )
        subsets.append(subset)
    return subsets


def assign_folds(
    codes: NDArray[np.int64], folds: int, holdout: float, max_rows: int | None, seed: int
) -> Rows:
    """Return the fold in which each row is tested, −1 for held-out rows; classes in proportion.

    >>> folds = assign_folds(np.arange(100) % 2, folds=5, holdout=0.2, max_rows=None, seed=0)
    >>> np.unique(folds, return_counts=True)
    (array([-1,  0,  1,  2,  3,  4]), array([20, 16, 16, 16, 16, 16]))
    """
    n = len(codes)
    shuffled = np.random.default_rng([seed, 0]).permutation(n)
    by_class = shuffled[np.argsort(codes[shuffled], kind="stable")]
    sizes = np.bincount(codes)
    rank = np.arange(n) - np.repeat(np.cumsum(sizes) - sizes, sizes)  # of each row in its class
    # Sorted by relative rank in its class, every prefix holds all classes in proportion.
    mixed = by_class[np.argsort((rank + 0.5) / np.repeat(sizes, sizes), kind="stable")]
    n_searched = max(2, n - round(holdout * n))
    searched = mixed[: n_searched if max_rows is None else min(n_searched, int(max_rows))]
    searched = searched[np.argsort(codes[searched], kind="stable")]
    fold = np.full(n, -1, dtype=np.int64)
    fold[searched] = np.arange(len(searched)) % folds
    return fold


def accuracy_functions(
    classifier: Any, table: Table, fold: Rows
) -> tuple[Callable[[Subset], Floats], Accuracy | None]:
    """Return a function for the accuracies in all folds, and one for the held-out rows, if any."""

    def accuracy_function(train: Rows, test: Rows) -> Accuracy:
        X, target = table.X, table.target
        if classifier is None:
            return neighbours_of(X, target, train, test).score
        if isinstance(target, Numbers):
            return lambda subset: regressor_score(
                classifier, X[:, list(subset)], target, train, test
            )
        y = target.labels[target.codes]

        def accuracy(subset: Subset) -> float:
            columns = X[:, list(subset)]
            fitted = clone(classifier).fit(columns[train], y[train])
            return float(fitted.score(columns[test], y[test]))

        return accuracy

    searched, held_out = np.flatnonzero(fold >= 0), np.flatnonzero(fold < 0)
    in_folds = [
        accuracy_function(searched[fold[searched] != f], searched[fold[searched] == f])
        for f in range(fold.max() + 1)
    ]
    return (
        lambda subset: np.array([accuracy(subset) for accuracy in in_folds]),
        accuracy_function(searched, held_out) if len(held_out) else None,
    )
