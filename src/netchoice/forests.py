"""Compiled random forests of classification trees, for any table of numbers."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netchoice.errors import UsageError
from netchoice.targets import Classes, Target, as_target
from netchoice.threads import threads
from netchoice.validation import check_choice, check_integer

__all__ = ["Forest", "grow_forest"]

Floats = NDArray[np.float64]
Codes = NDArray[np.uint16]

IMPORTANCES = ("mdi", "mda")
MAX_BINS = 65536  # the number of 16-bit codes
MAX_INT32 = np.iinfo(np.int32).max
#: Trees per block. It is the same for any number of threads, so that sums are rounded equally.
BLOCK_SIZE = 32
_CHILD, _LABEL = 2, 3  # columns of the kernel's nodes; CHILD of a leaf is its number


@dataclass(frozen=True)
class Forest:
    """A random forest of classification trees, as :func:`grow_forest` returns it.

    Attributes
    ----------
    mdi : array (q,)
        Mean decrease of Gini impurity: the shares of each tree, averaged over the trees with at least one
        split, as in scikit-learn. All 0 if no tree has a split.
    mda : array (q,) or None
        Mean decrease of a tree's accuracy on its out-of-bag rows when the column is permuted among
        them; exactly 0 for a column that no tree uses. None if not requested.
    classes : array (C,)
        The distinct labels.
    oob_votes : array (n, C) of int32
        Number of trees that vote for each class, among those for which the row is out of bag.

    Examples
    --------
    >>> import numpy as np
    >>> from netchoice.forests import grow_forest
    >>> X = np.random.default_rng(1).normal(size=(200, 2))
    >>> forest = grow_forest(X, (X[:, 0] > 0).astype(int), n_trees=20)
    >>> bool(forest.mdi[0] > 0.8), forest.mda
    (True, None)
    >>> forest = grow_forest([[0.0], [1.0], [5.0], [6.0]], ["a", "a", "b", "b"], n_trees=20)
    >>> forest.classes[forest.predict_proba([[0.0], [7.0]]).argmax(axis=1)]
    array(['a', 'b'], dtype='<U1')
    """

    mdi: Floats
    mda: Floats | None
    classes: NDArray[Any]
    oob_votes: NDArray[np.int32]
    _y: NDArray[np.int32] = field(repr=False)
    _bins: tuple[Floats, ...] = field(repr=False)
    _codes: Codes = field(repr=False)
    _begins: NDArray[np.int64] = field(repr=False)
    _nodes: NDArray[np.int32] = field(repr=False)

    @property
    def n_trees(self) -> int:
        """Number of trees."""
        return len(self._begins) - 1

    @cached_property
    def leaves(self) -> NDArray[np.int32]:
        """The leaf (n, n_trees) of each row of the training table in each tree; see `apply`."""
        return self._leaf_column(self._codes, _CHILD)

    def apply(self, X: Any) -> NDArray[np.int32]:
        """Return the leaf (n, n_trees) of each row in each tree, numbered from 0 in each tree."""
        return self._leaf_column(self._bin(X), _CHILD)

    @property
    def oob_score(self) -> float:
        """Out-of-bag accuracy; NaN if no row is out of bag."""
        out_of_bag = self.oob_votes.any(axis=1)
        correct = self.oob_votes.argmax(axis=1) == self._y
        return float(correct[out_of_bag].mean()) if out_of_bag.any() else float("nan")

    def predict_proba(self, X: Any) -> Floats:
        """Return the fraction (n, C) of the trees that vote for each class."""
        votes = self._leaf_column(self._bin(X), _LABEL)
        return np.stack([(votes == k).mean(axis=1) for k in range(len(self.classes))], axis=1)

    def _bin(self, X: Any) -> Codes:
        X = np.asarray(X, dtype=np.float64)
        if X.ndim != 2 or X.shape[1] != len(self._bins):
            raise UsageError(
                f"`X` must have two dimensions and the {len(self._bins)} columns of the training "
                f"table; got the shape {X.shape}"
            )
        return assign_bins(X, self._bins)

    def _leaf_column(self, codes: Codes, column: int) -> NDArray[np.int32]:
        """Return a column (n, n_trees) of the nodes for each row's leaf in each tree."""
        from netchoice._kernels.classification_trees import leaves_of_rows

        leaves = leaves_of_rows(codes, self._begins, self._nodes) + self._begins[:-1]
        return np.asarray(self._nodes[leaves, column])


