"""Random forests of classification trees that may prefer some columns to others."""

from __future__ import annotations

import numbers
from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netchoice.errors import UsageError
from netchoice.threads import count_threads, threads

Floats = NDArray[np.float64]
Codes = NDArray[np.uint16]

N_BINS = 65536  # what two bytes hold
IMPORTANCES = ("mdi", "mda")


@dataclass(frozen=True)
class Forest:
    """Trees, and what they say of the columns.

    Attributes
    ----------
    classes : array (C,)
        The distinct labels.
    mdi : array (q,)
        Mean decrease of Gini impurity: of each tree, in shares of its sum; averaged over the trees
        that have a split, as scikit-learn does it. All 0 if no tree has one.
    mda : array (q,) or None
        Mean over trees of the drop in out-of-bag accuracy when the column is permuted among the
        tree's out-of-bag rows; exactly 0 for a column that no tree uses. None if not asked for.
    oob_votes : array (n, C) of int32
        How many of the trees that did not see the row vote for each class.
    """

    classes: NDArray[Any]
    mdi: Floats
    mda: Floats | None
    oob_votes: NDArray[np.int32]
    _y: NDArray[np.int32] = field(repr=False)
    _bins: tuple[Floats, ...] = field(repr=False)
    _codes: Codes = field(repr=False)
    _begins: NDArray[np.int64] = field(repr=False)
    _nodes: NDArray[np.int32] = field(repr=False)

    @property
    def n_trees(self) -> int:
        """How many trees there are."""
        return len(self._begins) - 1

    @property
    def oob_score(self) -> float:
        """Share of rows that the trees which did not see them get right, by majority.

        Rows that every tree saw do not count; nan if there are no others.
        """
        judged = self.oob_votes.any(axis=1)
        right = self.oob_votes.argmax(axis=1) == self._y
        return float(right[judged].mean()) if judged.any() else float("nan")

    @cached_property
    def leaves(self) -> NDArray[np.int32]:
        """The leaf of every tree (n, n_trees) where each row of the training table ends.

        Leaves are numbered from 0 within a tree. Two rows are the closer the more leaves they
        share.
        """
        return self._leaf_numbers(self._nodes_of(self._codes))

    def predict_proba(self, X: Any) -> Floats:
        """Share of the trees that vote for each class (n, C)."""
        X = np.asarray(X, dtype=np.float64)
        if X.ndim != 2 or X.shape[1] != len(self._bins):
            raise UsageError(
                f"a table of shape {X.shape}; expected two dimensions and the {len(self._bins)} "
                "columns that the forest was grown on"
            )
        codes = np.empty(X.T.shape, dtype=np.uint16)
        for k, lowest in enumerate(self._bins):
            codes[k] = np.searchsorted(lowest[1:], X[:, k], side="right")
        votes = self._nodes[self._nodes_of(codes) + self._begins[:-1], _LABEL]
        return np.stack([(votes == k).mean(axis=1) for k in range(len(self.classes))], axis=1)

    def apply(self, X: Any) -> NDArray[np.int32]:
        """Return the leaf of every tree (m, n_trees) in which each row of a new table ends."""
        codes = np.empty(X.T.shape, dtype=np.uint16)
        for k, lowest in enumerate(self._bins):
            codes[k] = np.searchsorted(lowest[1:], X[:, k], side="right")
        return self._leaf_numbers(self._nodes_of(codes))

    def _nodes_of(self, codes: Codes) -> NDArray[np.int32]:
        from netchoice._kernels.trees import leaves_of_rows

        return np.asarray(leaves_of_rows(codes, self._begins, self._nodes))

    def _leaf_numbers(self, nodes: NDArray[np.int32]) -> NDArray[np.int32]:
        return np.asarray(self._nodes[nodes + self._begins[:-1], _CHILD])


_CHILD, _LABEL = 2, 3  # columns of the kernel's nodes; of a leaf, CHILD is its number


