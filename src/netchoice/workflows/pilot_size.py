"""How small may a pilot be? Grow it until a larger one selects nothing better."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from netchoice.errors import UsageError
from netchoice.models.builtin import get_space
from netchoice.models.space import ModelSpace
from netchoice.names import unknown
from netchoice.selection import METHODS
from netchoice.workflows.pilot_accuracy import confused_pairs
from netchoice.workflows.pilot_ladder import Climb
from netchoice.workflows.pilot_tables import (
    LEAST_SIZE,
    Maker,
    Progress,
    checked_sizes,
    records,
    whole,
)

if TYPE_CHECKING:
    import pandas as pd

FIRST, LAST = 10, 1000


@dataclass
class Recommendation:
    """How large a pilot must be, and why.

    Attributes
    ----------
    n_nodes : int or None
        The size; None if no pilot that was tried can be recommended.
    features : tuple of str
        What is selected there.
    verdict : str
        The same in words, with what speaks for it.
    certain : bool
        Whether the loss against larger pilots is known to be within the tolerance.
    evidence : DataFrame
        One row for each size tried: the features selected; accuracy with them on fresh networks of
        that size (accuracy_here) and at the size where all are compared (check_n), each with an
        interval; what the next larger pilots gain there at most (gain, gain_high); CPU seconds.
    confused : list of pairs
        Models that the features cannot tell apart where they were checked.
    cost : dict
        CPU seconds spent on pilots and on checks, and of a table with all features at the target.
    """

    n_nodes: int | None
    features: tuple[str, ...]
    verdict: str
    certain: bool
    evidence: pd.DataFrame = field(repr=False)
    confused: list[tuple[str, str]]
    cost: dict[str, float]

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        evidence = self.evidence.assign(features=self.evidence["features"].map(list))
        return {
            "n_nodes": self.n_nodes,
            "features": list(self.features),
            "verdict": self.verdict,
            "certain": self.certain,
            "evidence": records(evidence),
            "confused": [list(pair) for pair in self.confused],
            "cost": self.cost,
        }


def recommend_pilot_size(
    space: str | ModelSpace,
    target: int,
    *,
    sizes: Iterable[int] | None = None,
    method: str = "jmi",
    penalty: float = 0.0,
    k: int = 5,
    samples: int = 500,
    check_samples: int = 1000,
    tolerance: float = 0.02,
    confirm: int = 2,
    coverage: float = 0.95,
    budget: float = 600.0,
    features: Sequence[Any] | None = None,
    seed: int = 1,
    engine: str | Executor = "processes",
    workers: int | None = None,
    path: str | PathLike[str] | None = None,
    on_progress: Progress | None = None,
) -> Recommendation:
    """Grow the pilot until a larger one would not select anything better for the target size.

    The features that a pilot selects are computed, and nothing else is, on networks of the target
    size; that is cheap, as they are few. A pilot is large enough when the next ``confirm`` larger
    ones gain at most ``tolerance`` in accuracy there, by the upper end of a paired interval (Agresti
    & Min 2005, doi:10.1002/sim.1781). Neither need the models be separated at the pilot's own size,
    nor the selected features be the same.

    Parameters
    ----------
    space : ModelSpace or str
    target : int
        Nodes of the networks that matter.
    sizes : iterable of int, optional
        Pilots to try, in order; by default 10, 20, 40, … up to 1000 or the target.
    method, penalty, k
        How features are selected, and how many. With a penalty above 0, costs are extrapolated to
        the target.
    samples : int
        Rows of each pilot table.
    check_samples : int
        Networks at the target size, the same for all sets.
    tolerance, coverage : float
        The loss of accuracy that is accepted, and the confidence that it is not larger.
    confirm : int
        Larger pilots that must not be better.
    budget : float
        CPU seconds for one set at the target size; if its costs, extrapolated, are higher, it is
        compared at the largest size, halving, that is within.

    Returns
    -------
    Recommendation

    Notes
    -----
    The other parameters are those of :func:`pilot`.

    Examples
    --------
    >>> from netchoice.workflows import recommend_pilot_size
    >>> found = recommend_pilot_size(
    ...     "ba", 60, sizes=[15, 30, 60], k=1, samples=60, check_samples=200, engine="serial",
    ...     features=["degree_mean", "transitivity", "noise_normal"])
    >>> found.n_nodes, found.features, found.certain
    (15, ('degree_mean',), True)
    """
    space = get_space(space) if isinstance(space, str) else space
    if method not in METHODS:
        raise unknown("method", method, METHODS)
    if not 0 < tolerance < 1:
        raise UsageError(f"tolerance={tolerance!r}; expected a number between 0 and 1")
    target = whole("target", target, LEAST_SIZE)
    order = checked_sizes(_ladder(target) if sizes is None else sizes, target)
    folder = None if path is None else Path(path)
    maker = Maker(space, whole("seed", seed, 0), features, engine, workers, folder, on_progress)
    climb = Climb(
        maker, target, method, float(penalty), whole("k", k), whole("samples", samples, 20),
        whole("check_samples", check_samples, 20), tolerance, whole("confirm", confirm), coverage, budget,
    )  # fmt: skip
    for n in order:
        climb.step(n)
        if climb.chosen() is not None:
            break
    return _recommendation(climb)


def _ladder(target: int) -> list[int]:
    last = min(LAST, target)
    steps = [FIRST * 2**i for i in range(20) if FIRST * 2**i <= last]
    return steps or [target]


def _recommendation(climb: Climb) -> Recommendation:
    at = climb.chosen()
    certain = at is not None
    if at is None and len(climb.rungs) > 0:
        at = climb.not_worse_than_larger()
    evidence = climb.evidence()
    growth = climb.growth()
    cost = {
        "pilots": float(sum(rung.seconds for rung in climb.rungs)),
        "checks": float(sum(climb.seconds_checked.values())),
    }
    if growth is not None:
        cost["all_features_at_target"] = climb.samples * growth.total(climb.target)
    hopeless = climb.hopeless(evidence)
    if at is None or hopeless:
        return Recommendation(None, (), _no(climb, evidence), False, evidence, [], cost)
    rung = climb.rungs[at]
    n = int(evidence["check_n"].iloc[at])
    confused = confused_pairs(*climb.tell(n, rung.features), climb.coverage)
    verdict = _yes(climb, evidence, at, certain, confused)
    return Recommendation(rung.n, rung.features, verdict, certain, evidence, confused, cost)


def _no(climb: Climb, evidence: pd.DataFrame) -> str:
    last = climb.rungs[-1].n
    told = evidence["accuracy_check"].max()
    chance = evidence["chance"].mean()
    if climb.hopeless(evidence):
        at = int(evidence["check_n"].iloc[0])
        seen = "no feature varies" if math.isnan(told) else f"at best {told:.3f} with {at} nodes"
        return (
            f"no pilot can be recommended: with pilots of up to {last} nodes the models are not told "
            f"apart better than by chance (accuracy {seen}; chance {chance:.3f}). They are "
            "the same, or differ in nothing that the features measure, or only in larger networks"
        )
    return (
        f"no pilot can be recommended: larger pilots still select better features at {last} nodes; "
        "go on with larger sizes"
    )


def _yes(
    climb: Climb, evidence: pd.DataFrame, at: int, certain: bool, confused: list[tuple[str, str]]
) -> str:
    row = evidence.iloc[at]
    where = f"{row['check_n']} nodes"
    told = (
        f"{row['n']} nodes will do: features selected there tell the models with accuracy "
        f"{row['accuracy_check']:.3f} ({row['check_low']:.3f} to {row['check_high']:.3f}) at {where}"
    )
    if row["check_n"] < climb.target:
        told += f" (at {climb.target} they cost more than the budget)"
    if not math.isnan(row["gain_high"]):
        told += f"; larger pilots gain {row['gain']:.3f} there, at most {row['gain_high']:.3f}"
    if not certain:
        told = (
            "perhaps "
            + told
            + (
                f". Not certain: wanted at most {climb.tolerance:g} for {climb.confirm} larger sizes; more "
                "sizes or more networks to check with may settle it"
            )
        )
    for first, second in confused:
        told += f". {first} and {second} are not told apart at {where}: no selection can mend that"
    return told
