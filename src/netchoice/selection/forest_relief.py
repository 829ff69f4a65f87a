"""ReliefF among rows that a random forest finds alike."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netchoice.errors import UsageError
from netchoice.forests.forest import grow_forest
from netchoice.selection.base import CostAwareSelector, Problem
from netchoice.selection.greedy import Floats
from netchoice.selection.relief import ReliefF, WholeTable, checked_neighbors, codes_of

MOST = np.iinfo(np.uint16).max


def forest_relieff_weights(
    X: Any,
    y: Any,
    leaves: Any,
    *,
    n_neighbors: int = 10,
    nominal: Any = None,
    seed: int = 0,
    n_jobs: int | None = None,
) -> Floats:
    """Like ReliefF, with the rows that most trees put in the same leaf as neighbours.

    Of rows that share equally many leaves the nearer ones are taken, and of equally near ones as
    many as needed are drawn. A row is never its own hit.

    Parameters
    ----------
    X, y, n_neighbors, nominal, n_jobs
        As in :func:`relieff_weights`.
    leaves : array (n, n_trees) of int
        Number of the leaf of each row in each tree.
    seed : int
        Of the draws.

    Returns
    -------
    array (q,)
        Between −1 and 1; 0 for a column that is constant.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    >>> forest_relieff_weights(X, [0, 0, 1, 1], [[0], [1], [1], [0]], n_neighbors=1)
    array([1., 0.])
    """
    from netchoice._kernels.relief_gains import forest_relieff

    table = WholeTable.of(X, y, nominal)
    wanted = checked_neighbors(n_neighbors, len(table.cells))
    by_tree = _leaves_by_tree(leaves, table)
    words = np.random.SeedSequence(seed).generate_state(3, np.uint64)
    return table.weights(
        lambda *rows: forest_relieff(table.cells, *table.head, by_tree, words, wanted, *rows),
        n_jobs,
    )


def _leaves_by_tree(leaves: Any, table: WholeTable) -> NDArray[np.uint16]:
    """The leaves of the sorted rows, each tree in one piece, in 16 bits."""
    leaves = np.asarray(leaves)
    n = len(table.cells)
    if leaves.ndim != 2 or len(leaves) != n or not np.issubdtype(leaves.dtype, np.integer):
        raise UsageError(
            f"leaves of shape {leaves.shape} and type {leaves.dtype} for {n} rows; expected whole "
            "numbers, a row for each row of the table and a column for each tree"
        )
    by_tree = np.ascontiguousarray(leaves[table.rows].T)
    if by_tree.size and (by_tree.min() < 0 or by_tree.max() > MOST):
        by_tree = np.array([codes_of(tree) for tree in by_tree])
    if len(by_tree) > MOST or by_tree.max(initial=0) > MOST:
        raise UsageError(
            f"{len(by_tree)} trees, of at most {by_tree.max(initial=0) + 1} leaves; proximities "
            f"are counted for up to {MOST} of each: take larger leaves or fewer trees"
        )
    return by_tree.astype(np.uint16)


class ForestReliefF(ReliefF):
    """ReliefF among the rows that share most leaves of a random forest: weight − λC.

    See :func:`forest_relieff_weights`. What is alike is learnt from the labels, so columns of noise
    do not blur it as they blur a distance; in return, rows of different classes are rarely alike.

    Parameters
    ----------
    n_neighbors, nominal_features
        As in :class:`ReliefF`; the forest itself takes all columns as numbers.
    n_trees : int
    min_leaf : int
        Rows that a leaf holds at least, but never more than a tenth of the table: in a small one
        a tree could not split at all, and all rows would be equally alike.
    random_state : int, RandomState or None
        Grows the forest and decides between rows that are equally alike and equally near. None
        draws again in each fit.

    Notes
    -----
    The other parameters and the attributes are those of :class:`ReliefF`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> ForestReliefF(n_trees=50).fit(X, y).get_support(indices=True)
    array([2, 3])
    """

    method = "forest-relieff"

    def __init__(
        self,
        *,
        n_features_to_select: Any = None,
        costs: Any = None,
        penalty: Any = 0.0,
        cost_scale: str = "share",
        charge: str = "alone",
        n_neighbors: int = 10,
        nominal_features: Any = None,
        n_trees: int = 500,
        min_leaf: Any = 100,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(
            n_features_to_select=n_features_to_select,
            costs=costs,
            penalty=penalty,
            cost_scale=cost_scale,
            charge=charge,
            n_neighbors=n_neighbors,
            nominal_features=nominal_features,
            random_state=random_state,
            n_jobs=n_jobs,
        )
        self.n_trees = n_trees
        self.min_leaf = min_leaf

    def _check_parameters(self, problem: Problem) -> None:
        super()._check_parameters(problem)
        if not isinstance(self.min_leaf, numbers.Integral) or int(self.min_leaf) < 1:
            raise UsageError(f"min_leaf={self.min_leaf!r}; expected an integer, 1 or more")

    def _learn(self, problem: Problem, together: Sequence[CostAwareSelector]) -> Floats:
        forest = grow_forest(
            problem.X,
            problem.y,
            n_trees=self.n_trees,
            min_leaf=min(self.min_leaf, max(1, len(problem.X) // 10)),
            seed=problem.seed,
            n_jobs=self.n_jobs,
        )
        return forest_relieff_weights(
            problem.X, problem.y, forest.leaves, seed=problem.seed, **self._how(problem)
        )