def grow_forest(
    X: Any,
    y: Any,
    *,
    target: str = "auto",
    n_trees: int = 500,
    min_leaf: int = 1,
    max_features: int | None = None,
    log_weights: Any = None,
    bootstrap: bool = True,
    importance: Collection[str] = ("mdi",),
    seed: Any = 0,
    n_jobs: int | None = None,
) -> Forest:
    """Grow a random forest of classification trees.

    Breiman 2001, doi:10.1023/A:1010933404324. Trees split by Gini impurity. Every node draws
    ``max_features`` columns without replacement, with equal probabilities or in proportion to weights.
    If all of them are constant in the node, it draws more in the same way until one is not, as in
    scikit-learn (not ranger). A tree depends on the seed and its position only, not on the number of
    threads.

    Parameters
    ----------
    X : array (n, q)
        Numbers without missing values. Only their order matters: a node splits halfway between
        ranks. Columns with more than 65536 distinct values are divided into that many bins of
        about equal size.
    y : array (n,)
        Labels of any type.
    target : "auto" or "classes"
        "auto" refuses numbers with fractions, and integers with more than 20 distinct values, which are
        probably no labels; see :func:`netchoice.targets.as_target`.
    n_trees : int
    min_leaf : int
        Minimum number of rows in a leaf, with the repetitions of the bootstrap (as in ranger;
        scikit-learn counts distinct rows).
    max_features : int or None
        Number of columns tried at each node. None: √q, rounded down.
    log_weights : array (q,) or None
        Logarithms of the weights. Differences of any size neither overflow nor take longer. None:
        equal weights.
    bootstrap : bool
        False: every tree uses all rows, and no row is out of bag.
    importance : collection of "mdi" and "mda"
        Importances to measure. ``mdi`` is always measured, in no additional time.
    seed : int, or anything that numpy.random.SeedSequence takes
    n_jobs : int or None
        Number of threads; None: one, −1: one per processor.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = grow_forest(X, y, n_trees=100, importance=("mdi", "mda"))
    >>> sorted(forest.mdi.argsort()[2:].tolist()), forest.oob_score > 0.9, forest.apply(X).shape
    ([2, 3], True, (150, 100))
    """
    X, goal = _check_table(X, as_target(y, target))
    q = X.shape[1]
    order, sorted_weights = _sort_by_weight(log_weights, q)
    n_trees = check_integer("n_trees", n_trees, 1, MAX_INT32)
    min_leaf = check_integer("min_leaf", min_leaf, 1, MAX_INT32)
    n_candidates = max(1, int(np.sqrt(q)))
    if max_features is not None:
        n_candidates = check_integer("max_features", max_features, 1, q)
    for name in importance:
        check_choice("importance", name, IMPORTANCES)
    bins, codes = bin_columns(X)
    y = goal.codes.astype(np.int32)
    state = np.random.SeedSequence(seed).generate_state(3 * n_trees, np.uint64)
    trees = _grow_in_threads(
        n_jobs,
        state.astype(np.uint64).reshape(n_trees, 3),
        (codes, y, len(goal.labels), order, sorted_weights, n_candidates, min_leaf),
        (bool(bootstrap), "mda" in importance),
    )
    return Forest(**trees, classes=goal.labels, _bins=bins, _codes=codes, _y=y)


def _check_table(X: Any, target: Target) -> tuple[Floats, Classes]:
    X = np.asarray(X, dtype=np.float64)
    if X.ndim != 2 or 0 in X.shape or len(target) != len(X):
        raise UsageError(
            "`X` must have at least one row and one column, and `y` a label for each row; got the "
            f"shape {X.shape} and {len(target)} labels"
        )
    if np.isnan(X).any():
        column = int(np.isnan(X).any(axis=0).argmax())
        raise UsageError(
            f"`X` must have no missing values; got NaN in column {column}. Impute or drop them"
        )
    if not isinstance(target, Classes):
        raise UsageError(
            'a forest predicts classes; got numbers as `y`. If they are labels, pass target="classes"'
        )
    return X, target


