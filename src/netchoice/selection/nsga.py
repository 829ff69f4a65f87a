"""Evolution of subsets under two aims, with pymoo's NSGA-II; imported only when it is needed.

Deb et al. 2002, doi:10.1109/4235.996017.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.core.duplicate import DuplicateElimination
from pymoo.core.evaluator import Evaluator
from pymoo.core.mutation import Mutation
from pymoo.core.problem import Problem
from pymoo.core.repair import Repair
from pymoo.core.termination import NoTermination
from pymoo.operators.crossover.ux import UniformCrossover
from pymoo.problems.static import StaticProblem

from netchoice.selection.greedy import Floats

Masks = NDArray[np.bool_]


def evolve(
    start: Masks,
    aims: Callable[[Masks], Floats],
    *,
    n_evaluations: int,
    population: int,
    max_features: int,
    partners: list[tuple[int, ...]],
    seed: int,
) -> None:
    """Look for subsets that no other beats in both aims.

    Parameters
    ----------
    start : array (m, q) of bool
        Sets to begin with.
    aims : callable
        For an array of sets, an array (m, 2) of what is to be small. Called once for the start
        and once for each generation, never with a set that it has seen since the start.
    n_evaluations : int
        How many sets to try beyond the start.
    partners : list of pairs
        Columns that tell more together than alone: a change may add two of them at once, which
        one at a time would be two steps downhill.
    """
    problem = Problem(n_var=start.shape[1], n_obj=2, xl=0, xu=1, vtype=bool)
    seen: set[bytes] = set()
    algorithm = NSGA2(
        pop_size=population,
        sampling=start,
        crossover=UniformCrossover(),
        mutation=_OneChange(partners),
        repair=_Allowed(max_features),
        eliminate_duplicates=_Unseen(seen),
    )
    algorithm.setup(problem, termination=NoTermination(), seed=seed)
    left = n_evaluations + len(start)
    while left > 0:
        children = algorithm.ask()
        if children is None or not len(children):  # every set has been seen
            return
        children = children[:left]
        masks = children.get("X").astype(bool)
        seen.update(mask.tobytes() for mask in masks)
        Evaluator().eval(StaticProblem(problem, F=aims(masks)), children)
        algorithm.tell(infills=children)
        left -= len(children)


class _OneChange(Mutation):  # type: ignore[misc]
    """Drop a column, add one, exchange one for another, or add a pair."""

    def __init__(self, partners: list[tuple[int, ...]]) -> None:
        super().__init__(prob=0.75)
        self._partners = partners

    def _do(self, problem: Any, X: Masks, *args: Any, random_state: Any, **kwargs: Any) -> Masks:
        changed = X.astype(bool)
        moves = ["drop", "add", "exchange", *(["pair"] if self._partners else [])]
        for mask in changed:
            move = random_state.choice(moves)
            inside, outside = np.flatnonzero(mask), np.flatnonzero(~mask)
            if move in ("drop", "exchange") and len(inside):
                mask[random_state.choice(inside)] = False
            if move in ("add", "exchange") and len(outside):
                mask[random_state.choice(outside)] = True
            if move == "pair":
                mask[list(self._partners[random_state.integers(len(self._partners))])] = True
        return changed


class _Allowed(Repair):  # type: ignore[misc]
    """At least one column, and no more than allowed."""

    def __init__(self, max_features: int) -> None:
        super().__init__()
        self._max_features = max_features

    def _do(self, problem: Any, X: Masks, *, random_state: Any, **kwargs: Any) -> Masks:
        allowed = X.astype(bool)
        for mask in allowed:
            inside = np.flatnonzero(mask)
            surplus = len(inside) - self._max_features
            if surplus > 0:
                mask[random_state.choice(inside, surplus, replace=False)] = False
            if not len(inside):
                mask[random_state.integers(len(mask))] = True
        return allowed


class _Unseen(DuplicateElimination):  # type: ignore[misc]
    """Only sets that were not tried before, each once."""

    def __init__(self, seen: set[bytes]) -> None:
        super().__init__()
        self._seen = seen

    def do(self, pop: Any, *others: Any, **kwargs: Any) -> Any:
        """The sets that are new, in their order."""
        known = self._seen.union(
            mask.tobytes() for other in others for mask in other.get("X").astype(bool) if len(other)
        )
        new = []
        for i, mask in enumerate(pop.get("X").astype(bool)):
            key = mask.tobytes()
            if key not in known:
                known.add(key)
                new.append(i)
        return pop[new]