def grow_forest(
    X: Any,
    y: Any,
    *,
    n_trees: int = 500,
    min_leaf: int = 1,
    max_features: int | None = None,
    log_weights: Any = None,
    bootstrap: bool = True,
    importance: Collection[str] = ("mdi",),
    seed: Any = 0,
    n_jobs: int | None = None,
) -> Forest:
    """Grow classification trees on bootstrap samples, each to purity, by Gini impurity.

    Breiman 2001, doi:10.1023/A:1010933404324. At every node ``max_features`` columns are drawn
    without replacement, with equal probability or in proportion to weights. If all of them are
    constant in the node, more are drawn in the same way until one is not, as scikit-learn does
    it (ranger does not): cheap constant columns do not end a tree. Trees of equal seed and place
    are equal, whatever the number of threads.

    Parameters
    ----------
    X : array (n, q)
        Numbers, none missing. Only their order matters: cuts are halfway in rank. Columns with
        more than 65536 different values are cut into that many bins of about equal size. (Fewer
        bins distort: 256 hide from 5000 rows where a column separates the classes exactly.)
    y : array (n,)
        Labels of any type.
    n_trees : int
    min_leaf : int
        Rows that a leaf holds at least, counted as often as the bootstrap drew them (as ranger
        does; scikit-learn counts different rows).
    max_features : int or None
        Columns tried at each node; None: √q, rounded down.
    log_weights : array (q,) or None
        Logarithms of the weights. Differences may be of any size: nothing overflows, and nothing
        takes longer. None: equal weights.
    bootstrap : bool
        False: every tree learns from all rows, and nothing is out of bag.
    importance : collection of "mdi" and "mda"
        ``mdi`` comes for free; ``mda`` takes some time, and is left out if not named.
    seed : int, or anything that numpy.random.SeedSequence takes
    n_jobs : int or None
        Threads; None: one, −1: as many as there are processors.

    Returns
    -------
    Forest

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = grow_forest(X, y, n_trees=100, importance=("mdi", "mda"))
    >>> sorted(forest.mdi.argsort()[2:].tolist()), forest.oob_score > 0.9, forest.leaves.shape
    ([2, 3], True, (150, 100))

    Weights make it look elsewhere:

    >>> forest = grow_forest(X, y, n_trees=100, log_weights=[0, -500, -900, -900])
    >>> forest.mdi.argsort()[::-1][:2]  # the second where the first is constant
    array([0, 1])
    """
    X, classes, labels = _checked_table(X, y)
    q = X.shape[1]
    order, sorted_weights = _by_weight(log_weights, q)
    n_trees = _whole("n_trees", n_trees, 1, np.iinfo(np.int32).max)
    min_leaf = _whole("min_leaf", min_leaf, 1, np.iinfo(np.int32).max)
    n_candidates = max(1, int(np.sqrt(q)))
    if max_features is not None:
        n_candidates = _whole("max_features", max_features, 1, q)
    for name in importance:
        if name not in IMPORTANCES:
            raise UsageError(f"importance {name!r}; expected 'mdi' or 'mda'")
    bins, codes = _binned(X)
    words = np.random.SeedSequence(seed).generate_state(3 * n_trees, np.uint64)
    seeds = words.astype(np.uint64).reshape(n_trees, 3)
    begins, nodes, decrease, lost, votes = _grow_in_threads(
        n_jobs,
        seeds,
        (codes, labels, len(classes), order, sorted_weights, n_candidates, min_leaf),
        (bool(bootstrap), "mda" in importance),
    )
    return Forest(
        classes=classes,
        mdi=_mean_of_shares(decrease),
        mda=lost.mean(axis=0) if "mda" in importance else None,
        oob_votes=votes,
        _y=labels,
        _bins=bins,
        _codes=codes,
        _begins=begins,
        _nodes=nodes,
    )


def _checked_table(X: Any, y: Any) -> tuple[Floats, NDArray[Any], NDArray[np.int32]]:
    X = np.asarray(X, dtype=np.float64)
    y = np.asarray(y)
    if X.ndim != 2 or 0 in X.shape or y.shape != X.shape[:1]:
        raise UsageError(
            f"a table of shape {X.shape} and labels of shape {y.shape}; expected at least one row "
            "and one column, and a label for each row"
        )
    if np.isnan(X).any():
        column = int(np.isnan(X).any(axis=0).argmax())
        raise UsageError(f"column {column} has missing values (NaN); fill or drop them first")
    classes, labels = np.unique(y, return_inverse=True)
    return X, classes, labels.astype(np.int32)


def _by_weight(log_weights: Any, q: int) -> tuple[NDArray[np.int32], Floats]:
    """Columns from the largest weight to the smallest, and their log weights; none if equal."""
    every = np.arange(q, dtype=np.int32)
    if log_weights is None:
        return every, np.empty(0)
    weights = np.asarray(log_weights, dtype=np.float64)
    if weights.shape != (q,) or not np.isfinite(weights).all():
        raise UsageError(
            f"log_weights of shape {weights.shape} for {q} columns, of which "
            f"{np.count_nonzero(np.isfinite(weights))} finite; expected a finite number for each"
        )
    if np.ptp(weights) == 0:
        return every, np.empty(0)
    order = np.argsort(-weights, kind="stable").astype(np.int32)
    return order, weights[order]


def _whole(what: str, value: Any, smallest: int, largest: int) -> int:
    if not isinstance(value, numbers.Integral) or not smallest <= int(value) <= largest:
        raise UsageError(f"{what}={value!r}; expected an integer from {smallest} to {largest}")
    return int(value)


def _binned(X: Floats) -> tuple[tuple[Floats, ...], Codes]:
    """The lowest value of each bin of each column, and the bin of each value (q, n)."""
    codes = np.empty(X.T.shape, dtype=np.uint16)
    bins = []
    for k, column in enumerate(X.T):
        values, code, counts = np.unique(column, return_inverse=True, return_counts=True)
        if len(values) > N_BINS:
            middle = np.cumsum(counts) - counts / 2
            quantile = (middle * (N_BINS / len(column))).astype(np.int64)
            _, first, bin_of_value = np.unique(quantile, return_index=True, return_inverse=True)
            values, code = values[first], bin_of_value[code]
        bins.append(values)
        codes[k] = code
    return tuple(bins), codes


def _grow_in_threads(
    n_jobs: int | None, seeds: NDArray[np.uint64], before: tuple[Any, ...], after: tuple[Any, ...]
) -> tuple[Any, ...]:
    """All trees, in the order of their seeds; threads take equal shares."""
    from netchoice._kernels.trees import grow_trees

    shares = np.array_split(seeds, min(count_threads(n_jobs), len(seeds)))
    with threads(n_jobs) as run:
        parts = run(lambda share: grow_trees(*before, share, *after), shares)
    begins = np.cumsum([0, *(n for part in parts for n in np.diff(part[0]))])
    nodes, decrease, lost = (np.concatenate([part[i] for part in parts]) for i in (1, 2, 3))
    return begins, nodes, decrease, lost, np.sum([part[4] for part in parts], axis=0, dtype="i4")


def _mean_of_shares(decrease: Floats) -> Floats:
    sums = decrease.sum(axis=1)
    if not (sums > 0).any():
        return np.zeros(decrease.shape[1])
    shares = decrease[sums > 0] / sums[sums > 0, None]
    mean = shares.mean(axis=0)
    return np.asarray(mean / mean.sum())