def _sort_by_weight(log_weights: Any, q: int) -> tuple[NDArray[np.int32], Floats]:
    """Return the columns by decreasing weight, and their log weights, empty if all are equal."""
    weights = np.asarray(np.zeros(q) if log_weights is None else log_weights, dtype=np.float64)
    if weights.shape != (q,) or not np.isfinite(weights).all():
        raise UsageError(
            f"`log_weights` must be {q} finite numbers, one for each column; got the shape "
            f"{weights.shape} with {np.count_nonzero(np.isfinite(weights))} finite numbers"
        )
    if np.ptp(weights) == 0:
        return np.arange(q, dtype=np.int32), np.empty(0)
    order = np.argsort(-weights, kind="stable").astype(np.int32)
    return order, weights[order]


def _grow_in_threads(
    n_jobs: int | None,
    seeds: NDArray[np.uint64],
    settings: tuple[Any, ...],
    measures: tuple[bool, bool],
) -> dict[str, Any]:
    """Grow all trees in the order of their seeds, block by block; return fields of a :class:`Forest`."""
    from netchoice._kernels.classification_trees import grow_classification_trees as kernel

    blocks = [seeds[i : i + BLOCK_SIZE] for i in range(0, len(seeds), BLOCK_SIZE)]
    with threads(n_jobs) as run:
        results = run(lambda block: kernel(*settings, block, *measures), blocks)
    begins, nodes, decrease, loss, votes = zip(*results, strict=True)
    sizes = np.concatenate([np.diff(each) for each in begins])
    return {
        "mdi": _mean_of_shares(np.concatenate(decrease)),
        "mda": np.concatenate(loss).mean(axis=0) if measures[1] else None,
        "oob_votes": np.sum(votes, axis=0, dtype=np.int32),
        "_begins": np.concatenate([[0], np.cumsum(sizes)]),
        "_nodes": np.concatenate(nodes),
    }


def _mean_of_shares(decrease: Floats) -> Floats:
    sums = decrease.sum(axis=1)
    if not (sums > 0).any():
        return np.zeros(decrease.shape[1])
    mean = (decrease[sums > 0] / sums[sums > 0, None]).mean(axis=0)
    return np.asarray(mean / mean.sum())


def bin_columns(X: Floats) -> tuple[tuple[Floats, ...], Codes]:
    """Divide each column into bins, and return their lower bounds and the codes (q, n).

    Every distinct value has its own bin. Columns with more than 65536 distinct values have that
    many bins of about equal size.

    >>> bins, codes = bin_columns(np.array([[1.0], [5.0], [1.0], [2.0]]))
    >>> bins[0], codes
    (array([1., 2., 5.]), array([[0, 2, 0, 1]], dtype=uint16))
    """
    codes = np.empty(X.T.shape, dtype=np.uint16)
    bins = []
    for k, column in enumerate(X.T):
        values, code, counts = np.unique(column, return_inverse=True, return_counts=True)
        if len(values) > MAX_BINS:
            middle = np.cumsum(counts) - counts / 2
            quantile = (middle * (MAX_BINS / len(column))).astype(np.int64)
            _, first, bin_of_value = np.unique(quantile, return_index=True, return_inverse=True)
            values, code = values[first], bin_of_value[code]
        bins.append(values)
        codes[k] = code
    return tuple(bins), codes


def assign_bins(X: Floats, bins: tuple[Floats, ...]) -> Codes:
    """Return the code (q, n) of the bin of each value of a table."""
    codes = np.empty(X.T.shape, dtype=np.uint16)
    for k, bounds in enumerate(bins):
        codes[k] = np.searchsorted(bounds[1:], X[:, k], side="right")
    return codes


def __dir__() -> list[str]:
    return sorted(__all__)
