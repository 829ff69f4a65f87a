"""The growth of random forests, with optional weights of the columns."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netchoice.errors import UsageError
from netchoice.forests.bins import Codes, Floats, bin_columns
from netchoice.forests.forest import ClassificationForest, RegressionForest
from netchoice.forests.standard_scale import StandardScale
from netchoice.targets import Classes, Numbers, Target, as_target, check_complete
from netchoice.threads import threads
from netchoice.validation import check_choice, check_integer

IMPORTANCES = ("mdi", "mda")
MAX_INT32 = np.iinfo(np.int32).max
#: Trees per block. It is the same for any number of threads, so that sums are rounded equally.
BLOCK_SIZE = 32


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
) -> ClassificationForest | RegressionForest:
    """Grow a random forest of classification trees, or of regression trees.

    Breiman 2001, doi:10.1023/A:1010933404324. Classification trees split by Gini impurity,
    regression trees by variance, summed over the standardised targets; a split must decrease it.
    Every node draws ``max_features`` columns without replacement, with equal probabilities or in
    proportion to weights. If all of them are constant in the node, it draws more in the same way
    until one is not, as in scikit-learn (not ranger). A tree depends on the seed and its position
    only, not on the number of threads.

    Parameters
    ----------
    X : array (n, q)
        Numbers without missing values. Only their order matters: a node splits halfway between
        ranks. Columns with more than 65536 distinct values are divided into that many bins of
        about equal size.
    y : array (n,) or (n, t)
        Labels of any type, or one or several columns of numbers.
    target : "auto", "classes" or "numbers"
        What ``y`` has, see :func:`netchoice.targets.as_target`. Classes give a
        :class:`ClassificationForest`, numbers a :class:`RegressionForest`.
    n_trees : int
    min_leaf : int
        Minimum number of rows in a leaf, with the repetitions of the bootstrap (as in ranger;
        scikit-learn counts distinct rows).
    max_features : int or None
        Number of columns tried at each node. None: √q for classes and q/3 for numbers, rounded down
        (as Breiman's; scikit-learn tries all columns and ranger √q for numbers).
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
    >>> grow_forest(X[:, :3], X[:, 3], n_trees=100).mdi.argmax()  # predict the width of the petals
    np.int64(2)
    """
    X, goal = _check_table(X, as_target(y, target))
    q = X.shape[1]
    order, sorted_weights = _sort_by_weight(log_weights, q)
    n_trees = check_integer("n_trees", n_trees, 1, MAX_INT32)
    min_leaf = check_integer("min_leaf", min_leaf, 1, MAX_INT32)
    n_candidates = max(1, int(np.sqrt(q)) if isinstance(goal, Classes) else q // 3)
    if max_features is not None:
        n_candidates = check_integer("max_features", max_features, 1, q)
    for name in importance:
        check_choice("importance", name, IMPORTANCES)
    bins, codes = bin_columns(X)
    state = np.random.SeedSequence(seed).generate_state(3 * n_trees, np.uint64)
    grow = partial(
        _grow_in_threads,
        n_jobs,
        state.astype(np.uint64).reshape(n_trees, 3),
        (order, sorted_weights, n_candidates, min_leaf),
        (bool(bootstrap), "mda" in importance),
    )
    if isinstance(goal, Classes):
        return _grow_classification_forest(goal, bins, codes, grow)
    return _grow_regression_forest(goal, bins, codes, grow)


def _check_table(X: Any, target: Target) -> tuple[Floats, Target]:
    X = np.asarray(X, dtype=np.float64)
    if X.ndim != 2 or 0 in X.shape or len(target) != len(X):
        raise UsageError(
            "`X` must have at least one row and one column, and `y` a label or number for each row; "
            f"got the shape {X.shape} and {len(target)} labels or numbers"
        )
    if np.isnan(X).any():
        column = int(np.isnan(X).any(axis=0).argmax())
        raise UsageError(
            f"`X` must have no missing values; got NaN in column {column}. Impute or drop them"
        )
    check_complete(target)
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
    kernel: Callable[..., tuple[Any, ...]],
    *table: Any,
) -> tuple[dict[str, Any], list[tuple[Any, ...]]]:
    """Grow all trees in the order of their seeds, block by block.

    Returns the fields of a :class:`Forest`, and the kernel's other results, by block.
    """
    blocks = [seeds[i : i + BLOCK_SIZE] for i in range(0, len(seeds), BLOCK_SIZE)]
    with threads(n_jobs) as run:
        results = run(lambda block: kernel(*table, *settings, block, *measures), blocks)
    begins, nodes, decrease, loss, *others = zip(*results, strict=True)
    sizes = np.concatenate([np.diff(each) for each in begins])
    trees = {
        "mdi": _mean_of_shares(np.concatenate(decrease)),
        "mda": np.concatenate(loss).mean(axis=0) if measures[1] else None,
        "_begins": np.concatenate([[0], np.cumsum(sizes)]),
        "_nodes": np.concatenate(nodes),
    }
    return trees, others


def _mean_of_shares(decrease: Floats) -> Floats:
    sums = decrease.sum(axis=1)
    if not (sums > 0).any():
        return np.zeros(decrease.shape[1])
    mean = (decrease[sums > 0] / sums[sums > 0, None]).mean(axis=0)
    return np.asarray(mean / mean.sum())


def _grow_classification_forest(
    target: Classes, bins: tuple[Floats, ...], codes: Codes, grow: Callable[..., Any]
) -> ClassificationForest:
    from netchoice._kernels.classification_trees import grow_classification_trees

    y, classes = target.codes.astype(np.int32), target.labels
    trees, (votes,) = grow(grow_classification_trees, codes, y, len(classes))
    votes = np.sum(votes, axis=0, dtype=np.int32)
    return ClassificationForest(
        **trees, _bins=bins, _codes=codes, classes=classes, oob_votes=votes, _y=y
    )


def _grow_regression_forest(
    target: Numbers, bins: tuple[Floats, ...], codes: Codes, grow: Callable[..., Any]
) -> RegressionForest:
    from netchoice._kernels.regression_trees import grow_regression_trees

    scale = StandardScale.of(target.values)
    y = scale.standardise(target.values)
    trees, (means, sums, n_predictions) = grow(grow_regression_trees, codes, y)
    n_oob = np.sum(n_predictions, axis=0)[:, None]
    oob = np.where(n_oob > 0, np.sum(sums, axis=0) / np.maximum(n_oob, 1), np.nan)
    return RegressionForest(
        **trees,
        _bins=bins,
        _codes=codes,
        oob_prediction=scale.restore(oob),
        _y=target.values,
        _means=np.concatenate(means),
        _scale=scale,
    )
