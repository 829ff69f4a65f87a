"""Random forests: what they measured while they grew, and their predictions."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netchoice.errors import UsageError
from netchoice.forests.bins import Codes, Floats, assign_bins
from netchoice.forests.standard_scale import StandardScale

_CHILD, _LABEL = 2, 3  # columns of the kernel's nodes; CHILD of a leaf is its number


@dataclass(frozen=True)
class Forest:
    """A random forest, as :func:`grow_forest` returns it.

    Attributes
    ----------
    mdi : array (q,)
        Mean decrease of impurity: the shares of each tree, averaged over the trees with at least one
        split, as in scikit-learn. All 0 if no tree has a split.
    mda : array (q,) or None
        How much worse a tree predicts its out-of-bag rows when the column is permuted among them;
        exactly 0 for a column that no tree uses. None if not requested.

    Examples
    --------
    >>> import numpy as np
    >>> from netchoice.forests import grow_forest
    >>> X = np.random.default_rng(1).normal(size=(200, 2))
    >>> forest = grow_forest(X, (X[:, 0] > 0).astype(int), n_trees=20)
    >>> bool(forest.mdi[0] > 0.8), forest.mda
    (True, None)
    """

    mdi: Floats
    mda: Floats | None
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

    def _bin(self, X: Any) -> Codes:
        X = np.asarray(X, dtype=np.float64)
        if X.ndim != 2 or X.shape[1] != len(self._bins):
            raise UsageError(
                f"`X` must have two dimensions and the {len(self._bins)} columns of the training "
                f"table; got the shape {X.shape}"
            )
        return assign_bins(X, self._bins)

    def _leaf_column(self, codes: Codes, column: int) -> NDArray[np.int32]:
        """Return a column of the nodes for each row's leaf in each tree."""
        return np.asarray(self._nodes[self._leaf_nodes(codes), column])

    def _leaf_nodes(self, codes: Codes) -> NDArray[np.int64]:
        """Return the position (n, n_trees) of each row's leaf among the nodes of all trees."""
        from netchoice._kernels.tree_nodes import leaves_of_rows

        leaves = leaves_of_rows(codes, self._begins, self._nodes)
        return np.asarray(leaves + self._begins[:-1])


@dataclass(frozen=True)
class ClassificationForest(Forest):
    """A random forest of classification trees.

    ``mdi`` is the mean decrease of Gini impurity, ``mda`` the mean decrease of a tree's accuracy.
    The other attributes are those below and those of :class:`Forest`.

    Attributes
    ----------
    classes : array (C,)
        The distinct labels.
    oob_votes : array (n, C) of int32
        Number of trees that vote for each class, among those for which the row is out of bag.

    Examples
    --------
    >>> from netchoice.forests import grow_forest
    >>> forest = grow_forest([[0.0], [1.0], [5.0], [6.0]], ["a", "a", "b", "b"], n_trees=20)
    >>> forest.classes[forest.predict_proba([[0.0], [7.0]]).argmax(axis=1)]
    array(['a', 'b'], dtype='<U1')
    """

    classes: NDArray[Any]
    oob_votes: NDArray[np.int32]
    _y: NDArray[np.int32] = field(repr=False)

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


@dataclass(frozen=True)
class RegressionForest(Forest):
    """A random forest of regression trees, for one or several targets.

    Targets are divided by their standard deviation, so that they have equal weights and their units
    do not matter. ``mdi`` is the mean decrease of the variance, ``mda`` the mean increase of a tree's
    mean squared error; both are means over the targets. The other attributes are those below and
    those of :class:`Forest`.

    Attributes
    ----------
    oob_prediction : array (n, t)
        Mean prediction of the trees for which the row is out of bag; NaN if there are none.

    Examples
    --------
    >>> from netchoice.forests import grow_forest
    >>> forest = grow_forest([[0.0], [1.0], [5.0], [6.0]], [0.5, 0.5, 2.5, 2.5], n_trees=200)
    >>> forest.predict([[0.0], [7.0]]).round()
    array([1., 2.])
    """

    oob_prediction: Floats
    _y: Floats = field(repr=False)
    _means: Floats = field(repr=False)  # of the standardised targets, in each node
    _scale: StandardScale = field(repr=False)

    @property
    def oob_score(self) -> float:
        """Out-of-bag R², averaged over the targets; NaN if fewer than two rows are out of bag."""
        out_of_bag = ~np.isnan(self.oob_prediction[:, 0])
        if out_of_bag.sum() < 2:
            return float("nan")
        truth, predicted = (
            self._scale.standardise(values[out_of_bag]) for values in (self._y, self.oob_prediction)
        )
        errors = ((predicted - truth) ** 2).sum(axis=0)
        total = ((truth - truth.mean(axis=0)) ** 2).sum(axis=0)
        # as in scikit-learn, a constant is predicted perfectly (1) or not at all (0)
        shares = np.where(total > 0, errors / np.where(total > 0, total, 1), errors > 0)
        return float(1 - shares.mean())

    def predict(self, X: Any) -> Floats:
        """Return the mean prediction of the trees: (n,) for one target, (n, t) for several."""
        leaves = self._leaf_nodes(self._bin(X))
        means = np.stack([target[leaves].mean(axis=1) for target in self._means.T], axis=1)
        predicted = self._scale.restore(means)
        return predicted[:, 0] if predicted.shape[1] == 1 else predicted
