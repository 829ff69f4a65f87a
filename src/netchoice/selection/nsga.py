"""Multi-objective search among sets of columns with NSGA-II of pymoo, an optional dependency.

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
    objectives: Callable[[Masks], Floats],
    *,
    n_evaluations: int,
    population: int,
    max_features: int,
    partners: list[tuple[int, ...]],
    seed: int,
) -> None:
    """Search for the Pareto front of two objectives; ``objectives`` records the results.

    Parameters
    ----------
    start : array (m, q) of bool
        Initial sets.
    objectives : callable
        Returns the values (m, 2) to minimise of an array of sets. It is called once for the initial
        sets and once for each generation, with no set twice.
    n_evaluations : int
        Number of sets to evaluate in addition to the initial ones.
    partners : list of pairs
        Pairs of columns with a joint gain. A mutation may add both columns of a pair at once,
        because adding only one of them makes a set worse.
    """
    problem = Problem(n_var=start.shape[1], n_obj=2, xl=0, xu=1, vtype=bool)
    seen: set[bytes] = set()
    algorithm = NSGA2(
        pop_size=population,
        sampling=start,
        crossover=UniformCrossover(),
        mutation=_OneMove(partners),
        repair=_SizeLimit(max_features),
        eliminate_duplicates=_Unseen(seen),
    )
    algorithm.setup(problem, termination=NoTermination(), seed=seed)
    remaining = n_evaluations + len(start)
    while remaining > 0:
        children = algorithm.ask()
        if children is None or not len(children):  # every set has been evaluated
            return
        children = children[:remaining]
        masks = children.get("X").astype(bool)
        seen.update(mask.tobytes() for mask in masks)
        Evaluator().eval(StaticProblem(problem, F=objectives(masks)), children)
        algorithm.tell(infills=children)
        remaining -= len(children)


class _OneMove(Mutation):  # type: ignore[misc]
    """Mutation: drop a column, add one, exchange one for another, or add a pair."""

    def __init__(self, partners: list[tuple[int, ...]]) -> None:
        super().__init__(prob=0.75)
        self._partners = partners

    def _do(self, problem: Any, X: Masks, *args: Any, random_state: Any, **kwargs: Any) -> Masks:
        mutated = X.astype(bool)
        moves = ["drop", "add", "exchange", *(["pair"] if self._partners else [])]
        for mask in mutated:
            move = random_state.choice(moves)
            inside, outside = np.flatnonzero(mask), np.flatnonzero(~mask)
            if move in ("drop", "exchange") and len(inside):
                mask[random_state.choice(inside)] = False
            if move in ("add", "exchange") and len(outside):
                mask[random_state.choice(outside)] = True
            if move == "pair":
                mask[list(self._partners[random_state.integers(len(self._partners))])] = True
        return mutated


class _SizeLimit(Repair):  # type: ignore[misc]
    """Repair: each set has at least one column and at most ``max_features``."""

    def __init__(self, max_features: int) -> None:
        super().__init__()
        self._max_features = max_features

    def _do(self, problem: Any, X: Masks, *, random_state: Any, **kwargs: Any) -> Masks:
        repaired = X.astype(bool)
        for mask in repaired:
            inside = np.flatnonzero(mask)
            surplus = len(inside) - self._max_features
            if surplus > 0:
                mask[random_state.choice(inside, surplus, replace=False)] = False
            if not len(inside):
                mask[random_state.integers(len(mask))] = True
        return repaired


class _Unseen(DuplicateElimination):  # type: ignore[misc]
    """Duplicate elimination: only sets that have not been evaluated, each once."""

    def __init__(self, seen: set[bytes]) -> None:
        super().__init__()
        self._seen = seen

    def do(self, pop: Any, *others: Any, **kwargs: Any) -> Any:
        """Return the new sets in their order."""
        known = self._seen.union(
            mask.tobytes() for other in others for mask in other.get("X").astype(bool) if len(other)
        )
        first: dict[bytes, int] = {}
        for i, mask in enumerate(pop.get("X").astype(bool)):
            first.setdefault(mask.tobytes(), i)
        return pop[[i for key, i in first.items() if key not in known]]
