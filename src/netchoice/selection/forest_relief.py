"""ReliefF with neighbours defined by a random forest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netchoice.errors import UsageError
from netchoice.forests import grow_forest
from netchoice.selection.base import CostAwareSelector, TrainingData
from netchoice.selection.greedy import Floats
from netchoice.selection.relief import ReliefF
from netchoice.selection.relief_table import MAX_UINT16, IntegerTable, encode
from netchoice.validation import check_integer


def forest_relieff_weights(
    X: Any,
    y: Any,
    leaves: Any,
    *,
    target: str = "auto",
    n_neighbors: int = 10,
    nominal: Any = None,
    seed: int = 0,
    n_jobs: int | None = None,
) -> Floats:
    """Return the weights (q,) of :class:`ForestReliefF`, given the leaves (n, n_trees) of all rows.

    >>> X, leaves = [[0, 0], [0, 1], [1, 0], [1, 1]], [[0], [1], [1], [0]]
    >>> forest_relieff_weights(X, [0, 0, 1, 1], leaves, n_neighbors=1)
    array([1., 0.])
    """
    table = IntegerTable.from_arrays(X, y, nominal, target)
    n_neighbors = min(check_integer("n_neighbors", n_neighbors), len(table.cells))
    by_tree = _leaves_by_tree(leaves, table)
    state = np.random.SeedSequence(seed).generate_state(3, np.uint64)
    arguments = (table.cells, *table.layout, by_tree, state, n_neighbors)
    return table.weights(lambda *rows: table.kernels.forest_relieff(*arguments, *rows), n_jobs)


def _leaves_by_tree(leaves: Any, table: IntegerTable) -> NDArray[np.uint16]:
    """Return the leaves (n_trees, n) of the sorted rows in 16 bits."""
    leaves = np.asarray(leaves)
    n = len(table.cells)
    if leaves.ndim != 2 or len(leaves) != n or not np.issubdtype(leaves.dtype, np.integer):
        raise UsageError(
            f"`leaves` must be integers of shape ({n}, n_trees), one row per row of `X`; got "
            f"{leaves.dtype} of shape {leaves.shape}"
        )
    by_tree = np.ascontiguousarray(leaves[table.rows].T)
    if by_tree.size and (by_tree.min() < 0 or by_tree.max() > MAX_UINT16):
        by_tree = np.array([encode(tree) for tree in by_tree])
    if len(by_tree) > MAX_UINT16 or by_tree.max(initial=0) > MAX_UINT16:
        raise UsageError(
            f"`leaves` must have at most {MAX_UINT16} trees and leaves per tree; got "
            f"{len(by_tree)} trees of at most {by_tree.max(initial=0) + 1} leaves. Grow larger "
            "leaves or fewer trees"
        )
    return by_tree.astype(np.uint16)


@dataclass(kw_only=True, eq=False, repr=False)
class ForestReliefF(ReliefF):
    """ReliefF among the rows that share most leaves of a random forest: weight − λC.

    The forest learns from the target which rows are similar, so columns of noise do not blur the
    similarity as they blur a distance. In return, rows of different classes are rarely similar. For
    numbers, the forest has regression trees, and columns of the target that have values in the same
    rows share a forest.
    Among rows that share equally many leaves the nearer ones are neighbours; among equally near
    ones, as many as needed are drawn at random. The parameters and attributes are those below and
    those of :class:`ReliefF`.

    Parameters
    ----------
    n_neighbors, nominal_features
        As in :class:`ReliefF`; the forest itself treats all columns as numbers.
    n_trees : int
    min_leaf : int
        Minimum number of rows in a leaf, at most a tenth of the rows. In a small table, trees with
        larger leaves could not split, and all rows would be equally similar.
    random_state : int, RandomState or None
        Grows the forest and draws neighbours. None: another draw in each fit.


    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> ForestReliefF(n_trees=50).fit(X, y).get_support(indices=True)
    array([2, 3])
    """

    n_trees: int = 500
    min_leaf: int = 100

    method = "forest-relieff"

    def _check_parameters(self, data: TrainingData) -> None:
        super()._check_parameters(data)
        check_integer("min_leaf", self.min_leaf)

    def _compute_statistics(self, data: TrainingData, group: Sequence[CostAwareSelector]) -> Floats:
        return data.mean(self._weigh)

    def _weigh(self, part: TrainingData) -> Floats:
        forest = grow_forest(
            part.X,
            part.target,
            n_trees=self.n_trees,
            min_leaf=min(self.min_leaf, max(1, len(part.X) // 10)),
            seed=part.seed,
            n_jobs=self.n_jobs,
        )
        return forest_relieff_weights(
            part.X, part.target, forest.leaves, seed=part.seed, **self._weight_options(part)
        )
